//! Which rows have each name, packed: two or three bytes for a row, since most names that many rows have are in files close to each other.
//! Invariant: the rows of one name ascend by file, then row.
//!
//! A posting is two LEB128 numbers: the distance in files to the posting before it, then the row, or within the same file the distance in
//! rows. The first one is measured from row 0 of file 0.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::spilled_bytes::SpilledBytes;
use symd_base::state::UnnamedFile;
use symd_syntax::{leb128, name_hash};

/// Bytes that are read at once for the lists of several names.
const READ_AHEAD: usize = 16 << 10;

/// One row of one file of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Posting {
    /// Number of the file, in path order.
    pub(super) file: u32,
    /// Row number in its outline.
    pub(super) row: u32,
}

/// The rows of all names of a segment, by the names' numbers.
#[derive(Debug)]
pub(super) struct PackedPostings {
    /// Where each name's list begins, and the number of all bytes as the last element.
    starts: Box<[u32]>,
    bytes: SpilledBytes,
    /// A checksum of each list, if they are on disk.
    checksums: Box<[u32]>,
    /// Whether some of them could not be read.
    is_lost: AtomicBool,
    count: usize,
}

/// Packs the rows of one name after the other.
#[derive(Debug)]
pub(super) struct PostingPacker {
    starts: Vec<u32>,
    bytes: Vec<u8>,
    count: usize,
}

/// The rows of one name.
#[derive(Clone, Debug, Default)]
pub(super) struct PostingList<'a> {
    bytes: Cow<'a, [u8]>,
    at: usize,
    last: Posting,
}

/// Reads the lists of several names, in the order of their numbers.
#[derive(Debug)]
pub(super) struct PostingReader<'a> {
    of: &'a PackedPostings,
    /// Bytes that were read from disk, and where they begin.
    read: Vec<u8>,
    start: usize,
}

impl PackedPostings {
    /// Packs the rows of files with so many `rows` each, whose names have the numbers `row_names`, all below `names`.
    pub(super) fn pack(
        names: usize,
        rows: impl Iterator<Item = usize> + Clone,
        row_names: &[u32],
    ) -> PackedPostings {
        let postings = || {
            let of_file = |(file, rows): (u32, usize)| (0..).take(rows).map(move |row| Posting { file, row });
            (0..).zip(rows.clone()).flat_map(of_file).zip(row_names)
        };
        // First how long each list is, so that each is written where it stays.
        let (mut lengths, mut last) = (vec![0; names], vec![Posting::default(); names]);
        for (posting, &name) in postings() {
            let name = name as usize;
            lengths[name] += posting.length_behind(last[name]);
            last[name] = posting;
        }
        let mut starts = Vec::with_capacity(names + 1);
        let mut end = 0;
        starts.push(0);
        for length in lengths {
            end += length;
            starts.push(end);
        }
        let mut next = starts.clone();
        last.fill(Posting::default());
        let (mut bytes, mut packed) = (vec![0; end as usize], Vec::new());
        for (posting, &name) in postings() {
            let name = name as usize;
            packed.clear();
            posting.push_behind(last[name], &mut packed);
            let at = next[name] as usize;
            bytes[at..at + packed.len()].copy_from_slice(&packed);
            next[name] += posting.length_behind(last[name]);
            last[name] = posting;
        }
        PackedPostings::new(starts, bytes, row_names.len())
    }

    /// Returns lists that were stored: `starts` and `checksums` of each list in `bytes`, which may be on disk. `None` if they do not fit together.
    pub(super) fn of_stored(
        starts: Vec<u32>,
        checksums: Vec<u32>,
        (bytes, length): (SpilledBytes, usize),
        count: usize,
    ) -> Option<PackedPostings> {
        let is_sound = starts.first() == Some(&0)
            && starts.last().is_some_and(|last| *last as usize == length)
            && starts.is_sorted()
            && checksums.len() + 1 == starts.len();
        let checksums = if bytes.is_on_disk() { checksums.into() } else { Box::default() };
        let is_lost = AtomicBool::new(false);
        is_sound.then_some(PackedPostings { starts: starts.into(), bytes, checksums, is_lost, count })
    }

    fn new(starts: Vec<u32>, bytes: Vec<u8>, count: usize) -> PackedPostings {
        let bytes = SpilledBytes::new(bytes, None);
        let (checksums, is_lost) = (Box::default(), AtomicBool::new(false));
        PackedPostings { starts: starts.into(), bytes, checksums, is_lost, count }
    }

    /// Keeps the lists in the file, if it takes them.
    pub(super) fn spill(&mut self, file: &Arc<UnnamedFile>) {
        let SpilledBytes::Resident(bytes) = &self.bytes else { return };
        let checksums = checksums(&self.starts, bytes).collect();
        let SpilledBytes::Resident(bytes) = &mut self.bytes else { return };
        let bytes = std::mem::take(bytes).into_vec();
        self.bytes = SpilledBytes::new(bytes, Some(file));
        if self.bytes.is_on_disk() {
            self.checksums = checksums;
        }
    }

    /// Returns the number of names.
    pub(super) fn names(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns where each list begins, and all of them one after the other; `None` if they are not in memory.
    pub(super) fn list_bytes(&self) -> Option<(&[u32], &[u8])> {
        match &self.bytes {
            SpilledBytes::Resident(bytes) => Some((&self.starts, bytes)),
            SpilledBytes::OnDisk(_) => None,
        }
    }

    /// Returns the number of rows.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Returns the rows of the name with this number; `None` if they are lost.
    pub(super) fn of_name(&self, number: u32) -> Option<PostingList<'_>> {
        self.checked(number, self.part(self.range(number))?)
    }

    /// Whether some of the rows were found to be lost.
    pub(super) fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Relaxed)
    }

    /// Returns what reads the lists of several names.
    pub(super) fn reader(&self) -> PostingReader<'_> {
        PostingReader { of: self, read: Vec::new(), start: 0 }
    }

    /// Returns how many bytes of memory they take.
    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.starts) + size_of_val(&*self.checksums) + self.bytes.memory()
    }

    fn range(&self, number: u32) -> Range<usize> {
        let number = number as usize;
        self.starts[number] as usize..self.starts[number + 1] as usize
    }

    fn part(&self, part: Range<usize>) -> Option<Cow<'_, [u8]>> {
        let bytes = self.bytes.part(part);
        if bytes.is_none() {
            self.lose();
        }
        bytes
    }

    fn checked<'a>(&self, number: u32, bytes: Cow<'a, [u8]>) -> Option<PostingList<'a>> {
        let is_sound =
            self.checksums.get(number as usize).is_none_or(|checksum| *checksum == name_hash(&bytes));
        if !is_sound {
            self.lose();
        }
        is_sound.then_some(PostingList { bytes, at: 0, last: Posting::default() })
    }

    fn lose(&self) {
        if !self.is_lost.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "rows of a name table on disk cannot be read; the files' outlines are read instead"
            );
        }
    }
}

/// Returns the checksum of each list in `bytes`.
pub(super) fn checksums(starts: &[u32], bytes: &[u8]) -> impl Iterator<Item = u32> {
    starts.windows(2).map(|ends| name_hash(&bytes[ends[0] as usize..ends[1] as usize]))
}

impl<'a> PostingReader<'a> {
    /// Returns the rows of the name with this number; `None` if they are lost.
    pub(super) fn of_name(&mut self, number: u32) -> Option<PostingList<'a>> {
        if !self.of.bytes.is_on_disk() {
            return self.of.of_name(number);
        }
        let range = self.of.range(number);
        if range.start < self.start || range.end > self.start + self.read.len() {
            // On the way forward the next ones are close behind it.
            let near = self.start..=self.start + self.read.len() + READ_AHEAD;
            let ahead = if near.contains(&range.start) { READ_AHEAD } else { 0 };
            let last = *self.of.starts.last()? as usize;
            let end = last.min(range.end.max(range.start + ahead));
            self.read = self.of.part(range.start..end)?.into_owned();
            self.start = range.start;
        }
        let bytes = self.read.get(range.start - self.start..range.end - self.start)?.to_vec();
        self.of.checked(number, Cow::Owned(bytes))
    }
}

impl PostingPacker {
    pub(super) fn new() -> PostingPacker {
        PostingPacker { starts: vec![0], bytes: Vec::new(), count: 0 }
    }

    /// Adds the rows of the next name, in order.
    pub(super) fn add_name(&mut self, postings: &[Posting]) {
        let mut last = Posting::default();
        for posting in postings {
            posting.push_behind(last, &mut self.bytes);
            last = *posting;
        }
        self.count += postings.len();
        self.starts.push(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
    }

    pub(super) fn finish(self) -> PackedPostings {
        PackedPostings::new(self.starts, self.bytes, self.count)
    }
}

impl Posting {
    /// Returns the two numbers that stand for a posting behind another one.
    fn behind(self, last: Posting) -> (u32, u32) {
        match self.file - last.file {
            0 => (0, self.row - last.row),
            files => (files, self.row),
        }
    }

    /// Returns the number of bytes that [`Posting::push_behind`] appends.
    fn length_behind(self, last: Posting) -> u32 {
        let (file, row) = self.behind(last);
        leb128::length(file.into()) + leb128::length(row.into())
    }

    fn push_behind(self, last: Posting, bytes: &mut Vec<u8>) {
        let (file, row) = self.behind(last);
        leb128::push(bytes, file.into());
        leb128::push(bytes, row.into());
    }
}

impl Iterator for PostingList<'_> {
    type Item = Posting;

    fn next(&mut self) -> Option<Posting> {
        let mut rest = self.bytes.get(self.at..)?;
        let (files, row) = (leb128::take_u32(&mut rest)?, leb128::take_u32(&mut rest)?);
        self.at = self.bytes.len() - rest.len();
        // Bytes that were not packed here end somewhere.
        self.last = match files {
            0 => Posting { file: self.last.file, row: self.last.row.checked_add(row)? },
            files => Posting { file: self.last.file.checked_add(files)?, row },
        };
        Some(self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_the_list_of_its_name() {
        let mut random = fastrand::Rng::with_seed(7);
        for (files, most_rows, names) in [(0, 1, 1), (1, 1, 1), (3, 700, 5), (400, 40, 90), (40_000, 2, 3)] {
            let rows: Vec<usize> = (0..files).map(|_| random.usize(..=most_rows)).collect();
            let row_names: Vec<u32> = (0..rows.iter().sum()).map(|_| random.u32(..names)).collect();
            let mut expected = vec![Vec::new(); names as usize];
            let mut numbers = row_names.iter();
            for (file, rows) in (0..).zip(&rows) {
                for (row, name) in (0..u32::try_from(*rows).expect("few")).zip(&mut numbers) {
                    expected[*name as usize].push(Posting { file, row });
                }
            }
            let mut packer = PostingPacker::new();
            expected.iter().for_each(|postings| packer.add_name(postings));
            let packed = PackedPostings::pack(names as usize, rows.iter().copied(), &row_names);
            for packed in [packed, packer.finish()] {
                assert_eq!(lists(&packed, names), expected);
                assert_eq!(packed.count(), row_names.len());
            }
        }
    }

    #[test]
    fn rows_of_a_common_name_take_few_bytes() {
        // Each of 20,000 files has a row of the name among 50.
        let row_names: Vec<u32> =
            (0..20_000 * 50).map(|row| u32::from(row % 50 != 7) * (1 + row % 50)).collect();
        let mut packed = PackedPostings::pack(51, std::iter::repeat_n(50, 20_000), &row_names);
        assert_eq!(packed.of_name(0).expect("there").count(), 20_000);
        assert!((1 << 20..2_200_000).contains(&packed.memory()), "{}", packed.memory());
        // They take no memory on disk.
        let expected = lists(&packed, 51);
        let scratch = tempfile::tempdir().expect("scratch");
        packed.spill(&Arc::new(UnnamedFile::new(scratch.path())));
        assert!(packed.memory() < 1_000, "{}", packed.memory());
        assert_eq!(lists(&packed, 51), expected);
    }

    #[test]
    fn a_damaged_list_is_lost_and_no_other() {
        let row_names: Vec<u32> = (0..30_000).map(|row| row % 100).collect();
        let mut packed = PackedPostings::pack(100, std::iter::repeat_n(300, 100), &row_names);
        let scratch = tempfile::tempdir().expect("scratch");
        packed.spill(&Arc::new(UnnamedFile::new(scratch.path())));
        let sound = packed.of_name(7).expect("there").collect::<Vec<_>>();
        packed.checksums[5] ^= 1;
        assert!(!packed.is_lost());
        assert!(packed.of_name(5).is_none() && packed.is_lost());
        let mut reader = packed.reader();
        assert!(reader.of_name(5).is_none());
        assert_eq!(reader.of_name(7).map(Iterator::collect), Some(sound));
    }

    #[test]
    fn lists_that_the_disk_does_not_take_stay_as_they_were() {
        let row_names: Vec<u32> = (0..30_000).map(|row| row % 100).collect();
        let mut packed = PackedPostings::pack(100, std::iter::repeat_n(300, 100), &row_names);
        let (before, expected) = (packed.memory(), lists(&packed, 100));
        packed.spill(&Arc::new(UnnamedFile::new(std::path::Path::new("/proc/self/nowhere"))));
        assert_eq!(packed.memory(), before);
        assert_eq!(lists(&packed, 100), expected);
    }

    #[test]
    fn what_follows_a_list_is_read_with_it_only_on_the_way_forward() {
        let row_names: Vec<u32> = (0..200_000).map(|row| row % 100).collect();
        let mut packed = PackedPostings::pack(100, std::iter::repeat_n(200, 1_000), &row_names);
        let scratch = tempfile::tempdir().expect("scratch");
        packed.spill(&Arc::new(UnnamedFile::new(scratch.path())));
        let mut reader = packed.reader();
        let mut read_for = |name: u32| {
            assert!(reader.of_name(name).is_some_and(|list| list.count() == 2_000));
            reader.read.len()
        };
        let list = |name: u32| packed.range(name).len();
        assert!(list(0) < READ_AHEAD);
        assert_eq!([read_for(0), read_for(1), read_for(90)], [READ_AHEAD, READ_AHEAD, list(90)]);
        assert_eq!([read_for(91), read_for(40), read_for(39)], [READ_AHEAD, list(40), list(39)]);
        assert_eq!(read_for(40), READ_AHEAD);
    }

    #[test]
    fn bytes_that_are_no_list_have_no_rows() {
        let list = PostingList { bytes: Cow::Owned(vec![0xFF; 12]), ..PostingList::default() };
        assert_eq!(list.count(), 0);
    }

    /// Returns all lists, as both ways of reading find them.
    fn lists(packed: &PackedPostings, names: u32) -> Vec<Vec<Posting>> {
        let one_by_one: Vec<Vec<Posting>> =
            (0..names).map(|name| packed.of_name(name).expect("there").collect()).collect();
        let mut reader = packed.reader();
        let together: Vec<Vec<Posting>> =
            (0..names).map(|name| reader.of_name(name).expect("there").collect()).collect();
        assert_eq!(one_by_one, together);
        together
    }
}
