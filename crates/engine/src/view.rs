//! What a question sees: one snapshot, and the files behind it. Invariant: a text and the outline given with it
//! belong together, also when the file has changed since the snapshot was made.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::look::MAX_PARSED_BYTES;
use symd_base::{Cancel, ContentHash, RelPath, Text};
use symd_config::Languages;
use symd_index::{Content, FileEntry, Origin, Skipped, Snapshot};
use symd_parse::{Attempt, ParseError, Parsers};
pub use symd_resolve::Current;
use symd_resolve::Sources;
use symd_vfs::{EntryKind, Ignore, Root, VfsError};

/// One question's view of the project.
#[derive(Debug)]
pub struct View {
    /// The index as of the question.
    pub snapshot: Arc<Snapshot>,
    /// The door to the files.
    pub root: Arc<Root>,
    /// What is left out.
    pub ignore: Arc<Ignore>,
    /// The languages symd knows.
    pub languages: Arc<Languages>,
    /// By what texts are parsed.
    pub parsers: Parsers,
    /// Files that this question could not read though the index has them.
    pub(super) failed: Mutex<BTreeSet<RelPath>>,
}

/// Why a file's text and outline cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum CurrentError {
    /// It cannot be read.
    #[error(transparent)]
    Vfs(#[from] VfsError),
    /// It is of no language that has a grammar.
    #[error("{0} has no symbols symd can read: it is not in a language with a grammar")]
    NoOutline(RelPath),
    /// It is there, and the index has no file of that name.
    #[error(
        "{0} is not in the index: it is reached through a link, or was made just now; name the file itself, or ask again"
    )]
    NotIndexed(RelPath),
    /// It was skipped.
    #[error("{path} has no symbols symd can read: {why}")]
    Skipped {
        /// Which file.
        path: RelPath,
        /// Why, with what can be done about it.
        why: &'static str,
    },
    /// It changed, and cannot be parsed as it is now.
    #[error("{path}: {error}")]
    Unparsed {
        /// Which file.
        path: RelPath,
        /// Why.
        error: ParseError,
    },
}

impl View {
    /// Reads `file`; parses it again if it is no longer what the index holds (it changed after the question).
    pub fn current(&self, file: &FileEntry) -> Result<Current, CurrentError> {
        let answer = self.read_and_outline(file);
        // That a file is gone by now leaves nothing out.
        if let Err(CurrentError::Vfs(VfsError::Io { .. }) | CurrentError::Unparsed { .. }) = &answer {
            self.failed.lock().unwrap_or_else(PoisonError::into_inner).insert(file.path.clone());
        }
        answer
    }

    fn read_and_outline(&self, file: &FileEntry) -> Result<Current, CurrentError> {
        let no_outline = || CurrentError::NoOutline(file.path.clone());
        let (origin, hash, outline) = match &file.content {
            Content::Code { origin, hash, outline, .. } => (origin, hash, outline),
            Content::Skipped { why, .. } => return Err(skipped(file, *why)),
            Content::Plain => return Err(no_outline()),
        };
        let bytes = self.root.read_unlinked(&file.path, MAX_PARSED_BYTES)?.bytes;
        let now = ContentHash::of(&bytes);
        let text = Text::decode(bytes).map_err(|_| skipped(file, Skipped::Binary))?;
        let outline = match origin {
            _ if now == *hash => outline.clone(),
            Origin::Grammar(grammar) => {
                let parsed = match self.parsers.outline_of_file(*grammar, text.as_str(), now, &Cancel::new())
                {
                    Ok(Attempt::Parsed(outline)) => Ok(outline),
                    // The engine's own look at the change tries it out.
                    Ok(Attempt::SetAside(_)) => Err(ParseError::SetAside),
                    Err(error) => Err(error),
                };
                Arc::new(parsed.map_err(|error| CurrentError::Unparsed { path: file.path.clone(), error })?)
            }
            // Its server has not seen this text yet.
            Origin::Server(_) => return Err(CurrentError::NotIndexed(file.path.clone())),
        };
        Ok(Current { text, outline, hash: now })
    }

    /// The files of the index that this question wanted to read so far and could not read or parse, in path order. What was made of the
    /// others lacks them.
    pub fn failed(&self) -> Vec<RelPath> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Whether symd leaves `path` out.
    pub fn is_ignored(&self, path: &RelPath, kind: EntryKind) -> bool {
        self.ignore.is_ignored(path, kind)
    }

    /// Whether git leaves `path` out.
    pub fn is_git_ignored(&self, path: &RelPath, kind: EntryKind) -> bool {
        self.ignore.is_git_ignored(path, kind)
    }
}

impl Sources for View {
    fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    fn current(&self, file: &FileEntry) -> Option<Current> {
        View::current(self, file).ok()
    }

    fn languages(&self) -> &Languages {
        &self.languages
    }
}

fn skipped(file: &FileEntry, why: Skipped) -> CurrentError {
    CurrentError::Skipped { path: file.path.clone(), why: reason(why) }
}

fn reason(why: Skipped) -> &'static str {
    match why {
        Skipped::Binary => "it holds NUL bytes, so it is no text",
        Skipped::TooLarge => "it is too large to be parsed; its text can be searched",
        Skipped::Unparsable => {
            "symd's parser does not get through it (`symd status` says why; `symd index --retry` tries again); its text can be searched"
        }
        Skipped::OnTrial => {
            "symd's parser takes long over it; ask again in a few seconds (its text can be searched)"
        }
        Skipped::Unreadable => "it could not be read; permission denied? (see its mode, and `symd logs`)",
    }
}
