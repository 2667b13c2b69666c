//! The daemon's life: lock, socket, engine, clients, the end. One per root and user: the lock is taken
//! before the socket is bound and held until the process is gone. Invariant: only the holder of the lock
//! removes a socket, and whoever is asked to end removes it before finishing what is under way.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

use crate::approvals::Approvals;
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
use symd_edit::{Closed, EditError, Editor, ReaderGate, Recovered};
use symd_engine::{Engine, EngineError, EngineOptions, OnChange};
use symd_index::cache;
use symd_lsp::{Servers, ServersOptions};
use symd_ops::Project;
use symd_parse::{Parsers, ParsersOptions};
use symd_shell::{Afterwards, Shells};
use symd_toolsets as toolsets;
use symd_toolsets::listing::choose;
use symd_vfs::Root;
use symd_watch::{BackendChoice, WatchOptions};

/// How long to wait for a daemon that is just starting, or just ending.
pub const HANDOVER_DEADLINE: Duration = Duration::from_secs(20);

/// How often files are looked at that may have changed without an event: writes through mmap or a hard link from
/// outside the project.
const SWEEP_EVERY: Duration = Duration::from_secs(600);

/// How long the engine may take to write what its cache has not got.
const SHUTDOWN_DEADLINE: Duration = Duration::from_secs(10);

/// What a daemon is started with.
#[derive(Debug)]
pub struct Start {
    /// The root and its files.
    pub place: DaemonPaths,
    /// The user's settings.
    pub settings: Settings,
    /// Languages and trust.
    pub setup: Setup,
    /// What is logged; overrides the settings.
    pub log_filter: Option<String>,
    /// Where log lines go besides the log.
    pub echo: Echo,
}

/// What whoever started the daemon is told, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// The socket listens.
    Ready,
    /// Another daemon serves this root; this one ends.
    AlreadyRunning,
}

/// Why a daemon did not start.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// Its directories are not usable.
    #[error(transparent)]
    State(#[from] StateError),
    /// Its lock cannot be taken.
    #[error("cannot lock {}: {source}", path.display())]
    Lock {
        /// The lock.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another daemon holds the lock and does not answer.
    #[error("another symd daemon{holder} holds {} and does not answer; end it, then try again", path.display())]
    Stuck {
        /// The lock.
        path: PathBuf,
        /// ` (pid 7)`, if that is known.
        holder: String,
    },
    /// The socket cannot be made.
    #[error("cannot listen on {}: {source}", path.display())]
    Socket {
        /// The socket.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Logging is not possible as configured.
    #[error("{0}")]
    Log(String),
    /// A setting names what does not exist.
    #[error("{0}; correct `toolset` in config.toml")]
    Toolset(String),
    /// Edits cannot be kept, or what a crash left cannot be put back.
    #[error("{0}")]
    Edit(#[from] EditError),
    /// The engine did not start.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// No threads, no signals.
    #[error("cannot start: {0}")]
    Runtime(#[from] io::Error),
}

/// Runs a daemon until it is asked to end. `announce` is called when it is ready, or not needed.
pub fn run(start: Start, announce: impl FnOnce(Begun)) -> Result<(), DaemonError> {
    // What whoever started us left open is none of ours, nor of what we start.
    close_fds::set_fds_cloexec(3, &[]);
    let place = &start.place;
    place.prepare()?;
    state::private_dir(&place.state)?;
    state::replace_file(&place.root_note(), &[place.root.as_os_str().as_bytes()])?;
    let Some(locks) = acquire(place)? else {
        announce(Begun::AlreadyRunning);
        return Ok(());
    };
    let filter = start.log_filter.as_deref().unwrap_or(&start.settings.log);
    log::start(&place.log(), filter, start.echo).map_err(DaemonError::Log)?;
    tell_how_the_last_ended(place);
    descriptors::raise_limit();
    let _kept = keep(&place.runtime_base);
    register(place);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(live(&start, locks.starting, announce));
    // Work that does not look at its cancellation must not keep the process, and with it the lock.
    runtime.shutdown_background();
    drop(locks.living);
    ended
}

/// Lets the user's agents change to this project by name, now that its user has opened it.
fn register(place: &DaemonPaths) {
    // Without it everything else works.
    if let Err(error) = Projects::new(&place.state_of_all).add(&place.root) {
        tracing::warn!(%error, "the project is not registered");
    }
}

/// Keeps those who clean the shared directory of old files (systemd-tmpfiles) from the sockets: they leave a directory alone
/// whose lock is held, here by each daemon for as long as it lives.
fn keep(directory: &Path) -> Option<std::fs::File> {
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECTORY | rustix::fs::OFlags::CLOEXEC;
    let kept = rustix::fs::open(directory, flags, rustix::fs::Mode::empty()).map(std::fs::File::from);
    let locked = kept.and_then(|kept| {
        rustix::fs::flock(&kept, rustix::fs::FlockOperation::NonBlockingLockShared).map(|()| kept)
    });
    locked.inspect_err(|error| tracing::warn!(%error, "old sockets may be cleaned away")).ok()
}

/// A daemon takes its note away when it ends in order. One that crashed has said of what it died (`last_words`); one that
/// was ended by SIGKILL could say nothing, and who reads the log finds it here.
fn tell_how_the_last_ended(place: &DaemonPaths) {
    if place.meta().exists() {
        tracing::warn!(
            "the daemon before this one{} did not end in order; if no line above says what it died of, it was killed by SIGKILL (by the system, for lack of memory?)",
            holder(place)
        );
    }
}

struct Locks {
    /// Held for life.
    living: Lock,
    /// Held until the socket listens.
    starting: Lock,
}

/// Takes the locks; `None` when a daemon is running.
fn acquire(place: &DaemonPaths) -> Result<Option<Locks>, DaemonError> {
    let failed = |path: PathBuf| move |source| DaemonError::Lock { path, source };
    let stuck = || DaemonError::Stuck { path: place.lock(), holder: holder(place) };
    // Starters queue here, so that whoever finds the other lock taken knows: its holder listens, or is ending.
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

async fn live(start: &Start, starting: Lock, announce: impl FnOnce(Begun)) -> Result<(), DaemonError> {
    let Start { place, settings, setup, .. } = start;
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
        approvals: Some(Approvals::open(place, settings.limits.approval())?),
    });
    let listener = socket::listen(place)?;
    write_meta(place)?;
    drop(starting);
    announce(Begun::Ready);
    tracing::info!(root = %place.root.display(), pid = std::process::id(), version = VERSION, "ready");

    let (all_outlines, limit) = (place.outlines_of_all().to_owned(), settings.cache_max_bytes);
    tokio::task::spawn_blocking(move || {
        if let Err(error) = cache::gc(&all_outlines, limit) {
            tracing::warn!(%error, "the cache's size limit is not held");
        }
    });

    let accepting = tokio::spawn(socket::accept_all(listener, Arc::clone(&host), place.clone()));
    let why = tokio::select! {
        signal = signals.any() => signal,
        () = idle(&host, settings.idle_exit()) => "nobody was connected for long",
        () = host.draining() => "a client asked for it",
        () = gone(&host) => "the project's root is gone",
    };
    tracing::info!(why, "ending");
    host.drain();
    if let Err(error) = accepting.await {
        tracing::error!(%error, "the accept loop failed");
    }
    if let Some(project) = host.project() {
        let editor = Arc::clone(&project.editor);
        let edits = tokio::task::spawn_blocking(move || editor.idle());
        if tokio::time::timeout(SHUTDOWN_DEADLINE, edits).await.is_err() {
            tracing::warn!("an edit did not end in time; the next start puts back what it leaves");
        }
        let engine = tokio::time::timeout(SHUTDOWN_DEADLINE, project.engine.shutdown());
        // Bounded by itself: it ends by force what does not end when asked.
        let (engine, ()) = tokio::join!(engine, project.servers.shutdown());
        if engine.is_err() {
            tracing::warn!("the engine did not stop in time");
        }
    }
    state::remove_file(&place.meta())?;
    tracing::info!("ended");
    Ok(())
}

/// This very program, even if an upgrade has put another one in its place.
pub const THIS_PROGRAM: &str = "/proc/self/exe";

/// Opens the project of a place: starts its engine, and makes ready to start its language servers. `program` is symd, of
/// which the processes that parse and that watch over shells are started ([`THIS_PROGRAM`] in a daemon).
pub fn open_project(
    program: &Path,
    place: &DaemonPaths,
    settings: &Settings,
    languages: Arc<Languages>,
    trust: &Trust,
) -> Result<Project, DaemonError> {
    let root = Root::open(&place.root).map_err(|source| EngineError::root(&place.root, source))?;
    let root = Arc::new(root);
    // Before anything is read: what a crash cut short must not be taken for the project.
    let (editor, recovered) = Editor::open(Arc::clone(&root), &place.edits())?;
    tell(&recovered);
    let shells = Shells {
        root: Arc::clone(&root),
        warden: program.to_owned(),
        afterwards: match settings.shell_background {
            ShellBackground::Reap => Afterwards::Reap,
            ShellBackground::Keep => Afterwards::Keep,
        },
    };
    let servers = Servers::new(ServersOptions {
        root,
        languages: Arc::clone(&languages),
        trusted: *trust == Trust::Trusted,
        supervisor: std::env::current_exe()?,
        installed: place.installed_servers.clone(),
        search_path: std::env::var_os("PATH").unwrap_or_default(),
        state_directory: place.servers(),
        idle_stop: settings.server_idle(),
        memory_limit: settings.server_memory(),
        answer_patience: settings.server_answer(),
    });
    let parsers = Parsers::in_workers(ParsersOptions {
        program: program.to_owned(),
        quarantine: Some(place.quarantine()),
    })?;
    let told = servers.clone();
    let engine = Engine::start(EngineOptions {
        root: place.root.clone(),
        languages: Arc::clone(&languages),
        runtime_directory: place.scratch.clone(),
        cache_directory: Some(place.outlines.clone()),
        watch: WatchOptions { backend: backend(settings.watch), max_watches: None },
        sweep_every: SWEEP_EVERY,
        parsers,
        on_change: Some(OnChange(Arc::new(move |path, change| told.changed(path, change)))),
    })?;
    let editor = Arc::new(editor.behind(gate(&engine)));
    let (recovered, max_answer_chars) = (Arc::new(recovered), settings.max_answer_chars);
    Ok(Project { engine, servers, languages, editor, recovered, shells, max_answer_chars })
}

/// Keeps questions waiting while an edit changes files. Must be called within a tokio runtime.
pub fn gate(engine: &Engine) -> ReaderGate {
    let (engine, runtime) = (engine.clone(), tokio::runtime::Handle::current());
    // Called on the editor's own thread, which may block.
    ReaderGate::new(move || {
        let still = runtime.block_on(engine.still()).map_err(|busy| busy.to_string())?;
        Ok(Box::new(still) as Closed)
    })
}

fn tell(recovered: &Recovered) {
    for told in recovered.told() {
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
        "directories": place.lasting,
    });
    state::replace_file(&place.meta(), &[meta.to_string().as_bytes(), b"\n"])
}

/// Waits until the root directory has vanished or was moved away.
async fn gone(host: &Host) {
    match host.project() {
        Some(project) => project.engine.gone().await,
        None => std::future::pending().await,
    }
}

/// Waits until nobody has been connected for `limit`; for ever without one.
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
