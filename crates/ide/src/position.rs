//! Positions of LSP in a text: lines that end at `\n`, `\r\n` or `\r`, and characters in the unit that editor and
//! server agreed on. Invariant: an offset that is returned lies on a character's boundary.

use serde::{Deserialize, Serialize};

/// A position as LSP has it: both 0-based.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LspPosition {
    pub line: u32,
    /// In units of the [`PositionEncoding`].
    pub character: u32,
}

/// A half-open range of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LspRange {
    pub start: LspPosition,
    pub end: LspPosition,
}

/// The unit of characters in positions (LSP 3.17, `PositionEncodingKind`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionEncoding {
    Utf8,
    Utf16,
    Utf32,
}

impl PositionEncoding {
    /// Returns the encoding to use with a client that offers `offered`: bytes where it can count them.
    pub fn choose(offered: &[String]) -> PositionEncoding {
        let has = |name: &str| offered.iter().any(|offer| offer == name);
        if has("utf-8") {
            PositionEncoding::Utf8
        } else if has("utf-32") && !has("utf-16") {
            PositionEncoding::Utf32
        } else {
            PositionEncoding::Utf16
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            PositionEncoding::Utf8 => "utf-8",
            PositionEncoding::Utf16 => "utf-16",
            PositionEncoding::Utf32 => "utf-32",
        }
    }

    fn units(self, character: char) -> usize {
        match self {
            PositionEncoding::Utf8 => character.len_utf8(),
            PositionEncoding::Utf16 => character.len_utf16(),
            PositionEncoding::Utf32 => 1,
        }
    }

    /// Returns the byte offset of a position. A character past the end of its line means the line's end (LSP
    /// 3.17, `Position`), and the start of the line after the last one the end of the text. `None` for a
    /// position in the middle of a character or in a line that does not exist.
    pub fn offset(self, text: &str, position: LspPosition) -> Option<usize> {
        let Some(start) = line_start(text, position.line) else {
            let is_after_last = position.character == 0
                && (position.line == 0 || line_start(text, position.line - 1).is_some());
            return is_after_last.then_some(text.len());
        };
        let bytes = text.as_bytes();
        let end = memchr::memchr2(b'\n', b'\r', &bytes[start..]).map_or(text.len(), |at| start + at);
        let wanted = position.character as usize;
        let line = &text[start..end];
        if line.is_ascii() {
            return Some(start + wanted.min(line.len()));
        }
        let mut counted = 0;
        for (at, character) in line.char_indices() {
            if counted >= wanted {
                return (counted == wanted).then_some(start + at);
            }
            counted += self.units(character);
        }
        (counted <= wanted).then_some(end)
    }

    /// Returns the position of a byte offset, which must lie on a character's boundary. An offset between `\r`
    /// and `\n` has none of its own: it gets that of the line's end.
    pub fn position(self, text: &str, offset: usize) -> LspPosition {
        let before = &text[..offset];
        let bytes = text.as_bytes();
        let is_split = offset > 0 && bytes[offset - 1] == b'\r' && bytes.get(offset) == Some(&b'\n');
        let before = if is_split { &before[..offset - 1] } else { before };
        let (mut line, mut start) = (0_u32, 0);
        for at in memchr::memchr2_iter(b'\n', b'\r', before.as_bytes()) {
            if bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n') {
                continue;
            }
            (line, start) = (line.saturating_add(1), at + 1);
        }
        let units = before[start..].chars().map(|character| self.units(character)).sum::<usize>();
        LspPosition { line, character: u32::try_from(units).unwrap_or(u32::MAX) }
    }
}

/// Returns the offset at which `line` starts, if there is such a line.
fn line_start(text: &str, line: u32) -> Option<usize> {
    if line == 0 {
        return Some(0);
    }
    let bytes = text.as_bytes();
    memchr::memchr2_iter(b'\n', b'\r', bytes)
        .filter(|&at| !(bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n')))
        .nth(line as usize - 1)
        .map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, character: u32) -> LspPosition {
        LspPosition { line, character }
    }

    #[test]
    fn characters_count_in_the_unit_that_was_agreed_on() {
        let text = "a\r\né𝒳z\rlast";
        for (encoding, character) in
            [(PositionEncoding::Utf8, 6), (PositionEncoding::Utf16, 3), (PositionEncoding::Utf32, 2)]
        {
            let z = text.find('z').unwrap();
            assert_eq!(encoding.offset(text, at(1, character)), Some(z), "{encoding:?}");
            assert_eq!(encoding.position(text, z), at(1, character), "{encoding:?}");
            assert_eq!(encoding.offset(text, at(2, 4)), Some(text.len()));
            assert_eq!(encoding.position(text, text.len()), at(2, 4));
        }
    }

    #[test]
    fn places_outside_the_text_are_the_ends_that_lsp_names_or_none() {
        let utf16 = PositionEncoding::Utf16;
        assert_eq!(utf16.offset("ab\n", at(0, 9)), Some(2));
        assert_eq!(utf16.offset("é\n", at(0, 9)), Some(2));
        assert_eq!(utf16.offset("ab\n", at(1, 0)), Some(3));
        assert_eq!(utf16.offset("ab\n", at(2, 0)), Some(3));
        assert_eq!(utf16.offset("ab", at(1, 0)), Some(2));
        for lost in [at(3, 0), at(2, 1), at(u32::MAX, 0)] {
            assert_eq!(utf16.offset("ab\n", lost), None, "{lost:?}");
        }
        assert_eq!(utf16.offset("𝒳", at(0, 1)), None);
        assert_eq!(utf16.offset("", at(0, 0)), Some(0));
    }

    #[test]
    fn every_offset_has_a_position_that_leads_back() {
        let text = "x\r\n\né𝒳\r\ry";
        for encoding in [PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32] {
            for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let back = encoding.offset(text, encoding.position(text, offset));
                let expected = if offset == 2 { 1 } else { offset };
                assert_eq!(back, Some(expected), "{encoding:?}");
            }
        }
    }

    #[test]
    fn bytes_are_preferred_and_utf_16_is_the_rule() {
        let offers = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(PositionEncoding::choose(&[]), PositionEncoding::Utf16);
        assert_eq!(PositionEncoding::choose(&offers(&["utf-32", "utf-8"])), PositionEncoding::Utf8);
        assert_eq!(PositionEncoding::choose(&offers(&["utf-32"])), PositionEncoding::Utf32);
        assert_eq!(PositionEncoding::choose(&offers(&["utf-32", "utf-16"])), PositionEncoding::Utf16);
    }
}
