//! Memory that work in the background has freed. The allocator may keep it, between pieces that stay. Invariant: all threads wait for
//! memory while it is given back, so that is done when it is much, and not after each piece of work.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use symd_sys::{allocator, memory};

/// Bytes of freed memory that are worth giving back.
const WORTH_GIVING_BACK: usize = 32 << 20;
/// Bytes by which the process grows until memory is given back, whether anything noted that it freed some: questions note nothing.
const GROWN: u64 = 48 << 20;

/// What was freed since memory was given back last, about. Shared by the engine's task and the pool's workers.
#[derive(Debug, Default)]
pub(super) struct FreedMemory {
    bytes: AtomicUsize,
    /// What the process took when memory was given back last, or the least since; 0 before the first time.
    least_taken: AtomicU64,
    /// How many times memory was given back.
    times: AtomicU64,
}

impl FreedMemory {
    /// Notes that work has freed about this many bytes; gives memory back if that is much, with what was noted before.
    pub(super) fn note(&self, bytes: usize) {
        if self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes >= WORTH_GIVING_BACK {
            self.give_back();
        }
    }

    /// Gives back what was freed, however little. Slow, for a pool thread.
    pub(super) fn give_back(&self) {
        self.bytes.store(0, Ordering::Relaxed);
        self.times.fetch_add(1, Ordering::Relaxed);
        allocator::give_back();
        self.least_taken.store(taken().unwrap_or(0), Ordering::Relaxed);
    }

    /// Whether a process that takes this much has grown so much since memory was given back last that it is to be given back again. Once
    /// for each such growth.
    pub(super) fn has_grown(&self, taken: u64) -> bool {
        let least = self.least_taken.fetch_min(taken, Ordering::Relaxed);
        least > 0
            && taken > least + GROWN
            && self.least_taken.compare_exchange(least, taken, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Returns how many times memory was given back.
    #[cfg(test)]
    pub(super) fn times(&self) -> u64 {
        self.times.load(Ordering::Relaxed)
    }
}

/// Returns what the process takes that the system cannot take away: pages of files are not counted. Takes some microseconds.
pub(super) fn taken() -> Option<u64> {
    memory::own().map(|own| own.anonymous)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_grows_gives_back_once_for_each_growth() {
        let freed = FreedMemory::default();
        assert!(!freed.has_grown(1 << 40), "nothing was given back yet");
        freed.least_taken.store(100 << 20, Ordering::Relaxed);
        let grown = |mebibytes: u64| freed.has_grown(mebibytes << 20);
        assert_eq!([100, 148, 149, 150, 197, 198].map(grown), [false, false, true, false, false, true]);
        assert_eq!([90, 138, 139].map(grown), [false, false, true], "from the least on");
        freed.give_back();
        let taken = taken().expect("told");
        assert!(freed.least_taken.load(Ordering::Relaxed).abs_diff(taken) < GROWN);
    }

    #[test]
    fn little_is_not_given_back_by_itself() {
        let freed = FreedMemory::default();
        for round in 1..=3 {
            (0..31).for_each(|_| freed.note(1 << 20));
            assert_eq!(freed.times(), round - 1);
            freed.note(1 << 20);
            assert_eq!(freed.times(), round);
        }
        freed.note(1 << 30);
        assert_eq!(freed.times(), 4);
    }
}
