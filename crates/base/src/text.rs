//! A file's text, decoded once; its line starts are computed once, when they are needed. Lines break only at
//! `\n`, `\r\n` and `\r` (contracts, ruling on read_file). The text keeps its line endings; nothing here
//! normalises.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use super::position::{LineColumn, TextRange};

/// The encoding of a text on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8 without a byte-order mark: text offsets are file offsets.
    Utf8,
    /// UTF-8 behind a byte-order mark, which is not part of the text.
    Utf8Bom,
    /// UTF-16 little endian with its byte-order mark.
    Utf16Le,
    /// UTF-16 big endian with its byte-order mark.
    Utf16Be,
    /// UTF-8 with invalid sequences, each of which was replaced by U+FFFD.
    Lossy,
}

/// Decoded text together with the byte offsets at which its lines start. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Text(Arc<DecodedText>);

#[derive(Debug)]
struct DecodedText {
    text: String,
    encoding: Encoding,
    /// Computed on first use: many texts are only searched.
    line_starts: OnceLock<Vec<u32>>,
}

/// Error for bytes that are not text: they contain a NUL byte, by which ripgrep and git recognise binary
/// files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("binary file")]
pub struct Binary;

/// Decodes `bytes`. A byte-order mark determines the encoding; without one it is UTF-8, with invalid bytes
/// replaced. A NUL byte in anything but UTF-16 makes the file binary.
pub fn decode(bytes: Vec<u8>) -> Result<(String, Encoding), Binary> {
    match bytes.as_slice() {
        [0xFF, 0xFE, rest @ ..] => Ok((utf16(rest, u16::from_le_bytes), Encoding::Utf16Le)),
        [0xFE, 0xFF, rest @ ..] => Ok((utf16(rest, u16::from_be_bytes), Encoding::Utf16Be)),
        _ if memchr::memchr(0, &bytes).is_some() => Err(Binary),
        [0xEF, 0xBB, 0xBF, rest @ ..] => match String::from_utf8_lossy(rest) {
            Cow::Borrowed(text) => Ok((text.to_owned(), Encoding::Utf8Bom)),
            Cow::Owned(text) => Ok((text, Encoding::Lossy)),
        },
        _ => Ok(match String::from_utf8(bytes) {
            Ok(text) => (text, Encoding::Utf8),
            Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), Encoding::Lossy),
        }),
    }
}

/// Whether a file of the UTF-8 bytes of `text` would be read as that very text. False for a text that begins
/// with what would be taken for a byte-order mark, or that contains a NUL byte.
pub fn decodes_unchanged(text: &str) -> bool {
    !text.starts_with('\u{FEFF}') && memchr::memchr(0, text.as_bytes()).is_none()
}

pub(super) fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let pairs = bytes.chunks_exact(2);
    let odd_byte = if pairs.remainder().is_empty() { None } else { Some(char::REPLACEMENT_CHARACTER) };
    let units = pairs.map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).chain(odd_byte).collect()
}

impl Text {
    /// Decodes a file's bytes. `vfs` has rejected files over 4 GiB before.
    pub fn decode(bytes: Vec<u8>) -> Result<Text, Binary> {
        let (text, encoding) = decode(bytes)?;
        Ok(Text(Arc::new(DecodedText { text, encoding, line_starts: OnceLock::new() })))
    }

    fn line_starts(&self) -> &[u32] {
        self.0.line_starts.get_or_init(|| line_starts(&self.0.text))
    }

    /// Returns the decoded text without a byte-order mark; its line endings are unchanged.
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    pub fn encoding(&self) -> Encoding {
        self.0.encoding
    }

    /// Returns the number of lines as an editor counts them: one more than there are line breaks, so `a\n`
    /// has two, the second of them empty.
    pub fn line_count(&self) -> usize {
        self.line_starts().len()
    }

    /// Returns line `line` (0-based) without its line break; `None` past the last line.
    pub fn line(&self, line: usize) -> Option<&str> {
        let start = *self.line_starts().get(line)? as usize;
        let end = self.line_starts().get(line + 1).map_or(self.0.text.len(), |&next| next as usize);
        Some(self.0.text[start..end].trim_end_matches(['\n', '\r']))
    }

    /// Returns the byte offset at which `line` (0-based) starts; the text's length for every line past the
    /// last.
    pub fn line_start(&self, line: usize) -> usize {
        self.line_starts().get(line).map_or(self.0.text.len(), |&start| start as usize)
    }

    /// Returns the 0-based line and byte column of a byte offset.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let line = self.line_starts().partition_point(|&start| start <= offset) - 1;
        LineColumn {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: offset - self.line_starts()[line],
        }
    }

    /// Returns the text of a range; empty when the range does not lie in the text or splits a character.
    pub fn slice(&self, range: TextRange) -> &str {
        self.0.text.get(range.as_range()).unwrap_or("")
    }
}

/// Returns the byte offsets at which lines start; the first is 0.
pub fn line_starts(text: &str) -> Vec<u32> {
    let bytes = text.as_bytes();
    let mut starts = vec![0];
    for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
        let is_first_half = bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n');
        if !is_first_half {
            starts.push(u32::try_from(at + 1).unwrap_or(u32::MAX));
        }
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> Text {
        Text::decode(bytes.to_vec()).expect("is text")
    }

    #[test]
    fn lines_break_at_all_three_endings_and_at_nothing_else() {
        let text = text("a\r\nb\rc\nd\u{2028}e\u{c}f".as_bytes());
        let lines: Vec<&str> = (0..text.line_count()).filter_map(|line| text.line(line)).collect();
        assert_eq!(lines, ["a", "b", "c", "d\u{2028}e\u{c}f"]);
        assert_eq!(text.line_column(3), LineColumn { line: 1, column: 0 });
        assert_eq!(text.line_column(6), LineColumn { line: 2, column: 1 });
    }

    #[test]
    fn what_is_read_as_itself_is_what_decoding_leaves_alone() {
        for text in [
            "",
            "a",
            "\u{FEFF}",
            "\u{FEFF}a",
            "a\u{FEFF}",
            "\0",
            "a\0",
            "\u{FFFE}",
            "\u{FF}\u{FE}a",
            "\u{FFFD}",
        ] {
            let is_itself = decode(text.as_bytes().to_vec()) == Ok((text.to_owned(), Encoding::Utf8));
            assert_eq!(decodes_unchanged(text), is_itself, "{text:?}");
        }
    }

    #[test]
    fn a_byte_order_mark_decides() {
        assert_eq!(text(b"\xEF\xBB\xBFa").as_str(), "a");
        assert_eq!(text(b"\xFF\xFEa\0\x3D\xD8\x00\xDE").as_str(), "a\u{1F600}");
        assert_eq!(text(b"\xFE\xFF\0a\0").as_str(), "a\u{FFFD}");
        assert_eq!(text(b"a\xFFb").encoding(), Encoding::Lossy);
        assert_eq!(Text::decode(b"a\0b".to_vec()).err(), Some(Binary));
    }
}
