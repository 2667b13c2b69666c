//! Reports what changes in the project's tree, in order, and provides the barrier that arrives when every
//! change before a question has been reported. Watches before it reads (invariant 6); reports paths, never
//! contents.
//!
//! Not detected: writes through a memory map; writes through a hard link in another directory (the event
//! names only the link that was written to); a mount over a watched directory.

mod backend;
mod barrier;
mod counters;
mod crawl;
pub mod fake;
mod handle;
mod inotify;
mod notify;
mod opener;
mod poll;
mod quiet;
mod sweep;
mod tree;
mod watcher;
mod writes;

#[cfg(test)]
mod tests;

pub use counters::Counters;
pub use handle::{BackendChoice, Watch, WatchError, WatchOptions};
use symd_base::RelPath;
use symd_vfs::Stat;

/// One report of the watcher. Order matters: a barrier comes after every change that was made before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The complete listing of one directory, taken after it was watched. What was known of this directory
    /// and is not listed here (a file, or a subdirectory with everything beneath it) is gone; every listed
    /// file must be read again. Ignored entries, links and special files are not listed.
    Listed {
        directory: RelPath,
        files: Vec<RelPath>,
        /// The states of `files`, taken after the directory was watched; `None` for one that is gone or no regular file any more. Empty unless
        /// [`WatchOptions::takes_states`].
        states: Vec<Option<Stat>>,
        /// Paths of the directories in it, each of which is reported in a notice of its own.
        directories: Vec<RelPath>,
    },
    /// A directory that could not be listed. Everything known of it is gone, and its content is unknown.
    /// Repeated as long as that is so; ends with a listing of the directory, or with its removal.
    Unlisted {
        directory: RelPath,
        /// Error message of the operating system.
        why: String,
    },
    /// A file was written, created, moved here or touched: read it again (it may be gone by now). For a file
    /// that is still open for writing, this comes just before the next barrier, and again when it is closed.
    /// In a polled directory it also comes for a file whose times and size are unchanged, if the clock of the
    /// file system is too coarse to be sure; so compare contents, not times.
    Changed(RelPath),
    /// Nothing to be indexed is left at this path or beneath it. May come for a path that was never reported,
    /// and just before a directory is listed there.
    Removed(RelPath),
    /// The first crawl has listed every directory.
    Crawled,
    /// The barrier with this number has arrived: every change made before it was requested has been reported.
    Barrier(u64),
    /// The root directory itself is gone. No notice follows.
    RootGone,
}
