//! Letting go of outlines that the cache has, when all of them take more than they may. Invariants: the outlines of loose files stay, since
//! every question looks at their rows; a pool thread finds the summary that replaces an outline, and the engine's task makes the new entry.
//! Made on a pool thread, between outlines that come and go, each entry would keep a page of memory.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Run;
use crate::event::Event;
use crate::run::send;
use crate::stored_outlines::StoredOutlines;
use symd_base::RelPath;
use symd_index::cache::Key;
use symd_index::{EntryOutline, FileEntry, OutlineSummaries, OutlineSummary, Snapshot};

/// Outlines per job: the engine's task replaces so many entries in a few milliseconds.
const FILES_PER_JOB: usize = 2048;

/// From this number on summaries are kept on disk together: a walk over all files reads all of them.
const MANY_FILES: usize = 256;

/// Where outlines were let go of, the others are too once they take more than this part of what outlines may take: one in so many.
const LEFT_OF_MOST: usize = 8;

/// Summaries of contents that several files have.
pub(crate) type SummariesByContent = HashMap<Key, OutlineSummary>;

/// The state of letting go.
#[derive(Debug, Default)]
pub(super) struct LettingGo {
    is_running: bool,
    /// Where the next job begins; `None` for the first file.
    next: Option<RelPath>,
    /// Whether a round is under way that goes on to the last file. All outlines are let go of, since a few that stayed would keep many
    /// pages of memory each.
    is_begun: bool,
    /// Bytes of the outlines left after a whole round. Another round frees nothing until more outlines are stored or in a table.
    settled: usize,
    /// Whether the next job begins with the first file, wherever the one that is running ends.
    begins_anew: bool,
    /// Whether outlines were stored, or came into a table, since this round began, which may have passed their files already.
    has_more: bool,
    /// Whether freed memory is still to be given back.
    has_freed: bool,
    /// What this round knows of contents that several files have; while a job runs, the job has it.
    of_several: SummariesByContent,
}

impl LettingGo {
    /// Notes that more outlines than before may be stored or in a table.
    pub(super) fn try_again(&mut self) {
        self.settled = 0;
        self.has_more = true;
    }

    /// Has all outlines let go of that can be.
    pub(super) fn let_everything_go(&mut self) {
        (self.is_begun, self.next) = (true, None);
        // Files that the running job has passed may have read their outlines since.
        self.begins_anew = self.is_running;
    }
}

impl Run {
    /// Lets go of outlines if they take more than they may.
    pub(super) fn let_outlines_go(&mut self) {
        if self.letting_go.is_running || self.scanner.cache.is_none() || self.stopping.is_some() {
            return;
        }
        let (most, settled) = (self.ceiling.for_outlines(), self.letting_go.settled);
        let resident = self.state.resident_outlines();
        let taken = resident + self.scanner.stored.read_bytes();
        // What cannot be let go of would be looked for again after every event.
        let is_much = taken > most && taken > settled + most / 4;
        // Of those that came last: in a large tree a few that stay keep many pages of memory each.
        let is_left =
            self.is_ready() && self.state.stored_outlines() > 0 && resident > settled + most / LEFT_OF_MOST;
        if is_much || is_left {
            self.letting_go.is_begun = true;
        }
        if !self.letting_go.is_begun {
            return;
        }
        self.letting_go.is_running = true;
        let (snapshot, stored, sender) =
            (self.state.snapshot(), self.scanner.stored.clone(), self.sender.clone());
        let from = self.letting_go.next.take().unwrap_or_else(|| {
            self.letting_go.has_more = false;
            RelPath::root()
        });
        let mut of_several = std::mem::take(&mut self.letting_go.of_several);
        self.pool.urgent_background(move || {
            let (replaced, next) = without_outlines(&snapshot, &from, &stored, &mut of_several);
            // Before the engine replaces entries: it would keep the old ones with their outlines.
            drop(snapshot);
            send(&sender, Event::LetGo { replaced, next, of_several });
        });
    }

    /// Replaces entries by those that have let go of their outlines.
    pub(super) fn have_let_go(
        &mut self,
        replaced: ReplacedEntries,
        next: Option<RelPath>,
        of_several: SummariesByContent,
    ) {
        self.letting_go.is_running = false;
        self.letting_go.of_several = of_several;
        self.letting_go.has_freed |= !replaced.is_empty();
        let read = replaced.iter().filter_map(|(old, _)| old.read_bytes()).sum();
        self.scanner.stored.let_go(read);
        self.state.let_go(replaced);
        if std::mem::take(&mut self.letting_go.begins_anew) {
            return;
        }
        self.letting_go.next = next;
        if self.letting_go.next.is_none() {
            self.scanner.stored.forget_read();
            self.letting_go.is_begun = false;
            // With its table, which may be as large as the tree.
            self.letting_go.of_several = SummariesByContent::default();
            if !self.letting_go.has_more {
                self.letting_go.settled = self.state.resident_outlines();
            }
            if std::mem::take(&mut self.letting_go.has_freed) {
                let stored = self.scanner.stored.clone();
                let (kotlin, classes) = (self.caches.kotlin.clone(), self.caches.classes.clone());
                let (snapshot, ceiling) = (self.state.snapshot(), self.ceiling.clone());
                self.pool.background(move || {
                    // Not all of it: a question after each round would find out everything again.
                    kotlin.forget_older(snapshot.revision, &snapshot.files);
                    classes.forget_others(&snapshot.files);
                    drop(snapshot);
                    stored.sweep();
                    ceiling.freed.give_back();
                    ceiling.measure_again();
                });
            }
        }
    }

    /// Scans the files whose outline was lost and whose text has changed, and counts the outlines that were made again as not stored.
    pub(super) fn mind_lost_outlines(&mut self) {
        self.unstored += self.scanner.stored.take_remade();
        let lost = self.scanner.stored.take_unscanned();
        if lost.is_empty() {
            return;
        }
        // The old entry stays until then: questions that wait for earlier scans must not meet a file without symbols.
        let lost = lost.into_iter().filter(|path| self.state.file(path).is_some()).collect();
        self.scan_paths(lost);
    }
}

/// Entries, each with the one that is to replace it.
type ReplacedEntries = Vec<(Arc<FileEntry>, FileEntry)>;

/// Returns entries from `from` on that can let go of their outlines, and where the next job begins.
fn without_outlines(
    snapshot: &Snapshot,
    from: &RelPath,
    stored: &Arc<StoredOutlines>,
    of_several: &mut SummariesByContent,
) -> (ReplacedEntries, Option<RelPath>) {
    let mut files = snapshot.not_loose_from(from).filter(|file| stored.can_let_go(file));
    let some: Vec<&Arc<FileEntry>> = files.by_ref().take(FILES_PER_JOB).collect();
    let summaries = summaries(&some, stored, of_several);
    let without = |file: &&Arc<FileEntry>| {
        let summary = file.key().and_then(|key| summaries.get(&key))?;
        Some((Arc::clone(file), file.without_outline(summary.clone())?))
    };
    (some.iter().filter_map(without).collect(), files.next().map(|file| file.path.clone()))
}

/// Returns the summary of each content among the files: that of another file with the same content, as far as this job or `of_several` knows
/// one, or a new one. One that is lost is no longer used.
fn summaries(
    files: &[&Arc<FileEntry>],
    stored: &Arc<StoredOutlines>,
    of_several: &mut SummariesByContent,
) -> SummariesByContent {
    let sound = |outline: &EntryOutline| outline.summary().filter(|one| !one.is_lost()).cloned();
    let summary = |file: &FileEntry| file.file_outline().and_then(sound);
    let mut known: SummariesByContent =
        files.iter().filter_map(|file| Some((file.key()?, summary(file)?))).collect();
    // In path order, as questions go through them.
    let (mut new, mut new_keys) = (Vec::new(), HashSet::new());
    for file in files.iter().filter(|file| summary(file).is_none()) {
        if let (Some(key), Some(outline)) =
            (file.key(), file.file_outline().and_then(EntryOutline::in_memory))
            && !known.contains_key(&key)
        {
            if let Some(summary) = of_several.get(&key).filter(|summary| !summary.is_lost()) {
                known.insert(key, summary.clone());
            } else if new_keys.insert(key) {
                new.push((key, outline.clone()));
            }
        }
    }
    if new.is_empty() {
        return known;
    }
    let file = stored.file.as_ref().filter(|_| new.len() >= MANY_FILES);
    let summaries = OutlineSummaries::summarize(&new, stored.clone(), file);
    for ((key, outline), summary) in new.into_iter().zip(summaries) {
        // More than its entry and this list have the outline: another file has the same content.
        if Arc::strong_count(&outline) > 2 {
            of_several.insert(key, summary.clone());
        }
        known.insert(key, summary);
    }
    known
}
