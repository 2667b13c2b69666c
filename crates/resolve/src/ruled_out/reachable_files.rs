//! Which files the objects of a test module can reach, by imports. Only its runner runs a test module: its
//! objects reach the code that it imports, and test modules and `conftest.py` files around it. Invariant: if
//! any file of a package is imported, every file of it counts as imported, since programs load modules of
//! their own packages by name.

use std::cell::OnceCell;
use std::collections::HashSet;

use crate::modules;
use crate::resolver::Resolver;
use crate::sources::IndexedDeclaration;
use symd_base::RelPath;
use symd_index::FileEntry;
use symd_syntax::Imported;

/// The files that objects of one test module can reach.
pub(super) struct ReachableFiles<'p, 'a> {
    resolver: &'p Resolver<'a>,
    /// The path of the module, if it is a test module and declares all targets.
    test: Option<RelPath>,
    reached: OnceCell<HashSet<RelPath>>,
}

impl<'p, 'a> ReachableFiles<'p, 'a> {
    /// Returns the links of the test module in which all targets are declared.
    pub(super) fn of(resolver: &'p Resolver<'a>, targets: &[IndexedDeclaration]) -> ReachableFiles<'p, 'a> {
        let first = targets.first().map(|target| target.file.path.clone());
        let test = first
            .filter(|path| is_test_module(path) && targets.iter().all(|target| target.file.path == *path));
        ReachableFiles { resolver, test, reached: OnceCell::new() }
    }

    /// Whether no object of the test module reaches `file`.
    pub(super) fn is_unreachable(&self, file: &FileEntry) -> bool {
        let Some(test) = &self.test else { return false };
        if file.path == *test || is_run_with_tests(&file.path) {
            return false;
        }
        let reached = self.reached.get_or_init(|| roots(self.resolver, &closure(self.resolver, test)));
        !reached.contains(&root(self.resolver, &file.path))
            && !closure(self.resolver, &file.path).contains(test)
    }
}

/// Whether pytest takes the file for a test module.
fn is_test_module(path: &RelPath) -> bool {
    let stem = path.file_stem();
    stem.starts_with("test_") || stem.ends_with("_test")
}

/// Whether the test runner loads the file, or its values reach other tests: another test module may run in
/// the same process.
fn is_run_with_tests(path: &RelPath) -> bool {
    path.file_name() == "conftest.py" || is_test_module(path)
}

/// Returns the file and all files that it imports, directly or not.
fn closure(resolver: &Resolver, from: &RelPath) -> HashSet<RelPath> {
    let mut known = HashSet::from([from.clone()]);
    let mut open = vec![from.clone()];
    while let Some(path) = open.pop() {
        let Some(file) = resolver.file(path.as_str()) else { continue };
        for imported in imported(resolver, file) {
            if known.insert(imported.clone()) {
                open.push(imported);
            }
        }
    }
    known
}

/// Returns the files that a file's own imports name.
fn imported(resolver: &Resolver, file: &FileEntry) -> Vec<RelPath> {
    let Some(imports) = resolver.imports_of(file) else { return Vec::new() };
    let mut found = Vec::new();
    for import in imports.iter() {
        let Some(module) = modules::find(resolver, file, import.module, import.statement.start) else {
            continue;
        };
        if let Imported::Name(name) = import.imported {
            let below = modules::below(resolver, &module, name);
            found.extend(below.and_then(|below| Some(modules::file_of(resolver, &below)?.path.clone())));
        }
        found.extend(modules::file_of(resolver, &module).map(|file| file.path.clone()));
    }
    found
}

fn roots(resolver: &Resolver, files: &HashSet<RelPath>) -> HashSet<RelPath> {
    files.iter().map(|path| root(resolver, path)).collect()
}

/// Returns the outermost package around a file; the file itself if it is in none.
fn root(resolver: &Resolver, path: &RelPath) -> RelPath {
    let mut root = path.clone();
    while let Some(directory) = root.parent()
        && modules::init_of(resolver, &directory).is_some()
    {
        root = directory;
    }
    root
}
