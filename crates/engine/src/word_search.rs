//! The search of unread files for the words that a question needs, on all processors: each file is read once, for all
//! of the words. Invariant: a file is left out only if its text lacks the words, or if a scan would find that it is
//! no file; what cannot be read is kept.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::scan::{MAX_PARSED_BYTES, Scanner};
use super::searches::{FoundWords, Searches, UnreadFile};
use symd_base::{RelPath, cores};
use symd_index::SearchedText;
use symd_vfs::VfsError;

/// Files that a worker takes at a time.
const FILES_AT_A_TIME: usize = 32;

/// A search that several workers share.
pub(super) struct WordSearch {
    pub(super) scanner: Arc<Scanner>,
    pub(super) searches: Arc<Searches>,
    pub(super) files: Vec<UnreadFile>,
    /// What is searched for, each with what earlier searches found.
    pub(super) wanted: Vec<WantedWords>,
}

/// Words that are searched for in the files that changed after an earlier search.
pub(super) struct WantedWords {
    pub(super) after: u64,
    pub(super) found: FoundWords,
}

impl WantedWords {
    /// Whether a file is to be searched for the words.
    pub(super) fn concern(&self, (path, change): &UnreadFile) -> bool {
        *change > self.after && path.is_within(&self.found.words.1)
    }
}

/// A search with its progress.
struct RunningSearch {
    search: WordSearch,
    next: AtomicUsize,
    /// Files, each with the number of the words that it holds.
    found: Mutex<Vec<(usize, RelPath)>>,
}

impl WordSearch {
    /// Returns the jobs of the search. The last of them to end calls `ended` with what was found.
    pub(super) fn jobs(
        self,
        ended: impl FnOnce(Vec<FoundWords>) + Send + 'static,
    ) -> impl Iterator<Item = impl FnOnce() + Send + 'static> {
        let jobs = cores::count().min(self.files.len().div_ceil(FILES_AT_A_TIME)).max(1);
        let running = RunningSearch { search: self, next: AtomicUsize::new(0), found: Mutex::default() };
        let shared = Arc::new(Mutex::new(Some(ended)));
        std::iter::repeat_n((Arc::new(running), shared), jobs).map(|(running, ended)| {
            move || {
                running.work();
                let Some(running) = Arc::into_inner(running) else { return };
                let ended = ended.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let Some(ended) = ended {
                    ended(running.found());
                }
            }
        })
    }
}

impl RunningSearch {
    fn work(&self) {
        let search = &self.search;
        loop {
            let first = self.next.fetch_add(FILES_AT_A_TIME, Ordering::Relaxed);
            let Some(files) = search.files.get(first..) else { return };
            if files.is_empty() || search.scanner.cancel.is_cancelled() {
                return;
            }
            let mut found = Vec::new();
            for file in files.iter().take(FILES_AT_A_TIME) {
                let held = catch_unwind(AssertUnwindSafe(|| search.held_by(file)));
                let held = held.unwrap_or_else(|_| search.concerning(file).collect());
                found.extend(held.into_iter().map(|number| (number, file.0.clone())));
            }
            self.found.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
        }
    }

    /// Returns what was found, together with what earlier searches found.
    fn found(self) -> Vec<FoundWords> {
        let mut all: Vec<FoundWords> = self.search.wanted.into_iter().map(|wanted| wanted.found).collect();
        for (number, path) in self.found.into_inner().unwrap_or_else(PoisonError::into_inner) {
            all[number].files.insert(path);
        }
        all
    }
}

impl WordSearch {
    /// Returns the numbers of the words that are searched for in a file.
    fn concerning(&self, file: &UnreadFile) -> impl Iterator<Item = usize> {
        self.wanted.iter().enumerate().filter(|(_, wanted)| wanted.concern(file)).map(|(number, _)| number)
    }

    /// Returns the numbers of the words that a file holds, or may hold.
    fn held_by(&self, file: &UnreadFile) -> Vec<usize> {
        let text = match self.text(file) {
            Ok(Some(text)) => text,
            Ok(None) => return Vec::new(),
            Err(_) => return self.concerning(file).collect(),
        };
        let text = SearchedText::new(&text);
        self.concerning(file).filter(|number| self.wanted[*number].found.words.0.match_text(&text)).collect()
    }

    /// Returns the text of a file; `None` if it is no code.
    fn text(&self, file: &UnreadFile) -> Result<Option<Arc<Vec<u8>>>, VfsError> {
        if let Some(text) = self.searches.text(file) {
            return Ok(Some(text));
        }
        if !self.scanner.may_be_code(&file.0)? {
            return Ok(None);
        }
        match self.scanner.files.read_no_follow(&file.0, MAX_PARSED_BYTES) {
            Ok(read) => {
                let text = Arc::new(read.bytes);
                self.searches.keep_text(file, text.clone());
                Ok(Some(text))
            }
            Err(VfsError::NotFound { .. } | VfsError::NotAFile { .. } | VfsError::Outside { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
