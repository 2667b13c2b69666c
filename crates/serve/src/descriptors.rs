//! File descriptors: the limit of this process, and how many of them connections may use. Invariant:
//! connections leave enough descriptors for reading files; otherwise answers would lack files.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use symd_base::cores;

/// Descriptors reserved for the daemon: its log, lock, watcher, cache, sockets and the like, with some to
/// spare.
const OWN: usize = 28;

/// The most descriptors that each thread that reads files may hold at a time.
const PER_THREAD: usize = 4;

/// Connections that are accepted however few descriptors there are.
const AT_LEAST: usize = 4;

/// Raises the soft limit to the hard limit: every connection, server and open file needs a descriptor, and
/// the soft limit is often 1,024.
pub(super) fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, "the limit of open files stays at {:?}", limit.current);
    }
}

/// Returns the current limit; `None` if there is none.
pub(super) fn limit() -> Option<usize> {
    getrlimit(Resource::Nofile).current.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

/// Returns how many connections fit within a limit of descriptors.
pub(super) fn connections(limit: usize) -> usize {
    let threads = cores::count() + 1;
    // Of a large limit, a quarter is kept for servers, commands and edits.
    let kept = (OWN + PER_THREAD * threads).max(limit / 4);
    limit.saturating_sub(kept).max(AT_LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_room_for_the_work() {
        assert_eq!((connections(0), connections(20)), (AT_LEAST, AT_LEAST));
        assert_eq!(connections(1_000_000), 750_000);
        assert!((0..4096).all(|limit| connections(limit) <= AT_LEAST.max(limit.saturating_sub(OWN))));
    }
}
