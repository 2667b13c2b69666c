//! How edits that servers make up read: the diff of one that is only shown, what was done by one that was made.

use serde_json::{Value, json};

use super::files::counted;
use super::render::cut;
use crate::Client;
use symd_base::RelPath;
use symd_edit::{Applied, FileDiff};
use symd_ops::edits::Base;
use symd_ops::rename::{Listed, Note};

/// Places shown of one list.
const MAX_PLACES: usize = 20;

/// What `dry_run` means, in every schema.
pub(super) fn dry_run() -> Value {
    json!({"type": "boolean", "default": false, "description": "Show the unified diff and change nothing."})
}

/// What `expect` means where an edit may change several files.
pub(super) fn expect_of_each() -> Value {
    json!({"type": "object", "additionalProperties": {"type": "string"}, "description": "Revisions by file, as reading tools show them; for files not named, what this connection read last. Refused if a file has another."})
}

/// Remembers for a client what an edit left of files that it knew as they were before. One that it knows otherwise, or not
/// at all, it does not know now: its next edit of that is held against what it has seen.
pub(super) fn remember(client: &Client, applied: &Applied) {
    for file in applied.files.iter().filter(|file| client.last_read(&file.path) == file.before) {
        match file.after {
            Some(after) => client.has_read(&file.path, after),
            None => client.forget(&file.path),
        }
    }
}

/// The same after an edit for which the client named revisions: those it knows, whatever it read before.
pub(super) fn remember_expected(client: &Client, applied: &Applied, expected: &Base) {
    for file in &applied.files {
        if let Some(before) = file.before.filter(|_| expected.is_given(&file.path)) {
            client.has_read(&file.path, before);
        }
    }
    remember(client, applied);
}

/// The diffs, cut at `limit` characters; whether they were cut.
pub(super) fn diff_text(diffs: &[FileDiff], limit: usize) -> (String, bool) {
    let mut text: String = diffs.iter().map(|diff| diff.unified.as_str()).collect();
    let is_cut = cut(&mut text, limit);
    (text.trim_end_matches('\n').to_owned(), is_cut)
}

/// `a.py: 3` for each file.
pub(super) fn file_lines(files: &[(RelPath, usize)], renamed: &[(RelPath, RelPath)]) -> Vec<String> {
    let counts = files.iter().map(|(path, count)| format!("{path}: {count}"));
    counts.chain(renamed.iter().map(|(from, to)| format!("{from} is {to} now"))).collect()
}

/// `6 changes in 2 files`.
pub(super) fn counts(files: &[(RelPath, usize)]) -> String {
    let changes = files.iter().map(|(_, count)| count).sum();
    format!("{} in {}", counted(changes, "change", "changes"), counted(files.len(), "file", "files"))
}

/// Notes with their places.
pub(super) fn note_lines(notes: &[Note]) -> Vec<String> {
    let mut lines = Vec::new();
    for note in notes {
        lines.push(format!("note: {}", note.text));
        lines.extend(place_lines(&note.places));
    }
    lines
}

/// Places, one a line.
pub(super) fn place_lines(places: &[Listed]) -> Vec<String> {
    let mut lines: Vec<String> = places
        .iter()
        .take(MAX_PLACES)
        .map(|one| format!("  {}:{}: {}", one.path, one.line + 1, one.text))
        .collect();
    if let more @ 1.. = places.len().saturating_sub(MAX_PLACES) {
        lines.push(format!("  … and {more} more"));
    }
    lines
}

/// Notes for programs.
pub(super) fn notes_json(notes: &[Note]) -> Value {
    notes.iter().map(|note| json!({ "text": note.text, "places": places_json(&note.places) })).collect()
}

fn places_json(places: &[Listed]) -> Value {
    let one =
        |place: &Listed| json!({ "path": place.path.as_str(), "line": place.line + 1, "text": place.text });
    places.iter().map(one).collect()
}

/// Counts for programs.
pub(super) fn files_json(files: &[(RelPath, usize)]) -> Value {
    files.iter().map(|(path, count)| json!({ "path": path.as_str(), "changes": count })).collect()
}
