//! What texts were parsed to, kept from one question to the next. Invariant: together the parses of a kind take no more than
//! [`MAX_BYTES`] and the last one; what several kinds take adds up.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use symd_base::ContentHash;
use symd_syntax::{Grammar, LocalBindings, Outline};
use symd_types::kotlin::SourceFile;

/// Bytes of memory that the parses of one kind are kept for: some thousand files of usual size.
const MAX_BYTES: usize = 48 << 20;

/// The parses that questions used last. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct RecentParses {
    pub(super) kotlin_files: ParseCache<SourceFile>,
    pub(super) locals: ParseCache<LocalBindings>,
    /// Outlines with the types that outlines hide.
    pub(super) whole_outlines: ParseCache<Outline>,
}

impl RecentParses {
    /// Returns how many bytes of memory all of them take.
    pub(super) fn memory(&self) -> usize {
        self.kotlin_files.memory() + self.locals.memory() + self.whole_outlines.memory()
    }
}

/// A parse that can be kept.
pub(super) trait ParseSize {
    /// Returns about how many bytes of memory it takes.
    fn memory(&self) -> usize;
}

impl ParseSize for SourceFile {
    fn memory(&self) -> usize {
        SourceFile::memory(self)
    }
}

impl ParseSize for Outline {
    fn memory(&self) -> usize {
        Outline::memory(self)
    }
}

impl ParseSize for LocalBindings {
    fn memory(&self) -> usize {
        LocalBindings::memory(self)
    }
}

/// Parses of one kind, by their content and grammar.
#[derive(Debug)]
pub(super) struct ParseCache<T>(Arc<Mutex<KeptParses<T>>>);

impl<T> Clone for ParseCache<T> {
    fn clone(&self) -> ParseCache<T> {
        ParseCache(self.0.clone())
    }
}

impl<T> Default for ParseCache<T> {
    fn default() -> ParseCache<T> {
        ParseCache(Arc::new(Mutex::new(KeptParses { parses: HashMap::new(), bytes: 0, uses: 0 })))
    }
}

type ParseKey = (ContentHash, Grammar);

#[derive(Debug)]
struct KeptParses<T> {
    parses: HashMap<ParseKey, (Arc<T>, u64)>,
    bytes: usize,
    /// Counts uses, so that the parse that was not used for the longest time is known.
    uses: u64,
}

impl<T: ParseSize> ParseCache<T> {
    /// Returns the parse of this content, which `make` makes when it is not kept.
    pub(super) fn get(
        &self,
        hash: ContentHash,
        grammar: Grammar,
        make: impl FnOnce() -> Option<T>,
    ) -> Option<Arc<T>> {
        let key = (hash, grammar);
        if let Some(parse) = self.locked(|kept| kept.find(key)) {
            return Some(parse);
        }
        // Without the lock: others do not wait for a parse.
        let parse = Arc::new(make()?);
        self.locked(|kept| kept.keep(key, &parse));
        Some(parse)
    }

    fn memory(&self) -> usize {
        self.locked(|kept| kept.bytes)
    }

    fn locked<R>(&self, work: impl FnOnce(&mut KeptParses<T>) -> R) -> R {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T: ParseSize> KeptParses<T> {
    fn find(&mut self, key: ParseKey) -> Option<Arc<T>> {
        self.uses += 1;
        let (parse, used) = self.parses.get_mut(&key)?;
        *used = self.uses;
        Some(parse.clone())
    }

    fn keep(&mut self, key: ParseKey, parse: &Arc<T>) {
        self.uses += 1;
        if self.parses.insert(key, (parse.clone(), self.uses)).is_none() {
            self.bytes += parse.memory();
        }
        if self.bytes > MAX_BYTES {
            self.drop_oldest_half();
        }
    }

    /// Drops the half that was not used for the longest time; one by one, each would take a search.
    fn drop_oldest_half(&mut self) {
        let mut uses: Vec<u64> = self.parses.values().map(|(_, used)| *used).collect();
        uses.sort_unstable();
        let Some(&middle) = uses.get(uses.len() / 2) else { return };
        self.parses.retain(|_, (_, used)| *used >= middle);
        self.bytes = self.parses.values().map(|(parse, _)| parse.memory()).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_base::{Cancel, Text};
    use symd_syntax::flat_tree;

    fn file(text: &str) -> SourceFile {
        let tree = flat_tree(Grammar::named("kotlin").unwrap(), text, &Cancel::new()).unwrap();
        SourceFile::new(Text::decode(text.as_bytes().to_vec()).unwrap(), tree)
    }

    #[test]
    fn a_content_is_parsed_once_and_the_oldest_ones_go_first() {
        let (files, grammar) = (ParseCache::default(), Grammar::named("kotlin").unwrap());
        let hash = |number: usize| ContentHash::of(&number.to_le_bytes());
        let large = format!("// {}\nval x = 1\n", "x".repeat(MAX_BYTES / 8));
        for number in 0..20 {
            let made = files.get(hash(number), grammar, || Some(file(&large)));
            let again = files.get(hash(number), grammar, || panic!("parsed again"));
            assert!(Arc::ptr_eq(&made.unwrap(), &again.unwrap()));
        }
        assert!(files.locked(|kept| kept.bytes) <= MAX_BYTES);
        assert!(files.locked(|kept| kept.find((hash(19), grammar))).is_some());
        assert!(files.locked(|kept| kept.find((hash(0), grammar))).is_none());
        assert!(files.get(hash(0), grammar, || None).is_none(), "what cannot be parsed is not kept");
    }
}
