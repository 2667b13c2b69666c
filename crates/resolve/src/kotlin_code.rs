//! Kotlin's text without comments, texts and character literals: brackets, line breaks and what else statements are told apart by.
//! Invariant: ends on every input; templates in texts are left out with them.

use super::context::last_word;

/// The bytes that are code, each with its offset. A byte of a name in UTF-8 is one of them.
#[derive(Clone, Debug)]
pub(super) struct KotlinCode<'t> {
    bytes: &'t [u8],
    at: usize,
    end: usize,
}

impl<'t> KotlinCode<'t> {
    /// That of `text[from..end]`; `from` lies in no comment and no text.
    pub(super) fn new(text: &'t str, from: usize, end: usize) -> KotlinCode<'t> {
        KotlinCode { bytes: text.as_bytes(), at: from, end: end.min(text.len()) }
    }

    fn rest(&self) -> &'t [u8] {
        self.bytes.get(self.at..self.end).unwrap_or(&[])
    }

    fn skip_to(&mut self, what: u8) {
        self.at += memchr::memchr(what, self.rest()).unwrap_or(self.rest().len());
    }

    /// A comment in the form of C, which may hold others.
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

    /// A text from its opening quotes on. A template is code, up to its brace; one that holds a text again is skipped with it.
    fn skip_text(&mut self) {
        let is_raw = self.rest().starts_with(b"\"\"\"");
        // Braces of templates that are open: in one of them quotes begin a text, and none ends the outer one.
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
                    // Quotes before the last three belong to the text.
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

    /// A character literal; a quote that begins none is left alone.
    fn skip_character(&mut self) {
        let from = if self.rest().get(1) == Some(&b'\\') { 3 } else { 2 };
        let near = self.rest().get(from..).unwrap_or(&[]);
        let close = near.iter().take(5).position(|byte| *byte == b'\'');
        self.at += close.map_or(1, |close| from + close + 1);
    }
}

/// A text that is open.
struct OpenString {
    is_raw: bool,
    /// How many braces of a template are open.
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
                    // So that `return "a"` is seen to end with something.
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

/// Where the first bracket closes that opens at byte `open` or behind it, or `end` where none does: the offset of the closing one.
pub(super) fn closing(text: &str, open: usize, end: usize) -> usize {
    let first = KotlinCode::new(text, open, end).find(|(_, byte)| matches!(byte, b'(' | b'[' | b'{'));
    first.map_or(end, |(at, _)| block_end(text, at + 1, end))
}

/// Where the block ends in which byte `at` is: the offset of its closing bracket, or `end`.
pub(super) fn block_end(text: &str, at: usize, end: usize) -> usize {
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

/// Words and signs that a line does not end a statement before: the next line goes on with it.
const GOES_ON: [&str; 14] =
    [".", "?.", "?:", "&&", "||", "else", "as ", "as? ", "catch", "finally", "=", "{", "<", ">"];

/// Words behind which a statement goes on in the next line.
const WANTS_MORE: [&str; 17] = [
    "else", "in", "is", "as", "by", "shl", "shr", "ushr", "and", "or", "xor", "to", "until", "downTo",
    "step", "try", "do",
];

/// Where the statement ends of which byte `from` is a part, outside all of its brackets: a line break, a semicolon or the
/// closing bracket around it; at most `end`.
pub(super) fn statement_end(text: &str, from: usize, end: usize) -> usize {
    let mut depth = 0_usize;
    // Behind the last byte of code; where the condition of an `if` closes.
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
            b'\n' if depth == 0 && !goes_on(text, from, last, at, end) && condition != Some(last) => {
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

/// Whether what ends at `last` goes on behind the line break at `at`.
fn goes_on(text: &str, from: usize, last: usize, at: usize, end: usize) -> bool {
    let next = KotlinCode::new(text, at, end).find(|(_, byte)| !byte.is_ascii_whitespace());
    let next = next.and_then(|(next, _)| text.get(next..end)).unwrap_or("");
    let is_next = GOES_ON.iter().any(|sign| {
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
        || WANTS_MORE.contains(&word_before(text, from, last))
}

/// Whether a function between two values ends the line: `a zip`. A type, a call and a keyword's value end it otherwise.
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

/// The word that ends at byte `at`, looked for down to `from`.
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
