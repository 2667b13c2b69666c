//! The pool of a daemon's workers. At most one per core parses ordinary files; files on trial have half as
//! many of their own, at the lowest priority once they have used 100 ms of processor time. One thread starts all workers and outlives them, because the
//! system kills a worker when the thread that started it ends. Invariant: a worker that did not answer is
//! never used again.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::limits::{self, Expected};
use super::living_workers::{LivingWorkers, WorkerMemory};
use super::process::{ExchangeError, Worker, WorkerAnswer};
use super::protocol::Request;
use super::worker;
use symd_base::{Cancel, cores};
use symd_syntax::Grammar;

/// Time after which an idle worker is ended.
const IDLE: Duration = Duration::from_secs(10);
/// A worker that holds more bytes of memory than this after a text is ended at once.
const LARGEST_IDLE: u64 = 96 << 20;
/// Length in bytes below which a text is too short for the worker's memory to be checked.
const SMALL_TEXT: usize = 64 << 10;
/// Capacity of the queue of orders. When it is full, threads that need a worker block; the starter thread
/// never blocks on it.
const ORDERS: usize = 64;
/// Interval at which a thread that waits for a worker checks whether it was cancelled.
const CANCEL_EVERY: Duration = Duration::from_millis(25);
/// Nanoseconds per byte assumed for parsing, until the first text was parsed.
const FIRST_GUESS: u64 = 400;
/// Bounds of the average parsing time: all machines lie within them, and they limit how far a run of unusual
/// files can move it.
const NANOSECONDS_PER_BYTE: std::ops::RangeInclusive<u64> = 100..=3_000;

/// The purpose for which a text is parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParsePurpose {
    /// A request waits for this very text: takes precedence over all files.
    Question,
    /// An ordinary file.
    File,
    /// A file that was set aside, alone in a fresh worker.
    Trial,
}

#[derive(Debug)]
pub(super) struct WorkerPool {
    shared: Arc<Shared>,
    orders: SyncSender<Order>,
}

#[derive(Debug)]
struct Shared {
    crew: Mutex<PoolState>,
    freed: Condvar,
    /// All workers, idle and busy.
    alive: LivingWorkers,
    workers: usize,
    trials: usize,
    requests: AtomicU64,
}

#[derive(Debug)]
struct PoolState {
    idle: Vec<(Instant, Worker)>,
    busy: usize,
    on_trial: usize,
    /// Questions that wait for a worker.
    questions: usize,
    clients: usize,
    pace: ParseSpeed,
}

/// The average parsing time of texts so far, in nanoseconds per byte.
#[derive(Debug)]
struct ParseSpeed {
    /// By grammar: some grammars parse several times as fast as others.
    by_grammar: HashMap<&'static str, u64>,
    /// Over all grammars, for a grammar of which no text was parsed yet.
    overall: u64,
}

enum Order {
    Start(SyncSender<io::Result<Worker>>),
    /// A client connected or disconnected: start a worker in advance, or check whether one is to be ended.
    Clients,
}

/// The right to use one worker.
#[derive(Debug)]
struct Permit(Arc<Shared>, ParsePurpose);

/// A slow text, with the worker that continues to parse it. Dropping it ends the worker.
#[derive(Debug)]
pub struct RunningTrial {
    worker: Box<Worker>,
    _permit: Permit,
}

impl RunningTrial {
    /// Waits for the answer, for as long as parsing the text may take.
    pub(super) fn finish(mut self, cancel: &Cancel) -> Result<WorkerAnswer, ExchangeError> {
        self.worker.resume(cancel)
    }
}

/// The result of a request.
pub(super) enum Outcome {
    Answered(WorkerAnswer),
    /// The text is slow; if the limit on trials allows one more, a worker continues to parse it.
    Slow(Option<RunningTrial>),
}

impl WorkerPool {
    /// Creates a crew without workers; `program` is symd itself.
    pub(super) fn new(program: PathBuf) -> io::Result<WorkerPool> {
        let cores = cores::count();
        let crew = Mutex::new(PoolState {
            idle: Vec::new(),
            busy: 0,
            on_trial: 0,
            questions: 0,
            clients: 0,
            pace: ParseSpeed { by_grammar: HashMap::new(), overall: FIRST_GUESS },
        });
        let (freed, requests) = (Condvar::new(), AtomicU64::new(0));
        let alive = LivingWorkers::default();
        let shared = Shared { crew, freed, alive, workers: cores, trials: (cores / 2).max(1), requests };
        let shared = Arc::new(shared);
        let (orders, received) = sync_channel(ORDERS);
        let starter = Starter { program, shared: Arc::downgrade(&shared) };
        std::thread::Builder::new().name("parse-crew".to_owned()).spawn(move || starter.run(&received))?;
        Ok(WorkerPool { shared, orders })
    }

    /// Returns the maximum number of concurrent trials.
    pub(super) fn trials(&self) -> usize {
        self.shared.trials
    }

    /// Returns the number of requests sent to workers.
    pub(super) fn requests(&self) -> u64 {
        self.shared.requests.load(Ordering::Relaxed)
    }

    /// Returns the resident memory of each worker, in bytes, the oldest worker first.
    pub(super) fn memory(&self) -> Vec<WorkerMemory> {
        self.shared.alive.memory()
    }

    /// Sends `request` to a worker.
    pub(super) fn ask(
        &self,
        lane: ParsePurpose,
        request: &Request<'_>,
        grammar: Grammar,
        cancel: &Cancel,
    ) -> Result<Outcome, ExchangeError> {
        let permit = self.permit(lane, cancel)?;
        let mut worker = match lane {
            ParsePurpose::Trial => self.start()?,
            ParsePurpose::Question | ParsePurpose::File => match self.shared.idle() {
                Some(worker) => worker,
                None => self.start()?,
            },
        };
        self.shared.requests.fetch_add(1, Ordering::Relaxed);
        let bytes = request.text.len();
        let expected = limits::expected(bytes, self.shared.lock().pace.of(grammar.name()));
        let (stop_after, expected) = match lane {
            // The client waits for this text: if it is slow, the same worker continues with it.
            ParsePurpose::Question => (None, Expected::new(expected)),
            // Ending the worker would be worse: a new one would have to load all grammars again, which takes
            // much longer than the texts of a project.
            ParsePurpose::File => (Some(expected), Expected::new(limits::stop_deadline(expected))),
            ParsePurpose::Trial => (None, Expected::OF_TRIAL),
        };
        let request = Request { stop_after, ..*request };
        let answered = match worker.ask(&request, grammar.name(), expected, cancel) {
            Err(ExchangeError::Slow) if lane == ParsePurpose::Trial => worker.resume(cancel)?,
            Err(ExchangeError::Slow) => {
                drop(permit);
                return Ok(Outcome::Slow(self.move_to_trial(worker)));
            }
            Err(ExchangeError::Stopped) => {
                self.shared.keep(worker, None);
                return Ok(Outcome::Slow(None));
            }
            answered => answered?,
        };
        if lane != ParsePurpose::Trial {
            self.shared.keep(worker, Some(bytes));
            self.shared.lock().pace.learn(grammar.name(), bytes, answered.took);
        }
        Ok(Outcome::Answered(answered))
    }

    /// Lets a worker continue on a trial, if the limit on trials allows one more.
    fn move_to_trial(&self, worker: Worker) -> Option<RunningTrial> {
        let mut crew = self.shared.lock();
        if crew.on_trial >= self.shared.trials {
            return None;
        }
        crew.on_trial += 1;
        drop(crew);
        Some(RunningTrial {
            worker: Box::new(worker),
            _permit: Permit(Arc::clone(&self.shared), ParsePurpose::Trial),
        })
    }

    /// Registers a client, for which a worker is kept ready.
    pub(super) fn client_came(&self) {
        self.shared.lock().clients += 1;
        // If the queue is full, the thread is starting workers anyway.
        let _ = self.orders.try_send(Order::Clients);
    }

    /// Unregisters a client.
    pub(super) fn client_left(&self) {
        let mut crew = self.shared.lock();
        crew.clients = crew.clients.saturating_sub(1);
        drop(crew);
        let _ = self.orders.try_send(Order::Clients);
    }

    fn start(&self) -> Result<Worker, ExchangeError> {
        let gone =
            || ExchangeError::NotStarted(io::Error::other("the thread that starts workers has exited"));
        let (reply, started) = sync_channel(1);
        self.orders.send(Order::Start(reply)).map_err(|_| gone())?;
        started.recv().map_err(|_| gone())?.map_err(ExchangeError::NotStarted)
    }

    fn permit(&self, lane: ParsePurpose, cancel: &Cancel) -> Result<Permit, ExchangeError> {
        let mut crew = self.shared.lock();
        if lane == ParsePurpose::Question {
            crew.questions += 1;
        }
        let taken = loop {
            let free = match lane {
                ParsePurpose::Question => crew.busy < self.shared.workers,
                ParsePurpose::File => crew.busy < self.shared.workers && crew.questions == 0,
                ParsePurpose::Trial => crew.on_trial < self.shared.trials,
            };
            if free {
                break true;
            }
            if cancel.is_cancelled() {
                break false;
            }
            let woken = self.shared.freed.wait_timeout(crew, CANCEL_EVERY);
            (crew, _) = woken.unwrap_or_else(PoisonError::into_inner);
        };
        if lane == ParsePurpose::Question {
            crew.questions -= 1;
        }
        if !taken {
            return Err(ExchangeError::Cancelled);
        }
        match lane {
            ParsePurpose::Trial => crew.on_trial += 1,
            ParsePurpose::Question | ParsePurpose::File => crew.busy += 1,
        }
        Ok(Permit(Arc::clone(&self.shared), lane))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut crew = self.0.lock();
        match self.1 {
            ParsePurpose::Trial => crew.on_trial -= 1,
            ParsePurpose::Question | ParsePurpose::File => crew.busy -= 1,
        }
        drop(crew);
        self.0.freed.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, PoolState> {
        self.crew.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a worker to the idle ones, unless it holds much memory. The check is skipped for short texts,
    /// which leave little; `None` is an unknown length.
    fn keep(&self, worker: Worker, bytes: Option<usize>) {
        if bytes.is_some_and(|bytes| bytes < SMALL_TEXT) || worker.memory() <= LARGEST_IDLE {
            self.lock().idle.push((Instant::now(), worker));
        }
    }

    /// Returns the worker used most recently, so that the others can time out.
    fn idle(&self) -> Option<Worker> {
        self.lock().idle.pop().map(|(_, worker)| worker)
    }
}

impl ParseSpeed {
    fn of(&self, grammar: &str) -> u64 {
        self.by_grammar.get(grammar).copied().unwrap_or(self.overall)
    }

    /// Moves the average parsing times towards that of this text, weighted by its length.
    fn learn(&mut self, grammar: &'static str, bytes: usize, took: Duration) {
        // The time of a text of a few bytes is not meaningful.
        let (Ok(bytes), Ok(took)) = (u64::try_from(bytes), u64::try_from(took.as_nanos())) else { return };
        if bytes < 256 {
            return;
        }
        let weight = (bytes >> 10).clamp(1, 64);
        let move_on = |average: &mut u64| {
            let moved = (*average * (1024 - weight) + took / bytes * weight) / 1024;
            *average = moved.clamp(*NANOSECONDS_PER_BYTE.start(), *NANOSECONDS_PER_BYTE.end());
        };
        move_on(self.by_grammar.entry(grammar).or_insert(self.overall));
        move_on(&mut self.overall);
    }
}

struct Starter {
    program: PathBuf,
    shared: Weak<Shared>,
}

impl Starter {
    fn run(&self, orders: &Receiver<Order>) {
        let mut is_quiet = true;
        loop {
            // No worker can time out, so there is no need to wake up.
            let order = if is_quiet {
                orders.recv().map_err(|_| RecvTimeoutError::Disconnected)
            } else {
                orders.recv_timeout(IDLE / 4)
            };
            match order {
                Ok(Order::Start(reply)) => {
                    // If the requester is gone, the worker ends with the reply.
                    let _ = reply.send(self.start());
                }
                Ok(Order::Clients) => self.warm(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            let Some(shared) = self.shared.upgrade() else { return };
            is_quiet = end_idle(&shared);
        }
    }

    fn start(&self) -> io::Result<Worker> {
        let worker = Worker::start(&self.program, worker::NAME)?;
        Ok(match self.shared.upgrade() {
            Some(shared) => worker.counted_in(&shared.alive),
            None => worker,
        })
    }

    fn warm(&self) {
        let Some(shared) = self.shared.upgrade() else { return };
        let crew = shared.lock();
        if crew.idle.is_empty() && crew.busy == 0 && crew.clients > 0 {
            drop(crew);
            // On failure the first request starts a worker.
            if let Ok(worker) = self.start() {
                shared.lock().idle.push((Instant::now(), worker));
            }
        }
    }
}

/// Ends workers that were idle for too long. Returns whether at most the worker that is kept is left, so that
/// none will have to be ended.
fn end_idle(shared: &Shared) -> bool {
    let now = Instant::now();
    let mut crew = shared.lock();
    let keep = usize::from(crew.clients > 0);
    let mut ended = Vec::new();
    // The worker at the front was idle longest.
    while crew.idle.len() > keep && now.duration_since(crew.idle[0].0) >= IDLE {
        ended.push(crew.idle.remove(0));
    }
    let is_quiet = crew.idle.len() <= keep && crew.busy == 0;
    drop(crew);
    // Dropping waits for their exits, so the lock must not be held.
    drop(ended);
    is_quiet
}
