//! The files of a snapshot: those whose content is known, and, while the index is being built, those that are
//! only listed. Invariant: no method returns what depends on an unread file without noting the need for it.

use std::sync::Arc;

use super::file::FileEntry;
use super::files::{EntryChange, FileMap};
use super::needed_words::NeededWords;
use super::unread::{Need, UnreadFiles};
use symd_base::RelPath;

/// The files of a snapshot, in path order. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct SnapshotFiles {
    pub(super) known: FileMap,
    /// `None` if all files are known.
    pub(super) unread: Option<Arc<UnreadFiles>>,
}

impl SnapshotFiles {
    /// Returns the file at `path`. Needs its content; see [`SnapshotFiles::contains`].
    pub fn get(&self, path: &str) -> Option<&Arc<FileEntry>> {
        if let Some(unread) = &self.unread
            && let Some(entry) = unread.get(path)
        {
            unread.need(Need::Within(entry.path.clone()));
            return Some(entry);
        }
        self.known.get(path)
    }

    /// Whether there is a file at `path`.
    pub fn contains(&self, path: &str) -> bool {
        self.known.get(path).is_some()
            || self.unread.as_ref().is_some_and(|unread| unread.get(path).is_some())
    }

    /// Iterates over all files, and needs the content of all; over none while one is unread, since what comes of it
    /// is discarded.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<FileEntry>> {
        self.need_everything();
        let is_known = !self.lacks_something();
        self.known.iter().take_while(move |_| is_known)
    }

    /// Iterates over the file at `path` if it is one, else every file beneath the directory `path`; needs the
    /// content of all of them.
    pub fn within<'a>(&'a self, path: &RelPath) -> impl Iterator<Item = &'a Arc<FileEntry>> + use<'a> {
        self.need(Need::Within(path.clone()));
        self.known.within(path)
    }

    /// Iterates over the files that may hold the words, and others; needs the content of those that hold them.
    pub fn with_words(&self, words: NeededWords) -> impl Iterator<Item = &Arc<FileEntry>> {
        self.with_any_words([words])
    }

    /// Iterates over the files that may hold all words of one of `any`, and others; needs the content of those that
    /// hold them.
    pub fn with_any_words(
        &self,
        any: impl IntoIterator<Item = NeededWords>,
    ) -> impl Iterator<Item = &Arc<FileEntry>> {
        self.need_any_words(any);
        self.known_within(&RelPath::root())
    }

    /// Needs the content of the files that hold all words of one of `any`, without reading it.
    pub fn need_any_words(&self, any: impl IntoIterator<Item = NeededWords>) {
        for words in any {
            self.need(if words.is_empty() { Need::Everything } else { Need::Words(words, RelPath::root()) });
        }
    }

    /// Needs the content of every file, without reading it.
    pub fn need_everything(&self) {
        self.need(Need::Everything);
    }

    /// Returns the file at `path` if its content is known; needs nothing.
    pub fn known(&self, path: &str) -> Option<&Arc<FileEntry>> {
        self.known.get(path).filter(|file| !self.is_unread(&file.path))
    }

    /// Iterates over the files at or beneath `path` that are known; needs no content.
    pub fn known_within<'a>(&'a self, path: &RelPath) -> impl Iterator<Item = &'a Arc<FileEntry>> + use<'a> {
        let path_of_unread = path.clone();
        let unread = self.unread.iter().flat_map(move |unread| unread.within(&path_of_unread));
        let mut unread = unread.peekable();
        // Both are in path order.
        self.known.within(path).filter(move |file| {
            while unread.next_if(|one| one.path < file.path).is_some() {}
            unread.peek().is_none_or(|one| one.path != file.path)
        })
    }

    /// Iterates over the paths of all files at or beneath `path`.
    pub fn paths_within<'a>(&'a self, path: &RelPath) -> impl Iterator<Item = &'a RelPath> + use<'a> {
        let mut known = self.known.within(path).map(|file| &file.path).peekable();
        let mut unread = self.unread.iter().flat_map({
            let path = path.clone();
            move |unread| unread.within(&path).map(|file| &file.path)
        });
        let mut next_unread = unread.next();
        std::iter::from_fn(move || {
            let Some(first) = next_unread else { return known.next() };
            match known.next_if(|path| *path <= first) {
                // A file that is known as it was before, and unread as it is now.
                Some(path) if path == first => next_unread = unread.next(),
                Some(path) => return Some(path),
                None => next_unread = unread.next(),
            }
            Some(first)
        })
    }

    /// Iterates over the files that differ from those of an earlier snapshot, in path order; the content of both is known.
    pub fn changes_since<'a>(&'a self, before: &'a SnapshotFiles) -> impl Iterator<Item = EntryChange<'a>> {
        self.known.changes_since(&before.known)
    }

    /// Returns the number of all files.
    pub fn count(&self) -> usize {
        match &self.unread {
            None => self.known.len(),
            Some(_) => self.paths_within(&RelPath::root()).count(),
        }
    }

    /// Whether the content of all files is known.
    pub fn is_complete(&self) -> bool {
        self.unread.is_none()
    }

    /// Whether something was needed that is not known: what was found so far is to be discarded.
    pub fn lacks_something(&self) -> bool {
        self.unread.as_ref().is_some_and(|unread| unread.lacks_something())
    }

    /// Returns the unread files, if any.
    pub fn unread(&self) -> Option<&Arc<UnreadFiles>> {
        self.unread.as_ref()
    }

    pub(super) fn is_unread(&self, path: &RelPath) -> bool {
        self.unread.as_ref().is_some_and(|unread| unread.get(path.as_str()).is_some())
    }

    pub(super) fn need(&self, need: Need) {
        if let Some(unread) = &self.unread {
            unread.need(need);
        }
    }
}
