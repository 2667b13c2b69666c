//! A name table over many files: every distinct name once in a flat arena, and for each name the rows that
//! have it. Immutable: changed files are marked dead by the snapshot that holds the segment, and dropped when
//! the engine builds the next one. Invariant: postings of one name ascend by file, then row; files ascend by
//! path.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use memchr::memmem;

use super::file::FileEntry;

/// One row of one file of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Posting {
    /// Number of the file in [`Segment::files`].
    pub(super) file: u32,
    /// Row number in its outline.
    pub(super) row: u32,
}

/// Map from names to rows, over a fixed set of files.
#[derive(Debug)]
pub struct Segment {
    pub(super) files: Box<[Arc<FileEntry>]>,
    /// The distinct names, each terminated by a line feed (which no name contains).
    arena: Box<[u8]>,
    /// The offset of each name in the arena, and the arena's length as the last element.
    name_starts: Box<[u32]>,
    /// Open addressing: name number plus one, 0 for empty. A power of two, at most half full.
    table: Box<[u32]>,
    /// The index of each name's first posting, and the number of postings as the last element.
    posting_starts: Box<[u32]>,
    postings: Box<[Posting]>,
}

type Hasher = BuildHasherDefault<DefaultHasher>;

impl Segment {
    /// Builds the table over `files`, which must be in path order.
    pub fn build(files: Vec<Arc<FileEntry>>) -> Segment {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut arena = Vec::new();
        let mut name_starts = vec![0];
        let mut counts: Vec<u32> = Vec::new();
        let mut row_names: Vec<u32> = Vec::new();
        for file in &files {
            let Some(outline) = file.outline() else { continue };
            for row in &outline.rows {
                let name = outline.name(row);
                let number = *numbers.entry(name).or_insert_with(|| {
                    arena.extend_from_slice(name.as_bytes());
                    arena.push(b'\n');
                    name_starts.push(offset(arena.len()));
                    counts.push(0);
                    offset(counts.len() - 1)
                });
                counts[number as usize] += 1;
                row_names.push(number);
            }
        }
        let table = hash_table(&numbers);
        let (posting_starts, postings) = postings(&files, &counts, &row_names);
        drop(numbers);
        Segment {
            files: files.into(),
            arena: arena.into(),
            name_starts: name_starts.into(),
            table,
            posting_starts,
            postings,
        }
    }

    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    /// Returns the number of rows, including dead ones.
    pub fn row_count(&self) -> usize {
        self.postings.len()
    }

    /// Returns the bytes that this table takes besides the names: the cost of its symbols in addition to
    /// their rows.
    pub fn table_bytes(&self) -> usize {
        (self.name_starts.len() + self.table.len() + self.posting_starts.len()) * 4 + self.postings.len() * 8
    }

    /// Returns how many bytes of memory it takes, without its files.
    pub(super) fn memory(&self) -> usize {
        self.table_bytes() + self.arena.len() + size_of_val(&*self.files)
    }

    /// Returns the number of the file at `path`, if the segment contains it.
    pub(super) fn file_number(&self, path: &str) -> Option<usize> {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()
    }

    /// Returns the rows named exactly `name`.
    pub(super) fn exact(&self, name: &str) -> &[Posting] {
        let mask = self.table.len() - 1;
        let mut slot = slot_of(name, mask);
        loop {
            match self.table[slot].checked_sub(1) {
                None => return &[],
                Some(number) if self.name(number) == name.as_bytes() => return self.postings_of(number),
                Some(_) => slot = (slot + 1) & mask,
            }
        }
    }

    /// Iterates over the rows whose name contains `part`, one slice per name. `part` must not be empty.
    pub(super) fn containing<'a>(&'a self, part: &'a str) -> impl Iterator<Item = &'a [Posting]> {
        let finder = memmem::Finder::new(part.as_bytes());
        let mut at = 0;
        std::iter::from_fn(move || {
            let found = at + finder.find(&self.arena[at..])?;
            let number = self.name_starts.partition_point(|&start| start as usize <= found) - 1;
            at = self.name_starts[number + 1] as usize;
            Some(self.postings_of(offset(number)))
        })
    }

    /// Returns the rows of all names.
    pub(super) fn all_postings(&self) -> &[Posting] {
        &self.postings
    }

    /// Iterates over the distinct names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.name_starts.windows(2).map(|ends| {
            std::str::from_utf8(&self.arena[ends[0] as usize..ends[1] as usize - 1]).unwrap_or("")
        })
    }

    fn name(&self, number: u32) -> &[u8] {
        let number = number as usize;
        &self.arena[self.name_starts[number] as usize..self.name_starts[number + 1] as usize - 1]
    }

    fn postings_of(&self, number: u32) -> &[Posting] {
        let number = number as usize;
        &self.postings[self.posting_starts[number] as usize..self.posting_starts[number + 1] as usize]
    }
}

fn slot_of(name: &str, mask: usize) -> usize {
    // Only 32-bit systems drop the upper half of the 64-bit hash; the lower half is enough for a slot.
    #[allow(clippy::cast_possible_truncation)]
    let hash = Hasher::default().hash_one(name) as usize;
    hash & mask
}

fn hash_table(numbers: &HashMap<&str, u32>) -> Box<[u32]> {
    let size = (numbers.len() * 2).next_power_of_two().max(2);
    let mut table = vec![0; size].into_boxed_slice();
    for (name, number) in numbers {
        let mut slot = slot_of(name, size - 1);
        while table[slot] != 0 {
            slot = (slot + 1) & (size - 1);
        }
        table[slot] = number + 1;
    }
    table
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
