//! A symbol as answers show it, whatever tool asked.

use std::sync::Arc;

use symd_base::RelPath;
use symd_engine::View;
use symd_index::{Content, FileEntry};
use symd_syntax::signature::{HeadSpan, signature_in};
use symd_syntax::{Grammar, Outline, Signature, SymbolKind};

/// One symbol. Lines are 0-based, `end_line` inclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its file.
    pub path: RelPath,
    /// Its own name, with its index where siblings share the name: the end of the name path.
    pub name: String,
    /// Its name path, indices included.
    pub name_path: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// The line of its first decorator, annotation or modifier, else of itself.
    pub start_line: u32,
    /// The last line of its body.
    pub end_line: u32,
    /// Whether it is a parameter or a local variable.
    pub is_local: bool,
    /// What it takes and is, if asked for.
    pub signature: Option<Signature>,
    /// Its text, if asked for.
    pub body: Option<String>,
    /// The white space before the text on its first line.
    pub indent: String,
    /// Its children, as many levels as asked for.
    pub children: Vec<Symbol>,
}

/// How much of a symbol to show.
#[derive(Clone, Copy)]
pub(super) struct Detail<'a> {
    /// Levels of children.
    pub(super) depth: usize,
    /// The grammar and the text of the outline, to take signatures from; `None` to leave those out.
    pub(super) text: Option<Lettering<'a>>,
}

/// A text, and the grammar by which it is read.
#[derive(Clone, Copy)]
pub(super) struct Lettering<'a> {
    pub(super) grammar: Option<Grammar>,
    pub(super) text: &'a str,
}

/// Row `row` of an outline as a symbol.
pub(super) fn symbol(path: &RelPath, outline: &Outline, row: usize, detail: Detail<'_>) -> Symbol {
    let this = &outline.rows[row];
    Symbol {
        path: path.clone(),
        name: outline.indexed_name(row),
        name_path: outline.name_path(row),
        kind: this.kind(),
        start_line: this.start_line,
        end_line: this.end_line,
        is_local: this.is_local(),
        signature: detail.text.and_then(|of| signature_in(of.grammar, of.text, outline, row)),
        body: None,
        indent: String::new(),
        children: children(path, outline, row, detail),
    }
}

fn children(path: &RelPath, outline: &Outline, row: usize, detail: Detail<'_>) -> Vec<Symbol> {
    let Some(depth) = detail.depth.checked_sub(1) else { return Vec::new() };
    let descendants = row + 1..=row + outline.rows[row].descendants as usize;
    let children = descendants.filter(|&child| outline.rows[child].parent() == Some(row));
    in_order(outline, children)
        .into_iter()
        .map(|child| symbol(path, outline, child, Detail { depth, ..detail }))
        .collect()
}

/// Rows in order of position.
pub(super) fn in_order(outline: &Outline, rows: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut rows: Vec<usize> = rows.collect();
    rows.sort_by_key(|&row| (outline.rows[row].start, row));
    rows
}

/// The signature of row `row`, read from a few bytes of the file; `None` when the file is no longer what the index holds
/// (then they could belong to something else).
pub(super) fn signature_of(view: &View, file: &Arc<FileEntry>, row: usize) -> Option<Signature> {
    let Content::Code { outline, stat, .. } = &file.content else { return None };
    let (row_of, grammar) = (outline.rows.get(row)?, file.grammar());
    let span = HeadSpan::of(row_of, grammar);
    let length = usize::try_from(span.end - span.start).ok()?;
    // Offsets are those of the decoded text; where the file's bytes are something else, the name is not there.
    let read = view.root.read_at(&file.path, u64::from(span.start), length).ok()?;
    let name_at = usize::try_from(row_of.name_start - span.start).ok()?;
    if read.stat == *stat
        && let Some((before, behind)) = read.bytes.split_at_checked(name_at)
    {
        let (before, behind) = (String::from_utf8_lossy(before), String::from_utf8_lossy(behind));
        if let Some(signature) = span.read(grammar, outline, row, &before, &behind) {
            return Some(signature);
        }
    }
    let current = view.current(file).ok()?;
    let is_same = Arc::ptr_eq(&current.outline, outline);
    is_same.then(|| signature_in(grammar, current.text.as_str(), outline, row)).flatten()
}
