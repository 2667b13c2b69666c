//! Memories: notes that agents keep about a project, one Markdown file each, in a folder of the project that its users
//! may commit. Invariant: nothing outside that folder is read or written, and no link is followed, neither in the
//! folder nor on the way to it.
//!
//! They are the project's files, so they are written by the editor, and are in its history. But whoever asks to undo
//! the last edit means the code that was changed, not the note that was taken meanwhile: a memory's change is made
//! aside ([`symd_edit::Editor::apply_aside`]), and undone by its number only.

mod change;
mod folder;
mod name;

pub use change::{delete, edit, rename, write};
pub use folder::{list, read};
pub use name::MemoryName;

use crate::edits::ApplyError;
use crate::question::QuestionError;
use symd_base::RelPath;
use symd_base::cancel::Cancelled;
use symd_base::path::PathError;
use symd_rewrite::ReplaceError;
use symd_vfs::VfsError;

/// Why a memory cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// Nothing is left of the name once every `.md` is dropped.
    #[error("A memory needs a name, got: {0:?}")]
    Nameless(String),
    /// The name leads out of the folder.
    #[error(transparent)]
    Path(#[from] PathError),
    /// There is no such memory.
    #[error("Memory {0} not found; list_memories names those that exist.")]
    Missing(MemoryName),
    /// The new name is taken.
    #[error("Memory {0} exists already; delete it first, or choose another name.")]
    Exists(MemoryName),
    /// A link is in the way.
    #[error("{0} is a link, and memories are kept behind none")]
    Link(RelPath),
    /// It holds a NUL byte.
    #[error("{0} is a binary file, it has no text to show")]
    Binary(RelPath),
    /// The replacement cannot be made.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// It cannot be read.
    #[error(transparent)]
    Vfs(#[from] VfsError),
    /// It cannot be written.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// The project cannot be looked at.
    #[error(transparent)]
    Question(#[from] QuestionError),
    /// The asker went away.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}
