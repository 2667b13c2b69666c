//! What a client wants changed, and what it believes to be there: plain words, nothing looked at yet. Lines are 0-based,
//! ranges inclusive.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::make::MakeError;
use crate::target::SymbolSelector;
use symd_base::{ContentHash, RelPath};
use symd_rewrite::{HowMany, Indentation, ReplaceMode, patch};

/// An edit that was asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// What to change.
    pub what: What,
    /// What the client believes to be there.
    pub base: Base,
    /// What happens to an edit after which a file does not parse any more.
    pub breaking: Breaking,
    /// What happens to an edit of files that the ignore rules leave out.
    pub ignored: Ignored,
}

/// What to change.
#[derive(Clone, Debug)]
pub enum What {
    /// One symbol.
    Symbol {
        /// Which.
        wanted: SymbolSelector,
        /// How.
        act: SymbolAct,
        /// Where the given text's lines begin.
        indentation: Indentation,
    },
    /// The text of one file.
    Text {
        /// Which file, as the client wrote it.
        path: String,
        /// How.
        act: TextAct,
    },
    /// A whole file, there or not.
    Write {
        /// Which file, as the client wrote it.
        path: String,
        /// All of it, written as it is.
        content: String,
    },
    /// A file where nothing is.
    Create {
        /// Which file, as the client wrote it.
        path: String,
        /// All of it, written as it is.
        content: String,
    },
    /// Several files.
    Patch(String),
}

impl What {
    /// Refuses what its words alone show to be of no use: whatever is said here, [`super::make::make`] says too.
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

/// How a symbol changes.
#[derive(Clone, Debug)]
pub enum SymbolAct {
    /// Its text becomes this.
    Replace(String),
    /// This goes before it.
    InsertBefore(String),
    /// This goes behind it.
    InsertAfter(String),
    /// It goes.
    Delete,
}

/// How a text changes.
#[derive(Clone, Debug)]
pub enum TextAct {
    /// Occurrences of an expression become something else.
    Replace {
        /// The expression.
        needle: String,
        /// What takes its place.
        replacement: String,
        /// How both are read.
        mode: ReplaceMode,
        /// How many there may be.
        how_many: HowMany,
    },
    /// Lines go.
    DeleteLines {
        /// The first.
        start: i64,
        /// The last.
        end: i64,
    },
    /// Lines become something else.
    ReplaceLines {
        /// The first.
        start: i64,
        /// The last.
        end: i64,
        /// What takes their place.
        content: String,
    },
    /// Lines come.
    InsertAtLine {
        /// Before which line; as many as there are lines appends.
        line: i64,
        /// What comes.
        content: String,
    },
}

/// What happens to an edit after which a file does not parse any more that did before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breaking {
    /// It is refused.
    Refused,
    /// It is made.
    Allowed,
}

/// What happens to an edit of files that the ignore rules leave out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ignored {
    /// It is refused.
    #[default]
    Refused,
    /// It is made: the contract's tools know no such rule.
    Edited,
}

/// What a client believes files to hold. Without any belief the edit is made to what they hold when it is asked for.
#[derive(Clone, Default)]
pub struct Base {
    /// What it says of the one file, or of each of several.
    pub given: Option<Given>,
    /// What it was shown last of a file (links resolved).
    pub last_read: Option<Arc<LastRead>>,
}

/// Revisions that a client names: the first digits of content hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// Of the one file.
    One(String),
    /// Of each file.
    Each(BTreeMap<RelPath, String>),
}

/// The state of a file that a client knows.
pub type LastRead = dyn Fn(&RelPath) -> Option<ContentHash> + Send + Sync;

/// A file is not what the client believes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "conflict: {path} {}; nothing was written; read it again and repeat the edit{}",
    because(self),
    found.as_ref().map_or_else(String::new, |found| way_on(self, found))
)]
pub struct Stale {
    /// Which file.
    pub path: RelPath,
    /// The revision that was believed.
    pub expected: String,
    /// Whether the client named it; else it was the last that the connection read.
    pub named: Named,
    /// The revision that is there; `None` for no file.
    pub found: Option<String>,
    /// How the client can say that it knows.
    pub form: Form,
}

/// How `expect` is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A revision.
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

/// Where a belief comes from.
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
    /// Whether anything is believed at all of `path`.
    pub fn knows(&self, path: &RelPath) -> bool {
        self.belief(path).is_some()
    }

    /// Whether the client named a revision of `path`.
    pub fn is_given(&self, path: &RelPath) -> bool {
        matches!(self.belief(path), Some((_, Named::ByClient)))
    }

    /// The same, where a revision that was given alone is of the file at `path`.
    pub fn of_file(self, path: &RelPath) -> Base {
        let given = match self.given {
            Some(Given::One(revision)) => Some(Given::Each([(path.clone(), revision)].into())),
            given => given,
        };
        Base { given, ..self }
    }

    /// Holds what is there (`None` for nothing) against what is believed.
    pub fn check(&self, path: &RelPath, found: Option<ContentHash>) -> Result<(), Stale> {
        let Some((expected, named)) = self.belief(path) else { return Ok(()) };
        // A file that was read and is gone, and is made anew, takes nothing from anybody.
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
        // What is named wins over what was read.
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
