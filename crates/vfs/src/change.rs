//! What happens to files.

/// What happened to a file of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is new.
    Created,
    /// Its content is another.
    Written,
    /// It is gone.
    Deleted,
}
