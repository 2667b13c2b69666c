//! Runs one command to the end of its shell, or of its time. Invariants: memory is bounded, whatever is printed; when
//! the call ends early, by its deadline or because nobody waits for it any more, nothing of the command is left.

use std::io;
use std::time::Duration;

use tokio::time::timeout;

use super::captured::{Captured, Keep};
use super::directory::Directory;
use super::environment::Environment;
use super::left_behind::LeftBehind;
use super::program::Shell;
use super::stream::Stream;
use super::ward::{Launch, Streams, Ward};
use super::words::{End, RemainingProcesses, WardenMessage};
use super::{Afterwards, Shells};
use symd_base::processes;

/// How long the streams are waited for after the shell's end: `echo x > >(cat)` ends before its `cat` does. Only what
/// runs on in the background and can still write makes us wait that long.
const LINGER: Duration = Duration::from_millis(100);
/// How long a warden may take to end everything: its own patience, and what the system needs to end a process in the
/// middle of a call.
const ENDING: Duration = Duration::from_secs(10);

/// A command.
#[derive(Debug)]
pub struct CommandRequest<'a> {
    /// Who understands it.
    pub shell: &'a Shell,
    /// What the shell is told.
    pub command: &'a str,
    /// Where it runs.
    pub directory: &'a Directory,
    /// Its variables.
    pub environment: &'a Environment,
    /// How long it may take.
    pub deadline: Duration,
    /// How much of each stream is kept.
    pub keep: Keep,
}

/// What came of a command.
#[derive(Debug)]
pub struct Ran {
    /// How its shell ended.
    pub end: Finish,
    /// What was written to it.
    pub stdout: Captured,
    /// What was written to it.
    pub stderr: Captured,
    /// The shell's pid, which is the number of its process group.
    pub group: i32,
    /// The processes of the group that run on, in the order of their numbers.
    pub background: Vec<i32>,
}

/// How a command's shell came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// By itself.
    Itself(End),
    /// It was ended with everything that it had started, because its time was over.
    TimedOut(End),
}

/// Why a command did not run, or what came of it is not known.
#[derive(Debug, thiserror::Error)]
pub enum ShellError {
    /// No shell was found.
    #[error("there is no shell: neither on PATH nor at /bin/sh")]
    NoShell,
    /// What no program can be given.
    #[error("a command cannot hold a NUL character")]
    Nul,
    /// The system refused.
    #[error("the command cannot be started: {0}")]
    Start(String),
    /// The process that watched over it is gone.
    #[error("what became of the command is not known: the process that watched over it was ended")]
    Lost,
}

impl From<io::Error> for ShellError {
    fn from(error: io::Error) -> ShellError {
        ShellError::Start(error.to_string())
    }
}

/// Whether a command is one that can be given to a shell at all.
pub fn can_be_run(command: &str) -> Result<(), ShellError> {
    if command.contains('\0') { Err(ShellError::Nul) } else { Ok(()) }
}

/// Runs a command. What it leaves running goes to `left_behind`. Dropping the future ends everything that it started.
pub async fn run(
    shells: &Shells,
    left_behind: &LeftBehind,
    request: CommandRequest<'_>,
) -> Result<Ran, ShellError> {
    can_be_run(request.command)?;
    let (mut stdout, out) = Stream::start(request.keep)?;
    let (mut stderr, err) = Stream::start(request.keep)?;
    let mut ward = Ward::start(Launch {
        warden: &shells.warden,
        program: request.shell.program(),
        arguments: &request.shell.arguments(request.command),
        environment: request.environment,
        directory: request.directory,
        streams: Streams::Pipes { stdout: out, stderr: err },
    })?;
    let group = match ward.told().await {
        Some(WardenMessage::Started(pid)) => pid,
        Some(WardenMessage::Failed(why)) => return Err(ShellError::Start(why)),
        _ => {
            ward.end_orphans();
            return Err(ShellError::Lost);
        }
    };
    let (end, left) = match timeout(request.deadline, ended(&mut ward)).await {
        Ok(Ok((end, left))) => (Finish::Itself(end), left),
        Ok(Err(lost)) => {
            ward.end_orphans();
            return Err(lost);
        }
        Err(_) => {
            ward.end();
            // Not even ended: it is stuck in the system, and its warden waits for it.
            let end = timeout(ENDING, ended(&mut ward))
                .await
                .unwrap_or(Ok((End::Signal(9), RemainingProcesses::None)))?;
            (Finish::TimedOut(end.0), RemainingProcesses::None)
        }
    };
    let _ = timeout(LINGER, async { tokio::join!(stdout.ended(), stderr.ended()) }).await;
    let ran = Ran {
        end,
        stdout: stdout.so_far(),
        stderr: stderr.so_far(),
        group,
        background: match left {
            RemainingProcesses::None => Vec::new(),
            RemainingProcesses::Running => members(group),
        },
    };
    if left == RemainingProcesses::Running {
        match shells.afterwards {
            Afterwards::Reap => left_behind.take(ward, vec![stdout, stderr]),
            Afterwards::Keep => {
                // From here on nobody ends it; what it writes is still taken, for as long as the daemon lives.
                ward.let_go();
                stdout.let_go();
                stderr.let_go();
            }
        }
    }
    Ok(ran)
}

async fn ended(ward: &mut Ward) -> Result<(End, RemainingProcesses), ShellError> {
    match ward.told().await {
        Some(WardenMessage::Ended(end, left)) => Ok((end, left)),
        _ => Err(ShellError::Lost),
    }
}

/// Who lives in a group. Its number is not used again: the warden has not reaped its leader.
fn members(group: i32) -> Vec<i32> {
    let mut members: Vec<i32> = processes::all()
        .into_iter()
        .filter(|process| {
            process.lives && process.group.is_some_and(|its| its.as_raw_nonzero().get() == group)
        })
        .map(|process| process.pid.as_raw_nonzero().get())
        .collect();
    members.sort_unstable();
    members
}
