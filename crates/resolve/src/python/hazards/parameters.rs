//! Effects of a new name of a parameter of Python: keywords that reach it other than through a call that names it, what reads it.

use super::private_names::{is_private, made_private};
use super::{breaks, doubt};
use crate::ServerBases;
use crate::brackets::{close_bracket, open_parenthesis};
use crate::conflicts::{SourcePlace, name_place};
use crate::hierarchy::classes::is_class;
use crate::hierarchy::heads::arguments_of;
use crate::hierarchy::overrides::overrides;
use crate::name_places::with_name;
use crate::python::forwarded_keywords::{PassedParameter, unnamed_to_variables};
use crate::python::function_heads::{is_head, is_parameter};
use crate::python::function_values::{ClassKin, is_value_at, places_of_names};
use crate::python::keyword_uses::{CONSTRUCTORS, keyword_uses};
use crate::python::keywords::{keywords_elsewhere, passed_to_base};
use crate::python::parameter_readers::parameter_readers;
use crate::python::reached_unnamed::{is_class_given_away, may_be_held};
use crate::rename_hazard::{HazardPlaces, RenameHazard};
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;

/// Finds the hazards of a parameter of the function in a row.
pub(super) fn parameter(
    resolver: &Resolver,
    here: &CurrentFile,
    target: &IndexedDeclaration,
    function: usize,
    new_name: &str,
) -> Result<Vec<RenameHazard>, Cancelled> {
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
    let text = format!("calls already pass '{new_name}' by keyword, which would then bind to this parameter");
    let mut found: Vec<RenameHazard> = breaks(HazardPlaces::All, text, passed).into_iter().collect();
    let elsewhere = {
        // A class is a value in every annotation: servers know what these hold.
        let is_held = if class.is_none() { is_value } else { is_class_given_away(resolver, &kin)? };
        keywords_elsewhere(resolver, (here, function), old, (is_held, &kin))?
    };
    let text = format!("'{old}' is passed by keyword to what may be this function, and keeps its name there");
    found.extend(doubt(HazardPlaces::Left, text, elsewhere));
    if is_value {
        unnamed.extend(unnamed_to_variables(resolver, called.iter().map(IndexedDeclaration::name), old)?);
    }
    if is_private(new_name) && row.parent().is_some_and(|at| is_class(&here.outline.rows[at])) {
        let around = row.parent().map_or(row.range(), |at| here.outline.rows[at].range());
        let mut outside = keyword_uses(resolver, (here, function), target)?;
        outside.retain(|place| place.0 != here.file.path || !around.contains(place.1));
        found.extend(made_private(new_name, outside));
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
        others.extend(place_of_parameter(&there, at, old));
    }
    // `__new__` gets the keywords that `__init__` gets.
    if let Some(class) = row.parent().filter(|_| CONSTRUCTORS.contains(&of.name())) {
        others.extend(parameter_of_other(here, class, function, old));
    }
    let text = format!("calls may pass '{old}' by keyword without naming it in the call");
    found.extend(doubt(HazardPlaces::All, text, unnamed));
    // Where no call passes the keyword, the parameters of the others do not matter.
    if !others.is_empty() && !keyword_uses(resolver, (here, function), target)?.is_empty() {
        let text = format!(
            "methods linked by overriding keep '{old}' as a parameter; calls that pass it by keyword may reach them"
        );
        found.extend(doubt(HazardPlaces::All, text, others));
    }
    let readers = parameter_readers(resolver, (here, function), old)?;
    let text = format!(
        "the names of a function's parameters are read here; if the function is this one, check what is done with '{old}'"
    );
    found.extend(doubt(HazardPlaces::All, text, readers));
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
        constructors(&there, at).next().is_none()
    };
    let all = kin.heirs.iter().filter(|class| class.is_same_declaration(first) || inherits_it(class));
    all.cloned().collect()
}

/// Returns the arguments of a call; `call` begins with its parenthesis.
fn arguments(call: &str) -> impl Iterator<Item = &str> {
    arguments_of(call).into_iter().flatten().map(str::trim)
}

/// Whether one string of a call is the name: `Thread(target=f, kwargs={"name": 1})`.
fn holds_string(call: &str, name: &str) -> bool {
    let quoted = |quote: char| call.contains(&format!("{quote}{name}{quote}"));
    quoted('"') || quoted('\'')
}

/// Finds the parameter of the name in the other constructor of a class.
fn parameter_of_other(here: &CurrentFile, class: usize, function: usize, name: &str) -> Option<SourcePlace> {
    let mut others = constructors(here, class).filter(|&at| at != function);
    others.find_map(|at| place_of_parameter(here, at, name))
}

/// Returns the rows of a class's own constructors.
fn constructors(here: &CurrentFile, class: usize) -> impl Iterator<Item = usize> + '_ {
    let own = here.outline.children(class);
    own.filter(|&at| CONSTRUCTORS.contains(&here.outline.name(&here.outline.rows[at])))
}

/// Returns where the parameter of that name of a function stands.
fn place_of_parameter(here: &CurrentFile, function: usize, name: &str) -> Option<SourcePlace> {
    let rows = &here.outline.rows;
    let is_it = |&at: &usize| {
        here.outline.name(&rows[at]) == name && is_parameter(here, function, rows[at].name_start)
    };
    let found = here.outline.children(function).find(is_it)?;
    Some(name_place(&here.target(found)))
}

fn has_keyword(call: &str, name: &str) -> bool {
    arguments(call).any(|one| {
        let value = one.strip_prefix(name).map(str::trim_start).and_then(|rest| rest.strip_prefix('='));
        value.is_some_and(|value| !value.starts_with('='))
    })
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
