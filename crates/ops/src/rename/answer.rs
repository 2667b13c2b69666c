//! What a rename would do, and why one is refused.

use crate::edits::{ApplyError, NewName, WholeEdit};
use crate::question::{QuestionError, Source};
use crate::server_edit::ServerEditError;
use crate::target::Target;
use symd_base::{ContentHash, RelPath};
use symd_edit::Plan;
use symd_lsp::NoAnswer;
use symd_rewrite::NewNameError;

/// A rename that can be made.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The symbol.
    pub target: Target,
    /// What it is to be called.
    pub new_name: String,
    /// The edit.
    pub plan: Plan,
    /// Changes of text by file, in path order.
    pub files: Vec<(RelPath, usize)>,
    /// Files that get other names.
    pub renamed: Vec<(RelPath, RelPath)>,
    /// What the asker should know.
    pub notes: Vec<Note>,
    /// Where the edit comes from.
    pub source: Source,
    /// Whether the server may still have been indexing.
    pub maybe_indexing: bool,
    /// The index revision that the plan is made for.
    pub revision: u64,
    /// Whether doubts were set aside.
    pub is_forced: bool,
}

impl WholeEdit for Planned {
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

impl Planned {
    /// How many occurrences change.
    pub fn changes(&self) -> usize {
        self.files.iter().map(|(_, count)| count).sum()
    }

    /// Why it is not known that the rename is whole and right; empty when it is.
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

/// Something to know, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What: "3 mentions in comments are left as they are".
    pub text: String,
    /// Where, in path order; empty where it is nowhere in particular.
    pub places: Vec<Listed>,
    /// Whether it leaves open that the rename is whole and right.
    pub is_doubt: bool,
    /// Whether it is about mentions of the name in texts that are no code.
    pub is_mention: bool,
}

impl Note {
    pub(super) fn plain(text: impl Into<String>) -> Note {
        Note { text: text.into(), places: Vec::new(), is_doubt: false, is_mention: false }
    }

    pub(super) fn fact(text: impl Into<String>, places: Vec<Listed>) -> Note {
        Note { text: text.into(), places, is_doubt: false, is_mention: false }
    }

    pub(super) fn doubt(text: impl Into<String>, places: Vec<Listed>) -> Note {
        Note { text: text.into(), places, is_doubt: true, is_mention: false }
    }
}

/// A place, as it is listed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    /// Which file.
    pub path: RelPath,
    /// 0-based.
    pub line: u32,
    /// The line, without the white space around it.
    pub text: String,
}

/// Why nothing is renamed. Nothing was written. What can be done about a collision or a doubt is for the contracts to say:
/// not all of them have a way to rename nevertheless.
#[derive(Debug, thiserror::Error)]
pub enum RenameError {
    /// No single symbol is meant, or nobody could be asked.
    #[error(transparent)]
    Question(#[from] QuestionError),
    /// The new name will not do.
    #[error(transparent)]
    Name(#[from] NewNameError),
    /// The name is taken where the symbol is used.
    #[error("'{new_name}' is taken where '{old_name}' is declared or used")]
    Collides {
        /// The old name.
        old_name: String,
        /// The new one.
        new_name: String,
        /// What has it.
        places: Vec<Listed>,
    },
    /// It cannot be told that the edit is right.
    #[error("{why}")]
    Doubtful {
        /// What is in doubt.
        why: String,
        /// Where.
        places: Vec<Listed>,
    },
    /// It is linked to something by overriding that cannot be renamed with it, or may be.
    #[error("{why}")]
    Linked {
        /// To what.
        why: String,
        /// Where that shows.
        places: Vec<Listed>,
    },
    /// The server's edit cannot be meant.
    #[error("{server}: {problem}; nothing was written")]
    Server {
        /// Which server.
        server: String,
        /// What is wrong with it.
        problem: ServerEditError,
    },
    /// The edit was not made.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

impl RenameError {
    /// Whether a file changed while the rename was thought through.
    pub fn is_beaten(&self) -> bool {
        matches!(self, RenameError::Question(QuestionError::NoAnswer(NoAnswer::Changed { .. })))
    }

    /// The places that it is about.
    pub fn places(&self) -> &[Listed] {
        match self {
            RenameError::Collides { places, .. }
            | RenameError::Doubtful { places, .. }
            | RenameError::Linked { places, .. } => places,
            _ => &[],
        }
    }
}
