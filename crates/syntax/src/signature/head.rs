//! Locates a declaration's head and reads its signature from the text there. Invariant: the head belongs to
//! the row, or no signature is returned.

use super::{Head, HeadEnd};
use crate::{Grammar, Outline, Row, Signature};

/// Bytes read before a name; longer annotations hide a receiver.
const BEFORE: u32 = 512;

/// Bytes read after a name; a signature from a longer head is truncated anyway.
const BEHIND: u32 = 2_048;

/// Bytes of a statement that are read after a name.
const OF_STATEMENT: u32 = 256;

/// Returns the signature of row `row` in the text of its outline.
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

/// The range of bytes to read for a head. It contains the name.
#[derive(Clone, Copy, Debug)]
pub struct HeadSpan {
    /// First byte.
    pub start: u32,
    /// End, exclusive.
    pub end: u32,
    ends: HeadEnd,
}

impl HeadSpan {
    /// Returns the span of a symbol's head.
    pub fn of(row: &Row, grammar: Option<Grammar>) -> HeadSpan {
        let looks_before = grammar.is_some_and(Signature::needs_text_before_name);
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

    /// Returns the signature of row `row`, given the text of this span before the name and from the name on;
    /// `None` if the text does not begin with the name there.
    pub fn read(
        self,
        grammar: Option<Grammar>,
        outline: &Outline,
        row: usize,
        before: &str,
        behind: &str,
    ) -> Option<Signature> {
        let row = outline.rows.get(row)?;
        // A truncated line may be the end of an annotation.
        let before = match before.find(['\n', '\r']) {
            Some(line) if self.start > row.start => &before[line..],
            _ => before,
        };
        let quote = ['`', '"', '\''].into_iter().find(|quote| before.ends_with(*quote));
        let before = quote.map_or(before, |quote| before.trim_end_matches(quote));
        let behind = text_after_name(behind, outline.name(row))?;
        let behind = quote.and_then(|quote| behind.strip_prefix(quote)).unwrap_or(behind);
        let head = Head { before, behind, end: self.ends };
        Some(Signature::read(grammar, row.kind(), head))
    }
}

/// Returns the text after the name with which `text` begins. A composed name (`impl Display for Size`) does
/// not occur in the text as a whole; then its longest ending that does is used: `Size`.
fn text_after_name<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    if let Some(behind) = text.strip_prefix("companion").filter(|_| name == "Companion") {
        return Some(behind.trim_start().strip_prefix("object").unwrap_or(behind));
    }
    let mut before = ' ';
    name.char_indices().find_map(|(at, first)| {
        // Never the end of a word: the `e` of `Size` is at the beginning of many texts.
        let starts_word = !(before.is_alphanumeric() || before == '_');
        before = first;
        if starts_word { text.strip_prefix(&name[at..]) } else { None }
    })
}

/// Returns the next character boundary at or after `at`.
fn boundary(text: &str, at: u32) -> usize {
    let at = (at as usize).min(text.len());
    (at..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_put_together_is_followed_by_what_follows_its_last_part() {
        assert_eq!(text_after_name("run(&self)", "run"), Some("(&self)"));
        assert_eq!(text_after_name("Size {\n    /// x", "impl Display for Size"), Some(" {\n    /// x"));
        assert_eq!(text_after_name("Cache<T> {", "impl Cache<T>"), Some(" {"));
        assert_eq!(text_after_name("companion object : A {", "Companion"), Some(" : A {"));
        assert_eq!(text_after_name("elsewhere", "impl Size"), None);
    }
}
