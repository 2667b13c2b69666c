//! What is in the way of a new name: what has it where the symbol is declared or used, and what would mean the symbol
//! from then on. Which that is, `resolve` says; of files that only a server understands, only what stands beside the symbol
//! is known.

use super::answer::Listed;
use super::places::listed;
use crate::rename::linked::LinkedSymbol;
use crate::server_edit::ServerEdit;
use crate::target::Target;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_engine::View;
use symd_resolve as resolve;

/// What has the name apart from where the symbol is used, found while the server works. In no order.
pub(super) fn taken(
    view: &View,
    symbol: &LinkedSymbol,
    new_name: &str,
    cancel: &Cancel,
) -> Result<Vec<(RelPath, TextRange)>, Cancelled> {
    if symbol.target.file.grammar().is_none() {
        return Ok(siblings(&symbol.target, new_name));
    }
    resolve::taken(view, &symbol.resolved(), new_name, cancel)
}

/// All of it, in path order: `taken`, and what would catch the edited uses.
pub(super) fn collisions(
    view: &View,
    symbol: &LinkedSymbol,
    new_name: &str,
    edit: &ServerEdit,
    mut found: Vec<(RelPath, TextRange)>,
    cancel: &Cancel,
) -> Result<Vec<Listed>, Cancelled> {
    let resolved = symbol.resolved();
    for (path, file) in &edit.files {
        let places: Vec<TextRange> = file.edits.iter().map(|edit| edit.range).collect();
        found.extend(resolve::captured(view, &resolved, new_name, path, &places, cancel)?);
    }
    found.sort();
    found.dedup();
    listed(view, &found, cancel)
}

/// The symbols of that name beside the target.
fn siblings(target: &Target, new_name: &str) -> Vec<(RelPath, TextRange)> {
    let Some(outline) = target.file.outline() else { return Vec::new() };
    let Some(this) = outline.rows.get(target.row) else { return Vec::new() };
    let rows = outline.rows.iter().enumerate();
    let beside = rows
        .filter(|(at, row)| *at != target.row && row.parent == this.parent && outline.name(row) == new_name);
    let range = |row: &symd_syntax::Row| {
        TextRange::new(row.name_start, row.name_start.saturating_add(u32::from(row.name_len)))
    };
    beside.map(|(_, row)| (target.at.path.clone(), range(row))).collect()
}
