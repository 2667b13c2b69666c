//! Process groups: members, their memory, signals to all but the leader. Invariant: a signal is sent only to
//! a process that was seen in the group after its descriptor was opened, so a reused process ID never hits an
//! unrelated process.

use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, PidfdFlags, Signal};

use crate::processes::{self, Process};

/// How many times a group is listed and its members killed before giving up.
const ROUNDS: usize = 100;
/// How long to wait for one killed process to end.
const PATIENCE: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

/// Returns the resident memory of the whole group in bytes; pages that several processes share are counted
/// for each.
pub fn memory_bytes(group: Pid) -> u64 {
    let page = u64::try_from(rustix::param::page_size()).unwrap_or(4096);
    members(group).iter().map(|member| member.resident_pages * page).sum()
}

/// Returns the number of living processes in the group.
#[cfg(test)]
pub fn count(group: Pid) -> usize {
    members(group).len()
}

/// Sends SIGTERM to every process of the group but its leader, the supervisor.
pub fn terminate(group: Pid) {
    for (pid, process) in pidfds(group) {
        if pid != group {
            // An error means that the process is gone already.
            let _ = rustix::process::pidfd_send_signal(&process, Signal::TERM);
        }
    }
}

/// Kills the whole group. The caller must not have reaped the leader yet: until then its ID belongs to the
/// group.
pub fn kill(group: Pid) {
    let _ = rustix::process::kill_process_group(group, Signal::KILL);
}

/// Kills every process of the group but its leader, and waits until they are gone. Gives up on processes that
/// start new ones faster than they can be killed, and on those that the system does not let end.
pub fn kill_all_but_leader(group: Pid) {
    for _ in 0..ROUNDS {
        let mut others = pidfds(group);
        others.retain(|(pid, _)| *pid != group);
        if others.is_empty() {
            return;
        }
        for (_, process) in &others {
            // An error means that the process is gone already.
            let _ = rustix::process::pidfd_send_signal(process, Signal::KILL);
        }
        for (_, process) in &others {
            let _ = rustix::event::poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&PATIENCE));
        }
    }
}

/// Returns descriptors of all living processes of the group; each becomes readable when its process ends.
pub fn pidfds(group: Pid) -> Vec<(Pid, OwnedFd)> {
    let open = |member: Process| {
        let process = rustix::process::pidfd_open(member.pid, PidfdFlags::empty()).ok()?;
        processes::by_pid(member.pid).filter(|process| process.group == Some(group))?;
        Some((member.pid, process))
    };
    members(group).into_iter().filter_map(open).collect()
}

fn members(group: Pid) -> Vec<Process> {
    let mut members = processes::all();
    members.retain(|process| process.group == Some(group) && process.is_alive);
    members
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;

    #[test]
    fn all_but_the_leader_are_ended() {
        let mut leader = std::process::Command::new("sh")
            .args(["-c", "sleep 1000 & (sleep 1000 & sleep 1000) & echo; read line; exit 7"])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let group = Pid::from_child(&leader);
        std::io::Read::read_exact(leader.stdout.as_mut().unwrap(), &mut [0]).unwrap();
        assert!(count(group) > 1);
        kill_all_but_leader(group);
        assert_eq!(count(group), 1);
        drop(leader.stdin.take());
        assert_eq!(leader.wait().unwrap().code(), Some(7));
    }

    #[test]
    fn a_group_is_its_living_members() {
        let mut child = std::process::Command::new("cat")
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let group = Pid::from_child(&child);
        // Once it has answered, it runs its own program and has memory.
        std::io::Write::write_all(child.stdin.as_mut().unwrap(), b"x").unwrap();
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut [0]).unwrap();
        assert_eq!(count(group), 1);
        assert!(memory_bytes(group) > 10_000, "{}", memory_bytes(group));
        // The leader is spared.
        terminate(group);
        assert_eq!(count(group), 1);
        kill(group);
        child.wait().unwrap();
        assert_eq!((count(group), memory_bytes(group)), (0, 0));
    }
}
