//! What one question has found out about the project: declarations by name, files by stem, and the like, each
//! computed once. Invariant: only files of one language family are visible.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use super::binders::{self, LocalScopes, Locality};
use super::cpp::IncludedFiles;
use super::family::Family;
use super::meaning::{Meaning, binds};
use super::modules::Module;
use super::profiles::{FamilyProfile, LanguageProfile};
use super::scope::Reach;
use super::sources::{CurrentText, IndexedDeclaration, Sources};
use crate::ecma::module_calls;
use crate::go::value_types::GoMethod;
use crate::hierarchy::bases::Base;
use crate::jvm::names::FileClasses;
use crate::kotlin::names::KotlinNames;
use crate::python::comprehension::{Comprehension, comprehensions};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, ContentHash, RelPath, Text};
use symd_index::{Content, FileEntry, Locals, Query};
use symd_syntax::{
    BoundLocal, Grammar, Import, ImportList, LocalBindings, Matching, NamePattern, Outline, Row,
};

/// An outline and its unpacked imports.
type Unpacked = (ContentHash, Rc<ImportList>);

/// A file and a row of it.
type RowPlace = (RelPath, usize);

/// The caches of one question.
pub(super) struct Resolver<'a> {
    pub(super) sources: &'a dyn Sources,
    pub(super) family: Family,
    /// What distinguishes the family.
    pub(super) profile: &'static FamilyProfile,
    pub(super) cancel: &'a Cancel,
    declared: RefCell<HashMap<String, Rc<[IndexedDeclaration]>>>,
    by_stem: OnceCell<HashMap<&'a str, Vec<&'a RelPath>>>,
    read: RefCell<HashMap<RelPath, Option<Rc<CurrentFile>>>>,
    unpacked: RefCell<HashMap<RelPath, Unpacked>>,
    root_packages: OnceCell<HashSet<String>>,
    /// Meanings of names that modules offer, by module, name and number of hops before it.
    pub(super) exported_meanings: RefCell<HashMap<(Module, String, usize), Meaning>>,
    /// The bases of classes, by file and row.
    pub(super) bases: RefCell<HashMap<RowPlace, Arc<[Base]>>>,
    /// What the names of Kotlin files mean.
    kotlin: OnceCell<KotlinNames<'a>>,
    file_classes: OnceCell<FileClasses<'a>>,
    /// Go's methods, by name.
    pub(super) go_methods: RefCell<HashMap<String, Rc<[GoMethod]>>>,
    /// What files of C and C++ include, by path.
    pub(super) included: RefCell<HashMap<RelPath, Rc<IncludedFiles>>>,
    /// Classes whose bases are being resolved: what a base means must not depend on itself.
    pub(super) finding_bases: RefCell<HashSet<RowPlace>>,
}

/// A file whose names are being resolved: its text, and an entry whose outline is that of this text, with the
/// types that outlines hide among its rows. Its row numbers are therefore not always those of the index.
pub(super) struct CurrentFile {
    pub(super) file: Arc<FileEntry>,
    pub(super) outline: Arc<Outline>,
    pub(super) grammar: Grammar,
    pub(super) language: &'static LanguageProfile,
    pub(super) text: Text,
    locals: RefCell<HashMap<String, LocalScopes>>,
    imports: OnceCell<ImportList>,
    comprehensions: OnceCell<Vec<Comprehension>>,
    /// What the file binds as locals; `None` when it could not be parsed in time.
    local_bindings: OnceCell<Option<Arc<LocalBindings>>>,
    /// The indices of these locals, by name.
    locals_by_name: OnceCell<HashMap<String, Vec<usize>>>,
    /// Whether a JavaScript or TSX file may hold JSX.
    may_hold_markup: OnceCell<bool>,
    /// The modules that it has in hand as a whole.
    whole_modules: OnceCell<Vec<Module>>,
    /// The indices of its imports, by the name that they bind.
    bound: OnceCell<HashMap<String, Vec<usize>>>,
    /// Meanings of names at its top level, cached.
    pub(super) at_top: RefCell<HashMap<String, (Meaning, Reach)>>,
}

impl CurrentFile {
    /// Reads the file as it is now; `None` when it cannot be read.
    pub(super) fn new(resolver: &Resolver, file: &Arc<FileEntry>) -> Option<CurrentFile> {
        let current = resolver.sources.current(file)?;
        let grammar = file.grammar()?;
        let language = LanguageProfile::of_grammar(grammar.name())?;
        let Content::Code { origin, stat, .. } = &file.content else { return None };
        let outline = match current.outline.hides_types {
            true => resolver.sources.outline_with_hidden_types(file, &current, resolver.cancel)?,
            false => current.outline,
        };
        let CurrentText { text, hash, .. } = current;
        let file = match file.has_outline(&outline) {
            true => file.clone(),
            false => {
                let outline = outline.clone().into();
                let content = Content::Code { origin: *origin, hash, stat: *stat, outline };
                Arc::new(FileEntry { path: file.path.clone(), content })
            }
        };
        Some(CurrentFile {
            file,
            outline,
            grammar,
            language,
            text,
            locals: RefCell::default(),
            imports: OnceCell::new(),
            comprehensions: OnceCell::new(),
            local_bindings: OnceCell::new(),
            locals_by_name: OnceCell::new(),
            may_hold_markup: OnceCell::new(),
            whole_modules: OnceCell::new(),
            bound: OnceCell::new(),
            at_top: RefCell::default(),
        })
    }

    /// Returns its imports. Cached, since every occurrence of a name needs them.
    pub(super) fn imports(&self) -> &ImportList {
        self.imports.get_or_init(|| self.outline.imports.unpack())
    }

    /// Returns the imports that bind `name`, in their order.
    pub(super) fn binding(&self, family: Family, name: &str) -> impl Iterator<Item = Import<'_>> {
        let bound = self.bound.get_or_init(|| {
            let mut bound: HashMap<String, Vec<usize>> = HashMap::new();
            for (number, import) in self.imports().iter().enumerate() {
                if let Some(name) = binds(family, &import) {
                    bound.entry(name.to_owned()).or_default().push(number);
                }
            }
            bound
        });
        let numbers = bound.get(name).map_or(&[][..], Vec::as_slice);
        numbers.iter().filter_map(|&number| self.imports().get(number))
    }

    /// Returns the text of a declaration of the file; empty if it has none there.
    pub(super) fn text_of(&self, row: &Row) -> &str {
        self.text.as_str().get(row.start as usize..row.end as usize).unwrap_or("")
    }

    /// Like [`CurrentFile::text_of`], from the name on: without modifiers, annotations and decorators.
    pub(super) fn text_from_name(&self, row: &Row) -> &str {
        self.text.as_str().get(row.name_start as usize..row.end as usize).unwrap_or("")
    }

    /// Like [`CurrentFile::text_of`], up to the name.
    pub(super) fn text_before_name(&self, row: &Row) -> &str {
        self.text.as_str().get(row.start as usize..row.name_start as usize).unwrap_or("")
    }

    /// Returns the comprehensions of a Python file.
    pub(super) fn comprehensions(&self) -> &[Comprehension] {
        self.comprehensions.get_or_init(|| comprehensions(self.text.as_str()))
    }

    /// Returns what the file binds as locals, which takes a parse; `None` when it could not be parsed in time.
    pub(super) fn local_bindings(&self, resolver: &Resolver) -> Option<&LocalBindings> {
        let bindings = || resolver.sources.local_bindings(&self.file, self.text.as_str(), resolver.cancel);
        self.local_bindings.get_or_init(bindings).as_deref()
    }

    /// Returns the locals called `name`, in their order; `None` when the file could not be parsed in time.
    pub(super) fn locals_called(
        &self,
        resolver: &Resolver,
        name: &str,
    ) -> Option<impl Iterator<Item = &BoundLocal>> {
        let locals = &self.local_bindings(resolver)?.locals;
        let by_name = self.locals_by_name.get_or_init(|| {
            let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
            for (number, local) in locals.iter().enumerate() {
                if let Some(name) = self.text.as_str().get(local.name.as_range()) {
                    by_name.entry(name.to_owned()).or_default().push(number);
                }
            }
            by_name
        });
        let numbers = by_name.get(name).map_or(&[][..], Vec::as_slice);
        Some(numbers.iter().filter_map(|&number| locals.get(number)))
    }

    /// Whether the file may hold JSX. Cached, since each occurrence of a name needs it.
    pub(super) fn may_hold_markup(&self) -> bool {
        let has = |sign: &str| memchr::memmem::find(self.text.as_str().as_bytes(), sign.as_bytes()).is_some();
        *self.may_hold_markup.get_or_init(|| self.grammar.name() != "typescript" && (has("</") || has("/>")))
    }

    /// Returns the modules that a JavaScript or TypeScript file has in hand as a whole. Cached: it takes a look at all of the text.
    pub(super) fn whole_modules(&self, resolver: &Resolver) -> &[Module] {
        self.whole_modules.get_or_init(|| module_calls::whole_modules(resolver, self))
    }

    /// Returns where the names of the declarations begin that the outline lists, without parameters that declare properties.
    pub(super) fn declared_starts(&self) -> HashSet<u32> {
        let starts = self.outline.rows.iter().map(|row| row.name_start);
        starts.filter(|&at| !binders::is_parameter_property(self.text.as_str(), at as usize)).collect()
    }

    pub(super) fn target(&self, row: usize) -> IndexedDeclaration {
        IndexedDeclaration { file: self.file.clone(), row }
    }

    /// Returns the row of a declaration of this file that may come from the index or from an older scan;
    /// `None` if the text was different then.
    pub(super) fn row_of(&self, target: &IndexedDeclaration) -> Option<usize> {
        let (outline, row) = target.row()?;
        // Files of equal content share one outline.
        if self.file.path != target.file.path {
            return None;
        }
        if Arc::ptr_eq(outline, &self.outline) {
            return Some(target.row);
        }
        let is_it = |(_, own): &(usize, &Row)| {
            own.name_start == row.name_start && self.outline.name(own) == outline.name(row)
        };
        let has_text = self.file.hash() == target.file.hash();
        let mut rows = self.outline.rows.iter().enumerate().filter(|_| has_text);
        rows.find(is_it).map(|(at, _)| at)
    }

    /// Whether `name` at byte `at` is a local that the outline does not list.
    pub(super) fn is_local(&self, resolver: &Resolver, name: &str, at: u32) -> Locality {
        if let Some(known) = self.locals.borrow().get(name) {
            return known.at(at);
        }
        let scopes = binders::scopes(resolver, self, name);
        let is_local = scopes.at(at);
        self.locals.borrow_mut().insert(name.to_owned(), scopes);
        is_local
    }
}

impl<'a> Resolver<'a> {
    pub(super) fn new(sources: &'a dyn Sources, family: Family, cancel: &'a Cancel) -> Resolver<'a> {
        Resolver {
            sources,
            family,
            profile: family.profile(),
            cancel,
            declared: RefCell::default(),
            by_stem: OnceCell::new(),
            read: RefCell::default(),
            unpacked: RefCell::default(),
            root_packages: OnceCell::new(),
            exported_meanings: RefCell::default(),
            bases: RefCell::default(),
            finding_bases: RefCell::default(),
            kotlin: OnceCell::new(),
            file_classes: OnceCell::new(),
            go_methods: RefCell::default(),
            included: RefCell::default(),
        }
    }

    /// Returns what resolves the names of Kotlin files.
    pub(super) fn kotlin(&self) -> &KotlinNames<'a> {
        self.kotlin.get_or_init(|| KotlinNames::new(self.sources, self.cancel))
    }

    /// Returns the classes in which Java finds what Kotlin files declare outside of classes.
    pub(super) fn file_classes(&self) -> &FileClasses<'a> {
        self.file_classes.get_or_init(|| FileClasses::new(self.sources, self.kotlin().files()))
    }

    /// Returns the packages that files in the project's root declare.
    pub(super) fn root_packages(&self) -> &HashSet<String> {
        self.root_packages.get_or_init(|| {
            let package = |file: &Arc<FileEntry>| Some(self.imports_of(file)?.package()?.to_owned());
            self.files_in(&RelPath::root()).filter_map(package).collect()
        })
    }

    /// Returns a file as it is now, read once per question; `None` when it cannot be read.
    pub(super) fn read_file(&self, file: &Arc<FileEntry>) -> Option<Rc<CurrentFile>> {
        if let Some(known) = self.read.borrow().get(&file.path) {
            return known.clone();
        }
        let here = CurrentFile::new(self, file).map(Rc::new);
        self.read.borrow_mut().insert(file.path.clone(), here.clone());
        here
    }

    /// Like [`Resolver::read_file`], but does not cache the file: for files that are needed once.
    pub(super) fn read_uncached(&self, file: &Arc<FileEntry>) -> Option<Rc<CurrentFile>> {
        let known = self.read.borrow().get(&file.path).cloned();
        known.unwrap_or_else(|| CurrentFile::new(self, file).map(Rc::new))
    }

    /// Returns the imports of a file that was parsed, unpacked once per question. Reads no outline.
    pub(super) fn imports_of(&self, file: &FileEntry) -> Option<Rc<ImportList>> {
        let hash = file.hash()?;
        if let Some((of, known)) = self.unpacked.borrow().get(&file.path)
            && *of == hash
        {
            return Some(known.clone());
        }
        let unpacked = Rc::new(file.imports()?.unpack());
        self.unpacked.borrow_mut().insert(file.path.clone(), (hash, unpacked.clone()));
        Some(unpacked)
    }

    /// Returns the same declaration in its file as it is now.
    pub(super) fn refreshed(&self, target: &IndexedDeclaration) -> IndexedDeclaration {
        let here = self.read_file(&target.file);
        let at_hand = here.and_then(|here| Some(here.target(here.row_of(target)?)));
        at_hand.unwrap_or_else(|| target.clone())
    }

    /// Returns the same declarations in the files as they are now.
    pub(super) fn refresh_targets(&self, targets: &[IndexedDeclaration]) -> Vec<IndexedDeclaration> {
        targets.iter().map(|target| self.refreshed(target)).collect()
    }

    /// Returns all declarations of `name`, except locals, in files of this family, in path order.
    pub(super) fn declared(&self, name: &str) -> Result<Rc<[IndexedDeclaration]>, Cancelled> {
        if let Some(known) = self.declared.borrow().get(name) {
            return Ok(known.clone());
        }
        let found: Rc<[IndexedDeclaration]> = match NamePattern::parse(name, Matching::Exact) {
            Err(_) => Rc::default(),
            Ok(pattern) => {
                let query = Query::in_project(pattern, Locals::Excluded);
                let hits = self.sources.snapshot().find(&query, self.cancel)?.into_iter();
                hits.filter(|hit| Family::of(&hit.file) == Some(self.family))
                    .map(|hit| IndexedDeclaration { file: hit.file, row: hit.row })
                    .filter(|target| target.name() == name)
                    .collect()
            }
        };
        self.declared.borrow_mut().insert(name.to_owned(), found.clone());
        Ok(found)
    }

    /// Returns the file at `path`, if it is one of the family.
    pub(super) fn file(&self, path: &str) -> Option<&'a Arc<FileEntry>> {
        self.sources.snapshot().files.get(path).filter(|file| Family::of(file) == Some(self.family))
    }

    /// Whether the project has a file of this path, in whatever language.
    pub(super) fn has_file(&self, path: &RelPath) -> bool {
        self.sources.snapshot().files.contains(path.as_str())
    }

    /// Whether a file lies beneath the directory.
    pub(super) fn is_directory(&self, path: &RelPath) -> bool {
        self.sources.snapshot().files.paths_within(path).any(|file| file != path)
    }

    /// Returns the files of the family directly in a directory.
    pub(super) fn files_in(&self, directory: &RelPath) -> impl Iterator<Item = &'a Arc<FileEntry>> {
        let files = &self.sources.snapshot().files;
        let is_inside = |path: &&RelPath| path.parent().as_ref() == Some(directory);
        let paths =
            files.paths_within(directory).filter(is_inside).filter(|path| self.may_be_of_family(path));
        paths.filter_map(|path| self.file(path.as_str())).collect::<Vec<_>>().into_iter()
    }

    /// Whether a file is of the family, as far as its path tells. The first line of one without an extension tells
    /// more.
    pub(super) fn may_be_of_family(&self, path: &RelPath) -> bool {
        let languages = self.sources.languages();
        match languages.language_of(path) {
            Some(language) => {
                let grammar = languages.get(language).grammar.as_deref();
                grammar.and_then(Family::of_grammar) == Some(self.family)
            }
            None => path.extension().is_none(),
        }
    }

    /// Returns the paths whose last component without extension is `stem`, of files that may be of the family, in
    /// path order.
    pub(super) fn by_stem(&self, stem: &str) -> &[&'a RelPath] {
        let stems = self.by_stem.get_or_init(|| {
            let mut stems: HashMap<&str, Vec<&RelPath>> = HashMap::new();
            for path in self.sources.snapshot().files.paths_within(&RelPath::root()) {
                if self.may_be_of_family(path) {
                    stems.entry(path.file_stem()).or_default().push(path);
                }
            }
            stems
        });
        stems.get(stem).map_or(&[], Vec::as_slice)
    }

    /// Whether a file of the family has this name without extension.
    pub(super) fn has_stem(&self, stem: &str) -> bool {
        let is_one = |file: &Arc<FileEntry>| Family::of(file) == Some(self.family);
        let known = |path: &&&RelPath| self.sources.snapshot().files.known(path.as_str()).is_some_and(is_one);
        let paths = self.by_stem(stem);
        paths.iter().any(|path| known(&path)) || paths.iter().any(|path| self.file(path.as_str()).is_some())
    }
}

impl IndexedDeclaration {
    /// Whether both are the same declaration, even if one comes from a newer scan of the file.
    pub(super) fn is_same_declaration(&self, other: &IndexedDeclaration) -> bool {
        if self.file.path != other.file.path {
            return false;
        }
        match (self.file.outline(), other.file.outline()) {
            (Some(mine), Some(theirs)) if Arc::ptr_eq(mine, theirs) => self.row == other.row,
            // Both outlines are of one text; one of them may include the types that outlines hide.
            (Some(mine), Some(theirs)) if self.file.hash() == other.file.hash() => {
                match (mine.rows.get(self.row), theirs.rows.get(other.row)) {
                    (Some(one), Some(two)) => {
                        one.name_start == two.name_start && mine.name(one) == theirs.name(two)
                    }
                    _ => false,
                }
            }
            (Some(mine), Some(theirs)) => {
                self.row < mine.rows.len()
                    && other.row < theirs.rows.len()
                    && mine.name_path(self.row) == theirs.name_path(other.row)
            }
            _ => false,
        }
    }
}
