//! A text with `\n` for every line break, for matching, and the mapping of its offsets back to the original.
//! Invariant: a line break is matched whole or not at all.

use std::borrow::Cow;
use std::ops::Range;

use symd_base::TextRange;

/// A text with normalised line breaks, as Python reads it.
pub(super) struct Normalised<'a> {
    /// The text with `\n` for every line break.
    pub(super) text: Cow<'a, str>,
    /// The offsets in `text` of each `\n` that represents two bytes, ascending.
    pairs: Vec<u32>,
}

impl<'a> Normalised<'a> {
    pub(super) fn of(text: &'a str) -> Normalised<'a> {
        let bytes = text.as_bytes();
        if memchr::memchr(b'\r', bytes).is_none() {
            return Normalised { text: Cow::Borrowed(text), pairs: Vec::new() };
        }
        let mut fed = String::with_capacity(text.len());
        let mut pairs = Vec::new();
        let mut from = 0;
        for at in memchr::memchr_iter(b'\r', bytes) {
            fed.push_str(&text[from..at]);
            from = at + 1;
            if bytes.get(from) == Some(&b'\n') {
                pairs.push(offset(fed.len()));
                from += 1;
            }
            fed.push('\n');
        }
        fed.push_str(&text[from..]);
        Normalised { text: Cow::Owned(fed), pairs }
    }

    /// Maps `range` of the normalised text to the original.
    pub(super) fn original(&self, range: Range<usize>) -> TextRange {
        let original = |at: usize| {
            let before = self.pairs.partition_point(|&pair| (pair as usize) < at);
            offset(at + before)
        };
        TextRange::new(original(range.start), original(range.end))
    }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_offset_finds_its_way_back() {
        let text = "a\r\n😀\rb\n\r\n\r\nc";
        let normalised = Normalised::of(text);
        assert_eq!(normalised.text, "a\n😀\nb\n\n\nc");
        let slice = |range| &text[normalised.original(range).as_range()];
        assert_eq!(slice(0..1), "a");
        assert_eq!(slice(1..2), "\r\n");
        assert_eq!(slice(2..7), "😀\r");
        assert_eq!(slice(8..11), "\n\r\n\r\n");
        assert_eq!(slice(11..12), "c");
        assert_eq!(slice(0..12), text);
    }
}
