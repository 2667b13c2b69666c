//! Python's comprehensions: the parts that are evaluated in their own scope, and the one part that is not.
//! `[x for x in first() if y]` evaluates `first()` in the enclosing scope and everything else inside, where
//! the names of a class body are not visible. Invariant: a bracket whose content is not understood is no
//! comprehension, or one without such an outer part.

use symd_base::TextRange;

/// How deep nested interpolations are read: `f"{f'{x}'}"`.
const MAX_NESTED: usize = 4;

/// A comprehension of a list, set or dictionary, or a generator expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Comprehension {
    /// From its opening bracket to just past the closing one.
    pub(crate) range: TextRange,
    /// Its first iterable, which is evaluated in the enclosing scope.
    first: TextRange,
}

impl Comprehension {
    /// Returns the two parts that are evaluated in its own scope.
    pub(crate) fn inside(&self) -> [TextRange; 2] {
        [TextRange::new(self.range.start, self.first.start), TextRange::new(self.first.end, self.range.end)]
    }

    /// Whether byte `at` is evaluated in its own scope.
    pub(crate) fn holds(&self, at: u32) -> bool {
        self.inside().iter().any(|part| part.start <= at && at < part.end)
    }
}

/// Finds the comprehensions of a Python text.
pub(crate) fn comprehensions(text: &str) -> Vec<Comprehension> {
    let mut found = Vec::new();
    add(text.as_bytes(), 0, text.len(), 0, &mut found);
    found
}

/// An open bracket, and how much of a comprehension was seen directly in it.
struct Open {
    at: usize,
    seen: Seen,
}

#[derive(Clone, Copy)]
enum Seen {
    Nothing,
    For,
    /// The byte at which the first `in` behind the first `for` ends.
    In(usize),
    /// The start and the end of the first iterable.
    First(usize, usize),
}

impl Open {
    fn word(&mut self, word: &[u8], start: usize, end: usize) {
        self.seen = match (self.seen, word) {
            (Seen::Nothing, b"for") => Seen::For,
            (Seen::For, b"in") => Seen::In(end),
            (Seen::In(from), b"for" | b"async" | b"if") => Seen::First(from, start),
            // Anything else is no part of a comprehension, such as the body of a lambda in an argument.
            (seen, _) => seen,
        };
    }

    fn closed(&self, end: usize) -> Option<Comprehension> {
        let (from, to) = match self.seen {
            Seen::In(from) => (from, end - 1),
            Seen::First(from, to) => (from, to),
            Seen::Nothing | Seen::For => return None,
        };
        let range = |from, to| Some(TextRange::new(u32::try_from(from).ok()?, u32::try_from(to).ok()?));
        Some(Comprehension { range: range(self.at, end)?, first: range(from, to)? })
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn add(text: &[u8], from: usize, to: usize, depth: usize, found: &mut Vec<Comprehension>) {
    let mut open: Vec<Open> = Vec::new();
    let mut at = from;
    while at < to {
        match text[at] {
            b'#' => at = memchr::memchr(b'\n', &text[at..to]).map_or(to, |end| at + end),
            b'"' | b'\'' => at = string_end(text, at, to),
            b'(' | b'[' | b'{' => {
                open.push(Open { at, seen: Seen::Nothing });
                at += 1;
            }
            b')' | b']' | b'}' => {
                at += 1;
                found.extend(open.pop().and_then(|open| open.closed(at)));
            }
            byte if is_word(byte) => {
                let end = (at..to).find(|&at| !is_word(text[at])).unwrap_or(to);
                let word = &text[at..end];
                if end < to && matches!(text[end], b'"' | b'\'') && is_formatted(word) {
                    let close = string_end(text, end, to);
                    if depth < MAX_NESTED {
                        interpolations(text, end, close, depth, found);
                    }
                    at = close;
                    continue;
                }
                if let Some(open) = open.last_mut() {
                    open.word(word, at, end);
                }
                at = end;
            }
            _ => at += 1,
        }
    }
}

/// Whether a string with this prefix has interpolations.
fn is_formatted(prefix: &[u8]) -> bool {
    prefix.len() <= 2 && prefix.iter().any(|byte| b"fFtT".contains(byte))
}

/// Returns the byte just past the string whose first quote stands at `start`; an unclosed string ends with
/// its line, unless it is triple-quoted.
fn string_end(text: &[u8], start: usize, to: usize) -> usize {
    let quote = text[start];
    let is_long = text[start..to].starts_with(&[quote; 3]);
    let mut at = start + if is_long { 3 } else { 1 };
    while at < to {
        match text[at] {
            b'\\' => at += 2,
            b'\n' if !is_long => return at,
            byte if byte == quote && !is_long => return at + 1,
            byte if byte == quote && text[at..to].starts_with(&[quote; 3]) => return at + 3,
            _ => at += 1,
        }
    }
    to
}

/// Adds the comprehensions in the interpolations of a string.
fn interpolations(text: &[u8], start: usize, end: usize, depth: usize, found: &mut Vec<Comprehension>) {
    let mut at = start;
    while at < end {
        if text[at] != b'{' {
            at += 1;
            continue;
        }
        if text[at..end].starts_with(b"{{") {
            at += 2;
            continue;
        }
        let mut level = 0_usize;
        let close = (at..end).find(|&at| {
            match text[at] {
                b'{' => level += 1,
                b'}' => level -= 1,
                _ => {}
            }
            level == 0
        });
        let Some(close) = close else { return };
        add(text, at + 1, close, depth + 1, found);
        at = close + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the first iterables, trimmed.
    fn first(text: &str) -> Vec<&str> {
        comprehensions(text)
            .iter()
            .map(|one| text[one.first.start as usize..one.first.end as usize].trim())
            .collect()
    }

    #[test]
    fn the_first_iterable_is_told_from_the_rest() {
        for (text, expected) in [
            ("[x for x in old()]", vec!["old()"]),
            ("{k: v for k, v in old(a, b).items() if k in v}", vec!["old(a, b).items()"]),
            ("sum(x for x in a if x for y in b)", vec!["a"]),
            ("[x async for x in a async for y in b]", vec!["a"]),
            ("[x in y for x in (a if b else c)]", vec!["(a if b else c)"]),
            ("[x for x in [y for y in inner]]", vec!["inner", "[y for y in inner]"]),
            ("[')' + x for x in a(\"]\") # for y in z\n if x]", vec!["a(\"]\") # for y in z"]),
            ("f'{{no}} {[x for x in a]!r:>{w}} for'", vec!["a"]),
            ("rf'''{(x for x in \"b\")}'''", vec!["\"b\""]),
            ("'''[x for x in a]''' + '[x for x in a]'", vec![]),
            ("for x in (a, b):\n    f(x)\n", vec![]),
            ("[x for x", vec![]),
            (")]} [x for x in a]", vec!["a"]),
        ] {
            assert_eq!(first(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_inside_and_what_is_not() {
        let text = "[x for x in old() if y]";
        let one = comprehensions(text)[0];
        let holds = |word: &str| one.holds(u32::try_from(text.find(word).expect("in it")).expect("short"));
        assert!(holds("x for") && holds("y]") && !holds("old"));
    }
}
