//! Resolves a name where it stands: through the enclosing scopes from the inside out, the file, its imports,
//! its package. Invariant: an inner scope that declares the name ends the search.

mod around;
mod calls;
mod chain;
mod in_file;

pub(super) use self::around::{
    around, class_around, function_around, outermost_function, own_class, reads_past_class,
};
use self::around::{children, is_in_body, is_in_comprehension, is_in_head, is_read_before};
pub(super) use self::calls::is_called;
use self::calls::{called, is_value, separates_calls};
pub(super) use self::chain::{resolve_chain, resolve_member, resolve_member_from};
use self::in_file::{resolve_import, resolve_in_file};
use super::binders::Locality;
use super::cpp;
use super::enclosing::{enclosing_row, is_enclosing};
use super::family::Family;
use super::meaning::Meaning;
use super::profiles::Namespaces;
use super::resolver::{CurrentFile, Resolver};
use crate::hierarchy::classes::{self, is_class, is_function};
use crate::rust;
use symd_base::cancel::Cancelled;
use symd_syntax::{Row, SymbolKind};

/// Where the search for a name begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchStart {
    /// In the innermost scope around the place.
    Inside,
    /// At the top level of the file.
    File,
    /// Around the class in this row, whose head contains the place.
    Head(usize),
}

/// How far out from a place a name's meaning is found; a nearer reach is less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// A local that the outline does not list.
    Local,
    /// The function or class around the place with this many others in between.
    Scope(usize),
    /// The file: a declaration of its own, or an import of that very name.
    File,
    /// The package, a star import, the language itself, or an unknown origin.
    Wider,
}

/// Resolves the bare `name` at byte `at`.
pub(super) fn resolve_name(
    resolver: &Resolver,
    here: &CurrentFile,
    at: u32,
    name: &str,
) -> Result<Meaning, Cancelled> {
    Ok(resolve_with_reach(resolver, here, at, name)?.0)
}

/// Resolves the bare `name` at byte `at`, and returns how far out it is found.
pub(super) fn resolve_with_reach(
    resolver: &Resolver,
    here: &CurrentFile,
    at: u32,
    name: &str,
) -> Result<(Meaning, Reach), Cancelled> {
    resolve_from_class_head(resolver, here, at, name, None)
}

/// Like [`resolve_with_reach`], but skips the scope of the class `left_out`, whose head does not see its members.
fn resolve_from_class_head(
    resolver: &Resolver,
    here: &CurrentFile,
    at: u32,
    name: &str,
    left_out: Option<usize>,
) -> Result<(Meaning, Reach), Cancelled> {
    let beyond = || resolve_ignoring_locals(resolver, here, at, name, left_out);
    if resolver.profile.scopes.namespaces == Namespaces::TypesAndValues
        && rust::names::is_beside_locals(here.text.as_str(), at as usize + name.len())
    {
        return beyond();
    }
    match here.is_local(resolver, name, at) {
        Locality::No => beyond(),
        Locality::Yes | Locality::Perhaps if separates_calls(resolver) && is_called(here, at) => {
            Ok(called(beyond()?, here))
        }
        Locality::Perhaps => Ok(match beyond()? {
            (Meaning::Declared(found), _) => (Meaning::LocalOrDeclared(found), Reach::Local),
            (Meaning::Unknown, _) => (Meaning::Unknown, Reach::Local),
            _ => (Meaning::Local, Reach::Local),
        }),
        Locality::Yes => Ok((Meaning::Local, Reach::Local)),
    }
}

/// Like [`resolve_from_class_head`], but ignores locals that the outline does not list.
fn resolve_ignoring_locals(
    resolver: &Resolver,
    here: &CurrentFile,
    at: u32,
    name: &str,
    left_out: Option<usize>,
) -> Result<(Meaning, Reach), Cancelled> {
    let outline = &here.outline;
    let mut is_innermost = true;
    let mut is_open = false;
    for (steps, scope) in around(here, at).into_iter().enumerate() {
        let reach = Reach::Scope(steps);
        let row = &outline.rows[scope];
        if left_out == Some(scope) || resolver.profile.scopes.heads_are_outside && !is_in_body(here, row, at)
        {
            continue;
        }
        let is_qualified = resolver.profile.members.are_defined_outside;
        if is_qualified && cpp::is_in_qualifier(here, scope, at) {
            continue;
        }
        if is_qualified && row.kind() == SymbolKind::Namespace {
            let path = cpp::namespace_path(here, scope);
            if let found @ Meaning::Declared(_) = cpp::in_namespace(resolver, here, &path, name)? {
                return Ok((found, reach));
            }
        } else if resolver.family == Family::Ecma && row.kind() == SymbolKind::Enum {
            let own = children(here, scope, name, &|_| true);
            if !own.is_empty() {
                return Ok((Meaning::Declared(own.into_iter().map(|row| here.target(row)).collect()), reach));
            }
        } else if is_class(row) {
            if here.language.class_heads_are_outside && is_in_head(here, row, at) {
                continue;
            }
            if resolver.profile.scopes.has_implicit_this {
                match classes::member(resolver, &here.target(scope), name)? {
                    // A name that is not called does not mean a function of the class: a base may declare a
                    // value of that name.
                    Meaning::Declared(found)
                        if separates_calls(resolver)
                            && found.iter().all(is_function)
                            && is_value(resolver, here, at) =>
                    {
                        let inherited = classes::inherited(resolver, &here.target(scope), name)?;
                        if let Meaning::Declared(mut found) = inherited {
                            found.retain(|one| !is_function(one));
                            if !found.is_empty() {
                                return Ok((Meaning::Declared(found), reach));
                            }
                        }
                    }
                    Meaning::Declared(mut found) => {
                        // Overloads outside the class are candidates too: types decide.
                        if separates_calls(resolver)
                            && found.iter().all(is_function)
                            && let (Meaning::Declared(outer), _) = resolve_in_file(resolver, here, name)?
                        {
                            found.extend(outer.into_iter().filter(is_function));
                        }
                        return Ok((Meaning::Declared(found), reach));
                    }
                    Meaning::Unknown => is_open = true,
                    _ => {}
                }
            } else if resolver.profile.scopes.class_bodies_bind
                && is_innermost
                && !is_in_comprehension(here, at)
            {
                let own = children(here, scope, name, &|row| {
                    is_enclosing(row) || enclosing_row(outline, row.name_start) == Some(scope)
                });
                if !own.is_empty() && !is_read_before(here, &own, at) {
                    let own = own.into_iter().map(|row| here.target(row)).collect();
                    return Ok((Meaning::Declared(own), reach));
                }
            }
        } else {
            let mut own = children(here, scope, name, &|_| true);
            // Namespaces of one name are one.
            if own.is_empty() && row.kind() == SymbolKind::Module {
                let is_part = |(_, other): &(usize, &Row)| {
                    other.kind() == row.kind()
                        && other.parent == row.parent
                        && outline.name(other) == outline.name(row)
                };
                let parts = outline.rows.iter().enumerate().filter(is_part);
                own = parts.flat_map(|(part, _)| children(here, part, name, &|_| true)).collect();
            }
            if !own.is_empty() {
                let own = own.into_iter().map(|row| here.target(row)).collect();
                return Ok((Meaning::Declared(own), reach));
            }
            let imported = resolve_import(resolver, here, name, Some(scope))?;
            if !matches!(imported, Meaning::Unknown) {
                return Ok((imported, reach));
            }
        }
        if is_qualified {
            match cpp::in_owner(resolver, here, scope, name)? {
                Some(found @ Meaning::Declared(_)) => return Ok((found, reach)),
                Some(Meaning::Unknown) => is_open = true,
                _ => {}
            }
        }
        is_innermost = false;
    }
    let (found, reach) = resolve_in_file(resolver, here, name)?;
    // A base outside the project may declare it.
    Ok((if is_open && matches!(found, Meaning::OutsideProject) { Meaning::Unknown } else { found }, reach))
}
