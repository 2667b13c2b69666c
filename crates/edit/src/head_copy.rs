//! A second copy of the head of the current journal, in the lock file, which is open anyway. It makes a
//! journal readable that was damaged in a crash: it names the files of the edit, and shows which old bytes
//! are still intact. Written without waiting for the disk: all writes of a killed process survive, and if the
//! machine loses power while the journal itself is written, no file has been changed yet. Invariant: its
//! content is validated by its hash or counts as absent.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use super::entry::Head;
use super::in_place_journal::ERASED;
use symd_base::state::{StateError, durable};

/// Offset of the head, after the data of [`super::lock_cache`].
const OFFSET: u64 = BEFORE as u64;

const BEFORE: usize = 64;

#[derive(Debug)]
pub(super) struct HeadCopy {
    path: PathBuf,
}

/// The content found at the location of a journal or head.
#[derive(Debug)]
pub(super) enum Stored<T> {
    /// A complete one.
    Intact(T),
    Absent,
    /// A truncated or damaged one.
    Damaged,
}

impl HeadCopy {
    /// Returns the second head in the lock file at `path`.
    pub(super) fn new(path: PathBuf) -> HeadCopy {
        HeadCopy { path }
    }

    /// Writes `head` into the lock file, which the caller has locked, and before it `record`, the data of the lock
    /// cache: both with one call.
    pub(super) fn write(&self, lock: &File, mut record: Vec<u8>, head: &[u8]) -> Result<(), StateError> {
        record.resize(BEFORE, 0);
        record.extend_from_slice(head);
        lock.write_all_at(&record, 0).map_err(|source| self.failed("cannot write", source))
    }

    pub(super) fn clear(&self) -> Result<(), StateError> {
        durable::patch_at(&self.path, &ERASED, OFFSET)
    }

    pub(super) fn read(&self) -> Result<Stored<Head>, StateError> {
        let Some(file) = durable::open(&self.path)? else { return Ok(Stored::Absent) };
        match Head::read(std::io::BufReader::new(ReaderAt { file: &file, at: OFFSET })) {
            Ok(Some(head)) => Ok(Stored::Intact(head)),
            Ok(None) if is_nothing(&file, OFFSET) => Ok(Stored::Absent),
            Ok(None) => Ok(Stored::Damaged),
            // The head of another version is of no use here.
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => Ok(Stored::Damaged),
            Err(error) => Err(self.failed("cannot read", error)),
        }
    }

    fn failed(&self, what: &'static str, source: std::io::Error) -> StateError {
        StateError::Io { what, path: self.path.clone(), source }
    }
}

/// Reports whether nothing was written at `at`, or the content was erased.
pub(super) fn is_nothing(file: &File, at: u64) -> bool {
    let mut begin = ERASED;
    matches!(file.read_at(&mut begin, at), Ok(read) if read == 0 || begin == ERASED)
}

/// Reader of a file from an offset on.
struct ReaderAt<'f> {
    file: &'f File,
    at: u64,
}

impl Read for ReaderAt<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let read = self.file.read_at(into, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}
