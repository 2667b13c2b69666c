//! What kind of text a place of a file is: code, comment, documentation or string. By the names that the grammars give
//! their nodes.

use tree_sitter::Node;

use super::extract::{OutlineError, with_tree};
use super::grammar::Grammar;
use symd_base::{Cancel, TextRange};

/// What a place is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// Anything else than the others.
    Code,
    /// A comment.
    Comment,
    /// A documentation comment (`/**`, `///`, `//!`), or a string that stands as a statement (Python's docstrings).
    Doc,
    /// A string or character, or what is written in one.
    String,
}

/// The kind of each range of `text`, in order.
pub fn text_kinds(
    grammar: Grammar,
    text: &str,
    ranges: &[TextRange],
    cancel: &Cancel,
) -> Result<Vec<TextKind>, OutlineError> {
    with_tree(grammar, text, cancel, |tree| {
        let root = tree.root_node();
        ranges.iter().map(|&range| kind_at(root, text, range)).collect()
    })
}

fn kind_at(root: Node<'_>, text: &str, range: TextRange) -> TextKind {
    let mut node = root.descendant_for_byte_range(range.start as usize, range.end as usize);
    while let Some(this) = node {
        let kind = this.kind();
        if kind.contains("comment") {
            let written = text.get(this.byte_range()).unwrap_or("");
            // Rust's grammar has a node of its own for what stands behind the mark.
            let is_doc =
                kind.starts_with("doc") || ["/**", "///", "//!"].iter().any(|mark| written.starts_with(mark));
            return if is_doc { TextKind::Doc } else { TextKind::Comment };
        }
        if kind.contains("interpolat") || kind.contains("substitution") {
            return TextKind::Code;
        }
        if kind.contains("string") || kind.contains("char_literal") || kind.contains("character_literal") {
            return string(this);
        }
        node = this.parent();
    }
    TextKind::Code
}

/// A string, whose parts are nodes of their own, and what it stands in.
fn string(part: Node<'_>) -> TextKind {
    if is_statement_string(part) { TextKind::Doc } else { TextKind::String }
}

/// Whether a string, or the part of one, is a statement of its own.
pub(super) fn is_statement_string(part: Node<'_>) -> bool {
    let mut whole = part;
    while let Some(parent) = whole.parent().filter(|parent| parent.kind().contains("string")) {
        whole = parent;
    }
    whole
        .parent()
        .is_some_and(|parent| parent.kind() == "expression_statement" && parent.named_child_count() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn kinds(grammar: &str, text: &str) -> Vec<TextKind> {
        let ranges: Vec<TextRange> = text
            .match_indices("run")
            .map(|(at, _)| {
                let at = u32::try_from(at).expect("short");
                TextRange::new(at, at + 3)
            })
            .collect();
        text_kinds(Grammar::named(grammar).expect("known"), text, &ranges, &Cancel::new()).expect("parsed")
    }

    #[test]
    fn every_kind_is_told_in_every_grammar() {
        use TextKind::*;
        assert_eq!(
            kinds("python", "def f():\n    \"\"\"run\"\"\"\n    run('run', f\"run {run}\")  # run\n"),
            [Doc, Code, String, String, Code, Comment]
        );
        assert_eq!(
            kinds("kotlin", "/** run */\nfun f() {\n    // run\n    run(\"run ${run()}\")\n}\n"),
            [Doc, Comment, Code, String, Code]
        );
        assert_eq!(
            kinds("java", "/** run */ class A { /* run */ String s = \"run\"; }"),
            [Doc, Comment, String]
        );
        assert_eq!(
            kinds("typescript", "// run\nrun('run', `run ${run}`)"),
            [Comment, Code, String, String, Code]
        );
        assert_eq!(kinds("rust", "/// run\nfn f() { run(\"run\") } // run\n"), [Doc, Code, String, Comment]);
        assert_eq!(kinds("go", "// run\nvar s = \"run\"\n"), [Comment, String]);
        assert_eq!(kinds("c", "/* run */ char *s = \"run\";"), [Comment, String]);
        assert_eq!(kinds("csharp", "// run\nclass A { string s = \"run\"; }"), [Comment, String]);
    }
}
