//! Merges equal questions that are in progress at the same time. Knows nothing of their content. Invariant:
//! the shared work is aborted when its last caller is dropped, not before; work on which a caller timed out
//! continues, and its result is kept, once, for the next equal question.

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout};

/// The maximum number of works without a caller, in progress or done; beyond it the oldest is aborted.
const MAX_DETACHED: usize = 64;

/// How long a result is kept.
const KEPT_FOR: Duration = Duration::from_secs(60);

/// The works in progress, by question. Each question has a caller, and the number of clients' questions is
/// bounded (`serve`), so the table is bounded too.
#[derive(Debug)]
pub(super) struct SharedRequests<K: Key> {
    table: Arc<Mutex<Table<K>>>,
    kept: Mutex<VecDeque<Kept<K>>>,
}

/// The outcome of waiting for a result.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WaitOutcome<T> {
    Done(T),
    /// The work panicked.
    Panicked,
    /// The caller's patience is over; the work continues.
    TimedOut,
}

/// The identity of a question.
pub(super) trait Key: Clone + Eq + Hash + Send + Sync + 'static {}

impl<K: Clone + Eq + Hash + Send + Sync + 'static> Key for K {}

/// Whether a question started new work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sharing {
    /// It started new work.
    Started,
    /// It joined an equal question's work, or took its result.
    Joined,
}

/// A work without callers, in progress or done: since when, its question, and the request.
type Kept<K> = (Instant, K, Arc<dyn Any + Send + Sync>);

type Table<K> = HashMap<K, Weak<dyn Any + Send + Sync>>;

/// One work, shared by its callers.
struct SharedRequest<K: Key, T> {
    key: K,
    table: Arc<Mutex<Table<K>>>,
    result: watch::Receiver<Option<T>>,
    work: AbortHandle,
}

impl<K: Key, T> Drop for SharedRequest<K, T> {
    fn drop(&mut self) {
        // No effect on finished work.
        self.work.abort();
        let mut table = lock(&self.table);
        // Another request may have been entered under this key since the last caller was dropped.
        if table.get(&self.key).is_some_and(|request| request.strong_count() == 0) {
            table.remove(&self.key);
        }
    }
}

impl<K: Key> Default for SharedRequests<K> {
    fn default() -> SharedRequests<K> {
        SharedRequests { table: Arc::default(), kept: Mutex::default() }
    }
}

impl<K: Key> SharedRequests<K> {
    /// Returns the result of the work in progress for `key`, or of `work`, which is started if there is none.
    /// With `patience`, waits no longer than that. `on_share` is called immediately. A success that came too
    /// late for an earlier caller is returned once.
    pub(super) async fn share<T, E, F>(
        &self,
        key: K,
        on_share: impl FnOnce(Sharing),
        work: impl FnOnce() -> F,
        patience: Option<Duration>,
    ) -> WaitOutcome<Result<T, E>>
    where
        T: Clone + Send + Sync + 'static,
        E: Clone + Send + Sync + 'static,
        F: Future<Output = Result<T, E>> + Send + 'static,
    {
        if let Some(kept) = self.take_kept::<Result<T, E>>(&key, Result::is_ok) {
            on_share(Sharing::Joined);
            return WaitOutcome::Done(kept);
        }
        let request = self.join(key, on_share, work);
        let mut result = request.result.clone();
        let done = result.wait_for(Option::is_some);
        let waited = match patience {
            None => Ok(done.await),
            Some(patience) => timeout(patience, done).await,
        };
        let outcome = match &waited {
            Ok(Ok(result)) => (**result).clone().map_or(WaitOutcome::Panicked, WaitOutcome::Done),
            Ok(Err(_)) => WaitOutcome::Panicked,
            Err(_) => WaitOutcome::TimedOut,
        };
        drop(waited);
        if matches!(outcome, WaitOutcome::TimedOut) {
            self.detach(request);
        }
        outcome
    }

    /// Lets a request continue without callers.
    fn detach<T: Send + Sync + 'static>(&self, request: Arc<SharedRequest<K, T>>) {
        let mut kept = lock(&self.kept);
        let is_known = |(_, key, _): &(_, K, _)| *key == request.key;
        let mut given_up = Vec::new();
        if !kept.iter().any(is_known) {
            kept.push_back((Instant::now(), request.key.clone(), request));
        }
        while kept.len() > MAX_DETACHED || kept.front().is_some_and(|(since, ..)| since.elapsed() >= KEPT_FOR)
        {
            given_up.extend(kept.pop_front());
        }
        drop(kept);
        // Aborts their work, outside the lock.
        drop(given_up);
    }

    /// Takes the result kept for `key` if there is one that is not too old and `is_of_use`.
    fn take_kept<T: Clone + Send + Sync + 'static>(&self, key: &K, is_of_use: fn(&T) -> bool) -> Option<T> {
        let mut kept = lock(&self.kept);
        let at = kept.iter().position(|(_, known, _)| known == key)?;
        let (since, _, request) = &kept[at];
        let is_old = since.elapsed() >= KEPT_FOR;
        let request = Arc::clone(request).downcast::<SharedRequest<K, T>>().ok()?;
        // A work still in progress is joined instead.
        let result = request.result.borrow().clone()?;
        let taken = kept.remove(at);
        drop(kept);
        drop(taken);
        Some(result).filter(|result| !is_old && is_of_use(result))
    }

    fn join<T, F>(
        &self,
        key: K,
        on_share: impl FnOnce(Sharing),
        work: impl FnOnce() -> F,
    ) -> Arc<SharedRequest<K, T>>
    where
        T: Clone + Send + Sync + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        // Declared before the lock and so dropped after it: the last holder of a request takes the lock on
        // drop.
        let known;
        let mut table = lock(&self.table);
        known = table.get(&key).and_then(Weak::upgrade);
        let under_way = known.clone().and_then(|request| request.downcast::<SharedRequest<K, T>>().ok());
        // A finished request may still have callers that were not woken yet; its answer is older than this
        // question.
        if let Some(request) = under_way.filter(|request| request.result.borrow().is_none()) {
            on_share(Sharing::Joined);
            return request;
        }
        on_share(Sharing::Started);
        let (done, result) = watch::channel(None);
        let work = work();
        let task = tokio::spawn(async move {
            done.send_replace(Some(work.await));
        });
        let table_of_flight = Arc::clone(&self.table);
        let request = Arc::new(SharedRequest {
            key: key.clone(),
            table: table_of_flight,
            result,
            work: task.abort_handle(),
        });
        let weak = Arc::downgrade(&request);
        table.insert(key, weak);
        request
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::oneshot;

    fn ok<T>(value: T) -> Result<T, ()> {
        Ok(value)
    }

    #[tokio::test]
    async fn what_comes_too_late_is_kept_for_the_next_question() {
        let requests = SharedRequests::default();
        let (answer, answered) = oneshot::channel::<u32>();
        let patience = Some(Duration::from_millis(1));
        let late = requests.share("a", |_| {}, || async { ok(answered.await.unwrap()) }, patience).await;
        assert_eq!(late, WaitOutcome::TimedOut);
        // Still in progress: an equal question joins it.
        let mut joins = Box::pin(requests.share("a", |_| {}, || async { ok(0_u32) }, None));
        assert!(futures_pending(&mut joins).await);
        answer.send(7).unwrap();
        assert_eq!(joins.await, WaitOutcome::Done(Ok(7)));
        assert_eq!(
            requests.share("a", |_| {}, || async { ok(0_u32) }, patience).await,
            WaitOutcome::Done(Ok(7))
        );
        // Only once: the kept result is older than this question.
        assert_eq!(requests.share("a", |_| {}, || async { ok(8_u32) }, None).await, WaitOutcome::Done(Ok(8)));
        // Work that is not asked for again is aborted eventually.
        for number in 0..2 * MAX_DETACHED {
            let never = || std::future::pending::<Result<u32, ()>>();
            let key = number.to_string().leak();
            assert_eq!(requests.share(key, |_| {}, never, patience).await, WaitOutcome::TimedOut);
        }
        assert!(lock(&requests.kept).len() <= MAX_DETACHED && lock(&requests.table).len() <= MAX_DETACHED);
    }

    struct OnDrop(Option<oneshot::Sender<()>>);

    impl Drop for OnDrop {
        fn drop(&mut self) {
            let _ = self.0.take().unwrap().send(());
        }
    }

    #[tokio::test]
    async fn equal_questions_are_asked_once_and_others_are_not() {
        let requests = SharedRequests::default();
        let (answer, answered) = oneshot::channel::<u32>();
        let taken = Mutex::new(Vec::new());
        let note = |how| taken.lock().unwrap().push(how);
        let mut first = Box::pin(requests.share("a", note, || async { ok(answered.await.unwrap()) }, None));
        assert!(futures_pending(&mut first).await);
        let mut second = Box::pin(requests.share("a", note, || async { ok(0_u32) }, None));
        assert!(futures_pending(&mut second).await);
        assert_eq!(requests.share("b", note, || async { ok(5_u32) }, None).await, WaitOutcome::Done(Ok(5)));
        drop(first);
        answer.send(7).unwrap();
        assert_eq!(second.await, WaitOutcome::Done(Ok(7)));
        assert_eq!(*taken.lock().unwrap(), [Sharing::Started, Sharing::Joined, Sharing::Started]);
        // Finished work is not shared.
        assert_eq!(requests.share("a", note, || async { ok(8_u32) }, None).await, WaitOutcome::Done(Ok(8)));
        assert!(lock(&requests.table).is_empty());
    }

    #[tokio::test]
    async fn the_last_caller_ends_the_work() {
        let requests: SharedRequests<&str> = SharedRequests::default();
        let (gone, is_gone) = oneshot::channel();
        let guard = OnDrop(Some(gone));
        let never = || async move {
            let _guard = guard;
            std::future::pending::<()>().await;
            ok(())
        };
        let mut first = Box::pin(requests.share("a", |_| {}, never, None));
        assert!(futures_pending(&mut first).await);
        let mut second = Box::pin(requests.share("a", |_| {}, || async { ok(()) }, None));
        assert!(futures_pending(&mut second).await);
        drop(first);
        tokio::task::yield_now().await;
        assert!(futures_pending(&mut second).await);
        drop(second);
        is_gone.await.unwrap();
    }

    /// Polls once; whether the future is pending.
    async fn futures_pending<F: Future + Unpin>(future: &mut F) -> bool {
        tokio::select! {
            biased;
            _ = future => false,
            () = std::future::ready(()) => true,
        }
    }
}
