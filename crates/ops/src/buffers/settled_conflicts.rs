//! Conflicts that editors settle: an editor that answers late, or whose user undoes the change there, leaves nothing to be
//! decided. Invariant: a conflict is closed only between edits, and never while an editor has not told its texts or two editors show
//! different texts of one of its files.

use std::sync::{Arc, Weak};

use symd_base::RelPath;
use symd_edit::{
    ConflictEnd, EditError, Editor, InterruptionCause, OperationId, Recovered, RecoveredOperation,
};
use tokio::sync::watch;

use super::Buffers;

/// The unsaved texts of a conflict's files, from before the conflict is kept.
pub(crate) struct ConflictWatch {
    files: Vec<RelPath>,
    told: watch::Receiver<()>,
    looked_at: Vec<Option<i64>>,
}

impl Buffers {
    /// Closes the conflicts that an earlier daemon left once the texts of their files agree again.
    pub fn watch_open_conflicts(self: &Arc<Buffers>, editor: &Arc<Editor>, at_start: &Recovered) {
        let is_conflict = |one: &&RecoveredOperation| one.cause == InterruptionCause::KeptInEditor;
        for conflict in at_start.operations.iter().filter(is_conflict) {
            let files = conflict.left.iter().map(|file| file.path.clone()).collect();
            self.watch_files(files).close_once_settled(self, editor, conflict.id);
        }
    }

    /// Begins to watch the files of an edit that may become a conflict.
    pub(crate) fn watch_files(&self, files: Vec<RelPath>) -> ConflictWatch {
        let told = self.told.subscribe();
        ConflictWatch { looked_at: self.versions(&files), files, told }
    }

    /// Returns what tells one state of these files' unsaved texts from another.
    fn versions(&self, files: &[RelPath]) -> Vec<Option<i64>> {
        files.iter().map(|file| self.engine.unsaved().version(file)).collect()
    }
}

impl ConflictWatch {
    /// Closes the conflict `id` once the texts of its files agree again.
    pub(crate) fn close_once_settled(self, buffers: &Arc<Buffers>, editor: &Arc<Editor>, id: OperationId) {
        let ConflictWatch { files, mut told, mut looked_at } = self;
        // Nothing waits for this, so it keeps nothing alive.
        let (buffers, editor) = (Arc::downgrade(buffers), Arc::downgrade(editor));
        tokio::spawn(async move {
            while told.changed().await.is_ok() {
                let Some(now) = buffers.upgrade().map(|buffers| buffers.versions(&files)) else { return };
                if now == looked_at {
                    continue;
                }
                match close_if_settled(&buffers, &editor, id, &files).await {
                    // What is told meanwhile is looked at again.
                    Watch::GoesOn => looked_at = now,
                    Watch::Waits => {}
                    Watch::Ends => return,
                }
            }
        });
    }
}

/// Whether a conflict is to be looked at again.
enum Watch {
    /// Once a text of its files has changed.
    GoesOn,
    /// Once an editor has told of a document.
    Waits,
    Ends,
}

async fn close_if_settled(
    buffers: &Weak<Buffers>,
    editor: &Weak<Editor>,
    id: OperationId,
    files: &[RelPath],
) -> Watch {
    let Some((buffers, editor)) = buffers.upgrade().zip(editor.upgrade()) else { return Watch::Ends };
    // Not beside an edit, which may be the one that resolves it.
    let _whole = Arc::clone(&buffers.edits).lock_owned().await;
    // An editor that has not told its texts since the daemon began may still have the change.
    if buffers.silent_editor().is_some() {
        return Watch::Waits;
    }
    if files.iter().any(|file| buffers.state(file).differs) {
        return Watch::GoesOn;
    }
    let turn = editor.turn().await;
    let closed = tokio::task::spawn_blocking(move || {
        let closed = editor.close_if_settled(turn, id)?;
        let is_open = closed.is_none() && editor.is_unresolved(id)?;
        Ok::<_, EditError>((closed, is_open))
    });
    match closed.await {
        Ok(Ok((Some(closed), _))) => {
            let how = match closed.end {
                ConflictEnd::TakenBack => "the editors took it back",
                ConflictEnd::Made => "its files have all of it",
            };
            tracing::info!(operation = id.0, title = closed.title, how, "a conflict in editors is closed");
            Watch::Ends
        }
        Ok(Ok((None, true))) => Watch::GoesOn,
        Ok(Ok((None, false))) => Watch::Ends,
        Ok(Err(error)) => {
            tracing::warn!(operation = id.0, %error, "cannot look whether a conflict in editors is settled");
            Watch::GoesOn
        }
        Err(_) => Watch::Ends,
    }
}
