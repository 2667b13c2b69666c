//! Names in the strings of attributes, which macros read as code: `#[serde(default = "make")]`, `#[error("no {name}")]`.

use super::RustRenamed;
use crate::context::last_word;
use crate::family_texts::FamilyTexts;
use crate::rename_hazard::RenameHazard;

/// Attributes whose strings are prose, or name no item.
const PROSE: [&str; 9] =
    ["doc", "deprecated", "must_use", "cfg", "expect", "allow", "should_panic", "ignore", "path"];

/// Keys whose values are names for others, or prose.
const OTHERS: [&str; 12] = [
    "rename",
    "alias",
    "rename_all",
    "tag",
    "content",
    "name",
    "long",
    "short",
    "help",
    "about",
    "note",
    "reason",
];

pub(super) fn find(symbol: &RustRenamed, texts: &FamilyTexts) -> Option<RenameHazard> {
    let name = symbol.old.as_str();
    let mut places = Vec::new();
    for one in texts.iter().filter(|one| one.text.contains(name)) {
        let is_in_attribute = |at: &usize| {
            let before = &one.text[..*at];
            let Some(open) = before.rfind("#[") else { return false };
            let head = &before[open + 2..];
            let word = &head[..head.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(head.len())];
            let depth = |text: &str| text.matches('[').count() as i64 - text.matches(']').count() as i64;
            let is_in_string = head.matches('"').count() % 2 == 1;
            let quoted = &head[head.rfind('"').map_or(0, |at| at + 1)..];
            // Braces hold names in texts: `"no {name}"`; paths stand alone: `"crate::make"`.
            let is_code = quoted.ends_with('{')
                || quoted.ends_with("{0.")
                || quoted.ends_with("self.")
                || quoted.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':'));
            let key = head[..head.rfind('"').unwrap_or(0)].trim_end().strip_suffix('=').unwrap_or("");
            is_in_string
                && is_code
                && !OTHERS.contains(&last_word(key.trim_end()))
                && depth(head.rsplit_once('"').map_or("", |(head, _)| head)) >= 0
                && !PROSE.contains(&word)
        };
        places.extend(one.words(name).filter(is_in_attribute).map(|at| one.place(at, name.len())));
    }
    let text = format!("a string of an attribute may name '{name}' here, and is not changed");
    RenameHazard::doubt(text, places)
}
