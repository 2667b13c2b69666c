//! Texts in an encoding that the reader names, whatever the bytes say. Invariant: bytes that are invalid in that
//! encoding become U+FFFD; a byte-order mark is not part of the text.

use super::text::{Binary, utf16};

/// An encoding that a client can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclaredEncoding {
    Utf8,
    /// Little endian unless a byte-order mark says otherwise.
    Utf16,
    /// Seven bits: every other byte is invalid.
    Ascii,
}

impl DeclaredEncoding {
    /// Decodes `bytes`. A NUL character makes them binary.
    pub fn decode(self, bytes: &[u8]) -> Result<String, Binary> {
        let text = match (self, bytes) {
            (DeclaredEncoding::Utf16, [0xFE, 0xFF, rest @ ..]) => utf16(rest, u16::from_be_bytes),
            (DeclaredEncoding::Utf16, [0xFF, 0xFE, rest @ ..] | rest) => utf16(rest, u16::from_le_bytes),
            (DeclaredEncoding::Utf8, [0xEF, 0xBB, 0xBF, rest @ ..] | rest) => {
                String::from_utf8_lossy(rest).into_owned()
            }
            (DeclaredEncoding::Ascii, bytes) => bytes.iter().map(|&byte| seven_bits(byte)).collect(),
        };
        if text.contains('\0') { Err(Binary) } else { Ok(text) }
    }
}

fn seven_bits(byte: u8) -> char {
    if byte.is_ascii() { char::from(byte) } else { char::REPLACEMENT_CHARACTER }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_bytes_are_replaced_and_marks_dropped() {
        let read = |encoding: DeclaredEncoding, bytes: &[u8]| encoding.decode(bytes).ok();
        assert_eq!(read(DeclaredEncoding::Utf8, b"\xEF\xBB\xBFgr\xFCn").as_deref(), Some("gr\u{FFFD}n"));
        assert_eq!(read(DeclaredEncoding::Ascii, "ä\n".as_bytes()).as_deref(), Some("\u{FFFD}\u{FFFD}\n"));
        assert_eq!(read(DeclaredEncoding::Utf16, b"\xFE\xFF\0a").as_deref(), Some("a"));
        assert_eq!(read(DeclaredEncoding::Utf16, b"\xFF\xFEa\0").as_deref(), Some("a"));
        assert_eq!(read(DeclaredEncoding::Utf16, b"a\0b").as_deref(), Some("a\u{FFFD}"));
        assert_eq!(read(DeclaredEncoding::Utf8, b"a\0"), None);
        assert_eq!(read(DeclaredEncoding::Utf16, b"\0\0"), None);
    }
}
