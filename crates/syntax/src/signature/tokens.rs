//! Tokens of a declaration's head: words, literals and marks, without comments and line breaks, with matched
//! brackets. Not a parser: callers decide which tokens are a type and which a value. Invariant: time linear
//! in the text, whatever it contains.

use std::ops::Range;

use super::head_syntax::HeadSyntax;

/// Marks of several characters; all others are one character long. Excludes `>>`, because two lists of types
/// may end there.
const MARKS: [&str; 15] =
    ["...", "..=", "->", "=>", "::", ":=", "?.", "==", "!=", "&&", "||", "**", "..", "??", "+="];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name, keyword or number.
    Word,
    /// A string or character literal.
    Literal,
    /// A bracket or an operator.
    Mark,
}

/// The white space or comments before a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gap {
    None,
    Space,
    LineBreak,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) gap: Gap,
    /// Index of the matching bracket.
    pub(super) partner: Option<usize>,
}

#[derive(Debug)]
pub(super) struct Tokens<'a>(Vec<Token<'a>>);

impl<'a> Tokens<'a> {
    pub(super) fn read(text: &'a str, syntax: &HeadSyntax) -> Tokens<'a> {
        let mut tokens = Tokens(Vec::new());
        let mut rest = text;
        loop {
            let (gap, behind) = skipped(rest, syntax);
            if behind.is_empty() {
                break;
            }
            let (kind, length) = token(behind, syntax);
            tokens.0.push(Token { kind, text: &behind[..length], gap, partner: None });
            rest = &behind[length..];
        }
        tokens.pair(syntax);
        tokens
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn get(&self, at: usize) -> Option<&Token<'a>> {
        self.0.get(at)
    }

    /// Returns the text of token `at`; empty past the last.
    pub(super) fn text(&self, at: usize) -> &'a str {
        self.0.get(at).map_or("", |token| token.text)
    }

    pub(super) fn is_word(&self, at: usize) -> bool {
        self.0.get(at).is_some_and(|token| token.kind == Kind::Word)
    }

    /// Returns the matching closing bracket of token `at`, if that token is the opening bracket `open` and
    /// has one.
    pub(super) fn close(&self, at: usize, open: &str) -> Option<usize> {
        let token = self.0.get(at).filter(|token| token.text == open)?;
        token.partner.filter(|&partner| partner > at)
    }

    /// Returns the first token in `range`, outside brackets, that satisfies `is_it`. An opening bracket
    /// counts as outside; the search stops at one that is not closed.
    pub(super) fn find(&self, range: Range<usize>, is_it: impl Fn(&Token<'a>) -> bool) -> Option<usize> {
        let mut at = range.start;
        while at < range.end {
            let token = self.0.get(at)?;
            if is_it(token) {
                return Some(at);
            }
            at = self.next_after(at)?;
        }
        None
    }

    /// Returns the token after token `at`, or after the brackets that it opens; `None` if those are not
    /// closed.
    pub(super) fn next_after(&self, at: usize) -> Option<usize> {
        let token = self.0.get(at)?;
        match token.partner {
            Some(partner) if partner > at => Some(partner + 1),
            None if matches!(token.text, "(" | "[" | "{") => None,
            _ => Some(at + 1),
        }
    }

    /// Returns the parts of `range` between commas outside brackets; an empty range has none, and a trailing
    /// comma adds none.
    pub(super) fn parts(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let mut start = range.start;
        while start < range.end {
            let end = self.find(start..range.end, |token| token.text == ",").unwrap_or(range.end);
            parts.push(start..end);
            start = end + 1;
        }
        parts
    }

    /// Returns the tokens of `range` as text on one line.
    pub(super) fn render(&self, range: Range<usize>) -> String {
        let mut text = String::new();
        let mut before: Option<&Token<'_>> = None;
        for at in range.clone() {
            let Some(token) = self.0.get(at) else { break };
            // Omits a trailing comma before a closing bracket on a line of its own.
            let closes_next = range.contains(&(at + 1))
                && self
                    .0
                    .get(at + 1)
                    .is_some_and(|next| (is_closing(next) || next.text == "}") && next.gap == Gap::LineBreak);
            if token.text == "," && closes_next {
                continue;
            }
            let follows = before.is_some_and(|before| !is_opening(before));
            let is_chained = token.gap == Gap::LineBreak && matches!(token.text, "." | "?." | "::");
            if follows && token.gap != Gap::None && !is_closing(token) && token.text != "," && !is_chained {
                text.push(' ');
            }
            match token.text.split_once(['\n', '\r']) {
                Some((first, _)) if token.kind == Kind::Literal => text.extend([first.trim_end(), "…"]),
                _ => text.push_str(token.text),
            }
            before = Some(token);
        }
        text
    }

    /// Returns the tokens of `range` on one line, preceded by a space if the source has a gap before them.
    pub(super) fn render_with_gap(&self, range: Range<usize>) -> String {
        let gap = self.0.get(range.start).map_or(Gap::None, |token| token.gap);
        let text = self.render(range);
        if gap == Gap::None || text.is_empty() { text } else { format!(" {text}") }
    }

    /// Removes the tokens from `at` on.
    pub(super) fn truncate(&mut self, at: usize) {
        self.0.truncate(at);
        for token in &mut self.0 {
            token.partner = token.partner.filter(|&partner| partner < at);
        }
    }

    /// Returns the first closing bracket without an opening one.
    pub(super) fn first_unopened(&self) -> Option<usize> {
        let is_unopened =
            |token: &Token<'_>| matches!(token.text, ")" | "]" | "}") && token.partner.is_none();
        self.0.iter().position(is_unopened)
    }

    /// Reports whether every bracket in `range` has its partner in `range`.
    pub(super) fn is_balanced(&self, range: Range<usize>) -> bool {
        let is_bracket = |token: &Token<'_>| matches!(token.text, "(" | ")" | "[" | "]" | "{" | "}");
        let within = |partner: usize| range.contains(&partner);
        range.clone().filter_map(|at| self.0.get(at)).all(|t| !is_bracket(t) || t.partner.is_some_and(within))
    }

    fn pair(&mut self, syntax: &HeadSyntax) {
        let mut open: Vec<usize> = Vec::new();
        for at in 0..self.0.len() {
            let opener = match self.0[at].text {
                "(" | "[" | "{" => {
                    open.push(at);
                    continue;
                }
                "<" => {
                    if syntax.has_angles && self.may_open_types(at) {
                        open.push(at);
                    }
                    continue;
                }
                ">" => "<",
                ")" => "(",
                "]" => "[",
                "}" => "{",
                _ => continue,
            };
            if opener != "<" {
                // An unclosed `<` is a comparison.
                while open.last().is_some_and(|&last| self.0[last].text == "<") {
                    open.pop();
                }
            }
            if let Some(&last) = open.last()
                && self.0[last].text == opener
            {
                open.pop();
                self.0[last].partner = Some(at);
                self.0[at].partner = Some(last);
            }
        }
    }

    fn may_open_types(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1).map(|at| &self.0[at]) else { return true };
        before.kind == Kind::Word || matches!(before.text, "::" | "=" | "(" | ",")
    }
}

fn is_opening(token: &Token<'_>) -> bool {
    matches!(token.text, "(" | "[") || (token.text == "<" && token.partner.is_some())
}

fn is_closing(token: &Token<'_>) -> bool {
    matches!(token.text, ")" | "]") || (token.text == ">" && token.partner.is_some())
}

/// Returns the text after leading white space and comments, and the kind of that gap.
fn skipped<'t>(text: &'t str, syntax: &HeadSyntax) -> (Gap, &'t str) {
    let mut gap = Gap::None;
    let mut rest = text;
    loop {
        let behind = rest.trim_start();
        let blank = &rest[..rest.len() - behind.len()];
        if blank.contains(['\n', '\r']) {
            gap = Gap::LineBreak;
        } else if !blank.is_empty() && gap == Gap::None {
            gap = Gap::Space;
        }
        let is_at_line_start = gap == Gap::LineBreak;
        let line = behind.find(['\n', '\r']).unwrap_or(behind.len());
        let comment = if syntax.has_hash_comments {
            behind.starts_with('#').then_some(line)
        } else if behind.starts_with("//") {
            Some(line)
        } else if behind.starts_with("/*") {
            Some(behind.find("*/").map_or(behind.len(), |end| end + 2))
        } else {
            // A preprocessor directive between two parameters.
            (syntax.has_preprocessor && is_at_line_start && behind.starts_with('#')).then_some(line)
        };
        match comment {
            Some(length) => {
                rest = &behind[length..];
                gap = if gap == Gap::None { Gap::Space } else { gap };
            }
            None => return (gap, behind),
        }
    }
}

/// Returns kind and length in bytes of the token with which `text` begins.
fn token(text: &str, syntax: &HeadSyntax) -> (Kind, usize) {
    let word = text.find(|c: char| !is_word_char(c)).unwrap_or(text.len());
    if word > 0 {
        return match raw_string(text, word, syntax) {
            Some(length) => (Kind::Literal, length),
            None => (Kind::Word, word),
        };
    }
    if let Some(length) = quoted(text, syntax) {
        return length;
    }
    let mark = MARKS.iter().find(|mark| text.starts_with(**mark));
    let one = || text.chars().next().map_or(1, char::len_utf8);
    (Kind::Mark, mark.map_or_else(one, |mark| mark.len()))
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Returns the length in bytes of Rust's `r#"…"#`.
fn raw_string(text: &str, prefix: usize, syntax: &HeadSyntax) -> Option<usize> {
    if !syntax.has_raw_strings_and_lifetimes || !matches!(&text[..prefix], "r" | "br" | "cr") {
        return None;
    }
    let hashes = text[prefix..].bytes().take_while(|&byte| byte == b'#').count();
    let body = text[prefix + hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let start = text.len() - body.len();
    Some(body.find(&end).map_or(text.len(), |at| start + at + end.len()))
}

/// Returns kind and length in bytes of the quoted token at the start of `text`.
fn quoted(text: &str, syntax: &HeadSyntax) -> Option<(Kind, usize)> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    if quote == '`' {
        let kind = if syntax.has_names_in_backticks { Kind::Word } else { Kind::Literal };
        return Some((kind, text[1..].find('`').map_or(text.len(), |at| at + 2)));
    }
    if quote == '\'' && syntax.has_raw_strings_and_lifetimes {
        let name = &text[1..];
        let end = name.find(|c: char| !is_word_char(c)).unwrap_or(name.len());
        if end > 0 && !name[end..].starts_with('\'') {
            // A lifetime.
            return Some((Kind::Word, end + 1));
        }
    }
    let triple = text.get(..3).unwrap_or("");
    if matches!(triple, "\"\"\"" | "'''") && syntax.has_triple_quotes {
        return Some((Kind::Literal, text[3..].find(triple).map_or(text.len(), |at| at + 6)));
    }
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' | '\r' => return Some((Kind::Literal, at)),
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if c == quote => return Some((Kind::Literal, at + 1)),
            _ => {}
        }
    }
    Some((Kind::Literal, text.len()))
}

#[cfg(test)]
mod tests {
    use super::super::head_syntax::{C, JAVA, KOTLIN, PYTHON, RUST, SCRIPT};
    use super::*;

    fn written(text: &str, syntax: &HeadSyntax) -> String {
        let tokens = Tokens::read(text, syntax);
        tokens.render(0..tokens.len())
    }

    #[test]
    fn lines_become_one_and_comments_go() {
        assert_eq!(written("(\n    self,  # me\n    x: int,\n) -> None", &PYTHON), "(self, x: int) -> None");
        assert_eq!(written("( a /* b, */, c ) // d\n", &JAVA), "(a, c)");
        assert_eq!(written("(\n#ifdef X\n int a,\n#endif\n int b)", &C), "(int a, int b)");
        assert_eq!(
            written("(x = \"a, #)\\\"\",\n  y = '''\n#''')", &PYTHON),
            "(x = \"a, #)\\\"\", y = '''…)"
        );
        assert_eq!(written("<\n    T,\n>(\n    a: &'a T,\n)", &RUST), "<T>(a: &'a T)");
        assert_eq!(written("= a\n  .b()\n  ?.c()", &KOTLIN), "= a.b()?.c()");
    }

    #[test]
    fn lists_of_types_are_brackets_and_comparisons_are_none() {
        let parts = |text: &str, syntax| {
            let tokens = Tokens::read(text, syntax);
            let parts = tokens.parts(0..tokens.len());
            parts.into_iter().map(|part| tokens.render(part)).collect::<Vec<_>>()
        };
        assert_eq!(parts("a: Map<K, List<V>>, b: Int", &KOTLIN), ["a: Map<K, List<V>>", "b: Int"]);
        assert_eq!(parts("a = b < c, d: Set<E>", &KOTLIN), ["a = b < c", "d: Set<E>"]);
        assert_eq!(parts("f: (x: A, y: B) => C, g: D", &SCRIPT), ["f: (x: A, y: B) => C", "g: D"]);
        assert_eq!(parts("", &JAVA), Vec::<String>::new());
    }
}
