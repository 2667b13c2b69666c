//! Methods that an heir of the class has from another side: an interface's default method of the new name, which the class's would
//! override there; and methods of the old name that may override, or be overridden, by type arguments.

use super::JavaRenamed;
use crate::conflicts::name_place;
use crate::hierarchy::classes::{member, own_members};
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::graph_by_need::Kin;
use crate::hierarchy::signature::MemberHead;
use crate::hierarchy::subclasses::heirs;
use crate::meaning::Meaning;
use crate::rename_hazard::RenameHazard;
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

pub(super) fn find(symbol: &JavaRenamed) -> Result<Vec<RenameHazard>, Cancelled> {
    let mut found = Vec::new();
    if symbol.row.kind() != SymbolKind::Method {
        return Ok(found);
    }
    let Some(parent) = symbol.row.parent().filter(|_| symbol.owner().is_some()) else { return Ok(found) };
    let class = symbol.here.target(parent);
    let own = head(symbol, &symbol.targets[0]).filter(|head| !head.is_own);
    let Some(own) = own else { return Ok(found) };
    let is_target =
        |one: &IndexedDeclaration| symbol.targets.iter().any(|target| target.is_same_declaration(one));
    let has_arity = |one: &IndexedDeclaration| {
        !is_target(one) && head(symbol, one).is_some_and(|other| !other.is_own && other.has_arity_of(&own))
    };
    let below = heirs(symbol.resolver, &class)?;
    let mut twice = Vec::new();
    for heir in &below {
        if let Meaning::Declared(all) = member(symbol.resolver, heir, symbol.new)? {
            twice.extend(all.iter().filter(|one| has_arity(one)).map(name_place));
        }
    }
    let text = format!("a class that inherits from '{}' has '{}' too", class.name(), symbol.new);
    found.extend(RenameHazard::breaks_at(text, twice));
    // A parameter `T` of a generic class is another type in its heirs.
    let graph = ClassGraph::of_kin(symbol.resolver, std::slice::from_ref(&class), Kin::Around)?;
    let Some(number) = graph.number(&class) else { return Ok(found) };
    let kin = graph.ancestors(number).into_iter().chain(graph.descendants(number));
    let mut others = Vec::new();
    for at in kin.filter(|&at| at != number) {
        let other = &graph.node(at).class;
        if is_generic(symbol, &class) || is_generic(symbol, other) {
            let all = own_members(symbol.resolver, other, &symbol.old);
            others.extend(all.iter().filter(|one| has_arity(one)).map(name_place));
        }
    }
    let text = format!(
        "'{}' here may override the renamed method, or be overridden by it, by the type arguments of its class",
        symbol.old
    );
    found.extend(RenameHazard::breaks_at(text, others));
    Ok(found)
}

fn head(symbol: &JavaRenamed, method: &IndexedDeclaration) -> Option<MemberHead> {
    let there = symbol.resolver.read_file(&method.file)?;
    let row = there.row_of(method)?;
    Some(MemberHead::read(&there, &symbol.resolver.profile.members, row))
}

/// Whether a class has type parameters.
fn is_generic(symbol: &JavaRenamed, class: &IndexedDeclaration) -> bool {
    let Some(there) = symbol.resolver.read_file(&class.file) else { return false };
    let Some(row) = there.row_of(class).map(|at| &there.outline.rows[at]) else { return false };
    let end = row.name_start as usize + usize::from(row.name_len);
    there.text.as_str().get(end..).is_some_and(|behind| behind.trim_start().starts_with('<'))
}
