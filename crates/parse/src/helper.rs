//! A worker process for work other than parsing that may never terminate (a search). It is started and
//! confined like a parse worker (see [`super::confine`]). Invariant: dropping a [`HelperProcess`] ends it,
//! whatever it is doing.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use super::process::{ExchangeError, Worker};
use super::protocol::Tag;
use super::{confine, worker};
use symd_base::Cancel;
use symd_sys::processes;

/// Address space in bytes that a request may take, and the addition for each byte of the request.
const MEMORY_BASE: u64 = 1 << 30;
const MEMORY_PER_BYTE: u64 = 8;

/// The daemon's side of a helper. The process is tied to the thread that started it: it is killed when that
/// thread ends.
#[derive(Debug)]
pub struct HelperProcess(Worker);

/// Reasons why a helper did not answer. The helper is unusable afterwards.
#[derive(Debug)]
pub enum NoReply {
    /// The deadline has passed.
    Late,
    /// The request was cancelled.
    Cancelled,
    /// The request failed, or the process exited: the reason.
    Ended(String),
}

impl HelperProcess {
    /// Starts `program` (symd itself) as the helper `name`.
    pub fn start(program: &Path, name: &str) -> io::Result<HelperProcess> {
        Worker::start(program, name).map(HelperProcess)
    }

    /// Sends one request, in two parts so that a long text need not be copied, and waits until `until` for
    /// the answer, of at most `longest` bytes.
    pub fn ask(
        &mut self,
        (head, text): (&[u8], &[u8]),
        longest: usize,
        until: Instant,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, NoReply> {
        let length = u32::try_from(head.len() + text.len())
            .map_err(|_| NoReply::Ended("the request is too long".to_owned()))?;
        let head = [&length.to_le_bytes(), head].concat();
        let wall = until.saturating_duration_since(Instant::now());
        match self.0.exchange((&head, text), longest, wall, cancel) {
            Ok(payload) => Ok(payload),
            Err(ExchangeError::Cancelled) => Err(NoReply::Cancelled),
            Err(_) if Instant::now() >= until => Err(NoReply::Late),
            Err(ExchangeError::Blame(why) | ExchangeError::Lost(why)) => Err(NoReply::Ended(why)),
            Err(ExchangeError::NotStarted(error)) => Err(NoReply::Ended(error.to_string())),
            Err(ExchangeError::Slow | ExchangeError::Stopped) => Err(NoReply::Late),
        }
    }
}

/// Runs a helper: answers each request with `answer`, until the daemon closes the pipe. `arguments` are those
/// after the helper's name on the command line.
pub fn serve(arguments: &[OsString], mut answer: impl FnMut(&[u8]) -> Result<Vec<u8>, String>) -> ExitCode {
    let Some(parent) = worker::parent_from(arguments) else {
        return ExitCode::from(worker::NOT_A_WORKER);
    };
    let _ = rustix::thread::set_name(c"symd-helper");
    // Must precede the filter, which forbids opening files.
    let memory = processes::address_space(rustix::process::getpid()).unwrap_or(0);
    if confine::confine(parent).is_err() {
        return ExitCode::from(worker::NOT_A_WORKER);
    }
    // An error means that the daemon closed the pipe.
    let _ = answer_all(memory, &mut answer);
    ExitCode::SUCCESS
}

fn answer_all(
    memory: u64,
    answer: &mut impl FnMut(&[u8]) -> Result<Vec<u8>, String>,
) -> rustix::io::Result<()> {
    worker::send(Tag::Ready, &[])?;
    let mut frame = Vec::new();
    loop {
        let length = worker::read_length()?;
        let more = u64::try_from(length).unwrap_or(u64::MAX).saturating_mul(MEMORY_PER_BYTE);
        confine::limit(u64::MAX, memory.saturating_add(MEMORY_BASE).saturating_add(more));
        worker::read_body(&mut frame, length)?;
        match answer(&frame) {
            Ok(payload) => worker::send(Tag::Done, &payload)?,
            Err(why) => worker::send(Tag::Failed, why.as_bytes())?,
        }
        frame.truncate(0);
        frame.shrink_to(1 << 16);
    }
}
