//! Runs work in parallel on the cores: what computes, on rayon's threads; what waits for others, on threads
//! of its own. Invariant: results are in the order of the items they were computed from, whichever thread
//! computed them.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

use rayon::prelude::*;

/// Returns how many threads can run at once. Asks the system only once, since that reads files: 26 µs.
pub fn count() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}

/// Applies `work`, which must wait for nothing but a disk, to each of `items` and returns the results in order.
/// Each thread takes at least `worth` items (not 0); fewer than twice as many are processed on the calling
/// thread.
pub fn parallel_map<T: Sync, R: Send>(items: &[T], worth: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    if count().min(items.len() / worth) <= 1 {
        return items.iter().map(work).collect();
    }
    items.par_iter().with_min_len(worth).map(&work).collect()
}

/// Applies `work`, which may wait for other processes, to each of `items` and returns the results in order.
/// Uses at most one thread per `worth` items (not 0); fewer than twice as many are processed on the calling
/// thread. The threads end with the call: what is slow here delays no other call.
pub fn concurrent_map<T: Sync, R: Send>(items: &[T], worth: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = count().min(items.len() / worth);
    if threads <= 1 {
        return items.iter().map(work).collect();
    }
    let (next, all) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(items.len())));
    let run = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { break };
            let result = work(item);
            all.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // If a thread cannot be started, the others do its work.
            let _ = thread::Builder::new().spawn_scoped(scope, run);
        }
        run();
    });
    let mut results = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_unstable_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Runs `own` on the calling thread, and `other`, which must wait for nothing but a disk, meanwhile on rayon's threads. Returns both
/// results. For work of which a part cannot leave its thread.
pub fn beside<T, R: Send>(own: impl FnOnce() -> T, other: impl FnOnce() -> R + Send) -> (T, R) {
    let mut others = None;
    let own = rayon::in_place_scope(|scope| {
        scope.spawn(|_| others = Some(other()));
        own()
    });
    // A scope ends when what it spawned has ended, and passes its panic on.
    let Some(others) = others else { unreachable!("the scope has ended") };
    (own, others)
}

/// Runs `own` on the calling thread, and `other` meanwhile for each number from 1 up to `parts`, exclusive, on a thread of its own.
/// Returns the result of `own` and then the others in order. For work whose state cannot leave its thread.
pub fn in_parts<R: Send>(parts: usize, own: impl FnOnce() -> R, other: impl Fn(usize) -> R + Sync) -> Vec<R> {
    thread::scope(|scope| {
        let other = &other;
        let start = |part| thread::Builder::new().spawn_scoped(scope, move || other(part)).map_err(|_| part);
        let started: Vec<_> = (1..parts).map(start).collect();
        let mut results = vec![own()];
        results.extend(started.into_iter().map(|one| match one {
            Ok(running) => running.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // The thread could not be started.
            Err(part) => other(part),
        }));
        results
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_in_order_and_the_first_one_runs_here() {
        let here = thread::current().id();
        for parts in [1, 2, 5] {
            let own = || (0, thread::current().id() == here);
            let found = in_parts(parts, own, |part| (part, thread::current().id() == here));
            assert_eq!(found, (0..parts).map(|part| (part, part == 0)).collect::<Vec<_>>());
        }
    }

    /// Each waits for the other.
    #[test]
    fn one_runs_beside_the_other() {
        let together = std::sync::Barrier::new(2);
        let here = thread::current().id();
        let run = || {
            together.wait();
            thread::current().id()
        };
        let (own, other) = beside(run, run);
        assert!(own == here && other != here);
    }

    #[test]
    fn results_are_in_order_and_few_items_take_no_thread() {
        let items: Vec<usize> = (0..1_000).collect();
        for (length, worth) in [(0, 1), (1, 1), (3, 1), (31, 16), (32, 16), (33, 16), (1_000, 7), (1_000, 31)]
        {
            let items = &items[..length];
            let doubled: Vec<usize> = items.iter().map(|item| item * 2).collect();
            assert_eq!(parallel_map(items, worth, |item| item * 2), doubled, "{length}");
            assert_eq!(concurrent_map(items, worth, |item| item * 2), doubled, "{length}");
        }
        let here = thread::current().id();
        for threads in [
            parallel_map(&items[..31], 16, |_| thread::current().id()),
            concurrent_map(&items[..31], 16, |_| thread::current().id()),
        ] {
            assert!(threads.iter().all(|thread| *thread == here));
        }
    }

    /// There is one item per core, and each waits until all of them have started.
    #[test]
    fn every_core_works() {
        let items: Vec<usize> = (0..count()).collect();
        let together = std::sync::Barrier::new(count());
        let wait = |_: &usize| {
            together.wait();
            thread::current().id()
        };
        for threads in [parallel_map(&items, 1, wait), concurrent_map(&items, 1, wait)] {
            let different: std::collections::HashSet<_> = threads.iter().collect();
            assert_eq!(different.len(), count());
        }
    }
}
