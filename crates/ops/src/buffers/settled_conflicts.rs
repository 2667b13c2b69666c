//! Conflicts that editors settle: an editor that answers late, or whose user undoes the change there, leaves nothing to be
//! decided. Invariant: a conflict is closed in the turn of no edit, and never while two editors show different texts.

use std::sync::{Arc, Weak};

use symd_base::RelPath;
use symd_edit::{ConflictEnd, EditError, Editor, OperationId};

use super::Buffers;

impl Buffers {
    /// Closes the conflicts that are open now once the texts of their files agree again. To be called when conflicts may
    /// have been left by an earlier daemon.
    pub fn watch_open_conflicts(self: &Arc<Buffers>, editor: &Arc<Editor>) -> Result<(), EditError> {
        for (id, files) in editor.open_conflicts()? {
            self.watch_conflict(editor, id, files);
        }
        Ok(())
    }

    /// Closes a conflict once the texts of its `files` agree again.
    pub(crate) fn watch_conflict(
        self: &Arc<Buffers>,
        editor: &Arc<Editor>,
        id: OperationId,
        files: Vec<RelPath>,
    ) {
        // Nothing waits for this, so it keeps nothing alive.
        let (buffers, editor) = (Arc::downgrade(self), Arc::downgrade(editor));
        let mut told = self.told.subscribe();
        let mut looked_at = self.versions(&files);
        tokio::spawn(async move {
            while told.changed().await.is_ok() {
                let Some(now) = buffers.upgrade().map(|buffers| buffers.versions(&files)) else { return };
                if now == looked_at {
                    continue;
                }
                match close_if_settled(&buffers, &editor, id, &files).await {
                    // What is told meanwhile is looked at again.
                    Watch::GoesOn => looked_at = now,
                    Watch::Ends => return,
                }
            }
        });
    }

    /// Returns what tells one state of these files' unsaved texts from another.
    fn versions(&self, files: &[RelPath]) -> Vec<Option<i64>> {
        files.iter().map(|file| self.engine.unsaved().version(file)).collect()
    }
}

/// Whether a conflict is to be looked at again.
enum Watch {
    GoesOn,
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
    if files.iter().any(|file| buffers.state(file).differs) {
        return Watch::GoesOn;
    }
    let turn = editor.turn().await;
    let closed = tokio::task::spawn_blocking(move || {
        let closed = editor.close_if_settled(turn, id)?;
        let is_open = closed.is_none() && editor.open_conflicts()?.contains_key(&id);
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
