//! Prints untrusted text on a terminal: names of files, sources, messages of servers. Invariant: a terminal
//! displays it and never interprets it; a pipe or a file gets every byte unchanged.

use std::borrow::Cow;
use std::io::IsTerminal;

/// Returns `text` as it may be written to `to`: for a terminal, characters that control it or reorder the
/// text are escaped.
pub(super) fn for_reader<'a>(text: &'a str, to: &impl IsTerminal) -> Cow<'a, str> {
    if to.is_terminal() { harmless(text) } else { Cow::Borrowed(text) }
}

/// Escapes everything in `text` that controls a terminal. Line breaks and tabs are kept.
pub(super) fn harmless(text: &str) -> Cow<'_, str> {
    if !text.chars().any(steers) {
        return Cow::Borrowed(text);
    }
    let shown = |c: char| if steers(c) { c.escape_default().to_string() } else { c.to_string() };
    Cow::Owned(text.chars().map(shown).collect())
}

/// Whether `c` is a control character (C0 or C1, except newline and tab), or changes the direction of text
/// (Unicode, "Bidi_Control").
fn steers(c: char) -> bool {
    let turns =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (c.is_control() && !matches!(c, '\n' | '\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_is_shown() {
        assert_eq!(
            harmless("\u{1b}[2J\u{9b}1m\u{7}a\rb\u{202e}c"),
            "\\u{1b}[2J\\u{9b}1m\\u{7}a\\rb\\u{202e}c"
        );
        let plain = "a\tb\nä 日本 😀 e\u{301}\n";
        assert!(matches!(harmless(plain), Cow::Borrowed(same) if same == plain));
    }
}
