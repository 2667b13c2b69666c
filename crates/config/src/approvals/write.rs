//! Writes decisions as the text of an `approvals.toml`. Invariant: parsing the text yields the same
//! decisions.

use std::fmt::Write;

use super::{Approvals, Policy, Rule};

/// The first line of every file.
const HEAD: &str = "# What symd's tools may do without asking. `symd approvals` writes this file whole and keeps no comments.\n";

impl Approvals {
    /// Returns the text of the approvals file.
    pub fn to_text(&self) -> String {
        let mut text = HEAD.to_owned();
        if !self.policies.is_empty() {
            text.push_str("\n[policy]\n");
        }
        for (subject, policy) in &self.policies {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{} = \"{policy}\"", quoted(&subject.to_string()));
        }
        for rule in &self.rules {
            push_rule(&mut text, rule);
        }
        text
    }
}

fn push_rule(text: &mut String, rule: &Rule) {
    let mut line = |key: &str, value: String| {
        let _ = writeln!(text, "{key} = {value}");
    };
    line("\n[[rule]]\nid", rule.id.to_string());
    line("tool", quoted(&rule.tool));
    line("pattern", readable(rule.pattern.as_str()));
    if let Some(toolset) = &rule.toolset {
        line("toolset", quoted(toolset));
    }
    if let Some(project) = &rule.project {
        line("project", quoted(project));
    }
    if let Some(expires) = rule.expires {
        line("expires", quoted(&expires.to_string()));
    }
    if !rule.enabled {
        line("enabled", "false".to_owned());
    }
    if rule.policy != Policy::Allow {
        line("policy", quoted(&rule.policy.to_string()));
    }
}

/// Returns a literal TOML string where possible, since expressions are full of backslashes; otherwise a basic
/// string.
fn readable(text: &str) -> String {
    if text.chars().any(|c| c == '\'' || c.is_control()) { quoted(text) } else { format!("'{text}'") }
}

/// Returns a basic TOML string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
