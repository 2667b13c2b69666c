//! A rule: which calls it is about, and what becomes of them.

use super::{Policy, RulePattern, Timestamp};

/// What the user settled about single calls. Two rules are equal that say the same, with the same id.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// By which the user names it.
    pub id: u64,
    /// The name of the tool, exactly.
    pub tool: String,
    /// Searched in the call's arguments.
    pub pattern: RulePattern,
    /// The toolset, unless it is about all that have the tool.
    pub toolset: Option<String>,
    /// The root of the project, unless it is about all.
    pub project: Option<String>,
    /// From then on it never matches.
    pub expires: Option<Timestamp>,
    /// Whether it matches at all.
    pub enabled: bool,
    /// What becomes of calls that match.
    pub policy: Policy,
}

/// A call as rules see it.
#[derive(Clone, Copy, Debug)]
pub struct CallText<'a> {
    /// The toolset.
    pub toolset: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// The root of the project.
    pub project: &'a str,
    /// The arguments: compact JSON with sorted keys, defaults not filled in.
    pub arguments: &'a str,
}

/// Whether a rule is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleState {
    /// It is.
    Enabled,
    /// The user disabled it.
    Disabled,
    /// Its time is over.
    Expired,
}

impl Rule {
    /// Whether it is in force at `now`.
    pub fn state(&self, now: Timestamp) -> RuleState {
        match self {
            Rule { enabled: false, .. } => RuleState::Disabled,
            Rule { expires: Some(end), .. } if *end <= now => RuleState::Expired,
            _ => RuleState::Enabled,
        }
    }

    /// Whether it is about this call, at `now`.
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
