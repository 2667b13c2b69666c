//! What somebody wants to change: steps in order. Says nothing about whether it can be done.

use symd_base::{ContentHash, RelPath, TextEdits};

/// An edit of any number of files: applied whole or not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// What to do, in order: later steps see what earlier ones left, under the names they gave.
    pub steps: Vec<PlanStep>,
}

/// One step. Every `base` is the hash of the file's bytes on disk; for a file that an earlier step of the plan changed
/// it may also be the hash of what that step left (for `Text` it must be: places in a text that is gone mean nothing). Paths may go through links that stay inside the project; `Text` and
/// `Write` of a link change its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanStep {
    /// Replaces parts of a text. All bytes outside the ranges stay as they are.
    Text {
        /// The file, which must exist.
        path: RelPath,
        /// What the file held when the edits were made up, earlier steps of the plan made.
        base: ContentHash,
        /// Byte offsets into the decoded text (`base::text`), without the byte-order mark.
        edits: TextEdits,
    },
    /// Replaces a file's bytes, or makes the file.
    Write {
        /// The file; its parent directories are made.
        path: RelPath,
        /// What the file held; `None` takes what is there at the moment of the call, also nothing.
        base: Option<ContentHash>,
        /// All of its new bytes, encoded.
        bytes: Vec<u8>,
    },
    /// Makes a file where nothing is; its parent directories are made.
    Create {
        /// Where.
        path: RelPath,
        /// Its bytes.
        bytes: Vec<u8>,
        /// Who may run it.
        access: Access,
    },
    /// Moves a regular file to where nothing is; parent directories are made. Its permissions go with it.
    Rename {
        /// Its name now.
        from: RelPath,
        /// Its new name.
        to: RelPath,
        /// What the file held.
        base: ContentHash,
    },
    /// Makes a directory and those above it; one that is there already is no error.
    MakeDirectory {
        /// Which.
        path: RelPath,
    },
    /// Removes a regular file. Its directory stays, empty or not.
    Delete {
        /// The file.
        path: RelPath,
        /// What the file held.
        base: ContentHash,
    },
}

/// Whether a new file can be run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// By nobody.
    #[default]
    Plain,
    /// By whoever may read it.
    Program,
}

impl Plan {
    /// The plan of these steps.
    pub fn new(steps: Vec<PlanStep>) -> Plan {
        Plan { steps }
    }
}

/// Who edits: kept in the history, shown by it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct By {
    /// The client: "claude-code 2.1", "cli".
    pub who: String,
    /// The tool or command: "rename_symbol".
    pub tool: String,
    /// What was done, in a line: "rename Foo to Bar".
    pub title: String,
}
