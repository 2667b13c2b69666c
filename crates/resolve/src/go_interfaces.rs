//! Methods of Go that interfaces ask for: types satisfy interfaces without naming them. By names alone: which types satisfy which
//! interface is not computed.

use super::family::Family;
use super::go_values;
use super::place::embedded;
use super::resolver::Resolver;
use super::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_index::NeededWords;
use symd_syntax::SymbolKind;

/// Returns a place where a value whose type is declared outside of the project has a member with the name of `targets`, which are an
/// exported method of Go: that type may be an interface that the target's type satisfies. `None` for other declarations.
pub fn outside_method_use(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    cancel: &Cancel,
) -> Result<Option<(RelPath, TextRange)>, Cancelled> {
    let Some(target) = targets.first().filter(|one| Family::of(&one.file) == Some(Family::Go)) else {
        return Ok(None);
    };
    let name = target.name();
    let is_method = target.row().is_some_and(|(_, row)| row.kind() == SymbolKind::Method);
    if !is_method || !name.starts_with(char::is_uppercase) {
        return Ok(None);
    }
    let resolver = Resolver::new(sources, Family::Go, cancel);
    for file in sources.snapshot().files.with_words(NeededWords::of_name(name)) {
        if Family::of(file) != Some(Family::Go) {
            continue;
        }
        let Some(here) = resolver.read_file(file) else { continue };
        for start in here.outline.occurrences.offsets_of(name) {
            cancel.check()?;
            let range = name_range(start, name);
            if here.text.as_str().get(range.as_range()) == Some(name)
                && go_values::is_member_of_outside_value(&resolver, &here, start as usize, name)?
            {
                return Ok(Some((here.file.path.clone(), range)));
            }
        }
    }
    Ok(None)
}

/// Returns where the name of `targets`, a method of Go, stands in interfaces of the project; of a method that an interface declares,
/// also where types and other interfaces declare it, or, if none does, its own place. Nothing for other declarations.
pub fn methods_of_interfaces(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    cancel: &Cancel,
) -> Result<Vec<(RelPath, TextRange)>, Cancelled> {
    let Some(target) = targets.first().filter(|one| Family::of(&one.file) == Some(Family::Go)) else {
        return Ok(Vec::new());
    };
    if target.row().is_none_or(|(_, row)| row.kind() != SymbolKind::Method) {
        return Ok(Vec::new());
    }
    let resolver = Resolver::new(sources, Family::Go, cancel);
    let (name, has_receiver) = (target.name(), has_receiver(&resolver, target));
    let mut found = Vec::new();
    for one in resolver.declared(name)?.iter() {
        let Some((_, row)) = one.row().filter(|(_, row)| row.kind() == SymbolKind::Method) else { continue };
        let is_own = targets.iter().any(|own| own.is_same_declaration(one));
        if !(is_own || has_receiver && self::has_receiver(&resolver, one)) {
            found.push((one.file.path.clone(), name_range(row.name_start, name)));
        }
    }
    // Types from outside may satisfy an interface that no type of the project does.
    if found.is_empty() && !has_receiver && name.starts_with(char::is_uppercase) {
        let row = target.row().map(|(_, row)| row.name_start);
        found.extend(row.map(|start| (target.file.path.clone(), name_range(start, name))));
    }
    // Interfaces without a name: `x.(interface{ Show() })`.
    for file in sources.snapshot().files.with_words(NeededWords::of_name(&format!("interface {name}"))) {
        cancel.check()?;
        if Family::of(file) != Some(Family::Go) {
            continue;
        }
        let Some(here) = resolver.read_file(file) else { continue };
        for start in here.outline.occurrences.offsets_of(name) {
            let place = (file.path.clone(), name_range(start, name));
            if go_values::is_in_interface(&here, start as usize) && !found.contains(&place) {
                let is_own = targets.iter().any(|own| {
                    own.file.path == file.path && own.row().is_some_and(|(_, row)| row.name_start == start)
                });
                found.extend((!is_own).then_some(place));
            }
        }
    }
    Ok(found)
}

/// Whether one of `targets` is a field that embeds a type of Go, and so has the type's name.
pub fn is_embedding(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    cancel: &Cancel,
) -> Result<bool, Cancelled> {
    if targets.first().and_then(|one| Family::of(&one.file)) != Some(Family::Go) {
        return Ok(false);
    }
    let resolver = Resolver::new(sources, Family::Go, cancel);
    for one in targets {
        let Some(here) = resolver.read_file(&one.file) else { continue };
        let Some(row) = here.row_of(one) else { continue };
        if embedded(&resolver, &here, row)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a method is declared with a receiver, and not in an interface.
fn has_receiver(resolver: &Resolver, method: &IndexedDeclaration) -> bool {
    let here = resolver.read_file(&method.file);
    here.is_some_and(|here| {
        here.row_of(method).is_some_and(|row| go_values::receiver_of(&here, row).is_some())
    })
}

fn name_range(start: u32, name: &str) -> TextRange {
    TextRange::new(start, start.saturating_add(u32::try_from(name.len()).unwrap_or(u32::MAX)))
}
