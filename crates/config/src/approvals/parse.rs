//! Parses the text of an `approvals.toml`. Every mistake names its line; an unknown key is a mistake.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;

use super::{Approvals, Policy, PolicySubject, Rule, RulePattern, is_name};

/// A mistake in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    /// 1-based.
    pub(super) line: usize,
    pub(super) what: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    policy: BTreeMap<Spanned<String>, Policy>,
    #[serde(default)]
    rule: Vec<Spanned<Entry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: Spanned<u64>,
    tool: Spanned<String>,
    pattern: Spanned<String>,
    toolset: Option<Spanned<String>>,
    project: Option<String>,
    expires: Option<Spanned<String>>,
    #[serde(default = "yes")]
    enabled: bool,
    #[serde(default = "allow")]
    policy: Policy,
}

fn yes() -> bool {
    true
}

fn allow() -> Policy {
    Policy::Allow
}

pub(super) fn parse(text: &str) -> Result<Approvals, Mistake> {
    let at = |span: Range<usize>, what: String| Mistake { line: line_of(text, span.start), what };
    let file: File = toml::from_str(text)
        .map_err(|error| at(error.span().unwrap_or_default(), error.message().trim().replace('\n', " ")))?;
    let mut approvals = Approvals::default();
    for (subject, policy) in file.policy {
        let subject_: PolicySubject = subject.as_ref().parse().map_err(|why| at(subject.span(), why))?;
        approvals.policies.insert(subject_, policy);
    }
    for entry in file.rule {
        let rule = rule(entry.into_inner()).map_err(|(span, what)| at(span, what))?;
        approvals.rules.push(rule);
    }
    approvals.rules.sort_by_key(|rule| rule.id);
    match approvals.rules.windows(2).find(|pair| pair[0].id == pair[1].id) {
        Some(pair) => Err(Mistake { line: 1, what: format!("two rules have the id {}", pair[0].id) }),
        None => Ok(approvals),
    }
}

fn rule(entry: Entry) -> Result<Rule, (Range<usize>, String)> {
    let name = |name: &Spanned<String>, of: &str| {
        let wrong = || (name.span(), format!("{:?} is not a valid {of} name", name.as_ref()));
        is_name(name.as_ref()).then(|| name.as_ref().clone()).ok_or_else(wrong)
    };
    if *entry.id.as_ref() == 0 {
        return Err((entry.id.span(), "ids start at 1".to_owned()));
    }
    let pattern = &entry.pattern;
    let expires = entry.expires.map(|end| end.as_ref().parse().map_err(|why| (end.span(), why)));
    Ok(Rule {
        id: entry.id.into_inner(),
        tool: name(&entry.tool, "tool")?,
        pattern: RulePattern::new(pattern.as_ref()).map_err(|error| (pattern.span(), error.to_string()))?,
        toolset: entry.toolset.map(|toolset| name(&toolset, "toolset")).transpose()?,
        project: entry.project,
        expires: expires.transpose()?,
        enabled: entry.enabled,
        policy: entry.policy,
    })
}

fn line_of(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset).unwrap_or_default();
    1 + memchr::memchr_iter(b'\n', before).count()
}
