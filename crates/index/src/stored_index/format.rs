//! The parts of a stored index as bytes. Invariant: what is decoded is what was encoded, or nothing.

use crate::cache::Key;
use crate::fields::Fields;
use crate::outline_summaries::KnownOutline;
use symd_base::{ContentHash, RelPath};
use symd_sys::clock::ClockReading;
use symd_vfs::Stat;

pub(super) const MAGIC: &[u8; 8] = b"symdindx";
/// Incremented when this layout changes, or what its parts mean: filters of words, packed imports, hashes of names.
pub(super) const VERSION: u32 = 1;
pub(super) const HEADER: usize = 40;
/// Files of a group.
pub(super) const GROUP: usize = 2048;
const HAS_ERRORS: u8 = 1;
const HIDES_TYPES: u8 = 2;

/// The state of a file, and what is known of its outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileRecord {
    pub(super) path: RelPath,
    pub(super) stat: Stat,
    pub(super) known: KnownOutline,
}

/// How many bytes a part has, and their hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IndexPart {
    pub(super) length: u32,
    pub(super) hash: ContentHash,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileGroup {
    pub(super) files: u32,
    pub(super) records: IndexPart,
    pub(super) imports: IndexPart,
    pub(super) words: IndexPart,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TableParts {
    pub(super) names: u32,
    /// Bytes of the names, each with its line feed.
    pub(super) arena: u32,
    pub(super) rows: u64,
    /// Everything but the lists of rows.
    pub(super) head: IndexPart,
    pub(super) lists: IndexPart,
}

/// Where everything is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct IndexDirectory {
    pub(super) made: ClockReading,
    pub(super) groups: Vec<FileGroup>,
    pub(super) table: TableParts,
}

impl IndexPart {
    /// Returns the part of these bytes; `None` if they are too many.
    pub(super) fn of(bytes: &[u8]) -> Option<IndexPart> {
        Some(IndexPart { length: u32::try_from(bytes.len()).ok()?, hash: ContentHash::of(bytes) })
    }

    fn push(self, bytes: &mut Vec<u8>) {
        bytes.extend(self.length.to_le_bytes());
        bytes.extend(self.hash.0);
    }
}

impl Fields<'_> {
    fn part(&mut self) -> Option<IndexPart> {
        Some(IndexPart { length: self.u32()?, hash: self.hash()? })
    }

    /// Takes a record; `None` also if its path is not written as paths are.
    pub(super) fn record(&mut self) -> Option<FileRecord> {
        let length = usize::from(self.u16()?);
        let text = std::str::from_utf8(self.take(length)?).ok()?;
        let path = RelPath::new(text).ok().filter(|path| path.as_str() == text)?;
        let stat = Stat {
            size: self.u64()?,
            mtime: self.i64()?,
            ctime: self.i64()?,
            inode: self.u64()?,
            device: self.u64()?,
            links: self.u64()?,
        };
        let key = Key { content: self.hash()?, fingerprint: self.u64()? };
        let (rows, imports_end, words_end) = (self.u32()?, self.u32()?, self.u32()?);
        let [flags] = self.array()?;
        let (has_errors, hides_types) = (flags & HAS_ERRORS != 0, flags & HIDES_TYPES != 0);
        let known = KnownOutline { key, rows, imports_end, words_end, has_errors, hides_types };
        (flags <= HAS_ERRORS | HIDES_TYPES).then_some(FileRecord { path, stat, known })
    }

    /// Takes a directory, which is all that is left.
    pub(super) fn directory(mut self) -> Option<IndexDirectory> {
        let made = ClockReading {
            wall: self.i64()?,
            since_start: self.i64()?,
            start: self.array().map(u128::from_le_bytes)?,
        };
        // The count is not trusted for memory: each group takes bytes.
        let mut groups = Vec::new();
        for _ in 0..self.u32()? {
            let (files, records) = (self.u32()?, self.part()?);
            groups.push(FileGroup { files, records, imports: self.part()?, words: self.part()? });
        }
        let (names, arena, rows) = (self.u32()?, self.u32()?, self.u64()?);
        let table = TableParts { names, arena, rows, head: self.part()?, lists: self.part()? };
        self.0.is_empty().then_some(IndexDirectory { made, groups, table })
    }
}

/// Appends a record; the path must be shorter than 65,536 bytes.
pub(super) fn push_record(bytes: &mut Vec<u8>, path: &RelPath, stat: &Stat, known: &KnownOutline) {
    bytes.extend(u16::try_from(path.as_str().len()).unwrap_or(u16::MAX).to_le_bytes());
    bytes.extend(path.as_str().as_bytes());
    bytes.extend(stat.size.to_le_bytes());
    bytes.extend(stat.mtime.to_le_bytes());
    bytes.extend(stat.ctime.to_le_bytes());
    bytes.extend(stat.inode.to_le_bytes());
    bytes.extend(stat.device.to_le_bytes());
    bytes.extend(stat.links.to_le_bytes());
    bytes.extend(known.key.content.0);
    bytes.extend(known.key.fingerprint.to_le_bytes());
    bytes.extend([known.rows, known.imports_end, known.words_end].map(u32::to_le_bytes).as_flattened());
    bytes.push(
        if known.has_errors { HAS_ERRORS } else { 0 } | if known.hides_types { HIDES_TYPES } else { 0 },
    );
}

impl IndexDirectory {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(self.made.wall.to_le_bytes());
        bytes.extend(self.made.since_start.to_le_bytes());
        bytes.extend(self.made.start.to_le_bytes());
        bytes.extend(u32::try_from(self.groups.len()).unwrap_or(u32::MAX).to_le_bytes());
        for group in &self.groups {
            bytes.extend(group.files.to_le_bytes());
            [group.records, group.imports, group.words].into_iter().for_each(|part| part.push(&mut bytes));
        }
        bytes.extend(self.table.names.to_le_bytes());
        bytes.extend(self.table.arena.to_le_bytes());
        bytes.extend(self.table.rows.to_le_bytes());
        self.table.head.push(&mut bytes);
        self.table.lists.push(&mut bytes);
        bytes
    }
}

/// Returns the header of a file with this directory.
pub(super) fn header(directory: &[u8], offset: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER);
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(u32::try_from(directory.len()).unwrap_or(u32::MAX).to_le_bytes());
    bytes.extend(offset.to_le_bytes());
    bytes.extend(ContentHash::of(directory).0);
    bytes
}
