//! Names that are called, where functions and values of one name do not hide each other.

use super::Reach;
use crate::context::{first_word, text_before};
use crate::hierarchy::classes::{is_class, is_function};
use crate::meaning::Meaning;
use crate::profiles::Namespaces;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use symd_base::TextRange;
use symd_syntax::call_site;

/// Whether functions and values of one name do not hide each other.
pub(super) fn separates_calls(resolver: &Resolver) -> bool {
    resolver.profile.scopes.namespaces == Namespaces::CallsAndValues
}

/// Whether the identifier that begins at byte `at` is called.
pub(crate) fn is_called(here: &CurrentFile, at: u32) -> bool {
    let text = here.text.as_str();
    let length = text.get(at as usize..).map_or(0, |rest| first_word(rest).len());
    let end = u32::try_from(length).map_or(u32::MAX, |length| at.saturating_add(length));
    call_site::is_called(here.grammar, text, TextRange::new(at, end))
}

/// Whether the name at byte `at` is that of a value or a type, where functions have a namespace of their own: it is
/// not called, and no `::` precedes it.
pub(super) fn is_value(resolver: &Resolver, here: &CurrentFile, at: u32) -> bool {
    !is_called(here, at) && !text_before(here.text.as_str(), at as usize, resolver.family).ends_with("::")
}

/// Resolves the call of a name that a local has too. `beyond` is the meaning without locals: a value does not
/// hide a function, unless it can be called itself.
pub(super) fn called(beyond: (Meaning, Reach), here: &CurrentFile) -> (Meaning, Reach) {
    let can_be = |target: &IndexedDeclaration| {
        is_function(target) || target.row().is_some_and(|(_, row)| is_class(row))
    };
    match beyond {
        (Meaning::Declared(mut found), reach) if found.iter().any(can_be) => {
            found.retain(can_be);
            match here.language.calls_values {
                true => (Meaning::LocalOrDeclared(found), Reach::Local),
                false => (Meaning::Declared(found), reach),
            }
        }
        _ => (Meaning::Local, Reach::Local),
    }
}
