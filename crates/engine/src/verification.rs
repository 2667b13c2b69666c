//! The files that were taken with a recorded state and whose bytes were not read yet.

use symd_base::{ContentHash, RelPath};
use symd_index::FileEntry;

/// A file that was taken with a recorded state. Without its entry, which may keep an outline in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnverifiedFile {
    pub(super) path: RelPath,
    pub(super) hash: ContentHash,
}

/// What a file's bytes are found to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VerifiedBytes {
    AsRecorded,
    Others,
    /// They cannot be read, of which no event will tell.
    Unreadable,
}

/// What is verified, and what came of it.
#[derive(Debug, Default)]
pub(super) struct Verification {
    waiting: Vec<UnverifiedFile>,
    /// Number of files in the pool's jobs.
    in_jobs: usize,
    /// Number of files that were taken with a recorded state.
    pub(super) taken: usize,
    /// Number of those whose bytes were others.
    pub(super) corrected: usize,
}

impl Verification {
    /// Adds a file that was taken with a recorded state.
    pub(super) fn add(&mut self, entry: &FileEntry) {
        let Some(hash) = entry.hash() else { return };
        self.taken += 1;
        self.waiting.push(UnverifiedFile { path: entry.path.clone(), hash });
    }

    /// Returns files for a job, at most `most`; `None` if no file waits.
    pub(super) fn begin(&mut self, most: usize) -> Option<Vec<UnverifiedFile>> {
        let chunk = self.waiting.split_off(self.waiting.len().saturating_sub(most));
        self.in_jobs += chunk.len();
        if self.waiting.is_empty() {
            // It held every file.
            self.waiting = Vec::new();
        }
        (!chunk.is_empty()).then_some(chunk)
    }

    /// Ends a job of `count` files, which did not come to `unread`.
    pub(super) fn end(&mut self, count: usize, unread: Vec<UnverifiedFile>) {
        self.in_jobs -= count;
        self.waiting.extend(unread);
    }

    /// Returns the number of files whose bytes were not read yet.
    pub(super) fn left(&self) -> usize {
        self.waiting.len() + self.in_jobs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_files_that_are_verified_takes_no_memory() {
        let file = |number: u32| {
            let path = RelPath::new(&format!("{number}.py")).expect("a path");
            UnverifiedFile { path, hash: ContentHash::of(&number.to_le_bytes()) }
        };
        let mut verification = Verification::default();
        verification.waiting.extend((0..1_000).map(file));
        let mut count = 0;
        while let Some(files) = verification.begin(64) {
            count += files.len();
        }
        assert_eq!((count, verification.left(), verification.waiting.capacity()), (1_000, 1_000, 0));
        verification.end(1_000, vec![file(7)]);
        assert_eq!(verification.begin(64), Some(vec![file(7)]));
    }
}
