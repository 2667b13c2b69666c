//! Unified diffs of proposed changes. Lines end only at `
//! `, as for `patch` and git, so that the text of a diff applies; a `\r` before it is part of the line.

use std::time::Duration;

use similar::{Algorithm, ChangeTag, TextDiff};

use super::change::{Change, Changes};
use symd_base::RelPath;
use symd_base::text::decode;

/// More time than diffs of real edits need. After it the rest is shown as replaced: longer than necessary,
/// but correct.
const DEADLINE: Duration = Duration::from_millis(200);

/// Unchanged lines shown around each change.
const CONTEXT: usize = 3;

/// The effect of an edit on one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiff {
    /// The file: its new name, or the old one if it is removed.
    pub path: RelPath,
    /// The name before; `None` if the file is created.
    pub old_name: Option<RelPath>,
    /// The name afterwards; `None` if the file is removed.
    pub new_name: Option<RelPath>,
    /// The diff in the format of `git diff` and `patch`.
    pub unified: String,
    /// Number of added lines.
    pub added: usize,
    /// Number of removed lines.
    pub removed: usize,
}

/// Returns the diff of each file, by path.
pub(super) fn diffs(changes: &Changes) -> Vec<FileDiff> {
    let mut diffs: Vec<FileDiff> = Vec::new();
    // A file that was moved and changed is one diff, which includes its removal under the old name.
    let moved = |path: &RelPath| {
        changes.list.iter().any(|change| match change {
            Change::Content { path: to, before: None, after: Some(after) } => {
                to != path && after.origin.as_ref() == Some(path)
            }
            _ => false,
        })
    };
    for change in &changes.list {
        match change {
            Change::Move { from, to, .. } => diffs.push(FileDiff {
                path: to.clone(),
                old_name: Some(from.clone()),
                new_name: Some(to.clone()),
                unified: format!("rename from {from}\nrename to {to}\n"),
                added: 0,
                removed: 0,
            }),
            Change::Content { path, after: None, .. } if moved(path) => {}
            Change::Content { path, before, after } => {
                let origin =
                    after.as_ref().filter(|_| before.is_none()).and_then(|after| after.origin.clone());
                let moved_from = origin.as_ref().and_then(|origin| {
                    changes.list.iter().find_map(|change| match change {
                        Change::Content { path, before: Some(before), after: None } if path == origin => {
                            Some(before)
                        }
                        _ => None,
                    })
                });
                let before = before.as_ref().or(moved_from);
                let origin = origin.filter(|_| moved_from.is_some());
                let old_name = before.map(|_| origin.unwrap_or_else(|| path.clone()));
                let new_name = after.as_ref().map(|_| path.clone());
                let old = before.map_or(&[][..], |file| &file.bytes);
                let new = after.as_ref().map_or(&[][..], |file| &file.bytes);
                diffs.push(diff(path, old_name, new_name, old, new));
            }
        }
    }
    diffs.sort_by(|a, b| a.path.cmp(&b.path));
    diffs
}

fn diff(
    path: &RelPath,
    old_name: Option<RelPath>,
    new_name: Option<RelPath>,
    old: &[u8],
    new: &[u8],
) -> FileDiff {
    let named = |side: char, name: &Option<RelPath>| {
        name.as_ref().map_or_else(|| "/dev/null".to_owned(), |name| format!("{side}/{name}"))
    };
    let (old_title, new_title) = (named('a', &old_name), named('b', &new_name));
    let mut unified = match (&old_name, &new_name) {
        (Some(from), Some(to)) if from != to => format!("rename from {from}\nrename to {to}\n"),
        _ => String::new(),
    };
    let (mut added, mut removed) = (0, 0);
    if let (Ok((old, _)), Ok((new, _))) = (decode(old.to_vec()), decode(new.to_vec())) {
        let (old, new): (Vec<&str>, Vec<&str>) =
            (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
        let diff = TextDiff::configure()
            .algorithm(Algorithm::Myers)
            .timeout(DEADLINE)
            .newline_terminated(true)
            .diff_slices(&old, &new);
        for change in diff.iter_all_changes() {
            match change.tag() {
                ChangeTag::Insert => added += 1,
                ChangeTag::Delete => removed += 1,
                ChangeTag::Equal => {}
            }
        }
        let mut printer = diff.unified_diff();
        unified.push_str(&printer.context_radius(CONTEXT).header(&old_title, &new_title).to_string());
    } else {
        unified.push_str(&format!("Binary files {old_title} and {new_title} differ\n"));
    }
    FileDiff { path: path.clone(), old_name, new_name, unified, added, removed }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(old: &str, new: &str) -> FileDiff {
        let path = RelPath::new("d/f").expect("valid");
        diff(&path, Some(path.clone()), Some(path.clone()), old.as_bytes(), new.as_bytes())
    }

    #[test]
    fn endings_and_missing_ends_are_shown() {
        let diff = shown("a\r\nb\rc\nd", "a\r\nb\rC\nd\n");
        assert_eq!(
            diff.unified,
            "--- a/d/f\n+++ b/d/f\n@@ -1,3 +1,3 @@\n a\r\n-b\rc\n-d\n\\ No newline at end of file\n+b\rC\n+d\n"
        );
        assert_eq!((diff.added, diff.removed), (2, 2));
        assert_eq!(shown("", "").unified, "");
    }

    #[test]
    fn a_hopeless_pair_ends_and_is_right() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut text = || (0..60_000).map(|_| format!("{}\n", random.u32(..9_000))).collect::<String>();
        let (old, new) = (text(), text());
        let diff = shown(&old, &new);
        assert_eq!(diff.added, diff.removed);
        assert!(diff.unified.starts_with("--- a/d/f\n+++ b/d/f\n@@ -1,"));
    }
}
