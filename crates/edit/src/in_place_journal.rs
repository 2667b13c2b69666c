//! The location of a small edit's journal: a permanent file that is overwritten in place, so that syncing it
//! changes no name and no length, which takes a quarter of the time of a new file. Invariant: its content is
//! validated by its hashes or counts as absent; a partially written journal is never accepted.

use std::path::{Path, PathBuf};

use symd_base::state::{StateError, durable};

/// Size of the file in bytes. A longer journal gets a file of its own.
const BYTES: usize = 64 << 10;

/// Bytes that no journal begins with.
pub(super) const ERASED: [u8; 8] = [0; 8];

#[derive(Debug)]
pub(super) struct InPlaceJournal {
    path: PathBuf,
}

impl InPlaceJournal {
    pub(super) fn new(directory: &Path) -> InPlaceJournal {
        InPlaceJournal { path: directory.join("slot") }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Reports whether a journal of these parts fits.
    pub(super) fn has_room(parts: &[&[u8]]) -> bool {
        parts.iter().map(|part| part.len()).sum::<usize>() <= BYTES
    }

    /// Replaces the stored journal, and waits for the disk.
    pub(super) fn write(&self, parts: &[&[u8]]) -> Result<(), StateError> {
        durable::overwrite(&self.path, &parts.concat(), BYTES)
    }

    /// Erases the journal without waiting for the disk: one that reappears after a crash is found settled, or
    /// put back once more.
    pub(super) fn clear(&self) -> Result<(), StateError> {
        durable::patch(&self.path, &ERASED)
    }
}
