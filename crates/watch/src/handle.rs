//! A running watcher from the point of view of its owner: start, request barriers and rescans, stop.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use super::Notice;
use super::backend::{Backend, Waker};
use super::barrier::{BarrierFiles, Barriers};
use super::counters::{AtomicCounters, Counters};
use super::inotify::{EventWaker, Inotify};
use super::notify::Notify;
use super::poll::Poll;
use super::quiet::Quiet;
use super::watcher::{Requests, Watcher};
use symd_base::RelPath;
use symd_base::state::StateError;
use symd_vfs::{Ignore, Root};

/// How changes are detected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BackendChoice {
    /// The best available: inotify, or polling where inotify is not available.
    #[default]
    Auto,
    /// Examination of every directory at each barrier.
    Poll,
    /// The `notify` crate, for systems without inotify.
    Notify,
}

/// Options of a watcher.
#[derive(Clone, Debug, Default)]
pub struct WatchOptions {
    pub backend: BackendChoice,
    /// How many directories may be watched; the others are polled. `None`: as many as the system allows.
    pub max_watches: Option<usize>,
    /// Whether the first crawl tells the states of files, of directories that it meets for the first time.
    pub takes_states: bool,
}

/// Why watching failed.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// symd's own directory cannot be used.
    #[error(transparent)]
    State(#[from] StateError),
    /// Barrier files cannot be created.
    #[error("cannot create a barrier file in {}: {source}", directory.display())]
    Barrier {
        /// The directory of the barrier files.
        directory: PathBuf,
        source: io::Error,
    },
    /// The watch thread cannot be started.
    #[error("cannot start watching {}: {source}", root.display())]
    Start {
        /// The root of the project.
        root: PathBuf,
        source: io::Error,
    },
    /// The watch thread has ended: the root is gone, or the sink ended it.
    #[error("the project is not watched any more; restart the daemon")]
    Ended,
}

impl WatchError {
    /// Whether retrying is useless: the thread has ended, or the directory of the barrier files was removed.
    pub fn is_permanent(&self) -> bool {
        match self {
            WatchError::Ended => true,
            WatchError::Barrier { source, .. } => source.kind() == io::ErrorKind::NotFound,
            WatchError::State(_) | WatchError::Start { .. } => false,
        }
    }
}

/// A running watcher. Dropping it stops the thread and waits for it: until then, the receiver of what the
/// sink passes on must keep reading or have closed its end.
pub struct Watch {
    pub(super) barriers: Arc<Barriers>,
    pub(super) requests: Arc<Requests>,
    pub(super) tally: Arc<AtomicCounters>,
    pub(super) waker: Box<dyn Waker>,
    /// `None` where only a barrier tells that everything has been reported.
    pub(super) quiet: Option<Arc<Quiet>>,
    pub(super) ended: Arc<AtomicBool>,
    pub(super) thread: Option<JoinHandle<()>>,
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("counters", &self.counters()).finish_non_exhaustive()
    }
}

impl Watch {
    /// Starts watching the project at `root` on a thread of its own. `sink` gets the notices in order, in
    /// batches; it may block, and ends the thread by returning `Break`. `runtime_dir` belongs to symd and
    /// must exist.
    pub fn start(
        root: Arc<Root>,
        ignore: Arc<Ignore>,
        runtime_dir: &Path,
        options: &WatchOptions,
        sink: impl FnMut(Vec<Notice>) -> ControlFlow<()> + Send + 'static,
    ) -> Result<Watch, WatchError> {
        let start = |source| WatchError::Start { root: root.path().to_owned(), source };
        let Chosen { backend, barriers, waker, quiet } = choose(&root, runtime_dir, options)?;
        let (requests, tally) = (Arc::new(Requests::default()), Arc::new(AtomicCounters::default()));
        let shared = (Arc::clone(&barriers), Arc::clone(&requests), Arc::clone(&tally));
        let ended = Arc::new(AtomicBool::new(false));
        let at_end = SetAtEnd(Arc::clone(&ended));
        let mut watcher = Watcher::new((Arc::clone(&root), ignore), backend, shared, Box::new(sink))
            .telling(quiet.clone())
            .taking_states(options.takes_states);
        let thread = std::thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || {
                let _at_end = at_end;
                watcher.run();
            })
            .map_err(start)?;
        Ok(Watch { barriers, requests, tally, waker, quiet, ended, thread: Some(thread) })
    }

    /// Requests a barrier: [`Notice::Barrier`] with the returned number follows once every change made before
    /// this call has been reported. No notice follows once the thread has ended.
    pub fn barrier(&self) -> Result<u64, WatchError> {
        if self.ended.load(Ordering::Acquire) {
            return Err(WatchError::Ended);
        }
        let number = self.barriers.request()?;
        if self.barriers.files().is_none() {
            self.waker.wake();
        }
        Ok(number)
    }

    /// Whether everything that changed before this call has been passed to the sink: then a barrier would tell nothing
    /// more. Does not block.
    pub fn is_quiet(&self) -> bool {
        !self.ended.load(Ordering::Acquire)
            && self.quiet.as_ref().is_some_and(|quiet| quiet.holds())
            && !self.requests.has_rescans()
    }

    /// Requests that `directory` and everything beneath it be listed again.
    pub fn rescan(&self, directory: &RelPath) {
        self.requests.rescan(directory);
        self.waker.wake();
    }

    pub fn counters(&self) -> Counters {
        self.tally.read()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.requests.stop();
        self.waker.wake();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was reported where it happened.
            let _ = thread.join();
        }
    }
}

struct Chosen {
    backend: Box<dyn Backend>,
    barriers: Arc<Barriers>,
    waker: Box<dyn Waker>,
    quiet: Option<Arc<Quiet>>,
}

fn choose(root: &Root, runtime_dir: &Path, options: &WatchOptions) -> Result<Chosen, WatchError> {
    let start = |source| WatchError::Start { root: root.path().to_owned(), source };
    let with_files = || Ok::<_, WatchError>(Arc::new(Barriers::new(Some(BarrierFiles::open(runtime_dir)?))));
    let (waker, wake) = EventWaker::new().map_err(start)?;
    match options.backend {
        BackendChoice::Auto => {
            let barriers = with_files()?;
            match Inotify::new(root, Arc::clone(&barriers), Arc::clone(&wake), options.max_watches) {
                Ok(inotify) => {
                    let quiet = inotify.quiet();
                    return Ok(Chosen {
                        backend: Box::new(inotify),
                        barriers,
                        waker: Box::new(waker),
                        quiet,
                    });
                }
                // For example, the limit of instances or of watches is reached.
                Err(error) => tracing::warn!(%error, "inotify is not available; polling the project"),
            }
        }
        BackendChoice::Notify => {
            let barriers = with_files()?;
            let (notify, waker) = Notify::new(root.path(), Arc::clone(&barriers)).map_err(start)?;
            return Ok(Chosen { backend: Box::new(notify), barriers, waker: Box::new(waker), quiet: None });
        }
        BackendChoice::Poll => {}
    }
    let barriers = Arc::new(Barriers::new(None));
    Ok(Chosen { backend: Box::new(Poll { wake }), barriers, waker: Box::new(waker), quiet: None })
}

/// Sets the flag when the thread ends, even by a panic.
struct SetAtEnd(Arc<AtomicBool>);

impl Drop for SetAtEnd {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}
