//! Looks names up as C++ does: in the class that a member outside of it belongs to, and in namespaces, which every file
//! may continue.

use super::super::meaning::Meaning;
use super::super::resolver::{CurrentFile, Resolver};
use super::super::scope::{self, Reach, SearchStart};
use super::super::sources::IndexedDeclaration;
use super::included::included;
use super::owner_path::{around, owner_path, qualifier};
use crate::hierarchy::classes::{self, is_class};
use symd_base::cancel::Cancelled;
use symd_syntax::{Row, SymbolKind};

/// Resolves `name` in the classes and namespaces written before the name of row `row`, the innermost first; `None` where
/// none is written. Unknown if a base that is not known may declare it.
pub(in super::super) fn in_owner(
    resolver: &Resolver,
    here: &CurrentFile,
    row: usize,
    name: &str,
) -> Result<Option<Meaning>, Cancelled> {
    let words = qualifier(here.text.as_str(), &here.outline.rows[row]);
    if words.is_empty() {
        return Ok(None);
    }
    let mut is_open = false;
    for count in (1..=words.len()).rev() {
        match owner(resolver, here, row, &words[..count])? {
            Owner::Class(class) => match classes::member(resolver, &class, name)? {
                found @ Meaning::Declared(_) => return Ok(Some(found)),
                Meaning::OutsideProject => {}
                _ => is_open = true,
            },
            Owner::Namespace(path) => {
                if let found @ Meaning::Declared(_) = in_namespace(resolver, here, &path, name)? {
                    return Ok(Some(found));
                }
            }
            Owner::Unknown => is_open = true,
        }
    }
    Ok(Some(if is_open { Meaning::Unknown } else { Meaning::OutsideProject }))
}

/// What a qualifier names.
enum Owner {
    Class(IndexedDeclaration),
    Namespace(Vec<String>),
    Unknown,
}

fn owner(
    resolver: &Resolver,
    here: &CurrentFile,
    row: usize,
    words: &[(&str, usize)],
) -> Result<Owner, Cancelled> {
    let chain: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    let at = words.first().map_or(0, |(_, at)| u32::try_from(*at).unwrap_or(u32::MAX));
    let found = match scope::resolve_chain(resolver, here, at, &chain, SearchStart::Inside)? {
        Meaning::Declared(found) => found,
        _ => Vec::new(),
    };
    if let [class] = &found[..]
        && class.row().is_some_and(|(_, row)| is_class(row))
    {
        return Ok(Owner::Class(class.clone()));
    }
    if found.iter().all(is_namespace) && !found.is_empty() {
        return Ok(Owner::Namespace(path_of(resolver, &found[0])));
    }
    // The header may be included in ways that are not followed.
    let mut path: Vec<&str> = around(&here.outline, row);
    path.extend(&chain);
    let Some(last) = chain.last().filter(|_| found.is_empty()) else { return Ok(Owner::Unknown) };
    let declared = resolver.declared(last)?;
    let mut classes = declared
        .iter()
        .filter(|one| one.row().is_some_and(|(_, row)| is_class(row)) && path_of(resolver, one) == path);
    Ok(match (classes.next(), classes.next()) {
        (Some(only), None) => Owner::Class(only.clone()),
        _ => Owner::Unknown,
    })
}

/// Returns the names of a namespace and of those around it, outermost first.
pub(in super::super) fn namespace_path(here: &CurrentFile, row: usize) -> Vec<&str> {
    let mut path = around(&here.outline, row);
    path.extend(here.outline.name(&here.outline.rows[row]).split("::"));
    path
}

/// Resolves `name` as a member of the namespace `path`, of which the file sees its own parts and those in files that it
/// includes; the empty path is the top level. Unknown where no such file declares it.
pub(in super::super) fn in_namespace<P: AsRef<str>>(
    resolver: &Resolver,
    here: &CurrentFile,
    path: &[P],
    name: &str,
) -> Result<Meaning, Cancelled> {
    let visible = included(resolver, &here.file);
    let path: Vec<&str> = path.iter().map(AsRef::as_ref).collect();
    let mut found: Vec<IndexedDeclaration> = Vec::new();
    for one in resolver.declared(name)?.iter() {
        let Some((outline, row)) = one.row().filter(|_| visible.holds(&one.file.path)) else { continue };
        let above = around(outline, one.row);
        // The members of an enum are members of what is around it too.
        let is_of_enum =
            || row.kind() == SymbolKind::EnumMember && above[..above.len().saturating_sub(1)] == path;
        let is_listed = above == path && !is_outside(resolver, one)? || is_of_enum();
        if !is_listed || is_in_class(one) {
            continue;
        }
        found.push(resolver.refreshed(one));
    }
    Ok(if found.is_empty() { Meaning::Unknown } else { Meaning::Declared(found) })
}

/// Resolves `name` at the top level of the file and of those that it includes, and returns how far out it is.
pub(in super::super) fn in_file(
    resolver: &Resolver,
    here: &CurrentFile,
    name: &str,
) -> Result<(Meaning, Reach), Cancelled> {
    let meaning = in_namespace::<&str>(resolver, here, &[], name)?;
    let is_own = |one: &IndexedDeclaration| one.file.path == here.file.path;
    let is_near = matches!(&meaning, Meaning::Declared(found) if found.iter().any(is_own));
    Ok((meaning, if is_near { Reach::File } else { Reach::Wider }))
}

/// Resolves `part` where `meaning` is a namespace; `None` where it is not.
pub(in super::super) fn member_of_namespace(
    resolver: &Resolver,
    here: &CurrentFile,
    meaning: &Meaning,
    part: &str,
) -> Result<Option<Meaning>, Cancelled> {
    match meaning {
        Meaning::Declared(found) if !found.is_empty() && found.iter().all(is_namespace) => {
            let path = path_of(resolver, &found[0]);
            Ok(Some(in_namespace(resolver, here, &path, part)?))
        }
        _ => Ok(None),
    }
}

/// Returns the types of this name that are defined outside of the class that declares them: `struct Table::Rep { … }`.
pub(in super::super) fn nested_outside(
    resolver: &Resolver,
    class: &IndexedDeclaration,
    name: &str,
) -> Result<Vec<IndexedDeclaration>, Cancelled> {
    let mut found = Vec::new();
    let mut path = None;
    for one in resolver.declared(name)?.iter() {
        let is_type = one.row().is_some_and(|(_, row)| is_class(row));
        if !is_type || is_in_class(one) || !is_outside(resolver, one)? {
            continue;
        }
        let path = path.get_or_insert_with(|| path_of(resolver, class));
        let Some(here) = resolver.read_file(&one.file) else { continue };
        if here.row_of(one).is_some_and(|row| owner_path(&here, row) == *path) {
            found.push(resolver.refreshed(one));
        }
    }
    Ok(found)
}

/// Returns the class before the name of a member that is defined outside of it.
pub(in super::super) fn outside_class(
    resolver: &Resolver,
    here: &CurrentFile,
    row: usize,
) -> Result<Option<IndexedDeclaration>, Cancelled> {
    let words = qualifier(here.text.as_str(), &here.outline.rows[row]);
    if words.is_empty() {
        return Ok(None);
    }
    Ok(match owner(resolver, here, row, &words)? {
        Owner::Class(class) => Some(class),
        _ => None,
    })
}

/// Whether a declaration names its class or namespace itself, so that it is no member of what is around it.
pub(super) fn is_outside(resolver: &Resolver, one: &IndexedDeclaration) -> Result<bool, Cancelled> {
    use SymbolKind::{Class, Constructor, Enum, Method, Operator, Struct, Variable};
    let kinds = [Class, Constructor, Enum, Method, Operator, Struct, Variable];
    if is_in_class(one) || !one.row().is_some_and(|(_, row)| kinds.contains(&row.kind())) {
        return Ok(false);
    }
    resolver.cancel.check()?;
    let Some(here) = resolver.read_file(&one.file) else { return Ok(false) };
    Ok(here.row_of(one).is_some_and(|row| !qualifier(here.text.as_str(), &here.outline.rows[row]).is_empty()))
}

fn is_in_class(one: &IndexedDeclaration) -> bool {
    one.row().is_some_and(|(outline, row)| {
        row.kind() != SymbolKind::EnumMember && row.parent().is_some_and(|at| is_class(&outline.rows[at]))
    })
}

fn is_namespace(one: &IndexedDeclaration) -> bool {
    one.row().is_some_and(|(_, row): (_, &Row)| row.kind() == SymbolKind::Namespace)
}

/// Returns a class's or namespace's own name with those of what it belongs to, outermost first.
fn path_of(resolver: &Resolver, one: &IndexedDeclaration) -> Vec<String> {
    let here = resolver.read_file(&one.file);
    let of_text = here.and_then(|here| Some(owner_path(&here, here.row_of(one)?)));
    let mut path = of_text.unwrap_or_default();
    path.extend(one.name().split("::").map(str::to_owned));
    path
}
