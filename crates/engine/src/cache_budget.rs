//! How much memory the caches of questions may take together.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The bytes that all caches may take, and what texts take of them: these are used by the next search, and leave the rest to
/// parses. Shared by the caches.
#[derive(Debug)]
pub(super) struct CacheBudget {
    limit: AtomicUsize,
    texts: AtomicUsize,
}

impl CacheBudget {
    pub(super) fn new(limit: usize) -> CacheBudget {
        CacheBudget { limit: AtomicUsize::new(limit), texts: AtomicUsize::new(0) }
    }

    pub(super) fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    /// Sets another limit. A cache that takes more by then is reduced by [`super::question_caches::QuestionCaches::trim`].
    pub(super) fn set_limit(&self, limit: usize) {
        self.limit.store(limit, Ordering::Relaxed);
    }

    /// Returns how many bytes texts may take: half of all at most.
    pub(super) fn for_texts(&self) -> usize {
        self.limit() / 2
    }

    /// Notes how many bytes texts take.
    pub(super) fn set_texts(&self, bytes: usize) {
        self.texts.store(bytes, Ordering::Relaxed);
    }

    /// Returns how many bytes parses may take.
    pub(super) fn for_parses(&self) -> usize {
        self.limit().saturating_sub(self.texts.load(Ordering::Relaxed))
    }
}
