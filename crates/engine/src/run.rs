//! The engine's task, the only owner of mutable state. Invariant: it never blocks on IO, parsing or a child
//! process; it takes an event, changes the state, hands work to the pool, and releases questions when the
//! index is fresh.

mod ahead;
mod letting_go;
mod needs;
mod questions;
mod recorded_entries;
mod scan_jobs;
mod verifying;

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::{mpsc, oneshot, watch as tokio_watch};

use self::ahead::Ahead;
use self::letting_go::LettingGo;
pub(super) use self::letting_go::SummariesByContent;
use super::ceiling::Ceiling;
use super::event::{Event, Question};
use super::hard_links::HardLinks;
use super::pending::Pending;
use super::pool::Pool;
use super::question_caches::QuestionCaches;
use super::recorded::{Clock, RecordedEntries, RecordedFiles};
use super::scan::Scanner;
use super::status::{EngineStatus, StatusTally};
use super::stored_outlines::StoredOutlines;
use super::trials::Trials;
use super::verification::Verification;
use super::{OnChange, OutlinedFile};
use symd_base::RelPath;
use symd_index::cache::Cache;
use symd_index::{Content, FileEntry, IndexState, Origin, SegmentPlan, Skipped};
use symd_parse::Parsers;
use symd_resolve::GradleModules;
use symd_vfs::{Change, EntryKind, FileId, Files, Ignore, Stat};
use symd_watch::{Notice, Watch};

/// Number of pending scans above which the watcher is not read: its own queue, then the kernel's, fills up,
/// and an overflow causes a rescan, not a loss. So many that the list of files of any project is complete before
/// they are read.
pub(super) const MAX_PENDING_LOOKS: usize = if cfg!(test) { 1_000 } else { 2_000_000 };
/// Number of new outlines after which the cache is written while the daemon runs.
const STORE_AFTER: usize = 256;
/// The same while files are still being added, unless more than that has been written: a daemon that is killed loses half of its work
/// at most, and what is written is merged rarely …
const STORE_WHILE_GROWING: usize = 4096;
/// … but no more than so many are left unwritten: they stay in memory.
const MOST_UNSTORED: u64 = 24 << 10;
/// The index is stored when one of so many files was read since.
const RECORDED_PARTS: usize = 64;

/// The engine's state.
pub(super) struct Run {
    watch: Arc<Watch>,
    scanner: Arc<Scanner>,
    ignore: Arc<Ignore>,
    pool: Pool,
    trials: Trials,
    links: HardLinks,
    caches: QuestionCaches,
    ceiling: Arc<Ceiling>,
    /// Whether freed memory was given back when the first index was complete.
    gave_back: bool,
    ahead: Ahead,
    letting_go: LettingGo,
    /// How often files were changed that may be build files and that the index does not read.
    build_changes: u64,
    /// Sender for the pool's results. Weak, so that the task ends when the last [`super::Engine`] is dropped.
    sender: mpsc::WeakSender<Event>,
    status: tokio_watch::Sender<EngineStatus>,
    gone: tokio_watch::Sender<bool>,
    state: IndexState,
    recorded: RecordedEntries,
    tally: StatusTally,
    pending: Pending,
    /// Directories that questions needed files of, since files are unread.
    asked_about: BTreeSet<RelPath>,
    /// Questions whose barrier has been sent.
    behind_barrier: Option<(u64, Vec<Question>)>,
    /// Questions that came after the current barrier was sent: they need a barrier made after they were
    /// asked.
    next_barrier: Vec<Question>,
    /// Whether everything that changed before the event that is being handled has been reported, as if a barrier had
    /// arrived.
    knows_all: bool,
    /// Whether the watcher is alive: if not, no question can be answered.
    watched: bool,
    /// Whether a question waits for all scans, as the pool was told.
    is_waited_for: bool,
    /// Number of files that were removed.
    removals: u64,
    crawled: bool,
    building: bool,
    /// Whether tables were built while files were being added.
    has_grown: bool,
    storing: bool,
    unstored: usize,
    /// Number of files that were read since the index was stored.
    unrecorded: usize,
    /// The files that were taken with a recorded state.
    verification: Verification,
    changes: u64,
    /// Whether the index was stored at the end.
    recorded_at_end: bool,
    on_change: Option<OnChange>,
    stopping: Option<oneshot::Sender<()>>,
}

impl Run {
    /// Returns an engine with an empty state, and the receivers of its status and of whether the root is
    /// gone.
    pub(super) fn new(
        (scanner, ignore): (Arc<Scanner>, Arc<Ignore>),
        watch: Arc<Watch>,
        (pool, sender): (Pool, mpsc::WeakSender<Event>),
        mut state: IndexState,
        (caches, ceiling): (QuestionCaches, Arc<Ceiling>),
    ) -> (Run, tokio_watch::Receiver<EngineStatus>, tokio_watch::Receiver<bool>) {
        let (status, told_status) = tokio_watch::channel(EngineStatus::default());
        let (gone, told_gone) = tokio_watch::channel(false);
        let trials = Trials::new(scanner.parsers.trials());
        let tally = StatusTally::new(scanner.languages.clone());
        if let Some(file) = &scanner.stored.file {
            state.keep_tables_in(file.clone());
        }
        let mut run = Run {
            watch,
            scanner,
            ignore,
            pool,
            trials,
            links: HardLinks::default(),
            caches,
            ceiling,
            gave_back: false,
            ahead: Ahead::default(),
            letting_go: LettingGo::default(),
            build_changes: 0,
            sender,
            status,
            gone,
            state,
            recorded: RecordedEntries::Nothing,
            tally,
            pending: Pending::default(),
            asked_about: BTreeSet::new(),
            behind_barrier: None,
            next_barrier: Vec::new(),
            knows_all: false,
            watched: true,
            is_waited_for: false,
            removals: 0,
            crawled: false,
            building: false,
            has_grown: false,
            storing: false,
            unstored: 0,
            unrecorded: 0,
            verification: Verification::default(),
            changes: 0,
            recorded_at_end: false,
            on_change: None,
            stopping: None,
        };
        run.read_recorded();
        (run, told_status, told_gone)
    }

    /// Returns the engine with a callback for every change.
    pub(super) fn with_on_change(mut self, on_change: Option<OnChange>) -> Run {
        self.on_change = on_change;
        self
    }

    /// Runs until stopped.
    pub(super) async fn run(mut self, mut events: mpsc::Receiver<Event>, mut notices: mpsc::Receiver<Event>) {
        loop {
            let next_ready = self.pending.next_ready(Instant::now());
            let event = tokio::select! {
                biased;
                event = events.recv() => event.map(Some),
                event = notices.recv(), if self.takes_notices() => {
                    Some(Some(event.unwrap_or(Event::Unwatched)))
                }
                () = until(next_ready), if next_ready.is_some() => Some(None),
            };
            // All handles are dropped, so no more questions can come.
            let Some(event) = event else { break };
            // A step of a question has its view already.
            if matches!(&event, Some(Event::Ask(question)) if question.on.is_none()) {
                self.knows_all = self.catch_up(&mut notices);
            }
            event.into_iter().for_each(|event| self.handle(event));
            self.knows_all = false;
            self.after_event();
            if self.stopping.is_some() && !self.storing {
                break;
            }
        }
        self.scanner.cancel.cancel();
        if let Some(stopped) = self.stopping.take() {
            let _ = stopped.send(());
        }
        // Must precede the drop of `self`, which joins the watcher's thread: that thread may be blocked on
        // the full channel.
        drop((notices, events));
    }

    /// Handles what the watcher has reported, if it has reported everything. Returns whether it has: then a question needs
    /// no barrier, which would take two changes of threads.
    fn catch_up(&mut self, notices: &mut mpsc::Receiver<Event>) -> bool {
        if !self.takes_notices() || !self.watch.is_quiet() {
            return false;
        }
        // What is in the channel was sent before the look.
        while let Ok(event) = notices.try_recv() {
            self.handle(event);
        }
        self.watched
    }

    pub(super) fn takes_notices(&self) -> bool {
        self.watched
            && self.pending.looks() < MAX_PENDING_LOOKS
            && !matches!(self.recorded, RecordedEntries::Awaited)
    }

    pub(super) fn handle(&mut self, event: Event) {
        match event {
            Event::Noticed(notices) => notices.into_iter().for_each(|notice| self.noticed(notice)),
            Event::Unwatched => self.unwatched(),
            Event::Scanned { job, files, unbegun, later } => {
                self.handle_scanned(job, files);
                self.continue_job(job, unbegun, later);
            }
            Event::Ask(question) => self.ask(question),
            Event::Lacking { question, needs } => self.fetch_needs(question, needs),
            Event::Searched { question, words, found, files } => {
                self.searched(question, words, found, files);
            }
            // Not every file on disk belongs in the index.
            Event::Unsaved(path) => {
                if self.state.file(&path).is_some() || !self.ignore.is_ignored(&path, EntryKind::File) {
                    self.changed(path);
                }
            }
            Event::ServerOutlined(files) => self.outlined(files),
            Event::Recorded(index) => self.recorded_read(index),
            Event::Built(built) => {
                self.building = false;
                self.state.adopt(built);
                self.letting_go.try_again();
                // The first index leaves more memory freed than it takes; the last of it when one table is made of several.
                if self.is_ready() && !self.has_grown && !std::mem::replace(&mut self.gave_back, true) {
                    self.give_memory_back();
                }
            }
            Event::Retry => self.retry(),
            Event::Sweep => self.sweep(),
            // The file may have left the index meanwhile because it is ignored now: not every file on disk
            // belongs in the index.
            Event::Swept(mut paths) => {
                paths.retain(|path| self.state.file(path).is_some());
                self.scan_paths(paths);
            }
            Event::Verified { count, changed, unreadable, unread } => {
                self.verified(count, changed, unreadable, unread);
            }
            Event::OutlinesRead => self.scanner.stored.allow_wake(),
            Event::LetGo { replaced, next, of_several } => self.have_let_go(replaced, next, of_several),
            Event::Grown => self.give_memory_back(),
            Event::OverCeiling => {
                self.letting_go.let_everything_go();
                let (ceiling, caches) = (self.ceiling.clone(), self.caches.clone());
                let parsers = self.scanner.parsers.clone();
                self.pool.urgent_background(move || {
                    store_parses(&parsers);
                    ceiling.let_go(&caches);
                });
            }
            Event::ParsedAhead { revision, is_done, failed } => {
                self.parsed_ahead(revision, is_done, failed);
            }
            Event::Stored => {
                self.storing = false;
                self.letting_go.try_again();
                if self.stopping.is_some() {
                    self.store();
                }
            }
            Event::Stop(stopped) => {
                self.scanner.cancel.cancel();
                self.stopping = Some(stopped);
                // From now on scans end without a result, so no answer would be fresh.
                self.drop_questions();
                self.store();
            }
        }
    }

    /// Does the work that any event may have made possible.
    pub(super) fn after_event(&mut self) {
        // Must be first: a client that gets its answer and reads the status must not see an older one.
        self.tell_status();
        for question in self.pending.ready(Instant::now()) {
            self.release(question);
        }
        // Notices are read again only when scans have ended: no question may hold these back, or its barrier never arrives.
        let is_waited_for = self.pending.is_waited_for() || self.pending.looks() >= MAX_PENDING_LOOKS;
        if self.is_waited_for != is_waited_for {
            self.is_waited_for = is_waited_for;
            self.pool.wait_for_background(self.is_waited_for);
        }
        if self.pending.unread().is_empty() {
            self.caches.searches.clear();
            self.asked_about.clear();
        }
        let is_ready = self.is_ready();
        if is_ready {
            self.recorded = RecordedEntries::Nothing;
            self.state.await_no_files();
        }
        if !self.building
            && let Some(plan) = self.plan_tables(is_ready)
        {
            self.building = true;
            let sender = self.sender.clone();
            self.pool.urgent_background(move || send(&sender, Event::Built(plan.build())));
        }
        self.mind_lost_outlines();
        if self.is_worth_storing(is_ready) || is_ready && self.is_worth_recording() {
            self.store();
        }
        self.let_outlines_go();
        if is_ready && self.stopping.is_none() {
            self.verify();
            self.parse_ahead();
        }
    }

    /// Whether there are enough outlines that the cache does not have.
    fn is_worth_storing(&self, is_ready: bool) -> bool {
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
    fn is_worth_recording(&self) -> bool {
        self.scanner.recorded.is_some()
            && !self.building
            && self.unrecorded >= STORE_AFTER.max(self.state.file_count() / RECORDED_PARTS)
    }

    /// Returns the name table to build now, if any.
    fn plan_tables(&mut self, is_ready: bool) -> Option<SegmentPlan> {
        if !is_ready {
            // Questions are answered meanwhile, and look at every row that is in no table.
            let plan = self.state.plan_while_growing();
            self.has_grown |= plan.is_some();
            return plan;
        }
        // One table over all is faster than several and rows in none.
        if std::mem::take(&mut self.has_grown) { Some(self.state.plan_whole()) } else { self.state.plan() }
    }

    fn is_ready(&self) -> bool {
        self.crawled && self.pending.jobs() == 0
    }

    fn noticed(&mut self, notice: Notice) {
        match notice {
            Notice::Listed { directory, files, states, directories } => {
                self.state.record_listed(&directory);
                self.listed(&directory, (files, states), &directories);
            }
            Notice::Unlisted { directory, why } => {
                self.listed(&directory, (Vec::new(), Vec::new()), &[]);
                self.state.record_unlisted(directory, why);
            }
            Notice::Changed(path) => self.changed(path),
            Notice::Removed(path) => {
                self.caches.plain.changed_within(&path);
                self.remove_within(&path);
            }
            Notice::Crawled => self.crawled = true,
            Notice::Barrier(number) => self.barrier_arrived(number),
            Notice::RootGone => self.unwatched(),
        }
    }

    /// Scans a file that was written, or whose unsaved text was set or removed.
    fn changed(&mut self, path: RelPath) {
        self.caches.plain.changed(&path);
        // For a plain file a scan finds nothing new, since its content is never read.
        if self.state.file(&path).is_some_and(|known| matches!(known.content, Content::Plain)) {
            self.notify(&path, Change::Written);
        }
        let mut paths = self.links.others(&path);
        paths.push(path);
        let is_read = |path: &RelPath| {
            self.state.file(path).is_some_and(|known| matches!(known.content, Content::Code { .. }))
        };
        if paths.iter().any(|path| GradleModules::may_read(path) && !is_read(path)) {
            self.build_changes += 1;
        }
        // What was changed last is asked about next.
        self.scan_changed(paths, |pool, scan| pool.urgent_background(scan));
    }

    /// Handles the end of the watcher: questions that wait for a barrier would wait for ever.
    fn unwatched(&mut self) {
        self.watched = false;
        self.gone.send_replace(true);
        self.drop_questions();
    }

    /// Drops all questions, which reports to their clients that the engine has stopped.
    fn drop_questions(&mut self) {
        self.behind_barrier = None;
        self.next_barrier.clear();
        self.pending.forget_waiting();
    }

    /// Applies the complete listing of a directory: removes what is not in it, and scans what is and is not as it was recorded.
    fn listed(
        &mut self,
        directory: &RelPath,
        (files, states): (Vec<RelPath>, Vec<Option<Stat>>),
        directories: &[RelPath],
    ) {
        self.caches.plain.changed_within(directory);
        let is_gone = |path: &RelPath| !is_listed(directory, path, &files, directories);
        let gone = self.known_within(directory, is_gone);
        self.state.forget_unlisted(directory, is_gone);
        // Includes files not in the index yet, whose scan began before they were removed or ignored.
        self.pending.outdate(directory, is_gone);
        self.remove_unless_unsaved(gone);
        let (mut found, mut changed) = (Vec::new(), Vec::new());
        for (path, state) in files.into_iter().zip(states.into_iter().chain(std::iter::repeat(None))) {
            if self.is_plain_by_name(&path) {
                self.replace_entry(Arc::new(FileEntry { path, content: Content::Plain }));
            } else if let Some(stored) = state.and_then(|state| self.as_recorded(&path, &state)) {
                found.push(stored);
            } else {
                changed.push(path);
            }
        }
        changed.extend(self.take_recorded(found));
        self.scan_paths(changed);
    }

    /// Reports whether a listed file is new, and its name alone says that it is not parsed.
    fn is_plain_by_name(&self, path: &RelPath) -> bool {
        !self.scanner.may_be_code_by_name(path)
            && self.state.file(path).is_none()
            && !self.pending.is_scanned(path)
    }

    /// Records which file `path` names. Returns that file if an earlier scan may have found another name of
    /// it as its only one. `is_new` tells whether the index did not have `path` before; it is asked for few files.
    fn note_link(
        &mut self,
        path: &RelPath,
        stat: Option<Stat>,
        is_new: impl FnOnce(&Run) -> bool,
    ) -> Option<FileId> {
        // Without links the file could not be examined, and must not be taken for a real file.
        let Some(stat) = stat.filter(|stat| stat.links > 0) else {
            self.links.remove(path);
            return None;
        };
        let file = stat.id();
        // Files without an extension are recorded too: the first line decides whether they are code. If
        // another name appears later, the index has no state by which to find this one.
        if stat.links > 1 || path.extension().is_none() {
            let is_first = self.links.add(path, file);
            self.scan_older_names(path, &stat, is_new);
            return (is_first && stat.links > 1).then_some(file);
        }
        self.links.remove(path);
        // Another name appeared while this scan was in progress, or was removed since.
        let others = self.links.names(file);
        if others.is_empty() {
            return None;
        }
        self.scan_paths(others);
        Some(file)
    }

    /// Rescans the names of a file that were read before it changed. During a crawl a write through a name in a directory that is not
    /// watched yet is told for no name, and the names have been read one after another.
    fn scan_older_names(&mut self, path: &RelPath, stat: &Stat, is_new: impl FnOnce(&Run) -> bool) {
        let others = self.links.others(path);
        if others.is_empty() {
            return;
        }
        let is_new = is_new(self);
        // Unsaved texts have times that say nothing about the file's.
        let changed_at = |name: &RelPath| {
            let known = self.state.file(name).and_then(|entry| entry.stat());
            known.map(|known| known.ctime).filter(|&ctime| ctime > 0 && stat.ctime > 0)
        };
        let mut older = Vec::new();
        for name in others {
            match changed_at(&name) {
                Some(ctime) if ctime < stat.ctime && !self.pending.is_scanned(&name) => older.push(name),
                // Only once: it must end where a file system tells different times for the names of a file.
                Some(ctime) if ctime > stat.ctime && is_new && !older.contains(path) => {
                    older.push(path.clone());
                }
                _ => {}
            }
        }
        self.scan_paths(older);
    }

    /// Rescans the files for which the index has a name that is not recorded.
    fn scan_all_names(&mut self, files: &HashSet<FileId>) {
        if files.is_empty() {
            return;
        }
        let is_not_noted = |entry: &&Arc<FileEntry>| {
            let file = entry.stat().map(|stat| stat.id());
            file.is_some_and(|file| files.contains(&file) && !self.links.is_name(&entry.path, file))
        };
        let paths =
            self.state.snapshot().files.iter().filter(is_not_noted).map(|entry| entry.path.clone()).collect();
        self.scan_paths(paths);
    }

    /// Rescans quarantined files.
    fn retry(&mut self) {
        if let Some(quarantine) = self.scanner.parsers.quarantine() {
            quarantine.clear();
        }
        let again = |file: &&Arc<FileEntry>| {
            matches!(file.content, Content::Skipped { why: Skipped::Unparsable, .. })
        };
        let paths = self.state.snapshot().files.iter().filter(again).map(|file| file.path.clone()).collect();
        self.scan_paths(paths);
    }

    /// Adds outlines of files that have no grammar. Each file is scanned once more: it may have changed
    /// since, and the scan that found this may be over.
    fn outlined(&mut self, files: Vec<OutlinedFile>) {
        let mut taken = Vec::new();
        for OutlinedFile { path, hash, stat, fingerprint, outline } in files {
            let Some(old) = self.state.file(&path) else { continue };
            if matches!(&old.content, Content::Code { origin: Origin::Grammar(_), .. }) {
                continue;
            }
            let content =
                Content::Code { origin: Origin::Server(fingerprint), hash, stat, outline: outline.into() };
            let entry = Arc::new(FileEntry { path: path.clone(), content });
            self.changes += 1;
            self.unstored += 1;
            self.tally.remove(old);
            self.tally.add(&entry);
            self.state.put(entry);
            taken.push(path);
        }
        self.scan_paths(taken);
    }

    fn replace_entry(&mut self, entry: Arc<FileEntry>) {
        self.changes += 1;
        let change = self.state.file(&entry.path).map_or(Some(Change::Created), |old| {
            self.tally.remove(old);
            (!old.same_text(&entry)).then_some(Change::Written)
        });
        if let Some(change) = change {
            self.notify(&entry.path, change);
        }
        self.tally.add(&entry);
        if self.scanner.parsers.store_parses() {
            self.ahead.note(&entry);
        }
        self.state.put(entry);
    }

    fn notify(&self, path: &RelPath, change: Change) {
        if let Some(OnChange(tell)) = self.on_change.as_ref().filter(|_| self.crawled) {
            tell(path, change);
        }
    }

    fn remove(&mut self, path: &RelPath) {
        self.removals += 1;
        if let Some(old) = self.state.file(path) {
            self.changes += 1;
            self.tally.remove(old);
            self.state.remove(path);
            self.trials.end(path);
            self.links.remove(path);
            self.notify(path, Change::Deleted);
        }
    }

    fn remove_within(&mut self, path: &RelPath) {
        let gone = self.known_within(path, |_| true);
        self.pending.removed(path);
        self.state.forget_unlisted(path, |_| true);
        self.remove_unless_unsaved(gone);
    }

    /// Returns the files at or beneath `directory` for which `is_meant` holds: those of the index, and those whose first
    /// scan is in progress.
    fn known_within(&self, directory: &RelPath, is_meant: impl Fn(&RelPath) -> bool) -> Vec<RelPath> {
        let listed = self.state.within(directory).map(|file| &file.path);
        let scanned = self.pending.scanned_within(directory).filter(|path| self.state.file(path).is_none());
        listed.chain(scanned).filter(|path| is_meant(path)).cloned().collect()
    }

    /// Removes files that are gone. Where an editor has an unsaved text, a scan decides: that text may outlast its file.
    fn remove_unless_unsaved(&mut self, gone: Vec<RelPath>) {
        let may_stay = |path: &RelPath| {
            self.scanner.files.is_unsaved(path) && !self.ignore.is_ignored(path, EntryKind::File)
        };
        let (unsaved, gone): (Vec<RelPath>, Vec<RelPath>) = gone.into_iter().partition(may_stay);
        gone.iter().for_each(|path| self.remove(path));
        if !unsaved.is_empty() {
            self.scan_paths(unsaved);
        }
    }

    /// Compares every file that was read with its current state on disk: writes through mmap, or through a
    /// hard link outside the project, cause no event.
    fn sweep(&mut self) {
        // Their states are not known.
        self.caches.plain.changed_within(&RelPath::root());
        let (scanner, sender) = (self.scanner.clone(), self.sender.clone());
        let files = self.state.snapshot().files.clone();
        self.pool.background(move || {
            let differs = |file: &FileEntry| {
                file.stat().is_some_and(|then| {
                    !scanner.files.stat_link(&file.path).is_ok_and(|(_, now)| now == then)
                })
            };
            let changed = files.iter().filter(|file| differs(file)).map(|file| file.path.clone()).collect();
            send(&sender, Event::Swept(changed));
        });
    }

    fn store(&mut self) {
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

    /// Has the background give back what was freed.
    fn give_memory_back(&self) {
        let freed = self.ceiling.freed.clone();
        self.pool.background(move || freed.give_back());
    }

    fn tell_status(&mut self) {
        let (ready, cache) = (self.is_ready(), self.scanner.cache.as_ref().map(|cache| cache.status()));
        let is_parsed_ahead = ready && self.ahead.is_done(self.state.revision());
        let (state, tally) = (&self.state, &mut self.tally);
        let (pending, unread) = (self.pending.files(), self.pending.unread().len());
        let (changes, verification) = (self.changes, &self.verification);
        let (mut memory, stored_outlines) = (state.memory(), state.stored_outlines());
        memory.outlines += self.scanner.stored.read_bytes();
        self.caches.budget.set_limit(self.ceiling.for_caches(memory.sum()));
        self.status.send_modify(|status| {
            status.revision = state.revision();
            status.files = state.file_count();
            status.symbols = state.symbol_count();
            status.ready = ready;
            status.pending_files = pending;
            status.unread_files = unread;
            status.changes = changes;
            status.recorded_files = verification.taken;
            status.unverified_files = verification.left();
            status.corrected_files = verification.corrected;
            status.segments = state.segment_count();
            status.memory = memory;
            status.stored_outlines = stored_outlines;
            tally.write(status);
            status.cache = cache.unwrap_or_default();
            status.is_parsed_ahead = is_parsed_ahead;
        });
    }
}

/// Reports whether `path`, which lies beneath `directory`, is in its listing or beneath a directory that is.
fn is_listed(directory: &RelPath, path: &RelPath, files: &[RelPath], directories: &[RelPath]) -> bool {
    let skip = if directory.is_root() { 0 } else { directory.as_str().len() + 1 };
    // A file whose path is now that of the directory is in no listing.
    let Some(rest) = path.as_str().get(skip..) else { return false };
    match rest.find('/') {
        None => files.binary_search(path).is_ok(),
        Some(slash) => {
            directories.binary_search_by(|known| known.as_str().cmp(&path.as_str()[..skip + slash])).is_ok()
        }
    }
}

/// Sends an event from a pool thread to the engine. The engine never waits for the pool, so this does not
/// deadlock; the event is dropped if the engine has stopped.
pub(super) fn send(sender: &mpsc::WeakSender<Event>, event: Event) {
    if let Some(sender) = sender.upgrade() {
        let _ = sender.blocking_send(event);
    }
}

/// Writes what was parsed for questions, however little.
fn store_parses(parsers: &Parsers) {
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

/// Sleeps until `time`.
async fn until(time: Option<Instant>) {
    if let Some(time) = time {
        tokio::time::sleep_until(time.into()).await;
    }
}

/// Creates the scanner of the project's files. `settled_device` is the file system whose files' states say whether their bytes
/// changed, if there is one.
pub(super) fn scanner(
    files: Arc<dyn Files>,
    languages: Arc<symd_config::Languages>,
    cache: Option<Arc<Cache>>,
    (settled_device, clock): (Option<u64>, Clock),
    parsers: Parsers,
) -> Arc<Scanner> {
    let (cancel, preparsed) = (symd_base::Cancel::new(), Arc::default());
    let stored = StoredOutlines::new(files.clone(), cache.clone(), parsers.clone(), cancel.clone());
    let stored = Arc::new(stored);
    let recorded = cache.as_ref().zip(settled_device).map(|(cache, device)| {
        RecordedFiles::new(cache.index_path(files.path()), device, clock, stored.clone())
    });
    Arc::new(Scanner { files, languages, cache, cancel, preparsed, stored, parsers, recorded })
}
