//! The requests that this side has sent: their ids, and who waits for each response. Invariant: an id is in the
//! table only while its response may come, and every waiting caller is woken when the connection ends.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// The requests of one connection that wait for a response of type `A`. Bounded by its callers: each waits.
#[derive(Debug)]
pub struct WaitingRequests<A> {
    next_id: AtomicU64,
    table: Mutex<Table<A>>,
}

#[derive(Debug)]
struct Table<A> {
    waiting: HashMap<u64, oneshot::Sender<A>>,
    ended: bool,
}

impl<A> WaitingRequests<A> {
    /// Creates an empty table. The first id is 1.
    pub fn new() -> WaitingRequests<A> {
        let table = Table { waiting: HashMap::new(), ended: false };
        WaitingRequests { next_id: AtomicU64::new(1), table: Mutex::new(table) }
    }

    fn table(&self) -> MutexGuard<'_, Table<A>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a request and returns its id, never used before, and the receiver of its response, which fails when
    /// the connection ends; `None` when it has ended.
    pub fn register(&self) -> Option<(u64, oneshot::Receiver<A>)> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        let mut table = self.table();
        if table.ended {
            return None;
        }
        table.waiting.insert(id, sender);
        Some((id, receiver))
    }

    /// Gives request `id` its response; returns whether the request was waiting.
    pub fn complete(&self, id: u64, response: A) -> bool {
        let waiting = self.table().waiting.remove(&id);
        // An error means that the caller has stopped waiting.
        waiting.map(|waiting| waiting.send(response)).is_some()
    }

    /// Removes request `id`, for whose response no one will wait; returns whether it was waiting.
    pub fn forget(&self, id: u64) -> bool {
        self.table().waiting.remove(&id).is_some()
    }

    /// Wakes all waiting callers and refuses new requests.
    pub fn end(&self) {
        let mut table = self.table();
        table.ended = true;
        // Dropping the senders wakes all waiting callers.
        let waiting = std::mem::take(&mut table.waiting);
        drop(table);
        drop(waiting);
    }

    /// Whether [`WaitingRequests::end`] was called.
    pub fn has_ended(&self) -> bool {
        self.table().ended
    }
}

impl<A> Default for WaitingRequests<A> {
    fn default() -> WaitingRequests<A> {
        WaitingRequests::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_caller_is_answered_or_woken() {
        let waiting = WaitingRequests::new();
        let (first, answer) = waiting.register().unwrap();
        let (second, unanswered) = waiting.register().unwrap();
        assert_eq!((first, second), (1, 2));
        assert!(waiting.complete(first, "yes"));
        assert!(!waiting.complete(first, "again") && !waiting.complete(9, "unknown"));
        assert_eq!(answer.await, Ok("yes"));
        let (third, _given_up) = waiting.register().unwrap();
        assert!(waiting.forget(third) && !waiting.forget(third));
        waiting.end();
        assert!(unanswered.await.is_err());
        assert!(waiting.has_ended() && waiting.register().is_none());
    }
}
