//! Counters of the watcher for `symd status`. No code makes decisions based on them.

use std::sync::atomic::{AtomicU64, Ordering};

/// Statistics of the watcher. Values that are "now" go up and down; all others count since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counters {
    /// Directories watched now.
    pub watched: u64,
    /// Directories polled now, because they could not be watched.
    pub polled: u64,
    /// Directories that cannot be read now, for a reason that may pass; retried at each barrier.
    pub failing: u64,
    /// Events read from the system.
    pub events: u64,
    /// How often the system lost events; each time everything was rescanned.
    pub overflows: u64,
    /// Directories listed again with everything beneath them, for any reason.
    pub rescans: u64,
    /// Sweeps over the polled directories.
    pub sweeps: u64,
    /// Names that are not UTF-8, which are omitted.
    pub unnamed: u64,
    /// Links, which are never followed when indexing.
    pub links: u64,
    /// FIFOs, sockets and devices.
    pub special: u64,
    /// Directories that we have no permission to read.
    pub denied: u64,
    /// Directories whose path is too long for the system.
    pub too_deep: u64,
    /// Watches that the system refused, including those beyond its limit.
    pub failed_watches: u64,
    /// Barriers that have arrived.
    pub barriers: u64,
}

/// The counters while they are being updated.
#[derive(Debug, Default)]
pub(super) struct AtomicCounters {
    pub(super) watched: Count,
    pub(super) polled: Count,
    pub(super) failing: Count,
    pub(super) events: Count,
    pub(super) overflows: Count,
    pub(super) rescans: Count,
    pub(super) sweeps: Count,
    pub(super) unnamed: Count,
    pub(super) links: Count,
    pub(super) special: Count,
    pub(super) denied: Count,
    pub(super) too_deep: Count,
    pub(super) failed_watches: Count,
    pub(super) barriers: Count,
}

/// One number, written by the watch thread and read by any thread.
#[derive(Debug, Default)]
pub(super) struct Count(AtomicU64);

impl Count {
    pub(super) fn add(&self, more: usize) {
        self.0.fetch_add(more as u64, Ordering::Relaxed);
    }

    pub(super) fn one(&self) {
        self.add(1);
    }

    pub(super) fn set(&self, now: usize) {
        self.0.store(now as u64, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl AtomicCounters {
    pub(super) fn read(&self) -> Counters {
        Counters {
            watched: self.watched.get(),
            polled: self.polled.get(),
            failing: self.failing.get(),
            events: self.events.get(),
            overflows: self.overflows.get(),
            rescans: self.rescans.get(),
            sweeps: self.sweeps.get(),
            unnamed: self.unnamed.get(),
            links: self.links.get(),
            special: self.special.get(),
            denied: self.denied.get(),
            too_deep: self.too_deep.get(),
            failed_watches: self.failed_watches.get(),
            barriers: self.barriers.get(),
        }
    }
}
