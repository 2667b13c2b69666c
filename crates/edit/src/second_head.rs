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
use super::slot::NOTHING;
use symd_base::state::{StateError, durable};

/// Offset of the head, after the data of [`super::ledger`].
const OFFSET: u64 = 64;

#[derive(Debug)]
pub(super) struct SecondHead {
    path: PathBuf,
}

/// The content found at the location of a journal or head.
#[derive(Debug)]
pub(super) enum Lying<T> {
    /// A complete one.
    Whole(T),
    Nothing,
    /// A truncated or damaged one.
    Damaged,
}

impl SecondHead {
    /// Returns the second head in the lock file at `path`.
    pub(super) fn new(path: PathBuf) -> SecondHead {
        SecondHead { path }
    }

    /// Writes `head` into the lock file, which the caller has locked.
    pub(super) fn write(&self, lock: &File, head: &[u8]) -> Result<(), StateError> {
        lock.write_all_at(head, OFFSET).map_err(|source| self.failed("cannot write", source))
    }

    pub(super) fn clear(&self) -> Result<(), StateError> {
        durable::patch_at(&self.path, &NOTHING, OFFSET)
    }

    pub(super) fn read(&self) -> Result<Lying<Head>, StateError> {
        let Some(file) = durable::open(&self.path)? else { return Ok(Lying::Nothing) };
        match Head::read(std::io::BufReader::new(Behind { file: &file, at: OFFSET })) {
            Ok(Some(head)) => Ok(Lying::Whole(head)),
            Ok(None) if is_nothing(&file, OFFSET) => Ok(Lying::Nothing),
            Ok(None) => Ok(Lying::Damaged),
            // The head of another version is of no use here.
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => Ok(Lying::Damaged),
            Err(error) => Err(self.failed("cannot read", error)),
        }
    }

    fn failed(&self, what: &'static str, source: std::io::Error) -> StateError {
        StateError::Io { what, path: self.path.clone(), source }
    }
}

/// Reports whether nothing was written at `at`, or the content was erased.
pub(super) fn is_nothing(file: &File, at: u64) -> bool {
    let mut begin = NOTHING;
    matches!(file.read_at(&mut begin, at), Ok(read) if read == 0 || begin == NOTHING)
}

/// Reader of a file from an offset on.
struct Behind<'f> {
    file: &'f File,
    at: u64,
}

impl Read for Behind<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let read = self.file.read_at(into, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}
