//! Kotlin source without comments, strings and character literals: brackets, line breaks and whatever else
//! delimits statements. Invariant: terminates on every input; templates in strings are omitted with them.

use crate::context::last_word;

/// The bytes of code, each with its offset. Every UTF-8 byte of a name is one of them.
#[derive(Clone, Debug)]
pub(crate) struct KotlinCode<'t> {
    bytes: &'t [u8],
    at: usize,
    end: usize,
}

impl<'t> KotlinCode<'t> {
    /// Iterates over `text[from..end]`; `from` must lie outside comments and strings.
    pub(crate) fn new(text: &'t str, from: usize, end: usize) -> KotlinCode<'t> {
        KotlinCode { bytes: text.as_bytes(), at: from, end: end.min(text.len()) }
    }

    fn rest(&self) -> &'t [u8] {
        self.bytes.get(self.at..self.end).unwrap_or(&[])
    }

    fn skip_to(&mut self, what: u8) {
        self.at += memchr::memchr(what, self.rest()).unwrap_or(self.rest().len());
    }

    /// Skips a block comment, which may contain others.
    fn skip_comment(&mut self) {
        let mut depth = 0_usize;
        while self.at < self.end {
            match self.rest() {
                [b'/', b'*', ..] => {
                    depth += 1;
                    self.at += 2;
                }
                [b'*', b'/', ..] => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return;
                    }
                }
                _ => self.at += 1,
            }
        }
    }

    /// Skips a string literal from its opening quotes on. A template is code up to its brace; a string inside
    /// a template is skipped with it.
    fn skip_text(&mut self) {
        let is_raw = self.rest().starts_with(b"\"\"\"");
        // The enclosing strings whose templates are open: inside a template, quotes begin a string and do not
        // end the outer one.
        let mut open: Vec<OpenString> = Vec::new();
        let mut text = OpenString { is_raw, depth: 0 };
        self.at += if is_raw { 3 } else { 1 };
        while self.at < self.end {
            match (self.rest(), text.depth) {
                ([b'\\', _, ..], 0) if !text.is_raw => self.at += 2,
                ([b'$', b'{', ..], 0) => {
                    text.depth = 1;
                    self.at += 2;
                }
                ([b'"', b'"', b'"', rest @ ..], 0) if text.is_raw => {
                    // Quotes before the last three belong to the string.
                    self.at += 3 + rest.iter().take_while(|byte| **byte == b'"').count();
                    match open.pop() {
                        Some(outer) => text = outer,
                        None => return,
                    }
                }
                ([b'"' | b'\n', ..], 0) if !text.is_raw => {
                    self.at += usize::from(self.rest()[0] == b'"');
                    match open.pop() {
                        Some(outer) => text = outer,
                        None => return,
                    }
                }
                ([b'{', ..], 1..) => {
                    text.depth += 1;
                    self.at += 1;
                }
                ([b'}', ..], 1..) => {
                    text.depth -= 1;
                    self.at += 1;
                }
                ([b'\'', ..], 1..) => self.skip_character(),
                ([b'"', rest @ ..], 1..) => {
                    let is_raw = rest.starts_with(b"\"\"");
                    self.at += if is_raw { 3 } else { 1 };
                    open.push(std::mem::replace(&mut text, OpenString { is_raw, depth: 0 }));
                }
                _ => self.at += 1,
            }
        }
    }

    /// Skips a character literal; of a quote that begins none, only the quote.
    fn skip_character(&mut self) {
        let from = if self.rest().get(1) == Some(&b'\\') { 3 } else { 2 };
        let near = self.rest().get(from..).unwrap_or(&[]);
        let close = near.iter().take(5).position(|byte| *byte == b'\'');
        self.at += close.map_or(1, |close| from + close + 1);
    }
}

/// A string literal that is not closed yet.
struct OpenString {
    is_raw: bool,
    /// The number of open braces of a template.
    depth: usize,
}

impl Iterator for KotlinCode<'_> {
    type Item = (usize, u8);

    fn next(&mut self) -> Option<(usize, u8)> {
        loop {
            match self.rest() {
                [] => return None,
                [b'/', b'/', ..] => self.skip_to(b'\n'),
                [b'/', b'*', ..] => self.skip_comment(),
                [b'"', ..] => {
                    self.skip_text();
                    // Yields a byte for the literal, so that `return "a"` is seen to end with something.
                    return Some((self.at - 1, b'"'));
                }
                [b'\'', ..] => {
                    self.skip_character();
                    return Some((self.at - 1, b'\''));
                }
                [byte, ..] => {
                    self.at += 1;
                    return Some((self.at - 1, *byte));
                }
            }
        }
    }
}

/// Returns for each byte offset of Kotlin's `text` whether it lies in code, outside comments, strings and character literals. The offsets
/// must ascend.
pub fn is_kotlin_code_at(text: &str, offsets: &[usize]) -> Vec<bool> {
    let end = offsets.last().map_or(0, |last| last + 1);
    let mut code = KotlinCode::new(text, 0, end).map(|(at, _)| at).peekable();
    let is_code = |offset: &usize| {
        while code.next_if(|at| at < offset).is_some() {}
        code.peek() == Some(offset)
    };
    offsets.iter().map(is_code).collect()
}

/// Finds the first bracket that opens at byte `open` or behind it, and returns the offset of the bracket that
/// closes it; `end` where none does.
pub(crate) fn closing(text: &str, open: usize, end: usize) -> usize {
    let first = KotlinCode::new(text, open, end).find(|(_, byte)| matches!(byte, b'(' | b'[' | b'{'));
    first.map_or(end, |(at, _)| block_end(text, at + 1, end))
}

/// Returns the offset of the bracket that closes the block around byte `at`, or `end`.
pub(crate) fn block_end(text: &str, at: usize, end: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in KotlinCode::new(text, at, end) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => return at,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    end
}

/// Words and signs at the start of a line that continue the statement of the line before.
const CONTINUATION_STARTS: [&str; 14] =
    [".", "?.", "?:", "&&", "||", "else", "as ", "as? ", "catch", "finally", "=", "{", "<", ">"];

/// Words at the end of a line that continue the statement in the next line.
const CONTINUATION_ENDS: [&str; 17] = [
    "else", "in", "is", "as", "by", "shl", "shr", "ushr", "and", "or", "xor", "to", "until", "downTo",
    "step", "try", "do",
];

/// Returns the byte at which the statement that contains byte `from` ends, outside all its brackets: a line
/// break, a semicolon or the closing bracket around it; at most `end`.
pub(crate) fn statement_end(text: &str, from: usize, end: usize) -> usize {
    let mut depth = 0_usize;
    // `last` is just past the last byte of code, `condition` just past the parenthesis of an `if`, `while` or
    // `for`.
    let (mut last, mut condition) = (from, None);
    let mut conditions: Vec<bool> = Vec::new();
    for (at, byte) in KotlinCode::new(text, from, end) {
        match byte {
            b'(' | b'[' | b'{' => {
                depth += 1;
                conditions
                    .push(byte == b'(' && matches!(word_before(text, from, last), "if" | "while" | "for"));
            }
            b')' | b']' | b'}' if depth == 0 => return at,
            b')' | b']' | b'}' => {
                depth -= 1;
                if conditions.pop() == Some(true) {
                    condition = Some(at + 1);
                }
            }
            b';' if depth == 0 => return at,
            b'\n' if depth == 0 && !continues(text, from, last, at, end) && condition != Some(last) => {
                return at;
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            last = at + 1;
        }
    }
    end
}

/// Whether the statement up to byte `last` continues behind the line break at byte `at`.
fn continues(text: &str, from: usize, last: usize, at: usize, end: usize) -> bool {
    let next = KotlinCode::new(text, at, end).find(|(_, byte)| !byte.is_ascii_whitespace());
    let next = next.and_then(|(next, _)| text.get(next..end)).unwrap_or("");
    let is_next = CONTINUATION_STARTS.iter().any(|sign| {
        let rest = next.strip_prefix(sign);
        rest.is_some_and(|rest| {
            !sign.ends_with(char::is_alphabetic)
                || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        })
    });
    let before = text.get(from..last).unwrap_or("");
    let is_crement = before.ends_with("++") || before.ends_with("--");
    is_next
        || is_infix(before)
        || !is_crement && before.ends_with(['=', '+', '-', '*', '/', '%', '&', '|', ',', '.', ':', '<'])
        || CONTINUATION_ENDS.contains(&word_before(text, from, last))
}

/// Whether the line ends with an infix function behind its first operand: `a zip`. A line that ends with a
/// type, a call or the value of a keyword does not.
fn is_infix(before: &str) -> bool {
    const NOT_VALUES: [&str; 12] =
        ["return", "throw", "as", "is", "in", "by", "else", "val", "var", "fun", "break", "continue"];
    let word = last_word(before);
    let left = before[..before.len() - word.len()].trim_end_matches([' ', '\t']);
    let value = last_word(left);
    let is_spaced = left.len() + word.len() < before.len();
    let ends_value = !value.is_empty() && !NOT_VALUES.contains(&value) || left.ends_with([']', '"']);
    word.starts_with(char::is_lowercase) && is_spaced && ends_value
}

/// Returns the word that ends at byte `at` and begins no earlier than `from`.
fn word_before(text: &str, from: usize, at: usize) -> &str {
    last_word(text.get(from..at).unwrap_or(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> String {
        let bytes: Vec<u8> = KotlinCode::new(text, 0, text.len()).map(|(_, byte)| byte).collect();
        String::from_utf8(bytes).expect("UTF-8")
    }

    #[test]
    fn comments_and_texts_are_no_code() {
        assert_eq!(code("a /* { /* } */ */ b // }\nc"), "a  b \nc");
        assert_eq!(code(r#"f("}${ g("{") }\"", '"', '\'', '\u0041')"#), "f(\", ', ', ')");
        assert_eq!(code("x(\"\"\"a\"b\n}${h(\"\"\"{\"\"\")}\"\"\"\"\") { y }"), "x(\") { y }");
        assert_eq!(code("'a"), "'a");
        assert_eq!(code("\"open\n}"), "\"\n}");
    }

    #[test]
    fn offsets_are_told_from_comments_and_texts() {
        let text = "/** A */ @A(\"A\") /* A */ fun f() = \"${ g(\"A\") }\" // A\nA";
        let offsets: Vec<usize> = text.match_indices('A').map(|(at, _)| at).collect();
        assert_eq!(is_kotlin_code_at(text, &offsets), [false, true, false, false, false, false, true]);
        assert!(is_kotlin_code_at(text, &[]).is_empty());
    }

    fn statement(text: &str) -> &str {
        &text[..statement_end(text, 0, text.len())]
    }

    #[test]
    fn a_statement_ends_where_kotlin_ends_it() {
        for (text, expected) in [
            ("= a\nb", "= a"),
            ("= a +\n b\nc", "= a +\n b"),
            ("= a\n  // Say.\n  .b()\nc", "= a\n  // Say.\n  .b()"),
            ("= if (a)\n b\nelse\n c\nd", "= if (a)\n b\nelse\n c"),
            ("= f(\n a\n) { b\n }\nc", "= f(\n a\n) { b\n }"),
            ("= a ?:\n return\nb", "= a ?:\n return"),
            ("= a; b", "= a"),
            ("= a++\nb", "= a++"),
            ("= a shl\n 1\nb", "= a shl\n 1"),
            (": Int\nelsewhere()", ": Int"),
            ("= a }", "= a "),
            ("= try { a }\ncatch (e: E) { b }\nc", "= try { a }\ncatch (e: E) { b }"),
            (": Int\n= a\nc", ": Int\n= a"),
            ("= a zip\n b\nc", "= a zip\n b"),
            ("= a as b\nc", "= a as b"),
            ("= if (a) b\nc", "= if (a) b"),
            ("= f<\nA,\n>(b)\nc", "= f<\nA,\n>(b)"),
            ("= when (a)\n{ b }\nc", "= when (a)\n{ b }"),
            ("= \"${a.f('\"')}\"\nc", "= \"${a.f('\"')}\""),
        ] {
            assert_eq!(statement(text), expected, "{text}");
        }
    }
}
