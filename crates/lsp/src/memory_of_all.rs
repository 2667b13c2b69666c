//! The memory that all servers of a project may take together. When they take more, the largest one that is ready and
//! idle is restarted, and what a restart does not help is told once. Invariants: one server at a time is chosen, and
//! none that a restart has not helped.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::Pid;
use tokio::sync::watch;
use tokio::time::Instant;

use super::ServerState;
use super::phase::Phase;
use super::server::UsageCounters;
use symd_sys::group;

/// A server that takes too much again within this time after it was restarted for that is not helped by restarts.
const HELPED: Duration = Duration::from_secs(600);

/// The processes of all servers, and their limit.
#[derive(Debug, Default)]
pub(super) struct MemoryOfAll {
    /// In bytes.
    limit: Option<u64>,
    running: Mutex<Vec<Arc<RunningGroup>>>,
    /// Held while the memory is looked at: two looks would choose two servers.
    looking: Mutex<()>,
}

/// The process group of a server.
#[derive(Debug)]
struct RunningGroup {
    group: Pid,
    phase: watch::Receiver<Phase>,
    used: Arc<UsageCounters>,
    /// When the server was restarted for its memory, if this process was started for that.
    restarted: Option<Instant>,
    /// What it took when it had just become ready, before any question.
    at_first: Mutex<Option<u64>>,
    verdict: watch::Sender<MemoryVerdict>,
}

/// What becomes of a server when all together take too much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MemoryVerdict {
    /// Nothing so far.
    Undecided,
    /// It is restarted, for this reason.
    Restart(String),
    /// It keeps running, since a restart does not help; what the user is told.
    Leave(String),
}

/// A process group that counts until this is dropped.
#[derive(Debug)]
pub(super) struct CountedGroup {
    all: Arc<MemoryOfAll>,
    own: Arc<RunningGroup>,
    verdict: watch::Receiver<MemoryVerdict>,
}

/// The sizes of the groups at one moment, in bytes.
struct Sizes {
    each: Vec<(Arc<RunningGroup>, u64)>,
    sum: u64,
    limit: u64,
}

impl MemoryOfAll {
    pub(super) fn new(limit: Option<u64>) -> MemoryOfAll {
        MemoryOfAll { limit, ..MemoryOfAll::default() }
    }

    pub(super) fn is_limited(&self) -> bool {
        self.limit.is_some()
    }

    /// Counts the group of a server that has been started; `restarted`: when it was restarted for its memory, if
    /// that is why.
    pub(super) fn count(
        self: &Arc<Self>,
        group: Pid,
        (phase, used): (watch::Receiver<Phase>, Arc<UsageCounters>),
        restarted: Option<Instant>,
    ) -> CountedGroup {
        let (sender, verdict) = watch::channel(MemoryVerdict::Undecided);
        let own = RunningGroup { group, phase, used, restarted, at_first: Mutex::default(), verdict: sender };
        let own = Arc::new(own);
        self.running().push(Arc::clone(&own));
        CountedGroup { all: Arc::clone(self), own, verdict }
    }

    /// Compares what all take with the limit and decides, if it is more. Reads /proc.
    fn look(&self) {
        let Some(limit) = self.limit else { return };
        let _looking = lock(&self.looking);
        let running = self.running().clone();
        let groups: Vec<Pid> = running.iter().map(|running| running.group).collect();
        let each: Vec<_> = running.into_iter().zip(group::memory_of_each(&groups)).collect();
        let sum = each.iter().map(|(_, bytes)| bytes).sum();
        if sum > limit {
            Sizes { each, sum, limit }.decide();
        }
    }

    fn running(&self) -> MutexGuard<'_, Vec<Arc<RunningGroup>>> {
        lock(&self.running)
    }
}

impl Sizes {
    /// Gives the largest idle server its verdict.
    fn decide(&self) {
        let is = |running: &RunningGroup, which: fn(&MemoryVerdict) -> bool| which(&running.verdict.borrow());
        // What it takes will be given back.
        if self
            .each
            .iter()
            .any(|(running, _)| is(running, |verdict| matches!(verdict, MemoryVerdict::Restart(_))))
        {
            return;
        }
        let left = |verdict: &MemoryVerdict| matches!(verdict, MemoryVerdict::Leave(_));
        let of_left: u64 =
            self.each.iter().filter(|(running, _)| is(running, left)).map(|(_, bytes)| bytes).sum();
        // Restarts of the others would be in vain.
        if of_left > self.limit {
            return;
        }
        let others = || self.each.iter().filter(|(running, _)| !is(running, left));
        let idle = others().filter(|(running, _)| running.is_idle()).max_by_key(|(_, bytes)| *bytes);
        // The next one that becomes idle looks again.
        let Some((running, bytes)) = idle else { return };
        // A small one would be restarted in vain while a large one is busy.
        let has_larger = others().any(|(_, larger)| larger > bytes);
        if *bytes < self.sum - self.limit && has_larger {
            return;
        }
        running.verdict.send_replace(self.verdict(running, *bytes));
    }

    fn verdict(&self, running: &RunningGroup, bytes: u64) -> MemoryVerdict {
        let Sizes { sum, limit, .. } = self;
        let used = format!(
            "all servers used {} MiB, this one {} MiB, and all may use {} MiB (all_servers_memory_mb)",
            sum >> 20,
            bytes >> 20,
            limit >> 20
        );
        if lock(&running.at_first).is_some_and(|at_first| at_first > self.limit) {
            return MemoryVerdict::Leave(format!(
                "left running, since it takes that much from its start: {used}"
            ));
        }
        match running.restarted.map(|then| then.elapsed()).filter(|since| *since < HELPED) {
            Some(since) => MemoryVerdict::Leave(format!(
                "left running, since it was restarted for that {} s before: {used}",
                since.as_secs()
            )),
            None => MemoryVerdict::Restart(format!("restarted while idle: {used}")),
        }
    }
}

impl RunningGroup {
    /// Whether it is ready and answers no question.
    fn is_idle(&self) -> bool {
        self.phase.borrow().state == ServerState::Ready && self.used.idle_since().is_some()
    }
}

impl CountedGroup {
    /// Notes what the server takes when it has just become ready, before it is asked anything.
    pub(super) async fn note_first(&self) {
        let own = Arc::clone(&self.own);
        let look = move || *lock(&own.at_first) = group::memory_of_each(&[own.group]).first().copied();
        // Without it, a restart may be in vain.
        let _ = tokio::task::spawn_blocking(look).await;
    }

    /// Compares what all servers take with the limit; the largest idle one is told.
    pub(super) async fn look(&self) {
        let all = Arc::clone(&self.all);
        // If that fails, the next look finds the same.
        let _ = tokio::task::spawn_blocking(move || all.look()).await;
    }

    /// Takes a verdict on this server back, which is decided again when it becomes idle.
    pub(super) fn withdraw(&self) {
        self.own.verdict.send_replace(MemoryVerdict::Undecided);
    }

    /// Waits for a verdict on this server.
    pub(super) async fn decided(&mut self) -> MemoryVerdict {
        match self.verdict.changed().await {
            Ok(()) => self.verdict.borrow_and_update().clone(),
            // The sender is held by `own`.
            Err(_) => std::future::pending().await,
        }
    }
}

impl Drop for CountedGroup {
    fn drop(&mut self) {
        self.all.running().retain(|running| !Arc::ptr_eq(running, &self.own));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
