//! Where a Python program lists the names of a module or of an object: it picks some by their beginning or end (`globals()` and
//! `name.startswith("handle_")`), or gives the attributes of an object away with their names, or takes
//! them (`json.dumps(x.__dict__)`, `self.__dict__.update(options)`). Invariant: what
//! lists names and neither picks nor gives away is no cause for doubt.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::brackets::close_bracket;
use crate::conflicts::SourcePlace;
use crate::context::{Receiver, first_word, is_word, receiver, text_before};
use crate::family::Family;
use crate::hierarchy::classes::is_class;
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::graph_by_need::Kin;
use crate::hierarchy::heads::arguments_of;
use crate::name_places::{places_of, with_name};
use crate::python::computed_names::{NameOwner, is_own, may_have};
use crate::resolver::{CurrentFile, Resolver};
use crate::scope;
use crate::sources::IndexedDeclaration;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

/// What lists the names of a module, a class or an object.
const LISTINGS: [&str; 5] = ["globals", "vars", "dir", "getmembers", "__dict__"];

/// Methods of texts that pick by the beginning or the end.
const PICKING: [(&str, NamePart); 4] = [
    ("startswith", NamePart::Beginning),
    ("removeprefix", NamePart::Beginning),
    ("endswith", NamePart::End),
    ("removesuffix", NamePart::End),
];

/// The fewest bytes of a part that tell a name from others.
const TELLING: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NamePart {
    Beginning,
    End,
}

/// Finds where names that are listed are picked by a beginning or an end which the target's has; each as its file and the range of the
/// method that picks.
pub(crate) fn picked(
    resolver: &Resolver,
    target: &IndexedDeclaration,
    owner: NameOwner,
) -> Result<Vec<SourcePlace>, Cancelled> {
    let mut found = Vec::new();
    for (method, part) in PICKING {
        for here in with_name(resolver, method)? {
            for range in places_of(&here, method) {
                let behind = &here.text.as_str()[range.end as usize..];
                if !behind.starts_with('(') || !picks(behind, part, target.name()) {
                    continue;
                }
                if lists_target(resolver, &here, range.start, target, owner)? {
                    found.push((here.file.path.clone(), range));
                }
            }
        }
    }
    let mut looked_at = BTreeSet::new();
    for listing in LISTINGS {
        for here in with_name(resolver, listing)? {
            if !looked_at.insert(here.file.path.clone()) {
                continue;
            }
            for (start, end) in slices_that_pick(here.text.as_str(), target.name()) {
                if lists_target(resolver, &here, start, target, owner)? {
                    found.push((here.file.path.clone(), TextRange::new(start, end)));
                }
            }
        }
    }
    Ok(found)
}

/// The most bytes of a slice: a number and a colon.
const MAX_SLICE: usize = 32;

/// Finds comparisons of a part of a text with a part of the name: `key[:4] == "cmd_"`. Each with the bytes of the part's brackets.
fn slices_that_pick(text: &str, name: &str) -> Vec<(u32, u32)> {
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let slice = |(close, _): (usize, &str)| {
        let from = text.floor_char_boundary(close.saturating_sub(MAX_SLICE));
        let open = from + text[from..close].rfind('[')?;
        let inside = &text[open + 1..close];
        let part = match inside.split_once(':')? {
            ("", count) if is_number(count) => NamePart::Beginning,
            (count, "") if count.strip_prefix('-').is_some_and(is_number) => NamePart::End,
            _ => return None,
        };
        let behind = text[close + 1..].split('\n').next()?.trim_start();
        let is_compared = ["==", "!=", "in "].iter().any(|sign| behind.starts_with(sign));
        let place = u32::try_from(open).ok().zip(u32::try_from(close + 1).ok())?;
        (is_compared && has_part(behind, part, name)).then_some(place)
    };
    text.match_indices(']').filter_map(slice).collect()
}

/// Whether the argument, a string or a tuple of strings, is a part of the name.
fn picks(behind: &str, part: NamePart, name: &str) -> bool {
    has_part(&behind[..close_bracket(behind, 0)], part, name)
}

/// Whether one of the strings in a text is such a part of the name.
fn has_part(text: &str, part: NamePart, name: &str) -> bool {
    let mut literals = text.split(['"', '\'']).skip(1).step_by(2);
    literals.any(|literal| {
        literal.len() >= TELLING
            && match part {
                NamePart::Beginning => name.starts_with(literal),
                NamePart::End => name.ends_with(literal),
            }
    })
}

/// Whether the names of what may have the target are listed in the function around byte `at`, or, outside of functions, in its statement.
fn lists_target(
    resolver: &Resolver,
    here: &CurrentFile,
    at: u32,
    target: &IndexedDeclaration,
    owner: NameOwner,
) -> Result<bool, Cancelled> {
    let function = scope::function_around(here, at);
    for word in LISTINGS {
        for range in places_of(here, word) {
            let is_near = match function {
                Some(_) => scope::function_around(here, range.start) == function,
                None => is_one_statement(here.text.as_str(), range.start.min(at), range.start.max(at)),
            };
            let Some(object) = is_near.then(|| listed_object(here, word, range)).flatten() else { continue };
            let is_listed = match object {
                // The names of the module around.
                "" => owner == NameOwner::Module && here.file.path == target.file.path,
                own if is_own(own) => {
                    owner == NameOwner::Class && is_among_kin(resolver, here, range.start, target)?
                }
                object => may_have(resolver, here, (object, range.start), target, owner)?,
            };
            if is_listed {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Whether no statement of the module begins between two bytes.
fn is_one_statement(text: &str, from: u32, to: u32) -> bool {
    let between = text.get(from as usize..to as usize).unwrap_or_default();
    between.split('\n').skip(1).all(|line| !line.starts_with(is_word))
}

/// Returns the object whose names the word at `range` lists, empty for the module around; `None` where it lists none.
fn listed_object<'h>(here: &'h CurrentFile, word: &str, range: TextRange) -> Option<&'h str> {
    let text = here.text.as_str();
    if word == "__dict__" {
        return Some(object_before(text, range.start as usize));
    }
    let arguments = arguments_of(&text[range.end as usize..])?;
    let first = arguments.first().map_or("", |first| first.trim());
    match (word, first) {
        ("globals", _) | (_, "sys.modules[__name__]") => Some(""),
        // Of a function it lists the variables.
        (_, "") => scope::function_around(here, range.start).is_none().then_some(""),
        (_, first) => Some(first),
    }
}

/// Returns the names joined by dots before the attribute at byte `at`; an expression that is no such chain is returned as `?`.
fn object_before(text: &str, at: usize) -> &str {
    match receiver(text, at, Family::Python) {
        Receiver::Chain(_, first) => text_before(text, at, Family::Python)
            .strip_suffix('.')
            .and_then(|object| object.get(first..))
            .unwrap_or("?"),
        _ => "?",
    }
}

/// Whether the class around byte `at` is the target's, or one above or below it.
fn is_among_kin(
    resolver: &Resolver,
    here: &CurrentFile,
    at: u32,
    target: &IndexedDeclaration,
) -> Result<bool, Cancelled> {
    let (Some(around), Some(class)) = (scope::class_around(here, at), class_of(resolver, target)) else {
        return Ok(false);
    };
    let graph = ClassGraph::of_kin(resolver, std::slice::from_ref(&class), Kin::Around)?;
    let (Some(around), Some(class)) = (graph.number(&around), graph.number(&class)) else {
        return Ok(false);
    };
    Ok(graph.ancestors(class).contains(&around) || graph.descendants(class).contains(&around))
}

fn class_of(resolver: &Resolver, target: &IndexedDeclaration) -> Option<IndexedDeclaration> {
    let here = resolver.read_file(&target.file)?;
    let parent = here.outline.rows[here.row_of(target)?].parent()?;
    is_class(&here.outline.rows[parent]).then(|| here.target(parent))
}

/// Finds where the attributes of an object are given away with their names, where the target may be one of them; each as its file and the
/// range of the word that gives them.
pub(crate) fn given_away(
    resolver: &Resolver,
    target: &IndexedDeclaration,
) -> Result<Vec<SourcePlace>, Cancelled> {
    let Some(here) = resolver.read_file(&target.file) else { return Ok(Vec::new()) };
    let row = here.row_of(target).map(|at| &here.outline.rows[at]);
    let is_data = row.is_some_and(|row| !matches!(row.kind(), SymbolKind::Method | SymbolKind::Class));
    let Some(class) = class_of(resolver, target).filter(|_| is_data) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for word in ["__dict__", "vars"] {
        for there in with_name(resolver, word)? {
            for range in places_of(&there, word) {
                let Some(object) = given_object(&there, word, range) else { continue };
                let is_meant = match is_own(object) {
                    true => object == "self" && is_among_kin(resolver, &there, range.start, target)?,
                    false => has_objects_of(&there, &class, object),
                };
                if is_meant {
                    found.push((there.file.path.clone(), range));
                }
            }
        }
    }
    Ok(found)
}

/// Returns the object whose attributes the word at `range` gives to something that may read their names, or sets by the names that
/// something else has; `None` where only the attributes of another object are set, or one is asked for.
fn given_object<'h>(here: &'h Rc<CurrentFile>, word: &str, range: TextRange) -> Option<&'h str> {
    let text = here.text.as_str();
    let behind = &text[range.end as usize..];
    let (object, before, behind) = match word {
        "vars" => {
            let object = arguments_of(behind)?.first()?.trim();
            (object, range.start as usize, &behind[close_bracket(behind, 0)..])
        }
        _ => {
            let object = object_before(text, range.start as usize);
            let before = text_before(text, range.start as usize, Family::Python).len();
            (object, before.checked_sub(object.len() + 1)?, behind)
        }
    };
    // A class's dictionary holds no attributes of its objects.
    if object.is_empty() || object == "?" || object.ends_with("__class__") {
        return None;
    }
    let behind = behind.trim_start();
    // What another object has, or had when it was stored, is given back by the same names.
    if let Some(update) = behind.strip_prefix(".update") {
        let given = &update[..close_bracket(update, 0)];
        let is_same = given.contains("__dict__") || given.contains("vars(");
        let function = scope::function_around(here, range.start).map(|row| here.outline.rows[row]);
        let is_restored = function.is_some_and(|row| here.outline.name(&row) == "__setstate__");
        return (!is_same && !is_restored).then_some(object);
    }
    let harmless = ["[", "=", "!=", ".get(", ".copy(", ".pop(", ".setdefault(", ".clear(", ".values("];
    let left = text_before(text, before, Family::Python);
    let is_copied = ["update(", "copy(", "deepcopy(", "==", "!=", " in", "update(**"];
    let is_harmless = harmless.iter().any(|one| behind.starts_with(one))
        || is_copied.iter().any(|one| left.ends_with(one))
        || left.ends_with('.');
    (!is_harmless).then_some(object)
}

/// Whether an object may be one of the class: the file declares the class, or names it. Objects that come from a parser of command lines
/// do not count.
fn has_objects_of(there: &CurrentFile, class: &IndexedDeclaration, object: &str) -> bool {
    let holds = |word: &str| there.outline.occurrences.contains(word);
    let is_parsed = || {
        let mut lines = there.text.as_str().lines().filter(|line| line.contains("parse_args("));
        lines.any(|line| first_word(line.trim_start()) == object)
    };
    let is_word = first_word(object) == object || object.starts_with("self.");
    is_word
        && !is_parsed()
        && !object.starts_with(|first: char| first.is_uppercase())
        && (there.file.path == class.file.path || holds(class.name()))
}

#[cfg(test)]
mod tests {
    use super::{NamePart, picks, slices_that_pick};

    #[test]
    fn slices_that_are_compared_with_a_part_of_a_name() {
        for (text, expected) in [
            ("if key[:3] == \"do_\":", vec![(6, 10)]),
            ("if key[-3:] in ('_it', '_at'):", vec![(6, 11)]),
            ("if key[:3] == \"on_\":", vec![]),
            ("key[0] == \"do_\"", vec![]),
            ("é[3:] + \"do_\"", vec![]),
            ("]", vec![]),
        ] {
            assert_eq!(slices_that_pick(text, "do_it"), expected, "{text}");
        }
    }

    #[test]
    fn parts_that_pick_a_name() {
        for (call, part, expected) in [
            ("(\"do_\")", NamePart::Beginning, true),
            ("(('on_', 'do_'))", NamePart::Beginning, true),
            ("('_it')", NamePart::End, true),
            ("('do_')", NamePart::End, false),
            ("(\"d\")", NamePart::Beginning, false),
            ("(prefix)", NamePart::Beginning, false),
            ("(\"on_\")", NamePart::Beginning, false),
        ] {
            assert_eq!(picks(call, part, "do_it"), expected, "{call}");
        }
    }
}
