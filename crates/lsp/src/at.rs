//! What a question to a server names.

use tokio::time::Instant;

use symd_base::{ContentHash, RelPath};

/// A place in a file of the project.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct At {
    /// Which file.
    pub path: RelPath,
    /// In bytes of the decoded text.
    pub offset: u32,
    /// The file's version that `offset` belongs to; the server is asked about no other.
    pub hash: ContentHash,
    /// The index revision of the question: an equal question of an older revision is not the same question.
    pub revision: u64,
}

/// Where to go from a use of a name (LSP 3.17, `textDocument/definition` and its siblings).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goto {
    /// Where it is defined.
    Definition,
    /// Where it is declared.
    Declaration,
    /// Where its type is defined.
    TypeDefinition,
    /// What implements it.
    Implementation,
}

/// How long a question waits for a server that is not ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// Not at all: the server is started in the background, and the answer is [`super::NoAnswer::NotReady`]; so it is, too,
    /// where one that is ready does not answer soon what syntax can answer.
    No,
    /// Not at all either, but for the answer of one that is ready as long as that takes.
    ForAnswer,
    /// Until then.
    Until(Instant),
}

impl Waiting {
    /// The same where a late answer is no answer: an edit is not to be made by less than the server knows.
    pub fn for_answer(self) -> Waiting {
        match self {
            Waiting::No => Waiting::ForAnswer,
            waiting => waiting,
        }
    }
}
