//! Which files may hold the words that an answer needs, judged by their bytes. For files whose words the index does not have.
//! Invariant: a file that cannot be read may hold anything.

use std::sync::Arc;

use super::kept_plain::PlainFile;
use super::view::View;
use symd_base::RelPath;
use symd_index::{Content, NeededWords};
use symd_vfs::{MAX_FILE_BYTES, VfsError};

/// Bytes read from the start of a file that is too large to be read whole; a NUL byte among them shows that
/// it is not source.
const HEAD_BYTES: usize = 8 << 10;

/// Whether a file may hold words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordsHeld {
    Possible,
    /// It lacks them.
    Absent,
    /// It lacks them until a change of it is told: it has no other name through which it may be written.
    AbsentUntilChanged,
}

impl View {
    /// Whether the file at `path` may contain all of the words. Reads it.
    pub fn may_hold(&self, path: &RelPath, words: &NeededWords) -> bool {
        self.words_held(path, words) == WordsHeld::Possible
    }

    /// Returns the listed files that have no outline, in languages without a grammar, in path order. Needs nothing of unread files.
    pub fn plain_files(&self) -> Arc<[PlainFile]> {
        let of_plain_language = |path: &RelPath| {
            let language = self.languages.language_of(path)?;
            self.languages.get(language).grammar.is_none().then(|| (path.clone(), language))
        };
        let files = &self.snapshot.files;
        let known = self.plain.files(self.plain_set_changes, &self.languages, || {
            let plain =
                files.known_within(&RelPath::root()).filter(|file| matches!(file.content, Content::Plain));
            plain.filter_map(|file| of_plain_language(&file.path)).collect()
        });
        let unread = files.unread().into_iter().flat_map(|unread| unread.within(&RelPath::root()));
        let mut all: Vec<PlainFile> = unread.filter_map(|file| of_plain_language(&file.path)).collect();
        if all.is_empty() {
            return known;
        }
        all.extend(known.iter().cloned());
        all.sort();
        all.into()
    }

    /// Removes the files that lack some of the words. A file that was found to lack them is not read again for the same words until it
    /// changes.
    pub fn retain_holding(&self, files: &mut Vec<PlainFile>, words: &NeededWords) {
        self.plain.remove_lacking(words, files);
        let mut lacking = Vec::new();
        files.retain(|(path, _)| {
            let held = self.words_held(path, words);
            if held == WordsHeld::AbsentUntilChanged {
                lacking.push(path.clone());
            }
            held == WordsHeld::Possible
        });
        self.plain.keep_lacking(words, self.plain_changes, lacking);
    }

    fn words_held(&self, path: &RelPath, words: &NeededWords) -> WordsHeld {
        match self.files.read_no_follow(path, MAX_FILE_BYTES) {
            Ok(read) if words.match_bytes(&read.bytes) => WordsHeld::Possible,
            Ok(read) if read.stat.links == 1 => WordsHeld::AbsentUntilChanged,
            Err(VfsError::TooLarge { .. }) => {
                let head = self.files.read_at(path, 0, HEAD_BYTES);
                match head.is_ok_and(|head| head.bytes.contains(&0)) {
                    true => WordsHeld::Absent,
                    false => WordsHeld::Possible,
                }
            }
            Ok(_) | Err(VfsError::NotFound { .. } | VfsError::NotAFile { .. }) => WordsHeld::Absent,
            Err(_) => WordsHeld::Possible,
        }
    }
}
