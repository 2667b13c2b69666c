//! The index entry of one file.

use std::sync::Arc;

use symd_base::{ContentHash, RelPath};
use symd_syntax::{Grammar, Outline};
use symd_vfs::Stat;

/// One regular file of the project that is not ignored. Replaced whole, never changed.
#[derive(Clone, Debug)]
pub struct FileEntry {
    pub path: RelPath,
    pub content: Content,
}

/// What is known of a file's content.
#[derive(Clone, Debug)]
pub enum Content {
    /// A file of no language with a grammar: listed and searched, never parsed.
    Plain,
    /// A parsed file.
    Code {
        /// What produced its outline.
        origin: Origin,
        /// The hash of the bytes that were parsed.
        hash: ContentHash,
        /// The file's state when they were read.
        stat: Stat,
        /// Its symbols. Two entries that share this pointer have the same symbols.
        outline: Arc<Outline>,
    },
    /// A file of a language with a grammar that could not be parsed.
    Skipped {
        why: Skipped,
        /// The file's state when it was examined.
        stat: Stat,
    },
    /// A file that was listed and not examined yet: only questions that need nothing of it see it
    /// ([`crate::UnreadFiles`]).
    Unread,
}

/// What produced an outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The parser.
    Grammar(Grammar),
    /// A language server; the number identifies its name and version.
    Server(u64),
}

impl Origin {
    /// Returns the fingerprint: outlines of equal bytes with equal fingerprints are equal.
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
    /// A file that contains NUL bytes.
    Binary,
    /// A file that is larger than symd parses.
    TooLarge,
    /// A file that the system did not let symd read.
    Unreadable,
    /// A file on which the parser failed twice; it is not tried again.
    Unparsable,
    /// A file that takes long to parse and is still being parsed.
    StillParsing,
}

impl FileEntry {
    /// Returns the outline if the file was parsed.
    pub fn outline(&self) -> Option<&Arc<Outline>> {
        match &self.content {
            Content::Code { outline, .. } => Some(outline),
            _ => None,
        }
    }

    /// Returns the grammar of the outline; `None` if nothing was parsed, or a language server provided the
    /// outline.
    pub fn grammar(&self) -> Option<Grammar> {
        match self.content {
            Content::Code { origin: Origin::Grammar(grammar), .. } => Some(grammar),
            _ => None,
        }
    }

    /// Whether the file may contain symbols that are not known: it was not parsed, or the parser found
    /// errors.
    pub fn may_lack_symbols(&self) -> bool {
        match &self.content {
            Content::Plain => false,
            Content::Code { outline, .. } => outline.has_errors,
            Content::Skipped { .. } | Content::Unread => true,
        }
    }

    /// Returns the hash of its bytes; `None` if it was not parsed.
    pub fn hash(&self) -> Option<ContentHash> {
        match self.content {
            Content::Code { hash, .. } => Some(hash),
            _ => None,
        }
    }

    /// Returns about how many bytes of memory it takes, without its outline.
    pub(super) fn memory(&self) -> usize {
        // A pointer to it, and two counts.
        3 * size_of::<usize>() + size_of::<FileEntry>() + self.path.as_str().len()
    }

    /// Returns the number of its symbols.
    pub fn symbol_count(&self) -> usize {
        self.outline().map_or(0, |outline| outline.rows.len())
    }

    /// Whether both have the very same symbols, so that a name table over one is valid for the other.
    pub fn same_symbols(&self, other: &FileEntry) -> bool {
        match (self.outline(), other.outline()) {
            (Some(mine), Some(theirs)) => Arc::ptr_eq(mine, theirs),
            (None, None) => true,
            _ => false,
        }
    }

    /// Whether both were created from the same bytes, as far as is known: files that are never read count as
    /// equal.
    pub fn same_text(&self, other: &FileEntry) -> bool {
        match (&self.content, &other.content) {
            (Content::Code { hash, .. }, Content::Code { hash: theirs, .. }) => hash == theirs,
            (Content::Plain, Content::Plain) => true,
            _ => false,
        }
    }

    /// Returns the file's state when it was examined; `None` for files that are never read.
    pub fn stat(&self) -> Option<Stat> {
        match self.content {
            Content::Plain | Content::Unread => None,
            Content::Code { stat, .. } | Content::Skipped { stat, .. } => Some(stat),
        }
    }
}
