//! Classifies an identifier occurrence and resolves what it means by syntax, for references and for
//! definitions alike. Invariant: the occurrence is an identifier of the outline, and its text is the name.

use super::brackets::open_bracket;
use super::context::{self, Receiver, argument_of, last_word, receiver};
use super::cpp;
use super::family::Family;
use super::meaning::Meaning;
use super::modules::Module;
use super::profiles::{AccessorForm, LiteralKey, ModuleLookup};
use super::resolver::{CurrentFile, Resolver};
use super::scope::{self, SearchStart};
use super::scoped_locals;
use super::sources::IndexedDeclaration;
use crate::ecma::module_calls;
use crate::go;
use crate::go::value_types::LiteralEntry;
use crate::hierarchy::classes;
use crate::jvm::java_values;
use crate::rust;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_syntax::{Import, ImportKind, Imported, SymbolKind};

/// The kind of an occurrence.
#[derive(Debug)]
pub(super) enum OccurrenceKind {
    /// The name in the declaration of this row.
    Declaration(usize),
    /// A name in an import statement.
    Import(Meaning),
    /// The name of an argument in a call.
    Argument {
        /// The word before the parenthesis.
        callee: String,
        /// The meaning of the callee.
        meaning: Meaning,
    },
    /// The name of an argument in a call whose parameters are known.
    Parameter(Meaning),
    /// A name that stands alone.
    Bare(Meaning),
    /// A member of a receiver.
    Member(Meaning),
}

/// Classifies the occurrence of `name` at `range` of the file.
pub(super) fn classify_occurrence(
    resolver: &Resolver,
    here: &CurrentFile,
    range: TextRange,
    name: &str,
) -> Result<OccurrenceKind, Cancelled> {
    let text = here.text.as_str();
    let (start, end) = (range.start as usize, range.end as usize);
    let mut rows = here.outline.rows.iter().enumerate();
    let row = rows.find(|(_, row)| row.name_start == range.start && here.outline.name(row) == name);
    // `const { name } = require('module')` is both a row and an import.
    if let Some((row, _)) = row
        && !(resolver.profile.imports.declarations_import && binds_here(here, range, name))
    {
        return Ok(OccurrenceKind::Declaration(row));
    }
    if resolver.profile.spelling.literal_key == LiteralKey::Member && is_in_quotes(text, start, end) {
        return Ok(OccurrenceKind::Member(member_in_quotes(resolver, here, start, name)?));
    }
    if let Some(meaning) = in_import(resolver, here, range, name)? {
        return Ok(OccurrenceKind::Import(meaning));
    }
    if scoped_locals::is_field_name(resolver, here, range) {
        return Ok(OccurrenceKind::Member(Meaning::Unknown));
    }
    let callee_end = argument_of(text, start, end, resolver.family);
    if here.language.has_types
        && let Some(meaning) = resolver.kotlin().meaning(resolver, here, range)
    {
        match (callee_end, receiver(text, start, resolver.family)) {
            (Some(_), _) if matches!(meaning, Meaning::Unknown) => {}
            (Some(_), _) => return Ok(OccurrenceKind::Parameter(meaning)),
            (None, Receiver::None) => return Ok(OccurrenceKind::Bare(meaning)),
            (None, _) => return Ok(OccurrenceKind::Member(meaning)),
        }
    }
    if let Some(callee_end) = callee_end {
        let callee_end = without_type_arguments(resolver, text, callee_end);
        let callee = last_word(&text[..callee_end]);
        let at = callee_end - callee.len();
        let meaning =
            if callee.is_empty() { Meaning::Unknown } else { meaning_at(resolver, here, at, callee)?.1 };
        let is_class = |one: &IndexedDeclaration| one.row().is_some_and(|(_, row)| classes::is_class(row));
        // An item of something else is not known.
        let meaning = match meaning {
            Meaning::Declared(found) if found.iter().all(is_class) => Meaning::Declared(found),
            _ if text[callee_end..].starts_with('[') => Meaning::Unknown,
            meaning => meaning,
        };
        return Ok(OccurrenceKind::Argument { callee: callee.to_owned(), meaning });
    }
    match resolver.profile.spelling.literal_key {
        LiteralKey::Member if is_key(text, start, end) => {
            let taken = module_calls::taken_from_call(resolver, here, start, name)?;
            return Ok(OccurrenceKind::Member(taken.unwrap_or(Meaning::Unknown)));
        }
        LiteralKey::FieldOrValue if is_key(text, start, end) => {
            match go::value_types::literal_key(resolver, here, start, name)? {
                LiteralEntry::Field(field) => return Ok(OccurrenceKind::Member(field)),
                LiteralEntry::Value => {}
                LiteralEntry::Unknown => return Ok(OccurrenceKind::Bare(Meaning::Unknown)),
            }
        }
        _ => {}
    }
    let (is_member, meaning) = meaning_at(resolver, here, start, name)?;
    Ok(if is_member { OccurrenceKind::Member(meaning) } else { OccurrenceKind::Bare(meaning) })
}

/// Returns where the name of a generic class ends in `Class[int]`, which stands before byte `end` of a Python text and is called.
fn without_type_arguments(resolver: &Resolver, text: &str, end: usize) -> usize {
    match text[..end].ends_with(']') && resolver.profile.is_dynamic {
        true => open_bracket(text, end - 1).unwrap_or(end),
        false => end,
    }
}

/// Whether the name stands before the colon in a JavaScript object, pattern or type, or in a Go literal:
/// `{ name: value }`.
pub(super) fn is_key(text: &str, start: usize, end: usize) -> bool {
    let right = context::text_after(text, end);
    let is_typed = right.strip_prefix('?').unwrap_or(right).starts_with(':') && !right.starts_with(":=");
    let line = || text[..start].rsplit('\n').next().unwrap_or("").trim_start();
    // In types, a line's end separates members, too; behind an operator the line goes on.
    let ends_member = |c: char| c.is_alphanumeric() || "_$)]}>'\"`".contains(c);
    let is_first =
        |left: &str| left.ends_with(['{', ',', ';']) || line().is_empty() && left.ends_with(ends_member);
    is_typed
        && is_first(context::text_before(text, start, Family::Ecma))
        && !line().starts_with("case ")
        && open_bracket(text, start).is_some_and(|open| text[open..].starts_with('{'))
}

/// Whether the name is a whole string of JavaScript.
fn is_in_quotes(text: &str, start: usize, end: usize) -> bool {
    let bytes = text.as_bytes();
    let before = start.checked_sub(1).and_then(|at| bytes.get(at));
    matches!(before, Some(b'"' | b'\'')) && before == bytes.get(end)
}

/// Resolves a member that JavaScript or TypeScript names in quotes: of a class, an interface or an enum that is named before the
/// bracket, `Type["name"]`; of other values it is unknown.
fn member_in_quotes(
    resolver: &Resolver,
    here: &CurrentFile,
    start: usize,
    name: &str,
) -> Result<Meaning, Cancelled> {
    let Receiver::Chain(chain, first) =
        context::receiver_of_subscript(here.text.as_str(), start, resolver.family)
    else {
        return Ok(Meaning::Unknown);
    };
    let first = u32::try_from(first).unwrap_or(u32::MAX);
    let owner = scope::resolve_chain(resolver, here, first, &chain, SearchStart::Inside)?;
    Ok(match scope::resolve_member_from(resolver, here, &owner, name)? {
        found @ Meaning::Declared(_) => found,
        // What is no member by its declaration may be set elsewhere.
        _ => Meaning::Unknown,
    })
}

/// Whether the name stands for a member of an object and for a variable at once: `{ name }`, in a pattern `{ name = 1 }`.
pub(super) fn is_shorthand(text: &str, start: usize, end: usize) -> bool {
    let right = context::text_after(text, end);
    let has_default = is_default(right);
    if !right.starts_with([',', '}']) && !has_default
        || !context::text_before(text, start, Family::Ecma).ends_with(['{', ','])
    {
        return false;
    }
    open_bracket(text, start)
        .is_some_and(|open| text[open..].starts_with('{') && (!has_default || is_pattern(text, open)))
}

/// Whether a text that stands behind a name begins with the default of JavaScript's patterns, `= value`.
pub fn is_default(right: &str) -> bool {
    right.strip_prefix('=').is_some_and(|rest| !rest.starts_with(['=', '>']))
}

/// Whether the brace at byte `open` begins a pattern or an object of JavaScript, and no block: in one `name = 1` assigns.
pub fn is_pattern(text: &str, open: usize) -> bool {
    let left = context::text_before(text, open, Family::Ecma);
    left.ends_with(['(', ',', '[', ':']) || matches!(last_word(left), "const" | "let" | "var")
}

/// Resolves the type that a Go struct embeds, where `row` is the field that the embedding declares:
/// `struct { Type }`.
pub(super) fn embedded(
    resolver: &Resolver,
    here: &CurrentFile,
    row: usize,
) -> Result<Option<Meaning>, Cancelled> {
    let row = &here.outline.rows[row];
    if !resolver.profile.uses.embeds_by_name || row.kind() != SymbolKind::Field {
        return Ok(None);
    }
    let start = row.name_start as usize;
    if !go::value_types::embeds(here.text.as_str(), start + usize::from(row.name_len)) {
        return Ok(None);
    }
    Ok(Some(meaning_at(resolver, here, start, here.outline.name(row))?.1))
}

/// Resolves `name` at byte `start`, and returns whether it is a member of a receiver.
fn meaning_at(
    resolver: &Resolver,
    here: &CurrentFile,
    start: usize,
    name: &str,
) -> Result<(bool, Meaning), Cancelled> {
    let (is_member, meaning) = meaning_by_name(resolver, here, start, name)?;
    // Java's overloads are told by their arguments.
    let meaning = match meaning {
        Meaning::Declared(found) if here.language.accessors == AccessorForm::Methods => {
            Meaning::Declared(java_values::fitting(resolver, here, start + name.len(), found)?)
        }
        meaning => meaning,
    };
    Ok((is_member, meaning))
}

fn meaning_by_name(
    resolver: &Resolver,
    here: &CurrentFile,
    start: usize,
    name: &str,
) -> Result<(bool, Meaning), Cancelled> {
    let at = u32::try_from(start).unwrap_or(u32::MAX);
    let is_java = here.language.accessors == AccessorForm::Methods;
    Ok(match receiver(here.text.as_str(), start, resolver.family) {
        Receiver::None => match scope::resolve_name(resolver, here, at, name)? {
            Meaning::Unknown if is_java => match java_values::switched(resolver, here, start)? {
                Some(class) => (false, scope::resolve_member(resolver, &class, name)?),
                None => (false, Meaning::Unknown),
            },
            found if resolver.profile.uses.has_prototypes => {
                (false, cpp::bare_meaning(resolver, here, at, name, found)?)
            }
            found => (false, found),
        },
        Receiver::Expression => (true, member_of_value(resolver, here, start, name)?),
        Receiver::Super => match scope::own_class(here, at) {
            Meaning::Declared(class) => (true, classes::inherited(resolver, &class[0], name)?),
            _ => (true, Meaning::Unknown),
        },
        Receiver::Chain(chain, first) => {
            let first = u32::try_from(first).unwrap_or(u32::MAX);
            let owner = scope::resolve_chain(resolver, here, first, &chain, SearchStart::Inside)?;
            let meaning = scope::resolve_member_from(resolver, here, &owner, name)?;
            // A member that no base of the class declares may still be set from outside, or by a metaclass.
            let is_class = matches!(owner, Meaning::Declared(_));
            let meaning = match meaning {
                Meaning::OutsideProject if is_class => Meaning::Unknown,
                Meaning::Unknown if resolver.profile.imports.packages_qualify => {
                    in_named_package(resolver, &chain, name)?
                }
                meaning => meaning,
            };
            let meaning = match meaning {
                Meaning::Unknown => member_of_value(resolver, here, start, name)?,
                meaning => meaning,
            };
            (true, meaning)
        }
    })
}

/// Resolves the name behind a value: of Go and Java by the value's declared type, of JavaScript where a call loads a module.
fn member_of_value(
    resolver: &Resolver,
    here: &CurrentFile,
    start: usize,
    name: &str,
) -> Result<Meaning, Cancelled> {
    if resolver.family == Family::Ecma {
        return Ok(module_calls::exported_of_call(resolver, here, start, name)?.unwrap_or(Meaning::Unknown));
    }
    if resolver.family == Family::Go {
        return go::value_types::member(resolver, here, start, name);
    }
    if here.language.accessors != AccessorForm::Methods {
        return Ok(Meaning::Unknown);
    }
    let owner = java_values::owner(resolver, here, start)?;
    let is_class = matches!(owner, Meaning::Declared(_));
    Ok(match scope::resolve_member(resolver, &owner, name)? {
        Meaning::OutsideProject if is_class => Meaning::Unknown,
        found => found,
    })
}

/// Resolves `a.b.Name`, where `a.b` is the whole package.
fn in_named_package(resolver: &Resolver, chain: &[&str], name: &str) -> Result<Meaning, Cancelled> {
    match resolver.exported(&Module::Package(chain.join(".")), name, 0)? {
        found @ Meaning::Declared(_) => Ok(found),
        _ => Ok(Meaning::Unknown),
    }
}

/// Resolves `name` in an import statement; `None` where `range` lies in none.
fn in_import(
    resolver: &Resolver,
    here: &CurrentFile,
    range: TextRange,
    name: &str,
) -> Result<Option<Meaning>, Cancelled> {
    let text = here.text.as_str();
    let mut is_inside = false;
    let behind = context::text_after(text, range.end as usize);
    // A segment inside the path of a Rust `use` names a module or a type, which is not followed.
    let is_inner = resolver.profile.imports.lookup == ModuleLookup::RustPath && behind.starts_with("::");
    let is_standard = || rust::names::is_of_standard_library(resolver, here, range.start);
    let mut meaning = if is_inner && !is_standard() { Meaning::Unknown } else { Meaning::OutsideProject };
    for import in here.imports().around(range) {
        is_inside = true;
        let is_whole = match resolver.profile.imports.names_follow_import {
            true => is_behind_import(text, &import, range),
            false => !behind.starts_with('.') && !behind.starts_with("::"),
        };
        if is_whole {
            let is_meant = import.bound() == Some(name) || import.imported == Imported::Name(name);
            if is_meant && import.kind != ImportKind::Package {
                meaning = resolver.import(&here.file, &import, 0)?;
            }
        } else if resolver.profile.imports.paths_name_classes {
            // `import a.Outer.Inner` names Outer too.
            if let Some(at) = import.module.split('.').position(|part| part == name) {
                let package: Vec<&str> = import.module.split('.').take(at).collect();
                meaning = resolver.exported(&Module::Package(package.join(".")), name, 0)?;
            }
        }
        if matches!(meaning, Meaning::Declared(_)) {
            break;
        }
    }
    Ok(is_inside.then_some(meaning))
}

/// Whether `range` lies in an import that binds this name.
pub(super) fn binds_here(here: &CurrentFile, range: TextRange, name: &str) -> bool {
    let is_it = |import: Import| import.kind == ImportKind::Import && import.bound() == Some(name);
    here.imports().around(range).any(is_it)
}

/// Whether the occurrence is one of the imported names in `from module import names`.
fn is_behind_import(text: &str, import: &Import, range: TextRange) -> bool {
    let before = text.get(import.statement.start as usize..range.start as usize).unwrap_or("");
    let mut words = before.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| word == "import") && import.imported != Imported::Module
}
