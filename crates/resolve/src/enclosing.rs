//! The symbol around a place. Rows of one symbol may lie inside another's range (`self.x = …` is a row of the class
//! inside a method), and a variable's range is its statement: so only functions and classes enclose. What a place is said
//! to be part of is another question: outside functions, the variable whose statement it stands in.

use symd_syntax::{Outline, Row, SymbolKind};

/// The row of the innermost function or class (with all its kin: methods, constructors, interfaces, …) whose range
/// holds byte `offset`; `None` at the top level. A place in a decorator or annotation is inside what it decorates.
pub fn enclosing(outline: &Outline, offset: u32) -> Option<usize> {
    let holds = |row: &Row| row.start <= offset && offset < row.end && is_enclosing(row);
    let candidates = outline.rows.iter().enumerate().filter(|(_, row)| holds(row));
    // Of equal ranges the deeper one: it stands later.
    candidates.min_by_key(|&(at, row)| (row.end - row.start, std::cmp::Reverse(at))).map(|(at, _)| at)
}

/// The row that a use at byte `offset` is attributed to: in a function the innermost function or class around it; outside
/// functions the variable or property whose statement holds it, else the class; `None` where there is none of these.
pub fn attributed(outline: &Outline, offset: u32) -> Option<usize> {
    let rows = &outline.rows;
    let holds = |row: &Row| row.start <= offset && offset < row.end;
    if rows.iter().any(|row| holds(row) && is_function(row)) {
        return enclosing(outline, offset);
    }
    let candidates =
        rows.iter().enumerate().filter(|(_, row)| holds(row) && (is_enclosing(row) || is_value(row)));
    // Of several names that one statement binds, the first.
    candidates.min_by_key(|&(_, row)| (row.end - row.start, row.name_start)).map(|(at, _)| at)
}

fn is_function(row: &Row) -> bool {
    use SymbolKind::{Constructor, Function, Method};
    matches!(row.kind(), Function | Method | Constructor)
}

fn is_value(row: &Row) -> bool {
    use SymbolKind::{Constant, EnumMember, Field, Property, Variable};
    !row.is_local() && matches!(row.kind(), Constant | EnumMember | Field | Property | Variable)
}

/// Whether symbols can stand inside such a row.
pub(super) fn is_enclosing(row: &Row) -> bool {
    use SymbolKind::*;
    matches!(
        row.kind(),
        Class | Method | Constructor | Enum | Interface | Function | Struct | Module | Namespace | Object
    )
}
