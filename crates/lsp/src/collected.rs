//! Edits that a server asks for (`workspace/applyEdit`) while a command of its own runs at our wish. Invariant: outside of
//! that time none is accepted, and one command at a time collects.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::edit_shapes::{ApplyEditShape, WorkspaceEditShape};
use super::message::Raw;

/// Edits that one command may ask for. When there are more, the command fails: nothing of it is applied.
const EDITS_PER_COMMAND: usize = 1_000;

/// What has been collected; `None` while nobody collects.
type Inbox = Option<Result<Vec<WorkspaceEditShape>, String>>;

/// Where a server's edits go.
#[derive(Debug)]
pub(crate) struct Collected {
    inbox: Mutex<Inbox>,
    turn: Arc<Semaphore>,
}

/// The right to collect, until it is dropped.
pub(crate) struct Collecting {
    collected: Arc<Collected>,
    _turn: OwnedSemaphorePermit,
}

impl Default for Collected {
    fn default() -> Collected {
        Collected { inbox: Mutex::default(), turn: Arc::new(Semaphore::new(1)) }
    }
}

impl Collected {
    /// Waits for the turn, then collects. `None` never comes while the session lives.
    pub(crate) async fn begin(self: Arc<Collected>) -> Option<Collecting> {
        let turn = Arc::clone(&self.turn).acquire_owned().await.ok()?;
        *self.inbox() = Some(Ok(Vec::new()));
        Some(Collecting { collected: self, _turn: turn })
    }

    /// Takes an edit, or says why not: LSP's `ApplyWorkspaceEditResult`. "Applied" means that it is part of what will be
    /// applied; should that be refused, the server hears of no change of the files, which it goes by.
    pub(crate) fn take(&self, params: &Raw) -> Value {
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
                *inbox = Some(Err(format!("its edit is not what LSP says: {error}")));
                refused("the edit is not what LSP says")
            }
            (_, Err(_)) => refused("an earlier edit of this command was wrong"),
        }
    }

    fn inbox(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Collecting {
    /// What came, in order, or what was wrong with it.
    pub(crate) fn finish(self) -> Result<Vec<WorkspaceEditShape>, String> {
        self.collected.inbox().take().unwrap_or_else(|| Ok(Vec::new()))
    }
}

impl Drop for Collecting {
    fn drop(&mut self) {
        *self.collected.inbox() = None;
    }
}

fn refused(reason: &str) -> Value {
    json!({"applied": false, "failureReason": reason})
}
