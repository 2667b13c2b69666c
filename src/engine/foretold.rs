//! Outlines of texts that an edit is about to write: whoever made the edit has parsed them already. Keyed by content
//! hash, so that an outline is used only for the very bytes it was made of, whatever became of the edit.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use crate::base::ContentHash;
use crate::syntax::{Grammar, Outline};

/// Outlines kept. When it is full the oldest go: those files are parsed again.
const KEPT: usize = 256;

/// The outline of a text to come.
#[derive(Clone, Debug)]
pub struct Foretold {
    /// Of the file's bytes.
    pub hash: ContentHash,
    /// What they were parsed with.
    pub grammar: Grammar,
    /// Their symbols.
    pub outline: Arc<Outline>,
}

/// Those that nobody has needed yet.
#[derive(Debug, Default)]
pub(super) struct Foretellings(Mutex<VecDeque<Foretold>>);

impl Foretellings {
    pub(super) fn add(&self, more: Vec<Foretold>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(more);
        let over = kept.len().saturating_sub(KEPT);
        kept.drain(..over);
    }

    pub(super) fn take(&self, hash: ContentHash, grammar: Grammar) -> Option<Arc<Outline>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |one: &Foretold| one.hash == hash && one.grammar.fingerprint() == grammar.fingerprint();
        let at = kept.iter().position(is_it)?;
        kept.remove(at).map(|found| found.outline)
    }
}
