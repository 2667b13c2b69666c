//! Files that are as the last daemon recorded them: their entries are put into the index when they are listed. Invariant: only where the state
//! was taken with the listing, and no scan of the file is under way.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::Run;
use crate::event::Event;
use crate::recorded::RecordedEntries;
use crate::run::send;
use symd_base::RelPath;
use symd_index::stored_index::{StoredEntry, StoredIndex};
use symd_vfs::{Change, Stat};

impl Run {
    /// Has the index read that the last daemon stored.
    pub(super) fn read_recorded(&mut self) {
        if self.scanner.recorded.is_none() {
            return;
        }
        self.recorded = RecordedEntries::Awaited;
        let (scanner, sender) = (self.scanner.clone(), self.sender.clone());
        self.pool.question(move || {
            let read = || scanner.recorded.as_ref()?.read(|entry| scanner.may_take_recorded(entry));
            // Sent whatever happens: listings wait for it.
            let index = catch_unwind(AssertUnwindSafe(read)).ok().flatten();
            send(&sender, Event::Recorded(index));
        });
    }

    pub(super) fn recorded_read(&mut self, index: Option<StoredIndex>) {
        let is_awaited = matches!(self.recorded, RecordedEntries::Awaited);
        self.recorded = RecordedEntries::Nothing;
        if let Some(StoredIndex { entries, table }) = index.filter(|_| is_awaited) {
            self.recorded = RecordedEntries::Read { entries, near: 0 };
            self.state.adopt_stored(table);
        }
    }

    /// Returns the recorded entry of a file that was listed in this state, if it may be taken.
    pub(super) fn as_recorded(&mut self, path: &RelPath, state: &Stat) -> Option<StoredEntry> {
        let stored = self.recorded.find(path, state)?;
        let may_be_taken = !self.pending.is_scanned(path) && !self.scanner.files.is_unsaved(path);
        may_be_taken.then(|| stored.clone())
    }

    /// Puts recorded entries into the index. Returns the files that it knows already.
    pub(super) fn take_recorded(&mut self, mut found: Vec<StoredEntry>) -> Vec<RelPath> {
        if found.is_empty() {
            return Vec::new();
        }
        let known = self.state.put_stored(&mut found);
        let stores_parses = self.scanner.parsers.store_parses();
        let mut linked = HashSet::new();
        for StoredEntry { entry, .. } in &found {
            self.changes += 1;
            self.notify(&entry.path, Change::Created);
            self.tally.add(entry);
            if stores_parses {
                self.ahead.note(entry);
            }
            self.verification.add(entry);
            linked.extend(self.note_link(&entry.path, entry.stat(), |_| true));
        }
        self.scan_all_names(&linked);
        known.into_iter().map(|stored| stored.entry.path.clone()).collect()
    }
}
