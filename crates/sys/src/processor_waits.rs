//! How long threads were ready to run and got no processor (/proc/PID/task/TID/schedstat, proc(5)). A kernel built without
//! scheduler statistics reports none.
#![allow(clippy::disallowed_methods, reason = "/proc is neither the project's nor a file")]

use std::collections::HashMap;
use std::time::Duration;

use rustix::process::Pid;

use crate::processes;

/// The waits of all threads of a process group since each was started.
#[derive(Clone, Debug, Default)]
pub struct ProcessorWaits(HashMap<u32, Duration>);

impl ProcessorWaits {
    /// Reads the waits of the group's threads now.
    pub fn of_group(group: Pid) -> ProcessorWaits {
        let mut waits = HashMap::new();
        for process in processes::all().iter().filter(|process| process.group == Some(group) && process.lives)
        {
            let tasks = format!("/proc/{}/task", process.pid.as_raw_nonzero());
            for thread in std::fs::read_dir(&tasks).into_iter().flatten().flatten() {
                let wait = std::fs::read_to_string(thread.path().join("schedstat")).ok();
                let id = thread.file_name().to_str().and_then(|name| name.parse().ok());
                if let (Some(id), Some(wait)) = (id, wait.as_deref().and_then(waited)) {
                    waits.insert(id, wait);
                }
            }
        }
        ProcessorWaits(waits)
    }

    /// Returns the wait, between `earlier` and these values, of the thread that waited longest.
    pub fn longest_since(&self, earlier: &ProcessorWaits) -> Duration {
        let since = |(id, wait): (&u32, &Duration)| {
            wait.saturating_sub(earlier.0.get(id).copied().unwrap_or_default())
        };
        self.0.iter().map(since).max().unwrap_or_default()
    }
}

/// Parses a schedstat line: nanoseconds on a processor, nanoseconds waiting for one, number of time slices.
fn waited(line: &str) -> Option<Duration> {
    line.split_ascii_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}
