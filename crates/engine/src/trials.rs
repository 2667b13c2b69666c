//! Files that the parser takes long over: each gets all the time that a file may take, beside the looks at all others and
//! behind nobody. Invariant: of one path at most one trial is under way; a newer look at it, or its end, ends that.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use symd_base::{Cancel, RelPath};

type Job = Box<dyn FnOnce() + Send>;

/// The trials. Dropping them ends those under way.
pub(super) struct Trials {
    line: Arc<Mutex<Line>>,
    /// How many go on at once.
    most: usize,
    under_way: BTreeMap<RelPath, Cancel>,
}

/// When a trial begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// When one of those before it is over.
    InTurn,
    /// Now: a worker is at it already, and takes the room of one of those that wait. Were it to wait behind them, each
    /// would wait for the other.
    Now,
}

#[derive(Default)]
struct Line {
    /// Bounded by the files that are set aside, of which each has a place.
    jobs: VecDeque<Job>,
    threads: usize,
}

impl Trials {
    pub(super) fn new(most: usize) -> Trials {
        Trials { line: Arc::default(), most, under_way: BTreeMap::new() }
    }

    /// Runs `trial` of `path`, when its turn comes or at once, also if it was ended before that: it is to look.
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
            // A thread that cannot be had leaves the work to those that are there, or to the next that can.
            line.threads += usize::from(thread.is_ok());
        }
    }

    /// Ends the trial of `path`, if there is one.
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
