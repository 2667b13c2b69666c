//! Kotlin files with their trees, kept from one question to the next. Invariant: together they take no more
//! than [`MAX_BYTES`] and the last one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use symd_base::ContentHash;
use symd_types::kotlin::SourceFile;

/// Bytes of memory that files are kept for: some thousand files of usual size.
const MAX_BYTES: usize = 48 << 20;

/// The files that questions read last. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct KotlinFiles(Arc<Mutex<RecentFiles>>);

#[derive(Debug, Default)]
struct RecentFiles {
    files: HashMap<ContentHash, (Arc<SourceFile>, u64)>,
    bytes: usize,
    /// Counts uses, so that the file that was not used for the longest time is known.
    uses: u64,
}

impl KotlinFiles {
    /// Returns the file with this content, which `make` parses when it is not kept.
    pub(super) fn get(
        &self,
        hash: ContentHash,
        make: impl FnOnce() -> Option<SourceFile>,
    ) -> Option<Arc<SourceFile>> {
        if let Some(file) = self.locked(|recent| recent.find(hash)) {
            return Some(file);
        }
        // Without the lock: others do not wait for a parse.
        let file = Arc::new(make()?);
        self.locked(|recent| recent.keep(hash, &file));
        Some(file)
    }

    fn locked<T>(&self, work: impl FnOnce(&mut RecentFiles) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl RecentFiles {
    fn find(&mut self, hash: ContentHash) -> Option<Arc<SourceFile>> {
        self.uses += 1;
        let (file, used) = self.files.get_mut(&hash)?;
        *used = self.uses;
        Some(file.clone())
    }

    fn keep(&mut self, hash: ContentHash, file: &Arc<SourceFile>) {
        self.uses += 1;
        if self.files.insert(hash, (file.clone(), self.uses)).is_none() {
            self.bytes += file.memory();
        }
        if self.bytes > MAX_BYTES {
            self.drop_oldest_half();
        }
    }

    /// Drops the half that was not used for the longest time; one by one, each would take a search.
    fn drop_oldest_half(&mut self) {
        let mut uses: Vec<u64> = self.files.values().map(|(_, used)| *used).collect();
        uses.sort_unstable();
        let Some(&middle) = uses.get(uses.len() / 2) else { return };
        self.files.retain(|_, (_, used)| *used >= middle);
        self.bytes = self.files.values().map(|(file, _)| file.memory()).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_base::{Cancel, Text};
    use symd_syntax::{Grammar, flat_tree};

    fn file(text: &str) -> SourceFile {
        let tree = flat_tree(Grammar::named("kotlin").unwrap(), text, &Cancel::new()).unwrap();
        SourceFile::new(Text::decode(text.as_bytes().to_vec()).unwrap(), tree)
    }

    #[test]
    fn a_content_is_parsed_once_and_the_oldest_ones_go_first() {
        let files = KotlinFiles::default();
        let hash = |number: usize| ContentHash::of(&number.to_le_bytes());
        let large = format!("// {}\nval x = 1\n", "x".repeat(MAX_BYTES / 8));
        for number in 0..20 {
            let made = files.get(hash(number), || Some(file(&large)));
            let again = files.get(hash(number), || panic!("parsed again"));
            assert!(Arc::ptr_eq(&made.unwrap(), &again.unwrap()));
        }
        assert!(files.locked(|recent| recent.bytes) <= MAX_BYTES);
        assert!(files.locked(|recent| recent.find(hash(19))).is_some());
        assert!(files.locked(|recent| recent.find(hash(0))).is_none());
        assert!(files.get(hash(0), || None).is_none(), "what cannot be parsed is not kept");
    }
}
