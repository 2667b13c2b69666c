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
use super::fact::Fact;
use super::phase::Phase;
use super::process::{self, End, Process, Started};
use super::readiness::{Readiness, ReadinessEvent, Standing};
use super::server::{Early, STOPPED_BY_HAND, Spec, TOO_MANY_CHANGES, Used};
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
    Useless(Weak<Session>, &'static str),
}

/// The task that leads a server through its life.
#[derive(Debug)]
pub(super) struct Life {
    spec: Arc<Spec>,
    orders: mpsc::Receiver<Order>,
    phase: watch::Sender<Phase>,
    used: Arc<Used>,
    early: Arc<Early>,
    budget: Budget,
    /// A document that a question is about: the first to be opened in a server that waits for one.
    document: Option<RelPath>,
}

/// Why a process is over, which determines what comes next.
enum Fate {
    /// It failed; `stillborn`: before `initialize` was answered.
    Died { problem: String, stillborn: bool },
    /// It can never work; it is not restarted.
    Hopeless { problem: String },
    /// The user restarts it.
    Again(oneshot::Sender<()>),
    /// The user stopped it.
    Stopped(oneshot::Sender<()>),
    /// It was idle for too long.
    Idle,
    /// The daemon shuts down; the sender, if any, is notified.
    Over(Option<oneshot::Sender<()>>),
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
enum Cause {
    Ended(End),
    /// It closed its stdout.
    Closed,
    /// It violates the protocol or its session is unusable.
    Broken(String),
    Hopeless(String),
    Fat(String),
    Idle,
    Ordered(Order),
    Abandoned,
}

/// Whether all changes between the start and the session could be kept for the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    All,
    NotAll,
}

impl Life {
    pub(super) fn new(
        spec: Arc<Spec>,
        orders: mpsc::Receiver<Order>,
        phase: watch::Sender<Phase>,
        used: Arc<Used>,
        early: Arc<Early>,
    ) -> Life {
        Life { spec, orders, phase, used, early, budget: Budget::default(), document: None }
    }

    /// Runs until the daemon shuts down or the senders of orders are dropped.
    pub(super) async fn live(mut self) {
        let mut start_at = None;
        while self.rest(start_at).await.is_some() {
            start_at = match self.one_process().await {
                Fate::Died { problem, stillborn } => self.died(problem, stillborn),
                Fate::Hopeless { problem } => {
                    self.goes_down(problem);
                    None
                }
                Fate::Again(done) => {
                    self.starts_by_hand(done);
                    Some(Instant::now())
                }
                Fate::Stopped(done) => {
                    self.rests(ServerState::Stopped, Some(STOPPED_BY_HAND.to_owned()));
                    let _ = done.send(());
                    None
                }
                Fate::Idle => {
                    self.rests(ServerState::Stopped, None);
                    None
                }
                Fate::Over(done) => {
                    self.rests(ServerState::Stopped, Some("the daemon is stopping".to_owned()));
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
    async fn rest(&mut self, mut start_at: Option<Instant>) -> Option<()> {
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
                    self.starts_by_hand(done);
                    return Some(());
                }
                Order::Stop(done) => {
                    self.rests(ServerState::Stopped, Some(STOPPED_BY_HAND.to_owned()));
                    let _ = done.send(());
                    start_at = None;
                }
                Order::Shutdown(done) => {
                    let _ = done.send(());
                    return None;
                }
                Order::Useless(..) => {}
            }
        }
    }

    async fn one_process(&mut self) -> Fate {
        let begin = |phase: &mut Phase| {
            phase.rest(ServerState::Starting, Some("it is starting".to_owned()));
            phase.since = Some(Instant::now());
        };
        // A process that starts now reads the current files.
        self.early.changes().clear();
        self.phase.send_modify(begin);
        let stillborn = |problem| Fate::Died { problem, stillborn: true };
        let launch = match self.spec.launch() {
            Ok(launch) => launch,
            Err(problem) => return stillborn(problem),
        };
        let Started { process, stdin, stdout, said } = match process::start(&launch) {
            Ok(started) => started,
            Err(error) => return stillborn(format!("it cannot be started: {error}")),
        };
        self.phase.send_modify(|phase| {
            phase.starts += 1;
            phase.group = Some(process.group());
            phase.program = Some(launch.program.clone());
        });
        let readiness = Readiness::new(self.spec.config.readiness.clone());
        let mut running = RunningServer { process, session: None, readiness, since: Instant::now() };
        let cause = self.watch(&mut running, stdin, stdout, said).await;
        self.end(running, cause).await
    }

    /// Runs the handshake, then watches the process until it ends or must be ended.
    async fn watch(
        &mut self,
        running: &mut RunningServer,
        stdin: ChildStdin,
        stdout: ChildStdout,
        mut said: mpsc::Receiver<String>,
    ) -> Cause {
        let mut memory = interval(MEMORY_EVERY);
        memory.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let deadline = Instant::now() + INITIALIZE_TIMES * Duration::from_secs(self.spec.config.timeout);
        let mut opening =
            pin!(Session::open(stdout, stdin, self.spec.setup(running.process.group()), deadline));
        let mut facts = None;
        let mut showing = None;
        loop {
            self.publish(running);
            if showing.is_none() && running.readiness.waits_for_document() {
                showing = self.show_document(running);
            }
            let now = Instant::now();
            let idle = self.idle_at(running);
            let next = running.readiness.next(now).into_iter().chain(idle).min();
            let is_open = running.session.is_some();
            tokio::select! {
                end = running.process.ended() => return Cause::Ended(end),
                opened = &mut opening, if !is_open => match opened {
                    Ok((session, told)) => {
                        facts = Some(told);
                        if self.is_initialized(running, session) == Kept::NotAll {
                            return Cause::Broken(TOO_MANY_CHANGES.to_owned());
                        }
                    }
                    Err(RequestError::Closed { .. }) => return Cause::Closed,
                    Err(error) => return Cause::Broken(error.to_string()),
                },
                () = closed(running.session.as_deref()) => return Cause::Closed,
                () = shown(&mut showing) => running.readiness.note(Instant::now(), ReadinessEvent::Opened),
                fact = next_of(&mut facts) => running.readiness.note(Instant::now(), told(fact)),
                Some(line) = said.recv() => {
                    if let Some(problem) = self.hopeless(&[line]) {
                        return Cause::Hopeless(problem);
                    }
                }
                order = self.orders.recv() => match order {
                    None => return Cause::Abandoned,
                    Some(Order::Start(document)) => self.document = document.or(self.document.take()),
                    Some(Order::Useless(session, why)) => {
                        // An order about an earlier process is ignored.
                        if running.session.as_ref().is_some_and(|one| session.as_ptr() == Arc::as_ptr(one)) {
                            return Cause::Broken(why.to_owned());
                        }
                    }
                    Some(order) => return Cause::Ordered(order),
                },
                _ = memory.tick() => {
                    if let Some(problem) = self.too_fat(running).await {
                        return Cause::Fat(problem);
                    }
                }
                () = until(next) => {
                    if self.idle_at(running).is_some_and(|idle| idle <= Instant::now()) {
                        return Cause::Idle;
                    }
                }
            }
        }
    }

    async fn end(&mut self, running: RunningServer, cause: Cause) -> Fate {
        // No further question uses the session. It stays in the phase until the way it ended is known.
        self.phase.send_modify(|phase| {
            (phase.state, phase.doing) = (ServerState::Restarting, Some("it is being stopped".to_owned()));
        });
        let RunningServer { process, session, .. } = &running;
        let session = session.as_deref();
        let (problem, end) = match cause {
            Cause::Ended(end) => (None, end),
            Cause::Closed => match timeout(CLOSING, process.ended()).await {
                Ok(end) => (None, end),
                Err(_) => (Some("it closed its stdout".to_owned()), ending::by_force(process).await),
            },
            Cause::Broken(problem) => (Some(problem), ending::by_force(process).await),
            Cause::Fat(problem) => (Some(problem), ending::in_order(process, session).await),
            Cause::Hopeless(problem) => {
                ending::by_force(process).await;
                return Fate::Hopeless { problem };
            }
            Cause::Abandoned => {
                ending::by_force(process).await;
                return Fate::Over(None);
            }
            Cause::Idle => {
                ending::in_order(process, session).await;
                return Fate::Idle;
            }
            Cause::Ordered(order) => {
                ending::in_order(process, session).await;
                return match order {
                    Order::Restart(done) => Fate::Again(done),
                    Order::Stop(done) => Fate::Stopped(done),
                    Order::Shutdown(done) => Fate::Over(Some(done)),
                    Order::Start(_) | Order::Useless(..) => Fate::Idle,
                };
            }
        };
        if let Some(problem) = self.hopeless(&end.last_words) {
            return Fate::Hopeless { problem };
        }
        let problem = self.exit_report(&running, problem, &end);
        Fate::Died { problem, stillborn: running.session.is_none() }
    }

    /// Describes how a process ended: what happened, its last lines on stderr, what to check, and where its
    /// log is.
    fn exit_report(&self, running: &RunningServer, problem: Option<String>, end: &End) -> String {
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

    fn hopeless(&self, lines: &[String]) -> Option<String> {
        let patterns = &self.spec.config.fatal_stderr;
        let fits = |line: &String| patterns.iter().find(|pattern| line.contains(&pattern.contains));
        lines.iter().find_map(fits).map(|pattern| pattern.say.clone())
    }

    /// Stores the new session and hands it the changes noted since the process was started; `NotAll` if some
    /// were lost.
    fn is_initialized(&self, running: &mut RunningServer, session: Arc<Session>) -> Kept {
        // While this lock is held, no later change reaches the session.
        let mut early = self.early.changes();
        running.readiness.note(Instant::now(), ReadinessEvent::Initialized);
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
        Some(Box::pin(async move { session.show(&path).await }))
    }

    fn publish(&self, running: &mut RunningServer) {
        let waits_for_document = running.readiness.waits_for_document();
        let (state, doing, maybe_indexing) = match running.readiness.standing(Instant::now()) {
            Standing::Loading(what) if running.session.is_none() => {
                (ServerState::Starting, Some(what), false)
            }
            Standing::Loading(what) => (ServerState::Loading, Some(what), false),
            Standing::Ready => (ServerState::Ready, None, false),
            Standing::Perhaps(what) => (ServerState::Ready, Some(what), true),
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
    fn idle_at(&self, running: &RunningServer) -> Option<Instant> {
        running.session.as_ref()?;
        Some(self.used.idle_since().unwrap_or_else(Instant::now) + self.spec.idle_stop?)
    }

    async fn too_fat(&self, running: &RunningServer) -> Option<String> {
        let limit = self.spec.memory_limit?;
        let group = running.process.group();
        // Blocking: it reads a file in /proc for each process on the machine.
        let bytes = tokio::task::spawn_blocking(move || group::memory_bytes(group)).await.ok()?;
        let mebibytes = |bytes: u64| bytes >> 20;
        (bytes > limit).then(|| {
            format!("it used {} MiB of memory, and its limit is {} MiB", mebibytes(bytes), mebibytes(limit))
        })
    }

    fn died(&mut self, problem: String, stillborn: bool) -> Option<Instant> {
        tracing::warn!("{}: {problem}", self.spec.name);
        match self.budget.died(Instant::now()) {
            Next::StartAt(at) => {
                self.phase.send_modify(|phase| {
                    phase.rest(ServerState::Restarting, Some("it exited and will be restarted".to_owned()));
                    phase.stillborn += u64::from(stillborn);
                    phase.last_error = Some(problem);
                });
                Some(at)
            }
            Next::StayDown { deaths, minutes } => {
                self.goes_down(format!(
                    "it exited {deaths} times in {minutes} minutes; last error: {problem}"
                ));
                None
            }
        }
    }

    fn goes_down(&self, problem: String) {
        tracing::warn!("{} is down: {problem}", self.spec.name);
        self.phase.send_modify(|phase| {
            phase.rest(ServerState::Down, None);
            phase.last_error = Some(problem);
        });
    }

    fn starts_by_hand(&mut self, done: oneshot::Sender<()>) {
        self.budget.forgive();
        // Before the reply, because a question that follows the reply must not find the server down.
        self.rests(ServerState::Starting, Some("it is starting".to_owned()));
        let _ = done.send(());
    }

    fn rests(&self, state: ServerState, doing: Option<String>) {
        self.phase.send_modify(|phase| phase.rest(state, doing));
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
async fn next_of(facts: &mut Option<mpsc::Receiver<Fact>>) -> Fact {
    if let Some(told) = facts {
        if let Some(fact) = told.recv().await {
            return fact;
        }
        *facts = None;
    }
    std::future::pending().await
}

fn told(fact: Fact) -> ReadinessEvent {
    match fact {
        Fact::ProgressBegun { token, title, percentage, .. } => {
            ReadinessEvent::Begin { token, title, percentage }
        }
        Fact::ProgressReported { token, percentage, .. } => ReadinessEvent::Report { token, percentage },
        Fact::ProgressEnded { token, .. } => ReadinessEvent::End { token },
        Fact::Status { quiescent, health, message } => {
            ReadinessEvent::Status { quiescent, healthy: health.as_deref() != Some("error"), message }
        }
        Fact::LoggedSign => ReadinessEvent::LoggedSign,
        Fact::Complained { message } => ReadinessEvent::Complaint { message },
        Fact::Notified { method } => ReadinessEvent::Notification { method },
    }
}
