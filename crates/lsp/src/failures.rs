//! Over which texts a server failed, so that nobody keeps asking it about what it dies of. In memory only: a new daemon
//! tries again, as does a server that is restarted by hand.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::NoAnswer;
use symd_base::ContentHash;
use symd_config::LanguageId;

/// Texts that are remembered. When it is full all are forgotten, and tried again.
const MAX_TEXTS: usize = 10_000;

/// A text of a language.
type Key = (LanguageId, ContentHash);

/// How often in a row, and why at last.
#[derive(Debug, Default)]
pub(super) struct Failures(Mutex<HashMap<Key, (usize, NoAnswer)>>);

impl Failures {
    /// Takes note of how a question went. Only what may lie in the text counts.
    pub(super) fn note<T>(&self, key: Key, answer: &Result<T, NoAnswer>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match answer {
            Ok(_) => drop(known.remove(&key)),
            Err(why @ NoAnswer::Failed { .. }) => {
                if known.len() >= MAX_TEXTS {
                    known.clear();
                }
                let times = known.get(&key).map_or(0, |(times, _)| *times);
                known.insert(key, (times + 1, why.clone()));
            }
            Err(_) => {}
        }
    }

    pub(super) fn of(&self, key: Key) -> Option<(usize, NoAnswer)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned()
    }

    pub(super) fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
