//! The index of one project as a daemon stored it: the states of its files, what is known of their outlines without reading these, and a
//! name table over all of them. A restart takes from it what has not changed, and reads no outline. Invariants: an entry is used only if an
//! unchanged state says that the bytes are unchanged; a file that is damaged, foreign or of another version is as none, and what of it is
//! damaged later is as lost.
//!
//! ```text
//! magic 8 | version u32 | length of the directory u32 | where it begins u64 | its checksum 16 | groups | table | lists | directory
//! group: records | imports | filters of words, each of up to 2,048 files
//! record: path length u16 | path | size, mtime, ctime, inode, device, links 6 × 8 | content hash 16 | fingerprint u64
//!         | rows u32 | end of its imports u32 | end of its filter u32 | flags u8 (1 errors, 2 hidden types)
//! table: names, each with a line feed | where they begin, and their length: u32 each | the same of their lists | checksums of the lists u32
//! directory: wall i64 | since start i64 | start u128 | groups u32 | what each has | what the table has
//! what a group has: records u32 | bytes of records, imports and filters 3 × u32 | their checksums 3 × 16
//! what the table has: names u32 | bytes of names and of lists 2 × u32 | rows u64 | checksums of table and lists 2 × 16
//! ```
//! Numbers are little endian; records ascend by path. Files of the table are those with rows, numbered in the order of the records. There is
//! no mark of the languages: each record has the fingerprint of what made its outline. A restart reads records and table whole; imports,
//! filters and long lists stay on disk.

mod format;
#[allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "it is for tests")]
pub mod properties;
mod read;
mod write;

use std::sync::Arc;

use super::file::FileEntry;
use super::segment::Segment;
use symd_base::RelPath;

pub use write::{StoredExtent, write};

/// What a daemon had stored of an index.
#[derive(Debug)]
pub struct StoredIndex {
    pub entries: StoredEntries,
    pub table: StoredTable,
}

/// The entries of files as they were, in path order. Cheap to clone.
#[derive(Clone, Debug)]
pub struct StoredEntries(Arc<[Arc<FileEntry>]>);

/// A name table over the files that have rows.
#[derive(Debug)]
pub struct StoredTable {
    pub(super) segment: Segment,
    pub(super) files: Arc<[Arc<FileEntry>]>,
}

impl StoredEntries {
    /// Returns the number of files.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the entry of the file at `path`; it is as the file is if its state is the same.
    pub fn get(&self, path: &RelPath) -> Option<&Arc<FileEntry>> {
        self.0.binary_search_by(|entry| entry.path.cmp(path)).ok().map(|at| &self.0[at])
    }
}
