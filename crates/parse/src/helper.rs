//! A worker process for work that is no parsing and that may never come to an end (a search): started alike, and taken the same
//! from (see [`super::confine`]). Invariant: dropping a [`HelperProcess`] ends it, whatever it is at.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use super::process::{Unanswered, Worker};
use super::protocol::Tag;
use super::{confine, worker};
use symd_base::{Cancel, processes};

/// Address space that a request may take, in bytes, and for each of its own.
const MEMORY_BASE: u64 = 1 << 30;
const MEMORY_PER_BYTE: u64 = 8;

/// A helper as the daemon has it. It is tied to the thread that started it: with that it ends.
#[derive(Debug)]
pub struct HelperProcess(Worker);

/// Why a helper did not answer. It is of no more use then.
#[derive(Debug)]
pub enum NoReply {
    /// The time is up.
    Late,
    /// The answer is not wanted any more.
    Cancelled,
    /// It could not do it, or has ended: why.
    Ended(String),
}

impl HelperProcess {
    /// Starts `program` (symd itself) as the helper `name`.
    pub fn start(program: &Path, name: &str) -> io::Result<HelperProcess> {
        Worker::start(program, name).map(HelperProcess)
    }

    /// Puts one request, in two parts so that a long text need not be copied, and waits for the answer, of at most
    /// `longest` bytes, until `until`.
    pub fn ask(
        &mut self,
        (head, text): (&[u8], &[u8]),
        longest: usize,
        until: Instant,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, NoReply> {
        let length = u32::try_from(head.len() + text.len())
            .map_err(|_| NoReply::Ended("it is too long".to_owned()))?;
        let head = [&length.to_le_bytes(), head].concat();
        let wall = until.saturating_duration_since(Instant::now());
        match self.0.exchange((&head, text), longest, wall, cancel) {
            Ok(payload) => Ok(payload),
            Err(Unanswered::Cancelled) => Err(NoReply::Cancelled),
            Err(_) if Instant::now() >= until => Err(NoReply::Late),
            Err(Unanswered::Blame(why) | Unanswered::Lost(why)) => Err(NoReply::Ended(why)),
            Err(Unanswered::NotStarted(error)) => Err(NoReply::Ended(error.to_string())),
            Err(Unanswered::Slow | Unanswered::Stopped) => Err(NoReply::Late),
        }
    }
}

/// What a helper does: answers each request by `answer`, until the daemon closes its pipe. `arguments` are those behind the
/// helper's name on the command line.
pub fn serve(arguments: &[OsString], mut answer: impl FnMut(&[u8]) -> Result<Vec<u8>, String>) -> ExitCode {
    let Some(parent) = worker::life(arguments) else {
        return ExitCode::from(worker::NOT_A_WORKER);
    };
    let _ = rustix::thread::set_name(c"symd-helper");
    // Before the filter, which lets no file be opened.
    let memory = processes::address_space(rustix::process::getpid()).unwrap_or(0);
    if confine::confine(parent).is_err() {
        return ExitCode::from(worker::NOT_A_WORKER);
    }
    // An error is the end of the pipe, which the daemon has closed.
    let _ = answer_all(memory, &mut answer);
    ExitCode::SUCCESS
}

fn answer_all(
    memory: u64,
    answer: &mut impl FnMut(&[u8]) -> Result<Vec<u8>, String>,
) -> rustix::io::Result<()> {
    worker::say(Tag::Ready, &[])?;
    let mut frame = Vec::new();
    loop {
        let length = worker::read_length()?;
        let more = u64::try_from(length).unwrap_or(u64::MAX).saturating_mul(MEMORY_PER_BYTE);
        confine::limit(u64::MAX, memory.saturating_add(MEMORY_BASE).saturating_add(more));
        worker::read_body(&mut frame, length)?;
        match answer(&frame) {
            Ok(payload) => worker::say(Tag::Done, &payload)?,
            Err(why) => worker::say(Tag::Failed, why.as_bytes())?,
        }
        frame.truncate(0);
        frame.shrink_to(1 << 16);
    }
}
