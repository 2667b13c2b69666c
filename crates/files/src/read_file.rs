//! Reads the text of one file, whole or some lines of it. Invariant: the text is exact: decoded, but with its
//! own line endings.

use super::tree::{FileOpError, LocateError, Tree};
use symd_base::{ContentHash, RelPath, Text};
use symd_vfs::{EntryKind, VfsError};

/// A file's text, with the hash that identifies this state of the file.
#[derive(Clone, Debug)]
pub struct FileText {
    pub path: RelPath,
    pub text: Text,
    /// The hash of the file's bytes on disk.
    pub hash: ContentHash,
}

/// Reads the file at `path`, as the client wrote it; fails if the ignore rules exclude it.
pub fn read_file(tree: &Tree<'_>, path: &str) -> Result<FileText, FileOpError> {
    let FileData { path: found, bytes } = read_bytes(tree, path)?;
    let hash = ContentHash::of(&bytes);
    let text = Text::decode(bytes).map_err(|_| FileOpError::Binary(path.to_owned()))?;
    Ok(FileText { path: found, text, hash })
}

#[derive(Clone, Debug)]
pub struct FileData {
    pub path: RelPath,
    pub bytes: Vec<u8>,
}

/// Reads the bytes of the file at `path`, as the client wrote it; fails if the ignore rules exclude it.
pub fn read_bytes(tree: &Tree<'_>, path: &str) -> Result<FileData, FileOpError> {
    let named = RelPath::new(path).map_err(LocateError::from)?;
    if let Some(bytes) = read_if_file(tree, &named) {
        return Ok(FileData { path: named, bytes });
    }
    let found = tree.locate_unignored(path)?;
    if found.kind == EntryKind::Directory {
        return Err(FileOpError::IsDirectory(path.to_owned()));
    }
    let read = match tree.files.read(&found.path) {
        Err(VfsError::NotFound { .. }) => {
            return Err(LocateError::Missing(path.to_owned()).into());
        }
        other => other?,
    };
    Ok(FileData { path: found.path, bytes: read.bytes })
}

/// Reads the bytes of `path` if it leads to a regular file that the ignore rules do not exclude and that can be read:
/// without a look at what it is, which is only needed to say why it cannot be read.
pub fn read_if_file(tree: &Tree<'_>, path: &RelPath) -> Option<Vec<u8>> {
    let is_ignored = (tree.ignored)(path, EntryKind::File);
    (!is_ignored).then(|| tree.files.read(path).ok()).flatten().map(|read| read.bytes)
}

impl FileText {
    /// Returns the number of lines, not counting an empty one behind a final line break.
    pub fn line_count(&self) -> usize {
        let text = self.text.as_str();
        self.text.line_count() - usize::from(text.is_empty() || text.ends_with(['\n', '\r']))
    }

    /// Returns lines `start` to `end` (0-based, inclusive, clipped to the file), without their line breaks.
    pub fn lines(&self, start: usize, end: usize) -> impl Iterator<Item = &str> {
        let past = end.saturating_add(1).min(self.line_count());
        (start..past).filter_map(|line| self.text.line(line))
    }

    /// Returns the exact text of lines `start` to `end` (0-based, inclusive, clipped to the file), line
    /// breaks included.
    pub fn slice(&self, start: usize, end: usize) -> &str {
        let text = self.text.as_str();
        let from = self.text.line_start(start);
        let to = self.text.line_start(end.saturating_add(1)).max(from);
        &text[from..to]
    }
}
