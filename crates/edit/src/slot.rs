//! Where the journal of a small edit lies: a file that is there all the time and is written in place, so that bringing it
//! to the disk changes no name and no length, which takes a quarter of the time of a new file. Invariant: what it holds
//! proves itself, or is nothing; what was cut short while it was written is no journal.

use std::path::{Path, PathBuf};

use symd_base::state::{StateError, durable};

/// Bytes of the file. A longer journal gets a file of its own.
const BYTES: usize = 64 << 10;

/// What a journal never begins with.
pub(super) const NOTHING: [u8; 8] = [0; 8];

#[derive(Debug)]
pub(super) struct Slot {
    path: PathBuf,
}

impl Slot {
    pub(super) fn new(directory: &Path) -> Slot {
        Slot { path: directory.join("slot") }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a journal of these parts has room here.
    pub(super) fn has_room(parts: &[&[u8]]) -> bool {
        parts.iter().map(|part| part.len()).sum::<usize>() <= BYTES
    }

    /// Writes a journal in the place of the one that was here, and waits for the disk.
    pub(super) fn write(&self, parts: &[&[u8]]) -> Result<(), StateError> {
        durable::overwrite(&self.path, &parts.concat(), BYTES)
    }

    /// Forgets the journal. Not waited for: one that comes back after a crash is found settled, or put back once more.
    pub(super) fn clear(&self) -> Result<(), StateError> {
        durable::patch(&self.path, &NOTHING)
    }
}
