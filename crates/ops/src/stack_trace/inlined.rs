//! Code that Kotlin's compiler inlined: which inline functions of the project a function calls.

use std::collections::{BTreeMap, BTreeSet};

use crate::naming::entity::before_name;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath};
use symd_engine::{CurrentText, View};

/// Maximum number of inline functions that are named.
const MAX_CALLEES: usize = 5;

/// An inline function: its file, its line from 1, and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InlineFunction {
    pub(super) path: RelPath,
    pub(super) line: usize,
    pub(super) name: String,
}

/// Returns the names that are called in the rows' text: those before `(`, `{` or `<`.
pub(super) fn called_names(current: &CurrentText, rows: &[usize]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for &row in rows {
        let this = &current.outline.rows[row];
        let text = current.text.slice(this.range());
        let mut start = None;
        for (at, c) in text.char_indices() {
            match (start, c.is_alphanumeric() || c == '_') {
                (None, true) => start = Some(at),
                (Some(from), false) => {
                    let is_called = text[at..].trim_start_matches(' ').starts_with(['(', '{', '<']);
                    if is_called && &text[from..at] != current.outline.name(this) {
                        names.insert(text[from..at].to_owned());
                    }
                    start = None;
                }
                _ => {}
            }
        }
    }
    names
}

/// Returns the inline functions of a text.
pub(super) fn inline_functions_of(path: &RelPath, current: &CurrentText) -> Vec<InlineFunction> {
    let outline = &current.outline;
    let is_inline = |at: usize| {
        let modifiers = before_name(current.text.as_str(), outline, at);
        modifiers.split_whitespace().any(|word| word == "inline")
    };
    let rows = outline.rows.iter().enumerate().filter(|(_, row)| row.kind().is_callable());
    rows.filter(|(at, _)| is_inline(*at))
        .map(|(_, row)| InlineFunction {
            path: path.clone(),
            line: row.name_line as usize + 1,
            name: outline.name(row).to_owned(),
        })
        .collect()
}

/// Returns the inline functions of the project that have one of the names, in order of their paths. `known` keeps those of the files
/// that were read: other frames ask for the same ones.
pub(super) fn inline_functions(
    view: &View,
    names: &BTreeSet<String>,
    known: &mut BTreeMap<RelPath, Vec<InlineFunction>>,
    cancel: &Cancel,
) -> Result<Vec<InlineFunction>, Cancelled> {
    let mut found = Vec::new();
    if names.is_empty() {
        return Ok(found);
    }
    for file in view.snapshot.files.iter().filter(|file| file.path.file_name().ends_with(".kt")) {
        cancel.check()?;
        let Some(outline) = file.outline_once() else { continue };
        let mut rows = outline.rows.iter().filter(|row| row.kind().is_callable());
        if rows.any(|row| names.contains(outline.name(row))) {
            let of_file = known.entry(file.path.clone()).or_insert_with(|| {
                view.saved(file).map_or_else(|_| Vec::new(), |text| inline_functions_of(&file.path, &text))
            });
            found.extend(of_file.iter().filter(|one| names.contains(&one.name)).cloned());
        }
    }
    Ok(found)
}

/// `it calls the inline functions timed (core/src/Catalog.kt:64), …`
pub(super) fn said(callees: &[InlineFunction]) -> String {
    let named: Vec<String> = callees
        .iter()
        .take(MAX_CALLEES)
        .map(|callee| format!("{} ({}:{})", callee.name, callee.path, callee.line))
        .collect();
    let more = if callees.len() > MAX_CALLEES { ", …" } else { "" };
    let what = if callees.len() == 1 { "the inline function" } else { "the inline functions" };
    format!("it calls {what} {}{more}", named.join(", "))
}
