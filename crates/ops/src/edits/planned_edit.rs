//! What planning gives: a plan with what an answer says of it, or why there is none.

use std::collections::BTreeMap;

use super::request::RevisionConflict;
use crate::target::TargetError;
use symd_base::RelPath;
use symd_base::TextEditError;
use symd_base::cancel::Cancelled;
use symd_base::path::PathError;
use symd_edit::Plan;
use symd_engine::{CurrentError, PreparsedOutline};
use symd_files::tree::{FileOpError, LocateError};
use symd_parse::ParseError;
use symd_rewrite::{EditFault, LineError, ReplaceError, SymbolEditError, patch};
use symd_syntax::OutlineError;
use symd_vfs::VfsError;

/// A plan, and what an answer reports about it.
#[derive(Debug, Default)]
pub struct PlannedEdit {
    pub plan: Plan,
    /// The title for the history, one line.
    pub title: String,
    /// The files that the plan changes (links resolved), by path, with their proposed text; `None` for a file
    /// that would be removed.
    pub files: BTreeMap<RelPath, Option<NewText>>,
    /// Further notes for the answer.
    pub notes: Vec<String>,
    /// Number of replaced occurrences, if the request replaces occurrences.
    pub replaced: Option<usize>,
    /// What a patch does to each file, in its order.
    pub written: Vec<Written>,
    /// Whether an existing file is overwritten as a whole.
    pub overwrites: bool,
    /// Outlines of proposed texts, which the index then need not parse again.
    pub preparsed: Vec<PreparsedOutline>,
}

impl PlannedEdit {
    /// Returns the files that have a text afterwards.
    pub(super) fn written_files(&self) -> Vec<RelPath> {
        self.files.iter().filter(|(_, new)| new.is_some()).map(|(path, _)| path.clone()).collect()
    }
}

/// A text before and after an edit.
#[derive(Clone, Debug, Default)]
pub struct NewText {
    /// The current text; empty if there is no text.
    pub before: String,
    /// The proposed text.
    pub after: String,
}

/// What a patch does to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The file's path after the patch, or before it if the file is deleted.
    pub path: RelPath,
    /// The size after the patch; 0 if the file is deleted.
    pub bytes: usize,
    /// Whether the patch creates the file.
    pub created: bool,
}

/// Why no plan could be made. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum PlanningError {
    /// The path is invalid, or the file cannot be read.
    #[error(transparent)]
    File(#[from] FileOpError),
    /// The selector does not identify a single symbol.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The symbol cannot be edited that way.
    #[error(transparent)]
    Symbol(#[from] SymbolEditError),
    /// The file's text and outline are not available.
    #[error(transparent)]
    Current(#[from] CurrentError),
    /// A language server made the outline; its ranges are not exact enough for edits.
    #[error("symd has no grammar for {0} and cannot edit its symbols; use replace_content or the line tools")]
    NoGrammar(RelPath),
    /// The lines do not exist.
    #[error(transparent)]
    Lines(#[from] LineError),
    /// The expression does not occur, or not as required.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// The patch cannot be parsed.
    #[error(transparent)]
    PatchText(#[from] patch::PatchParseError),
    /// The patch does not apply.
    #[error(transparent)]
    Patch(#[from] patch::PlanError),
    /// A patch names one file by two paths.
    #[error(
        "{first} and {second} are one file ({file}); nothing was written; give its changes under one name"
    )]
    OneFile {
        /// The path that comes first in the patch.
        first: RelPath,
        /// The other path.
        second: RelPath,
        /// The file, links resolved.
        file: RelPath,
    },
    /// The edits do not fit the text: a bug in symd.
    #[error(transparent)]
    Edits(#[from] TextEditError),
    /// A file does not have the revision that the client expects.
    #[error(transparent)]
    Stale(#[from] RevisionConflict),
    /// The file changed while the edit was planned.
    #[error("conflict: {0} changed while it was read; nothing was written; repeat the edit")]
    Changing(RelPath),
    /// The result would not parse, or would damage what surrounds the edit.
    #[error("{path}: {fault}; nothing was written; correct the text, or give force: true")]
    Breaks { path: RelPath, fault: Box<EditFault> },
    /// The parser fails on the result.
    #[error(
        "{path}: the new text cannot be checked: {error}; nothing was written; make it smaller or simpler, or give force: true"
    )]
    Unparsable { path: RelPath, error: ParseError },
    /// The client disconnected or cancelled the request.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl From<LocateError> for PlanningError {
    fn from(error: LocateError) -> PlanningError {
        FileOpError::from(error).into()
    }
}

impl From<PathError> for PlanningError {
    fn from(error: PathError) -> PlanningError {
        LocateError::from(error).into()
    }
}

impl From<VfsError> for PlanningError {
    fn from(error: VfsError) -> PlanningError {
        FileOpError::from(error).into()
    }
}

impl From<OutlineError> for PlanningError {
    fn from(error: OutlineError) -> PlanningError {
        SymbolEditError::from(error).into()
    }
}
