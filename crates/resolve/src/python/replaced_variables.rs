//! Variables of modules that other modules set: `shop.till = FakeTill()`, `setattr(shop, "till", FakeTill())`,
//! `patch("shop.till", FakeTill())`. Where the variable is used its own module tells one class, and it may hold an object of another
//! that has the same member. By the text, as in `dynamic_receivers`.

use std::collections::{BTreeSet, HashSet};

use crate::brackets::close_bracket;
use crate::conflicts::SourcePlace;
use crate::context::{is_word, last_word};
use crate::hierarchy::classes::is_class;
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::graph_by_need::Kin;
use crate::hierarchy::heads::{arguments, without_comments};
use crate::library_members::MemberLookup;
use crate::name_places::{places_of, with_name};
use crate::profiles::PYTHON;
use crate::python::builtin_classes::lookup_member;
use crate::python::dynamic_receivers::{held, holders};
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_syntax::{Import, Imported, SymbolKind};

/// Functions that set an attribute which a string names; `object` is `mock.patch.object`.
const SETTERS: [&str; 3] = ["setattr", "patch", "object"];

/// Bytes of a value that are looked at.
const MAX_VALUE: usize = 4_000;

/// A place where a variable is set.
struct SetVariable {
    place: SourcePlace,
    /// What it may be set to: the last name of each alternative.
    values: Vec<String>,
}

/// Finds where variables of other modules, on which the member `name` is used, are set to objects of classes that have it too
/// and are no kin of its `owners`.
pub(crate) fn set_to_strangers(
    resolver: &Resolver,
    (graph, owners): (&ClassGraph, &[IndexedDeclaration]),
    name: &str,
) -> Result<Vec<SourcePlace>, Cancelled> {
    let own = owners.iter().filter_map(|owner| graph.number(owner));
    let kin: BTreeSet<usize> =
        own.flat_map(|at| [at].into_iter().chain(graph.ancestors(at)).chain(graph.descendants(at))).collect();
    let is_stranger =
        |class: &IndexedDeclaration| graph.number(class).is_none_or(|number| !kin.contains(&number));
    let (mut receivers, mut strangers) = (BTreeSet::new(), Vec::new());
    for here in with_name(resolver, name)? {
        let text = here.text.as_str();
        for range in places_of(&here, name) {
            let receiver = text[..range.start as usize].trim_end().strip_suffix('.').map_or("", last_word);
            receivers.insert(receiver.to_owned());
        }
        let members = here.outline.rows.iter().filter(|row| here.outline.name(row) == name);
        let classes = members.filter_map(|row| row.parent()).filter(|&at| is_class(&here.outline.rows[at]));
        strangers.extend(classes.map(|at| here.target(at)).filter(is_stranger));
    }
    receivers.retain(|one| !matches!(one.as_str(), "" | "self" | "cls"));
    let (variables, mut sets) = set_by_name(resolver, receivers)?;
    sets.extend(set_by_string(resolver, &variables)?);
    if sets.is_empty() {
        return Ok(Vec::new());
    }
    let mut holders = match strangers.is_empty() {
        true => HashSet::new(),
        false => holders(resolver, &strangers)?,
    };
    let values: BTreeSet<&String> = sets.iter().flat_map(|set| &set.values).collect();
    let others = values.into_iter().filter(|value| !holders.contains(*value));
    let inheriting = inheriting_from_outside(resolver, others, name, is_stranger)?;
    holders.extend(inheriting);
    let is_set = |set: &SetVariable| set.values.iter().any(|value| holders.contains(value));
    Ok(sets.into_iter().filter(is_set).map(|set| set.place).collect())
}

/// Returns those of the names that variables of modules have, and where other modules set them: `shop.till = value`.
fn set_by_name(
    resolver: &Resolver,
    names: BTreeSet<String>,
) -> Result<(BTreeSet<String>, Vec<SetVariable>), Cancelled> {
    let (mut variables, mut sets) = (BTreeSet::new(), Vec::new());
    for name in names {
        let files = with_name(resolver, &name)?;
        let is_variable = files.iter().any(|here| {
            here.outline.rows.iter().any(|row| {
                row.parent().is_none()
                    && matches!(row.kind(), SymbolKind::Variable | SymbolKind::Constant)
                    && here.outline.name(row) == name
            })
        });
        if !is_variable {
            continue;
        }
        for here in &files {
            let places = places_of(here, &name).into_iter().filter(|range| is_of_import(here, *range));
            sets.extend(places.filter_map(|range| {
                let value = value_set(here.text.as_str(), range)?;
                Some(SetVariable { place: (here.file.path.clone(), range), values: held_by(&value) })
            }));
        }
        variables.insert(name);
    }
    Ok((variables, sets))
}

/// Returns where calls set variables of other modules that strings name.
fn set_by_string(resolver: &Resolver, variables: &BTreeSet<String>) -> Result<Vec<SetVariable>, Cancelled> {
    let mut sets = Vec::new();
    if variables.is_empty() {
        return Ok(sets);
    }
    for setter in SETTERS {
        for here in with_name(resolver, setter)? {
            let text = here.text.as_str();
            for range in places_of(&here, setter) {
                let (before, behind) = (&text[..range.start as usize], range.end as usize);
                if setter == "object" && !before.ends_with("patch.") {
                    continue;
                }
                let Some(named) = arguments(text, behind).as_deref().and_then(SetByString::of) else {
                    continue;
                };
                let is_module = named.module.is_none_or(|chain| is_imported(&here, chain));
                if is_module && variables.contains(named.variable) {
                    let place = (here.file.path.clone(), range);
                    let values = held_by(&without_comments(named.value, &PYTHON));
                    sets.push(SetVariable { place, values });
                }
            }
        }
    }
    Ok(sets)
}

/// The arguments of a call that sets an attribute which a string names.
#[derive(Debug, PartialEq, Eq)]
struct SetByString<'t> {
    /// The module before the name; `None` where the string holds it: `"shop.till"`.
    module: Option<&'t str>,
    variable: &'t str,
    value: &'t str,
}

impl<'t> SetByString<'t> {
    fn of(arguments: &[&'t str]) -> Option<SetByString<'t>> {
        let (first, rest) = arguments.split_first()?;
        let (module, variable, rest) = match path_in_string(first) {
            Some(path) => (None, path.rsplit_once('.')?.1, rest),
            None => {
                let (named, rest) = rest.split_first()?;
                (Some(first.trim()), path_in_string(named).filter(|name| !name.contains('.'))?, rest)
            }
        };
        let keyword = |one: &&&'t str| {
            let (name, value) = one.trim().split_once('=')?;
            matches!(name.trim_end(), "new" | "new_callable").then_some(value)
        };
        let value = rest.iter().find_map(|one| keyword(&one)).or_else(|| {
            let first = rest.first()?;
            let is_keyword = first.split_once('=').is_some_and(|(name, _)| name.trim().chars().all(is_word));
            (!is_keyword).then_some(*first)
        })?;
        Some(SetByString { module, variable, value })
    }
}

/// Returns the names, joined by dots, of which a string consists.
fn path_in_string(argument: &str) -> Option<&str> {
    let argument = argument.trim();
    let quote = argument.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let path = argument.strip_prefix(quote)?.strip_suffix(quote)?;
    let is_path =
        !path.is_empty() && path.split('.').all(|part| !part.is_empty() && part.chars().all(is_word));
    is_path.then_some(path)
}

/// Returns those of the names that are classes of the project, no kin, which may inherit the member from a class outside the project.
fn inheriting_from_outside<'n>(
    resolver: &Resolver,
    names: impl Iterator<Item = &'n String>,
    member: &str,
    is_stranger: impl Fn(&IndexedDeclaration) -> bool,
) -> Result<Vec<String>, Cancelled> {
    let mut found = Vec::new();
    for name in names.filter(|name| !name.is_empty()) {
        let mut classes = Vec::new();
        for here in with_name(resolver, name)? {
            let rows = here.outline.rows.iter().enumerate();
            let named = rows.filter(|(_, row)| is_class(row) && here.outline.name(row) == name);
            classes.extend(named.map(|(at, _)| here.target(at)).filter(&is_stranger));
        }
        if classes.is_empty() {
            continue;
        }
        let graph = ClassGraph::of_kin(resolver, &classes, Kin::Around)?;
        let may_inherit = |class: &IndexedDeclaration| {
            let around =
                graph.number(class).into_iter().flat_map(|at| [at].into_iter().chain(graph.ancestors(at)));
            let mut outside =
                around.flat_map(|at| graph.node(at).bases.iter().flat_map(|base| &base.outside));
            outside.any(|base| lookup_member(base, member) != MemberLookup::No)
        };
        if classes.iter().any(may_inherit) {
            found.push(name.clone());
        }
    }
    Ok(found)
}

/// Whether the attribute at `range` is one of what the file imports: `shop.till`, `pkg.shop.till`.
fn is_of_import(here: &CurrentFile, range: TextRange) -> bool {
    let before = &here.text.as_str()[..range.start as usize];
    let chain = &before[before.trim_end_matches(|c: char| is_word(c) || c == '.').len()..];
    chain.ends_with('.') && is_imported(here, chain)
}

/// Whether a file imports what a chain of names begins with.
fn is_imported(here: &CurrentFile, chain: &str) -> bool {
    let first = chain.split('.').next().unwrap_or_default();
    let is_bound = |import: Import<'_>| match import.bound() {
        Some(bound) => bound == first,
        None => import.imported == Imported::Module && import.module.split('.').next() == Some(first),
    };
    here.imports().iter().any(is_bound)
}

/// Returns the value that the statement gives to what stands at `range`, with blanks for strings and comments.
fn value_set(text: &str, range: TextRange) -> Option<String> {
    let rest = &text[range.end as usize..];
    let rest = &rest[..rest.floor_char_boundary(MAX_VALUE)];
    if !rest.trim_start_matches([' ', '\t']).starts_with('=') {
        return None;
    }
    let blank = without_comments(rest, &PYTHON);
    let value = blank.trim_start().strip_prefix('=').filter(|value| !value.starts_with('='))?;
    let (mut depth, mut is_continued) = (0_usize, false);
    for (at, byte) in value.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'\n' | b';' if depth == 0 && !is_continued => return Some(value[..at].to_owned()),
            _ => {}
        }
        is_continued = byte == b'\\' || is_continued && byte == b'\r';
    }
    Some(value.to_owned())
}

/// Returns the last name of each alternative of a value.
fn held_by(value: &str) -> Vec<String> {
    alternatives(value).into_iter().map(|one| held(one).to_owned()).filter(|name| !name.is_empty()).collect()
}

/// Returns what a value may be: `a` and `c` of `(a if b else c)`, both of `a or c`.
fn alternatives(value: &str) -> Vec<&str> {
    let value = value.trim_matches(|c: char| c.is_whitespace() || c == '\\');
    if value.starts_with('(') && close_bracket(value, 0) == value.len() && value.ends_with(')') {
        return alternatives(&value[1..value.len() - 1]);
    }
    let (mut found, mut begin, mut depth, mut is_condition) = (Vec::new(), 0, 0_usize, false);
    let mut word = None;
    for (at, c) in value.char_indices().chain([(value.len(), ' ')]) {
        if is_word(c) {
            word.get_or_insert(at);
            continue;
        }
        if let Some(from) = word.take()
            && depth == 0
            && matches!(&value[from..at], "if" | "else" | "or" | "and")
        {
            if !is_condition {
                found.push(&value[begin..from]);
            }
            is_condition = match &value[from..at] {
                "if" => true,
                "else" => false,
                _ => is_condition,
            };
            begin = at;
        }
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    if begin == 0 {
        return vec![value];
    }
    if !is_condition {
        found.push(&value[begin..]);
    }
    found.into_iter().flat_map(alternatives).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_value_may_be() {
        for (value, expected) in [
            ("shop.Fake()", &["Fake"][..]),
            ("Fake() if is_test(a or b) else shop.Till(1)", &["Fake", "Till"]),
            ("(\n    a or make(b if c else d)\n)", &["a", "make"]),
            ("a if b else c if d else e", &["a", "c", "e"]),
            ("a if b and c else d", &["a", "d"]),
            ("\\\n    Fake()", &["Fake"]),
            ("other.till = Fake()", &["Fake"]),
            ("if", &[]),
            ("", &[]),
        ] {
            assert_eq!(held_by(value), expected, "{value}");
        }
    }

    #[test]
    fn the_value_that_a_statement_sets() {
        for (rest, expected) in [
            (" = Fake(\"#1\") # new", Some("Fake")),
            (" = (  # fake\n    Fake()\n)\nother()", Some("Fake")),
            (" = \\\n    Fake()\nother()", Some("Fake")),
            (" = Fake(); other()", Some("Fake")),
            (" == Fake()", None),
            (".x = Fake()", None),
        ] {
            let text = format!("s.till{rest}");
            let value = value_set(&text, TextRange::new(2, 6));
            let held = value.map(|value| held_by(&value));
            assert_eq!(held, expected.map(|name| vec![name.to_owned()]), "{text}");
        }
    }

    #[test]
    fn variables_that_strings_name() {
        for (call, expected) in [
            ("(shop, \"till\", Fake())", Some((Some("shop"), "till", " Fake()"))),
            ("('pkg.shop.till', new=Fake())", Some((None, "till", "Fake()"))),
            ("(shop, 'till', new_callable=Fake)", Some((Some("shop"), "till", "Fake"))),
            ("(shop, 'till', autospec=True)", None),
            ("('till', Fake())", None),
            ("(shop, name, Fake())", None),
            ("(shop, 'till')", None),
            ("()", None),
        ] {
            let named = arguments(call, 0).as_deref().and_then(SetByString::of);
            let expected = expected.map(|(module, variable, value)| SetByString { module, variable, value });
            assert_eq!(named, expected, "{call}");
        }
    }
}
