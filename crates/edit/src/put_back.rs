//! Rollback: immediately after a failure, or at the next start after a crash. A file that is as the edit left
//! it gets its old content; one with its old content is left alone; any other was changed by someone else, is
//! left alone and reported. Repeatable: if it is interrupted, the next run completes it.

use std::fmt;
use std::sync::Arc;

use super::apply::sync_directories;
use super::change::FileChange;
use super::entry::{Entry, Journal, Old, Record};
use super::error::{EditError, bare};
use super::steps::{Hook, Step};
use super::store::OperationId;
use symd_base::{ContentHash, RelPath};
use symd_sys::disk;
use symd_vfs::{PermissionSource, Root, Slot, SlotContent, VfsError};

/// The result of recovery when the project was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Each edit that was cut short, by number. Those with files left are reported at every start until they
    /// are resolved ([`super::Editor::resolve`]).
    pub operations: Vec<RecoveredOperation>,
    /// Whether both the journal and its second head are damaged: an unknown edit may have been cut short.
    pub is_unreadable: bool,
}

impl Recovered {
    /// Returns the messages for the user, one sentence each.
    pub fn messages(&self) -> Vec<String> {
        let mut told: Vec<String> = self.operations.iter().map(ToString::to_string).collect();
        if self.is_unreadable {
            told.push(
                "the journal of edits is damaged: if an edit had been cut short, some of its files may be changed and others \
                 not; compare the project with your version control"
                    .to_owned(),
            );
        }
        told
    }
}

/// An edit that was cut short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveredOperation {
    pub id: OperationId,
    /// The description of the edit.
    pub title: String,
    /// Files that this recovery put back.
    pub put_back: Vec<RelPath>,
    /// Files left alone because they match neither the edit's result nor their old content.
    pub left: Vec<UnrestoredFile>,
    /// Whether the record of the files left is kept until the user has resolved the operation.
    pub is_kept: bool,
    /// Files whose texts editors were to change: what they made of it is not known here.
    pub in_editors: Vec<RelPath>,
    pub cause: InterruptionCause,
}

/// Why an edit is neither made nor taken back as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterruptionCause {
    /// Its process ended.
    CutShort,
    /// It failed, and an editor did not take its part back ([`super::Editor::keep_conflict`]).
    KeptInEditor,
}

/// A file that was not put back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnrestoredFile {
    pub path: RelPath,
    /// The reason, as a predicate: "was changed since" …
    pub reason: String,
}

/// The user's decision about files that recovery left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// Keep them as they are, and drop the old content.
    Keep,
    /// Restore the old content. This is an edit and can be undone.
    PutBack,
}

impl fmt::Display for RecoveredOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cause = match self.cause {
            InterruptionCause::CutShort => "had been cut short",
            InterruptionCause::KeptInEditor => "failed, and an editor kept its part",
        };
        write!(f, "operation {} ({}) {cause}", self.id, self.title)?;
        if !self.put_back.is_empty() {
            write!(f, "; put back: {}", listed(&self.put_back))?;
        }
        if self.left.is_empty() {
            f.write_str("; the tree is as it was before it")?;
        } else {
            let id = self.id;
            write!(
                f,
                "; left as they are: {}; `symd resolve {id} keep` accepts them so, `symd resolve {id} put-back` restores their \
                 content before the edit (resolve_edit)",
                listed(&self.left)
            )?;
        }
        if self.in_editors.is_empty() {
            return Ok(());
        }
        let listed = listed(&self.in_editors);
        write!(
            f,
            "; an editor may keep its part of the edit, unsaved: look there, and undo it there: {listed}"
        )
    }
}

fn listed(things: &[impl ToString]) -> String {
    things.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for UnrestoredFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.path, self.reason)
    }
}

/// The result of a rollback.
#[derive(Debug, Default)]
pub(super) struct PutBack {
    pub(super) done: Vec<RelPath>,
    /// Files changed by someone else.
    pub(super) foreign: Vec<UnrestoredFile>,
    /// Files for which the system reported an error: worth another attempt.
    pub(super) failed: Vec<UnrestoredFile>,
}

impl PutBack {
    /// Returns every file that was not put back.
    pub(super) fn left(&self) -> impl Iterator<Item = &UnrestoredFile> {
        self.failed.iter().chain(&self.foreign)
    }
}

/// Returns all files of an edit, each with its state, if the edit is neither complete nor can be put back
/// because the journal has lost old content that is needed. Empty if the rest of the journal is sufficient.
pub(super) fn beyond_repair(root: &Root, entry: &Entry) -> Vec<UnrestoredFile> {
    let is_beyond = |record: &Record| match record {
        record if record.is_in_editor() => false,
        Record::Content { path, before: Some(before), after, .. } if entry.lost.contains(path) => {
            matches!(now(root, path), Ok(found) if found == *after && found != Some(before.hash))
        }
        _ => false,
    };
    if !entry.records.iter().any(is_beyond) {
        return Vec::new();
    }
    let standing = |file: FileChange| {
        let reason = match now(root, &file.path) {
            Ok(found) if found == file.before => "is as it was before the edit",
            Ok(found) if found == file.after && entry.lost.contains(&file.path) => {
                "is as the edit left it, and its old content is lost: the journal is damaged"
            }
            Ok(found) if found == file.after => "is as the edit left it",
            _ => "was changed since",
        };
        UnrestoredFile { path: file.path, reason: reason.to_owned() }
    };
    entry.files().into_iter().map(standing).collect()
}

/// Puts back the first `touched` records of `journal`, and removes staged files and created directories.
pub(super) fn put_back(root: &Root, hook: &Hook, journal: &Journal, touched: usize) -> PutBack {
    let mut result = PutBack::default();
    let entry = &journal.entry;
    // Must come first, so that a full disk has room for the old content.
    unstage(root, entry, &mut result);
    // Stored innermost first, so reversed: outermost first.
    for directory in entry.cleared.iter().rev() {
        let made = root.slot(directory).and_then(|slot| slot.make_directory());
        record_failure(&mut result, directory, made.map(|_| ()).map_err(EditError::from));
    }
    for (record, old) in entry.records.iter().zip(&journal.old).take(touched).rev() {
        let path = match record {
            Record::Content { path, .. } => path,
            Record::Move { to, .. } => to,
        };
        let one =
            put_back_one(root, record, old.as_ref(), &mut result).and_then(|()| hook.after(Step::PutBack));
        record_failure(&mut result, path, one);
    }
    for directory in entry.made.iter().rev() {
        let removed = match root.slot(directory) {
            Err(VfsError::NotFound { .. }) => Ok(()),
            slot => slot.and_then(|slot| slot.remove_directory()).map(|_| ()),
        };
        record_failure(&mut result, directory, removed.map_err(EditError::from));
    }
    let synced = sync_directories(root, entry).and_then(|()| hook.after(Step::AllPutBack));
    record_failure(&mut result, &RelPath::root(), synced);
    result
}

/// Reports whether every change of `entry` was applied: then the edit is complete, and only its commit is
/// missing.
pub(super) fn is_fully_applied(root: &Root, entry: &Entry) -> bool {
    let is_there = |directory: &RelPath| {
        matches!(root.slot(directory).and_then(|slot| slot.inspect()), Ok(SlotContent::Other("a directory")))
    };
    let is_done = |record: &Record| match record {
        Record::Content { path, after, .. } => matches!(now(root, path), Ok(found) if found == *after),
        Record::Move { from, to, hash } => {
            matches!((now(root, from), now(root, to)), (Ok(None), Ok(Some(moved))) if moved == *hash)
        }
    };
    let mut on_disk = entry.records.iter().filter(|record| !record.is_in_editor()).peekable();
    // What editors show is not known here: an edit of nothing else may not have begun.
    let is_all_in_editors = !entry.records.is_empty() && on_disk.peek().is_none();
    !is_all_in_editors && entry.made.iter().all(is_there) && on_disk.all(is_done)
}

/// Returns the files of `entry` that do not have their old content.
pub(super) fn changed_by_others(root: &Root, entry: &Entry) -> Vec<UnrestoredFile> {
    let mut left = Vec::new();
    for record in entry.records.iter().filter(|record| !record.is_in_editor()) {
        let (path, old) = match record {
            Record::Content { path, before, .. } => (path, before.map(|old| old.hash)),
            Record::Move { from, hash, .. } => (from, Some(*hash)),
        };
        match now(root, path) {
            Ok(found) if found == old => {}
            Ok(None) => left.push(UnrestoredFile { path: path.clone(), reason: "is gone".to_owned() }),
            Ok(_) => left.push(UnrestoredFile { path: path.clone(), reason: "was changed since".to_owned() }),
            Err(error) => left.push(UnrestoredFile { path: path.clone(), reason: error.to_string() }),
        }
    }
    left
}

fn record_failure(result: &mut PutBack, path: &RelPath, answer: Result<(), EditError>) {
    let Err(error) = answer else { return };
    let left = |reason: String| UnrestoredFile { path: path.clone(), reason };
    match error {
        // Something else is at this path or on the way to it: the user put it there.
        EditError::File(VfsError::NotAFile { what, .. }) => {
            result.foreign.push(left(format!("is {what} now")))
        }
        EditError::File(VfsError::Exists { .. }) => {
            result.foreign.push(left("has been created since".to_owned()))
        }
        other => result.failed.push(left(bare(&other))),
    }
}

/// Removes the staged files of an edit; ignores errors.
pub(super) fn unstage_all(root: &Root, entry: &Entry) {
    unstage(root, entry, &mut PutBack::default());
}

fn unstage(root: &Root, entry: &Entry, result: &mut PutBack) {
    for record in entry.records.iter().filter(|record| !record.is_in_editor()) {
        let Record::Content { path, temporary, .. } = record else { continue };
        let removed = match root.slot(path) {
            Err(VfsError::NotFound { .. } | VfsError::NotAFile { .. }) => Ok(()),
            slot => slot.and_then(|slot| slot.unstage(temporary)),
        };
        record_failure(result, path, removed.map_err(EditError::from));
    }
}

fn put_back_one(
    root: &Root,
    record: &Record,
    old: Option<&Arc<Vec<u8>>>,
    result: &mut PutBack,
) -> Result<(), EditError> {
    match record {
        // The editor's own undo takes it back.
        Record::Content { in_editor: true, .. } => {}
        Record::Content { path, before, after, temporary, kept, .. } => {
            let found = now(root, path)?;
            if found == before.map(|old| old.hash) {
                return Ok(());
            }
            if found != *after {
                let reason = if found.is_none() { "is gone" } else { "was changed since" };
                result.foreign.push(UnrestoredFile { path: path.clone(), reason: reason.to_owned() });
                return Ok(());
            }
            if before.is_some() && old.is_none() {
                let reason = "was not put back: its old content is lost".to_owned();
                result.foreign.push(UnrestoredFile { path: path.clone(), reason });
                return Ok(());
            }
            restore(root, path, before.zip(old), temporary, found.map(|_| *kept))?;
            result.done.push(path.clone());
        }
        Record::Move { from, to, hash } => match (now(root, from)?, now(root, to)?) {
            (Some(found), None) if found == *hash => {}
            // Interrupted between the two halves of a move, on a file system without an atomic one.
            (Some(found), Some(copy)) if found == *hash && copy == *hash => {
                root.slot(to)?.remove()?;
                result.done.push(to.clone());
            }
            (None, Some(moved)) if moved == *hash => {
                recreate_parents(root, from)?;
                root.slot(to)?.move_to(&root.slot(from)?)?;
                result.done.extend([from.clone(), to.clone()]);
            }
            (found, moved) => {
                let path = if found.is_some_and(|found| found != *hash) { from } else { to };
                let reason = if moved.is_none() { "is gone" } else { "was changed since" };
                result.foreign.push(UnrestoredFile { path: path.clone(), reason: reason.to_owned() });
            }
        },
    }
    Ok(())
}

/// Restores the old state of `path` in one step. `there` is `None` if nothing is there now; else it tells
/// whether the file has the permissions of the old one.
fn restore(
    root: &Root,
    path: &RelPath,
    before: Option<(Old, &Arc<Vec<u8>>)>,
    temporary: &str,
    there: Option<bool>,
) -> Result<(), EditError> {
    let Some((before, bytes)) = before else { return Ok(root.slot(path)?.remove()?) };
    recreate_parents(root, path)?;
    let slot = root.slot(path)?;
    let like = if there == Some(true) {
        PermissionSource::File(path.clone())
    } else {
        PermissionSource::Meta(before.meta)
    };
    disk::sync_file(&slot.stage(temporary, bytes, &like)?)
        .map_err(|source| VfsError::Write { path: path.clone(), source })?;
    let placed = if there.is_some() { slot.replace_by(temporary) } else { slot.create_by(temporary) };
    Ok(placed?)
}

/// Recreates the missing directories above `path`.
fn recreate_parents(root: &Root, path: &RelPath) -> Result<(), EditError> {
    let above = std::iter::successors(path.parent(), RelPath::parent);
    let mut missing: Vec<RelPath> = above.filter(|directory| !directory.is_root()).collect();
    missing.reverse();
    for directory in missing {
        root.slot(&directory)?.make_directory()?;
    }
    Ok(())
}

/// Returns the hash of the file at `path`, or `None` if there is none.
fn now(root: &Root, path: &RelPath) -> Result<Option<ContentHash>, EditError> {
    let slot: Slot<'_> = match root.slot(path) {
        Err(VfsError::NotFound { .. }) => return Ok(None),
        slot => slot?,
    };
    if let SlotContent::Other(what) = slot.inspect()? {
        return Err(VfsError::NotAFile { path: path.clone(), what }.into());
    }
    Ok(slot.read()?.map(|(bytes, _)| ContentHash::of(&bytes)))
}
