//! Functions that a test runner finds by their names. Nothing else calls them, so objects that one of them
//! creates reach no other. Invariant: a nested function is part of the function around it.

use super::family::Family;
use super::sources::IndexedDeclaration;
use symd_base::{RelPath, TextRange};
use symd_syntax::{Outline, SymbolKind};

/// The prefix of Python's test functions, for pytest and unittest.
const PREFIX: &str = "test";

/// Returns the row of the test function that contains byte `offset` of a Python file.
pub(super) fn test_function(outline: &Outline, offset: u32) -> Option<usize> {
    let is_function =
        |at: usize| matches!(outline.rows[at].kind(), SymbolKind::Function | SymbolKind::Method);
    let holds = |at: &usize| {
        let row = &outline.rows[*at];
        is_function(*at) && row.start <= offset && offset < row.end
    };
    let is_outermost = |at: &usize| {
        let mut above = std::iter::successors(outline.rows[*at].parent(), |&at| outline.rows[at].parent());
        !above.any(is_function)
    };
    let outermost = (0..outline.rows.len()).filter(holds).find(is_outermost)?;
    is_test(outline, outermost).then_some(outermost)
}

/// Whether the function in row `at` has a name that a test runner looks for.
pub(super) fn is_test(outline: &Outline, at: usize) -> bool {
    outline.name(&outline.rows[at]).starts_with(PREFIX)
}

/// Returns the file and range of the test function in which all of `targets` are declared. Nothing outside of
/// it can refer to them, not even by a name in a string.
pub fn enclosing_test(targets: &[IndexedDeclaration]) -> Option<(RelPath, TextRange)> {
    let first = targets.first()?;
    let (path, row) = test_of_all(targets, Family::of(&first.file)?)?;
    Some((path, first.file.outline()?.rows.get(row)?.range()))
}

/// Returns the file and row of the test function in which all of `targets` are declared.
pub(super) fn test_of_all(targets: &[IndexedDeclaration], family: Family) -> Option<(RelPath, usize)> {
    if !family.profile().uses.has_test_functions {
        return None;
    }
    let test_of = |target: &IndexedDeclaration| {
        let (outline, row) = target.row()?;
        let at = test_function(outline, row.name_start).filter(|&at| at != target.row)?;
        Some((target.file.path.clone(), at))
    };
    let first = test_of(targets.first()?)?;
    targets.iter().all(|one| test_of(one).as_ref() == Some(&first)).then_some(first)
}
