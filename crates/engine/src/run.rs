//! The engine's task, the only owner of mutable state. Invariant: it never blocks on IO, parsing or a child
//! process; it takes an event, changes the state, hands work to the pool, and releases questions when the
//! index is fresh.

mod ahead;
mod entries;
mod letting_go;
mod link_names;
mod needs;
mod notices;
mod questions;
mod reading_again;
mod recorded_entries;
mod scan_jobs;
mod storing;
mod told_status;
mod verifying;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::{mpsc, oneshot, watch as tokio_watch};

use self::ahead::Ahead;
use self::letting_go::LettingGo;
pub(super) use self::letting_go::SummariesByContent;
use self::storing::store_parses;
use super::OnChange;
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
use symd_base::RelPath;
use symd_index::cache::Cache;
use symd_index::{IndexState, SegmentPlan};
use symd_parse::Parsers;
use symd_vfs::{EntryKind, Files, Ignore};
use symd_watch::Watch;

/// Number of pending scans above which the watcher is not read: its own queue, then the kernel's, fills up,
/// and an overflow causes a rescan, not a loss. So many that the list of files of any project is complete before
/// they are read.
pub(super) const MAX_PENDING_LOOKS: usize = if cfg!(test) { 1_000 } else { 2_000_000 };

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

    /// Has the background give back what was freed.
    fn give_memory_back(&self) {
        let freed = self.ceiling.freed.clone();
        self.pool.background(move || freed.give_back());
    }
}

/// Sends an event from a pool thread to the engine. The engine never waits for the pool, so this does not
/// deadlock; the event is dropped if the engine has stopped.
pub(super) fn send(sender: &mpsc::WeakSender<Event>, event: Event) {
    if let Some(sender) = sender.upgrade() {
        let _ = sender.blocking_send(event);
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
