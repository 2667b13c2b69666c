//! Chains of names, `a.b.c`, and members of what a name means.

use super::in_file::resolve_in_file;
use super::{SearchStart, own_class, resolve_from_class_head, resolve_name};
use crate::cpp;
use crate::family::Family;
use crate::hierarchy::classes::{self, is_class};
use crate::meaning::{Meaning, binds};
use crate::modules::{self, Module};
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use symd_base::RelPath;
use symd_base::cancel::Cancelled;
use symd_syntax::{Imported, SymbolKind};

/// Resolves `chain` (`a.b.c`) at byte `at`.
pub(crate) fn resolve_chain(
    resolver: &Resolver,
    here: &CurrentFile,
    at: u32,
    chain: &[&str],
    from: SearchStart,
) -> Result<Meaning, Cancelled> {
    let Some((first, rest)) = chain.split_first() else { return Ok(Meaning::Unknown) };
    let mut meaning = match from {
        SearchStart::Inside if resolver.profile.spelling.receiver_names.contains(first) => {
            own_class(here, at)
        }
        SearchStart::Inside => resolve_name(resolver, here, at, first)?,
        SearchStart::File => resolve_in_file(resolver, here, first)?.0,
        SearchStart::Head(class) => resolve_from_class_head(resolver, here, at, first, Some(class))?.0,
    };
    let mut path = (*first).to_owned();
    for part in rest {
        let was = std::mem::replace(&mut meaning, Meaning::Unknown);
        meaning = resolve_member_from(resolver, here, &was, part)?;
        // A member that no base of the class declares may still be assigned: `this.part = value`.
        if matches!((&was, &meaning), (Meaning::Declared(_), Meaning::OutsideProject)) {
            meaning = Meaning::Unknown;
        }
        path = format!("{path}.{part}");
        // A submodule is available as an attribute only when it was imported: in this file, or by its
        // package.
        if let (Meaning::Module(Module::Directory(package)), Meaning::Module(_)) = (&was, &meaning)
            && resolver.profile.imports.submodules_need_import
            && !is_imported(here, &path)
            && !is_bound_by(resolver, package, part)
        {
            meaning = Meaning::Unknown;
        }
    }
    Ok(meaning)
}

/// Whether the file has an `import path`, or one of something below `path`.
fn is_imported(here: &CurrentFile, path: &str) -> bool {
    here.imports().iter().any(|import| {
        let rest = import.module.strip_prefix(path);
        import.imported == Imported::Module
            && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// Whether the package itself imports something of that name.
fn is_bound_by(resolver: &Resolver, package: &RelPath, name: &str) -> bool {
    let init = modules::init_of(resolver, package).and_then(|init| init.outline());
    init.is_some_and(|init| {
        init.imports.unpack().iter().any(|import| binds(resolver.family, &import) == Some(name))
    })
}

/// Like [`resolve_member`]; of a C++ namespace only what the file `here` sees.
pub(crate) fn resolve_member_from(
    resolver: &Resolver,
    here: &CurrentFile,
    meaning: &Meaning,
    part: &str,
) -> Result<Meaning, Cancelled> {
    if resolver.profile.members.are_defined_outside
        && let Some(found) = cpp::member_of_namespace(resolver, here, meaning, part)?
    {
        return Ok(found);
    }
    resolve_member(resolver, meaning, part)
}

/// Resolves `part` as a member of what `meaning` is.
pub(crate) fn resolve_member(
    resolver: &Resolver,
    meaning: &Meaning,
    part: &str,
) -> Result<Meaning, Cancelled> {
    match meaning {
        Meaning::Module(module) => resolver.exported(module, part, 0),
        Meaning::Declared(found) => match &found[..] {
            [class] if class.row().is_some_and(|(_, row)| is_class(row)) => {
                classes::member(resolver, class, part)
            }
            found if resolver.family == Family::Ecma => Ok(member_of_namespaces(found, part)),
            _ => Ok(Meaning::Unknown),
        },
        Meaning::OutsideProject => Ok(Meaning::OutsideProject),
        Meaning::Local
        | Meaning::LocalOrDeclared(_)
        | Meaning::Probable(_)
        | Meaning::Possible(_)
        | Meaning::Unknown => Ok(Meaning::Unknown),
    }
}

/// Resolves a member of TypeScript's namespaces: `namespace A { export const part = 1; }`. What else has the namespace's name, a
/// class or a function, may have other members.
fn member_of_namespaces(found: &[IndexedDeclaration], part: &str) -> Meaning {
    let mut members = Vec::new();
    for namespace in found {
        let Some((outline, _)) = namespace.row().filter(|(_, row)| row.kind() == SymbolKind::Module) else {
            continue;
        };
        let is_it = |at: &usize| outline.name(&outline.rows[*at]) == part;
        let own = outline.children(namespace.row).filter(is_it);
        members.extend(own.map(|row| IndexedDeclaration { file: namespace.file.clone(), row }));
    }
    if members.is_empty() { Meaning::Unknown } else { Meaning::Declared(members) }
}
