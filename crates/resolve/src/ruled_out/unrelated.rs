//! Members of classes that have nothing to do with the targets': their declarations, and their uses on the object itself,
//! `self.name`. A class is related if some class inherits from both, one of the two included. Invariant: nothing is ruled out where a
//! base could not be resolved that may relate the two, or where a class may be used in the place of the other.

use std::collections::{BTreeSet, HashMap};

use crate::classes::is_class;
use crate::context::{Receiver, receiver};
use crate::family::Family;
use crate::graph::ClassGraph;
use crate::meaning::Meaning;
use crate::overrides::own_names;
use crate::profiles::StructuralTypes;
use crate::resolver::{CurrentFile, Resolver};
use crate::scope;
use crate::sources::{IndexedDeclaration, Sources};
use crate::stand_ins::stand_ins;
use crate::subclasses::subclasses_in;
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
    let mut unrelated = Unrelated::new(&resolver, &graph, own, targets[0].name());
    let is_out = |(path, range): &(RelPath, TextRange)| {
        cancel.check()?;
        let here = resolver.file(path.as_str()).and_then(|file| resolver.read_file(file));
        let class = here.and_then(|here| class_at(&resolver, &here, *range));
        match class.and_then(|class| graph.number(&class)) {
            Some(class) => unrelated.has(class),
            None => Ok(false),
        }
    };
    places.iter().map(is_out).collect()
}

/// Returns the class that declares a member.
fn class_of(member: &IndexedDeclaration) -> Option<IndexedDeclaration> {
    let (outline, row) = member.row()?;
    let class = row.parent().filter(|&at| !row.is_local() && is_class(&outline.rows[at]))?;
    Some(IndexedDeclaration { file: member.file.clone(), row: class })
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
    known: HashMap<usize, bool>,
}

impl<'r, 'a> Unrelated<'r, 'a> {
    fn new(
        resolver: &'r Resolver<'a>,
        graph: &'r ClassGraph,
        own: BTreeSet<usize>,
        name: &str,
    ) -> Unrelated<'r, 'a> {
        let heirs: BTreeSet<usize> = own.iter().flat_map(|&at| graph.descendants(at)).collect();
        let around: BTreeSet<usize> = heirs.iter().flat_map(|&at| graph.ancestors(at)).collect();
        let alike = stand_ins(resolver, graph, name, (&around, &around));
        let alike = alike.iter().filter_map(|one| graph.number(&class_of(&one.member)?)).collect();
        Unrelated { resolver, graph, own, heirs, alike, known: HashMap::new() }
    }

    fn has(&mut self, class: usize) -> Result<bool, Cancelled> {
        if let Some(known) = self.known.get(&class) {
            return Ok(*known);
        }
        let found = self.is_unrelated(class)?;
        self.known.insert(class, found);
        Ok(found)
    }

    fn is_unrelated(&self, class: usize) -> Result<bool, Cancelled> {
        let below: BTreeSet<usize> = self.graph.descendants(class).into_iter().collect();
        if self.alike.contains(&class) || below.intersection(&self.heirs).next().is_some() {
            return Ok(false);
        }
        // A base that is not resolved may be one of the targets' classes.
        let above = below.iter().flat_map(|&at| self.graph.ancestors(at));
        if above.into_iter().any(|at| self.graph.node(at).bases.iter().any(|base| base.may_be_unfound)) {
            return Ok(false);
        }
        let heirs = subclasses_in(self.resolver, self.graph, class)?;
        if !(heirs.possible.is_empty() && heirs.dynamic.is_empty()) {
            return Ok(false);
        }
        Ok(match self.resolver.profile.members.structural {
            StructuralTypes::Interfaces => self.own.iter().all(|&own| self.differ(own, class)),
            _ => true,
        })
    }

    /// Whether each of two classes has a member that the other lacks, so that neither is assignable to the other by its structure.
    fn differ(&self, one: usize, other: usize) -> bool {
        let names = |class: usize| -> Option<BTreeSet<String>> {
            let above = self.graph.ancestors(class);
            let is_known = |at: &usize| self.graph.node(*at).bases.iter().all(|base| base.is_known());
            above
                .iter()
                .all(is_known)
                .then(|| above.iter().flat_map(|&at| own_names(&self.graph.node(at).class)).collect())
        };
        match (names(one), names(other)) {
            (Some(one), Some(other)) => !one.is_subset(&other) && !other.is_subset(&one),
            _ => false,
        }
    }
}
