//! The outline of a file: in memory, or in the cache on disk and read back when something asks for it. Invariant: the summary
//! of a stored outline agrees with the outline.

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

use super::cache::Key;
use super::outline_summaries::OutlineSummary;
use symd_base::RelPath;
use symd_syntax::{Imports, Outline};

/// The outline of one file.
#[derive(Clone, Debug)]
pub enum EntryOutline {
    /// In memory as long as the entry is.
    Resident(Arc<Outline>),
    Stored(StoredOutline),
}

/// An outline on disk.
#[derive(Clone, Debug)]
pub struct StoredOutline {
    summary: OutlineSummary,
    /// Set when it was read, until the entry is replaced by one that has not read it (`FileEntry::without_outline`). So what
    /// `FileEntry` returns stays valid as long as the entry.
    read: OnceLock<Arc<Outline>>,
}

/// Reads stored outlines. May block.
pub trait OutlineReader: Debug + Send + Sync {
    /// Returns the outline that is stored under `key` and has this number of rows, or makes it again from the file at `path`. `None` if
    /// that file is no longer what it was: the reader has it scanned.
    fn read_back(&self, key: Key, rows: usize, path: &RelPath) -> Option<Arc<Outline>>;
}

impl From<Arc<Outline>> for EntryOutline {
    fn from(outline: Arc<Outline>) -> EntryOutline {
        EntryOutline::Resident(outline)
    }
}

impl EntryOutline {
    /// Returns the outline of this summary, on disk, without what was read of it.
    pub(super) fn stored(summary: OutlineSummary) -> EntryOutline {
        EntryOutline::Stored(StoredOutline { summary, read: OnceLock::new() })
    }

    /// Returns the outline's summary if it is on disk.
    pub fn summary(&self) -> Option<&OutlineSummary> {
        match self {
            EntryOutline::Resident(_) => None,
            EntryOutline::Stored(stored) => Some(&stored.summary),
        }
    }

    /// Returns the outline if it is in memory.
    pub fn in_memory(&self) -> Option<&Arc<Outline>> {
        match self {
            EntryOutline::Resident(outline) => Some(outline),
            EntryOutline::Stored(stored) => stored.read.get(),
        }
    }

    pub fn has_errors(&self) -> bool {
        match self {
            EntryOutline::Resident(outline) => outline.has_errors,
            EntryOutline::Stored(stored) => stored.summary.has_errors(),
        }
    }

    pub(super) fn row_count(&self) -> usize {
        match self {
            EntryOutline::Resident(outline) => outline.rows.len(),
            EntryOutline::Stored(stored) => stored.summary.rows(),
        }
    }

    pub(super) fn hides_types(&self) -> bool {
        match self {
            EntryOutline::Resident(outline) => outline.hides_types,
            EntryOutline::Stored(stored) => stored.summary.hides_types(),
        }
    }

    /// Returns the imports of the file at `path`.
    pub(super) fn imports(&self, path: &RelPath) -> Cow<'_, Imports> {
        let stored = match self {
            EntryOutline::Resident(outline) => return Cow::Borrowed(&outline.imports),
            EntryOutline::Stored(stored) => stored,
        };
        if let Some(outline) = stored.read.get() {
            return Cow::Borrowed(&outline.imports);
        }
        let from_outline = || stored.read_back(path).map(|outline| outline.imports.clone());
        Cow::Owned(stored.summary.imports().or_else(from_outline).unwrap_or_default())
    }

    /// Returns the outline of the file at `path`, and keeps it if it had to be read.
    pub(super) fn get(&self, path: &RelPath) -> Option<&Arc<Outline>> {
        let stored = match self {
            EntryOutline::Resident(outline) => return Some(outline),
            EntryOutline::Stored(stored) => stored,
        };
        if let Some(outline) = stored.read.get() {
            return Some(outline);
        }
        let outline = stored.read_back(path)?;
        Some(stored.read.get_or_init(|| outline))
    }

    /// Returns the outline of the file at `path`, and keeps nothing.
    pub(super) fn get_once(&self, path: &RelPath) -> Option<Arc<Outline>> {
        match self {
            EntryOutline::Resident(outline) => Some(outline.clone()),
            EntryOutline::Stored(stored) => stored.read.get().cloned().or_else(|| stored.read_back(path)),
        }
    }

    /// Whether the word of this hash is an identifier of the file at `path`.
    pub(super) fn holds(&self, hash: u32, path: &RelPath) -> bool {
        self.may_hold(hash) && self.get(path).is_some_and(|outline| outline.occurrences.contains_hash(hash))
    }

    /// Whether the word of this hash may be an identifier of the file.
    pub(super) fn may_hold(&self, hash: u32) -> bool {
        if let Some(outline) = self.in_memory() {
            return outline.occurrences.contains_hash(hash);
        }
        self.summary().is_some_and(|summary| summary.may_hold(hash))
    }

    /// Returns the address of what several files share, and how many bytes that takes.
    pub(super) fn shared_memory(&self) -> (usize, usize) {
        match self {
            // Two counts.
            EntryOutline::Resident(outline) => {
                (Arc::as_ptr(outline).addr(), 2 * size_of::<usize>() + outline.memory())
            }
            EntryOutline::Stored(stored) => stored.summary.shared_memory(),
        }
    }

    /// Whether both are the same outline, and not only equal ones, as far as is known without reading one.
    pub(super) fn is_same(&self, other: &EntryOutline) -> bool {
        match (self, other) {
            (EntryOutline::Resident(mine), EntryOutline::Resident(theirs)) => Arc::ptr_eq(mine, theirs),
            (EntryOutline::Stored(mine), EntryOutline::Stored(theirs)) => {
                mine.summary.key() == theirs.summary.key()
            }
            _ => false,
        }
    }
}

impl StoredOutline {
    fn read_back(&self, path: &RelPath) -> Option<Arc<Outline>> {
        // The name tables hold row numbers of the outline that was let go of. In an outline with another number of rows they would
        // mean other symbols, or none.
        self.summary.reader().read_back(self.summary.key(), self.summary.rows(), path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OutlineSummaries;
    use crate::tests::OneOutline;
    use symd_base::{Cancel, ContentHash};
    use symd_syntax::Grammar;

    #[test]
    fn an_outline_that_was_read_answers_instead_of_its_summary() {
        let grammar = Grammar::named("python").expect("is there");
        let text = "x = 1\ny = z\n";
        let outline = symd_syntax::outline(grammar, text, &Cancel::new()).expect("not cancelled");
        let outline = Arc::new(outline);
        let key = Key { content: ContentHash::of(text.as_bytes()), fingerprint: grammar.fingerprint() };
        let reader = Arc::new(OneOutline::new(outline.clone()));
        let summary = OutlineSummaries::summarize(&[(key, outline.clone())], reader, None).remove(0);
        let stored = EntryOutline::stored(summary);
        // The filter is sure of most words only.
        let is_wrong = |&hash: &u32| stored.may_hold(hash) && !outline.occurrences.contains_hash(hash);
        let hash = (0..1_000_000).find(is_wrong).expect("one of many");
        assert!(stored.get(&RelPath::root()).is_some());
        assert!(!stored.may_hold(hash));
    }
}
