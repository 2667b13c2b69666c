//! The arguments of a call.

use super::blanks::without_comments;
use super::{MAX_HEAD, slice};
use crate::profiles::{LanguageProfile, PYTHON};

/// Returns the arguments in the parenthesis that a Python text opens at byte `at`, split at commas; empty
/// ones are omitted. `None` where no parenthesis opens there, or none closes it.
pub(crate) fn arguments(text: &str, at: usize) -> Option<Vec<&str>> {
    arguments_of(slice(text, at, (at + MAX_HEAD).min(text.len()))?)
}

/// Like [`arguments`], for a text of any length that begins with the parenthesis.
pub(crate) fn arguments_of(call: &str) -> Option<Vec<&str>> {
    arguments_in(call, &PYTHON)
}

/// Like [`arguments_of`], for a language with commas between the arguments. Reads little beyond the closing parenthesis.
pub(crate) fn arguments_in<'t>(call: &'t str, profile: &LanguageProfile) -> Option<Vec<&'t str>> {
    if !call.starts_with('(') {
        return None;
    }
    let mut length = MAX_HEAD;
    loop {
        let part = &call[..call.floor_char_boundary(length)];
        let found = split(part, profile);
        if found.is_some() || part.len() == call.len() {
            return found;
        }
        length *= 8;
    }
}

/// Returns the arguments of a call, if its parenthesis closes within the text.
fn split<'t>(call: &'t str, profile: &LanguageProfile) -> Option<Vec<&'t str>> {
    let blank = without_comments(call, profile);
    let mut depth = 0_usize;
    let (mut all, mut begin) = (Vec::new(), 1);
    for (at, byte) in blank.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 || depth == 1 && byte == b',' {
            all.push(&call[begin..at]);
            begin = at + 1;
        }
        if depth == 0 {
            all.retain(|one| !one.trim().is_empty());
            return Some(all);
        }
    }
    None
}
