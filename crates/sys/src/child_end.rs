//! How a child process ended, and how one process tells another: a shell, and a process of symd that led the child, exit
//! with 128 and the number of the signal.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use rustix::process::{Pid, WaitId, WaitIdOptions, WaitIdStatus};

/// The exit code when a program cannot be run, as in shells.
pub const CANNOT_RUN: u8 = 126;
/// What shells add to a signal's number for the exit code.
const SIGNAL_BASE: i32 = 128;
/// The largest number of a signal.
const MAX_SIGNAL: i32 = 64;

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChildEnd {
    /// With this exit code.
    Code(i32),
    /// By the signal with this number.
    Signal(i32),
}

impl ChildEnd {
    /// Returns `None` for a child that has not ended, but stopped.
    pub fn of(status: ExitStatus) -> Option<ChildEnd> {
        status.code().map(ChildEnd::Code).or_else(|| status.signal().map(ChildEnd::Signal))
    }

    /// Waits until the child `pid` has ended and returns how. Does not reap it, so that its ID is not reused. `None` if it
    /// is no child of this process.
    pub fn of_unreaped(pid: Pid) -> Option<ChildEnd> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let status = rustix::process::waitid(WaitId::Pid(pid), options).ok().flatten();
        let code = status.as_ref().and_then(WaitIdStatus::exit_status).map(ChildEnd::Code);
        code.or_else(|| status.as_ref().and_then(WaitIdStatus::terminating_signal).map(ChildEnd::Signal))
    }

    /// Returns the exit code with which a shell reports this end.
    pub fn to_code(self) -> i32 {
        match self {
            ChildEnd::Code(code) => code,
            ChildEnd::Signal(signal) => SIGNAL_BASE + signal,
        }
    }

    /// Returns the end that a child reported by [`ChildEnd::to_code`], if this is the end of one that does so.
    pub fn reported(self) -> ChildEnd {
        match self {
            ChildEnd::Code(code) if (SIGNAL_BASE + 1..=SIGNAL_BASE + MAX_SIGNAL).contains(&code) => {
                ChildEnd::Signal(code - SIGNAL_BASE)
            }
            end => end,
        }
    }
}

impl fmt::Display for ChildEnd {
    /// Formats as "exit code 7" or "killed by signal 9".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChildEnd::Code(code) => write!(f, "exit code {code}"),
            ChildEnd::Signal(signal) => write!(f, "killed by signal {signal}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn an_end_is_the_same_reaped_or_not_and_reported_or_not() {
        for (script, end, code) in
            [("exit 7", ChildEnd::Code(7), 7), ("kill -s KILL $$", ChildEnd::Signal(9), 137)]
        {
            let mut child = Command::new("sh").args(["-c", script]).spawn().unwrap();
            assert_eq!(ChildEnd::of_unreaped(Pid::from_child(&child)), Some(end));
            assert_eq!(ChildEnd::of(child.wait().unwrap()), Some(end));
            assert_eq!((end.to_code(), ChildEnd::Code(code).reported()), (code, end));
        }
        assert_eq!(ChildEnd::of_unreaped(rustix::process::getpid()), None);
        for code in [0, 128, 193] {
            assert_eq!(ChildEnd::Code(code).reported(), ChildEnd::Code(code));
        }
        assert_eq!(ChildEnd::Code(192).reported(), ChildEnd::Signal(64));
    }
}
