//! The output of a command on one stream, up to a limit. Invariant: memory is bounded by [`Keep`], however
//! much is written; all bytes are counted.

use std::borrow::Cow;
use std::collections::VecDeque;

/// How many bytes of a stream are kept: of its beginning, and of its end, where errors usually are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// Bytes kept of the beginning.
    pub first: usize,
    /// Bytes kept of the end.
    pub last: usize,
}

/// The captured output of one stream.
#[derive(Clone, Debug)]
pub struct Captured {
    keep: Keep,
    first: Vec<u8>,
    last: VecDeque<u8>,
    bytes: u64,
    line_ends: u64,
    ends_a_line: bool,
}

impl Captured {
    pub fn new(keep: Keep) -> Captured {
        Captured { keep, first: Vec::new(), last: VecDeque::new(), bytes: 0, line_ends: 0, ends_a_line: true }
    }

    /// Appends output.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.line_ends += memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.ends_a_line = bytes.last().map_or(self.ends_a_line, |&byte| byte == b'\n');
        let (first, rest) = bytes.split_at(bytes.len().min(self.keep.first - self.first.len()));
        self.first.extend_from_slice(first);
        // Of a chunk longer than the limit only the end is kept.
        let rest = &rest[rest.len().saturating_sub(self.keep.last)..];
        let too_many = (self.last.len() + rest.len()).saturating_sub(self.keep.last);
        self.last.drain(..too_many);
        self.last.extend(rest);
    }

    /// Returns the number of lines written, kept or not; a last line without a newline counts.
    pub fn lines(&self) -> u64 {
        self.line_ends + u64::from(!self.ends_a_line)
    }

    /// Returns the number of bytes that were written but not kept.
    pub fn omitted_bytes(&self) -> u64 {
        self.bytes - self.first.len() as u64 - self.last.len() as u64
    }

    /// Returns the output as text, with U+FFFD for invalid UTF-8; a line states how many bytes were omitted,
    /// if any.
    pub fn text(&self) -> String {
        let (front, back) = self.last.as_slices();
        match self.omitted_bytes() {
            0 => lossy(&[&self.first, front, back].concat()).into_owned(),
            left_out => {
                // A character that was cut in two is omitted completely.
                let first = &self.first[..whole_chars(&self.first)];
                let last = [front, back].concat();
                let cut = last.iter().take(3).take_while(|&&byte| byte & 0xC0 == 0x80).count();
                let gap = left_out + (self.first.len() - first.len() + cut) as u64;
                let (first, last) = (lossy(first), lossy(&last[cut..]));
                let (before, after) = (line_end(&first), if last.is_empty() { "" } else { "\n" });
                format!("{first}{before}[... {gap} bytes of output left out ...]{after}{last}")
            }
        }
    }

    /// Returns the beginning alone as text, without a partial character at its end.
    pub fn beginning(&self) -> Cow<'_, str> {
        match self.omitted_bytes() {
            0 => lossy(&self.first),
            _ => lossy(&self.first[..whole_chars(&self.first)]),
        }
    }
}

fn line_end(text: &str) -> &'static str {
    if text.is_empty() || text.ends_with('\n') { "" } else { "\n" }
}

fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Returns the length of `bytes` without an incomplete character at the end that further bytes may complete.
pub(crate) fn whole_chars(bytes: &[u8]) -> usize {
    match bytes.utf8_chunks().last() {
        // Up to three bytes can be an incomplete character; invalid bytes are kept as they are.
        Some(chunk) if !chunk.invalid().is_empty() && may_go_on(chunk.invalid()) => {
            bytes.len() - chunk.invalid().len()
        }
        _ => bytes.len(),
    }
}

/// Whether these bytes, which are not valid UTF-8, are the beginning of a character.
fn may_go_on(bytes: &[u8]) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(_) => false,
        Err(error) => error.error_len().is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(keep: (usize, usize), pieces: &[&[u8]]) -> Captured {
        let mut captured = Captured::new(Keep { first: keep.0, last: keep.1 });
        pieces.iter().for_each(|piece| captured.push(piece));
        captured
    }

    #[test]
    fn the_beginning_and_the_end_are_kept() {
        assert_eq!(captured((4, 4), &[b"ab", b"cdef", b"gh"]).text(), "abcdefgh");
        let cut = captured((4, 4), &[b"ab", b"cdef", b"ghi"]);
        assert_eq!(
            (cut.text(), cut.omitted_bytes()),
            ("abcd\n[... 1 bytes of output left out ...]\nfghi".to_owned(), 1)
        );
        assert_eq!(captured((4, 0), &[b"abc\nefgh"]).text(), "abc\n[... 4 bytes of output left out ...]");
        assert_eq!(captured((0, 2), &[b"abcd"]).text(), "[... 2 bytes of output left out ...]\ncd");
        assert_eq!(captured((4, 0), &[b"abcde"]).beginning(), "abcd");
        assert_eq!(captured((4, 4), &[]).text(), "");
        let lines = |text: &[u8]| captured((1, 1), &[text]).lines();
        assert_eq!((lines(b""), lines(b"\n"), lines(b"a\nb"), lines(b"a\nb\n")), (0, 1, 2, 2));
    }

    #[test]
    fn no_character_is_cut() {
        let text = "äöü€".as_bytes();
        assert_eq!(captured((3, 4), &[text]).text(), "ä\n[... 4 bytes of output left out ...]\n€");
        assert_eq!(captured((3, 0), &[text]).beginning(), "ä");
        assert_eq!(captured((9, 0), &[b"\xff\xc3"]).text(), "\u{fffd}\u{fffd}");
        assert_eq!(whole_chars(b"a\xe2\x82"), 1);
        assert_eq!(whole_chars(b"a\xff"), 2);
        assert_eq!(whole_chars("a€".as_bytes()), 4);
    }

    #[test]
    fn memory_is_bounded() {
        let mut captured = Captured::new(Keep { first: 1_000, last: 1_000 });
        let piece = [b'x'; 4_096];
        (0..10_000).for_each(|_| captured.push(&piece));
        assert_eq!(captured.bytes, 40_960_000);
        assert_eq!(captured.omitted_bytes(), 40_958_000);
        assert!(captured.first.capacity() + captured.last.capacity() < 10_000);
    }
}
