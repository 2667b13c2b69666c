//! Strangers' text on its way to a terminal: names of files, sources, what servers say. Invariant: on a terminal it
//! is shown and never obeyed; a pipe or a file gets every byte as it is.

use std::borrow::Cow;
use std::io::IsTerminal;

/// `text` as it may be written to `to`: for a terminal, what would steer it or reorder what is shown is escaped.
pub(super) fn for_reader<'a>(text: &'a str, to: &impl IsTerminal) -> Cow<'a, str> {
    if to.is_terminal() { harmless(text) } else { Cow::Borrowed(text) }
}

/// `text` without anything that steers a terminal. Lines and tabs stay.
pub(super) fn harmless(text: &str) -> Cow<'_, str> {
    if !text.chars().any(steers) {
        return Cow::Borrowed(text);
    }
    let shown = |c: char| if steers(c) { c.escape_default().to_string() } else { c.to_string() };
    Cow::Owned(text.chars().map(shown).collect())
}

/// Control characters, C1's included; those that change the direction of text (Unicode, "Bidi_Control").
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
