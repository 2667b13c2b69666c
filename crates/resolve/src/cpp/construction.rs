//! Where a C++ class's name runs a constructor.

use super::super::context::{last_word, text_after, text_before};
use super::super::family::Family;
use super::super::profiles::{ConstructorCalls, FamilyProfile};
use super::super::sources::IndexedDeclaration;
use super::statements::statement_before;
use crate::hierarchy::classes::is_class;
use symd_base::TextRange;
use symd_syntax::{Outline, Row, SymbolKind};

/// Whether a class's name runs a constructor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Construction {
    /// It names the type alone: `Shop*`, `Shop::`.
    None,
    /// It declares something that may be a value: `Shop shop`.
    Perhaps,
    /// It is called: `Shop(1)`, `new Shop`.
    Called,
}

/// Returns whether the class's name at `range` runs a constructor.
pub(in super::super) fn construction(text: &str, range: TextRange, family: Family) -> Construction {
    let behind = text_after(text, range.end as usize);
    let left = text_before(text, range.start as usize, family);
    let before = last_word(left);
    if left.ends_with('~') {
        return Construction::None;
    }
    if matches!(before, "class" | "struct" | "union" | "enum" | "friend" | "typename" | "namespace") {
        return Construction::None;
    }
    match behind.chars().next() {
        Some('{') if is_base(left) => Construction::None,
        Some('(' | '{') => Construction::Called,
        _ if before == "new" => Construction::Called,
        Some('*' | '&' | ':' | '>' | ')' | ';') | None => Construction::None,
        // A class template's arguments, a name.
        Some(_) => Construction::Perhaps,
    }
}

/// Whether a name behind `left` is a base in the head of a class.
fn is_base(left: &str) -> bool {
    let head = statement_before(left, left.len());
    let mut words = head.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.any(|word| matches!(word, "class" | "struct")) && head.contains(':')
}

/// Whether a declaration is a constructor that is defined outside of its class, in C++.
pub fn is_outside_constructor(declared: &IndexedDeclaration) -> bool {
    let profile = Family::of(&declared.file).map(Family::profile);
    let row = declared.row();
    profile
        .zip(row)
        .is_some_and(|(profile, (outline, row))| is_outside_constructor_row(profile, outline, row))
}

/// Whether a row is a constructor defined outside of its class.
pub(in super::super) fn is_outside_constructor_row(
    profile: &FamilyProfile,
    outline: &Outline,
    row: &Row,
) -> bool {
    profile.members.constructors.called == ConstructorCalls::Values
        && row.kind() == SymbolKind::Constructor
        && !outline.name(row).starts_with('~')
        && !row.parent().is_some_and(|at| is_class(&outline.rows[at]))
}
