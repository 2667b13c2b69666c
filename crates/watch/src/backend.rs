//! Interface to the systems that report changes: how a directory is watched and how events arrive. Events
//! only say where to look; what is there is read afterwards. Invariant of every backend: the event of a
//! barrier comes after the events of all changes made before that barrier was requested.

use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;

/// Identifies one watch of a backend. Never reused for another directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct WatchId(pub(super) i32);

/// Why a directory is not watched.
#[derive(Debug)]
pub(super) enum WatchRefusal {
    /// No more watches are available: the directory is polled instead.
    Exhausted,
    /// The directory was removed or replaced meanwhile; events of its parent report what became of it.
    Vanished,
    /// Any other error; the directory is polled too.
    Failed(io::Error),
}

/// A place where something changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// The entry `name` of a watched directory was created, removed or written, or its attributes changed.
    Entry { watch: WatchId, name: String },
    /// The entry `name` was given this name by a rename, or lost it. It may have the name again by now, while
    /// readers in between found another entry under it, or none.
    Renamed { watch: WatchId, name: String },
    /// The entry `name` was written to by a process that has not closed it yet. The close may come much
    /// later: the system reports it when the last copy of the descriptor is closed, and a child forked
    /// meanwhile holds one.
    Written { watch: WatchId, name: String },
    /// The attributes of the watched directory itself changed.
    Attributes(WatchId),
    /// The watched directory itself was moved; its entries are unchanged.
    Moved(WatchId),
    /// The watch ended: its directory was deleted or unmounted, or the watch was removed here.
    Ended(WatchId),
    /// An entry's name is not UTF-8.
    Unnamed,
    /// Events were lost.
    Overflow,
    /// The event of a barrier, and the name of its file.
    Barrier(u64, String),
    /// The root was removed from its parent directory or renamed.
    RootMoved,
}

/// Whether [`Event::Written`] is reported for a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteReports {
    /// It is reported; the initial state of every directory.
    On,
    /// It is not reported.
    Off,
}

/// One mechanism that reports changes.
pub(super) trait Backend: Send {
    /// Watches the open directory, whose absolute path is `path`. Watching the same directory again returns
    /// the same id if the backend can recognise it; otherwise a new one.
    fn watch(&mut self, directory: BorrowedFd<'_>, path: &Path) -> Result<WatchId, WatchRefusal>;

    /// Removes a watch. Events that it has already caused may still arrive.
    fn unwatch(&mut self, watch: WatchId);

    /// Sets whether writes are reported for the open directory of `watch`. A backend that has no choice
    /// reports them.
    fn set_write_reports(&mut self, _watch: WatchId, _directory: BorrowedFd<'_>, _writes: WriteReports) {}

    /// Waits until there are events or the waker was called, and appends the events.
    fn wait(&mut self, events: &mut Vec<Event>) -> io::Result<()>;
}

/// Interrupts [`Backend::wait`] from another thread.
pub(super) trait Waker: Send + Sync {
    fn wake(&self);
}
