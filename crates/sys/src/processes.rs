//! The machine's processes as /proc reports them (proc(5)): parents, groups and sessions. Read-only.
//! Invariant: what is reported was true at one moment; code that signals a process holds its descriptor and
//! checks again.
#![allow(clippy::disallowed_methods, reason = "/proc is neither the project's nor a file")]

use std::collections::HashMap;
use std::time::Duration;

use rustix::process::Pid;

/// One process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    pub pid: Pid,
    /// Its parent; `None` for the first process, or when the parent is not visible (outside of this
    /// namespace).
    pub parent: Option<Pid>,
    /// Its process group; `None` if that belongs to a process that is not visible: a container's first
    /// process may have kept the group and session of the process that started it.
    pub group: Option<Pid>,
    /// Its session; `None` as for the group.
    pub session: Option<Pid>,
    /// Whether it is alive; a dead one only waits for its parent to reap it.
    pub is_alive: bool,
    /// Whether a signal or a debugger has stopped it.
    pub is_stopped: bool,
    /// Resident pages; pages that several processes share are counted for each.
    pub resident_pages: u64,
}

impl Process {
    /// Returns the resident memory in bytes.
    pub fn resident_bytes(&self) -> u64 {
        self.resident_pages * page_bytes()
    }
}

pub(crate) fn page_bytes() -> u64 {
    u64::try_from(rustix::param::page_size()).unwrap_or(4096)
}

/// Returns the process ID that a child, a file or a command line gives as this number.
pub fn id(number: impl TryInto<i32>) -> Option<Pid> {
    Pid::from_raw(number.try_into().ok().filter(|number| *number > 0)?)
}

/// Returns all processes, in no particular order.
pub fn all() -> Vec<Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let process =
        |entry: std::fs::DirEntry| by_pid(Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)?);
    entries.flatten().filter_map(process).collect()
}

/// Returns the process with this ID.
pub fn by_pid(pid: Pid) -> Option<Process> {
    let text = std::fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    stat(pid, &String::from_utf8_lossy(&text))
}

/// Parses the line of /proc/PID/stat.
fn stat(pid: Pid, text: &str) -> Option<Process> {
    // The name, in parentheses, may hold anything, so fields are counted from its end.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    Some(Process {
        pid,
        parent: number(fields.get(1)?)?,
        group: number(fields.get(2)?)?,
        session: number(fields.get(3)?)?,
        is_alive: !matches!(*fields.first()?, "Z" | "X"),
        is_stopped: matches!(*fields.first()?, "T" | "t"),
        resident_pages: fields.get(21)?.parse().ok()?,
    })
}

/// Parses a process ID as /proc writes it. `Some(None)` for 0 (a process outside of this namespace) and -1 (a
/// process that is just being reaped).
fn number(field: &str) -> Option<Option<Pid>> {
    let raw: i32 = field.parse().ok()?;
    Some(id(raw))
}

/// Returns the processor time that this process has used, all its threads together.
pub fn own_processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Returns the processor time that a process has used.
pub fn processor_time(pid: Pid) -> Option<Duration> {
    let read = |file: &str| std::fs::read_to_string(format!("/proc/{}/{file}", pid.as_raw_nonzero())).ok();
    // Nanoseconds; only of the first thread, and a kernel may be built without it.
    if let Some(text) = read("schedstat")
        && let Some(nanoseconds) = text.split_ascii_whitespace().next().and_then(|first| first.parse().ok())
        && nanoseconds > 0
    {
        return Some(Duration::from_nanos(nanoseconds));
    }
    let text = read("stat")?;
    let mut fields = text.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let ticks = |field: Option<&str>| field?.parse::<u64>().ok();
    let ticks = ticks(fields.next())? + ticks(fields.next())?;
    Some(Duration::from_millis(ticks * 1_000 / rustix::param::clock_ticks_per_second().max(1)))
}

/// Returns the size of a process's address space in bytes.
pub fn address_space(pid: Pid) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{}/statm", pid.as_raw_nonzero())).ok()?;
    let pages: u64 = text.split_ascii_whitespace().next()?.parse().ok()?;
    Some(pages * page_bytes())
}

/// Returns the children of `parent`, including dead ones.
pub fn children(parent: Pid) -> Vec<Process> {
    let mut all = all();
    all.retain(|process| process.parent == Some(parent));
    all
}

/// Returns the children of `ancestor`, their children, and so on, including dead ones.
pub fn descendants(ancestor: Pid) -> Vec<Process> {
    let mut children: HashMap<Pid, Vec<Process>> = HashMap::new();
    for process in all() {
        if let Some(parent) = process.parent {
            children.entry(parent).or_default().push(process);
        }
    }
    // A table not taken at one moment could contain a cycle; removing each visited entry breaks it.
    let mut found = children.remove(&ancestor).unwrap_or_default();
    let mut next = 0;
    while let Some(process) = found.get(next) {
        let of_it = children.remove(&process.pid).unwrap_or_default();
        found.extend(of_it);
        next += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn a_process_may_have_parent_group_and_session_outside_of_what_is_visible() {
        let one = rustix::process::getpid();
        let line = format!("1 (a (b) c) R 0 0 0{} 383", " 7".repeat(17));
        let (parent, group, session) = (None, None, None);
        let told = Process {
            pid: one,
            parent,
            group,
            session,
            is_alive: true,
            is_stopped: false,
            resident_pages: 383,
        };
        assert_eq!(stat(one, &line), Some(told));
        // While its parent reaps it.
        let dead = Process { is_alive: false, ..told };
        assert_eq!(stat(one, &line.replace("R 0 0 0", "X 0 -1 -1")), Some(dead));
        let stopped = Process { is_stopped: true, ..told };
        assert_eq!(stat(one, &line.replace("R 0 0 0", "T 0 0 0")), Some(stopped));
        let line = line.replace("R 0 0 0", "Z 1 2 3");
        let some = Pid::from_raw;
        let told = Process { parent: some(1), group: some(2), session: some(3), is_alive: false, ..told };
        assert_eq!(stat(one, &line), Some(told));
    }

    #[test]
    fn a_child_and_its_child_descend_from_us() {
        let mut shell = Command::new("sh")
            .args(["-c", "cat; true"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // Its echo shows that `cat` runs.
        std::io::Write::write_all(shell.stdin.as_mut().unwrap(), b"x").unwrap();
        std::io::Read::read_exact(shell.stdout.as_mut().unwrap(), &mut [0]).unwrap();
        let (me, sh) = (rustix::process::getpid(), Pid::from_child(&shell));
        let found = descendants(me);
        let parent_of =
            |pid: Pid| found.iter().find(|process| process.pid == pid).and_then(|found| found.parent);
        assert_eq!(parent_of(sh), Some(me));
        let cat = children(sh)[0];
        assert_eq!((cat.parent, cat.is_alive), (Some(sh), true));
        assert_eq!(parent_of(cat.pid), Some(sh));
        assert!(cat.resident_pages > 10);
        drop(shell.stdin.take());
        shell.wait().unwrap();
        assert_eq!(by_pid(sh), None);
    }
}
