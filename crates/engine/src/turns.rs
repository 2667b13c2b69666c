//! Turns for conflicting edits. An edit is planned on the current files, and rejected if they changed before
//! it was applied; with many concurrent edits of one file an edit could lose again and again. Invariant: an
//! edit that lost once can lose again only to edits that were planned before it took its turn.

use std::sync::Arc;

use tokio::sync::{Mutex, OwnedMutexGuard};

/// The queue. Uses tokio's lock, which is fair (first come, first served).
#[derive(Clone, Debug, Default)]
pub(super) struct EditQueue(Arc<Mutex<()>>);

/// A guard for which other edits wait until it is dropped. Held while an edit is planned and applied.
#[derive(Debug)]
pub struct EditTurn {
    _mine: OwnedMutexGuard<()>,
}

impl EditQueue {
    /// Waits for a turn, for an edit that lost.
    pub(super) async fn take(&self) -> EditTurn {
        EditTurn { _mine: Arc::clone(&self.0).lock_owned().await }
    }

    /// Waits for a turn behind those that are already waiting; returns `None` if no edit has a turn.
    pub(super) async fn behind_others(&self) -> Option<EditTurn> {
        match Arc::clone(&self.0).try_lock_owned() {
            Ok(_) => None,
            Err(_) => Some(self.take().await),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_turn_is_waited_for_only_where_there_is_one() {
        let turns = EditQueue::default();
        assert!(turns.behind_others().await.is_none());
        let first = turns.take().await;
        let waiting = tokio::spawn({
            let turns = turns.clone();
            async move { turns.behind_others().await.is_some() }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(first);
        assert!(waiting.await.expect("ended"));
        assert!(turns.behind_others().await.is_none());
    }
}
