//! A parsed patch, before any file is read. Line numbers of the patch are 1-based, for messages.

use symd_base::RelPath;
use symd_edit::Access;

/// The content of a patch, file by file, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    pub files: Vec<FilePatch>,
    /// Notes for the answer: what of the patch is not applied, or was read leniently.
    pub notes: Vec<String>,
}

/// The change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilePatch {
    /// The file's text changes, and possibly its path.
    Update {
        /// The file's path; if the patch gives two names, both, in the order in which they are tried.
        names: Vec<RelPath>,
        /// The path to which the file is moved.
        new_path: Option<RelPath>,
        /// The hunks in order.
        hunks: Vec<Hunk>,
    },
    /// The file is copied.
    Copy {
        /// The path of the original.
        path: RelPath,
        /// The path of the copy.
        new_path: RelPath,
        /// The differences between original and copy.
        hunks: Vec<Hunk>,
        /// Whether the copy is executable.
        access: Access,
    },
    /// The file is created.
    Add {
        path: RelPath,
        text: String,
        /// Whether the file is executable.
        access: Access,
    },
    /// The file is deleted.
    Delete {
        path: RelPath,
        /// The content that the file must have; empty if the patch does not say.
        hunks: Vec<Hunk>,
    },
}

/// A hunk of a file's patch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// The hunk's number in its file, from 1.
    pub number: usize,
    /// The 1-based line of the patch after the hunk's header.
    pub at: usize,
    /// The 0-based line of the file at which the hunk's old lines begin, if the header says so.
    pub start: Option<usize>,
    /// Lines that must occur in the file before the hunk, outermost first (`@@ class A`).
    pub headers: Vec<String>,
    pub lines: Vec<HunkLine>,
    /// Whether the hunk's old lines are the last ones of the file.
    pub is_last: bool,
}

/// A line of a hunk, without its line feed; a carriage return is part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HunkLine {
    /// The kind of the line.
    pub kind: HunkLineKind,
    /// The text of the line, without the sign.
    pub text: String,
    /// Whether the patch says that no line break follows.
    pub no_newline: bool,
}

/// The kind of a line in a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HunkLineKind {
    /// A line that stays.
    Context,
    /// A line that is removed.
    Removed,
    /// A line that is added.
    Added,
}

impl Hunk {
    /// Returns the lines that the file must contain.
    pub fn old_lines(&self) -> impl DoubleEndedIterator<Item = &HunkLine> + Clone {
        self.lines.iter().filter(|line| line.kind != HunkLineKind::Added)
    }
}

/// Why a patch cannot be parsed. `line` is the 1-based line of the patch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchParseError {
    /// The patch contains no file.
    #[error(
        "The patch contains no file: give a unified diff (`--- a/file`, `+++ b/file`, `@@ -1,3 +1,3 @@`) or \
         `*** Begin Patch` with `*** Update File: path`, `*** Add File: path` or `*** Delete File: path`"
    )]
    Empty,
    /// `*** Begin Patch` has no `*** End Patch`.
    #[error("line {line} of the patch: `*** Begin Patch` has no `*** End Patch`")]
    Unclosed { line: usize },
    /// A line that is not valid at its place.
    #[error("line {line} of the patch: expected {expected}, found: {found}")]
    Unexpected {
        line: usize,
        /// The lines that would be valid there.
        expected: &'static str,
        /// The line that was found.
        found: String,
    },
    /// An invalid path, or one that leads out of the project.
    #[error("line {line} of the patch: {error}")]
    Path {
        line: usize,
        /// What is wrong with the path.
        error: symd_base::PathError,
    },
    /// A binary patch.
    #[error(
        "line {line} of the patch: {file} is binary; binary patches cannot be applied, write the file as a whole"
    )]
    Binary { line: usize, file: String },
    /// A symbolic link or a submodule.
    #[error("line {line} of the patch: {file} has mode {mode}; only ordinary files can be patched")]
    Mode { line: usize, file: String, mode: String },
    /// A section without any change.
    #[error("line {line} of the patch: there are no hunks for {file}; begin them with `@@`")]
    NoHunks { line: usize, file: String },
}

/// The maximum length of a quoted line in a message, in characters.
pub(super) const SHOWN_CHARS: usize = 80;

/// Quotes `text` for a message.
pub(super) fn shown(text: &str) -> String {
    let text = text.trim_end_matches(['\r', '\n']);
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((cut, _)) => format!("`{}…`", &text[..cut]),
        None => format!("`{text}`"),
    }
}
