//! Unread output of a session. Invariant: memory is bounded; when the buffer is full the oldest bytes are
//! dropped, and the next read reports it.

use std::collections::VecDeque;

use crate::whole_chars;

/// Bytes of unread output kept of one session: many screenfuls. When the buffer is full, the oldest bytes are
/// dropped and the next answer says `truncated`.
pub(super) const UNREAD_BYTES: usize = 32 << 10;

/// The output of a session since it was last read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionOutput {
    /// The text, with `\n` for `\r\n`, and U+FFFD for invalid UTF-8.
    pub output: String,
    /// Whether earlier output was dropped, or there is more than fits one answer.
    pub truncated: bool,
}

/// Buffered output.
#[derive(Debug, Default)]
pub(super) struct Output {
    unread: VecDeque<u8>,
    dropped: bool,
    /// Whether the last byte was `\r`; the next byte determines how it is stored.
    returned: bool,
}

impl Output {
    /// Appends output.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        // Bytes that the rest of the same chunk would displace need not be processed.
        let lost = bytes.len().saturating_sub(2 * UNREAD_BYTES);
        self.dropped |= lost > 0;
        let mut rest = &bytes[lost..];
        while let Some(&first) = rest.first() {
            if std::mem::take(&mut self.returned) && first != b'\n' {
                self.unread.push_back(b'\r');
            }
            let plain = memchr::memchr(b'\r', rest).unwrap_or(rest.len());
            self.unread.extend(&rest[..plain]);
            self.returned = plain < rest.len();
            rest = &rest[rest.len().min(plain + 1)..];
        }
        let too_many = self.unread.len().saturating_sub(UNREAD_BYTES);
        if too_many > 0 {
            self.unread.drain(..too_many);
            self.dropped = true;
        }
    }

    /// Whether more output would displace the oldest.
    pub(super) fn is_full(&self) -> bool {
        self.unread.len() >= UNREAD_BYTES
    }

    pub(super) fn is_empty(&self) -> bool {
        self.unread.is_empty()
    }

    /// Declares that no more output will follow: a pending `\r` is output as it is.
    pub(super) fn end(&mut self) {
        if std::mem::take(&mut self.returned) {
            self.push(b"\r\0");
            self.unread.pop_back();
        }
    }

    /// Takes the buffered output. A partial character at its end stays in the buffer if more output may
    /// follow.
    pub(super) fn take(&mut self, more: More) -> SessionOutput {
        let truncated = std::mem::take(&mut self.dropped) || (self.is_full() && more == More::MayCome);
        let bytes = self.unread.make_contiguous();
        let end = match more {
            More::MayCome => whole_chars(bytes),
            More::WillNotCome => bytes.len(),
        };
        // If the oldest bytes were dropped, the first bytes may be the end of a character.
        let start = match truncated {
            true => bytes.iter().take(3).take_while(|&&byte| byte & 0xC0 == 0x80).count().min(end),
            false => 0,
        };
        let output = String::from_utf8_lossy(&bytes[start..end]).into_owned();
        self.unread.drain(..end);
        SessionOutput { output, truncated }
    }
}

/// Whether a session may print more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum More {
    MayCome,
    WillNotCome,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(output: &mut Output, more: More) -> (String, bool) {
        let shown = output.take(more);
        (shown.output, shown.truncated)
    }

    #[test]
    fn line_ends_are_those_of_files() {
        let mut output = Output::default();
        for piece in ["a\r", "\nb\r\n", "c\rd", "\r\r\n", "e\r"] {
            output.push(piece.as_bytes());
        }
        assert_eq!(take(&mut output, More::MayCome), ("a\nb\nc\rd\r\ne".to_owned(), false));
        output.end();
        assert_eq!(take(&mut output, More::WillNotCome), ("\r".to_owned(), false));
        assert!(output.is_empty());
    }

    #[test]
    fn half_a_character_waits_for_the_rest() {
        let mut output = Output::default();
        output.push("ä€".as_bytes().split_at(4).0);
        assert_eq!(take(&mut output, More::MayCome).0, "ä");
        output.push(&"€".as_bytes()[2..]);
        assert_eq!(take(&mut output, More::MayCome).0, "€");
        output.push(b"\xe2\x82");
        assert_eq!(take(&mut output, More::WillNotCome).0, "\u{fffd}");
    }

    #[test]
    fn the_oldest_is_dropped_and_that_is_told_once() {
        let mut output = Output::default();
        output.push("€".repeat(UNREAD_BYTES).as_bytes());
        assert!(output.is_full());
        let (text, truncated) = take(&mut output, More::MayCome);
        assert!(truncated && text.chars().all(|c| c == '€') && text.len() > UNREAD_BYTES - 3);
        output.push(b"x");
        assert_eq!(take(&mut output, More::MayCome), ("x".to_owned(), false));
        assert!(output.unread.capacity() < 4 * UNREAD_BYTES);
    }
}
