//! Memory that work in the background has freed. The allocator may keep it, between pieces that stay. Invariant: all threads wait for
//! memory while it is given back, so that is done when it is much, and not after each piece of work.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use symd_sys::allocator;

/// Bytes of freed memory that are worth giving back.
const WORTH_GIVING_BACK: usize = 32 << 20;

/// What was freed since memory was given back last, about. Shared by the engine's task and the pool's workers.
#[derive(Debug, Default)]
pub(super) struct FreedMemory {
    bytes: AtomicUsize,
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
    }

    /// Returns how many times memory was given back.
    #[cfg(test)]
    pub(super) fn times(&self) -> u64 {
        self.times.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
