//! Classes that may be used in place of one of a family without inheriting from it, as test doubles are: they
//! declare the member and others that the family declares. By names alone, in Python.

use std::collections::BTreeSet;

use super::graph::ClassGraph;
use super::overrides::own_member_rows;
use super::resolver::Resolver;
use super::sources::IndexedDeclaration;
use symd_syntax::SymbolKind;

/// The fewest methods that a stand-in shares with the family, including the target.
const SHARED: usize = 2;

/// The fewest methods of a whole stand-in, which has no others than the family's.
const WHOLE: usize = 3;

/// A member of a class that may be used in place of one of a family.
#[derive(Clone, Debug)]
pub struct StandIn {
    pub member: IndexedDeclaration,
    /// Whether the class has several methods, all of which the family declares too.
    pub is_whole: bool,
}

/// Returns the methods named `name` of classes outside `known`, at least half of whose methods are declared
/// in `family` as well.
pub(super) fn stand_ins(
    resolver: &Resolver,
    graph: &ClassGraph,
    name: &str,
    (family, known): (&BTreeSet<usize>, &BTreeSet<usize>),
) -> Vec<StandIn> {
    // Tests of the same name are unrelated.
    if !resolver.profile.is_dynamic || name.starts_with("test") {
        return Vec::new();
    }
    let of_family: BTreeSet<&str> = family.iter().flat_map(|&at| methods(&graph.node(at).class)).collect();
    if !of_family.contains(name) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (at, node) in graph.iter().filter(|(at, _)| !known.contains(at)) {
        let own: BTreeSet<&str> = methods(&node.class).collect();
        let shared = own.intersection(&of_family).count();
        // A class that shares a base with the family is called through that base, as the family is.
        let is_kin = || graph.ancestors(at).iter().any(|one| family.contains(one));
        if own.contains(name) && shared >= SHARED && shared * 2 >= own.len() && !is_kin() {
            let is_whole = shared >= WHOLE && shared == own.len();
            let members = own_member_rows(&node.class, name).into_iter();
            let members = members.map(|row| IndexedDeclaration { file: node.class.file.clone(), row });
            found.extend(members.map(|member| StandIn { member, is_whole }));
        }
    }
    found.sort_by(|a, b| (&a.member.file.path, a.member.row).cmp(&(&b.member.file.path, b.member.row)));
    found
}

/// Returns the names of a class's methods, without those that begin with two underscores.
fn methods(class: &IndexedDeclaration) -> impl Iterator<Item = &str> {
    class.row().into_iter().flat_map(move |(outline, row)| {
        let inside = class.row + 1..=class.row + row.descendants as usize;
        let own = inside.map(|at| &outline.rows[at]).filter(move |one| one.parent() == Some(class.row));
        let methods = own.filter(|one| matches!(one.kind(), SymbolKind::Method | SymbolKind::Property));
        methods.map(|one| outline.name(one)).filter(|name| !name.starts_with("__"))
    })
}
