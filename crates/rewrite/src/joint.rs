//! What one statement declares together with a symbol: `a, b = 1, 2`, `int f(void), g(void);`, `val (a, b) = p`. Invariant: the
//! symbol's members and its containers are left out.

use super::symbol::Target;
use symd_base::TextRange;
use symd_syntax::{Row, SymbolKind};

/// The rows whose declaration is, holds or lies in `range`, which is the symbol's own or its statement. A function or class
/// may hold declarations that stand elsewhere in the outline (`self.x = 1`): these are its own, unless they have its range.
pub(super) fn joint_rows(target: Target<'_>, range: TextRange) -> Vec<usize> {
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
    // The members of each belong to it.
    let is_member = |at: usize| rows[at].parent().is_some_and(|parent| joint.binary_search(&parent).is_ok());
    joint.iter().copied().filter(|&at| !is_member(at)).collect()
}

/// Kinds that a statement binds, rather than being a declaration of their own.
pub(super) fn is_value(kind: SymbolKind) -> bool {
    use SymbolKind::{Constant, EnumMember, Field, Property, Variable};
    matches!(kind, Variable | Constant | Property | Field | EnumMember)
}

fn is_ancestor(target: Target<'_>, at: usize) -> bool {
    let rows = &target.outline.rows;
    std::iter::successors(rows[target.row].parent(), |&row| rows[row].parent()).any(|row| row == at)
}
