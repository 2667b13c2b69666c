//! Brackets, types and names around a byte of a text of Java or Kotlin.

use super::written_type::{self, WrittenType};
use super::{MAX_BACK, NO_TYPES};
use crate::context::{first_word, last_word, text_before};
use crate::family::Family;

/// Finds the bracket that the one at byte `close` ends.
pub(super) fn opening(text: &str, close: usize, (open_sign, close_sign): (char, char)) -> Option<usize> {
    let from = close.saturating_sub(MAX_BACK);
    let mut depth = 0_usize;
    for (offset, byte) in text.as_bytes().get(from..close)?.iter().enumerate().rev() {
        match char::from(*byte) {
            sign if sign == close_sign => depth += 1,
            sign if sign == open_sign && depth == 0 => return Some(from + offset),
            sign if sign == open_sign => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Finds the parenthesis that closes the one around byte `from`.
pub(super) fn closing(text: &str, from: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (offset, byte) in text.as_bytes().get(from..)?.iter().enumerate().take(MAX_BACK) {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => return Some(from + offset),
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Removes type arguments at the end of a text.
pub(super) fn without_type_arguments(text: &str) -> &str {
    let Some(inside) = text.strip_suffix('>') else { return text };
    let mut depth = 0_usize;
    for (at, byte) in inside.as_bytes().iter().enumerate().rev().take(MAX_BACK) {
        match byte {
            b'>' => depth += 1,
            b'<' if depth == 0 => return text[..at].trim_end(),
            b'<' => depth -= 1,
            b';' | b'{' | b'}' => return text,
            _ => {}
        }
    }
    text
}

/// Returns the class in a text that ends with `new a.Class`.
pub(super) fn new_class(callee: &str) -> Option<&str> {
    let path = callee.rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))).next()?;
    let before = callee[..callee.len() - path.len()].trim_end();
    (last_word(before) == "new" && !path.is_empty()).then_some(path)
}

/// Returns the type that is written before the name at byte `at`.
pub(crate) fn type_before(text: &str, at: usize) -> Option<WrittenType<'_>> {
    let before = text_before(text, at, Family::Jvm);
    if at == before.len() {
        return None;
    }
    let mut bare = before;
    while let Some(rest) = bare.strip_suffix("[]").or_else(|| bare.strip_suffix("...")) {
        bare = rest.trim_end();
    }
    bare = without_type_arguments(bare);
    if bare.ends_with([']', '.', ')', '"']) {
        return None;
    }
    let path = bare.rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))).next()?;
    let is_name = path.starts_with(|c: char| c.is_alphabetic() || c == '_');
    if !is_name || NO_TYPES.contains(&path) {
        return None;
    }
    written_type::read(&before[bare.len() - path.len()..]).map(|(ty, _)| ty)
}

/// Returns the type that is written behind the name of a Kotlin property or function.
pub(super) fn kotlin_type(text: &str, name_end: usize) -> Option<WrittenType<'_>> {
    let mut behind = text.get(name_end..)?.trim_start();
    if behind.starts_with('(') {
        let mut depth = 0_usize;
        let close = behind.bytes().take(MAX_BACK).position(|byte| {
            depth += usize::from(byte == b'(');
            depth -= usize::from(byte == b')');
            depth == 0
        })?;
        behind = behind[close + 1..].trim_start();
    }
    written_type::read(behind.strip_prefix(':')?).map(|(ty, _)| ty)
}

/// Whether a text continues the untyped parameters of a lambda: `, b) ->`.
pub(super) fn ends_parameters(text: &str) -> bool {
    let mut rest = text;
    while let Some(more) = rest.strip_prefix(',') {
        let more = more.trim_start();
        rest = more[first_word(more).len()..].trim_start();
    }
    rest.strip_prefix(')').is_some_and(|rest| rest.trim_start().starts_with("->"))
}
