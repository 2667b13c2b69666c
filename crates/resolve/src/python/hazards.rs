//! Effects of a new name in Python beyond its use as a name: names that a star import omits, names that a
//! class makes private, members of library classes that it would override, keywords that reach a parameter
//! other than through a call that names it. By syntax alone; a possible hazard is reported too.

use std::collections::BTreeSet;

use crate::brackets::{close_bracket, open_parenthesis};
use crate::conflicts::SourcePlace;
use crate::context::{Receiver, last_word, receiver};
use crate::family::Family;
use crate::hierarchy::classes::is_class;
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::graph_by_need::Kin;
use crate::hierarchy::heads::arguments_of;
use crate::hierarchy::overrides::overrides;
use crate::library_members::MemberLookup;
use crate::meaning::Meaning;
use crate::python::builtin_classes::lookup_member;
use crate::python::computed_names::computed_keys;
use crate::python::computed_names::{NameOwner, computed_elsewhere};
use crate::python::dynamic_receivers::answered_by_hooks;
use crate::python::field_readers::field_readers;
use crate::python::forwarded_keywords::{PassedParameter, unnamed_to_variables};
use crate::python::function_values::{ClassKin, is_value_at, places_of_names};
use crate::python::keyword_uses::{CONSTRUCTORS, keyword_uses};
use crate::python::keywords::{keywords_elsewhere, keywords_of_doubles, passed_to_base};
use crate::python::named_output::{is_printed, reached_by_name};
use crate::python::parameter_readers::parameter_readers;
use crate::python::parameters::is_parameter;
use crate::python::reached_unnamed::{is_class_given_away, may_be_held};
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::{IndexedDeclaration, Sources};
use crate::{ServerBases, scope};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, TextRange};
use symd_index::NeededWords;
use symd_syntax::{Imported, name_hash};

/// An effect of the new name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PythonHazard {
    /// `from module import *` omits the new name: uses of the old one in files that get it so.
    OmittedByStar(Vec<SourcePlace>),
    /// The class makes the new name private (`__x`): uses outside of the class.
    MadePrivate(Vec<SourcePlace>),
    /// Code refers to the member by its mangled name (`_Box__x`).
    MangledNameUsed(Vec<SourcePlace>),
    /// Code refers to private members of the class by their mangled names, which change with the class's.
    MangledWithClass(Vec<SourcePlace>),
    /// A class outside the project declares a member of the new name, and a class of the member's family
    /// inherits from it.
    OverridesOutside(String),
    /// Calls already pass a keyword of the new name, which some other parameter takes.
    KeywordIsPassed(Vec<SourcePlace>),
    /// Calls pass keywords that their text does not name, or pass the function on together with the old
    /// keyword.
    KeywordsUnnamed(Vec<SourcePlace>),
    /// Calls of what may be the function, and heads of classes that it is told of, pass the old keyword.
    KeywordsElsewhere(Vec<SourcePlace>),
    /// Objects that may be used in place of the symbol's class or module are given the old name by keyword.
    KeywordsOfDoubles(Vec<SourcePlace>),
    /// The program looks up a name of which it writes only the beginning, which the old name has too.
    ComputedElsewhere(Vec<SourcePlace>),
    /// Attributes of the old name for which a class answers by `__getattr__` or `__getattribute__`.
    AnsweredByHooks(Vec<SourcePlace>),
    /// Class bodies read the name and bind the same name afterwards, so that servers take the read for the
    /// class's own: these reads.
    ReadByClass(Vec<SourcePlace>),
    /// F-strings print the old name, `{name=}`.
    Printed(Vec<SourcePlace>),
    /// Calls in the local's function reach its variables by their names: `locals()`.
    ReachedByName(Vec<SourcePlace>),
    /// Calls give the names of a class's fields to the program: `asdict(x)`.
    FieldsRead(Vec<SourcePlace>),
    /// Decorators, and code that looks at signatures, may read the names of the function's parameters.
    ParametersRead(Vec<SourcePlace>),
    /// Methods that override the parameter's method, or are overridden by it, have a parameter of the old
    /// name.
    ParameterOfOthers(Vec<SourcePlace>),
}

/// Finds the hazards of renaming the symbol that `targets` declare. Empty for other languages.
pub fn python_hazards(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    new_name: &str,
    cancel: &Cancel,
) -> Result<Vec<PythonHazard>, Cancelled> {
    let first = targets.first().and_then(|first| Some((first, Family::dynamic_of(&first.file)?)));
    let Some((first, family)) = first else { return Ok(Vec::new()) };
    let resolver = Resolver::new(sources, family, cancel);
    let Some(here) = resolver.read_file(&first.file) else { return Ok(Vec::new()) };
    let Some(row) = here.row_of(first).map(|at| &here.outline.rows[at]) else { return Ok(Vec::new()) };
    let mut found = if is_class(row) { mangled_with_class(&resolver, &here, first)? } else { Vec::new() };
    found.extend(some(printed(&resolver, first.name())?, PythonHazard::Printed));
    let Some(parent) = row.parent() else {
        found.extend(top_level(&resolver, &here, first, new_name)?);
        found.extend(looked_up(&resolver, first, NameOwner::Module)?);
        return Ok(found);
    };
    if is_class(&here.outline.rows[parent]) && !row.is_local() {
        found.extend(member(&resolver, targets, new_name)?);
        found.extend(looked_up(&resolver, first, NameOwner::Class)?);
    } else if row.is_local() {
        found.extend(some(
            reached_by_name(&resolver, &here, parent, first.name())?,
            PythonHazard::ReachedByName,
        ));
        let start = row.name_start as usize;
        let is_rest = here.text.as_str()[..start].ends_with('*');
        if is_parameter(&here, parent, row.name_start) && !is_rest {
            found.extend(parameter(&resolver, &here, first, parent, new_name)?);
            let readers = parameter_readers(&resolver, (&here, parent), first.name())?;
            found.extend(some(readers, PythonHazard::ParametersRead));
        }
    }
    Ok(found)
}

/// Finds the places of the name that f-strings print.
fn printed(resolver: &Resolver, name: &str) -> Result<Vec<SourcePlace>, Cancelled> {
    let mut places = Vec::new();
    for here in with_name(resolver, name)? {
        let text = here.text.as_str();
        let printed = places_of(&here, name).into_iter().filter(|range| is_printed(text, *range));
        places.extend(printed.map(|range| (here.file.path.clone(), range)));
    }
    Ok(places)
}

/// Finds the uses of a class's private members by their mangled names, which hold the class's.
fn mangled_with_class(
    resolver: &Resolver,
    here: &CurrentFile,
    class: &IndexedDeclaration,
) -> Result<Vec<PythonHazard>, Cancelled> {
    let Some(at) = here.row_of(class) else { return Ok(Vec::new()) };
    let rows = &here.outline.rows;
    let inside = at + 1..=at + rows[at].descendants as usize;
    let members =
        inside.filter(|&row| rows[row].parent() == Some(at)).map(|row| here.outline.name(&rows[row]));
    let private: BTreeSet<&str> = members.filter(|name| is_private(name)).collect();
    let mut places = Vec::new();
    for member in private {
        places.extend(mangled_uses(resolver, class.name(), member)?);
    }
    Ok(some(places, PythonHazard::MangledWithClass))
}

/// Finds the uses of a class's private member by its mangled name.
fn mangled_uses(resolver: &Resolver, class: &str, member: &str) -> Result<Vec<SourcePlace>, Cancelled> {
    let mangled = format!("_{}{member}", class.trim_start_matches('_'));
    let mut places = Vec::new();
    for other in with_name(resolver, &mangled)? {
        places.extend(places_of(&other, &mangled).into_iter().map(|range| (other.file.path.clone(), range)));
    }
    Ok(places)
}

/// Finds where the program may look the symbol up by a name that is no occurrence of it.
fn looked_up(
    resolver: &Resolver,
    target: &IndexedDeclaration,
    owner: NameOwner,
) -> Result<Vec<PythonHazard>, Cancelled> {
    let doubles = keywords_of_doubles(resolver, target.name(), owner == NameOwner::Class)?;
    let mut found = some(doubles, PythonHazard::KeywordsOfDoubles);
    found.extend(some(computed_elsewhere(resolver, target, owner)?, PythonHazard::ComputedElsewhere));
    found.extend(some(answered_by_hooks(resolver, target.name())?, PythonHazard::AnsweredByHooks));
    Ok(found)
}

fn is_private(name: &str) -> bool {
    name.starts_with("__") && !name.ends_with("__")
}

fn top_level(
    resolver: &Resolver,
    here: &CurrentFile,
    target: &IndexedDeclaration,
    new_name: &str,
) -> Result<Vec<PythonHazard>, Cancelled> {
    let old = target.name();
    let mut found = some(class_reads(resolver, target)?, PythonHazard::ReadByClass);
    let is_exported = here.outline.occurrences.contains("__all__");
    if !new_name.starts_with('_') || old.starts_with('_') || is_exported {
        return Ok(found);
    }
    let mut places = Vec::new();
    for other in with_name(resolver, old)? {
        let has_star = other.imports().iter().any(|import| import.imported == Imported::Everything);
        if !has_star || other.file.path == here.file.path {
            continue;
        }
        for range in places_of(&other, old) {
            let is_imported = other.imports().iter().any(|import| import.bound() == Some(old));
            if !is_imported && is_bare_use(resolver, &other, range, target)? {
                places.push((other.file.path.clone(), range));
            }
        }
    }
    found.extend(some(places, PythonHazard::OmittedByStar));
    Ok(found)
}

/// Whether the bare name at `range` means the target.
fn is_bare_use(
    resolver: &Resolver,
    here: &CurrentFile,
    range: TextRange,
    target: &IndexedDeclaration,
) -> Result<bool, Cancelled> {
    if receiver(here.text.as_str(), range.start as usize, resolver.family) != Receiver::None {
        return Ok(false);
    }
    let meaning = scope::resolve_name(resolver, here, range.start, target.name())?;
    Ok(matches!(meaning, Meaning::Declared(found) if found.iter().any(|one| one.is_same_declaration(target))))
}

/// Finds where class bodies read the target before they bind its name.
fn class_reads(resolver: &Resolver, target: &IndexedDeclaration) -> Result<Vec<SourcePlace>, Cancelled> {
    let mut places = Vec::new();
    for here in with_name(resolver, target.name())? {
        for range in places_of(&here, target.name()) {
            if scope::reads_past_class(&here, range.start, target.name())
                && is_bare_use(resolver, &here, range, target)?
            {
                places.push((here.file.path.clone(), range));
            }
        }
    }
    Ok(places)
}

fn member(
    resolver: &Resolver,
    targets: &[IndexedDeclaration],
    new_name: &str,
) -> Result<Vec<PythonHazard>, Cancelled> {
    let old = targets.first().map_or("", IndexedDeclaration::name);
    let mut found = Vec::new();
    let mut classes = Vec::new();
    for target in targets {
        let Some(here) = resolver.read_file(&target.file) else { continue };
        let Some(class) = here.row_of(target).and_then(|row| here.outline.rows[row].parent()) else {
            continue;
        };
        classes.push((here.file.path.clone(), here.outline.rows[class].range(), here.target(class)));
    }
    if is_private(new_name) {
        let mut places = Vec::new();
        for other in with_name(resolver, old)? {
            let is_inside = |range: TextRange| {
                classes.iter().any(|(path, class, _)| *path == other.file.path && class.contains(range))
            };
            let outside = places_of(&other, old).into_iter().filter(|range| {
                let text = other.text.as_str();
                !is_inside(*range) && receiver(text, range.start as usize, resolver.family) != Receiver::None
            });
            places.extend(outside.map(|range| (other.file.path.clone(), range)));
        }
        found.extend(some(places, PythonHazard::MadePrivate));
    }
    if is_private(old) {
        let mut places = Vec::new();
        for (_, _, class) in &classes {
            places.extend(mangled_uses(resolver, class.name(), old)?);
        }
        found.extend(some(places, PythonHazard::MangledNameUsed));
        return Ok(found);
    }
    let owners: Vec<IndexedDeclaration> = classes.iter().map(|(_, _, class)| class.clone()).collect();
    let graph = ClassGraph::of_kin(resolver, &owners, Kin::Around)?;
    let mut keys = Vec::new();
    for class in &owners {
        let around = graph.number(class).into_iter().flat_map(|at| graph.ancestors(at));
        let mut outside = around.flat_map(|at| graph.node(at).bases.iter().flat_map(|base| &base.outside));
        if outside.any(|base| base.ends_with("Enum") || base.ends_with("Flag")) {
            keys.extend(computed_keys(resolver, class)?);
        }
    }
    found.extend(some(keys, PythonHazard::ComputedElsewhere));
    if let Some(first) = targets.first() {
        found.extend(some(field_readers(resolver, first)?, PythonHazard::FieldsRead));
    }
    for class in &owners {
        let Some(at) = graph.number(class) else { continue };
        let around = graph.descendants(at).into_iter().flat_map(|heir| graph.ancestors(heir));
        let outside = around.flat_map(|at| graph.node(at).bases.iter().flat_map(|base| &base.outside));
        for base in outside {
            if let MemberLookup::Yes(base) = lookup_member(base, new_name) {
                found.push(PythonHazard::OverridesOutside(base));
                return Ok(found);
            }
        }
    }
    Ok(found)
}

fn parameter(
    resolver: &Resolver,
    here: &CurrentFile,
    target: &IndexedDeclaration,
    function: usize,
    new_name: &str,
) -> Result<Vec<PythonHazard>, Cancelled> {
    let (old, of) = (target.name(), here.target(function));
    let row = &here.outline.rows[function];
    // `__init__` is called by its class's name.
    let class =
        row.parent().filter(|&at| here.outline.name(row) == "__init__" && is_class(&here.outline.rows[at]));
    let (mut passed, mut unnamed) = (Vec::new(), Vec::new());
    let kin = match row.parent().filter(|&at| is_class(&here.outline.rows[at])) {
        Some(class) => ClassKin::of(resolver, &here.target(class))?,
        None => ClassKin::default(),
    };
    let is_value = may_be_held(resolver, here, function, &kin)?;
    let parameter = PassedParameter::new(here, function, old);
    let called = match class {
        Some(class) => constructed_classes(resolver, &here.target(class), &kin),
        None => vec![of.clone()],
    };
    let mut places = Vec::new();
    for called in &called {
        for other in with_name(resolver, called.name())? {
            let all = places_of_names(&other, called.name());
            places.extend(all.into_iter().map(|range| (called, other.clone(), range)));
        }
    }
    for (called, other, range) in places {
        let text = other.text.as_str();
        let spot = || (other.file.path.clone(), range);
        let behind = &text[range.end as usize..];
        if behind.starts_with('(') {
            if row.name_start == range.start && other.file.path == here.file.path {
                continue;
            }
            let open = range.end as usize;
            let call = &text[open..close_bracket(text, open)];
            if has_keyword(call, new_name) {
                passed.push(spot());
            }
            if arguments(call).any(|one| one.starts_with("**"))
                && parameter.may_be_passed(resolver, &other, (range, called), is_value)?
            {
                unnamed.push(spot());
            }
        } else if let Some(open) =
            open_parenthesis(text, range.start as usize).filter(|&open| !is_head(&text[..open]))
        {
            let call = &text[open..close_bracket(text, open)];
            let of_dict = || call.contains(&format!("dict({old}="));
            if (has_keyword(call, old) || holds_string(call, old) || of_dict())
                && is_value_at(resolver, &other, range, called)?
            {
                unnamed.push(spot());
            }
        }
    }
    let mut found = some(passed, PythonHazard::KeywordIsPassed);
    let elsewhere = {
        // A class is a value in every annotation: servers know what these hold.
        let is_held = if class.is_none() { is_value } else { is_class_given_away(resolver, &kin)? };
        keywords_elsewhere(resolver, (here, function), old, is_held)?
    };
    found.extend(some(elsewhere, PythonHazard::KeywordsElsewhere));
    if is_value {
        for called in &called {
            unnamed.extend(unnamed_to_variables(resolver, called.name(), old)?);
        }
    }
    if is_private(new_name) && row.parent().is_some_and(|at| is_class(&here.outline.rows[at])) {
        let around = row.parent().map_or(row.range(), |at| here.outline.rows[at].range());
        let mut outside = keyword_uses(resolver, (here, function), target)?;
        outside.retain(|place| place.0 != here.file.path || !around.contains(place.1));
        found.extend(some(outside, PythonHazard::MadePrivate));
    }
    let family = overrides(resolver.sources, &of, &ServerBases::new(), resolver.cancel)?;
    let mut others = Vec::new();
    for method in family.members.iter().filter(|one| !one.is_same_declaration(&of)) {
        let Some(there) = resolver.read_file(&method.file) else { continue };
        let Some(at) = there.row_of(method) else { continue };
        if class.is_some() {
            for range in passed_to_base(&there, at, of.name()) {
                if parameter.may_be_passed(resolver, &there, (range, &of), is_value)? {
                    unnamed.push((there.file.path.clone(), range));
                }
            }
        }
        let inside = at + 1..=at + there.outline.rows[at].descendants as usize;
        let mut same = inside.map(|at| &there.outline.rows[at]).filter(|one| {
            one.parent() == Some(at)
                && there.outline.name(one) == old
                && is_parameter(&there, at, one.name_start)
        });
        others.extend(same.next().map(|one| {
            let end = one.name_start.saturating_add(u32::from(one.name_len));
            (there.file.path.clone(), TextRange::new(one.name_start, end))
        }));
    }
    // `__new__` gets the keywords that `__init__` gets.
    if let Some(class) = row.parent().filter(|_| CONSTRUCTORS.contains(&of.name())) {
        others.extend(parameter_of_other(here, class, function, old));
    }
    found.extend(some(unnamed, PythonHazard::KeywordsUnnamed));
    // Where no call passes the keyword, the parameters of the others do not matter.
    if !others.is_empty() && !keyword_uses(resolver, (here, function), target)?.is_empty() {
        found.extend(some(others, PythonHazard::ParameterOfOthers));
    }
    Ok(found)
}

/// Returns the classes whose objects a constructor of `first` makes: it, and the heirs that have no constructor of their own.
fn constructed_classes(
    resolver: &Resolver,
    first: &IndexedDeclaration,
    kin: &ClassKin,
) -> Vec<IndexedDeclaration> {
    let inherits_it = |class: &IndexedDeclaration| {
        let Some(there) = resolver.read_file(&class.file) else { return true };
        let Some(at) = there.row_of(class) else { return true };
        let rows = &there.outline.rows;
        let mut inside = at + 1..=at + rows[at].descendants as usize;
        !inside.any(|row| {
            rows[row].parent() == Some(at) && CONSTRUCTORS.contains(&there.outline.name(&rows[row]))
        })
    };
    let all = kin.heirs.iter().filter(|class| class.is_same_declaration(first) || inherits_it(class));
    all.cloned().collect()
}

/// Returns the arguments of a call; `call` begins with its parenthesis.
fn arguments(call: &str) -> impl Iterator<Item = &str> {
    arguments_of(call).into_iter().flatten().map(str::trim)
}

/// Whether the text ends with the beginning of a function's head, before its parenthesis.
pub(crate) fn is_head(before: &str) -> bool {
    let before = before.trim_end();
    last_word(before[..before.len() - last_word(before).len()].trim_end()) == "def"
}

/// Whether one string of a call is the name: `Thread(target=f, kwargs={"name": 1})`.
fn holds_string(call: &str, name: &str) -> bool {
    let quoted = |quote: char| call.contains(&format!("{quote}{name}{quote}"));
    quoted('"') || quoted('\'')
}

/// Finds the parameter of the name in the other constructor of a class.
fn parameter_of_other(here: &CurrentFile, class: usize, function: usize, name: &str) -> Option<SourcePlace> {
    let rows = &here.outline.rows;
    let inside = class + 1..=class + rows[class].descendants as usize;
    let mut others = inside.filter(|&at| {
        at != function
            && rows[at].parent() == Some(class)
            && CONSTRUCTORS.contains(&here.outline.name(&rows[at]))
    });
    others.find_map(|at| {
        let mut parameters = (at + 1..=at + rows[at].descendants as usize).map(|row| &rows[row]);
        let one = parameters.find(|one| {
            one.parent() == Some(at)
                && here.outline.name(one) == name
                && is_parameter(here, at, one.name_start)
        })?;
        let end = one.name_start.saturating_add(u32::from(one.name_len));
        Some((here.file.path.clone(), TextRange::new(one.name_start, end)))
    })
}

fn has_keyword(call: &str, name: &str) -> bool {
    arguments(call).any(|one| {
        let value = one.strip_prefix(name).map(str::trim_start).and_then(|rest| rest.strip_prefix('='));
        value.is_some_and(|value| !value.starts_with('='))
    })
}

/// Returns the Python files that have an identifier of this name.
pub(crate) fn with_name(resolver: &Resolver, name: &str) -> Result<Vec<std::rc::Rc<CurrentFile>>, Cancelled> {
    let hash = name_hash(name.as_bytes());
    let mut found = Vec::new();
    for file in resolver.sources.snapshot().files.with_words(NeededWords::of_name(name)) {
        if Family::of(file) != Some(resolver.family) || !file.holds_hash(hash) {
            continue;
        }
        resolver.cancel.check()?;
        found.extend(resolver.read_file(file));
    }
    Ok(found)
}

pub(crate) fn places_of(here: &CurrentFile, name: &str) -> Vec<TextRange> {
    let length = u32::try_from(name.len()).unwrap_or(u32::MAX);
    let range = |start: u32| TextRange::new(start, start.saturating_add(length));
    let all = here.outline.occurrences.offsets_of(name).map(range);
    all.filter(|range| here.text.slice(*range) == name).collect()
}

fn some(places: Vec<SourcePlace>, hazard: fn(Vec<SourcePlace>) -> PythonHazard) -> Vec<PythonHazard> {
    if places.is_empty() { Vec::new() } else { vec![hazard(places)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_a_call() {
        let all: Vec<&str> = arguments("(a, b=c(d, e), **{'f': 1}, *g)").collect();
        assert_eq!(all, ["a", "b=c(d, e)", "**{'f': 1}", "*g"]);
        assert!(has_keyword("(a, key = 1)", "key") && has_keyword("(key=1)", "key"));
        assert!(!has_keyword("(key == 1, f(key=2))", "key"));
    }
}
