//! The history, derived from the committed entries: which edits are undone, and what undo and redo would do
//! next. Undo and redo are entries themselves, so the history is only appended to and never rewritten.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::change::FileChange;
use super::entry::{Entry, Kind};
use super::error::EditError;
use super::plan::Originator;
use super::store::OperationId;
use super::unsaved_parts::PartState;
use symd_base::RelPath;

/// Selects the operation to undo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoTarget {
    /// The last edit that is not undone, ignoring those of [`super::Editor::apply_notes`].
    Last,
    /// This operation, whatever came after it: rejected if later edits changed the same files.
    Id(OperationId),
}

/// The kind of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    Edit,
    /// The undo of an edit.
    Undo(OperationId),
    /// The redo of an edit.
    Redo(OperationId),
    /// Files put back at the user's request, after a crash had left them.
    Recovery,
}

/// One operation of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    pub id: OperationId,
    /// Time of the operation.
    pub time: SystemTime,
    pub by: Originator,
    pub what: OperationKind,
    /// Whether it is undone now; only edits can be.
    pub undone: bool,
    /// Every file that it changed, by path.
    pub files: Vec<FileChange>,
    /// What became of the changes that editors made in unsaved texts and that were not saved since.
    pub unsaved: Vec<(RelPath, PartState)>,
}

/// Returns the last `limit` operations, newest first.
pub(super) fn operations(entries: &[Arc<Entry>], limit: usize) -> Vec<Operation> {
    let undone = UndoState::of(entries).undone;
    let operation = |entry: &Arc<Entry>| Operation {
        id: entry.id,
        time: UNIX_EPOCH + Duration::from_millis(entry.time),
        by: entry.by(),
        what: match entry.kind {
            Kind::Edit | Kind::Aside | Kind::Finish { .. } => OperationKind::Edit,
            Kind::Undo { of } => OperationKind::Undo(of),
            Kind::Redo { of } => OperationKind::Redo(of),
            Kind::Recovery => OperationKind::Recovery,
        },
        undone: undone.contains(&entry.id),
        files: entry.files(),
        unsaved: Vec::new(),
    };
    entries.iter().rev().take(limit).map(operation).collect()
}

/// Returns the edit that undoing `which` would undo.
pub(super) fn to_undo(entries: &[Arc<Entry>], which: UndoTarget) -> Result<OperationId, EditError> {
    let undone = UndoState::of(entries).undone;
    match which {
        UndoTarget::Last => entries
            .iter()
            .rev()
            .find(|entry| is_edit(entry.kind) && entry.kind != Kind::Aside && !undone.contains(&entry.id))
            .map(|entry| entry.id)
            .ok_or_else(|| EditError::NoOperation("there is nothing to undo".to_owned())),
        UndoTarget::Id(id) => {
            let refused = |why: &str| Err(EditError::NoOperation(format!("operation {id} {why}")));
            match entries.iter().find(|entry| entry.id == id) {
                None => refused("is not in the history; list the history for the numbers that are"),
                Some(entry) if !is_edit(entry.kind) => refused("is an undo or redo, not an edit; see `redo`"),
                Some(_) if undone.contains(&id) => refused("is undone already"),
                Some(_) => Ok(id),
            }
        }
    }
}

/// Returns the undo that redo would reverse, and the edit that it undid.
pub(super) fn to_redo(entries: &[Arc<Entry>]) -> Result<(OperationId, OperationId), EditError> {
    let nothing =
        || EditError::NoOperation("there is nothing to redo: no undo since the last edit".to_owned());
    UndoState::of(entries).redoable.pop().ok_or_else(nothing)
}

/// Returns the edit that made the unsaved changes of `of` in their files, if there is one that is not undone.
pub(super) fn finished_by(entries: &[Arc<Entry>], of: OperationId) -> Option<OperationId> {
    let state = UndoState::of(entries);
    state.finishing.get(&of).copied().filter(|by| !state.undone.contains(by))
}

fn is_edit(kind: Kind) -> bool {
    matches!(kind, Kind::Edit | Kind::Aside | Kind::Recovery | Kind::Finish { .. })
}

/// The state of all edits after the whole history.
#[derive(Debug, Default)]
struct UndoState {
    undone: BTreeSet<OperationId>,
    /// Undos since the last edit that were not redone, oldest first, each with the edit that it undid.
    redoable: Vec<(OperationId, OperationId)>,
    /// The edits that made the unsaved changes of others in their files, by those others.
    finishing: BTreeMap<OperationId, OperationId>,
    /// These edits, where they were undone together with the others.
    undone_with: BTreeMap<OperationId, OperationId>,
}

impl UndoState {
    fn of(entries: &[Arc<Entry>]) -> UndoState {
        let mut standing = UndoState::default();
        for entry in entries {
            match entry.kind {
                Kind::Edit | Kind::Recovery => standing.redoable.clear(),
                Kind::Finish { of } => {
                    standing.redoable.clear();
                    standing.finishing.insert(of, entry.id);
                }
                // Undone edits can still be redone: they concern other files, or the hashes reveal a
                // conflict.
                Kind::Aside => {}
                Kind::Undo { of } => {
                    standing.undone.insert(of);
                    if let Some(&by) = standing.finishing.get(&of)
                        && standing.undone.insert(by)
                    {
                        standing.undone_with.insert(of, by);
                    }
                    standing.redoable.push((entry.id, of));
                }
                Kind::Redo { of } => {
                    standing.undone.remove(&of);
                    if let Some(by) = standing.undone_with.remove(&of) {
                        standing.undone.remove(&by);
                    }
                    standing.redoable.retain(|(_, undone)| *undone != of);
                }
            }
        }
        standing
    }
}
