//! Whether a running program can find a declaration by its name, as text: then strings and files of other languages may mean
//! it. Most languages look names up at run time; Rust only through code that attributes generate or export.

use super::profiles::LanguageProfile;
use super::sources::{IndexedDeclaration, Sources};
use symd_base::Text;
use symd_syntax::Row;

/// Attributes that neither publish a name nor generate code that contains it.
const HARMLESS: [&str; 24] = [
    "allow",
    "cfg",
    "cold",
    "default",
    "deny",
    "deprecated",
    "doc",
    "error",
    "expect",
    "forbid",
    "from",
    "global_allocator",
    "ignore",
    "inline",
    "instrument",
    "must_use",
    "non_exhaustive",
    "repr",
    "rustfmt",
    "should_panic",
    "source",
    "test",
    "track_caller",
    "warn",
];

/// Derives that use no name, or print it only.
const HARMLESS_DERIVES: [&str; 10] =
    ["Clone", "Copy", "Debug", "Default", "Eq", "Error", "Hash", "Ord", "PartialEq", "PartialOrd"];

/// Whether text may look the target up. What cannot be read may be found.
pub fn is_found_by_name(sources: &dyn Sources, target: &IndexedDeclaration) -> bool {
    if !LanguageProfile::of(&target.file).is_some_and(|language| language.publishes_by_attributes) {
        return true;
    }
    let Some((outline, _)) = target.row() else { return true };
    let Some(current) = target.unchanged_text(sources) else {
        return true;
    };
    let rows = std::iter::successors(Some(target.row), |&row| outline.rows.get(row)?.parent());
    let mut rows = rows.filter_map(|row| outline.rows.get(row));
    rows.any(|row| rust_attributes(&current.text, row).any(|attribute| !is_harmless(attribute)))
}

/// Returns the attributes of a Rust item, without `#[` and `]`, also those before its range.
pub(super) fn rust_attributes<'t>(text: &'t Text, row: &Row) -> impl Iterator<Item = &'t str> + use<'t> {
    let text = text.as_str();
    // A symbol's range may begin with its attributes, or behind them.
    let before = text.get(..row.start as usize).unwrap_or_default();
    let head = text.get(row.start as usize..row.name_start as usize).unwrap_or_default();
    attributes(before).chain(attributes(without_item(head)))
}

/// Returns the part of a declaration's head before the line of its name.
fn without_item(head: &str) -> &str {
    let mut end = head.len();
    // `pub(crate) struct ` and what follows the last attribute holds no `]`.
    if let Some(last) = head.rfind(']') {
        end = last + 1;
    }
    &head[..end]
}

/// Returns the attributes that `text` ends with, without `#[` and `]`, the last one first. Skips comments.
fn attributes(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_end();
            let line = rest.rfind('\n').map_or(0, |end| end + 1);
            if rest[line..].trim_start().starts_with("//") {
                rest = &rest[..line];
                continue;
            }
            let inside = rest.strip_suffix(']')?;
            let mut depth = 1_u32;
            let open = inside.char_indices().rev().find(|(_, character)| {
                match character {
                    ']' => depth += 1,
                    '[' => depth -= 1,
                    _ => {}
                }
                depth == 0
            });
            let (open, _) = open?;
            let before = inside[..open].trim_end().strip_suffix('#')?;
            rest = before;
            return Some(inside[open + 1..].trim());
        }
    })
}

/// Whether an attribute neither publishes a name nor generates code that contains it.
pub(super) fn is_harmless(attribute: &str) -> bool {
    let end = attribute.find(|c: char| c == '(' || c == '=' || c.is_whitespace()).unwrap_or(attribute.len());
    let (path, arguments) = attribute.split_at(end);
    let segments: Vec<&str> = path.split("::").collect();
    match segments.as_slice() {
        ["derive"] => {
            let names = arguments.trim().trim_start_matches('(').trim_end_matches(')').split(',');
            let mut names = names.map(|name| name.trim().rsplit("::").next().unwrap_or_default());
            names.all(|name| name.is_empty() || HARMLESS_DERIVES.contains(&name))
        }
        ["tokio", "test"] => true,
        segments => segments.first().is_some_and(|first| HARMLESS.contains(first)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_that_publish_names_are_not_harmless() {
        let harmless = |text: &str| attributes(text).all(is_harmless);
        assert!(harmless("fn a() {}\n"));
        assert!(harmless("#[inline]\n/// Text with [a link].\n#[must_use = \"it\"]\n"));
        assert!(harmless("#[derive(Clone, Debug, thiserror::Error)] #[error(\"a [b] c\")]\n"));
        assert!(harmless("#[no_mangle]\nfn other() {}\n#[test]\n"));
        assert!(!harmless("#[derive(Debug,\n    serde::Serialize)]\n#[allow(dead_code)]\n"));
        assert!(!harmless("#[inline]\n#[unsafe(no_mangle)]\n"));
        assert!(!harmless("#[pyo3::pymethods]\n"));
        assert!(!harmless("#[cfg_attr(feature = \"serde\", derive(Serialize))]\n"));
    }
}
