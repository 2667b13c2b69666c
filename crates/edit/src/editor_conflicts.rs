//! Edits that failed and that an editor did not take back: kept for the user's decision, and closed without one when the
//! texts agree again. Invariant: a conflict is closed only if nothing of it is left to be put back or made.

use std::collections::BTreeMap;

use super::editor::Editor;
use super::entry::Journal;
use super::error::EditError;
use super::put_back::{InterruptionCause, Recovered, RecoveredOperation};
use super::stages::{EditorTurn, StagedRecord};
use super::store::OperationId;
use super::tree;
use symd_base::RelPath;

/// A conflict that was closed, because the texts of its files agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosedConflict {
    pub id: OperationId,
    /// The description of the edit.
    pub title: String,
    pub end: ConflictEnd,
}

/// How a conflict ended without the user's decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictEnd {
    /// Its files are as they were before it.
    TakenBack,
    /// All its files have the edit's result, including those that did not when it failed.
    Made,
}

impl Editor {
    /// Keeps an edit that has failed for the user's decision, because editors did not take their parts back. `kept` is the
    /// state of each file that is not as it was. Returns the number under which [`Editor::resolve`] knows it.
    pub fn keep_conflict(
        &self,
        record: StagedRecord,
        kept: &BTreeMap<RelPath, String>,
    ) -> Result<OperationId, EditError> {
        let _lock = self.lock(self.turn_here())?;
        let StagedRecord(journal) = record;
        self.record_conflict(&journal, kept)?;
        Ok(journal.entry.id)
    }

    /// Drops the record of an edit that has failed: editors took back what they may have kept
    /// ([`super::StagedEdit::keep_if_it_fails`]).
    pub fn drop_conflict(&self, record: StagedRecord) -> Result<(), EditError> {
        let _lock = self.lock(self.turn_here())?;
        let StagedRecord(journal) = record;
        // First: without the record it would count as the journal of an edit in progress, to be put back.
        self.store.drop_pending_of(journal.entry.id)?;
        Ok(self.store.drop_cut_short(journal.entry.id)?)
    }

    /// Writes the record of an edit of which editors keep, or may keep, their parts of these files.
    pub(super) fn record_conflict(
        &self,
        journal: &Journal,
        kept: &BTreeMap<RelPath, String>,
    ) -> Result<(), EditError> {
        let mut journal = journal.clone();
        journal.entry.set_conflict(kept);
        Ok(self.store.keep_cut_short(&journal)?)
    }

    /// Returns what recovery did `at_start`, without the operations that were resolved since. Does not block.
    pub fn without_resolved(&self, at_start: &Recovered) -> Result<Recovered, EditError> {
        Ok(unresolved(at_start, &self.store.cut_short()?))
    }

    /// Returns [`Editor::without_resolved`], with the conflicts that are open now. Does not block: a record is either
    /// complete or not listed yet.
    pub fn with_open_conflicts(&self, at_start: &Recovered) -> Result<Recovered, EditError> {
        let open = self.store.cut_short()?;
        let mut recovered = unresolved(at_start, &open);
        let known: Vec<OperationId> = recovered.operations.iter().map(|operation| operation.id).collect();
        for id in open.into_iter().filter(|id| !known.contains(id)) {
            let journal = self.store.read_cut_short(id)?;
            recovered.operations.extend(journal.as_ref().and_then(open_conflict));
        }
        recovered.operations.sort_by_key(|operation| operation.id);
        Ok(recovered)
    }

    /// Whether operation `id` waits for a decision. Reads the names in one directory.
    pub fn is_unresolved(&self, id: OperationId) -> Result<bool, EditError> {
        Ok(self.store.cut_short()?.contains(&id))
    }

    /// Closes the conflict `id` if all its files are as they were before the edit, or if all have what it would have given
    /// them. Returns `None` if it stays open, or is resolved. The texts are those that questions see, so no two editors may
    /// show different texts of one of its files.
    pub fn close_if_settled(
        &self,
        turn: EditorTurn,
        id: OperationId,
    ) -> Result<Option<ClosedConflict>, EditError> {
        let _lock = self.lock(turn)?;
        let Some(journal) = self.store.read_cut_short(id)? else { return Ok(None) };
        if journal.entry.conflict.is_empty() {
            return Ok(None);
        }
        // Where all files had the change when it failed, that they have it says nothing new.
        let was_partial = journal.entry.conflict.keys().any(|path| !journal.entry.is_kept_in_editor(path));
        let end = match tree::conflict_restoration_of(self.files(), &journal) {
            Ok(changes) if changes.list.is_empty() => ConflictEnd::TakenBack,
            _ if was_partial && tree::has_all_of_conflict(self.files(), &journal)? => ConflictEnd::Made,
            _ => return Ok(None),
        };
        self.drop_resolved(&journal)?;
        Ok(Some(ClosedConflict { id, title: journal.entry.title, end }))
    }
}

/// Returns what recovery did `at_start`, without the operations that were kept and are not among the `open` ones.
fn unresolved(at_start: &Recovered, open: &[OperationId]) -> Recovered {
    let mut recovered = at_start.clone();
    recovered.operations.retain(|known| !known.is_kept || open.contains(&known.id));
    recovered
}

/// Returns the conflict of which `journal` is the record, if it is one.
pub(super) fn open_conflict(journal: &Journal) -> Option<RecoveredOperation> {
    let left = journal.entry.conflict();
    (!left.is_empty()).then(|| RecoveredOperation {
        id: journal.entry.id,
        title: journal.entry.title.clone(),
        put_back: Vec::new(),
        left,
        is_kept: true,
        in_editors: Vec::new(),
        cause: InterruptionCause::KeptInEditor,
    })
}
