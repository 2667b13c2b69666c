//! Which of several queued scans of one file reads it. A file that a question needs is scanned ahead of the queue
//! that it is in; the job in the queue then skips it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The right to scan one file for one job, which is taken once.
#[derive(Clone, Debug, Default)]
pub(super) struct Claim(Arc<AtomicBool>);

impl Claim {
    /// Returns a claim that is taken already.
    pub(super) fn taken() -> Claim {
        Claim(Arc::new(AtomicBool::new(true)))
    }

    /// Takes the claim. Returns whether it was free.
    pub(super) fn take(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }

    pub(super) fn is_taken(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Gives the claim back: the file was postponed.
    pub(super) fn give_back(&self) {
        self.0.store(false, Ordering::Release);
    }
}
