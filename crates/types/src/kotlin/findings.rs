//! What was found out about the Kotlin files of one state of a project, so that it is found out once. Invariant: what is handed
//! on to the next question is what that question would find out itself; results that a limit or a cycle cut are not.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::Arc;

use super::classes::{CallableShape, Supertypes};
use super::number_hash::NumberHash;
use super::resolve::NameResolution;
use super::ty::Type;
use super::universe::{DeclarationId, FileKey};
use symd_syntax::NodeId;

/// A node of a file.
pub(super) type FileNode = (FileKey, NodeId);

/// What was found out; it belongs to one state of all files of a project, and to the keys that were given to them.
#[derive(Debug, Default)]
pub struct KotlinFindings {
    pub(super) top_level: Memo<String, Arc<[DeclarationId]>>,
    pub(super) members_by_name: Memo<String, Option<Arc<[DeclarationId]>>>,
    /// Whether something that is no function may have a name.
    pub(super) values: Memo<String, bool>,
    pub(super) supertypes: Memo<DeclarationId, Arc<Supertypes>>,
    pub(super) counterparts: Memo<DeclarationId, Arc<[DeclarationId]>>,
    pub(super) shapes: Memo<DeclarationId, Arc<CallableShape>>,
    pub(super) declared_types: Memo<DeclarationId, Type>,
    pub(super) written_types: Memo<FileNode, Type>,
    pub(super) expression_types: Memo<FileNode, Type>,
    pub(super) lambda_types: Memo<FileNode, Type>,
    pub(super) foreign_lambdas: Memo<FileNode, bool>,
    pub(super) resolutions: Memo<FileNode, NameResolution>,
    /// The files that were read for it.
    read: HashSet<FileKey, NumberHash>,
}

impl KotlinFindings {
    /// Forgets what was cut.
    pub(super) fn retain_whole(&self) {
        self.each(|memo| memo.forget_cut());
    }

    /// Notes files that were read for it.
    pub(super) fn note_read(&mut self, files: impl Iterator<Item = FileKey>) {
        self.read.extend(files);
    }

    /// Whether any finding may depend on more of a file than its outline.
    pub fn has_read(&self, file: FileKey) -> bool {
        self.read.contains(&file)
    }

    /// Forgets what was found out about a file whose text has changed, to one that [looks like](super::SourceFile::looks_like) it.
    pub fn forget_file(&mut self, file: FileKey) {
        self.each(|memo| memo.forget_file(file));
    }

    /// Returns about how many bytes of memory it takes.
    pub fn memory(&self) -> usize {
        let mut bytes = self.read.len() * (size_of::<FileKey>() + ENTRY_OVERHEAD);
        self.each(|memo| bytes += memo.memory());
        bytes
    }

    fn each(&self, work: impl FnMut(&dyn AnyMemo)) {
        let all: [&dyn AnyMemo; 12] = [
            &self.top_level,
            &self.members_by_name,
            &self.values,
            &self.supertypes,
            &self.counterparts,
            &self.shapes,
            &self.declared_types,
            &self.written_types,
            &self.expression_types,
            &self.lambda_types,
            &self.foreign_lambdas,
            &self.resolutions,
        ];
        all.into_iter().for_each(work);
    }
}

/// What was found out about declarations, nodes or names.
#[derive(Debug)]
pub(super) struct Memo<K: MemoKey, T> {
    whole: RefCell<HashMap<K, T, K::Hash>>,
    /// Results that a limit or a cycle cut: they are good for the question that found them.
    cut: RefCell<HashMap<K, T, K::Hash>>,
}

impl<K: MemoKey, T> Default for Memo<K, T> {
    fn default() -> Memo<K, T> {
        Memo { whole: RefCell::default(), cut: RefCell::default() }
    }
}

impl<K: MemoKey, T: Clone> Memo<K, T> {
    /// Returns what was found out, and whether nothing cut it.
    pub(super) fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<(T, bool)>
    where
        K: std::borrow::Borrow<Q>,
    {
        let whole = self.whole.borrow().get(key).cloned().map(|found| (found, true));
        whole.or_else(|| self.cut.borrow().get(key).cloned().map(|found| (found, false)))
    }

    pub(super) fn keep(&self, key: K, found: T, is_whole: bool) {
        let memo = if is_whole { &self.whole } else { &self.cut };
        memo.borrow_mut().insert(key, found);
    }
}

/// What something is found out about.
pub(super) trait MemoKey: Eq + Hash {
    type Hash: BuildHasher + Default;

    /// Returns the file that it belongs to; `None` for what belongs to all files.
    fn file(&self) -> Option<FileKey>;
}

impl MemoKey for String {
    type Hash = RandomState;

    fn file(&self) -> Option<FileKey> {
        None
    }
}

impl MemoKey for DeclarationId {
    type Hash = NumberHash;

    fn file(&self) -> Option<FileKey> {
        Some(self.file)
    }
}

impl MemoKey for FileNode {
    type Hash = NumberHash;

    fn file(&self) -> Option<FileKey> {
        Some(self.0)
    }
}

/// A memo of any key.
trait AnyMemo {
    fn forget_cut(&self);
    fn forget_file(&self, file: FileKey);
    fn memory(&self) -> usize;
}

/// Bytes that an entry takes beside its key and value: of its table, and of what the value points to.
const ENTRY_OVERHEAD: usize = 48;

impl<K: MemoKey, T> AnyMemo for Memo<K, T> {
    fn forget_cut(&self) {
        self.cut.borrow_mut().clear();
    }

    fn forget_file(&self, file: FileKey) {
        self.whole.borrow_mut().retain(|key, _| key.file() != Some(file));
    }

    fn memory(&self) -> usize {
        self.whole.borrow().len() * (size_of::<(K, T)>() + ENTRY_OVERHEAD)
    }
}
