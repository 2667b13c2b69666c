//! Resolves what a Python string names, where that can be determined: a whole path (`"pkg.mod.Box"`, as
//! loaders and `mock.patch` take it), a member beside its object (`getattr(Box, "run")`), an attribute in
//! `__getattr__` or `__slots__`, an argument in `kwargs`. Invariant: a string names the symbol only where name resolution
//! leads there.

use crate::context::last_word;
use crate::family::Family;
use crate::hierarchy::classes;
use crate::meaning::Meaning;
use crate::modules;
use crate::resolver::{CurrentFile, Resolver};
use crate::scope::{self, SearchStart};
use crate::sources::{IndexedDeclaration, Sources};
use crate::string_name::{StringName, judged};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};

/// Functions that take an object and the name of a member; `object` is `mock.patch.object`.
const BY_NAME: [&str; 5] = ["getattr", "hasattr", "setattr", "delattr", "object"];

/// What a class assigns the names of its attributes to.
const SLOTS: &str = "__slots__";

/// Methods that Python calls with the name of an attribute.
const HOOKS: [&str; 4] = ["__getattr__", "__getattribute__", "__setattr__", "__delattr__"];

/// For each of `places`, where the targets' name stands in a string: resolves what it names. The targets are
/// one symbol, in several declarations. Always `Unknown` outside Python.
pub fn string_names(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    places: &[(RelPath, TextRange)],
    cancel: &Cancel,
) -> Result<Vec<StringName>, Cancelled> {
    let family = targets.first().and_then(|first| Family::dynamic_of(&first.file));
    let Some(family) = family.filter(|_| !places.is_empty()) else {
        return Ok(vec![StringName::Unknown; places.len()]);
    };
    let resolver = Resolver::new(sources, family, cancel);
    let targets = resolver.refresh_targets(targets);
    let named = |(path, range): &(RelPath, TextRange)| {
        cancel.check()?;
        let here = resolver.file(path.as_str()).and_then(|file| resolver.read_file(file));
        match here {
            Some(here) => resolve_string(&resolver, &here, *range, &targets),
            None => Ok(StringName::Unknown),
        }
    };
    places.iter().map(named).collect()
}

fn resolve_string(
    resolver: &Resolver,
    here: &CurrentFile,
    range: TextRange,
    targets: &[IndexedDeclaration],
) -> Result<StringName, Cancelled> {
    let text = here.text.as_str();
    let Some(quoted) = Quoted::around(text, range) else { return Ok(StringName::Unknown) };
    let name = &text[range.as_range()];
    if !quoted.parents.is_empty() {
        let mut parts = quoted.parents.clone();
        parts.push(name);
        return Ok(judged(&path(resolver, here, &parts)?, targets));
    }
    if !quoted.is_whole {
        return Ok(StringName::Unknown);
    }
    if names_argument(here, &quoted, range) && !targets.iter().any(is_argument) {
        return Ok(StringName::Other);
    }
    let at = u32::try_from(quoted.open).unwrap_or(u32::MAX);
    let meaning = match object(&text[..quoted.open]) {
        Some((chain, begins)) => {
            let begins = u32::try_from(begins).unwrap_or(u32::MAX);
            let owner = scope::resolve_chain(resolver, here, begins, &chain, SearchStart::Inside)?;
            match (&owner, scope::resolve_member(resolver, &owner, name)?) {
                // A member that no base of the class declares may still be set from outside.
                (Meaning::Declared(_), Meaning::OutsideProject) => Meaning::Unknown,
                (_, meaning) => meaning,
            }
        }
        None => {
            match (hook_around(here, at) || stands_in_slots(&text[..quoted.open]), scope::own_class(here, at))
            {
                (true, Meaning::Declared(class)) => match classes::member(resolver, &class[0], name)? {
                    found @ Meaning::Declared(_) => found,
                    _ => Meaning::Unknown,
                },
                _ => Meaning::Unknown,
            }
        }
    };
    Ok(judged(&meaning, targets))
}

/// Resolves a whole path, seen from the file; unknown where it does not begin with a module of the project.
fn path(resolver: &Resolver, here: &CurrentFile, parts: &[&str]) -> Result<Meaning, Cancelled> {
    let Some((first, rest)) = parts.split_first() else { return Ok(Meaning::Unknown) };
    let Some(module) = modules::find(resolver, &here.file, first, 0) else { return Ok(Meaning::Unknown) };
    let mut meaning = Meaning::Module(module);
    for part in rest {
        meaning = scope::resolve_member(resolver, &meaning, part)?;
    }
    // Modules may offer more than their text shows.
    Ok(match meaning {
        found @ Meaning::Declared(_) => found,
        _ => Meaning::Unknown,
    })
}

/// A string of names joined by dots or colons.
struct Quoted<'t> {
    /// The byte of the opening quote.
    open: usize,
    /// The byte just past the closing quote.
    close: usize,
    /// The names before the one that is resolved.
    parents: Vec<&'t str>,
    /// Whether the string is nothing but that name.
    is_whole: bool,
}

impl<'t> Quoted<'t> {
    /// Finds the string around the name at `range`; `None` if it holds anything else than names.
    fn around(text: &'t str, range: TextRange) -> Option<Quoted<'t>> {
        let is_part = |c: char| c.is_alphanumeric() || "_.:".contains(c);
        let (before, behind) = (text.get(..range.start as usize)?, text.get(range.end as usize..)?);
        let outside = before.trim_end_matches(is_part);
        let quote = outside.chars().next_back().filter(|&c| matches!(c, '"' | '\''))?;
        let rest = behind.trim_start_matches(is_part);
        rest.strip_prefix(quote)?;
        let above = &before[outside.len()..];
        let below = &behind[..behind.len() - rest.len()];
        let is_joined = (above.is_empty() || above.ends_with(['.', ':']))
            && (below.is_empty() || below.starts_with(['.', ':']));
        let above: Vec<&str> = match above.strip_suffix(['.', ':']) {
            Some(above) => above.split(['.', ':']).collect(),
            None => Vec::new(),
        };
        let close = text.len() - rest.len() + quote.len_utf8();
        (is_joined && above.iter().all(|part| !part.is_empty())).then(|| Quoted {
            open: outside.len() - quote.len_utf8(),
            close,
            is_whole: above.is_empty() && below.is_empty(),
            parents: above,
        })
    }
}

/// Reads the object before a string, as in `getattr(a.b, `: its chain of names, and the byte at which it
/// begins.
fn object(before: &str) -> Option<(Vec<&str>, usize)> {
    let argument = before.trim_end().strip_suffix(',')?.trim_end();
    let start = argument.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '.').len();
    let chain: Vec<&str> = argument[start..].split('.').collect();
    let callee = argument[..start].trim_end().strip_suffix('(')?.trim_end();
    let function = last_word(callee);
    let is_it = BY_NAME.contains(&function) && (function != "object" || callee.ends_with("patch.object"));
    (is_it && chain.iter().all(|part| !part.is_empty())).then_some((chain, start))
}

/// Whether byte `at` stands in a method that Python calls with the name of an attribute.
pub(super) fn hook_around(here: &CurrentFile, at: u32) -> bool {
    let function = scope::function_around(here, at);
    function.is_some_and(|row| HOOKS.contains(&here.outline.name(&here.outline.rows[row])))
}

/// Whether a string that begins behind `before` is one of those that name a class's attributes: `__slots__ = ("x", "y")`.
fn stands_in_slots(before: &str) -> bool {
    let Some(at) = before.rfind(SLOTS) else { return false };
    let Some((annotation, value)) = before[at + SLOTS.len()..].split_once('=') else { return false };
    let (mut depth, mut quote, mut is_comment) = (0_usize, None, false);
    for c in value.chars() {
        match (c, quote) {
            ('\n', None) if depth == 0 => return false,
            ('\n', None) => is_comment = false,
            _ if is_comment => {}
            (c, Some(open)) if c == open => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) => quote = Some(c),
            ('#', None) => is_comment = true,
            ('(' | '[' | '{', None) => depth += 1,
            (c, None) if c == ',' || c == ':' || c.is_whitespace() => {}
            _ => return false,
        }
    }
    !annotation.contains('\n') && quote.is_none()
}

/// Whether the string is a key of the dictionary that a function takes with `**`.
fn names_argument(here: &CurrentFile, quoted: &Quoted, range: TextRange) -> bool {
    let text = here.text.as_str();
    let Some(function) = scope::function_around(here, range.start) else { return false };
    let function = &here.outline.rows[function];
    let before = text[..quoted.open].trim_end();
    let looked_up = ["pop", "get", "setdefault"]
        .iter()
        .find_map(|method| before.strip_suffix('(')?.strip_suffix(method)?.strip_suffix('.'));
    let contained = || {
        let rest = text[quoted.close..].trim_start();
        let rest = rest.strip_prefix("not ").unwrap_or(rest).trim_start().strip_prefix("in ")?;
        Some(crate::context::first_word(rest.trim_start()))
    };
    let dictionary = looked_up.or_else(|| before.strip_suffix('[')).map(last_word).or_else(contained);
    let Some(dictionary) = dictionary.filter(|name| !name.is_empty()) else { return false };
    let head = text.get(function.name_start as usize..range.start as usize).unwrap_or_default();
    head.contains(&format!("**{dictionary}"))
}

/// Whether arguments can have the target's name: it is a parameter, or a field of a class.
fn is_argument(target: &IndexedDeclaration) -> bool {
    use symd_syntax::SymbolKind::{Class, Function, Method};
    target.row().is_none_or(|(_, row)| row.is_local() || !matches!(row.kind(), Class | Function | Method))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_names() {
        for (text, expected) in [
            ("x = 'run'", Some((true, vec![]))),
            ("x = \"lib.Box.run\"", Some((false, vec!["lib", "Box"]))),
            ("x = 'lib:run'", Some((false, vec!["lib"]))),
            ("x = 'run.fast'", Some((false, vec![]))),
            ("x = 'run it'", None),
            ("x = '.run'", None),
            ("x = f'{run}'", None),
            ("x = 'run\"", None),
        ] {
            let at = u32::try_from(text.find("run").expect("in it")).expect("short");
            let quoted = Quoted::around(text, TextRange::new(at, at + 3));
            assert_eq!(quoted.map(|one| (one.is_whole, one.parents)), expected, "{text}");
        }
    }

    #[test]
    fn objects_whose_members_are_named() {
        for (text, expected) in [
            ("getattr(Box, ", Some((vec!["Box"], 8))),
            ("mock.patch.object(\n    a.Box,\n    ", Some((vec!["a", "Box"], 23))),
            ("monkeypatch.setattr(Box, ", Some((vec!["Box"], 20))),
            ("object(Box, ", None),
            ("f(Box, ", None),
            ("getattr(f(), ", None),
            ("getattr(", None),
        ] {
            assert_eq!(object(text), expected, "{text}");
        }
    }
}
