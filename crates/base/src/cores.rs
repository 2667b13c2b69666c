//! Runs work in parallel on the cores. Not a pool: the threads end with the call. Invariant: results are in
//! the order of the items they were computed from, whichever thread computed them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

/// Returns how many threads can run at once. Asks the system only once, since that reads files: 26 µs.
pub fn count() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}

/// Applies `work` to each of `items` and returns the results in order. Uses at most one thread per `worth`
/// items (not 0); fewer than twice as many are processed on the calling thread.
pub fn parallel_map<T: Sync, R: Send>(items: &[T], worth: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = count().min(items.len() / worth);
    if threads <= 1 {
        return items.iter().map(work).collect();
    }
    // Small chunks, so that no thread waits long for the last one to finish.
    let chunk = (worth / 8).max(1);
    let (next, all) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let run = || {
        let mut mine = Vec::new();
        loop {
            let start = next.fetch_add(chunk, Ordering::Relaxed);
            let Some(rest) = items.get(start..).filter(|rest| !rest.is_empty()) else { break };
            mine.push((start, rest.iter().take(chunk).map(&work).collect::<Vec<R>>()));
        }
        all.lock().unwrap_or_else(PoisonError::into_inner).append(&mut mine);
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // If a thread cannot be started, the others do its work.
            let _ = thread::Builder::new().spawn_scoped(scope, run);
        }
        run();
    });
    let mut chunks = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    chunks.sort_unstable_by_key(|(start, _)| *start);
    chunks.into_iter().flat_map(|(_, results)| results).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_few_items_take_no_thread() {
        let items: Vec<usize> = (0..1_000).collect();
        for (length, worth) in [(0, 1), (1, 1), (3, 1), (31, 16), (32, 16), (33, 16), (1_000, 7), (1_000, 31)]
        {
            let doubled = parallel_map(&items[..length], worth, |item| item * 2);
            assert_eq!(doubled, items[..length].iter().map(|item| item * 2).collect::<Vec<_>>(), "{length}");
        }
        let here = thread::current().id();
        let threads = parallel_map(&items[..31], 16, |_| thread::current().id());
        assert!(threads.iter().all(|thread| *thread == here));
    }

    /// There is one item per core, and each waits until all of them have started.
    #[test]
    fn every_core_works() {
        let together = std::sync::Barrier::new(count());
        let items: Vec<usize> = (0..count()).collect();
        let threads = parallel_map(&items, 1, |_| {
            together.wait();
            thread::current().id()
        });
        let different: std::collections::HashSet<_> = threads.iter().collect();
        assert_eq!(different.len(), count());
    }
}
