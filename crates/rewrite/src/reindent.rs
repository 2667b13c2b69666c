//! At which column a given text is put. Knows no language beyond what the lines' kinds say. Invariant: a text that already
//! stands at the symbol's column is not moved.

use super::block::{BlockLine, TextBlock};
use super::written_for::Placing;

/// Whether a given text is moved to the column of the symbol it belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Indentation {
    /// It is moved as a block when its lines show that it was written for another column.
    #[default]
    Auto,
    /// As a contract rules it: it is put there as it is, unless that breaks what is around it or is no block at the
    /// symbol's column; only then it is moved.
    AsRuled,
    /// It is put there as it is.
    AsGiven,
    /// Its outermost lines take the symbol's indentation.
    OfSymbol,
}

/// The column of the outermost lines of `block`, which are to be moved to where `indent` ends; `None` if they stand there.
pub(super) fn outermost_column(block: &TextBlock<'_>, indent: &str, placing: Placing) -> Option<usize> {
    let (first, further) = block.lines.split_first()?;
    let further: Vec<&BlockLine<'_>> = further.iter().filter(|line| line.is_moved()).collect();
    let least = further.iter().map(|line| line.width()).min();
    if placing != Placing::Instead || first.width() > 0 {
        return Some(least.unwrap_or(usize::MAX).min(first.width()));
    }
    // The column of its first line is not known: the others say whether they stand where they belong.
    let least = least?;
    let is_closer = |line: &&BlockLine<'_>| line.rest.starts_with(['}', ')', ']']);
    let is_placed = further.iter().all(|line| line.indent.starts_with(indent))
        && (least > indent.len() || further.iter().filter(|line| line.width() == least).all(is_closer));
    (!is_placed && !indent.is_empty()).then_some(0)
}

/// The white space at the start of `line`.
pub(super) fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_base::Cancel;
    use symd_syntax::{Grammar, line_kinds};

    fn moved(grammar: &str, text: &str, indent: &str, placing: Placing) -> String {
        let grammar = Grammar::named(grammar).expect("known");
        let kinds = line_kinds(grammar, text, &Cancel::new()).expect("parsed");
        let block = TextBlock::new(grammar, text, &kinds);
        match outermost_column(&block, indent, placing) {
            Some(column) => block.moved(column, indent),
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
            assert_eq!(moved("kotlin", text, indent, Placing::After), expected, "{text:?}");
        }
    }

    #[test]
    fn a_first_line_without_its_column_leaves_the_others_to_say() {
        let cases = [
            // Written from the margin: moves.
            ("python", "def f():\n    return 1", "    ", "    def f():\n        return 1"),
            ("kotlin", "fun f() {\n    x\n}", "    ", "    fun f() {\n        x\n    }"),
            // Written where it belongs: stays.
            ("python", "def f():\n        return 1", "    ", "def f():\n        return 1"),
            ("kotlin", "fun f() {\n\t\tx\n\t}", "\t", "fun f() {\n\t\tx\n\t}"),
            ("python", "f()", "    ", "f()"),
            ("kotlin", "a\n  b", "", "a\n  b"),
        ];
        for (grammar, text, indent, expected) in cases {
            assert_eq!(moved(grammar, text, indent, Placing::Instead), expected, "{text:?}");
        }
    }
}
