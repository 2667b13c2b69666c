//! Namespaces: what of one name does not conflict, because the language looks it up separately.

use super::Renaming;
use crate::profiles::Namespaces;
use symd_syntax::SymbolKind;

impl Renaming<'_, '_> {
    /// Whether this declaration and one of `kind` cannot both have the name.
    pub(super) fn can_clash(&self, kind: SymbolKind) -> bool {
        !self.has_own_namespace(kind)
    }

    /// Whether the language has separate namespaces for `kind` and the declaration's kind.
    pub(super) fn has_own_namespace(&self, kind: SymbolKind) -> bool {
        let space = match self.resolver.profile.scopes.namespaces {
            Namespaces::CallsAndValues => space,
            Namespaces::TypesAndValues => rust_space,
            Namespaces::One => return false,
        };
        let spaces = (space(kind), space(self.row.kind()));
        matches!(spaces, (Some(one), Some(other)) if one != other)
    }
}

/// Namespaces that a language looks up separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    Calls,
    Types,
    Values,
}

/// The namespaces of Kotlin and Java.
pub(super) fn space(kind: SymbolKind) -> Option<Space> {
    use SymbolKind::{Constant, EnumMember, Field, Function, Method, Property, Variable};
    match kind {
        Function | Method => Some(Space::Calls),
        Variable | Constant | Property | Field | EnumMember => Some(Space::Values),
        _ => None,
    }
}

/// Rust's namespaces; `None` for structs, some of which are values too.
fn rust_space(kind: SymbolKind) -> Option<Space> {
    use SymbolKind::{Constant, Enum, Function, Interface, Method, Module, Variable};
    match kind {
        Enum | Interface | Module => Some(Space::Types),
        Function | Method | Variable | Constant => Some(Space::Values),
        _ => None,
    }
}
