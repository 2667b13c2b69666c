//! What a crash left of an edit: put back or committed before anything else is done, or kept for the user's decision.

use super::Editor;
use crate::apply;
use crate::change::Changes;
use crate::diff::{FileDiff, diffs};
use crate::editor::Applied;
use crate::editor_conflicts::open_conflict;
use crate::entry::{Journal, Kind};
use crate::error::EditError;
use crate::plan::Originator;
use crate::put_back::{
    self, InterruptionCause, Recovered, RecoveredOperation, Resolution, UnrestoredFile, put_back,
};
use crate::stages::{EditStage, EditorTurn};
use crate::store::{JournalLocation, Leftover, OperationId, Pending};
use crate::tree;

impl Editor {
    /// Puts back what a crash left, if anything, and returns every operation that is not resolved yet.
    pub fn recover(&self) -> Result<Recovered, EditError> {
        let _lock = self.lock(self.turn_here())?;
        self.recover_locked()
    }

    pub(super) fn recover_locked(&self) -> Result<Recovered, EditError> {
        let (found, is_unreadable) = self.put_back_pending()?;
        let mut operations: Vec<RecoveredOperation> =
            found.into_iter().map(|found| found.operation).collect();
        for id in self.store.cut_short()? {
            if operations.iter().any(|known| known.id == id) {
                continue;
            }
            let Some(journal) = self.store.read_cut_short(id)? else { continue };
            if let Some(conflict) = open_conflict(&journal) {
                operations.push(conflict);
                continue;
            }
            let beyond_repair = put_back::beyond_repair(&self.root, &journal.entry);
            let left = if beyond_repair.is_empty() {
                put_back::changed_by_others(&self.root, &journal.entry)
            } else {
                beyond_repair
            };
            if left.is_empty() {
                // The user has restored the old content: no decision is needed.
                self.store.drop_cut_short(id)?;
                continue;
            }
            operations.push(RecoveredOperation {
                id,
                in_editors: journal.entry.in_editors(),
                title: journal.entry.title,
                put_back: Vec::new(),
                left,
                is_kept: true,
                cause: InterruptionCause::CutShort,
            });
        }
        operations.sort_by_key(|operation| operation.id);
        Ok(Recovered { operations, is_unreadable })
    }

    /// Resolves the files that recovery left of operation `id`, as the user decided.
    pub fn resolve(
        &self,
        id: OperationId,
        resolution: Resolution,
        by: Originator,
    ) -> Result<Applied, EditError> {
        self.settle(self.stage_resolution(self.turn_here(), id, resolution, by))
    }

    /// Begins [`Editor::resolve`].
    pub fn stage_resolution(
        &self,
        turn: EditorTurn,
        id: OperationId,
        resolution: Resolution,
        by: Originator,
    ) -> EditStage {
        let staged = self.lock(turn).and_then(|lock| {
            for found in self.put_back_pending()?.0 {
                if found.operation.id != id {
                    found.ensure_settled()?;
                } else if let Some(pending) = found.due {
                    // The operation could not be put back; the user's decision replaces that.
                    self.set_aside(&pending, &found.operation.left)?;
                }
            }
            let journal = self.cut_short(id)?;
            let stage = match resolution {
                Resolution::Keep => EditStage::Ended(Ok(Applied::default())),
                Resolution::PutBack => {
                    let changes = self.restoration_of(id, &journal)?;
                    self.stage_changes(lock, changes, by, Kind::Recovery)
                }
            };
            self.when_applied(stage, journal)
        });
        staged.unwrap_or_else(|error| EditStage::Ended(Err(error)))
    }

    /// Has the record of a resolved operation removed once the edit that resolves it is applied.
    fn when_applied(&self, stage: EditStage, resolved: Journal) -> Result<EditStage, EditError> {
        Ok(match stage {
            EditStage::Staged(mut staged) => {
                staged.resolves = Some(resolved);
                EditStage::Staged(staged)
            }
            EditStage::Ended(Ok(applied)) => {
                self.drop_resolved(&resolved)?;
                EditStage::Ended(Ok(applied))
            }
            failed => failed,
        })
    }

    /// Returns the changes that [`Editor::resolve`] would make to the files that recovery left of operation
    /// `id`.
    pub fn preview_resolve(
        &self,
        id: OperationId,
        resolution: Resolution,
    ) -> Result<Vec<FileDiff>, EditError> {
        let journal = self.cut_short(id)?;
        match resolution {
            Resolution::Keep => Ok(Vec::new()),
            Resolution::PutBack => self.restoration_of(id, &journal).map(|changes| diffs(&changes)),
        }
    }

    fn restoration_of(&self, id: OperationId, journal: &Journal) -> Result<Changes, EditError> {
        if !journal.entry.conflict.is_empty() {
            return tree::conflict_restoration_of(self.files(), journal);
        }
        let left = put_back::beyond_repair(&self.root, &journal.entry);
        if left.is_empty() {
            return tree::restoration_of(self.files(), journal);
        }
        let left: Vec<String> = left.iter().map(UnrestoredFile::to_string).collect();
        Err(EditError::NoOperation(format!(
            "operation {id} cannot be put back: {}; restore these files from version control, then run `symd resolve {id} \
             keep`",
            left.join(", ")
        )))
    }

    fn cut_short(&self, id: OperationId) -> Result<Journal, EditError> {
        let unknown = || EditError::NoOperation(format!("operation {id} was not cut short, or is resolved"));
        self.store.read_cut_short(id)?.ok_or_else(unknown)
    }

    /// Keeps the part of `pending` that concerns the files `left`, for the user's decision.
    pub(crate) fn set_aside(&self, pending: &Pending, left: &[UnrestoredFile]) -> Result<(), EditError> {
        let journal = pending.journal.about(&left.iter().map(|left| &left.path).collect());
        Ok(self.store.set_aside(&journal, pending.place)?)
    }

    /// Ends every edit that was in progress when its process ended: commits a complete one, puts any other
    /// back. Usually there is none, rarely one; of a reported edit the commit may be lost if the machine
    /// loses power. The second value tells whether an edit may have been in progress that cannot be read.
    pub(super) fn put_back_pending(&self) -> Result<(Vec<InterruptedEdit>, bool), EditError> {
        let mut all = Vec::new();
        loop {
            let pending = match self.store.left()? {
                Leftover::Nothing => return Ok((all, false)),
                Leftover::Unreadable => return Ok((all, true)),
                Leftover::Pending(pending) => *pending,
            };
            if put_back::is_fully_applied(&self.root, &pending.journal.entry) {
                self.complete(&pending)?;
                continue;
            }
            let is_salvaged = pending.is_salvaged;
            let found = self.end(pending)?;
            let is_due = found.due.is_some();
            // The process died while it wrote the journal, before it changed anything: nothing to report.
            let is_nothing =
                is_salvaged && found.operation.put_back.is_empty() && found.operation.left.is_empty();
            if !is_nothing {
                all.push(found);
            }
            if is_due {
                return Ok((all, false));
            }
        }
    }

    /// Commits an edit that is complete except for the commit.
    fn complete(&self, pending: &Pending) -> Result<(), EditError> {
        let entry = &pending.journal.entry;
        apply::finish(&self.root, entry)?;
        if entry.lost.is_empty() {
            if pending.is_salvaged {
                // The stored journal is damaged, so the entry is written anew.
                self.store.commit(&pending.journal, JournalLocation::Slot)?;
                self.store.drop_pending(pending.place)?;
            } else {
                self.store.commit(&pending.journal, pending.place)?;
            }
            self.store.sync()?;
            tracing::info!(operation = entry.id.0, title = entry.title, "completed the commit of an edit");
            return Ok(());
        }
        tracing::warn!(
            operation = entry.id.0,
            title = entry.title,
            "an edit is complete, but its journal is damaged: it cannot be undone"
        );
        Ok(self.store.drop_pending(pending.place)?)
    }

    /// Puts back an edit that was cut short. If its journal is too damaged for that, nothing is touched.
    fn end(&self, pending: Pending) -> Result<InterruptedEdit, EditError> {
        let entry = &pending.journal.entry;
        let (id, title) = (entry.id, entry.title.clone());
        let (in_editors, cause) = (entry.in_editors(), InterruptionCause::CutShort);
        let beyond_repair = put_back::beyond_repair(&self.root, entry);
        if !beyond_repair.is_empty() {
            tracing::error!(operation = id.0, title, "the journal of an edit that was cut short is damaged");
            self.set_aside(&pending, &beyond_repair)?;
            let operation = RecoveredOperation {
                id,
                title,
                put_back: Vec::new(),
                left: beyond_repair,
                is_kept: true,
                in_editors,
                cause,
            };
            return Ok(InterruptedEdit { operation, due: None });
        }
        let back = put_back(&self.root, &self.hook, &pending.journal, entry.records.len());
        tracing::warn!(operation = id.0, title, "an edit had been cut short and was put back");
        let left: Vec<UnrestoredFile> = back.left().cloned().collect();
        let due = if back.failed.is_empty() {
            self.forget(&pending, &back)?;
            None
        } else {
            Some(pending)
        };
        let is_kept = due.is_none() && !left.is_empty();
        let operation =
            RecoveredOperation { id, title, put_back: back.done, left, is_kept, in_editors, cause };
        Ok(InterruptedEdit { operation, due })
    }
}

/// An edit that was cut short.
pub(super) struct InterruptedEdit {
    operation: RecoveredOperation,
    /// The journal, if the edit could not be put back now.
    due: Option<Pending>,
}

impl InterruptedEdit {
    /// Returns an error if the edit must still be put back, before anything else is done.
    pub(super) fn ensure_settled(&self) -> Result<(), EditError> {
        if self.due.is_none() {
            return Ok(());
        }
        let left = self.operation.left.iter().map(UnrestoredFile::to_string).collect();
        Err(EditError::RecoveryDue { id: self.operation.id, left })
    }
}
