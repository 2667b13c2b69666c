//! Decides about a call from the approval settings; pure. The order: the user's policy for the tool, else for
//! the toolset, else the contract's default; the project's policy tightens it; `deny` and `ask` rules tighten
//! it; an `allow` rule of the user runs a call that would otherwise be asked about, unless the project or an
//! `ask` rule requires a question each time. Nothing overrides `deny`. Where only the user's own approval
//! suffices, a policy `allow` and rules that cover more than this very call are ignored.

use serde::{Deserialize, Serialize};

use symd_base::Timestamp;
use symd_config::approvals::{self, Approvals, Policy, PolicySubject, Rule};
use symd_toolsets::{ApprovalSource, Offered, Reach, Risk, Tool, Toolset};

use super::files::ApprovalSettings;
use super::{ApprovalRequest, call_text};

/// The answers that are offered to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Offer {
    /// Yes or no: a rule would have no effect.
    Once,
    /// Also "always": a rule for this very call.
    Always,
}

/// The permission that a call needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequiredApproval {
    /// Any permission: policy, rule or answer.
    Any,
    /// The user's approval of this very call, given now or earlier by answering "always".
    UserForThisCall,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Run(ApprovalSource),
    Ask(Offer),
    Refuse(String),
}

/// Returns the policy for calls that no setting covers.
pub fn by_default(toolset: &Toolset, tool: &Tool) -> Policy {
    if toolset.asks_for.asks_by_default(tool.risk, tool.reach) { Policy::Ask } else { Policy::Allow }
}

/// Combines the verdicts on all that a call does: one refusal refuses it, one question asks.
pub(super) fn all(verdicts: impl Iterator<Item = Verdict>) -> Verdict {
    let mut verdicts: Vec<Verdict> = verdicts.collect();
    if let Some(refused) = verdicts.iter().position(|verdict| matches!(verdict, Verdict::Refuse(_))) {
        return verdicts.swap_remove(refused);
    }
    let asks = |offer: Offer| verdicts.contains(&Verdict::Ask(offer));
    if asks(Offer::Once) {
        return Verdict::Ask(Offer::Once);
    }
    if asks(Offer::Always) || verdicts.is_empty() {
        return Verdict::Ask(Offer::Always);
    }
    verdicts.swap_remove(0)
}

/// Decides about one text that rules match: the call's arguments, or a receiver.
pub(super) fn decide(
    settled: &ApprovalSettings,
    wanted: &ApprovalRequest,
    text: &str,
    needs: RequiredApproval,
    now: Timestamp,
) -> Verdict {
    let Offered { toolset, tool } = wanted.offered;
    let (users, projects) = match (&*settled.user, &*settled.project) {
        (Ok(users), Ok(projects)) => (users, projects),
        (Err(why), _) | (_, Err(why)) => return unusable(tool, why),
    };
    let call = call_text(wanted, text);
    let rules = |of: &Approvals, policy| -> Option<Rule> {
        of.matching(&call, now).find(|rule| rule.policy == policy).cloned()
    };
    let own = users.policy(toolset.name, tool.name);
    let policy = own.unwrap_or_else(|| by_default(toolset, tool));
    let projects_policy = projects.policy(toolset.name, tool.name);
    let user_file = settled.user_file.display();
    let denied = |by: String| Verdict::Refuse(format!("{} was not run: {by}", tool.name));

    if policy == Policy::Deny {
        let subject = subject(users, wanted.offered);
        return denied(format!(
            "the user's policy denies {subject} ({user_file}); `symd approvals policy {subject} ask` changes that"
        ));
    }
    if let Some(rule) = rules(users, Policy::Deny) {
        return denied(format!(
            "the user's rule {} denies it ({user_file}); `symd approvals revoke {}` takes it back",
            rule.id, rule.id
        ));
    }
    if projects_policy == Some(Policy::Deny) || rules(projects, Policy::Deny).is_some() {
        return denied(format!("the project's own {} denies it", approvals::PROJECT_FILE));
    }
    let each_time = projects_policy == Some(Policy::Ask)
        || rules(users, Policy::Ask).is_some()
        || rules(projects, Policy::Ask).is_some();
    if each_time {
        return Verdict::Ask(Offer::Once);
    }
    if policy == Policy::Allow && needs == RequiredApproval::Any {
        return Verdict::Run(ApprovalSource::ByPolicy);
    }
    let exact = approvals::exact(text);
    let allowing: Vec<&Rule> =
        users.matching(&call, now).filter(|rule| rule.policy == Policy::Allow).collect();
    if allowing.iter().any(|rule| rule.pattern.as_str() == exact) {
        Verdict::Run(ApprovalSource::ByUser)
    } else if allowing.is_empty() || needs == RequiredApproval::UserForThisCall {
        Verdict::Ask(Offer::Always)
    } else {
        Verdict::Run(ApprovalSource::ByRule)
    }
}

/// Decides where a settings file is unusable: it allows nothing. Reading the project needs no permission.
fn unusable(tool: &Tool, why: &str) -> Verdict {
    if tool.risk == Risk::ReadOnly && tool.reach == Reach::Project {
        return Verdict::Run(ApprovalSource::ByPolicy);
    }
    Verdict::Refuse(format!(
        "{} was not run, because the settings for approvals cannot be used: {why}",
        tool.name
    ))
}

/// Returns the subject of the user's policy that applies.
fn subject(users: &Approvals, offered: Offered) -> PolicySubject {
    let tool = PolicySubject::tool(offered.toolset.name, offered.tool.name);
    if users.policies.contains_key(&tool) { tool } else { PolicySubject::toolset(offered.toolset.name) }
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
