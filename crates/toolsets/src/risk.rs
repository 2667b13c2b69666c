//! Facts about tools by which the approval of calls is decided. The decision itself, with the user's policies
//! and rules, is made where calls are run.

use super::Reply;

/// How much harm a call can do: the levels of the cli_agent contract ("Universal Tool Interface").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Risk {
    /// The tool changes nothing.
    ReadOnly,
    /// The tool writes, and its writes can be undone.
    SafeWrite,
    /// The tool may do what cannot be undone.
    Dangerous,
}

impl Risk {
    /// Returns the contract's word.
    pub fn name(self) -> &'static str {
        match self {
            Risk::ReadOnly => "read_only",
            Risk::SafeWrite => "safe_write",
            Risk::Dangerous => "dangerous",
        }
    }
}

/// How far a call reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The project's files and symd's own state, through symd's own interfaces.
    Project,
    /// Anything that the user may do: the tool runs commands or accesses the network. A connection to the
    /// socket must not be a way out of an agent's sandbox, so such tools ask by default in every toolset.
    BeyondProject,
}

/// The rule for which tools of a toolset need the user's approval, unless a policy or rule decides otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalDefault {
    /// Every tool that is not read-only asks, as the contract demands.
    Changes,
    /// Every tool that reaches beyond the project asks: the clients of this contract ask about edits
    /// themselves.
    BeyondProject,
}

impl ApprovalDefault {
    /// Whether a tool with this risk and reach asks the user by default.
    pub fn asks_by_default(self, risk: Risk, reach: Reach) -> bool {
        reach == Reach::BeyondProject || (self == ApprovalDefault::Changes && risk != Risk::ReadOnly)
    }
}

/// The source of a call's permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalSource {
    /// The contract's default, or a policy of the user, which covers all calls of the tool.
    ByPolicy,
    /// A rule of the user, which may cover many calls.
    ByRule,
    /// The user, who was shown this very call: just now, or when answering "always" to it.
    ByUser,
}

/// The reason why a call was not run, or gave no answer of its own. Each contract has a format for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRefusal {
    pub why: RefusalReason,
    /// The whole message, for the person or agent that must act, without a leading "Error:".
    pub message: String,
}

/// The kind of reason for which a tool gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalReason {
    /// The connection has no project.
    NoProject,
    /// The user or a policy does not allow the call, or no user could be asked.
    NotApproved,
    /// The tool failed inside symd.
    InternalError,
}

/// Formats a refusal for a contract that answers in plain text.
pub(super) fn plain_refusal(refusal: &CallRefusal) -> Reply {
    Reply::failed(format!("Error: {}", refusal.message))
}
