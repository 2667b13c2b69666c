//! The head of the journal of the edit under way, once more: in the lock file, which is open anyhow. A journal that is
//! damaged after a crash is read with its help: which files the edit was about, and which of the old bytes are still whole.
//! Not waited for: what a process leaves behind when it is killed is all there, and a machine that loses its power while the
//! journal itself is written has changed no file yet. Invariant: what is here proves itself, or is nothing.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use super::entry::Head;
use super::slot::NOTHING;
use symd_base::state::{StateError, durable};

/// Where it begins, behind what [`super::ledger`] keeps there.
const OFFSET: u64 = 64;

#[derive(Debug)]
pub(super) struct SecondHead {
    path: PathBuf,
}

/// What lies where a journal or its head may lie.
#[derive(Debug)]
pub(super) enum Lying<T> {
    /// A whole one.
    Whole(T),
    /// None.
    Nothing,
    /// One that is cut short or damaged.
    Damaged,
}

impl SecondHead {
    /// In the lock file at `path`.
    pub(super) fn new(path: PathBuf) -> SecondHead {
        SecondHead { path }
    }

    /// Writes `head` into the lock file, which the caller holds.
    pub(super) fn write(&self, lock: &File, head: &[u8]) -> Result<(), StateError> {
        lock.write_all_at(head, OFFSET).map_err(|source| self.failed("cannot write", source))
    }

    /// Forgets it.
    pub(super) fn clear(&self) -> Result<(), StateError> {
        durable::patch_at(&self.path, &NOTHING, OFFSET)
    }

    pub(super) fn read(&self) -> Result<Lying<Head>, StateError> {
        let Some(file) = durable::open(&self.path)? else { return Ok(Lying::Nothing) };
        match Head::read(std::io::BufReader::new(Behind { file: &file, at: OFFSET })) {
            Ok(Some(head)) => Ok(Lying::Whole(head)),
            Ok(None) if is_nothing(&file, OFFSET) => Ok(Lying::Nothing),
            Ok(None) => Ok(Lying::Damaged),
            // Another version's is of no use here.
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => Ok(Lying::Damaged),
            Err(error) => Err(self.failed("cannot read", error)),
        }
    }

    fn failed(&self, what: &'static str, source: std::io::Error) -> StateError {
        StateError::Io { what, path: self.path.clone(), source }
    }
}

/// Whether nothing was written at `at`, or what was written is forgotten.
pub(super) fn is_nothing(file: &File, at: u64) -> bool {
    let mut begin = NOTHING;
    matches!(file.read_at(&mut begin, at), Ok(read) if read == 0 || begin == NOTHING)
}

/// The bytes of a file from some place on.
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
