//! Deletes a symbol: its whole lines and one of the adjacent runs of blank lines or, if other things share
//! its lines, its range and the separator. Its documentation is deleted too. References are not checked.
//! Invariant: no other symbol is deleted.

use super::co_declared::{co_declared_rows, is_value};
use super::endings::{is_terminated, without_break};
use super::symbol::{EditTarget, SymbolEditError, line_start};
use symd_base::text::line_starts;
use symd_base::{Cancel, TextEdit, TextEdits, TextRange};
use symd_syntax::{Row, StatementKind};

/// Deletes the symbol in `rows`, which has several if it is declared several times in the file, with the
/// documentation that is attached to it. Any other comment before it stays; one behind it on its last line is
/// deleted.
pub fn delete_symbol(
    target: EditTarget<'_>,
    rows: &[usize],
    cancel: &Cancel,
) -> Result<TextEdits, SymbolEditError> {
    let mut documented: Vec<TextRange> = Vec::new();
    for &row in rows {
        let target = EditTarget { row, ..target };
        let row = target.row()?;
        reject_co_declared(target, row)?;
        if is_value(row.kind()) {
            reject_statement_part(target, row, cancel)?;
        }
        reject_only_statement(target, row, rows.len(), cancel)?;
        let range = target.range_with_docs(row, cancel)?;
        // Declarations with only blanks between them are deleted as one place, with one run of blank lines.
        match documented.last_mut().filter(|last| is_blank(target.text, last.end, range.start)) {
            Some(last) => last.end = range.end,
            None => documented.push(range),
        }
    }
    let gone = |range: TextRange| match target.whole_lines(range) {
        Some(lines) => with_blank_run(target.text, lines),
        None => with_separator(target.text, range),
    };
    let edit = |range| TextEdit { range: gone(range), new_text: String::new() };
    TextEdits::new(documented.into_iter().map(edit).collect())
        .map_err(|_| SymbolEditError::Stale { path: target.path.clone() })
}

fn is_blank(text: &str, start: u32, end: u32) -> bool {
    text.get(start as usize..end as usize)
        .is_some_and(|between| between.trim_matches(SEPARATORS).trim().is_empty())
}

/// Separators that may follow a declaration.
const SEPARATORS: [char; 2] = [';', ','];

fn reject_co_declared(target: EditTarget<'_>, row: &Row) -> Result<(), SymbolEditError> {
    let others: Vec<String> = co_declared_rows(target, row.range())
        .into_iter()
        .map(|at| format!("'{}'", target.outline.name_path(at)))
        .collect();
    if others.is_empty() {
        return Ok(());
    }
    let (line, _) = target.first_line(row.range());
    let others = others.join(", ");
    Err(SymbolEditError::CoDeclared { name: target.name(), others, path: target.path.clone(), line })
}

fn reject_statement_part(target: EditTarget<'_>, row: &Row, cancel: &Cancel) -> Result<(), SymbolEditError> {
    let Some(statement) = target.statement(row, cancel)? else { return Ok(()) };
    let (name, path) = (target.name(), target.path.clone());
    let (line, head) = target.first_line(statement.range);
    match statement.kind {
        StatementKind::Parameter => Err(SymbolEditError::Parameter { name, path, line, head }),
        StatementKind::Compound => Err(target.compound(statement.range)),
        StatementKind::Simple => {
            let is_rest = |c: char| c.is_whitespace() || c == ';' || c == ',';
            let (start, end) = (statement.range.start as usize, statement.range.end as usize);
            let before = target.text.get(start..row.start as usize).unwrap_or("");
            let behind = target.text.get(row.end as usize..end).unwrap_or("");
            if before.chars().chain(behind.chars()).all(is_rest) {
                return Ok(());
            }
            Err(SymbolEditError::PartOfStatement { name, path, line, head })
        }
    }
}

/// Rejects, in Python only, a deletion that leaves a block without a statement; `count` statements are
/// deleted.
fn reject_only_statement(
    target: EditTarget<'_>,
    row: &Row,
    count: usize,
    cancel: &Cancel,
) -> Result<(), SymbolEditError> {
    // Statements at the left margin belong to the file, which needs none.
    if !target.grammar.rules().has_indented_blocks
        || line_start(target.text, row.start as usize) == row.start as usize
    {
        return Ok(());
    }
    match target.statement(row, cancel)? {
        Some(statement) if statement.others < count => {
            let (line, _) = target.first_line(row.range());
            Err(SymbolEditError::OnlyStatement { name: target.name(), path: target.path.clone(), line })
        }
        _ => Ok(()),
    }
}

/// Extends `lines` by one of the adjacent runs of blank lines: the one at the border of the block or the
/// file, else the shorter.
fn with_blank_run(text: &str, lines: TextRange) -> TextRange {
    let starts = line_starts(text);
    let index = |at: u32| starts.partition_point(|&start| start < at);
    let line = |at: usize| {
        let end = starts.get(at + 1).map_or(text.len(), |&next| next as usize);
        text[starts[at] as usize..end].trim()
    };
    let is_ended = is_terminated(&text[..lines.end as usize]);
    let (first, past) = (index(lines.start), if is_ended { index(lines.end) } else { starts.len() });
    let count = starts.len() - usize::from(is_terminated(text));
    let above = (0..first).rev().take_while(|&at| line(at).is_empty()).count();
    let below = (past..count).take_while(|&at| line(at).is_empty()).count();
    let previous = (first > above).then(|| line(first - above - 1));
    let next = (past + below < count).then(|| line(past + below));
    let opens = |line: &str| line.ends_with(['{', ':', '(', '[']);
    let closes = |line: &str| line.starts_with(['}', ')', ']']);
    let takes_below = match (previous, next) {
        (_, None) => false,
        (None, _) => true,
        (Some(previous), _) if opens(previous) => true,
        (_, Some(next)) if closes(next) => false,
        _ => below <= above,
    };
    let mut range = lines;
    if takes_below {
        range.end = starts.get(past + below).copied().unwrap_or(offset(text.len()));
    } else {
        range.start = starts.get(first - above).copied().unwrap_or(lines.start);
    }
    if range.end as usize == text.len() && !is_terminated(text) {
        range.start = offset(without_break(&text[..range.start as usize]).len());
    }
    range
}

/// Extends `range` by the separator after it, else by the one before it.
fn with_separator(text: &str, range: TextRange) -> TextRange {
    let blank = [' ', '\t'];
    let behind = &text[range.end as usize..];
    let gap = behind.len() - behind.trim_start_matches(blank).len();
    if let Some(rest) = behind[gap..].strip_prefix([';', ',']) {
        let rest = rest.trim_start_matches(blank);
        return TextRange::new(range.start, offset(text.len() - rest.len()));
    }
    let before = text[..range.start as usize].trim_end_matches(blank);
    match before.strip_suffix([';', ',']) {
        Some(before) => TextRange::new(offset(before.trim_end_matches(blank).len()), range.end),
        None => TextRange::new(range.start, range.end + offset(gap)),
    }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
