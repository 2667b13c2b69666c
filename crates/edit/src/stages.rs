//! The stages of an edit: stage (check, journal, staged files), change (one rename per file), commit. Between
//! them nothing is held but the turn, so the caller may wait there without blocking a thread: for whatever
//! must agree to the edit, and until no reader is active. Invariants: files change only in [`Editor::finish`]
//! and [`Editor::roll_back`]; an edit dropped between two stages is put back by the next turn, like one that
//! a crash cut short.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::OwnedMutexGuard;

use super::apply;
use super::change::{Change, Changes, FileChange, StagedContent};
use super::deferred::DeferredItem;
use super::editor::{Applied, Editor};
use super::entry::{Journal, Kind};
use super::error::EditError;
use super::plan::Originator;
use super::put_back::{PutBack, UnrestoredFile, put_back, unstage_all};
use super::steps::Step;
use super::store::Pending;
use symd_base::RelPath;

/// The turn of one edit among those of this process, held until it is dropped.
#[derive(Debug)]
pub struct EditorTurn {
    pub(super) _guard: OwnedMutexGuard<()>,
    /// The files that programs have open which change them first, before the file on the disk.
    pub(super) asked: BTreeSet<RelPath>,
}

impl EditorTurn {
    /// Records in the journal which of `files` the edit changes: a program that has them open is asked to change
    /// them first, and keeps what it made if this process dies.
    #[must_use]
    pub fn asking_about(self, files: BTreeSet<RelPath>) -> EditorTurn {
        EditorTurn { asked: files, ..self }
    }
}

/// The right to edit among all processes, held until it is dropped.
#[derive(Debug)]
pub(super) struct EditLock {
    pub(super) turn: EditorTurn,
    pub(super) everywhere: File,
}

/// A guard that keeps readers out until it is dropped.
pub type ClosedGate = Box<dyn Send>;

/// How far an edit got, and what comes next.
#[derive(Debug)]
pub enum EditStage {
    /// Everything is checked, journalled and staged, and no file has changed. Next: keep readers out, then
    /// [`Editor::finish`], or [`Editor::abandon`].
    Staged(Box<StagedEdit>),
    /// Every file was changed, readers were admitted again, and then the edit failed. Next: keep readers out,
    /// then [`Editor::roll_back`].
    Failed(Box<FailedEdit>),
    Ended(Result<Applied, EditError>),
}

/// An edit that is ready to change files.
#[derive(Debug)]
pub struct StagedEdit {
    lock: EditLock,
    changes: Changes,
    pending: Pending,
    /// The journal of the operation that this edit restores, as the user decided.
    pub(super) resolves: Option<Journal>,
    /// The state of each file of which an editor may keep its part if the edit fails.
    may_be_kept: BTreeMap<RelPath, String>,
}

/// What an edit was to change, with the old texts: for an edit that failed and is not taken back everywhere.
#[derive(Clone, Debug)]
pub struct StagedRecord(pub(super) Journal);

impl StagedRecord {
    /// Returns the files that the edit was to change.
    pub fn files(&self) -> Vec<RelPath> {
        self.0.entry.files().into_iter().map(|file| file.path).collect()
    }
}

/// An edit that changed every file and could not be committed.
#[derive(Debug)]
pub struct FailedEdit {
    _lock: EditLock,
    pending: Pending,
    may_be_kept: BTreeMap<RelPath, String>,
    reason: EditError,
    /// Held so that freeing them delays nothing.
    _replaced: Vec<OwnedFd>,
}

impl StagedEdit {
    /// Returns the changes of files that exist, for those that must agree to them.
    pub fn contents(&self) -> Vec<StagedContent> {
        let content = |change: &Change| match change {
            Change::Content { path, before: Some(before), after } => Some(StagedContent {
                path: path.clone(),
                before: Arc::clone(&before.bytes),
                after: after.as_ref().map(|file| Arc::clone(&file.bytes)),
                in_editor: before.in_editor,
            }),
            _ => None,
        };
        self.changes.list.iter().filter_map(content).collect()
    }

    /// Returns the paths at which files appear: created, or moved there.
    pub fn created(&self) -> Vec<RelPath> {
        let created = |change: &Change| match change {
            Change::Content { path, before: None, .. } | Change::Move { to: path, .. } => Some(path.clone()),
            Change::Content { .. } => None,
        };
        self.changes.list.iter().filter_map(created).collect()
    }

    /// Returns the files on the disk that change, appear or go away. Texts that editors have not saved are none.
    pub fn touched(&self) -> Vec<RelPath> {
        let touched = |change: &Change| match change {
            Change::Content { before: Some(before), .. } if before.in_editor => Vec::new(),
            Change::Content { path, .. } => vec![path.clone()],
            Change::Move { from, to, .. } => vec![from.clone(), to.clone()],
        };
        self.changes.list.iter().flat_map(touched).collect()
    }

    /// Returns the record of what the edit changes.
    pub fn record(&self) -> StagedRecord {
        StagedRecord(self.pending.journal.clone())
    }

    /// Has the edit kept for the user's decision if it fails, before the rest of it is forgotten: `states` says what editors that
    /// made their parts have of each file. The record is to be corrected ([`Editor::keep_conflict`]) or dropped
    /// ([`Editor::drop_conflict`]) when they have taken them back or not.
    pub fn keep_if_it_fails(&mut self, states: BTreeMap<RelPath, String>) {
        self.may_be_kept = states;
    }

    /// Returns the description of the edit.
    pub fn title(&self) -> &str {
        &self.pending.journal.entry.title
    }
}

impl EditStage {
    fn failed(error: impl Into<EditError>) -> EditStage {
        EditStage::Ended(Err(error.into()))
    }
}

impl Editor {
    /// Waits until no other edit of this process has a turn.
    pub async fn turn(&self) -> EditorTurn {
        EditorTurn { _guard: Arc::clone(&self.turn).lock_owned().await, asked: BTreeSet::new() }
    }

    /// Returns the turn if no other edit of this process has it.
    pub fn try_turn(&self) -> Option<EditorTurn> {
        let guard = Arc::clone(&self.turn).try_lock_owned().ok()?;
        Some(EditorTurn { _guard: guard, asked: BTreeSet::new() })
    }

    /// Journals and stages `changes`.
    pub(super) fn stage_changes(
        &self,
        lock: EditLock,
        changes: Changes,
        by: Originator,
        kind: Kind,
    ) -> EditStage {
        let begun = self.begin(&lock, &changes, by, kind);
        let pending = match begun {
            Ok(Some(pending)) => pending,
            Ok(None) => return EditStage::Ended(Ok(Applied::default())),
            Err(error) => return EditStage::Ended(Err(error)),
        };
        let prepared = self
            .hook
            .after(Step::Journalled)
            .and_then(|()| apply::prepare(&self.root, &self.hook, &changes, &pending.journal.entry));
        match prepared {
            Ok(()) => EditStage::Staged(Box::new(StagedEdit {
                lock,
                changes,
                pending,
                resolves: None,
                may_be_kept: BTreeMap::new(),
            })),
            Err(reason) => EditStage::Ended(Err(self.put_back(&pending, reason, (0, &BTreeMap::new())))),
        }
    }

    /// Writes the journal; returns `None` if nothing would change.
    fn begin(
        &self,
        lock: &EditLock,
        changes: &Changes,
        by: Originator,
        kind: Kind,
    ) -> Result<Option<Pending>, EditError> {
        self.hook.after(Step::Checked)?;
        let is_nothing = changes.list.is_empty() && changes.make.is_empty();
        if is_nothing && matches!(kind, Kind::Edit | Kind::Aside | Kind::Recovery | Kind::Finish { .. }) {
            return Ok(None);
        }
        let journal = Journal::of(self.store.next_id()?, changes, (by, kind), &lock.turn.asked);
        let place = self.store.begin(&journal, &lock.everywhere)?;
        Ok(Some(Pending { journal, place, is_salvaged: false }))
    }

    /// Changes the files and commits. Readers are kept out until the tree is complete, by dropping `closed`;
    /// `None` where there are none.
    pub fn finish(&self, staged: StagedEdit, closed: Option<ClosedGate>) -> EditStage {
        let StagedEdit { lock, changes, pending, resolves, may_be_kept } = staged;
        let entry = &pending.journal.entry;
        if matches!(entry.kind, Kind::Edit | Kind::Redo { .. } | Kind::Finish { .. }) {
            // Before any file changes: a crash that leaves the edit complete leaves its unsaved parts known.
            self.unsaved_parts.record(entry.id, &changes);
        }
        let (mut replaced, mut touched) = (Vec::new(), 0);
        let changed = apply::change(&self.root, &self.hook, &changes, entry, (&mut replaced, &mut touched));
        if let Err(reason) = changed {
            self.unsaved_parts.forget(entry.id);
            let error = self.put_back(&pending, reason, (touched, &may_be_kept));
            drop(closed);
            return EditStage::failed(error);
        }
        // The tree is complete, so readers may see it while this thread waits for the disk.
        drop(closed);
        match self.commit(&pending) {
            Ok(entry) => {
                if let Kind::Undo { of } = pending.journal.entry.kind {
                    self.unsaved_parts.forget(of);
                }
                self.afterwards.enqueue(DeferredItem { replaced, entry });
                EditStage::Ended(Ok(self.committed(&changes, &pending, resolves.as_ref())))
            }
            Err(reason) => {
                self.unsaved_parts.forget(pending.journal.entry.id);
                EditStage::Failed(Box::new(FailedEdit {
                    _lock: lock,
                    pending,
                    may_be_kept,
                    reason,
                    _replaced: replaced,
                }))
            }
        }
    }

    fn commit(&self, pending: &Pending) -> Result<PathBuf, EditError> {
        apply::sync_directories(&self.root, &pending.journal.entry)?;
        self.hook.after(Step::DirectoriesSynced)?;
        Ok(self.store.commit(&pending.journal, pending.place)?)
    }

    /// The edit is committed, whatever fails from here on: an error would claim the opposite.
    fn committed(&self, changes: &Changes, pending: &Pending, resolves: Option<&Journal>) -> Applied {
        let after = self.hook.after(Step::Committed);
        if let Err(error) = after.and(self.store.prune().map_err(EditError::from)) {
            tracing::warn!(%error, "cannot remove old operations from the history");
        }
        if let Some(Err(error)) = resolves.map(|journal| self.drop_resolved(journal)) {
            tracing::warn!(%error, "cannot remove the record of an operation that was resolved");
        }
        let mut files: Vec<FileChange> = changes.list.iter().flat_map(Change::file_changes).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let directories = changes.make.clone();
        Applied {
            id: Some(pending.journal.entry.id),
            files,
            directories,
            not_saved: Vec::new(),
            not_reloaded: Vec::new(),
        }
    }

    /// Removes the record of an operation that recovery could not put back.
    pub(super) fn drop_resolved(&self, journal: &Journal) -> Result<(), EditError> {
        unstage_all(&self.root, &journal.entry);
        Ok(self.store.drop_cut_short(journal.entry.id)?)
    }

    /// Ends an edit that has changed no file, for `reason`.
    pub fn abandon(&self, staged: StagedEdit, reason: EditError) -> EditError {
        self.put_back(&staged.pending, reason, (0, &staged.may_be_kept))
    }

    /// Puts back every file of an edit. If readers could not be kept out, they may see a mixed tree; not
    /// rolling back would be worse.
    pub fn roll_back(&self, failed: FailedEdit, closed: Option<ClosedGate>) -> EditError {
        let touched = failed.pending.journal.entry.records.len();
        let error = self.put_back(&failed.pending, failed.reason, (touched, &failed.may_be_kept));
        drop(closed);
        error
    }

    /// Puts back the first `touched` records and returns the edit's error. `may_be_kept` is what editors may have of it.
    fn put_back(
        &self,
        pending: &Pending,
        reason: EditError,
        (touched, may_be_kept): (usize, &BTreeMap<RelPath, String>),
    ) -> EditError {
        let reason = Box::new(reason);
        let back = put_back(&self.root, &self.hook, &pending.journal, touched);
        let id = pending.journal.entry.id;
        let left: Vec<String> = back.left().map(UnrestoredFile::to_string).collect();
        // Before the journal goes: a crash leaves one of the two. Where files are left, the journal is kept.
        if left.is_empty()
            && !may_be_kept.is_empty()
            && let Err(error) = self.record_conflict(&pending.journal, may_be_kept)
        {
            tracing::warn!(%error, "cannot record what editors may keep of an edit that failed");
        }
        // After a failure the journal stays in place: the next turn tries again.
        let forgotten = if back.failed.is_empty() { self.forget(pending, &back) } else { Ok(()) };
        match forgotten {
            // These messages say that nothing was written, which is true now.
            Ok(())
                if left.is_empty()
                    && matches!(
                        *reason,
                        EditError::Conflict { .. } | EditError::Unsaved { .. } | EditError::NotInEditor(_)
                    ) =>
            {
                *reason
            }
            Ok(()) if left.is_empty() => EditError::Failed { reason },
            Ok(()) => EditError::RollbackFailed { id, reason, left },
            Err(error) if left.is_empty() => EditError::JournalLeft { reason, why: error.to_string() },
            Err(error) => {
                let left = left.into_iter().chain([error.to_string()]).collect();
                EditError::RollbackFailed { id, reason, left }
            }
        }
    }

    /// Ends an edit that was put back, except for files that another program wrote.
    pub(super) fn forget(&self, pending: &Pending, back: &PutBack) -> Result<(), EditError> {
        if back.foreign.is_empty() {
            return Ok(self.store.drop_pending(pending.place)?);
        }
        self.set_aside(pending, &back.foreign)
    }

    /// Runs the remaining stages at once, for a process without readers.
    pub(super) fn settle(&self, mut stage: EditStage) -> Result<Applied, EditError> {
        loop {
            stage = match stage {
                EditStage::Staged(staged) => match staged.contents().into_iter().find(|one| one.in_editor) {
                    Some(StagedContent { path, .. }) => {
                        EditStage::failed(self.abandon(*staged, EditError::Unsaved { path }))
                    }
                    None => self.finish(*staged, None),
                },
                EditStage::Failed(failed) => EditStage::failed(self.roll_back(*failed, None)),
                EditStage::Ended(ended) => return ended,
            };
        }
    }
}
