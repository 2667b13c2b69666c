//! What questions found out about Kotlin files and their modules, kept for the next questions. Invariant: it is given only to a question
//! that sees the same build files and languages as the one that found it out, with the files that it was found out about.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::cache_budget::CacheBudget;
use symd_base::cores;
use symd_config::Languages;
use symd_index::SnapshotFiles;
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
    /// The snapshot's, all of them read: what was found out is compared with later ones.
    pub(super) files: SnapshotFiles,
    /// How often files were changed that may be build files and that the index does not read.
    pub(super) build_changes: u64,
    pub(super) languages: Arc<Languages>,
}

impl KotlinKey {
    fn order(&self) -> (u64, u64) {
        (self.revision, self.build_changes)
    }

    /// Whether `later` is as new or newer, and differs only in files that [`SnapshotFiles::changes_since`] lists. Two snapshots of one revision
    /// may differ, too: in texts with the same symbols.
    fn leads_to(&self, later: &KotlinKey) -> bool {
        self.revision <= later.revision
            && self.build_changes == later.build_changes
            && Arc::ptr_eq(&self.languages, &later.languages)
    }
}

#[derive(Debug, Default)]
struct KeptStates {
    modules: Option<(KotlinKey, Arc<GradleModules>)>,
    /// One for each thread that resolved at the same time, at most, the latest last.
    states: Vec<KeptState>,
}

/// What an earlier question found out about the files of a key.
#[derive(Debug)]
pub(super) struct KeptState {
    pub(super) key: KotlinKey,
    pub(super) state: KotlinState,
}

impl KeptKotlin {
    pub(super) fn new(budget: Arc<CacheBudget>) -> KeptKotlin {
        KeptKotlin { kept: Arc::default(), budget }
    }

    /// Takes out what the latest earlier question found out, about files some of which may have changed since.
    pub(super) fn take(&self, key: &KotlinKey) -> Option<KeptState> {
        let mut kept = self.locked();
        let at = kept.states.iter().rposition(|one| one.key.leads_to(key))?;
        Some(kept.states.remove(at))
    }

    /// Keeps what a question found out, in place of what belongs to older states.
    pub(super) fn keep(&self, key: KotlinKey, state: KotlinState) {
        if state.memory() > MAX_BYTES.min(self.budget.limit() / 16) {
            return;
        }
        let mut kept = self.locked();
        // What no question will go on from would keep the entries of an old index.
        kept.states.retain(|one| one.key.leads_to(&key) || key.leads_to(&one.key));
        let at = kept.states.partition_point(|one| one.key.order() <= key.order());
        kept.states.insert(at, KeptState { key, state });
        if kept.states.len() > cores::count() {
            kept.states.remove(0);
        }
    }

    /// Lets go of what was found out before the files of a key, since too much has changed.
    pub(super) fn forget_before(&self, key: &KotlinKey) {
        self.locked().states.retain(|one| one.key.order() >= key.order());
    }

    /// Lets go of what was found out about files that are neither these, of this revision, nor those of a later one: it holds outlines of
    /// theirs that these have let go of.
    pub(super) fn forget_older(&self, revision: u64, files: &SnapshotFiles) {
        let is_older = |of: &KotlinKey| {
            of.revision < revision
                || of.revision == revision && files.changes_since(&of.files).next().is_some()
        };
        // Freed without the lock: they may hold all entries of a large tree.
        let _older = {
            let mut kept = self.locked();
            let states: Vec<KeptState> = kept.states.extract_if(.., |one| is_older(&one.key)).collect();
            (states, kept.modules.take_if(|(of, _)| is_older(of)))
        };
    }

    /// Returns the modules, which `read` reads where no question on the same build files has.
    pub(super) fn modules(
        &self,
        key: &KotlinKey,
        read: impl FnOnce() -> GradleModules,
    ) -> Arc<GradleModules> {
        if let Some(known) = self.known_modules(key) {
            return known;
        }
        // Without the lock: others do not wait for files.
        let modules = Arc::new(read());
        if modules.is_whole() {
            self.keep_modules(key, &modules);
        }
        modules
    }

    fn known_modules(&self, key: &KotlinKey) -> Option<Arc<GradleModules>> {
        let (of, modules) = self.locked().modules.clone()?;
        let changes = of.leads_to(key).then(|| key.files.changes_since(&of.files))?;
        // Others were touched, or have let go of their outlines.
        let mut changes = changes.filter(|change| !change.is_of_same_text());
        let is_changed = changes
            .any(|change| change.before.or(change.after).is_none_or(|file| modules.depends_on(&file.path)));
        if is_changed {
            return None;
        }
        self.keep_modules(key, &modules);
        Some(modules)
    }

    fn keep_modules(&self, key: &KotlinKey, modules: &Arc<GradleModules>) {
        let mut kept = self.locked();
        if kept.modules.as_ref().is_none_or(|(of, _)| of.order() <= key.order()) {
            kept.modules = Some((key.clone(), modules.clone()));
        }
    }

    /// Lets go of all of it.
    pub(super) fn clear(&self) {
        *self.locked() = KeptStates::default();
    }

    /// Returns about how many bytes of memory the states take that are not in use.
    pub(super) fn memory(&self) -> usize {
        self.locked().states.iter().map(|one| one.state.memory()).sum()
    }

    fn locked(&self) -> MutexGuard<'_, KeptStates> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(revision: u64, languages: &Arc<Languages>) -> KotlinKey {
        let files = SnapshotFiles::default();
        KotlinKey { revision, files, build_changes: 0, languages: languages.clone() }
    }

    #[test]
    fn a_state_is_given_once_to_questions_that_do_not_see_older_files() {
        let budget = Arc::new(CacheBudget::new(MAX_BYTES));
        let (kept, languages) = (KeptKotlin::new(budget), Languages::builtin().clone());
        let other_languages = Arc::new(Languages::clone(&languages));
        let taken = |key: &KotlinKey| kept.take(key).map(|kept| kept.key.revision);
        kept.keep(key(2, &languages), KotlinState::default());
        assert_eq!(taken(&key(1, &languages)), None);
        assert_eq!(taken(&key(2, &other_languages)), None);
        assert_eq!(taken(&KotlinKey { build_changes: 1, ..key(2, &languages) }), None);
        assert_eq!((taken(&key(2, &languages)), taken(&key(2, &languages))), (Some(2), None));
        // A question on an older snapshot ends late.
        kept.keep(key(2, &languages), KotlinState::default());
        kept.keep(key(1, &languages), KotlinState::default());
        assert_eq!((taken(&key(4, &languages)), taken(&key(1, &languages))), (Some(2), Some(1)));
        for revision in 0..=u64::try_from(cores::count()).expect("a number") {
            kept.keep(key(revision, &languages), KotlinState::default());
        }
        assert_eq!(taken(&key(0, &languages)), None, "the oldest goes");
    }
}
