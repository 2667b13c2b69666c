//! Where a declaration's head lies, and how its signature is read from the text there. Invariant: the head that is read is
//! that of the row, or there is none.

use super::{Head, HeadEnd};
use crate::{Grammar, Outline, Row, Signature};

/// Bytes read before a name: annotations that take more hide a receiver.
const BEFORE: u32 = 512;

/// Bytes read behind a name: what a head of this length says is cut anyway.
const BEHIND: u32 = 2_048;

/// Bytes of a statement that are read behind a name.
const OF_STATEMENT: u32 = 256;

/// The signature of row `row` in the text of its outline.
pub fn signature_in(
    grammar: Option<Grammar>,
    text: &str,
    outline: &Outline,
    row: usize,
) -> Option<Signature> {
    let span = HeadSpan::of(outline.rows.get(row)?, grammar);
    let name = outline.rows.get(row)?.name_start as usize;
    let before = text.get(boundary(text, span.start)..name)?;
    let behind = text.get(name..boundary(text, span.end))?;
    span.read(grammar, outline, row, before, behind)
}

/// The bytes of a head that are looked at. They hold the name.
#[derive(Clone, Copy, Debug)]
pub struct HeadSpan {
    /// The first.
    pub start: u32,
    /// Just past the last.
    pub end: u32,
    ends: HeadEnd,
}

impl HeadSpan {
    /// The head of a symbol.
    pub fn of(row: &Row, grammar: Option<Grammar>) -> HeadSpan {
        let looks_before = grammar.is_some_and(Signature::looks_before);
        let start =
            if looks_before { row.start.max(row.name_start.saturating_sub(BEFORE)) } else { row.name_start };
        let statement = row.end.saturating_sub(row.name_start);
        let (length, ends) = match (u32::from(row.head), grammar) {
            (0, _) | (_, None) if statement > OF_STATEMENT => (OF_STATEMENT, HeadEnd::Statement),
            (0, _) | (_, None) => (statement, HeadEnd::Statement),
            (head, _) if head > BEHIND => (BEHIND, HeadEnd::Cut),
            (head, _) => (head, HeadEnd::Body),
        };
        HeadSpan { start, end: row.name_start.saturating_add(length), ends }
    }

    /// The signature of row `row`, from what stands at this span before the name and from the name on; `None` if the name
    /// does not stand there.
    pub fn read(
        self,
        grammar: Option<Grammar>,
        outline: &Outline,
        row: usize,
        before: &str,
        behind: &str,
    ) -> Option<Signature> {
        let row = outline.rows.get(row)?;
        // A line that is cut may be the end of an annotation.
        let before = match before.find(['\n', '\r']) {
            Some(line) if self.start > row.start => &before[line..],
            _ => before,
        };
        let quote = ['`', '"', '\''].into_iter().find(|quote| before.ends_with(*quote));
        let before = quote.map_or(before, |quote| before.trim_end_matches(quote));
        let behind = behind_name(behind, outline.name(row))?;
        let behind = quote.and_then(|quote| behind.strip_prefix(quote)).unwrap_or(behind);
        let head = Head { before, behind, end: self.ends };
        Some(Signature::read(grammar, row.kind(), head))
    }
}

/// What follows the name in `text`, which begins with it. A name that is put together (`impl Display for Size`)
/// does not stand in the text as a whole: then it is its longest ending that does, `Size`.
fn behind_name<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    if let Some(behind) = text.strip_prefix("companion").filter(|_| name == "Companion") {
        return Some(behind.trim_start().strip_prefix("object").unwrap_or(behind));
    }
    let mut before = ' ';
    name.char_indices().find_map(|(at, first)| {
        // Never the end of a word: the `e` of `Size` stands at the beginning of many a text.
        let starts_word = !(before.is_alphanumeric() || before == '_');
        before = first;
        if starts_word { text.strip_prefix(&name[at..]) } else { None }
    })
}

/// The next place at or behind `at` where a character begins.
fn boundary(text: &str, at: u32) -> usize {
    let at = (at as usize).min(text.len());
    (at..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_put_together_is_followed_by_what_follows_its_last_part() {
        assert_eq!(behind_name("run(&self)", "run"), Some("(&self)"));
        assert_eq!(behind_name("Size {\n    /// x", "impl Display for Size"), Some(" {\n    /// x"));
        assert_eq!(behind_name("Cache<T> {", "impl Cache<T>"), Some(" {"));
        assert_eq!(behind_name("companion object : A {", "Companion"), Some(" : A {"));
        assert_eq!(behind_name("elsewhere", "impl Size"), None);
    }
}
