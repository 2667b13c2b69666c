//! A name table over many files: every distinct name once in a flat arena, and for each name the rows that
//! have it. Immutable: changed files are marked dead by the snapshot that holds the segment, and dropped when
//! the engine builds the next one. Invariant: postings of one name ascend by file, then row; files ascend by
//! path.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use memchr::memmem;

use super::file::FileEntry;
use super::postings::{PackedPostings, Posting, PostingList, PostingPacker, PostingReader};
use symd_base::state::UnnamedFile;

/// Map from names to rows, over a fixed set of files.
#[derive(Debug)]
pub(super) struct Segment {
    names: NameTable,
    postings: PackedPostings,
}

/// A segment with its files.
#[derive(Debug)]
pub(super) struct SegmentOverFiles {
    pub(super) segment: Segment,
    pub(super) files: Arc<[Arc<FileEntry>]>,
    /// Files that are not in it, since their outlines cannot be read.
    pub(super) unreadable: Vec<Arc<FileEntry>>,
}

/// A segment that is to be part of a larger one.
#[derive(Debug)]
pub(super) struct SegmentPart<'a> {
    pub(super) segment: &'a Segment,
    /// The number that each of its files gets there; `None` for those that are out of date.
    pub(super) numbers: Vec<Option<u32>>,
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

    /// Returns the table of names that were stored: one after the other in `arena`, each beginning at one of `starts`, and the arena's length
    /// last. `None` if these are not names.
    fn of_stored(arena: Vec<u8>, starts: Vec<u32>) -> Option<NameTable> {
        let ends = || starts.iter().skip(1).map(|&end| end as usize);
        let is_name = |(&start, end): (&u32, usize)| {
            let name = arena.get(start as usize..end).and_then(|line| line.strip_suffix(b"\n"));
            name.is_some_and(|name| {
                memchr::memchr(b'\n', name).is_none() && std::str::from_utf8(name).is_ok()
            })
        };
        let is_sound = starts.first() == Some(&0)
            && starts.last().is_some_and(|&last| last as usize == arena.len())
            && starts.iter().zip(ends()).all(is_name);
        if !is_sound {
            return None;
        }
        let slots = vec![0; (2 * starts.len()).next_power_of_two()].into();
        let mut names = NameTable { arena, starts, slots };
        names.fill_slots();
        Some(names)
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
        self.slots = vec![0; self.slots.len() * 2].into();
        self.fill_slots();
    }

    /// Gives each name a slot; all of them are empty.
    fn fill_slots(&mut self) {
        let mask = self.slots.len() - 1;
        for number in 0..offset(self.len()) {
            let mut slot = slot_of(self.name(number), mask);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = number + 1;
        }
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
    /// Builds the table over `files`, which must be in path order. Outlines are read one at a time, and not kept; a file whose outline
    /// cannot be read is left out.
    pub(super) fn build(files: Vec<Arc<FileEntry>>) -> SegmentOverFiles {
        let mut names = NameTable::new();
        let mut row_names: Vec<u32> = Vec::with_capacity(files.iter().map(|file| file.symbol_count()).sum());
        let (mut known, mut unreadable) = (Vec::with_capacity(files.len()), Vec::new());
        for file in files {
            let Some(outline) = file.outline_once() else {
                unreadable.push(file);
                continue;
            };
            row_names.extend(outline.rows.iter().map(|row| names.number(outline.name(row))));
            known.push(file);
        }
        names.shrink();
        let rows = known.iter().map(|file| file.symbol_count());
        let postings = PackedPostings::pack(names.len(), rows, &row_names);
        SegmentOverFiles { segment: Segment { names, postings }, files: known.into(), unreadable }
    }

    /// Returns one table of several, without the rows of files that are out of date; `None` if some rows are lost. Reads no outline.
    pub(super) fn merge(parts: &[SegmentPart<'_>]) -> Option<Segment> {
        let mut names = NameTable::new();
        // The part's number of each name of the merged table.
        let mut numbers_in: Vec<Vec<Option<u32>>> = vec![Vec::new(); parts.len()];
        for (part, numbers_in) in parts.iter().zip(&mut numbers_in) {
            let mut reader = part.segment.postings.reader();
            for (number, name) in (0..).zip(part.segment.names()) {
                if part.living(reader.of_name(number)?).next().is_none() {
                    continue;
                }
                let merged = names.number(name) as usize;
                if merged >= numbers_in.len() {
                    numbers_in.resize(merged + 1, None);
                }
                numbers_in[merged] = Some(number);
            }
        }
        names.shrink();
        let (mut packer, mut postings) = (PostingPacker::new(), Vec::new());
        let mut readers: Vec<PostingReader<'_>> =
            parts.iter().map(|part| part.segment.postings.reader()).collect();
        for merged in 0..names.len() {
            postings.clear();
            for ((part, numbers_in), reader) in parts.iter().zip(&numbers_in).zip(&mut readers) {
                if let Some(Some(number)) = numbers_in.get(merged) {
                    postings.extend(part.living(reader.of_name(*number)?));
                }
            }
            // Each part's are in order already.
            postings.sort();
            packer.add_name(&postings);
        }
        Some(Segment { names, postings: packer.finish() })
    }

    /// Returns the table that was stored as these parts; `None` if they do not fit together.
    pub(super) fn of_stored(arena: Vec<u8>, starts: Vec<u32>, postings: PackedPostings) -> Option<Segment> {
        let names = NameTable::of_stored(arena, starts)?;
        (names.len() == postings.names()).then_some(Segment { names, postings })
    }

    /// Returns the names, one after the other, and where each begins.
    pub(super) fn name_bytes(&self) -> (&[u8], &[u32]) {
        (&self.names.arena, &self.names.starts)
    }

    pub(super) fn postings(&self) -> &PackedPostings {
        &self.postings
    }

    /// Returns the number of rows, including dead ones.
    pub(super) fn row_count(&self) -> usize {
        self.postings.count()
    }

    /// Returns the bytes that this table takes besides the names: the cost of its symbols in addition to
    /// their rows.
    pub(super) fn table_bytes(&self) -> usize {
        (self.names.starts.len() + self.names.slots.len()) * size_of::<u32>() + self.postings.memory()
    }

    /// Returns how many bytes of memory it takes.
    pub(super) fn memory(&self) -> usize {
        self.table_bytes() + self.names.arena.len()
    }

    /// Returns the rows named exactly `name`; `None` if they are lost.
    pub(super) fn exact(&self, name: &str) -> Option<PostingList<'_>> {
        self.names.find(name).map_or(Some(PostingList::default()), |number| self.postings.of_name(number))
    }

    /// Iterates over the rows whose name contains `part`, one list per name; `None` for one that is lost. `part` must not be empty.
    pub(super) fn containing<'a>(&'a self, part: &'a str) -> impl Iterator<Item = Option<PostingList<'a>>> {
        let finder = memmem::Finder::new(part.as_bytes());
        let (arena, starts) = (&self.names.arena, &self.names.starts);
        let (mut at, mut reader) = (0, self.postings.reader());
        std::iter::from_fn(move || {
            let found = at + finder.find(&arena[at..])?;
            let number = starts.partition_point(|&start| start as usize <= found) - 1;
            at = starts[number + 1] as usize;
            Some(reader.of_name(offset(number)))
        })
    }

    /// Iterates over the rows of all names, one list per name, without those that are lost.
    pub(super) fn all(&self) -> impl Iterator<Item = PostingList<'_>> {
        let mut reader = self.postings.reader();
        (0..offset(self.names.len())).filter_map(move |number| reader.of_name(number))
    }

    /// Whether some of its rows were found to be lost.
    pub(super) fn is_lost(&self) -> bool {
        self.postings.is_lost()
    }

    /// Returns how many bytes of memory its rows take.
    pub(super) fn posting_bytes(&self) -> usize {
        self.postings.memory()
    }

    /// Keeps in the file what need not be in memory.
    pub(super) fn spill(&mut self, file: &Arc<UnnamedFile>) {
        self.postings.spill(file);
    }

    /// Iterates over the distinct names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let numbers = 0..offset(self.names.len());
        numbers.map(|number| std::str::from_utf8(self.names.name(number)).unwrap_or(""))
    }
}

impl SegmentPart<'_> {
    /// Iterates over the rows in files that are up to date, with the files' new numbers.
    fn living<'l>(&'l self, postings: PostingList<'l>) -> impl Iterator<Item = Posting> + use<'l> {
        postings.filter_map(|Posting { file, row }| {
            Some(Posting { file: (*self.numbers.get(file as usize)?)?, row })
        })
    }
}

fn slot_of(name: &[u8], mask: usize) -> usize {
    // Only 32-bit systems drop the upper half of the 64-bit hash; the lower half is enough for a slot.
    #[allow(clippy::cast_possible_truncation)]
    let hash = Hasher::default().hash_one(name) as usize;
    hash & mask
}

/// Converts a count or offset inside one segment. The engine never builds a segment with 4 billion rows or
/// name bytes.
fn offset(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
