//! Reads the bytes of one file, ignored or not, up to symd's limit on file size. Does not decode them.

use super::tree::{FileOpError, LocateError, Tree};
use symd_base::RelPath;
use symd_vfs::{EntryKind, MAX_FILE_BYTES, VfsError};

/// A file's bytes.
#[derive(Debug)]
pub struct Bytes {
    pub path: RelPath,
    /// The file's first bytes, at most [`MAX_FILE_BYTES`] of them.
    pub bytes: Vec<u8>,
    /// The size of the whole file in bytes.
    pub size: u64,
}

/// Reads the regular file at `path`, which is spelled as the client wrote it, unless it has more than `limit` bytes:
/// then nothing is read, and the error is [`VfsError::TooLarge`].
pub fn read_bytes_within(tree: &Tree<'_>, path: &str, limit: u64) -> Result<Bytes, FileOpError> {
    let found = tree.locate(path)?;
    let size = match found.kind {
        EntryKind::Directory => 0,
        _ => tree.files.stat(&found.path).map_or(0, |(_, stat)| stat.size),
    };
    if size > limit {
        return Err(VfsError::TooLarge { path: found.path, bytes: size, limit }.into());
    }
    let read = read_bytes(tree, path)?;
    match read.size > limit {
        true => Err(VfsError::TooLarge { path: read.path, bytes: read.size, limit }.into()),
        false => Ok(read),
    }
}

/// Reads the regular file at `path`, which is spelled as the client wrote it.
pub fn read_bytes(tree: &Tree<'_>, path: &str) -> Result<Bytes, FileOpError> {
    let found = tree.locate(path)?;
    if found.kind == EntryKind::Directory {
        return Err(FileOpError::IsDirectory(path.to_owned()));
    }
    match tree.files.read(&found.path) {
        Ok(read) => Ok(Bytes { path: found.path, size: read.bytes.len() as u64, bytes: read.bytes }),
        Err(VfsError::TooLarge { bytes: size, .. }) => {
            let length = usize::try_from(MAX_FILE_BYTES).unwrap_or(usize::MAX);
            let bytes = tree.files.read_at(&found.path, 0, length)?.bytes;
            Ok(Bytes { path: found.path, bytes, size })
        }
        Err(VfsError::NotFound { .. }) => Err(LocateError::Missing(path.to_owned()).into()),
        Err(other) => Err(other.into()),
    }
}
