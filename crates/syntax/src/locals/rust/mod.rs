//! Which names a Rust text binds as locals and where they are in scope, and which bare names are those of
//! fields. Reads the tree, and parses the arguments of macros as
//! the expressions that most of them are. Invariant: a local is `sure` only where the text was understood, so
//! that a name of unknown meaning stays one.

mod macros;
mod patterns;
#[cfg(test)]
mod tests;
mod walk;

use super::{BoundLocal, LocalBindings};
use crate::extract::{OutlineError, with_tree};
use crate::grammar::Grammar;
use symd_base::{Cancel, TextRange};

/// How deep macros inside the arguments of macros are parsed.
const MAX_MACROS: usize = 8;

/// Returns what the patterns of the Rust text bind.
///
/// # Errors
/// Those of parsing: cancelled, or larger than 4 GiB.
pub(super) fn bindings(grammar: Grammar, text: &str, cancel: &Cancel) -> Result<LocalBindings, OutlineError> {
    let mut bindings = LocalBindings::default();
    let of_items = Vec::new();
    let mut reader = Reader { text, grammar, cancel, bindings: &mut bindings, of_items };
    with_tree(grammar, text, cancel, |tree| reader.walk(tree, Part::whole(text, tree)))??;
    let of_items = reader.of_items;
    bindings.locals.extend(of_items);
    bindings.field_names.sort_unstable();
    bindings.field_names.dedup();
    Ok(bindings)
}

/// Collects the bindings of one text.
struct Reader<'a> {
    text: &'a str,
    grammar: Grammar,
    cancel: &'a Cancel,
    bindings: &'a mut LocalBindings,
    /// Constant parameters of `impl` and `trait`, which the items inside see.
    of_items: Vec<BoundLocal>,
}

/// A part of the text that was parsed by itself.
#[derive(Clone, Copy)]
struct Part {
    /// What to add to the tree's byte offsets.
    offset: usize,
    /// The number of macros around it.
    depth: usize,
    /// Whether it has no syntax errors.
    is_sure: bool,
}

impl Part {
    fn whole(text: &str, tree: &tree_sitter::Tree) -> Part {
        debug_assert!(tree.root_node().end_byte() <= text.len());
        Part { offset: 0, depth: 0, is_sure: !tree.root_node().has_error() }
    }

    /// Returns a range of the tree as a range of the text.
    fn range(self, from: usize, to: usize) -> TextRange {
        // Texts over 4 GiB are not parsed.
        let at = |byte: usize| u32::try_from(byte + self.offset).unwrap_or(u32::MAX);
        TextRange::new(at(from), at(to.max(from)))
    }
}
