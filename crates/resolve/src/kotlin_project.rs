//! The Kotlin files of a snapshot, as `types` asks for them.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::accessors::accessor_names;
use super::classes::is_class;
use super::family::Family;
use super::profiles::LanguageProfile;
use super::sources::{IndexedDeclaration, Sources};
use symd_base::{Cancel, RelPath};
use symd_index::{FileEntry, Hit, Locals, Query};
use symd_syntax::{Matching, NamePattern};
use symd_types::kotlin::{FileKey, KotlinSources, SourceFile, is_within_package, shares_package_root};

/// The Kotlin files of a snapshot, each with a key.
pub(super) struct KotlinProject<'a> {
    sources: &'a dyn Sources,
    cancel: &'a Cancel,
    files: Vec<&'a Arc<FileEntry>>,
    /// The Java files, whose declarations `types` does not know.
    java: Vec<&'a Arc<FileEntry>>,
    keys: HashMap<&'a RelPath, FileKey>,
    /// The packages that files of Kotlin and Java declare.
    packages: OnceCell<HashSet<String>>,
    java_classes: RefCell<HashMap<String, Option<IndexedDeclaration>>>,
}

impl<'a> KotlinProject<'a> {
    pub(super) fn new(sources: &'a dyn Sources, cancel: &'a Cancel) -> KotlinProject<'a> {
        let (mut files, mut java) = (Vec::new(), Vec::new());
        for file in sources.snapshot().files.iter() {
            match LanguageProfile::of(file).filter(|language| language.family == Family::Jvm) {
                Some(language) if language.has_types => files.push(file),
                Some(_) => java.push(file),
                None => {}
            }
        }
        let keys = files.iter().zip(0..).map(|(file, key)| (&file.path, key)).collect();
        KotlinProject {
            sources,
            cancel,
            files,
            java,
            keys,
            packages: OnceCell::new(),
            java_classes: RefCell::default(),
        }
    }

    /// Whether a Java file may declare what Kotlin code calls `name`: itself or an accessor. It holds the word then.
    pub(super) fn java_may_declare(&self, name: &str) -> bool {
        let accessors = accessor_names(name);
        let names = || std::iter::once(name).chain(accessors.iter().map(String::as_str));
        let outlines = self.java.iter().filter_map(|file| file.outline());
        outlines.into_iter().any(|outline| names().any(|name| outline.occurrences.contains(name)))
    }

    /// Returns the class that a Java file declares under a qualified name.
    pub(super) fn java_class(&self, qualified: &str) -> Option<IndexedDeclaration> {
        if let Some(known) = self.java_classes.borrow().get(qualified) {
            return known.clone();
        }
        let found = self.find_java_class(qualified);
        self.java_classes.borrow_mut().insert(qualified.to_owned(), found.clone());
        found
    }

    fn find_java_class(&self, qualified: &str) -> Option<IndexedDeclaration> {
        if self.java.is_empty() {
            return None;
        }
        let name = qualified.rsplit('.').next()?;
        let pattern = NamePattern::parse(name, Matching::Exact).ok()?;
        let hits =
            self.sources.snapshot().find(&Query::in_project(pattern, Locals::Excluded), self.cancel).ok()?;
        hits.into_iter().map(|hit| IndexedDeclaration { file: hit.file, row: hit.row }).find(|one| {
            let is_java = LanguageProfile::of(&one.file)
                .is_some_and(|language| language.family == Family::Jvm && !language.has_types);
            is_java && one.row().is_some_and(|(_, row)| is_class(row)) && qualified_name(one) == qualified
        })
    }

    /// Returns the Kotlin files that declare `name`, outside of all other declarations or within one.
    fn files_with(&self, name: &str, is_outermost: bool) -> Vec<FileKey> {
        let Ok(pattern) = NamePattern::parse(name, Matching::Exact) else { return Vec::new() };
        // A cancelled search finds nothing; so does the question, which checks the flag itself.
        let found = self.sources.snapshot().find(&Query::in_project(pattern, Locals::Excluded), self.cancel);
        let is_meant = |hit: &&Hit| {
            hit.file.outline().is_some_and(|outline| {
                outline.rows.get(hit.row).is_some_and(|row| (row.parent == 0) == is_outermost)
            })
        };
        let found = found.unwrap_or_default();
        let mut keys: Vec<FileKey> =
            found.iter().filter(is_meant).filter_map(|hit| self.key(&hit.file.path)).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Returns the key of a Kotlin file of the snapshot.
    pub(super) fn key(&self, path: &RelPath) -> Option<FileKey> {
        self.keys.get(path).copied()
    }

    pub(super) fn entry(&self, key: FileKey) -> Option<&'a Arc<FileEntry>> {
        self.files.get(key as usize).copied()
    }

    fn packages(&self) -> &HashSet<String> {
        self.packages.get_or_init(|| {
            let files = self.files.iter().chain(&self.java);
            files.filter_map(|file| file.outline()?.imports.package()).collect()
        })
    }
}

/// Returns the package and the names of the classes around a declaration, with its own, joined by dots.
fn qualified_name(declared: &IndexedDeclaration) -> String {
    let Some(outline) = declared.file.outline() else { return String::new() };
    let mut names = vec![declared.name().to_owned()];
    let mut at = outline.rows.get(declared.row).and_then(symd_syntax::Row::parent);
    while let Some(row) = at.and_then(|at| outline.rows.get(at)) {
        names.push(outline.name(row).to_owned());
        at = row.parent();
    }
    names.extend(outline.imports.package().filter(|package| !package.is_empty()));
    names.reverse();
    names.join(".")
}

impl KotlinSources for KotlinProject<'_> {
    fn read(&self, file: FileKey) -> Option<Arc<SourceFile>> {
        let entry = self.entry(file)?;
        let current = self.sources.current(entry)?;
        self.sources.kotlin_file(entry, &current, self.cancel)
    }

    fn declaring(&self, name: &str) -> Vec<FileKey> {
        self.files_with(name, true)
    }

    fn declaring_members(&self, name: &str) -> Option<Vec<FileKey>> {
        (!self.java_may_declare(name)).then(|| self.files_with(name, false))
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    fn has_package(&self, name: &str) -> bool {
        self.packages().iter().any(|package| is_within_package(package, name))
    }

    fn declares_in_java(&self, qualified: &str) -> bool {
        self.java_class(qualified).is_some()
    }

    fn may_declare(&self, qualified: &str) -> bool {
        self.packages().iter().any(|package| shares_package_root(qualified, package))
    }
}
