//! Texts over which a server failed, so that it is not asked again and again about a text that makes it
//! crash. In memory only: a new daemon tries again, and so does a server that the user restarts.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::ServerError;
use symd_base::ContentHash;
use symd_config::LanguageId;

/// The maximum number of texts. When it is reached, all are forgotten and tried again.
const MAX_TEXTS: usize = 10_000;

/// The language and the content hash of a text.
type Key = (LanguageId, ContentHash);

/// The number of successive failures per text, and the last one.
#[derive(Debug, Default)]
pub(super) struct Failures(Mutex<HashMap<Key, (usize, ServerError)>>);

impl Failures {
    /// Records the outcome of a request. A success clears the text's failures; only `Failed` counts as a
    /// failure, because the text may be its cause.
    pub(super) fn note<T>(&self, key: Key, answer: &Result<T, ServerError>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match answer {
            Ok(_) => drop(known.remove(&key)),
            Err(why @ ServerError::Failed { .. }) => {
                if known.len() >= MAX_TEXTS {
                    known.clear();
                }
                let times = known.get(&key).map_or(0, |(times, _)| *times);
                known.insert(key, (times + 1, why.clone()));
            }
            Err(_) => {}
        }
    }

    pub(super) fn of(&self, key: Key) -> Option<(usize, ServerError)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned()
    }

    pub(super) fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
