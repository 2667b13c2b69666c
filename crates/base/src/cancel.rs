//! Cancellation of synchronous work: a flag that the requester and the worker share.
//! Invariant: once raised it is never lowered.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use symd_sys::processes;

/// A cancellation flag that all its clones share. Long loops check it between two units of work.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<CancelFlag>);

#[derive(Debug, Default)]
struct CancelFlag {
    is_raised: AtomicBool,
    budget: Option<ProcessorBudget>,
}

/// The processor time that this process may still use. Time between two checks counts as at most a quarter of
/// the budget: virtual machines are paused for milliseconds, which the process is charged with, whereas work
/// that is itself slow checks all the time.
#[derive(Debug)]
struct ProcessorBudget {
    began: Instant,
    /// Processor time that the process had used at `began`.
    before: Duration,
    time: Duration,
    /// Nanoseconds from `began` to the latest check.
    looked: AtomicU64,
    /// Nanoseconds charged against the budget so far.
    counted: AtomicU64,
}

/// Error of work that stopped because its cancellation flag was raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

impl Cancel {
    /// Returns a flag that is not raised.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Returns a flag that is raised once this process has used `time` more processor time. For processes
    /// with one thread.
    pub fn after_processor_time(time: Duration) -> Cancel {
        let budget = ProcessorBudget {
            began: Instant::now(),
            before: processes::own_processor_time(),
            time,
            looked: AtomicU64::new(0),
            counted: AtomicU64::new(0),
        };
        Cancel(Arc::new(CancelFlag { is_raised: AtomicBool::new(false), budget: Some(budget) }))
    }

    /// Raises the flag for every clone.
    pub fn cancel(&self) {
        self.0.is_raised.store(true, Ordering::Relaxed);
    }

    /// Whether the flag was raised or the processor-time budget is used up.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_raised.load(Ordering::Relaxed)
            || self.0.budget.as_ref().is_some_and(ProcessorBudget::is_used_up)
    }

    /// Returns `Err(Cancelled)` once the flag is raised, for use with `?` inside loops.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// Returns a guard that raises the flag when it is dropped. A future that holds the guard thus stops the
    /// work that it started elsewhere when the future itself is dropped.
    pub fn on_drop(&self) -> CancelOnDrop {
        CancelOnDrop(self.clone())
    }
}

impl ProcessorBudget {
    fn is_used_up(&self) -> bool {
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let now = nanoseconds(self.began.elapsed());
        let step =
            now.saturating_sub(self.looked.swap(now, Ordering::Relaxed)).min(nanoseconds(self.time / 4));
        let counted = self.counted.fetch_add(step, Ordering::Relaxed).saturating_add(step);
        // The wall clock is checked first: reading it needs no system call, and one thread cannot use more
        // processor time than has elapsed.
        counted >= nanoseconds(self.time)
            && processes::own_processor_time().saturating_sub(self.before) >= self.time
    }
}

/// Raises its flag when dropped. See [`Cancel::on_drop`].
#[derive(Debug)]
pub struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_raised_by_hand_or_by_the_processor_time_that_was_taken() {
        assert!(!Cancel::new().is_cancelled());
        assert!(Cancel::after_processor_time(Duration::ZERO).is_cancelled());
        let later = Cancel::after_processor_time(Duration::from_secs(1 << 30));
        assert!(!later.is_cancelled());
        later.clone().cancel();
        assert!(later.is_cancelled());
    }

    #[test]
    fn a_pause_does_not_use_up_the_time() {
        let budget = Duration::from_millis(20);
        let cancel = Cancel::after_processor_time(budget);
        let before = processes::own_processor_time();
        while processes::own_processor_time() - before < 2 * budget {}
        assert!(!cancel.is_cancelled());
        while !cancel.is_cancelled() {}
    }
}
