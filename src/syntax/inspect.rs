//! A text that an edit would make, looked at once: its outline, whether its blocks are right, what the lines begin in that
//! the edit brings. The outline is made elsewhere, so that a text that ends the
//! parser never comes here.

use super::blocks::{Misplaced, misplaced_in};
use super::extract::{OutlineError, with_tree};
use super::grammar::Grammar;
use super::line_kinds::{LineKind, line_kinds_in};
use super::outline::Outline;
use crate::base::{Cancel, TextRange};

/// What is seen in a text.
#[derive(Debug)]
pub struct Inspected {
    /// Its outline.
    pub outline: Outline,
    /// Where it breaks Python's rule of blocks, if its grammar finds no error in it.
    pub misplaced: Option<Misplaced>,
    /// The kinds of the lines that begin in the range that was asked about, from the one in which the range begins.
    pub lines: Vec<LineKind>,
}

/// Looks at `text`, whose outline is known; `range` is what of it is new. Parses in this process.
pub fn inspect(
    grammar: Grammar,
    text: &str,
    outline: Outline,
    range: TextRange,
    cancel: &Cancel,
) -> Result<Inspected, OutlineError> {
    let look = |tree: &tree_sitter::Tree| {
        (misplaced_in(tree, grammar, text), line_kinds_in(tree, grammar, text, range))
    };
    let (misplaced, lines) = with_tree(grammar, text, cancel, look)?;
    Ok(Inspected { outline, misplaced, lines })
}
