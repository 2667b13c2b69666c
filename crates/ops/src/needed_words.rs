//! Whether a file may hold the words that an answer needs, judged by its bytes. Invariant: a file that cannot be
//! read may hold anything.

use symd_base::RelPath;
use symd_engine::View;
pub use symd_index::NeededWords;
use symd_vfs::{MAX_FILE_BYTES, VfsError};

/// Bytes read from the start of a file that is too large to be read whole; a NUL byte among them shows that
/// it is not source.
const HEAD_BYTES: usize = 8 << 10;

/// Whether the file at `path` may contain all of the words.
pub(crate) fn may_hold(view: &View, path: &RelPath, needed: &NeededWords) -> bool {
    match view.files.read_no_follow(path, MAX_FILE_BYTES) {
        Ok(read) => needed.match_bytes(&read.bytes),
        Err(VfsError::TooLarge { .. }) => {
            let head = view.files.read_at(path, 0, HEAD_BYTES);
            head.map_or(true, |head| memchr::memchr(0, &head.bytes).is_none())
        }
        Err(VfsError::NotFound { .. } | VfsError::NotAFile { .. }) => false,
        Err(_) => true,
    }
}
