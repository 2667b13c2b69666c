//! The process behind a daemon's socket, so that who asks it to end waits for that very process: its socket goes first, and
//! another daemon may have its lock before we look. Invariant: a signal goes only to a process that was seen to be the daemon
//! after its descriptor was opened.
#![allow(clippy::disallowed_methods, reason = "/proc is neither the project's nor a file")]

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, PidfdFlags, Signal};
use serde_json::Value;

use super::client::Client;
use crate::base::state;
use crate::serve::{DaemonPaths, lock};

/// How often a wait looks whether the lock is free, which it is too when the process is of a sort that cannot be watched.
const LOOK_EVERY: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// A daemon's process.
#[derive(Debug)]
pub(super) struct DaemonProcess {
    pid: Pid,
    process: OwnedFd,
}

impl DaemonProcess {
    /// The one that `client` is connected to; `None` too where it runs in a process namespace that is not seen from here.
    pub(super) fn behind(client: &Client) -> Option<DaemonProcess> {
        DaemonProcess::open(peer_of(client.stream())?)
    }

    /// The one that holds the lock of `place`, whatever became of its socket. Its number may be that of another process, in
    /// another namespace: hence the look at its files.
    pub(super) fn holding(place: &DaemonPaths) -> Option<DaemonProcess> {
        let meta = state::read_file(&place.meta()).ok()??;
        let meta: Value = serde_json::from_slice(&meta).ok()?;
        let pid = Pid::from_raw(i32::try_from(meta["pid"].as_i64()?).ok()?)?;
        let process = DaemonProcess::open(pid)?;
        let files = std::fs::read_dir(format!("/proc/{}/fd", pid.as_raw_nonzero())).ok()?;
        let holds = files.flatten().any(|file| file.path().read_link().is_ok_and(|it| it == place.lock()));
        holds.then_some(process)
    }

    fn open(pid: Pid) -> Option<DaemonProcess> {
        let process = rustix::process::pidfd_open(pid, PidfdFlags::empty()).ok()?;
        Some(DaemonProcess { pid, process })
    }

    /// Its number.
    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    /// Asks it to end.
    pub(super) fn terminate(&self) -> rustix::io::Result<()> {
        rustix::process::pidfd_send_signal(&self.process, Signal::TERM)
    }

    /// Waits until it has ended; whether it has within `deadline`.
    pub(super) fn wait(&self, place: &DaemonPaths, deadline: Duration) -> bool {
        let until = Instant::now() + deadline;
        while Instant::now() < until {
            let mut end = [PollFd::new(&self.process, PollFlags::IN)];
            let _ = rustix::event::poll(&mut end, Some(&LOOK_EVERY));
            if !end[0].revents().is_empty() || matches!(lock::try_lock(&place.lock()), Ok(Some(_))) {
                return true;
            }
        }
        false
    }
}

/// The process at the other end of `stream`. By tokio: a process of another namespace has the number 0, which rustix's type
/// for it cannot hold.
fn peer_of(stream: &UnixStream) -> Option<Pid> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().ok()?;
    let _inside = runtime.enter();
    let same = stream.try_clone().ok()?;
    // Of both, as they are one: tokio takes no other.
    stream.set_nonblocking(true).ok()?;
    let peer = tokio::net::UnixStream::from_std(same).and_then(|stream| stream.peer_cred());
    stream.set_nonblocking(false).ok()?;
    Pid::from_raw(peer.ok()?.pid()?)
}
