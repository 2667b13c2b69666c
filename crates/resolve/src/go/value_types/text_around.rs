//! Words and brackets around a byte of a Go text.

use super::GO;
use crate::context::{first_word, last_word, text_before};
use crate::resolver::CurrentFile;

/// How far back a bracket is searched for, in bytes.
const MAX_BACK: usize = 20_000;

/// Returns the text before byte `at` without white space and comments at its end.
pub(super) fn before(here: &CurrentFile, at: usize) -> &str {
    text_before(here.text.as_str(), at, GO)
}

/// Returns the text before the bracket at byte `open`, where it belongs to what the bracket begins: a line's end ends an operand.
pub(super) fn operand_before(here: &CurrentFile, open: usize) -> &str {
    let left = before(here, open);
    if here.text.as_str()[left.len()..open].contains('\n') { "" } else { left }
}

/// Finds the innermost bracket around byte `at`. Brackets in strings and runes do not count.
pub(super) fn opening(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let end = at.saturating_sub(MAX_BACK);
    let (mut depth, mut at) = (0_usize, at);
    while at > end {
        at -= 1;
        match bytes[at] {
            b')' | b']' | b'}' => depth += 1,
            b'(' | b'[' | b'{' if depth == 0 => return Some(at),
            b'(' | b'[' | b'{' => depth -= 1,
            quote @ (b'"' | b'`' | b'\'') => at = quote_before(bytes, at, quote)?,
            _ => {}
        }
    }
    None
}

/// Finds the quote that begins the string or rune whose last quote stands at byte `at`.
fn quote_before(bytes: &[u8], at: usize, quote: u8) -> Option<usize> {
    let mut from = at;
    loop {
        from = memchr::memrchr(quote, &bytes[..from])?;
        let escapes = bytes[..from].iter().rev().take_while(|byte| **byte == b'\\').count();
        // A quote of another line belongs to another string, but for raw ones.
        if quote != b'`' && bytes[from..at].contains(&b'\n') {
            return None;
        }
        if quote == b'`' || escapes % 2 == 0 {
            return Some(from);
        }
    }
}

/// Returns the byte just past the bracket that closes the one at `open`.
pub(super) fn closing(text: &str, open: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0_usize, open);
    while at < bytes.len().min(open + MAX_BACK) {
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            quote @ (b'"' | b'`' | b'\'') => {
                at += 1;
                while *bytes.get(at)? != quote {
                    at += if bytes[at] == b'\\' && quote != b'`' { 2 } else { 1 };
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns the byte of the first character from byte `at` on that is no blank and in no comment; line ends are blanks, too.
pub(super) fn skip_blanks(text: &str, at: usize) -> usize {
    let mut rest = text.get(at..).unwrap_or("");
    loop {
        rest = rest.trim_start();
        let skipped = match rest.strip_prefix("//") {
            Some(comment) => comment.find('\n').map(|end| &comment[end..]),
            None => rest.strip_prefix("/*").and_then(|comment| Some(&comment[comment.find("*/")? + 2..])),
        };
        match skipped {
            Some(behind) => rest = behind,
            None => return text.len() - rest.len(),
        }
    }
}

/// Returns the byte of the first character from byte `at` on that is no blank; a line end is none.
pub(super) fn skip_spaces(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or("");
    text.len() - rest.trim_start_matches([' ', '\t']).len()
}

/// Whether no type stands behind the name of a field or a variable that ends at byte `end`.
pub(super) fn is_without_type(text: &str, end: usize) -> bool {
    let behind = &text[skip_spaces(text, end)..];
    behind.is_empty() || behind.starts_with(['\n', '\r', '}', ';', '`', '"', '/', ')'])
}

/// Whether a field's name that ends at byte `end` is the type that a struct embeds, `Base` or `Base[int]`: no type follows it. The
/// length of an array, as in `bytes [4]byte`, stands behind a blank or before its type.
pub(crate) fn embeds(text: &str, end: usize) -> bool {
    let has_arguments = text.get(end..).unwrap_or("").starts_with('[');
    is_without_type(text, if has_arguments { closing(text, end).unwrap_or(end) } else { end })
}

/// Returns where the type of an embedded field begins, whose name stands at byte `start`: `*a.Name`.
pub(super) fn qualifier_start(text: &str, start: usize) -> usize {
    let Some(left) = text[..start].strip_suffix('.') else { return start };
    left.len() - last_word(left).len()
}

/// Splits what stands between two brackets, bytes `from` to `to`, at its commas; returns where each part begins and ends.
pub(super) fn parts(text: &str, from: usize, to: usize) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let (mut parts, mut start, mut at) = (Vec::new(), from, from);
    while at < to {
        match bytes[at] {
            b'(' | b'[' | b'{' => at = closing(text, at).map_or(to, |end| end.min(to)).saturating_sub(1),
            b',' => {
                parts.push((start, at));
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    if !text[start..to].trim().is_empty() {
        parts.push((start, to));
    }
    parts
}

/// Returns the word that begins at byte `at`.
pub(super) fn word_at(text: &str, at: usize) -> &str {
    first_word(text.get(at..).unwrap_or(""))
}

#[cfg(test)]
mod tests {
    use super::{closing, opening, parts};

    #[test]
    fn brackets_in_strings_do_not_count() {
        for text in ["f(a, \")(\")", "f(`)\"`, ')', \"\\\"(\")", "f([]int{1, 2}[g(\"{\")])"] {
            assert_eq!(opening(text, text.len() - 1), Some(1), "{text}");
            assert_eq!(closing(text, 1), Some(text.len()), "{text}");
        }
        assert_eq!(opening("f(\"a\nb\")", 7), None);
        assert_eq!(parts("(a, f(b, c), d)", 1, 14), [(1, 2), (3, 11), (12, 14)]);
    }
}
