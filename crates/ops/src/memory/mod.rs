//! Memories: notes that agents keep about a project, one Markdown file each, in a folder of the project that
//! its users may commit. Invariant: nothing outside that folder is read or written, and no link is followed,
//! neither in the folder nor on the way to it.
//!
//! They are files of the project, so the editor writes them and its history contains them. But a request to
//! undo the last edit means the code that was changed, not a note taken meanwhile: a memory's change is made
//! aside ([`symd_edit::Editor::apply_notes`]), and undone by its number only.

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
    /// Nothing is left of the name after every `.md` is removed.
    #[error("A memory needs a name, got: {0:?}")]
    Nameless(String),
    /// The name leads out of the folder.
    #[error(transparent)]
    Path(#[from] PathError),
    /// There is no such memory.
    #[error("Memory {0} not found")]
    Missing(MemoryName),
    /// The new name is in use.
    #[error("Memory {0} exists already; delete it first, or choose another name.")]
    Exists(MemoryName),
    /// A link is on the path.
    #[error("{0} is a link; memories are not accessed through links")]
    Link(RelPath),
    /// The file contains a NUL byte.
    #[error("{0} is a binary file, it has no text to show")]
    Binary(RelPath),
    /// The replacement failed.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// The memory cannot be read.
    #[error(transparent)]
    Vfs(#[from] VfsError),
    /// The memory cannot be written.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// The project cannot be queried.
    #[error(transparent)]
    Question(#[from] QuestionError),
    /// The client disconnected or cancelled the request.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}
