//! The part of an edit that was made in unsaved texts only, and that their closing took away: made again in the files.

use super::Editor;
use crate::change::Changes;
use crate::diff::{FileDiff, diffs};
use crate::editor::Applied;
use crate::entry::Kind;
use crate::error::EditError;
use crate::history;
use crate::plan::{Originator, Plan, PlanStep};
use crate::rebase::rebase;
use crate::stages::{EditStage, EditorTurn};
use crate::store::OperationId;
use crate::tree::{self, Links};
use crate::unsaved_parts::{PartState, UnsavedPart};

impl Editor {
    /// Makes the changes of an edit in files whose unsaved texts were closed with them.
    pub fn finish_unsaved(&self, id: OperationId, by: Originator) -> Result<Applied, EditError> {
        self.settle(self.stage_unsaved(self.turn_here(), id, by))
    }

    /// Begins [`Editor::finish_unsaved`].
    pub fn stage_unsaved(&self, turn: EditorTurn, id: OperationId, by: Originator) -> EditStage {
        let staged = self.lock_settled(turn).and_then(|lock| {
            let changes = self.unsaved_changes(id)?;
            Ok(self.stage_changes(lock, changes, by, Kind::Finish { of: id }))
        });
        match staged {
            // The files have the changes already.
            Ok(EditStage::Ended(Ok(nothing))) => {
                self.unsaved_parts.forget(id);
                EditStage::Ended(Ok(nothing))
            }
            Ok(stage) => stage,
            Err(error) => EditStage::Ended(Err(error)),
        }
    }

    /// Returns the changes that [`Editor::finish_unsaved`] would make.
    pub fn preview_unsaved(&self, id: OperationId) -> Result<Vec<FileDiff>, EditError> {
        self.unsaved_changes(id).map(|changes| diffs(&changes))
    }

    fn unsaved_changes(&self, id: OperationId) -> Result<Changes, EditError> {
        let refused = |why: String| EditError::NoOperation(format!("operation {id} {why}"));
        if let Some(by) = history::finished_by(&self.store.entries()?, id) {
            return Err(refused(format!("is finished, by operation {by}")));
        }
        let parts = self.unsaved_parts.of(id);
        let closed: Vec<&UnsavedPart> = parts.iter().filter(|part| part.state == PartState::Closed).collect();
        if closed.is_empty() {
            return Err(refused(
                "has nothing that was closed without being saved; history shows what has".to_owned(),
            ));
        }
        let mut steps = Vec::new();
        for part in closed {
            let path = part.path.clone();
            let seen =
                self.text_of(&path).ok_or_else(|| refused(format!("cannot be finished: {path} is gone")))?;
            let edits = rebase(&part.before, &part.after, seen.text.as_str()).ok_or_else(|| {
                refused(format!(
                    "cannot be finished: its change of {path} was made beside lines that were never saved; make it by hand, \
                     or undo the operation"
                ))
            })?;
            steps.push(PlanStep::Text { path, base: seen.hash, edits });
        }
        tree::changes_of(self.files(), &Plan::new(steps), Links::Followed)
    }
}
