//! Declarations whose members code reaches without naming them: Kotlin's companions, by the name of the class, and Rust's `impl` blocks, by a
//! value of the type.

use super::family::has_types;
use super::sources::{IndexedDeclaration, Sources};
use symd_syntax::SymbolKind;

/// Returns the rows of the members of such a declaration, in the order of the text; none for other declarations.
pub fn members_reached_past(sources: &dyn Sources, target: &IndexedDeclaration) -> Vec<usize> {
    if !is_companion(sources, target) && !is_impl(target.name()) {
        return Vec::new();
    }
    let Some((outline, _)) = target.row() else { return Vec::new() };
    let rows = outline.rows.iter().enumerate();
    rows.filter(|(_, row)| row.parent() == Some(target.row) && !row.is_local()).map(|(at, _)| at).collect()
}

/// Returns the trait that an `impl` block of Rust implements, as written; `None` for all other declarations.
pub(super) fn implemented_trait(target: &IndexedDeclaration) -> Option<String> {
    let head = target.name().strip_prefix(IMPL)?;
    head.split_once(" for ").map(|(implemented, _)| implemented.to_owned())
}

/// How the names begin that outlines give `impl` blocks.
const IMPL: &str = "impl ";

fn is_impl(name: &str) -> bool {
    name.starts_with(IMPL)
}

/// Whether a declaration is a companion of Kotlin, with a name or without.
pub fn is_companion(sources: &dyn Sources, target: &IndexedDeclaration) -> bool {
    let Some((_, row)) = target.row().filter(|_| has_types(&target.file)) else { return false };
    let may_be = matches!(row.kind(), SymbolKind::Object | SymbolKind::Class);
    let text = may_be.then(|| target.unchanged_text(sources)).flatten();
    let head = text.and_then(|current| {
        let declaration = current.text.as_str().get(row.range().as_range())?;
        Some(declaration.split(['{', ':', '(']).next().unwrap_or(declaration).to_owned())
    });
    head.is_some_and(|head| head.split_whitespace().any(|word| word == "companion"))
}
