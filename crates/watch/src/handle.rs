//! A running watcher, as its owner sees it: started, asked for barriers and rescans, stopped.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use super::Notice;
use super::backend::{Backend, Waker};
use super::barrier::{BarrierFiles, Barriers};
use super::counters::{Counters, Tally};
use super::inotify::{EventWaker, Inotify};
use super::notify::Notify;
use super::poll::Poll;
use super::watcher::{Requests, Watcher};
use symd_base::RelPath;
use symd_base::state::StateError;
use symd_vfs::{Ignore, Root};

/// How changes are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BackendChoice {
    /// What is best here: inotify, or polling where there is none to be had.
    #[default]
    Auto,
    /// Looking at everything at each barrier.
    Poll,
    /// The `notify` crate: what `Auto` takes where there is no inotify.
    Notify,
}

/// How to watch.
#[derive(Clone, Debug, Default)]
pub struct WatchOptions {
    /// Which backend.
    pub backend: BackendChoice,
    /// How many directories may be watched; the rest is polled. `None`: as many as the system allows.
    pub max_watches: Option<usize>,
}

/// Why watching does not work.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// symd's own directory cannot be used.
    #[error(transparent)]
    State(#[from] StateError),
    /// Barrier files cannot be made.
    #[error("cannot make a barrier file in {}: {source}", directory.display())]
    Barrier {
        /// Where they are made.
        directory: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The watch thread cannot be started.
    #[error("cannot start watching {}: {source}", root.display())]
    Start {
        /// The project.
        root: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The watch thread has ended: the root is gone, or nobody listened.
    #[error("the project is not watched any more; restart the daemon")]
    Ended,
}

impl WatchError {
    /// Whether there is no use in trying again: the thread has ended, or the directory for barriers was removed.
    pub fn is_for_good(&self) -> bool {
        match self {
            WatchError::Ended => true,
            WatchError::Barrier { source, .. } => source.kind() == io::ErrorKind::NotFound,
            WatchError::State(_) | WatchError::Start { .. } => false,
        }
    }
}

/// A running watcher. Dropping it stops the thread and waits for it: whoever reads what the sink passes on
/// must go on reading, or have hung up, until then.
pub struct Watch {
    pub(super) barriers: Arc<Barriers>,
    pub(super) requests: Arc<Requests>,
    pub(super) tally: Arc<Tally>,
    pub(super) waker: Box<dyn Waker>,
    pub(super) ended: Arc<AtomicBool>,
    pub(super) thread: Option<JoinHandle<()>>,
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("counters", &self.counters()).finish_non_exhaustive()
    }
}

impl Watch {
    /// Starts watching the project at `root`, on a thread of its own. `sink` gets the notices in order, in
    /// batches; it may block, and ends the thread by breaking. `runtime_dir` is symd's own and exists.
    pub fn start(
        root: Arc<Root>,
        ignore: Arc<Ignore>,
        runtime_dir: &Path,
        options: &WatchOptions,
        sink: impl FnMut(Vec<Notice>) -> ControlFlow<()> + Send + 'static,
    ) -> Result<Watch, WatchError> {
        let start = |source| WatchError::Start { root: root.path().to_owned(), source };
        let Chosen { backend, barriers, waker } = choose(&root, runtime_dir, options)?;
        let (requests, tally) = (Arc::new(Requests::default()), Arc::new(Tally::default()));
        let shared = (Arc::clone(&barriers), Arc::clone(&requests), Arc::clone(&tally));
        let ended = Arc::new(AtomicBool::new(false));
        let at_end = SetAtEnd(Arc::clone(&ended));
        let mut watcher = Watcher::new((Arc::clone(&root), ignore), backend, shared, Box::new(sink));
        let thread = std::thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || {
                let _at_end = at_end;
                watcher.run();
            })
            .map_err(start)?;
        Ok(Watch { barriers, requests, tally, waker, ended, thread: Some(thread) })
    }

    /// Asks for a barrier: [`Notice::Barrier`] with the number returned follows once every change made
    /// before this call has been told. No notice follows once the thread has ended.
    pub fn barrier(&self) -> Result<u64, WatchError> {
        if self.ended.load(Ordering::Acquire) {
            return Err(WatchError::Ended);
        }
        let number = self.barriers.ask()?;
        if self.barriers.files().is_none() {
            self.waker.wake();
        }
        Ok(number)
    }

    /// Asks for `directory` to be listed again with all beneath.
    pub fn rescan(&self, directory: &RelPath) {
        self.requests.rescan(directory);
        self.waker.wake();
    }

    /// How it fares.
    pub fn counters(&self) -> Counters {
        self.tally.read()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.requests.stop();
        self.waker.wake();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported where it happened.
            let _ = thread.join();
        }
    }
}

struct Chosen {
    backend: Box<dyn Backend>,
    barriers: Arc<Barriers>,
    waker: Box<dyn Waker>,
}

fn choose(root: &Root, runtime_dir: &Path, options: &WatchOptions) -> Result<Chosen, WatchError> {
    let start = |source| WatchError::Start { root: root.path().to_owned(), source };
    let with_files = || Ok::<_, WatchError>(Arc::new(Barriers::new(Some(BarrierFiles::open(runtime_dir)?))));
    let (waker, wake) = EventWaker::new().map_err(start)?;
    match options.backend {
        BackendChoice::Auto => {
            let barriers = with_files()?;
            match Inotify::new(root.path(), Arc::clone(&barriers), Arc::clone(&wake), options.max_watches) {
                Ok(inotify) => {
                    return Ok(Chosen { backend: Box::new(inotify), barriers, waker: Box::new(waker) });
                }
                // The limit of instances, or of watches.
                Err(error) => tracing::warn!(%error, "no inotify; the project is polled"),
            }
        }
        BackendChoice::Notify => {
            let barriers = with_files()?;
            let (notify, waker) = Notify::new(root.path(), Arc::clone(&barriers)).map_err(start)?;
            return Ok(Chosen { backend: Box::new(notify), barriers, waker: Box::new(waker) });
        }
        BackendChoice::Poll => {}
    }
    let barriers = Arc::new(Barriers::new(None));
    Ok(Chosen { backend: Box::new(Poll { wake }), barriers, waker: Box::new(waker) })
}

/// Says that the thread has ended, also when it panicked.
struct SetAtEnd(Arc<AtomicBool>);

impl Drop for SetAtEnd {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}
