//! The direct base types and subtypes of types, by the bases in their heads: for a tree of types, which needs
//! many of them. Invariant: a base is never omitted; it is a link, a name outside the project, or open.

use std::collections::HashMap;

use crate::family::Family;
use crate::hierarchy::bases::Base;
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::subclasses::{Subclasses, subclasses_in};
use crate::profiles::StructuralTypes;
use crate::resolver::Resolver;
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};

/// The types of the project in the language family of a given type.
#[derive(Clone, Debug, Default)]
pub struct TypeLinks {
    /// Neighbours, by the file and the byte at which the type's name begins.
    of_types: HashMap<(RelPath, u32), TypeNeighbours>,
    /// The types that inherit from the given type, at any depth.
    pub heirs: Subclasses,
    /// Whether a type may have bases that no text names beside it: Go's interfaces.
    pub has_unnamed_bases: bool,
}

/// The direct base types and subtypes of a type.
#[derive(Clone, Debug, Default)]
pub struct TypeNeighbours {
    /// Types of the project that its head names.
    pub above: Vec<TypeLink>,
    /// Types of the project whose heads name it.
    pub below: Vec<TypeLink>,
    /// Bases outside the project, by their full names as far as they are known.
    pub outside: Vec<String>,
    /// Bases that syntax cannot follow, as written; an empty string for an expression.
    pub open: Vec<String>,
}

/// A link from a type to a neighbour.
#[derive(Clone, Debug)]
pub struct TypeLink {
    /// The type at the other end.
    pub class: IndexedDeclaration,
    /// The range of the base's name in the head of the subtype.
    pub in_head: TextRange,
    /// Whether the head can mean no other type.
    pub is_sure: bool,
}

impl TypeLinks {
    /// Returns the neighbours of the type whose name begins at byte `name_start` of a file.
    pub fn of(&self, path: &RelPath, name_start: u32) -> Option<&TypeNeighbours> {
        self.of_types.get(&(path.clone(), name_start))
    }
}

/// Reads the heads of all types in the language family of `class`.
pub fn type_links(
    sources: &dyn Sources,
    class: &IndexedDeclaration,
    cancel: &Cancel,
) -> Result<TypeLinks, Cancelled> {
    cancel.check()?;
    let mut links = TypeLinks::default();
    let Some(family) = Family::of(&class.file) else { return Ok(links) };
    links.has_unnamed_bases = family.profile().members.structural == StructuralTypes::MethodSets;
    let resolver = Resolver::new(sources, family, cancel);
    let graph = ClassGraph::read(&resolver)?;
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, node) in graph.iter() {
        by_name.entry(node.class.name()).or_default().push(at);
    }
    for (at, node) in graph.iter() {
        cancel.check()?;
        for base in node.bases.iter() {
            if base.may_be_unfound && base.classes.is_empty() && base.outside.is_empty() {
                links.neighbours(&node.class).open.push(base.written.chain.clone());
            }
            links.neighbours(&node.class).outside.extend(base.outside.iter().cloned());
            for (other, is_sure) in named_by(&graph, &by_name, base) {
                if other != at {
                    links.link(&node.class, &graph.node(other).class, base.written.range, is_sure);
                }
            }
        }
    }
    if family.profile().members.has_impls {
        links.add_implemented(&graph, &by_name);
    }
    if let Some(at) = graph.number(class) {
        links.heirs = subclasses_in(&resolver, &graph, at)?;
    }
    Ok(links)
}

/// Returns the classes that a base is, or may be by its last name alone; `true` for those that are certain.
fn named_by(graph: &ClassGraph, by_name: &HashMap<&str, Vec<usize>>, base: &Base) -> Vec<(usize, bool)> {
    let is_sure = base.classes.len() == 1 && base.is_known();
    let known: Vec<usize> = base.classes.iter().filter_map(|class| graph.number(class)).collect();
    let last = base.written.chain.rsplit('.').next().filter(|_| base.may_be_unfound).unwrap_or_default();
    let alike = by_name.get(last).into_iter().flatten().filter(|at| !known.contains(at));
    let unsure = alike.map(|&at| (at, false));
    known.iter().map(|&at| (at, is_sure)).chain(unsure).collect()
}

/// Returns `Line` of the name of an impl block, `impl Draw for shapes::Line<T>`.
fn implementing_type(name: &str) -> Option<&str> {
    let (_, path) = name.strip_prefix("impl")?.rsplit_once(" for ")?;
    let path = path.split('<').next().unwrap_or(path);
    path.rsplit("::").next().map(str::trim).filter(|name| !name.is_empty())
}

impl TypeLinks {
    /// Adds what the impl blocks of a Rust type name to the type's own bases: its head names none.
    fn add_implemented(&mut self, graph: &ClassGraph, by_name: &HashMap<&str, Vec<usize>>) {
        for (_, node) in graph.iter() {
            let types = implementing_type(node.class.name()).and_then(|name| by_name.get(name));
            let Some(types) = types else { continue };
            let named = self.neighbours(&node.class).clone();
            for &at in types {
                let is_only = types.len() == 1;
                let above = named.above.iter().cloned();
                let of_type = self.neighbours(&graph.node(at).class);
                of_type.above.extend(above.map(|link| TypeLink { is_sure: link.is_sure && is_only, ..link }));
                of_type.outside.extend(named.outside.iter().cloned());
                of_type.open.extend(named.open.iter().cloned());
            }
        }
    }

    fn neighbours(&mut self, class: &IndexedDeclaration) -> &mut TypeNeighbours {
        let name_start = class.row().map_or(0, |(_, row)| row.name_start);
        self.of_types.entry((class.file.path.clone(), name_start)).or_default()
    }

    fn link(
        &mut self,
        heir: &IndexedDeclaration,
        base: &IndexedDeclaration,
        in_head: TextRange,
        is_sure: bool,
    ) {
        self.neighbours(heir).above.push(TypeLink { class: base.clone(), in_head, is_sure });
        self.neighbours(base).below.push(TypeLink { class: heir.clone(), in_head, is_sure });
    }
}

#[cfg(test)]
mod tests {
    use super::implementing_type;

    #[test]
    fn the_type_that_an_impl_block_is_for() {
        assert_eq!(implementing_type("impl Draw for Line"), Some("Line"));
        assert_eq!(implementing_type("impl<T> a::Show<T> for b::Size<T>"), Some("Size"));
        assert_eq!(implementing_type("impl Line"), None);
        assert_eq!(implementing_type("Line"), None);
    }
}
