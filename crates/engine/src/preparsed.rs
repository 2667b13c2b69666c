//! Outlines of texts that an edit is about to write and that were parsed when the edit was checked. Keyed by
//! content hash, so that an outline is used only for the very bytes from which it was made, whatever the
//! result of the edit.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use symd_base::ContentHash;
use symd_syntax::{Grammar, Outline};

/// Maximum number of outlines. When it is exceeded the oldest are dropped, and those files are parsed again.
const KEPT: usize = 1024;

/// The outline of a proposed text.
#[derive(Clone, Debug)]
pub struct PreparsedOutline {
    /// Hash of the file's bytes.
    pub hash: ContentHash,
    pub grammar: Grammar,
    pub outline: Arc<Outline>,
}

/// Outlines that were not needed yet.
#[derive(Debug, Default)]
pub(super) struct PreparsedOutlines {
    kept: Mutex<VecDeque<PreparsedOutline>>,
    taken: AtomicUsize,
}

impl PreparsedOutlines {
    pub(super) fn add(&self, more: Vec<PreparsedOutline>) {
        let mut kept = self.lock();
        kept.extend(more);
        let over = kept.len().saturating_sub(KEPT);
        kept.drain(..over);
    }

    pub(super) fn take(&self, hash: ContentHash, grammar: Grammar) -> Option<Arc<Outline>> {
        let mut kept = self.lock();
        let is_it =
            |one: &PreparsedOutline| one.hash == hash && one.grammar.fingerprint() == grammar.fingerprint();
        let at = kept.iter().position(is_it)?;
        self.taken.fetch_add(1, Ordering::Relaxed);
        kept.remove(at).map(|found| found.outline)
    }

    pub(super) fn forget(&self, hashes: &[ContentHash]) {
        self.lock().retain(|one| !hashes.contains(&one.hash));
    }

    /// Returns how many outlines were used.
    pub(super) fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<PreparsedOutline>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
