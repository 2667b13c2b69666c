//! The result for a name in a string or in documentation, whichever language it is in.

use crate::meaning::Meaning;
use crate::sources::IndexedDeclaration;

/// What a name in a string, or a link in documentation, refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StringName {
    /// The target symbol.
    Symbol,
    /// Something else.
    Other,
    /// Syntax cannot determine it.
    Unknown,
}

/// Whether a meaning is the targets: `Unknown` where it is one of them among others, or is not known.
pub(crate) fn judged(meaning: &Meaning, targets: &[IndexedDeclaration]) -> StringName {
    match meaning {
        Meaning::Declared(found) => {
            let is_asked =
                |one: &IndexedDeclaration| targets.iter().any(|target| target.is_same_declaration(one));
            match found.iter().filter(|one| is_asked(one)).count() {
                0 => StringName::Other,
                count if count == found.len() => StringName::Symbol,
                _ => StringName::Unknown,
            }
        }
        Meaning::OutsideProject => StringName::Other,
        Meaning::Module(_)
        | Meaning::Local
        | Meaning::LocalOrDeclared(_)
        | Meaning::Probable(_)
        | Meaning::Possible(_)
        | Meaning::Unknown => StringName::Unknown,
    }
}
