//! What happened, read off the committed entries: which edits are undone, what undo and redo would take next. Undoing
//! and redoing are entries themselves, so the history only grows at its end and is never rewritten.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::change::FileChange;
use super::entry::{Entry, Kind};
use super::error::EditError;
use super::plan::By;
use super::store::OperationId;

/// Which operation to undo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The last edit that is not undone, but for those made aside ([`super::Editor::apply_aside`]).
    Last,
    /// This one, whatever came after it: refused where later edits changed the same files.
    Id(OperationId),
}

/// What an operation was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happened {
    /// An edit.
    Edit,
    /// That edit was undone.
    Undo(OperationId),
    /// That edit was made again.
    Redo(OperationId),
    /// The user had files put back that a crash had left in between.
    Recovery,
}

/// One operation of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Its number.
    pub id: OperationId,
    /// When it was made.
    pub time: SystemTime,
    /// By whom.
    pub by: By,
    /// What it was.
    pub what: Happened,
    /// Whether it is undone now: of edits only.
    pub undone: bool,
    /// Every file it changed, by path.
    pub files: Vec<FileChange>,
}

/// The operations, newest first.
pub(super) fn operations(entries: &[Arc<Entry>], limit: usize) -> Vec<Operation> {
    let undone = Standing::of(entries).undone;
    let operation = |entry: &Arc<Entry>| Operation {
        id: entry.id,
        time: UNIX_EPOCH + Duration::from_millis(entry.time),
        by: entry.by(),
        what: match entry.kind {
            Kind::Edit | Kind::Aside => Happened::Edit,
            Kind::Undo { of } => Happened::Undo(of),
            Kind::Redo { of } => Happened::Redo(of),
            Kind::Recovery => Happened::Recovery,
        },
        undone: undone.contains(&entry.id),
        files: entry.files(),
    };
    entries.iter().rev().take(limit).map(operation).collect()
}

/// The edit that undoing `which` would undo.
pub(super) fn to_undo(entries: &[Arc<Entry>], which: Which) -> Result<OperationId, EditError> {
    let undone = Standing::of(entries).undone;
    match which {
        Which::Last => entries
            .iter()
            .rev()
            .find(|entry| is_edit(entry.kind) && entry.kind != Kind::Aside && !undone.contains(&entry.id))
            .map(|entry| entry.id)
            .ok_or_else(|| EditError::NoOperation("there is nothing to undo".to_owned())),
        Which::Id(id) => {
            let refused = |why: &str| Err(EditError::NoOperation(format!("operation {id} {why}")));
            match entries.iter().find(|entry| entry.id == id) {
                None => refused("is not in the history"),
                Some(entry) if !is_edit(entry.kind) => refused("is an undo or redo, not an edit; see `redo`"),
                Some(_) if undone.contains(&id) => refused("is undone already"),
                Some(_) => Ok(id),
            }
        }
    }
}

/// The undo that redoing would take back, and the edit it undid.
pub(super) fn to_redo(entries: &[Arc<Entry>]) -> Result<(OperationId, OperationId), EditError> {
    let nothing =
        || EditError::NoOperation("there is nothing to redo: no undo since the last edit".to_owned());
    Standing::of(entries).redoable.pop().ok_or_else(nothing)
}

fn is_edit(kind: Kind) -> bool {
    matches!(kind, Kind::Edit | Kind::Aside | Kind::Recovery)
}

/// How edits stand after everything that happened.
#[derive(Debug, Default)]
struct Standing {
    undone: BTreeSet<OperationId>,
    /// Undos since the last edit that were not redone, oldest first, with what they undid.
    redoable: Vec<(OperationId, OperationId)>,
}

impl Standing {
    fn of(entries: &[Arc<Entry>]) -> Standing {
        let mut standing = Standing::default();
        for entry in entries {
            match entry.kind {
                Kind::Edit | Kind::Recovery => standing.redoable.clear(),
                // What was undone can still be made again: its files are others, or the hashes show it.
                Kind::Aside => {}
                Kind::Undo { of } => {
                    standing.undone.insert(of);
                    standing.redoable.push((entry.id, of));
                }
                Kind::Redo { of } => {
                    standing.undone.remove(&of);
                    standing.redoable.retain(|(_, undone)| *undone != of);
                }
            }
        }
        standing
    }
}
