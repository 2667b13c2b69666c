//! What one question knows of the project while it is answered: declarations by name and files by stem, each found
//! once. Invariant: only files of one family are seen.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use super::bases::Base;
use super::binders::{self, LocalScopes, Locality};
use super::comprehension::{Comprehension, comprehensions};
use super::family::Family;
use super::meaning::{Meaning, binds};
use super::modules::Module;
use super::scope::Reach;
use super::sources::{Current, Sources, Target};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, Text};
use symd_index::{Content, FileEntry, Locals, Query, Scope};
use symd_syntax::{Grammar, Import, ImportList, Matching, NamePattern, Outline, Row, with_hidden_types};

/// An outline, and what it says that its file imports.
type Unpacked = (Arc<Outline>, Rc<ImportList>);

/// A file and a row of it.
type RowPlace = (RelPath, usize);

/// One question's work.
pub(super) struct Project<'a> {
    pub(super) sources: &'a dyn Sources,
    pub(super) family: Family,
    pub(super) cancel: &'a Cancel,
    declared: RefCell<HashMap<String, Rc<[Target]>>>,
    by_stem: OnceCell<HashMap<&'a str, Vec<&'a Arc<FileEntry>>>>,
    read: RefCell<HashMap<RelPath, Option<Rc<Here>>>>,
    unpacked: RefCell<HashMap<RelPath, Unpacked>>,
    root_packages: OnceCell<HashSet<String>>,
    /// What modules offer, by module, name and how many others were followed to it.
    pub(super) offers: RefCell<HashMap<(Module, String, usize), Meaning>>,
    /// The bases of classes, by file and row.
    pub(super) bases: RefCell<HashMap<RowPlace, Rc<[Base]>>>,
    /// Those that are being found: what they mean must not depend on themselves.
    pub(super) finding_bases: RefCell<HashSet<RowPlace>>,
}

/// A file whose names are being looked at: its text, and the entry whose outline is that text's, the types that outlines
/// hide among its rows. So its row numbers are not always those of the index.
pub(super) struct Here {
    pub(super) file: Arc<FileEntry>,
    pub(super) outline: Arc<Outline>,
    pub(super) grammar: Grammar,
    pub(super) text: Text,
    locals: RefCell<HashMap<String, LocalScopes>>,
    imports: OnceCell<ImportList>,
    comprehensions: OnceCell<Vec<Comprehension>>,
    /// By the name that they bind, the numbers of its imports.
    bound: OnceCell<HashMap<String, Vec<usize>>>,
    /// What names mean at its top level, once that is found.
    pub(super) at_top: RefCell<HashMap<String, (Meaning, Reach)>>,
}

impl Here {
    /// The file as it is now; `None` when it cannot be read.
    pub(super) fn new(project: &Project, file: &Arc<FileEntry>) -> Option<Here> {
        let Current { text, outline, hash } = project.sources.current(file)?;
        let grammar = file.grammar()?;
        let Content::Code { origin, stat, outline: known, .. } = &file.content else { return None };
        let outline = match outline.hides_types {
            true => Arc::new(with_hidden_types(grammar, text.as_str(), &outline, project.cancel).ok()?),
            false => outline,
        };
        let file = match Arc::ptr_eq(known, &outline) {
            true => file.clone(),
            false => {
                let content = Content::Code { origin: *origin, hash, stat: *stat, outline: outline.clone() };
                Arc::new(FileEntry { path: file.path.clone(), content })
            }
        };
        Some(Here {
            file,
            outline,
            grammar,
            text,
            locals: RefCell::default(),
            imports: OnceCell::new(),
            comprehensions: OnceCell::new(),
            bound: OnceCell::new(),
            at_top: RefCell::default(),
        })
    }

    /// What it imports: asked for at every occurrence of a name.
    pub(super) fn imports(&self) -> &ImportList {
        self.imports.get_or_init(|| self.outline.imports.unpack())
    }

    /// Those of its imports that bind `name`, in their order.
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

    /// Its comprehensions, if it is Python's.
    pub(super) fn comprehensions(&self) -> &[Comprehension] {
        self.comprehensions.get_or_init(|| comprehensions(self.text.as_str()))
    }

    pub(super) fn target(&self, row: usize) -> Target {
        Target { file: self.file.clone(), row }
    }

    /// The row of a declaration of this file, which may come from the index or from an older look; `None` where that had another
    /// text.
    pub(super) fn row_of(&self, target: &Target) -> Option<usize> {
        let (outline, row) = target.row()?;
        if Arc::ptr_eq(outline, &self.outline) {
            return Some(target.row);
        }
        let is_it = |(_, own): &(usize, &Row)| {
            own.name_start == row.name_start && self.outline.name(own) == outline.name(row)
        };
        let has_text = self.file.path == target.file.path && self.file.hash() == target.file.hash();
        let mut rows = self.outline.rows.iter().enumerate().filter(|_| has_text);
        rows.find(is_it).map(|(at, _)| at)
    }

    /// Whether the name `name` at byte `at` is that of a local that is no row.
    pub(super) fn is_local(&self, family: Family, name: &str, at: u32) -> Locality {
        if let Some(known) = self.locals.borrow().get(name) {
            return known.at(at);
        }
        let scopes = binders::scopes(self, family, name);
        let is_local = scopes.at(at);
        self.locals.borrow_mut().insert(name.to_owned(), scopes);
        is_local
    }
}

impl<'a> Project<'a> {
    pub(super) fn new(sources: &'a dyn Sources, family: Family, cancel: &'a Cancel) -> Project<'a> {
        Project {
            sources,
            family,
            cancel,
            declared: RefCell::default(),
            by_stem: OnceCell::new(),
            read: RefCell::default(),
            unpacked: RefCell::default(),
            root_packages: OnceCell::new(),
            offers: RefCell::default(),
            bases: RefCell::default(),
            finding_bases: RefCell::default(),
        }
    }

    /// The packages that files in the project's root declare.
    pub(super) fn root_packages(&self) -> &HashSet<String> {
        self.root_packages.get_or_init(|| {
            let package = |file: &Arc<FileEntry>| {
                Some(self.unpacked(&file.path, file.outline()?).package()?.to_owned())
            };
            self.files_in(&RelPath::root()).filter_map(package).collect()
        })
    }

    /// A file as it is now; read once in a question. `None` when it cannot be read.
    pub(super) fn here(&self, file: &Arc<FileEntry>) -> Option<Rc<Here>> {
        if let Some(known) = self.read.borrow().get(&file.path) {
            return known.clone();
        }
        let here = Here::new(self, file).map(Rc::new);
        self.read.borrow_mut().insert(file.path.clone(), here.clone());
        here
    }

    /// As [`Project::here`], without keeping it: for files that are looked at once.
    pub(super) fn here_once(&self, file: &Arc<FileEntry>) -> Option<Rc<Here>> {
        let known = self.read.borrow().get(&file.path).cloned();
        known.unwrap_or_else(|| Here::new(self, file).map(Rc::new))
    }

    /// What a file imports, unpacked once in a question.
    pub(super) fn unpacked(&self, path: &RelPath, outline: &Arc<Outline>) -> Rc<ImportList> {
        if let Some((of, known)) = self.unpacked.borrow().get(path)
            && Arc::ptr_eq(of, outline)
        {
            return known.clone();
        }
        let unpacked = Rc::new(outline.imports.unpack());
        self.unpacked.borrow_mut().insert(path.clone(), (outline.clone(), unpacked.clone()));
        unpacked
    }

    /// The same declarations, in the files as they are now.
    pub(super) fn at_hand(&self, targets: &[Target]) -> Vec<Target> {
        let at_hand = |target: &Target| {
            let here = self.here(&target.file)?;
            Some(here.target(here.row_of(target)?))
        };
        targets.iter().map(|target| at_hand(target).unwrap_or_else(|| target.clone())).collect()
    }

    /// All declarations of `name` that are no locals, in files of this family, in path order.
    pub(super) fn declared(&self, name: &str) -> Result<Rc<[Target]>, Cancelled> {
        if let Some(known) = self.declared.borrow().get(name) {
            return Ok(known.clone());
        }
        let found: Rc<[Target]> = match NamePattern::parse(name, Matching::Exact) {
            Err(_) => Rc::default(),
            Ok(pattern) => {
                let query = Query {
                    pattern,
                    scope: Scope::Project,
                    include_kinds: Vec::new(),
                    exclude_kinds: Vec::new(),
                    locals: Locals::LeftOut,
                };
                let hits = self.sources.snapshot().find(&query, self.cancel)?.into_iter();
                hits.filter(|hit| Family::of(&hit.file) == Some(self.family))
                    .map(|hit| Target { file: hit.file, row: hit.row })
                    .filter(|target| target.name() == name)
                    .collect()
            }
        };
        self.declared.borrow_mut().insert(name.to_owned(), found.clone());
        Ok(found)
    }

    /// The file at `path`, if it is one of the family.
    pub(super) fn file(&self, path: &str) -> Option<&'a Arc<FileEntry>> {
        self.sources.snapshot().files.get(path).filter(|file| Family::of(file) == Some(self.family))
    }

    /// Whether some file lies beneath the directory.
    pub(super) fn is_directory(&self, path: &RelPath) -> bool {
        self.sources.snapshot().files.within(path).any(|file| file.path != *path)
    }

    /// The files of the family directly in a directory.
    pub(super) fn files_in(&self, directory: &RelPath) -> impl Iterator<Item = &'a Arc<FileEntry>> {
        let family = self.family;
        let directory = directory.clone();
        self.sources.snapshot().files.within(&directory.clone()).filter(move |file| {
            file.path.parent().as_ref() == Some(&directory) && Family::of(file) == Some(family)
        })
    }

    /// The files of the family whose name without extension is `stem`, in path order.
    pub(super) fn by_stem(&self, stem: &str) -> &[&'a Arc<FileEntry>] {
        let stems = self.by_stem.get_or_init(|| {
            let mut stems: HashMap<&str, Vec<&Arc<FileEntry>>> = HashMap::new();
            for file in self.sources.snapshot().files.iter() {
                if Family::of(file) == Some(self.family) {
                    stems.entry(file.path.file_stem()).or_default().push(file);
                }
            }
            stems
        });
        stems.get(stem).map_or(&[], Vec::as_slice)
    }
}

impl Target {
    /// Whether both are the same declaration, also when one comes from a newer look at the file.
    pub(super) fn is(&self, other: &Target) -> bool {
        if self.file.path != other.file.path {
            return false;
        }
        match (self.file.outline(), other.file.outline()) {
            (Some(mine), Some(theirs)) if Arc::ptr_eq(mine, theirs) => self.row == other.row,
            // Of one text, once with the types that outlines hide.
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
