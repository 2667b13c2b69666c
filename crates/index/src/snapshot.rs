//! The index at one revision. It never changes. Names are looked up in segments (tables over many files) and in loose
//! files (changed since, scanned row by row). Invariant: a live symbol is in exactly one of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::file::FileEntry;
use super::files::FileMap;
use super::incomplete_files::IncompleteFiles;
use super::live_segment::LiveSegment;
use super::needed_words::NeededWords;
use super::segment::{Segment, SegmentOverFiles, SegmentPart};
use super::snapshot_files::SnapshotFiles;
use super::unread::Need;
use symd_base::RelPath;

/// The index at one revision. Cheap to hold; readers never wait for the engine and never see half a change.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Incremented with every change that the engine applies.
    pub revision: u64,
    /// All regular files that are not ignored.
    pub files: SnapshotFiles,
    /// The number of symbols.
    pub symbols: usize,
    pub(super) incomplete: IncompleteFiles,
    /// Directories that could not be listed, with the system's error message.
    pub unlisted: Arc<BTreeMap<RelPath, String>>,
    pub(super) segments: Vec<LiveSegment>,
    /// Files that a table may contain as they were before they were touched: with the same symbols and another state.
    pub(super) touched: Arc<BTreeSet<RelPath>>,
    pub(super) loose: Arc<[Arc<FileEntry>]>,
}

impl Snapshot {
    /// Iterates, in path order, over the files at or beneath `path` that were not parsed. Needs those whose text holds all words of one of
    /// `any`; others may be among them.
    pub fn skipped_with(
        &self,
        any: &[NeededWords],
        path: &RelPath,
    ) -> impl Iterator<Item = &Arc<FileEntry>> + use<'_> {
        any.iter().for_each(|words| self.need_words(words, path));
        self.known_among(&self.incomplete.skipped, path)
    }

    /// Like [`Snapshot::skipped_with`], for files in which the parser met text that it could not understand.
    pub fn broken_with(
        &self,
        any: &[NeededWords],
        path: &RelPath,
    ) -> impl Iterator<Item = &Arc<FileEntry>> + use<'_> {
        any.iter().for_each(|words| self.need_words(words, path));
        self.known_among(&self.incomplete.broken, path)
    }

    fn need_words(&self, words: &NeededWords, path: &RelPath) {
        self.files.need(match words.is_empty() {
            true => Need::Within(path.clone()),
            false => Need::Words(words.clone(), path.clone()),
        });
    }

    fn known_among<'s>(
        &'s self,
        files: &'s FileMap,
        path: &RelPath,
    ) -> impl Iterator<Item = &'s Arc<FileEntry>> + use<'s> {
        files.within(path).filter(|file| !self.files.is_unread(&file.path))
    }

    /// Iterates over the files at or after `path`, in path order, that have an outline in memory and are in a table or have no symbols: those
    /// that can let go of their outlines.
    pub fn not_loose_from(&self, path: &RelPath) -> impl Iterator<Item = &Arc<FileEntry>> {
        let is_loose =
            |file: &Arc<FileEntry>| self.loose.binary_search_by(|loose| loose.path.cmp(&file.path)).is_ok();
        let is_in_memory =
            |file: &FileEntry| file.file_outline().is_some_and(|outline| outline.in_memory().is_some());
        // What is cheap is asked first.
        self.files.known.from(path).filter(move |file| is_in_memory(file) && !is_loose(file))
    }

    /// Returns the table of the files that are in none.
    pub(super) fn table_of_loose(&self) -> SegmentOverFiles {
        Segment::build(self.loose.to_vec())
    }

    /// Returns one table of all, over those of `files` that have rows; `None` if some rows of these files are lost. `loose` is the table of
    /// those that are in none.
    pub(super) fn table_over(&self, files: &[&Arc<FileEntry>], loose: SegmentOverFiles) -> Option<Segment> {
        let loose = LiveSegment::new(loose.segment, loose.files);
        let all = self.segments.iter().chain([&loose]);
        let parts: Vec<SegmentPart<'_>> = all
            .map(|live| SegmentPart { segment: &live.segment, numbers: live.numbers_among(files) })
            .collect();
        let rows: usize = files.iter().map(|file| file.symbol_count()).sum();
        Segment::merge(&parts).filter(|table| table.row_count() == rows)
    }

    /// Returns the bytes of (name tables, rows, occurrences) in memory. For the benchmark.
    pub fn memory(&self) -> (usize, usize, usize) {
        let tables = self.segments.iter().map(|live| live.segment.table_bytes()).sum();
        let outlines = || self.files.iter().filter_map(|file| file.file_outline()?.in_memory());
        let rows = outlines().map(|outline| outline.rows.len() * size_of::<symd_syntax::Row>()).sum();
        (tables, rows, outlines().map(|outline| outline.occurrences.bytes()).sum())
    }
}
