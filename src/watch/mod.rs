//! What changed in the project's tree, in order, and the barrier that tells when everything before a
//! question has been seen. Watches first, then reads (invariant 6); reports paths, never contents.

use crate::base::RelPath;

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
    /// A file was written, created, moved here or touched: look at it again (it may be gone by now).
    Changed(RelPath),
    /// Nothing is left at this path, nor beneath it.
    Removed(RelPath),
    /// The first crawl has listed every directory.
    Crawled,
    /// The barrier of this number has arrived: every change made before it was asked for has been told.
    Barrier(u64),
    /// The root directory itself is gone. Nothing follows.
    RootGone,
}
