//! What a plan comes down to: at most one change per path, each a single step on the disk.

use std::sync::Arc;

use symd_base::{ContentHash, RelPath};
use symd_vfs::{Like, Meta, Stat};

/// What became of one file, as told to whoever asked for the edit. Links are resolved in `path`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Which file.
    pub path: RelPath,
    /// Its bytes' hash before; `None` when it did not exist.
    pub before: Option<ContentHash>,
    /// Its bytes' hash afterwards; `None` when it does not exist any more.
    pub after: Option<ContentHash>,
}

/// A file as it lay on the disk when the plan was checked.
#[derive(Clone, Debug)]
pub(super) struct Original {
    pub(super) bytes: Arc<Vec<u8>>,
    pub(super) hash: ContentHash,
    pub(super) stat: Stat,
    pub(super) meta: Meta,
}

/// A file as the plan wants it.
#[derive(Clone, Debug)]
pub(super) struct PlannedFile {
    pub(super) bytes: Arc<Vec<u8>>,
    pub(super) hash: ContentHash,
    /// Where its permissions come from.
    pub(super) like: Like,
    /// Under which name the file began, when an earlier one of this plan's steps moved it.
    pub(super) origin: Option<RelPath>,
}

/// One change, made by one step on the disk.
#[derive(Clone, Debug)]
pub(super) enum Change {
    /// A file is made, replaced (`before`) or removed (no `after`).
    Content { path: RelPath, before: Option<Original>, after: Option<PlannedFile> },
    /// A file gets another name and keeps its bytes.
    Move { from: RelPath, to: RelPath, file: Original },
}

/// Everything a plan comes down to.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    /// In the order of their paths.
    pub(super) list: Vec<Change>,
    /// Directories that must be made first, outermost first.
    pub(super) make: Vec<RelPath>,
    /// Directories to take away at the end where they are empty then, innermost first.
    pub(super) clear: Vec<RelPath>,
}

impl Change {
    /// What it does to files, for the one who asked.
    pub(super) fn told(&self) -> Vec<FileChange> {
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
