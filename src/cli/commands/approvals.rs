//! `symd approvals`: shows and changes the user's approval settings. Reads and writes the user's file
//! directly: a daemon reads it again for every call, so it need not be notified, and no client can change it
//! through the socket.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::base::Timestamp;
use crate::cli::args::{ApprovalsCommand, PolicyWord};
use crate::cli::commands::{Form, print, say};
use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};
use crate::config::approvals::{
    self, Approvals, ApprovalsError, PROJECT_FILE, Policy, PolicySubject, Rule, RulePattern, RuleState,
    parse_duration, user_file,
};
use crate::config::layers::printable;
use crate::serve::approvals::{ApprovalFiles, by_default};
use crate::toolsets::listing::choose;
use crate::toolsets::{self, ApprovalDefault, Tool, Toolset};

pub(super) fn run(context: &Context, command: ApprovalsCommand) -> Result<(), Failure> {
    let file = user_file(&context.dirs.persistent.config);
    let switch = |id: u64, to: Switch| {
        approvals::change(&file, |approvals| {
            approvals.rule(id).ok_or(ApprovalsError::NoRule(id))?.enabled = to == Switch::On;
            Ok(())
        })
        .map_err(failed)
    };
    match command {
        ApprovalsCommand::List { json } => list(context, Form::new(json)),
        ApprovalsCommand::Add { tool, pattern, toolset, here, expires, policy } => {
            let project = if here { Some(context.place()?.root.display().to_string()) } else { None };
            let rule = Rule {
                id: 0,
                tool: known_tool(&tool, toolset.as_deref())?,
                pattern: RulePattern::new(&pattern).map_err(|error| Exit::Usage.because(error))?,
                toolset,
                project,
                expires: expires.as_deref().map(expiry).transpose()?,
                enabled: true,
                policy: policy.into(),
            };
            let id = approvals::change(&file, |approvals| Ok(approvals.add(rule))).map_err(failed)?;
            say(&format!("rule {id}; `symd approvals revoke {id}` takes it back"));
            Ok(())
        }
        ApprovalsCommand::Enable { id } => switch(id, Switch::On),
        ApprovalsCommand::Disable { id } => switch(id, Switch::Off),
        ApprovalsCommand::Revoke { id } => approvals::change(&file, |approvals| {
            let place = approvals.rules.iter().position(|rule| rule.id == id);
            approvals.rules.remove(place.ok_or(ApprovalsError::NoRule(id))?);
            Ok(())
        })
        .map_err(failed),
        ApprovalsCommand::Policy { subject, policy } => {
            let subject = known_subject(&subject)?;
            match policy {
                None => show_policy(&file, &subject),
                Some(word) => set_policy(&file, subject, word),
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Switch {
    On,
    Off,
}

fn failed(error: ApprovalsError) -> Failure {
    match error {
        ApprovalsError::NoRule(_) => Exit::Usage.because(error),
        ApprovalsError::Wrong { .. } => {
            Exit::Failed.because(format!("{error}; correct it there, or remove the file and start over"))
        }
        ApprovalsError::State(_) => Exit::Failed.because(error),
    }
}

fn expiry(text: &str) -> Result<Timestamp, Failure> {
    let duration = parse_duration(text).map_err(|why| Exit::Usage.because(format!("--expires: {why}")))?;
    Ok(Timestamp::now().after(duration))
}

fn named(name: &str) -> Result<&'static Toolset, Failure> {
    let found = toolsets::all().iter().copied().find(|toolset| toolset.name == name);
    let listing = || choose(toolsets::all(), &[name.to_owned()]).ok()?.first().map(|one| one.toolset.name);
    found.ok_or_else(|| {
        if let Some(contract) = listing() {
            return Exit::Usage
                .because(format!("{name} only lists tools of {contract}; use the name {contract}"));
        }
        let known: Vec<&str> = toolsets::all().iter().map(|toolset| toolset.name).collect();
        Exit::Usage.because(format!("there is no toolset {name:?}; known: {}", known.join(", ")))
    })
}

/// Checks that a tool with this name exists: a rule with a misspelt name would silently never match.
fn known_tool(name: &str, toolset: Option<&str>) -> Result<String, Failure> {
    let among = match toolset {
        Some(toolset) => vec![named(toolset)?],
        None => toolsets::all().to_vec(),
    };
    if among.iter().any(|toolset| toolset.tools.iter().any(|tool| tool.name == name)) {
        return Ok(name.to_owned());
    }
    let aliases = among.iter().flat_map(|toolset| toolset.spells.aliases);
    if let Some(alias) = aliases.into_iter().find(|alias| alias.tool.name == name) {
        let tools = alias.tool.stands_for.join(", ");
        return Err(Exit::Usage.because(format!(
            "{name} is an alias; its calls need the approval of the tools it stands for: {tools}; name one of those"
        )));
    }
    let whose = toolset.map_or_else(String::new, |toolset| format!(" in toolset {toolset}"));
    Err(Exit::Usage.because(format!("there is no tool {name:?}{whose}; `symd tools` lists them")))
}

fn known_subject(text: &str) -> Result<PolicySubject, Failure> {
    let subject: PolicySubject = text.parse().map_err(|why: String| Exit::Usage.because(why))?;
    named(&subject.toolset)?;
    if let Some(tool) = &subject.tool {
        known_tool(tool, Some(&subject.toolset))?;
    }
    Ok(subject)
}

fn show_policy(file: &Path, subject: &PolicySubject) -> Result<(), Failure> {
    let approvals = approvals::read(file).map_err(failed)?;
    let own = match &subject.tool {
        Some(tool) => approvals.policy(&subject.toolset, tool),
        None => approvals.policies.get(subject).copied(),
    };
    let toolset = named(&subject.toolset)?;
    let tool = toolset.tools.iter().find(|tool| Some(tool.name) == subject.tool.as_deref());
    let text = match (own, tool) {
        (Some(policy), _) => policy.to_string(),
        (None, Some(tool)) => format!("{} (the default)", by_default(toolset, tool)),
        (None, None) => format!("default: {}", default_words(toolset)),
    };
    print(&format!("{text}\n"))
}

fn set_policy(file: &Path, subject: PolicySubject, word: PolicyWord) -> Result<(), Failure> {
    let policy = match word {
        PolicyWord::Allow => Some(Policy::Allow),
        PolicyWord::Ask => Some(Policy::Ask),
        PolicyWord::Deny => Some(Policy::Deny),
        PolicyWord::Default => None,
    };
    let is_toolset = subject.tool.is_none();
    let name = subject.to_string();
    let exceptions = approvals::change(file, |approvals| {
        match policy {
            Some(policy) => approvals.policies.insert(subject.clone(), policy),
            None => approvals.policies.remove(&subject),
        };
        let of_tools = |known: &&PolicySubject| known.tool.is_some() && known.toolset == subject.toolset;
        let others = approvals.policies.keys().filter(of_tools).map(ToString::to_string);
        Ok(if is_toolset { others.collect::<Vec<_>>() } else { Vec::new() })
    })
    .map_err(failed)?;
    let now = policy.map_or_else(|| "the default".to_owned(), |policy| policy.to_string());
    say(&format!("{name}: {now}, from the next call on, in every project"));
    if is_toolset && policy == Some(Policy::Allow) {
        say("that is every tool of it, those that run commands or use the network included");
    }
    if !exceptions.is_empty() {
        say(&format!("these keep a policy of their own: {}", exceptions.join(", ")));
    }
    Ok(())
}

fn list(context: &Context, form: Form) -> Result<(), Failure> {
    let file = user_file(&context.dirs.persistent.config);
    let root = context.find_place().ok().map(|place| place.root);
    let settled = ApprovalFiles::new(&file, root.as_deref()).read();
    let user = usable(&settled.user)?;
    let project = usable(&settled.project)?;
    match form {
        Form::Json => {
            let all = json!({
                "file": file.display().to_string(),
                "policies": policies_json(user),
                "defaults": toolsets::all().iter().map(|toolset| (toolset.name.to_owned(), defaults_json(toolset)))
                    .collect::<Map<_, _>>(),
                "rules": rules_json(user),
                "project": { "policies": policies_json(project), "rules": rules_json(project) },
                "notes": settled.notes,
            });
            print(&format!("{all:#}\n"))
        }
        Form::Text => print(&text(&file, user, project, &settled.notes)),
    }
}

fn usable(parsed: &Result<Approvals, String>) -> Result<&Approvals, Failure> {
    parsed.as_ref().map_err(|why| {
        Exit::Failed.because(format!("{why}; until that is corrected, nothing runs that could need approval"))
    })
}

fn text(file: &Path, user: &Approvals, project: &Approvals, notes: &[String]) -> String {
    let mut text = format!("policies, in {}:\n", file.display());
    // Writing to a String cannot fail.
    for toolset in toolsets::all() {
        let own = user.policies.get(&PolicySubject::toolset(toolset.name));
        let words = own.map_or_else(|| format!("default: {}", default_words(toolset)), ToString::to_string);
        let _ = writeln!(text, "  {:<12} {words}", toolset.name);
    }
    let known = |subject: &PolicySubject| subject.tool.is_none() && named(&subject.toolset).is_ok();
    for (subject, policy) in user.policies.iter().filter(|(subject, _)| !known(subject)) {
        let _ = writeln!(text, "  {subject} {policy}{}", unknown(subject));
    }
    push_rules(&mut text, "rules:", user);
    if *project != Approvals::default() {
        let _ = writeln!(text, "the project's {PROJECT_FILE}:");
        for (subject, policy) in &project.policies {
            let _ = writeln!(text, "  {subject} {policy}{}", unknown(subject));
        }
        push_rules(&mut text, "the project's rules:", project);
    }
    for note in notes {
        let _ = writeln!(text, "note: {}", printable(note));
    }
    text
}

fn push_rules(text: &mut String, title: &str, approvals: &Approvals) {
    if approvals.rules.is_empty() {
        return;
    }
    let now = Timestamp::now();
    let _ = writeln!(text, "{title}");
    for rule in &approvals.rules {
        let mut about = rule.tool.clone();
        if let Some(toolset) = &rule.toolset {
            let _ = write!(about, " of {toolset}");
        }
        if let Some(project) = &rule.project {
            let _ = write!(about, " in {project}");
        }
        let state = match (rule.state(now), rule.expires) {
            (RuleState::Disabled, _) => " (disabled)".to_owned(),
            (RuleState::Expired, _) => " (expired)".to_owned(),
            (RuleState::Enabled, Some(end)) => format!(" (until {end})"),
            (RuleState::Enabled, None) => String::new(),
        };
        let line = printable(&format!("{:>3} {} {about}{state}: {}", rule.id, rule.policy, rule.pattern));
        let _ = writeln!(text, "{}", line.replace('\n', "\\n"));
    }
}

/// Returns a remark for a policy whose tool or toolset does not exist.
fn unknown(subject: &PolicySubject) -> &'static str {
    let toolset = toolsets::all().iter().find(|toolset| toolset.name == subject.toolset);
    let has = |toolset: &&&Toolset| {
        subject.tool.as_deref().is_none_or(|name| toolset.tools.iter().any(|tool| tool.name == name))
    };
    if toolset.filter(has).is_some() { "" } else { " (this symd has no such tool)" }
}

fn default_words(toolset: &Toolset) -> &'static str {
    match toolset.asks_for {
        ApprovalDefault::Changes => "asks before calls that change anything, run commands or use the network",
        ApprovalDefault::BeyondProject => "asks before calls that run commands or use the network",
    }
}

fn defaults_json(toolset: &'static Toolset) -> Value {
    let default = |tool: &Tool| (tool.name.to_owned(), json!(by_default(toolset, tool)));
    Value::Object(toolset.tools.iter().map(default).collect())
}

fn policies_json(approvals: &Approvals) -> Value {
    Value::Object(
        approvals.policies.iter().map(|(subject, policy)| (subject.to_string(), json!(policy))).collect(),
    )
}

fn rules_json(approvals: &Approvals) -> Value {
    let now = Timestamp::now();
    let rule = |rule: &Rule| {
        json!({
            "id": rule.id, "tool": rule.tool, "pattern": rule.pattern.as_str(), "toolset": rule.toolset,
            "project": rule.project, "expires": rule.expires.map(|end| end.to_string()),
            "enabled": rule.enabled, "policy": rule.policy,
            "state": match rule.state(now) {
                RuleState::Enabled => "enabled",
                RuleState::Disabled => "disabled",
                RuleState::Expired => "expired",
            },
        })
    };
    approvals.rules.iter().map(rule).collect()
}
