//! Finds text above a declaration that belongs to it without being part of its range: documentation comments,
//! and attributes that a grammar makes siblings of the declaration. Invariant: text separated from the
//! declaration by a blank line is never attached.

use tree_sitter::{Node, Tree};

use super::extract::{OutlineError, with_tree};
use super::grammar::Grammar;
use symd_base::Cancel;

/// Returns the byte where the text attached to the declaration at byte `at` begins, or `at` if nothing is
/// attached. Always `at` where documentation is inside the declaration, as in Python.
pub fn attached_start(grammar: Grammar, text: &str, at: u32, cancel: &Cancel) -> Result<u32, OutlineError> {
    let is_above = !grammar.rules().documentation.is_empty();
    let Some(before) = text.get(..at as usize).filter(|_| is_above) else { return Ok(at) };
    // Most declarations have nothing above them, so parsing would be wasted.
    let last = before.trim_end().rsplit(['\n', '\r']).next().unwrap_or("");
    let may_be = last.ends_with("*/") || last.contains("//") || last.contains(['@', '[']);
    if !may_be {
        return Ok(at);
    }
    with_tree(grammar, text, cancel, |tree| {
        let start = attached_in(tree, grammar, text, at as usize);
        u32::try_from(start).unwrap_or(at)
    })
}

fn attached_in(tree: &Tree, grammar: Grammar, text: &str, at: usize) -> usize {
    let (mut attached, mut here) = (at, at);
    while let Some(node) = directly_before(tree, text, here) {
        let start = node.start_byte();
        let end = text[..here].trim_end().len();
        // A comment after other text on its line may be about that text.
        let is_of_this =
            !text[end..here].contains(['\n', '\r']) || begins_its_line(tree, grammar, text, start);
        match kind_of(node, grammar, text) {
            Some(AttachedKind::Documentation | AttachedKind::Attribute) if is_of_this => attached = start,
            // Text above a plain comment may still be documentation of the declaration below.
            Some(AttachedKind::Comment) if is_of_this => {}
            _ => break,
        }
        here = start;
    }
    attached
}

enum AttachedKind {
    Documentation,
    Attribute,
    Comment,
}

/// Returns the comment or attribute that ends right before `at`: on the same line or on the line above.
fn directly_before<'t>(tree: &'t Tree, text: &str, at: usize) -> Option<Node<'t>> {
    let end = text[..at].trim_end().len();
    let breaks = text[end..at].replace("\r\n", "\n").matches(['\n', '\r']).count();
    if breaks > 1 || end == 0 {
        return None;
    }
    let mut node = tree.root_node().descendant_for_byte_range(end - 1, end)?;
    let mut found = None;
    loop {
        if is_above(node) && node.end_byte() <= at {
            found = Some(node);
        }
        node = match node.parent() {
            Some(parent) if parent.end_byte() <= at => parent,
            _ => return found,
        };
    }
}

/// Node kinds of attributes that are outside the declaration's node.
const ATTRIBUTES: [&str; 8] = [
    "annotation",
    "attribute_declaration",
    "attribute_item",
    "attribute_list",
    "attribute_specifier",
    "decorator",
    "marker_annotation",
    "modifiers",
];

fn is_above(node: Node<'_>) -> bool {
    node.is_named() && (node.kind().contains("comment") || ATTRIBUTES.contains(&node.kind()))
}

fn kind_of(node: Node<'_>, grammar: Grammar, text: &str) -> Option<AttachedKind> {
    if !node.kind().contains("comment") {
        return ATTRIBUTES.contains(&node.kind()).then_some(AttachedKind::Attribute);
    }
    let written = text.get(node.byte_range())?;
    let mark = grammar.rules().documentation.iter().find(|mark| written.starts_with(**mark));
    // Excludes documentation of preceding text (`///<`), and separator lines of slashes or stars.
    let is_none = mark.is_some_and(|mark| {
        let behind = &written[mark.len()..];
        behind.starts_with('<') || (mark.len() == 3 && behind.starts_with(['/', '*']))
    });
    Some(if mark.is_some() && !is_none { AttachedKind::Documentation } else { AttachedKind::Comment })
}

/// Reports whether only attached text precedes `at` on its line.
fn begins_its_line(tree: &Tree, grammar: Grammar, text: &str, at: usize) -> bool {
    let line = text[..at].rfind(['\n', '\r']).map_or(0, |found| found + 1);
    if text[line..at].trim().is_empty() {
        return true;
    }
    let before = directly_before(tree, text, at);
    before.is_some_and(|node| {
        node.start_byte() >= line
            && !matches!(kind_of(node, grammar, text), None | Some(AttachedKind::Comment))
            && text[line..node.start_byte()].trim().is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text attached to the declaration at `§`.
    fn attached(grammar: &str, marked: &str) -> String {
        let at = marked.find('§').expect("marked");
        let text = marked.replace('§', "");
        let grammar = Grammar::named(grammar).expect("known");
        let start = attached_start(grammar, &text, u32::try_from(at).expect("short"), &Cancel::new());
        text[start.expect("parsed") as usize..at].to_owned()
    }

    #[test]
    fn documentation_is_attached_and_other_comments_are_not() {
        for (grammar, text, expected) in [
            ("kotlin", "/** Doc of f. */ §fun f() {}\n", "/** Doc of f. */ "),
            ("kotlin", "class A {\n    val x = 1 /** of x */\n    §fun f() {}\n}\n", ""),
            (
                "kotlin",
                "class A {\n    /**\n     * Doc.\n     */\n    §@B\n    fun f() {}\n}\n",
                "/**\n     * Doc.\n     */\n    ",
            ),
            ("kotlin", "import a.B\n\n/** Doc. */\r\n§fun f() {}\n", "/** Doc. */\r\n"),
            ("kotlin", "/** Doc. */\n\n§fun f() {}\n", ""),
            ("kotlin", "// note\n§fun f() {}\n", ""),
            ("kotlin", "/** Doc. */\n// note\n§fun f() {}\n", "/** Doc. */\n// note\n"),
            ("java", "class A {\n  int y;\n  /** Doc. */\n  §@B int x;\n}\n", "/** Doc. */\n  "),
            ("typescript", "/** a */\n§export function f() {}\n", "/** a */\n"),
            ("typescript", "class A {\n  /** a */ §m() {}\n}\n", "/** a */ "),
            ("typescript", "/// <reference path=\"x\" />\n§let x = 1;\n", ""),
            ("tsx", "/** a */\n§const x = 1;\n", "/** a */\n"),
            ("javascript", "/* a */\n§function f() {}\n", ""),
            ("rust", "mod a;\n/// One.\n/// Two.\n§#[inline]\nfn f() {}\n", "/// One.\n/// Two.\n"),
            ("rust", "//! Of the file.\n§fn f() {}\n", ""),
            ("rust", "//////\n§fn f() {}\n", ""),
            ("go", "package a\n\n// One.\n// Two.\n§func f() {}\n", "// One.\n// Two.\n"),
            (
                "csharp",
                "class A {\n  /// <summary>a</summary>\n  §void F() {}\n}\n",
                "/// <summary>a</summary>\n  ",
            ),
            ("cpp", "int x; ///< of x\n§int y;\n", ""),
            ("cpp", "//! One.\n/// Two.\n§int y;\n", "//! One.\n/// Two.\n"),
            ("c", "/*! One. */\n§int y;\n", "/*! One. */\n"),
            ("python", "# One.\n§def f(): pass\n", ""),
        ] {
            assert_eq!(attached(grammar, text), expected, "{grammar}: {text}");
        }
    }

    #[test]
    fn the_named_nodes_exist() {
        let exists = |kind: &&str| Grammar::all().any(|g| g.language().id_for_node_kind(kind, true) != 0);
        let unknown: Vec<&str> = ATTRIBUTES.iter().copied().filter(|kind| !exists(kind)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
