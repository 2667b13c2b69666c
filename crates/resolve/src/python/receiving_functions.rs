//! Which functions of the project a call or a decorator may run, by its text: a name by its scope and imports, a method of the same name
//! where the object is not known. Invariant: terminates on every input.

use std::rc::Rc;

use crate::hierarchy::classes::is_class;
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::graph_by_need::Kin;
use crate::modules;
use crate::python::replaced_variables::module_receivers::{file_of, module_files};
use crate::resolver::{CurrentFile, Resolver};
use crate::scope;
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;
use symd_syntax::{Imported, SymbolKind};

/// Through how many imports a name is followed.
const MAX_HOPS: usize = 5;

/// Methods that run where a class is called, or its object.
const RUN_BY_CALL: [&str; 3] = ["__init__", "__new__", "__call__"];

/// Returns the functions that a file may call at byte `at` by a chain of names: `kit.fixture`, `.__init__` behind `super()`.
pub(crate) fn functions_called(
    resolver: &Resolver,
    here: &Rc<CurrentFile>,
    chain: &str,
    at: u32,
) -> Result<Vec<IndexedDeclaration>, Cancelled> {
    let (before, name) = chain.rsplit_once('.').unwrap_or(("", chain));
    let mut found = Vec::new();
    if name.starts_with("__") {
        let class = scope::around(here, at).into_iter().find(|&row| is_class(&here.outline.rows[row]));
        let Some(class) = class.map(|row| here.target(row)) else { return Ok(found) };
        let graph = ClassGraph::of_kin(resolver, std::slice::from_ref(&class), Kin::Around)?;
        for at in graph.number(&class).into_iter().flat_map(|at| graph.ancestors(at)) {
            found.extend(members(resolver, &graph.node(at).class, &[name]));
        }
        return Ok(found);
    }
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
    functions.retain(is_function);
    functions.extend(classes.iter().flat_map(|class| members(resolver, class, &RUN_BY_CALL)));
    Ok(functions)
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
        own.filter(|one| is_function(one) || one.row().is_some_and(|(_, row)| is_class(row))).collect();
    let mut is_bound = !own.is_empty();
    found.extend(own);
    for import in here.binding(resolver.family, name) {
        is_bound = true;
        let Imported::Name(name) = import.imported else { continue };
        let module = modules::find(resolver, &here.file, import.module, import.statement.start);
        let file = module.and_then(|module| file_of(resolver, module));
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

fn is_function(one: &IndexedDeclaration) -> bool {
    let kind = one.row().map(|(_, row)| row.kind());
    matches!(kind, Some(SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor))
}

/// Returns the methods of these names that a class declares itself.
fn members(resolver: &Resolver, class: &IndexedDeclaration, names: &[&str]) -> Vec<IndexedDeclaration> {
    let Some(here) = resolver.read_file(&class.file) else { return Vec::new() };
    let Some(class) = here.row_of(class) else { return Vec::new() };
    let rows = here.outline.rows.iter().enumerate();
    let own = rows.filter(|(_, row)| row.parent() == Some(class) && names.contains(&here.outline.name(row)));
    own.map(|(at, _)| here.target(at)).filter(is_function).collect()
}
