//! Results that are kept for one question only: they are needed again and again, and found quickly from the findings. Invariant: a
//! result that was refused in part is not kept.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use super::findings::FileNode;
use super::number_hash::NumberHash;
use super::qualifiers::Qualifier;
use super::result_extent::ResultExtent;
use super::scopes::Level;
use super::universe::{DeclarationId, FileKey, ProjectFile, Universe};
use symd_syntax::NodeId;

/// The declarations of a name that a file sees, by the order in which they count.
pub(super) type Tiers = Vec<Vec<DeclarationId>>;

/// A node whose meaning before a dot is asked for, and whether it is a suffix.
type QualifierKey = (FileKey, NodeId, bool);

/// The scopes around a node.
pub(super) type Levels = Arc<[Level]>;

/// Of how many places the scopes are kept.
const MAX_LEVELS: usize = 1_000;

/// A result, and whether it was found without results that are cut.
#[derive(Clone)]
pub(super) struct KeptResult<T> {
    result: T,
    is_whole: bool,
}

/// Results by key.
type QuestionMemo<K, T> = RefCell<HashMap<K, KeptResult<T>, NumberHash>>;

#[derive(Default)]
pub(super) struct QuestionMemos {
    pub(super) qualifiers: QuestionMemo<QualifierKey, Option<Qualifier>>,
    levels: QuestionMemo<FileNode, Levels>,
    tiers: RefCell<HashMap<FileKey, HashMap<String, KeptResult<Tiers>>, NumberHash>>,
}

impl Universe<'_> {
    /// Returns what `memo` knows, or finds it out.
    pub(super) fn known_or<K: Eq + Hash, T: Clone>(
        &self,
        memo: &QuestionMemo<K, T>,
        key: K,
        find: impl FnOnce() -> T,
    ) -> T {
        if let Some(known) = memo.borrow().get(&key) {
            return self.taken(known);
        }
        self.found(find, |kept| {
            memo.borrow_mut().insert(key, kept);
        })
    }

    /// Like [`Universe::known_or`], for the scopes around a node. Those of few places are kept: what is asked for next is near.
    pub(super) fn known_levels_or(&self, key: FileNode, find: impl FnOnce() -> Levels) -> Levels {
        let memo = &self.memos.levels;
        if memo.borrow().len() >= MAX_LEVELS {
            memo.borrow_mut().clear();
        }
        self.known_or(memo, key, find)
    }

    /// Like [`Universe::known_or`], for the declarations of a name that a file sees.
    pub(super) fn known_tiers_or(
        &self,
        file: &ProjectFile,
        name: &str,
        find: impl FnOnce() -> Tiers,
    ) -> Tiers {
        let memo = &self.memos.tiers;
        if let Some(known) = memo.borrow().get(&file.key).and_then(|of_file| of_file.get(name)) {
            return self.taken(known);
        }
        self.found(find, |kept| {
            memo.borrow_mut().entry(file.key).or_default().insert(name.to_owned(), kept);
        })
    }

    /// Returns a kept result, and notes if it is not whole.
    fn taken<T: Clone>(&self, kept: &KeptResult<T>) -> T {
        if !kept.is_whole {
            self.cuts.note_cut_result();
        }
        kept.result.clone()
    }

    /// Finds a result out, and hands it to `keep` unless something was refused.
    fn found<T: Clone>(&self, find: impl FnOnce() -> T, keep: impl FnOnce(KeptResult<T>)) -> T {
        let (result, extent) = self.cuts.noting(find);
        if extent != ResultExtent::Refused {
            keep(KeptResult { result: result.clone(), is_whole: extent == ResultExtent::Whole });
        }
        result
    }
}
