//! An edit that a client requests, and the revisions that it expects, as plain data: nothing has been read
//! yet. Lines are 0-based, ranges inclusive.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::make::MakeError;
use crate::target::SymbolSelector;
use symd_base::{ContentHash, RelPath};
use symd_rewrite::{HowMany, Indentation, ReplaceMode, patch};

/// A requested edit.
#[derive(Clone, Debug)]
pub struct Request {
    /// What to change.
    pub what: What,
    /// The revisions that the client expects.
    pub base: Base,
    /// Whether an edit may leave a file that no longer parses.
    pub breaking: Breaking,
    /// Whether files that the ignore rules exclude may be edited.
    pub ignored: Ignored,
}

/// What to change.
#[derive(Clone, Debug)]
pub enum What {
    /// One symbol.
    Symbol {
        wanted: SymbolSelector,
        act: SymbolAct,
        /// How the given text is indented.
        indentation: Indentation,
    },
    /// The text of one file.
    Text {
        /// The path, as the client wrote it.
        path: String,
        act: TextAct,
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

impl What {
    /// Rejects what is invalid whatever the project holds; [`super::make::make`] rejects all of this too.
    pub fn check(&self) -> Result<(), MakeError> {
        match self {
            What::Symbol { wanted, .. } => Ok(wanted.check()?),
            What::Text { path, .. } | What::Write { path, .. } | What::Create { path, .. } => {
                Ok(RelPath::new(path).map(drop)?)
            }
            What::Patch(patch) => Ok(patch::parse(patch).map(drop)?),
        }
    }
}

/// The change of a symbol.
#[derive(Clone, Debug)]
pub enum SymbolAct {
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
pub enum TextAct {
    /// Replace occurrences of an expression.
    Replace {
        needle: String,
        replacement: String,
        /// How both are interpreted.
        mode: ReplaceMode,
        /// How many occurrences are allowed.
        how_many: HowMany,
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
pub enum Ignored {
    /// It is rejected.
    #[default]
    Refused,
    /// It is applied: the contract's tools have no such rule.
    Edited,
}

/// The revisions that a client expects files to have. Without an expectation, the edit applies to what the
/// files hold when it is planned.
#[derive(Clone, Default)]
pub struct Base {
    /// The revision that the client names for the one file, or for each of several.
    pub given: Option<Given>,
    /// The revision of a file (links resolved) that the client was last shown.
    pub last_read: Option<Arc<LastRead>>,
}

/// Revisions that a client names: the first digits of content hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
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
pub struct Stale {
    pub path: RelPath,
    /// The expected revision.
    pub expected: String,
    /// Whether the client named it, or it was the last one that the connection read.
    pub named: Named,
    /// The current revision; `None` if there is no file.
    pub found: Option<String>,
    /// The form in which the tool takes `expect`.
    pub form: Form,
}

/// The form in which `expect` is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A single revision.
    Alone,
    /// Revisions by path.
    ByPath,
}

fn way_on(stale: &Stale, found: &str) -> String {
    match stale.form {
        Form::Alone => format!(", or give expect: \"{found}\" to edit it as it is"),
        Form::ByPath => format!(", or give expect: {{\"{}\": \"{found}\"}} to edit it as it is", stale.path),
    }
}

/// The origin of an expected revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// The client named it.
    ByClient,
    /// It was shown to the client.
    ByReading,
}

fn because(stale: &Stale) -> String {
    let Stale { expected, named, found, .. } = stale;
    match (named, found) {
        (_, None) => "is gone".to_owned(),
        (Named::ByClient, Some(found)) => format!("has revision {found}, not {expected}"),
        (Named::ByReading, Some(found)) => {
            format!("changed since it was read here (revision {expected}, now {found})")
        }
    }
}

impl Base {
    /// Whether a revision of `path` is expected.
    pub fn knows(&self, path: &RelPath) -> bool {
        self.belief(path).is_some()
    }

    /// Whether the client named a revision of `path`.
    pub fn is_given(&self, path: &RelPath) -> bool {
        matches!(self.belief(path), Some((_, Named::ByClient)))
    }

    /// Returns the same expectations, with a revision that was given alone assigned to the file at `path`.
    pub fn of_file(self, path: &RelPath) -> Base {
        let given = match self.given {
            Some(Given::One(revision)) => Some(Given::Each([(path.clone(), revision)].into())),
            given => given,
        };
        Base { given, ..self }
    }

    /// Checks the current hash (`None` if there is no file) against the expectation.
    pub fn check(&self, path: &RelPath, found: Option<ContentHash>) -> Result<(), Stale> {
        let Some((expected, named)) = self.belief(path) else { return Ok(()) };
        // A file that was read and deleted since, and is created again, overwrites nothing.
        let is_new = found.is_none() && named == Named::ByReading;
        if is_new || found.is_some_and(|found| found.to_string().starts_with(&expected)) {
            return Ok(());
        }
        let found = found.map(|hash| hash.short());
        Err(Stale { path: path.clone(), expected, named, found, form: Form::Alone })
    }

    fn belief(&self, path: &RelPath) -> Option<(String, Named)> {
        let given = match &self.given {
            Some(Given::One(revision)) => Some(revision),
            Some(Given::Each(revisions)) => revisions.get(path),
            None => None,
        };
        if let Some(revision) = given {
            return Some((revision.to_ascii_lowercase(), Named::ByClient));
        }
        let last = self.last_read.as_ref()?(path)?;
        Some((last.short(), Named::ByReading))
    }
}

impl fmt::Debug for Base {
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
        let read = Base { given: None, last_read: Some(Arc::new(move |_: &RelPath| Some(old))) };
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
        let named = Base { given: Some(Given::One(new.short().to_uppercase())), ..read };
        assert_eq!(named.check(&path, Some(new)), Ok(()));
        assert_eq!(
            named.check(&path, None).expect_err("gone").to_string(),
            "conflict: a.py is gone; nothing was written; read it again and repeat the edit"
        );
        assert_eq!(Base::default().check(&path, Some(new)), Ok(()));
        assert!(!Base::default().knows(&path) && named.knows(&path));
    }
}
