//! The symbols of one file, as a tree. The current file is parsed if the index does not hold its current
//! version.

use super::find_symbol::SymbolError;
use super::symbol::{Detail, GrammarText, Symbol, in_order, symbol};
use crate::view_tree::ViewTree;
use symd_base::{ContentHash, RelPath};
use symd_engine::{CurrentError, CurrentText, View};
use symd_files::tree::{LocateError, Located};
use symd_syntax::Outline;
use symd_vfs::EntryKind;

#[derive(Clone, Debug)]
pub struct FileOutline {
    pub path: RelPath,
    /// The top-level symbols in order of position, each with its children.
    pub symbols: Vec<Symbol>,
    /// The hash of the bytes that the symbols were read from.
    pub hash: ContentHash,
    /// Whether the parser found syntax errors, so that symbols may be missing.
    pub has_errors: bool,
    /// The index revision that the answer reflects (at least).
    pub revision: u64,
}

/// Returns the outline of the file at `relative_path` (as a client wrote it), with `depth` levels of
/// children. Signatures are included only if the outline shows at most `signatures` symbols, not counting
/// parameters and local variables.
pub fn outline(
    view: &View,
    relative_path: &str,
    depth: usize,
    signatures: usize,
) -> Result<FileOutline, SymbolError> {
    let Located { path, kind } = view.tree(|tree| tree.locate(relative_path))?;
    if kind == EntryKind::Directory {
        return Err(SymbolError::IsDirectory(relative_path.to_owned()));
    }
    let Some(file) = view.snapshot.files.get(path.as_str()) else {
        if view.is_ignored(&path, kind) {
            return Err(LocateError::Ignored(relative_path.to_owned()).into());
        }
        let why = if kind == EntryKind::File { CurrentError::NotIndexed } else { CurrentError::NoOutline };
        return Err(why(path).into());
    };
    let CurrentText { text, outline, hash } = view.current(file)?;
    let top = in_order(&outline, (0..outline.rows.len()).filter(|&row| outline.rows[row].parent().is_none()));
    let shown = (0..outline.rows.len()).filter(|&row| is_within(&outline, row, depth)).count();
    let text = (shown <= signatures).then(|| GrammarText { grammar: file.grammar(), text: text.as_str() });
    let symbols = top.into_iter().map(|row| symbol(&path, &outline, row, Detail { depth, text })).collect();
    Ok(FileOutline { path, symbols, hash, has_errors: outline.has_errors, revision: view.snapshot.revision })
}

/// Whether row `row` is not a local and has at most `depth` ancestors.
fn is_within(outline: &Outline, row: usize, depth: usize) -> bool {
    let mut above = depth;
    let mut at = row;
    while let Some(parent) = outline.rows[at].parent() {
        let Some(left) = above.checked_sub(1) else { return false };
        (above, at) = (left, parent);
    }
    !outline.rows[row].is_local()
}
