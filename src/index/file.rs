//! What the index knows of one file.

use std::sync::Arc;

use crate::base::{ContentHash, RelPath};
use crate::syntax::{Grammar, Outline};
use crate::vfs::Stat;

/// One regular, not ignored file of the project. Replaced whole, never changed.
#[derive(Clone, Debug)]
pub struct FileEntry {
    /// Where it is.
    pub path: RelPath,
    /// What is in it, as far as symd looked.
    pub content: Content,
}

/// What is known of a file's content.
#[derive(Clone, Debug)]
pub enum Content {
    /// No language with a grammar: the file is listed and searched, never parsed.
    Plain,
    /// Parsed.
    Code {
        /// What it was parsed with.
        grammar: Grammar,
        /// The hash of the bytes that were parsed.
        hash: ContentHash,
        /// The state they were read in.
        stat: Stat,
        /// Its symbols. Two entries that share this pointer have the same symbols.
        outline: Arc<Outline>,
    },
    /// A file of a language with a grammar that gave no text to parse.
    Skipped {
        /// Why.
        why: Skipped,
        /// The state it was found in.
        stat: Stat,
    },
}

/// Why a file of a known language has no symbols. Counted in status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Skipped {
    /// It holds NUL bytes.
    Binary,
    /// It is larger than symd parses.
    TooLarge,
    /// The system refused to read it.
    Unreadable,
}

impl FileEntry {
    /// The outline, where the file was parsed.
    pub fn outline(&self) -> Option<&Arc<Outline>> {
        match &self.content {
            Content::Code { outline, .. } => Some(outline),
            _ => None,
        }
    }

    /// How many symbols it has.
    pub fn symbol_count(&self) -> usize {
        self.outline().map_or(0, |outline| outline.rows.len())
    }

    /// Whether both have the very same symbols, so that a name table over one serves the other.
    pub fn same_symbols(&self, other: &FileEntry) -> bool {
        match (self.outline(), other.outline()) {
            (Some(mine), Some(theirs)) => Arc::ptr_eq(mine, theirs),
            (None, None) => true,
            _ => false,
        }
    }

    /// The state the file was in when it was looked at; `None` for files that are never read.
    pub fn stat(&self) -> Option<Stat> {
        match self.content {
            Content::Plain => None,
            Content::Code { stat, .. } | Content::Skipped { stat, .. } => Some(stat),
        }
    }
}
