//! Runs one command until its shell exits or its time is over. Invariants: memory is bounded, however much is
//! printed; if the call ends early, by its deadline or because it was cancelled, no process of the command
//! remains.

use std::io;
use std::time::Duration;

use tokio::time::timeout;

use super::background_commands::BackgroundCommands;
use super::captured::{Captured, Keep};
use super::directory::Directory;
use super::environment::Environment;
use super::messages::{RemainingProcesses, WardenMessage};
use super::program::Shell;
use super::stream::Stream;
use super::watched_command::{Launch, Streams, WatchedCommand};
use super::{BackgroundPolicy, Shells};
use symd_sys::{ChildEnd, group, processes};

/// How long to read the streams after the shell's exit: `echo x > >(cat)` exits before its `cat`. The wait is
/// that long only if a background process can still write.
const LINGER: Duration = Duration::from_millis(100);
/// How long a warden may take to terminate everything: its own grace period, plus the time the kernel needs
/// to kill a process inside a system call.
const ENDING: Duration = Duration::from_secs(10);

/// A command to run.
#[derive(Debug)]
pub struct CommandRequest<'a> {
    /// The shell that interprets the command.
    pub shell: &'a Shell,
    /// The command's text.
    pub command: &'a str,
    /// The working directory.
    pub directory: &'a Directory,
    pub environment: &'a Environment,
    /// How long the command may take.
    pub deadline: Duration,
    /// How much of each stream is kept.
    pub keep: Keep,
}

/// The outcome of a command.
#[derive(Debug)]
pub struct CommandOutcome {
    /// How its shell exited.
    pub end: ShellEnd,
    pub stdout: Captured,
    pub stderr: Captured,
    /// The shell's pid, which is also the id of its process group.
    pub group: i32,
    /// The pids of the processes of the group that still run, in ascending order.
    pub background: Vec<i32>,
}

/// How a command's shell came to exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellEnd {
    /// It exited by itself.
    Exited(ChildEnd),
    /// It was killed, with everything that it had started, because its time was over.
    TimedOut(ChildEnd),
}

/// Why a command did not run, or why its outcome is unknown.
#[derive(Debug, thiserror::Error)]
pub enum ShellError {
    /// No shell was found.
    #[error("there is no shell: neither on PATH nor at /bin/sh")]
    NoShell,
    /// The command contains a NUL character, which no program can receive.
    #[error("a command cannot hold a NUL character")]
    Nul,
    /// The operating system rejected the start.
    #[error("the command cannot be started: {0}")]
    Start(String),
    /// The command's warden is gone.
    #[error("the outcome of the command is unknown: the process that watched over it was killed")]
    Lost,
}

impl From<io::Error> for ShellError {
    fn from(error: io::Error) -> ShellError {
        ShellError::Start(error.to_string())
    }
}

/// Whether a command can be passed to a shell at all.
pub fn can_be_run(command: &str) -> Result<(), ShellError> {
    if command.contains('\0') { Err(ShellError::Nul) } else { Ok(()) }
}

/// Runs a command. Background processes that it leaves are passed to `left_behind`. Dropping the future kills
/// everything that the command started.
pub async fn run(
    shells: &Shells,
    left_behind: &BackgroundCommands,
    request: CommandRequest<'_>,
) -> Result<CommandOutcome, ShellError> {
    can_be_run(request.command)?;
    let (mut stdout, out) = Stream::start(request.keep)?;
    let (mut stderr, err) = Stream::start(request.keep)?;
    let mut ward = WatchedCommand::start(Launch {
        warden: &shells.warden,
        program: request.shell.program(),
        arguments: &request.shell.arguments(request.command),
        environment: request.environment,
        directory: request.directory,
        streams: Streams::Pipes { stdout: out, stderr: err },
    })?;
    let group = match ward.next_message().await {
        Some(WardenMessage::Started(pid)) => pid,
        Some(WardenMessage::Failed(why)) => return Err(ShellError::Start(why)),
        _ => {
            ward.end_orphans();
            return Err(ShellError::Lost);
        }
    };
    let (end, left) = match timeout(request.deadline, ended(&mut ward)).await {
        Ok(Ok((end, left))) => (ShellEnd::Exited(end), left),
        Ok(Err(lost)) => {
            ward.end_orphans();
            return Err(lost);
        }
        Err(_) => {
            ward.end();
            // A time-out here means that a process is stuck in the kernel; its warden keeps waiting for it.
            let end = timeout(ENDING, ended(&mut ward))
                .await
                .unwrap_or(Ok((ChildEnd::Signal(9), RemainingProcesses::None)))?;
            (ShellEnd::TimedOut(end.0), RemainingProcesses::None)
        }
    };
    let _ = timeout(LINGER, async { tokio::join!(stdout.ended(), stderr.ended()) }).await;
    let ran = CommandOutcome {
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
        match shells.background {
            BackgroundPolicy::Reap => left_behind.take(ward, vec![stdout, stderr]),
            BackgroundPolicy::Keep => {
                // From here on the processes are not killed; their output is still read, for as long as the
                // daemon lives.
                ward.let_go();
                stdout.let_go();
                stderr.let_go();
            }
        }
    }
    Ok(ran)
}

async fn ended(ward: &mut WatchedCommand) -> Result<(ChildEnd, RemainingProcesses), ShellError> {
    match ward.next_message().await {
        Some(WardenMessage::Ended(end, left)) => Ok((end, left)),
        _ => Err(ShellError::Lost),
    }
}

/// Returns the pids of a process group's members. Its id cannot be reused: the warden has not reaped its
/// leader.
fn members(group: i32) -> Vec<i32> {
    let all = processes::id(group).map(group::members).unwrap_or_default();
    let mut members: Vec<i32> = all.iter().map(|process| process.pid.as_raw_nonzero().get()).collect();
    members.sort_unstable();
    members
}
