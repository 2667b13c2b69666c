//! Turns a parsed patch into operations on files, against texts that the caller reads. Invariant: every
//! operation is planned against the text as it was read; otherwise there is no plan.

use std::collections::HashMap;

use super::hunks::{HunkError, InexactHunk, edits_of};
use super::parsed::{FilePatch, Hunk, Patch};
use symd_base::{RelPath, TextEdit, TextEditError, TextEdits, TextRange};
use symd_edit::Access;

/// The options for applying a patch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PatchOptions {
    /// How many context lines at a hunk's start and end may be ignored if the hunk is not found otherwise, as
    /// in `patch`, whose default is 2; here the default is 0.
    pub fuzz: usize,
}

/// An operation on one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatchOperation {
    /// Changes the file's text, and moves it if there is a new path.
    Update {
        path: RelPath,
        /// The changes of the text that was read.
        edits: TextEdits,
        /// The path to which the file is moved.
        new_path: Option<RelPath>,
    },
    /// Creates the file.
    Add {
        path: RelPath,
        text: String,
        /// Whether the file is executable.
        access: Access,
    },
    /// Deletes the file.
    Delete { path: RelPath },
}

/// The effects of a patch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatchPlan {
    /// The operations, in the patch's order.
    pub operations: Vec<PatchOperation>,
    /// Hunks that are not where they say, or match only approximately.
    pub inexact_hunks: Vec<InexactHunk>,
    /// Further notes for the answer.
    pub notes: Vec<String>,
}

/// Why a patch cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A file that the patch changes does not exist.
    #[error("{}: there is no such file to {what}", path.as_str())]
    Missing {
        path: RelPath,
        /// The intended operation, as a verb.
        what: &'static str,
    },
    /// A file that the patch creates already exists.
    #[error("{}: the file exists already; update it instead", path.as_str())]
    Exists { path: RelPath },
    /// A file cannot be read.
    #[error("{}: {reason}", path.as_str())]
    Unreadable {
        path: RelPath,
        /// The reader's error.
        reason: String,
    },
    /// The patch changes one file in two incompatible ways.
    #[error("{}: the patch names the file twice, and not only to update it; give it in one section", path.as_str())]
    ConflictingSections { path: RelPath },
    /// A hunk cannot be applied.
    #[error(transparent)]
    Hunk(#[from] HunkError),
    /// A file to delete contains more text than the patch says.
    #[error("{}: the patch deletes the file, but would leave text in it; it is not the file the patch was made for", path.as_str())]
    NotEmptied { path: RelPath },
    /// Two hunks change the same lines.
    #[error("{}: {error}", path.as_str())]
    Overlap {
        path: RelPath,
        /// The overlap.
        error: TextEditError,
    },
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileToPatch {
    Text(String),
    /// The file is not text, for this reason. It can still be moved and deleted.
    NoText(String),
}

/// Reads a file; returns `None` if it does not exist, and the reason if it cannot be read.
pub type ReadFile<'a> = dyn FnMut(&RelPath) -> Result<Option<FileToPatch>, String> + 'a;

/// Plans `patch` against the files that `read` returns.
pub fn plan(patch: &Patch, options: PatchOptions, read: &mut ReadFile<'_>) -> Result<PatchPlan, PlanError> {
    let mut planner = Planner { options, read, files: Vec::new(), at: HashMap::new(), shifts: Vec::new() };
    for file in &patch.files {
        planner.file(file)?;
    }
    let operations = planner.files.into_iter().map(PlannedText::operation).collect::<Result<_, _>>()?;
    Ok(PatchPlan { operations, inexact_hunks: planner.shifts, notes: patch.notes.clone() })
}

/// A file that further sections may change.
enum PlannedText {
    Updated { path: RelPath, text: String, edits: Vec<TextEdit>, new_path: Option<RelPath> },
    Other(PatchOperation),
}

impl PlannedText {
    fn operation(self) -> Result<PatchOperation, PlanError> {
        match self {
            PlannedText::Other(operation) => Ok(operation),
            PlannedText::Updated { path, edits, new_path, .. } => match TextEdits::new(edits) {
                Ok(edits) => Ok(PatchOperation::Update { path, edits, new_path }),
                Err(error) => Err(PlanError::Overlap { path, error }),
            },
        }
    }
}

struct Planner<'p, 'r> {
    options: PatchOptions,
    read: &'p mut ReadFile<'r>,
    files: Vec<PlannedText>,
    /// Every path that the patch uses already, with the index of its file.
    at: HashMap<RelPath, usize>,
    shifts: Vec<InexactHunk>,
}

impl Planner<'_, '_> {
    fn file(&mut self, file: &FilePatch) -> Result<(), PlanError> {
        match file {
            FilePatch::Update { names, new_path, hunks } => self.update(names, new_path.as_ref(), hunks),
            FilePatch::Copy { path, new_path, hunks, access } => {
                let text = self.text(path, "copy")?;
                let edits = self.edits(path, &text, hunks)?;
                let text = applied(path, edits, &text)?;
                self.check_vacant(new_path)?;
                self.push(
                    new_path.clone(),
                    PatchOperation::Add { path: new_path.clone(), text, access: *access },
                )
            }
            FilePatch::Add { path, text, access } => {
                if let Some(&at) = self.at.get(path)
                    && matches!(&self.files[at], PlannedText::Other(PatchOperation::Delete { .. }))
                {
                    return self.replace_whole_text(at, path, text);
                }
                self.check_vacant(path)?;
                let (text, access) = (text.clone(), *access);
                self.push(path.clone(), PatchOperation::Add { path: path.clone(), text, access })
            }
            FilePatch::Delete { path, hunks } => {
                let found = self.found(path, "delete")?;
                if !hunks.is_empty() {
                    let text = with_text(path, found)?;
                    let edits = self.edits(path, &text, hunks)?;
                    if !applied(path, edits, &text)?.is_empty() {
                        return Err(PlanError::NotEmptied { path: path.clone() });
                    }
                }
                self.push(path.clone(), PatchOperation::Delete { path: path.clone() })
            }
        }
    }

    /// Replaces the whole text of a file that the patch first deletes and then creates; nothing else of it
    /// changes.
    fn replace_whole_text(&mut self, at: usize, path: &RelPath, text: &str) -> Result<(), PlanError> {
        let old = self.text(path, "update")?;
        let end = u32::try_from(old.len()).unwrap_or(u32::MAX);
        let whole = TextEdit { range: TextRange::new(0, end), new_text: text.to_owned() };
        self.files[at] =
            PlannedText::Updated { path: path.clone(), text: old, edits: vec![whole], new_path: None };
        Ok(())
    }

    fn update(
        &mut self,
        names: &[RelPath],
        new_path: Option<&RelPath>,
        hunks: &[Hunk],
    ) -> Result<(), PlanError> {
        if let Some(&at) = names.iter().find_map(|name| self.at.get(name)) {
            return self.update_again(at, new_path, hunks);
        }
        let (path, found) = self.first_that_exists(names)?;
        let (text, edits) = match found {
            // A file can be moved without its text.
            FileToPatch::NoText(_) if hunks.is_empty() => (String::new(), Vec::new()),
            found => {
                let text = with_text(&path, found)?;
                let edits = self.edits(&path, &text, hunks)?;
                (text, edits)
            }
        };
        let new_path = new_path.filter(|new_path| **new_path != path).cloned();
        if let Some(new_path) = &new_path {
            self.check_vacant(new_path)?;
            self.at.insert(new_path.clone(), self.files.len());
        }
        self.at.insert(path.clone(), self.files.len());
        self.files.push(PlannedText::Updated { path, text, edits, new_path });
        Ok(())
    }

    /// Adds a further section of a file that is updated: its hunks also refer to the text as it was read.
    fn update_again(
        &mut self,
        at: usize,
        new_path: Option<&RelPath>,
        hunks: &[Hunk],
    ) -> Result<(), PlanError> {
        match &mut self.files[at] {
            PlannedText::Updated { path, text, edits, new_path: None } if new_path.is_none() => {
                let (mut more, shifts) = edits_of(path, text, hunks, self.options.fuzz)?;
                edits.append(&mut more);
                self.shifts.extend(shifts);
                Ok(())
            }
            PlannedText::Updated { path, .. } => Err(PlanError::ConflictingSections { path: path.clone() }),
            PlannedText::Other(PatchOperation::Add { path, .. } | PatchOperation::Delete { path })
            | PlannedText::Other(PatchOperation::Update { path, .. }) => {
                Err(PlanError::ConflictingSections { path: path.clone() })
            }
        }
    }

    fn first_that_exists(&mut self, names: &[RelPath]) -> Result<(RelPath, FileToPatch), PlanError> {
        for (at, name) in names.iter().enumerate() {
            match self.found(name, "update") {
                Err(PlanError::Missing { .. }) if at + 1 < names.len() => {}
                found => return Ok((name.clone(), found?)),
            }
        }
        Err(PlanError::Missing { path: RelPath::root(), what: "update" })
    }

    fn edits(&mut self, path: &RelPath, text: &str, hunks: &[Hunk]) -> Result<Vec<TextEdit>, PlanError> {
        let (edits, shifts) = edits_of(path, text, hunks, self.options.fuzz)?;
        self.shifts.extend(shifts);
        Ok(edits)
    }

    fn text(&mut self, path: &RelPath, what: &'static str) -> Result<String, PlanError> {
        let found = self.found(path, what)?;
        with_text(path, found)
    }

    fn found(&mut self, path: &RelPath, what: &'static str) -> Result<FileToPatch, PlanError> {
        match (self.read)(path) {
            Ok(Some(found)) => Ok(found),
            Ok(None) => Err(PlanError::Missing { path: path.clone(), what }),
            Err(reason) => Err(PlanError::Unreadable { path: path.clone(), reason }),
        }
    }

    /// Fails if the path exists, or will exist.
    fn check_vacant(&mut self, path: &RelPath) -> Result<(), PlanError> {
        if self.at.contains_key(path) {
            return Err(PlanError::ConflictingSections { path: path.clone() });
        }
        match (self.read)(path) {
            Ok(None) => Ok(()),
            Ok(Some(_)) => Err(PlanError::Exists { path: path.clone() }),
            // The path may exist, and it may not be valid for a file at all.
            Err(reason) => Err(PlanError::Unreadable { path: path.clone(), reason }),
        }
    }

    fn push(&mut self, path: RelPath, operation: PatchOperation) -> Result<(), PlanError> {
        if self.at.insert(path.clone(), self.files.len()).is_some() {
            return Err(PlanError::ConflictingSections { path });
        }
        self.files.push(PlannedText::Other(operation));
        Ok(())
    }
}

fn with_text(path: &RelPath, found: FileToPatch) -> Result<String, PlanError> {
    match found {
        FileToPatch::Text(text) => Ok(text),
        FileToPatch::NoText(reason) => Err(PlanError::Unreadable { path: path.clone(), reason }),
    }
}

fn applied(path: &RelPath, edits: Vec<TextEdit>, text: &str) -> Result<String, PlanError> {
    let applied = TextEdits::new(edits).and_then(|edits| edits.apply(text));
    applied.map_err(|error| PlanError::Overlap { path: path.clone(), error })
}
