//! The symbol around a place. Rows of one symbol may lie inside another's range (`self.x = …` is a row of the class
//! inside a method), and a variable's range is its statement: so only functions and classes enclose.

use crate::syntax::{Outline, Row, SymbolKind};

/// The row of the innermost function or class (with all its kin: methods, constructors, interfaces, …) whose range
/// holds byte `offset`; `None` at the top level. A place in a decorator or annotation is inside what it decorates.
pub fn enclosing(outline: &Outline, offset: u32) -> Option<usize> {
    let holds = |row: &Row| row.start <= offset && offset < row.end && is_enclosing(row);
    let candidates = outline.rows.iter().enumerate().filter(|(_, row)| holds(row));
    // Of equal ranges the deeper one: it stands later.
    candidates.min_by_key(|&(at, row)| (row.end - row.start, std::cmp::Reverse(at))).map(|(at, _)| at)
}

/// Whether symbols can stand inside such a row.
pub(super) fn is_enclosing(row: &Row) -> bool {
    use SymbolKind::*;
    matches!(
        row.kind(),
        Class | Method | Constructor | Enum | Interface | Function | Struct | Module | Namespace | Object
    )
}
