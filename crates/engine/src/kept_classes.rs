//! The inheritance graphs of all classes, kept for the next questions. Invariant: they are given only to a question that sees the very
//! files that they were built from.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::cache_budget::CacheBudget;
use symd_config::Languages;
use symd_index::SnapshotFiles;
use symd_resolve::ClassGraphs;

/// Graphs that take more bytes of memory are not kept.
const MAX_BYTES: usize = 16 << 20;

/// The graphs that were built last. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct KeptClasses {
    kept: Arc<Mutex<Option<KeptGraphs>>>,
    budget: Arc<CacheBudget>,
}

#[derive(Debug)]
struct KeptGraphs {
    files: SnapshotFiles,
    languages: Arc<Languages>,
    graphs: ClassGraphs,
}

impl KeptClasses {
    pub(super) fn new(budget: Arc<CacheBudget>) -> KeptClasses {
        KeptClasses { kept: Arc::default(), budget }
    }

    /// Returns the graphs that were built from these files.
    pub(super) fn get(&self, files: &SnapshotFiles, languages: &Arc<Languages>) -> Option<ClassGraphs> {
        let kept = self.locked();
        let kept = kept.as_ref().filter(|kept| Arc::ptr_eq(&kept.languages, languages))?;
        files.changes_since(&kept.files).next().is_none().then(|| kept.graphs.clone())
    }

    /// Keeps the graphs of these files, all of them read, in place of others.
    pub(super) fn keep(&self, files: &SnapshotFiles, languages: &Arc<Languages>, graphs: ClassGraphs) {
        if graphs.memory() > MAX_BYTES.min(self.budget.limit() / 16) {
            return;
        }
        let (files, languages) = (files.clone(), languages.clone());
        let kept = Some(KeptGraphs { files, languages, graphs });
        // Freed without the lock: they may hold all entries of a large tree.
        let _older = std::mem::replace(&mut *self.locked(), kept);
    }

    /// Lets go of graphs of other files than these: they hold outlines that these have let go of.
    pub(super) fn forget_others(&self, files: &SnapshotFiles) {
        let _others = self.locked().take_if(|kept| files.changes_since(&kept.files).next().is_some());
    }

    /// Lets go of all of it.
    pub(super) fn clear(&self) {
        let _all = self.locked().take();
    }

    fn locked(&self) -> MutexGuard<'_, Option<KeptGraphs>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
