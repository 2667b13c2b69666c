//! The way back: after a failure at once, after a crash at the next start. Each file that is as the edit left it becomes
//! what it was; one that still is what it was stays; any other is somebody else's work and is left alone and named. Can
//! be repeated: when it is cut short itself, the next one finishes it.

use std::fmt;
use std::sync::Arc;

use super::apply::sync_directories;
use super::change::FileChange;
use super::entry::{Entry, Journal, Old, Record};
use super::error::{EditError, bare};
use super::steps::{Hook, Step};
use super::store::OperationId;
use symd_base::{ContentHash, RelPath};
use symd_vfs::{Like, Root, Slot, SlotContent, VfsError};

/// What recovery found when the project was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Each edit that had been cut short, by its number. Those with files left are reported at every start until they
    /// are resolved ([`super::Editor::resolve`]).
    pub operations: Vec<RecoveredOperation>,
    /// The journal is damaged and so is what symd keeps beside it: an edit may have been cut short, and nothing tells which.
    pub is_unreadable: bool,
}

impl Recovered {
    /// What there is to tell, each in a sentence.
    pub fn told(&self) -> Vec<String> {
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

/// One edit that had been cut short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveredOperation {
    /// Its number.
    pub id: OperationId,
    /// What it was to do.
    pub title: String,
    /// Files put back just now.
    pub put_back: Vec<RelPath>,
    /// Files left as they are because they are neither what the edit made of them nor what they were.
    pub left: Vec<LeftFile>,
}

/// A file that was not put back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftFile {
    /// Which.
    pub path: RelPath,
    /// Why: "was changed since" …
    pub reason: String,
}

/// What a user can say about files that recovery left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// They are right as they are: forget the old content.
    Keep,
    /// Put the old content in their place. That is an edit and can be undone.
    PutBack,
}

impl fmt::Display for RecoveredOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "operation {} ({}) had been cut short", self.id, self.title)?;
        if !self.put_back.is_empty() {
            write!(f, "; put back: {}", listed(&self.put_back))?;
        }
        if self.left.is_empty() {
            return f.write_str("; the tree is as it was before it");
        }
        let id = self.id;
        write!(
            f,
            "; left as they are: {}; `symd resolve {id} keep` settles that, `symd resolve {id} put-back` restores what was before \
             the edit (resolve_edit)",
            listed(&self.left)
        )
    }
}

fn listed(things: &[impl ToString]) -> String {
    things.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for LeftFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.path, self.reason)
    }
}

/// How far the way back led.
#[derive(Debug, Default)]
pub(super) struct PutBack {
    pub(super) done: Vec<RelPath>,
    /// Somebody else's work.
    pub(super) foreign: Vec<LeftFile>,
    /// What the system refused: worth trying again.
    pub(super) failed: Vec<LeftFile>,
}

impl PutBack {
    /// Every file that was not put back.
    pub(super) fn left(&self) -> impl Iterator<Item = &LeftFile> {
        self.failed.iter().chain(&self.foreign)
    }
}

/// The files of an edit that can neither be put back nor are made whole, since the journal no longer holds what they held
/// before: all of them, each with how it stands. Empty where what is left of the journal is enough.
pub(super) fn beyond_repair(root: &Root, entry: &Entry) -> Vec<LeftFile> {
    let is_beyond = |record: &Record| match record {
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
        LeftFile { path: file.path, reason: reason.to_owned() }
    };
    entry.files().into_iter().map(standing).collect()
}

/// Puts back the first `touched` records of `journal`, and takes away everything staged and made.
pub(super) fn put_back(root: &Root, hook: &Hook, journal: &Journal, touched: usize) -> PutBack {
    let mut result = PutBack::default();
    let entry = &journal.entry;
    // First, so that a full disk has room for what is put back.
    unstage(root, entry, &mut result);
    // Outermost first.
    for directory in entry.cleared.iter().rev() {
        let made = root.slot(directory).and_then(|slot| slot.make_directory());
        note(&mut result, directory, made.map(|_| ()).map_err(EditError::from));
    }
    for (record, old) in entry.records.iter().zip(&journal.old).take(touched).rev() {
        let path = match record {
            Record::Content { path, .. } => path,
            Record::Move { to, .. } => to,
        };
        let one =
            put_back_one(root, record, old.as_ref(), &mut result).and_then(|()| hook.after(Step::PutBack));
        note(&mut result, path, one);
    }
    for directory in entry.made.iter().rev() {
        let removed = match root.slot(directory) {
            Err(VfsError::NotFound { .. }) => Ok(()),
            slot => slot.and_then(|slot| slot.remove_directory()).map(|_| ()),
        };
        note(&mut result, directory, removed.map_err(EditError::from));
    }
    let synced = sync_directories(root, entry).and_then(|()| hook.after(Step::AllPutBack));
    note(&mut result, &RelPath::root(), synced);
    result
}

/// Whether every change of `entry` was made: then it is whole, and only its commit was cut short.
pub(super) fn is_made(root: &Root, entry: &Entry) -> bool {
    let is_there = |directory: &RelPath| {
        matches!(root.slot(directory).and_then(|slot| slot.look()), Ok(SlotContent::Other("a directory")))
    };
    let is_done = |record: &Record| match record {
        Record::Content { path, after, .. } => matches!(now(root, path), Ok(found) if found == *after),
        Record::Move { from, to, hash } => {
            matches!((now(root, from), now(root, to)), (Ok(None), Ok(Some(moved))) if moved == *hash)
        }
    };
    entry.made.iter().all(is_there) && entry.records.iter().all(is_done)
}

/// The files of `entry` that are neither what they were nor what the edit made of them.
pub(super) fn foreign(root: &Root, entry: &Entry) -> Vec<LeftFile> {
    let mut left = Vec::new();
    for record in &entry.records {
        let (path, old) = match record {
            Record::Content { path, before, .. } => (path, before.map(|old| old.hash)),
            Record::Move { from, hash, .. } => (from, Some(*hash)),
        };
        match now(root, path) {
            Ok(found) if found == old => {}
            Ok(None) => left.push(LeftFile { path: path.clone(), reason: "is gone".to_owned() }),
            Ok(_) => left.push(LeftFile { path: path.clone(), reason: "was changed since".to_owned() }),
            Err(error) => left.push(LeftFile { path: path.clone(), reason: error.to_string() }),
        }
    }
    left
}

fn note(result: &mut PutBack, path: &RelPath, answer: Result<(), EditError>) {
    let Err(error) = answer else { return };
    let left = |reason: String| LeftFile { path: path.clone(), reason };
    match error {
        // Something else stands there, or on the way there: the user put it there.
        EditError::File(VfsError::NotAFile { what, .. }) => {
            result.foreign.push(left(format!("is {what} now")))
        }
        EditError::File(VfsError::Exists { .. }) => {
            result.foreign.push(left("came into being since".to_owned()))
        }
        other => result.failed.push(left(bare(&other))),
    }
}

/// Takes away what an edit staged, as far as that can be had.
pub(super) fn unstage_all(root: &Root, entry: &Entry) {
    unstage(root, entry, &mut PutBack::default());
}

fn unstage(root: &Root, entry: &Entry, result: &mut PutBack) {
    for record in &entry.records {
        let Record::Content { path, temporary, .. } = record else { continue };
        let removed = match root.slot(path) {
            Err(VfsError::NotFound { .. } | VfsError::NotAFile { .. }) => Ok(()),
            slot => slot.and_then(|slot| slot.unstage(temporary)),
        };
        note(result, path, removed.map_err(EditError::from));
    }
}

fn put_back_one(
    root: &Root,
    record: &Record,
    old: Option<&Arc<Vec<u8>>>,
    result: &mut PutBack,
) -> Result<(), EditError> {
    match record {
        Record::Content { path, before, after, temporary, kept } => {
            let found = now(root, path)?;
            if found == before.map(|old| old.hash) {
                return Ok(());
            }
            if found != *after {
                let reason = if found.is_none() { "is gone" } else { "was changed since" };
                result.foreign.push(LeftFile { path: path.clone(), reason: reason.to_owned() });
                return Ok(());
            }
            if before.is_some() && old.is_none() {
                let reason = "was not put back: its old content is lost".to_owned();
                result.foreign.push(LeftFile { path: path.clone(), reason });
                return Ok(());
            }
            restore(root, path, before.zip(old), temporary, found.map(|_| *kept))?;
            result.done.push(path.clone());
        }
        Record::Move { from, to, hash } => match (now(root, from)?, now(root, to)?) {
            (Some(found), None) if found == *hash => {}
            // Cut short between the two halves of a move, on a file system that has no whole one.
            (Some(found), Some(copy)) if found == *hash && copy == *hash => {
                root.slot(to)?.remove()?;
                result.done.push(to.clone());
            }
            (None, Some(moved)) if moved == *hash => {
                make_way(root, from)?;
                root.slot(to)?.move_to(&root.slot(from)?)?;
                result.done.extend([from.clone(), to.clone()]);
            }
            (found, moved) => {
                let path = if found.is_some_and(|found| found != *hash) { from } else { to };
                let reason = if moved.is_none() { "is gone" } else { "was changed since" };
                result.foreign.push(LeftFile { path: path.clone(), reason: reason.to_owned() });
            }
        },
    }
    Ok(())
}

/// Makes `path` what it was, in one step. `there`: whether something is there, and whether it bears the permissions
/// that the old file had.
fn restore(
    root: &Root,
    path: &RelPath,
    before: Option<(Old, &Arc<Vec<u8>>)>,
    temporary: &str,
    there: Option<bool>,
) -> Result<(), EditError> {
    let Some((before, bytes)) = before else { return Ok(root.slot(path)?.remove()?) };
    make_way(root, path)?;
    let slot = root.slot(path)?;
    let like = if there == Some(true) { Like::File(path.clone()) } else { Like::Meta(before.meta) };
    slot.stage(temporary, bytes, &like)?
        .sync_all()
        .map_err(|source| VfsError::Write { path: path.clone(), source })?;
    let placed = if there.is_some() { slot.replace_by(temporary) } else { slot.create_by(temporary) };
    Ok(placed?)
}

/// Makes the directories above `path` that somebody has taken away meanwhile.
fn make_way(root: &Root, path: &RelPath) -> Result<(), EditError> {
    let above = std::iter::successors(path.parent(), RelPath::parent);
    let mut missing: Vec<RelPath> = above.filter(|directory| !directory.is_root()).collect();
    missing.reverse();
    for directory in missing {
        root.slot(&directory)?.make_directory()?;
    }
    Ok(())
}

/// The hash of what lies at `path`; `None` when nothing does.
fn now(root: &Root, path: &RelPath) -> Result<Option<ContentHash>, EditError> {
    let slot: Slot<'_> = match root.slot(path) {
        Err(VfsError::NotFound { .. }) => return Ok(None),
        slot => slot?,
    };
    if let SlotContent::Other(what) = slot.look()? {
        return Err(VfsError::NotAFile { path: path.clone(), what }.into());
    }
    Ok(slot.read()?.map(|(bytes, _)| ContentHash::of(&bytes)))
}
