//! The arguments of a question to a server: where, and how long to wait.

use tokio::time::Instant;

use symd_base::{ContentHash, RelPath};

/// A place in a file of the project.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DocumentPosition {
    pub path: RelPath,
    /// The offset in bytes of the decoded text, 0-based.
    pub offset: u32,
    /// The content hash of the version to which `offset` belongs; the server is asked about no other version.
    pub hash: ContentHash,
    /// The index revision of the question. Questions of different revisions are never treated as equal.
    pub revision: u64,
}

/// The target of a navigation from a name (LSP 3.17, `textDocument/definition` and its siblings).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goto {
    Definition,
    Declaration,
    /// The definition of the name's type.
    TypeDefinition,
    /// The implementations of the name.
    Implementation,
}

/// How long a question waits for a server that is not ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitPolicy {
    /// Does not wait: the server is started in the background, and the result is
    /// [`super::ServerError::NotReady`]. This is also the result where a ready server does not answer soon and
    /// syntax alone can answer.
    DontWait,
    /// Does not wait for a server that is not ready, but waits for the answer of a ready one for as long as
    /// the request may take.
    ForAnswer,
    /// Waits until this moment.
    Until(Instant),
}

impl WaitPolicy {
    /// Turns `DontWait` into `ForAnswer`, for edits: they must not be computed without a ready server's answer.
    pub fn requiring_answer(self) -> WaitPolicy {
        match self {
            WaitPolicy::DontWait => WaitPolicy::ForAnswer,
            waiting => waiting,
        }
    }
}
