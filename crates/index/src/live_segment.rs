//! A name table over files, some of which are out of date. Its rows of these are dead: no question sees them.

use std::sync::Arc;

use super::file::FileEntry;
use super::postings::PostingList;
use super::segment::Segment;
use super::stored_index::{StoredEntry, StoredTable};
use symd_base::RelPath;

/// A segment, and which of its files are out of date.
#[derive(Clone, Debug)]
pub(super) struct LiveSegment {
    pub(super) segment: Arc<Segment>,
    /// Its files, in path order. An entry is replaced by one with the same symbols when its outline is let go of.
    pub(super) files: Arc<[Arc<FileEntry>]>,
    dead: Arc<[u64]>,
    pub(super) dead_rows: usize,
    /// Whether files may still be found that are as they were when it was stored: until then they are marked as out of date.
    pub(super) is_awaiting: bool,
}

impl LiveSegment {
    /// Returns the segment with its files, all of them up to date.
    pub(super) fn new(segment: Segment, files: Arc<[Arc<FileEntry>]>) -> LiveSegment {
        let dead = vec![0; files.len().div_ceil(64)].into();
        LiveSegment { segment: Arc::new(segment), files, dead, dead_rows: 0, is_awaiting: false }
    }

    /// Returns a segment whose files are still to be found.
    pub(super) fn awaiting(StoredTable { segment, files }: StoredTable) -> LiveSegment {
        let dead = vec![u64::MAX; files.len().div_ceil(64)].into();
        let dead_rows = files.iter().map(|file| file.symbol_count()).sum();
        LiveSegment { segment: Arc::new(segment), files, dead, dead_rows, is_awaiting: true }
    }

    /// Marks the file as up to date if this very entry is awaited. Returns whether it was.
    pub(super) fn find_awaited(&mut self, StoredEntry { entry, in_table }: &StoredEntry) -> bool {
        let is_awaited = |&file: &usize| {
            self.files.get(file).is_some_and(|awaited| Arc::ptr_eq(awaited, entry)) && self.is_dead(file)
        };
        let file = in_table.map(|file| file as usize).filter(|_| self.is_awaiting).filter(is_awaited);
        if let Some(file) = file {
            self.dead_rows -= entry.symbol_count();
            Arc::make_mut(&mut self.dead)[file / 64] &= !(1 << (file % 64));
        }
        file.is_some()
    }

    /// Returns the number that each file that is up to date has among those of `files` that have rows; both are in path order.
    pub(super) fn numbers_among(&self, files: &[&Arc<FileEntry>]) -> Vec<Option<u32>> {
        let mut with_rows = (0..).zip(files.iter().filter(|file| file.symbol_count() > 0)).peekable();
        let mut numbers = vec![None; self.files.len()];
        for (file, entry) in self.living_numbered() {
            while with_rows.next_if(|(_, other)| other.path < entry.path).is_some() {}
            numbers[file] =
                with_rows.next_if(|(_, other)| other.path == entry.path).map(|(number, _)| number);
        }
        numbers
    }

    pub(super) fn is_dead(&self, file: usize) -> bool {
        self.dead[file / 64] & (1 << (file % 64)) != 0
    }

    /// Returns the live rows among the postings, with their files.
    pub(super) fn living<'a>(
        &'a self,
        postings: PostingList<'a>,
    ) -> impl Iterator<Item = (&'a Arc<FileEntry>, usize)> {
        postings.filter_map(|posting| {
            let (number, row) = (posting.file as usize, posting.row as usize);
            // What is read from disk is not trusted to fit.
            let file =
                self.files.get(number).filter(|file| !self.is_dead(number) && row < file.symbol_count())?;
            Some((file, row))
        })
    }

    /// Iterates over the files that are up to date.
    pub(super) fn living_files(&self) -> impl Iterator<Item = &Arc<FileEntry>> {
        self.living_numbered().map(|(_, file)| file)
    }

    /// Iterates over the files that are up to date, each with its number.
    pub(super) fn living_numbered(&self) -> impl Iterator<Item = (usize, &Arc<FileEntry>)> {
        self.files.iter().enumerate().filter(|(number, _)| !self.is_dead(*number))
    }

    /// Returns the number of the file at `path`, if the segment contains it.
    pub(super) fn file_number(&self, path: &RelPath) -> Option<usize> {
        self.files.binary_search_by(|file| file.path.cmp(path)).ok()
    }

    pub(super) fn mark_dead(&mut self, path: &RelPath) {
        let Some(file) = self.file_number(path) else { return };
        if !self.is_dead(file) {
            self.dead_rows += self.files[file].symbol_count();
            Arc::make_mut(&mut self.dead)[file / 64] |= 1 << (file % 64);
        }
    }
}
