//! Whose turn it is to edit: edits go one after the other, from their staging until their buffers count as saved.
//! Invariant: an edit that an editor waits for while it makes another one is refused, since the editor could not go
//! on; so is, after a while, every edit that waits for an editor.

use std::sync::Arc;

use symd_edit::EditError;
use tokio::sync::{OwnedMutexGuard, watch};

use super::Buffers;

impl Buffers {
    /// Waits until no other edit has buffers of editors change. `by` is the client's name: an editor that is
    /// making an edit cannot ask for the next one.
    pub(crate) async fn turn(&self, by: &str) -> Result<OwnedMutexGuard<()>, EditError> {
        let mut asked = self.asked_editor.subscribe();
        let mut free = std::pin::pin!(Arc::clone(&self.edits).lock_owned());
        loop {
            let editor = asked.borrow_and_update().clone();
            let is_of_editor = editor.as_deref() == Some(by);
            let waits_for = editor.as_deref().unwrap_or_default();
            let refused = || {
                Err(EditError::NotInEditor(format!(
                    "{waits_for} has not answered yet whether it made the edit before this one; repeat this one when it \
                     has (an editor that asks for edits while it makes one must ask afterwards)"
                )))
            };
            let answered = async {
                match &editor {
                    Some(_) => tokio::time::timeout(self.deadlines.turn, asked.changed()).await.is_ok(),
                    None => asked.changed().await.is_ok(),
                }
            };
            tokio::select! {
                biased;
                turn = &mut free => return Ok(turn),
                () = std::future::ready(()), if is_of_editor => return refused(),
                is_answered = answered => if !is_answered {
                    return refused();
                },
            }
        }
    }

    /// Returns the turn if no other edit has it, and no editor is there that has not told of its documents.
    pub(crate) fn try_turn(&self) -> Option<OwnedMutexGuard<()>> {
        let turn = Arc::clone(&self.edits).try_lock_owned().ok()?;
        self.silent_editor().is_none().then_some(turn)
    }

    /// Records that an edit waits for an editor's answer, until the returned value is dropped.
    pub(super) fn ask_editor(&self, name: String) -> AskedNow<'_> {
        self.asked_editor.send_replace(Some(name));
        AskedNow(&self.asked_editor)
    }
}

/// An editor is being asked.
pub(super) struct AskedNow<'b>(&'b watch::Sender<Option<String>>);

impl Drop for AskedNow<'_> {
    fn drop(&mut self) {
        self.0.send_replace(None);
    }
}
