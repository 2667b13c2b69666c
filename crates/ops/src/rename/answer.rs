//! The plan of a rename, and the reasons for rejecting one.

use crate::edits::{ApplyError, MultiFileEdit, NewName};
use crate::question::{QuestionError, Source};
use crate::server_edit::ServerEditError;
use crate::target::Target;
use symd_base::{ContentHash, RelPath};
use symd_edit::Plan;
use symd_lsp::ServerError;
use symd_rewrite::NewNameError;

/// A rename that is ready to be applied.
#[derive(Clone, Debug)]
pub struct PlannedRename {
    pub target: Target,
    /// The new name.
    pub new_name: String,
    pub plan: Plan,
    /// Number of text changes per file, in path order.
    pub files: Vec<(RelPath, usize)>,
    /// Renamed files: old and new path.
    pub renamed: Vec<(RelPath, RelPath)>,
    /// Notes for the client.
    pub notes: Vec<RenameNote>,
    /// The source of the edit.
    pub source: Source,
    /// Whether the server may still have been indexing.
    pub maybe_indexing: bool,
    /// The index revision that the plan is made for.
    pub revision: u64,
    /// Whether doubts were overridden.
    pub is_forced: bool,
}

impl MultiFileEdit for PlannedRename {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn files(&self) -> &[(RelPath, usize)] {
        &self.files
    }

    fn renamed(&self) -> &[(RelPath, RelPath)] {
        &self.renamed
    }

    fn new_name(&self) -> Option<NewName> {
        Some(NewName { old: self.target.name.clone(), new: self.new_name.clone() })
    }

    fn asked_at(&self) -> (&RelPath, ContentHash) {
        (&self.target.at.path, self.target.at.hash)
    }
}

impl PlannedRename {
    /// Returns the number of occurrences that change.
    pub fn changes(&self) -> usize {
        self.files.iter().map(|(_, count)| count).sum()
    }

    /// Returns why the rename is not known to be complete and correct; empty if it is.
    pub fn open(&self) -> Vec<String> {
        let mut why = Vec::new();
        if self.is_forced {
            why.push("the rename is forced".to_owned());
        }
        match self.notes.iter().filter(|note| note.is_doubt).count() {
            0 => {}
            1 => why.push("a note says what is in doubt".to_owned()),
            count => why.push(format!("{count} notes say what is in doubt")),
        }
        if self.maybe_indexing {
            why.push("the server may still have been indexing".to_owned());
        }
        why
    }
}

/// A note for the client, and the places that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenameNote {
    /// The text: "3 mentions in comments are left as they are".
    pub text: String,
    /// The places, in path order; empty if the note is about none in particular.
    pub places: Vec<Listed>,
    /// Whether it leaves open that the rename is complete and correct.
    pub is_doubt: bool,
    /// Whether it is about mentions of the name in texts that are not code.
    pub is_mention: bool,
}

impl RenameNote {
    pub(super) fn plain(text: impl Into<String>) -> RenameNote {
        RenameNote { text: text.into(), places: Vec::new(), is_doubt: false, is_mention: false }
    }

    pub(super) fn fact(text: impl Into<String>, places: Vec<Listed>) -> RenameNote {
        RenameNote { text: text.into(), places, is_doubt: false, is_mention: false }
    }

    pub(super) fn doubt(text: impl Into<String>, places: Vec<Listed>) -> RenameNote {
        RenameNote { text: text.into(), places, is_doubt: true, is_mention: false }
    }
}

/// A place as answers list it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    pub path: RelPath,
    /// 0-based.
    pub line: u32,
    /// The trimmed line.
    pub text: String,
}

/// Why a rename is rejected. Nothing was written. The contracts say what can be done about a collision or a
/// doubt: not all of them have a way to rename nevertheless.
#[derive(Debug, thiserror::Error)]
pub enum RenameError {
    /// The selector does not identify a single symbol, or no server could be asked.
    #[error(transparent)]
    Question(#[from] QuestionError),
    /// The new name is not valid.
    #[error(transparent)]
    Name(#[from] NewNameError),
    /// The new name is in use where the symbol is declared or used.
    #[error("'{new_name}' is taken where '{old_name}' is declared or used")]
    Collides {
        old_name: String,
        new_name: String,
        /// The places that have the new name.
        places: Vec<Listed>,
    },
    /// It cannot be determined that the edit is correct.
    #[error("{why}")]
    Doubtful {
        /// The doubt, as a clause.
        why: String,
        /// The places in doubt.
        places: Vec<Listed>,
    },
    /// The symbol is linked by overriding to something that cannot be renamed with it, or may be, or would be under its new name; or a
    /// generator declares it.
    #[error("{why}")]
    Linked {
        /// The link, as a clause.
        why: String,
        /// The places that show the link.
        places: Vec<Listed>,
    },
    /// The server's edit is invalid.
    #[error("{server}: {problem}; nothing was written")]
    Server { server: String, problem: ServerEditError },
    /// The edit was not applied.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

impl RenameError {
    /// Whether a file changed while the rename was planned.
    pub fn is_conflict(&self) -> bool {
        matches!(self, RenameError::Question(QuestionError::NoAnswer(ServerError::Changed { .. })))
    }

    /// Returns the places that the error is about.
    pub fn places(&self) -> &[Listed] {
        match self {
            RenameError::Collides { places, .. }
            | RenameError::Doubtful { places, .. }
            | RenameError::Linked { places, .. } => places,
            _ => &[],
        }
    }
}
