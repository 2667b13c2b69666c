//! What is asked of whoever holds the index: the snapshot, and texts with the outlines of exactly those texts.

use std::sync::Arc;

use symd_base::{ContentHash, Text};
use symd_config::Languages;
use symd_index::{FileEntry, Snapshot};
use symd_syntax::{Outline, Row};

/// Where texts come from. The engine's view of the project is one; tests have another in memory.
pub trait Sources {
    /// The index.
    fn snapshot(&self) -> &Snapshot;
    /// A file's text as it is now, with the outline of that text; `None` when it cannot be read or has no outline.
    fn current(&self, file: &FileEntry) -> Option<Current>;
    /// The languages symd knows.
    fn languages(&self) -> &Languages;
}

/// A file's text with the outline of exactly that text.
#[derive(Debug)]
pub struct Current {
    /// The text as it is on disk now.
    pub text: Text,
    /// Its symbols.
    pub outline: Arc<Outline>,
    /// The hash of its bytes.
    pub hash: ContentHash,
}

/// A declaration in the index.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its file.
    pub file: Arc<FileEntry>,
    /// Its row number in the file's outline.
    pub row: usize,
}

impl Target {
    /// The outline it stands in and its row; `None` when the file has no such row.
    pub fn row(&self) -> Option<(&Arc<Outline>, &Row)> {
        let outline = self.file.outline()?;
        Some((outline, outline.rows.get(self.row)?))
    }

    /// Its simple name; empty when the file has no such row.
    pub fn name(&self) -> &str {
        self.row().map_or("", |(outline, row)| outline.name(row))
    }
}
