//! The hidden command `symd parse`: reads texts from its pipe one after the other, parses each, and writes
//! the result, until the pipe closes. It may crash or hang on a text; then the daemon replaces it. Started
//! only by the daemon, without a project, environment, or descriptor other than the pipe.
//! Invariant: starts no thread and opens no file.

use std::ffi::OsString;
use std::io::IoSlice;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use rustix::process::Pid;

use super::protocol::{LENGTH, Message, Request, Tag, Task};
use super::{bindings, confine, inspected};
use symd_base::Cancel;
use symd_index::cache::codec;
use symd_syntax::{self as syntax, Grammar, OutlineError};
use symd_sys::processes;

/// The word for this command on the command line.
pub const NAME: &str = "parse";

/// The exit code of a process that was not started as a worker.
pub(super) const NOT_A_WORKER: u8 = 126;

/// Runs a worker; `arguments` are those after [`NAME`]: the daemon's process ID.
pub fn run(arguments: &[OsString]) -> ExitCode {
    let Some(parent) = parent_from(arguments) else { return ExitCode::from(NOT_A_WORKER) };
    // A process started as /proc/self/exe would be called "exe".
    let _ = rustix::thread::set_name(c"symd-parse");
    // Must precede the filter, which forbids opening files.
    let memory = processes::address_space(rustix::process::getpid()).unwrap_or(0);
    if confine::confine(parent).is_err() {
        return ExitCode::from(NOT_A_WORKER);
    }
    let mut worker = Worker { memory, at_hand: Vec::new() };
    // An error means that the daemon closed the pipe.
    let _ = worker.work();
    ExitCode::SUCCESS
}

/// Parses the arguments: the ID of the process whose end also ends the worker.
pub(super) fn parent_from(arguments: &[OsString]) -> Option<Pid> {
    processes::id(arguments.first()?.to_str()?.parse::<i32>().ok()?)
}

struct Worker {
    /// Bytes of address space before the first text.
    memory: u64,
    /// Grammars whose queries are compiled.
    at_hand: Vec<Grammar>,
}

impl Worker {
    fn work(&mut self) -> rustix::io::Result<()> {
        send(Tag::Ready, &[])?;
        let mut frame = Vec::new();
        loop {
            read_frame(&mut frame)?;
            match catch_unwind(AssertUnwindSafe(|| self.answer(&frame))) {
                Ok(Ok(answer)) => send(Tag::Done, &answer)?,
                Ok(Err(RequestFailure::Stopped)) => send(Tag::Stopped, &[])?,
                Ok(Err(RequestFailure::Failed(why))) => send(Tag::Failed, why.as_bytes())?,
                Err(_) => send(Tag::Failed, b"the parser panicked")?,
            }
            // The buffer of a large text would otherwise be kept.
            frame.truncate(0);
            frame.shrink_to(1 << 16);
        }
    }

    fn answer(&mut self, frame: &[u8]) -> Result<Vec<u8>, RequestFailure> {
        let request = Request::read(frame).ok_or_else(|| RequestFailure::failed("not a request"))?;
        let grammar =
            Grammar::named(request.grammar).ok_or_else(|| RequestFailure::failed("no such grammar"))?;
        if !self.at_hand.contains(&grammar) {
            grammar.load().map_err(RequestFailure::failed)?;
            self.at_hand.push(grammar);
            send(Tag::GrammarLoaded, &[]).map_err(RequestFailure::failed)?;
        }
        let allowance = request.allowance;
        // The system's limit has a resolution of whole seconds.
        let until = (processes::own_processor_time() + allowance.processor).as_secs() + 1;
        confine::limit(until, self.memory.saturating_add(allowance.memory));
        let cancel = request.stop_after.map_or_else(Cancel::new, Cancel::after_processor_time);
        Ok(match request.task {
            Task::Outline => codec::encode(&syntax::outline(grammar, request.text, &cancel)?),
            Task::Inspect(range) => {
                inspected::encode(&syntax::inspect(grammar, request.text, range, &cancel)?)
            }
            Task::LocalBindings => bindings::encode(&syntax::local_bindings(grammar, request.text, &cancel)?),
            Task::Tree => syntax::flat_tree(grammar, request.text, &cancel)?.to_bytes(),
            Task::HiddenTypes => {
                codec::encode(&syntax::outline_with_hidden_types(grammar, request.text, &cancel)?)
            }
            Task::HiddenFunctions => {
                codec::encode(&syntax::outline_with_hidden_functions(grammar, request.text, &cancel)?)
            }
        })
    }
}

/// Reasons why there is no answer.
enum RequestFailure {
    /// The request reached its time to stop.
    Stopped,
    Failed(String),
}

impl RequestFailure {
    fn failed(why: impl ToString) -> RequestFailure {
        RequestFailure::Failed(why.to_string())
    }
}

impl From<OutlineError> for RequestFailure {
    fn from(error: OutlineError) -> RequestFailure {
        match error {
            OutlineError::Cancelled => RequestFailure::Stopped,
            error => RequestFailure::failed(error),
        }
    }
}

pub(super) fn send(tag: Tag, payload: &[u8]) -> rustix::io::Result<()> {
    let head = Message::head(tag, processes::own_processor_time(), payload);
    let (mut head, mut payload) = (head.as_slice(), payload);
    // Written together: otherwise the daemon would wake for the head and wait again.
    while !(head.is_empty() && payload.is_empty()) {
        let parts = [IoSlice::new(head), IoSlice::new(payload)];
        let written = rustix::io::retry_on_intr(|| rustix::io::writev(confine::pipe(), &parts))?;
        let of_head = written.min(head.len());
        (head, payload) = (&head[of_head..], &payload[written - of_head..]);
    }
    Ok(())
}

fn read_frame(frame: &mut Vec<u8>) -> rustix::io::Result<()> {
    let length = read_length()?;
    read_body(frame, length)
}

/// Reads the length of the next request, in bytes.
pub(super) fn read_length() -> rustix::io::Result<usize> {
    let mut length = [0; LENGTH];
    read_exactly(&mut length)?;
    Ok(u32::from_le_bytes(length) as usize)
}

pub(super) fn read_body(frame: &mut Vec<u8>, length: usize) -> rustix::io::Result<()> {
    frame.resize(length, 0);
    read_exactly(frame)
}

fn read_exactly(mut into: &mut [u8]) -> rustix::io::Result<()> {
    while !into.is_empty() {
        match rustix::io::retry_on_intr(|| rustix::io::read(confine::pipe(), &mut *into))? {
            0 => return Err(rustix::io::Errno::PIPE),
            read => into = &mut into[read..],
        }
    }
    Ok(())
}
