//! The index at one revision, and the state from which revisions are made. A [`Snapshot`] never changes;
//! [`State`] is the engine's alone. Names are found in segments (tables over many files) and in loose files
//! (changed since, scanned row by row). Invariant: a live symbol is in exactly one of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::file::{Content, FileEntry, Skipped};
use super::files::FileMap;
use super::segment::{Posting, Segment};
use symd_base::RelPath;
use symd_vfs::Stat;

/// When name tables are built anew.
#[derive(Clone, Copy, Debug)]
pub struct SegmentLimits {
    /// Loose files are gathered into a segment when their rows pass this …
    pub loose_rows: usize,
    /// … or their number this.
    pub loose_files: usize,
    /// More segments than this are merged into one: every exact query asks each of them.
    pub segments: usize,
}

impl Default for SegmentLimits {
    /// Chosen, not measured: so few rows are scanned in less time than the rest of a question takes.
    fn default() -> SegmentLimits {
        SegmentLimits { loose_rows: 20_000, loose_files: 512, segments: 4 }
    }
}

/// A segment and the files of it that are out of date.
#[derive(Clone, Debug)]
pub(super) struct Live {
    pub(super) segment: Arc<Segment>,
    dead: Arc<[u64]>,
    dead_rows: usize,
}

/// The index at one revision. Cheap to hold; readers never wait for the engine and never see half a change.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Grows by one with every change the engine takes in.
    pub revision: u64,
    /// All regular files that are not ignored.
    pub files: FileMap,
    /// The number of symbols.
    pub symbols: usize,
    /// Files of languages with a grammar whose symbols are not all known: those that were not parsed, and those in which
    /// the parser met text it could not make sense of.
    pub unsure: Arc<BTreeSet<RelPath>>,
    /// Directories that could not be listed, with what the system said.
    pub unlisted: Arc<BTreeMap<RelPath, String>>,
    pub(super) segments: Vec<Live>,
    pub(super) loose: Arc<[Arc<FileEntry>]>,
}

/// The engine's working copy.
#[derive(Debug, Default)]
pub struct State {
    files: FileMap,
    segments: Vec<Live>,
    loose: BTreeMap<RelPath, Arc<FileEntry>>,
    loose_rows: usize,
    symbols: usize,
    revision: u64,
    unsure: Arc<BTreeSet<RelPath>>,
    unlisted: Arc<BTreeMap<RelPath, String>>,
    limits: SegmentLimits,
    /// The last snapshot, as long as it is still true.
    published: Option<Arc<Snapshot>>,
}

/// What a new segment is to be built over, decided by [`State::plan`] and built elsewhere.
#[derive(Debug)]
pub struct SegmentPlan {
    files: Vec<Arc<FileEntry>>,
    replaces: Replaces,
}

/// A segment built by [`SegmentPlan::build`], for [`State::adopt`].
#[derive(Debug)]
pub struct Built {
    segment: Segment,
    replaces: Replaces,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Replaces {
    Loose,
    Everything,
}

impl SegmentPlan {
    /// Builds the segment: the slow part, for a pool thread.
    pub fn build(self) -> Built {
        Built { segment: Segment::build(self.files), replaces: self.replaces }
    }
}

impl Live {
    fn is_dead(&self, file: usize) -> bool {
        self.dead[file / 64] & (1 << (file % 64)) != 0
    }

    /// The live rows among postings, with their files.
    pub(super) fn living<'a>(
        &'a self,
        postings: &'a [Posting],
    ) -> impl Iterator<Item = (&'a Arc<FileEntry>, usize)> {
        postings
            .iter()
            .filter(|posting| !self.is_dead(posting.file as usize))
            .map(|posting| (&self.segment.files[posting.file as usize], posting.row as usize))
    }

    fn bury(&mut self, path: &RelPath) {
        let Some(file) = self.segment.file_number(path.as_str()) else { return };
        if !self.is_dead(file) {
            self.dead_rows += self.segment.files[file].symbol_count();
            Arc::make_mut(&mut self.dead)[file / 64] |= 1 << (file % 64);
        }
    }
}

impl Snapshot {
    /// Bytes of name tables, rows and occurrences: (tables, rows, occurrences). For the benchmark.
    pub fn memory(&self) -> (usize, usize, usize) {
        let tables = self.segments.iter().map(|live| live.segment.table_bytes()).sum();
        let outlines = || self.files.iter().filter_map(|file| file.outline());
        let rows = outlines().map(|outline| outline.rows.len() * size_of::<symd_syntax::Row>()).sum();
        (tables, rows, outlines().map(|outline| outline.occurrences.bytes()).sum())
    }
}

impl State {
    /// An empty index that builds its name tables at other times.
    pub fn with_limits(limits: SegmentLimits) -> State {
        State { limits, ..State::default() }
    }

    /// The number of files.
    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    /// The number of symbols.
    pub fn symbol_count(&self) -> usize {
        self.symbols
    }

    /// The revision the next snapshot will have.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The number of name tables.
    pub fn segment_count(&self) -> usize {
        self.segments.len()
    }

    /// The file at `path`.
    pub fn file(&self, path: &RelPath) -> Option<&Arc<FileEntry>> {
        self.files.get(path.as_str())
    }

    /// All files at or beneath `path`.
    pub fn within(&self, path: &RelPath) -> impl Iterator<Item = &Arc<FileEntry>> {
        self.files.within(path)
    }

    /// Files that could not be read and may be readable by now though nothing told of it, in path order.
    pub fn may_be_readable(&self) -> Vec<RelPath> {
        let may_be = |path: &&RelPath| {
            let content = self.file(path).map(|file| &file.content);
            matches!(content, Some(Content::Skipped { why: Skipped::Unreadable, stat }) if *stat == Stat::default())
        };
        self.unsure.iter().filter(may_be).cloned().collect()
    }

    /// `directory` could not be listed: `why` says what the system said.
    pub fn could_not_list(&mut self, directory: RelPath, why: String) {
        if self.unlisted.get(&directory) != Some(&why) {
            Arc::make_mut(&mut self.unlisted).insert(directory, why);
            self.changed();
        }
    }

    /// `directory` has been listed.
    pub fn has_listed(&mut self, directory: &RelPath) {
        if self.unlisted.contains_key(directory) {
            Arc::make_mut(&mut self.unlisted).remove(directory);
            self.changed();
        }
    }

    /// Of the directories beneath `path`, and itself, those that `is_gone` names are no more.
    pub fn forget_unlisted(&mut self, path: &RelPath, is_gone: impl Fn(&RelPath) -> bool) {
        let is_it = |known: &RelPath| known.is_within(path) && is_gone(known);
        if self.unlisted.keys().any(is_it) {
            Arc::make_mut(&mut self.unlisted).retain(|known, _| !is_it(known));
            self.changed();
        }
    }

    /// Puts a file in, in place of what was known at its path.
    pub fn put(&mut self, entry: Arc<FileEntry>) {
        if entry.is_unsure() != self.unsure.contains(&entry.path) {
            let unsure = Arc::make_mut(&mut self.unsure);
            let _ = if entry.is_unsure() {
                unsure.insert(entry.path.clone())
            } else {
                unsure.remove(&entry.path)
            };
        }
        let old = self.files.insert(entry.clone());
        // A touched file keeps its symbols, and the tables over them stay true.
        if let Some(old) = &old
            && old.same_symbols(&entry)
        {
            if let Some(loose) = self.loose.get_mut(&entry.path) {
                *loose = entry;
            }
            self.published = None;
            return;
        }
        self.forget(&entry.path, old.as_deref());
        let rows = entry.symbol_count();
        self.symbols += rows;
        if rows > 0 {
            self.loose_rows += rows;
            self.loose.insert(entry.path.clone(), entry);
        }
        self.changed();
    }

    /// Takes out the file at `path`; whether there was one.
    pub fn remove(&mut self, path: &RelPath) -> bool {
        let Some(old) = self.files.remove(path.as_str()) else { return false };
        if self.unsure.contains(path) {
            Arc::make_mut(&mut self.unsure).remove(path);
        }
        self.forget(path, Some(&old));
        self.changed();
        true
    }

    /// The index as it is now.
    pub fn snapshot(&mut self) -> Arc<Snapshot> {
        if let Some(published) = &self.published {
            return published.clone();
        }
        let snapshot = Arc::new(Snapshot {
            revision: self.revision,
            files: self.files.clone(),
            symbols: self.symbols,
            unsure: self.unsure.clone(),
            unlisted: self.unlisted.clone(),
            segments: self.segments.clone(),
            loose: self.loose.values().cloned().collect(),
        });
        self.published = Some(snapshot.clone());
        snapshot
    }

    /// What is worth building now, if anything: a segment over the loose files, or one over everything when
    /// there are many segments or a quarter of their rows is dead. Many dead rows alone are worth it too: they keep
    /// the outlines of files that are gone.
    pub fn plan(&self) -> Option<SegmentPlan> {
        let dead: usize = self.segments.iter().map(|live| live.dead_rows).sum();
        let rows: usize = self.segments.iter().map(|live| live.segment.row_count()).sum();
        let mostly_dead = dead * 4 > rows;
        let much_loose =
            self.loose_rows > self.limits.loose_rows || self.loose.len() > self.limits.loose_files;
        let much_dead = mostly_dead && dead > self.limits.loose_rows;
        if !much_loose && !much_dead {
            return None;
        }
        let (files, replaces) = if self.segments.len() >= self.limits.segments || mostly_dead {
            (
                self.files.iter().filter(|file| file.symbol_count() > 0).cloned().collect(),
                Replaces::Everything,
            )
        } else {
            (self.loose.values().cloned().collect(), Replaces::Loose)
        };
        Some(SegmentPlan { files, replaces })
    }

    /// Takes in a segment built from a [`State::plan`] of this state; what changed since stays loose.
    pub fn adopt(&mut self, built: Built) {
        let words = built.segment.file_count().div_ceil(64);
        let mut live = Live { segment: Arc::new(built.segment), dead: vec![0; words].into(), dead_rows: 0 };
        if built.replaces == Replaces::Everything {
            self.segments.clear();
        }
        let segment = live.segment.clone();
        for file in &segment.files {
            if self.files.get(file.path.as_str()).is_some_and(|now| now.same_symbols(file)) {
                if let Some(loose) = self.loose.remove(&file.path) {
                    self.loose_rows -= loose.symbol_count();
                }
            } else {
                live.bury(&file.path);
            }
        }
        self.segments.push(live);
        self.published = None;
    }

    fn forget(&mut self, path: &RelPath, old: Option<&FileEntry>) {
        let rows = old.map_or(0, FileEntry::symbol_count);
        if rows == 0 {
            return;
        }
        self.symbols -= rows;
        if self.loose.remove(path).is_some() {
            self.loose_rows -= rows;
        } else {
            self.segments.iter_mut().for_each(|live| live.bury(path));
        }
    }

    fn changed(&mut self) {
        self.revision += 1;
        self.published = None;
    }
}
