//! The user's decisions about tool calls: policies by toolset and tool, and rules about single calls. Does
//! not know the tools: whether a call without a decision is asked about is determined where calls are run.
//! Invariant: a text with any mistake decides nothing, and an expired or disabled rule never matches.
//!
//! The user's file is `approvals.toml` next to `config.toml` (`$XDG_CONFIG_HOME/symd/approvals.toml`), mode
//! 0600, owned by the user; `symd approvals` writes it. A project may have a `.symd/approvals.toml` of the
//! same form, in which only `ask` and `deny` count.
//!
//! ```toml
//! [policy]
//! cli_agent = "allow"                   # a toolset: allow, ask or deny
//! "cli_agent/create_file" = "deny"      # one tool of it; takes precedence over the toolset's
//!
//! [[rule]]
//! id = 1
//! tool = "run_in_terminal"
//! pattern = '^{"command":"git status"}$' # searched in the call's arguments: compact JSON, keys sorted
//! toolset = "cli_agent"                  # optional, like all that follows; default: any toolset
//! project = "/home/u/project"            # default: any project
//! expires = "2026-11-22T10:00:00Z"       # UTC; never matches from then on
//! enabled = false                        # never matches
//! policy = "deny"                        # allow (the default), ask or deny
//! ```

mod duration;
mod file;
mod parse;
mod pattern;
mod rule;
mod write;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use symd_base::Timestamp;

pub use duration::parse_duration;
pub use file::{ApprovalsError, MAX_FILE_BYTES, change, parse_bytes, read, user_file};
pub use pattern::{RulePattern, RulePatternError, exact};
pub use rule::{CallText, Rule, RuleState};

/// The project's own approvals file, relative to its root.
pub const PROJECT_FILE: &str = ".symd/approvals.toml";

/// What happens to a call. Later variants are stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// It runs.
    Allow,
    /// The user is asked.
    Ask,
    /// It is refused.
    Deny,
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Policy::Allow => "allow",
            Policy::Ask => "ask",
            Policy::Deny => "deny",
        })
    }
}

/// What a policy applies to: a toolset, or one tool of it. Written `TOOLSET` or `TOOLSET/TOOL`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PolicySubject {
    pub toolset: String,
    /// The tool's name; `None` if the policy applies to all tools.
    pub tool: Option<String>,
}

impl PolicySubject {
    /// Returns the subject for a whole toolset.
    pub fn toolset(toolset: &str) -> PolicySubject {
        PolicySubject { toolset: toolset.to_owned(), tool: None }
    }

    /// Returns the subject for one tool.
    pub fn tool(toolset: &str, tool: &str) -> PolicySubject {
        PolicySubject { toolset: toolset.to_owned(), tool: Some(tool.to_owned()) }
    }
}

impl fmt::Display for PolicySubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.tool {
            None => f.write_str(&self.toolset),
            Some(tool) => write!(f, "{}/{tool}", self.toolset),
        }
    }
}

impl FromStr for PolicySubject {
    type Err = String;

    fn from_str(text: &str) -> Result<PolicySubject, String> {
        let (toolset, tool) = match text.split_once('/') {
            Some((toolset, tool)) => (toolset, Some(tool)),
            None => (text, None),
        };
        if is_name(toolset) && tool.is_none_or(is_name) {
            Ok(PolicySubject { toolset: toolset.to_owned(), tool: tool.map(str::to_owned) })
        } else {
            Err(format!("{text:?} is neither a TOOLSET nor a TOOLSET/TOOL"))
        }
    }
}

/// Whether `text` has the form of a toolset's or tool's name.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// The decisions in one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Approvals {
    pub policies: BTreeMap<PolicySubject, Policy>,
    /// Sorted by ID.
    pub rules: Vec<Rule>,
}

impl Approvals {
    /// Returns the policy for a tool: its own, else its toolset's.
    pub fn policy(&self, toolset: &str, tool: &str) -> Option<Policy> {
        let own = self.policies.get(&PolicySubject::tool(toolset, tool));
        own.or_else(|| self.policies.get(&PolicySubject::toolset(toolset))).copied()
    }

    /// Iterates over the rules that match a call at `now`.
    pub fn matching(&self, call: &CallText<'_>, now: Timestamp) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(move |rule| rule.matches(call, now))
    }

    /// Adds a rule under a new ID and returns the ID. If an equal rule exists that is valid for at least as
    /// long, returns the ID of that rule instead.
    pub fn add(&mut self, mut rule: Rule) -> u64 {
        let covers = |known: &&Rule| {
            let alike = Rule { id: rule.id, expires: rule.expires, ..(*known).clone() } == rule;
            alike && known.expires.is_none_or(|known| rule.expires.is_some_and(|wanted| wanted <= known))
        };
        if let Some(known) = self.rules.iter().find(covers) {
            return known.id;
        }
        rule.id = self.rules.iter().map(|rule| rule.id).max().unwrap_or_default() + 1;
        self.rules.push(rule);
        self.rules.last().map_or(0, |rule| rule.id)
    }

    /// Returns the rule with this ID.
    pub fn rule(&mut self, id: u64) -> Option<&mut Rule> {
        self.rules.iter_mut().find(|rule| rule.id == id)
    }
}
