//! Files that the last daemon knew: one whose state is unchanged gets the entry that it had, without being read. Invariant:
//! each such file is read and hashed later ([`crate::verification`]).

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use symd_base::RelPath;
use symd_base::state;
use symd_index::stored_index::{self, StoredEntries, StoredEntry, StoredExtent, StoredIndex};
use symd_index::{FileEntry, OutlineReader, Snapshot};
use symd_sys::clock::ClockReading;
use symd_vfs::Stat;

/// Reads the clocks: the machine's, or those of a test.
pub(super) type Clock = fn() -> ClockReading;

/// The entries that the last daemon stored, until all files are known.
#[derive(Debug)]
pub(super) enum RecordedEntries {
    /// They are being read: no listing is handled before.
    Awaited,
    Read {
        entries: StoredEntries,
        /// Where the last one was found.
        near: usize,
    },
    /// There are none, or they are not needed any more.
    Nothing,
}

impl RecordedEntries {
    /// Returns the entry of the file at `path` if it was in this state.
    pub(super) fn find(&mut self, path: &RelPath, state: &Stat) -> Option<&StoredEntry> {
        let RecordedEntries::Read { entries, near } = self else { return None };
        entries.find(path, near).filter(|stored| stored.entry.stat().as_ref() == Some(state))
    }
}

/// The index that the last daemon stored, and where that of this one is.
#[derive(Debug)]
pub(super) struct RecordedFiles {
    path: PathBuf,
    /// The file system of the project's root. Files on others are read.
    device: u64,
    clock: Clock,
    reader: Arc<dyn OutlineReader>,
    /// Whether the stored index lacks files that changed just before.
    lacks_files: AtomicBool,
    /// Whether it was logged that the index cannot be stored.
    has_failed: AtomicBool,
}

impl RecordedFiles {
    /// The index at `path`, of files on `device`; `reader` finds outlines.
    pub(super) fn new(
        path: PathBuf,
        device: u64,
        clock: Clock,
        reader: Arc<dyn OutlineReader>,
    ) -> RecordedFiles {
        let (lacks_files, has_failed) = (AtomicBool::new(false), AtomicBool::new(false));
        RecordedFiles { path, device, clock, reader, lacks_files, has_failed }
    }

    /// Whether an index is stored, sound or not.
    pub(super) fn is_stored(&self) -> bool {
        state::open_private(&self.path).is_some()
    }

    /// Reads the stored index; an entry that `may_be_used` rejects matches no file ([`StoredIndex::read`]). Slow.
    pub(super) fn read(&self, may_be_used: impl Fn(&FileEntry) -> bool + Sync) -> Option<StoredIndex> {
        StoredIndex::read(&self.path, &self.now(), &self.reader, may_be_used)
    }

    pub(super) fn now(&self) -> ClockReading {
        (self.clock)()
    }

    /// Whether the stored index lacks files that may be stored by now.
    pub(super) fn lacks_files(&self) -> bool {
        self.lacks_files.load(Ordering::Relaxed)
    }

    /// Stores the index; the states of its files are as they were at `now`. Without that the next start reads all files.
    pub(super) fn store(
        &self,
        now: &ClockReading,
        snapshot: &Snapshot,
        is_cached: impl Fn(&FileEntry) -> bool,
    ) {
        let may_be_stored =
            |file: &FileEntry| file.stat().is_some_and(|stat| stat.device == self.device) && is_cached(file);
        let error = match stored_index::write(&self.path, now, snapshot, may_be_stored) {
            Ok(stored) => {
                let is_whole = matches!(stored, StoredExtent::Whole);
                return self.lacks_files.store(!is_whole, Ordering::Relaxed);
            }
            Err(error) => error,
        };
        if !self.has_failed.swap(true, Ordering::Relaxed) {
            tracing::warn!(%error, "cannot store the index; the next start reads all files");
        }
    }
}
