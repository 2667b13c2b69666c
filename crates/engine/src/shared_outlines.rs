//! The outlines that are in memory, by what they were made from: files of equal content share one. A tree may hold a text many
//! times (work trees of one repository, vendored code, empty files). Invariant: it keeps no outline alive.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use symd_index::cache::Key;
use symd_syntax::Outline;

/// Number of entries up to which those of dropped outlines are not looked for.
const FEW: usize = 1024;

/// The outlines, shared by pool threads.
#[derive(Debug, Default)]
pub(super) struct SharedOutlines(Mutex<ByContent>);

#[derive(Debug, Default)]
struct ByContent {
    outlines: HashMap<Key, Weak<Outline>>,
    /// How many entries were left when those of dropped outlines were removed.
    swept: usize,
}

impl SharedOutlines {
    /// Returns the outline of this content, if a file has it.
    pub(super) fn get(&self, key: Key) -> Option<Arc<Outline>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).outlines.get(&key)?.upgrade()
    }

    /// Returns the outline that files of this content share: `outline`, unless another thread was faster.
    pub(super) fn share(&self, key: Key, outline: Arc<Outline>) -> Arc<Outline> {
        let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = shared.outlines.get(&key).and_then(Weak::upgrade) {
            return known;
        }
        // A dropped outline's own bytes stay allocated as long as its entry.
        if shared.outlines.len() > FEW.max(shared.swept * 2) {
            shared.outlines.retain(|_, outline| outline.strong_count() > 0);
            shared.swept = shared.outlines.len();
        }
        shared.outlines.insert(key, Arc::downgrade(&outline));
        outline
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_base::ContentHash;

    fn key(number: usize) -> Key {
        Key { content: ContentHash::of(&number.to_le_bytes()), fingerprint: 7 }
    }

    #[test]
    fn an_outline_is_shared_as_long_as_a_file_has_it() {
        let shared = SharedOutlines::default();
        let first = shared.share(key(1), Arc::default());
        assert!(Arc::ptr_eq(&first, &shared.share(key(1), Arc::default())));
        assert!(Arc::ptr_eq(&first, &shared.get(key(1)).expect("shared")));
        assert!(shared.get(key(2)).is_none());
        assert!(shared.get(Key { fingerprint: 8, ..key(1) }).is_none(), "another grammar made it");
        drop(first);
        assert!(shared.get(key(1)).is_none());
    }

    #[test]
    fn what_is_kept_of_dropped_outlines_is_bounded() {
        let shared = SharedOutlines::default();
        let kept: Vec<_> = (0..10).map(|number| shared.share(key(number), Arc::default())).collect();
        (0..100 * FEW).for_each(|number| drop(shared.share(key(1_000 + number), Arc::default())));
        let entries = shared.0.lock().expect("sound").outlines.len();
        assert!((kept.len()..=FEW + 1).contains(&entries), "{entries}");
        assert!((0..10).all(|number| shared.get(key(number)).is_some()));
    }
}
