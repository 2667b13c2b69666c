//! One server as the questions see it: wait until it is ready, start it, stop it. A task of its own
//! (`server_task`) manages its process. Invariant: nothing here blocks, and a question does not start a server that was
//! stopped by hand.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};

use super::changes::Changes;
use super::memory_of_all::MemoryOfAll;
use super::phase::Phase;
use super::server_task::{Order, ServerTask};
use super::session::Session;
use super::{Change, ServerError, ServerState, WaitPolicy};
use symd_base::RelPath;
use symd_config::{LanguageId, LanguageServer};
use symd_vfs::Files;

/// Capacity of the queue of orders to the server's task, which takes them at once except while it ends a
/// process. When it is full, an order waits; a question's request to start the server is dropped, because
/// other questions have queued the same request.
const ORDERS: usize = 16;
/// After this many timeouts in a row the server counts as hung.
const MAX_TIMEOUTS_IN_A_ROW: u32 = 3;
/// How long a question whose server died waits for the report of the process's end. Longer than all steps
/// before that report.
const EXIT_REPORT_WAIT: Duration = Duration::from_secs(7);

/// What a server is and how it is run.
#[derive(Debug)]
pub(super) struct Spec {
    pub(super) name: String,
    pub(super) config: LanguageServer,
    /// The absolute path of the server's root.
    pub(super) directory: PathBuf,
    /// The first language for which it was created.
    pub(super) language: LanguageId,
    /// The server's root, relative to the project's.
    pub(super) root_in_project: RelPath,
    pub(super) files: Arc<dyn Files>,
    pub(super) languages: Arc<symd_config::Languages>,
    pub(super) supervisor: PathBuf,
    pub(super) installed: PathBuf,
    pub(super) search_path: std::ffi::OsString,
    /// The server's own state directory (`{state}`).
    pub(super) state: PathBuf,
    pub(super) log: PathBuf,
    pub(super) idle_stop: Option<Duration>,
    pub(super) memory_limit: Option<u64>,
    pub(super) memory_of_all: Arc<MemoryOfAll>,
}

/// A server and the handle of its task.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) spec: Arc<Spec>,
    orders: mpsc::Sender<Order>,
    phase: watch::Receiver<Phase>,
    used: Arc<UsageCounters>,
    early: Arc<StartupChanges>,
    task: Mutex<Option<JoinHandle<()>>>,
    /// The request that tests whether a server that timed out responds again, if one was sent.
    trial: Mutex<Option<JoinHandle<()>>>,
}

/// Counters and times of a server's use.
#[derive(Debug)]
pub(super) struct UsageCounters {
    pub(super) requests: AtomicU64,
    pub(super) shared: AtomicU64,
    late: AtomicU32,
    /// The session whose last request timed out, and when that request was sent.
    late_since: Mutex<Option<(Weak<Session>, Instant)>>,
    under_way: AtomicU64,
    last: Mutex<Instant>,
    /// Notified when no question is in progress any more.
    became_idle: Notify,
}

/// The files that changed while the server was starting. It may have read them before, so it is notified once
/// it has a session.
#[derive(Debug, Default)]
pub(super) struct StartupChanges(Mutex<Changes>);

impl StartupChanges {
    pub(super) fn changes(&self) -> MutexGuard<'_, Changes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A ready server.
#[derive(Clone, Debug)]
pub(super) struct Usable {
    pub(super) session: Arc<Session>,
    pub(super) maybe_indexing: bool,
}

/// Counts a question as in progress until dropped.
#[derive(Debug)]
pub(super) struct InUseGuard(Arc<UsageCounters>);

impl Server {
    /// Creates the server without starting a process. Must be called within a tokio runtime.
    pub(super) fn new(spec: Spec) -> Server {
        let spec = Arc::new(spec);
        let (orders, taken) = mpsc::channel(ORDERS);
        let (tell, phase) = watch::channel(Phase::idle());
        let used = Arc::new(UsageCounters::new());
        let early = Arc::new(StartupChanges::default());
        let task = ServerTask::new(Arc::clone(&spec), taken, tell, Arc::clone(&used), Arc::clone(&early));
        let task = Mutex::new(Some(tokio::spawn(task.run())));
        Server { spec, orders, phase, used, early, task, trial: Mutex::default() }
    }

    /// Notifies the server of a change, or keeps the change until it has a session.
    pub(super) fn changed(&self, path: &RelPath, change: Change) {
        // Locked first, so that this change cannot overtake those that are handed to a new session.
        let mut early = self.early.changes();
        let phase = self.phase.borrow();
        match &phase.session {
            Some(session) => {
                session.file_changed(path, change);
                if session.lost_changes() {
                    self.replace_session(session, TOO_MANY_CHANGES);
                }
            }
            // The starting process may have read the file already.
            None if phase.state == ServerState::Starting => early.note(path, change),
            None => {}
        }
    }

    pub(super) fn phase(&self) -> Phase {
        self.phase.borrow().clone()
    }

    pub(super) fn used(&self) -> &Arc<UsageCounters> {
        &self.used
    }

    /// Waits until the server is ready for a question about `document` (`None`: about the project), as long
    /// as `waiting` permits; the error says why it is not. Starts it if it is idle.
    pub(super) async fn ready(
        &self,
        document: Option<&RelPath>,
        waiting: WaitPolicy,
    ) -> Result<Usable, ServerError> {
        self.used.touch();
        let failed_starts = self.phase.borrow().failed_starts;
        let ready = self.await_ready(document, failed_starts);
        match waiting {
            WaitPolicy::DontWait | WaitPolicy::ForAnswer => {
                match self.availability(document, failed_starts) {
                    Availability::Ready(usable) => Ok(usable),
                    Availability::Unavailable(error) => Err(error),
                    Availability::Pending => {
                        self.request_start(document);
                        Err(self.phase.borrow().not_ready(&self.spec.name))
                    }
                }
            }
            WaitPolicy::Until(deadline) => match timeout_at(deadline, ready).await {
                Ok(answer) => answer,
                Err(_) => Err(self.phase.borrow().not_ready(&self.spec.name)),
            },
        }
    }

    async fn await_ready(
        &self,
        document: Option<&RelPath>,
        failed_starts: u64,
    ) -> Result<Usable, ServerError> {
        let mut phase = self.phase.clone();
        loop {
            phase.borrow_and_update();
            match self.availability(document, failed_starts) {
                Availability::Ready(usable) => return Ok(usable),
                Availability::Unavailable(error) => return Err(error),
                Availability::Pending => self.request_start(document),
            }
            if phase.changed().await.is_err() {
                return Err(ServerError::Stopping);
            }
        }
    }

    /// Returns whether the server is usable now, may become so, or will not. `failed_starts`: the value of
    /// [`Phase::failed_starts`] when the question came.
    fn availability(&self, document: Option<&RelPath>, failed_starts: u64) -> Availability {
        let phase = self.phase.borrow();
        let server = || self.spec.name.clone();
        let error = || phase.last_error.clone().unwrap_or_default();
        match phase.state {
            // Asked now, it would know only that document.
            ServerState::Ready if phase.waits_for_document && document.is_some() => Availability::Pending,
            ServerState::Ready => match &phase.session {
                Some(session) => Availability::Ready(Usable {
                    session: Arc::clone(session),
                    maybe_indexing: phase.maybe_indexing,
                }),
                None => Availability::Pending,
            },
            ServerState::Down => {
                Availability::Unavailable(ServerError::Down { server: server(), problem: error() })
            }
            ServerState::Stopped => match phase.why_stopped(&self.spec.name) {
                Some(why) => Availability::Unavailable(why),
                None => Availability::Pending,
            },
            // The server will be started again, but this question has seen it fail.
            ServerState::Restarting if phase.failed_starts > failed_starts => {
                Availability::Unavailable(ServerError::Failed { server: server(), problem: error() })
            }
            _ => Availability::Pending,
        }
    }

    fn request_start(&self, document: Option<&RelPath>) {
        let wanted = {
            let phase = self.phase.borrow();
            let resting = matches!(phase.state, ServerState::Idle | ServerState::Stopped);
            resting || (phase.waits_for_document && document.is_some())
        };
        if wanted {
            // If the queue is full, other questions have queued the same request.
            let _ = self.orders.try_send(Order::Start(document.cloned()));
        }
    }

    /// Counts a question as in progress until the guard is dropped; the server does not idle-stop meanwhile.
    pub(super) fn using(&self) -> InUseGuard {
        self.used.under_way.fetch_add(1, Ordering::Relaxed);
        InUseGuard(Arc::clone(&self.used))
    }

    /// Notes that a request was answered in time, with whatever result.
    pub(super) fn record_response(&self) {
        self.used.late.store(0, Ordering::Relaxed);
        *self.used.late_since() = None;
    }

    /// Returns when the first unanswered request was sent, if the last request to the current session timed
    /// out.
    pub(super) fn late_since(&self) -> Option<Instant> {
        let (late, since) = self.used.late_since().clone()?;
        // A timeout of an earlier process does not count.
        let phase = self.phase.borrow();
        phase.session.as_ref().is_some_and(|now| Arc::as_ptr(now) == late.as_ptr()).then_some(since)
    }

    /// Returns the error for callers that do not wait for a server whose last request timed out.
    pub(super) fn late_error(&self, since: Instant) -> ServerError {
        ServerError::NotReady {
            server: self.spec.name.clone(),
            waiting_for: LATE.to_owned(),
            seconds: since.elapsed().as_secs(),
        }
    }

    /// Sends the request that tests whether the server responds again; `false` if one is in progress already.
    pub(super) fn start_trial(&self, question: impl Future<Output = ()> + Send + 'static) -> bool {
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

    /// Notes that a request timed out. After [`MAX_TIMEOUTS_IN_A_ROW`] timeouts in a row the server is restarted.
    pub(super) fn record_timeout(&self, session: &Arc<Session>, asked: Instant) {
        let is_known = self.late_since().is_some();
        if !is_known {
            *self.used.late_since() = Some((Arc::downgrade(session), asked));
        }
        if self.used.late.fetch_add(1, Ordering::Relaxed) + 1 >= MAX_TIMEOUTS_IN_A_ROW {
            self.record_response();
            self.replace_session(session, "several requests in a row timed out");
        }
    }

    /// Orders the replacement of an unusable session.
    pub(super) fn replace_session(&self, session: &Arc<Session>, why: &'static str) {
        // If the queue is full, the server is being stopped or restarted anyway.
        let _ = self.orders.try_send(Order::ReplaceSession(Arc::downgrade(session), why));
    }

    /// Returns why a question to the closed `session` was not answered; waits until it is known how the
    /// process ended. `None` if that does not become known in time.
    pub(super) async fn exit_report(&self, session: &Arc<Session>) -> Option<ServerError> {
        let mut phase = self.phase.clone();
        let another = |phase: &Phase| !phase.session.as_ref().is_some_and(|one| Arc::ptr_eq(one, session));
        let ended = timeout(EXIT_REPORT_WAIT, phase.wait_for(another)).await.ok()?.ok()?;
        let server = self.spec.name.clone();
        match (ended.state, ended.last_error.clone()) {
            (ServerState::Stopped, _) => ended.why_stopped(&server),
            (ServerState::Down, Some(problem)) => Some(ServerError::Down { server, problem }),
            (_, problem) => {
                let problem = format!("{}; ask again: it is being restarted", problem?);
                Some(ServerError::Failed { server, problem })
            }
        }
    }

    /// Restarts the server by the user's order, with a fresh restart budget. Returns when it is being
    /// started.
    pub(super) async fn restart(&self) -> Result<(), ServerError> {
        self.order(Order::Restart).await
    }

    /// Stops the server by the user's order; returns when no process of it is left.
    pub(super) async fn stop(&self) -> Result<(), ServerError> {
        self.order(Order::Stop).await
    }

    /// Stops the server for good; returns when no process of it is left.
    pub(super) async fn shutdown(&self) {
        if let Some(trial) = self.trial().take() {
            trial.abort();
        }
        // An error means that it has ended already.
        let _ = self.order(Order::Shutdown).await;
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task {
            let _ = task.await;
        }
    }

    async fn order(&self, order: impl FnOnce(oneshot::Sender<()>) -> Order) -> Result<(), ServerError> {
        let (done, is_done) = oneshot::channel();
        self.orders.send(order(done)).await.map_err(|_| ServerError::Stopping)?;
        is_done.await.map_err(|_| ServerError::Stopping)
    }
}

/// Why a session is unusable when changes were lost.
pub(super) const TOO_MANY_CHANGES: &str = "too many files changed to notify it of each";
/// The status of a server that was stopped by hand.
pub(super) const STOPPED_BY_HAND: &str = "it was stopped by hand";

/// The status of a server whose last request timed out.
pub(super) const LATE: &str = "it did not answer the last question in time";

enum Availability {
    Ready(Usable),
    Pending,
    Unavailable(ServerError),
}

impl UsageCounters {
    fn new() -> UsageCounters {
        UsageCounters {
            requests: AtomicU64::new(0),
            shared: AtomicU64::new(0),
            late: AtomicU32::new(0),
            late_since: Mutex::default(),
            under_way: AtomicU64::new(0),
            last: Mutex::new(Instant::now()),
            became_idle: Notify::new(),
        }
    }

    fn touch(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn late_since(&self) -> MutexGuard<'_, Option<(Weak<Session>, Instant)>> {
        self.late_since.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns when the server was last used; `None` while a question is in progress.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let nobody = self.under_way.load(Ordering::Relaxed) == 0;
        nobody.then(|| *self.last.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until the last question in progress is over; returns at once if one was since this was last waited for.
    pub(super) async fn became_idle(&self) {
        self.became_idle.notified().await;
    }
}

impl Drop for InUseGuard {
    fn drop(&mut self) {
        self.0.touch();
        if self.0.under_way.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.0.became_idle.notify_one();
        }
    }
}
