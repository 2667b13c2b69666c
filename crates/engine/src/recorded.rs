//! Files that the last daemon knew: one whose state is unchanged gets the entry that it had, without being read. Invariant:
//! each such file is read and hashed later ([`crate::verification`]).

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tokio::sync::mpsc;

use super::event::Event;
use super::run::send;
use symd_index::stored_index::{self, StoredEntries, StoredExtent, StoredIndex};
use symd_index::{FileEntry, OutlineReader, Snapshot};
use symd_sys::clock::ClockReading;

/// Reads the clocks: the machine's, or those of a test.
pub(super) type Clock = fn() -> ClockReading;

/// The index that the last daemon stored, and where that of this one is.
#[derive(Debug)]
pub(super) struct RecordedFiles {
    path: PathBuf,
    /// The file system of the project's root. Files on others are read.
    device: u64,
    clock: Clock,
    reader: Arc<dyn OutlineReader>,
    /// Gets the name table before any scan can tell that a file of it is unchanged.
    events: OnceLock<mpsc::WeakSender<Event>>,
    /// Read when the first file is scanned, and kept until all files are known.
    entries: OnceLock<Mutex<Option<StoredEntries>>>,
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
        let (events, entries) = (OnceLock::new(), OnceLock::new());
        let (lacks_files, has_failed) = (AtomicBool::new(false), AtomicBool::new(false));
        RecordedFiles { path, device, clock, reader, events, entries, lacks_files, has_failed }
    }

    /// Sets the channel that gets the stored name table.
    pub(super) fn tell(&self, events: mpsc::WeakSender<Event>) {
        let _ = self.events.set(events);
    }

    pub(super) fn entries(&self) -> Option<StoredEntries> {
        let read = || Mutex::new(self.read());
        self.entries.get_or_init(read).lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn read(&self) -> Option<StoredEntries> {
        let events = self.events.get()?;
        let StoredIndex { entries, table } = StoredIndex::read(&self.path, &self.now(), &self.reader)?;
        send(events, Event::Recorded(table));
        Some(entries)
    }

    /// Drops the entries: all files are known.
    pub(super) fn forget(&self) {
        *self.entries.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner) = None;
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
