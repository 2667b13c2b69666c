//! Reasons why an edit was rejected or rolled back. Every message names the file and the resulting state of
//! the tree.

use std::fmt;

use super::store::OperationId;
use symd_base::state::StateError;
use symd_base::{ContentHash, RelPath, TextEditError};
use symd_vfs::VfsError;

/// A file that differs from the one for which the plan was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub path: RelPath,
    /// Hash of the expected content; `None` if no file was expected.
    pub expected: Option<ContentHash>,
    /// Hash of the content found; `None` if there is no file.
    pub found: Option<ContentHash>,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match (self.expected, self.found) {
            (_, None) => "is gone",
            (None, Some(_)) => "was created",
            _ => "changed",
        };
        write!(f, "{} {what}", self.path)
    }
}

/// A file that cannot be put back, because its user changed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedSince {
    pub path: RelPath,
    pub place: ChangedPlace,
}

/// Where a file has the content that its user gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangedPlace {
    /// Nowhere: it is gone.
    Gone,
    OnDisk,
    /// In an unsaved text. The names of the editors, if they are known.
    InEditors(Vec<String>),
}

impl fmt::Display for ChangedSince {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.place {
            ChangedPlace::Gone => write!(f, "{path} is gone"),
            ChangedPlace::OnDisk => write!(f, "{path} was changed since"),
            ChangedPlace::InEditors(names) if names.is_empty() => {
                write!(f, "{path} was changed since in an editor")
            }
            ChangedPlace::InEditors(names) => {
                write!(f, "{path} was changed since in {}", names.join(" and "))
            }
        }
    }
}

/// Reasons why an edit was not applied.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// Files changed since they were read. Nothing was written.
    #[error("conflict: {}; nothing was written; read again and repeat the edit", listed(files))]
    Conflict {
        /// Every such file, by path.
        files: Vec<Conflict>,
    },
    /// A file cannot be read, or must not be written. Nothing was written.
    #[error("{0}; nothing was written")]
    File(#[from] VfsError),
    /// The replacements do not fit the text. Nothing was written.
    #[error("{path}: {source}; nothing was written")]
    Text { path: RelPath, source: TextEditError },
    /// The file contains the user's settings for the project, which a tool must not change. Nothing was
    /// written.
    #[error(
        "{path} holds symd's settings for this project, which only the user changes; nothing was written; ask the user to edit it"
    )]
    Settings { path: RelPath },
    /// An editor shows another text for the file and cannot be asked to change it. Nothing was written.
    #[error(
        "{path} has changes in an editor that are not saved; nothing was written; save the file there, or close it, then repeat the edit"
    )]
    Unsaved { path: RelPath },
    /// An editor that has a file open did not make its change. Nothing was written.
    #[error("{0}; nothing was written")]
    NotInEditor(String),
    /// Two steps have offsets into the same text, but the text changed before the second one. Nothing was
    /// written.
    #[error(
        "{path} has two edits, and the second was computed before the first was applied; nothing was written; combine all changes of this file in one edit"
    )]
    StaleOffsets { path: RelPath },
    /// A text edit of a binary file. Nothing was written.
    #[error("{path} is a binary file; nothing was written")]
    Binary { path: RelPath },
    /// The edit would replace bytes that are invalid in the file's encoding. Nothing was written.
    #[error(
        "{path} holds bytes that are not valid in its encoding, and the edit at offset {offset} of its text would change them; nothing was written"
    )]
    InvalidBytes {
        path: RelPath,
        /// Position of these bytes or of the edit, in bytes of the decoded text.
        offset: usize,
    },
    /// The system reported an error while files were being changed. Everything was put back.
    #[error("{}; the tree is as it was", bare(reason))]
    Failed {
        /// The file and the system's error.
        reason: Box<EditError>,
    },
    /// The system reported an error while files were being changed, and not everything could be put back.
    #[error("{}; not everything could be put back: {}; symd keeps the old content as operation {id}", bare(reason), left.join(", "))]
    RollbackFailed {
        /// The number under which the journal is kept.
        id: OperationId,
        /// The original error.
        reason: Box<EditError>,
        /// Each file that is not in its old state, and why.
        left: Vec<String>,
    },
    /// The edit failed and everything was put back, but its journal could not be erased: the next edit tries that again.
    #[error("{}; the tree is as it was; the journal of the edit could not be erased: {why}", bare(reason))]
    JournalLeft {
        /// The original error.
        reason: Box<EditError>,
        /// Why the journal is still there.
        why: String,
    },
    /// An earlier edit was cut short and cannot be put back now.
    #[error(
        "operation {id} was cut short and cannot be put back yet: {}; nothing was written; fix this and try again, or \
         choose: `symd resolve {id} keep` leaves these files as they are, `symd resolve {id} put-back` restores their old \
         content (resolve_edit)",
        left.join(", ")
    )]
    RecoveryDue {
        id: OperationId,
        /// Each file that is not in its old state, and why.
        left: Vec<String>,
    },
    /// The operation does not exist, or is not in the required state. Nothing was written.
    #[error("{0}; nothing was written")]
    NoOperation(String),
    /// What editors kept of an edit was changed since by its user. Nothing was written.
    #[error(
        "operation {id} cannot be put back: {}; change it there by hand, then `symd resolve {id} keep`; nothing was written",
        listed(files)
    )]
    NotPutBack {
        id: OperationId,
        /// Every such file, by path.
        files: Vec<ChangedSince>,
    },
    /// symd's own files cannot be used. Nothing was written.
    #[error("{0}; nothing was written")]
    State(#[from] StateError),
    /// Active readers did not finish in time.
    #[error("{0}")]
    Busy(String),
    /// An error that a test injected.
    #[error("{0}")]
    Injected(std::io::Error),
}

/// Returns the reason without its statement about the tree, which holds only if the reason stands alone.
pub(super) fn bare(reason: &EditError) -> String {
    let text = reason.to_string();
    text.strip_suffix("; nothing was written").map_or(text.clone(), str::to_owned)
}

fn listed(files: &[impl ToString]) -> String {
    files.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
