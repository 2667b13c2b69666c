//! The texts that one step of a question has read: it looks at a file several times, and reads it once. Invariant: no text goes on to
//! the next step, which has to see what changed meanwhile.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use symd_base::{ContentHash, RelPath, Text};

/// Bytes of the texts that a step keeps at most; what it reads beyond that it reads again.
const MAX_BYTES: usize = 16 << 20;

#[derive(Debug, Default)]
pub(super) struct StepTexts(Mutex<KeptTexts>);

/// The text of a file.
#[derive(Clone, Debug)]
pub(super) struct StepText {
    pub(super) text: Text,
    /// The hash of the file's bytes, and their number.
    pub(super) hash: ContentHash,
    pub(super) length: u64,
}

#[derive(Debug, Default)]
struct KeptTexts {
    by_path: HashMap<RelPath, StepText>,
    bytes: usize,
}

impl StepTexts {
    /// Returns the text of a file that the step has read, if the file had at most `most` bytes.
    pub(super) fn get(&self, path: &RelPath, most: u64) -> Option<StepText> {
        self.locked().by_path.get(path).filter(|known| known.length <= most).cloned()
    }

    /// Keeps a text that was read, and returns the one that the step goes by: of two threads that read a file at once, the first one's.
    pub(super) fn keep(&self, path: &RelPath, read: StepText) -> StepText {
        let mut kept = self.locked();
        if let Some(known) = kept.by_path.get(path) {
            return known.clone();
        }
        let bytes = kept.bytes + read.text.as_str().len();
        if bytes <= MAX_BYTES {
            kept.bytes = bytes;
            kept.by_path.insert(path.clone(), read.clone());
        }
        read
    }

    fn locked(&self) -> MutexGuard<'_, KeptTexts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> StepText {
        let text = Text::decode(bytes.to_vec()).expect("is text");
        StepText { text, hash: ContentHash::of(bytes), length: bytes.len() as u64 }
    }

    #[test]
    fn a_step_goes_by_what_was_read_first() {
        let (texts, path) = (StepTexts::default(), RelPath::new("a.py").expect("valid"));
        let first = texts.keep(&path, read(b"a = 1\n"));
        let second = texts.keep(&path, read(b"b = 22\n"));
        assert_eq!((first.text.as_str(), second.text.as_str()), ("a = 1\n", "a = 1\n"));
        assert_eq!(second.hash, ContentHash::of(b"a = 1\n"));
    }

    #[test]
    fn the_size_of_a_file_is_that_of_its_bytes() {
        let (texts, path) = (StepTexts::default(), RelPath::new("a.py").expect("valid"));
        // UTF-16 takes twice as many bytes as its text.
        texts.keep(&path, read(b"\xFF\xFEa\0=\x001\0"));
        assert!(texts.get(&path, 8).is_some_and(|known| known.text.as_str() == "a=1"));
        assert!(texts.get(&path, 7).is_none());
    }
}
