//! Why an edit was refused or undone. Every message names the file and says how the tree stands now.

use std::fmt;

use super::store::OperationId;
use symd_base::state::StateError;
use symd_base::{ContentHash, RelPath, TextEditError};
use symd_vfs::VfsError;

/// A file that is not what the plan was made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Which file.
    pub path: RelPath,
    /// What it should have held; `None` when nothing should be there.
    pub expected: Option<ContentHash>,
    /// What it holds; `None` when nothing is there.
    pub found: Option<ContentHash>,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match (self.expected, self.found) {
            (_, None) => "is gone",
            (None, Some(_)) => "has come into being",
            _ => "changed",
        };
        write!(f, "{} {what}", self.path)
    }
}

/// Why an edit was not made.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// Files changed since they were read. Nothing was written.
    #[error("conflict: {}; nothing was written; read again and repeat the edit", listed(files))]
    Conflict {
        /// Every such file, by path.
        files: Vec<Conflict>,
    },
    /// A file cannot be read or may not be written. Nothing was written.
    #[error("{0}; nothing was written")]
    File(#[from] VfsError),
    /// The replacements do not fit the text. Nothing was written.
    #[error("{path}: {source}; nothing was written")]
    Text {
        /// Which file.
        path: RelPath,
        /// What is wrong with them.
        source: TextEditError,
    },
    /// The file holds what the user settled for the project, which a tool must not loosen. Nothing was written.
    #[error(
        "{path} holds symd's settings for this project, which only the user changes; nothing was written; ask the user to edit it"
    )]
    Settings {
        /// Which file.
        path: RelPath,
    },
    /// Two steps give places in the same text, of which the second is another by then. Nothing was written.
    #[error(
        "{path} is edited twice, and the second edit was made up before the first; nothing was written; give all changes of it in one"
    )]
    Twice {
        /// Which file.
        path: RelPath,
    },
    /// A text edit of a file that is no text. Nothing was written.
    #[error("{path} is a binary file; nothing was written")]
    Binary {
        /// Which file.
        path: RelPath,
    },
    /// The edit would replace bytes that are no text in the file's encoding. Nothing was written.
    #[error(
        "{path} holds bytes that are not valid in its encoding, and the edit at offset {offset} of its text would change them; nothing was written"
    )]
    InvalidBytes {
        /// Which file.
        path: RelPath,
        /// Where they are or the edit is, in bytes of the decoded text.
        offset: usize,
    },
    /// The disk refused half-way. Everything was put back.
    #[error("{}; the tree is as it was", bare(reason))]
    Failed {
        /// Which file, and what the system said.
        reason: Box<EditError>,
    },
    /// The disk refused half-way, and not everything could be put back.
    #[error("{}; not everything could be put back: {}; symd keeps the old content as operation {id}", bare(reason), left.join(", "))]
    RollbackFailed {
        /// Under which number the journal is kept.
        id: OperationId,
        /// What went wrong first.
        reason: Box<EditError>,
        /// Each file that is not as it was, and why.
        left: Vec<String>,
    },
    /// An earlier edit was cut short and cannot be put back now.
    #[error(
        "operation {id} was cut short and cannot be put back yet: {}; nothing was written; mend that and try again, or say what \
         shall become of it: `symd resolve {id} keep` leaves these files as they are, `symd resolve {id} put-back` restores what \
         was before (resolve_edit)",
        left.join(", ")
    )]
    RecoveryDue {
        /// Its number.
        id: OperationId,
        /// Each file that is not as it was, and why.
        left: Vec<String>,
    },
    /// There is no such operation, or not in that state. Nothing was written.
    #[error("{0}; nothing was written")]
    NoOperation(String),
    /// symd's own files cannot be used. Nothing was written.
    #[error("{0}; nothing was written")]
    State(#[from] StateError),
    /// Readers did not come to an end.
    #[error("{0}")]
    Busy(String),
    /// A test said so.
    #[error("{0}")]
    Injected(std::io::Error),
}

/// The reason without what it says of the tree when it stands alone.
pub(super) fn bare(reason: &EditError) -> String {
    let text = reason.to_string();
    text.strip_suffix("; nothing was written").map_or(text.clone(), str::to_owned)
}

fn listed(files: &[Conflict]) -> String {
    files.iter().map(Conflict::to_string).collect::<Vec<_>>().join(", ")
}
