//! The bytes of one file, ignored or not, up to what symd reads of a file at most. Not its text.

use super::tree::{FileOpError, LocateError, Tree};
use symd_base::RelPath;
use symd_vfs::{EntryKind, MAX_FILE_BYTES, VfsError};

/// A file's bytes.
#[derive(Debug)]
pub struct Bytes {
    /// Which file.
    pub path: RelPath,
    /// Its first bytes, [`MAX_FILE_BYTES`] of them at most.
    pub bytes: Vec<u8>,
    /// How many it has.
    pub size: u64,
}

/// Reads the regular file that a client wrote as `path`.
pub fn read_bytes(tree: &Tree<'_>, path: &str) -> Result<Bytes, FileOpError> {
    let found = tree.locate(path)?;
    if found.kind == EntryKind::Directory {
        return Err(FileOpError::IsDirectory(path.to_owned()));
    }
    match tree.root.read(&found.path) {
        Ok(read) => Ok(Bytes { path: found.path, size: read.bytes.len() as u64, bytes: read.bytes }),
        Err(VfsError::TooLarge { bytes: size, .. }) => {
            let length = usize::try_from(MAX_FILE_BYTES).unwrap_or(usize::MAX);
            let bytes = tree.root.read_at(&found.path, 0, length)?.bytes;
            Ok(Bytes { path: found.path, bytes, size })
        }
        Err(VfsError::NotFound { .. }) => Err(LocateError::Missing(path.to_owned()).into()),
        Err(other) => Err(other.into()),
    }
}
