//! What is said of one identifier occurrence.

use symd_base::{RelPath, TextRange};

/// How sure it is that an occurrence means the declaration that was asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Judgement {
    /// An import, a scope or the uniqueness of the name leads there: a complete server would list it.
    Likely,
    /// Nothing can be said from syntax: a member of an unknown receiver, a name declared several times.
    Unchecked,
    /// It means something else: a local, another symbol of that name, a name from elsewhere.
    Unlikely,
}

/// What the occurrence does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The name of a symbol: of the target itself, or of another declaration of that name.
    Declaration,
    /// Inside an import statement.
    Import,
    /// It is called.
    Call,
    /// It names an argument: `f(name=…)`.
    Argument,
    /// Anything else.
    Use,
}

/// One identifier occurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// Its file.
    pub path: RelPath,
    /// The name, in bytes of the decoded text.
    pub range: TextRange,
    /// Whether it means the target.
    pub judgement: Judgement,
    /// What it does.
    pub role: Role,
}
