//! Finds a plain text case-insensitively. Not for patterns. It needs no automaton, which takes a tenth of a
//! millisecond to build: longer than the whole search of a small project. Invariant: it finds what the text
//! as a regular expression with `(?i)` finds.

use std::ops::Range;

/// The maximum length in bytes of a text to find in this way: each byte may be compared at each place.
const MAX_LENGTH: usize = 64;

/// ASCII characters of source text, the most frequent first; all others are rarer.
const BYTES_BY_FREQUENCY: &[u8] = b" etaoinsrldcumpfhg_bvwyx()=.,0k1:\"'j2qz";

/// A text to find, prepared.
#[derive(Clone, Debug)]
pub(super) struct CaselessLiteral {
    /// The text in lower case.
    text: Vec<u8>,
    /// The index in `text` of its rarest byte, which is looked for first.
    rarest: usize,
}

impl CaselessLiteral {
    /// Returns `None` for a text that is longer than [`MAX_LENGTH`], or not plain ASCII on one line.
    pub(super) fn new(text: &str) -> Option<CaselessLiteral> {
        let is_plain = |byte: u8| {
            (byte.is_ascii_graphic() || byte == b' ' || byte == b'\t') && !br"\.+*?()|[]{}^$".contains(&byte)
        };
        if text.len() > MAX_LENGTH || !text.bytes().all(is_plain) {
            return None;
        }
        let text = text.to_ascii_lowercase().into_bytes();
        // A byte with a longer form cannot be the one looked for first: the place of its other form would not
        // be found.
        let single = (0..text.len()).filter(|&at| longer_form(text[at]).is_none());
        let rank = |byte| {
            BYTES_BY_FREQUENCY.iter().position(|common| *common == byte).unwrap_or(BYTES_BY_FREQUENCY.len())
        };
        let rarest = single.max_by_key(|&at| rank(text[at]))?;
        Some(CaselessLiteral { text, rarest })
    }

    /// Returns the first match at or behind byte `at` of `within`.
    pub(super) fn find_at(&self, within: &[u8], at: usize) -> Option<Range<usize>> {
        let within_reach = within.get(at..)?;
        let byte = self.text[self.rarest];
        for found in memchr::memchr2_iter(byte, byte.to_ascii_uppercase(), within_reach) {
            let (before, behind) = (&within_reach[..found], &within_reach[found + 1..]);
            let mut left = self.text[..self.rarest].iter().rev();
            let Some(before) = left.try_fold(before, |text, &byte| without_last(text, byte)) else {
                continue;
            };
            let mut right = self.text[self.rarest + 1..].iter();
            let Some(behind) = right.try_fold(behind, |text, &byte| without_first(text, byte)) else {
                continue;
            };
            return Some(at + before.len()..within.len() - behind.len());
        }
        None
    }
}

/// Returns the non-ASCII character that Unicode's simple case folding maps to the same letter.
fn longer_form(byte: u8) -> Option<&'static [u8]> {
    match byte {
        b'k' => Some("\u{212A}".as_bytes()),
        b's' => Some("\u{17F}".as_bytes()),
        _ => None,
    }
}

fn without_first(text: &[u8], byte: u8) -> Option<&[u8]> {
    match text {
        [first, rest @ ..] if first.to_ascii_lowercase() == byte => Some(rest),
        _ => text.strip_prefix(longer_form(byte)?),
    }
}

fn without_last(text: &[u8], byte: u8) -> Option<&[u8]> {
    match text {
        [rest @ .., last] if last.to_ascii_lowercase() == byte => Some(rest),
        _ => text.strip_suffix(longer_form(byte)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_finds_what_the_expression_finds() {
        let texts = [
            "",
            "k",
            "Say TASKS, tasks",
            "ta\u{17F}\u{212A}s taſk tASk",
            "tatata ts\u{17F}tast",
            "\u{17F}a\u{17F}sa sasa",
        ];
        let invalid: &[u8] = b"\xFFtask\xE2\x84 task\xC5s\xAF";
        for source in ["task", "ta", "tas", "sa", "asa", "say t", "#a-b", "aaaa", "t"] {
            let folded = CaselessLiteral::new(source).expect(source);
            let regex = regex::bytes::Regex::new(&format!("(?i){}", regex::escape(source))).expect(source);
            for text in texts.iter().map(|text| text.as_bytes()).chain([invalid]) {
                for at in 0..=text.len() {
                    let expected = regex.find_at(text, at).map(|found| found.range());
                    assert_eq!(folded.find_at(text, at), expected, "{source} from {at} on in {text:?}");
                }
                assert_eq!(folded.find_at(text, text.len() + 1), None);
            }
        }
    }

    #[test]
    fn patterns_are_left_to_the_engines() {
        for source in ["", "a.b", "^a", "a\\b", "(a", "ä", "a\nb", "sks", &"a".repeat(MAX_LENGTH + 1)] {
            assert!(CaselessLiteral::new(source).is_none(), "{source}");
        }
    }
}
