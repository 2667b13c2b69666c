//! Finds the declarations that one statement makes together with a symbol: `a, b = 1, 2`,
//! `int f(void), g(void);`, `val (a, b) = p`. Invariant: the symbol's members and its containers are never included.

use super::symbol::EditTarget;
use symd_base::TextRange;
use symd_syntax::{Row, SymbolKind};

/// Returns the rows whose declaration equals, contains or lies in `range`, the range of the symbol or of its
/// statement. A function or class may contain declarations that the outline lists elsewhere (`self.x = 1`):
/// these belong to it, unless they have its range.
pub(super) fn co_declared_rows(target: EditTarget<'_>, range: TextRange) -> Vec<usize> {
    let rows = &target.outline.rows;
    let Some(symbol) = rows.get(target.row) else { return Vec::new() };
    let own = target.row..=target.row + symbol.descendants as usize;
    let is_joint = |row: &Row| {
        let is_within = range.contains(row.range());
        let is_around = is_value(row.kind()) && row.range().contains(range);
        row.range() == symbol.range() || (is_value(symbol.kind()) && (is_within || is_around))
    };
    let others = (0..rows.len()).filter(|&at| !own.contains(&at) && is_joint(&rows[at]));
    let joint: Vec<usize> = others.filter(|&at| !is_ancestor(target, at)).collect();
    // Members of a joint row belong to that row.
    let is_member = |at: usize| rows[at].parent().is_some_and(|parent| joint.binary_search(&parent).is_ok());
    joint.iter().copied().filter(|&at| !is_member(at)).collect()
}

/// Whether a symbol of this kind is bound by a statement, rather than being a declaration of its own.
pub(super) fn is_value(kind: SymbolKind) -> bool {
    use SymbolKind::{Constant, EnumMember, Field, Property, Variable};
    matches!(kind, Variable | Constant | Property | Field | EnumMember)
}

fn is_ancestor(target: EditTarget<'_>, at: usize) -> bool {
    let rows = &target.outline.rows;
    std::iter::successors(rows[target.row].parent(), |&row| rows[row].parent()).any(|row| row == at)
}
