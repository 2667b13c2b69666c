//! Files that a question's snapshot lists and does not know the content of, and what the question needs to know
//! of them. Invariant: an answer for which nothing was noted as lacking is the one that the complete index would
//! give: whatever is asked of an unread file is noted, unless its text was searched and cannot hold the answer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::file::FileEntry;
use super::files::FileMap;
use super::needed_words::NeededWords;
use symd_base::RelPath;

/// What a question needs of the files that are unread.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Every file.
    Everything,
    /// The file at this path, or every file beneath this directory.
    Within(RelPath),
    /// The files at or beneath this path whose text holds the words.
    Words(NeededWords, RelPath),
}

/// The needs of one question that were met before it runs (again).
#[derive(Clone, Debug, Default)]
pub struct MetNeeds {
    /// Words that all unread files at or beneath these paths were searched for; those that hold them are among
    /// `files`.
    words: BTreeMap<NeededWords, BTreeSet<RelPath>>,
    /// Files that were unread when the question was asked, and were scanned since.
    pub files: BTreeSet<RelPath>,
}

impl MetNeeds {
    /// Adds words that all unread files at or beneath `scope` were searched for.
    pub fn add_words(&mut self, words: NeededWords, scope: RelPath) {
        self.words.entry(words).or_default().insert(scope);
    }

    fn has_words(&self, words: &NeededWords, path: &RelPath) -> bool {
        self.words.get(words).is_some_and(|scopes| scopes.iter().any(|scope| path.is_within(scope)))
    }
}

/// The unread files of one snapshot.
#[derive(Debug)]
pub struct UnreadFiles {
    /// Files that were unread when the question was asked, …
    asked: FileMap,
    /// … and those that are now. One that was read since and changed again is in both, with another entry: what
    /// was read is as new as the question.
    now: FileMap,
    met: MetNeeds,
    lacking: Mutex<BTreeSet<Need>>,
}

impl UnreadFiles {
    pub fn new(asked: FileMap, now: FileMap, met: MetNeeds) -> UnreadFiles {
        UnreadFiles { asked, now, met, lacking: Mutex::default() }
    }

    /// Returns what the question needed and did not have, so far.
    pub fn lacking(&self) -> Vec<Need> {
        self.lock().iter().cloned().collect()
    }

    /// Whether the question needed something that it did not have.
    pub(super) fn lacks_something(&self) -> bool {
        !self.lock().is_empty()
    }

    /// Returns the files that were unread when the question was asked.
    pub fn asked(&self) -> &FileMap {
        &self.asked
    }

    /// Returns the needs that were met before the question ran.
    pub fn met(&self) -> &MetNeeds {
        &self.met
    }

    /// Returns the entry of the file at `path` if it is unread.
    pub fn get(&self, path: &str) -> Option<&Arc<FileEntry>> {
        let entry = self.now.get(path)?;
        // A file that was read since and has changed again has another entry.
        let is_same = self.asked.get(path).is_some_and(|asked| Arc::ptr_eq(asked, entry));
        (is_same && !self.met.files.contains(&entry.path)).then_some(entry)
    }

    /// Iterates over the unread files at or beneath `path`, in path order.
    pub fn within<'a>(&'a self, path: &RelPath) -> impl Iterator<Item = &'a Arc<FileEntry>> + use<'a> {
        let mut asked = self.asked.within(path).peekable();
        self.now.within(path).filter(move |entry| {
            while asked.next_if(|asked| asked.path < entry.path).is_some() {}
            // As in `get`, without a search for each.
            asked.peek().is_some_and(|asked| Arc::ptr_eq(asked, entry))
                && !self.met.files.contains(&entry.path)
        })
    }

    /// Notes a need if it is not met.
    pub(super) fn need(&self, need: Need) {
        let is_met = match &need {
            Need::Everything => self.within(&RelPath::root()).next().is_none(),
            Need::Within(path) => self.within(path).next().is_none(),
            Need::Words(words, path) => self.met.has_words(words, path) || self.within(path).next().is_none(),
        };
        if !is_met {
            self.lock().insert(need);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<Need>> {
        self.lacking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
