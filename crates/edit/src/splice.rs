//! Applies text edits to the bytes of a file: new text is encoded like the file, everything else is copied
//! byte for byte, valid or not. Offsets are those of `base::text::decode`, which this mirrors.

use std::borrow::Cow;

use super::error::EditError;
use symd_base::text::{Binary, Encoding, decode};
use symd_base::{RelPath, TextEdits};

/// Returns the bytes of `path` after `edits`.
pub(super) fn splice(path: &RelPath, bytes: &[u8], edits: &TextEdits) -> Result<Vec<u8>, EditError> {
    // Decoding consumes the copy and reuses it for the text.
    let decoded = decode(bytes.to_vec());
    let (text, encoding) = decoded.map_err(|Binary| EditError::Binary { path: path.clone() })?;
    // Rejects ranges that lie outside the text or split a character.
    let after = edits.apply(&text).map_err(|source| EditError::Text { path: path.clone(), source })?;
    match encoding {
        Encoding::Utf8 => return Ok(after.into_bytes()),
        Encoding::Utf8Bom => return Ok([&bytes[..3], after.as_bytes()].concat()),
        Encoding::Utf16Le | Encoding::Utf16Be | Encoding::Lossy => drop(text),
    }
    let mut pieces = Pieces::new(bytes, encoding);
    let mut result = Vec::with_capacity(bytes.len());
    let mut copied = 0;
    for edit in edits.iter() {
        let range = edit.range.as_range();
        let start = pieces.byte_of(range.start);
        if let Some(offset) = pieces.invalid_in(range.start, range.end) {
            return Err(EditError::InvalidBytes { path: path.clone(), offset });
        }
        let end = pieces.byte_of(range.end);
        result.extend_from_slice(&bytes[copied..start]);
        result.extend_from_slice(&encoded(&edit.new_text, encoding));
        copied = end;
    }
    result.extend_from_slice(&bytes[copied..]);
    // Invalid bytes that become adjacent to others can change their meaning: half a UTF-16 unit shifts what
    // follows, and two halves of a character form one.
    if decode(result.clone()).is_ok_and(|(text, _)| text == after) {
        return Ok(result);
    }
    let offset = edits.iter().next().map_or(0, |edit| edit.range.as_range().start);
    Err(EditError::InvalidBytes { path: path.clone(), offset })
}

/// Returns the text of `bytes`; `None` if they are not exactly those of a text.
pub(super) fn exact_text(bytes: &[u8]) -> Option<String> {
    let (text, _) = decode(bytes.to_vec()).ok()?;
    (encoded_like(&text, bytes)? == bytes).then_some(text)
}

/// Returns a file of `text` in the encoding of `like`; `None` if that is not known.
pub(super) fn encoded_like(text: &str, like: &[u8]) -> Option<Vec<u8>> {
    let (_, encoding) = decode(like.to_vec()).ok()?;
    let mark = match encoding {
        Encoding::Utf8 => 0,
        Encoding::Utf8Bom => 3,
        Encoding::Utf16Le | Encoding::Utf16Be => 2,
        Encoding::Lossy => return None,
    };
    Some([&like[..mark], &encoded(text, encoding)].concat())
}

fn encoded(text: &str, encoding: Encoding) -> Cow<'_, [u8]> {
    match encoding {
        Encoding::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>().into(),
        Encoding::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>().into(),
        Encoding::Utf8 | Encoding::Utf8Bom | Encoding::Lossy => text.as_bytes().into(),
    }
}

/// A segment of a file and of its decoded text.
#[derive(Clone, Copy, Debug)]
struct Piece {
    text: usize,
    text_length: usize,
    byte: usize,
    byte_length: usize,
    valid: bool,
}

/// The segments of a file from front to back: one character each in UTF-16; longer in UTF-8, where offsets
/// within a valid segment are the same in bytes and text.
struct Pieces<'b> {
    bytes: &'b [u8],
    encoding: Encoding,
    current: Piece,
}

impl<'b> Pieces<'b> {
    fn new(bytes: &'b [u8], encoding: Encoding) -> Pieces<'b> {
        let mark = match encoding {
            Encoding::Utf16Le | Encoding::Utf16Be => 2,
            _ if bytes.starts_with(b"\xEF\xBB\xBF") => 3,
            _ => 0,
        };
        let current = Piece { text: 0, text_length: 0, byte: mark, byte_length: 0, valid: true };
        Pieces { bytes, encoding, current }
    }

    /// Returns the byte position of the text's `offset`; offsets must not precede the current piece.
    fn byte_of(&mut self, offset: usize) -> usize {
        while offset > self.current.text + self.current.text_length && self.step() {}
        let inside = offset - self.current.text;
        if inside == self.current.text_length {
            self.current.byte + self.current.byte_length
        } else {
            self.current.byte + inside
        }
    }

    /// Returns the text offset of the first invalid piece that overlaps `start..end`. Advances to `end`.
    fn invalid_in(&mut self, start: usize, end: usize) -> Option<usize> {
        let touched = |piece: Piece| {
            (!piece.valid && piece.text < end && start < piece.text + piece.text_length).then_some(piece.text)
        };
        // Pieces before the current one end before `start`.
        if let Some(offset) = touched(self.current) {
            return Some(offset);
        }
        while end > self.current.text + self.current.text_length && self.step() {
            if let Some(offset) = touched(self.current) {
                return Some(offset);
            }
        }
        None
    }

    fn step(&mut self) -> bool {
        let text = self.current.text + self.current.text_length;
        let byte = self.current.byte + self.current.byte_length;
        let rest = &self.bytes[byte..];
        if rest.is_empty() {
            return false;
        }
        let (text_length, byte_length, valid) = match self.encoding {
            Encoding::Utf16Le => utf16_piece(rest, u16::from_le_bytes),
            Encoding::Utf16Be => utf16_piece(rest, u16::from_be_bytes),
            _ => utf8_piece(rest),
        };
        self.current = Piece { text, text_length, byte, byte_length, valid };
        true
    }
}

fn utf16_piece(rest: &[u8], unit: fn([u8; 2]) -> u16) -> (usize, usize, bool) {
    let replacement = char::REPLACEMENT_CHARACTER.len_utf8();
    let units = rest.chunks_exact(2).take(2).map(|pair| unit([pair[0], pair[1]]));
    match char::decode_utf16(units).next() {
        Some(Ok(character)) => (character.len_utf8(), 2 * character.len_utf16(), true),
        Some(Err(_)) => (replacement, 2, false),
        None => (replacement, rest.len(), false),
    }
}

fn utf8_piece(rest: &[u8]) -> (usize, usize, bool) {
    let Some(chunk) = rest.utf8_chunks().next() else { return (0, 0, true) };
    if chunk.valid().is_empty() {
        (char::REPLACEMENT_CHARACTER.len_utf8(), chunk.invalid().len(), false)
    } else {
        (chunk.valid().len(), chunk.valid().len(), true)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{ProptestConfig, any, prop_assert_eq, proptest};
    use proptest::sample::{Index, select};
    use proptest::test_runner::RngSeed;

    use super::*;
    use symd_base::{TextEdit, TextRange};

    fn made(bytes: &[u8], edits: &[(u32, u32, &str)]) -> Result<Vec<u8>, EditError> {
        let edits = edits.iter().map(|&(start, end, text)| TextEdit {
            range: TextRange::new(start, end),
            new_text: text.to_owned(),
        });
        let edits = TextEdits::new(edits.collect()).expect("disjoint");
        splice(&RelPath::new("f").expect("valid"), bytes, &edits)
    }

    #[test]
    fn every_encoding_is_kept() {
        assert_eq!(made(b"a\r\nb", &[(0, 1, "\u{e4}")]).expect("made"), b"\xC3\xA4\r\nb");
        assert_eq!(made(b"\xEF\xBB\xBFab", &[(0, 1, ""), (2, 2, "c")]).expect("made"), b"\xEF\xBB\xBFbc");
        let little = b"\xFF\xFEa\0\x3D\xD8\x00\xDEb\0";
        assert_eq!(
            made(little, &[(0, 0, "\u{e4}"), (1, 5, ""), (6, 6, "\u{1F600}")]).expect("made"),
            b"\xFF\xFE\xE4\0a\0b\0\x3D\xD8\x00\xDE"
        );
        assert_eq!(made(b"\xFE\xFF\0a\0b", &[(1, 2, "cd")]).expect("made"), b"\xFE\xFF\0a\0c\0d");
        assert_eq!(made(b"", &[(0, 0, "x")]).expect("made"), b"x");
        assert_eq!(made(b"\xFF\xFE", &[(0, 0, "x")]).expect("made"), b"\xFF\xFEx\0");
    }

    #[test]
    fn invalid_bytes_are_kept_or_the_edit_is_refused() {
        // Text: `a`, U+FFFD at 1..4, `b`, U+FFFD at 5..8 and at 8..11, `c`.
        let lossy = b"a\xFFb\xC0\xC1c";
        assert_eq!(
            made(lossy, &[(0, 1, "A"), (4, 5, "B"), (11, 12, "C")]).expect("made"),
            b"A\xFFB\xC0\xC1C"
        );
        assert_eq!(
            made(lossy, &[(1, 1, "<"), (4, 4, ">"), (8, 8, "-")]).expect("made"),
            b"a<\xFF>b\xC0-\xC1c"
        );
        assert_eq!(made(b"\xEF\xBB\xBFa\xFFb", &[(4, 5, "B")]).expect("made"), b"\xEF\xBB\xBFa\xFFB");
        for touching in [(1, 4), (0, 5), (0, 12), (5, 8), (8, 12)] {
            let refused = made(lossy, &[(touching.0, touching.1, "x")]);
            assert!(matches!(refused, Err(EditError::InvalidBytes { .. })), "{touching:?}");
        }
        // A valid U+FFFD is ordinary text.
        assert_eq!(
            made("\u{FFFD}\u{FFFD}".as_bytes(), &[(0, 3, "x")]).expect("made"),
            "x\u{FFFD}".as_bytes()
        );
        // An unpaired surrogate, and an odd byte at the end.
        let broken = b"\xFF\xFE\x3D\xD8a\0b";
        assert_eq!(made(broken, &[(3, 4, "x")]).expect("made"), b"\xFF\xFE\x3D\xD8x\0b");
        assert!(matches!(made(broken, &[(0, 3, "")]), Err(EditError::InvalidBytes { offset: 0, .. })));
        assert!(matches!(made(broken, &[(4, 7, "")]), Err(EditError::InvalidBytes { offset: 4, .. })));
        // Bytes that would form another character when adjacent, or text after half a unit.
        assert!(matches!(made(b"\xE2\x82x\xAC", &[(3, 4, "")]), Err(EditError::InvalidBytes { .. })));
        assert!(matches!(made(broken, &[(7, 7, "x")]), Err(EditError::InvalidBytes { .. })));
        assert!(matches!(made(b"a\0", &[(0, 1, "")]), Err(EditError::Binary { .. })));
    }

    /// Valid and invalid pieces of text in every encoding.
    const PIECES: [&[u8]; 8] =
        [b"a", b"\r\n", "\u{e4}".as_bytes(), "\u{1F600}".as_bytes(), b"\xFF", b"\xE2\x82", b"\x80", b"x"];
    const MARKS: [&[u8]; 4] = [b"", b"\xEF\xBB\xBF", b"\xFF\xFE", b"\xFE\xFF"];

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 2_000,
            failure_persistence: None,
            rng_seed: RngSeed::Fixed(4),
            ..ProptestConfig::default()
        })]

        /// The spliced bytes decode to the edited text.
        #[test]
        fn splicing_and_decoding_commute(
            mark in select(&MARKS[..]),
            pieces in vec(select(&PIECES[..]), 0..12),
            ends in any::<(Index, Index)>(),
        ) {
            let bytes = [mark, &pieces.concat()].concat();
            let Ok((text, _)) = decode(bytes.clone()) else { return Ok(()) };
            let boundaries: Vec<usize> = (0..=text.len()).filter(|&at| text.is_char_boundary(at)).collect();
            let (a, b) = (*ends.0.get(&boundaries), *ends.1.get(&boundaries));
            let (start, end) = (u32::try_from(a.min(b)).expect("small"), u32::try_from(a.max(b)).expect("small"));
            let edits = TextEdits::one(TextRange::new(start, end), "n\u{e9}w");
            let Ok(after) = splice(&RelPath::new("f").expect("valid"), &bytes, &edits) else { return Ok(()) };
            prop_assert_eq!(decode(after).expect("text").0, edits.apply(&text).expect("inside"));
        }
    }
}
