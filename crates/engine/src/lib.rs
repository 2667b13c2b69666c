//! The engine: one task owns all mutable state, readers hold snapshots. It knows files, symbols and the
//! watcher, but not tools. Invariant (freshness): a question runs on an index that contains every file change
//! completed before the question was asked.

mod by_need;
mod cache_budget;
mod ceiling;
mod claim;
mod event;
mod freed_memory;
mod gate;
mod hard_links;
mod kept_classes;
mod kept_kotlin;
mod kept_plain;
mod memory;
mod operator_facts;
mod pending;
mod pool;
mod preparsed;
mod question_caches;
mod read_texts;
mod recent_parses;
mod recorded;
mod run;
mod scan;
mod searches;
mod shared_outlines;
mod status;
mod step_texts;
mod steps_here;
mod stored_outlines;
mod trials;
mod turns;
mod verification;
mod view;
mod view_here;
mod view_words;
mod word_search;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc, oneshot, watch as tokio_watch};
use tokio::time::timeout;

pub use ceiling::{LetGo, MemoryOptions};
pub use gate::{Busy, QuestionsPaused};
pub use kept_plain::PlainFile;
pub use memory::EngineMemory;
pub use preparsed::PreparsedOutline;
pub use scan::MAX_PARSED_BYTES;
pub use status::{EngineStatus, SkippedFiles, UnparsableFile};
pub use steps_here::{StepsHere, ThreadPlace};
pub use turns::EditTurn;
pub use view::{CurrentError, CurrentText, View};
pub use view_here::ViewHere;

use by_need::ByNeed;
use ceiling::Ceiling;
use event::{Event, Question, QuestionLength, QuestionRun};
use gate::QuestionGate;
use pool::Pool;
use preparsed::PreparsedOutlines;
use question_caches::QuestionCaches;
use recorded::{Clock, RecordedFiles};
use run::Run;
use scan::Scanner;
use symd_base::state::{self, StateError};
use symd_base::{ContentHash, RelPath, cores};
use symd_config::Languages;
use symd_index::IndexState;
use symd_index::cache::{Cache, Key};
use symd_parse::{Parsers, Warm};
use symd_syntax::Outline;
use symd_sys::clock::ClockReading;
use symd_vfs::{Change, Ignore, IgnoreSettings, Overlay, Root, Stat, TextOrigin, UnsavedTexts, Vendored};
use symd_watch::{Notice, Watch, WatchError, WatchOptions};
use turns::EditQueue;

/// Capacity of the engine's event queue. When it is full, clients and pool threads wait; the engine waits for
/// neither, so the queue drains.
const EVENT_QUEUE: usize = 1024;
/// Capacity of the queue of notice batches. When it is full the watcher's thread waits, and the kernel's
/// queue fills.
const NOTICE_QUEUE: usize = 64;

/// Time for which running questions may still be answered when the engine has ended.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

/// A handle of a running engine. Cheap to clone. The engine ends with [`Engine::shutdown`], or when the last
/// clone is dropped.
#[derive(Clone, Debug)]
pub struct Engine {
    events: mpsc::Sender<Event>,
    unsaved: Arc<UnsavedTexts>,
    status: tokio_watch::Receiver<EngineStatus>,
    gone: tokio_watch::Receiver<bool>,
    watch: Arc<Watch>,
    cache: Option<Arc<Cache>>,
    gate: QuestionGate,
    turns: EditQueue,
    /// Limits what runs at once on threads of those that ask ([`Engine::view_here`], [`StepsHere::ask_on`]).
    outside_pool: Arc<Semaphore>,
    /// Limits the questions that have a thread of their own ([`Engine::thread_place`]).
    question_threads: Arc<Semaphore>,
    preparsed: Arc<PreparsedOutlines>,
    parsers: Parsers,
    caches: QuestionCaches,
    ceiling: Arc<Ceiling>,
}

/// Options for starting an engine.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    pub root: PathBuf,
    /// The texts that editors have not saved; changed only by [`Engine::set_unsaved`] and
    /// [`Engine::remove_unsaved`].
    pub unsaved: Arc<UnsavedTexts>,
    /// The languages that symd knows in this project.
    pub languages: Arc<Languages>,
    /// A private directory of symd's, for barrier files.
    pub runtime_directory: PathBuf,
    /// Directory of the cached outlines of this repository; `None` for no cache.
    pub cache_directory: Option<PathBuf>,
    pub watch: WatchOptions,
    /// Interval of the sweep for changes that cause no event.
    pub sweep_every: Duration,
    /// The means by which files are parsed.
    pub parsers: Parsers,
    pub memory: MemoryOptions,
    /// Callback for every file that changed after the first crawl, called before a question can see the
    /// change.
    pub on_change: Option<OnChange>,
}

/// A file without a grammar, with an outline built from a language server's symbols.
#[derive(Clone, Debug)]
pub struct OutlinedFile {
    pub path: RelPath,
    /// Hash of the bytes from which the outline was built.
    pub hash: ContentHash,
    /// The file's state when those bytes were read.
    pub stat: Stat,
    /// Identifies the server and its version: equal bytes and equal fingerprints give equal outlines.
    pub fingerprint: u64,
    pub outline: Arc<Outline>,
}

/// A callback for changed files. It runs on the engine's task, so it must not block.
#[derive(Clone)]
pub struct OnChange(pub Arc<ChangeCallback>);

/// The callback's type: called with each changed file.
type ChangeCallback = dyn Fn(&RelPath, Change) + Send + Sync;

impl std::fmt::Debug for OnChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OnChange")
    }
}

/// Reasons why an engine does not start or does not answer.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The root cannot be opened.
    #[error("cannot open the project root {path}: {source}")]
    Root {
        path: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// The watcher did not start.
    #[error(transparent)]
    Watch(#[from] WatchError),
    /// symd's own directories are not usable.
    #[error(transparent)]
    State(#[from] StateError),
    /// The engine has stopped, or dropped the question.
    #[error("the daemon is stopping (or lost its project's root); ask again, which starts a new one")]
    Stopped,
    /// The freshness of the index cannot be determined.
    #[error(
        "cannot determine whether the index is up to date: {0}; fix this (a full disk, a directory that was removed), then ask again"
    )]
    NoBarrier(String),
    /// The question panicked.
    #[error(
        "internal error (a bug in symd) while answering this request; see `symd logs`. Other requests are not affected"
    )]
    Panicked,
}

impl EngineError {
    /// Returns the error for a root at `path` that cannot be opened.
    pub fn root(path: &Path, source: std::io::Error) -> EngineError {
        EngineError::Root { path: path.display().to_string(), source }
    }
}

impl Engine {
    /// Starts watching and indexing. Returns at once; the first crawl continues in the background. Must be
    /// called within a tokio runtime.
    pub fn start(options: EngineOptions) -> Result<Engine, EngineError> {
        Engine::start_with(options, IndexState::default(), ClockReading::now)
    }

    fn start_with(options: EngineOptions, state: IndexState, clock: Clock) -> Result<Engine, EngineError> {
        let root = Root::open(&options.root).map_err(|source| EngineError::root(&options.root, source))?;
        let root = Arc::new(root);
        state::private_dir(&options.runtime_directory)?;
        // Without a cache, starts are slower; nothing else changes.
        let cache = options.cache_directory.as_deref().and_then(|directory| {
            Cache::open(directory).map_err(|error| tracing::warn!(%error, "continuing without a cache")).ok()
        });
        let settings = IgnoreSettings {
            vendored: vendored(&options.languages),
            global: IgnoreSettings::global_excludes(|name| std::env::var_os(name)),
        };
        let ignore = Arc::new(Ignore::new(&root, settings));
        let settled = (root.settled_device(), clock);
        let files = Arc::new(Overlay::new(root.clone(), options.unsaved.clone()));
        let scanner = run::scanner(files, options.languages, cache.map(Arc::new), settled, options.parsers);
        let takes_states = scanner.recorded.as_ref().is_some_and(RecordedFiles::is_stored);
        let (notice_sender, notices) = mpsc::channel(NOTICE_QUEUE);
        let watch = Watch::start(
            root,
            ignore.clone(),
            &options.runtime_directory,
            &WatchOptions { takes_states, ..options.watch },
            sink(notice_sender),
        )?;
        let ceiling = Ceiling::new(options.memory);
        let engine = Engine::run(
            (scanner, ignore, options.unsaved),
            (watch, notices),
            (state, ceiling),
            options.on_change,
        );
        engine.sweep_every(options.sweep_every);
        Ok(engine)
    }

    fn run(
        parts: (Arc<Scanner>, Arc<Ignore>, Arc<UnsavedTexts>),
        (watch, notices): (Watch, mpsc::Receiver<Event>),
        (state, ceiling): (IndexState, Ceiling),
        on_change: Option<OnChange>,
    ) -> Engine {
        let (events, receiver) = mpsc::channel(EVENT_QUEUE);
        let (cache, preparsed) = (parts.0.cache.clone(), parts.0.preparsed.clone());
        let parsers = parts.0.parsers.clone();
        let watch = Arc::new(watch);
        let (scanner, ignore, unsaved) = parts;
        scanner.stored.tell(events.downgrade(), ceiling.for_outlines());
        let (caches, ceiling) = (QuestionCaches::new(ceiling.for_caches(0)), Arc::new(ceiling));
        let pool = Pool::new(memory_check(caches.clone(), ceiling.clone(), events.downgrade()));
        let (pool, memory) = ((pool, events.downgrade()), (caches.clone(), ceiling.clone()));
        let (run, status, gone) = Run::new((scanner, ignore), watch.clone(), pool, state, memory);
        tokio::spawn(run.with_on_change(on_change).run(receiver, notices));
        Engine {
            events,
            unsaved,
            status,
            gone,
            watch,
            cache,
            gate: QuestionGate::default(),
            turns: EditQueue::default(),
            outside_pool: Arc::new(Semaphore::new(cores::count())),
            question_threads: Arc::new(Semaphore::new(steps_here::MAX_THREADS)),
            preparsed,
            parsers,
            caches,
            ceiling,
        }
    }

    /// Runs `question` on a pool thread as soon as the index, after the first crawl, contains everything
    /// written before this call. Dropping the future before then drops the question.
    pub async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&View) -> T + Send + 'static,
    ) -> Result<T, EngineError> {
        self.submit(None, QuestionLength::Short, move |view| question(view)).await
    }

    /// Returns a view that contains everything written before this call: for a question of several steps
    /// ([`Engine::ask_on`]). Holding it delays no edit.
    pub async fn view(&self) -> Result<Arc<View>, EngineError> {
        self.submit(None, QuestionLength::Instant, Arc::clone).await
    }

    /// Runs a step of a question on a pool thread, on the question's view. An edit may come between two steps:
    /// [`View::changed_file`] tells whether one changed a file that the question read.
    pub async fn ask_on<T: Send + 'static>(
        &self,
        view: Arc<View>,
        question: impl FnOnce(&View) -> T + Send + 'static,
    ) -> Result<T, EngineError> {
        self.submit(Some(view), QuestionLength::Short, move |view| question(&view.of_step())).await
    }

    /// Like [`Engine::ask`], for a question that may take long, such as a search: however many of them run,
    /// other questions are still answered.
    pub async fn ask_long<T: Send + 'static>(
        &self,
        question: impl FnOnce(&View) -> T + Send + 'static,
    ) -> Result<T, EngineError> {
        self.submit(None, QuestionLength::Long, move |view| question(view)).await
    }

    /// Like [`Engine::ask`], for a question that can be run several times: it does not wait for files that it
    /// needs nothing of. It runs as soon as all files are listed; what it needs and what was not read yet is
    /// fetched, and it runs again, until it lacks nothing ([`symd_index::SnapshotFiles`] notes what it needs). Nothing
    /// of the view's snapshot may leave the question but as its answer.
    pub async fn ask_by_need<T: Send + 'static>(
        &self,
        question: impl Fn(&View) -> T + Send + 'static,
    ) -> Result<T, EngineError> {
        self.submit_by_need(QuestionLength::Short, move |view| question(view)).await
    }

    /// Like [`Engine::ask_by_need`], for a question that may take long.
    pub async fn ask_long_by_need<T: Send + 'static>(
        &self,
        question: impl Fn(&View) -> T + Send + 'static,
    ) -> Result<T, EngineError> {
        self.submit_by_need(QuestionLength::Long, move |view| question(view)).await
    }

    async fn submit_by_need<T: Send + 'static>(
        &self,
        length: QuestionLength,
        question: impl Fn(&Arc<View>) -> T + Send + 'static,
    ) -> Result<T, EngineError> {
        let (answer, answered) = oneshot::channel();
        // Held to the end: no edit comes between two runs.
        let passed = self.gate.pass().await;
        let closings = passed.closings();
        let run = QuestionRun::ByNeed(ByNeed::new(question, answer, (passed, closings)));
        self.send(Event::Ask(Question::new(length, None, run)), answered).await
    }

    async fn submit<T: Send + 'static>(
        &self,
        on: Option<Arc<View>>,
        length: QuestionLength,
        question: impl FnOnce(&Arc<View>) -> T + Send + 'static,
    ) -> Result<T, EngineError> {
        let (answer, answered) = oneshot::channel();
        // Held from before the barrier until the end: otherwise an edit could show in the texts but not in
        // the index.
        let passed = self.gate.pass().await;
        let run = Box::new(move |view: Result<Arc<View>, EngineError>| {
            let _inside = passed;
            if !answer.is_closed() {
                let said = view.and_then(|view| {
                    catch_unwind(AssertUnwindSafe(|| question(&view))).map_err(|_| EngineError::Panicked)
                });
                let _ = answer.send(said);
            }
        });
        self.send(Event::Ask(Question::new(length, on, QuestionRun::Once(run))), answered).await
    }

    /// Sends a question, and waits for its answer.
    async fn send<T>(
        &self,
        question: Event,
        mut answered: oneshot::Receiver<Result<T, EngineError>>,
    ) -> Result<T, EngineError> {
        self.events.send(question).await.map_err(|_| EngineError::Stopped)?;
        let answer = tokio::select! {
            biased;
            answer = &mut answered => answer.ok(),
            // A question that was sent while the engine ended may stay in the channel, answered by nothing.
            () = self.events.closed() => timeout(LAST_ANSWERS, answered).await.ok().and_then(Result::ok),
        };
        answer.ok_or(EngineError::Stopped)?
    }

    /// Waits until no question is running, and blocks new ones until the returned guard is dropped: for an
    /// edit that is changing files. A caller must not ask a question while it holds the guard.
    pub async fn pause_questions(&self) -> Result<QuestionsPaused, Busy> {
        self.gate.close().await
    }

    /// Blocks new questions as [`Engine::pause_questions`] does; returns `None` at once if one is running.
    pub fn try_pause_questions(&self) -> Option<QuestionsPaused> {
        self.gate.try_close()
    }

    /// Waits until no other edit has a turn: for an edit whose files changed between planning and applying.
    pub async fn turn(&self) -> EditTurn {
        self.turns.take().await
    }

    /// Waits for a turn for an edit that is about to be planned; returns `None` at once if no edit has one.
    pub async fn turn_if_contended(&self) -> Option<EditTurn> {
        self.turns.behind_others().await
    }

    /// Sets the text that an editor shows for the file at `path`, which must contain no link and lie in the
    /// project. Questions asked after this call, by every client, see it in the file's place: its text, outline
    /// and occurrences, and after the file was removed too, if `origin` says that there was one. An older `version` than the known one is ignored.
    pub async fn set_unsaved(
        &self,
        path: RelPath,
        version: i64,
        text: &str,
        origin: TextOrigin,
    ) -> Result<(), EngineError> {
        // Reserved first: a future that is dropped here leaves nothing half done.
        let event = self.events.reserve().await.map_err(|_| EngineError::Stopped)?;
        if self.unsaved.set(&path, version, text, origin) {
            event.send(Event::Unsaved(path));
        }
        Ok(())
    }

    /// Removes the unsaved text of `path`: its editor saved the file or closed it. Questions asked after this
    /// call see the file on disk.
    pub async fn remove_unsaved(&self, path: RelPath) -> Result<(), EngineError> {
        let event = self.events.reserve().await.map_err(|_| EngineError::Stopped)?;
        if self.unsaved.remove(&path) {
            event.send(Event::Unsaved(path));
        }
        Ok(())
    }

    /// Returns the texts that editors have not saved.
    pub fn unsaved(&self) -> &UnsavedTexts {
        &self.unsaved
    }

    /// Adds outlines that were made elsewhere. Questions asked after this call see them, as long as the files
    /// are unchanged.
    pub async fn add_server_outlines(&self, files: Vec<OutlinedFile>) -> Result<(), EngineError> {
        self.events.send(Event::ServerOutlined(files)).await.map_err(|_| EngineError::Stopped)
    }

    /// Supplies outlines of texts that are about to be written, so that the index need not parse them.
    pub fn add_preparsed(&self, outlines: Vec<PreparsedOutline>) {
        self.preparsed.add(outlines);
    }

    /// Drops outlines of texts that were not written after all, by the hashes of those texts.
    pub fn remove_preparsed(&self, hashes: &[ContentHash]) {
        self.preparsed.forget(hashes);
    }

    /// Returns how many files were not parsed because [`Engine::add_preparsed`] had supplied the outline: for
    /// tests and measurements.
    pub fn parses_avoided(&self) -> usize {
        self.preparsed.taken()
    }

    /// Returns the cached outline of bytes with this hash.
    pub fn cached(&self, hash: ContentHash, fingerprint: u64) -> Option<Outline> {
        self.cache.as_ref()?.get(Key { content: hash, fingerprint })
    }

    /// Returns the engine's current status, without waiting.
    pub fn status(&self) -> EngineStatus {
        let mut status = self.status.borrow().clone();
        status.watcher = self.watch.counters();
        for file in &mut status.unparsable {
            file.why = self.parsers.why_unparsable(&file.path);
        }
        status
    }

    /// Retries files that are quarantined because workers failed on them. Questions asked after this call
    /// wait for that.
    pub async fn retry_unparsable(&self) -> Result<(), EngineError> {
        self.events.send(Event::Retry).await.map_err(|_| EngineError::Stopped)
    }

    /// Keeps a parse worker ready for the next change, until the returned guard is dropped.
    pub fn keep_warm(&self) -> Warm {
        self.parsers.keep_warm()
    }

    /// Returns the current [`EngineStatus::without_outline`], cheaply, because every question about symbols
    /// needs it.
    pub fn without_outline(&self) -> BTreeMap<String, usize> {
        self.status.borrow().without_outline.clone()
    }

    /// Waits until the index, after the first crawl, contains everything that was written before this call.
    pub async fn wait_until_fresh(&self) -> Result<EngineStatus, EngineError> {
        self.submit(None, QuestionLength::Instant, |_| ()).await?;
        Ok(self.status())
    }

    /// Waits until the index is ready and nothing is left to be parsed ahead of questions.
    pub async fn wait_until_parsed_ahead(&self) {
        let _ = self.status.clone().wait_for(|status| status.is_parsed_ahead).await;
    }

    /// Waits until the root directory is gone, or the engine has ended.
    pub async fn wait_until_gone(&self) {
        let _ = self.gone.clone().wait_for(|gone| *gone).await;
    }

    /// Stops watching, and writes new outlines to the cache.
    pub async fn shutdown(&self) {
        let (stopped, done) = oneshot::channel();
        if self.events.send(Event::Stop(stopped)).await.is_ok() {
            let _ = done.await;
        }
    }

    fn sweep_every(&self, period: Duration) {
        let events = self.events.downgrade();
        tokio::spawn(async move {
            let mut ticks = tokio::time::interval(period);
            ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            ticks.tick().await;
            loop {
                ticks.tick().await;
                let Some(events) = events.upgrade() else { return };
                if events.send(Event::Sweep).await.is_err() {
                    return;
                }
            }
        });
    }
}

/// Returns what is done after each question, scan and build of tables: what they took is compared with what there is to take.
fn memory_check(
    caches: QuestionCaches,
    ceiling: Arc<Ceiling>,
    events: mpsc::WeakSender<Event>,
) -> impl Fn() + Send + Sync + 'static {
    move || {
        caches.trim();
        let Some(taken) = freed_memory::taken() else { return };
        if ceiling.is_exceeded(taken) {
            run::send(&events, Event::OverCeiling);
        } else if ceiling.freed.has_grown(taken) {
            run::send(&events, Event::Grown);
        }
    }
}

/// Returns a sink that forwards the watcher's notices. It ends the watcher once the engine no longer
/// receives.
fn sink(notices: mpsc::Sender<Event>) -> impl FnMut(Vec<Notice>) -> ControlFlow<()> + Send + 'static {
    move |batch| match notices.blocking_send(Event::Noticed(batch)) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    }
}

/// Returns the languages' rules for vendored directories, in the form of the ignore rules.
pub fn vendored(languages: &Languages) -> Vendored {
    let mut vendored = Vendored::default();
    for rule in languages.vendored_rules() {
        if rule.beside.is_empty() && rule.holding.is_empty() {
            vendored.names.push(rule.name.clone());
        }
        if !rule.beside.is_empty() {
            vendored.beside.push((rule.name.clone(), rule.beside.clone()));
        }
        if !rule.holding.is_empty() {
            vendored.holding.push((rule.name.clone(), rule.holding.clone()));
        }
    }
    vendored
}
