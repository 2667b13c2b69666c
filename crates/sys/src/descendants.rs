//! Everything that one command started: all processes that descend from this process, its *subreaper* (prctl(2)). A
//! process whose parent exited becomes a child of the subreaper, so that also one that left its group and its session is
//! found. Invariant: the command's first process, the leader, is not reaped, so its ID stays that of its group for as
//! long as the group is signalled.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

use crate::process_handle::{ProcessHandle, wait_for_any};
use crate::processes::{self, Process};

/// The most processes whose exit is awaited at a time; the others are checked when one of these has exited.
const AWAITED: usize = 256;

/// The descendants of this process, which has started nothing but their leader.
#[derive(Clone, Copy, Debug)]
pub struct Descendants {
    leader: Pid,
}

/// Makes this process the subreaper of what it will start.
pub fn become_subreaper() -> rustix::io::Result<()> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
}

impl Descendants {
    /// `leader` is a child of this process and leads a process group.
    pub fn led_by(leader: Pid) -> Descendants {
        Descendants { leader }
    }

    /// Reports whether any but the leader, which has exited, is left. Each of them is a living child of ours, or
    /// descends from one; and if asked for stopped children, not for exited ones, waitid(2) fails with ECHILD
    /// exactly if no child is alive. In the common case this avoids a scan of all processes of the machine.
    pub fn remain(self) -> bool {
        let options = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(rustix::process::waitid(WaitId::All, options), Err(rustix::io::Errno::CHILD))
    }

    /// Opens those that are alive, for waiting: [`AWAITED`] at most.
    pub fn handles(self) -> Vec<ProcessHandle> {
        handles(&self.living())
    }

    /// Reaps those that are dead, except the leader.
    pub fn reap(self) {
        for process in processes::children(rustix::process::getpid()) {
            if !process.is_alive && process.pid != self.leader {
                let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
                let _ = rustix::process::waitid(WaitId::Pid(process.pid), options);
            }
        }
    }

    /// Ends all of them, the leader included: first sends the signal `termination`, then, after `grace`, SIGKILL. Returns when
    /// none is alive.
    pub fn end_all(self, termination: Signal, grace: Duration) {
        // SIGCONT, because a stopped process cannot handle the signal.
        self.signal_all(&[termination, Signal::CONT]);
        let patience = Instant::now() + grace;
        loop {
            self.reap();
            let living = self.living();
            let left = patience.saturating_duration_since(Instant::now());
            if living.is_empty() || left.is_zero() {
                break;
            }
            wait_for_any(&handles(&living), Some(left));
        }
        loop {
            self.reap();
            let living = self.living();
            if living.is_empty() {
                return;
            }
            // Processes that were created meanwhile are found in the next round; a process inside a system call
            // exits after it.
            self.signal_all(&[Signal::KILL]);
            wait_for_any(&handles(&living), Some(grace));
        }
    }

    /// Sends signals to the leader's group at once, and to processes that left the group one by one.
    fn signal_all(self, signals: &[Signal]) {
        for signal in signals {
            let _ = rustix::process::kill_process_group(self.leader, *signal);
        }
        for process in self.living().iter().filter(|process| process.group != Some(self.leader)) {
            if let Some(handle) = ProcessHandle::of(process, |now| now.parent == process.parent) {
                for signal in signals {
                    let _ = handle.signal(*signal);
                }
            }
        }
    }

    fn living(self) -> Vec<Process> {
        let mut living = processes::descendants(rustix::process::getpid());
        living.retain(|process| process.is_alive);
        living
    }
}

fn handles(processes: &[Process]) -> Vec<ProcessHandle> {
    processes.iter().take(AWAITED).filter_map(|process| ProcessHandle::open(process.pid).ok()).collect()
}
