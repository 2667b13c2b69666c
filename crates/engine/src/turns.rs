//! Edits that get in each other's way, one after the other. Edits are planned on what is there and refused if that changed
//! before they were made; many at once on one file could so be beaten again and again. Invariant: an edit that was beaten
//! once is beaten again by those only that were planned before it took its turn.

use std::sync::Arc;

use tokio::sync::{Mutex, OwnedMutexGuard};

/// The queue. The lock is tokio's, which is fair: who came first is first.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns(Arc<Mutex<()>>);

/// Others that want a turn wait until this is dropped. It is held while an edit is planned and made.
#[derive(Debug)]
pub struct EditTurn {
    _mine: OwnedMutexGuard<()>,
}

impl Turns {
    /// Waits for a turn: for an edit that was beaten.
    pub(super) async fn take(&self) -> EditTurn {
        EditTurn { _mine: Arc::clone(&self.0).lock_owned().await }
    }

    /// Waits for a turn behind those who wait already; if nobody has one, none is needed.
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
        let turns = Turns::default();
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
