//! The thread pool for scans and questions. Invariants: two workers take only questions, so that a question
//! never waits behind background work; among the workers that take questions one takes no long ones
//! (searches), so that a short question never waits behind those; and one worker takes only background work,
//! so that questions do not delay the scans for which the next question waits. A panic in a job ends the job,
//! not the worker.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::event::QuestionLength;

use symd_base::cores;

type Job = Box<dyn FnOnce() + Send>;

/// What a worker does after each job.
type AfterJob = Box<dyn Fn() + Send + Sync>;

/// Number of workers beyond one per processor.
const FOR_QUESTIONS: usize = 2;
/// How long questions may hold back background work without a pause: one after the other would hold it back for ever.
const MOST_HELD: Duration = Duration::from_secs(5);

/// Worker threads and their queues. Dropping the pool waits for running jobs and drops the queued ones.
#[derive(Debug)]
pub(super) struct Pool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    queues: Mutex<Queues>,
    /// By worker: woken when there is a job for it.
    wake: Vec<Condvar>,
    after_job: Option<AfterJob>,
}

#[derive(Default)]
struct Queues {
    /// Bounded by the connections' limits on concurrent requests.
    questions: VecDeque<Job>,
    /// Questions that may take long. Bounded likewise.
    long: VecDeque<Job>,
    /// Number of long questions being answered, and its maximum.
    long_running: usize,
    most_long: usize,
    /// Bounded by the engine, which stops reading the watcher while too much is pending.
    background: VecDeque<Job>,
    /// Background work that comes first.
    urgent: VecDeque<Job>,
    /// Number of questions during which no background work is begun, …
    holds: usize,
    /// … when the first of them began, how long that holds at most, …
    held_since: Option<Instant>,
    most_held: Duration,
    /// … unless another question waits for all of it.
    is_waited_for: bool,
    /// Idle workers, and the jobs that they take.
    idle: Vec<(usize, WorkerRole)>,
    stopped: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WorkerRole {
    /// Questions before background work.
    Anything,
    QuestionsOnly,
    BackgroundOnly,
}

impl Pool {
    /// Creates a pool of one worker per processor, and two more for questions. Each runs `after_job` after each of its jobs:
    /// it must be quick.
    pub(super) fn new(after_job: impl Fn() + Send + Sync + 'static) -> Pool {
        Pool::with_most_held(MOST_HELD, after_job)
    }

    fn with_most_held(most_held: Duration, after_job: impl Fn() + Send + Sync + 'static) -> Pool {
        let processors = cores::count();
        let wake = (0..processors + FOR_QUESTIONS).map(|_| Condvar::new()).collect();
        // One of the workers that take questions is excluded, and so is the first, which takes none.
        let most_long = processors + FOR_QUESTIONS - 2;
        let queues = Mutex::new(Queues { most_long, most_held, ..Queues::default() });
        let shared = Arc::new(Shared { queues, wake, after_job: Some(Box::new(after_job)) });
        let spawn = |number: usize, takes: WorkerRole| {
            let shared = shared.clone();
            std::thread::Builder::new()
                .name(format!("pool-{number}"))
                .spawn(move || shared.work(number, takes))
        };
        let takes = |number| if number == 0 { WorkerRole::BackgroundOnly } else { WorkerRole::Anything };
        let workers = (0..processors)
            .map(|number| spawn(number, takes(number)))
            .chain((0..FOR_QUESTIONS).map(|more| spawn(processors + more, WorkerRole::QuestionsOnly)))
            // If a worker cannot be spawned, the others do its work.
            .flatten()
            .collect();
        Pool { shared, workers }
    }

    /// Runs `job`; most workers prefer it to background work.
    pub(super) fn question(&self, job: impl FnOnce() + Send + 'static) {
        let mut queues = self.shared.lock();
        queues.questions.push_back(Box::new(job));
        // Prefers a worker that takes nothing else.
        let waiting =
            queues.take_idle(WorkerRole::QuestionsOnly).or_else(|| queues.take_idle(WorkerRole::Anything));
        drop(queues);
        self.shared.wake(waiting);
    }

    /// Runs a job that may take long: one worker always remains for the others.
    pub(super) fn long_question(&self, job: impl FnOnce() + Send + 'static) {
        let mut queues = self.shared.lock();
        queues.long.push_back(Box::new(job));
        let waiting = if queues.long_running < queues.most_long {
            queues.take_idle(WorkerRole::QuestionsOnly).or_else(|| queues.take_idle(WorkerRole::Anything))
        } else {
            None
        };
        drop(queues);
        self.shared.wake(waiting);
    }

    /// Begins no background work until the returned guard is dropped: a question needs the processors for a few
    /// files.
    pub(super) fn hold_background(&self) -> HeldBackground {
        let mut queues = self.shared.lock();
        queues.holds += 1;
        queues.held_since.get_or_insert_with(Instant::now);
        drop(queues);
        HeldBackground(self.shared.clone())
    }

    /// Returns what tells background work whether it is to be held back, between two files.
    pub(super) fn background_rule(&self) -> BackgroundRule {
        BackgroundRule(self.shared.clone())
    }

    /// Begins background work in spite of [`Pool::hold_background`] while a question waits for all of it.
    pub(super) fn wait_for_background(&self, is_waited_for: bool) {
        self.shared.release(|queues| queues.is_waited_for = is_waited_for);
    }

    /// Runs `job` on the first worker that is free for background work.
    pub(super) fn background(&self, job: impl FnOnce() + Send + 'static) {
        self.in_background(|queues, job| queues.background.push_back(job), Box::new(job));
    }

    /// Like [`Pool::background`], before other background work, unless a question waits for all of that: it would wait for
    /// ever if more came all the time.
    pub(super) fn urgent_background(&self, job: impl FnOnce() + Send + 'static) {
        self.in_background(
            |queues, job| match queues.is_waited_for {
                true => queues.background.push_back(job),
                false => queues.urgent.push_back(job),
            },
            Box::new(job),
        );
    }

    /// Like [`Pool::background`], before other background work, also while a question waits for all of that; only for what is not asked
    /// for again before it has ended.
    pub(super) fn next_background(&self, job: impl FnOnce() + Send + 'static) {
        self.in_background(|queues, job| queues.urgent.push_back(job), Box::new(job));
    }

    fn in_background(&self, push: impl FnOnce(&mut Queues, Job), job: Job) {
        let mut queues = self.shared.lock();
        push(&mut queues, job);
        let waiting =
            queues.take_idle(WorkerRole::BackgroundOnly).or_else(|| queues.take_idle(WorkerRole::Anything));
        drop(queues);
        self.shared.wake(waiting);
    }
}

/// A guard during whose life no background work is begun.
#[derive(Debug)]
pub(super) struct HeldBackground(Arc<Shared>);

impl Drop for HeldBackground {
    fn drop(&mut self) {
        self.0.release(|queues| {
            queues.holds -= 1;
            if queues.holds == 0 {
                queues.held_since = None;
            }
        });
    }
}

/// Tells whether background work is held back now.
#[derive(Debug)]
pub(super) struct BackgroundRule(Arc<Shared>);

impl BackgroundRule {
    pub(super) fn holds_back(&self) -> bool {
        self.0.lock().holds_back()
    }
}

/// The queues of a pool without workers, for tests that control which job runs when.
#[cfg(test)]
pub(super) struct Queued(Arc<Shared>);

#[cfg(test)]
impl Pool {
    pub(super) fn idle() -> (Pool, Queued) {
        let queues = Mutex::new(Queues { most_held: MOST_HELD, ..Queues::default() });
        let shared = Arc::new(Shared { queues, ..Shared::default() });
        (Pool { shared: shared.clone(), workers: Vec::new() }, Queued(shared))
    }
}

#[cfg(test)]
impl Queued {
    /// Runs the oldest background job on this thread. Returns whether there was one.
    pub(super) fn run_background(&self) -> bool {
        let job = self.0.lock().next_background();
        job.map(|job| job()).is_some()
    }

    /// Runs the oldest background job on this thread, unless questions hold it back.
    pub(super) fn run_allowed_background(&self) {
        let job = self.0.lock().background();
        if let Some((job, _)) = job {
            job();
        }
    }

    /// Runs all questions on this thread. Returns their number.
    pub(super) fn run_questions(&self) -> usize {
        let mut queues = self.0.lock();
        let mut jobs = std::mem::take(&mut queues.questions);
        jobs.append(&mut queues.long);
        drop(queues);
        jobs.into_iter().map(|job| job()).count()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.lock().stopped = true;
        for wake in &self.shared.wake {
            wake.notify_one();
        }
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
    }
}

impl Queues {
    /// Removes a matching worker from the idle ones: it is about to be woken, and the next job must find
    /// another.
    fn take_idle(&mut self, takes: WorkerRole) -> Option<usize> {
        let at = self.idle.iter().position(|(_, idle)| *idle == takes)?;
        Some(self.idle.swap_remove(at).0)
    }

    /// Returns the next question; a long one only if the limit on long questions allows it.
    fn question(&mut self) -> Option<(Job, QuestionLength)> {
        if let Some(job) = self.questions.pop_front() {
            return Some((job, QuestionLength::Short));
        }
        if self.long_running >= self.most_long {
            return None;
        }
        let job = self.long.pop_front()?;
        self.long_running += 1;
        Some((job, QuestionLength::Long))
    }

    fn holds_back(&self) -> bool {
        self.held_for().is_some()
    }

    /// Returns for how long background work is still held back, at most; `None` if it is not.
    fn held_for(&self) -> Option<Duration> {
        let since = self.held_since.filter(|_| !self.is_waited_for)?;
        self.most_held.checked_sub(since.elapsed())
    }

    /// Returns for how long a worker may be idle before it looks again; `None` for ever.
    fn idle_for(&self, takes: WorkerRole) -> Option<Duration> {
        let has_work = !self.urgent.is_empty() || !self.background.is_empty();
        self.held_for().filter(|_| has_work && takes != WorkerRole::QuestionsOnly)
    }

    /// Returns an idle worker for background work that questions held back for as long as they may: only one worker looks when
    /// that time is over, and the others are woken one by another.
    fn overdue_helper(&mut self) -> Option<usize> {
        let is_overdue = self.held_since.is_some() && !self.holds_back();
        let has_work = !self.urgent.is_empty() || !self.background.is_empty();
        (is_overdue && has_work).then(|| self.take_idle(WorkerRole::Anything))?
    }

    fn background(&mut self) -> Option<(Job, QuestionLength)> {
        if self.holds_back() {
            return None;
        }
        Some((self.next_background()?, QuestionLength::Short))
    }

    fn next_background(&mut self) -> Option<Job> {
        self.urgent.pop_front().or_else(|| self.background.pop_front())
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes only one worker: each wake-up costs a thread switch, and three for one job made every question
    /// slower.
    fn wake(&self, worker: Option<usize>) {
        if let Some(wake) = worker.and_then(|worker| self.wake.get(worker)) {
            wake.notify_one();
        }
    }

    /// Changes what background work may begin, and wakes the workers that can begin it now.
    fn release(&self, change: impl FnOnce(&mut Queues)) {
        let mut queues = self.lock();
        change(&mut queues);
        let has_work = !queues.urgent.is_empty() || !queues.background.is_empty();
        let may_begin = has_work && !queues.holds_back();
        let (woken, idle) = std::mem::take(&mut queues.idle)
            .into_iter()
            .partition(|(_, takes)| may_begin && *takes != WorkerRole::QuestionsOnly);
        queues.idle = idle;
        drop(queues);
        let woken: Vec<(usize, WorkerRole)> = woken;
        woken.into_iter().for_each(|(worker, _)| self.wake(Some(worker)));
    }

    fn work(&self, number: usize, takes: WorkerRole) {
        while let Some((job, length)) = self.next(number, takes) {
            if catch_unwind(AssertUnwindSafe(job)).is_err() {
                tracing::error!("internal error: a job of the pool panicked; see the message above");
            }
            // This worker takes the next long question itself, in its next round.
            if length == QuestionLength::Long {
                self.lock().long_running -= 1;
            }
            self.after_job.iter().for_each(|after_job| after_job());
        }
    }

    fn next(&self, number: usize, takes: WorkerRole) -> Option<(Job, QuestionLength)> {
        let mut queues = self.lock();
        loop {
            if queues.stopped {
                return None;
            }
            let job = match takes {
                WorkerRole::Anything => queues.question().or_else(|| queues.background()),
                WorkerRole::QuestionsOnly => queues.question(),
                WorkerRole::BackgroundOnly => queues.background(),
            };
            match job {
                Some(job) => {
                    let helper = queues.overdue_helper();
                    drop(queues);
                    self.wake(helper);
                    return Some(job);
                }
                None => {
                    queues.idle.push((number, takes));
                    // Cannot be out of range: there is one condition per worker.
                    let wake = &self.wake[number];
                    queues = match queues.idle_for(takes) {
                        None => wake.wait(queues).unwrap_or_else(PoisonError::into_inner),
                        Some(most) => {
                            wake.wait_timeout(queues, most).unwrap_or_else(PoisonError::into_inner).0
                        }
                    };
                    // After a spurious wake-up the worker is still listed as idle.
                    queues.idle.retain(|(idle, _)| *idle != number);
                }
            }
        }
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Shared")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    const DEADLINE: Duration = Duration::from_secs(60);

    /// Asserts that jobs of one kind that block as many workers as possible do not block the other kind.
    fn gets_through(block: impl Fn(&Pool, Job), other: impl Fn(&Pool, Job)) {
        let pool = Pool::new(|| ());
        let (release, released) = mpsc::channel::<()>();
        let released = Arc::new(Mutex::new(released));
        for _ in 0..=pool.workers.len() {
            let released = released.clone();
            block(
                &pool,
                Box::new(move || {
                    let _ = released.lock().unwrap_or_else(PoisonError::into_inner).recv();
                }),
            );
        }
        let (done, is_done) = mpsc::channel();
        other(
            &pool,
            Box::new(move || {
                let _ = done.send(());
            }),
        );
        is_done.recv_timeout(DEADLINE).expect("the other kind of job is done");
        drop(release);
    }

    #[test]
    fn any_number_of_long_questions_holds_up_no_other_question() {
        gets_through(Pool::long_question, Pool::question);
        gets_through(Pool::long_question, Pool::background);
    }

    #[test]
    fn questions_hold_background_work_back_only_so_long() {
        let pool = Pool::with_most_held(Duration::from_millis(50), || ());
        let _held = pool.hold_background();
        let (done, is_done) = mpsc::channel();
        pool.background(move || {
            let _ = done.send(());
        });
        is_done.recv_timeout(DEADLINE).expect("it is begun in spite of the question");
    }

    #[test]
    fn all_workers_do_background_work_that_was_held_back_so_long() {
        let pool = Pool::with_most_held(Duration::from_secs(1), || ());
        let (begun, is_begun) = mpsc::channel();
        // Dropped before the pool: its jobs end also where the test fails.
        let (release, released) = mpsc::channel::<()>();
        let released = Arc::new(Mutex::new(released));
        let await_idle = || {
            let since = Instant::now();
            while pool.shared.lock().idle.len() < pool.workers.len() {
                assert!(since.elapsed() < DEADLINE, "idle again");
                std::thread::yield_now();
            }
        };
        await_idle();
        let held = pool.hold_background();
        for _ in 0..cores::count() {
            let (begun, released) = (begun.clone(), Arc::clone(&released));
            pool.background(move || {
                let _ = begun.send(());
                let _ = released.lock().unwrap_or_else(PoisonError::into_inner).recv();
            });
            // The worker that was woken for it looked, and waits for the end of the time.
            await_idle();
        }
        assert!(pool.shared.lock().holds_back(), "all were pushed in time");
        for _ in 0..cores::count() {
            is_begun.recv_timeout(Duration::from_secs(10)).expect("all are under way at once");
        }
        drop(release);
        drop(held);
    }

    #[test]
    fn all_long_questions_are_answered() {
        let pool = Pool::new(|| ());
        let (done, is_done) = mpsc::channel();
        for number in 0..100 {
            let done = done.clone();
            pool.long_question(move || {
                let _ = done.send(number);
            });
        }
        let mut answered: Vec<i32> =
            (0..100).map(|_| is_done.recv_timeout(DEADLINE).expect("answered")).collect();
        answered.sort_unstable();
        assert_eq!(answered, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn long_questions_do_not_hold_up_the_looks() {
        gets_through(Pool::question, Pool::background);
    }

    #[test]
    fn long_looks_do_not_hold_up_the_questions() {
        gets_through(Pool::background, Pool::question);
    }
}
