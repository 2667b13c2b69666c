//! The daemon's handle for one command: its warden process ([`super::warden`]) and the socket to it.
//! Invariant: dropping a [`WatchedCommand`] kills everything that the command started, unless it was released with
//! [`WatchedCommand::release`].

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::process::Stdio;

use rustix::process::{Pid, Signal};
use tokio::net::UnixStream;
use tokio::process::{Child, Command};

use super::directory::Directory;
use super::environment::Environment;
use super::messages::{END, LET_GO, WardenMessage};
use super::warden;
use symd_sys::processes::{self, Process};
use symd_sys::{ProcessHandle, life_line};

/// The longest line of a warden, in bytes; a longer one is invalid.
const LONGEST_LINE: usize = 4_096;

/// What to start.
#[derive(Debug)]
pub(crate) struct Launch<'a> {
    /// The symd executable.
    pub(crate) warden: &'a Path,
    pub(crate) program: &'a Path,
    pub(crate) arguments: &'a [OsString],
    /// The complete environment.
    pub(crate) environment: &'a Environment,
    pub(crate) directory: &'a Directory,
    pub(crate) streams: Streams,
}

/// The command's input and output.
#[derive(Debug)]
pub(crate) enum Streams {
    /// Reads nothing; writes to these pipes.
    Pipes { stdout: OwnedFd, stderr: OwnedFd },
    /// Reads from and writes to this terminal, which is its controlling terminal.
    Terminal(OwnedFd),
}

/// A running command with its warden.
#[derive(Debug)]
pub(crate) struct WatchedCommand {
    socket: UnixStream,
    heard: Vec<u8>,
    /// The async runtime reaps it when it has exited, whether or not this is dropped.
    _warden: Child,
    warden: Option<Pid>,
}

impl WatchedCommand {
    /// Starts the command. If the warden cannot start it, [`WatchedCommand::next_message`] returns that.
    pub(crate) fn start(launch: Launch<'_>) -> io::Result<WatchedCommand> {
        let (ours, theirs) = life_line::socket()?;
        let (manner, stdout, stderr) = match launch.streams {
            Streams::Pipes { stdout, stderr } => (warden::COMMAND, stdout.into(), stderr.into()),
            Streams::Terminal(terminal) => (warden::TERMINAL, terminal.into(), Stdio::null()),
        };
        // The opened directory, even if its path leads elsewhere by now, for example through a symlink
        // created in between.
        let directory = format!("/proc/self/fd/{}", launch.directory.as_fd().as_raw_fd());
        let child = Command::new(launch.warden)
            .arg0("symd")
            .args([warden::NAME, manner])
            .arg(launch.program)
            .args(launch.arguments)
            .env_clear()
            .envs(launch.environment.iter())
            .env("PWD", launch.directory.path())
            .current_dir(directory)
            .stdin(theirs)
            .stdout::<Stdio>(stdout)
            .stderr(stderr)
            .spawn()?;
        Ok(WatchedCommand {
            socket: UnixStream::from_std(ours)?,
            heard: Vec::new(),
            warden: child.id().and_then(processes::id),
            _warden: child,
        })
    }

    /// Returns the warden's next message; `None` if it is gone. Cancel-safe.
    pub(crate) async fn next_message(&mut self) -> Option<WardenMessage> {
        loop {
            if let Some(end) = self.heard.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.heard.drain(..=end).collect();
                return WardenMessage::read(String::from_utf8_lossy(&line).trim_end());
            }
            self.socket.readable().await.ok()?;
            match self.socket.try_read_buf(&mut self.heard) {
                Ok(0) => return None,
                Ok(_) if self.heard.len() > LONGEST_LINE => return None,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return None,
            }
        }
    }

    /// Asks the warden to terminate everything; it sends a message when that is done.
    pub(crate) fn end(&self) {
        self.send(END);
    }

    /// Leaves running processes alone.
    pub(super) fn let_go(self) {
        self.send(LET_GO);
    }

    /// Whether the warden has exited, and with it everything that it watched.
    pub(super) fn is_over(&self) -> bool {
        let mut rest = [0; 64];
        loop {
            match self.socket.try_read(&mut rest) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(error) => return error.kind() != io::ErrorKind::WouldBlock,
            }
        }
    }

    /// Kills the remaining processes of a command whose warden was killed: the warden created a session for
    /// its command, and no other process is in it. Processes that created their own session cannot be found.
    pub(super) fn end_orphans(&self) {
        let is_of_it = |process: &Process| self.warden.is_some() && process.session == self.warden;
        for process in processes::all().iter().filter(|process| is_of_it(process)) {
            if let Some(process) = ProcessHandle::of(process, is_of_it) {
                let _ = process.signal(Signal::KILL);
            }
        }
    }

    fn send(&self, word: u8) {
        // A few bytes always fit, and a warden that is gone has nothing left to do.
        let _ = rustix::net::send(&self.socket, &[word], rustix::net::SendFlags::NOSIGNAL);
    }
}
