//! The classes that inherit from a class, and those that possibly do. Invariant: a class with a base that may
//! be the given class, or one of its subclasses, is reported as possible.

use std::collections::{BTreeSet, HashSet};

use super::bases::Base;
use super::family::Family;
use super::graph::ClassGraph;
use super::heads::WrittenBase;
use super::made_classes::{MadeClass, made_classes};
use super::other_names::other_names;
use super::overrides::sort;
use super::project::Project;
use super::sources::{Sources, Target};
use super::structural::alike;
use symd_base::Cancel;
use symd_base::cancel::Cancelled;

/// The classes that inherit from a class, certainly or possibly.
#[derive(Clone, Debug, Default)]
pub struct Heirs {
    /// All direct and indirect subclasses, by path, then by position, without the class itself.
    pub all: Vec<Target>,
    /// Classes with a base that may be the class or one of its subclasses, each with that base.
    pub perhaps: Vec<(Target, WrittenBase)>,
    /// Types that have every member of the class, which is an interface, without naming it.
    pub alike: Vec<Target>,
    /// Calls that create a class that inherits, or may inherit, from the class or one of its subclasses.
    pub made: Vec<MadeClass>,
}

/// Finds the classes that inherit from `class`.
pub fn heirs(sources: &dyn Sources, class: &Target, cancel: &Cancel) -> Result<Heirs, Cancelled> {
    cancel.check()?;
    let Some(family) = Family::of(&class.file) else { return Ok(Heirs::default()) };
    let project = Project::new(sources, family, cancel);
    let graph = ClassGraph::read(&project)?;
    let Some(at) = graph.number(class) else { return Ok(Heirs::default()) };
    heirs_in(&project, &graph, at)
}

/// Finds the classes that inherit from class `at` of a graph that is already built.
pub(super) fn heirs_in(project: &Project, graph: &ClassGraph, at: usize) -> Result<Heirs, Cancelled> {
    let all: BTreeSet<usize> = graph.descendants(at).into_iter().collect();
    let may_be = may_be_one_of(project, graph, &all)?;
    let inheriting = all.iter().filter(|&&one| one != at);
    let mut heirs = Heirs {
        all: inheriting.map(|&at| graph.node(at).class.clone()).collect(),
        perhaps: Vec::new(),
        alike: alike(project, graph, at, &all)?,
        made: made_classes(project, graph, &all)?,
    };
    sort(&mut heirs.all);
    for (_, node) in graph.iter().filter(|(at, _)| !all.contains(at)) {
        let base = node.bases.iter().find(|base| may_be(base));
        heirs.perhaps.extend(base.map(|base| (node.class.clone(), base.written.clone())));
    }
    Ok(heirs)
}

/// Returns a predicate: whether a base may be one of these classes, though that is not known. The base is
/// computed; or syntax cannot resolve it and its last name is one of theirs; or it has a name that some
/// import, alias or macro gives them.
pub(super) fn may_be_one_of(
    project: &Project,
    graph: &ClassGraph,
    classes: &BTreeSet<usize>,
) -> Result<impl Fn(&Base) -> bool, Cancelled> {
    let names: HashSet<String> = classes.iter().map(|&at| graph.node(at).class.name().to_owned()).collect();
    let others = other_names(project, &names)?;
    Ok(move |base: &Base| {
        let last = base.written.chain.rsplit('.').next().unwrap_or("");
        base.is_value
            || base.is_open && (names.contains(last) || others.contains(last))
            || base.classes.is_empty() && others.contains(last)
    })
}
