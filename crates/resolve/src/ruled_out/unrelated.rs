//! Members of classes that have nothing to do with the targets': their declarations, and their uses on the object itself,
//! `self.name`. A class is related if some class inherits from both, one of the two included. Invariant: nothing is ruled out where a
//! base could not be resolved that may relate the two, or where a class may be used in the place of the other.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::instance_members::{KnownMembers, may_be_assigned};
use crate::context::{Receiver, receiver};
use crate::family::Family;
use crate::family_texts::words_of;
use crate::hierarchy::classes::class_of;
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::subclasses::may_have_name;
use crate::meaning::Meaning;
use crate::other_names::WrittenAliases;
use crate::profiles::StructuralTypes;
use crate::python::dynamic_classes::{ClassCall, class_calls};
use crate::python::stand_ins::stand_ins;
use crate::resolver::{CurrentFile, Resolver};
use crate::scope;
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};

/// The word for the object itself in languages whose profiles name none.
const THIS: &str = "this";

/// For each of `places`, where the targets' name stands: returns whether it declares, or uses on the object itself, a member of a class
/// that is unrelated to the targets'. The targets are one member, in all classes that are linked by overriding.
pub fn rule_out_members(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    places: &[(RelPath, TextRange)],
    cancel: &Cancel,
) -> Result<Vec<bool>, Cancelled> {
    let none = vec![false; places.len()];
    let family = targets.first().and_then(|first| Family::of(&first.file));
    let Some(family) =
        family.filter(|one| !places.is_empty() && (*one == Family::Ecma || one.profile().is_dynamic))
    else {
        return Ok(none);
    };
    let resolver = Resolver::new(sources, family, cancel);
    let targets = resolver.refresh_targets(targets);
    let owners: Option<Vec<IndexedDeclaration>> = targets.iter().map(class_of).collect();
    let Some(owners) = owners else { return Ok(none) };
    let graph = ClassGraph::read(&resolver)?;
    let numbers: Option<BTreeSet<usize>> = owners.iter().map(|one| graph.number(one)).collect();
    let Some(own) = numbers else { return Ok(none) };
    let mut unrelated = Unrelated::new(&resolver, &graph, own, targets[0].name())?;
    let is_out = |(path, range): &(RelPath, TextRange)| {
        cancel.check()?;
        let here = resolver.file(path.as_str()).and_then(|file| resolver.read_file(file));
        let class = here.as_ref().and_then(|here| class_at(&resolver, here, *range));
        match here.zip(class.and_then(|class| graph.number(&class))) {
            Some((here, class)) if is_given_elsewhere(&resolver, &graph, &here, class, *range) => Ok(false),
            Some((_, class)) => unrelated.has(class),
            None => Ok(false),
        }
    };
    places.iter().map(is_out).collect()
}

/// Returns the class whose member is declared at a place, or used on the object itself.
fn class_at(resolver: &Resolver, here: &CurrentFile, range: TextRange) -> Option<IndexedDeclaration> {
    if let Some(row) = here.outline.rows.iter().position(|row| row.name_start == range.start) {
        return class_of(&here.target(row));
    }
    let Receiver::Chain(chain, _) = receiver(here.text.as_str(), range.start as usize, resolver.family)
    else {
        return None;
    };
    let names = resolver.profile.spelling.receiver_names;
    let [object] = chain[..] else { return None };
    match scope::own_class(here, range.start) {
        Meaning::Declared(found) if names.contains(&object) || names.is_empty() && object == THIS => {
            found.into_iter().next()
        }
        _ => None,
    }
}

/// Whether JavaScript code uses a member on the object itself which neither its class nor one above or below it declares or sets: the
/// object gets it from somewhere else, as a mixin copies members into classes.
fn is_given_elsewhere(
    resolver: &Resolver,
    graph: &ClassGraph,
    here: &CurrentFile,
    class: usize,
    range: TextRange,
) -> bool {
    if resolver.family != Family::Ecma || here.outline.rows.iter().any(|row| row.name_start == range.start) {
        return false;
    }
    let name = here.text.slice(range);
    !graph.ancestors(class).into_iter().chain(graph.descendants(class)).any(|at| {
        let class = &graph.node(at).class;
        let Some(there) = resolver.read_file(&class.file) else { return true };
        let Some(row) = there.row_of(class) else { return true };
        let outline = &there.outline;
        let body = there.text.slice(outline.rows[row].range());
        outline.children(row).any(|at| outline.name(&outline.rows[at]) == name) || sets(body, name)
    })
}

/// Whether the body of a class sets a member of its objects: `this.name = value`.
fn sets(body: &str, name: &str) -> bool {
    words_of(body, name).any(|at| {
        let behind = body[at + name.len()..].trim_start();
        body[..at].ends_with("this.") && behind.starts_with('=') && !behind.starts_with("==")
    })
}

/// Tells the classes that are unrelated to some.
struct Unrelated<'r, 'a> {
    resolver: &'r Resolver<'a>,
    graph: &'r ClassGraph,
    /// The classes of the targets.
    own: BTreeSet<usize>,
    /// Those and all that inherit from them.
    heirs: BTreeSet<usize>,
    /// Classes that may be used in the place of one of these.
    alike: BTreeSet<usize>,
    /// The aliases, and the calls that create classes, of all files.
    aliases: WrittenAliases,
    calls: Vec<ClassCall>,
    known: HashMap<usize, bool>,
    members: KnownMembers,
}

impl<'r, 'a> Unrelated<'r, 'a> {
    fn new(
        resolver: &'r Resolver<'a>,
        graph: &'r ClassGraph,
        own: BTreeSet<usize>,
        name: &str,
    ) -> Result<Unrelated<'r, 'a>, Cancelled> {
        let heirs: BTreeSet<usize> = own.iter().flat_map(|&at| graph.descendants(at)).collect();
        let around: BTreeSet<usize> = heirs.iter().flat_map(|&at| graph.ancestors(at)).collect();
        let alike = stand_ins(resolver, graph, name, (&around, &around));
        let alike = alike.iter().filter_map(|one| graph.number(&class_of(&one.member)?)).collect();
        let (aliases, calls) = (WrittenAliases::read(resolver)?, class_calls(resolver)?);
        let (known, members) = (HashMap::new(), HashMap::new());
        Ok(Unrelated { resolver, graph, own, heirs, alike, aliases, calls, known, members })
    }

    fn has(&mut self, class: usize) -> Result<bool, Cancelled> {
        if let Some(known) = self.known.get(&class) {
            return Ok(*known);
        }
        let found = self.is_unrelated(class)?;
        self.known.insert(class, found);
        Ok(found)
    }

    fn is_unrelated(&mut self, class: usize) -> Result<bool, Cancelled> {
        let below: BTreeSet<usize> = self.graph.descendants(class).into_iter().collect();
        if self.alike.contains(&class) || below.intersection(&self.heirs).next().is_some() {
            return Ok(false);
        }
        // A base that is not resolved may be one of the targets' classes.
        let above = below.iter().flat_map(|&at| self.graph.ancestors(at));
        if above.into_iter().any(|at| self.graph.node(at).bases.iter().any(|base| base.may_be_unfound)) {
            return Ok(false);
        }
        if self.has_possible_heirs(&below) {
            return Ok(false);
        }
        if self.resolver.profile.members.structural != StructuralTypes::Interfaces {
            return Ok(true);
        }
        for (objects, types) in [(&self.heirs, &BTreeSet::from([class])), (&below, &self.own)] {
            for (&object, &of) in objects.iter().flat_map(|one| types.iter().map(move |of| (one, of))) {
                self.resolver.cancel.check()?;
                if may_be_assigned(self.graph, &mut self.members, self.resolver, object, of) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether other classes than `below`, a class with all that inherit from it, possibly inherit from one of these.
    fn has_possible_heirs(&self, below: &BTreeSet<usize>) -> bool {
        let name = |&at: &usize| self.graph.node(at).class.name().to_owned();
        let mut names: HashSet<String> = below.iter().map(name).collect();
        let others = self.aliases.of(self.resolver, &names);
        let mut nodes = self.graph.iter().filter(|(at, _)| !below.contains(at));
        if nodes.any(|(_, node)| node.bases.iter().any(|base| may_have_name(base, &names, &others))) {
            return true;
        }
        names.extend(others);
        self.calls.iter().any(|call| call.may_inherit(&names))
    }
}
