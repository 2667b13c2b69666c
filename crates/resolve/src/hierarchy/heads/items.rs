//! Single bases of a list: their names, and where these stand.

use super::WrittenBase;
use super::nesting::{at_depth_0, is_word, words_at_depth_0};
use crate::profiles::{BaseList, LanguageProfile};
use symd_base::TextRange;

/// Words that may precede a base and do not belong to it.
const MODIFIERS: [&str; 7] = ["public", "private", "protected", "internal", "virtual", "static", "readonly"];

/// Reads the bases of a list, the range `from..to` of `blank`. `offset` is the byte of the file at which
/// `blank` begins.
pub(super) fn read(
    blank: &str,
    (from, to): (usize, usize),
    language: &LanguageProfile,
    offset: u32,
) -> Vec<WrittenBase> {
    let list = &blank[from..to];
    let mut cuts: Vec<(usize, usize)> = at_depth_0(list)
        .filter(|&(_, c)| c == language.heads.separator)
        .map(|(at, _)| (at, at + 1))
        .collect();
    if language.heads.list == BaseList::Keywords {
        let words = words_at_depth_0(list).into_iter();
        cuts.extend(words.filter(|&(from, to)| matches!(&list[from..to], "extends" | "implements")));
        cuts.sort_unstable();
    }
    cuts.push((list.len(), list.len()));
    let mut bases = Vec::new();
    let mut begin = 0;
    for (end, next) in cuts {
        let text = &list[begin..end];
        if let Some((chain, first, last)) = item(text, begin, language).map(|(chain, first)| {
            let last = first + chain_end(&list[first..]);
            (chain, first, last)
        }) {
            let at = |at: usize| u32::try_from(from + at).ok().and_then(|at| at.checked_add(offset));
            let name = chain.rsplit('.').next().unwrap_or("").len();
            let start = if chain.is_empty() { first } else { last.saturating_sub(name) };
            let last = if chain.is_empty() { begin + text.trim_end().len() } else { last };
            if let (Some(start), Some(end), Some(first)) = (at(start), at(last), at(first)) {
                bases.push(WrittenBase { range: TextRange::new(start, end.max(start)), chain, start: first });
            }
        }
        begin = next;
    }
    bases
}

/// Reads one base of a list: its chain of names, empty for a computed base, and the byte at which it begins.
/// `None` for an item that is no base.
pub(super) fn item(text: &str, begin: usize, language: &LanguageProfile) -> Option<(String, usize)> {
    let rules = &language.heads;
    let are_arguments = rules.list == BaseList::Arguments;
    let mut rest = text.trim_start();
    if are_arguments && at_depth_0(rest).any(|(_, c)| c == '=') {
        return None;
    }
    loop {
        rest = rest.trim_start();
        let word = rest.find(|c| !is_word(c)).map_or(rest, |end| &rest[..end]);
        if MODIFIERS.contains(&word) {
            rest = &rest[word.len()..];
        } else if rest.starts_with('@') && !are_arguments {
            // Skips an annotation with its arguments.
            let name = rest[1..].find(|c| !(is_word(c) || c == '.')).map_or(rest.len(), |end| end + 1);
            let takes = rest[name..].starts_with('(');
            let end = at_depth_0(&rest[name..]).find(|&(_, c)| c == ')').map_or(0, |(at, _)| at + 1);
            rest = &rest[name + if takes { end } else { 0 }..];
        } else if let Some(global) = rest.strip_prefix("::") {
            rest = global;
        } else {
            break;
        }
    }
    if rest.is_empty() || (rules.has_lifetimes && rest.starts_with(['\'', '?'])) {
        return None;
    }
    let first = begin + text.len() - rest.len();
    let mut chain = String::new();
    let mut behind = rest;
    loop {
        let name = behind.find(|c| !is_word(c)).map_or(behind, |end| &behind[..end]);
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return Some((String::new(), first));
        }
        if !chain.is_empty() {
            chain.push('.');
        }
        chain.push_str(name);
        behind = &behind[name.len()..];
        let open = behind.trim_start();
        let next = open.strip_prefix("::").or_else(|| open.strip_prefix('.'));
        match next {
            Some(next) if !next.trim_start().starts_with('<') => behind = next.trim_start(),
            _ => break,
        }
    }
    let mut behind = behind.trim_start();
    if behind.starts_with(rules.type_bracket) {
        let close = at_depth_0(behind).nth(1).map_or(behind.len(), |(at, c)| at + c.len_utf8());
        behind = behind[close..].trim_start();
    }
    let is_named = match are_arguments {
        true => behind.is_empty(),
        false if behind.starts_with('(') => rules.bases_call_constructors,
        // `Outer<T>.Inner` is not resolved here.
        false => !behind.starts_with(['.', ':', '[']),
    };
    Some((if is_named { chain } else { String::new() }, first))
}

/// Returns the byte at which the chain of names at the beginning of `text` ends.
fn chain_end(text: &str) -> usize {
    let mut end = 0;
    loop {
        let name = text[end..].find(|c| !is_word(c)).map_or(text.len(), |at| end + at);
        let behind = text[name..].trim_start();
        let next = behind.strip_prefix("::").or_else(|| behind.strip_prefix('.')).map(str::trim_start);
        match next.filter(|next| next.starts_with(is_word) && name > end) {
            Some(next) => end = text.len() - next.len(),
            None => return name,
        }
    }
}
