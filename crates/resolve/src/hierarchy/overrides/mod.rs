//! The declarations that are linked to a member by overriding. For each class, the members that it and its
//! ancestors declare are linked; so two bases of one class are, though neither knows the other. Computed to a
//! fixpoint over the project. Invariant: a base that possibly declares the member is reported, never skipped.

mod beside;
mod outside;
mod override_family;
mod own_members;
mod server_bases;
mod through_super;

use std::collections::BTreeSet;
use std::sync::Arc;

pub use self::override_family::{OutsideMember, OverrideFamily, UnknownBase, UnknownFact};
use self::own_members::of;
pub(crate) use self::own_members::{own_member_rows, own_names, sort};
use self::server_bases::settled_classes;
pub use self::server_bases::{ServerBase, ServerBases};
use crate::context::{last_word, text_before};
use crate::family::{Family, has_types};
use crate::hierarchy::classes::is_class;
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::graph_by_need::Kin;
use crate::hierarchy::signature::MemberHead;
use crate::hierarchy::structural::{satisfied_protocols, structural_subtypes};
use crate::profiles::MemberRules;
use crate::python::computed_names::computed_names;
use crate::python::dynamic_classes::find_dynamic_classes;
use crate::python::stand_ins::stand_ins;
use crate::resolver::Resolver;
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::Cancel;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

/// Finds the family of `target`: the target alone, if it is not a member of a class. `settled` holds the
/// answers that a server has given about bases.
pub fn overrides(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    settled: &ServerBases,
    cancel: &Cancel,
) -> Result<OverrideFamily, Cancelled> {
    cancel.check()?;
    let alone = OverrideFamily { members: vec![target.clone()], ..OverrideFamily::default() };
    let Some(family) = Family::of(&target.file) else { return Ok(alone) };
    let resolver = Resolver::new(sources, family, cancel);
    // A class without a name may stand between the target and the container that the index has for it.
    let target = &resolver.refreshed(target);
    let Some(class) = class_of(&resolver, target)? else { return Ok(alone) };
    let name = target.name();
    // Python mangles such a name, so that it belongs to this class alone.
    if family.profile().members.mangles_private && name.starts_with("__") && !name.ends_with("__") {
        let members = own_member_rows(&class, name).into_iter().map(|row| of(&class, row)).collect();
        return Ok(OverrideFamily { members, ..OverrideFamily::default() });
    }
    let graph = match settled.is_empty() {
        true => ClassGraph::of_kin(&resolver, std::slice::from_ref(&class), Kin::OfMember(name))?,
        false => with_settled(ClassGraph::clone(&*ClassGraph::read(&resolver)?), settled),
    };
    let Some(number) = graph.number(&class) else { return Ok(alone) };
    let linking = Linking { resolver: &resolver, graph: &graph, name, settled };
    let mut family = linking.family(number, target)?;
    if let Some(base) = resolver.kotlin().outside_actual(&class) {
        family.outside_project.push(OutsideMember { class, base });
    }
    Ok(family)
}

/// Adds what servers say: of which classes a class inherits that no text names.
fn with_settled(mut graph: ClassGraph, settled: &ServerBases) -> Arc<ClassGraph> {
    for from in 0..graph.iter().count() {
        for to in settled_classes(&graph, graph.node(from), settled) {
            graph.link(from, to);
        }
    }
    Arc::new(graph)
}

/// Returns the class of which the target is a member that can override another.
pub(crate) fn class_of(
    resolver: &Resolver,
    target: &IndexedDeclaration,
) -> Result<Option<IndexedDeclaration>, Cancelled> {
    let Some((outline, row)) = target.row() else { return Ok(None) };
    // A constructor that has its class's name overrides nothing.
    let is_class_named =
        row.kind() == SymbolKind::Constructor && resolver.profile.members.constructors.have_class_name;
    if row.is_local() || is_class_named {
        return Ok(None);
    }
    if let Some(parent) = row.parent() {
        let holds = |kind| matches!(kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Namespace);
        let is_holder =
            !holds(outline.rows[parent].kind()) && outline.rows[parent].kind() != SymbolKind::Module;
        return Ok(is_holder.then(|| of(target, parent)));
    }
    // C++'s `int Class::member() { … }`
    if !resolver.profile.members.are_defined_outside {
        return Ok(None);
    }
    let Some(here) = resolver.read_file(&target.file) else { return Ok(None) };
    let left = text_before(here.text.as_str(), row.name_start as usize, resolver.family);
    let Some(qualifier) = left.strip_suffix("::") else { return Ok(None) };
    let classes = resolver.declared(last_word(qualifier))?;
    let mut classes = classes.iter().filter(|one| one.row().is_some_and(|(_, row)| is_class(row)));
    match (classes.next(), classes.next()) {
        (Some(only), None) => Ok(Some(only.clone())),
        _ => Ok(None),
    }
}

/// The search for one member's family.
struct Linking<'p, 's> {
    resolver: &'p Resolver<'s>,
    graph: &'p ClassGraph,
    name: &'p str,
    settled: &'p ServerBases,
}

/// A declaration, by the number of its class and its row.
type MemberRow = (usize, usize);

impl Linking<'_, '_> {
    fn family(&self, class: usize, target: &IndexedDeclaration) -> Result<OverrideFamily, Cancelled> {
        let own = own_member_rows(&self.graph.node(class).class, self.name);
        let start: Vec<usize> = match self.rules().has_overloads {
            true if own.contains(&target.row) => vec![target.row],
            // A definition outside of the class may belong to any of the declarations inside.
            _ => own,
        };
        let mut members: BTreeSet<MemberRow> = start.into_iter().map(|row| (class, row)).collect();
        let mut open: Vec<MemberRow> = members.iter().copied().collect();
        let mut around = BTreeSet::new();
        while let Some(member) = open.pop() {
            self.resolver.cancel.check()?;
            for heir in self.graph.descendants(member.0) {
                for kin in self.graph.ancestors(heir) {
                    around.insert(kin);
                    for row in own_member_rows(&self.graph.node(kin).class, self.name) {
                        if self.is_linked(member, (kin, row)) && members.insert((kin, row)) {
                            open.push((kin, row));
                        }
                    }
                }
            }
        }
        let declared = members.iter().map(|&(class, row)| of(&self.graph.node(class).class, row));
        let mut family = OverrideFamily { members: declared.collect(), ..OverrideFamily::default() };
        if !family.members.iter().any(|one| one.is_same_declaration(target)) {
            family.members.push(target.clone());
        }
        sort(&mut family.members);
        self.look_outside(&members, &around, &mut family);
        self.look_beside(&members, &mut family)?;
        family.structural = self.alike(&members, &around)?;
        family.satisfied_protocols =
            satisfied_protocols(self.resolver, self.graph, self.name, (&members, &around));
        let mut known = around.clone();
        known.extend(
            family
                .structural
                .iter()
                .chain(&family.satisfied_protocols)
                .filter_map(|class| self.graph.number(class)),
        );
        family.stand_ins = stand_ins(self.resolver, self.graph, self.name, (&around, &known));
        let heirs: BTreeSet<usize> = self.graph.descendants(class).into_iter().collect();
        let below = members.iter().filter(|member| member.0 != class && heirs.contains(&member.0));
        family.in_subclasses = below.map(|&(class, row)| of(&self.graph.node(class).class, row)).collect();
        sort(&mut family.in_subclasses);
        let forebears: BTreeSet<usize> = self.graph.ancestors(class).into_iter().collect();
        let above = members.iter().filter(|member| member.0 != class && forebears.contains(&member.0));
        family.in_base_classes = above.map(|&(class, row)| of(&self.graph.node(class).class, row)).collect();
        sort(&mut family.in_base_classes);
        family.possible_subclasses = self.may_be_below(&heirs, &forebears)?;
        family.dynamic = find_dynamic_classes(self.resolver, self.graph, &heirs)?;
        family.through_super = self.through_super(&around);
        if self.resolver.profile.is_dynamic {
            let classes = around.iter().map(|&at| &self.graph.node(at).class);
            family.by_computed_name =
                classes.flat_map(|class| computed_names(self.resolver, class, self.name)).collect();
            family.by_computed_name.sort();
            family.by_computed_name.dedup();
        }
        Ok(family)
    }

    fn rules(&self) -> &'static MemberRules {
        &self.resolver.profile.members
    }

    fn is_class(&self, (class, row): MemberRow) -> bool {
        of(&self.graph.node(class).class, row).row().is_some_and(|(_, row)| is_class(row))
    }

    fn signature(&self, (class, row): MemberRow) -> Option<MemberHead> {
        let here = self.resolver.read_file(&self.graph.node(class).class.file)?;
        Some(MemberHead::read(&here, self.rules(), row))
    }

    /// Whether one of two members can override the other, given that some class inherits from the classes of
    /// both.
    fn is_linked(&self, one: MemberRow, other: MemberRow) -> bool {
        if !self.rules().has_overloads || one == other {
            return true;
        }
        // A nested class overrides nothing.
        if self.is_class(one) || self.is_class(other) {
            return false;
        }
        let (Some(first), Some(second)) = (self.signature(one), self.signature(other)) else { return true };
        if first.is_own || second.is_own || !first.has_arity_of(&second) || one.0 == other.0 {
            return false;
        }
        if first.parameters == second.parameters {
            return true;
        }
        // Type arguments may replace type parameters: `T` in the base, `String` in the class.
        (first.overrides || second.overrides)
            && self.is_only(one, &first, other.0)
            && self.is_only(other, &second, one.0)
    }

    /// Whether of the members with as many parameters in its class only this one can be linked to one with other types in class `other`: what
    /// has the same types there is linked to that.
    fn is_only(&self, member: MemberRow, head: &MemberHead, other: usize) -> bool {
        let heads = |class: usize| {
            let rows = own_member_rows(&self.graph.node(class).class, self.name);
            rows.into_iter().filter_map(move |row| Some((row, self.signature((class, row))?)))
        };
        let there: Vec<MemberHead> = heads(other).map(|(_, head)| head).collect();
        let is_taken = |head: &MemberHead| there.iter().any(|one| one.parameters == head.parameters);
        // Kotlin marks every override.
        let is_marked = head.overrides && has_types(&self.graph.node(member.0).class.file);
        let competes = |(row, one): (usize, MemberHead)| {
            row != member.1 && one.has_arity_of(head) && !is_taken(&one) && (one.overrides || !is_marked)
        };
        !is_taken(head) && !heads(member.0).any(competes)
    }

    /// Returns the classes of the members and all classes that they inherit from.
    fn above(&self, members: &BTreeSet<MemberRow>) -> BTreeSet<usize> {
        members.iter().flat_map(|member| self.graph.ancestors(member.0)).collect()
    }

    /// Returns types that satisfy an interface of the family without inheriting from it.
    fn alike(
        &self,
        members: &BTreeSet<MemberRow>,
        around: &BTreeSet<usize>,
    ) -> Result<Vec<IndexedDeclaration>, Cancelled> {
        let mut all = Vec::new();
        for class in members.iter().map(|member| member.0).collect::<BTreeSet<usize>>() {
            all.extend(structural_subtypes(self.resolver, self.graph, class, around)?);
        }
        sort(&mut all);
        Ok(all)
    }
}
