//! Computes where to put a text that replaces a symbol or is inserted before or after it (contracts, rulings
//! on replace_symbol_body and insert_before/after). Does not move its lines. Invariant: a replacement changes
//! exactly the symbol's range; an insertion only adds lines, inside the symbol's enclosing block, and none
//! between the symbol and its documentation.

use std::borrow::Cow;

use super::blank_lines::{BlankLines, BlankLinesAround};
use super::endings::{Ending, Endings, is_terminated, line_feeds};
use super::intended_column::Placement;
use super::symbol::{EditTarget, SymbolEditError, line_start, needs_blank_line, next_line_start};
use super::within_line::WithinLine;
use symd_base::{Cancel, TextEdits, TextRange};
use symd_syntax::{Enclosure, StatementKind, enclosure_at, statement_at};

/// The position of a given text at a symbol.
#[derive(Debug)]
pub(super) struct BodyPosition<'a> {
    /// The range that the text replaces; empty for an insertion.
    pub(super) range: TextRange,
    /// The symbol's indentation, or what it would be on a line of its own.
    pub(super) indent: Cow<'a, str>,
    /// The given text from its first line that is not blank, without white space at its end; its line breaks
    /// are line feeds.
    pub(super) written: String,
    pub(super) placing: Placement,
    /// The text to add before and after `written`.
    around: (String, String),
    ending: Ending,
}

/// The edit for a text at its position.
#[derive(Debug)]
pub(super) struct PositionedEdit {
    pub(super) edits: TextEdits,
    /// The range of the symbol or the inserted text in the edited text, without blank lines around it.
    pub(super) new: TextRange,
}

impl<'a> BodyPosition<'a> {
    /// Computes the position of `body`. The surrounding white space is that of the position: a replacement
    /// starts at the first decorator or modifier; an insertion keeps the blank lines of `body` on the side
    /// away from the symbol, and has at least one blank line before and after a class, interface, struct,
    /// function or method.
    pub(super) fn of(
        target: EditTarget<'a>,
        (placing, spacing): (Placement, BlankLines),
        body: &str,
        cancel: &Cancel,
    ) -> Result<BodyPosition<'a>, SymbolEditError> {
        let body = line_feeds(body);
        let from_first = without_blank_first_lines(&body);
        let written = from_first.trim_end().to_owned();
        if placing == Placement::Replace {
            let range = target.replaced_range(cancel)?;
            let ending = Endings::of(target.text).at(range.start as usize);
            let around = (String::new(), String::new());
            let written = without_second_separator(written, &target.text[range.end as usize..]);
            let indent = Cow::Borrowed(target.indent(range.start));
            return Ok(BodyPosition { range, indent, written, placing, around, ending });
        }
        if written.is_empty() {
            return Err(SymbolEditError::EmptyBody);
        }
        let count = |blank: &str| blank.matches('\n').count();
        let blanks = match placing {
            Placement::Before => count(&from_first[written.len()..]).saturating_sub(1),
            Placement::After | Placement::Replace => count(&body[..body.len() - from_first.len()]),
        };
        let above = "\n".repeat(count(&body[..body.len() - from_first.len()]));
        let (range, indent, around, ending) = match InsertionSite::of(target, (placing, spacing), cancel)? {
            InsertionSite::Lines(mut lines) => {
                // One line may be a variable's, which stands among its neighbours.
                if !written.contains('\n') {
                    lines.far_blanks = 0;
                }
                let blanks = blanks.max(lines.blanks);
                let around = lines.around(target, placing, blanks, above);
                (TextRange::new(lines.at, lines.at), Cow::Borrowed(lines.indent), around, lines.ending)
            }
            InsertionSite::Within(within) => {
                let around = within.around(placing, blanks);
                let ending = Endings::of(target.text).at(within.gap.start as usize);
                (within.gap, Cow::Owned(within.indent), around, ending)
            }
        };
        Ok(BodyPosition { range, indent, written, placing, around, ending })
    }

    /// Returns the edit that inserts `lines`, which must already have their final indentation.
    pub(super) fn edit_with(&self, lines: &str) -> PositionedEdit {
        let lines = self.without_margin(lines);
        let adopted = |text: &str| self.ending.apply_to(text).into_owned();
        let (before, lines, behind) = (adopted(&self.around.0), adopted(lines), adopted(&self.around.1));
        let start = self.range.start.saturating_add(offset(before.len()));
        let new = TextRange::new(start, start.saturating_add(offset(lines.len())));
        PositionedEdit { edits: TextEdits::one(self.range, format!("{before}{lines}{behind}")), new }
    }

    /// Whether two texts result in the same edit.
    pub(super) fn is_same(&self, one: &str, other: &str) -> bool {
        self.without_margin(one) == self.without_margin(other)
    }

    /// In a replacement the white space before the symbol's first line is already there.
    fn without_margin<'l>(&self, lines: &'l str) -> &'l str {
        if self.placing == Placement::Replace { lines.trim_start() } else { lines }
    }
}

/// Removes the separator at the end of `written` if the same one follows the symbol: `f();` in place of the
/// `f()` before a `;`.
fn without_second_separator(mut written: String, behind: &str) -> String {
    let behind = behind.trim_start_matches([' ', '\t']);
    if let Some(separator) = [';', ','].into_iter().find(|&separator| written.ends_with(separator))
        && behind.starts_with(separator)
    {
        written.pop();
        written.truncate(written.trim_end().len());
    }
    written
}

/// Returns `text` from its first line that is not blank.
fn without_blank_first_lines(text: &str) -> &str {
    let blank = text.len() - text.trim_start().len();
    &text[line_start(text, blank)..]
}

/// Where to insert a text beside a symbol.
enum InsertionSite<'a> {
    Lines(BesideLines<'a>),
    /// Between things that share a line: the enclosing block begins or ends on it.
    Within(WithinLine),
}

/// A position between two lines.
struct BesideLines<'a> {
    /// The start of the line before which to insert.
    at: u32,
    /// The minimum number of blank lines between text and symbol.
    blanks: usize,
    /// The number of blank lines that the text needs on its other side besides those that are there.
    far_blanks: usize,
    /// The symbol's indentation.
    indent: &'a str,
    ending: Ending,
}

impl BesideLines<'_> {
    /// Returns the text to add before and after the insertion: `blanks` blank lines on the side of the
    /// symbol, and `above` before a text that is inserted above it.
    fn around(
        &self,
        target: EditTarget<'_>,
        placing: Placement,
        blanks: usize,
        above: String,
    ) -> (String, String) {
        let far = "\n".repeat(self.far_blanks);
        if placing == Placement::Before {
            return (if far.len() > above.len() { far } else { above }, "\n".repeat(blanks + 1));
        }
        let blanks = "\n".repeat(blanks);
        // A text without a final line break must not get one.
        let is_behind_last = self.at as usize == target.text.len() && !is_terminated(target.text);
        if is_behind_last { (format!("\n{blanks}"), String::new()) } else { (blanks, format!("\n{far}")) }
    }
}

impl<'a> InsertionSite<'a> {
    fn of(
        target: EditTarget<'a>,
        (placing, spacing): (Placement, BlankLines),
        cancel: &Cancel,
    ) -> Result<InsertionSite<'a>, SymbolEditError> {
        let row = target.row()?;
        let text = target.text;
        // Nothing is inserted between a symbol and its documentation.
        let mut range =
            if placing == Placement::Before { target.range_with_docs(row, cancel)? } else { row.range() };
        let is_alone = target.whole_lines(range).is_some();
        if (!is_alone || row.is_local())
            && let Some(statement) = target.statement(row, cancel)?
        {
            let around = statement.range;
            if statement.kind == StatementKind::Parameter && !row.is_local() {
                let (name, path) = (target.name(), target.path.clone());
                let (line, head) = target.first_line(around);
                return Err(SymbolEditError::Parameter { name, path, line, head });
            }
            range = TextRange::new(range.start.min(around.start), range.end.max(around.end));
        }
        let mut before = line_start(text, range.start as usize);
        let mut after = next_line_start(text, range.end as usize);
        if !is_alone {
            (before, after) = past_neighbours(target, range, before, after, cancel)?;
            let around = enclosure_at(target.grammar, text, row.range(), cancel)?;
            if let Some(Enclosure::HeadLine(at)) = around {
                let (name, path) = (target.name(), target.path.clone());
                let (line, head) = target.first_line(TextRange::new(at, row.end));
                return Err(SymbolEditError::HeadLine { name, path, line, head });
            }
            let at = offset(if placing == Placement::Before { before } else { after });
            let there = enclosure_at(target.grammar, text, TextRange::new(at, at), cancel)?;
            if there != around && !target.grammar.rules().has_indented_blocks {
                let inside = match around {
                    Some(Enclosure::Braces(inside)) => Some(inside),
                    Some(Enclosure::HeadLine(_)) | None => None,
                };
                return Ok(InsertionSite::Within(WithinLine::of(target, placing, range, inside)));
            }
        }
        let endings = Endings::of(text);
        let (at, ending) = match placing {
            Placement::Before => (before, endings.at(before)),
            Placement::After | Placement::Replace => (after, endings.at(range.end as usize)),
        };
        let indent = target.indent(range.start);
        let (mut blanks, mut far_blanks) = (usize::from(needs_blank_line(row.kind())), 0);
        if blanks > 0 && spacing == BlankLines::AsAround {
            let documented = target.range_with_docs(row, cancel)?;
            let above = line_start(text, documented.start as usize).min(before);
            let around = BlankLinesAround::of(text, above, after, indent.len());
            let far = if placing == Placement::Before { around.above } else { around.below };
            blanks = around.usual();
            far_blanks = far.map_or(0, |far| blanks.saturating_sub(far));
        }
        Ok(InsertionSite::Lines(BesideLines { at: offset(at), blanks, far_blanks, indent, ending }))
    }
}

/// Moves the insertion points past statements that share the symbol's lines and continue on others, such as
/// `x = 1; y = [` …: the text must not be inserted inside them.
fn past_neighbours(
    target: EditTarget<'_>,
    symbol: TextRange,
    mut before: usize,
    mut after: usize,
    cancel: &Cancel,
) -> Result<(usize, usize), SymbolEditError> {
    let cut_by = |at: usize| {
        let point = TextRange::new(offset(at), offset(at));
        let found = statement_at(target.grammar, target.text, point, cancel)?;
        let range = found.map(|statement| statement.range);
        Ok::<_, SymbolEditError>(range.filter(|range| (range.start as usize) < at && at < range.end as usize))
    };
    while let Some(cut) = cut_by(after)?.filter(|cut| cut.start >= symbol.end) {
        after = next_line_start(target.text, cut.end as usize);
    }
    while let Some(cut) = cut_by(before)?.filter(|cut| cut.end <= symbol.start) {
        before = line_start(target.text, cut.start as usize);
    }
    Ok((before, after))
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
