//! The engine: one task owns everything that changes, readers hold snapshots. It knows files, symbols and the
//! watcher; it does not know tools. Invariant (freshness): a question runs on an index that shows every file
//! change that was finished before the question was asked.

mod event;
mod foretold;
mod gate;
mod hard_links;
mod look;
mod pending;
mod pool;
mod run;
mod status;
mod trials;
mod turns;
mod view;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch as tokio_watch};

pub use foretold::PreparsedOutline;
pub use gate::{Busy, Still};
pub use look::MAX_PARSED_BYTES;
pub use status::{EngineStatus, SkippedFiles, UnparsableFile};
pub use turns::EditTurn;
pub use view::{Current, CurrentError, View};

use event::{Event, Length, Question};
use foretold::Foretellings;
use gate::QuestionGate;
use look::Looker;
use pool::Pool;
use run::Run;
use symd_base::state::{self, StateError};
use symd_base::{ContentHash, RelPath};
use symd_config::Languages;
use symd_index::State;
use symd_index::cache::{Cache, Key};
use symd_parse::{Parsers, Warm};
use symd_syntax::Outline;
use symd_vfs::{Change, Ignore, IgnoreSettings, Root, Stat, Vendored};
use symd_watch::{Notice, Watch, WatchError, WatchOptions};
use turns::Turns;

/// Events on their way to the engine. When it is full, askers and pool threads wait; the engine waits for
/// neither, so it empties.
const EVENT_QUEUE: usize = 1024;
/// Batches of notices on their way. When it is full the watcher's thread waits, then the kernel's queue fills.
const NOTICE_QUEUE: usize = 64;

/// A running engine. Cheap to clone. It ends with [`Engine::shutdown`], or when the last clone is dropped.
#[derive(Clone, Debug)]
pub struct Engine {
    events: mpsc::Sender<Event>,
    status: tokio_watch::Receiver<EngineStatus>,
    gone: tokio_watch::Receiver<bool>,
    watch: Arc<Watch>,
    cache: Option<Arc<Cache>>,
    gate: QuestionGate,
    turns: Turns,
    foretold: Arc<Foretellings>,
    parsers: Parsers,
}

/// How an engine is started.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// The project root.
    pub root: PathBuf,
    /// The languages symd knows here.
    pub languages: Arc<Languages>,
    /// A private directory of ours, for barriers.
    pub runtime_directory: PathBuf,
    /// Where this repository's outlines are cached; `None` for no cache.
    pub cache_directory: Option<PathBuf>,
    /// How the tree is watched.
    pub watch: WatchOptions,
    /// How often to look for changes that give no event.
    pub sweep_every: Duration,
    /// By what files are parsed.
    pub parsers: Parsers,
    /// Told of every file that changed after the first crawl, before a question can see it; `None` for nobody.
    pub on_change: Option<OnChange>,
}

/// A file without a grammar, with an outline that a language server made.
#[derive(Clone, Debug)]
pub struct OutlinedFile {
    /// Which file.
    pub path: RelPath,
    /// The hash of the bytes that the outline is of.
    pub hash: ContentHash,
    /// The state they were read in.
    pub stat: Stat,
    /// Stands for the server and its version: equal bytes and equal fingerprints give equal outlines.
    pub fingerprint: u64,
    /// Its symbols.
    pub outline: Arc<Outline>,
}

/// Hears of changed files, on the engine's task: it must not block.
#[derive(Clone)]
pub struct OnChange(pub Arc<Hears>);

/// What is called with each changed file.
type Hears = dyn Fn(&RelPath, Change) + Send + Sync;

impl std::fmt::Debug for OnChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OnChange")
    }
}

/// Why an engine does not start or does not answer.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The root cannot be opened.
    #[error("cannot open the project root {path}: {source}")]
    Root {
        /// Which root.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The watcher did not start.
    #[error(transparent)]
    Watch(#[from] WatchError),
    /// symd's own directories are not usable.
    #[error(transparent)]
    State(#[from] StateError),
    /// The engine has stopped, or let go of the question.
    #[error("the daemon is stopping (or lost its project's root); ask again, which starts a new one")]
    Stopped,
    /// Nobody can say whether the index is fresh.
    #[error(
        "whether the index is up to date cannot be found out: {0}; mend that (a full disk, a directory that was removed), then ask again"
    )]
    NoBarrier(String),
    /// The question panicked.
    #[error(
        "symd failed over this question, which is a fault of its own; `symd logs` says where. Others are answered as before"
    )]
    Panicked,
}

impl EngineError {
    /// The root at `path` cannot be opened.
    pub fn root(path: &Path, source: std::io::Error) -> EngineError {
        EngineError::Root { path: path.display().to_string(), source }
    }
}

impl Engine {
    /// Starts watching and indexing; returns at once, the first crawl goes on in the background. Must be called
    /// within a tokio runtime.
    pub fn start(options: EngineOptions) -> Result<Engine, EngineError> {
        Engine::start_with(options, State::default())
    }

    fn start_with(options: EngineOptions, state: State) -> Result<Engine, EngineError> {
        let root = Root::open(&options.root).map_err(|source| EngineError::root(&options.root, source))?;
        let root = Arc::new(root);
        state::private_dir(&options.runtime_directory)?;
        // A cache that cannot be had makes starts slower and nothing else.
        let cache = options.cache_directory.as_deref().and_then(|directory| {
            Cache::open(directory).map_err(|error| tracing::warn!(%error, "going on without a cache")).ok()
        });
        let settings = IgnoreSettings {
            vendored: vendored(&options.languages),
            global: IgnoreSettings::global_excludes(|name| std::env::var_os(name)),
        };
        let ignore = Arc::new(Ignore::new(&root, settings));
        let (notice_sender, notices) = mpsc::channel(NOTICE_QUEUE);
        let watch = Watch::start(
            root.clone(),
            ignore.clone(),
            &options.runtime_directory,
            &options.watch,
            sink(notice_sender),
        )?;
        let looker = run::looker(root, options.languages, cache.map(Arc::new), options.parsers);
        let engine = Engine::run((looker, ignore), watch, notices, state, options.on_change);
        engine.sweep_every(options.sweep_every);
        Ok(engine)
    }

    fn run(
        parts: (Arc<Looker>, Arc<Ignore>),
        watch: Watch,
        notices: mpsc::Receiver<Event>,
        state: State,
        on_change: Option<OnChange>,
    ) -> Engine {
        let (events, receiver) = mpsc::channel(EVENT_QUEUE);
        let (cache, foretold) = (parts.0.cache.clone(), parts.0.foretold.clone());
        let parsers = parts.0.parsers.clone();
        let watch = Arc::new(watch);
        let (run, status, gone) = Run::new(parts, watch.clone(), Pool::new(), events.downgrade(), state);
        tokio::spawn(run.telling(on_change).run(receiver, notices));
        Engine {
            events,
            status,
            gone,
            watch,
            cache,
            gate: QuestionGate::default(),
            turns: Turns::default(),
            foretold,
            parsers,
        }
    }

    /// Runs `question` on a pool thread as soon as the index shows everything written before this call; the first
    /// crawl included. Dropping the future before then drops the question.
    pub async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&View) -> T + Send + 'static,
    ) -> Result<T, EngineError> {
        self.put(Length::Short, question).await
    }

    /// The same for a question that may take long, as a search does: however many there are, others are answered meanwhile.
    pub async fn ask_long<T: Send + 'static>(
        &self,
        question: impl FnOnce(&View) -> T + Send + 'static,
    ) -> Result<T, EngineError> {
        self.put(Length::Long, question).await
    }

    async fn put<T: Send + 'static>(
        &self,
        length: Length,
        question: impl FnOnce(&View) -> T + Send + 'static,
    ) -> Result<T, EngineError> {
        let (answer, answered) = oneshot::channel();
        // From before the barrier until the end: an edit in between would show in the texts and not in the index.
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
        let ask = Event::Ask(Question { length, run });
        self.events.send(ask).await.map_err(|_| EngineError::Stopped)?;
        answered.await.map_err(|_| EngineError::Stopped)?
    }

    /// Waits until no question is under way, and keeps new ones waiting until what it returns is dropped: for an edit,
    /// while it changes files. Must not be held over a question.
    pub async fn still(&self) -> Result<Still, Busy> {
        self.gate.close().await
    }

    /// Waits until no other edit has a turn, for one whose files changed between its plan and its making.
    pub async fn turn(&self) -> EditTurn {
        self.turns.take().await
    }

    /// The same for one that is about to be planned: at once, and without a turn, where no edit has one.
    pub async fn turn_behind_others(&self) -> Option<EditTurn> {
        self.turns.behind_others().await
    }

    /// Takes in outlines that were made elsewhere; questions asked after this see them, as long as the files are as
    /// they were.
    pub async fn outlined(&self, files: Vec<OutlinedFile>) -> Result<(), EngineError> {
        self.events.send(Event::Outlined(files)).await.map_err(|_| EngineError::Stopped)
    }

    /// Spares the index the parsing of texts that are about to be written.
    pub fn foretell(&self, outlines: Vec<PreparsedOutline>) {
        self.foretold.add(outlines);
    }

    /// Forgets outlines of texts that were not written after all, by the hashes of those.
    pub fn take_back(&self, hashes: &[ContentHash]) {
        self.foretold.forget(hashes);
    }

    /// How many files were not parsed because their outlines were foretold: for tests and measurements.
    pub fn spared(&self) -> usize {
        self.foretold.taken()
    }

    /// The outline that is cached for these bytes.
    pub fn cached(&self, hash: ContentHash, fingerprint: u64) -> Option<Outline> {
        self.cache.as_ref()?.get(Key { content: hash, fingerprint })
    }

    /// A look at the engine's state, without waiting for anything.
    pub fn status(&self) -> EngineStatus {
        let mut status = self.status.borrow().clone();
        status.watcher = self.watch.counters();
        for file in &mut status.unparsable {
            file.why = self.parsers.why_unparsable(&file.path);
        }
        status
    }

    /// Tries again what is parsed no more because workers ended over it. Questions asked after this wait for that.
    pub async fn retry_unparsable(&self) -> Result<(), EngineError> {
        self.events.send(Event::Retry).await.map_err(|_| EngineError::Stopped)
    }

    /// Keeps ready what parses the next change, until what is returned is dropped.
    pub fn keep_warm(&self) -> Warm {
        self.parsers.keep_warm()
    }

    /// What [`EngineStatus::without_outline`] is at the moment: every question about symbols looks at it.
    pub fn without_outline(&self) -> BTreeMap<String, usize> {
        self.status.borrow().without_outline.clone()
    }

    /// Waits until everything that was written before this call is in the index, the first crawl included.
    pub async fn settled(&self) -> Result<EngineStatus, EngineError> {
        self.ask(|_| ()).await?;
        Ok(self.status())
    }

    /// Waits until the root directory is gone, or the engine is.
    pub async fn gone(&self) {
        let _ = self.gone.clone().wait_for(|gone| *gone).await;
    }

    /// Stops watching and writes what the cache has not got yet.
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

/// Hands the watcher's notices on; hung up, it ends the watcher.
fn sink(notices: mpsc::Sender<Event>) -> impl FnMut(Vec<Notice>) -> ControlFlow<()> + Send + 'static {
    move |batch| match notices.blocking_send(Event::Noticed(batch)) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    }
}

/// The languages' rules for vendored directories, as the ignore rules take them.
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
