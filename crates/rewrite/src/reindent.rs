//! Computes the column to which a given body is moved. Uses no knowledge of the language but the kinds of the
//! lines. Invariant: a text that is already at the symbol's column is not moved.

use super::block::{BlockLine, TextBlock};
use super::intended_column::Placement;

/// Whether and how a given body is moved to the symbol's column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Indentation {
    /// The text is moved as a block if its lines show that it was written for another column.
    #[default]
    Auto,
    /// By a contract's ruling: the text is inserted as it is, unless that breaks the surrounding code or the
    /// text is not a block at the symbol's column; only then it is moved.
    ByContract,
    /// The text is inserted as it is.
    Verbatim,
    /// The outermost lines of the text get the symbol's indentation.
    SymbolColumn,
}

/// Returns the column of the outermost lines of `block`, which must be moved to where `indent` ends; `None`
/// if they are there.
pub(super) fn outermost_column(block: &TextBlock<'_>, indent: &str, placing: Placement) -> Option<usize> {
    let (first, further) = block.lines.split_first()?;
    let further: Vec<&BlockLine<'_>> = further.iter().filter(|line| line.is_moved()).collect();
    let least = further.iter().map(|line| line.width()).min();
    if placing != Placement::Replace || first.width() > 0 {
        return Some(least.unwrap_or(usize::MAX).min(first.width()));
    }
    // The column of the first line is not known: the other lines determine whether the text is at its place.
    let least = least?;
    let is_closer = |line: &&BlockLine<'_>| line.rest.starts_with(['}', ')', ']']);
    let is_placed = further.iter().all(|line| line.indent.starts_with(indent))
        && (least > indent.len() || further.iter().filter(|line| line.width() == least).all(is_closer));
    (!is_placed && !indent.is_empty()).then_some(0)
}

/// Returns the white space at the start of `line`.
pub(super) fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_base::Cancel;
    use symd_syntax::{Grammar, line_kinds};

    fn moved(grammar: &str, text: &str, indent: &str, placing: Placement) -> String {
        let grammar = Grammar::named(grammar).expect("known");
        let kinds = line_kinds(grammar, text, &Cancel::new()).expect("parsed");
        let block = TextBlock::new(grammar, text, &kinds);
        match outermost_column(&block, indent, placing) {
            Some(column) => block.reindented(column, indent),
            None => text.to_owned(),
        }
    }

    #[test]
    fn lines_move_together() {
        let cases = [
            ("a\n  b\n", "    ", "    a\n      b\n"),
            ("    a\n\n      b", "\t", "\ta\n\n\t  b"),
            ("\ta\n\t\tb", "", "a\n\tb"),
            ("\ta\n  b", " ", " a\n  b"),
        ];
        for (text, indent, expected) in cases {
            assert_eq!(moved("kotlin", text, indent, Placement::After), expected, "{text:?}");
        }
    }

    #[test]
    fn a_first_line_without_its_column_leaves_the_others_to_say() {
        let cases = [
            // Written at the margin: is moved.
            ("python", "def f():\n    return 1", "    ", "    def f():\n        return 1"),
            ("kotlin", "fun f() {\n    x\n}", "    ", "    fun f() {\n        x\n    }"),
            // Written at the right column: stays.
            ("python", "def f():\n        return 1", "    ", "def f():\n        return 1"),
            ("kotlin", "fun f() {\n\t\tx\n\t}", "\t", "fun f() {\n\t\tx\n\t}"),
            ("python", "f()", "    ", "f()"),
            ("kotlin", "a\n  b", "", "a\n  b"),
        ];
        for (grammar, text, indent, expected) in cases {
            assert_eq!(moved(grammar, text, indent, Placement::Replace), expected, "{text:?}");
        }
    }
}
