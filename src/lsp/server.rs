//! One server as its askers see it: is it ready, start it, stop it. Its life is led by a task of its own (`life`).
//! Invariant: nothing here blocks, and a server stopped by hand is not started by a question.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};

use super::life::{Life, Order};
use super::phase::Phase;
use super::session::Session;
use super::{NoAnswer, ServerState, Waiting};
use crate::base::RelPath;
use crate::config::{LanguageId, LanguageServer};
use crate::vfs::Root;

/// Orders that the server's task has not taken: it takes them at once except while it ends a process. When it is full,
/// whoever orders waits; a question's wish that it be started is dropped, as others have wished the same.
const ORDERS: usize = 16;
/// Questions in a row that were not answered in time, after which the server is taken for hung.
const HUNG_AFTER: u32 = 3;
/// How long the end of a process is waited for by a question that died with it. Longer than all that comes before it
/// is told.
const OBITUARY: Duration = Duration::from_secs(7);

/// What one server is and how it is run.
#[derive(Debug)]
pub(super) struct Spec {
    pub(super) name: String,
    pub(super) config: LanguageServer,
    /// Absolute: where it runs, and the root it is given.
    pub(super) directory: PathBuf,
    /// The first language that asked for it.
    pub(super) language: LanguageId,
    /// The same, in the project.
    pub(super) root_in_project: RelPath,
    pub(super) root: Arc<Root>,
    pub(super) languages: Arc<crate::config::Languages>,
    pub(super) supervisor: PathBuf,
    pub(super) installed: PathBuf,
    pub(super) search_path: std::ffi::OsString,
    /// Its own directory (`{state}`).
    pub(super) state: PathBuf,
    pub(super) log: PathBuf,
    pub(super) idle_stop: Option<Duration>,
    pub(super) memory_limit: Option<u64>,
}

/// One server.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) spec: Arc<Spec>,
    orders: mpsc::Sender<Order>,
    phase: watch::Receiver<Phase>,
    used: Arc<Used>,
    life: Mutex<Option<JoinHandle<()>>>,
}

/// How a server is used.
#[derive(Debug)]
pub(super) struct Used {
    pub(super) requests: AtomicU64,
    pub(super) shared: AtomicU64,
    late: AtomicU32,
    under_way: AtomicU64,
    last: Mutex<Instant>,
}

/// A server that can be asked.
#[derive(Clone, Debug)]
pub(super) struct Usable {
    pub(super) session: Arc<Session>,
    pub(super) maybe_indexing: bool,
}

/// Held while a question is under way.
#[derive(Debug)]
pub(super) struct Using(Arc<Used>);

impl Server {
    /// Nothing is started yet. Must be called within a runtime.
    pub(super) fn new(spec: Spec) -> Server {
        let spec = Arc::new(spec);
        let (orders, taken) = mpsc::channel(ORDERS);
        let (tell, phase) = watch::channel(Phase::idle());
        let used = Arc::new(Used::new());
        let life = Life::new(Arc::clone(&spec), taken, tell, Arc::clone(&used));
        let life = Mutex::new(Some(tokio::spawn(life.live())));
        Server { spec, orders, phase, used, life }
    }

    /// Calls `tell` with the session, if there is one.
    pub(super) fn tell_running(&self, tell: impl FnOnce(&Arc<Session>)) {
        if let Some(session) = &self.phase.borrow().session {
            tell(session);
        }
    }

    /// Where it is in its life.
    pub(super) fn phase(&self) -> Phase {
        self.phase.borrow().clone()
    }

    /// How it is used.
    pub(super) fn used(&self) -> &Arc<Used> {
        &self.used
    }

    /// Itself, ready, or why not. Starts it where it rests by itself.
    pub(super) async fn ready(&self, waiting: Waiting) -> Result<Usable, NoAnswer> {
        self.used.touch();
        let stillborn = self.phase.borrow().stillborn;
        let ready = self.await_ready(stillborn);
        match waiting {
            Waiting::No => match self.look(stillborn) {
                Look::Usable(usable) => Ok(usable),
                Look::Never(error) => Err(error),
                Look::NotYet => {
                    self.wish();
                    Err(self.phase.borrow().not_ready(&self.spec.name))
                }
            },
            Waiting::Until(deadline) => match timeout_at(deadline, ready).await {
                Ok(answer) => answer,
                Err(_) => Err(self.phase.borrow().not_ready(&self.spec.name)),
            },
        }
    }

    async fn await_ready(&self, stillborn: u64) -> Result<Usable, NoAnswer> {
        let mut phase = self.phase.clone();
        loop {
            phase.borrow_and_update();
            match self.look(stillborn) {
                Look::Usable(usable) => return Ok(usable),
                Look::Never(error) => return Err(error),
                Look::NotYet => self.wish(),
            }
            if phase.changed().await.is_err() {
                return Err(NoAnswer::Stopping);
            }
        }
    }

    /// `stillborn`: how often it had ended before it could be asked when the question came.
    fn look(&self, stillborn: u64) -> Look {
        let phase = self.phase.borrow();
        let server = || self.spec.name.clone();
        let error = || phase.last_error.clone().unwrap_or_default();
        match phase.state {
            ServerState::Ready => match &phase.session {
                Some(session) => Look::Usable(Usable {
                    session: Arc::clone(session),
                    maybe_indexing: phase.maybe_indexing,
                }),
                None => Look::NotYet,
            },
            ServerState::Down => Look::Never(NoAnswer::Down { server: server(), problem: error() }),
            ServerState::Stopped if phase.doing.is_some() => {
                Look::Never(NoAnswer::Down { server: server(), problem: STOPPED_BY_HAND.to_owned() })
            }
            // It will be tried again; this question has seen that it does not work.
            ServerState::Restarting if phase.stillborn > stillborn => {
                Look::Never(NoAnswer::Failed { server: server(), problem: error() })
            }
            _ => Look::NotYet,
        }
    }

    fn wish(&self) {
        let resting = matches!(self.phase.borrow().state, ServerState::Idle | ServerState::Stopped);
        if resting {
            // Full: others wish the same.
            let _ = self.orders.try_send(Order::Start);
        }
    }

    /// Counts a question as under way until the guard is dropped: meanwhile it does not idle.
    pub(super) fn using(&self) -> Using {
        self.used.under_way.fetch_add(1, Ordering::Relaxed);
        Using(Arc::clone(&self.used))
    }

    /// A question was answered in time, by whatever.
    pub(super) fn answered(&self) {
        self.used.late.store(0, Ordering::Relaxed);
    }

    /// A question was not answered in time. After several in a row the server is started anew.
    pub(super) fn was_late(&self, session: &Arc<Session>) {
        if self.used.late.fetch_add(1, Ordering::Relaxed) + 1 >= HUNG_AFTER {
            self.used.late.store(0, Ordering::Relaxed);
            self.is_useless(session, "it answered several questions in a row not in time");
        }
    }

    /// This session is to be replaced by another.
    pub(super) fn is_useless(&self, session: &Arc<Session>, why: &'static str) {
        // Full: it is being stopped or started anyhow.
        let _ = self.orders.try_send(Order::Useless(Arc::downgrade(session), why));
    }

    /// How the process of `session` ended, told as a problem; waits for it to end.
    pub(super) async fn obituary(&self, session: &Arc<Session>) -> Option<String> {
        let mut phase = self.phase.clone();
        let another = |phase: &Phase| !phase.session.as_ref().is_some_and(|one| Arc::ptr_eq(one, session));
        let ended = timeout(OBITUARY, phase.wait_for(another)).await.ok()?.ok()?;
        ended.last_error.clone()
    }

    /// Starts it by hand, afresh. Returns when it is being started.
    pub(super) async fn restart(&self) -> Result<(), NoAnswer> {
        self.order(Order::Restart).await
    }

    /// Stops it by hand; returns when nothing of it is left.
    pub(super) async fn stop(&self) -> Result<(), NoAnswer> {
        self.order(Order::Stop).await
    }

    /// Ends it for good; returns when nothing of it is left.
    pub(super) async fn shutdown(&self) {
        // It has ended already.
        let _ = self.order(Order::Shutdown).await;
        let life = self.life.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(life) = life {
            let _ = life.await;
        }
    }

    async fn order(&self, order: impl FnOnce(oneshot::Sender<()>) -> Order) -> Result<(), NoAnswer> {
        let (done, is_done) = oneshot::channel();
        self.orders.send(order(done)).await.map_err(|_| NoAnswer::Stopping)?;
        is_done.await.map_err(|_| NoAnswer::Stopping)
    }
}

/// What a server that was stopped by hand is said to be doing.
pub(super) const STOPPED_BY_HAND: &str = "it was stopped by hand";

enum Look {
    Usable(Usable),
    NotYet,
    Never(NoAnswer),
}

impl Used {
    fn new() -> Used {
        Used {
            requests: AtomicU64::new(0),
            shared: AtomicU64::new(0),
            late: AtomicU32::new(0),
            under_way: AtomicU64::new(0),
            last: Mutex::new(Instant::now()),
        }
    }

    fn touch(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Since when nobody has asked; `None` while a question is under way.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let nobody = self.under_way.load(Ordering::Relaxed) == 0;
        nobody.then(|| *self.last.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Using {
    fn drop(&mut self) {
        self.0.touch();
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}
