//! Where a C++ class's name runs a constructor, and what runs without a name.

use super::super::classes::is_class;
use super::super::context::{last_word, text_after, text_before};
use super::super::family::Family;
use super::super::profiles::{ConstructorCalls, FamilyProfile};
use super::super::sources::IndexedDeclaration;
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
    let start = left.rfind([';', '{', '}']).map_or(0, |at| at + 1);
    let words = left[start..].split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let is_head = words.clone().any(|word| matches!(word, "class" | "struct"));
    is_head && left[start..].contains(':')
}

/// Whether expressions use a function of C++ without its name: an operator, a conversion, a destructor.
pub(in super::super) fn is_used_without_name(target: &IndexedDeclaration) -> bool {
    let is_callable = target.row().is_some_and(|(_, row)| {
        matches!(
            row.kind(),
            SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor | SymbolKind::Operator
        )
    });
    let name = target.name();
    let is_word = || !name.starts_with("operator ") && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_callable && Family::of(&target.file) == Some(Family::C) && !is_word()
}

/// Whether a row is a constructor defined outside of its class.
pub(in super::super) fn is_outside_constructor(
    profile: &FamilyProfile,
    outline: &Outline,
    row: &Row,
) -> bool {
    profile.members.constructors.called == ConstructorCalls::Values
        && row.kind() == SymbolKind::Constructor
        && !outline.name(row).starts_with('~')
        && !row.parent().is_some_and(|at| is_class(&outline.rows[at]))
}
