//! The symbols of one file, as a tree. Parsed from the file as it is now if the index does not hold it as such.

use super::find_symbol::SymbolError;
use super::symbol::{Detail, Lettering, Symbol, in_order, symbol};
use crate::view_tree::ViewTree;
use symd_base::{ContentHash, RelPath};
use symd_engine::{Current, CurrentError, View};
use symd_files::tree::{LocateError, Located};
use symd_syntax::Outline;
use symd_vfs::EntryKind;

/// A file's symbols.
#[derive(Clone, Debug)]
pub struct FileOutline {
    /// The file.
    pub path: RelPath,
    /// Its top-level symbols in order of position, each with its children.
    pub symbols: Vec<Symbol>,
    /// The hash of the bytes they were read from.
    pub hash: ContentHash,
    /// Whether the parser met text it could not make sense of: symbols may be missing.
    pub has_errors: bool,
    /// The index revision that the answer reflects (at least).
    pub revision: u64,
}

/// The outline of the file at `relative_path` (as a client wrote it), with `depth` levels of children. Signatures are
/// given among so many symbols at most, parameters and local variables not counted.
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
    let Current { text, outline, hash } = view.current(file)?;
    let top = in_order(&outline, (0..outline.rows.len()).filter(|&row| outline.rows[row].parent().is_none()));
    let shown = (0..outline.rows.len()).filter(|&row| is_within(&outline, row, depth)).count();
    let text = (shown <= signatures).then(|| Lettering { grammar: file.grammar(), text: text.as_str() });
    let symbols = top.into_iter().map(|row| symbol(&path, &outline, row, Detail { depth, text })).collect();
    Ok(FileOutline { path, symbols, hash, has_errors: outline.has_errors, revision: view.snapshot.revision })
}

/// Whether row `row` is no local and has at most `depth` symbols above it.
fn is_within(outline: &Outline, row: usize, depth: usize) -> bool {
    let mut above = depth;
    let mut at = row;
    while let Some(parent) = outline.rows[at].parent() {
        let Some(left) = above.checked_sub(1) else { return false };
        (above, at) = (left, parent);
    }
    !outline.rows[row].is_local()
}
