//! A rule: which calls it applies to, and what happens to them.

use super::{Policy, RulePattern};
use symd_base::Timestamp;

/// A decision of the user about single calls. Rules are equal if all of their fields are, including the ID.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The ID by which the user refers to it.
    pub id: u64,
    /// The exact name of the tool.
    pub tool: String,
    /// Searched in the call's arguments.
    pub pattern: RulePattern,
    /// The toolset; `None` for every toolset that has the tool.
    pub toolset: Option<String>,
    /// The root of the project; `None` for all projects.
    pub project: Option<String>,
    /// From this time on the rule never matches.
    pub expires: Option<Timestamp>,
    /// Whether it matches at all.
    pub enabled: bool,
    /// What happens to calls that match.
    pub policy: Policy,
}

/// The parts of a call to which rules apply.
#[derive(Clone, Copy, Debug)]
pub struct CallText<'a> {
    pub toolset: &'a str,
    pub tool: &'a str,
    /// The root of the project.
    pub project: &'a str,
    /// The arguments: compact JSON with sorted keys, defaults not filled in.
    pub arguments: &'a str,
}

/// Whether a rule is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleState {
    Enabled,
    /// The user has disabled it.
    Disabled,
    /// Its expiry time has passed.
    Expired,
}

impl Rule {
    /// Returns the rule's state at `now`.
    pub fn state(&self, now: Timestamp) -> RuleState {
        match self {
            Rule { enabled: false, .. } => RuleState::Disabled,
            Rule { expires: Some(end), .. } if *end <= now => RuleState::Expired,
            _ => RuleState::Enabled,
        }
    }

    /// Whether the rule applies to this call at `now`.
    pub fn matches(&self, call: &CallText<'_>, now: Timestamp) -> bool {
        self.state(now) == RuleState::Enabled
            && self.tool == call.tool
            && self.toolset.as_deref().is_none_or(|toolset| toolset == call.toolset)
            && self.project.as_deref().is_none_or(|project| project == call.project)
            && self.pattern.is_found_in(call.arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule() -> Rule {
        Rule {
            id: 1,
            tool: "create_file".to_owned(),
            pattern: RulePattern::new("a\\.txt").expect("valid"),
            toolset: None,
            project: None,
            expires: None,
            enabled: true,
            policy: Policy::Allow,
        }
    }

    const CALL: CallText<'_> = CallText {
        toolset: "cli_agent",
        tool: "create_file",
        project: "/p",
        arguments: r#"{"path":"a.txt"}"#,
    };

    #[test]
    fn every_part_of_a_rule_must_fit() {
        let now = Timestamp::from_seconds(100);
        assert!(rule().matches(&CALL, now));
        assert!(!rule().matches(&CallText { tool: "create_files", ..CALL }, now));
        assert!(!rule().matches(&CallText { arguments: r#"{"path":"b.txt"}"#, ..CALL }, now));
        let some = |text: &str| Some(text.to_owned());
        assert!(Rule { toolset: some("cli_agent"), project: some("/p"), ..rule() }.matches(&CALL, now));
        assert!(!Rule { toolset: some("native"), ..rule() }.matches(&CALL, now));
        assert!(!Rule { project: some("/p/q"), ..rule() }.matches(&CALL, now));
        assert!(!Rule { enabled: false, ..rule() }.matches(&CALL, now));
    }

    #[test]
    fn the_clock_alone_ends_a_rule() {
        let rule = Rule { expires: Some(Timestamp::from_seconds(100)), ..rule() };
        assert!(rule.matches(&CALL, Timestamp::from_seconds(99)));
        for late in [100, 101] {
            assert!(!rule.matches(&CALL, Timestamp::from_seconds(late)));
        }
        assert_eq!(rule.state(Timestamp::from_seconds(100)), RuleState::Expired);
        let disabled = Rule { enabled: false, ..rule };
        assert_eq!(disabled.state(Timestamp::from_seconds(100)), RuleState::Disabled);
    }
}
