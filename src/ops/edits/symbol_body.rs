//! Replacing a symbol's text and putting text before or behind it (contracts, rulings on replace_symbol_body and
//! insert_before/after). Invariant: a replacement changes exactly the symbol's range, an insertion only adds lines.

use super::endings::{Ending, Endings, is_terminated, line_feeds};
use super::reindent::{Indentation, reindent, reindent_behind_first};
use super::symbol::{SymbolEditError, Target, line_start, next_line_start, stands_apart};
use crate::base::{Cancel, TextEdits, TextRange};
use crate::syntax::statement_at;

/// Replaces the symbol, from its first decorator or modifier, by `body`, which loses the white space around it; its first
/// line takes the symbol's column.
pub fn replace_symbol_body(
    target: Target<'_>,
    body: &str,
    indentation: Indentation,
    cancel: &Cancel,
) -> Result<TextEdits, SymbolEditError> {
    let range = target.replaced(cancel)?;
    let body = match indentation {
        Indentation::AsGiven => body.trim().to_owned(),
        Indentation::OfSymbol => {
            let written = without_blank_first_lines(body).trim_end();
            let indent = target.indent(range.start);
            if written.starts_with([' ', '\t']) {
                reindent(written, indent).trim_start().to_owned()
            } else {
                reindent_behind_first(written, indent)
            }
        }
    };
    let ending = Endings::of(target.text).at(range.start as usize);
    Ok(TextEdits::one(range, ending.adopt(&body)))
}

/// Puts `body` on lines of its own before the symbol. The blank lines at its end are kept, and there is at least one
/// before a class, interface, struct, function or method.
pub fn insert_before_symbol(
    target: Target<'_>,
    body: &str,
    indentation: Indentation,
    cancel: &Cancel,
) -> Result<TextEdits, SymbolEditError> {
    let place = Place::of(target, cancel)?;
    let (at, ending) = (place.before, place.ending_before);
    let given = line_feeds(body);
    let written = given.trim_end();
    let blanks = given[written.len()..].matches('\n').count().saturating_sub(1).max(place.blanks);
    let written = place.indented(written, indentation)?;
    let text = format!("{written}\n{}", "\n".repeat(blanks));
    Ok(TextEdits::one(TextRange::new(at, at), ending.adopt(&text)))
}

/// Puts `body` on lines of its own behind the symbol. The blank lines at its start are kept, and there is at least one
/// behind a class, interface, struct, function or method.
pub fn insert_after_symbol(
    target: Target<'_>,
    body: &str,
    indentation: Indentation,
    cancel: &Cancel,
) -> Result<TextEdits, SymbolEditError> {
    let place = Place::of(target, cancel)?;
    let (at, ending) = (place.after, place.ending_after);
    let given = line_feeds(body);
    let written = without_blank_first_lines(&given);
    let leading = given[..given.len() - written.len()].matches('\n').count();
    let written = place.indented(written.trim_end(), indentation)?;
    let blanks = "\n".repeat(leading.max(place.blanks));
    // A text that does not end in a line break does not do so afterwards either.
    let is_behind_last = at as usize == target.text.len() && !is_terminated(target.text);
    let text = if is_behind_last { format!("\n{blanks}{written}") } else { format!("{blanks}{written}\n") };
    Ok(TextEdits::one(TextRange::new(at, at), ending.adopt(&text)))
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
    fn of(target: Target<'a>, cancel: &Cancel) -> Result<Place<'a>, SymbolEditError> {
        let row = target.row()?;
        let text = target.text;
        let mut range = row.range();
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

    /// `written`, as it stands beside the symbol.
    fn indented(&self, written: &str, indentation: Indentation) -> Result<String, SymbolEditError> {
        match indentation {
            _ if written.is_empty() => Err(SymbolEditError::EmptyBody),
            Indentation::AsGiven => Ok(written.to_owned()),
            Indentation::OfSymbol => Ok(reindent(written, self.indent)),
        }
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
