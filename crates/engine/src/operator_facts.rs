//! Which operators the texts of Kotlin files hold, kept by content: files without an operator need not be read to find the uses of its
//! function. Invariant: it is true of every file with that content.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use symd_base::ContentHash;
use symd_resolve::{OperatorFacts, TextSigns};
use symd_types::kotlin::FileConventions;

/// Number of texts of which facts are kept, about 4 MB. One text more clears them all.
const MAX_TEXTS: usize = 1 << 16;

/// The facts. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct KeptOperatorFacts(Arc<Mutex<HashMap<ContentHash, OperatorFacts>>>);

impl KeptOperatorFacts {
    pub(super) fn get(&self, content: ContentHash) -> OperatorFacts {
        self.locked().get(&content).copied().unwrap_or_default()
    }

    pub(super) fn keep_signs(&self, content: ContentHash, signs: TextSigns) {
        self.change(content, |facts| facts.signs = Some(signs));
    }

    pub(super) fn keep_conventions(&self, content: ContentHash, conventions: FileConventions) {
        self.change(content, |facts| facts.conventions = Some(conventions));
    }

    /// Returns about how many bytes of memory they take.
    pub(super) fn memory(&self) -> usize {
        // One byte of each place tells whether it is used.
        self.locked().capacity() * (size_of::<(ContentHash, OperatorFacts)>() + 1)
    }

    pub(super) fn clear(&self) {
        *self.locked() = HashMap::new();
    }

    fn change(&self, content: ContentHash, change: impl FnOnce(&mut OperatorFacts)) {
        let mut kept = self.locked();
        if kept.len() >= MAX_TEXTS && !kept.contains_key(&content) {
            kept.clear();
        }
        change(kept.entry(content).or_default());
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<ContentHash, OperatorFacts>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_take_a_few_megabytes_at_most_and_none_once_cleared() {
        let kept = KeptOperatorFacts::default();
        let content = |number: usize| ContentHash::of(&number.to_le_bytes());
        for number in 0..=MAX_TEXTS {
            kept.change(content(number), |_| ());
            assert!(kept.locked().contains_key(&content(number)));
        }
        assert_eq!(kept.locked().len(), 1, "one text more clears them all");
        assert!((1..5 << 20).contains(&kept.memory()), "{}", kept.memory());
        kept.clear();
        assert_eq!(kept.memory(), 0);
    }
}
