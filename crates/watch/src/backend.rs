//! What differs between the systems that tell of changes: how a directory is watched and how events come.
//! Events only say where to look; what is there is found out by looking. Invariant of every backend: the
//! event of a barrier comes after the events of all changes made before that barrier was asked for.

use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;

/// Names one watch of a backend. Never used again for another directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct WatchId(pub(super) i32);

/// Why a directory is not watched.
#[derive(Debug)]
pub(super) enum Refused {
    /// There is no room for more watches: the directory is polled instead.
    Exhausted,
    /// It went away or was replaced while we looked: its parent's events tell what became of it.
    Vanished,
    /// Anything else; the directory is polled too.
    Failed(io::Error),
}

/// Somewhere to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// The entry `name` of a watched directory came, went, was written or changed its attributes.
    Entry {
        /// Which directory.
        watch: WatchId,
        /// The entry's name.
        name: String,
    },
    /// The entry `name` was given this name by a rename, or lost it. By now it may have it back, and for a while another one,
    /// or none, was read in its place.
    Renamed {
        /// Which directory.
        watch: WatchId,
        /// The entry's name.
        name: String,
    },
    /// The entry `name` was written to by somebody who has not closed it yet. That may be long in coming: the system tells
    /// of a closing when the last copy of the descriptor is closed, and a child that was forked meanwhile holds one.
    Written {
        /// Which directory.
        watch: WatchId,
        /// The entry's name.
        name: String,
    },
    /// The attributes of the watched directory itself changed.
    Attributes(WatchId),
    /// The watched directory itself was moved; what stood in it still does.
    Moved(WatchId),
    /// The watch ended: its directory was deleted or unmounted, or we ended it.
    Ended(WatchId),
    /// An entry's name is not UTF-8.
    Unnamed,
    /// Events were lost.
    Overflow,
    /// The event of a barrier, and the file that made it.
    Barrier(u64, String),
    /// The root's name in its parent directory is gone.
    RootMoved,
}

/// Whether [`Event::Written`] is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writes {
    /// It is, as of every directory at first.
    Told,
    /// It is not.
    Untold,
}

/// One way to be told of changes.
pub(super) trait Backend: Send {
    /// Watches the open directory, whose absolute path is `path`. Watching the same directory again returns
    /// the same id if the backend can tell; a backend that cannot returns a new one.
    fn watch(&mut self, directory: BorrowedFd<'_>, path: &Path) -> Result<WatchId, Refused>;

    /// Ends a watch. Events it left behind may still come.
    fn unwatch(&mut self, watch: WatchId);

    /// Chooses whether writes are told of the open directory that `watch` stands for. One that cannot choose tells them.
    fn choose(&mut self, _watch: WatchId, _directory: BorrowedFd<'_>, _writes: Writes) {}

    /// Waits until there are events or the waker was called, and adds the events.
    fn wait(&mut self, events: &mut Vec<Event>) -> io::Result<()>;
}

/// Interrupts [`Backend::wait`] from another thread.
pub(super) trait Waker: Send + Sync {
    fn wake(&self);
}
