//! What a tool may do, so that it can be decided whether the user is asked first. Only facts about tools: who is asked,
//! and what the user has settled, is decided where calls are run.

use super::Reply;

/// How much harm a call can do: the levels of the cli_agent contract ("Universal Tool Interface").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Risk {
    /// Changes nothing.
    ReadOnly,
    /// Writes, and what it wrote can be taken back.
    SafeWrite,
    /// What it does may not be undone.
    Dangerous,
}

impl Risk {
    /// The contract's word.
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
    /// The project's files and symd's own state, through symd's own doors.
    Project,
    /// Anything that the user may do: it runs commands, or speaks to the network. A connection to the socket must not be
    /// a way out of an agent's sandbox, so this asks by default in every toolset.
    Beyond,
}

/// What a toolset asks the user about, unless the user has settled it otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsksFor {
    /// Everything that is not read-only, as the contract says.
    Changes,
    /// What reaches beyond the project: the clients of this contract ask about edits themselves.
    BeyondProject,
}

impl AsksFor {
    /// Whether a tool of such a toolset asks, as long as the user has settled nothing.
    pub fn asks(self, risk: Risk, reach: Reach) -> bool {
        reach == Reach::Beyond || (self == AsksFor::Changes && risk != Risk::ReadOnly)
    }
}

/// What let a call run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approved {
    /// The contract's default, or a policy of the user's, which is about all calls of the tool.
    ByPolicy,
    /// A rule of the user's, which may be about many calls.
    ByRule,
    /// The user, who was shown this very call: just now, or when they said "always" to it.
    ByUser,
}

/// Why a call was not run, or did not come to an answer of its own. Each contract has a shape for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotRun {
    /// What happened.
    pub why: Why,
    /// The whole of it, for the person or agent who must act: no "Error:" before it.
    pub message: String,
}

/// What kept a call from being answered by its tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The connection has no project.
    NoProject,
    /// The user, or the user's policy, does not allow it, or nobody could be asked.
    NotApproved,
    /// The tool failed inside symd.
    Broken,
}

/// Puts a refusal into the words of a contract that has plain text.
pub(super) fn plain_refusal(refusal: &NotRun) -> Reply {
    Reply::failed(format!("Error: {}", refusal.message))
}
