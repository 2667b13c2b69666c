//! Classifies ranges of a file as code, comment, documentation or string, by the names that grammars give
//! their nodes.

use tree_sitter::Node;

use super::extract::{OutlineError, with_tree};
use super::grammar::Grammar;
use symd_base::{Cancel, TextRange};

/// The kind of text at a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// Everything else.
    Code,
    Comment,
    /// A documentation comment (`/**`, `///`, `//!`), or a string that is a statement by itself (Python's
    /// docstrings).
    Doc,
    /// A string or character literal, or text inside one.
    String,
}

/// Returns the kind of each range of `text`, in order.
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
            // Rust's grammar has a separate node for the text after the comment mark.
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

/// Classifies a string literal, given the literal or a part of it.
fn string(part: Node<'_>) -> TextKind {
    if is_statement_string(part) { TextKind::Doc } else { TextKind::String }
}

/// Reports whether a string, given the whole of it or a part, is a statement of its own.
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
