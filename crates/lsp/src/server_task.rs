//! The lifecycle of one server: a task that starts its process, judges whether it is ready, watches it, and
//! restarts it when it dies. Only this task changes the server's [`Phase`]. Invariant: there is at most one
//! process at a time, and the next is started only when no process of the previous group is left.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};

use super::budget::{Budget, Next};
use super::connection::RequestError;
use super::memory_of_all::{CountedGroup, MemoryVerdict};
use super::phase::Phase;
use super::process::{self, Process, ProcessExit, StartedProcess};
use super::readiness::{Readiness, ReadinessEvent, ReadinessState};
use super::server::{STOPPED_BY_HAND, Spec, StartupChanges, TOO_MANY_CHANGES, UsageCounters};
use super::server_event::ServerEvent;
use super::session::Session;
use super::{ServerState, ending};
use symd_base::RelPath;
use symd_sys::group;

/// The interval between checks of a server's memory: short enough to notice a leak before it does harm.
const MEMORY_EVERY: Duration = Duration::from_secs(10);
/// The factor by which the timeout of `initialize` exceeds that of a request: it includes the server's whole
/// start.
const INITIALIZE_TIMES: u32 = 2;
/// The maximum time for a process that closed its stdout to exit by itself, so that its exit code can be
/// reported.
const CLOSING: Duration = Duration::from_secs(1);

/// An order to a server's task.
#[derive(Debug)]
pub(super) enum Order {
    /// A question was asked, about this document if it is about one. Start the server if it is idle or was
    /// stopped for idleness; open the document if the server waits for a first document.
    Start(Option<RelPath>),
    /// Restart by the user's order, in any state. Answered when the process is being started.
    Restart(oneshot::Sender<()>),
    /// Stop by the user's order. Answered when no process of the server is left.
    Stop(oneshot::Sender<()>),
    /// The daemon shuts down. Answered when no process of the server is left.
    Shutdown(oneshot::Sender<()>),
    /// This session is unusable, with the reason; replace it.
    ReplaceSession(Weak<Session>, &'static str),
}

/// The task that leads a server through its life.
#[derive(Debug)]
pub(super) struct ServerTask {
    spec: Arc<Spec>,
    orders: mpsc::Receiver<Order>,
    phase: watch::Sender<Phase>,
    used: Arc<UsageCounters>,
    early: Arc<StartupChanges>,
    budget: Budget,
    /// When it was restarted because all servers together took too much memory, if that is why the process, or the next one,
    /// was started.
    restarted_for_memory: Option<Instant>,
    /// A document that a question is about: the first to be opened in a server that waits for one.
    document: Option<RelPath>,
}

/// Why a process is over, which determines what comes next.
enum ProcessOutcome {
    /// It failed; `before_initialize`: before `initialize` was answered.
    Died { problem: String, before_initialize: bool },
    /// It can never work; it is not restarted.
    Unrecoverable { problem: String },
    /// The user restarts it.
    RestartRequested(oneshot::Sender<()>),
    /// The user stopped it.
    Stopped(oneshot::Sender<()>),
    /// It was idle for too long.
    Idle,
    /// It was idle, and all servers together took too much memory; what the user is told.
    TooLargeTogether(String),
    /// The daemon shuts down; the sender, if any, is notified.
    ShutDown(Option<oneshot::Sender<()>>),
}

/// A running process and its state.
struct RunningServer {
    process: Process,
    /// Set once `initialize` is answered.
    session: Option<Arc<Session>>,
    readiness: Readiness,
    since: Instant,
}

/// The opening of a document, in progress.
type Showing = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Why the watching of a process ended.
enum StopCause {
    Ended(ProcessExit),
    /// It closed its stdout.
    Closed,
    /// It violates the protocol or its session is unusable.
    ProtocolError(String),
    Hopeless(String),
    MemoryLimit(String),
    TooLargeTogether(String),
    Idle,
    Ordered(Order),
    OwnerDropped,
}

/// Whether all changes between the start and the session could be kept for the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    All,
    NotAll,
}

impl ServerTask {
    pub(super) fn new(
        spec: Arc<Spec>,
        orders: mpsc::Receiver<Order>,
        phase: watch::Sender<Phase>,
        used: Arc<UsageCounters>,
        early: Arc<StartupChanges>,
    ) -> ServerTask {
        ServerTask {
            spec,
            orders,
            phase,
            used,
            early,
            budget: Budget::default(),
            restarted_for_memory: None,
            document: None,
        }
    }

    /// Runs until the daemon shuts down or the senders of orders are dropped.
    pub(super) async fn run(mut self) {
        let mut start_at = None;
        while self.wait_for_start(start_at).await.is_some() {
            start_at = match self.run_process().await {
                ProcessOutcome::Died { problem, before_initialize } => {
                    self.handle_exit(problem, before_initialize)
                }
                ProcessOutcome::Unrecoverable { problem } => {
                    self.set_down(problem);
                    None
                }
                ProcessOutcome::RestartRequested(done) => {
                    self.set_starting(done);
                    Some(Instant::now())
                }
                ProcessOutcome::Stopped(done) => {
                    self.set_idle(ServerState::Stopped, Some(STOPPED_BY_HAND.to_owned()));
                    let _ = done.send(());
                    None
                }
                ProcessOutcome::Idle => {
                    self.set_idle(ServerState::Stopped, None);
                    None
                }
                // Not a death: the budget of restarts is for servers that fail.
                ProcessOutcome::TooLargeTogether(note) => {
                    self.restarted_for_memory = Some(Instant::now());
                    self.note_memory(note);
                    self.set_idle(ServerState::Starting, Some("it is starting".to_owned()));
                    Some(Instant::now())
                }
                ProcessOutcome::ShutDown(done) => {
                    self.set_idle(ServerState::Stopped, Some("the daemon is stopping".to_owned()));
                    if let Some(done) = done {
                        let _ = done.send(());
                    }
                    return;
                }
            };
        }
    }

    /// Waits for a reason to start: a question, the user's order, or the end of a pause. `None` when the
    /// daemon shuts down.
    async fn wait_for_start(&mut self, mut start_at: Option<Instant>) -> Option<()> {
        loop {
            let order = tokio::select! {
                order = self.orders.recv() => order?,
                () = until(start_at) => return Some(()),
            };
            match order {
                Order::Start(document) => {
                    self.document = document.or(self.document.take());
                    let phase = self.phase.borrow();
                    let by_hand = phase.doing.is_some();
                    match phase.state {
                        ServerState::Idle => return Some(()),
                        ServerState::Stopped if !by_hand => return Some(()),
                        _ => {}
                    }
                }
                Order::Restart(done) => {
                    self.set_starting(done);
                    return Some(());
                }
                Order::Stop(done) => {
                    self.set_idle(ServerState::Stopped, Some(STOPPED_BY_HAND.to_owned()));
                    let _ = done.send(());
                    start_at = None;
                }
                Order::Shutdown(done) => {
                    let _ = done.send(());
                    return None;
                }
                Order::ReplaceSession(..) => {}
            }
        }
    }

    async fn run_process(&mut self) -> ProcessOutcome {
        let begin = |phase: &mut Phase| {
            phase.reset(ServerState::Starting, Some("it is starting".to_owned()));
            phase.since = Some(Instant::now());
        };
        // A process that starts now reads the current files.
        self.early.changes().clear();
        self.phase.send_modify(begin);
        let before_initialize = |problem| ProcessOutcome::Died { problem, before_initialize: true };
        let launch = match self.spec.launch() {
            Ok(launch) => launch,
            Err(problem) => return before_initialize(problem),
        };
        let StartedProcess { process, stdin, stdout, stderr_lines } = match process::start(&launch) {
            Ok(started) => started,
            Err(error) => return before_initialize(format!("it cannot be started: {error}")),
        };
        self.phase.send_modify(|phase| {
            phase.starts += 1;
            phase.group = Some(process.group());
            phase.program = Some(launch.program.clone());
        });
        let readiness = Readiness::new(self.spec.config.readiness.clone());
        let in_use = (self.phase.subscribe(), Arc::clone(&self.used));
        let restarted = self.restarted_for_memory.take();
        let mut counted = self.spec.memory_of_all.count(process.group(), in_use, restarted);
        let mut running = RunningServer { process, session: None, readiness, since: Instant::now() };
        let cause = self.watch((&mut running, &mut counted), stdin, stdout, stderr_lines).await;
        // What it takes counts until it is gone, and its verdict keeps the others.
        self.end(running, cause).await
    }

    /// Runs the handshake, then watches the process until it ends or must be ended.
    async fn watch(
        &mut self,
        (running, counted): (&mut RunningServer, &mut CountedGroup),
        stdin: ChildStdin,
        stdout: ChildStdout,
        mut stderr_lines: mpsc::Receiver<String>,
    ) -> StopCause {
        let mut memory = interval(MEMORY_EVERY);
        memory.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let deadline = Instant::now() + INITIALIZE_TIMES * Duration::from_secs(self.spec.config.timeout);
        let mut opening =
            pin!(Session::open(stdout, stdin, self.spec.setup(running.process.group()), deadline));
        let mut facts = None;
        let mut showing = None;
        let is_limited = self.spec.memory_of_all.is_limited();
        let mut is_first = is_limited;
        loop {
            // Questions that wait are asked as soon as it is published to be ready.
            if is_first && !matches!(running.readiness.standing(Instant::now()), ReadinessState::Loading(_)) {
                is_first = false;
                counted.note_first().await;
            }
            self.publish(running);
            if showing.is_none() && running.readiness.waits_for_document() {
                showing = self.show_document(running);
            }
            let now = Instant::now();
            let idle = self.idle_deadline(running);
            let next = running.readiness.next(now).into_iter().chain(idle).min();
            let is_open = running.session.is_some();
            tokio::select! {
                end = running.process.ended() => return StopCause::Ended(end),
                opened = &mut opening, if !is_open => match opened {
                    Ok((session, receiver)) => {
                        facts = Some(receiver);
                        if self.install_session(running, session) == Kept::NotAll {
                            return StopCause::ProtocolError(TOO_MANY_CHANGES.to_owned());
                        }
                    }
                    Err(RequestError::Closed { .. }) => return StopCause::Closed,
                    Err(error) => return StopCause::ProtocolError(error.to_string()),
                },
                () = closed(running.session.as_deref()) => return StopCause::Closed,
                () = shown(&mut showing) => running.readiness.process_event(Instant::now(), ReadinessEvent::Opened),
                fact = next_of(&mut facts) => running.readiness.process_event(Instant::now(), to_readiness_event(fact)),
                Some(line) = stderr_lines.recv() => {
                    if let Some(problem) = self.fatal_pattern(&[line]) {
                        return StopCause::Hopeless(problem);
                    }
                }
                order = self.orders.recv() => match order {
                    None => return StopCause::OwnerDropped,
                    Some(Order::Start(document)) => self.document = document.or(self.document.take()),
                    Some(Order::ReplaceSession(session, why)) => {
                        // An order about an earlier process is ignored.
                        if running.session.as_ref().is_some_and(|one| session.as_ptr() == Arc::as_ptr(one)) {
                            return StopCause::ProtocolError(why.to_owned());
                        }
                    }
                    Some(order) => return StopCause::Ordered(order),
                },
                () = self.used.became_idle(), if is_limited => counted.look().await,
                verdict = counted.decided() => match verdict {
                    MemoryVerdict::Undecided => {}
                    MemoryVerdict::Restart(note) if self.used.idle_since().is_some() => {
                        return StopCause::TooLargeTogether(note);
                    }
                    // A question came in between.
                    MemoryVerdict::Restart(_) => counted.withdraw(),
                    MemoryVerdict::Leave(note) => self.note_memory(note),
                },
                _ = memory.tick() => {
                    if is_limited {
                        counted.look().await;
                    }
                    if let Some(problem) = self.memory_exceeded(running).await {
                        return StopCause::MemoryLimit(problem);
                    }
                }
                () = until(next) => {
                    if self.idle_deadline(running).is_some_and(|idle| idle <= Instant::now()) {
                        return StopCause::Idle;
                    }
                }
            }
        }
    }

    async fn end(&mut self, running: RunningServer, cause: StopCause) -> ProcessOutcome {
        // No further question uses the session. It stays in the phase until the way it ended is known.
        self.phase.send_modify(|phase| {
            (phase.state, phase.doing) = (ServerState::Restarting, Some("it is being stopped".to_owned()));
        });
        let RunningServer { process, session, .. } = &running;
        let session = session.as_deref();
        let (problem, end) = match cause {
            StopCause::Ended(end) => (None, end),
            StopCause::Closed => match timeout(CLOSING, process.ended()).await {
                Ok(end) => (None, end),
                Err(_) => (Some("it closed its stdout".to_owned()), ending::by_force(process).await),
            },
            StopCause::ProtocolError(problem) => (Some(problem), ending::by_force(process).await),
            StopCause::MemoryLimit(problem) => (Some(problem), ending::in_order(process, session).await),
            StopCause::Hopeless(problem) => {
                ending::by_force(process).await;
                return ProcessOutcome::Unrecoverable { problem };
            }
            StopCause::OwnerDropped => {
                ending::by_force(process).await;
                return ProcessOutcome::ShutDown(None);
            }
            StopCause::Idle => {
                ending::in_order(process, session).await;
                return ProcessOutcome::Idle;
            }
            StopCause::TooLargeTogether(note) => {
                ending::in_order(process, session).await;
                return ProcessOutcome::TooLargeTogether(note);
            }
            StopCause::Ordered(order) => {
                ending::in_order(process, session).await;
                return match order {
                    Order::Restart(done) => ProcessOutcome::RestartRequested(done),
                    Order::Stop(done) => ProcessOutcome::Stopped(done),
                    Order::Shutdown(done) => ProcessOutcome::ShutDown(Some(done)),
                    Order::Start(_) | Order::ReplaceSession(..) => ProcessOutcome::Idle,
                };
            }
        };
        if let Some(problem) = self.fatal_pattern(&end.last_words) {
            return ProcessOutcome::Unrecoverable { problem };
        }
        let problem = self.exit_report(&running, problem, &end);
        ProcessOutcome::Died { problem, before_initialize: running.session.is_none() }
    }

    /// Describes how a process ended: what happened, its last lines on stderr, what to check, and where its
    /// log is.
    fn exit_report(&self, running: &RunningServer, problem: Option<String>, end: &ProcessExit) -> String {
        let seconds = running.since.elapsed().as_secs();
        let mut text = match problem {
            Some(problem) => problem,
            None if running.session.is_some() => {
                format!("it exited ({}) {seconds} s after its start", end.how)
            }
            None => format!("it exited ({}) before it answered initialize", end.how),
        };
        if !end.last_words.is_empty() {
            text.push_str("; its stderr ends with: ");
            text.push_str(&end.last_words.join(" | "));
        }
        if running.session.is_none() {
            let command = [std::slice::from_ref(&self.spec.config.command), &self.spec.config.args[..]]
                .concat()
                .join(" ");
            text.push_str(&format!("; check that `{command}` is a language server on stdin and stdout"));
        }
        text.push_str(&format!("; its stderr is logged in {}", self.spec.log.display()));
        text
    }

    fn fatal_pattern(&self, lines: &[String]) -> Option<String> {
        let patterns = &self.spec.config.fatal_stderr;
        let fits = |line: &String| patterns.iter().find(|pattern| line.contains(&pattern.contains));
        lines.iter().find_map(fits).map(|pattern| pattern.say.clone())
    }

    /// Stores the new session and hands it the changes noted since the process was started; `NotAll` if some
    /// were lost.
    fn install_session(&self, running: &mut RunningServer, session: Arc<Session>) -> Kept {
        // While this lock is held, no later change reaches the session.
        let mut early = self.early.changes();
        running.readiness.process_event(Instant::now(), ReadinessEvent::Initialized);
        self.phase.send_modify(|phase| {
            phase.session = Some(Arc::clone(&session));
            phase.version = session.info().version.clone();
            phase.features = session.features();
        });
        let kept = if early.lost() { Kept::NotAll } else { Kept::All };
        for (path, change) in early.take(usize::MAX) {
            session.file_changed(&path, change);
        }
        early.clear();
        running.session = Some(session);
        kept
    }

    /// Opens the document that a question is about. An unreadable one counts as opened; the question itself
    /// then fails.
    fn show_document(&mut self, running: &RunningServer) -> Option<Showing> {
        let (session, path) = (Arc::clone(running.session.as_ref()?), self.document.take()?);
        Some(Box::pin(async move { session.open_document(&path).await }))
    }

    fn publish(&self, running: &mut RunningServer) {
        let waits_for_document = running.readiness.waits_for_document();
        let (state, doing, maybe_indexing) = match running.readiness.standing(Instant::now()) {
            ReadinessState::Loading(what) if running.session.is_none() => {
                (ServerState::Starting, Some(what), false)
            }
            ReadinessState::Loading(what) => (ServerState::Loading, Some(what), false),
            ReadinessState::Ready => (ServerState::Ready, None, false),
            ReadinessState::MaybeIncomplete(what) => (ServerState::Ready, Some(what), true),
        };
        self.phase.send_if_modified(|phase| {
            let changed = (phase.state, &phase.doing) != (state, &doing)
                || (phase.maybe_indexing, phase.waits_for_document) != (maybe_indexing, waits_for_document);
            (phase.state, phase.doing) = (state, doing);
            (phase.maybe_indexing, phase.waits_for_document) = (maybe_indexing, waits_for_document);
            changed
        });
    }

    /// Returns when the server is to be stopped if it stays idle; for one in use, when to check again. `None`
    /// before `initialize` is answered, or if idle servers are not stopped.
    fn idle_deadline(&self, running: &RunningServer) -> Option<Instant> {
        running.session.as_ref()?;
        Some(self.used.idle_since().unwrap_or_else(Instant::now) + self.spec.idle_stop?)
    }

    async fn memory_exceeded(&self, running: &RunningServer) -> Option<String> {
        let limit = self.spec.memory_limit?;
        let group = running.process.group();
        // Blocking: it reads a file in /proc for each process on the machine.
        let bytes = tokio::task::spawn_blocking(move || group::memory_bytes(group)).await.ok()?;
        let mebibytes = |bytes: u64| bytes >> 20;
        (bytes > limit).then(|| {
            format!("it used {} MiB of memory, and its limit is {} MiB", mebibytes(bytes), mebibytes(limit))
        })
    }

    fn handle_exit(&mut self, problem: String, before_initialize: bool) -> Option<Instant> {
        tracing::warn!("{}: {problem}", self.spec.name);
        match self.budget.died(Instant::now()) {
            Next::StartAt(at) => {
                self.phase.send_modify(|phase| {
                    phase.reset(ServerState::Restarting, Some("it exited and will be restarted".to_owned()));
                    phase.failed_starts += u64::from(before_initialize);
                    phase.last_error = Some(problem);
                });
                Some(at)
            }
            Next::StayDown { deaths, minutes } => {
                self.set_down(format!(
                    "it exited {deaths} times in {minutes} minutes; last error: {problem}"
                ));
                None
            }
        }
    }

    /// Tells the user what becomes of a server because all together took too much memory.
    fn note_memory(&self, note: String) {
        tracing::warn!("{}: {note}", self.spec.name);
        self.phase.send_modify(|phase| phase.memory_note = Some(note));
    }

    fn set_down(&self, problem: String) {
        tracing::warn!("{} is down: {problem}", self.spec.name);
        self.phase.send_modify(|phase| {
            phase.reset(ServerState::Down, None);
            phase.last_error = Some(problem);
        });
    }

    fn set_starting(&mut self, done: oneshot::Sender<()>) {
        self.budget.forgive();
        self.restarted_for_memory = None;
        // Before the reply, because a question that follows the reply must not find the server down.
        self.set_idle(ServerState::Starting, Some("it is starting".to_owned()));
        let _ = done.send(());
    }

    fn set_idle(&self, state: ServerState, doing: Option<String>) {
        self.phase.send_modify(|phase| phase.reset(state, doing));
    }
}

async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

async fn closed(session: Option<&Session>) {
    match session {
        Some(session) => session.closed().await,
        None => std::future::pending().await,
    }
}

/// Waits until the document is opened; for ever if there is none.
async fn shown(showing: &mut Option<Showing>) {
    match showing {
        Some(opening) => opening.await,
        None => std::future::pending().await,
    }
    *showing = None;
}

/// Returns the next fact; waits for ever if no more will come, because `closed` reports the end of a session.
async fn next_of(facts: &mut Option<mpsc::Receiver<ServerEvent>>) -> ServerEvent {
    if let Some(receiver) = facts {
        if let Some(fact) = receiver.recv().await {
            return fact;
        }
        *facts = None;
    }
    std::future::pending().await
}

fn to_readiness_event(fact: ServerEvent) -> ReadinessEvent {
    match fact {
        ServerEvent::ProgressBegun { token, title, percentage, .. } => {
            ReadinessEvent::Begin { token, title, percentage }
        }
        ServerEvent::ProgressReported { token, percentage, .. } => {
            ReadinessEvent::Report { token, percentage }
        }
        ServerEvent::ProgressEnded { token, .. } => ReadinessEvent::End { token },
        ServerEvent::Status { quiescent, health, message } => {
            ReadinessEvent::Status { quiescent, healthy: health.as_deref() != Some("error"), message }
        }
        ServerEvent::ReadyLogMessage => ReadinessEvent::LoggedSign,
        ServerEvent::ErrorShown { message } => ReadinessEvent::Complaint { message },
        ServerEvent::Notified { method } => ReadinessEvent::Notification { method },
    }
}
