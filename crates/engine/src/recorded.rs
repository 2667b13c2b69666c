//! Files that the last daemon knew: one whose state is unchanged gets the outline that it had, without being read. Invariant:
//! each such file is read and hashed later ([`crate::verification`]).

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use symd_index::cache::{FileRecord, FileRecords};
use symd_index::{Content, FileEntry, Origin};
use symd_sys::clock::ClockReading;

/// Reads the clocks: the machine's, or those of a test.
pub(super) type Clock = fn() -> ClockReading;

/// The records of the last daemon, and where those of this one are written.
#[derive(Debug)]
pub(super) struct RecordedFiles {
    path: PathBuf,
    /// The file system of the project's root. Files on others are read.
    device: u64,
    clock: Clock,
    /// Read when the first file is scanned, and kept until all files are known.
    records: OnceLock<Mutex<Option<Arc<FileRecords>>>>,
    /// Whether it was logged that they cannot be written.
    has_failed: AtomicBool,
}

impl RecordedFiles {
    /// The records at `path`, of files on `device`.
    pub(super) fn new(path: PathBuf, device: u64, clock: Clock) -> RecordedFiles {
        RecordedFiles { path, device, clock, records: OnceLock::new(), has_failed: AtomicBool::new(false) }
    }

    pub(super) fn records(&self) -> Option<Arc<FileRecords>> {
        let read = || Mutex::new(FileRecords::read(&self.path, &(self.clock)()).map(Arc::new));
        self.records.get_or_init(read).lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Drops the records: all files are known.
    pub(super) fn forget(&self) {
        *self.records.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(super) fn now(&self) -> ClockReading {
        (self.clock)()
    }

    /// Writes the states of `files`, as they were at `now`. Without them the next start reads all files.
    pub(super) fn write<'f>(&self, now: &ClockReading, files: impl Iterator<Item = &'f Arc<FileEntry>>) {
        let record = |file: &'f Arc<FileEntry>| match &file.content {
            Content::Code { origin: Origin::Grammar(_), stat, .. } if stat.device == self.device => {
                Some(FileRecord { path: file.path.clone(), stat: *stat, key: file.key()? })
            }
            _ => None,
        };
        let Err(error) = FileRecords::write(&self.path, now, files.filter_map(record)) else { return };
        if !self.has_failed.swap(true, Ordering::Relaxed) {
            tracing::warn!(%error, "cannot write the files' states; the next start reads all files");
        }
    }
}
