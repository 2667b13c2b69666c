//! A requested change: an ordered list of steps. Does not say whether it can be applied.

use symd_base::{ContentHash, RelPath, TextEdits};

/// An edit of any number of files: applied as a whole or not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The steps in order: a later step sees the results of earlier ones, under the names that those gave.
    pub steps: Vec<PlanStep>,
}

/// One step. Every `base` is the hash of the file's bytes on disk. For a file that an earlier step of the
/// plan changed it may also be the hash of that step's result; for `Text` it must be that, because offsets
/// into a text that was replaced are meaningless. Paths may lead through links that stay inside the project;
/// `Text` and `Write` of a link change its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanStep {
    /// Replaces parts of a text. All bytes outside the ranges are unchanged.
    Text {
        /// The file, which must exist.
        path: RelPath,
        /// Hash of the content for which the edits were computed, after earlier steps of the plan.
        base: ContentHash,
        /// Byte offsets into the decoded text (`base::text`), without the byte-order mark.
        edits: TextEdits,
    },
    /// Replaces a file's bytes, or creates the file.
    Write {
        /// The file; missing parent directories are created.
        path: RelPath,
        /// Hash of the current content; `None` accepts any content at the moment of the call, or no file.
        base: Option<ContentHash>,
        /// The complete new bytes, encoded.
        bytes: Vec<u8>,
    },
    /// Creates a file where nothing exists; missing parent directories are created.
    Create {
        path: RelPath,
        bytes: Vec<u8>,
        /// Whether the file can be executed.
        access: Access,
    },
    /// Moves a regular file to a path where nothing exists; missing parent directories are created. Keeps the
    /// permissions.
    Rename {
        /// The current name.
        from: RelPath,
        to: RelPath,
        /// Hash of the current content.
        base: ContentHash,
    },
    /// Creates a directory and its missing parents; an existing directory is not an error.
    MakeDirectory { path: RelPath },
    /// Removes a regular file. Its directory remains, even if empty.
    Delete {
        path: RelPath,
        /// Hash of the current content.
        base: ContentHash,
    },
}

/// Whether a new file can be executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Not executable.
    #[default]
    Plain,
    /// Executable by everyone who may read it.
    Program,
}

impl Plan {
    pub fn new(steps: Vec<PlanStep>) -> Plan {
        Plan { steps }
    }
}

/// The originator of an edit, stored in the history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Originator {
    /// The client: "claude-code 2.1", "cli".
    pub who: String,
    /// The tool or command: "rename_symbol".
    pub tool: String,
    /// A one-line description: "rename Foo to Bar".
    pub title: String,
}
