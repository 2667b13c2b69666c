//! What questions found out about Kotlin files and their modules, kept for the next questions on the same files. Invariant: it is
//! given only to a question that sees the same files, build files and languages as the one that found it out.

use std::sync::{Arc, Mutex, PoisonError};

use super::cache_budget::CacheBudget;
use symd_base::cores;
use symd_config::Languages;
use symd_resolve::{GradleModules, KotlinState};

/// Bytes of memory that what one thread found out may take at most; more is not kept.
const MAX_BYTES: usize = 16 << 20;

/// The states that are not in use. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct KeptKotlin {
    kept: Arc<Mutex<KeptStates>>,
    budget: Arc<CacheBudget>,
}

/// What a state depends on. Of two keys of one engine the later one is not less in either number.
#[derive(Clone, Debug)]
pub(super) struct KotlinKey {
    /// The snapshot's.
    pub(super) revision: u64,
    /// How often files were changed that may be build files; the index does not read all of them.
    pub(super) build_changes: u64,
    pub(super) languages: Arc<Languages>,
}

impl KotlinKey {
    fn is_before(&self, other: &KotlinKey) -> bool {
        (self.revision, self.build_changes) < (other.revision, other.build_changes)
    }
}

impl PartialEq for KotlinKey {
    fn eq(&self, other: &KotlinKey) -> bool {
        self.revision == other.revision
            && self.build_changes == other.build_changes
            && Arc::ptr_eq(&self.languages, &other.languages)
    }
}

#[derive(Debug, Default)]
struct KeptStates {
    key: Option<KotlinKey>,
    modules: Option<Arc<GradleModules>>,
    /// One for each thread that resolved at the same time, at most.
    all: Vec<KotlinState>,
}

impl KeptKotlin {
    pub(super) fn new(budget: Arc<CacheBudget>) -> KeptKotlin {
        KeptKotlin { kept: Arc::default(), budget }
    }

    /// Takes out what an earlier question with this key found out; `None` if nothing is kept for the key.
    pub(super) fn take(&self, key: &KotlinKey) -> Option<KotlinState> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.key.as_ref() != Some(key) {
            return None;
        }
        kept.all.pop()
    }

    /// Keeps what a question found out, in place of what belongs to an older state.
    pub(super) fn keep(&self, key: &KotlinKey, state: KotlinState) {
        if state.memory() > MAX_BYTES.min(self.budget.limit() / 16) {
            return;
        }
        self.at_state(key, |kept| {
            if kept.all.len() < cores::count() {
                kept.all.push(state);
            }
        });
    }

    /// Returns the modules, which `read` reads where no question on the same files has.
    pub(super) fn modules(
        &self,
        key: &KotlinKey,
        read: impl FnOnce() -> GradleModules,
    ) -> Arc<GradleModules> {
        let known = self.at_state(key, |kept| kept.modules.clone());
        known.flatten().unwrap_or_else(|| {
            // Without the lock: others do not wait for files.
            let modules = Arc::new(read());
            if modules.is_whole() {
                self.at_state(key, |kept| kept.modules = Some(modules.clone()));
            }
            modules
        })
    }

    /// Lets go of all of it.
    pub(super) fn clear(&self) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = KeptStates::default();
    }

    /// Returns about how many bytes of memory the states take that are not in use.
    pub(super) fn memory(&self) -> usize {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.all.iter().map(KotlinState::memory).sum()
    }

    /// Does something with what is kept for a state; nothing if that of a later one is kept.
    fn at_state<R>(&self, key: &KotlinKey, work: impl FnOnce(&mut KeptStates) -> R) -> Option<R> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.key.as_ref().is_some_and(|known| key.is_before(known)) {
            return None;
        }
        if kept.key.as_ref() != Some(key) {
            *kept = KeptStates { key: Some(key.clone()), ..KeptStates::default() };
        }
        Some(work(&mut kept))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(revision: u64, languages: &Arc<Languages>) -> KotlinKey {
        KotlinKey { revision, build_changes: 0, languages: languages.clone() }
    }

    #[test]
    fn a_state_is_given_for_its_own_key_only_and_once() {
        let budget = Arc::new(CacheBudget::new(MAX_BYTES));
        let (kept, languages) = (KeptKotlin::new(budget), Languages::builtin().clone());
        let other_languages = Arc::new(Languages::clone(&languages));
        let is_kept = |key: &KotlinKey| kept.take(key).is_some();
        kept.keep(&key(2, &languages), KotlinState::default());
        assert!(!is_kept(&key(1, &languages)) && !is_kept(&key(3, &languages)));
        assert!(!is_kept(&key(2, &other_languages)));
        assert!(is_kept(&key(2, &languages)) && !is_kept(&key(2, &languages)));
        // A question on an older snapshot ends late.
        kept.keep(&key(2, &languages), KotlinState::default());
        kept.keep(&key(1, &languages), KotlinState::default());
        assert!(!is_kept(&key(1, &languages)) && is_kept(&key(2, &languages)));
        kept.keep(&key(2, &languages), KotlinState::default());
        kept.keep(&key(3, &languages), KotlinState::default());
        assert!(is_kept(&key(3, &languages)) && !is_kept(&key(2, &languages)));
        kept.keep(&key(3, &languages), KotlinState::default());
        assert!(!is_kept(&KotlinKey { build_changes: 1, ..key(3, &languages) }));
    }
}
