//! The texts that one step of a question has read: it looks at a file several times, and reads it once. Invariant: no text goes on to
//! the next step, which has to see what changed meanwhile.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use symd_base::{ContentHash, RelPath, Text};

/// Bytes of the texts that a step keeps at most; what it reads beyond that it reads again.
const MAX_BYTES: usize = 16 << 20;

#[derive(Debug, Default)]
pub(super) struct StepTexts(Mutex<KeptTexts>);

#[derive(Debug, Default)]
struct KeptTexts {
    /// Each with the hash of the file's bytes.
    by_path: HashMap<RelPath, Arc<(Text, ContentHash)>>,
    bytes: usize,
}

impl StepTexts {
    /// Returns the text of a file that the step has read, with the hash of the file's bytes.
    pub(super) fn get(&self, path: &RelPath) -> Option<(Text, ContentHash)> {
        let known = self.locked(|kept| kept.by_path.get(path).cloned())?;
        Some((known.0.clone(), known.1))
    }

    pub(super) fn keep(&self, path: &RelPath, text: &Text, hash: ContentHash) {
        let kept_text = Arc::new((text.clone(), hash));
        self.locked(|kept| {
            let bytes = kept.bytes + text.as_str().len();
            // Of two threads that read it at once, the first one's is what the step goes by.
            if bytes <= MAX_BYTES && !kept.by_path.contains_key(path) {
                kept.bytes = bytes;
                kept.by_path.insert(path.clone(), kept_text);
            }
        });
    }

    fn locked<R>(&self, work: impl FnOnce(&mut KeptTexts) -> R) -> R {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
