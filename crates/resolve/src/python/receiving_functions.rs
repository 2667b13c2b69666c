//! Which functions of the project a call or a decorator may run, by its text: a name by its scope and imports, a method of the same name
//! where the object is not known. Invariant: terminates on every input.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::hierarchy::classes::{is_class, is_function};
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::graph_by_need::Kin;
use crate::meaning::Meaning;
use crate::modules;
use crate::python::replaced_variables::module_receivers::module_files;
use crate::resolver::{CurrentFile, Resolver};
use crate::scope::{self, SearchStart};
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;
use symd_syntax::{Imported, SymbolKind};

/// Through how many imports a name is followed.
const MAX_HOPS: usize = 5;

/// Methods that run where a class is called, or its object.
const RUN_BY_CALL: [&str; 3] = ["__init__", "__new__", "__call__"];

/// What a chain of names begins with where `super()`, or `super(A, self)`, is before it.
pub(crate) const SUPER: &str = "super()";

/// Returns the functions that a file may call at byte `at` by a chain of names: `kit.fixture`, `super().__init__`, `.add` of `made().add`.
pub(crate) fn functions_called(
    resolver: &Resolver,
    here: &Rc<CurrentFile>,
    chain: &str,
    at: u32,
) -> Result<Vec<IndexedDeclaration>, Cancelled> {
    let (before, name) = chain.rsplit_once('.').unwrap_or(("", chain));
    if name.starts_with("__") {
        let classes = classes_called(resolver, here, before, at)?;
        return Ok(classes.iter().flat_map(|class| members(resolver, class, &[name])).collect());
    }
    let mut found = Vec::new();
    if !chain.contains('.') {
        by_scope(resolver, here, name, 0, &mut found)?;
    } else if let Some(files) = module_files(resolver, here, before) {
        for module in files.iter().filter_map(|file| resolver.read_file(file)) {
            by_scope(resolver, &module, name, 0, &mut found)?;
        }
    } else {
        let first = before.split('.').next().unwrap_or_default();
        let is_outside = here.binding(resolver.family, first).any(|import| {
            modules::find(resolver, &here.file, import.module, import.statement.start).is_none()
        });
        let declared = resolver.declared(name)?;
        // What a module has is reached by the module's name.
        let is_member = |one: &&IndexedDeclaration| one.row().is_some_and(|(_, row)| row.parent().is_some());
        found.extend(declared.iter().filter(is_member).filter(|_| !is_outside).cloned());
    }
    let (classes, mut functions): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|one| one.row().is_some_and(|(_, row)| is_class(row)));
    functions.retain(is_run);
    functions.extend(classes.iter().flat_map(|class| members(resolver, class, &RUN_BY_CALL)));
    Ok(functions)
}

/// Returns the classes of which one is asked for a method at byte `at` by what stands before its name: a class, `super()`, `self`.
fn classes_called(
    resolver: &Resolver,
    here: &Rc<CurrentFile>,
    before: &str,
    at: u32,
) -> Result<Vec<IndexedDeclaration>, Cancelled> {
    let chain: Vec<&str> = before.split('.').collect();
    let named = match scope::resolve_chain(resolver, here, at, &chain, SearchStart::Inside)? {
        Meaning::Declared(found) => found,
        _ => Vec::new(),
    };
    let mut classes: Vec<IndexedDeclaration> =
        named.into_iter().filter(|one| one.row().is_some_and(|(_, row)| is_class(row))).collect();
    if classes.is_empty() {
        classes.extend(scope::class_around(here, at));
    }
    let graph = ClassGraph::of_kin(resolver, &classes, Kin::Around)?;
    let heirs = graph.all_descendants(&classes);
    let around = || heirs.iter().flat_map(|&heir| graph.ancestors(heir)).collect::<BTreeSet<usize>>();
    let called = match before {
        // The object may be an heir's: what comes next in its order of classes is neither the class here nor an heir of that.
        SUPER => &around() - &heirs,
        "self" | "cls" => around(),
        _ => graph.all_ancestors(&classes),
    };
    Ok(graph.classes(called))
}

/// Adds what a name may mean at the top of a file.
fn by_scope(
    resolver: &Resolver,
    here: &Rc<CurrentFile>,
    name: &str,
    hops: usize,
    found: &mut Vec<IndexedDeclaration>,
) -> Result<(), Cancelled> {
    resolver.cancel.check()?;
    let rows = here.outline.rows.iter().enumerate();
    let own = rows.filter(|(_, row)| here.outline.name(row) == name).map(|(at, _)| here.target(at));
    let own: Vec<IndexedDeclaration> =
        own.filter(|one| is_run(one) || one.row().is_some_and(|(_, row)| is_class(row))).collect();
    let mut is_bound = !own.is_empty();
    found.extend(own);
    for import in here.binding(resolver.family, name) {
        is_bound = true;
        let Imported::Name(name) = import.imported else { continue };
        let module = modules::find(resolver, &here.file, import.module, import.statement.start);
        let file = module.as_ref().and_then(|module| modules::file_of(resolver, module));
        if let Some(there) = file.filter(|_| hops < MAX_HOPS).and_then(|file| resolver.read_file(&file)) {
            by_scope(resolver, &there, name, hops + 1, found)?;
        }
    }
    let mut imports = here.imports().iter();
    if !is_bound && imports.any(|import| import.imported == Imported::Everything) {
        found.extend(resolver.declared(name)?.iter().cloned());
    }
    Ok(())
}

/// Whether a call runs the declaration itself: `__init__` is a constructor, no method.
fn is_run(one: &IndexedDeclaration) -> bool {
    is_function(one) || one.row().is_some_and(|(_, row)| row.kind() == SymbolKind::Constructor)
}

/// Returns the methods of these names that a class declares itself.
fn members(resolver: &Resolver, class: &IndexedDeclaration, names: &[&str]) -> Vec<IndexedDeclaration> {
    let Some(here) = resolver.read_file(&class.file) else { return Vec::new() };
    let Some(class) = here.row_of(class) else { return Vec::new() };
    let rows = here.outline.rows.iter().enumerate();
    let own = rows.filter(|(_, row)| row.parent() == Some(class) && names.contains(&here.outline.name(row)));
    own.map(|(at, _)| here.target(at)).filter(is_run).collect()
}
