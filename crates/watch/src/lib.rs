//! What changed in the project's tree, in order, and the barrier that tells when everything before a
//! question has been seen. Watches first, then reads (invariant 6); reports paths, never contents.
//!
//! Not seen: writing through a memory map; writing to a file through a hard link that stands in another
//! directory (the event names the link written to only); something mounted over a directory that is watched.

mod backend;
mod barrier;
mod counters;
mod crawl;
pub mod fake;
mod handle;
mod inotify;
mod notify;
mod poll;
mod sweep;
mod tree;
mod watcher;
mod writes;

#[cfg(test)]
mod tests;

pub use counters::Counters;
pub use handle::{BackendChoice, Watch, WatchError, WatchOptions};
use symd_base::RelPath;

/// One thing the watcher has to say. Order matters: a barrier comes after every change that was made
/// before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The whole listing of one directory, taken after its watch stood. What is known of this directory
    /// and not listed here (a file, or a subdirectory with all beneath it) is gone; every file listed is to
    /// be looked at again. Ignored entries, links and special files are not listed.
    Listed {
        /// The directory.
        directory: RelPath,
        /// Paths of the regular files in it.
        files: Vec<RelPath>,
        /// Paths of the directories in it, each of which gets a notice of its own.
        directories: Vec<RelPath>,
    },
    /// A directory that could not be listed. Whatever was known of it is gone, and what it holds is not known. Told again
    /// as long as that is so; ends with a listing of the directory, or with its removal.
    Unlisted {
        /// The directory.
        directory: RelPath,
        /// What the system said.
        why: String,
    },
    /// A file was written, created, moved here or touched: read it again (it may be gone by now). Where it is not closed
    /// yet, this comes just before the next barrier, and once more when it is. On a polled
    /// directory this also comes for a file whose times and size are the same, when the clock of the file
    /// system is too coarse to tell; so compare contents, not times.
    Changed(RelPath),
    /// Nothing is left at this path, nor beneath it, that is to be indexed. May come for what was never told,
    /// and just before a directory is listed there.
    Removed(RelPath),
    /// The first crawl has listed every directory.
    Crawled,
    /// The barrier of this number has arrived: every change made before it was asked for has been told.
    Barrier(u64),
    /// The root directory itself is gone. Nothing follows.
    RootGone,
}
