//! File descriptors: how many this process may have, and how many of them connections may take. Invariant: connections leave
//! enough for files to be read, or a question would be answered without them.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use symd_base::cores;

/// What a daemon holds for itself: its log, lock, watcher, cache, sockets and the like, with some to spare.
const OWN: usize = 28;

/// What each thread that reads files may hold at a time.
const PER_THREAD: usize = 4;

/// Connections that are let in however few descriptors there are.
const AT_LEAST: usize = 4;

/// Raises the soft limit to the hard one: every connection, server and file that is read needs a descriptor, and the soft limit
/// is often 1,024.
pub(super) fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, "the limit of open files stays at {:?}", limit.current);
    }
}

/// The limit as it is now; `None` where there is none.
pub(super) fn limit() -> Option<usize> {
    getrlimit(Resource::Nofile).current.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

/// How many connections a limit of descriptors leaves room for.
pub(super) fn connections(limit: usize) -> usize {
    let threads = cores::count() + 1;
    // A quarter for servers, commands and edits, where there are many.
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
