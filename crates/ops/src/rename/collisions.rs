//! Collisions of a new name: what has it where the symbol is declared or used, and what would refer to the
//! symbol after the rename. `resolve` finds both; in files that only a server understands, only the siblings
//! of the symbol are known.

use super::answer::Listed;
use super::places::listed;
use crate::rename::linked::LinkedSymbol;
use crate::server_edit::ServerEdit;
use crate::target::Target;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, Text, TextEdits, TextRange};
use symd_engine::View;
use symd_resolve::{self as resolve, EditedText};

/// Returns what has the new name, except at the symbol's uses, so that it can run while the server works.
/// Unordered.
pub(super) fn find_conflicts(
    view: &View,
    symbol: &LinkedSymbol,
    new_name: &str,
    cancel: &Cancel,
) -> Result<Vec<(RelPath, TextRange)>, Cancelled> {
    if symbol.target.file.grammar().is_none() {
        return Ok(siblings(&symbol.target, new_name));
    }
    resolve::find_conflicts(view, &symbol.resolved(), new_name, cancel)
}

/// Returns all collisions, in path order: `found`, what would capture the edited uses, and in Kotlin what would mean something else in the edited
/// texts.
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
        found.extend(resolve::find_captures(view, &resolved, new_name, path, &places, cancel)?);
    }
    let texts: Vec<(&RelPath, &Text, TextEdits)> = edit
        .files
        .iter()
        .filter_map(|(path, file)| Some((path, &file.text, TextEdits::new(file.edits.clone()).ok()?)))
        .collect();
    let edited: Vec<EditedText<'_>> =
        texts.iter().map(|(path, text, edits)| EditedText { path, text, edits }).collect();
    found.extend(resolve::find_changed_meanings(view, &resolved, new_name, &edited, cancel)?);
    found.sort();
    found.dedup();
    listed(view, &found, cancel)
}

/// Returns the symbols of that name beside the target.
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
