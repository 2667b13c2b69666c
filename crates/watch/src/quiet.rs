//! Tells without waiting whether every change so far has been reported: the kernel has no event for the watch thread,
//! the thread has none in hand, and it knows nothing that only a barrier examines. A barrier says the same for a file,
//! two system calls more and two changes of threads. Invariant: the kernel queues the event of a change before the
//! call that makes the change returns, so what was changed before the look was queued before it.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, Stat};

use super::barrier::Barriers;
use symd_vfs::Root;

/// What is looked at.
#[derive(Debug)]
pub(super) struct Quiet {
    /// The inotify instance.
    instance: Arc<OwnedFd>,
    barriers: Arc<Barriers>,
    /// The root's path, and which directory it led to when the watch began.
    root: PathBuf,
    identity: (u64, u64),
    /// Whether the watch thread has events in hand, or knows of something that only a barrier examines.
    is_busy: AtomicBool,
}

impl Quiet {
    /// Returns what is busy until the watch thread says otherwise; `None` where the root cannot be examined.
    pub(super) fn new(instance: Arc<OwnedFd>, barriers: Arc<Barriers>, root: &Root) -> Option<Quiet> {
        let identity = identity(&rustix::fs::fstat(root.as_fd()).ok()?);
        let (root, is_busy) = (root.path().to_owned(), AtomicBool::new(true));
        Some(Quiet { instance, barriers, root, identity, is_busy })
    }

    /// Records that the watch thread is about to take events from the kernel.
    pub(super) fn begin(&self) {
        self.is_busy.store(true, Ordering::SeqCst);
    }

    /// Records that the watch thread has reported what it took; `is_settled` if it knows of nothing else.
    pub(super) fn end(&self, is_settled: bool) {
        self.is_busy.store(!is_settled, Ordering::SeqCst);
    }

    /// Whether everything that changed before this call has been passed to the sink. Does not wait for a disk or a network.
    pub(super) fn holds(&self) -> bool {
        // In this order: events that the thread takes after the first look are in its hand at the second.
        matches!(rustix::io::ioctl_fionread(&self.instance), Ok(0))
            && !self.is_busy.load(Ordering::SeqCst)
            && self.barriers.can_be_made()
            && self.is_root_there()
    }

    /// Whether the root's path still leads to the directory that is watched. No event tells that a directory above its
    /// parent was moved.
    fn is_root_there(&self) -> bool {
        opened_without_waiting(&self.root)
            .and_then(|opened| rustix::fs::fstat(&opened).ok())
            .is_some_and(|found| identity(&found) == self.identity)
    }
}

/// Opens a directory if the kernel has all of its path in memory.
fn opened_without_waiting(path: &Path) -> Option<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat2(CWD, path, flags, Mode::empty(), ResolveFlags::CACHED).ok()
}

fn identity(stat: &Stat) -> (u64, u64) {
    (stat.st_dev, stat.st_ino)
}
