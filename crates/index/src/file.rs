//! The index entry of one file.

use std::borrow::Cow;
use std::sync::Arc;

use super::cache::Key;
use super::entry_outline::EntryOutline;
use super::outline_summaries::OutlineSummary;
use symd_base::{ContentHash, RelPath};
use symd_syntax::{Grammar, Imports, Outline, name_hash};
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
        /// Its symbols.
        outline: EntryOutline,
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
    /// Returns the outline if the file was parsed. May read it from disk, and then keeps it as long as the entry lives. A walk over all
    /// files should use [`FileEntry::holds`], [`FileEntry::imports`] or [`FileEntry::outline_once`]. `None` also if the outline cannot be
    /// read back because the file has changed since; the engine then tells the question.
    pub fn outline(&self) -> Option<&Arc<Outline>> {
        self.file_outline()?.get(&self.path)
    }

    /// Like [`FileEntry::outline`], and keeps nothing that it had to read.
    pub fn outline_once(&self) -> Option<Arc<Outline>> {
        self.file_outline()?.get_once(&self.path)
    }

    /// Whether this very outline is the file's. Reads nothing.
    pub fn has_outline(&self, outline: &Arc<Outline>) -> bool {
        let known = self.file_outline().and_then(EntryOutline::in_memory);
        known.is_some_and(|known| Arc::ptr_eq(known, outline))
    }

    /// Returns where the outline is, if the file was parsed.
    pub fn file_outline(&self) -> Option<&EntryOutline> {
        match &self.content {
            Content::Code { outline, .. } => Some(outline),
            _ => None,
        }
    }

    /// Returns the entry of the same file that has let go of its outline, of which `summary` is known; `None` if it has none.
    pub fn without_outline(&self, summary: OutlineSummary) -> Option<FileEntry> {
        let Content::Code { origin, hash, stat, .. } = self.content else { return None };
        let outline = EntryOutline::stored(summary);
        Some(FileEntry { path: self.path.clone(), content: Content::Code { origin, hash, stat, outline } })
    }

    /// Whether `name` (or, rarely, another name with the same hash) is among the identifiers.
    pub fn holds(&self, name: &str) -> bool {
        self.holds_hash(name_hash(name.as_bytes()))
    }

    /// Like [`FileEntry::holds`], by [`name_hash`].
    pub fn holds_hash(&self, hash: u32) -> bool {
        self.file_outline().is_some_and(|outline| outline.holds(hash, &self.path))
    }

    /// Like [`FileEntry::holds_hash`], without reading anything: also true of a few words that the file does not hold.
    pub(super) fn may_hold_hash(&self, hash: u32) -> bool {
        self.file_outline().is_some_and(|outline| outline.may_hold(hash))
    }

    /// Returns the imports if the file was parsed.
    pub fn imports(&self) -> Option<Cow<'_, Imports>> {
        self.file_outline().map(|outline| outline.imports(&self.path))
    }

    /// Whether the parser found text that it could not understand.
    pub fn has_errors(&self) -> bool {
        self.file_outline().is_some_and(EntryOutline::has_errors)
    }

    /// Whether the text contains types that are not rows ([`Outline::hides_types`]).
    pub fn hides_types(&self) -> bool {
        self.file_outline().is_some_and(EntryOutline::hides_types)
    }

    /// Returns the key of the outline in the cache.
    pub fn key(&self) -> Option<Key> {
        match &self.content {
            Content::Code { origin, hash, .. } => {
                Some(Key { content: *hash, fingerprint: origin.fingerprint() })
            }
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

    /// Returns the hash of its bytes; `None` if it was not parsed.
    pub fn hash(&self) -> Option<ContentHash> {
        match self.content {
            Content::Code { hash, .. } => Some(hash),
            _ => None,
        }
    }

    /// Returns how many bytes its outline takes that was read back; `None` if it was not.
    pub fn read_bytes(&self) -> Option<usize> {
        match self.file_outline()? {
            EntryOutline::Resident(_) => None,
            stored @ EntryOutline::Stored(_) => stored.in_memory().map(|outline| outline.memory()),
        }
    }

    /// Whether its outline is in memory as long as it is.
    pub(super) fn is_resident(&self) -> bool {
        matches!(self.file_outline(), Some(EntryOutline::Resident(_)))
    }

    /// Returns about how many bytes of memory it takes, without its outline.
    pub(super) fn memory(&self) -> usize {
        // A pointer to it, and two counts.
        3 * size_of::<usize>() + size_of::<FileEntry>() + self.path.as_str().len()
    }

    /// Returns the number of its symbols.
    pub fn symbol_count(&self) -> usize {
        self.file_outline().map_or(0, EntryOutline::row_count)
    }

    /// Whether both have the very same symbols, so that a name table over one is valid for the other.
    pub fn same_symbols(&self, other: &FileEntry) -> bool {
        match (self.file_outline(), other.file_outline()) {
            // What the cache keeps apart is different; one of them may be on disk.
            (Some(mine), Some(theirs)) => mine.is_same(theirs) || self.is_parsed_as(other),
            (None, None) => true,
            _ => false,
        }
    }

    /// Whether both are what one grammar makes of the same bytes.
    fn is_parsed_as(&self, other: &FileEntry) -> bool {
        self.grammar().is_some() && other.grammar().is_some() && self.key() == other.key()
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
