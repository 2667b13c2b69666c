//! Whether a running program can find a declaration by its name, as text: then strings and files of other languages may mean
//! it. Most languages look names up at run time; Rust only through code that attributes generate or export.

use symd_engine::View;
use symd_resolve as resolve;

use crate::spot::Source;
use crate::target::Target;

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
pub(super) fn is_found_by_name(view: &View, target: &Target) -> bool {
    if !resolve::publishes_by_attributes(&target.file) {
        return true;
    }
    let Some(outline) = target.file.outline() else { return true };
    let Some(source) = Source::read(view, &target.at.path) else { return true };
    let rows = std::iter::successors(Some(target.row), |&row| outline.rows.get(row)?.parent());
    let mut rows = rows.filter_map(|row| outline.rows.get(row));
    rows.any(|row| {
        let text = source.text.as_str();
        let heads = text.get(..row.start as usize).zip(text.get(row.start as usize..row.name_start as usize));
        // A symbol's range may begin with its attributes, or behind them.
        heads.is_none_or(|(before, head)| {
            !attributes(before).chain(attributes(without_item(head))).all(is_harmless)
        })
    })
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

fn is_harmless(attribute: &str) -> bool {
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
