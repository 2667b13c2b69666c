//! Finds the construct that encloses a statement or member on the same line: braces, or the head of a Python
//! block. Invariant: offsets are bytes of the text as given.

use tree_sitter::{Node, Tree};

use super::extract::{OutlineError, with_tree};
use super::grammar::Grammar;
use symd_base::{Cancel, TextRange};

/// The construct that encloses a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enclosure {
    /// Braces, with the range between them.
    Braces(TextRange),
    /// A Python block on the line of its class's or function's head, which begins at this byte; no further
    /// line can belong to this block.
    HeadLine(u32),
}

/// Returns the innermost enclosure of `range`, or `None` if only the file encloses it, or a Python block on
/// lines of its own.
pub fn enclosure_at(
    grammar: Grammar,
    text: &str,
    range: TextRange,
    cancel: &Cancel,
) -> Result<Option<Enclosure>, OutlineError> {
    with_tree(grammar, text, cancel, |tree| {
        let start = node_at(tree, range)?;
        let mut around = std::iter::successors(Some(start), |node| node.parent());
        if !grammar.rules().has_indented_blocks {
            return around.find_map(|node| braces_around(node, range)).map(Enclosure::Braces);
        }
        let block = around.find(|node| node.kind() == "block" && holds(*node, range))?;
        let head = block.parent()?;
        let is_definition = matches!(head.kind(), "class_definition" | "function_definition");
        let before = text.get(head.start_byte()..block.start_byte())?;
        let line = before.rsplit(['\n', '\r']).next()?;
        let is_on_its_line = is_definition && !line.trim().is_empty();
        is_on_its_line.then(|| Enclosure::HeadLine(offset(head.start_byte())))
    })
}

fn node_at(tree: &Tree, range: TextRange) -> Option<Node<'_>> {
    tree.root_node().descendant_for_byte_range(range.start as usize, range.end as usize)
}

fn holds(node: Node<'_>, range: TextRange) -> bool {
    node.start_byte() <= range.start as usize && range.end as usize <= node.end_byte()
}

/// Returns the range between the braces of `node`, if they enclose `range`.
fn braces_around(node: Node<'_>, range: TextRange) -> Option<TextRange> {
    let mut cursor = node.walk();
    let mut open = None;
    for child in node.children(&mut cursor) {
        match child.kind() {
            "{" if child.end_byte() <= range.start as usize => open = Some(child.end_byte()),
            "}" if child.start_byte() >= range.end as usize => {
                return Some(TextRange::new(offset(open?), offset(child.start_byte())));
            }
            _ => {}
        }
    }
    None
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text between the braces around the range marked by `§`s, or the head's line.
    fn enclosure(grammar: &str, marked: &str) -> Option<String> {
        let [before, place, _] = marked.split('§').collect::<Vec<_>>()[..] else { panic!("{marked}") };
        let text = marked.replace('§', "");
        let start = offset(before.len());
        let range = TextRange::new(start, start + offset(place.len()));
        let grammar = Grammar::named(grammar).expect("known");
        Some(match enclosure_at(grammar, &text, range, &Cancel::new()).expect("parsed")? {
            Enclosure::Braces(inside) => text[inside.as_range()].to_owned(),
            Enclosure::HeadLine(at) => text[at as usize..].lines().next().expect("one").to_owned(),
        })
    }

    #[test]
    fn braces_and_heads_are_found() {
        for (grammar, text, expected) in [
            ("java", "class A { §void f() {}§ int x; }\n", Some(" void f() {} int x; ")),
            ("kotlin", "class A { fun f() = 1; §fun g() = 2§ }\n", Some(" fun f() = 1; fun g() = 2 ")),
            ("kotlin", "enum class E { §X§, Y }\n", Some(" X, Y ")),
            ("kotlin", "§class A { fun f() = 1 }§\n", None),
            ("typescript", "class Q { §m() {}§ }\n", Some(" m() {} ")),
            ("typescript", "interface I { §m(): void§; }\n", Some(" m(): void; ")),
            ("typescript", "if (a) { §function g() {}§ }\n", Some(" function g() {} ")),
            ("csharp", "class A { §int F() => 1;§ }\n", Some(" int F() => 1; ")),
            ("cpp", "struct A { §void f() {}§ };\n", Some(" void f() {} ")),
            ("c", "struct S { §int x;§ };\n", Some(" int x; ")),
            ("rust", "impl A { §fn f() {}§ }\n", Some(" fn f() {} ")),
            ("go", "package p\n\ntype T struct { §A int§ }\n", Some(" A int ")),
            ("python", "class K: x = 1; §y = 2§\n", Some("class K: x = 1; y = 2")),
            ("python", "def h(): §z = 3§\n", Some("def h(): z = 3")),
            ("python", "class K:\n    x = 1; §y = 2§\n", None),
            ("python", "if True: §g = 6§\n", None),
            ("python", "def f(§p§): pass\n", None),
            ("python", "x = 1; §y = 2§\n", None),
        ] {
            assert_eq!(enclosure(grammar, text).as_deref(), expected, "{grammar}: {text}");
        }
    }
}
