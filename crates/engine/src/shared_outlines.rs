//! What is in memory of outlines, by what they were made from: files of equal content share it. A tree may hold a text many
//! times (work trees of one repository, vendored code, empty files). Invariant: it keeps nothing alive.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use symd_index::cache::Key;

/// Number of entries up to which those of dropped values are not looked for.
const FEW: usize = 1024;

/// Outlines, or what is known of stored ones; shared by threads.
#[derive(Debug)]
pub(super) struct SharedByContent<T>(Mutex<ByContent<T>>);

#[derive(Debug)]
struct ByContent<T> {
    values: HashMap<Key, Weak<T>>,
    /// How many entries were left when those of dropped values were removed.
    swept: usize,
}

impl<T> Default for SharedByContent<T> {
    fn default() -> SharedByContent<T> {
        SharedByContent(Mutex::new(ByContent { values: HashMap::new(), swept: 0 }))
    }
}

impl<T> SharedByContent<T> {
    /// Returns what files of this content share, if one has it.
    pub(super) fn get(&self, key: Key) -> Option<Arc<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values.get(&key)?.upgrade()
    }

    /// Frees what is kept of dropped values.
    pub(super) fn sweep(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).sweep();
    }

    /// Returns what files of this content share: `value`, unless another thread was faster.
    pub(super) fn share(&self, key: Key, value: Arc<T>) -> Arc<T> {
        let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = shared.values.get(&key).and_then(Weak::upgrade) {
            return known;
        }
        if shared.values.len() > FEW.max(shared.swept * 2) {
            shared.sweep();
        }
        shared.values.insert(key, Arc::downgrade(&value));
        value
    }
}

impl<T> ByContent<T> {
    /// Removes the entries of dropped values: a value's own bytes stay allocated as long as its entry.
    fn sweep(&mut self) {
        self.values.retain(|_, value| value.strong_count() > 0);
        // A table that was once large would stay so.
        self.values.shrink_to(FEW);
        self.swept = self.values.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_base::ContentHash;
    use symd_syntax::Outline;

    fn key(number: usize) -> Key {
        Key { content: ContentHash::of(&number.to_le_bytes()), fingerprint: 7 }
    }

    #[test]
    fn an_outline_is_shared_as_long_as_a_file_has_it() {
        let shared = SharedByContent::<Outline>::default();
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
        let shared = SharedByContent::<Outline>::default();
        let kept: Vec<_> = (0..10).map(|number| shared.share(key(number), Arc::default())).collect();
        (0..100 * FEW).for_each(|number| drop(shared.share(key(1_000 + number), Arc::default())));
        let entries = shared.0.lock().expect("sound").values.len();
        assert!((kept.len()..=FEW + 1).contains(&entries), "{entries}");
        assert!((0..10).all(|number| shared.get(key(number)).is_some()));
    }
}
