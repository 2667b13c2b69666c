//! The index at one revision, and the state from which revisions are created. A [`Snapshot`] never changes;
//! only the engine has the [`IndexState`]. Names are looked up in segments (tables over many files) and in loose
//! files (changed since, scanned row by row). Invariant: a live symbol is in exactly one of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::entry_memory::EntryMemory;
use super::file::{Content, FileEntry, Skipped};
use super::files::FileMap;
use super::incomplete_files::IncompleteFiles;
use super::needed_words::NeededWords;
use super::postings::PostingList;
use super::segment::{Segment, SegmentOverFiles, SegmentPart};
use super::snapshot_files::SnapshotFiles;
use super::stored_index::{StoredEntry, StoredTable};
use super::unread::{Need, UnreadFiles};
use symd_base::RelPath;
use symd_base::state::UnnamedFile;
use symd_vfs::Stat;

/// When name tables are rebuilt.
#[derive(Clone, Copy, Debug)]
pub struct SegmentThresholds {
    /// Loose files are combined into a segment when they have more rows than this …
    pub loose_rows: usize,
    /// … or when there are more of them than this.
    pub loose_files: usize,
    /// While files are being added, they are combined when they are more than a quarter of all, or more than this: the outlines of loose
    /// files stay in memory.
    pub most_loose_files: usize,
    /// A table's rows are kept on disk, where there is a file for that, if they take at least so many bytes.
    pub spilled_bytes: usize,
    /// More segments than this are merged into one, since every exact query searches each of them.
    pub segments: usize,
}

impl Default for SegmentThresholds {
    /// Chosen, not measured: scanning this few rows takes less time than the rest of a question.
    fn default() -> SegmentThresholds {
        SegmentThresholds {
            loose_rows: 20_000,
            loose_files: 512,
            most_loose_files: 8_192,
            spilled_bytes: 2 << 20,
            segments: 4,
        }
    }
}

/// A segment, and which of its files are out of date.
#[derive(Clone, Debug)]
pub(super) struct LiveSegment {
    pub(super) segment: Arc<Segment>,
    /// Its files, in path order. An entry is replaced by one with the same symbols when its outline is let go of.
    pub(super) files: Arc<[Arc<FileEntry>]>,
    dead: Arc<[u64]>,
    dead_rows: usize,
    /// Whether files may still be found that are as they were when it was stored: until then they are marked as out of date.
    is_awaiting: bool,
}

/// The index at one revision. Cheap to hold; readers never wait for the engine and never see half a change.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Incremented with every change that the engine applies.
    pub revision: u64,
    /// All regular files that are not ignored.
    pub files: SnapshotFiles,
    /// The number of symbols.
    pub symbols: usize,
    incomplete: IncompleteFiles,
    /// Directories that could not be listed, with the system's error message.
    pub unlisted: Arc<BTreeMap<RelPath, String>>,
    pub(super) segments: Vec<LiveSegment>,
    /// Files that a table may contain as they were before they were touched: with the same symbols and another state.
    pub(super) touched: Arc<BTreeSet<RelPath>>,
    pub(super) loose: Arc<[Arc<FileEntry>]>,
}

/// The engine's working copy.
#[derive(Debug, Default)]
pub struct IndexState {
    files: FileMap,
    segments: Vec<LiveSegment>,
    touched: Arc<BTreeSet<RelPath>>,
    loose: BTreeMap<RelPath, Arc<FileEntry>>,
    loose_rows: usize,
    symbols: usize,
    /// What the entries of `files` take.
    entry_memory: EntryMemory,
    revision: u64,
    incomplete: IncompleteFiles,
    unlisted: Arc<BTreeMap<RelPath, String>>,
    limits: SegmentThresholds,
    /// Holds the parts of tables that need not be in memory.
    file: Option<Arc<UnnamedFile>>,
    /// The last snapshot, as long as it is up to date.
    published: Option<Arc<Snapshot>>,
}

/// Bytes of memory that an index takes, about. Entries that only a name table or an older snapshot still holds are not
/// counted: a table is built again before they are many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexMemory {
    /// The files' entries, with their symbols, occurrences and imports.
    pub outlines: usize,
    /// The name tables.
    pub tables: usize,
}

impl IndexMemory {
    pub fn sum(&self) -> usize {
        self.outlines + self.tables
    }
}

/// The files for a new segment, chosen by [`IndexState::plan`]; the segment is built elsewhere.
#[derive(Debug)]
pub struct SegmentPlan {
    loose: Vec<Arc<FileEntry>>,
    /// The tables that it replaces.
    replaced: Vec<LiveSegment>,
    /// Where its rows are kept if they take so many bytes.
    file: Option<(Arc<UnnamedFile>, usize)>,
}

/// A segment built by [`SegmentPlan::build`], for [`IndexState::adopt`].
#[derive(Debug)]
pub struct BuiltSegment {
    built: SegmentOverFiles,
    /// The tables that it replaces.
    replaced: Vec<Arc<Segment>>,
}

impl SegmentPlan {
    /// Builds the segment. Slow, for a pool thread. Files whose outline cannot be read stay loose.
    pub fn build(mut self) -> BuiltSegment {
        let file = self.file.take();
        let mut built = self.build_in_memory();
        if let Some((file, bytes)) = file
            && built.built.segment.posting_bytes() >= bytes
        {
            built.built.segment.spill(&file);
        }
        built
    }

    fn build_in_memory(self) -> BuiltSegment {
        let loose = Segment::build(self.loose);
        if self.replaced.is_empty() {
            return BuiltSegment { built: loose, replaced: Vec::new() };
        }
        let replaced = self.replaced.iter().map(|live| live.segment.clone()).collect();
        // Those that cannot be read stay loose.
        let SegmentOverFiles { segment, files, .. } = loose;
        let loose = LiveSegment::new(segment, files);
        let parts: Vec<LiveSegment> = self.replaced.into_iter().chain([loose]).collect();
        BuiltSegment { built: merge(&parts), replaced }
    }
}

/// Returns one segment of several that have no living file in common. What cannot be read of them is made again from the outlines.
fn merge(parts: &[LiveSegment]) -> SegmentOverFiles {
    let living = |(number, part): (usize, &LiveSegment)| {
        let files = part.living_numbered();
        files.map(|(file, entry)| (entry.clone(), number, file)).collect::<Vec<_>>()
    };
    let mut living: Vec<(Arc<FileEntry>, usize, usize)> = parts.iter().enumerate().flat_map(living).collect();
    // Each part's are in order already.
    living.sort_by(|(one, ..), (other, ..)| one.path.cmp(&other.path));
    let mut numbers: Vec<Vec<Option<u32>>> = parts.iter().map(|part| vec![None; part.files.len()]).collect();
    for (merged, (_, part, file)) in (0..).zip(&living) {
        numbers[*part][*file] = Some(merged);
    }
    let parts =
        parts.iter().zip(numbers).map(|(part, numbers)| SegmentPart { segment: &part.segment, numbers });
    let parts: Vec<SegmentPart<'_>> = parts.collect();
    let files = living.into_iter().map(|(file, ..)| file);
    match Segment::merge(&parts) {
        Some(segment) => SegmentOverFiles { segment, files: files.collect(), unreadable: Vec::new() },
        None => Segment::build(files.collect()),
    }
}

impl LiveSegment {
    /// Returns the segment with its files, all of them up to date.
    fn new(segment: Segment, files: Arc<[Arc<FileEntry>]>) -> LiveSegment {
        let dead = vec![0; files.len().div_ceil(64)].into();
        LiveSegment { segment: Arc::new(segment), files, dead, dead_rows: 0, is_awaiting: false }
    }

    /// Returns a segment whose files are still to be found.
    fn awaiting(StoredTable { segment, files }: StoredTable) -> LiveSegment {
        let dead = vec![u64::MAX; files.len().div_ceil(64)].into();
        let dead_rows = files.iter().map(|file| file.symbol_count()).sum();
        LiveSegment { segment: Arc::new(segment), files, dead, dead_rows, is_awaiting: true }
    }

    /// Marks the file as up to date if this very entry is awaited. Returns whether it was.
    fn find_awaited(&mut self, StoredEntry { entry, in_table }: &StoredEntry) -> bool {
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
    fn numbers_among(&self, files: &[&Arc<FileEntry>]) -> Vec<Option<u32>> {
        let mut with_rows = (0..).zip(files.iter().filter(|file| file.symbol_count() > 0)).peekable();
        let mut numbers = vec![None; self.files.len()];
        for (file, entry) in self.living_numbered() {
            while with_rows.next_if(|(_, other)| other.path < entry.path).is_some() {}
            numbers[file] =
                with_rows.next_if(|(_, other)| other.path == entry.path).map(|(number, _)| number);
        }
        numbers
    }

    fn is_dead(&self, file: usize) -> bool {
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
    fn living_numbered(&self) -> impl Iterator<Item = (usize, &Arc<FileEntry>)> {
        self.files.iter().enumerate().filter(|(number, _)| !self.is_dead(*number))
    }

    /// Returns the number of the file at `path`, if the segment contains it.
    fn file_number(&self, path: &RelPath) -> Option<usize> {
        self.files.binary_search_by(|file| file.path.cmp(path)).ok()
    }

    fn mark_dead(&mut self, path: &RelPath) {
        let Some(file) = self.file_number(path) else { return };
        if !self.is_dead(file) {
            self.dead_rows += self.files[file].symbol_count();
            Arc::make_mut(&mut self.dead)[file / 64] |= 1 << (file % 64);
        }
    }
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

impl IndexState {
    /// Creates an empty index with other thresholds for its name tables.
    pub fn with_limits(limits: SegmentThresholds) -> IndexState {
        IndexState { limits, ..IndexState::default() }
    }

    /// From now on keeps the rows of large tables in the file.
    pub fn keep_tables_in(&mut self, file: Arc<UnnamedFile>) {
        self.file = Some(file);
    }

    /// Adds the table that the last daemon stored. A file of it that is unchanged is in the index, and in no other table, once its entry
    /// is put ([`IndexState::put_stored`]).
    pub fn adopt_stored(&mut self, table: StoredTable) {
        self.segments.push(LiveSegment::awaiting(table));
        self.published = None;
    }

    /// Whether files may still be found that are as they were when their index was stored.
    pub fn is_awaiting(&self) -> bool {
        self.segments.iter().any(|live| live.is_awaiting)
    }

    /// Drops what was stored of files that were not found as they were: all are known now.
    pub fn await_no_files(&mut self) {
        if !self.is_awaiting() {
            return;
        }
        self.segments.iter_mut().for_each(|live| live.is_awaiting = false);
        self.segments.retain(|live| live.living_files().next().is_some());
        self.published = None;
    }

    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    pub fn symbol_count(&self) -> usize {
        self.symbols
    }

    /// Returns the revision of the next snapshot.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns how much memory the index takes. Cheap.
    pub fn memory(&self) -> IndexMemory {
        let of_table = |live: &LiveSegment| live.segment.memory() + size_of_val(&*live.files);
        let tables = self.segments.iter().map(of_table).sum();
        IndexMemory { outlines: self.entry_memory.bytes(), tables }
    }

    /// Returns the number of name tables.
    pub fn segment_count(&self) -> usize {
        self.segments.len()
    }

    /// Returns the file at `path`.
    pub fn file(&self, path: &RelPath) -> Option<&Arc<FileEntry>> {
        self.files.get(path.as_str())
    }

    /// Iterates over all files at or beneath `path`.
    pub fn within(&self, path: &RelPath) -> impl Iterator<Item = &Arc<FileEntry>> {
        self.files.within(path)
    }

    /// Returns files that could not be read and may have become readable without an event, in path order.
    pub fn may_be_readable(&self) -> Vec<RelPath> {
        let may_be = |file: &&Arc<FileEntry>| matches!(&file.content, Content::Skipped { why: Skipped::Unreadable, stat } if *stat == Stat::default());
        self.incomplete.skipped.iter().filter(may_be).map(|file| file.path.clone()).collect()
    }

    /// Records that `directory` could not be listed; `why` is the system's error message.
    pub fn record_unlisted(&mut self, directory: RelPath, why: String) {
        if self.unlisted.get(&directory) != Some(&why) {
            Arc::make_mut(&mut self.unlisted).insert(directory, why);
            self.changed();
        }
    }

    /// Records that `directory` has been listed.
    pub fn record_listed(&mut self, directory: &RelPath) {
        if self.unlisted.contains_key(directory) {
            Arc::make_mut(&mut self.unlisted).remove(directory);
            self.changed();
        }
    }

    /// Forgets those unlisted directories at or beneath `path` for which `is_gone` returns `true`.
    pub fn forget_unlisted(&mut self, path: &RelPath, is_gone: impl Fn(&RelPath) -> bool) {
        let is_it = |known: &RelPath| known.is_within(path) && is_gone(known);
        if self.unlisted.keys().any(is_it) {
            Arc::make_mut(&mut self.unlisted).retain(|known, _| !is_it(known));
            self.changed();
        }
    }

    /// Inserts a file, replacing the entry at its path.
    pub fn put(&mut self, entry: Arc<FileEntry>) {
        self.incomplete.note(&entry);
        let old = self.files.insert(entry.clone());
        self.entry_memory.add(&entry);
        old.iter().for_each(|old| self.entry_memory.remove(old));
        // A touched file keeps its symbols, and the tables over them stay valid.
        if let Some(old) = &old
            && old.same_symbols(&entry)
        {
            // Else the list of touched files would be copied each time.
            self.published = None;
            match self.loose.get_mut(&entry.path) {
                Some(loose) => *loose = entry,
                None if entry.symbol_count() > 0 && !self.touched.contains(&entry.path) => {
                    Arc::make_mut(&mut self.touched).insert(entry.path.clone());
                }
                // No table contains it, or it was touched before.
                None => {}
            }
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

    /// Inserts files that are as they were stored. Where the index has a file already that stays: these are removed from `found`, and
    /// returned.
    pub fn put_stored(&mut self, found: &mut Vec<StoredEntry>) -> Vec<StoredEntry> {
        let known = self.files.insert_new(found, |stored| &stored.entry);
        for stored in found.iter() {
            let entry = &stored.entry;
            self.incomplete.note(entry);
            self.entry_memory.add(entry);
            let rows = entry.symbol_count();
            self.symbols += rows;
            if rows > 0 && !self.segments.iter_mut().any(|live| live.find_awaited(stored)) {
                self.loose_rows += rows;
                self.loose.insert(entry.path.clone(), entry.clone());
            }
        }
        if !found.is_empty() {
            self.changed();
        }
        known
    }

    /// Removes the file at `path`. Returns whether there was one.
    pub fn remove(&mut self, path: &RelPath) -> bool {
        let Some(old) = self.files.remove(path.as_str()) else { return false };
        self.entry_memory.remove(&old);
        self.incomplete.remove(path);
        self.forget(path, Some(&old));
        self.changed();
        true
    }

    /// Returns the index as it is now.
    pub fn snapshot(&mut self) -> Arc<Snapshot> {
        if let Some(published) = &self.published {
            return published.clone();
        }
        let snapshot = Arc::new(Snapshot {
            revision: self.revision,
            files: SnapshotFiles { known: self.files.clone(), unread: None },
            symbols: self.symbols,
            incomplete: self.incomplete.clone(),
            unlisted: self.unlisted.clone(),
            segments: self.segments.clone(),
            touched: self.touched.clone(),
            loose: self.loose.values().cloned().collect(),
        });
        self.published = Some(snapshot.clone());
        snapshot
    }

    /// Returns the index as it is now for a question that knows nothing of the files in `unread`.
    pub fn snapshot_without(&mut self, unread: Arc<UnreadFiles>) -> Arc<Snapshot> {
        let mut snapshot = Snapshot::clone(&self.snapshot());
        snapshot.files.unread = Some(unread);
        Arc::new(snapshot)
    }

    /// Returns what is worth building now, if anything: a segment over the loose files, or one over
    /// everything when there are many segments or more than a quarter of their rows is dead. Many dead rows
    /// are reason enough by themselves: they keep the outlines of removed files in memory. So are lost rows.
    pub fn plan(&self) -> Option<SegmentPlan> {
        self.plan_beyond(self.limits.loose_rows, self.limits.loose_files)
    }

    /// Returns what is worth building while files are being added: as [`IndexState::plan`], but each table is to hold a
    /// good part of all rows, so that all of them together take little more time than one at the end.
    pub fn plan_while_growing(&self) -> Option<SegmentPlan> {
        let SegmentThresholds { loose_rows, loose_files, most_loose_files, .. } = self.limits;
        let most_rows =
            if self.loose.len() > most_loose_files { 0 } else { loose_rows.max(self.symbols / 4) };
        self.plan_beyond(most_rows, loose_files.max(self.files.len() / 4))
    }

    /// Returns the plan of one segment over everything.
    pub fn plan_whole(&self) -> SegmentPlan {
        SegmentPlan { replaced: self.segments.clone(), ..self.plan_loose() }
    }

    fn plan_beyond(&self, loose_rows: usize, loose_files: usize) -> Option<SegmentPlan> {
        // Until then each question that meets what is lost reads all outlines of the table.
        if self.segments.iter().any(|live| live.segment.is_lost()) {
            // In memory: what could not be read may be lost on disk again.
            return Some(SegmentPlan { file: None, ..self.plan_whole() });
        }
        let settled = || self.segments.iter().filter(|live| !live.is_awaiting);
        let dead: usize = settled().map(|live| live.dead_rows).sum();
        let rows: usize = settled().map(|live| live.segment.row_count()).sum();
        let mostly_dead = dead * 4 > rows;
        let much_loose = self.loose_rows > loose_rows || self.loose.len() > loose_files;
        let much_dead = mostly_dead && dead > loose_rows;
        if !much_loose && !much_dead {
            return None;
        }
        if !self.is_awaiting() && (self.segments.len() >= self.limits.segments || mostly_dead) {
            return Some(self.plan_whole());
        }
        Some(self.plan_loose())
    }

    fn plan_loose(&self) -> SegmentPlan {
        SegmentPlan {
            loose: self.loose.values().cloned().collect(),
            replaced: Vec::new(),
            file: self.file.clone().map(|file| (file, self.limits.spilled_bytes)),
        }
    }

    /// Adds a segment built from a [`IndexState::plan`] of this state; files that changed since stay loose.
    pub fn adopt(&mut self, built: BuiltSegment) {
        let BuiltSegment { built: SegmentOverFiles { segment, mut files, unreadable }, replaced } = built;
        let mut dead = Vec::new();
        for file in Arc::make_mut(&mut files) {
            match self.files.get(file.path.as_str()).filter(|now| now.same_symbols(file)) {
                Some(now) => {
                    if let Some(loose) = self.loose.remove(&file.path) {
                        self.loose_rows -= loose.symbol_count();
                    }
                    // Its outline may have been let go of meanwhile.
                    *file = now.clone();
                }
                None => dead.push(file.path.clone()),
            }
        }
        let mut live = LiveSegment::new(segment, files);
        dead.iter().for_each(|path| live.mark_dead(path));
        if !replaced.is_empty() {
            // A table that was stored may have come meanwhile.
            let is_replaced = |live: &LiveSegment| replaced.iter().any(|one| Arc::ptr_eq(one, &live.segment));
            self.segments.retain(|live| !is_replaced(live));
            if self.segments.is_empty() {
                self.touched = Arc::default();
            }
            // They are in no table now.
            for file in unreadable {
                if let Some(now) = self.files.get(file.path.as_str()).filter(|now| now.same_symbols(&file))
                    && self.loose.insert(now.path.clone(), now.clone()).is_none()
                {
                    self.loose_rows += now.symbol_count();
                }
            }
        }
        self.segments.push(live);
        self.published = None;
    }

    /// Replaces entries by those that have let go of the same outlines, where the old one is still there. Files in no table keep
    /// theirs, since every question looks at all their rows.
    pub fn let_go(&mut self, replaced: Vec<(Arc<FileEntry>, FileEntry)>) {
        // The last snapshot holds the old entries: it would keep them, and make each change below copy its list.
        self.published = None;
        for (old, new) in replaced {
            let is_known = self.files.get(old.path.as_str()).is_some_and(|now| Arc::ptr_eq(now, &old));
            if !is_known || self.loose.contains_key(&old.path) {
                continue;
            }
            let new = Arc::new(new);
            for live in &mut self.segments {
                if let Some(number) = live.file_number(&old.path).filter(|&number| !live.is_dead(number)) {
                    Arc::make_mut(&mut live.files)[number] = new.clone();
                }
            }
            self.forget_touched(&old.path);
            self.entry_memory.add(&new);
            self.entry_memory.remove(&old);
            self.incomplete.note(&new);
            self.files.insert(new);
        }
    }

    /// Returns the number of files that have let go of their outline, which the cache has.
    pub fn stored_outlines(&self) -> usize {
        self.entry_memory.stored()
    }

    /// Returns how many bytes the outlines take that are in memory for as long as their entries.
    pub fn resident_outlines(&self) -> usize {
        self.entry_memory.resident()
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
            self.segments.iter_mut().for_each(|live| live.mark_dead(path));
            self.forget_touched(path);
        }
    }

    /// Notes that no table contains the file at `path` as it was before it was touched.
    fn forget_touched(&mut self, path: &RelPath) {
        if self.touched.contains(path) {
            Arc::make_mut(&mut self.touched).remove(path);
        }
    }

    fn changed(&mut self) {
        self.revision += 1;
        self.published = None;
    }
}
