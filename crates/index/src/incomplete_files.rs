//! The files of languages with a grammar whose symbols are not all known, by the reason. Each question iterates over them, so their
//! entries are kept here, too, and not looked up by path. Invariant: the entries are those of the index.

use std::sync::Arc;

use super::file::{Content, FileEntry};
use super::files::FileMap;
use symd_base::RelPath;

/// Such files of one index. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct IncompleteFiles {
    /// Those that were not parsed.
    pub(super) skipped: FileMap,
    /// Those in which the parser met text that it could not understand.
    pub(super) broken: FileMap,
}

impl IncompleteFiles {
    /// Takes up a file that the index has now, or drops it if all its symbols are known.
    pub(super) fn note(&mut self, entry: &Arc<FileEntry>) {
        let (is_skipped, is_broken) = match &entry.content {
            Content::Plain => (false, false),
            Content::Code { outline, .. } => (false, outline.has_errors()),
            Content::Skipped { .. } | Content::Unread => (true, false),
        };
        set(&mut self.skipped, entry, is_skipped);
        set(&mut self.broken, entry, is_broken);
    }

    /// Drops a file that the index no longer has.
    pub(super) fn remove(&mut self, path: &RelPath) {
        self.skipped.remove(path.as_str());
        self.broken.remove(path.as_str());
    }
}

fn set(files: &mut FileMap, entry: &Arc<FileEntry>, is_listed: bool) {
    if is_listed {
        files.insert(entry.clone());
    } else {
        files.remove(entry.path.as_str());
    }
}
