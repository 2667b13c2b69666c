//! One server's process: its process group, its pipes, its exit. Knows nothing of LSP. Invariant: when the
//! exit is reported, no process of the group is left (processes that moved to a group of their own excepted),
//! and dropping a [`Process`] kills the group.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::Pid;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::stderr::{self, Tail};
use symd_sys::{ChildEnd, ProcessHandle, group};

/// How long to wait for the rest of stderr after the group is dead. More can come only from processes that
/// left the group.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// How long killed processes may take to exit: a process in the middle of a system call exits after it.
const VANISH: Duration = Duration::from_secs(5);

/// The command line and environment of a server.
#[derive(Clone, Debug)]
pub(super) struct LaunchCommand {
    /// The program of the supervisor: symd itself.
    pub(super) supervisor: PathBuf,
    /// An absolute path.
    pub(super) program: PathBuf,
    pub(super) args: Vec<String>,
    /// The complete environment; nothing is inherited.
    pub(super) environment: BTreeMap<OsString, OsString>,
    /// The working directory.
    pub(super) directory: PathBuf,
    /// The log file for stderr.
    pub(super) log: PathBuf,
}

/// How a process exited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProcessExit {
    /// "exit code 7", "signal 9".
    pub(super) how: String,
    /// The last lines of its stderr.
    pub(super) last_words: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Process {
    group: Pid,
    ended: watch::Receiver<Option<ProcessExit>>,
    /// Setting it to true or dropping it kills the group.
    kill: watch::Sender<bool>,
    _keeper: JoinHandle<()>,
}

/// A process that was just started, and its pipes.
#[derive(Debug)]
pub(super) struct StartedProcess {
    pub(super) process: Process,
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    /// The lines of stderr; when the queue is full, further lines are only logged.
    pub(super) stderr_lines: mpsc::Receiver<String>,
}

/// Starts the server under the supervisor, in a new process group.
pub(super) fn start(launch: &LaunchCommand) -> std::io::Result<StartedProcess> {
    let mut child = Command::new(&launch.supervisor)
        .args(["supervise", "--"])
        .arg(&launch.program)
        .args(&launch.args)
        .env_clear()
        .envs(&launch.environment)
        .current_dir(&launch.directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let (Some(stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(std::io::Error::other("its pipes are missing"));
    };
    let group = Pid::from_child(&child);
    // On an error the pipes are dropped, which makes the supervisor kill everything.
    let exit = awaited(ProcessHandle::open(group)?)?;
    let (tell, stderr_lines) = mpsc::channel(stderr::STDERR_QUEUE);
    let tail = Tail::default();
    let stderr = ChildStderr::from_std(stderr)?;
    let reader = tokio::spawn(stderr::read(stderr, tail.clone(), launch.log.clone(), tell));
    let (kill, killed) = watch::channel(false);
    let (tell_end, ended) = watch::channel(None);
    let keeper = ProcessTask { group, child, exit, reader, tail };
    let _keeper = tokio::spawn(async move {
        let end = keeper.keep(killed).await;
        tell_end.send_replace(Some(end));
    });
    let (stdin, stdout) = (ChildStdin::from_std(stdin)?, ChildStdout::from_std(stdout)?);
    Ok(StartedProcess { process: Process { group, ended, kill, _keeper }, stdin, stdout, stderr_lines })
}

impl Process {
    /// Returns the process group, whose id is the supervisor's pid.
    pub(super) fn group(&self) -> Pid {
        self.group
    }

    /// Waits until the process has exited and no process of its group is left.
    pub(super) async fn ended(&self) -> ProcessExit {
        let mut ended = self.ended.clone();
        match ended.wait_for(Option::is_some).await {
            Ok(end) => end.clone().unwrap_or_else(ProcessExit::unknown),
            Err(_) => ProcessExit::unknown(),
        }
    }

    /// Sends SIGTERM to all processes of the group.
    pub(super) fn terminate(&self) {
        group::terminate(self.group);
    }

    /// Kills the group with SIGKILL; [`Process::ended`] returns when that is done.
    pub(super) fn kill(&self) {
        self.kill.send_replace(true);
    }
}

impl ProcessExit {
    fn unknown() -> ProcessExit {
        ProcessExit { how: "reason unknown".to_owned(), last_words: Vec::new() }
    }
}

/// The task that owns the child until it has exited.
struct ProcessTask {
    group: Pid,
    child: Child,
    exit: AsyncFd<OwnedFd>,
    reader: JoinHandle<()>,
    tail: Tail,
}

impl ProcessTask {
    async fn keep(mut self, mut killed: watch::Receiver<bool>) -> ProcessExit {
        // An error means that the `Process` was dropped.
        let killed = async { drop(killed.wait_for(|killed| *killed).await) };
        let ended_itself = tokio::select! {
            _ = self.exit.readable() => true,
            () = killed => false,
        };
        if !ended_itself {
            group::kill(self.group);
            let _ = self.exit.readable().await;
        }
        // The supervisor is dead but not reaped, so its process group id cannot have been reused: every
        // process in the group belongs to the server. If the supervisor itself was killed, all of them are
        // still there.
        let left = group::handles(self.group);
        group::kill(self.group);
        let status = self.child.wait();
        let vanish = async {
            for process in left {
                if let Ok(process) = awaited(process) {
                    let _ = process.readable().await;
                }
            }
        };
        if timeout(VANISH, vanish).await.is_err() {
            tracing::warn!("process group {}: some processes did not end", self.group.as_raw_nonzero());
        }
        if timeout(LAST_WORDS, &mut self.reader).await.is_err() {
            self.reader.abort();
        }
        let how = status.map_or_else(|error| error.to_string(), describe);
        ProcessExit { how, last_words: self.tail.lines() }
    }
}

/// Prepares a process for awaiting: its descriptor becomes readable when it exits.
#[allow(deprecated, reason = "the replacement is unsafe; an OwnedFd guarantees what that requires")]
fn awaited(process: ProcessHandle) -> std::io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(process.into_descriptor(), Interest::READABLE)
}

fn describe(status: ExitStatus) -> String {
    match ChildEnd::of(status).map(ChildEnd::reported) {
        Some(ChildEnd::Code(code)) => format!("exit code {code}"),
        Some(ChildEnd::Signal(signal)) => format!("signal {signal}"),
        None => status.to_string(),
    }
}
