//! What searches of unread files found, and the texts that they read, for as long as these files are unread.
//! Invariant: what was found in a file, or read from it, is used only as long as the file has not changed since: its
//! change is known before the next question's barrier arrives.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::cache_budget::CacheBudget;
use super::pending::Pending;
use symd_base::RelPath;
use symd_index::NeededWords;

/// Maximum number of bytes of texts that are kept, within the budget of the caches: a question asks for further words as it
/// learns names, and so does the next one.
const KEPT_BYTES: usize = 64 << 20;
/// Maximum number of searches whose results are kept.
const KEPT_SEARCHES: usize = 256;

/// Words, and the path at or beneath which they are searched for.
pub(super) type ScopedWords = (NeededWords, RelPath);

/// A file to search, with the number of its last change ([`Pending::changed_after`]).
pub(super) type UnreadFile = (RelPath, u64);

/// The result of a search for some words.
#[derive(Clone, Debug)]
pub(super) struct FoundWords {
    pub(super) words: ScopedWords,
    /// The last job that had begun when the search did: files that changed after it were not searched.
    pub(super) last_job: u64,
    /// The unread files that hold the words, or could not be searched.
    pub(super) files: BTreeSet<RelPath>,
}

impl FoundWords {
    /// Returns what is known before any search.
    pub(super) fn nothing(words: ScopedWords) -> FoundWords {
        FoundWords { words, last_job: 0, files: BTreeSet::new() }
    }

    /// Forgets the files that were read since: if one changes again, it is searched again.
    pub(super) fn forget_read(&mut self, pending: &Pending) {
        self.files.retain(|path| pending.is_unread(path));
    }

    /// Whether no unread file holds the words.
    fn is_met(&mut self, pending: &Pending) -> bool {
        self.forget_read(pending);
        self.files.is_empty() && pending.changed_after(self.last_job).next().is_none()
    }
}

/// The results of searches and the texts that they read. Shared by the engine's task and the pool's workers.
#[derive(Debug)]
pub(super) struct Searches {
    kept: Mutex<Kept>,
    budget: Arc<CacheBudget>,
}

#[derive(Debug, Default)]
struct Kept {
    texts: HashMap<RelPath, KeptText>,
    bytes: usize,
    /// The oldest first.
    found: VecDeque<FoundWords>,
}

/// A text of a file, with the number of its last change at that time.
#[derive(Debug)]
struct KeptText {
    change: u64,
    text: Arc<Vec<u8>>,
}

impl Searches {
    pub(super) fn new(budget: Arc<CacheBudget>) -> Searches {
        Searches { kept: Mutex::default(), budget }
    }

    /// Returns the result of an earlier search for these words, which may be over a larger tree.
    pub(super) fn found(&self, words: &NeededWords, scope: &RelPath) -> Option<FoundWords> {
        let kept = self.lock();
        let is_it = |found: &&FoundWords| found.words.0 == *words && scope.is_within(&found.words.1);
        kept.found.iter().rev().find(is_it).cloned()
    }

    /// Keeps the result of a search, in place of an older one.
    pub(super) fn keep_found(&self, found: FoundWords) {
        let mut kept = self.lock();
        kept.found.retain(|known| known.words != found.words);
        kept.found.push_back(found);
        if kept.found.len() > KEPT_SEARCHES {
            kept.found.pop_front();
        }
    }

    /// Returns the words that no unread file holds, as earlier questions found out.
    pub(super) fn met(&self, pending: &Pending) -> Vec<ScopedWords> {
        let mut kept = self.lock();
        let met =
            kept.found.iter_mut().filter_map(|found| found.is_met(pending).then(|| found.words.clone()));
        met.collect()
    }

    /// Returns the text of a file if it was read since this change.
    pub(super) fn text(&self, (path, change): &UnreadFile) -> Option<Arc<Vec<u8>>> {
        let kept = self.lock();
        kept.texts.get(path).filter(|kept| kept.change == *change).map(|kept| kept.text.clone())
    }

    /// Keeps the text of a file that was read after this change, if there is room for it.
    pub(super) fn keep_text(&self, (path, change): &UnreadFile, text: Arc<Vec<u8>>) {
        let mut kept = self.lock();
        let replaced = kept.texts.get(path).map_or(0, |known| known.text.len());
        let bytes = kept.bytes - replaced + text.len();
        if bytes <= KEPT_BYTES.min(self.budget.for_texts()) {
            kept.bytes = bytes;
            kept.texts.insert(path.clone(), KeptText { change: *change, text });
            self.budget.set_texts(bytes);
        }
    }

    /// Returns how many bytes the texts take.
    pub(super) fn memory(&self) -> usize {
        self.lock().bytes
    }

    /// Forgets the texts, if they take more than the budget has for them by now.
    pub(super) fn trim(&self) {
        if self.memory() > self.budget.for_texts() {
            self.forget_texts();
        }
    }

    /// Forgets the texts. Files that are searched again are read again.
    pub(super) fn forget_texts(&self) {
        let mut kept = self.lock();
        kept.bytes = 0;
        self.budget.set_texts(0);
        let texts = std::mem::take(&mut kept.texts);
        // They are freed without the lock.
        drop(kept);
        drop(texts);
    }

    /// Forgets everything: all files are read.
    pub(super) fn clear(&self) {
        let mut kept = self.lock();
        if !kept.texts.is_empty() || !kept.found.is_empty() {
            *kept = Kept::default();
            self.budget.set_texts(0);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Claim;
    use crate::pending::ScanCause;

    fn path(text: &str) -> RelPath {
        RelPath::new(text).expect(text)
    }

    fn searches(limit: usize) -> Searches {
        Searches::new(Arc::new(CacheBudget::new(limit)))
    }

    #[test]
    fn a_text_is_used_for_the_change_after_which_it_was_read_and_for_no_other() {
        let searches = searches(KEPT_BYTES);
        let (first, second) = ((path("a"), 1), (path("a"), 2));
        let (old, new) = (Arc::new(b"old".to_vec()), Arc::new(b"new".to_vec()));
        searches.keep_text(&first, old.clone());
        assert_eq!((searches.text(&first), searches.text(&second)), (Some(old), None));
        searches.keep_text(&second, new.clone());
        assert_eq!((searches.text(&first), searches.text(&second)), (None, Some(new)));
        searches.clear();
        assert_eq!(searches.text(&second), None);
    }

    #[test]
    fn no_more_texts_are_kept_than_there_is_room_for() {
        let searches = searches(4 * KEPT_BYTES);
        let half = Arc::new(vec![0; KEPT_BYTES / 2]);
        for (number, is_kept) in [(0, true), (1, true), (2, false), (1, true)] {
            let file = (path(&format!("f{number}")), number);
            searches.keep_text(&file, half.clone());
            assert_eq!(searches.text(&file).is_some(), is_kept, "{number}");
        }
        assert_eq!(searches.budget.for_parses(), 3 * KEPT_BYTES, "what the texts leave");
        searches.budget.set_limit(2 * KEPT_BYTES);
        searches.trim();
        assert_eq!(searches.memory(), KEPT_BYTES);
        searches.budget.set_limit(KEPT_BYTES);
        searches.trim();
        assert_eq!((searches.memory(), searches.budget.for_parses()), (0, KEPT_BYTES));
    }

    #[test]
    fn words_are_met_until_a_file_that_may_hold_them_is_unread() {
        let (searches, mut pending, words) =
            (searches(KEPT_BYTES), Pending::default(), NeededWords::of_name("run"));
        let (a, b) = (path("a"), path("b"));
        let begin = |pending: &mut Pending, path: &RelPath| {
            pending.begin(ScanCause::Changed, [(path, &Claim::default(), true)])
        };
        let (of_a, of_b) = (begin(&mut pending, &a), begin(&mut pending, &b));
        let files = BTreeSet::from([a.clone()]);
        searches.keep_found(FoundWords { words: (words, RelPath::root()), last_job: of_b, files });
        assert_eq!(searches.met(&pending).len(), 0, "a is unread and holds it");
        assert!(pending.accept_result(of_a, &a));
        assert_eq!(searches.met(&pending).len(), 1);
        begin(&mut pending, &b);
        assert_eq!(searches.met(&pending).len(), 0, "b changed");
        pending.removed(&b);
        assert_eq!(searches.met(&pending).len(), 1);
        begin(&mut pending, &a);
        assert_eq!(searches.met(&pending).len(), 0, "a changed");
    }

    #[test]
    fn a_search_of_a_larger_tree_answers_for_a_smaller_one() {
        let searches = searches(KEPT_BYTES);
        let words = NeededWords::of_name("run");
        let found = FoundWords {
            words: (words.clone(), path("a")),
            last_job: 7,
            files: BTreeSet::from([path("a/b")]),
        };
        searches.keep_found(found);
        assert_eq!(searches.found(&words, &path("a/b")).map(|found| found.last_job), Some(7));
        assert!(searches.found(&words, &RelPath::root()).is_none());
        assert!(searches.found(&NeededWords::of_name("ru"), &path("a")).is_none());
    }
}
