//! Inserts a text beside a symbol that shares its lines with its enclosing block, or with something that
//! continues on further lines: `class A { void f() {} void g() {} }`. The text is inserted right beside the
//! symbol, on lines of its own; the text behind it also begins on a new line. Invariant: only white space is
//! replaced.

use super::indent_level::IndentLevel;
use super::intended_column::Placement;
use super::reindent::indent_of;
use super::symbol::{EditTarget, line_start, needs_blank_line};
use symd_base::TextRange;

/// A position within a line.
#[derive(Debug)]
pub(super) struct WithinLine {
    /// The white space to replace by the text and its line breaks.
    pub(super) gap: TextRange,
    /// The indentation of the block's members.
    pub(super) indent: String,
    /// The indentation of the line behind the text.
    behind: String,
    /// The minimum number of blank lines before and after the text.
    blanks: (usize, usize),
}

impl WithinLine {
    /// Finds the gap beside `symbol` within `inside`, the range between the enclosing braces; `None` where
    /// only the file encloses the symbol.
    pub(super) fn of(
        target: EditTarget<'_>,
        placing: Placement,
        symbol: TextRange,
        inside: Option<TextRange>,
    ) -> WithinLine {
        let text = target.text;
        let (outer, level) = match inside {
            None => (String::new(), String::new()),
            Some(inside) => {
                let outer = indent_of(&text[line_start(text, inside.start as usize)..]).to_owned();
                let level = IndentLevel::of(text, &outer, "").to_string();
                (outer, level)
            }
        };
        let inside = inside.unwrap_or(TextRange::new(0, offset(text.len())));
        let own = &text[line_start(text, symbol.start as usize)..symbol.start as usize];
        let indent = match own.trim().is_empty() {
            true => own.to_owned(),
            false => format!("{outer}{level}"),
        };
        let apart =
            target.outline.rows.get(target.row).map_or(0, |row| usize::from(needs_blank_line(row.kind())));
        let blank = [' ', '\t'];
        if placing == Placement::Before {
            let before = &text[inside.start as usize..symbol.start as usize];
            let kept = before.trim_end_matches(blank);
            let is_first = kept.trim().is_empty();
            let gap = TextRange::new(inside.start + offset(kept.len()), symbol.start);
            let blanks = (if is_first { 0 } else { apart }, apart);
            return WithinLine { gap, behind: indent.clone(), indent, blanks };
        }
        let behind = &text[symbol.end as usize..inside.end as usize];
        let rest = behind.trim_start_matches(blank);
        let separated = rest.strip_prefix([';', ',']);
        let start = separated.map_or(symbol.end, |rest| inside.end - offset(rest.len()));
        let rest = separated.unwrap_or(rest).trim_start_matches(blank);
        let gap = TextRange::new(start, inside.end - offset(rest.len()));
        match rest.is_empty() {
            true => WithinLine { gap, indent, behind: outer, blanks: (apart, 0) },
            false => WithinLine { gap, behind: indent.clone(), indent, blanks: (apart, apart) },
        }
    }

    /// Returns the text to add before and after the insertion, with at least `blanks` blank lines on the side
    /// of the symbol.
    pub(super) fn around(&self, placing: Placement, blanks: usize) -> (String, String) {
        let (mut above, mut below) = self.blanks;
        match placing {
            Placement::Before => below = below.max(blanks),
            Placement::After | Placement::Replace => above = above.max(blanks),
        }
        ("\n".repeat(above + 1), format!("{}{}", "\n".repeat(below + 1), self.behind))
    }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
