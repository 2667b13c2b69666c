//! Converts positions: a server's lines and columns in its own units ↔ byte offsets of a text. LSP's line
//! breaks are those of `symd_base::Text`: `\n`, `\r\n` and `\r` (LSP 3.17, "Text Documents"). Invariant: no
//! offset is inside a character.

use super::span::{ColumnEncoding, ServerPosition, Span};
use symd_base::{Text, TextRange};

impl ColumnEncoding {
    /// Returns LSP's name of the encoding (`PositionEncodingKind`).
    pub fn lsp_name(self) -> &'static str {
        match self {
            ColumnEncoding::Utf8 => "utf-8",
            ColumnEncoding::Utf16 => "utf-16",
            ColumnEncoding::Utf32 => "utf-32",
        }
    }

    /// Returns the encoding with this LSP name, in any case.
    pub fn from_lsp_name(name: &str) -> Option<ColumnEncoding> {
        [ColumnEncoding::Utf8, ColumnEncoding::Utf16, ColumnEncoding::Utf32]
            .into_iter()
            .find(|known| known.lsp_name().eq_ignore_ascii_case(name))
    }

    /// Returns the number of columns of a character.
    fn width(self, character: char) -> u32 {
        let width = match self {
            ColumnEncoding::Utf8 => character.len_utf8(),
            ColumnEncoding::Utf16 => character.len_utf16(),
            ColumnEncoding::Utf32 => 1,
        };
        u32::try_from(width).unwrap_or(1)
    }

    /// Returns the number of columns of a text.
    pub(crate) fn columns(self, text: &str) -> u32 {
        match self {
            ColumnEncoding::Utf8 => u32::try_from(text.len()).unwrap_or(u32::MAX),
            _ => text.chars().map(|character| self.width(character)).sum(),
        }
    }
}

/// Returns the position of a byte offset in `text`. An offset past the end counts as the end, one inside a
/// character as its start.
pub fn of_offset(text: &Text, offset: u32, encoding: ColumnEncoding) -> ServerPosition {
    let mut offset = usize::try_from(offset).unwrap_or(usize::MAX).min(text.as_str().len());
    while !text.as_str().is_char_boundary(offset) {
        offset -= 1;
    }
    let at = text.line_column(u32::try_from(offset).unwrap_or(u32::MAX));
    let start = text.line_start(usize::try_from(at.line).unwrap_or(usize::MAX));
    ServerPosition { line: at.line, character: encoding.columns(&text.as_str()[start..offset]) }
}

/// Returns the byte offset of a position; `None` if it is outside `text` or inside a character.
pub(crate) fn to_offset(text: &Text, place: ServerPosition, encoding: ColumnEncoding) -> Option<u32> {
    let number = usize::try_from(place.line).ok()?;
    let line = text.line(number)?;
    let mut column = 0;
    let mut bytes = 0;
    for character in line.chars() {
        if column >= place.character {
            break;
        }
        column += encoding.width(character);
        bytes += character.len_utf8();
    }
    (column == place.character).then(|| u32::try_from(text.line_start(number) + bytes).ok()).flatten()
}

/// As [`to_offset`], for the end of a range. Two ends beyond the text are common and accepted: "to the end of
/// the line" as LSP's largest integer, and "to the end of the text" as the start of the line after the last.
fn end_to_offset(text: &Text, place: ServerPosition, encoding: ColumnEncoding) -> Option<u32> {
    // LSP's largest integer (3.17, "Base Types").
    const LARGEST: u32 = 0x7FFF_FFFF;
    let line = usize::try_from(place.line).ok()?;
    if line == text.line_count() && place.character == 0 {
        return u32::try_from(text.as_str().len()).ok();
    }
    if place.character >= LARGEST {
        return u32::try_from(text.line_start(line) + text.line(line)?.len()).ok();
    }
    to_offset(text, place, encoding)
}

impl Span {
    /// Returns the byte range of `text` that the span covers; `None` if the span is outside the text, begins
    /// or ends inside a character, or ends before it starts. An end column of LSP's largest integer is the
    /// end of the line; an end at the start of the line after the last is the end of the text.
    pub fn resolve(&self, text: &Text) -> Option<TextRange> {
        let start = to_offset(text, self.start, self.encoding)?;
        let end = end_to_offset(text, self.end, self.encoding)?;
        (start <= end).then(|| TextRange::new(start, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileRef;
    use symd_base::RelPath;

    const ALL: [ColumnEncoding; 3] = [ColumnEncoding::Utf8, ColumnEncoding::Utf16, ColumnEncoding::Utf32];

    fn text(text: &str) -> Text {
        Text::decode(text.as_bytes().to_vec()).unwrap()
    }

    fn place(line: u32, character: u32) -> ServerPosition {
        ServerPosition { line, character }
    }

    #[test]
    fn every_character_boundary_comes_back() {
        let text = text("a\u{e9}\u{20ac}\u{1F600}b\r\n\u{1F468}\u{200D}\u{1F469}\rc\n\nlast\u{1F600}");
        let boundaries = (0..=text.as_str().len()).filter(|&at| text.as_str().is_char_boundary(at));
        for offset in boundaries {
            let offset = u32::try_from(offset).unwrap();
            let inside_break = text.as_str()[..offset as usize].ends_with('\r')
                && text.as_str()[offset as usize..].starts_with('\n');
            for encoding in ALL {
                let there = of_offset(&text, offset, encoding);
                let back = to_offset(&text, there, encoding);
                assert_eq!(back, (!inside_break).then_some(offset), "{offset} {there:?} {encoding:?}");
            }
        }
    }

    #[test]
    fn columns_count_in_the_units_agreed_on() {
        // é is 2, 1, 1 columns; € is 3, 1, 1; 😀 is 4, 2, 1.
        let text = text("x\n\u{e9}\u{20ac}\u{1F600}y");
        let offset = u32::try_from(text.as_str().find('y').unwrap()).unwrap();
        for (encoding, column) in ALL.into_iter().zip([9, 4, 3]) {
            assert_eq!(of_offset(&text, offset, encoding), place(1, column));
            assert_eq!(to_offset(&text, place(1, column), encoding), Some(offset));
        }
        assert_eq!(
            of_offset(&text, 4, ColumnEncoding::Utf16),
            place(1, 1),
            "inside a character is its start"
        );
        assert_eq!(of_offset(&text, 99, ColumnEncoding::Utf32), place(1, 4), "past the end is the end");
    }

    #[test]
    fn what_lies_outside_or_cuts_a_character_is_refused() {
        let text = text("a\u{1F600}\r\nb");
        for (line, column, encoding) in [
            (0, 2, ColumnEncoding::Utf16),
            (0, 2, ColumnEncoding::Utf8),
            (0, 4, ColumnEncoding::Utf8),
            (0, 4, ColumnEncoding::Utf16),
            (0, 3, ColumnEncoding::Utf32),
            (1, 2, ColumnEncoding::Utf8),
            (2, 0, ColumnEncoding::Utf8),
            (u32::MAX, u32::MAX, ColumnEncoding::Utf8),
        ] {
            assert_eq!(to_offset(&text, place(line, column), encoding), None, "{line}:{column} {encoding:?}");
        }
    }

    #[test]
    fn spans_resolve_or_do_not() {
        let text = text("ab\ncd");
        let span = |start: (u32, u32), end: (u32, u32)| {
            let file = FileRef::Project(RelPath::root());
            let (start, end) = (place(start.0, start.1), place(end.0, end.1));
            Span { file, start, end, encoding: ColumnEncoding::Utf16 }.resolve(&text)
        };
        assert_eq!(span((0, 1), (1, 1)), Some(TextRange::new(1, 4)));
        assert_eq!(span((0, 1), (0, u32::MAX)), Some(TextRange::new(1, 2)), "to the end of the line");
        assert_eq!(span((0, 1), (2, 0)), Some(TextRange::new(1, 5)), "to the end of the text");
        assert_eq!(span((1, 1), (0, 1)), None, "reversed");
        assert_eq!(span((0, 0), (0, 3)), None);
        assert_eq!(span((0, 0), (2, 1)), None);
        assert_eq!(span((0, 0), (3, 0)), None);
        assert_eq!(span((2, 0), (2, 0)), None);
    }

    #[test]
    fn encodings_have_names() {
        for encoding in ALL {
            assert_eq!(ColumnEncoding::from_lsp_name(encoding.lsp_name()), Some(encoding));
        }
        assert_eq!(ColumnEncoding::from_lsp_name("UTF-8"), Some(ColumnEncoding::Utf8));
        assert_eq!(ColumnEncoding::from_lsp_name("latin-1"), None);
    }
}
