//! Trials of files that are slow to parse: each gets the maximum time of a file, in parallel with all other
//! scans, and delays none. Invariant: each path has at most one active trial; a newer scan or the removal of
//! the file cancels it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use symd_base::{Cancel, RelPath};

type Job = Box<dyn FnOnce() + Send>;

/// The trials. Dropping them cancels the active ones.
pub(super) struct Trials {
    line: Arc<Mutex<Line>>,
    /// Maximum number of concurrent trials.
    most: usize,
    under_way: BTreeMap<RelPath, Cancel>,
}

/// The start of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// After one of the earlier trials has ended.
    InTurn,
    /// Immediately: a worker is already parsing the file, and occupies the slot of a waiting trial. If it
    /// waited behind those, each would wait for the other.
    Now,
}

#[derive(Default)]
struct Line {
    /// Bounded by the number of files that are set aside, with one job each.
    jobs: VecDeque<Job>,
    threads: usize,
}

impl Trials {
    pub(super) fn new(most: usize) -> Trials {
        Trials { line: Arc::default(), most, under_way: BTreeMap::new() }
    }

    /// Runs `trial` of `path`, in turn or immediately. It runs even if it was cancelled before it started, so
    /// it must check the flag.
    pub(super) fn begin(
        &mut self,
        path: RelPath,
        start: Start,
        trial: impl FnOnce(&Cancel) + Send + 'static,
    ) {
        let cancel = Cancel::new();
        let flag = cancel.clone();
        self.end(&path);
        self.under_way.insert(path, cancel);
        let mut line = lock(&self.line);
        let job = Box::new(move || trial(&flag));
        match start {
            Start::InTurn => line.jobs.push_back(job),
            Start::Now => line.jobs.push_front(job),
        }
        if line.threads < self.most || start == Start::Now {
            let shared = Arc::clone(&self.line);
            let thread = std::thread::Builder::new().name("trial".to_owned()).spawn(move || work(&shared));
            // If no thread can be started, the existing ones do the work, or the next one that can be
            // started.
            line.threads += usize::from(thread.is_ok());
        }
    }

    /// Cancels the trial of `path`, if there is one.
    pub(super) fn end(&mut self, path: &RelPath) {
        if let Some(cancel) = self.under_way.remove(path) {
            cancel.cancel();
        }
    }
}

impl Drop for Trials {
    fn drop(&mut self) {
        self.under_way.values().for_each(Cancel::cancel);
    }
}

fn work(line: &Mutex<Line>) {
    loop {
        let mut queue = lock(line);
        let Some(job) = queue.jobs.pop_front() else {
            queue.threads -= 1;
            return;
        };
        drop(queue);
        job();
    }
}

fn lock(line: &Mutex<Line>) -> MutexGuard<'_, Line> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
}
