//! A patch as it was read, before any file is looked at. Line numbers of the patch are 1-based, for messages.

use symd_base::RelPath;
use symd_edit::Access;

/// What a patch says, file by file, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    /// The files.
    pub files: Vec<FilePatch>,
    /// What of it will not be done, or was read with goodwill: for the answer.
    pub notes: Vec<String>,
}

/// What becomes of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilePatch {
    /// Its text changes, and perhaps its place.
    Update {
        /// Where it is; where two names were given, in the order in which they are tried.
        names: Vec<RelPath>,
        /// Where it goes.
        new_path: Option<RelPath>,
        /// In order.
        hunks: Vec<Hunk>,
    },
    /// Another file is made of it.
    Copy {
        /// Where it is.
        path: RelPath,
        /// Where the copy goes.
        new_path: RelPath,
        /// How the copy differs.
        hunks: Vec<Hunk>,
        /// Whether it can be run.
        access: Access,
    },
    /// It is new.
    Add {
        /// Where it goes.
        path: RelPath,
        /// Its text.
        text: String,
        /// Whether it can be run.
        access: Access,
    },
    /// It goes.
    Delete {
        /// Where it is.
        path: RelPath,
        /// What it must hold; none where the patch does not say.
        hunks: Vec<Hunk>,
    },
}

/// One hunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// Its number in its file, from 1.
    pub number: usize,
    /// The 1-based line of the patch behind its header.
    pub at: usize,
    /// The 0-based line of the file at which its old lines begin, if it says so.
    pub start: Option<usize>,
    /// Lines that stand before it, outermost first (`@@ class A`).
    pub headers: Vec<String>,
    /// Its lines.
    pub lines: Vec<HunkLine>,
    /// Its old lines are the file's last.
    pub is_last: bool,
}

/// One line of a hunk, without its line feed; a carriage return is part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HunkLine {
    /// What becomes of it.
    pub sign: Sign,
    /// What stands on it.
    pub text: String,
    /// Whether the patch says that no line break follows.
    pub unended: bool,
}

/// What becomes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// It stays.
    Context,
    /// It goes.
    Old,
    /// It comes.
    New,
}

impl Hunk {
    /// The lines that must stand in the file.
    pub fn old_lines(&self) -> impl DoubleEndedIterator<Item = &HunkLine> + Clone {
        self.lines.iter().filter(|line| line.sign != Sign::New)
    }
}

/// Why a patch cannot be read. `line` is the 1-based line of the patch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchParseError {
    /// There is none.
    #[error(
        "The patch holds no file: give a unified diff (`--- a/file`, `+++ b/file`, `@@ -1,3 +1,3 @@`) or \
         `*** Begin Patch` with `*** Update File: path`, `*** Add File: path` or `*** Delete File: path`"
    )]
    Empty,
    /// The form with `*** Begin Patch` is not closed.
    #[error("line {line} of the patch: `*** Begin Patch` has no `*** End Patch`")]
    Unclosed {
        /// Where.
        line: usize,
    },
    /// A line that has no meaning where it stands.
    #[error("line {line} of the patch: expected {expected}, found: {found}")]
    Unexpected {
        /// Where.
        line: usize,
        /// What could stand there.
        expected: &'static str,
        /// What does.
        found: String,
    },
    /// A path that leaves the project or is none.
    #[error("line {line} of the patch: {error}")]
    Path {
        /// Where.
        line: usize,
        /// What is wrong with it.
        error: symd_base::PathError,
    },
    /// Bytes, not lines.
    #[error(
        "line {line} of the patch: {file} is binary; binary patches cannot be applied, write the file as a whole"
    )]
    Binary {
        /// Where.
        line: usize,
        /// Which file.
        file: String,
    },
    /// A symbolic link or a submodule.
    #[error("line {line} of the patch: {file} has mode {mode}; only ordinary files can be patched")]
    Mode {
        /// Where.
        line: usize,
        /// Which file.
        file: String,
        /// Its mode.
        mode: String,
    },
    /// A file section that changes nothing.
    #[error("line {line} of the patch: there are no hunks for {file}; begin them with `@@`")]
    NoHunks {
        /// Where.
        line: usize,
        /// Which file.
        file: String,
    },
}

/// Longest piece of a line shown in a message, in characters.
pub(super) const SHOWN_CHARS: usize = 80;

/// `text` for a message.
pub(super) fn shown(text: &str) -> String {
    let text = text.trim_end_matches(['\r', '\n']);
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((cut, _)) => format!("`{}…`", &text[..cut]),
        None => format!("`{text}`"),
    }
}
