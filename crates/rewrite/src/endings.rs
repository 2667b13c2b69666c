//! The line endings of a text, so that new text gets those of the place where it is put: in a text with one
//! kind of ending that kind, in a mixed text the ending of the line there. Not a normaliser: the text itself
//! stays as it is.

use std::borrow::Cow;

use symd_base::text::line_starts;

/// A kind of line ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
    /// `\r`
    Cr,
}

impl Ending {
    pub fn as_str(self) -> &'static str {
        match self {
            Ending::Lf => "\n",
            Ending::CrLf => "\r\n",
            Ending::Cr => "\r",
        }
    }

    /// Returns `text` with this ending for every line break.
    pub fn apply_to(self, text: &str) -> Cow<'_, str> {
        let is_kept = match self {
            Ending::Lf => memchr::memchr(b'\r', text.as_bytes()).is_none(),
            Ending::CrLf | Ending::Cr => memchr::memchr2(b'\r', b'\n', text.as_bytes()).is_none(),
        };
        if is_kept { Cow::Borrowed(text) } else { Cow::Owned(line_feeds(text).replace('\n', self.as_str())) }
    }
}

/// Returns `text` with `\n` for every line break.
pub(super) fn line_feeds(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
}

/// The line endings of one text. Computed once per edit, so that a look-up need not scan the text.
#[derive(Debug)]
pub struct Endings<'a> {
    text: &'a str,
    /// The ending of every line; `None` in a mixed text.
    uniform: Option<Ending>,
    /// The starts of the lines; empty unless the text is mixed.
    starts: Vec<u32>,
}

impl<'a> Endings<'a> {
    /// Scans `text`. A text without any line break counts as one with `\n`.
    pub fn of(text: &'a str) -> Endings<'a> {
        let bytes = text.as_bytes();
        let mut uniform = None;
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            let ending = match bytes[at] {
                b'\r' if bytes.get(at + 1) == Some(&b'\n') => continue,
                b'\r' => Ending::Cr,
                _ if at > 0 && bytes[at - 1] == b'\r' => Ending::CrLf,
                _ => Ending::Lf,
            };
            if *uniform.get_or_insert(ending) != ending {
                return Endings { text, uniform: None, starts: line_starts(text) };
            }
        }
        Endings { text, uniform: Some(uniform.unwrap_or(Ending::Lf)), starts: Vec::new() }
    }

    /// Returns the ending for text inserted at byte `at`: that of the line there; behind the last line break,
    /// that of the line before.
    pub fn at(&self, at: usize) -> Ending {
        if let Some(uniform) = self.uniform {
            return uniform;
        }
        let line = self.starts.partition_point(|&start| start as usize <= at);
        // The break of the line at `at` ends where the next line starts.
        let next = self.starts.get(line).or(self.starts.last()).map_or(0, |&start| start as usize);
        let before = &self.text[..next];
        if before.ends_with("\r\n") {
            Ending::CrLf
        } else if before.ends_with('\r') {
            Ending::Cr
        } else {
            Ending::Lf
        }
    }
}

/// Whether `text` ends with a line break.
pub(super) fn is_terminated(text: &str) -> bool {
    text.ends_with(['\n', '\r'])
}

/// Returns `text` without the one line break at its end, if it has one.
pub(super) fn without_break(text: &str) -> &str {
    text.strip_suffix("\r\n").or_else(|| text.strip_suffix(['\n', '\r'])).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_is_that_of_the_place() {
        let cases = [
            ("", 0, Ending::Lf),
            ("a", 1, Ending::Lf),
            ("a\r\nb", 4, Ending::CrLf),
            ("a\rb\r", 0, Ending::Cr),
            // Mixed: lines `a`, `b`, `c` and one without a line break.
            ("a\r\nb\nc\rd", 0, Ending::CrLf),
            ("a\r\nb\nc\rd", 1, Ending::CrLf),
            ("a\r\nb\nc\rd", 3, Ending::Lf),
            ("a\r\nb\nc\rd", 5, Ending::Cr),
            ("a\r\nb\nc\rd", 7, Ending::Cr),
            ("a\nb\r\n", 5, Ending::CrLf),
        ];
        for (text, at, expected) in cases {
            assert_eq!(Endings::of(text).at(at), expected, "{text:?} at {at}");
        }
    }

    #[test]
    fn every_break_is_adopted_and_nothing_else_changes() {
        let given = "a\nb\r\nc\rd\u{2028}😀";
        assert_eq!(Ending::Lf.apply_to(given), "a\nb\nc\nd\u{2028}😀");
        assert_eq!(Ending::CrLf.apply_to(given), "a\r\nb\r\nc\r\nd\u{2028}😀");
        assert_eq!(Ending::Cr.apply_to(given), "a\rb\rc\rd\u{2028}😀");
        assert_eq!(without_break("a\r\n\r\n"), "a\r\n");
        assert!(is_terminated("a\r") && !is_terminated(""));
    }
}
