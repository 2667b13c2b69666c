//! A process behind a descriptor (pidfd), which means the same process even after its ID was reused. Invariant: a process
//! that was found in /proc is checked again after its descriptor was opened, so that no signal hits an unrelated one.

use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, PidfdFlags, Signal};

use crate::processes::{self, Process};

/// One process. It need not be a child of this one.
#[derive(Debug)]
pub struct ProcessHandle {
    pid: Pid,
    descriptor: OwnedFd,
}

impl ProcessHandle {
    /// Opens the process that has this ID now. Only the ID of a child that is not reaped yet is certain to be that
    /// child's.
    pub fn open(pid: Pid) -> rustix::io::Result<ProcessHandle> {
        let descriptor = rustix::process::pidfd_open(pid, PidfdFlags::empty())?;
        Ok(ProcessHandle { pid, descriptor })
    }

    /// Opens a process that was found in /proc. `is_same` distinguishes it from a process that was given its ID since;
    /// `None` for such a process, and for one that is gone.
    pub fn of(process: &Process, is_same: impl Fn(&Process) -> bool) -> Option<ProcessHandle> {
        let handle = ProcessHandle::open(process.pid).ok()?;
        processes::by_pid(process.pid).filter(is_same)?;
        Some(handle)
    }

    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Sends a signal. An error usually means that the process has exited.
    pub fn signal(&self, signal: Signal) -> rustix::io::Result<()> {
        rustix::process::pidfd_send_signal(&self.descriptor, signal)
    }

    /// Waits until the process has exited or `time` has passed; returns whether it has exited. May return early.
    pub fn wait(&self, time: Duration) -> bool {
        wait_for_any(std::slice::from_ref(self), Some(time))
    }

    /// Returns the descriptor alone; it becomes readable when the process exits.
    pub fn into_descriptor(self) -> OwnedFd {
        self.descriptor
    }

    pub(crate) fn exit(&self) -> PollFd<'_> {
        PollFd::new(&self.descriptor, PollFlags::IN)
    }
}

/// Waits until one of `handles` has exited or `time` has passed; returns whether one has. May return early.
pub fn wait_for_any(handles: &[ProcessHandle], time: Option<Duration>) -> bool {
    let mut exits: Vec<PollFd<'_>> = handles.iter().map(ProcessHandle::exit).collect();
    rustix::event::poll(&mut exits, timespec(time).as_ref()).is_ok_and(|exited| exited > 0)
}

/// `None`, which waits for ever, also for a time that is too long to be expressed.
pub(crate) fn timespec(time: Option<Duration>) -> Option<Timespec> {
    time.and_then(|time| Timespec::try_from(time).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn only_the_process_that_was_meant_is_opened_and_its_exit_is_seen() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let found = processes::by_pid(Pid::from_child(&child)).unwrap();
        assert!(ProcessHandle::of(&found, |now| now.parent != found.parent).is_none(), "another process");
        let handle = ProcessHandle::of(&found, |now| now.parent == found.parent).unwrap();
        assert!(!handle.wait(Duration::ZERO));
        handle.signal(Signal::KILL).unwrap();
        assert!(handle.wait(Duration::from_secs(60)));
        assert_eq!(handle.pid(), found.pid);
        child.wait().unwrap();
        assert!(handle.signal(Signal::KILL).is_err());
        assert!(ProcessHandle::of(&found, |_| true).is_none(), "gone");
    }
}
