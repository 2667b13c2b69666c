//! Answers about edits computed by language servers: the diff of a dry run, or what an applied edit changed.

use serde_json::{Value, json};

use super::files::counted;
use super::render::truncate;
use crate::Client;
use symd_base::RelPath;
use symd_edit::{Applied, FileDiff};
use symd_ops::edits::ExpectedRevisions;
use symd_ops::rename::{Listed, RenameNote};

/// The maximum number of places shown of a list.
const MAX_PLACES: usize = 20;

/// Returns the schema of `dry_run`.
pub(super) fn dry_run() -> Value {
    json!({"type": "boolean", "default": false, "description": "Show the unified diff and change nothing."})
}

/// Returns the schema of `expect` for edits that may change several files.
pub(super) fn expect_of_each() -> Value {
    json!({"type": "object", "additionalProperties": {"type": "string"}, "description": "Revisions by file, as reading tools show them; for files not named, what this connection read last. Refused if a file has another."})
}

/// Records for a client the new version of each file whose version before the edit it knew. Of other files
/// nothing is recorded: the client's next edit of one is checked against the version that it has seen.
pub(super) fn remember(client: &Client, applied: &Applied) {
    for file in applied.files.iter().filter(|file| client.last_read(&file.path) == file.before) {
        match file.after {
            Some(after) => client.record_read(&file.path, after),
            None => client.forget(&file.path),
        }
    }
}

/// Records the new versions after an edit for which the client named revisions: it knows those, whatever it
/// read before.
pub(super) fn remember_expected(client: &Client, applied: &Applied, expected: &ExpectedRevisions) {
    for file in &applied.files {
        if let Some(before) = file.before.filter(|_| expected.is_given(&file.path)) {
            client.record_read(&file.path, before);
        }
    }
    remember(client, applied);
}

/// Joins the diffs, truncated to `limit` characters; returns whether they were truncated.
pub(super) fn diff_text(diffs: &[FileDiff], limit: usize) -> (String, bool) {
    let mut text: String = diffs.iter().map(|diff| diff.unified.as_str()).collect();
    let is_cut = truncate(&mut text, limit);
    (text.trim_end_matches('\n').to_owned(), is_cut)
}

/// Formats a line for each file (`a.py: 3`) and for each renamed file.
pub(super) fn file_lines(files: &[(RelPath, usize)], renamed: &[(RelPath, RelPath)]) -> Vec<String> {
    let counts = files.iter().map(|(path, count)| format!("{path}: {count}"));
    counts.chain(renamed.iter().map(|(from, to)| format!("{from} renamed to {to}"))).collect()
}

/// Formats the number of changes and files: `6 changes in 2 files`.
pub(super) fn counts(files: &[(RelPath, usize)]) -> String {
    let changes = files.iter().map(|(_, count)| count).sum();
    format!("{} in {}", counted(changes, "change", "changes"), counted(files.len(), "file", "files"))
}

/// Formats notes with their places.
pub(super) fn note_lines(notes: &[RenameNote]) -> Vec<String> {
    let mut lines = Vec::new();
    for note in notes {
        lines.push(format!("note: {}", note.text));
        lines.extend(place_lines(&note.places));
    }
    lines
}

/// Formats places, one per line.
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

/// Returns notes with their places as JSON.
pub(super) fn notes_json(notes: &[RenameNote]) -> Value {
    notes.iter().map(|note| json!({ "text": note.text, "places": places_json(&note.places) })).collect()
}

fn places_json(places: &[Listed]) -> Value {
    let one =
        |place: &Listed| json!({ "path": place.path.as_str(), "line": place.line + 1, "text": place.text });
    places.iter().map(one).collect()
}

/// Returns the number of changes of each file as JSON.
pub(super) fn files_json(files: &[(RelPath, usize)]) -> Value {
    files.iter().map(|(path, count)| json!({ "path": path.as_str(), "changes": count })).collect()
}
