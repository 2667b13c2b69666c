//! Removes the sequences by which programs colour text and move a cursor (ECMA-48). Invariant: only complete
//! sequences are removed; everything else stays as it is.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

/// Matches operating system commands (titles, links) with their ends; control sequences (colours, movements),
/// in their 7-bit and 8-bit forms; escapes with intermediates (character sets); escapes of two characters.
const SEQUENCES: &str = r"(?x)
    \x1b\] [^\x07\x1b\u{9c}]* (?: \x07 | \x1b\\ | \u{9c} )
  | (?: \x1b\[ | \u{9b} ) [0-?]* [\x20-/]* [@-~]
  | \x1b [\x20-/]+ [0-~]
  | \x1b [0-Z\\^-~]
";

/// Returns `text` without these sequences.
pub(super) fn stripped(text: &str) -> Cow<'_, str> {
    static PATTERN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(SEQUENCES).ok());
    match PATTERN.as_ref() {
        Some(pattern) => pattern.replace_all(text, ""),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_titles_and_movements_go() {
        let cases = [
            ("\x1b[1;31mred\x1b[0m", "red"),
            ("\x1b]0;title\x07a", "a"),
            ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
            ("\x1b[2K\x1b[1G50 %\x1b[?25h", "50 %"),
            ("\u{9b}31mä", "ä"),
            ("\x1b(B\x1b7\x1b8\x1b=\x1bMx", "x"),
            ("half \x1b[3", "half \x1b[3"),
            ("a[31m\ttab\r\n", "a[31m\ttab\r\n"),
        ];
        for (text, expected) in cases {
            assert_eq!(stripped(text), expected, "{text:?}");
        }
    }
}
