//! What native's edit tools answer: the files with their lines and new revisions, the operation's number, what went wrong
//! by it. Invariant: whether diagnostics are known is always said.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::super::diagnostics::diagnostic_line;
use super::super::files::counted;
use super::super::render::cut;
use crate::base::RelPath;
use crate::edit::{Applied, FileChange, FileDiff};
use crate::ops::edits::{Caused, Done, Unknown, Would};

/// An edit that was made.
pub(super) fn done_text(done: &Done, limit: usize) -> String {
    let mut text = short_title(&done.title, &done.applied).to_owned();
    if let Some(count) = done.replaced {
        let _ = write!(text, ": {}", counted(count, "occurrence", "occurrences"));
    }
    files_text(&done.applied, &done.lines, &mut text);
    let mut facts = facts_of(&done.applied);
    if done.applied.id.is_some() {
        facts.push(caused_text(&done.caused, &mut text));
    }
    facts.extend(done.notes.iter().cloned());
    finished(text, facts, limit)
}

/// An undo or a redo that was made.
pub(super) fn inverse_text(title: &str, applied: &Applied, limit: usize) -> String {
    let mut text = short_title(title, applied).to_owned();
    files_text(applied, &BTreeMap::new(), &mut text);
    finished(text, facts_of(applied), limit)
}

/// The title without the only file's path, which the next line begins with.
fn short_title<'t>(title: &'t str, applied: &Applied) -> &'t str {
    let [only] = &applied.files[..] else { return title };
    title.strip_suffix(only.path.as_str()).and_then(|title| title.strip_suffix(" in ")).unwrap_or(title)
}

/// An edit that would be made.
pub(super) fn would_text(would: &Would, limit: usize) -> String {
    diffs_text(&would.diffs, &would.notes, limit)
}

/// What would change.
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
    if cut(&mut text, limit) {
        facts.push(format!("cut at {limit} characters; raise limit"));
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    format!("{text}[{}]", facts.join("; "))
}

fn files_text(applied: &Applied, lines: &BTreeMap<RelPath, (usize, usize)>, text: &mut String) {
    for file in &applied.files {
        let _ = write!(text, "\n{}", file.path);
        if let Some((added, removed)) = lines.get(&file.path).filter(|_| file.after.is_some()) {
            let _ = write!(text, " +{added} -{removed}");
        }
        text.push_str(&standing(file));
    }
}

fn standing(file: &FileChange) -> String {
    match (file.before, file.after) {
        (_, None) => ", removed".to_owned(),
        (None, Some(hash)) => format!(", new, revision {}", hash.short()),
        (Some(_), Some(hash)) => format!(", revision {}", hash.short()),
    }
}

fn facts_of(applied: &Applied) -> Vec<String> {
    match applied.id {
        None => vec!["nothing changed: it is so already".to_owned()],
        Some(id) => vec![
            format!("{} changed", counted(applied.files.len(), "file", "files")),
            format!("operation {id}, undo takes it back"),
        ],
    }
}

/// Adds the new diagnostics to `text`; the fact about them.
pub(in crate::toolsets::native) fn caused_text(caused: &Caused, text: &mut String) -> String {
    match caused {
        Caused::Known { new, servers } if new.is_empty() => {
            format!("no new diagnostics ({})", servers.join(", "))
        }
        Caused::Known { new, servers } => {
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
        Caused::Unknown(why) => format!("new diagnostics unknown: {}", unknown(why)),
    }
}

pub(in crate::toolsets::native) fn unknown(why: &Unknown) -> &'static str {
    match why {
        Unknown::NotAsked => "not asked for",
        Unknown::NotReady => "no language server is ready",
        Unknown::ManyFiles => "too many files; see the tool diagnostics",
        Unknown::NoAnswer => "the language server did not answer in time; see the tool diagnostics",
    }
}
