//! Inspects the proposed text of an edit: its outline, its first syntax error, its first misplaced block, and
//! the kinds of the lines that the edit adds. Invariant: one parse serves all of these.

use super::blocks::{BlockViolation, misplaced_in};
use super::extract::{OutlineError, outline_with};
use super::grammar::Grammar;
use super::line_kinds::{LineKind, line_kinds_in};
use super::outline::Outline;
use super::places::{SyntaxErrorAt, first_error_in};
use symd_base::{Cancel, TextRange};

/// The result of an inspection.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspected {
    pub outline: Outline,
    /// The first syntax error; `None` if there is none.
    pub error: Option<SyntaxErrorAt>,
    /// The first violation of Python's block rules, looked for only if the grammar finds no error.
    pub misplaced: Option<BlockViolation>,
    /// The kinds of the lines that begin in the requested range, starting with the line that contains the
    /// range's start.
    pub lines: Vec<LineKind>,
}

/// Inspects `text` and the lines of `range`. Parses in this process.
pub fn inspect(
    grammar: Grammar,
    text: &str,
    range: TextRange,
    cancel: &Cancel,
) -> Result<Inspected, OutlineError> {
    let look = |tree: &tree_sitter::Tree| {
        (first_error_in(tree), misplaced_in(tree, grammar, text), line_kinds_in(tree, grammar, text, range))
    };
    let (outline, (error, misplaced, lines)) = outline_with(grammar, text, cancel, look)?;
    Ok(Inspected { outline, error, misplaced, lines })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::ParseCounters;

    #[test]
    fn one_parse_sees_it_all() {
        let (python, cancel) = (Grammar::named("python").expect("known"), Cancel::new());
        let whole = |text: &str| TextRange::new(0, u32::try_from(text.len()).expect("short"));
        let before = ParseCounters::of_this_thread();
        let fine = "def f():\n    # c\n    return 1\n";
        let seen = inspect(python, fine, whole(fine), &cancel).expect("parsed");
        assert_eq!(before.since().texts, 1);
        assert_eq!((seen.outline.name_path(0).as_str(), seen.error, seen.misplaced), ("f", None, None));
        use LineKind::{Blank, Code, Comment};
        assert_eq!(seen.lines, [Code, Comment, Code, Blank]);
        let broken = "def f():\n    return )\n";
        let seen = inspect(python, broken, whole(broken), &cancel).expect("parsed");
        assert!(seen.error.is_some() && seen.outline.has_errors);
        assert_eq!(before.since().texts, 2);
    }
}
