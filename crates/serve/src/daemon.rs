//! The daemon's life cycle: lock, socket, engine, clients, shutdown. There is one daemon per root and user:
//! it takes the lock before it binds the socket and holds it until the process exits. Invariant: only the
//! holder of the lock removes a socket, and a daemon that was asked to exit removes its socket before it
//! finishes the requests in flight.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

use crate::approvals::Approver;
use crate::daemon_paths::DaemonPaths;
use crate::descriptors;
use crate::host::{Host, Parts};
use crate::lock::{self, Lock};
use crate::log::{self, Echo};
use crate::protocol::{PROTOCOL, VERSION};
use crate::setup::Setup;
use crate::socket;
use symd_base::state::{self, StateError};
use symd_config::projects::Projects;
use symd_config::settings::{Settings, ShellBackground, WatchBackend};
use symd_config::{Languages, Trust};
use symd_docsearch::DocsSearch;
use symd_edit::{EditError, Editor, Recovered};
use symd_engine::{Engine, EngineError, EngineOptions, LetGo, MemoryOptions, OnChange};
use symd_index::cache;
use symd_lsp::{Servers, ServersOptions};
use symd_ops::Project;
use symd_ops::buffers::{Buffers, EditorDeadlines};
use symd_ops::solutions::Solutions;
use symd_parse::{ParserOptions, Parsers};
use symd_shell::{BackgroundPolicy, Shells};
use symd_sys::memory_limit;
use symd_toolsets as toolsets;
use symd_toolsets::listing::choose;
use symd_vfs::{Files, Overlay, Root, UnsavedTexts};
use symd_watch::{BackendChoice, WatchOptions};

/// How long to wait for a daemon that is starting or shutting down.
pub const HANDOVER_DEADLINE: Duration = Duration::from_secs(20);

/// How often to rescan files that may have changed without an event: writes through mmap or through a hard
/// link from outside the project.
const SWEEP_EVERY: Duration = Duration::from_secs(600);

/// How long the engine may take to write results that its cache does not have yet.
const SHUTDOWN_DEADLINE: Duration = Duration::from_secs(10);

/// Parameters of a daemon.
#[derive(Debug)]
pub struct DaemonOptions {
    /// The root and the paths of the daemon's files.
    pub place: DaemonPaths,
    pub settings: Settings,
    /// The project's languages and its trust.
    pub setup: Setup,
    /// Log filter; overrides the one in the settings.
    pub log_filter: Option<String>,
    /// Where log lines are copied to, besides the log file.
    pub echo: Echo,
}

/// The result of starting, reported once to the process that started the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartResult {
    /// The socket accepts connections.
    Ready,
    /// Another daemon serves this root; this one exits.
    AlreadyRunning,
}

/// Why a daemon did not start.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// A directory of the daemon is not usable.
    #[error(transparent)]
    State(#[from] StateError),
    /// The lock cannot be acquired.
    #[error("cannot lock {}: {source}", path.display())]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// Another daemon holds the lock and does not respond.
    #[error("another symd daemon{holder} holds {} and does not answer; kill it, then try again", path.display())]
    Stuck {
        /// The lock file.
        path: PathBuf,
        /// ` (pid 7)`, or empty if the pid is unknown.
        holder: String,
    },
    /// The socket cannot be created.
    #[error("cannot listen on {}: {source}", path.display())]
    Socket {
        /// The socket.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// Logging cannot start with the configured filter or file.
    #[error("{0}")]
    Log(String),
    /// The setting `toolset` names a toolset that does not exist.
    #[error("{0}; correct `toolset` in config.toml")]
    Toolset(String),
    /// The history of edits is not usable, or an edit that a crash interrupted cannot be rolled back.
    #[error("{0}")]
    Edit(#[from] EditError),
    /// The engine did not start.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Threads or signal handlers cannot be created.
    #[error("cannot start: {0}")]
    Runtime(#[from] io::Error),
}

/// Runs a daemon until it is asked to exit. Calls `announce` once, when the daemon is ready or when it is not
/// needed.
pub fn run(start: DaemonOptions, announce: impl FnOnce(StartResult)) -> Result<(), DaemonError> {
    // Descriptors inherited from the starting process must not reach the processes that the daemon starts.
    close_fds::set_fds_cloexec(3, &[]);
    let place = &start.place;
    place.prepare()?;
    state::private_dir(&place.state)?;
    state::replace_file(&place.root_note(), &[place.root.as_os_str().as_bytes()])?;
    let Some(locks) = acquire(place)? else {
        announce(StartResult::AlreadyRunning);
        return Ok(());
    };
    let filter = start.log_filter.as_deref().unwrap_or(&start.settings.log);
    log::start(&place.log(), filter, start.echo).map_err(DaemonError::Log)?;
    log_unclean_exit(place);
    descriptors::raise_limit();
    let _kept = lock_against_cleanup(&place.runtime_base);
    register(place);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(serve_until_stopped(&start, locks.starting, announce));
    // Work that ignores its cancellation must not keep the process alive, and with it the lock.
    runtime.shutdown_background();
    drop(locks.living);
    ended
}

/// Registers the project, so that the user's agents can switch to it by name. The user has opened it by
/// starting this daemon.
fn register(place: &DaemonPaths) {
    // Everything else works without the registration.
    if let Err(error) = Projects::new(&place.state_of_all).add(&place.root) {
        tracing::warn!(%error, "cannot register the project");
    }
}

/// Prevents cleaners of the shared directory (systemd-tmpfiles) from deleting the sockets as old files: they
/// skip a directory that is locked. Each daemon holds a shared lock on it until it exits.
fn lock_against_cleanup(directory: &Path) -> Option<std::fs::File> {
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECTORY | rustix::fs::OFlags::CLOEXEC;
    let kept = rustix::fs::open(directory, flags, rustix::fs::Mode::empty()).map(std::fs::File::from);
    let locked = kept.and_then(|kept| {
        rustix::fs::flock(&kept, rustix::fs::FlockOperation::NonBlockingLockShared).map(|()| kept)
    });
    locked.inspect_err(|error| tracing::warn!(%error, "cannot protect the sockets from file cleanup")).ok()
}

/// Logs a warning if the previous daemon did not exit cleanly. A daemon removes its metadata file on a clean
/// exit. A daemon that crashed has logged the cause (`last_words`); one that was killed by SIGKILL could not,
/// so the log says so here.
fn log_unclean_exit(place: &DaemonPaths) {
    if place.meta().exists() {
        tracing::warn!(
            "the previous daemon{} did not exit cleanly; if no line above names the cause, it was killed by SIGKILL (perhaps by the system, for lack of memory)",
            holder(place)
        );
    }
}

struct Locks {
    /// Held until the process exits.
    living: Lock,
    /// Held until the socket listens.
    starting: Lock,
}

/// Takes both locks; `None` if a daemon is running.
fn acquire(place: &DaemonPaths) -> Result<Option<Locks>, DaemonError> {
    let failed = |path: PathBuf| move |source| DaemonError::Lock { path, source };
    let stuck = || DaemonError::Stuck { path: place.lock(), holder: holder(place) };
    // Starting daemons queue for this lock, so whichever then finds the other lock taken knows that its
    // holder listens or is shutting down.
    let starting = lock::lock_within(&place.start_lock(), HANDOVER_DEADLINE)
        .map_err(failed(place.start_lock()))?
        .ok_or_else(stuck)?;
    if let Some(living) = lock::try_lock(&place.lock()).map_err(failed(place.lock()))? {
        return Ok(Some(Locks { living, starting }));
    }
    if std::os::unix::net::UnixStream::connect(place.socket()).is_ok() {
        return Ok(None);
    }
    let living = lock::lock_within(&place.lock(), HANDOVER_DEADLINE)
        .map_err(failed(place.lock()))?
        .ok_or_else(stuck)?;
    Ok(Some(Locks { living, starting }))
}

fn holder(place: &DaemonPaths) -> String {
    let meta = state::read_file(&place.meta()).ok().flatten();
    let meta: Option<serde_json::Value> = meta.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    meta.and_then(|meta| meta["pid"].as_u64()).map_or_else(String::new, |pid| format!(" (pid {pid})"))
}

async fn serve_until_stopped(
    start: &DaemonOptions,
    starting: Lock,
    announce: impl FnOnce(StartResult),
) -> Result<(), DaemonError> {
    let DaemonOptions { place, settings, setup, .. } = start;
    for note in &setup.notes {
        tracing::warn!("{note}");
    }
    let mut signals = Signals::new()?;
    choose(toolsets::all(), &settings.toolset).map_err(DaemonError::Toolset)?;
    let host = Host::new(Parts {
        project: Some(open_project(
            Path::new(THIS_PROGRAM),
            place,
            settings,
            setup.languages.clone(),
            &setup.trust,
        )?),
        root: place.root.clone(),
        toolsets: toolsets::all(),
        default_toolset: settings.toolset.clone(),
        limits: settings.limits.clone(),
        trust: setup.trust.clone(),
        notes: setup.notes.clone(),
        approvals: Some(Approver::open(place, settings.limits.approval())?),
    });
    let listener = socket::listen(place)?;
    write_meta(place)?;
    drop(starting);
    announce(StartResult::Ready);
    tracing::info!(root = %place.root.display(), pid = std::process::id(), version = VERSION, "ready");

    let (all_outlines, own, root) =
        (place.outlines_of_all().to_owned(), place.outlines.clone(), place.root.clone());
    let limit = settings.cache_max_bytes;
    tokio::task::spawn_blocking(move || {
        let kept = cache::KeptCache { directory: &own, root: &root };
        if let Err(error) = cache::gc(&all_outlines, limit, Some(kept)) {
            tracing::warn!(%error, "cannot reduce the cache to its size limit");
        }
    });

    let accepting = tokio::spawn(socket::accept_all(listener, Arc::clone(&host), place.clone()));
    let why = tokio::select! {
        signal = signals.any() => signal,
        () = idle(&host, settings.idle_exit()) => "no client was connected for the configured idle time",
        _ = host.draining() => "a client asked for it",
        () = gone(&host) => "the project's root is gone",
    };
    tracing::info!(why, "ending");
    host.drain();
    if let Err(error) = accepting.await {
        tracing::error!(%error, "the accept loop failed");
    }
    if let Some(project) = host.project() {
        if tokio::time::timeout(SHUTDOWN_DEADLINE, project.editor.turn()).await.is_err() {
            tracing::warn!("an edit did not finish in time; the next daemon recovers it when it starts");
        }
        let engine = tokio::time::timeout(SHUTDOWN_DEADLINE, project.engine.shutdown());
        // `servers.shutdown` limits its own time: it kills servers that do not exit when asked.
        let (engine, ()) = tokio::join!(engine, project.servers.shutdown());
        if engine.is_err() {
            tracing::warn!("the engine did not stop in time");
        }
    }
    state::remove_file(&place.meta())?;
    tracing::info!("ended");
    Ok(())
}

/// The executable of this process, even if an upgrade has replaced the file on disk.
pub const THIS_PROGRAM: &str = "/proc/self/exe";

/// Opens the project of `place`: starts its engine and prepares its language servers. `program` is the symd
/// executable from which parse workers and shell wardens are started ([`THIS_PROGRAM`] in a daemon).
pub fn open_project(
    program: &Path,
    place: &DaemonPaths,
    settings: &Settings,
    languages: Arc<Languages>,
    trust: &Trust,
) -> Result<Project, DaemonError> {
    let root = Root::open(&place.root).map_err(|source| EngineError::root(&place.root, source))?;
    let root = Arc::new(root);
    // Recovery comes before any file is read: an interrupted edit must not be mistaken for the project's
    // state.
    let (editor, recovered) = Editor::open(Arc::clone(&root), &place.edits())?;
    tell(&recovered);
    let shells = Shells {
        root: Arc::clone(&root),
        warden: program.to_owned(),
        background: match settings.shell_background {
            ShellBackground::Reap => BackgroundPolicy::Reap,
            ShellBackground::Keep => BackgroundPolicy::Keep,
        },
    };
    let unsaved = Arc::<UnsavedTexts>::default();
    let servers = Servers::new(ServersOptions {
        files: Arc::new(Overlay::new(Arc::clone(&root) as Arc<dyn Files>, Arc::clone(&unsaved))),
        languages: Arc::clone(&languages),
        trusted: *trust == Trust::Trusted,
        supervisor: std::env::current_exe()?,
        installed: place.installed_servers.clone(),
        search_path: std::env::var_os("PATH").unwrap_or_default(),
        state_directory: place.servers(),
        idle_stop: settings.server_idle(),
        memory_limit: settings.server_memory(),
        memory_limit_of_all: settings.all_servers_memory(),
        answer_patience: settings.server_answer(),
    });
    let parsers = Parsers::in_workers(ParserOptions {
        program: program.to_owned(),
        quarantine: Some(place.quarantine()),
        parses: Some(place.outlines.clone()),
    })?;
    let told = servers.clone();
    let solutions = Solutions::new(&place.persistent.data, settings);
    let (ceiling, others) = (settings.memory_ceiling(memory_limit::available()), solutions.clone());
    let engine = Engine::start(EngineOptions {
        root: place.root.clone(),
        unsaved: Arc::clone(&unsaved),
        languages: Arc::clone(&languages),
        runtime_directory: place.scratch.clone(),
        cache_directory: Some(place.outlines.clone()),
        watch: WatchOptions { backend: backend(settings.watch), ..WatchOptions::default() },
        sweep_every: SWEEP_EVERY,
        parsers,
        memory: MemoryOptions { ceiling, let_go: Some(LetGo(Arc::new(move || others.free_memory()))) },
        on_change: Some(OnChange(Arc::new(move |path, change| told.changed(path, change)))),
    })?;
    let editor = Arc::new(editor.with_unsaved(unsaved));
    let (recovered, max_answer_chars) = (Arc::new(recovered), settings.max_answer_chars);
    let deadlines = EditorDeadlines::default();
    let buffers = Buffers::new(engine.clone(), root, editor.unsaved_parts(), place.editors(), deadlines);
    buffers.watch_open_conflicts(&editor, &recovered);
    Ok(Project {
        engine,
        servers,
        languages,
        editor,
        recovered,
        shells,
        max_answer_chars,
        buffers,
        editor_contexts: Arc::default(),
        docs_search: DocsSearch::new(&settings.docs_search, &place.persistent.cache),
        solutions,
        view: None,
        here: None,
    })
}

fn tell(recovered: &Recovered) {
    for told in recovered.messages() {
        tracing::warn!("{told}");
    }
}

fn backend(setting: WatchBackend) -> BackendChoice {
    match setting {
        WatchBackend::Auto => BackendChoice::Auto,
        WatchBackend::Poll => BackendChoice::Poll,
        WatchBackend::Notify => BackendChoice::Notify,
    }
}

fn write_meta(place: &DaemonPaths) -> Result<(), StateError> {
    let started = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let meta = json!({
        "pid": std::process::id(),
        "started": started.map_or(0, |since| since.as_secs()),
        "version": VERSION,
        "protocol": PROTOCOL,
        "root": place.root.display().to_string(),
        "directories": place.persistent,
    });
    state::replace_file(&place.meta(), &[meta.to_string().as_bytes(), b"\n"])
}

/// Waits until the root directory has been deleted or moved away.
async fn gone(host: &Host) {
    match host.project() {
        Some(project) => project.engine.wait_until_gone().await,
        None => std::future::pending().await,
    }
}

/// Waits until no client has been connected for `limit`; waits forever if there is no limit.
async fn idle(host: &Host, limit: Option<Duration>) {
    let Some(limit) = limit else { return std::future::pending().await };
    let mut activity = host.activity();
    loop {
        let now = *activity.borrow_and_update();
        let changed = activity.changed();
        if now.connections > 0 {
            let _ = changed.await;
        } else if tokio::time::timeout_at((now.since + limit).into(), changed).await.is_err() {
            return;
        }
    }
}

struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
}

impl Signals {
    fn new() -> io::Result<Signals> {
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn any(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.hang_up.recv() => "SIGHUP",
        }
    }
}
