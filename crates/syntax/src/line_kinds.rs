//! Classifies the start of each line of a text: code, a string literal or a comment. Needed by edits that
//! move a block of lines: the content of a literal is data and must not change. Invariant: one kind per line,
//! in order.

use tree_sitter::{Node, Tree};

use super::extract::{OutlineError, with_tree};
use super::grammar::Grammar;
use super::text_kind::is_statement_string;
use symd_base::text::line_starts;
use symd_base::{Cancel, TextRange};

/// The construct in which a line begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// The line contains only white space, and does not begin inside a string literal.
    Blank,
    /// The first word of the line begins a statement, a clause or a member; in languages with braces this
    /// covers any code.
    Code,
    /// The line continues a statement of an earlier line (only in Python, where only the column of a
    /// statement's start has a meaning).
    Continued,
    /// The line begins inside a string literal, or in code embedded in one.
    Literal,
    /// The line begins with a comment, inside a comment, or inside a string that is a statement by itself
    /// (Python's docstrings).
    Comment,
}

/// Returns the kind of every line of `text`.
pub fn line_kinds(grammar: Grammar, text: &str, cancel: &Cancel) -> Result<Vec<LineKind>, OutlineError> {
    let whole = TextRange::new(0, u32::try_from(text.len()).unwrap_or(u32::MAX));
    with_tree(grammar, text, cancel, |tree| line_kinds_in(tree, grammar, text, whole))
}

/// Returns the kinds of the lines that begin in `range` (its end included), starting with the line that
/// contains the start of `range`.
pub(super) fn line_kinds_in(tree: &Tree, grammar: Grammar, text: &str, range: TextRange) -> Vec<LineKind> {
    let starts = line_starts(text);
    let first = starts.partition_point(|&start| start <= range.start).saturating_sub(1);
    let lines = starts.iter().enumerate().skip(first).take_while(|(_, start)| **start <= range.end);
    let spans = TextSpans::of(tree, range);
    lines
        .map(|(number, &start)| {
            let end = starts.get(number + 1).map_or(text.len(), |&next| next as usize);
            let line = &text[start as usize..end];
            let around = spans.around(start);
            let word = start as usize + (line.len() - line.trim_start().len());
            if around == Some(LineKind::Literal) {
                LineKind::Literal
            } else if line.trim().is_empty() {
                LineKind::Blank
            } else if let Some(kind) = around {
                kind
            } else if spans.is_comment_at(word) {
                LineKind::Comment
            } else if grammar.rules().has_indented_blocks && !begins_statement(tree, word) {
                LineKind::Continued
            } else {
                LineKind::Code
            }
        })
        .collect()
}

/// The literals and comments in a range of text, in order.
struct TextSpans(Vec<TextSpan>);

struct TextSpan {
    start: usize,
    end: usize,
    /// The kind of lines that begin inside it.
    inside: LineKind,
    /// Whether a line that begins with this span is a comment line.
    is_comment: bool,
}

impl TextSpans {
    fn of(tree: &Tree, range: TextRange) -> TextSpans {
        let (from, to) = (range.start as usize, range.end as usize);
        let mut spans = Vec::new();
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            let is_outside = node.end_byte() < from || node.start_byte() > to;
            match span_of(node) {
                Some(span) => spans.push(span),
                None if !is_outside && cursor.goto_first_child() => continue,
                None => {}
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return TextSpans(spans);
                }
            }
        }
    }

    /// Returns the kind of the span that continues across `at`, the start of a line.
    fn around(&self, at: u32) -> Option<LineKind> {
        let at = at as usize;
        let behind = self.0.partition_point(|span| span.start < at);
        let span = self.0.get(behind.checked_sub(1)?)?;
        (at < span.end).then_some(span.inside)
    }

    fn is_comment_at(&self, at: usize) -> bool {
        let found = self.0.binary_search_by_key(&at, |span| span.start);
        found.is_ok_and(|found| self.0[found].is_comment)
    }
}

fn span_of(node: Node<'_>) -> Option<TextSpan> {
    let kind = node.kind();
    let is_comment = kind.contains("comment");
    let is_string = kind.contains("string") && kind != "concatenated_string";
    if !node.is_named() || !(is_comment || is_string) {
        return None;
    }
    let is_text = is_comment || is_statement_string(node);
    let inside = if is_text { LineKind::Comment } else { LineKind::Literal };
    Some(TextSpan { start: node.start_byte(), end: node.end_byte(), inside, is_comment })
}

/// Reports whether the word at `at` begins a construct whose column matters: a statement, a clause of one
/// (`else`), a decorator, a decorated definition.
fn begins_statement(tree: &Tree, at: usize) -> bool {
    let Some(mut node) = tree.root_node().descendant_for_byte_range(at, at + 1) else { return false };
    if node.start_byte() != at {
        return false;
    }
    loop {
        let Some(parent) = node.parent() else { return true };
        if matches!(parent.kind(), "module" | "block" | "ERROR" | "decorated_definition")
            || node.kind().ends_with("_clause")
            || node.kind() == "block"
        {
            return true;
        }
        if parent.start_byte() != at {
            return false;
        }
        node = parent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns one letter for each line's kind.
    fn kinds(grammar: &str, text: &str) -> String {
        let grammar = Grammar::named(grammar).expect("known");
        let kinds = line_kinds(grammar, text, &Cancel::new()).expect("parsed");
        let letter = |kind: &LineKind| match kind {
            LineKind::Blank => '_',
            LineKind::Code => 'c',
            LineKind::Continued => '+',
            LineKind::Literal => 'L',
            LineKind::Comment => '#',
        };
        kinds.iter().map(letter).collect()
    }

    #[test]
    fn python_statements_are_told_from_what_goes_on_and_from_literals() {
        let text = "@d\nasync def f(\n    a,\n):\n    '''Doc\n\n  more\n    '''\n    x = '''\nraw\n\n''' + (\n1)\n    # c\n\n    if x:\n        y\n    else:\n        z\n";
        assert_eq!(kinds("python", text), "cc++c_##cLLL+#_cccc_");
        assert_eq!(kinds("python", "x = f\"\"\"a\n{\n1}\n\"\"\"\r\ny = 1\r"), "cLLLc_");
        assert_eq!(kinds("python", "x = ('a'\n     '''b\nc''')\n"), "c+L_");
        assert_eq!(kinds("python", "def f():\nx = 1\n    y = 2\n"), "ccc_");
    }

    #[test]
    fn literals_of_every_language_are_found() {
        for (grammar, text, expected) in [
            (
                "kotlin",
                "class A {\n    fun f() = \"\"\"\n x ${\n 1}\n\"\"\"\n    /* a\n b */\n}\n",
                "ccLLL##c_",
            ),
            (
                "java",
                "class A {\n  String s = \"\"\"\n    x\n    \"\"\";\n  // c\n  int i = 1;\n}\n",
                "ccLL#cc_",
            ),
            ("typescript", "class A {\n  s = `a\n ${b}\n`;\n  /** d\n   */\n  m() {}\n}\n", "ccLL##cc_"),
            ("tsx", "const x = <a>\n  t{`a\nb`}\n</a>;\n", "ccLc_"),
            ("javascript", "let s = `a\n\nb`;\n", "cLL_"),
            (
                "rust",
                "fn f() {\n    let s = r#\"a\n b\"#;\n    let t = \"a\n b\";\n    /// d\n    fn g() {}\n}\n",
                "ccLcL#cc_",
            ),
            ("go", "package a\n\nvar s = `a\n\tb`\n\n// c\nvar t = 1\n", "c_cL_#c_"),
            (
                "csharp",
                "class A {\n  string s = @\"a\n b\";\n  string t = \"\"\"\n x\n \"\"\";\n  string u = $@\"a\n {1}\";\n}\n",
                "ccLcLLcLc_",
            ),
            ("cpp", "auto s = R\"(a\n b)\";\nint i;\n", "cLc_"),
            ("c", "/* a\n b */ int i;\nchar *s = \"a\\\n b\";\n", "##cL_"),
        ] {
            assert_eq!(kinds(grammar, text), expected, "{grammar}: {text}");
        }
    }
}
