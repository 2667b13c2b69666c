//! Functions that a test runner calls, by the names that it looks for. Nothing else calls them, so what one of them makes
//! reaches no other. Invariant: a function inside another one is part of that one.

use super::family::Family;
use super::sources::Target;
use symd_base::{RelPath, TextRange};
use symd_syntax::{Outline, SymbolKind};

/// What the names of Python's test functions begin with, for pytest and unittest.
const PREFIX: &str = "test";

/// The row of the test function that holds byte `offset` of a Python file.
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

/// Whether row `at`, a function's, bears a name that a test runner looks for.
pub(super) fn is_test(outline: &Outline, at: usize) -> bool {
    outline.name(&outline.rows[at]).starts_with(PREFIX)
}

/// The file and range of the test function in which all of `targets` are declared. Nothing outside of it knows them, not
/// even by a name in a string.
pub fn test_around(targets: &[Target]) -> Option<(RelPath, TextRange)> {
    let first = targets.first()?;
    let (path, row) = test_of_all(targets, Family::of(&first.file)?)?;
    Some((path, first.file.outline()?.rows.get(row)?.range()))
}

/// The test function in which all of `targets` are declared: file and row.
pub(super) fn test_of_all(targets: &[Target], family: Family) -> Option<(RelPath, usize)> {
    if family != Family::Python {
        return None;
    }
    let test_of = |target: &Target| {
        let (outline, row) = target.row()?;
        let at = test_function(outline, row.name_start).filter(|&at| at != target.row)?;
        Some((target.file.path.clone(), at))
    };
    let first = test_of(targets.first()?)?;
    targets.iter().all(|one| test_of(one).as_ref() == Some(&first)).then_some(first)
}
