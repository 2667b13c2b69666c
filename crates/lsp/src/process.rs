//! One server's process: its group, its pipes, its end. Knows nothing of LSP. Invariant: when the end is told, nothing
//! of the group is left (what put itself in a group of its own aside), and dropping a [`Process`] ends it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::stderr::{self, Tail};
use symd_sys::group;

/// How long the ended group's last words are waited for. More comes only from programs that left the group.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// How long killed processes may take to vanish: one in the middle of a system call ends after it.
const VANISH: Duration = Duration::from_secs(5);

/// What to run and how.
#[derive(Clone, Debug)]
pub(super) struct Launch {
    /// symd itself.
    pub(super) supervisor: PathBuf,
    /// Absolute.
    pub(super) program: PathBuf,
    pub(super) args: Vec<String>,
    /// All of it.
    pub(super) environment: BTreeMap<OsString, OsString>,
    /// Where it runs.
    pub(super) directory: PathBuf,
    /// Where its stderr goes.
    pub(super) log: PathBuf,
}

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct End {
    /// "exit code 7", "signal 9".
    pub(super) how: String,
    /// Its last lines on stderr.
    pub(super) last_words: Vec<String>,
}

/// A running process.
#[derive(Debug)]
pub(super) struct Process {
    group: Pid,
    ended: watch::Receiver<Option<End>>,
    /// Dropped or used, the group is killed.
    kill: watch::Sender<bool>,
    _keeper: JoinHandle<()>,
}

/// A process just started.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) process: Process,
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    /// Lines of stderr as they come; those that nobody takes in time are only logged.
    pub(super) said: mpsc::Receiver<String>,
}

/// Starts it.
pub(super) fn start(launch: &Launch) -> std::io::Result<Started> {
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
    // On an error the pipes are closed, by which the supervisor ends everything.
    let exit = awaited(rustix::process::pidfd_open(group, PidfdFlags::NONBLOCK)?)?;
    let (tell, said) = mpsc::channel(stderr::TOLD);
    let tail = Tail::default();
    let stderr = ChildStderr::from_std(stderr)?;
    let reader = tokio::spawn(stderr::read(stderr, tail.clone(), launch.log.clone(), tell));
    let (kill, killed) = watch::channel(false);
    let (tell_end, ended) = watch::channel(None);
    let keeper = Keeper { group, child, exit, reader, tail };
    let _keeper = tokio::spawn(async move {
        let end = keeper.keep(killed).await;
        tell_end.send_replace(Some(end));
    });
    let (stdin, stdout) = (ChildStdin::from_std(stdin)?, ChildStdout::from_std(stdout)?);
    Ok(Started { process: Process { group, ended, kill, _keeper }, stdin, stdout, said })
}

impl Process {
    /// The process group, which is the supervisor's pid.
    pub(super) fn group(&self) -> Pid {
        self.group
    }

    /// Returns when it has ended and nothing of its group is left.
    pub(super) async fn ended(&self) -> End {
        let mut ended = self.ended.clone();
        match ended.wait_for(Option::is_some).await {
            Ok(end) => end.clone().unwrap_or_else(End::unknown),
            Err(_) => End::unknown(),
        }
    }

    /// Asks all programs of the group to end.
    pub(super) fn terminate(&self) {
        group::terminate(self.group);
    }

    /// Ends the group by force; [`Process::ended`] tells when that is done.
    pub(super) fn kill(&self) {
        self.kill.send_replace(true);
    }
}

impl End {
    fn unknown() -> End {
        End { how: "in an unknown way".to_owned(), last_words: Vec::new() }
    }
}

/// Owns the child until its end.
struct Keeper {
    group: Pid,
    child: Child,
    exit: AsyncFd<OwnedFd>,
    reader: JoinHandle<()>,
    tail: Tail,
}

impl Keeper {
    async fn keep(mut self, mut killed: watch::Receiver<bool>) -> End {
        // An error says that the `Process` was dropped.
        let killed = async { drop(killed.wait_for(|killed| *killed).await) };
        let ended_itself = tokio::select! {
            _ = self.exit.readable() => true,
            () = killed => false,
        };
        if !ended_itself {
            group::kill(self.group);
            let _ = self.exit.readable().await;
        }
        // The supervisor is dead and not yet reaped, so the group's number is still the group's: whoever is in it is
        // the server's. If the supervisor was killed, that is everybody.
        let left = group::open(self.group);
        group::kill(self.group);
        let status = self.child.wait();
        let vanish = async {
            for (_, process) in left {
                if let Ok(process) = awaited(process) {
                    let _ = process.readable().await;
                }
            }
        };
        if timeout(VANISH, vanish).await.is_err() {
            tracing::warn!("process group {}: not everything of it ended", self.group.as_raw_nonzero());
        }
        if timeout(LAST_WORDS, &mut self.reader).await.is_err() {
            self.reader.abort();
        }
        let how = status.map_or_else(|error| error.to_string(), describe);
        End { how, last_words: self.tail.lines() }
    }
}

/// A process's descriptor, to be awaited: it becomes readable when the process ends.
#[allow(deprecated, reason = "what replaces it is unsafe; an OwnedFd keeps the promise that it asks for")]
fn awaited(process: OwnedFd) -> std::io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(process, Interest::READABLE)
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) if (129..=192).contains(&code) => format!("signal {}", code - 128),
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => status.to_string(),
    }
}
