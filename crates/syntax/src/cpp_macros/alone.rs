//! Macros that stand alone on a line, without a semicolon: `UV_HANDLE_FIELDS`, `Q_OBJECT`, `DISALLOW_COPY(Shop)`.

use std::ops::Range;

use super::lines::{CodeLine, is_in_capitals, last_word, opening};

/// Returns the byte range of the macro that is all of line `at`. `follows_macro` tells whether the line before it is one
/// too.
pub(super) fn alone(lines: &[CodeLine<'_>], at: usize, follows_macro: bool) -> Option<Range<usize>> {
    let line = &lines[at];
    let name_end = match line.code.ends_with(b")") {
        true => opening(line.code)?,
        false => line.code.len(),
    };
    let name = last_word(line.code[..name_end].trim_ascii_end());
    if name.start != 0 || !is_in_capitals(&line.code[name]) {
        return None;
    }
    let before = at.checked_sub(1).map(|at| lines[at].code);
    let behind = lines.get(at + 1).map(|line| line.code);
    // A statement or a member ended before it, and another one follows.
    let is_begun = follows_macro
        || before.is_none_or(|code| code.ends_with(b"{") || code.ends_with(b";") || code.ends_with(b"}"));
    let is_followed = behind.is_none_or(|code| super::is_word(code[0]) || b"}~:".contains(&code[0]));
    // The only member of an enum.
    let is_member = before.is_some_and(|code| code.ends_with(b"{") && has_word(code, b"enum"))
        && behind.is_some_and(|code| code.starts_with(b"}"));
    (is_begun && is_followed && !is_member).then(|| line.start..line.start + line.code.len())
}

fn has_word(code: &[u8], word: &[u8]) -> bool {
    code.split(|&byte| !super::is_word(byte)).any(|one| one == word)
}
