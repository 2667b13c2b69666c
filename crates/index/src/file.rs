//! What the index knows of one file.

use std::sync::Arc;

use symd_base::{ContentHash, RelPath};
use symd_syntax::{Grammar, Outline};
use symd_vfs::Stat;

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
        /// What made its outline.
        origin: Origin,
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

/// What made an outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The parser.
    Grammar(Grammar),
    /// A language server; the number stands for its name and version.
    Server(u64),
}

impl Origin {
    /// Outlines of equal bytes and equal fingerprints are equal.
    pub fn fingerprint(self) -> u64 {
        match self {
            Origin::Grammar(grammar) => grammar.fingerprint(),
            Origin::Server(fingerprint) => fingerprint,
        }
    }
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
    /// The parser did not get through it, twice; it is not tried again.
    Unparsable,
    /// The parser takes long over it, and is still at it.
    OnTrial,
}

impl FileEntry {
    /// The outline, where the file was parsed.
    pub fn outline(&self) -> Option<&Arc<Outline>> {
        match &self.content {
            Content::Code { outline, .. } => Some(outline),
            _ => None,
        }
    }

    /// What it was parsed with; `None` where nothing was parsed, or a language server made the outline.
    pub fn grammar(&self) -> Option<Grammar> {
        match self.content {
            Content::Code { origin: Origin::Grammar(grammar), .. } => Some(grammar),
            _ => None,
        }
    }

    /// Whether it may hold symbols that are not known: it was not parsed, or not wholly understood.
    pub fn is_unsure(&self) -> bool {
        match &self.content {
            Content::Plain => false,
            Content::Code { outline, .. } => outline.has_errors,
            Content::Skipped { .. } => true,
        }
    }

    /// The hash of its bytes; `None` where it was not parsed.
    pub fn hash(&self) -> Option<ContentHash> {
        match self.content {
            Content::Code { hash, .. } => Some(hash),
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

    /// Whether both were made from the same bytes, as far as was looked: files that are never read are alike.
    pub fn same_text(&self, other: &FileEntry) -> bool {
        match (&self.content, &other.content) {
            (Content::Code { hash, .. }, Content::Code { hash: theirs, .. }) => hash == theirs,
            (Content::Plain, Content::Plain) => true,
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
