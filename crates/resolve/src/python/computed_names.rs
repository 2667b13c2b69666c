//! Where a Python class accesses its own members by names that the program computes: `getattr(self, name)`,
//! `getattr(self, "do_" + word)`; and where other code looks up a name of which it writes the beginning. The name does not occur
//! there, and yet the symbol may be meant. Invariant: a name that is written out as one string is not computed.

use crate::brackets::close_bracket;
use crate::context::first_word;
use crate::hierarchy::classes::is_class;
use crate::hierarchy::heads::arguments_of;
use crate::meaning::Meaning;
use crate::modules::Module;
use crate::name_places::{places_of, with_name};
use crate::python::given_names::{given_name, is_written_out};
use crate::resolver::{CurrentFile, Resolver};
use crate::scope::{self, SearchStart};
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;
use symd_base::{RelPath, TextRange};

/// Functions that take an object and the name of a member.
pub(super) const BY_NAME: [&str; 4] = ["getattr", "hasattr", "setattr", "delattr"];

/// Expressions for the class of the object itself.
pub(super) const OWN_CLASS: [&str; 3] = ["cls", "type(self)", "self.__class__"];

/// Whether an expression is the object itself, or its class.
pub(super) fn is_own(expression: &str) -> bool {
    matches!(expression, "self" | "super()") || OWN_CLASS.contains(&expression)
}

/// Finds the calls in `class` that may access its member `name` by a computed name; each as its file and the
/// range of the called function's name.
pub(crate) fn computed_names(
    resolver: &Resolver,
    class: &IndexedDeclaration,
    name: &str,
) -> Vec<(RelPath, TextRange)> {
    let Some((outline, row)) = class.row() else { return Vec::new() };
    if !BY_NAME.iter().any(|function| outline.occurrences.contains(function)) {
        return Vec::new();
    }
    let Some(here) = resolver.read_file(&class.file) else { return Vec::new() };
    let mut found = Vec::new();
    for function in BY_NAME {
        for range in places_of(&here, function).into_iter().filter(|range| row.range().contains(*range)) {
            // The name of the test that runs, which its runner found.
            let behind = here.text.as_str().get(range.end as usize..).unwrap_or_default();
            let is_of_runner = behind.starts_with("(self, self._testMethodName");
            let is_own_class = || !names_class(behind) || takes_class(&here, range.start);
            let may_be = || {
                let (_, expression) =
                    object_and_name(&here, function, range).filter(|(object, _)| is_own(object))?;
                Some(given_name(&here, range.start, expression)?.may_be(name))
            };
            if !is_of_runner && is_own_class() && may_be() == Some(true) {
                found.push((class.file.path.clone(), range));
            }
        }
    }
    found
}

/// What declares the name that is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameOwner {
    Class,
    /// A module, at its top level.
    Module,
}

/// The fewest bytes of a beginning that tell a name from others.
pub(super) const TELLING: usize = 3;

/// What gives a dictionary of names.
pub(super) const DICTIONARIES: [&str; 3] = ["globals", "vars", "__dict__"];

/// Finds where a name that begins like the target's is computed and looked up in any object or module, but in those that cannot have
/// the target; of classes' own members [`computed_names`] tells. Each as its file and the range of the called function's name.
pub(crate) fn computed_elsewhere(
    resolver: &Resolver,
    target: &IndexedDeclaration,
    owner: NameOwner,
) -> Result<Vec<(RelPath, TextRange)>, Cancelled> {
    let name = target.name();
    let mut found = Vec::new();
    for function in BY_NAME.iter().chain(&DICTIONARIES) {
        for here in with_name(resolver, function)? {
            for range in places_of(&here, function) {
                let Some((object, expression)) = object_and_name(&here, function, range) else { continue };
                let Some(given) = given_name(&here, range.start, expression) else { continue };
                let is_begun = given.beginning.len() >= TELLING && given.may_be(name);
                let is_of_other = *function == "globals"
                    && (owner == NameOwner::Class || here.file.path != target.file.path);
                if is_begun
                    && !is_of_other
                    && may_have(resolver, &here, (object, range.start), target, owner)?
                {
                    found.push((here.file.path.clone(), range));
                }
            }
        }
    }
    Ok(found)
}

/// Finds where members of an enumeration are looked up by a computed name: `Color[name.upper()]`. Each as its file and the range of
/// the class's name.
pub(crate) fn computed_keys(
    resolver: &Resolver,
    class: &IndexedDeclaration,
) -> Result<Vec<(RelPath, TextRange)>, Cancelled> {
    let mut found = Vec::new();
    for here in with_name(resolver, class.name())? {
        for range in places_of(&here, class.name()) {
            if !has_computed_key(&here, range) {
                continue;
            }
            if let Meaning::Declared(meant) = scope::resolve_name(resolver, &here, range.start, class.name())?
                && !meant.iter().any(|one| one.is_same_declaration(class))
            {
                continue;
            }
            found.push((here.file.path.clone(), range));
        }
    }
    Ok(found)
}

/// Like [`computed_keys`], in the class itself or one above it: `cls[name.upper()]`.
pub(crate) fn own_computed_keys(
    resolver: &Resolver,
    class: &IndexedDeclaration,
) -> Vec<(RelPath, TextRange)> {
    let (Some(here), Some((_, row))) = (resolver.read_file(&class.file), class.row()) else {
        return Vec::new();
    };
    let own = places_of(&here, "cls").into_iter().filter(|range| row.range().contains(*range));
    let own = own.filter(|range| has_computed_key(&here, *range));
    own.map(|range| (here.file.path.clone(), range)).collect()
}

/// Whether the enumeration named at `range` is asked for a member by a key that is computed: `Color[name]`, `Color.__members__[name]`,
/// `Color.__members__.get(name)`.
fn has_computed_key(here: &CurrentFile, range: TextRange) -> bool {
    let behind = &here.text.as_str()[range.end as usize..];
    let members = behind.strip_prefix(".__members__");
    let behind = members.unwrap_or(behind);
    let keyed = match members.and_then(|rest| rest.strip_prefix(".get")) {
        Some(call) => arguments_of(call).and_then(|all| all.first().copied()),
        None => {
            behind.get(..close_bracket(behind, 0)).and_then(|key| key.strip_prefix('[')?.strip_suffix(']'))
        }
    };
    keyed.is_some_and(is_computed_key)
}

/// Whether a key is no string that is written out.
fn is_computed_key(key: &str) -> bool {
    !is_written_out(key.trim())
}

/// Whether the object at byte `at` may have the target: an instance does not have what a module declares, nor another module.
pub(crate) fn may_have(
    resolver: &Resolver,
    here: &CurrentFile,
    (object, at): (&str, u32),
    target: &IndexedDeclaration,
    owner: NameOwner,
) -> Result<bool, Cancelled> {
    if is_own(object) {
        return Ok(false);
    }
    let chain: Vec<&str> = object.split('.').collect();
    let is_word = |part: &&str| !part.is_empty() && first_word(part).len() == part.len();
    if !chain.iter().all(is_word) {
        return Ok(true);
    }
    Ok(match (scope::resolve_chain(resolver, here, at, &chain, SearchStart::Inside)?, owner) {
        (Meaning::Module(_), NameOwner::Class) | (Meaning::OutsideProject, _) => false,
        (Meaning::Module(Module::File(file)), NameOwner::Module) => file.path == target.file.path,
        (Meaning::Declared(found), NameOwner::Module) => {
            !found.iter().all(|one| one.row().is_some_and(|(_, row)| is_class(row)))
        }
        _ => true,
    })
}

/// Returns the object, empty for a dictionary's, of which the function or attribute named at `range` asks, and the expression that gives
/// the name.
fn object_and_name<'h>(
    here: &'h CurrentFile,
    function: &str,
    range: TextRange,
) -> Option<(&'h str, &'h str)> {
    let behind = &here.text.as_str()[range.end as usize..];
    if !BY_NAME.contains(&function) {
        return Some(("", dictionary_key(behind)?));
    }
    let mut arguments = arguments_of(behind.trim_start())?.into_iter().map(str::trim);
    Some((arguments.next()?, arguments.next()?))
}

/// Returns the key by which a dictionary is asked, in the text behind the word that gives it: `()["a"]`, `(x).get("a")`.
pub(super) fn dictionary_key(behind: &str) -> Option<&str> {
    let behind = match behind.starts_with('(') {
        true => &behind[close_bracket(behind, 0)..],
        false => behind,
    };
    if behind.starts_with('[') {
        return behind.get(1..close_bracket(behind, 0) - 1);
    }
    let method = [".get", ".pop", ".setdefault"].iter().find_map(|method| behind.strip_prefix(method))?;
    arguments_of(method)?.first().copied()
}

/// Whether the first argument is `cls`, in a text that begins with an argument list.
fn names_class(text: &str) -> bool {
    let first = text.trim_start().strip_prefix('(').map(|arguments| first_word(arguments.trim_start()));
    first == Some("cls")
}

/// Whether `cls` is the first parameter of a function around byte `at`, and so the class: methods of
/// decorators and builders have locals of that name for other classes.
fn takes_class(here: &CurrentFile, at: u32) -> bool {
    let functions = scope::around(here, at).into_iter().map(|row| &here.outline.rows[row]);
    functions.filter(|row| !is_class(row)).any(|row| {
        let behind = row.name_start as usize + usize::from(row.name_len);
        here.text.as_str().get(behind..).is_some_and(names_class)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_are_written_out() {
        assert!(is_computed_key("name") && is_computed_key("'red'.upper()"));
        assert!(!is_computed_key("'RED'"));
    }
}
