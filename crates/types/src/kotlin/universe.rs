//! All declarations that names can mean: those of the project, read by need, and those of the library.

use std::borrow::Borrow;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;

use super::declarations::{DeclarationKind, KotlinDeclaration};
use super::findings::{KotlinFindings, Memo, MemoKey};
use super::java_results::{JavaMember, JavaType};
use super::library::{self, Library};
use super::number_hash::NumberHash;
use super::question_memos::QuestionMemos;
use super::result_extent::{CutCounts, ResultExtent};
use super::source_file::SourceFile;
use symd_syntax::NodeId;

/// A file of the project, by a number that the project chooses; the library's files have the highest ones.
pub type FileKey = u32;

/// A declaration of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeclarationId {
    pub file: FileKey,
    /// A text is smaller than 4 GiB. Much is kept by declaration, so it is small.
    number: u32,
}

impl DeclarationId {
    /// `number` is its index among [`SourceFile`]'s declarations.
    pub fn new(file: FileKey, number: usize) -> DeclarationId {
        DeclarationId { file, number: u32::try_from(number).unwrap_or(u32::MAX) }
    }

    /// Returns its index among [`SourceFile`]'s declarations.
    pub fn number(self) -> usize {
        self.number as usize
    }
}

/// A file with its key.
#[derive(Clone, Debug)]
pub struct ProjectFile {
    pub(super) key: FileKey,
    source: Arc<SourceFile>,
}

impl ProjectFile {
    /// Returns the innermost class around a node, without the node itself.
    pub(super) fn class_around(&self, node: NodeId) -> Option<DeclarationId> {
        let mut around = self.ancestors(node).filter_map(|above| self.declaration_of(above));
        let number = around.find(|number| self.declarations[*number].kind.is_class())?;
        Some(DeclarationId::new(self.key, number))
    }
}

impl Deref for ProjectFile {
    type Target = SourceFile;

    fn deref(&self) -> &SourceFile {
        &self.source
    }
}

/// What the resolver asks of the project.
pub trait KotlinSources {
    /// Returns a Kotlin file; `None` when it cannot be read.
    fn read(&self, file: FileKey) -> Option<Arc<SourceFile>>;

    /// Returns the Kotlin files that declare `name` outside of classes and functions.
    fn declaring(&self, name: &str) -> Vec<FileKey>;

    /// Returns the Kotlin files in which a class declares a member called `name`; `None` if a file of another
    /// language may declare one.
    fn declaring_members(&self, name: &str) -> Option<Vec<FileKey>>;

    /// Returns whether the question was cancelled.
    fn is_cancelled(&self) -> bool;

    /// Whether a package of the project has this name, or one that begins with it and a dot.
    fn has_package(&self, name: &str) -> bool;

    /// Whether a Java file of the project declares a class with this qualified name.
    fn declares_in_java(&self, _qualified: &str) -> bool {
        false
    }

    /// Returns the type that a Java class of the project writes of a member of its own; `None` where it has none, or several that differ.
    fn java_member(&self, _class: &str, _name: &str, _member: JavaMember) -> Option<JavaType> {
        None
    }

    /// Whether code in one file may name what another one declares for others, as far as the build tells.
    fn may_see(&self, _from: FileKey, _declared: FileKey) -> bool {
        true
    }

    /// Whether two files are of different modules, so that one does not see what is `internal` in the other.
    fn are_apart(&self, _one: FileKey, _other: FileKey) -> bool {
        false
    }

    /// Returns how far a declaring file is from another one that names something: of two declarations that are alike the nearer is meant.
    fn distance(&self, _from: FileKey, _declared: FileKey) -> u8 {
        1
    }

    /// Whether a file of the project may declare something called `name` that is no function, outside of functions.
    fn may_declare_value(&self, _name: &str) -> bool {
        true
    }

    /// Whether a function of the project called `name` may have a contract that shows the type of a value.
    fn may_have_contract(&self, _name: &str) -> bool {
        true
    }

    /// Whether the project, or code generated for it, may declare something with this qualified name.
    fn may_declare(&self, qualified: &str) -> bool;
}

impl<P: KotlinSources> KotlinSources for Rc<P> {
    fn read(&self, file: FileKey) -> Option<Arc<SourceFile>> {
        P::read(self, file)
    }

    fn declaring(&self, name: &str) -> Vec<FileKey> {
        P::declaring(self, name)
    }

    fn declaring_members(&self, name: &str) -> Option<Vec<FileKey>> {
        P::declaring_members(self, name)
    }

    fn is_cancelled(&self) -> bool {
        P::is_cancelled(self)
    }

    fn has_package(&self, name: &str) -> bool {
        P::has_package(self, name)
    }

    fn may_declare(&self, qualified: &str) -> bool {
        P::may_declare(self, qualified)
    }

    fn declares_in_java(&self, qualified: &str) -> bool {
        P::declares_in_java(self, qualified)
    }

    fn java_member(&self, class: &str, name: &str, member: JavaMember) -> Option<JavaType> {
        P::java_member(self, class, name, member)
    }

    fn may_declare_value(&self, name: &str) -> bool {
        P::may_declare_value(self, name)
    }

    fn may_have_contract(&self, name: &str) -> bool {
        P::may_have_contract(self, name)
    }

    fn may_see(&self, from: FileKey, declared: FileKey) -> bool {
        P::may_see(self, from, declared)
    }

    fn are_apart(&self, one: FileKey, other: FileKey) -> bool {
        P::are_apart(self, one, other)
    }

    fn distance(&self, from: FileKey, declared: FileKey) -> u8 {
        P::distance(self, from, declared)
    }
}

/// What is being found out about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Work {
    WrittenType,
    ExpressionType,
    DeclaredType,
    ExpectedLambda,
    ForeignLambda,
    Qualifier,
}

/// In how many files the members of one name are looked at.
const MAX_MEMBER_FILES: usize = 40;

/// How deep the types of expressions are followed; each level takes some kilobytes of stack.
const MAX_DEPTH: u32 = 60;

/// Maximum number of nodes that are examined to resolve one identifier: it bounds the time that a generated or
/// hostile expression takes.
const MAX_STEPS: u32 = 100_000;

/// The declarations that one question sees, and what it has found out about them.
pub struct Universe<'p> {
    project: Box<dyn KotlinSources + 'p>,
    library: &'static Library,
    files: RefCell<HashMap<FileKey, Option<ProjectFile>, NumberHash>>,
    pub(super) findings: KotlinFindings,
    pub(super) memos: QuestionMemos,
    in_progress: RefCell<HashSet<(Work, FileKey, NodeId), NumberHash>>,
    depth: Cell<u32>,
    pub(super) cuts: CutCounts,
    /// The nodes that were looked into for the identifier in question.
    pub(super) steps: Cell<u32>,
}

impl<'p> Universe<'p> {
    /// Goes on from what was found out about the same files; from nothing with the default of it.
    pub fn new(project: Box<dyn KotlinSources + 'p>, findings: KotlinFindings) -> Universe<'p> {
        Universe {
            project,
            library: library::library(),
            files: RefCell::default(),
            findings,
            memos: QuestionMemos::default(),
            in_progress: RefCell::default(),
            depth: Cell::new(0),
            cuts: CutCounts::default(),
            steps: Cell::new(0),
        }
    }

    /// Takes what was found out and is true of the files in whatever order they are asked about; `None` if the question was
    /// cancelled, or a file could not be read: another question might find out more.
    pub fn take_findings(&mut self) -> Option<KotlinFindings> {
        let has_all = self.files.get_mut().values().all(Option::is_some);
        let mut findings = std::mem::take(&mut self.findings);
        findings.note_read(self.files.get_mut().keys().copied());
        findings.retain_whole();
        (has_all && !self.project.is_cancelled()).then_some(findings)
    }

    /// Returns a file, read once.
    pub fn file(&self, key: FileKey) -> Option<ProjectFile> {
        if let Some(source) = self.library.file(key) {
            return Some(ProjectFile { key, source: source.clone() });
        }
        if let Some(known) = self.files.borrow().get(&key) {
            return known.clone();
        }
        let file = self.project.read(key).map(|source| ProjectFile { key, source });
        self.files.borrow_mut().insert(key, file.clone());
        file
    }

    /// Returns a declaration with its file.
    pub(super) fn get(&self, id: DeclarationId) -> Option<(ProjectFile, KotlinDeclaration)> {
        let file = self.file(id.file)?;
        let declaration = file.declarations.get(id.number())?.clone();
        Some((file, declaration))
    }

    pub(super) fn kind(&self, id: DeclarationId) -> Option<DeclarationKind> {
        Some(self.file(id.file)?.declarations.get(id.number())?.kind)
    }

    /// Returns the name of a declaration; empty for one without a name.
    pub(super) fn name(&self, id: DeclarationId) -> String {
        self.file(id.file).map_or(String::new(), |file| file.name_of(id.number()).to_owned())
    }

    /// Whether a declaration is one of the library's.
    pub fn of_library(&self, id: DeclarationId) -> bool {
        library::is_of_library(id.file)
    }

    /// Whether a declaration, or a class around it, is private: other files cannot name it.
    pub fn is_private(&self, id: DeclarationId) -> bool {
        let Some((file, declaration)) = self.get(id) else { return false };
        let around = file.ancestors(declaration.node).filter_map(|node| file.declaration_of(node));
        declaration.modifiers.is_private
            || around.into_iter().any(|number| {
                let one = &file.declarations[number];
                // The properties that a private constructor declares are the class's.
                one.modifiers.is_private && one.kind != DeclarationKind::PrimaryConstructor
            })
    }

    pub(super) fn library(&self) -> &'static Library {
        self.library
    }

    pub(super) fn has_package(&self, name: &str) -> bool {
        self.project.has_package(name) || self.library.has_package(name)
    }

    pub(super) fn declares_in_java(&self, qualified: &str) -> bool {
        self.project.declares_in_java(qualified)
    }

    pub(super) fn java_member(&self, class: &str, name: &str, member: JavaMember) -> Option<JavaType> {
        self.project.java_member(class, name, member)
    }

    pub(super) fn may_declare_value(&self, name: &str) -> bool {
        self.project.may_declare_value(name)
    }

    pub(super) fn may_declare(&self, qualified: &str) -> bool {
        self.project.may_declare(qualified)
    }

    /// Whether a function that a file calls `name` may have a contract that shows the type of a value. The library has none.
    pub(super) fn may_have_contract(&self, file: &SourceFile, name: &str) -> bool {
        self.project.may_have_contract(name)
            || file.imports.iter().any(|import| {
                import.alias.as_deref() == Some(name) && self.project.may_have_contract(import.last_name())
            })
    }

    /// Whether two files are of different modules.
    pub(super) fn are_apart(&self, one: FileKey, other: FileKey) -> bool {
        one != other && !library::is_of_library(other) && self.project.are_apart(one, other)
    }

    /// Whether a file may name a declaration, as far as the build's modules tell.
    pub(super) fn may_see(&self, file: &ProjectFile, id: DeclarationId) -> bool {
        id.file == file.key || self.of_library(id) || self.project.may_see(file.key, id.file)
    }

    /// Returns how far a declaration is from a file that names it.
    pub(super) fn distance(&self, file: &ProjectFile, id: DeclarationId) -> u8 {
        match id.file {
            own if own == file.key => 0,
            _ if self.of_library(id) => u8::MAX,
            declared => self.project.distance(file.key, declared),
        }
    }

    /// Returns all declarations of `name` outside of classes and functions.
    pub(super) fn top_level(&self, name: &str) -> Arc<[DeclarationId]> {
        if let Some(known) = self.known(&self.findings.top_level, name) {
            return known;
        }
        let mut found = Vec::new();
        for key in self.project.declaring(name) {
            let Some(file) = self.file(key) else { continue };
            let Some(root) = file.tree().root() else { continue };
            found.extend(file.in_scope(root, name).map(|number| DeclarationId::new(key, number)));
        }
        found.extend(self.library.declared(name));
        let found: Arc<[DeclarationId]> = found.into();
        self.findings.top_level.keep(name.to_owned(), found.clone(), true);
        found
    }

    /// Returns all members of the project's classes that are called `name`; `None` if there may be others: in
    /// another language, or in too many files.
    pub(super) fn members_called(&self, name: &str) -> Option<Arc<[DeclarationId]>> {
        if let Some(known) = self.known(&self.findings.members_by_name, name) {
            return known;
        }
        let found = self.find_members_called(name).map(Arc::from);
        self.findings.members_by_name.keep(name.to_owned(), found.clone(), true);
        found
    }

    fn find_members_called(&self, name: &str) -> Option<Vec<DeclarationId>> {
        let keys = self.project.declaring_members(name)?;
        if keys.len() > MAX_MEMBER_FILES {
            return None;
        }
        let mut found = Vec::new();
        for key in keys {
            let file = self.file(key)?;
            let named = (0..file.declarations.len()).filter(|number| file.name_of(*number) == name);
            found.extend(named.map(|number| DeclarationId::new(key, number)));
        }
        found.retain(|id| self.class_of(*id).is_some());
        Some(found)
    }

    /// Returns the declarations of `name` in a package.
    pub(super) fn in_package(&self, package: &str, name: &str) -> Vec<DeclarationId> {
        let is_in = |id: &DeclarationId| self.file(id.file).is_some_and(|file| file.package == package);
        self.top_level(name).iter().copied().filter(is_in).collect()
    }

    /// Returns the declarations with a qualified name: a package's, a class's or an object's.
    pub(super) fn qualified(&self, path: &str) -> Vec<DeclarationId> {
        let Some((owner, name)) = path.rsplit_once('.') else { return self.in_package("", path) };
        let found = self.in_package(owner, name);
        if !found.is_empty() {
            return found;
        }
        let classes = self.qualified(owner);
        let mut found: Vec<DeclarationId> =
            classes.iter().flat_map(|class| self.declared_in(*class, name)).collect();
        if found.is_empty() {
            let companions = classes.iter().filter_map(|class| self.companion(*class));
            found = companions.flat_map(|companion| self.declared_in(companion, name)).collect();
        }
        found
    }

    /// Returns what a class declares with this name, in each of its declarations.
    pub(super) fn declared_in(&self, class: DeclarationId, name: &str) -> Vec<DeclarationId> {
        let mut found = self.declared_itself(class, name);
        for other in self.counterparts(class).iter() {
            found.extend(self.declared_itself(*other, name));
        }
        found
    }

    /// Returns what one declaration of a class declares with this name.
    pub(super) fn declared_itself(&self, class: DeclarationId, name: &str) -> Vec<DeclarationId> {
        let Some((file, declaration)) = self.get(class) else { return Vec::new() };
        let is_member = |number: &usize| {
            !matches!(
                file.declarations[*number].kind,
                DeclarationKind::Parameter | DeclarationKind::TypeParameter
            )
        };
        let named = file.in_scope(declaration.node, name).filter(is_member);
        named.map(|number| DeclarationId::new(class.file, number)).collect()
    }

    /// Returns the companion object of a class.
    pub(super) fn companion(&self, class: DeclarationId) -> Option<DeclarationId> {
        let others = || self.counterparts(class).iter().find_map(|other| self.own_companion(*other));
        self.own_companion(class).or_else(others)
    }

    fn own_companion(&self, class: DeclarationId) -> Option<DeclarationId> {
        let (file, declaration) = self.get(class)?;
        let mut members = file.all_in_scope(declaration.node);
        let number = members.find(|number| file.declarations[*number].kind == DeclarationKind::Companion)?;
        Some(DeclarationId::new(class.file, number))
    }

    /// Runs `work` unless it is running for this node already, too much is, or the question was cancelled.
    pub(super) fn guarded<T>(
        &self,
        kind: Work,
        file: FileKey,
        node: NodeId,
        work: impl FnOnce() -> T,
    ) -> Option<T> {
        self.steps.set(self.steps.get() + 1);
        if self.depth.get() >= MAX_DEPTH
            || self.steps.get() > MAX_STEPS
            || self.project.is_cancelled()
            || !self.in_progress.borrow_mut().insert((kind, file, node))
        {
            self.cuts.note_refusal();
            return None;
        }
        self.depth.set(self.depth.get() + 1);
        let result = work();
        self.depth.set(self.depth.get() - 1);
        self.in_progress.borrow_mut().remove(&(kind, file, node));
        Some(result)
    }

    /// Returns what `memo` knows. What is found from a result that was cut is cut, too.
    pub(super) fn known<K: MemoKey + Borrow<Q>, Q: Eq + Hash + ?Sized, T: Clone>(
        &self,
        memo: &Memo<K, T>,
        key: &Q,
    ) -> Option<T> {
        let (known, is_whole) = memo.get(key)?;
        if !is_whole {
            self.cuts.note_cut_result();
        }
        Some(known)
    }

    /// Returns what `memo` knows of a declaration or node, or finds it out. A result that a refusal within it may have cut
    /// is not kept.
    pub(super) fn remembered<K: MemoKey, T: Clone>(
        &self,
        memo: &Memo<K, T>,
        key: K,
        find: impl FnOnce() -> T,
    ) -> T {
        if let Some(known) = self.known(memo, &key) {
            return known;
        }
        let (found, extent) = self.cuts.noting(find);
        if extent != ResultExtent::Refused {
            memo.keep(key, found.clone(), extent == ResultExtent::Whole);
        }
        found
    }

    /// Like [`Universe::remembered`], with a guard of this kind; `None` if it refuses. A result that was cut is kept for the
    /// rest of the question: finding it again for each identifier would take too long.
    pub(super) fn remembered_and_guarded<K: MemoKey, T: Clone>(
        &self,
        memo: &Memo<K, T>,
        key: K,
        (kind, file, node): (Work, FileKey, NodeId),
        find: impl FnOnce() -> T,
    ) -> Option<T> {
        if let Some(known) = self.known(memo, &key) {
            return Some(known);
        }
        let (found, extent) = self.cuts.noting(|| self.guarded(kind, file, node, find));
        let found = found?;
        memo.keep(key, found.clone(), extent == ResultExtent::Whole);
        Some(found)
    }
}
