//! An edit that a client requests, and the revisions that it expects, as plain data: nothing has been read
//! yet. Lines are 0-based, ranges inclusive.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::planned_edit::PlanningError;
use crate::target::SymbolSelector;
use symd_base::{ContentHash, RelPath};
use symd_rewrite::{ExpectedCount, Indentation, ReplaceMode, patch};

/// A requested edit.
#[derive(Clone, Debug)]
pub struct Request {
    /// What to change.
    pub what: EditAction,
    /// The revisions that the client expects.
    pub base: ExpectedRevisions,
    /// Whether an edit may leave a file that no longer parses.
    pub breaking: Breaking,
    /// Whether files that the ignore rules exclude may be edited.
    pub ignored: IgnoredEdits,
}

/// What to change.
#[derive(Clone, Debug)]
pub enum EditAction {
    /// One symbol.
    Symbol {
        wanted: SymbolSelector,
        act: SymbolAction,
        /// How the given text is indented.
        indentation: Indentation,
    },
    /// The text of one file.
    Text {
        /// The path, as the client wrote it.
        path: String,
        act: TextAction,
    },
    /// A whole file, which may exist or not.
    Write {
        /// The path, as the client wrote it.
        path: String,
        /// The whole content, written as it is.
        content: String,
    },
    /// A file where nothing exists.
    Create {
        /// The path, as the client wrote it.
        path: String,
        /// The whole content, written as it is.
        content: String,
    },
    /// Several files, by a patch.
    Patch(String),
}

impl EditAction {
    /// Rejects what is invalid whatever the project holds; [`super::planning::plan_edit`] rejects all of this too.
    pub fn check(&self) -> Result<(), PlanningError> {
        match self {
            EditAction::Symbol { wanted, .. } => Ok(wanted.check()?),
            EditAction::Text { path, .. }
            | EditAction::Write { path, .. }
            | EditAction::Create { path, .. } => Ok(RelPath::new(path).map(drop)?),
            EditAction::Patch(patch) => Ok(patch::parse(patch).map(drop)?),
        }
    }
}

/// The change of a symbol.
#[derive(Clone, Debug)]
pub enum SymbolAction {
    /// Replace its text by this.
    Replace(String),
    /// Insert this before it.
    InsertBefore(String),
    /// Insert this after it.
    InsertAfter(String),
    /// Delete it.
    Delete,
}

/// The change of a text.
#[derive(Clone, Debug)]
pub enum TextAction {
    /// Replace occurrences of an expression.
    Replace {
        needle: String,
        replacement: String,
        /// How both are interpreted.
        mode: ReplaceMode,
        /// How many occurrences are allowed.
        how_many: ExpectedCount,
    },
    /// Delete lines.
    DeleteLines {
        /// The first line.
        start: i64,
        /// The last line.
        end: i64,
    },
    /// Replace lines.
    ReplaceLines {
        /// The first line.
        start: i64,
        /// The last line.
        end: i64,
        /// The new lines.
        content: String,
    },
    /// Insert lines.
    InsertAtLine {
        /// The line to insert before; the number of lines of the text appends.
        line: i64,
        /// The inserted lines.
        content: String,
    },
}

/// What happens to an edit after which a file that parsed before no longer parses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breaking {
    /// It is rejected.
    Refused,
    /// It is applied.
    Allowed,
}

/// What happens to an edit of files that the ignore rules exclude.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IgnoredEdits {
    /// It is rejected, and none is created: no tool that reads would show it.
    #[default]
    Refused,
    /// It is rejected; one may be created.
    Created,
    /// It is applied: the contract's tools have no such rule.
    Edited,
}

/// The revisions that a client expects files to have. Without an expectation, the edit applies to what the
/// files hold when it is planned.
#[derive(Clone, Default)]
pub struct ExpectedRevisions {
    /// The revision that the client names for the one file, or for each of several.
    pub given: Option<NamedRevisions>,
    /// The revision of a file (links resolved) that the client was last shown.
    pub last_read: Option<Arc<LastRead>>,
}

/// Revisions that a client names: the first digits of content hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedRevisions {
    /// The revision of the one file.
    One(String),
    /// The revision of each file.
    Each(BTreeMap<RelPath, String>),
}

/// Returns the state of a file that a client was shown.
pub type LastRead = dyn Fn(&RelPath) -> Option<ContentHash> + Send + Sync;

/// A file does not have the revision that the client expects.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "conflict: {path} {}; nothing was written; read it again and repeat the edit{}",
    because(self),
    found.as_ref().map_or_else(String::new, |found| way_on(self, found))
)]
pub struct RevisionConflict {
    pub path: RelPath,
    /// The expected revision.
    pub expected: String,
    /// Whether the client named it, or it was the last one that the connection read.
    pub named: ExpectationSource,
    /// The current revision; `None` if there is no file.
    pub found: Option<String>,
    /// The form in which the tool takes `expect`.
    pub form: ExpectForm,
}

/// The form in which `expect` is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectForm {
    /// A single revision.
    Alone,
    /// Revisions by path.
    ByPath,
}

fn way_on(stale: &RevisionConflict, found: &str) -> String {
    match stale.form {
        ExpectForm::Alone => format!(", or give expect: \"{found}\" to edit it as it is"),
        ExpectForm::ByPath => {
            format!(", or give expect: {{\"{}\": \"{found}\"}} to edit it as it is", stale.path)
        }
    }
}

/// The origin of an expected revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectationSource {
    /// The client named it.
    ByClient,
    /// It was shown to the client.
    ByReading,
}

fn because(stale: &RevisionConflict) -> String {
    let RevisionConflict { expected, named, found, .. } = stale;
    match (named, found) {
        (_, None) => "is gone".to_owned(),
        (ExpectationSource::ByClient, Some(found)) => format!("has revision {found}, not {expected}"),
        (ExpectationSource::ByReading, Some(found)) => {
            format!("changed since it was read here (revision {expected}, now {found})")
        }
    }
}

impl ExpectedRevisions {
    /// Whether a revision of `path` is expected.
    pub fn has_expectation(&self, path: &RelPath) -> bool {
        self.expectation(path).is_some()
    }

    /// Whether the client named a revision of `path`.
    pub fn is_given(&self, path: &RelPath) -> bool {
        matches!(self.expectation(path), Some((_, ExpectationSource::ByClient)))
    }

    /// Returns the same expectations, with a revision that was given alone assigned to the file at `path`.
    pub fn of_file(self, path: &RelPath) -> ExpectedRevisions {
        let given = match self.given {
            Some(NamedRevisions::One(revision)) => {
                Some(NamedRevisions::Each([(path.clone(), revision)].into()))
            }
            given => given,
        };
        ExpectedRevisions { given, ..self }
    }

    /// Checks the current hash (`None` if there is no file) against the expectation.
    pub fn check(&self, path: &RelPath, found: Option<ContentHash>) -> Result<(), RevisionConflict> {
        let Some((expected, named)) = self.expectation(path) else { return Ok(()) };
        // A file that was read and deleted since, and is created again, overwrites nothing.
        let is_new = found.is_none() && named == ExpectationSource::ByReading;
        if is_new || found.is_some_and(|found| found.to_string().starts_with(&expected)) {
            return Ok(());
        }
        let found = found.map(|hash| hash.short());
        Err(RevisionConflict { path: path.clone(), expected, named, found, form: ExpectForm::Alone })
    }

    fn expectation(&self, path: &RelPath) -> Option<(String, ExpectationSource)> {
        let given = match &self.given {
            Some(NamedRevisions::One(revision)) => Some(revision),
            Some(NamedRevisions::Each(revisions)) => revisions.get(path),
            None => None,
        };
        if let Some(revision) = given {
            return Some((revision.to_ascii_lowercase(), ExpectationSource::ByClient));
        }
        let last = self.last_read.as_ref()?(path)?;
        Some((last.short(), ExpectationSource::ByReading))
    }
}

impl fmt::Debug for ExpectedRevisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reads = if self.last_read.is_some() { ", last read" } else { "" };
        write!(f, "Base({:?}{reads})", self.given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_believed_is_held_against_what_is_there() {
        let path = RelPath::new("a.py").expect("valid");
        let (old, new) = (ContentHash::of(b"old"), ContentHash::of(b"new"));
        let read = ExpectedRevisions { given: None, last_read: Some(Arc::new(move |_: &RelPath| Some(old))) };
        assert_eq!(read.check(&path, Some(old)), Ok(()));
        assert_eq!(read.check(&path, None), Ok(()));
        assert_eq!(
            read.check(&path, Some(new)).expect_err("changed").to_string(),
            format!(
                "conflict: a.py changed since it was read here (revision {}, now {}); nothing was written; read it \
                 again and repeat the edit, or give expect: \"{1}\" to edit it as it is",
                old.short(),
                new.short()
            )
        );
        // A named revision takes precedence over one that was read.
        let named =
            ExpectedRevisions { given: Some(NamedRevisions::One(new.short().to_uppercase())), ..read };
        assert_eq!(named.check(&path, Some(new)), Ok(()));
        assert_eq!(
            named.check(&path, None).expect_err("gone").to_string(),
            "conflict: a.py is gone; nothing was written; read it again and repeat the edit"
        );
        assert_eq!(ExpectedRevisions::default().check(&path, Some(new)), Ok(()));
        assert!(!ExpectedRevisions::default().has_expectation(&path) && named.has_expectation(&path));
    }
}
