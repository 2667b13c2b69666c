//! The answers of native's edit tools: the files with their counts of lines, the operation's number, the new
//! diagnostics. The request is not repeated. Invariant: an answer says whether diagnostics are known.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::super::diagnostics::diagnostic_line;
use super::super::files::counted;
use super::super::render::truncate;
use symd_base::RelPath;
use symd_edit::{Applied, FileChange, FileDiff};
use symd_ops::edits::{DryRun, EditEffects, EditResult, EffectsUnknown};

/// Formats an edit that was made.
pub(super) fn done_text(done: &EditResult, limit: usize) -> String {
    let mut text = files_text(&done.applied, &done.lines);
    let mut facts = vec![operation_of(&done.applied)];
    facts.extend(
        done.replaced.map(|count| format!("{} replaced", counted(count, "occurrence", "occurrences"))),
    );
    if done.applied.id.is_some() {
        facts.push(caused_text(&done.caused, &mut text));
    }
    facts.extend(done.notes.iter().cloned());
    finished(text, facts, limit)
}

/// Formats an undo or a redo that was made: `head` names the operation, `back` says how to reverse it.
pub(super) fn inverse_text(head: &str, applied: &Applied, back: Option<&str>, limit: usize) -> String {
    let text = format!("{head}\n{}", files_text(applied, &BTreeMap::new()));
    let mut facts = vec![operation_of(applied)];
    facts.extend(back.map(str::to_owned));
    finished(text, facts, limit)
}

/// Returns the title without the path of the only file, with which the next line begins.
pub(super) fn short_title<'t>(title: &'t str, applied: &Applied) -> &'t str {
    let [only] = &applied.files[..] else { return title };
    title.strip_suffix(only.path.as_str()).and_then(|title| title.strip_suffix(" in ")).unwrap_or(title)
}

/// Formats an edit that would be made.
pub(super) fn would_text(would: &DryRun, limit: usize) -> String {
    diffs_text(&would.diffs, &would.notes, limit)
}

/// Formats the diffs of a dry run.
pub(super) fn diffs_text(diffs: &[FileDiff], notes: &[String], limit: usize) -> String {
    let text: String = diffs.iter().map(|diff| diff.unified.as_str()).collect();
    let (added, removed) =
        diffs.iter().fold((0, 0), |(added, removed), diff| (added + diff.added, removed + diff.removed));
    let files = counted(diffs.len(), "file", "files");
    let mut facts = vec!["dry run, nothing was written".to_owned()];
    facts.push(match diffs {
        [] => "nothing would change".to_owned(),
        _ => format!("{files} would change, +{added} -{removed}"),
    });
    facts.extend(notes.iter().cloned());
    finished(text, facts, limit)
}

fn finished(mut text: String, mut facts: Vec<String>, limit: usize) -> String {
    if truncate(&mut text, limit) {
        facts.push(format!("cut at {limit} characters; raise limit"));
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    format!("{text}[{}]", facts.join("; "))
}

/// Formats a line for each file: `src/a.py +3 -1`.
fn files_text(applied: &Applied, lines: &BTreeMap<RelPath, (usize, usize)>) -> String {
    let line = |file: &FileChange| {
        let counts = lines.get(&file.path).filter(|_| file.after.is_some());
        let counts = counts.map_or_else(String::new, |(added, removed)| format!(" +{added} -{removed}"));
        format!("{}{counts}{}", file.path, standing(file))
    };
    applied.files.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn standing(file: &FileChange) -> &'static str {
    match (file.before, file.after) {
        (_, None) => ", removed",
        (None, Some(_)) => ", new",
        (Some(_), Some(_)) => "",
    }
}

/// Formats the operation's number, and names the buffers that do not show what was written.
pub(in crate::native) fn operation_of(applied: &Applied) -> String {
    let not_saved = match &applied.not_saved[..] {
        [] => String::new(),
        buffers => format!("; written, but still shown as not saved: {}", buffers.join(", ")),
    };
    let not_reloaded = match &applied.not_reloaded[..] {
        [] => String::new(),
        buffers => format!("; written, but its editor has not reloaded it: {}", buffers.join(", ")),
    };
    match applied.id {
        None => "nothing changed: the content is the same".to_owned(),
        Some(id) => format!("operation {id}{not_saved}{not_reloaded}"),
    }
}

/// Adds the buffers that do not show what was written to an answer for programs: `not_saved` and `not_reloaded`, each only if there
/// are any.
pub(in crate::native) fn add_unsettled_buffers(applied: &Applied, answer: &mut Value) {
    for (member, buffers) in [("not_saved", &applied.not_saved), ("not_reloaded", &applied.not_reloaded)] {
        if !buffers.is_empty() {
            answer[member] = json!(buffers);
        }
    }
}

/// Appends the new diagnostics to `text`; returns the fact about them for the last line.
pub(in crate::native) fn caused_text(caused: &EditEffects, text: &mut String) -> String {
    match caused {
        EditEffects::Known { new, servers } if new.is_empty() => {
            format!("no new diagnostics ({})", servers.join(", "))
        }
        EditEffects::Known { new, servers } => {
            text.push_str("\nnew diagnostics:");
            for of_file in new.chunk_by(|a, b| a.spot.path == b.spot.path) {
                let _ = write!(text, "\n{}", of_file[0].spot.path);
                of_file.iter().for_each(|one| {
                    let _ = write!(text, "\n {}", diagnostic_line(one));
                });
            }
            let counts = counted(new.len(), "new diagnostic", "new diagnostics");
            format!("{counts} ({})", servers.join(", "))
        }
        EditEffects::Unknown(EffectsUnknown::NotReady) => {
            "new diagnostics unknown: no server is ready".to_owned()
        }
        EditEffects::Unknown(why) => format!("new diagnostics unknown: {}", unknown(why)),
    }
}

pub(in crate::native) fn unknown(why: &EffectsUnknown) -> &'static str {
    match why {
        EffectsUnknown::NotAsked => "not requested",
        EffectsUnknown::NotReady => "no language server is ready",
        EffectsUnknown::ManyFiles => "too many files; see the tool diagnostics",
        EffectsUnknown::OnlyRemoved => "the edit only removes files; see the tool diagnostics",
        EffectsUnknown::NoAnswer => "the language server did not answer in time; see the tool diagnostics",
    }
}
