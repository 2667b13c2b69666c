//! The search of unread files for the words that a question needs, on all processors. Invariant: a file is left out
//! only if its text lacks the words, or if a scan would find that it is no file; what cannot be read is kept.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::scan::{MAX_PARSED_BYTES, Scanner};
use symd_base::{RelPath, cores};
use symd_index::NeededWords;
use symd_vfs::VfsError;

/// Files that a worker takes at a time.
const FILES_AT_A_TIME: usize = 32;

/// Words, and the path at or beneath which they are searched for.
pub(super) type ScopedWords = (NeededWords, RelPath);

/// A search that several workers share.
struct WordSearch {
    scanner: Arc<Scanner>,
    files: Vec<RelPath>,
    words: Vec<ScopedWords>,
    next: AtomicUsize,
    found: Mutex<Vec<RelPath>>,
}

/// Returns the jobs of a search for any of `words` in `files`. The last of them to end calls `ended` with the
/// files to scan.
pub(super) fn search_jobs(
    scanner: Arc<Scanner>,
    files: Vec<RelPath>,
    words: Vec<ScopedWords>,
    ended: impl FnOnce(Vec<RelPath>, Vec<ScopedWords>) + Send + 'static,
) -> impl Iterator<Item = impl FnOnce() + Send + 'static> {
    let jobs = cores::count().min(files.len().div_ceil(FILES_AT_A_TIME)).max(1);
    let (next, found) = (AtomicUsize::new(0), Mutex::default());
    let search = WordSearch { scanner, files, words, next, found };
    let shared = Arc::new(Mutex::new(Some(ended)));
    std::iter::repeat_n((Arc::new(search), shared), jobs).map(|(search, ended)| {
        move || {
            search.work();
            let Some(search) = Arc::into_inner(search) else { return };
            let ended = ended.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(ended) = ended {
                ended(search.found.into_inner().unwrap_or_else(PoisonError::into_inner), search.words);
            }
        }
    })
}

impl WordSearch {
    fn work(&self) {
        loop {
            let first = self.next.fetch_add(FILES_AT_A_TIME, Ordering::Relaxed);
            let Some(files) = self.files.get(first..) else { return };
            if files.is_empty() || self.scanner.cancel.is_cancelled() {
                return;
            }
            let may_hold =
                |path: &&RelPath| catch_unwind(AssertUnwindSafe(|| self.may_hold(path))).unwrap_or(true);
            let found: Vec<RelPath> = files.iter().take(FILES_AT_A_TIME).filter(may_hold).cloned().collect();
            self.found.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
        }
    }

    fn may_hold(&self, path: &RelPath) -> bool {
        match self.scanner.may_be_code(path) {
            Ok(false) => return false,
            Ok(true) => {}
            Err(_) => return true,
        }
        match self.scanner.files.read_no_follow(path, MAX_PARSED_BYTES) {
            Ok(read) => self
                .words
                .iter()
                .any(|(words, scope)| path.is_within(scope) && words.match_bytes(&read.bytes)),
            Err(VfsError::NotFound { .. } | VfsError::NotAFile { .. } | VfsError::Outside { .. }) => false,
            Err(_) => true,
        }
    }
}
