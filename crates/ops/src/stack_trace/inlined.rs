//! Code that Kotlin's compiler inlined: which inline functions of the project a function calls.

use std::collections::BTreeSet;

use symd_base::Cancel;
use symd_base::RelPath;
use symd_base::cancel::Cancelled;
use symd_engine::{CurrentText, View};
use symd_index::Content;

/// Maximum number of inline functions that are named.
const MAX_CALLEES: usize = 5;

/// An inline function: its file, its line from 1, and its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

/// Adds the inline functions of a text that have one of the names.
pub(super) fn inline_functions_of(
    path: &RelPath,
    current: &CurrentText,
    names: &BTreeSet<String>,
    found: &mut Vec<InlineFunction>,
) {
    let outline = &current.outline;
    for row in outline.rows.iter().filter(|row| row.kind().is_callable()) {
        let text = current.text.slice(row.range());
        let modifiers = text.get(..(row.name_start - row.start) as usize).unwrap_or_default();
        if names.contains(outline.name(row)) && modifiers.split_whitespace().any(|word| word == "inline") {
            let (line, name) = (row.name_line as usize + 1, outline.name(row).to_owned());
            found.push(InlineFunction { path: path.clone(), line, name });
        }
    }
}

/// Returns the inline functions of the project that have one of the names, in order of their paths.
pub(super) fn inline_functions(
    view: &View,
    names: &BTreeSet<String>,
    cancel: &Cancel,
) -> Result<Vec<InlineFunction>, Cancelled> {
    let mut found = Vec::new();
    for file in view.snapshot.files.iter().filter(|file| file.path.file_name().ends_with(".kt")) {
        cancel.check()?;
        let Content::Code { outline, .. } = &file.content else { continue };
        let mut rows = outline.rows.iter().filter(|row| row.kind().is_callable());
        if rows.any(|row| names.contains(outline.name(row)))
            && let Ok(current) = view.saved(file)
        {
            inline_functions_of(&file.path, &current, names, &mut found);
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
