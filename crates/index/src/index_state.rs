//! The state from which snapshots are made; only the engine has it. Invariant: a file's symbols are in one table, or in a loose file.

mod name_tables;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use self::name_tables::SegmentThresholds;
use super::entry_memory::EntryMemory;
use super::file::{Content, FileEntry, Skipped};
use super::files::FileMap;
use super::incomplete_files::IncompleteFiles;
use super::live_segment::LiveSegment;
use super::snapshot::Snapshot;
use super::snapshot_files::SnapshotFiles;
use super::stored_index::StoredEntry;
use super::unread::UnreadFiles;
use symd_base::RelPath;
use symd_base::state::UnnamedFile;
use symd_vfs::Stat;

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

impl IndexState {
    /// Creates an empty index with other thresholds for its name tables.
    pub fn with_limits(limits: SegmentThresholds) -> IndexState {
        IndexState { limits, ..IndexState::default() }
    }

    /// From now on keeps the rows of large tables in the file.
    pub fn keep_tables_in(&mut self, file: Arc<UnnamedFile>) {
        self.file = Some(file);
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
