//! Applies the changes of a plan to the disk, after the journal was written. Each file's change is one system
//! call; all slow work (writing, syncing) precedes the first of them. Stops at the first failure; `put_back`
//! does the rollback.

use std::collections::BTreeSet;
use std::fs::File;
use std::os::fd::OwnedFd;

use super::change::{Change, Changes, Original};
use super::entry::{Entry, Record};
use super::error::{Conflict, EditError};
use super::steps::{Hook, Step};
use symd_base::{ContentHash, RelPath};
use symd_sys::disk;
use symd_vfs::{Root, Slot, SlotContent, VfsError};

/// Maximum number of staged files open at once: each batch is synced together before the next is written.
const BATCH: usize = 128;

/// Number of threads that sync in parallel. A journalling file system commits their files in groups.
const SYNCING_THREADS: usize = 8;

/// Maximum number of replaced files that are kept open until the edit is complete, because freeing 200 of them
/// took 600 ms on ext4; further ones are freed during the edit.
const MAX_REPLACED: usize = 512;

/// Creates directories, and stages and syncs every new content next to its target.
pub(super) fn prepare(root: &Root, hook: &Hook, changes: &Changes, entry: &Entry) -> Result<(), EditError> {
    for directory in &changes.make {
        root.slot(directory)?.make_directory()?;
        hook.after(Step::DirectoryMade)?;
    }
    let pairs: Vec<(&Change, &Record)> = changes.list.iter().zip(&entry.records).collect();
    for batch in pairs.chunks(BATCH) {
        let mut staged = Vec::with_capacity(batch.len());
        for pair in batch {
            let (Change::Content { path, before, after: Some(after) }, Record::Content { temporary, .. }) =
                pair
            else {
                continue;
            };
            if before.as_ref().is_some_and(|file| file.in_editor) {
                continue;
            }
            let slot = root.slot(path)?;
            check_unchanged(&slot, before.as_ref())?;
            staged.push((path, slot.stage(temporary, &after.bytes, &after.like)?));
            hook.after(Step::Staged)?;
        }
        sync_all(&staged)?;
        hook.after(Step::Synced)?;
    }
    Ok(())
}

/// Waits until all `files` are on the disk.
fn sync_all(files: &[(&RelPath, File)]) -> Result<(), EditError> {
    let sync = |share: &[(&RelPath, File)]| {
        share.iter().try_for_each(|(path, file)| {
            disk::sync_file(file).map_err(|source| VfsError::Write { path: (*path).clone(), source })
        })
    };
    if let [_] = files {
        // A thread would cost more than it saves.
        return sync(files).map_err(EditError::from);
    }
    let share = files.len().div_ceil(SYNCING_THREADS).max(1);
    std::thread::scope(|scope| {
        // All threads must be spawned before the first is joined.
        let threads: Vec<_> = files.chunks(share).map(|share| scope.spawn(move || sync(share))).collect();
        threads.into_iter().try_for_each(|thread| match thread.join() {
            Ok(answer) => answer.map_err(EditError::from),
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })
}

/// Makes the changes, which `entry` records one by one in the same order, and removes the directories that they
/// leave empty. Adds replaced files to `replaced`, to be
/// freed later, and to `touched` the number of records that may have been applied.
pub(super) fn change(
    root: &Root,
    hook: &Hook,
    changes: &Changes,
    entry: &Entry,
    (replaced, touched): (&mut Vec<OwnedFd>, &mut usize),
) -> Result<(), EditError> {
    for (change, record) in changes.list.iter().zip(&entry.records) {
        match (change, record) {
            (Change::Content { before: Some(file), .. }, _) if file.in_editor => *touched += 1,
            (Change::Content { path, before, after }, Record::Content { temporary, .. }) => {
                let slot = root.slot(path)?;
                check_unchanged(&slot, before.as_ref())?;
                *touched += 1;
                if replaced.len() < MAX_REPLACED {
                    replaced.extend(slot.keep_allocated());
                }
                match (before, after) {
                    (Some(_), Some(_)) => slot.replace_by(temporary)?,
                    (_, None) => slot.remove()?,
                    (None, Some(_)) => slot.create_by(temporary)?,
                }
            }
            (Change::Move { from, to, file }, _) => {
                let slot = root.slot(from)?;
                check_unchanged(&slot, Some(file))?;
                *touched += 1;
                slot.move_to(&root.slot(to)?)?;
            }
            (Change::Content { .. }, Record::Move { .. }) => {}
        }
        hook.after(Step::Changed)?;
    }
    clear(root, hook, &changes.clear)
}

/// Checks the file again, right before the step that would overwrite it: a file that changed since the check
/// is not touched. Two system calls lie between this check and the step; Linux offers no way to close that
/// gap for a file that others write to.
fn check_unchanged(slot: &Slot<'_>, before: Option<&Original>) -> Result<(), EditError> {
    let found = slot.inspect()?;
    let conflict = |found| {
        let expected = before.map(|file| file.hash);
        Err(EditError::Conflict { files: vec![Conflict { path: slot.path().clone(), expected, found }] })
    };
    match (before, found) {
        (None, SlotContent::Nothing) => Ok(()),
        (Some(file), SlotContent::File { stat, .. }) if stat == file.stat => Ok(()),
        (_, SlotContent::Other(what)) => Err(VfsError::NotAFile { path: slot.path().clone(), what }.into()),
        (_, SlotContent::Nothing) => conflict(None),
        (_, SlotContent::File { .. }) => {
            let hash = slot.read()?.map(|(bytes, _)| ContentHash::of(&bytes));
            // The modification time or permissions changed, but the bytes are the same.
            if hash.is_some() && hash == before.map(|file| file.hash) { Ok(()) } else { conflict(hash) }
        }
    }
}

/// Completes an edit whose files are all changed.
pub(super) fn finish(root: &Root, entry: &Entry) -> Result<(), EditError> {
    clear(root, &Hook::default(), &entry.cleared)?;
    sync_directories(root, entry)
}

/// Removes empty directories.
fn clear(root: &Root, hook: &Hook, directories: &[RelPath]) -> Result<(), EditError> {
    for directory in directories {
        match root.slot(directory) {
            Err(VfsError::NotFound { .. }) => continue,
            slot => slot?.remove_directory()?,
        };
        hook.after(Step::DirectoryCleared)?;
    }
    Ok(())
}

/// Syncs every directory in which `entry` changes a name; directories that no longer exist need no sync.
pub(super) fn sync_directories(root: &Root, entry: &Entry) -> Result<(), EditError> {
    let names = entry.records.iter().flat_map(|record| match record {
        Record::Content { path, .. } => vec![path],
        Record::Move { from, to, .. } => vec![from, to],
    });
    let mut synced = BTreeSet::new();
    for path in names.chain(&entry.made).chain(&entry.cleared) {
        if !synced.insert(path.parent()) {
            continue;
        }
        match root.slot(path) {
            Err(VfsError::NotFound { .. }) => {}
            slot => slot?.sync_directory()?,
        }
    }
    Ok(())
}
