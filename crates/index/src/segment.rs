//! A name table over many files: every distinct name once in a flat arena, and for each name the rows that
//! have it. Immutable: changed files are marked dead by the snapshot that holds the segment, and dropped when
//! the engine builds the next one. Invariant: postings of one name ascend by file, then row; files ascend by
//! path.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use memchr::memmem;

use super::file::FileEntry;

/// One row of one file of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Posting {
    /// Number of the file, in path order.
    pub(super) file: u32,
    /// Row number in its outline.
    pub(super) row: u32,
}

/// Map from names to rows, over a fixed set of files.
#[derive(Debug)]
pub(super) struct Segment {
    names: NameTable,
    /// The index of each name's first posting, and the number of postings as the last element.
    posting_starts: Box<[u32]>,
    postings: Box<[Posting]>,
}

/// A segment with its files.
#[derive(Debug)]
pub(super) struct SegmentOverFiles {
    pub(super) segment: Segment,
    pub(super) files: Arc<[Arc<FileEntry>]>,
    /// Files that it was to contain and whose outline could not be read.
    pub(super) unreadable: Vec<Arc<FileEntry>>,
}

/// Distinct names, numbered as they come.
#[derive(Debug)]
struct NameTable {
    /// The names, each terminated by a line feed (which no name contains).
    arena: Vec<u8>,
    /// The offset of each name in the arena, and the arena's length as the last element.
    starts: Vec<u32>,
    /// Open addressing: name number plus one, 0 for empty. A power of two, at most half full.
    slots: Box<[u32]>,
}

type Hasher = BuildHasherDefault<DefaultHasher>;

impl NameTable {
    fn new() -> NameTable {
        NameTable { arena: Vec::new(), starts: vec![0], slots: vec![0; 2].into() }
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn find(&self, name: &str) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = slot_of(name.as_bytes(), mask);
        loop {
            match self.slots[slot].checked_sub(1) {
                None => return Err(slot),
                Some(number) if self.name(number) == name.as_bytes() => return Ok(number),
                Some(_) => slot = (slot + 1) & mask,
            }
        }
    }

    /// Returns the number of `name`, which is added if it is new.
    fn number(&mut self, name: &str) -> u32 {
        let slot = match self.find(name) {
            Ok(number) => return number,
            Err(slot) => slot,
        };
        self.arena.extend_from_slice(name.as_bytes());
        self.arena.push(b'\n');
        self.starts.push(offset(self.arena.len()));
        self.slots[slot] = offset(self.len());
        if self.len() * 2 > self.slots.len() {
            self.grow();
        }
        offset(self.len() - 1)
    }

    fn grow(&mut self) {
        let mut slots = vec![0; self.slots.len() * 2].into_boxed_slice();
        let mask = slots.len() - 1;
        for number in 0..offset(self.len()) {
            let mut slot = slot_of(self.name(number), mask);
            while slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            slots[slot] = number + 1;
        }
        self.slots = slots;
    }

    fn name(&self, number: u32) -> &[u8] {
        let number = number as usize;
        &self.arena[self.starts[number] as usize..self.starts[number + 1] as usize - 1]
    }

    fn shrink(&mut self) {
        self.arena.shrink_to_fit();
        self.starts.shrink_to_fit();
    }
}

impl Segment {
    /// Builds the table over `files`, which must be in path order. Outlines are read one at a time, and not kept.
    pub(super) fn build(files: Vec<Arc<FileEntry>>) -> SegmentOverFiles {
        let mut names = NameTable::new();
        let mut counts: Vec<u32> = Vec::new();
        let mut row_names: Vec<u32> = Vec::with_capacity(files.iter().map(|file| file.symbol_count()).sum());
        let (mut known, mut unreadable) = (Vec::with_capacity(files.len()), Vec::new());
        for file in files {
            let Some(outline) = file.outline_once() else {
                unreadable.push(file);
                continue;
            };
            for row in &outline.rows {
                let number = names.number(outline.name(row));
                counts.resize(names.len(), 0);
                counts[number as usize] += 1;
                row_names.push(number);
            }
            known.push(file);
        }
        names.shrink();
        let (posting_starts, postings) = postings(&known, &counts, &row_names);
        let segment = Segment { names, posting_starts, postings };
        SegmentOverFiles { segment, files: known.into(), unreadable }
    }

    /// Returns the number of rows, including dead ones.
    pub(super) fn row_count(&self) -> usize {
        self.postings.len()
    }

    /// Returns the bytes that this table takes besides the names: the cost of its symbols in addition to
    /// their rows.
    pub(super) fn table_bytes(&self) -> usize {
        let numbers = self.names.starts.len() + self.names.slots.len() + self.posting_starts.len();
        numbers * 4 + self.postings.len() * 8
    }

    /// Returns how many bytes of memory it takes.
    pub(super) fn memory(&self) -> usize {
        self.table_bytes() + self.names.arena.len()
    }

    /// Returns the rows named exactly `name`.
    pub(super) fn exact(&self, name: &str) -> &[Posting] {
        self.names.find(name).map_or(&[], |number| self.postings_of(number))
    }

    /// Iterates over the rows whose name contains `part`, one slice per name. `part` must not be empty.
    pub(super) fn containing<'a>(&'a self, part: &'a str) -> impl Iterator<Item = &'a [Posting]> {
        let finder = memmem::Finder::new(part.as_bytes());
        let (arena, starts) = (&self.names.arena, &self.names.starts);
        let mut at = 0;
        std::iter::from_fn(move || {
            let found = at + finder.find(&arena[at..])?;
            let number = starts.partition_point(|&start| start as usize <= found) - 1;
            at = starts[number + 1] as usize;
            Some(self.postings_of(offset(number)))
        })
    }

    /// Returns the rows of all names.
    pub(super) fn all_postings(&self) -> &[Posting] {
        &self.postings
    }

    /// Iterates over the distinct names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let numbers = 0..offset(self.names.len());
        numbers.map(|number| std::str::from_utf8(self.names.name(number)).unwrap_or(""))
    }

    fn postings_of(&self, number: u32) -> &[Posting] {
        let number = number as usize;
        &self.postings[self.posting_starts[number] as usize..self.posting_starts[number + 1] as usize]
    }
}

fn slot_of(name: &[u8], mask: usize) -> usize {
    // Only 32-bit systems drop the upper half of the 64-bit hash; the lower half is enough for a slot.
    #[allow(clippy::cast_possible_truncation)]
    let hash = Hasher::default().hash_one(name) as usize;
    hash & mask
}

/// Sorts the rows by name number with a counting sort, so that they stay in file and row order within a name.
fn postings(files: &[Arc<FileEntry>], counts: &[u32], row_names: &[u32]) -> (Box<[u32]>, Box<[Posting]>) {
    let mut starts = Vec::with_capacity(counts.len() + 1);
    let mut total = 0;
    starts.push(0);
    for count in counts {
        total += count;
        starts.push(total);
    }
    let mut next = starts.clone();
    let mut postings = vec![Posting { file: 0, row: 0 }; row_names.len()];
    let mut names = row_names.iter();
    for (file_number, file) in files.iter().enumerate() {
        for (row, number) in (0..file.symbol_count()).zip(&mut names) {
            let slot = &mut next[*number as usize];
            postings[*slot as usize] = Posting { file: offset(file_number), row: offset(row) };
            *slot += 1;
        }
    }
    (starts.into(), postings.into())
}

/// Converts a count or offset inside one segment. The engine never builds a segment with 4 billion rows or
/// name bytes.
fn offset(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
