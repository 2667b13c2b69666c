//! Equal questions that are under way at the same time are asked once. Knows nothing of what is asked. Invariant: the
//! shared work ends when the last of its askers is gone, and not before, unless it is done.

use std::any::Any;
use std::collections::HashMap;
use std::future::Future;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::watch;
use tokio::task::AbortHandle;

/// What is under way, by question. Every question is somebody's, and clients' questions are bounded (`serve`), so
/// this is too.
#[derive(Debug)]
pub(super) struct Flights<K: Key> {
    table: Arc<Mutex<Table<K>>>,
}

/// What names a question.
pub(super) trait Key: Clone + Eq + Hash + Send + Sync + 'static {}

impl<K: Clone + Eq + Hash + Send + Sync + 'static> Key for K {}

/// Whether a question was asked for its own sake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// It was the first.
    First,
    /// It joined an equal one.
    Along,
}

type Table<K> = HashMap<K, Weak<dyn Any + Send + Sync>>;

/// One piece of work, held by its askers.
struct Flight<K: Key, T> {
    key: K,
    table: Arc<Mutex<Table<K>>>,
    result: watch::Receiver<Option<T>>,
    work: AbortHandle,
}

impl<K: Key, T> Drop for Flight<K, T> {
    fn drop(&mut self) {
        // Nothing happens if it is done.
        self.work.abort();
        let mut table = lock(&self.table);
        // Another flight may have taken the place, between our last asker's end and this.
        if table.get(&self.key).is_some_and(|flight| flight.strong_count() == 0) {
            table.remove(&self.key);
        }
    }
}

impl<K: Key> Default for Flights<K> {
    fn default() -> Flights<K> {
        Flights { table: Arc::default() }
    }
}

impl<K: Key> Flights<K> {
    /// The result of the work under way for `key`, or of `work`, which is started if there is none. `noted` is called at
    /// once. `None` if the work panicked.
    pub(super) async fn share<T, F>(
        &self,
        key: K,
        noted: impl FnOnce(Taken),
        work: impl FnOnce() -> F,
    ) -> Option<T>
    where
        T: Clone + Send + Sync + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let flight = self.join(key, noted, work);
        let mut result = flight.result.clone();
        let done = result.wait_for(Option::is_some).await.ok()?;
        done.clone()
    }

    fn join<T, F>(&self, key: K, noted: impl FnOnce(Taken), work: impl FnOnce() -> F) -> Arc<Flight<K, T>>
    where
        T: Clone + Send + Sync + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        // Declared before the lock and so dropped after it: a flight's last holder takes the lock when it goes.
        let known;
        let mut table = lock(&self.table);
        known = table.get(&key).and_then(Weak::upgrade);
        let under_way = known.clone().and_then(|flight| flight.downcast::<Flight<K, T>>().ok());
        // One that is done may have askers that have not seen so yet; its answer is from before this question.
        if let Some(flight) = under_way.filter(|flight| flight.result.borrow().is_none()) {
            noted(Taken::Along);
            return flight;
        }
        noted(Taken::First);
        let (done, result) = watch::channel(None);
        let work = work();
        let task = tokio::spawn(async move {
            done.send_replace(Some(work.await));
        });
        let table_of_flight = Arc::clone(&self.table);
        let flight =
            Arc::new(Flight { key: key.clone(), table: table_of_flight, result, work: task.abort_handle() });
        let weak = Arc::downgrade(&flight);
        table.insert(key, weak);
        flight
    }
}

fn lock<K: Key>(table: &Mutex<Table<K>>) -> MutexGuard<'_, Table<K>> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::oneshot;

    struct OnDrop(Option<oneshot::Sender<()>>);

    impl Drop for OnDrop {
        fn drop(&mut self) {
            let _ = self.0.take().unwrap().send(());
        }
    }

    #[tokio::test]
    async fn equal_questions_are_asked_once_and_others_are_not() {
        let flights = Flights::default();
        let (answer, answered) = oneshot::channel::<u32>();
        let taken = Mutex::new(Vec::new());
        let note = |how| taken.lock().unwrap().push(how);
        let mut first = Box::pin(flights.share("a", note, || async { answered.await.unwrap() }));
        assert!(futures_pending(&mut first).await);
        let mut second = Box::pin(flights.share("a", note, || async { 0_u32 }));
        assert!(futures_pending(&mut second).await);
        assert_eq!(flights.share("b", note, || async { 5_u32 }).await, Some(5));
        drop(first);
        answer.send(7).unwrap();
        assert_eq!(second.await, Some(7));
        assert_eq!(*taken.lock().unwrap(), [Taken::First, Taken::Along, Taken::First]);
        // What is done is asked anew.
        assert_eq!(flights.share("a", note, || async { 8_u32 }).await, Some(8));
        assert!(lock(&flights.table).is_empty());
    }

    #[tokio::test]
    async fn the_last_asker_ends_the_work() {
        let flights: Flights<&str> = Flights::default();
        let (gone, is_gone) = oneshot::channel();
        let guard = OnDrop(Some(gone));
        let never = || async move {
            let _guard = guard;
            std::future::pending::<()>().await;
        };
        let mut first = Box::pin(flights.share("a", |_| {}, never));
        assert!(futures_pending(&mut first).await);
        let mut second = Box::pin(flights.share("a", |_| {}, || async {}));
        assert!(futures_pending(&mut second).await);
        drop(first);
        tokio::task::yield_now().await;
        assert!(futures_pending(&mut second).await);
        drop(second);
        is_gone.await.unwrap();
    }

    /// Polls once; whether it is pending.
    async fn futures_pending<F: Future + Unpin>(future: &mut F) -> bool {
        tokio::select! {
            biased;
            _ = future => false,
            () = std::future::ready(()) => true,
        }
    }
}
