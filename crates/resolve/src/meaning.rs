//! Resolves what a name means in a module seen from outside, and through imports, to a fixpoint. Invariant:
//! terminates on every input; cyclic imports are walked once.

use super::family::{Family, has_types};
use super::modules::{self, Module};
use super::profiles::{ImportedOffer, PackageScope, PathBinding, UnfoundModule};
use super::resolver::Resolver;
use super::sources::IndexedDeclaration;
use crate::ecma::commonjs;
use crate::jvm;
use symd_base::cancel::Cancelled;
use symd_index::FileEntry;
use symd_syntax::{Import, ImportKind, Imported, Row, SymbolKind};

/// The most modules through which a name is followed.
const MAX_HOPS: usize = 24;

/// The meaning of a name at a place.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// One of these declarations; several when one scope declares the name several times.
    Declared(Vec<IndexedDeclaration>),
    /// One of these declarations, unless the name is that of a member of an object whose type is not known.
    Probable(Vec<IndexedDeclaration>),
    /// Perhaps one of these declarations: what is known of the types contradicts it.
    Possible(Vec<IndexedDeclaration>),
    Module(Module),
    /// Something outside the project.
    OutsideProject,
    /// A local that the outline does not list.
    Local,
    /// A local that the outline does not list, or one of these functions and classes: for a call, where types
    /// decide.
    LocalOrDeclared(Vec<IndexedDeclaration>),
    /// A meaning that syntax does not determine.
    Unknown,
}

impl Meaning {
    /// Returns what the name is known to declare; empty for every other meaning.
    pub(super) fn declared(&self) -> &[IndexedDeclaration] {
        match self {
            Meaning::Declared(found) => found,
            _ => &[],
        }
    }

    /// Merges two meanings. Declarations of both are united; otherwise declarations take precedence over
    /// modules, and modules over the rest; `Unknown` comes last.
    fn or(self, other: Meaning) -> Meaning {
        match (self, other) {
            (Meaning::Declared(mut mine), Meaning::Declared(theirs)) => {
                for their in theirs {
                    if !mine.iter().any(|my| my.is_same_declaration(&their)) {
                        mine.push(their);
                    }
                }
                Meaning::Declared(mine)
            }
            (mine @ Meaning::Declared(_), _) | (_, mine @ Meaning::Declared(_)) => mine,
            (mine @ Meaning::Module(_), _) | (_, mine @ Meaning::Module(_)) => mine,
            (Meaning::Unknown, other) => other,
            (mine, _) => mine,
        }
    }
}

impl Resolver<'_> {
    /// Resolves what the import, which stands in the file `from`, binds to its name.
    pub(super) fn import(
        &self,
        from: &FileEntry,
        import: &Import,
        hops: usize,
    ) -> Result<Meaning, Cancelled> {
        self.cancel.check()?;
        if hops > MAX_HOPS {
            return Ok(Meaning::Unknown);
        }
        let at = import.statement.start;
        if import.module.is_empty() && import.kind == ImportKind::Export {
            let Imported::Name(name) = import.imported else { return Ok(Meaning::Unknown) };
            return self.own(from, name, hops + 1);
        }
        let is_whole_path = import.alias.is_none() && self.profile.imports.path_binds == PathBinding::First;
        let Imported::Name(name) = import.imported else {
            // `import a.b` binds `a`.
            let written = match import.module.split_once('.') {
                Some((first, _)) if is_whole_path && !first.is_empty() => first,
                _ => import.module,
            };
            return Ok(match modules::find(self, from, written, at) {
                Some(module) if self.family == Family::Ecma => {
                    commonjs::whole_export(self, &module, hops + 1)?.unwrap_or(Meaning::Module(module))
                }
                Some(module) => Meaning::Module(module),
                None => self.unresolved(import.module),
            });
        };
        match modules::find(self, from, import.module, at) {
            Some(module) => Ok(self.seen_from(from, &module, self.exported(&module, name, hops + 1)?)),
            None => Ok(self.unresolved(import.module)),
        }
    }

    /// Returns the meaning of a name from a module that is not found.
    fn unresolved(&self, written: &str) -> Meaning {
        let imports = &self.profile.imports;
        let is_outside = match imports.unfound {
            UnfoundModule::OutsideProject => true,
            UnfoundModule::OutsideUnlessRelative => !written.starts_with('.'),
            UnfoundModule::Unknown => {
                written.split("::").next().is_some_and(|first| imports.standard.contains(&first))
            }
        };
        if is_outside { Meaning::OutsideProject } else { Meaning::Unknown }
    }

    /// Resolves `name` in `module`, seen from outside. The result is kept for each number of hops: where modules import
    /// everything of one another, there are exponentially many ways to a module, and each would be followed.
    pub(super) fn exported(&self, module: &Module, name: &str, hops: usize) -> Result<Meaning, Cancelled> {
        let key = (module.clone(), name.to_owned(), hops);
        if let Some(known) = self.exported_meanings.borrow().get(&key) {
            return Ok(known.clone());
        }
        let found = self.exported_anew(module, name, hops)?;
        self.exported_meanings.borrow_mut().insert(key, found.clone());
        Ok(found)
    }

    fn exported_anew(&self, module: &Module, name: &str, hops: usize) -> Result<Meaning, Cancelled> {
        self.cancel.check()?;
        if hops > MAX_HOPS {
            return Ok(Meaning::Unknown);
        }
        match module {
            Module::File(file) => {
                let meaning = self.offered(file, name, hops)?;
                Ok(match (&meaning, modules::below(self, module, name)) {
                    (Meaning::Unknown | Meaning::OutsideProject, Some(below)) => Meaning::Module(below),
                    _ => meaning,
                })
            }
            Module::Directory(directory) if self.profile.imports.package == PackageScope::Directory => {
                let mut found = Vec::new();
                for file in self.files_in(directory) {
                    found.extend(top_level(file, name));
                }
                Ok(if found.is_empty() { Meaning::Unknown } else { Meaning::Declared(found) })
            }
            Module::Directory(directory) => {
                let meaning = match modules::init_of(self, directory) {
                    Some(init) => self.offered(init, name, hops)?,
                    None => Meaning::Unknown,
                };
                Ok(match (&meaning, modules::below(self, module, name)) {
                    (Meaning::Unknown | Meaning::OutsideProject, Some(below)) => Meaning::Module(below),
                    _ => meaning,
                })
            }
            Module::Package(package) => self.in_package(package, name),
        }
    }

    /// Resolves `name` among declarations whose package, followed by the names of the enclosing classes, is
    /// `package`.
    fn in_package(&self, package: &str, name: &str) -> Result<Meaning, Cancelled> {
        let declared = self.declared(name)?;
        let found: Vec<IndexedDeclaration> =
            declared.iter().filter(|target| is_in(self, target, package)).cloned().collect();
        if !found.is_empty() {
            return Ok(Meaning::Declared(found));
        }
        if self.family == Family::Jvm
            && let Some(found) = self.in_file_class(package, name, &declared)
        {
            return Ok(found);
        }
        // The project does not declare the name there; Kotlin's `import a.Companion.b` and the like are not
        // followed.
        let is_ours = declared.iter().any(|target| {
            self.imports_of(&target.file).is_some_and(|imports| imports.package() == Some(package))
        });
        Ok(if is_ours { Meaning::Unknown } else { Meaning::OutsideProject })
    }

    /// Leaves out what Kotlin declares outside of classes where Java names it by its package alone.
    pub(super) fn seen_from(&self, file: &FileEntry, module: &Module, found: Meaning) -> Meaning {
        let (Module::Package(package), Meaning::Declared(mut declared)) = (module, found.clone()) else {
            return found;
        };
        let is_java = self.family == Family::Jvm && !has_types(file);
        if !is_java || self.file_classes().contains(package) {
            return found;
        }
        declared.retain(|one| !jvm::names::is_of_file(one));
        if declared.is_empty() { Meaning::Unknown } else { Meaning::Declared(declared) }
    }

    /// Resolves `name` as Java sees Kotlin's files: as the class of one, or as a member of that class. `None` where a package
    /// has no such class.
    fn in_file_class(&self, package: &str, name: &str, declared: &[IndexedDeclaration]) -> Option<Meaning> {
        let classes = self.file_classes();
        if classes.contains(package) {
            let found: Vec<IndexedDeclaration> =
                declared.iter().filter(|one| classes.holds(package, one)).cloned().collect();
            // It may be the name of an accessor.
            return Some(if found.is_empty() { Meaning::Unknown } else { Meaning::Declared(found) });
        }
        let class = if package.is_empty() { name.to_owned() } else { format!("{package}.{name}") };
        classes.contains(&class).then_some(Meaning::Module(Module::Package(class)))
    }

    /// Resolves `name` among what `file` offers to importers: its own declarations, its imports, its star
    /// imports.
    fn offered(&self, file: &FileEntry, name: &str, hops: usize) -> Result<Meaning, Cancelled> {
        let Some(imports) = self.imports_of(file) else { return Ok(Meaning::Unknown) };
        let Some(entry) = self.file(file.path.as_str()) else { return Ok(Meaning::Unknown) };
        let own = top_level(entry, name);
        let is_hidden =
            own.is_empty() || self.family == Family::Ecma && !commonjs::may_offer(self, file, name);
        let mut meaning = if is_hidden { Meaning::Unknown } else { Meaning::Declared(own) };
        let offers = self.profile.imports.offers;
        if offers == ImportedOffer::Exports {
            // Each export refers to a declaration of this file or of another one.
            for import in imports.iter().filter(|import| import.kind == ImportKind::Export) {
                if import.bound() == Some(name) {
                    meaning = self.import(file, &import, hops + 1)?.or(meaning);
                }
            }
        } else if offers == ImportedOffer::All || file.holds(name) {
            for import in imports.iter() {
                if binds(self.family, &import) == Some(name) {
                    meaning = meaning.or(self.import(file, &import, hops + 1)?);
                }
            }
        }
        if matches!(meaning, Meaning::Unknown) && name != "default" {
            meaning = self.starred(file, name, ImportKind::Export, hops)?;
        }
        Ok(meaning)
    }

    /// Resolves `name` at the top level of `file` itself.
    pub(super) fn own(&self, file: &FileEntry, name: &str, hops: usize) -> Result<Meaning, Cancelled> {
        let Some(entry) = self.file(file.path.as_str()) else { return Ok(Meaning::Unknown) };
        let own = top_level(entry, name);
        if !own.is_empty() {
            return Ok(Meaning::Declared(own));
        }
        let Some(imports) = self.imports_of(file) else { return Ok(Meaning::Unknown) };
        let mut meaning = Meaning::Unknown;
        for import in imports.iter().filter(|import| import.kind == ImportKind::Import) {
            if binds(self.family, &import) == Some(name) {
                meaning = meaning.or(self.import(file, &import, hops + 1)?);
            }
        }
        Ok(meaning)
    }

    /// Resolves `name` through `import *` in `file`. `kind` matters only where a module offers what it exports;
    /// star imports of other languages are always imports.
    pub(super) fn starred(
        &self,
        file: &FileEntry,
        name: &str,
        kind: ImportKind,
        hops: usize,
    ) -> Result<Meaning, Cancelled> {
        let is_omitted = self.profile.imports.star_omits_underscored && name.starts_with('_');
        if is_omitted || !file.imports().is_some_and(|imports| imports.has_stars()) {
            return Ok(Meaning::Unknown);
        }
        let has_exports = self.profile.imports.offers == ImportedOffer::Exports;
        let kind = if has_exports { kind } else { ImportKind::Import };
        let mut meaning = Meaning::Unknown;
        let Some(imports) = self.imports_of(file) else { return Ok(Meaning::Unknown) };
        for import in imports.iter() {
            if import.kind != kind || import.imported != Imported::Everything {
                continue;
            }
            let Some(module) = modules::find(self, file, import.module, import.statement.start) else {
                continue;
            };
            match self.seen_from(file, &module, self.exported(&module, name, hops + 1)?) {
                found @ Meaning::Declared(_) => meaning = meaning.or(found),
                // The class of a Kotlin file.
                found @ Meaning::Module(_) if self.family == Family::Jvm => meaning = meaning.or(found),
                _ => {}
            }
        }
        Ok(meaning)
    }
}

/// Returns the name that an import binds in its file; `import a.b` binds `a`.
pub(super) fn binds<'a>(family: Family, import: &Import<'a>) -> Option<&'a str> {
    if import.kind != ImportKind::Import {
        return None;
    }
    if let Some(name) = import.bound() {
        return Some(name);
    }
    if import.imported != Imported::Module {
        return None;
    }
    match family.profile().imports.path_binds {
        PathBinding::First => import.module.split('.').next().filter(|name| !name.is_empty()),
        PathBinding::Last => import.module.rsplit("::").next(),
        PathBinding::PackageName => modules::go_package(import.module),
        PathBinding::Nothing => None,
    }
}

/// Returns the declarations of `name` at a file's top level.
pub(super) fn top_level(file: &std::sync::Arc<FileEntry>, name: &str) -> Vec<IndexedDeclaration> {
    // A cheap check before the search through all rows.
    if !file.holds(name) {
        return Vec::new();
    }
    let Some(outline) = file.outline() else { return Vec::new() };
    let rows = outline.rows.iter().enumerate();
    // A constructor that C++ defines outside its class is not found by its name, nor is a method of Go.
    let is_of_class = |row: &Row| match row.kind() {
        SymbolKind::Constructor => true,
        SymbolKind::Method => Family::of(file) == Some(Family::Go),
        _ => false,
    };
    let is_named = |row: &Row| row.parent == 0 && !row.is_local() && outline.name(row) == name;
    let named = rows.filter(|(_, row)| is_named(row) && !is_of_class(row));
    named.map(|(row, _)| IndexedDeclaration { file: file.clone(), row }).collect()
}

/// Whether the target's package, followed by the names of the enclosing classes, is `package`.
fn is_in(resolver: &Resolver, target: &IndexedDeclaration, package: &str) -> bool {
    let Some((outline, row)) = target.row() else { return false };
    let mut around = Vec::new();
    let mut parent = row.parent();
    while let Some(at) = parent {
        around.push(&outline.rows[at]);
        parent = outline.rows[at].parent();
    }
    // Namespaces of C# are rows themselves.
    let is_namespace = |row: &&Row| matches!(row.kind(), SymbolKind::Namespace | SymbolKind::Module);
    let namespace = around.pop_if(|row| is_namespace(row));
    let mut rest = package;
    for row in around {
        let name = outline.name(row);
        match rest.strip_suffix(name) {
            Some("") => rest = "",
            Some(left) if left.ends_with('.') => rest = &left[..left.len() - 1],
            // A path through a Kotlin companion need not name it.
            _ if name == "Companion" => {}
            _ => return false,
        }
    }
    match namespace {
        Some(namespace) => rest == outline.name(namespace),
        // Read last: most declarations are ruled out by their classes.
        None => resolver
            .imports_of(&target.file)
            .map_or(rest.is_empty(), |imports| rest == imports.package().unwrap_or("")),
    }
}
