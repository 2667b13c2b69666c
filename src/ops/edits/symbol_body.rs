//! Where a text goes that replaces a symbol or stands before or behind it (contracts, rulings on replace_symbol_body and
//! insert_before/after). Not how its lines are moved. Invariant: a replacement changes exactly the symbol's range, an
//! insertion only adds lines, and none between a symbol and its documentation.

use super::endings::{Ending, Endings, is_terminated, line_feeds};
use super::symbol::{SymbolEditError, Target, line_start, next_line_start, stands_apart};
use super::written_for::Placing;
use crate::base::{Cancel, TextEdits, TextRange};
use crate::syntax::statement_at;

/// The place of a text at a symbol.
#[derive(Debug)]
pub(super) struct Seat<'a> {
    /// What of the present text it replaces; empty for an insertion.
    pub(super) range: TextRange,
    /// The symbol's own white space.
    pub(super) indent: &'a str,
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
            return Ok(Seat { range, indent: target.indent(range.start), written, placing, around, ending });
        }
        if written.is_empty() {
            return Err(SymbolEditError::EmptyBody);
        }
        let place = Place::of(target, placing, cancel)?;
        let count = |blank: &str| blank.matches('\n').count();
        let above = &body[..body.len() - from_first.len()];
        let (at, ending, around) = if placing == Placing::Before {
            let blanks = count(&from_first[written.len()..]).saturating_sub(1).max(place.blanks);
            (place.before, place.ending_before, (above.to_owned(), "\n".repeat(blanks + 1)))
        } else {
            let blanks = "\n".repeat(count(above).max(place.blanks));
            // A text that does not end in a line break does not do so afterwards either.
            let is_behind_last = place.after as usize == target.text.len() && !is_terminated(target.text);
            let around = if is_behind_last {
                (format!("\n{blanks}"), String::new())
            } else {
                (blanks, "\n".to_owned())
            };
            (place.after, place.ending_after, around)
        };
        Ok(Seat { range: TextRange::new(at, at), indent: place.indent, written, placing, around, ending })
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

/// Where text goes before and behind a symbol.
struct Place<'a> {
    /// Start of the line before which it goes.
    before: u32,
    /// Start of the line behind the symbol's last.
    after: u32,
    /// Blank lines that must stand between.
    blanks: usize,
    /// The symbol's own white space.
    indent: &'a str,
    ending_before: Ending,
    ending_after: Ending,
}

impl<'a> Place<'a> {
    fn of(target: Target<'a>, placing: Placing, cancel: &Cancel) -> Result<Place<'a>, SymbolEditError> {
        let row = target.row()?;
        let text = target.text;
        // Nothing comes between a symbol and its documentation.
        let mut range =
            if placing == Placing::Before { target.documented(row, cancel)? } else { row.range() };
        let is_alone = {
            let first = line_start(text, range.start as usize);
            let past = next_line_start(text, range.end as usize);
            text[first..range.start as usize].trim().is_empty()
                && text[range.end as usize..past].trim().is_empty()
        };
        if (!is_alone || row.is_local())
            && let Some(statement) = target.statement(row, cancel)?
        {
            let around = statement.range;
            range = TextRange::new(range.start.min(around.start), range.end.max(around.end));
        }
        let mut before = line_start(text, range.start as usize);
        let mut after = next_line_start(text, range.end as usize);
        if !is_alone {
            (before, after) = past_neighbours(target, range, before, after, cancel)?;
        }
        let endings = Endings::of(text);
        Ok(Place {
            before: offset(before),
            after: offset(after),
            blanks: usize::from(stands_apart(row.kind())),
            indent: target.indent(range.start),
            ending_before: endings.at(before),
            ending_after: endings.at(range.end as usize),
        })
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
