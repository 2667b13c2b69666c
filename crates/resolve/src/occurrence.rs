//! An identifier occurrence, and how it is judged.

use symd_base::{RelPath, TextRange};

/// How certain it is that an occurrence means the target declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Judgement {
    /// An import, a scope or the uniqueness of the name leads to the target: a complete server would list the
    /// occurrence.
    Likely,
    /// Nothing else that is known fits, but an object whose type is not known may have a member of that name.
    Probable,
    /// Syntax cannot decide: a member of an unknown receiver, a name with several declarations.
    Unchecked,
    /// The occurrence means something else: a local, another symbol of that name, a name from elsewhere.
    Unlikely,
}

impl Judgement {
    /// Whether it is not determined what the occurrence means.
    pub fn is_open(self) -> bool {
        matches!(self, Judgement::Probable | Judgement::Unchecked)
    }
}

/// The role of an occurrence in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The name in a declaration: of the target itself, or of another symbol of that name.
    Declaration,
    /// A name inside an import statement.
    Import,
    /// The name of what is called.
    Call,
    /// The name of an argument: `f(name=…)`.
    Argument,
    /// An operator or the like, which calls a function that it does not name: `a + b`.
    Operator,
    /// A string that may name a member by its key, where only types could tell: `get(person, "name")`.
    Key,
    /// Any other use.
    Use,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    pub path: RelPath,
    /// The range of the name, in bytes of the decoded text.
    pub range: TextRange,
    pub judgement: Judgement,
    pub role: Role,
}
