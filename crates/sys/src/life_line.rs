//! How a process of symd notices that its daemon is gone, also when the daemon was killed by SIGKILL: a descriptor of which
//! the daemon alone holds the other end, which the kernel closes. For a process that may not get to look at a descriptor,
//! the kernel sends a signal. Invariant: no descriptor is needed beside the three that every program has.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, Signal};

use crate::process_handle::{ProcessHandle, timespec};

/// This process's end of the line.
#[derive(Debug)]
pub struct LifeLine {
    end: BorrowedFd<'static>,
    awaited: PollFlags,
}

/// What ended a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wakeup {
    /// The other end of the life line was closed, or something can be read from it.
    LifeLine,
    /// A process has exited.
    Exit,
    /// Neither: the time is over, or the wait was interrupted.
    Nothing,
}

impl LifeLine {
    /// stderr, a pipe that only the daemon reads. It can still be written to.
    pub fn on_stderr() -> LifeLine {
        // Without any requested event, poll still reports an error: that the reading end is closed.
        LifeLine { end: rustix::stdio::stderr(), awaited: PollFlags::empty() }
    }

    /// stdin, one end of a [`socket`]. A wait also ends when the daemon has written to it.
    pub fn on_stdin() -> LifeLine {
        LifeLine { end: rustix::stdio::stdin(), awaited: PollFlags::IN }
    }

    /// Waits for the life line, for the exit of one of `processes`, or until `time` has passed. The life line comes first
    /// if both have happened.
    pub fn wait(&self, processes: &[ProcessHandle], time: Option<Duration>) -> rustix::io::Result<Wakeup> {
        let mut awaited = vec![PollFd::from_borrowed_fd(self.end, self.awaited)];
        awaited.extend(processes.iter().map(ProcessHandle::exit));
        match rustix::event::poll(&mut awaited, timespec(time).as_ref()) {
            Err(rustix::io::Errno::INTR) => Ok(Wakeup::Nothing),
            Err(errno) => Err(errno),
            Ok(_) if !awaited[0].revents().is_empty() => Ok(Wakeup::LifeLine),
            Ok(woken) => Ok(if woken > 0 { Wakeup::Exit } else { Wakeup::Nothing }),
        }
    }
}

/// Creates the socket of a life line: the daemon's end, which does not block, and the end for the process's stdin.
pub fn socket() -> std::io::Result<(UnixStream, OwnedFd)> {
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    Ok((ours, theirs.into()))
}

/// Has the kernel kill this process when the thread of `parent` that started it ends, even while this process can look at
/// nothing. Fails if the parent is gone already.
pub fn end_with_parent(parent: Pid) -> rustix::io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    // The parent may have ended before the signal was set.
    match rustix::process::getppid() {
        Some(now) if now == parent => Ok(()),
        _ => Err(rustix::io::Errno::SRCH),
    }
}
