//! How long threads were ready to run and got no processor (/proc/PID/task/TID/{schedstat,stat}, proc(5)). A kernel built
//! without scheduler statistics reports only threads that wait all the time.
#![allow(clippy::disallowed_methods, reason = "/proc is neither the project's nor a file")]

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use crate::group;

/// The state of all threads of a process group at one moment.
#[derive(Clone, Debug)]
pub struct ProcessorWaits {
    at: Instant,
    threads: HashMap<u32, ThreadTimes>,
}

/// The times of one thread since it started.
#[derive(Clone, Copy, Debug, Default)]
struct ThreadTimes {
    ran: Duration,
    /// Waits for a processor, without the one that goes on.
    waited: Duration,
    is_runnable: bool,
}

impl ProcessorWaits {
    /// Reads the state of the group's threads now.
    pub fn of_group(group: Pid) -> ProcessorWaits {
        let at = Instant::now();
        let mut threads = HashMap::new();
        for process in group::members(group) {
            let tasks = format!("/proc/{}/task", process.pid.as_raw_nonzero());
            for thread in std::fs::read_dir(&tasks).into_iter().flatten().flatten() {
                let id = thread.file_name().to_str().and_then(|name| name.parse().ok());
                threads.extend(id.zip(ThreadTimes::read(&thread.path())));
            }
        }
        ProcessorWaits { at, threads }
    }

    /// Returns the wait, between `earlier` and these values, of the thread that waited longest.
    pub fn longest_since(&self, earlier: &ProcessorWaits) -> Duration {
        let between = self.at.saturating_duration_since(earlier.at);
        let wait = |(id, now): (&u32, &ThreadTimes)| {
            let before = earlier.threads.get(id).copied().unwrap_or_default();
            // The kernel counts a wait when it is over.
            let goes_on = before.is_runnable && now.is_runnable;
            let rest = between.saturating_sub(now.ran.saturating_sub(before.ran));
            now.waited.saturating_sub(before.waited).max(if goes_on { rest } else { Duration::ZERO })
        };
        self.threads.iter().map(wait).max().unwrap_or_default()
    }
}

impl ThreadTimes {
    fn read(thread: &Path) -> Option<ThreadTimes> {
        let stat = std::fs::read(thread.join("stat")).ok()?;
        // The name, in parentheses, may contain anything.
        let state = String::from_utf8_lossy(&stat).rsplit_once(')')?.1.trim_start().chars().next();
        let line = std::fs::read_to_string(thread.join("schedstat")).unwrap_or_default();
        // Nanoseconds on a processor, nanoseconds waiting for one, number of time slices.
        let mut numbers = line.split_ascii_whitespace().map(|number| number.parse().unwrap_or_default());
        let mut time = || Duration::from_nanos(numbers.next().unwrap_or_default());
        Some(ThreadTimes { ran: time(), waited: time(), is_runnable: state == Some('R') })
    }
}
