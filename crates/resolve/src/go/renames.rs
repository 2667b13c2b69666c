//! What of Go's interfaces and embedded types stands in the way of a rename: types satisfy interfaces without naming them, and an
//! embedded field has the name of its type. By names alone: which types satisfy which interface is not computed.

use crate::go;
use std::ops::ControlFlow;

use crate::family::Family;
use crate::place::embedded;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_index::NeededWords;
use symd_syntax::SymbolKind;

/// What stands in the way of renaming a declaration of Go; nothing does for declarations of other languages.
#[derive(Debug, Default)]
pub struct GoRenameObstacles {
    /// Whether one of the declarations is a field that embeds a type, and so has the type's name.
    pub embeds_type: bool,
    /// Where the name of a method stands in interfaces of the project; of a method that an interface declares, also where types and
    /// other interfaces declare it, or, if none does, its own place.
    pub of_interfaces: Vec<(RelPath, TextRange)>,
    /// A place where a value whose type is declared outside of the project has a member with the name of an exported method: that
    /// type may be an interface that the method's type satisfies.
    pub outside_use: Option<(RelPath, TextRange)>,
}

/// Finds what stands in the way of renaming `targets`, the declarations of one symbol.
pub fn go_rename_obstacles(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    cancel: &Cancel,
) -> Result<GoRenameObstacles, Cancelled> {
    let mut obstacles = GoRenameObstacles::default();
    let Some(target) = targets.first().filter(|one| Family::of(&one.file) == Some(Family::Go)) else {
        return Ok(obstacles);
    };
    let resolver = Resolver::new(sources, Family::Go, cancel);
    if target.row().is_some_and(|(_, row)| row.kind() == SymbolKind::Method) {
        obstacles.outside_use = outside_use(&resolver, target.name())?;
        obstacles.of_interfaces = places_of_interfaces(&resolver, targets, target)?;
    }
    obstacles.embeds_type = embeds_type(&resolver, targets)?;
    Ok(obstacles)
}

/// Reports whether `target` is a method of a type of Go whose name an interface asks for, of the project or perhaps from
/// outside.
pub fn is_asked_for(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    cancel: &Cancel,
) -> Result<bool, Cancelled> {
    let is_method = target.row().is_some_and(|(_, row)| row.kind() == SymbolKind::Method);
    if !is_method || Family::of(&target.file) != Some(Family::Go) {
        return Ok(false);
    }
    let resolver = Resolver::new(sources, Family::Go, cancel);
    let targets = std::slice::from_ref(target);
    Ok(has_receiver(&resolver, target)
        && (!places_of_interfaces(&resolver, targets, target)?.is_empty()
            || outside_use(&resolver, target.name())?.is_some()))
}

/// Reports whether `target` is a field of Go that embeds a type: code reaches the members of that type, and interfaces ask for them,
/// without naming the field.
pub fn is_embedding(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    cancel: &Cancel,
) -> Result<bool, Cancelled> {
    if Family::of(&target.file) != Some(Family::Go) {
        return Ok(false);
    }
    embeds_type(&Resolver::new(sources, Family::Go, cancel), std::slice::from_ref(target))
}

/// Returns those of `users`, places that use a declaration of Go, from which `new_name` would hide it: they are in other packages,
/// and only the old name is exported. A test of the package from outside is one, though in the same directory.
pub fn hidden_users(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    new_name: &str,
    users: &[(RelPath, TextRange)],
) -> Vec<(RelPath, TextRange)> {
    let is_exported = |name: &str| name.starts_with(char::is_uppercase);
    if Family::of(&target.file) != Some(Family::Go) || !is_exported(target.name()) || is_exported(new_name) {
        return Vec::new();
    }
    let is_outside_test = |path: &RelPath| {
        let text = path.as_str().ends_with("_test.go").then(|| sources.text(path)).flatten();
        let mut lines = text.as_ref().into_iter().flat_map(|text| text.lines());
        lines.any(|line| line.strip_prefix("package ").is_some_and(|name| name.trim().ends_with("_test")))
    };
    let is_hidden = |path: &RelPath| path.parent() != target.file.path.parent() || is_outside_test(path);
    users.iter().filter(|(path, _)| is_hidden(path)).cloned().collect()
}

/// Returns a place where a value from outside of the project has a member called `name`, if another module could ask for it.
fn outside_use(resolver: &Resolver, name: &str) -> Result<Option<(RelPath, TextRange)>, Cancelled> {
    let mut found = None;
    if name.starts_with(char::is_uppercase) {
        each_occurrence(resolver, name, name, |here, range| {
            if !go::value_types::is_member_of_outside_value(resolver, here, range.start as usize, name)? {
                return Ok(ControlFlow::Continue(()));
            }
            found = Some((here.file.path.clone(), range));
            Ok(ControlFlow::Break(()))
        })?;
    }
    Ok(found)
}

/// Returns where interfaces ask for the method `target`, one of `targets`.
fn places_of_interfaces(
    resolver: &Resolver,
    targets: &[IndexedDeclaration],
    target: &IndexedDeclaration,
) -> Result<Vec<(RelPath, TextRange)>, Cancelled> {
    let (name, has_receiver) = (target.name(), has_receiver(resolver, target));
    let mut found = Vec::new();
    for one in resolver.declared(name)?.iter() {
        let Some((_, row)) = one.row().filter(|(_, row)| row.kind() == SymbolKind::Method) else { continue };
        let is_own = targets.iter().any(|own| own.is_same_declaration(one));
        if !(is_own || has_receiver && self::has_receiver(resolver, one)) {
            found.push((one.file.path.clone(), name_range(row.name_start, name)));
        }
    }
    // Types from outside may satisfy an interface that no type of the project does.
    if found.is_empty() && !has_receiver && name.starts_with(char::is_uppercase) {
        let row = target.row().map(|(_, row)| row.name_start);
        found.extend(row.map(|start| (target.file.path.clone(), name_range(start, name))));
    }
    // Interfaces without a name: `x.(interface{ Show() })`.
    each_occurrence(resolver, name, &format!("interface {name}"), |here, range| {
        let path = &here.file.path;
        let is_own = |own: &IndexedDeclaration| {
            own.file.path == *path && own.row().is_some_and(|(_, row)| row.name_start == range.start)
        };
        let place = (path.clone(), range);
        if go::value_types::is_in_interface(here, range.start as usize)
            && !found.contains(&place)
            && !targets.iter().any(is_own)
        {
            found.push(place);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// Whether one of `targets` is a field that embeds a type.
fn embeds_type(resolver: &Resolver, targets: &[IndexedDeclaration]) -> Result<bool, Cancelled> {
    for one in targets {
        let Some(here) = resolver.read_file(&one.file) else { continue };
        let Some(row) = here.row_of(one) else { continue };
        if embedded(resolver, &here, row)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Hands each occurrence of `name` to `visit`, in the Go files that hold all of `words`, until it breaks.
fn each_occurrence(
    resolver: &Resolver,
    name: &str,
    words: &str,
    mut visit: impl FnMut(&CurrentFile, TextRange) -> Result<ControlFlow<()>, Cancelled>,
) -> Result<(), Cancelled> {
    for file in resolver.sources.snapshot().files.with_words(NeededWords::of_name(words)) {
        resolver.cancel.check()?;
        if Family::of(file) != Some(Family::Go) {
            continue;
        }
        let Some(here) = resolver.read_file(file) else { continue };
        for start in here.outline.occurrences.offsets_of(name) {
            resolver.cancel.check()?;
            let range = name_range(start, name);
            if here.text.as_str().get(range.as_range()) == Some(name) && visit(&here, range)?.is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Whether a method is declared with a receiver, and not in an interface.
fn has_receiver(resolver: &Resolver, method: &IndexedDeclaration) -> bool {
    let here = resolver.read_file(&method.file);
    here.is_some_and(|here| {
        here.row_of(method).is_some_and(|row| go::value_types::receiver_of(&here, row).is_some())
    })
}

fn name_range(start: u32, name: &str) -> TextRange {
    TextRange::new(start, start.saturating_add(u32::try_from(name.len()).unwrap_or(u32::MAX)))
}
