//! Comments and strings that are not closed, and that a grammar takes for whole ones: what stands behind them is not code to it, so the text
//! has a syntax error.

use tree_sitter::Tree;

/// Whether the text ends within a block comment: some grammars take it for a whole one.
pub(super) fn ends_in_comment(tree: &Tree, text: &str) -> bool {
    let mut last = tree.root_node();
    while let Some(child) =
        last.child_count().checked_sub(1).and_then(|at| last.child(u32::try_from(at).ok()?))
    {
        last = child;
    }
    let around = last.parent().filter(|around| around.kind().contains("comment")).unwrap_or(last);
    let comment = text.get(around.byte_range()).filter(|_| around.kind().contains("comment"));
    comment.is_some_and(|comment| {
        let comment = comment.trim_start();
        comment.starts_with("/*") && (comment.len() < 4 || !comment.trim_end().ends_with("*/"))
    })
}

/// Whether a string literal of Kotlin ends in the line in which it begins, templates aside, or has three quotes. The grammar lets all others run on to
/// the next quote.
pub(super) fn ends_with_its_line(literal: &str) -> bool {
    if literal.starts_with("\"\"\"") {
        return literal.len() >= 6 && literal.ends_with("\"\"\"");
    }
    let mut depth = 0_usize;
    let mut before = ' ';
    for c in literal.chars() {
        match c {
            '{' if before == '$' || depth > 0 => depth += 1,
            '}' if depth > 0 => depth -= 1,
            '\n' if depth == 0 => return false,
            _ => {}
        }
        before = c;
    }
    literal.len() >= 2 && literal.ends_with('"')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Grammar, outline};
    use symd_base::Cancel;

    #[test]
    fn strings_that_end_with_their_line() {
        for (literal, expected) in [
            ("\"a\"", true),
            ("\"${f {\n1 }}\"", true),
            ("\"\"\"a\nb\"\"\"", true),
            ("\"\"\"a", false),
            ("\"a\nb\"", false),
            ("\"a", false),
            ("\"", false),
        ] {
            assert_eq!(ends_with_its_line(literal), expected, "{literal}");
        }
    }

    #[test]
    fn what_is_not_closed_is_an_error() {
        let has_errors = |language: &str, text: &str| {
            outline(Grammar::named(language).expect(language), text, &Cancel::new()).expect(text).has_errors
        };
        for (text, expected) in [
            ("fun f() = 1 /* a */\n", false),
            ("fun f() = 1 /* a\nfun g() = 2\n", true),
            ("fun f() = \"a\"\n", false),
            ("fun f() { g(\"a) }\nfun g(b: String) = b\n", true),
            ("fun f() { g(\"a) }\nfun g(b: String) = \"b\"\n", true),
            ("fun f() = \"\"\"a\nb\"\"\"\n", false),
        ] {
            assert_eq!(has_errors("kotlin", text), expected, "{text}");
        }
        assert!(has_errors("java", "class A { /* a\n}\n"));
        assert!(!has_errors("java", "class A {}\n/* a */"));
    }
}
