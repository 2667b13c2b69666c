//! The daemon's side of one worker: the child process, its pipe, and the result of a request. Invariant:
//! dropping a [`Worker`] ends the process and leaves nothing behind.

use std::io;
use std::io::IoSlice;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::process::{Pid, Signal};

use super::limits::{Expected, START_WALL};
use super::living_workers::{LivingWorker, LivingWorkers};
use super::protocol::{LENGTH, Message, Request, Tag, longest_message};
use symd_base::Cancel;
use symd_sys::{life_line, processes};

/// Interval at which a wait checks whether the request was cancelled.
const CANCEL_EVERY: Duration = Duration::from_millis(25);
/// Minimum wait between two reads of a worker's processor time.
const LEAST_WAIT: Duration = Duration::from_millis(1);
/// The niceness of workers of the lowest priority.
const LEAST_FAVOURED: i32 = 19;
/// Bytes read at a time.
const CHUNK: usize = 1 << 16;

/// A worker process.
#[derive(Debug)]
pub(super) struct Worker {
    child: Child,
    pid: Pid,
    pipe: UnixStream,
    is_ready: bool,
    /// Names of the grammars that the worker has loaded.
    at_hand: Vec<&'static str>,
    /// The worker's processor time as of its last message.
    processor: Duration,
    received: Vec<u8>,
    clock: Clock,
    /// Held for as long as it lives, if it is counted.
    _living: Option<LivingWorker>,
}

/// The result of an answered request.
#[derive(Debug)]
pub(super) struct WorkerAnswer {
    pub(super) payload: Vec<u8>,
    /// Processor time spent on the request.
    pub(super) took: Duration,
}

/// Reasons why a request was not answered. The worker is unusable afterwards, except after
/// [`ExchangeError::Slow`] and [`ExchangeError::Stopped`].
#[derive(Debug)]
pub(super) enum ExchangeError {
    /// A failure of the worker that the text caused.
    Blame(String),
    /// The request takes longer than expected, but is still within its limits.
    Slow,
    /// The request exceeded its time to stop: the worker has stopped, and waits for the next request.
    Stopped,
    /// The worker failed for a reason other than the text: it was killed, or exceeded its wall-clock time.
    Lost(String),
    /// The worker could not be started.
    NotStarted(io::Error),
    /// The request was cancelled.
    Cancelled,
}

impl Worker {
    /// Starts a worker. It is tied to the calling thread: it is killed when that thread ends.
    pub(super) fn start(program: &Path, name: &str) -> io::Result<Worker> {
        let (ours, theirs) = life_line::socket()?;
        let child = Command::new(program)
            .arg0("symd")
            .arg(name)
            .arg(std::process::id().to_string())
            .env_clear()
            .current_dir("/")
            .stdin(theirs)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Worker {
            pid: Pid::from_child(&child),
            child,
            pipe: ours,
            is_ready: false,
            at_hand: Vec::new(),
            processor: Duration::ZERO,
            received: Vec::new(),
            clock: Clock::default(),
            _living: None,
        })
    }

    /// Counts it among `living`.
    pub(super) fn counted_in(mut self, living: &LivingWorkers) -> Worker {
        self._living = Some(living.add(self.pid));
        self
    }

    /// Returns its resident memory in bytes.
    pub(super) fn memory(&self) -> u64 {
        processes::by_pid(self.pid).map_or(0, |process| process.resident_bytes())
    }

    /// Sends a request, and waits for the answer for the time that others wait. After
    /// [`ExchangeError::Slow`] the worker keeps working on the request.
    pub(super) fn ask(
        &mut self,
        request: &Request<'_>,
        grammar: &'static str,
        expected: Expected,
        cancel: &Cancel,
    ) -> Result<WorkerAnswer, ExchangeError> {
        self.clock = Clock {
            began: Instant::now(),
            processor: self.processor,
            wall: request.allowance.wall,
            expected: None,
            longest: longest_message(request.text.len()),
        };
        self.get_ready(cancel)?;
        self.within(START_WALL, |worker| worker.write(&request.head(), request.text.as_bytes(), cancel))?;
        if !self.at_hand.contains(&grammar) {
            self.within(START_WALL, |worker| worker.expect(Tag::GrammarLoaded, cancel))?;
            self.at_hand.push(grammar);
        }
        self.clock.began = Instant::now();
        self.clock.processor = self.processor;
        self.clock.expected = Some(expected);
        self.answer(cancel)
    }

    /// Sends a request other than a text to parse, and waits up to `wall` for an answer of at most `longest`
    /// bytes.
    pub(super) fn exchange(
        &mut self,
        (head, text): (&[u8], &[u8]),
        longest: usize,
        wall: Duration,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, ExchangeError> {
        self.clock =
            Clock { began: Instant::now(), processor: self.processor, wall, expected: None, longest };
        self.get_ready(cancel)?;
        self.write(head, text, cancel)?;
        self.answer(cancel).map(|answered| answered.payload)
    }

    /// Waits for a slow request for all the time that its text may take. The worker gets the lowest priority
    /// once it has used the processor time of a trial of normal priority.
    pub(super) fn resume(&mut self, cancel: &Cancel) -> Result<WorkerAnswer, ExchangeError> {
        self.clock.expected = Some(Expected::OF_TRIAL);
        match self.answer(cancel) {
            Err(ExchangeError::Slow) => {
                self.lower_priority();
                self.clock.expected = None;
                self.answer(cancel)
            }
            answered => answered,
        }
    }

    fn lower_priority(&self) {
        let _ = rustix::process::setpriority_process(Some(self.pid), LEAST_FAVOURED);
    }

    fn answer(&mut self, cancel: &Cancel) -> Result<WorkerAnswer, ExchangeError> {
        let message = self.message(cancel)?;
        match message.tag {
            Tag::Done => {
                let took = message.processor.saturating_sub(self.clock.processor);
                Ok(WorkerAnswer { payload: message.payload, took })
            }
            Tag::Stopped => Err(ExchangeError::Stopped),
            Tag::Failed => Err(ExchangeError::Blame(String::from_utf8_lossy(&message.payload).into_owned())),
            Tag::Ready | Tag::GrammarLoaded => Err(garbled()),
        }
    }

    /// Waits until the worker has started.
    fn get_ready(&mut self, cancel: &Cancel) -> Result<(), ExchangeError> {
        if !self.is_ready {
            self.within(START_WALL, |worker| worker.expect(Tag::Ready, cancel))?;
            self.is_ready = true;
            self.clock.began = Instant::now();
        }
        Ok(())
    }

    /// Does a part of a request that must be done within `wall`.
    fn within<T>(
        &mut self,
        wall: Duration,
        part: impl FnOnce(&mut Worker) -> Result<T, ExchangeError>,
    ) -> Result<T, ExchangeError> {
        let clock = Clock { began: Instant::now(), wall: wall.min(self.clock.wall), ..self.clock };
        let whole = std::mem::replace(&mut self.clock, clock);
        let done = part(self);
        self.clock = whole;
        done
    }

    fn expect(&mut self, tag: Tag, cancel: &Cancel) -> Result<(), ExchangeError> {
        let message = self.message(cancel)?;
        if message.tag == tag { Ok(()) } else { Err(garbled()) }
    }

    fn write(&mut self, mut head: &[u8], mut text: &[u8], cancel: &Cancel) -> Result<(), ExchangeError> {
        while !(head.is_empty() && text.is_empty()) {
            match rustix::io::writev(&self.pipe, &[IoSlice::new(head), IoSlice::new(text)]) {
                Ok(written) => {
                    let of_head = written.min(head.len());
                    (head, text) = (&head[of_head..], &text[written - of_head..]);
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => self.wait(PollFlags::OUT, cancel)?,
                Err(_) => return Err(self.ended()),
            }
        }
        Ok(())
    }

    fn message(&mut self, cancel: &Cancel) -> Result<Message, ExchangeError> {
        loop {
            if let Some((length, rest)) = self.received.split_first_chunk::<LENGTH>() {
                let length = u32::from_le_bytes(*length) as usize;
                if length > self.clock.longest {
                    return Err(garbled());
                }
                if let Some(frame) = rest.get(..length) {
                    let message = Message::read(frame).ok_or_else(garbled)?;
                    self.received.drain(..LENGTH + length);
                    self.received.shrink_to(CHUNK);
                    self.processor = message.processor;
                    return Ok(message);
                }
                self.received.reserve(LENGTH + length - self.received.len());
            }
            self.read(cancel)?;
        }
    }

    fn read(&mut self, cancel: &Cancel) -> Result<(), ExchangeError> {
        self.received.reserve(CHUNK);
        match rustix::io::read(&self.pipe, rustix::buffer::spare_capacity(&mut self.received)) {
            Ok(0) => Err(self.ended()),
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(Errno::AGAIN) => self.wait(PollFlags::IN, cancel),
            Err(_) => Err(self.ended()),
        }
    }

    /// Waits, for a short time, until the pipe is ready for `what`.
    fn wait(&self, what: PollFlags, cancel: &Cancel) -> Result<(), ExchangeError> {
        if cancel.is_cancelled() {
            return Err(ExchangeError::Cancelled);
        }
        let clock = &self.clock;
        let since = clock.began.elapsed();
        if since >= clock.wall {
            return Err(ExchangeError::Lost(format!("it did not finish within {} s", clock.wall.as_secs())));
        }
        let mut patience = CANCEL_EVERY.min(clock.wall - since).max(LEAST_WAIT);
        if let Some(expected) = clock.expected {
            let left = expected.processor.checked_sub(since).unwrap_or_else(|| {
                // The worker may have waited for a processor, as this process did. If its processor time is
                // unknown, the elapsed time counts.
                let total = processes::processor_time(self.pid);
                let own = total.map_or(since, |total| total.saturating_sub(clock.processor));
                expected.processor.saturating_sub(own)
            });
            if left.is_zero() || since >= expected.wall {
                return Err(ExchangeError::Slow);
            }
            // No other text waits for a trial, so its processor time need not be read every millisecond.
            let least = if expected == Expected::OF_TRIAL { CANCEL_EVERY } else { LEAST_WAIT };
            patience = patience.min(left.max(least));
        }
        let patience = Timespec::try_from(patience).ok();
        // The caller checks the pipe whatever the reason for waking up.
        let _ = rustix::event::poll(&mut [PollFd::new(&self.pipe, what)], patience.as_ref());
        Ok(())
    }

    /// Ends the worker, and derives the failure from its exit status.
    fn ended(&mut self) -> ExchangeError {
        // The pipe closes when the worker exits; a worker that only closed its pipe is unusable too.
        let _ = self.child.kill();
        let status = match self.child.wait() {
            Ok(status) => status,
            Err(error) => return ExchangeError::Lost(error.to_string()),
        };
        if !self.is_ready && self.received.is_empty() {
            return ExchangeError::NotStarted(io::Error::other(format!(
                "a parse worker exited at startup: {status}"
            )));
        }
        match status.signal().and_then(Signal::from_named_raw) {
            Some(Signal::XCPU) => {
                ExchangeError::Blame("its parser exceeded the processor time limit".to_owned())
            }
            Some(Signal::ABORT) => {
                ExchangeError::Blame("its parser gave up (SIGABRT), or exceeded the memory limit".to_owned())
            }
            Some(Signal::SEGV) => ExchangeError::Blame("its parser crashed (SIGSEGV)".to_owned()),
            Some(Signal::BUS) => ExchangeError::Blame("its parser crashed (SIGBUS)".to_owned()),
            Some(Signal::ILL) => ExchangeError::Blame("its parser crashed (SIGILL)".to_owned()),
            Some(Signal::SYS) => ExchangeError::Blame("its parser crashed (SIGSYS)".to_owned()),
            _ => ExchangeError::Lost(status.to_string()),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The limits of the current request.
#[derive(Debug)]
struct Clock {
    began: Instant,
    /// The worker's processor time at `began`.
    processor: Duration,
    wall: Duration,
    /// The time that others wait for the answer.
    expected: Option<Expected>,
    /// Maximum length of a message, in bytes.
    longest: usize,
}

impl Default for Clock {
    fn default() -> Clock {
        let processor = Duration::ZERO;
        Clock { began: Instant::now(), processor, wall: Duration::ZERO, expected: None, longest: 0 }
    }
}

fn garbled() -> ExchangeError {
    ExchangeError::Blame("its parser sent an invalid response".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_that_does_not_start_is_lost_long_before_its_text_is_over() {
        // `sleep 1000 PID` takes the arguments of a worker, and sends nothing.
        let mut worker = Worker::start(Path::new("/bin/sleep"), "1000").expect("started");
        let hour = Duration::from_secs(3_600);
        let lost = worker.exchange((b"head", b"text"), CHUNK, hour, &Cancel::new());
        assert!(matches!(&lost, Err(ExchangeError::Lost(why)) if why.contains("within 3 s")), "{lost:?}");
    }
}
