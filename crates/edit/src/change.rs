//! The effect of a plan: at most one change per path, each a single step on the disk.

use std::sync::Arc;

use symd_base::{ContentHash, RelPath};
use symd_vfs::{Meta, PermissionSource, Stat};

/// A change of one file, as reported to the caller. Links in `path` are resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    pub path: RelPath,
    /// Hash of the bytes before; `None` if the file did not exist.
    pub before: Option<ContentHash>,
    /// Hash of the bytes afterwards; `None` if the file no longer exists.
    pub after: Option<ContentHash>,
}

/// A file on the disk at the time when the plan was checked.
#[derive(Clone, Debug)]
pub(super) struct Original {
    pub(super) bytes: Arc<Vec<u8>>,
    pub(super) hash: ContentHash,
    pub(super) stat: Stat,
    pub(super) meta: Meta,
    /// Whether it is the text that an editor has not saved: the editor changes it, and the file stays.
    pub(super) in_editor: bool,
}

/// A file as the plan wants it to be.
#[derive(Clone, Debug)]
pub(super) struct PlannedFile {
    pub(super) bytes: Arc<Vec<u8>>,
    pub(super) hash: ContentHash,
    /// Source of its permissions.
    pub(super) like: PermissionSource,
    /// The file's original name, if an earlier step of the plan moved it.
    pub(super) origin: Option<RelPath>,
}

/// One change, applied by one step on the disk.
#[derive(Clone, Debug)]
pub(super) enum Change {
    /// A file is created, replaced (`before` is set) or removed (`after` is `None`).
    Content { path: RelPath, before: Option<Original>, after: Option<PlannedFile> },
    /// A file gets another name and keeps its bytes.
    Move { from: RelPath, to: RelPath, file: Original },
}

/// The complete effect of a plan.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    /// In the order of their paths.
    pub(super) list: Vec<Change>,
    /// Directories to create first, outermost first.
    pub(super) make: Vec<RelPath>,
    /// Directories to remove at the end if they are empty then, innermost first.
    pub(super) clear: Vec<RelPath>,
}

/// A change of a file's content, for those that must agree to it.
#[derive(Clone, Debug)]
pub struct StagedContent {
    pub path: RelPath,
    pub before: Arc<Vec<u8>>,
    /// `None` if the file is removed.
    pub after: Option<Arc<Vec<u8>>>,
    /// Whether only the text in the editor changes, because it is not saved.
    pub in_editor: bool,
}

impl Change {
    /// Returns the effect on files, as reported to the caller.
    pub(super) fn file_changes(&self) -> Vec<FileChange> {
        match self {
            Change::Content { path, before, after } => vec![FileChange {
                path: path.clone(),
                before: before.as_ref().map(|file| file.hash),
                after: after.as_ref().map(|file| file.hash),
            }],
            Change::Move { from, to, file } => vec![
                FileChange { path: from.clone(), before: Some(file.hash), after: None },
                FileChange { path: to.clone(), before: None, after: Some(file.hash) },
            ],
        }
    }
}
