//! A symbol as answers show it, whatever tool asked.

use std::sync::Arc;

use crate::base::RelPath;
use crate::engine::View;
use crate::index::{Content, FileEntry};
use crate::syntax::{Outline, SymbolKind};

/// Bytes read behind a name to show the rest of its line.
const TAIL_BYTES: usize = 160;
/// Characters of it that are shown.
const TAIL_CHARS: usize = 48;

/// Whether the rest of the line behind each name is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signature {
    /// It is.
    Included,
    /// It is not.
    LeftOut,
}

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
    /// What stands behind its name on that line, without a block opener; if asked for.
    pub tail: Option<String>,
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
    /// The text of the outline, to take the rest of each line from; `None` to leave that out.
    pub(super) text: Option<&'a str>,
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
        tail: detail.text.and_then(|text| tail_in(text, outline, row)),
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

/// What stands behind the name of row `row`, read from the file; `None` when the file is no longer what the
/// index holds (then the line could belong to something else).
pub(super) fn tail_of(view: &View, file: &Arc<FileEntry>, row: usize) -> Option<String> {
    let Content::Code { outline, stat, .. } = &file.content else { return None };
    let row_of = outline.rows.get(row)?;
    let name = outline.name(row_of);
    // Offsets are those of the decoded text; where the file's bytes are something else, the name is not there.
    let read = view.root.read_at(&file.path, u64::from(row_of.name_start), name.len() + TAIL_BYTES).ok()?;
    if read.stat == *stat
        && let Some(rest) = behind_name(&String::from_utf8_lossy(&read.bytes), name)
    {
        return Some(tail(rest));
    }
    let current = view.current(file).ok()?;
    Arc::ptr_eq(&current.outline, outline).then(|| tail_in(current.text.as_str(), outline, row)).flatten()
}

/// What stands behind the name of row `row` in the text of its outline.
fn tail_in(text: &str, outline: &Outline, row: usize) -> Option<String> {
    let row_of = outline.rows.get(row)?;
    behind_name(text.get(row_of.name_start as usize..)?, outline.name(row_of)).map(tail)
}

/// What follows the name in `text`, which begins with it. A name that is put together (`impl Display for Size`)
/// does not stand in the text as a whole: then it is its longest ending that does, `Size`.
fn behind_name<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut before = ' ';
    name.char_indices().find_map(|(at, first)| {
        // Never the end of a word: the `e` of `Size` stands at the beginning of many a text.
        let starts_word = !(before.is_alphanumeric() || before == '_');
        before = first;
        if starts_word { text.strip_prefix(&name[at..]) } else { None }
    })
}

/// What belongs to the name on the first line of `rest`, cut to a length a list can bear: up to a comma or bracket
/// that closes what the name stands in, without what opens a block.
fn tail(rest: &str) -> String {
    let line = rest.split(['\n', '\r']).next().unwrap_or("").trim_end_matches('\u{FFFD}');
    let (own, open) = own_part(line);
    let own = own.trim_end().trim_end_matches(['{', ':', ';']).trim_end();
    match own.char_indices().nth(TAIL_CHARS) {
        Some((cut, _)) => format!("{}…", &own[..cut]),
        None if open => format!("{own}…"),
        None => own.to_owned(),
    }
}

/// The part of `line` before an unmatched closing bracket or a comma outside brackets, and whether a bracket is
/// still open at its end.
fn own_part(line: &str) -> (&str, bool) {
    let mut closers: Vec<char> = Vec::new();
    let mut before = ' ';
    for (at, character) in line.char_indices() {
        match character {
            '(' => closers.push(')'),
            '[' => closers.push(']'),
            // `Map<K, V>` opens; `a < b` does not.
            '<' if before.is_alphanumeric() => closers.push('>'),
            '>' if closers.last() == Some(&'>') && before != '-' && before != '=' => {
                closers.pop();
            }
            ')' | ']' => {
                while closers.last() == Some(&'>') {
                    closers.pop();
                }
                if closers.pop().is_none() {
                    return (&line[..at], false);
                }
            }
            ',' if closers.is_empty() => return (&line[..at], false),
            _ => {}
        }
        before = character;
    }
    (line, closers.contains(&')') || closers.contains(&']'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_put_together_has_the_tail_of_its_last_part() {
        assert_eq!(behind_name("run(&self)", "run"), Some("(&self)"));
        assert_eq!(behind_name("Size {\n    /// x", "impl Display for Size"), Some(" {\n    /// x"));
        assert_eq!(behind_name("Cache<T> {", "impl Cache<T>"), Some(" {"));
        assert_eq!(behind_name("elsewhere", "impl Size"), None);
    }

    #[test]
    fn a_tail_is_what_belongs_to_the_name() {
        let cases = [
            ("(self, x: int = f(1)) -> str:\n    pass", "(self, x: int = f(1)) -> str"),
            ("(\n    self,", "(…"),
            (": Int, private val tag: Tag? = null) : Discount {", ": Int"),
            (": Map<Isbn, List<Book>>) {", ": Map<Isbn, List<Book>>"),
            (" = a < b", " = a < b"),
            ("(xs: (Int) -> List<Int>): Int = 1", "(xs: (Int) -> List<Int>): Int = 1"),
            ("(Base):", "(Base)"),
            (", b = 1, 2", ""),
            ("\r\nnext", ""),
        ];
        for (rest, expected) in cases {
            assert_eq!(tail(rest), expected, "{rest:?}");
        }
        assert_eq!(tail(&"x".repeat(500)).chars().count(), TAIL_CHARS + 1);
    }
}
