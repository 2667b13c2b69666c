//! The Kotlin files of a snapshot, as `types` asks for them.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use crate::family::has_types;
use crate::hierarchy::classes::is_class;
use crate::jvm::accessors::accessor_names;
use crate::kotlin::java_types::java_member_type;
use crate::kotlin::state::{CONTRACT_WORD, KotlinFiles, is_java};
use crate::profiles::LanguageProfile;
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::{Cancel, RelPath};
use symd_index::{FileEntry, Hit, Locals, NeededWords, Query};
use symd_syntax::{Matching, NamePattern};
use symd_types::kotlin::{
    FileKey, JavaMember, JavaType, KotlinSources, SHARED_NAMES, SourceFile, is_within_package,
    shares_package_root,
};

/// The Kotlin files of a snapshot.
pub(crate) struct KotlinProject<'a> {
    sources: &'a dyn Sources,
    cancel: &'a Cancel,
    pub(crate) files: Arc<KotlinFiles>,
    java_classes: RefCell<HashMap<String, Option<IndexedDeclaration>>>,
    /// Set when the files with contracts were asked for.
    needs_contracts: OnceCell<()>,
}

impl<'a> KotlinProject<'a> {
    /// `files` are those of the same snapshot, if they are known.
    pub(crate) fn new(
        sources: &'a dyn Sources,
        cancel: &'a Cancel,
        files: Option<Arc<KotlinFiles>>,
    ) -> KotlinProject<'a> {
        let files = files.unwrap_or_else(|| Arc::new(KotlinFiles::new(sources)));
        KotlinProject {
            sources,
            cancel,
            files,
            java_classes: RefCell::default(),
            needs_contracts: OnceCell::new(),
        }
    }

    /// Whether a Java file may declare what Kotlin code calls `name`: itself or an accessor. It holds the word then.
    pub(crate) fn java_may_declare(&self, name: &str) -> bool {
        if !self.files.has_java {
            return false;
        }
        let accessors = accessor_names(name);
        let names = || std::iter::once(name).chain(accessors.iter().map(String::as_str));
        let words = names().filter(|name| !name.is_empty()).map(NeededWords::of_name);
        let files = &self.sources.snapshot().files;
        files.need_any_words(words);
        let mut java = self.files.java(self.sources).iter();
        java.any(|file| names().any(|name| file.holds(name)))
    }

    /// Returns the class that a Java file declares under a qualified name.
    pub(crate) fn java_class(&self, qualified: &str) -> Option<IndexedDeclaration> {
        if let Some(known) = self.java_classes.borrow().get(qualified) {
            return known.clone();
        }
        let found = self.find_java_class(qualified);
        self.java_classes.borrow_mut().insert(qualified.to_owned(), found.clone());
        found
    }

    fn find_java_class(&self, qualified: &str) -> Option<IndexedDeclaration> {
        if !self.files.has_java {
            return None;
        }
        let name = qualified.rsplit('.').next()?;
        let pattern = NamePattern::parse(name, Matching::Exact).ok()?;
        let hits =
            self.sources.snapshot().find(&Query::in_project(pattern, Locals::Excluded), self.cancel).ok()?;
        hits.into_iter().map(|hit| IndexedDeclaration { file: hit.file, row: hit.row }).find(|one| {
            is_java(&one.file)
                && one.row().is_some_and(|(_, row)| is_class(row))
                && qualified_name(one) == qualified
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
    pub(crate) fn key(&self, path: &RelPath) -> Option<FileKey> {
        self.files.key(path)
    }

    fn path(&self, key: FileKey) -> Option<&RelPath> {
        self.files.paths.get(key as usize)
    }

    pub(crate) fn entry(&self, key: FileKey) -> Option<&'a Arc<FileEntry>> {
        let path = self.path(key)?;
        self.sources.snapshot().files.get(path.as_str()).filter(|file| has_types(file))
    }

    /// Whether a file of Kotlin or Java declares one of these packages; `is_meant` holds for them and for no other.
    fn has_one_of(&self, needed: Vec<NeededWords>, is_meant: impl Fn(&str) -> bool) -> bool {
        let files = &self.sources.snapshot().files;
        let packages = self.files.packages(self.sources);
        // Files that are not known matter only if none that is known declares one.
        let is_found = packages.iter().any(|package| is_meant(package));
        if !is_found {
            files.need_any_words(needed);
        }
        is_found
    }
}

/// Returns what is known of the language of a file by its path, or by the content of one without an extension.
pub(crate) fn profile(sources: &dyn Sources, path: &RelPath) -> Option<&'static LanguageProfile> {
    let languages = sources.languages();
    match languages.language_of(path) {
        Some(language) => LanguageProfile::of_grammar(languages.get(language).grammar.as_deref()?),
        None if path.extension().is_none() => {
            LanguageProfile::of(sources.snapshot().files.get(path.as_str())?)
        }
        None => None,
    }
}

/// Returns the package and the names of the classes around a declaration, with its own, joined by dots.
pub(crate) fn qualified_name(declared: &IndexedDeclaration) -> String {
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

    fn may_declare_value(&self, name: &str) -> bool {
        let Ok(pattern) = NamePattern::parse(name, Matching::Exact) else { return true };
        let found = self.sources.snapshot().find(&Query::in_project(pattern, Locals::Excluded), self.cancel);
        let is_value = |hit: &Hit| {
            let row = hit.file.outline().and_then(|outline| outline.rows.get(hit.row));
            row.is_none_or(|row| !row.kind().is_callable())
        };
        found.map_or(true, |hits| hits.iter().any(is_value))
    }

    fn may_have_contract(&self, name: &str) -> bool {
        self.needs_contracts.get_or_init(|| {
            self.sources.snapshot().files.need_any_words([NeededWords::of_name(CONTRACT_WORD)]);
        });
        self.files.contracted(self.sources).contains(name)
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    fn has_package(&self, name: &str) -> bool {
        let needed = vec![NeededWords::of_package(name, false)];
        self.has_one_of(needed, |package| is_within_package(package, name))
    }

    fn declares_in_java(&self, qualified: &str) -> bool {
        self.java_class(qualified).is_some()
    }

    fn java_member(&self, class: &str, name: &str, member: JavaMember) -> Option<JavaType> {
        java_member_type(self.sources, &self.java_class(class)?, name, member)
    }

    fn may_see(&self, from: FileKey, declared: FileKey) -> bool {
        match (self.path(from), self.path(declared)) {
            (Some(from), Some(declared)) => self.sources.gradle_modules().may_see(from, declared),
            _ => true,
        }
    }

    fn are_apart(&self, one: FileKey, other: FileKey) -> bool {
        match (self.path(one), self.path(other)) {
            (Some(one), Some(other)) => self.sources.gradle_modules().are_apart(one, other),
            _ => false,
        }
    }

    fn distance(&self, from: FileKey, declared: FileKey) -> u8 {
        match (self.path(from), self.path(declared)) {
            (Some(from), Some(declared)) => self.sources.gradle_modules().distance(from, declared),
            _ => u8::MAX,
        }
    }

    fn may_declare(&self, qualified: &str) -> bool {
        let mut names = qualified.split('.');
        let (mut first, mut needed) = (String::new(), Vec::new());
        for count in 1..=SHARED_NAMES {
            let Some(name) = names.next() else { break };
            first = if count == 1 { name.to_owned() } else { format!("{first}.{name}") };
            needed.push(NeededWords::of_package(&first, count < SHARED_NAMES));
        }
        self.has_one_of(needed, |package| shares_package_root(qualified, package))
    }
}
