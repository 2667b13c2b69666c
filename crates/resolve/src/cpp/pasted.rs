//! Names that macros build: `UV_FS_ ## type` may be `UV_FS_OPEN`, though no text says so.

use std::collections::VecDeque;
use std::sync::Arc;

use super::super::conflicts::SourcePlace;
use super::super::context::{first_word, last_word, text_after, text_before};
use super::super::family::Family;
use super::super::resolver::Resolver;
use super::super::sources::{IndexedDeclaration, Sources};
use super::directives::is_macro_parameter;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, TextRange};
use symd_index::{FileEntry, NeededWords};
use symd_syntax::name_hash;

/// The most words that are followed in one name.
const MAX_JOINED: usize = 16;

/// The most places that are returned.
const MAX_PLACES: usize = 20;

/// Returns the places where a macro of C or C++ joins a part of the target's name with something else by `##`, in path
/// order; at most twenty. Only parts up to an underscore, and from one on, are looked for.
pub fn pasted_names(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    cancel: &Cancel,
) -> Result<Vec<SourcePlace>, Cancelled> {
    let mut found = Vec::new();
    let parts = parts(target.name());
    let is_known = target.row().is_some_and(|(_, row)| !row.is_local());
    if Family::of(&target.file) != Some(Family::C) || parts.is_empty() || !is_known {
        return Ok(found);
    }
    let resolver = Resolver::new(sources, Family::C, cancel);
    let words = parts.iter().map(|(part, _)| NeededWords::of_name(part));
    let hashes: Vec<u32> = parts.iter().map(|(part, _)| name_hash(part.as_bytes())).collect();
    let may_hold = |file: &Arc<FileEntry>| {
        Family::of(file) == Some(Family::C) && hashes.iter().any(|&hash| file.holds_hash(hash))
    };
    for file in sources.snapshot().files.with_any_words(words) {
        if !may_hold(file) {
            continue;
        }
        cancel.check()?;
        let Some(here) = resolver.read_uncached(file) else { continue };
        let text = here.text.as_str();
        for (part, is_first) in &parts {
            for start in here.outline.occurrences.offsets_of(part) {
                let end = start + u32::try_from(part.len()).unwrap_or(0);
                let is_joined = match is_first {
                    true => text_after(text, end as usize).starts_with("##"),
                    false => text_before(text, start as usize, Family::C).ends_with("##"),
                };
                if is_joined
                    && text.get(start as usize..end as usize) == Some(*part)
                    && may_be(&joined(text, start as usize), target.name())
                {
                    found.push((here.file.path.clone(), TextRange::new(start, end)));
                }
            }
        }
        if found.len() >= MAX_PLACES {
            break;
        }
    }
    found.truncate(MAX_PLACES);
    Ok(found)
}

/// Returns the words that `##` joins with the one at byte `at`, in order; `None` stands for a macro's parameter.
fn joined(text: &str, at: usize) -> Vec<Option<&str>> {
    let element = |start: usize, word: &'_ str| !is_macro_parameter(text, start, word);
    let mut words = VecDeque::new();
    let mut start = at;
    loop {
        let word = first_word(&text[start..]);
        words.push_front(element(start, word).then_some(word));
        let Some(left) = text_before(text, start, Family::C).strip_suffix("##") else { break };
        let left = left.trim_end();
        let before = last_word(left);
        if before.is_empty() || words.len() == MAX_JOINED {
            break;
        }
        start = left.len() - before.len();
    }
    let mut end = at + first_word(&text[at..]).len();
    while let Some(rest) = text_after(text, end).strip_prefix("##")
        && words.len() < MAX_JOINED
    {
        let rest = rest.trim_start();
        let word = first_word(rest);
        let start = text.len() - rest.len();
        words.push_back(element(start, word).then_some(word));
        end = start + word.len();
        if word.is_empty() {
            break;
        }
    }
    words.into()
}

/// Whether joined words may make a name: its fixed ones stand in it in this order, the first and the last at its ends.
fn may_be(words: &[Option<&str>], name: &str) -> bool {
    let mut rest = name;
    let last = words.len().saturating_sub(1);
    for (at, word) in words.iter().enumerate() {
        let Some(word) = word else { continue };
        let behind = match at {
            0 => rest.strip_prefix(word),
            _ if at == last => return rest.ends_with(word),
            _ => rest.find(word).map(|found| &rest[found + word.len()..]),
        };
        let Some(behind) = behind else { return false };
        rest = behind;
    }
    true
}

/// Returns the beginnings of a name that end with an underscore (`true`) and the ends that begin with one: `UV_`, `UV_FS_`,
/// `_FS_OPEN`, `_OPEN`.
fn parts(name: &str) -> Vec<(&str, bool)> {
    let is_part = |part: &str| part.chars().any(|c| c != '_');
    let mut parts = Vec::new();
    for (at, _) in name.match_indices('_') {
        let (first, last) = (&name[..=at], &name[at..]);
        if is_part(first) && is_part(&name[at + 1..]) {
            parts.push((first, true));
        }
        if is_part(last) && is_part(&name[..at]) {
            parts.push((last, false));
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_words_are_held_against_the_name() {
        let text = "#define X(name) uv_ ## name##_t * p;\n#define Y(a, b) a ## _cb ## b\n";
        let of = |part: &str| joined(text, text.find(part).expect("a part"));
        assert_eq!(of("uv_"), [Some("uv_"), None, Some("_t")]);
        assert_eq!(of("_t"), of("uv_"));
        assert_eq!(of("_cb"), [None, Some("_cb"), None]);
        assert!(may_be(&of("uv_"), "uv_pipe_t") && !may_be(&of("uv_"), "uv_pipe_init"));
        assert!(may_be(&of("_cb"), "uv_cb_x") && !may_be(&of("_cb"), "uv_x"));
    }

    #[test]
    fn names_are_divided_at_underscores() {
        let expected = [("UV_", true), ("_FS_A", false), ("UV_FS_", true), ("_A", false)];
        assert_eq!(parts("UV_FS_A"), expected);
        assert_eq!(parts("size_"), []);
        assert_eq!(parts("size"), []);
    }
}
