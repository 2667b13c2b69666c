//! Resolves a module as written in an import to files of the project, by paths alone: no build file is read.
//! Invariant: a guess (by the end of a path) is used only where there is no exact match.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::profiles::ModuleLookup;
use super::resolver::{CurrentFile, Resolver};
use symd_base::RelPath;
use symd_index::FileEntry;
use symd_syntax::{Import, ImportKind, Imported, SymbolKind};

/// A module. Files are compared by their paths.
#[derive(Clone, Debug)]
pub(super) enum Module {
    File(Arc<FileEntry>),
    /// A directory: a Python package, a Go package.
    Directory(RelPath),
    /// A package of Kotlin or Java, a namespace of C#: all files that declare it as theirs.
    Package(String),
}

impl PartialEq for Module {
    fn eq(&self, other: &Module) -> bool {
        match (self, other) {
            (Module::File(one), Module::File(other)) => one.path == other.path,
            (Module::Directory(one), Module::Directory(other)) => one == other,
            (Module::Package(one), Module::Package(other)) => one == other,
            _ => false,
        }
    }
}

impl Eq for Module {}

impl Hash for Module {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Module::File(file) => file.path.hash(state),
            Module::Directory(path) => path.hash(state),
            Module::Package(name) => name.hash(state),
        }
    }
}

/// File extensions that import specifiers omit, in the order in which they are tried.
const ECMA_ENDINGS: [&str; 8] = ["ts", "tsx", "d.ts", "js", "jsx", "mjs", "cjs", "mts"];

/// Finds the module that `written` means in the file `from`, in a statement at byte `at`; `None` when it is
/// not in the project, or cannot be resolved.
pub(super) fn find(resolver: &Resolver, from: &FileEntry, written: &str, at: u32) -> Option<Module> {
    match resolver.profile.imports.lookup {
        ModuleLookup::PythonPath => python(resolver, &from.path, written),
        ModuleLookup::Package => Some(Module::Package(written.to_owned())),
        ModuleLookup::EcmaPath => ecma(resolver, &from.path, written),
        ModuleLookup::RustPath => rust(resolver, from, written, at),
        ModuleLookup::GoPath => go(resolver, written),
        ModuleLookup::Include => include(resolver, &from.path, written),
    }
}

/// Returns the submodule `name` of a module, if there is one.
pub(super) fn below(resolver: &Resolver, module: &Module, name: &str) -> Option<Module> {
    match (resolver.profile.imports.lookup, module) {
        (ModuleLookup::PythonPath, Module::Directory(directory)) => python_at(resolver, directory, &[name]),
        (ModuleLookup::RustPath, Module::File(file)) => {
            rust_at(resolver, &rust_children(&file.path)?, &[name])
        }
        _ => None,
    }
}

fn python(resolver: &Resolver, from: &RelPath, written: &str) -> Option<Module> {
    let bare = written.trim_start_matches('.');
    let parts: Vec<&str> = bare.split('.').filter(|part| !part.is_empty()).collect();
    let dots = written.len() - bare.len();
    let mut directory = from.parent()?;
    if dots > 0 {
        for _ in 1..dots {
            directory = directory.parent()?;
        }
        return python_at(resolver, &directory, &parts);
    }
    // A source root is a directory that is no package itself; the importing file's own ancestors are tried
    // first.
    loop {
        let is_package = resolver.file(&format!("{}/__init__.py", directory.as_str())).is_some();
        if !is_package && let Some(found) = python_at(resolver, &directory, &parts) {
            return Some(found);
        }
        match directory.parent() {
            Some(parent) => directory = parent,
            None => break,
        }
    }
    python_by_ending(resolver, from, &parts)
}

/// Returns the file that runs when a module of Python is imported, and whose names it has.
pub(super) fn file_of(resolver: &Resolver, module: &Module) -> Option<Arc<FileEntry>> {
    match module {
        Module::File(file) => Some(file.clone()),
        Module::Directory(directory) => init_of(resolver, directory).cloned(),
        Module::Package(_) => None,
    }
}

/// Returns the `__init__.py` of a directory: it is a package of Python's.
pub(super) fn init_of<'a>(resolver: &Resolver<'a>, directory: &RelPath) -> Option<&'a Arc<FileEntry>> {
    resolver.file(directory.join("__init__.py").as_str())
}

fn python_at(resolver: &Resolver, directory: &RelPath, parts: &[&str]) -> Option<Module> {
    let path = parts.iter().fold(directory.clone(), |path, part| path.join(part));
    if parts.is_empty() {
        return resolver.is_directory(&path).then_some(Module::Directory(path));
    }
    if resolver.file(&format!("{}/__init__.py", path.as_str())).is_some() {
        return Some(Module::Directory(path));
    }
    let file = resolver
        .file(&format!("{}.py", path.as_str()))
        .or_else(|| resolver.file(&format!("{}.pyi", path.as_str())));
    match file {
        Some(file) => Some(Module::File(file.clone())),
        None => resolver.is_directory(&path).then_some(Module::Directory(path)),
    }
}

/// Finds a module beneath a source root that is no ancestor of the importing file: `src/pkg` for
/// `tests/test_pkg.py`.
fn python_by_ending(resolver: &Resolver, from: &RelPath, parts: &[&str]) -> Option<Module> {
    let last = parts.last()?;
    let ending = format!("/{}.py", parts.join("/"));
    let package = format!("/{}/__init__.py", parts.join("/"));
    let modules = resolver.by_stem(last).iter().filter(|path| path.as_str().ends_with(&ending));
    let packages = if parts.len() > 3 && !resolver.has_stem(last) {
        [].iter()
    } else {
        resolver.by_stem("__init__").iter()
    };
    let all = modules.chain(packages.filter(|path| path.as_str().ends_with(&package)));
    let in_root = all.filter_map(|path| resolver.file(path.as_str())).filter(|file| {
        let up = parts.len() + usize::from(file.path.file_stem() == "__init__");
        let root = (0..up).try_fold(file.path.clone(), |path, _| path.parent());
        root.is_some_and(|root| resolver.file(&format!("{}/__init__.py", root.as_str())).is_none())
    });
    let found = nearest(from, in_root)?;
    match found.path.file_stem() {
        "__init__" => found.path.parent().map(Module::Directory),
        _ => Some(Module::File(found.clone())),
    }
}

/// Returns the file that shares the longest path prefix with `from`; of several, the first.
fn nearest<'a>(
    from: &RelPath,
    files: impl Iterator<Item = &'a Arc<FileEntry>>,
) -> Option<&'a Arc<FileEntry>> {
    let shared =
        |path: &RelPath| path.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    files.first_max_by_key(|file| shared(&file.path))
}

/// A `max_by_key` that returns the first of equal items, where the standard one returns the last.
trait FirstMax: Iterator + Sized {
    fn first_max_by_key<K: Ord>(self, key: impl Fn(&Self::Item) -> K) -> Option<Self::Item> {
        self.fold(None, |best: Option<(K, Self::Item)>, item| {
            let value = key(&item);
            match best {
                Some((top, first)) if top >= value => Some((top, first)),
                _ => Some((value, item)),
            }
        })
        .map(|(_, item)| item)
    }
}

impl<I: Iterator> FirstMax for I {}

fn ecma(resolver: &Resolver, from: &RelPath, written: &str) -> Option<Module> {
    if !written.starts_with('.') {
        // A package, or an alias from the compiler's settings: the specifier does not say which.
        return None;
    }
    let base = RelPath::new(format!("{}/{written}", from.parent()?.as_str()).trim_start_matches('/')).ok()?;
    let base = base.as_str();
    let with = |stem: &str| ECMA_ENDINGS.iter().find_map(|ending| resolver.file(&format!("{stem}.{ending}")));
    let replaced = [".js", ".jsx", ".mjs", ".cjs"].iter().find_map(|ending| base.strip_suffix(ending));
    let file = replaced.and_then(|stem| {
        ["ts", "tsx", "mts", "cts"].iter().find_map(|ending| resolver.file(&format!("{stem}.{ending}")))
    });
    let file = file
        .or_else(|| resolver.file(base))
        .or_else(|| with(base))
        .or_else(|| with(format!("{base}/index").trim_start_matches('/')));
    file.map(|file| Module::File(file.clone()))
}

/// Returns what a specifier that means the file at `path` holds of it: its name without extension; `index` where it is that
/// of the directory.
pub(super) fn ecma_stem(path: &RelPath) -> &str {
    let name = path.file_name();
    let stems = ECMA_ENDINGS.iter().filter_map(|ending| name.strip_suffix(ending)?.strip_suffix('.'));
    stems.min_by_key(|stem| stem.len()).unwrap_or(name)
}

/// Returns the directory of a Rust module's children.
fn rust_children(path: &RelPath) -> Option<RelPath> {
    match path.file_name() {
        "mod.rs" | "lib.rs" | "main.rs" => path.parent(),
        _ => Some(path.parent()?.join(path.file_stem())),
    }
}

fn rust_at(resolver: &Resolver, directory: &RelPath, parts: &[&str]) -> Option<Module> {
    let path = parts.iter().fold(directory.clone(), |path, part| path.join(part));
    let own = [format!("{}.rs", path.as_str()), format!("{}/mod.rs", path.as_str())];
    let root = ["lib.rs", "main.rs"].map(|name| path.join(name).as_str().to_owned());
    let all = own.iter().chain(root.iter().filter(|_| parts.is_empty()));
    all.filter_map(|path| resolver.file(path)).next().map(|file| Module::File(file.clone()))
}

fn rust(resolver: &Resolver, from: &FileEntry, written: &str, at: u32) -> Option<Module> {
    let mut parts: Vec<&str> = written.split("::").collect();
    if parts[0].is_empty() {
        // `::name` is another crate.
        return None;
    }
    let mut directory = rust_children(&from.path)?;
    if parts[0] == "crate" {
        directory = from.path.parent()?;
        while ["lib.rs", "main.rs"].iter().all(|name| resolver.file(directory.join(name).as_str()).is_none())
        {
            directory = directory.parent()?;
        }
        parts.remove(0);
        return rust_at(resolver, &directory, &parts);
    }
    // Inside `mod tests { … }` the first `super` is this file.
    let rows = from.outline().map_or(&[][..], |outline| &outline.rows);
    let is_module = |kind| matches!(kind, SymbolKind::Module | SymbolKind::Namespace);
    let mut inline =
        rows.iter().filter(|row| is_module(row.kind()) && row.start <= at && at < row.end).count();
    let mut is_relative = false;
    while let Some(&("self" | "super")) = parts.first() {
        is_relative = true;
        if parts.remove(0) == "super" {
            if inline > 0 {
                inline -= 1;
            } else {
                directory = directory.parent()?;
            }
        }
    }
    if is_relative && parts.is_empty() && directory == rust_children(&from.path)? {
        return resolver.file(from.path.as_str()).map(|file| Module::File(file.clone()));
    }
    rust_at(resolver, &directory, &parts)
}

fn go(resolver: &Resolver, written: &str) -> Option<Module> {
    let parts: Vec<&str> = written.split('/').collect();
    let paths = (0..parts.len()).filter_map(|from| RelPath::new(&parts[from..].join("/")).ok());
    let below = paths.into_iter().find(|path| resolver.files_in(path).next().is_some());
    below.or_else(|| go_root(resolver, written)).map(Module::Directory)
}

/// Returns the package name that an import path has by convention: `name` for `example.org/name/v2` and
/// `gopkg.in/name.v2`.
pub(super) fn go_package(path: &str) -> Option<&str> {
    let is_version = |part: &str| {
        part.strip_prefix('v')
            .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()))
    };
    let name = path.rsplit('/').find(|part| !is_version(part))?;
    Some(name.rsplit_once('.').filter(|(_, version)| is_version(version)).map_or(name, |(name, _)| name))
}

/// Finds the package `name` among those that the file imports by paths that end otherwise: `import "m/util-go"` for `package util`.
pub(super) fn go_package_called(resolver: &Resolver, here: &CurrentFile, name: &str) -> Option<Module> {
    let unnamed = |import: &Import| import.alias.is_none() && import.imported == Imported::Module;
    let mut imported =
        here.imports().iter().filter(|import| import.kind == ImportKind::Import).filter(unnamed);
    imported.find_map(|import| {
        let Some(Module::Directory(directory)) = go(resolver, import.module) else { return None };
        let is_it = |file: &&Arc<FileEntry>| {
            let package = file.imports().and_then(|imports| imports.package());
            package.as_deref() == Some(name)
        };
        let has_it = resolver.files_in(&directory).any(|file| is_it(&file));
        has_it.then_some(Module::Directory(directory))
    })
}

/// Returns the project's root, where `import "example.org/name"` means the project's own module.
fn go_root(resolver: &Resolver, written: &str) -> Option<RelPath> {
    let name = go_package(written)?;
    // Paths of the standard library do not begin with a host.
    let is_of_host = written.split('/').next().is_some_and(|first| first.contains('.'));
    (is_of_host && resolver.root_packages().contains(name)).then(RelPath::root)
}

fn include(resolver: &Resolver, from: &RelPath, written: &str) -> Option<Module> {
    let beside =
        RelPath::new(format!("{}/{written}", from.parent()?.as_str()).trim_start_matches('/')).ok()?;
    if let Some(file) = resolver.file(beside.as_str()) {
        return Some(Module::File(file.clone()));
    }
    let stem = RelPath::new(written).ok()?.file_stem().to_owned();
    let ending = format!("/{written}");
    let fits = |path: &&&RelPath| path.as_str() == written || path.as_str().ends_with(&ending);
    let paths = resolver.by_stem(&stem).iter().filter(fits);
    let files = paths.filter_map(|path| resolver.file(path.as_str()));
    nearest(from, files).map(|file| Module::File(file.clone()))
}
