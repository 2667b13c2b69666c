//! Process groups: members, their memory, signals to all but the leader. Invariant: a signal is sent only to
//! a process that was seen in the group after its descriptor was opened, so a reused process ID never hits an
//! unrelated process.

use std::time::Duration;

use rustix::process::{Pid, Signal};

use crate::process_handle::ProcessHandle;
use crate::processes::{self, Process};

/// How many times a group is listed and its members killed before giving up.
const ROUNDS: usize = 100;
/// How long to wait for one killed process to end.
const PATIENCE: Duration = Duration::from_secs(1);

/// Returns the resident memory of the whole group in bytes; pages that several processes share are counted
/// for each.
pub fn memory_bytes(group: Pid) -> u64 {
    memory_of_each(&[group]).iter().sum()
}

/// Returns the resident memory of each of the groups in bytes, as [`memory_bytes`] does, in one look at all processes.
pub fn memory_of_each(groups: &[Pid]) -> Vec<u64> {
    let mut bytes = vec![0; groups.len()];
    for process in processes::all().iter().filter(|process| process.is_alive) {
        let of_it = groups.iter().zip(&mut bytes).filter(|(group, _)| process.group == Some(**group));
        of_it.for_each(|(_, bytes)| *bytes += process.resident_bytes());
    }
    bytes
}

/// Sends SIGTERM to every process of the group but its leader, the supervisor.
pub fn terminate(group: Pid) {
    for process in all_but_leader(group) {
        // An error means that the process is gone already.
        let _ = process.signal(Signal::TERM);
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
        let others = all_but_leader(group);
        if others.is_empty() {
            return;
        }
        for process in &others {
            // An error means that the process is gone already.
            let _ = process.signal(Signal::KILL);
        }
        for process in &others {
            process.wait(PATIENCE);
        }
    }
}

/// Opens all living processes of the group.
pub fn handles(group: Pid) -> Vec<ProcessHandle> {
    let open = |member: &Process| ProcessHandle::of(member, |now| now.group == Some(group));
    members(group).iter().filter_map(open).collect()
}

fn all_but_leader(group: Pid) -> Vec<ProcessHandle> {
    let mut others = handles(group);
    others.retain(|process| process.pid() != group);
    others
}

/// Returns all living processes of the group, in no particular order.
pub fn members(group: Pid) -> Vec<Process> {
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
        assert!(members(group).len() > 1);
        kill_all_but_leader(group);
        assert_eq!(members(group).len(), 1);
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
        assert_eq!(members(group).len(), 1);
        assert!(memory_bytes(group) > 10_000, "{}", memory_bytes(group));
        // The leader is spared.
        terminate(group);
        assert_eq!(members(group).len(), 1);
        kill(group);
        child.wait().unwrap();
        assert_eq!((members(group).len(), memory_bytes(group)), (0, 0));
    }
}
