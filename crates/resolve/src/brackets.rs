//! Brackets around a byte of a text in any language. Those in strings and comments count too: which quotes begin a string depends on
//! the language and on what stands around them (`don't` in a comment, a lifetime of Rust). `go_values` and `kotlin_code` know the
//! strings of their languages.

/// How far back a bracket is searched for, in bytes.
const MAX_BACK: usize = 4000;

/// Finds the innermost bracket around byte `at`, at most `MAX_BACK` bytes back.
pub(super) fn open_bracket(text: &str, at: usize) -> Option<usize> {
    let from = at.saturating_sub(MAX_BACK);
    let mut depth = 0_usize;
    for (offset, &byte) in text.as_bytes().get(from..at)?.iter().enumerate().rev() {
        match byte {
            b')' | b']' | b'}' => depth += 1,
            b'(' | b'[' | b'{' if depth == 0 => return Some(from + offset),
            b'(' | b'[' | b'{' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Finds the parenthesis directly around byte `at`; `None` when the innermost bracket is another one, or is
/// too far back.
pub(super) fn open_parenthesis(text: &str, at: usize) -> Option<usize> {
    open_bracket(text, at).filter(|&open| text[open..].starts_with('('))
}

/// Returns the byte just past the bracket that closes the one at `open`; the text's length when none does.
pub(super) fn close_bracket(text: &str, open: usize) -> usize {
    let mut depth = 0_usize;
    for (offset, &byte) in text.as_bytes()[open..].iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return open + offset + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// Returns the bytes between the bracket at `open` and the one that closes it; all bytes behind it when none does.
pub(super) fn within_brackets(text: &str, open: usize) -> (usize, usize) {
    let end = close_bracket(text, open);
    let is_closed = text[open + 1..end].ends_with([')', ']', '}']);
    (open + 1, if is_closed { end - 1 } else { end })
}
