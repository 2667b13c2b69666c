//! The process behind a daemon's socket, so that a command that stops a daemon can wait for that very
//! process: the daemon removes its socket first, and another daemon may take the lock before we check it.
//! Invariant: a signal is sent only to a process that was verified to be the daemon after its descriptor was
//! opened.
#![allow(clippy::disallowed_methods, reason = "/proc is neither the project's nor a file")]

use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use serde_json::Value;

use super::client::Client;
use crate::base::state;
use crate::serve::{DaemonPaths, lock};
use crate::sys::{ProcessHandle, processes};

/// How often a wait checks whether the lock is free, which also ends the wait. It is needed for processes
/// that pidfds cannot watch.
const LOOK_EVERY: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub(super) struct DaemonProcess(ProcessHandle);

impl DaemonProcess {
    /// Returns the process that `client` is connected to; `None` also if it runs in a process namespace that
    /// is not visible from here.
    pub(super) fn behind(client: &Client) -> Option<DaemonProcess> {
        ProcessHandle::open(peer_of(client.stream())?).ok().map(DaemonProcess)
    }

    /// Returns the process that holds the lock of `place`, whether or not its socket still exists. The
    /// recorded pid may belong to another process in another namespace, so the process's open files are
    /// checked.
    pub(super) fn holding(place: &DaemonPaths) -> Option<DaemonProcess> {
        let meta = state::read_file(&place.meta()).ok()??;
        let meta: Value = serde_json::from_slice(&meta).ok()?;
        let pid = processes::id(meta["pid"].as_i64()?)?;
        let process = ProcessHandle::open(pid).ok()?;
        let files = std::fs::read_dir(format!("/proc/{}/fd", pid.as_raw_nonzero())).ok()?;
        let holds = files.flatten().any(|file| file.path().read_link().is_ok_and(|it| it == place.lock()));
        holds.then_some(DaemonProcess(process))
    }

    pub(super) fn pid(&self) -> Pid {
        self.0.pid()
    }

    /// Asks the process to exit, by SIGTERM.
    pub(super) fn terminate(&self) -> rustix::io::Result<()> {
        self.0.signal(Signal::TERM)
    }

    /// Waits until the process has exited; returns whether it has within `deadline`.
    pub(super) fn wait(&self, place: &DaemonPaths, deadline: Duration) -> bool {
        let until = Instant::now() + deadline;
        while Instant::now() < until {
            if self.0.wait(LOOK_EVERY) || matches!(lock::try_lock(&place.lock()), Ok(Some(_))) {
                return true;
            }
        }
        false
    }
}

/// Returns the process at the other end of `stream`. Uses tokio, because a process of another namespace has
/// pid 0, which rustix's type cannot represent.
fn peer_of(stream: &UnixStream) -> Option<Pid> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().ok()?;
    let _inside = runtime.enter();
    let same = stream.try_clone().ok()?;
    // This applies to both handles of the socket. tokio accepts only non-blocking sockets.
    stream.set_nonblocking(true).ok()?;
    let peer = tokio::net::UnixStream::from_std(same).and_then(|stream| stream.peer_cred());
    stream.set_nonblocking(false).ok()?;
    processes::id(peer.ok()?.pid()?)
}
