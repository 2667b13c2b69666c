//! Python's rules for blocks, which its grammar does not enforce: every block has a statement, and the
//! statements of one block begin at the same column. Runs no code. Invariant: a text in which this module
//! finds nothing and which the grammar accepts has no indentation error. Columns are counted as in CPython: a
//! tab advances to the next multiple of eight, and the text is rejected if counting a tab as one column gives
//! a different result.

use tree_sitter::{Node, Tree};

use super::extract::{OutlineError, with_tree};
use super::grammar::Grammar;
use symd_base::Cancel;

/// The first violation of the block rules. The offset is that of the statement's first word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockViolation {
    /// Byte offset.
    pub at: u32,
    pub fault: BlockFault,
}

/// The kind of a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockFault {
    /// The statement's block contains no statement.
    Empty,
    /// The statement begins at another column than the other statements of its block.
    Column,
    /// The statement belongs in a block, but is not indented more than the line that opens the block.
    Shallow,
}

/// Returns the first place where `text` violates the rules; `None` if the language has no such rules, or if
/// the text has syntax errors.
pub fn first_block_violation(
    grammar: Grammar,
    text: &str,
    cancel: &Cancel,
) -> Result<Option<BlockViolation>, OutlineError> {
    with_tree(grammar, text, cancel, |tree| misplaced_in(tree, grammar, text))
}

pub(super) fn misplaced_in(tree: &Tree, grammar: Grammar, text: &str) -> Option<BlockViolation> {
    if !grammar.rules().has_indented_blocks || tree.root_node().has_error() {
        return None;
    }
    let mut first: Option<BlockViolation> = None;
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if let Some(found) = check_node(node, text)
            && first.is_none_or(|known| found.at < known.at)
        {
            first = Some(found);
        }
        // Expressions contain no statements.
        let is_opaque =
            matches!(node.kind(), "expression_statement" | "argument_list" | "parameters" | "string");
        if !is_opaque && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return first;
            }
        }
    }
}

fn check_node(node: Node<'_>, text: &str) -> Option<BlockViolation> {
    match node.kind() {
        "module" => misaligned_child(node, text, Some(IndentWidth::default())),
        "block" => block(node, text),
        "decorated_definition" => misaligned_child(node, text, column_of(node, text)),
        "elif_clause" | "else_clause" | "except_clause" | "except_group_clause" | "finally_clause" => {
            let (own, owner) = (column_of(node, text)?, column_of(node.parent()?, text)?);
            (own != owner).then(|| fault(node, BlockFault::Column))
        }
        _ => None,
    }
}

fn block(node: Node<'_>, text: &str) -> Option<BlockViolation> {
    let opener = node.parent()?;
    let mut cursor = node.walk();
    let Some(first) = node.named_children(&mut cursor).find(|child| !child.is_extra()) else {
        return Some(fault(opener, BlockFault::Empty));
    };
    let own = column_of(first, text);
    if let (Some(own), Some(outer)) = (own, column_of(opener, text))
        && !own.is_deeper_than(outer)
    {
        return Some(fault(first, BlockFault::Shallow));
    }
    misaligned_child(node, text, own)
}

/// Returns a fault for the first child of `node` that begins a line at another column than `column`. `column`
/// is `None` if the block begins on the line that opens it; then any child that begins a line is a fault.
fn misaligned_child(node: Node<'_>, text: &str, column: Option<IndentWidth>) -> Option<BlockViolation> {
    let mut cursor = node.walk();
    let mut children = node.named_children(&mut cursor).filter(|child| !child.is_extra());
    let wrong = children.find(|&child| column_of(child, text).is_some_and(|own| Some(own) != column))?;
    Some(fault(wrong, BlockFault::Column))
}

fn fault(node: Node<'_>, fault: BlockFault) -> BlockViolation {
    BlockViolation { at: u32::try_from(node.start_byte()).unwrap_or(u32::MAX), fault }
}

/// A line's indentation, counted in two ways as in CPython.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct IndentWidth {
    /// A tab advances to the next multiple of eight.
    wide: usize,
    /// A tab counts as one column.
    narrow: usize,
}

impl IndentWidth {
    fn is_deeper_than(self, other: IndentWidth) -> bool {
        self.wide > other.wide && self.narrow > other.narrow
    }
}

/// Returns the column of `node` if it is the first node on a line that is not joined to the previous one by a
/// `\`.
fn column_of(node: Node<'_>, text: &str) -> Option<IndentWidth> {
    let at = node.start_byte();
    let before = text.get(..at)?;
    let start = memchr::memrchr2(b'\n', b'\r', before.as_bytes()).map_or(0, |found| found + 1);
    let above = before[..start].trim_end_matches(['\n', '\r']);
    let is_joined = above.ends_with('\\') && before[above.len()..start].matches('\n').count() <= 1;
    if is_joined && start > 0 {
        return None;
    }
    let mut column = IndentWidth::default();
    for byte in before[start..].trim_start_matches('\u{FEFF}').bytes() {
        match byte {
            b' ' => column = IndentWidth { wide: column.wide + 1, narrow: column.narrow + 1 },
            b'\t' => column = IndentWidth { wide: (column.wide / 8 + 1) * 8, narrow: column.narrow + 1 },
            // A form feed resets the column.
            b'\x0C' => column = IndentWidth::default(),
            _ => return None,
        }
    }
    Some(column)
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_base::text::line_starts;

    /// Returns the 1-based line of the violation, and the fault.
    fn found(text: &str) -> Option<(usize, BlockFault)> {
        let python = Grammar::named("python").expect("known");
        let found = first_block_violation(python, text, &Cancel::new()).expect("parsed")?;
        let line = line_starts(text).partition_point(|&start| start <= found.at);
        Some((line, found.fault))
    }

    #[test]
    fn what_python_accepts_is_accepted() {
        for text in [
            "",
            "x = 1\n",
            "\u{FEFF}x = 1\ny = 2\n",
            "def f(): pass\n",
            "class A: x = 1; y = 2\nz = 3\n",
            "def f(\n  a,\n):\n      return (\na)\n",
            "if x:\n  a\nelif y:\n    b\nelse:\n      c\n",
            "try:\n    a\nexcept E:\n    b\nelse:\n    c\nfinally:\n    d\n",
            "@a\n@b\nasync def f():\n    pass\n",
            "class A:\n    @a\n    # c\n    @b\n    def f(self):\n        pass\n\n# d\n    # e\n    x = 1\n",
            "match x:\n    case 1:\n        a\n    case _:\n        b\n",
            "for i in x:\n\ta\n\tif b:\n\t\tc\nelse:\n\td\n",
            "x = 1; \\\n    y = 2\nif a and \\\n  b:\n    c\n",
            "if x:\n        a\n\tb\n",
            "\x0Cdef f():\n    pass\n\x0C\nx = 1\n",
            "def f():\r    a\r    b\r",
            "def f():\n    '''d'''\n",
            "while x: a; b\nwith y as z: c\n",
        ] {
            // One of the texts mixes tabs and spaces in a way that CPython rejects.
            let expected = text.contains("        a\n\tb").then_some((3, BlockFault::Column));
            assert_eq!(found(text), expected, "{text:?}");
        }
    }

    #[test]
    fn what_breaks_the_rule_is_found() {
        use BlockFault::{Column, Empty, Shallow};
        for (text, expected) in [
            ("class A:\n    def f(self):\n    return 1\n", (2, Empty)),
            ("class A:\n    def f(self):\n    # c\n\n    x = 1\n", (2, Empty)),
            ("class A:\n    def f(self):\n\nx = 1\n", (2, Empty)),
            ("def f():\n    a\n      b\n", (3, Column)),
            ("def f():\n        a\n    b\n", (3, Column)),
            ("  x = 1\n", (1, Column)),
            ("if x:\n    a\n  else:\n    b\n", (3, Column)),
            ("class A:\n    @d\n      def f(self):\n        pass\n", (3, Column)),
            ("class A:\n    def f(self):\n\t\treturn 1\n", (3, Shallow)),
        ] {
            assert_eq!(found(text), Some(expected), "{text:?}");
        }
        // Rejecting a text with syntax errors is the parser's task.
        assert_eq!(found("def f(:\n"), None);
    }
}
