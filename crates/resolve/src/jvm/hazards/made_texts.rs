//! Expressions of Java whose values become texts: what is printed, logged, joined to a text, or asked for `toString`.

use crate::brackets::within_brackets;
use crate::family_texts::words_of;

/// Calls that make texts of what they are given.
pub(super) const PRINTING: [&str; 26] = [
    "append",
    "config",
    "debug",
    "deepToString",
    "error",
    "fatal",
    "fine",
    "finer",
    "finest",
    "format",
    "formatted",
    "info",
    "insert",
    "join",
    "log",
    "logp",
    "print",
    "printf",
    "println",
    "severe",
    "toString",
    "trace",
    "valueOf",
    "warn",
    "warning",
    "write",
];

/// An expression whose value becomes a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct MadeText {
    /// The byte of what makes the text: a call's name, a sign.
    pub(super) at: usize,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether the text is the message of an exception with this cause.
    pub(super) is_cause: bool,
}

impl MadeText {
    fn new(at: usize, (start, end): (usize, usize)) -> MadeText {
        MadeText { at, start, end, is_cause: false }
    }
}

/// Finds the arguments of the calls of these names. The text has blanks in place of comments and of the contents of strings.
pub(super) fn made_texts<'t>(code: &str, calls: impl Iterator<Item = &'t str>) -> Vec<MadeText> {
    let mut found = Vec::new();
    for call in calls {
        for at in words_of(code, call) {
            let open = at + call.len();
            if code[open..].starts_with('(') {
                let (start, end) = within_brackets(code, open);
                let parts = parts_between(code, start, end);
                found.extend(parts.into_iter().map(|part| MadeText::new(at, part)));
            }
        }
    }
    found
}

/// Finds the operands of sums, and the receivers of `toString()`.
pub(super) fn joined_texts(code: &str) -> Vec<MadeText> {
    let mut found = Vec::new();
    let bytes = code.as_bytes();
    for (at, _) in code.match_indices('+') {
        let before = code[..at].trim_end();
        let is_unary =
            before.ends_with(['(', ',', '=', '+', '-', '*', '/', '?', ':', '{', ';', '[', '<', '>']);
        if is_unary || bytes.get(at + 1) == Some(&b'+') {
            continue;
        }
        let from = at + 1 + usize::from(bytes.get(at + 1) == Some(&b'='));
        if from == at + 1 {
            found.push(MadeText::new(at, (operand_start(code, before.len()), before.len())));
        }
        found.push(MadeText::new(at, (from, operand_end(code, from))));
    }
    for (at, _) in code.match_indices(".toString()") {
        found.push(MadeText::new(at, (operand_start(code, at), at)));
    }
    found
}

/// Finds the only arguments of new exceptions: the message is the text of a cause.
pub(super) fn causes(code: &str) -> Vec<MadeText> {
    let mut found = Vec::new();
    for at in words_of(code, "new") {
        let Some(open) = code[at..].find(['(', ';', '{']).map(|open| at + open) else { continue };
        let class = code[at..open].trim_end();
        if code[open..].starts_with('(') && (class.ends_with("Exception") || class.ends_with("Error")) {
            let (start, end) = within_brackets(code, open);
            if let [part] = parts_between(code, start, end)[..] {
                found.push(MadeText { is_cause: true, ..MadeText::new(at, part) });
            }
        }
    }
    found
}

/// Returns the arguments between two bytes, each split at what joins or chooses values, without the heads of lambdas.
fn parts_between(code: &str, start: usize, end: usize) -> Vec<(usize, usize)> {
    let mut parts = Vec::new();
    let mut from = start;
    while from < end {
        let to = operand_end(code, from).min(end);
        parts.push((from, to));
        let is_arrow = code[to..].starts_with("->");
        from = to + 1 + usize::from(is_arrow);
    }
    parts.retain(|&(from, to)| !code[from..to].trim().is_empty() && !code[to..end.max(to)].starts_with("->"));
    parts
}

/// Returns the byte at which the operand that begins at `from` ends.
fn operand_end(code: &str, from: usize) -> usize {
    let mut depth = 0_usize;
    let bytes = code.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => return at,
            b')' | b']' | b'}' => depth -= 1,
            b':' if bytes.get(at + 1) == Some(&b':') => at += 1,
            // `Map<?, String>` has no operand behind its sign.
            b'?' if bytes.get(at.wrapping_sub(1)) == Some(&b'<') => {}
            b',' | b';' | b'?' | b':' | b'+' if depth == 0 => return at,
            b'-' if depth == 0 && bytes.get(at + 1) == Some(&b'>') => return at,
            _ => {}
        }
        at += 1;
    }
    at
}

/// Returns the byte at which the operand that ends at `end` begins.
pub(super) fn operand_start(code: &str, end: usize) -> usize {
    let mut depth = 0_usize;
    let bytes = code.as_bytes();
    let mut at = end;
    while at > 0 {
        match bytes[at - 1] {
            b')' | b']' | b'}' => depth += 1,
            b'(' | b'[' | b'{' if depth == 0 => return at,
            b'(' | b'[' | b'{' => depth -= 1,
            b':' if at > 1 && bytes[at - 2] == b':' => at -= 1,
            b'>' if depth == 0 && at > 1 && bytes[at - 2] == b'-' => return at,
            b',' | b';' | b'?' | b':' | b'+' | b'=' if depth == 0 => return at,
            _ => {}
        }
        at -= 1;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_the_file_ends_in_has_its_argument() {
        for code in ["String.valueOf(é", "throw new FooException(é", "print(a, é"] {
            let made: Vec<MadeText> =
                made_texts(code, PRINTING.iter().copied()).into_iter().chain(causes(code)).collect();
            assert_eq!(made.last().map(|one| code[one.start..one.end].trim()), Some("é"), "{code}");
        }
    }
}
