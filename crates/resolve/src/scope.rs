//! Resolves a name where it stands: through the enclosing scopes from the inside out, the file, its imports,
//! its package. Invariant: an inner scope that declares the name ends the search.

use super::binders::Locality;
use super::classes::{self, is_class, is_function};
use super::context::{first_word, last_word, text_before};
use super::cpp;
use super::enclosing::{enclosing_row, is_enclosing};
use super::family::Family;
use super::meaning::{Meaning, binds, top_level};
use super::modules::{self, Module};
use super::profiles::{NamePrecedence, Namespaces, PackageScope, PathBinding};
use super::resolver::{CurrentFile, Resolver};
use super::rust_names;
use super::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;
use symd_base::{RelPath, TextRange};
use symd_syntax::{Import, ImportKind, Imported, Row, SymbolKind, call_site};

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

/// Resolves `chain` (`a.b.c`) at byte `at`.
pub(super) fn resolve_chain(
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
    let init = resolver.file(package.join("__init__.py").as_str()).and_then(|init| init.outline());
    init.is_some_and(|init| {
        init.imports.unpack().iter().any(|import| binds(resolver.family, &import) == Some(name))
    })
}

/// Returns the innermost class around byte `at`, for `self` and the like.
pub(super) fn own_class(here: &CurrentFile, at: u32) -> Meaning {
    match around(here, at).into_iter().find(|&row| is_class(&here.outline.rows[row])) {
        Some(row) => Meaning::Declared(vec![here.target(row)]),
        None => Meaning::Unknown,
    }
}

/// Like [`resolve_member`]; of a C++ namespace only what the file `here` sees.
pub(super) fn resolve_member_from(
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
pub(super) fn resolve_member(
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
        let Some((outline, row)) = namespace.row().filter(|(_, row)| row.kind() == SymbolKind::Module) else {
            continue;
        };
        let inside = namespace.row + 1..=namespace.row + row.descendants as usize;
        let is_it = |at: &usize| {
            outline.rows[*at].parent() == Some(namespace.row) && outline.name(&outline.rows[*at]) == part
        };
        members
            .extend(inside.filter(is_it).map(|row| IndexedDeclaration { file: namespace.file.clone(), row }));
    }
    if members.is_empty() { Meaning::Unknown } else { Meaning::Declared(members) }
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
        && rust_names::is_beside_locals(here.text.as_str(), at as usize + name.len())
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

/// Whether functions and values of one name do not hide each other.
fn separates_calls(resolver: &Resolver) -> bool {
    resolver.profile.scopes.namespaces == Namespaces::CallsAndValues
}

/// Whether the identifier that begins at byte `at` is called.
pub(super) fn is_called(here: &CurrentFile, at: u32) -> bool {
    let text = here.text.as_str();
    let length = text.get(at as usize..).map_or(0, |rest| first_word(rest).len());
    let end = u32::try_from(length).map_or(u32::MAX, |length| at.saturating_add(length));
    call_site::is_called(here.grammar, text, TextRange::new(at, end))
}

/// Whether the name at byte `at` is that of a value or a type, where functions have a namespace of their own: it is
/// not called, and no `::` precedes it.
fn is_value(resolver: &Resolver, here: &CurrentFile, at: u32) -> bool {
    !is_called(here, at) && !text_before(here.text.as_str(), at as usize, resolver.family).ends_with("::")
}

/// Resolves the call of a name that a local has too. `beyond` is the meaning without locals: a value does not
/// hide a function, unless it can be called itself.
fn called(beyond: (Meaning, Reach), here: &CurrentFile) -> (Meaning, Reach) {
    let can_be = |target: &IndexedDeclaration| {
        is_function(target) || target.row().is_some_and(|(_, row)| is_class(row))
    };
    match beyond {
        (Meaning::Declared(mut found), reach) if found.iter().any(can_be) => {
            found.retain(can_be);
            match here.language.calls_values {
                true => (Meaning::LocalOrDeclared(found), Reach::Local),
                false => (Meaning::Declared(found), reach),
            }
        }
        _ => (Meaning::Local, Reach::Local),
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

/// Resolves `name` at the top level of the file; cached.
fn resolve_in_file(
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
fn resolve_import(
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

/// Returns the row of the innermost function around byte `at`.
pub(super) fn function_around(here: &CurrentFile, at: u32) -> Option<usize> {
    around(here, at).into_iter().find(|&row| !is_class(&here.outline.rows[row]))
}

/// Returns the rows of the functions and classes around byte `at`, innermost first.
pub(super) fn around(here: &CurrentFile, at: u32) -> Vec<usize> {
    let rows = here.outline.rows.iter().enumerate();
    let mut around: Vec<usize> = rows
        .filter(|(_, row)| row.start <= at && at < row.end && is_enclosing(row))
        .map(|(number, _)| number)
        .collect();
    around.sort_by_key(|&row| {
        let range = &here.outline.rows[row];
        (range.end - range.start, std::cmp::Reverse(row))
    });
    around
}

fn children(here: &CurrentFile, scope: usize, name: &str, accepts: &dyn Fn(&Row) -> bool) -> Vec<usize> {
    let rows = &here.outline.rows;
    let inside = scope + 1..=scope + rows[scope].descendants as usize;
    inside
        .filter(|&at| {
            rows[at].parent() == Some(scope) && here.outline.name(&rows[at]) == name && accepts(&rows[at])
        })
        .collect()
}

/// Whether byte `at` is in the body of a class that binds `name` later: until then, the name means what is
/// outside of the class.
pub(super) fn reads_past_class(here: &CurrentFile, at: u32, name: &str) -> bool {
    let innermost = around(here, at).into_iter().find(|&row| is_in_body(here, &here.outline.rows[row], at));
    let Some(class) = innermost.filter(|&row| is_class(&here.outline.rows[row])) else { return false };
    let own = children(here, class, name, &|_| true);
    !own.is_empty() && is_read_before(here, &own, at)
}

/// Whether a class body reads the name at byte `at` before it binds it: `zap = zap + 1` reads what is
/// outside.
fn is_read_before(here: &CurrentFile, own: &[usize], at: u32) -> bool {
    let rows = || own.iter().map(|&row| &here.outline.rows[row]);
    let is_name = rows().any(|row| row.name_start == at);
    !is_name && rows().map(|row| row.end).min().is_some_and(|end| at < end)
}

/// Whether byte `at` of a Python file is evaluated in the scope of a comprehension, which does not see the
/// names of an enclosing class body.
fn is_in_comprehension(here: &CurrentFile, at: u32) -> bool {
    here.comprehensions().iter().any(|one| one.holds(at))
}

/// Whether byte `at` lies before the brace that opens the body of a class, which is no record.
fn is_in_head(here: &CurrentFile, row: &Row, at: u32) -> bool {
    let text = here.text.as_str();
    let name_end = row.name_start as usize + usize::from(row.name_len);
    let is_record = || last_word(text_before(text, row.name_start as usize, Family::Jvm)) == "record";
    match text.get(name_end..at as usize) {
        Some(between) => !between.contains('{') && !is_record(),
        None => true,
    }
}

/// Whether byte `at` lies behind the header of a Python function or class: decorators, defaults, annotations
/// and bases belong to the enclosing scope.
fn is_in_body(here: &CurrentFile, row: &Row, at: u32) -> bool {
    if at < row.name_start + u32::from(row.name_len) {
        return false;
    }
    let from = row.name_start as usize + usize::from(row.name_len);
    let Some(header) = here.text.as_str().get(from..at as usize) else { return false };
    let mut depth = 0_usize;
    for byte in header.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b':' if depth == 0 => return true,
            _ => {}
        }
    }
    false
}
