//! Types that are defined in a file which is not included: `class Shop;` declares one, `struct Shop*` names one.

use super::super::context::{last_word, text_after, text_before};
use super::super::family::Family;
use super::super::meaning::Meaning;
use super::super::resolver::{CurrentFile, Resolver};
use super::super::scope;
use super::super::sources::IndexedDeclaration;
use super::directives::{is_macro_parameter, is_no_declaration};
use super::included::included;
use super::owner_path::around;
use super::scopes::{is_outside, namespace_path};
use crate::hierarchy::classes::is_class;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

/// Returns what the bare name at byte `at` means if `found` is what its scopes know: no declaration, where it names a macro
/// or an attribute; a parameter of a macro; a type from elsewhere, where a word that introduces a type precedes it, or a
/// visible file declares it.
pub(in super::super) fn bare_meaning(
    resolver: &Resolver,
    here: &CurrentFile,
    at: u32,
    name: &str,
    found: Meaning,
) -> Result<Meaning, Cancelled> {
    let text = here.text.as_str();
    if is_no_declaration(text, at as usize) {
        return Ok(Meaning::OutsideProject);
    }
    if is_macro_parameter(text, at as usize, name) {
        return Ok(Meaning::Local);
    }
    // A local hides no tag; `class` may introduce a template's parameter.
    let word = last_word(text_before(text, at as usize, Family::C));
    if matches!(found, Meaning::Local) && !matches!(word, "struct" | "union" | "enum") {
        return Ok(found);
    }
    let found = tagged(resolver, here, at, name, &found)?.unwrap_or(found);
    match found {
        Meaning::Unknown => Ok(forwarded(resolver, here, name)?.unwrap_or(Meaning::Unknown)),
        found => Ok(found),
    }
}

/// Resolves a name behind `class`, `struct`, `union` or `enum`, for which `found` is what its scope knows: the type may be
/// defined in a file that is not included. `None` where no such word precedes it.
fn tagged(
    resolver: &Resolver,
    here: &CurrentFile,
    at: u32,
    name: &str,
    found: &Meaning,
) -> Result<Option<Meaning>, Cancelled> {
    if !is_tagged(here.text.as_str(), at as usize) {
        return Ok(None);
    }
    if let Meaning::Declared(known) = found
        && known.iter().any(is_defined_type)
    {
        return Ok(None);
    }
    types_around(resolver, here, at, name)
}

/// Resolves a name that nothing visible defines, where the file or one that it includes declares it as a type that is
/// defined elsewhere: `class Shop;`.
fn forwarded(resolver: &Resolver, here: &CurrentFile, name: &str) -> Result<Option<Meaning>, Cancelled> {
    if !resolver.declared(name)?.iter().any(is_defined_type) {
        return Ok(None);
    }
    for file in included(resolver, &here.file).paths() {
        let Some(file) = resolver.file(file.as_str()) else { continue };
        if !file.holds(name) {
            continue;
        }
        let Some(other) = resolver.read_file(file) else { continue };
        let length = u32::try_from(name.len()).unwrap_or(0);
        let mut starts = other.outline.occurrences.offsets_of(name);
        let is_one = |start: &u32| is_forward(other.text.as_str(), TextRange::new(*start, *start + length));
        if let Some(start) = starts.find(is_one) {
            return types_around(resolver, &other, start, name);
        }
    }
    Ok(None)
}

/// Returns the types of this name that are defined in the namespaces around byte `at`, the innermost first, in whatever
/// file.
fn types_around(
    resolver: &Resolver,
    here: &CurrentFile,
    at: u32,
    name: &str,
) -> Result<Option<Meaning>, Cancelled> {
    let spaces = scope::around(here, at);
    let inner = spaces.into_iter().find(|&row| here.outline.rows[row].kind() == SymbolKind::Namespace);
    let mut path = inner.map_or_else(Vec::new, |row| namespace_path(here, row));
    loop {
        let mut types = Vec::new();
        for one in resolver.declared(name)?.iter().filter(|one| is_defined_type(one)) {
            let is_there = one.row().is_some_and(|(outline, _)| around(outline, one.row) == path);
            if is_there && !is_outside(resolver, one)? {
                types.push(resolver.refreshed(one));
            }
        }
        if !types.is_empty() {
            return Ok(Some(Meaning::Declared(types)));
        }
        if path.pop().is_none() {
            return Ok(None);
        }
    }
}

/// Whether a declaration is a type with members, not an alias.
fn is_defined_type(one: &IndexedDeclaration) -> bool {
    one.row().is_some_and(|(_, row)| is_class(row) && row.descendants > 0)
}

/// Whether a word that introduces a type precedes byte `at`, directly or with a macro in between: `class API Shop`.
pub(in super::super) fn is_tagged(text: &str, at: usize) -> bool {
    introduces_type(text_before(text, at, Family::C)).is_some()
}

/// Returns the text before the word that introduces a type, if the text ends with one.
fn introduces_type(left: &str) -> Option<&str> {
    let without_word = |text: &'_ str| text.len() - last_word(text).len();
    match last_word(left) {
        "class" | "struct" | "union" | "enum" => Some(&left[..without_word(left)]),
        word if is_macro(word) => {
            let outer = left[..without_word(left)].trim_end();
            (last_word(outer) == "class").then(|| &left[..without_word(outer)])
        }
        _ => None,
    }
}

fn is_macro(word: &str) -> bool {
    word.len() > 2
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Whether the name at `range` declares a type that is defined elsewhere, `class Shop;`, and does not only name it as a
/// friend.
pub(in super::super) fn is_forward(text: &str, range: TextRange) -> bool {
    let outer = introduces_type(text_before(text, range.start as usize, Family::C));
    text_after(text, range.end as usize).starts_with(';')
        && outer.is_some_and(|outer| last_word(outer.trim_end()) != "friend")
}
