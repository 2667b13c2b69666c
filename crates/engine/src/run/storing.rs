//! What is written to the disk for the next start: outlines in the cache, the index, what was parsed for questions. Invariant: one job at a time,
//! and a state that is stored is older than the snapshot that is stored with it.

use tokio::sync::mpsc;

use super::Run;
use crate::event::Event;
use crate::recorded::RecordedFiles;
use crate::run::send;
use symd_parse::Parsers;

/// Number of new outlines after which the cache is written while the daemon runs.
const STORE_AFTER: usize = 256;
/// The same while files are still being added, unless more than that has been written: a daemon that is killed loses half of its work
/// at most, and what is written is merged rarely …
const STORE_WHILE_GROWING: usize = 4096;
/// … but no more than so many are left unwritten: they stay in memory.
const MOST_UNSTORED: u64 = 24 << 10;
/// The index is stored when one of so many files was read since.
const RECORDED_PARTS: usize = 64;

impl Run {
    /// Whether there are enough outlines that the cache does not have.
    pub(super) fn is_worth_storing(&self, is_ready: bool) -> bool {
        let cache = || self.status.borrow().cache;
        match is_ready {
            true => self.unstored >= STORE_AFTER || self.unstored > 0 && cache().packs == 0,
            false => {
                self.unstored >= STORE_WHILE_GROWING
                    && self.unstored as u64 >= cache().written.min(MOST_UNSTORED)
            }
        }
    }

    /// Whether so many files were read since that the index is stored again. Without that the next start reads these, if this daemon is
    /// killed. All of a large index is written, so seldom.
    pub(super) fn is_worth_recording(&self) -> bool {
        self.scanner.recorded.is_some()
            && !self.building
            && self.unrecorded >= STORE_AFTER.max(self.state.file_count() / RECORDED_PARTS)
    }

    pub(super) fn store(&mut self) {
        if self.storing {
            return;
        }
        // What is not ready lacks files, and their states would be lost. While a table is made, the one to store is not there yet.
        let is_last = self.stopping.is_some() && !self.recorded_at_end;
        let lacks_files = |recorded: &RecordedFiles| self.unrecorded > 0 || is_last && recorded.lacks_files();
        let records = self.is_ready()
            && (is_last || !self.building)
            && self.scanner.recorded.as_ref().is_some_and(lacks_files);
        let cache = self.scanner.cache.clone().filter(|_| self.unstored > 0 || records);
        let has_parses = self.stopping.is_some() && !std::mem::replace(&mut self.ahead.is_stored, true);
        if cache.is_none() && !has_parses {
            return;
        }
        self.storing = true;
        self.unstored = 0;
        if records {
            self.unrecorded = 0;
        }
        self.recorded_at_end |= is_last;
        let scanner = self.scanner.clone();
        // Read now: a state that is written must be older than the snapshot.
        let now = scanner.recorded.as_ref().filter(|_| records).map(RecordedFiles::now);
        let sender = self.sender.clone();
        let snapshot = self.state.snapshot();
        let freed = self.ceiling.freed.clone();
        let is_whole = self.is_ready();
        // Ahead of the files that are still to be scanned: a question that waits for all of them waits for one more job.
        self.pool.next_background(move || {
            // Sent even if this panics, because the engine's shutdown waits for it.
            let _told = SendStoredOnDrop(sender);
            if has_parses {
                store_parses(&scanner.parsers);
            }
            let Some(cache) = cache else { return };
            let files = snapshot.files.iter();
            let live: Vec<_> =
                files.filter_map(|file| Some((file.key()?, file.file_outline()?.clone()))).collect();
            let stored = if is_whole { cache.store(&live) } else { cache.add(&live) };
            if let Err(error) = stored {
                tracing::warn!(%error, "cannot write the cache; the next start parses these files again");
            }
            // It is not needed again soon.
            let bytes = size_of_val(&*live);
            drop(live);
            if let (Some(recorded), Some(now)) = (&scanner.recorded, now) {
                recorded.store(&now, &snapshot, |file| file.key().is_some_and(|key| cache.has(key)));
            }
            drop(snapshot);
            freed.note(bytes);
        });
    }
}

/// Writes what was parsed for questions, however little.
pub(super) fn store_parses(parsers: &Parsers) {
    if let Err(error) = parsers.write_parses(1) {
        tracing::warn!(%error, "cannot store what was parsed for questions; it is parsed again");
    }
}

/// A guard that reports the end of writing the cache, even after a failure.
struct SendStoredOnDrop(mpsc::WeakSender<Event>);

impl Drop for SendStoredOnDrop {
    fn drop(&mut self) {
        send(&self.0, Event::Stored);
    }
}
