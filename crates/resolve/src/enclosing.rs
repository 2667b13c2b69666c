//! The symbol around a place. Rows of one symbol may lie inside another's range (`self.x = …` is a row of the
//! class inside a method), and a variable's range is its statement, so only functions and classes enclose.
//! Attribution differs: outside functions, a place belongs to the variable whose statement contains it.

use symd_syntax::{Outline, Row, SymbolKind};

/// Returns the row of the innermost function or class (also method, constructor, interface, …) whose range
/// contains byte `offset`; `None` at the top level. A place in a decorator or annotation is inside the
/// decorated symbol.
pub fn enclosing_row(outline: &Outline, offset: u32) -> Option<usize> {
    let holds = |row: &Row| row.start <= offset && offset < row.end && is_enclosing(row);
    let candidates = outline.rows.iter().enumerate().filter(|(_, row)| holds(row));
    // Of equal ranges, the deeper row comes later in the outline.
    candidates.min_by_key(|&(at, row)| (row.end - row.start, std::cmp::Reverse(at))).map(|(at, _)| at)
}

/// Returns the row to which a use at byte `offset` is attributed: in a function, the innermost function or
/// class around it; outside functions, the variable or property whose statement contains it, else the class;
/// `None` where there is none of these.
pub fn attributed_row(outline: &Outline, offset: u32) -> Option<usize> {
    let rows = &outline.rows;
    let holds = |row: &Row| row.start <= offset && offset < row.end;
    if rows.iter().any(|row| holds(row) && is_function(row)) {
        return enclosing_row(outline, offset);
    }
    let candidates =
        rows.iter().enumerate().filter(|(_, row)| holds(row) && (is_enclosing(row) || is_value(row)));
    // Of several names that one statement binds, the first one counts.
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

/// Whether a row of this kind can enclose symbols.
pub(super) fn is_enclosing(row: &Row) -> bool {
    use SymbolKind::*;
    matches!(
        row.kind(),
        Class | Method | Constructor | Enum | Interface | Function | Struct | Module | Namespace | Object
    )
}
