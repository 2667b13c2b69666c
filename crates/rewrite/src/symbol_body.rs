//! Where a text goes that replaces a symbol or stands before or behind it (contracts, rulings on replace_symbol_body and
//! insert_before/after). Not how its lines are moved. Invariant: a replacement changes exactly the symbol's range, an
//! insertion only adds lines, inside of what holds the symbol, and none between it and its documentation.

use std::borrow::Cow;

use super::endings::{Ending, Endings, is_terminated, line_feeds};
use super::symbol::{SymbolEditError, Target, line_start, next_line_start, stands_apart};
use super::within_line::WithinLine;
use super::written_for::Placing;
use symd_base::{Cancel, TextEdits, TextRange};
use symd_syntax::{Enclosure, StatementKind, enclosure_at, statement_at};

/// The place of a text at a symbol.
#[derive(Debug)]
pub(super) struct Seat<'a> {
    /// What of the present text it replaces; empty for an insertion.
    pub(super) range: TextRange,
    /// The symbol's own white space, or what it would be on a line of its own.
    pub(super) indent: Cow<'a, str>,
    /// The text from its first line that is not blank, without white space at its end; its line breaks are line feeds.
    pub(super) written: String,
    pub(super) placing: Placing,
    /// What stands before it, and behind it.
    around: (String, String),
    ending: Ending,
}

/// An edit at a seat.
#[derive(Debug)]
pub(super) struct Seated {
    pub(super) edits: TextEdits,
    /// What of the text afterwards is the symbol's or the inserted text, without blank lines around it.
    pub(super) new: TextRange,
}

impl<'a> Seat<'a> {
    /// The seat of `body`, of which the white space around it is the place's: a symbol is replaced from its first decorator
    /// or modifier; an insertion keeps the blank lines of `body` on the side that is turned away from the symbol, and at
    /// least one stands before and behind a class, interface, struct, function or method.
    pub(super) fn of(
        target: Target<'a>,
        placing: Placing,
        body: &str,
        cancel: &Cancel,
    ) -> Result<Seat<'a>, SymbolEditError> {
        let body = line_feeds(body);
        let from_first = without_blank_first_lines(&body);
        let written = from_first.trim_end().to_owned();
        if placing == Placing::Instead {
            let range = target.replaced(cancel)?;
            let ending = Endings::of(target.text).at(range.start as usize);
            let around = (String::new(), String::new());
            let written = without_second_separator(written, &target.text[range.end as usize..]);
            let indent = Cow::Borrowed(target.indent(range.start));
            return Ok(Seat { range, indent, written, placing, around, ending });
        }
        if written.is_empty() {
            return Err(SymbolEditError::EmptyBody);
        }
        let count = |blank: &str| blank.matches('\n').count();
        let blanks = match placing {
            Placing::Before => count(&from_first[written.len()..]).saturating_sub(1),
            Placing::After | Placing::Instead => count(&body[..body.len() - from_first.len()]),
        };
        let above = "\n".repeat(count(&body[..body.len() - from_first.len()]));
        let (range, indent, around, ending) = match InsertionSite::of(target, placing, cancel)? {
            InsertionSite::Lines(lines) => {
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
        Ok(Seat { range, indent, written, placing, around, ending })
    }

    /// The edit that puts `lines` there, which are those of the text at the columns where they shall stand.
    pub(super) fn seated(&self, lines: &str) -> Seated {
        let lines = self.without_margin(lines);
        let adopted = |text: &str| self.ending.adopt(text).into_owned();
        let (before, lines, behind) = (adopted(&self.around.0), adopted(lines), adopted(&self.around.1));
        let start = self.range.start.saturating_add(offset(before.len()));
        let new = TextRange::new(start, start.saturating_add(offset(lines.len())));
        Seated { edits: TextEdits::one(self.range, format!("{before}{lines}{behind}")), new }
    }

    /// Whether the same comes of two texts.
    pub(super) fn is_same(&self, one: &str, other: &str) -> bool {
        self.without_margin(one) == self.without_margin(other)
    }

    /// In the place of a symbol the white space before its first line is there already.
    fn without_margin<'l>(&self, lines: &'l str) -> &'l str {
        if self.placing == Placing::Instead { lines.trim_start() } else { lines }
    }
}

/// `written` without the separator at its end that stands behind the symbol already: `f();` in the place of the `f()` before
/// a `;`.
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

/// `text` from its first line that is not blank.
fn without_blank_first_lines(text: &str) -> &str {
    let blank = text.len() - text.trim_start().len();
    &text[line_start(text, blank)..]
}

/// Where text goes beside a symbol.
enum InsertionSite<'a> {
    Lines(BesideLines<'a>),
    /// Between things that share a line: what holds the symbol begins or ends on it.
    Within(WithinLine),
}

/// Between two lines.
struct BesideLines<'a> {
    /// Start of the line before which it goes.
    at: u32,
    /// Blank lines that must stand between.
    blanks: usize,
    /// The symbol's own white space.
    indent: &'a str,
    ending: Ending,
}

impl BesideLines<'_> {
    /// What stands before the text and behind it: `blanks` blank lines on the side of the symbol, `above` before a text that
    /// goes above it.
    fn around(&self, target: Target<'_>, placing: Placing, blanks: usize, above: String) -> (String, String) {
        if placing == Placing::Before {
            return (above, "\n".repeat(blanks + 1));
        }
        let blanks = "\n".repeat(blanks);
        // A text that does not end in a line break does not do so afterwards either.
        let is_behind_last = self.at as usize == target.text.len() && !is_terminated(target.text);
        if is_behind_last { (format!("\n{blanks}"), String::new()) } else { (blanks, "\n".to_owned()) }
    }
}

impl<'a> InsertionSite<'a> {
    fn of(
        target: Target<'a>,
        placing: Placing,
        cancel: &Cancel,
    ) -> Result<InsertionSite<'a>, SymbolEditError> {
        let row = target.row()?;
        let text = target.text;
        // Nothing comes between a symbol and its documentation.
        let mut range =
            if placing == Placing::Before { target.documented(row, cancel)? } else { row.range() };
        let is_alone = target.whole_lines(range).is_some();
        if (!is_alone || row.is_local())
            && let Some(statement) = target.statement(row, cancel)?
        {
            let around = statement.range;
            if statement.kind == StatementKind::Parameter && !row.is_local() {
                let (name, path) = (target.name(), target.path.clone());
                let (line, head) = target.head(around);
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
                let (line, head) = target.head(TextRange::new(at, row.end));
                return Err(SymbolEditError::HeadLine { name, path, line, head });
            }
            let at = offset(if placing == Placing::Before { before } else { after });
            let there = enclosure_at(target.grammar, text, TextRange::new(at, at), cancel)?;
            if there != around && target.grammar.name() != "python" {
                let inside = match around {
                    Some(Enclosure::Braces(inside)) => Some(inside),
                    Some(Enclosure::HeadLine(_)) | None => None,
                };
                return Ok(InsertionSite::Within(WithinLine::of(target, placing, range, inside)));
            }
        }
        let endings = Endings::of(text);
        let (at, ending) = match placing {
            Placing::Before => (before, endings.at(before)),
            Placing::After | Placing::Instead => (after, endings.at(range.end as usize)),
        };
        Ok(InsertionSite::Lines(BesideLines {
            at: offset(at),
            blanks: usize::from(stands_apart(row.kind())),
            indent: target.indent(range.start),
            ending,
        }))
    }
}

/// Statements that share the symbol's lines may go on on others: `x = 1; y = [` … What is inserted must not land
/// inside them.
fn past_neighbours(
    target: Target<'_>,
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
