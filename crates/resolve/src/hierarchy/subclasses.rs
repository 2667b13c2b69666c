//! The classes that inherit from a class, and those that possibly do. Invariant: a class with a base that may
//! be the given class, or one of its subclasses, is reported as possible.

use std::collections::{BTreeSet, HashSet};

use crate::family::Family;
use crate::hierarchy::bases::Base;
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::graph_by_need::Kin;
use crate::hierarchy::heads::WrittenBase;
use crate::hierarchy::overrides::sort;
use crate::hierarchy::structural::structural_subtypes;
use crate::other_names::other_names;
use crate::python::dynamic_classes::{DynamicClass, find_dynamic_classes};
use crate::resolver::Resolver;
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::Cancel;
use symd_base::cancel::Cancelled;

/// The classes that inherit from a class, certainly or possibly.
#[derive(Clone, Debug, Default)]
pub struct Subclasses {
    /// All direct and indirect subclasses, by path, then by position, without the class itself.
    pub all: Vec<IndexedDeclaration>,
    /// Classes with a base that may be the class or one of its subclasses, each with that base.
    pub possible: Vec<(IndexedDeclaration, WrittenBase)>,
    /// Types that have every member of the class, which is an interface, without naming it.
    pub structural: Vec<IndexedDeclaration>,
    /// Calls that create a class that inherits, or may inherit, from the class or one of its subclasses.
    pub dynamic: Vec<DynamicClass>,
}

/// Finds the classes that inherit from `class`.
pub fn subclasses(
    sources: &dyn Sources,
    class: &IndexedDeclaration,
    cancel: &Cancel,
) -> Result<Subclasses, Cancelled> {
    cancel.check()?;
    let Some(family) = Family::of(&class.file) else { return Ok(Subclasses::default()) };
    // A class with a computed base may inherit from any: every head is looked at.
    let resolver = Resolver::new(sources, family, cancel);
    let graph = ClassGraph::read(&resolver)?;
    let Some(at) = graph.number(class) else { return Ok(Subclasses::default()) };
    subclasses_in(&resolver, &graph, at)
}

/// Returns the classes that certainly inherit from `class`, by path, then by position.
pub(crate) fn heirs(
    resolver: &Resolver,
    class: &IndexedDeclaration,
) -> Result<Vec<IndexedDeclaration>, Cancelled> {
    Ok(heirs_and_possible(resolver, class)?.0)
}

/// Returns the classes that certainly inherit from `class`, and those with a base that may be it or one of these by its last name, or
/// whatever it is called; each by path, then by position.
pub(crate) fn heirs_and_possible(
    resolver: &Resolver,
    class: &IndexedDeclaration,
) -> Result<(Vec<IndexedDeclaration>, Vec<IndexedDeclaration>), Cancelled> {
    let graph = ClassGraph::by_names(resolver, std::slice::from_ref(class), Kin::Below)?;
    let Some(at) = graph.number(class) else { return Ok((Vec::new(), Vec::new())) };
    let all = graph.descendants(at);
    let names: HashSet<String> = all.iter().map(|&at| graph.node(at).class.name().to_owned()).collect();
    let may_be = |base: &Base| may_have_name(base, &names, &HashSet::new());
    let others = graph.iter().filter(|(at, node)| !all.contains(at) && node.bases.iter().any(may_be));
    let mut possible = others.map(|(_, node)| node.class.clone()).collect();
    let mut heirs = all.iter().filter(|&&one| one != at).map(|&at| graph.node(at).class.clone()).collect();
    sort(&mut heirs);
    sort(&mut possible);
    Ok((heirs, possible))
}

/// Finds the classes that inherit from class `at` of a graph that is already built.
pub(crate) fn subclasses_in(
    resolver: &Resolver,
    graph: &ClassGraph,
    at: usize,
) -> Result<Subclasses, Cancelled> {
    let all: BTreeSet<usize> = graph.descendants(at).into_iter().collect();
    let may_be = may_be_one_of(resolver, graph, &all)?;
    let inheriting = all.iter().filter(|&&one| one != at);
    let mut heirs = Subclasses {
        all: inheriting.map(|&at| graph.node(at).class.clone()).collect(),
        possible: Vec::new(),
        structural: structural_subtypes(resolver, graph, at, &all)?,
        dynamic: find_dynamic_classes(resolver, graph, &all)?,
    };
    sort(&mut heirs.all);
    for (_, node) in graph.iter().filter(|(at, _)| !all.contains(at)) {
        let base = node.bases.iter().find(|base| may_be(base));
        heirs.possible.extend(base.map(|base| (node.class.clone(), base.written.clone())));
    }
    Ok(heirs)
}

/// Returns a predicate: whether a base may be one of these classes, though that is not known. The base is
/// computed; or syntax cannot resolve it and its last name is one of theirs; or it has a name that some
/// import, alias or macro gives them.
pub(crate) fn may_be_one_of(
    resolver: &Resolver,
    graph: &ClassGraph,
    classes: &BTreeSet<usize>,
) -> Result<impl Fn(&Base) -> bool, Cancelled> {
    let names: HashSet<String> = classes.iter().map(|&at| graph.node(at).class.name().to_owned()).collect();
    let others = other_names(resolver, &names)?;
    Ok(move |base: &Base| may_have_name(base, &names, &others))
}

/// Whether a base may be one of the classes called `names`, for which `others` stand too, though that is not known.
pub(crate) fn may_have_name(base: &Base, names: &HashSet<String>, others: &HashSet<String>) -> bool {
    let last = base.written.chain.rsplit('.').next().unwrap_or("");
    base.is_computed
        || base.may_be_unfound && (names.contains(last) || others.contains(last))
        || base.classes.is_empty() && others.contains(last)
}
