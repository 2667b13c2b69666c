//! Kinds of changes of files.

/// What happened to a file of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A file that did not exist before.
    Created,
    /// A file with new content.
    Written,
    /// A file that no longer exists.
    Deleted,
}
