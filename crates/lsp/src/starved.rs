//! Waiting for a server that the machine gives no processor time. A deadline is there to detect a server that hangs; one whose
//! threads wait for a processor does not hang. Invariant: the extension is bounded, and a server that sleeps gets none.

use std::time::Duration;

use rustix::process::Pid;
use symd_sys::ProcessorWaits;
use tokio::time::{Instant, timeout_at};

/// The maximum time a request gets, as a multiple of its original time.
const MOST: u32 = 4;

/// Waits for `answer` until `deadline`. If the threads of the process group spent at least half of the last quarter of that time waiting for
/// a processor, continues for another quarter, up to [`MOST`] times the original time. `None` when the time is over.
pub(crate) async fn wait<T>(
    answer: impl Future<Output = T>,
    deadline: Instant,
    group: Option<Pid>,
) -> Option<T> {
    let mut answer = std::pin::pin!(answer);
    let whole = deadline.saturating_duration_since(Instant::now());
    let quarter = whole / 4;
    let Some(group) = group.filter(|_| !quarter.is_zero()) else {
        return timeout_at(deadline, answer).await.ok();
    };
    if let Ok(answer) = timeout_at(deadline - quarter, &mut answer).await {
        return Some(answer);
    }
    let last = deadline + whole * (MOST - 1);
    let mut before = waits(group).await?;
    // On a machine that starves the server, this timer fires late too: what is looked at is a whole quarter nevertheless.
    let mut until = Instant::now() + quarter;
    loop {
        if let Ok(answer) = timeout_at(until, &mut answer).await {
            return Some(answer);
        }
        let now = waits(group).await?;
        if until >= last || !is_starved(now.longest_since(&before), quarter) {
            return None;
        }
        (before, until) = (now, Instant::now() + quarter);
    }
}

fn is_starved(waited: Duration, within: Duration) -> bool {
    waited >= within / 2
}

/// Reads /proc on a thread that may block.
async fn waits(group: Pid) -> Option<ProcessorWaits> {
    tokio::task::spawn_blocking(move || ProcessorWaits::of_group(group)).await.ok()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "/proc, and a shell in a test")]
mod tests {
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command};

    use super::*;

    /// A process group on the machine's first allowed processor; killed when dropped.
    struct Group(Child);

    impl Group {
        fn running(nice: &str, script: &str) -> Group {
            let status = std::fs::read_to_string("/proc/self/status").unwrap();
            let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
            let first = allowed.trim().split([',', '-']).next().unwrap();
            let mut command = Command::new("taskset");
            command.args(["-c", first, "nice", "-n", nice, "sh", "-c", script]);
            Group(command.process_group(0).spawn().unwrap())
        }

        fn id(&self) -> Pid {
            Pid::from_child(&self.0)
        }
    }

    impl Drop for Group {
        fn drop(&mut self) {
            let _ = rustix::process::kill_process_group(self.id(), rustix::process::Signal::KILL);
            let _ = self.0.wait();
        }
    }

    #[tokio::test]
    async fn only_a_group_that_waits_for_a_processor_gets_more_time() {
        let spin = "while :; do :; done";
        let (_one, _two) = (Group::running("0", spin), Group::running("0", spin));
        let (starved, sleeper) = (Group::running("19", spin), Group::running("19", "sleep 1000"));
        let deadline = Instant::now() + Duration::from_secs(2);
        let late = tokio::time::sleep_until(deadline + Duration::from_millis(200));
        let (late, never) = tokio::join!(
            wait(late, deadline, Some(starved.id())),
            wait(std::future::pending::<()>(), deadline, Some(sleeper.id())),
        );
        assert_eq!((late, never), (Some(()), None), "starved, sleeper");
        assert_eq!(wait(std::future::pending::<()>(), Instant::now(), Some(starved.id())).await, None);
    }
}
