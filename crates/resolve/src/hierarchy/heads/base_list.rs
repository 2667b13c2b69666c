//! Where in a head the bases stand, in each form that languages have.

use super::nesting::{at_depth_0, words_at_depth_0};
use crate::profiles::LanguageProfile;

/// Returns the byte at which the head ends: at its body, or at what ends a declaration without one.
fn head_end(blank: &str, language: &LanguageProfile) -> usize {
    let brace = at_depth_0(blank).find(|(_, c)| matches!(c, '{' | ';')).map_or(blank.len(), |(at, _)| at);
    let words = words_at_depth_0(&blank[..brace]);
    words
        .into_iter()
        .find(|&(from, to)| blank[from..to] == *language.heads.end_word)
        .map_or(brace, |(from, _)| from)
}

/// Returns the byte range of the bases behind `extends` or `implements` in a head.
pub(super) fn keyword_list(blank: &str, language: &LanguageProfile) -> Option<(usize, usize)> {
    let end = head_end(blank, language);
    let head = &blank[..end];
    let words = words_at_depth_0(head);
    let opener = words.into_iter().find(|&(from, to)| matches!(&head[from..to], "extends" | "implements"))?;
    Some((opener.1, end))
}

/// Returns the byte range of the bases behind the colon in a head.
pub(super) fn colon_list(blank: &str, language: &LanguageProfile) -> Option<(usize, usize)> {
    let end = head_end(blank, language);
    let head = &blank[..end];
    let is_single = |at: usize| !head[..at].ends_with(':') && !head[at + 1..].starts_with(':');
    let colon = at_depth_0(head).find(|&(at, c)| c == ':' && is_single(at))?;
    // Excludes Kotlin's `typealias A = B`. The default of a constructor's parameter stands in brackets.
    let is_alias = at_depth_0(&head[..colon.0]).any(|(_, c)| c == '=');
    (!is_alias).then_some((colon.0 + 1, end))
}

/// Returns the byte range of the bases in `class A[T](B, c.D):`.
pub(super) fn python_list(blank: &str) -> Option<(usize, usize)> {
    let mut brackets = at_depth_0(blank);
    let open = brackets.find(|(_, c)| matches!(c, '(' | ':' | '\n'))?;
    if open.1 != '(' {
        return None;
    }
    let close = brackets.find(|&(_, c)| c == ')')?;
    Some((open.0 + 1, close.0))
}

/// Returns the byte range of the trait in `impl<T> a::Trait<T> for Type {`.
pub(super) fn impl_list(blank: &str) -> Option<(usize, usize)> {
    let words = words_at_depth_0(&blank[..blank.find('{').unwrap_or(blank.len())]);
    let first = words.iter().find(|&&(from, to)| &blank[from..to] == "impl")?;
    let last = words.iter().find(|&&(from, to)| &blank[from..to] == "for")?;
    // Skips the generic parameters of `impl`.
    let from = match blank[first.1..].trim_start().strip_prefix('<') {
        None => first.1,
        Some(_) => at_depth_0(&blank[first.1..]).find(|(_, c)| *c == '>').map(|(at, _)| first.1 + at + 1)?,
    };
    (from < last.0).then_some((from, last.0))
}
