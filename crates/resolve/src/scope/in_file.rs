//! Names at the top level of a file: its own declarations, its imports, its package.

use super::{Reach, function_around};
use crate::cpp;
use crate::meaning::{Meaning, top_level};
use crate::modules::{self, Module};
use crate::profiles::{NamePrecedence, PackageScope, PathBinding};
use crate::resolver::{CurrentFile, Resolver};
use symd_base::cancel::Cancelled;
use symd_syntax::{Import, ImportKind};

/// Resolves `name` at the top level of the file; cached.
pub(super) fn resolve_in_file(
    resolver: &Resolver,
    here: &CurrentFile,
    name: &str,
) -> Result<(Meaning, Reach), Cancelled> {
    if let Some(known) = here.at_top.borrow().get(name) {
        return Ok(known.clone());
    }
    let found = match resolver.profile.members.are_defined_outside {
        true => cpp::in_file(resolver, here, name)?,
        false => resolve_in_file_uncached(resolver, here, name)?,
    };
    here.at_top.borrow_mut().insert(name.to_owned(), found.clone());
    Ok(found)
}

fn resolve_in_file_uncached(
    resolver: &Resolver,
    here: &CurrentFile,
    name: &str,
) -> Result<(Meaning, Reach), Cancelled> {
    let imported = resolve_import(resolver, here, name, None)?;
    let own = top_level(&here.file, name);
    // An import counts even if its origin is unknown: it is nearer than anything outside of the file.
    let is_of_file = |import: Import| function_around(here, import.statement.start).is_none();
    let is_named_here = !own.is_empty() || here.binding(resolver.family, name).any(is_of_file);
    let reach = if is_named_here { Reach::File } else { Reach::Wider };
    let own = if own.is_empty() { Meaning::Unknown } else { Meaning::Declared(own) };
    let meaning = match resolver.profile.imports.package {
        PackageScope::None => nearer(resolver.profile.scopes.precedence, own, imported),
        // The package has the file's own declarations too.
        _ if !matches!(imported, Meaning::Unknown) => imported,
        PackageScope::Declared | PackageScope::DeclaredAndOuter => resolve_in_packages(resolver, here, name)?,
        PackageScope::Directory => match here.file.path.parent() {
            Some(directory) => resolver.exported(&Module::Directory(directory), name, 0)?,
            None => Meaning::Unknown,
        },
    };
    let meaning = match meaning {
        Meaning::Unknown => resolver.starred(&here.file, name, ImportKind::Import, 0)?,
        found => found,
    };
    let is_builtin = resolver.profile.scopes.has_builtins && matches!(meaning, Meaning::Unknown);
    let is_builtin = is_builtin && !here.outline.imports.has_stars();
    Ok((if is_builtin { Meaning::OutsideProject } else { meaning }, reach))
}

/// Returns which of two meanings of a name counts: that of the file's own declarations, or that of its imports.
fn nearer(precedence: NamePrecedence, own: Meaning, imported: Meaning) -> Meaning {
    match (precedence, own, imported) {
        (NamePrecedence::Either, Meaning::Declared(mut own), Meaning::Declared(imported)) => {
            own.extend(imported);
            Meaning::Declared(own)
        }
        (NamePrecedence::Imports, own, Meaning::Unknown) => own,
        (NamePrecedence::Imports, _, imported) | (_, Meaning::Unknown, imported) => imported,
        (_, own, _) => own,
    }
}

/// Resolves `name` in the file's package and, where the language has nested ones, in those around it.
fn resolve_in_packages(resolver: &Resolver, here: &CurrentFile, name: &str) -> Result<Meaning, Cancelled> {
    let mut package = here.imports().package().unwrap_or("");
    loop {
        let module = Module::Package(package.to_owned());
        let found = resolver.seen_from(&here.file, &module, resolver.exported(&module, name, 0)?);
        // A module is the class of a Kotlin file.
        if matches!(found, Meaning::Declared(_) | Meaning::Module(_)) {
            return Ok(found);
        }
        match package.rsplit_once('.') {
            Some((outer, _)) if resolver.profile.imports.package == PackageScope::DeclaredAndOuter => {
                package = outer;
            }
            _ => return Ok(Meaning::Unknown),
        }
    }
}

/// Resolves `name` through the file's imports: those inside the function `scope`, or those outside all
/// functions for `None`.
pub(super) fn resolve_import(
    resolver: &Resolver,
    here: &CurrentFile,
    name: &str,
    scope: Option<usize>,
) -> Result<Meaning, Cancelled> {
    let mut meaning = Meaning::Unknown;
    for import in here.binding(resolver.family, name) {
        if function_around(here, import.statement.start) != scope {
            continue;
        }
        let found = resolver.import(&here.file, &import, 0)?;
        meaning = match (meaning, found) {
            (Meaning::Declared(mut all), Meaning::Declared(more)) => {
                all.extend(
                    more.into_iter()
                        .filter(|one| !all.iter().any(|known| known.is_same_declaration(one)))
                        .collect::<Vec<_>>(),
                );
                Meaning::Declared(all)
            }
            (known @ Meaning::Declared(_), _) => known,
            (Meaning::Module(known), Meaning::Module(_)) => Meaning::Module(known),
            (_, found) => match found {
                // The name is imported, from an unknown origin.
                Meaning::Unknown if resolver.profile.imports.is_bound_by_unknown_import => {
                    Meaning::OutsideProject
                }
                found => found,
            },
        };
    }
    if matches!(meaning, Meaning::Unknown)
        && resolver.profile.imports.path_binds == PathBinding::PackageName
        && let Some(package) = modules::go_package_called(resolver, here, name)
    {
        return Ok(Meaning::Module(package));
    }
    Ok(meaning)
}
