//! One server as its askers see it: is it ready, start it, stop it. Its life is led by a task of its own (`life`).
//! Invariant: nothing here blocks, and a server stopped by hand is not started by a question.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};

use super::changes::Changes;
use super::life::{Life, Order};
use super::phase::Phase;
use super::session::Session;
use super::{Change, NoAnswer, ServerState, Waiting};
use symd_base::RelPath;
use symd_config::{LanguageId, LanguageServer};
use symd_vfs::Root;

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
    /// Absolute: the root it is given.
    pub(super) directory: PathBuf,
    /// The first language that asked for it.
    pub(super) language: LanguageId,
    /// The same, in the project.
    pub(super) root_in_project: RelPath,
    pub(super) root: Arc<Root>,
    pub(super) languages: Arc<symd_config::Languages>,
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
    early: Arc<Early>,
    life: Mutex<Option<JoinHandle<()>>>,
    /// The question by which a server that was late is tried, if one was put.
    trial: Mutex<Option<JoinHandle<()>>>,
}

/// How a server is used.
#[derive(Debug)]
pub(super) struct Used {
    pub(super) requests: AtomicU64,
    pub(super) shared: AtomicU64,
    late: AtomicU32,
    /// The session that was late, and since when.
    late_since: Mutex<Option<(Weak<Session>, Instant)>>,
    under_way: AtomicU64,
    last: Mutex<Instant>,
}

/// Files that changed while the server was being started. It may have read them before, and is told when it can be.
#[derive(Debug, Default)]
pub(super) struct Early(Mutex<Changes>);

impl Early {
    pub(super) fn changes(&self) -> MutexGuard<'_, Changes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
        let early = Arc::new(Early::default());
        let life = Life::new(Arc::clone(&spec), taken, tell, Arc::clone(&used), Arc::clone(&early));
        let life = Mutex::new(Some(tokio::spawn(life.live())));
        Server { spec, orders, phase, used, early, life, trial: Mutex::default() }
    }

    /// Tells it of a change, or keeps that until it can be told.
    pub(super) fn changed(&self, path: &RelPath, change: Change) {
        // First, so that no change overtakes those that are handed over to a new session.
        let mut early = self.early.changes();
        let phase = self.phase.borrow();
        match &phase.session {
            Some(session) => {
                session.file_changed(path, change);
                if session.lost_changes() {
                    self.is_useless(session, TOO_MANY_CHANGES);
                }
            }
            // It may have looked at the file by now.
            None if phase.state == ServerState::Starting => early.note(path, change),
            None => {}
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

    /// Itself, ready for a question about `document` (`None`: about the project), or why not. Starts it where it rests
    /// by itself.
    pub(super) async fn ready(
        &self,
        document: Option<&RelPath>,
        waiting: Waiting,
    ) -> Result<Usable, NoAnswer> {
        self.used.touch();
        let stillborn = self.phase.borrow().stillborn;
        let ready = self.await_ready(document, stillborn);
        match waiting {
            Waiting::No | Waiting::ForAnswer => match self.look(document, stillborn) {
                Look::Usable(usable) => Ok(usable),
                Look::Never(error) => Err(error),
                Look::NotYet => {
                    self.wish(document);
                    Err(self.phase.borrow().not_ready(&self.spec.name))
                }
            },
            Waiting::Until(deadline) => match timeout_at(deadline, ready).await {
                Ok(answer) => answer,
                Err(_) => Err(self.phase.borrow().not_ready(&self.spec.name)),
            },
        }
    }

    async fn await_ready(&self, document: Option<&RelPath>, stillborn: u64) -> Result<Usable, NoAnswer> {
        let mut phase = self.phase.clone();
        loop {
            phase.borrow_and_update();
            match self.look(document, stillborn) {
                Look::Usable(usable) => return Ok(usable),
                Look::Never(error) => return Err(error),
                Look::NotYet => self.wish(document),
            }
            if phase.changed().await.is_err() {
                return Err(NoAnswer::Stopping);
            }
        }
    }

    /// `stillborn`: how often it had ended before it could be asked when the question came.
    fn look(&self, document: Option<&RelPath>, stillborn: u64) -> Look {
        let phase = self.phase.borrow();
        let server = || self.spec.name.clone();
        let error = || phase.last_error.clone().unwrap_or_default();
        match phase.state {
            // Asked now, it would know that document only.
            ServerState::Ready if phase.waits_for_document && document.is_some() => Look::NotYet,
            ServerState::Ready => match &phase.session {
                Some(session) => Look::Usable(Usable {
                    session: Arc::clone(session),
                    maybe_indexing: phase.maybe_indexing,
                }),
                None => Look::NotYet,
            },
            ServerState::Down => Look::Never(NoAnswer::Down { server: server(), problem: error() }),
            ServerState::Stopped => match phase.why_stopped(&self.spec.name) {
                Some(why) => Look::Never(why),
                None => Look::NotYet,
            },
            // It will be tried again; this question has seen that it does not work.
            ServerState::Restarting if phase.stillborn > stillborn => {
                Look::Never(NoAnswer::Failed { server: server(), problem: error() })
            }
            _ => Look::NotYet,
        }
    }

    fn wish(&self, document: Option<&RelPath>) {
        let wanted = {
            let phase = self.phase.borrow();
            let resting = matches!(phase.state, ServerState::Idle | ServerState::Stopped);
            resting || (phase.waits_for_document && document.is_some())
        };
        if wanted {
            // Full: others wish the same.
            let _ = self.orders.try_send(Order::Start(document.cloned()));
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
        *self.used.late_since() = None;
    }

    /// Since when it has not answered, where the last question was not answered in time.
    pub(super) fn late_since(&self) -> Option<Instant> {
        let (late, since) = self.used.late_since().clone()?;
        // Of an earlier process it says nothing.
        let phase = self.phase.borrow();
        phase.session.as_ref().is_some_and(|now| Arc::as_ptr(now) == late.as_ptr()).then_some(since)
    }

    /// Why it is not asked by who does not wait, where the last question was not answered in time.
    pub(super) fn is_late(&self, since: Instant) -> NoAnswer {
        NoAnswer::NotReady {
            server: self.spec.name.clone(),
            waiting_for: LATE.to_owned(),
            seconds: since.elapsed().as_secs(),
        }
    }

    /// Puts a question by which it is found out whether it answers again; `false` if one is under way.
    pub(super) fn try_again(&self, question: impl Future<Output = ()> + Send + 'static) -> bool {
        let mut trial = self.trial();
        if trial.as_ref().is_some_and(|trial| !trial.is_finished()) {
            return false;
        }
        *trial = Some(tokio::spawn(question));
        true
    }

    fn trial(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        self.trial.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A question was not answered in time. After several in a row the server is started anew.
    pub(super) fn was_late(&self, session: &Arc<Session>, asked: Instant) {
        let is_known = self.late_since().is_some();
        if !is_known {
            *self.used.late_since() = Some((Arc::downgrade(session), asked));
        }
        if self.used.late.fetch_add(1, Ordering::Relaxed) + 1 >= HUNG_AFTER {
            self.answered();
            self.is_useless(session, "it answered several questions in a row not in time");
        }
    }

    /// This session is to be replaced by another.
    pub(super) fn is_useless(&self, session: &Arc<Session>, why: &'static str) {
        // Full: it is being stopped or started anyhow.
        let _ = self.orders.try_send(Order::Useless(Arc::downgrade(session), why));
    }

    /// Why a question to `session`, which has closed, was not answered; waits until it is known how its process ended.
    pub(super) async fn exit_report(&self, session: &Arc<Session>) -> Option<NoAnswer> {
        let mut phase = self.phase.clone();
        let another = |phase: &Phase| !phase.session.as_ref().is_some_and(|one| Arc::ptr_eq(one, session));
        let ended = timeout(OBITUARY, phase.wait_for(another)).await.ok()?.ok()?;
        let server = self.spec.name.clone();
        match (ended.state, ended.last_error.clone()) {
            (ServerState::Stopped, _) => ended.why_stopped(&server),
            (ServerState::Down, Some(problem)) => Some(NoAnswer::Down { server, problem }),
            (_, problem) => {
                let problem = format!("{}; ask again: it is started anew", problem?);
                Some(NoAnswer::Failed { server, problem })
            }
        }
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
        if let Some(trial) = self.trial().take() {
            trial.abort();
        }
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

/// Why a server is of no use that could not be told of all changes.
pub(super) const TOO_MANY_CHANGES: &str = "too many files changed for it to be told of each";
/// What a server that was stopped by hand is said to be doing.
pub(super) const STOPPED_BY_HAND: &str = "it was stopped by hand";

/// What a server that was late is said to be doing.
pub(super) const LATE: &str = "it did not answer the last question in time";

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
            late_since: Mutex::default(),
            under_way: AtomicU64::new(0),
            last: Mutex::new(Instant::now()),
        }
    }

    fn touch(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn late_since(&self) -> MutexGuard<'_, Option<(Weak<Session>, Instant)>> {
        self.late_since.lock().unwrap_or_else(PoisonError::into_inner)
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
