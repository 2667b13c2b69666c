//! Texts that were copied from a terminal.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

/// Returns a text without the sequences that colour it; others stay, and are shown.
pub(crate) fn without_colours(text: &str) -> Cow<'_, str> {
    static COLOURS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\x1b\[[0-9;]*[mK]").ok());
    without(&COLOURS, text)
}

/// Returns a text without the sequences that colour it, move the cursor or clear what was written.
pub(crate) fn without_sequences(text: &str) -> Cow<'_, str> {
    static SEQUENCES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\x1b\[[0-9;?]*[A-Za-z]").ok());
    without(&SEQUENCES, text)
}

fn without<'t>(sequences: &LazyLock<Option<Regex>>, text: &'t str) -> Cow<'t, str> {
    let sequences = if text.contains('\x1b') { sequences.as_ref() } else { None };
    sequences.map_or(Cow::Borrowed(text), |sequences| sequences.replace_all(text, ""))
}
