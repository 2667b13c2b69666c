//! Members of classes, own and inherited. Invariant: terminates on every input; a member that an unknown base
//! might declare is unknown, not absent.

use crate::jvm;
use std::ops::ControlFlow;

use crate::class_names;
use crate::cpp;
use crate::family::has_types;
use crate::hierarchy::bases::bases;
use crate::hierarchy::inherited_overloads::with_inherited_overloads;
use crate::meaning::Meaning;
use crate::resolver::Resolver;
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;
use symd_syntax::{Row, SymbolKind};

/// The most classes that are searched for a member.
const MAX_CLASSES: usize = 64;

/// Whether the row is a class, interface, enum, struct or object.
pub(crate) fn is_class(row: &Row) -> bool {
    use SymbolKind::*;
    matches!(row.kind(), Class | Interface | Enum | Struct | Object)
}

/// Whether the declaration is a function or a method.
pub(crate) fn is_function(one: &IndexedDeclaration) -> bool {
    one.row().is_some_and(|(_, row)| matches!(row.kind(), SymbolKind::Method | SymbolKind::Function))
}

/// Resolves `name` as a member of `class`: its own member, else that of the first base that has one.
pub(crate) fn member(
    resolver: &Resolver,
    class: &IndexedDeclaration,
    name: &str,
) -> Result<Meaning, Cancelled> {
    let own = own_members(resolver, class, name);
    if !own.is_empty() {
        return Ok(Meaning::Declared(with_inherited_overloads(resolver, class, name, own)?));
    }
    if resolver.profile.members.are_defined_outside {
        let outside = cpp::nested_outside(resolver, class, name)?;
        if !outside.is_empty() {
            return Ok(Meaning::Declared(outside));
        }
    }
    // Java reaches a Kotlin object by a field of it.
    if name == "INSTANCE" && has_types(&class.file) && jvm::names::is_object(resolver.sources, class) {
        return Ok(Meaning::Declared(vec![class.clone()]));
    }
    inherited(resolver, class, name)
}

/// Resolves `name` as a member of the bases of `class`.
pub(crate) fn inherited(
    resolver: &Resolver,
    class: &IndexedDeclaration,
    name: &str,
) -> Result<Meaning, Cancelled> {
    let mut found = None;
    let is_open = walk_bases(resolver, class, |base| {
        let own = own_members(resolver, base, name);
        if own.is_empty() {
            return ControlFlow::Continue(());
        }
        found = Some((base.clone(), own));
        ControlFlow::Break(())
    })?;
    match found {
        Some((base, own)) => Ok(Meaning::Declared(with_inherited_overloads(resolver, &base, name, own)?)),
        None => Ok(if is_open { Meaning::Unknown } else { Meaning::OutsideProject }),
    }
}

/// Calls `look` with the bases of `class`, direct and indirect, the nearest first, each once, until it breaks. Returns
/// whether there may be others: unknown ones, or too many.
pub(crate) fn walk_bases(
    resolver: &Resolver,
    class: &IndexedDeclaration,
    mut look: impl FnMut(&IndexedDeclaration) -> ControlFlow<()>,
) -> Result<bool, Cancelled> {
    let mut seen: Vec<IndexedDeclaration> = vec![class.clone()];
    let mut at = 0;
    let mut is_open = false;
    // Breadth first is close enough to Python's resolution order.
    while at < seen.len() && seen.len() < MAX_CLASSES {
        resolver.cancel.check()?;
        for base in bases(resolver, &seen[at])?.iter() {
            is_open |= !base.is_known();
            for class in &base.classes {
                if seen.iter().any(|known| known.is_same_declaration(class)) {
                    continue;
                }
                if look(class).is_break() {
                    return Ok(is_open);
                }
                seen.push(class.clone());
            }
        }
        at += 1;
    }
    // Bases that were not searched may declare it.
    Ok(is_open || at < seen.len())
}

/// Returns what `class` itself declares by a name, in the order of the text.
pub(crate) fn own_members(
    resolver: &Resolver,
    class: &IndexedDeclaration,
    name: &str,
) -> Vec<IndexedDeclaration> {
    let Some((outline, row)) = class.row() else { return Vec::new() };
    // An unnamed companion's name stands nowhere.
    if !outline.occurrences.contains(name) && name != "Companion" || !is_class(row) {
        return Vec::new();
    }
    let inside = class.row + 1..=class.row + row.descendants as usize;
    let is_own = |at: usize| match outline.rows[at].parent() {
        Some(parent) if parent == class.row => true,
        Some(parent) if resolver.profile.members.has_companions => {
            let companion = &outline.rows[parent];
            outline.name(companion) == "Companion" && companion.parent() == Some(class.row)
        }
        Some(parent) if resolver.profile.members.enumerators_are_outer => {
            outline.rows[parent].kind() == SymbolKind::Enum
                && outline.rows[parent].parent() == Some(class.row)
        }
        _ => false,
    };
    let is_found = |at: usize| {
        is_own(at)
            && outline.name(&outline.rows[at]) == name
            && !class_names::is_class_named(resolver.family, outline, &outline.rows[at])
    };
    let mut found: Vec<usize> = inside.filter(|&at| is_found(at)).collect();
    if resolver.profile.members.has_impls {
        let of_type = outline.name(row);
        let is_impl = |at: usize| {
            outline.rows[at].parent().is_some_and(|parent| {
                let parent = outline.name(&outline.rows[parent]);
                parent.strip_prefix("impl ").is_some_and(|rest| rest.rsplit(' ').next() == Some(of_type))
            })
        };
        found.extend(
            (0..outline.rows.len()).filter(|&at| outline.name(&outline.rows[at]) == name && is_impl(at)),
        );
    }
    found.into_iter().map(|row| IndexedDeclaration { file: class.file.clone(), row }).collect()
}

/// Returns the class that declares a member.
pub(crate) fn class_of(member: &IndexedDeclaration) -> Option<IndexedDeclaration> {
    let (outline, row) = member.row()?;
    let class = row.parent().filter(|&at| !row.is_local() && is_class(&outline.rows[at]))?;
    Some(IndexedDeclaration { file: member.file.clone(), row: class })
}
