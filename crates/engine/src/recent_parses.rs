//! What texts were parsed to, kept from one question to the next. Invariant: all of them together take no more than the
//! budget has left for them.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::cache_budget::CacheBudget;
use symd_base::ContentHash;
use symd_syntax::{Grammar, LocalBindings, Outline};
use symd_types::kotlin::SourceFile;

/// The parses that questions used last, of every kind: trees of Kotlin files, bindings of locals, and outlines with the types that
/// outlines hide. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct RecentParses {
    kept: Arc<Mutex<KeptParses>>,
    budget: Arc<CacheBudget>,
}

/// A kind of parse that can be kept.
pub(super) trait KeptKind: Any + Send + Sync {
    /// Returns about how many bytes of memory it takes.
    fn memory(&self) -> usize;
}

impl KeptKind for SourceFile {
    fn memory(&self) -> usize {
        SourceFile::memory(self)
    }
}

impl KeptKind for Outline {
    fn memory(&self) -> usize {
        Outline::memory(self)
    }
}

impl KeptKind for LocalBindings {
    fn memory(&self) -> usize {
        LocalBindings::memory(self)
    }
}

/// The kind, and what was parsed.
type ParseKey = (TypeId, ContentHash, Grammar);

#[derive(Debug, Default)]
struct KeptParses {
    parses: HashMap<ParseKey, KeptParse>,
    bytes: usize,
    /// Counts uses, so that the parse that was not used for the longest time is known.
    uses: u64,
}

#[derive(Debug)]
struct KeptParse {
    parse: Arc<dyn Any + Send + Sync>,
    bytes: usize,
    /// The number of its last use.
    used: u64,
}

impl RecentParses {
    pub(super) fn new(budget: Arc<CacheBudget>) -> RecentParses {
        RecentParses { kept: Arc::default(), budget }
    }

    /// Returns the parse of this content, which `make` makes when it is not kept.
    pub(super) fn get<T: KeptKind>(
        &self,
        hash: ContentHash,
        grammar: Grammar,
        make: impl FnOnce() -> Option<T>,
    ) -> Option<Arc<T>> {
        let key = (TypeId::of::<T>(), hash, grammar);
        let known = self.locked(|kept| kept.find(&key));
        if let Some(parse) = known.and_then(|parse| parse.downcast().ok()) {
            return Some(parse);
        }
        // Without the lock: others do not wait for a parse.
        let parse = Arc::new(make()?);
        let (bytes, room) = (parse.memory(), self.budget.for_parses());
        // What is let go of is freed without the lock.
        drop(self.locked(|kept| kept.keep(key, (parse.clone(), bytes), room)));
        Some(parse)
    }

    /// Returns how many bytes of memory all of them take.
    pub(super) fn memory(&self) -> usize {
        self.locked(|kept| kept.bytes)
    }

    /// Lets go of those that the budget has no room for any more.
    pub(super) fn trim(&self) {
        let room = self.budget.for_parses();
        drop(self.locked(|kept| kept.reduce_to(room)));
    }

    pub(super) fn clear(&self) {
        drop(self.locked(std::mem::take));
    }

    fn locked<R>(&self, work: impl FnOnce(&mut KeptParses) -> R) -> R {
        work(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl KeptParses {
    fn find(&mut self, key: &ParseKey) -> Option<Arc<dyn Any + Send + Sync>> {
        self.uses += 1;
        let kept = self.parses.get_mut(key)?;
        kept.used = self.uses;
        Some(kept.parse.clone())
    }

    /// Keeps a parse that takes this many bytes, if there is room for it at all; returns what has to make room for it.
    fn keep(
        &mut self,
        key: ParseKey,
        (parse, bytes): (Arc<dyn Any + Send + Sync>, usize),
        room: usize,
    ) -> Vec<KeptParse> {
        if bytes > room {
            return Vec::new();
        }
        self.uses += 1;
        self.bytes += bytes;
        let replaced = self.parses.insert(key, KeptParse { parse, bytes, used: self.uses });
        self.bytes -= replaced.as_ref().map_or(0, |replaced| replaced.bytes);
        let mut removed = self.reduce_to(room);
        removed.extend(replaced);
        removed
    }

    /// If they take more than `room`, takes out those that were not used for the longest time, until a quarter of it is free:
    /// to find the oldest one each time would take a search of all.
    fn reduce_to(&mut self, room: usize) -> Vec<KeptParse> {
        if self.bytes <= room {
            return Vec::new();
        }
        let mut oldest: Vec<(u64, ParseKey)> =
            self.parses.iter().map(|(key, kept)| (kept.used, *key)).collect();
        oldest.sort_unstable_by_key(|(used, _)| *used);
        // The last one, which was just made, stays if it fits.
        let newest = oldest.pop();
        let mut removed = Vec::new();
        for (_, key) in oldest {
            if self.bytes <= room - room / 4 {
                break;
            }
            removed.extend(self.take(&key));
        }
        if self.bytes > room {
            removed.extend(newest.and_then(|(_, key)| self.take(&key)));
        }
        removed
    }

    fn take(&mut self, key: &ParseKey) -> Option<KeptParse> {
        let taken = self.parses.remove(key)?;
        self.bytes -= taken.bytes;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_base::{Cancel, Text};
    use symd_syntax::{flat_tree, outline};

    const LIMIT: usize = 1 << 20;

    fn file(text: &str) -> SourceFile {
        let tree = flat_tree(kotlin(), text, &Cancel::new()).unwrap();
        SourceFile::new(Text::decode(text.as_bytes().to_vec()).unwrap(), tree)
    }

    fn kotlin() -> Grammar {
        Grammar::named("kotlin").unwrap()
    }

    fn hash(number: usize) -> ContentHash {
        ContentHash::of(&number.to_le_bytes())
    }

    fn is_kept<T: KeptKind>(parses: &RecentParses, number: usize) -> bool {
        parses.get::<T>(hash(number), kotlin(), || None).is_some()
    }

    #[test]
    fn a_content_is_parsed_once_and_the_oldest_ones_go_first() {
        let budget = Arc::new(CacheBudget::new(LIMIT));
        let parses = RecentParses::new(budget.clone());
        let large = format!("// {}\nval x = 1\n", "x".repeat(LIMIT / 8));
        for number in 0..20 {
            let made = parses.get(hash(number), kotlin(), || Some(file(&large)));
            let again = parses.get(hash(number), kotlin(), || panic!("parsed again"));
            assert!(Arc::ptr_eq(&made.unwrap(), &again.unwrap()));
            assert!(parses.memory() <= LIMIT);
        }
        assert!(is_kept::<SourceFile>(&parses, 19) && !is_kept::<SourceFile>(&parses, 0));
        assert!(!is_kept::<Outline>(&parses, 19), "another kind");
        // Texts leave less for them.
        budget.set_texts(LIMIT / 2);
        parses.trim();
        assert!(parses.memory() <= LIMIT / 2 && is_kept::<SourceFile>(&parses, 19));
        budget.set_limit(0);
        parses.trim();
        assert_eq!(parses.memory(), 0);
    }

    #[test]
    fn kinds_share_the_room_and_what_has_none_is_not_kept() {
        let parses = RecentParses::new(Arc::new(CacheBudget::new(LIMIT)));
        let outline = || outline(kotlin(), "val x = 1", &Cancel::new()).ok();
        assert!(parses.get::<Outline>(hash(0), kotlin(), outline).is_some());
        for number in 1..20 {
            let large = format!("// {}\nval x = 1\n", "x".repeat(LIMIT / 4));
            assert!(is_kept::<Outline>(&parses, 0), "used between the others: {number}");
            assert!(parses.get(hash(number), kotlin(), || Some(file(&large))).is_some());
        }
        let huge = format!("// {}\nval x = 1\n", "x".repeat(LIMIT));
        assert!(parses.get(hash(20), kotlin(), || Some(file(&huge))).is_some());
        assert!(!is_kept::<SourceFile>(&parses, 20) && is_kept::<Outline>(&parses, 0));
        assert!(parses.memory() <= LIMIT);
        parses.clear();
        assert!(parses.memory() == 0 && !is_kept::<Outline>(&parses, 0));
    }
}
