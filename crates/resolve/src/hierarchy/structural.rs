//! Types that satisfy an interface without naming it: they have every member that it declares, in languages
//! that require no more. By names alone: parameters and results are not compared, and what a Go type embeds
//! is not read.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::go::value_types::methods_called;
use crate::hierarchy::bases::Base;
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::overrides::{own_member_rows, own_names, sort};
use crate::profiles::StructuralTypes;
use crate::resolver::Resolver;
use crate::sources::IndexedDeclaration;
use symd_base::RelPath;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

/// Returns the types outside `known` that have all members of `interface`. Empty if it is no interface, or
/// has no members.
pub(crate) fn structural_subtypes(
    resolver: &Resolver,
    graph: &ClassGraph,
    interface: usize,
    known: &BTreeSet<usize>,
) -> Result<Vec<IndexedDeclaration>, Cancelled> {
    let node = graph.node(interface);
    let kind = node.class.row().map(|(_, row)| row.kind());
    let structural = resolver.profile.members.structural;
    let is_structural = match structural {
        StructuralTypes::Protocols => node.bases.iter().any(is_protocol),
        StructuralTypes::Interfaces | StructuralTypes::MethodSets => kind == Some(SymbolKind::Interface),
        StructuralTypes::None => false,
    };
    let wanted = if is_structural { own_names(&node.class) } else { Vec::new() };
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let has_methods_outside = structural == StructuralTypes::MethodSets;
    if !has_methods_outside {
        // A type may inherit all of the members, so that its file holds no name of them.
        resolver.sources.snapshot().files.need_everything();
    }
    let mut alike = if has_methods_outside { of_receivers(resolver, &wanted)? } else { Vec::new() };
    for (at, other) in graph.iter().filter(|(at, _)| !known.contains(at)) {
        let all = graph.ancestors(at);
        let has =
            |name: &String| all.iter().any(|&at| !own_member_rows(&graph.node(at).class, name).is_empty());
        if at != interface && !has_methods_outside && wanted.iter().all(has) {
            alike.push(other.class.clone());
        }
    }
    sort(&mut alike);
    Ok(alike)
}

/// Returns the protocols outside the classes `around` that have the member `name`, and all of whose members
/// some class of `members`, or a subclass, has. Python alone: servers know which types satisfy other
/// languages' interfaces.
pub(crate) fn satisfied_protocols(
    resolver: &Resolver,
    graph: &ClassGraph,
    name: &str,
    (members, around): (&BTreeSet<(usize, usize)>, &BTreeSet<usize>),
) -> Vec<IndexedDeclaration> {
    if resolver.profile.members.structural != StructuralTypes::Protocols {
        return Vec::new();
    }
    let classes: BTreeSet<usize> = members.iter().flat_map(|member| graph.descendants(member.0)).collect();
    let mut met = Vec::new();
    for (at, node) in graph.iter() {
        if around.contains(&at) || !node.bases.iter().any(is_protocol) {
            continue;
        }
        let wanted = own_names(&node.class);
        let has_all = |class: usize| {
            let all = graph.ancestors(class);
            wanted
                .iter()
                .all(|name| all.iter().any(|&at| !own_member_rows(&graph.node(at).class, name).is_empty()))
        };
        if wanted.iter().any(|own| own == name) && classes.iter().copied().any(has_all) {
            met.push(node.class.clone());
        }
    }
    sort(&mut met);
    met
}

/// Whether a base is the class that makes the one with it a protocol.
pub(crate) fn is_protocol(base: &Base) -> bool {
    let is_it = |name: &String| matches!(name.as_str(), "typing.Protocol" | "typing_extensions.Protocol");
    base.outside.iter().any(is_it)
}

/// Returns the Go types whose methods, which are declared outside of them, have all these names.
fn of_receivers(resolver: &Resolver, wanted: &[String]) -> Result<Vec<IndexedDeclaration>, Cancelled> {
    let mut have: BTreeMap<(RelPath, String), HashSet<&str>> = BTreeMap::new();
    for name in wanted {
        for method in methods_called(resolver, name)?.iter() {
            have.entry((method.directory.clone(), method.of.clone())).or_default().insert(name);
        }
    }
    let mut found = Vec::new();
    for ((directory, name), has) in have {
        if has.len() == wanted.len() {
            let types = resolver.declared(&name)?;
            let types = types.iter().filter(|one| one.file.path.parent().as_ref() == Some(&directory));
            found.extend(
                types.filter(|one| one.row().is_some_and(|(_, row)| row.parent().is_none())).cloned(),
            );
        }
    }
    Ok(found)
}
