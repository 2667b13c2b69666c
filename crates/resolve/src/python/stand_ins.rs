//! Classes that may be used in place of one of a family without inheriting from it, as test doubles are: they
//! declare the member and others that the family declares, or nothing but the member in a function. By names alone, in Python.

use std::collections::BTreeSet;

use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::overrides::own_member_rows;
use crate::resolver::Resolver;
use crate::sources::IndexedDeclaration;
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
/// in `family` as well, or of which one of the two is a class in a function that declares nothing else, near the other.
pub(crate) fn stand_ins(
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
    let is_only =
        |class: &IndexedDeclaration| outermost_function(class).is_some() && methods(class).eq([name]);
    let is_family_local = family.iter().all(|&at| is_only(&graph.node(at).class));
    let is_near = |class: &IndexedDeclaration| {
        family.iter().map(|&at| &graph.node(at).class).any(|one| {
            let is_same_file = one.file.path == class.file.path;
            match (outermost_function(one), outermost_function(class)) {
                // Objects of a function's classes do not reach other functions' objects.
                (Some(around), Some(other)) => is_same_file && around == other,
                _ => is_same_file || names(class, one.name()) || names(one, class.name()),
            }
        })
    };
    let mut found = Vec::new();
    for (at, node) in graph.iter().filter(|(at, _)| !known.contains(at)) {
        let own: BTreeSet<&str> = methods(&node.class).collect();
        let shared = own.intersection(&of_family).count();
        // A class that shares a base with the family is called through that base, as the family is.
        let is_kin = || graph.ancestors(at).iter().any(|one| family.contains(one));
        let is_alike = || shared >= SHARED && shared * 2 >= own.len();
        let is_local = || (is_family_local || is_only(&node.class)) && is_near(&node.class);
        if own.contains(name) && (is_alike() || is_local()) && !is_kin() {
            let is_whole = shared >= WHOLE && shared == own.len();
            let members = own_member_rows(&node.class, name).into_iter();
            let members = members.map(|row| IndexedDeclaration { file: node.class.file.clone(), row });
            found.extend(members.map(|member| StandIn { member, is_whole }));
        }
    }
    found.sort_by(|a, b| (&a.member.file.path, a.member.row).cmp(&(&b.member.file.path, b.member.row)));
    found
}

/// Returns the row of the outermost function around a class.
fn outermost_function(class: &IndexedDeclaration) -> Option<usize> {
    let (outline, row) = class.row()?;
    let around = std::iter::successors(row.parent(), |&at| outline.rows[at].parent());
    let is_function =
        |at: &usize| matches!(outline.rows[*at].kind(), SymbolKind::Function | SymbolKind::Method);
    around.filter(is_function).last()
}

/// Whether the file of a class has the word `name`.
fn names(class: &IndexedDeclaration, name: &str) -> bool {
    class.file.outline().is_some_and(|outline| outline.occurrences.contains(name))
}

/// Returns the names of a class's methods, without those that begin with two underscores.
fn methods(class: &IndexedDeclaration) -> impl Iterator<Item = &str> {
    class.row().into_iter().flat_map(move |(outline, _)| {
        let own = outline.children(class.row).map(|at| &outline.rows[at]);
        let methods = own.filter(|one| matches!(one.kind(), SymbolKind::Method | SymbolKind::Property));
        methods.map(|one| outline.name(one)).filter(|name| !name.starts_with("__"))
    })
}
