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

/// The entries of files as they were, in path order.
#[derive(Debug)]
pub struct StoredEntries(Vec<StoredEntry>);

/// The entry of a file as it was.
#[derive(Clone, Debug)]
pub struct StoredEntry {
    pub entry: Arc<FileEntry>,
    /// The number that the file has in the table, if it has rows.
    pub(super) in_table: Option<u32>,
}

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

    /// Returns the entry of the file at `path`; it is as the file is if its state is the same. `near` is a place among the entries, the
    /// nearer to that of the file the better, and becomes that place.
    pub fn find(&self, path: &RelPath, near: &mut usize) -> Option<&StoredEntry> {
        let at = self.place(path, *near);
        *near = at;
        self.0.get(at).filter(|stored| stored.entry.path == *path)
    }

    /// Returns the number of entries before `path`. Looks near a place first, then twice as far each time.
    fn place(&self, path: &RelPath, near: usize) -> usize {
        let is_before = |stored: &StoredEntry| stored.entry.path < *path;
        let (below, above) = self.0.split_at(near.min(self.0.len()));
        let mut reach = 1;
        if above.first().is_some_and(is_before) {
            while above.get(reach).is_some_and(is_before) {
                reach *= 2;
            }
            let (start, end) = (reach / 2, reach.min(above.len()));
            below.len() + start + above[start..end].partition_point(is_before)
        } else {
            while reach <= below.len() && !is_before(&below[below.len() - reach]) {
                reach *= 2;
            }
            let (start, end) = (below.len().saturating_sub(reach), below.len() - reach / 2);
            start + below[start..end].partition_point(is_before)
        }
    }
}
