//! A symbol as answers show it, whichever tool asked.

use std::sync::Arc;

use symd_base::RelPath;
use symd_engine::View;
use symd_index::{Content, FileEntry};
use symd_syntax::signature::{HeadSpan, signature_in};
use symd_syntax::{Grammar, Outline, Signature, SymbolKind};

/// One symbol. Lines are 0-based, `end_line` inclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub path: RelPath,
    /// The name, with its index where siblings share it: the last component of the name path.
    pub name: String,
    /// The name path, indices included.
    pub name_path: String,
    pub kind: SymbolKind,
    /// Line of the first decorator, annotation or modifier, or else of the declaration itself.
    pub start_line: u32,
    /// The last line of the body.
    pub end_line: u32,
    /// Whether it is a parameter or a local variable.
    pub is_local: bool,
    /// The signature, if requested.
    pub signature: Option<Signature>,
    /// The source text, if requested.
    pub body: Option<String>,
    /// The white space before `body` on its first line.
    pub indent: String,
    /// The children, as many levels as requested.
    pub children: Vec<Symbol>,
}

/// Level of detail of a symbol in an answer.
#[derive(Clone, Copy)]
pub(super) struct Detail<'a> {
    /// Levels of children to include.
    pub(super) depth: usize,
    /// The grammar and text of the outline, from which signatures are read; `None` omits signatures.
    pub(super) text: Option<GrammarText<'a>>,
}

/// A text and the grammar of its language, if there is one.
#[derive(Clone, Copy)]
pub(super) struct GrammarText<'a> {
    pub(super) grammar: Option<Grammar>,
    pub(super) text: &'a str,
}

/// Converts row `row` of an outline to a symbol.
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
    in_order(outline, outline.children(row))
        .into_iter()
        .map(|child| symbol(path, outline, child, Detail { depth, ..detail }))
        .collect()
}

/// Sorts rows by position.
pub(super) fn in_order(outline: &Outline, rows: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut rows: Vec<usize> = rows.collect();
    rows.sort_by_key(|&row| (outline.rows[row].start, row));
    rows
}

/// Reads the signature of row `row` from a few bytes of the file. Returns `None` if the file no longer
/// matches the index, because the bytes could then belong to another symbol.
pub(super) fn signature_of(view: &View, file: &Arc<FileEntry>, row: usize) -> Option<Signature> {
    let Content::Code { stat, .. } = &file.content else { return None };
    let outline = file.outline()?;
    let (row_of, grammar) = (outline.rows.get(row)?, file.grammar());
    let span = HeadSpan::of(row_of, grammar);
    let length = usize::try_from(span.end - span.start).ok()?;
    // Offsets refer to the decoded text; if the file's bytes differ from it, the name is not found here.
    let read = view.files.read_at(&file.path, u64::from(span.start), length).ok()?;
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
