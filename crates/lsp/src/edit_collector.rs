//! Collects the edits that a server requests (`workspace/applyEdit`) while symd runs one of its commands.
//! Invariant: at any other time such a request is refused, and one command at a time collects.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::edit_shapes::{ApplyEditShape, WorkspaceEditShape};
use symd_rpc::server_message::RawJson;

/// The maximum number of edits that one command may request. A command that requests more fails, and none of
/// its edits is applied.
const EDITS_PER_COMMAND: usize = 1_000;

/// The collected edits, or why an edit was refused; `None` while no command is running.
type Inbox = Option<Result<Vec<WorkspaceEditShape>, String>>;

/// The collector of one server's edits.
#[derive(Debug)]
pub(crate) struct EditCollector {
    inbox: Mutex<Inbox>,
    turn: Arc<Semaphore>,
}

/// The right to collect edits, held until dropped.
pub(crate) struct CollectGuard {
    collected: Arc<EditCollector>,
    _turn: OwnedSemaphorePermit,
}

impl Default for EditCollector {
    fn default() -> EditCollector {
        EditCollector { inbox: Mutex::default(), turn: Arc::new(Semaphore::new(1)) }
    }
}

impl EditCollector {
    /// Waits until no other command collects, then begins. Does not return `None` while the session lives.
    pub(crate) async fn begin(self: Arc<EditCollector>) -> Option<CollectGuard> {
        let turn = Arc::clone(&self.turn).acquire_owned().await.ok()?;
        *self.inbox() = Some(Ok(Vec::new()));
        Some(CollectGuard { collected: self, _turn: turn })
    }

    /// Accepts an edit, or refuses it with a reason: LSP's `ApplyWorkspaceEditResult`. "applied" means that
    /// the edit becomes part of the one that symd applies later. If symd refuses that one, the server is
    /// notified of no changed files, and it relies on these notifications.
    pub(crate) fn offer(&self, params: &RawJson) -> Value {
        let mut inbox = self.inbox();
        let Some(collected) = inbox.as_mut() else {
            return refused("symd applies only edits that it asked for");
        };
        match (params.decode::<ApplyEditShape>(), collected) {
            (Ok(_), Ok(edits)) if edits.len() >= EDITS_PER_COMMAND => {
                *inbox = Some(Err(format!("it asked for more than {EDITS_PER_COMMAND} edits")));
                refused("too many edits")
            }
            (Ok(ApplyEditShape { edit }), Ok(edits)) => {
                edits.push(edit);
                json!({"applied": true})
            }
            (Err(error), Ok(_)) => {
                *inbox = Some(Err(format!("its edit does not conform to LSP: {error}")));
                refused("the edit does not conform to LSP")
            }
            (_, Err(_)) => refused("an earlier edit of this command was invalid"),
        }
    }

    fn inbox(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CollectGuard {
    /// Returns the collected edits in order, or what was wrong with one.
    pub(crate) fn finish(self) -> Result<Vec<WorkspaceEditShape>, String> {
        self.collected.inbox().take().unwrap_or_else(|| Ok(Vec::new()))
    }
}

impl Drop for CollectGuard {
    fn drop(&mut self) {
        *self.collected.inbox() = None;
    }
}

fn refused(reason: &str) -> Value {
    json!({"applied": false, "failureReason": reason})
}
