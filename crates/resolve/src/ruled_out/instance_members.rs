//! Whether objects of one class may be assigned to another type of TypeScript by their structure: by the names of members alone,
//! without their types. Invariant: what is not known may be assigned.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use crate::hierarchy::graph::ClassGraph;
use crate::resolver::Resolver;
use crate::sources::IndexedDeclaration;
use symd_syntax::SymbolKind;

/// The names of the members that objects of a class have, the inherited ones included.
#[derive(Default)]
pub(super) struct InstanceMembers {
    all: BTreeSet<String>,
    /// Those without which an object is not of the type.
    required: BTreeSet<String>,
}

/// The members by class; `None` where a class inherits some that are not known.
pub(super) type KnownMembers = HashMap<usize, Option<Rc<InstanceMembers>>>;

/// Whether an object of class `object` may be used as one of class `of`.
pub(super) fn may_be_assigned(
    graph: &ClassGraph,
    known: &mut KnownMembers,
    resolver: &Resolver,
    object: usize,
    of: usize,
) -> bool {
    let mut members = |class: usize| {
        known.entry(class).or_insert_with(|| members(graph, resolver, class).map(Rc::new)).clone()
    };
    match (members(object), members(of)) {
        (Some(object), Some(of)) => of.required.is_subset(&object.all),
        _ => true,
    }
}

fn members(graph: &ClassGraph, resolver: &Resolver, class: usize) -> Option<InstanceMembers> {
    let mut found = InstanceMembers::default();
    for at in graph.ancestors(class) {
        let node = graph.node(at);
        if !node.bases.iter().all(|base| base.is_known()) {
            return None;
        }
        add_own(&node.class, resolver, &mut found)?;
    }
    Some(found)
}

/// Adds the members that a class declares; `None` if they cannot be read.
fn add_own(class: &IndexedDeclaration, resolver: &Resolver, found: &mut InstanceMembers) -> Option<()> {
    let here = resolver.read_file(&class.file)?;
    let row = here.row_of(class)?;
    let (outline, text) = (&here.outline, here.text.as_str());
    for member in outline.children(row).map(|at| &outline.rows[at]) {
        let name = outline.name(member);
        let before = text.get(member.start as usize..member.name_start as usize)?;
        let is_static = before.split_whitespace().any(|word| word == "static");
        if is_static || member.kind() == SymbolKind::Constructor {
            continue;
        }
        let after = text.get(member.name_start as usize + usize::from(member.name_len)..)?;
        // The name may be in quotes.
        if !after.trim_start_matches(['"', '\'']).trim_start().starts_with('?') {
            found.required.insert(name.to_owned());
        }
        found.all.insert(name.to_owned());
    }
    Some(())
}
