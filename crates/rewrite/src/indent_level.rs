//! The indentation level of a text. Not a formatter: it only serves to find the column that a given text was
//! written for.

use std::fmt;

use super::block::{USUAL_STEP, most_frequent};
use super::reindent::indent_of;

/// One level of indentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IndentLevel {
    /// A tab.
    Tab,
    /// This many spaces.
    Spaces(usize),
}

impl IndentLevel {
    /// Returns the indentation level of `text` around a symbol: determined by the white space before the
    /// symbol if there is any, else by the symbol's own lines, else by the majority of all lines.
    pub(super) fn of(text: &str, indent: &str, symbol: &str) -> IndentLevel {
        let has_tabs = match (indent.is_empty(), tabs_and_spaces(symbol)) {
            (false, _) => indent.contains('\t'),
            (true, (0, 0)) => {
                let (tabs, spaces) = tabs_and_spaces(text);
                tabs > spaces
            }
            (true, (tabs, spaces)) => tabs > spaces,
        };
        if has_tabs {
            return IndentLevel::Tab;
        }
        let widths: Vec<usize> = text
            .lines()
            .filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('*'))
            .map(|line| indent_of(line).len())
            .collect();
        let steps = widths.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).filter(|&step| step > 1);
        IndentLevel::Spaces(most_frequent(steps).unwrap_or(USUAL_STEP))
    }

    /// Returns the level's width in characters.
    pub(super) fn width(self) -> usize {
        match self {
            IndentLevel::Tab => 1,
            IndentLevel::Spaces(width) => width,
        }
    }
}

impl fmt::Display for IndentLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IndentLevel::Tab => f.write_str("\t"),
            IndentLevel::Spaces(width) => write!(f, "{:width$}", ""),
        }
    }
}

/// Returns how many lines after the first begin with a tab, and how many with two spaces (a single one
/// precedes the stars of a comment).
fn tabs_and_spaces(text: &str) -> (usize, usize) {
    let count = |start: &str| text.lines().skip(1).filter(|line| line.starts_with(start)).count();
    (count("\t"), count("  "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_symbols_own_way_comes_first() {
        let spaces = "class A:\n  def f():\n    if x:\n      y\n";
        for (text, indent, symbol, expected) in [
            (spaces, "  ", "def f():\n    x", IndentLevel::Spaces(2)),
            (spaces, "", "f()", IndentLevel::Spaces(2)),
            (spaces, "\t", "def f():\n\t\tx", IndentLevel::Tab),
            (spaces, "  ", "def f():\n\t\tx\n    y", IndentLevel::Spaces(2)),
            ("a\n", "", "f", IndentLevel::Spaces(4)),
            ("a {\n\tb\n}\n", "", "c", IndentLevel::Tab),
            ("a {\n\tb\n}\n", "", "c {\n   d\n}", IndentLevel::Spaces(4)),
        ] {
            assert_eq!(IndentLevel::of(text, indent, symbol), expected, "{indent:?} {symbol:?}");
        }
        assert_eq!(IndentLevel::Spaces(3).to_string(), "   ");
    }
}
