//! What a variable or a member of Python holds: what is written for it, or the class on which all values agree that it is ever given.

use std::ops::ControlFlow;

use super::agreed_class::{AgreedClass, GivenValue, given_value};
use super::binding::{
    Bound, BoundKind, bound_at, context_class, is_same_variable, is_set_elsewhere, is_set_member,
};
use super::items::{item_value, unpacked_at};
use super::walk::Walk;
use super::written_type::type_class;
use super::{class_before, parameter, unless_descriptor};
use crate::constructed::{Binding, bound};
use crate::context::{last_word, text_before};
use crate::hierarchy::bases::bases;
use crate::hierarchy::classes::{class_of, inherited, is_class, walk_bases};
use crate::hierarchy::inheritance::Inheritance;
use crate::meaning::Meaning;
use crate::name_places::{places_of, with_name};
use crate::python::function_heads::is_parameter;
use crate::resolver::{CurrentFile, Resolver};
use crate::scope;
use crate::sources::IndexedDeclaration;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;

/// Returns the class of what a variable holds; see [`super::binding::variable_class`].
pub(super) fn variable_class(
    resolver: &Resolver,
    here: &CurrentFile,
    starts: &[u32],
    name: &str,
    walk: &Walk,
) -> Result<Option<IndexedDeclaration>, Cancelled> {
    let [first, ..] = starts else { return Ok(None) };
    // Other files may set what a module holds: `module.name = value`.
    if scope::function_around(here, *first).is_none()
        && is_set_elsewhere(resolver, here, *first, (name, BoundKind::Variable))?
    {
        return Ok(None);
    }
    let text = here.text.as_str();
    let mut agreed = AgreedClass::default();
    for range in places_of(here, name) {
        let is_start = starts.contains(&range.start);
        let binds = is_start
            || bound(text, range.start as usize, name) != Binding::Not
                && is_same_variable(resolver, here, (*first, range.start), name)?;
        if binds {
            agreed.add(value_at(resolver, here, (range.start, name), BoundKind::Variable, walk)?);
        }
        if agreed.is_unknown() {
            return Ok(None);
        }
    }
    Ok(agreed.class())
}

/// Returns the class of what a member of an object of `class` holds; `found` are its declarations, none of which is a function.
pub(super) fn member_class(
    resolver: &Resolver,
    class: &IndexedDeclaration,
    found: &[IndexedDeclaration],
    walk: &Walk,
) -> Result<Option<IndexedDeclaration>, Cancelled> {
    let [first, ..] = found else { return Ok(None) };
    let name = first.name();
    for one in found {
        let Some(here) = resolver.read_file(&one.file) else { return Ok(None) };
        let Some(row) = here.row_of(one) else { return Ok(None) };
        let start = here.outline.rows[row].name_start as usize;
        if let Bound::Type(at, written) = bound_at(&here, start, name, BoundKind::Member) {
            return type_class(resolver, &here, (written, at), Some(class));
        }
    }
    let mut agreed = AgreedClass::default();
    for here in with_name(resolver, name)? {
        for range in places_of(&here, name) {
            match set_at(resolver, &here, (range, name), class, walk)? {
                Some(value) => agreed.add(value),
                None => continue,
            }
            if agreed.is_unknown() {
                return Ok(None);
            }
        }
    }
    unless_descriptor(resolver, agreed.class())
}

/// Returns what an object of `class` is given at a place where the name of a member stands; `None` where it is given nothing.
fn set_at(
    resolver: &Resolver,
    here: &CurrentFile,
    (range, name): (TextRange, &str),
    class: &IndexedDeclaration,
    walk: &Walk,
) -> Result<Option<GivenValue>, Cancelled> {
    let owner = declaring_class(here, range.start);
    if owner.is_none() && !is_set_member(here.text.as_str(), range) {
        return Ok(None);
    }
    let is_own = |one: &IndexedDeclaration| is_kin(resolver, class, one);
    let own_class = || match scope::own_class(here, range.start) {
        Meaning::Declared(found) => found.into_iter().next(),
        _ => None,
    };
    let before = text_before(here.text.as_str(), range.start as usize, resolver.family);
    let is_self = before.strip_suffix('.').is_some_and(|object| {
        let word = last_word(object);
        resolver.profile.spelling.receiver_names.contains(&word)
            && !object[..object.len() - word.len()].ends_with('.')
    });
    match owner.or_else(|| own_class().filter(|_| is_self)) {
        Some(owner) if !is_own(&owner)? => Ok(None),
        Some(_) => value_at(resolver, here, (range.start, name), BoundKind::Member, walk).map(Some),
        None => match class_before(resolver, here, range.start, walk)? {
            Some(other) if !is_own(&other)? => Ok(None),
            _ => Ok(Some(GivenValue::Unknown)),
        },
    }
}

/// Whether an object of one of these classes may be of the other: one of both inherits from the other, or from something unknown.
fn is_kin(
    resolver: &Resolver,
    class: &IndexedDeclaration,
    other: &IndexedDeclaration,
) -> Result<bool, Cancelled> {
    if Inheritance::new(class).is_related(resolver, other)? {
        return Ok(true);
    }
    let mut has_unfound = bases(resolver, other)?.iter().any(|base| base.may_be_unfound);
    let mut above = Vec::new();
    walk_bases(resolver, other, |base| {
        above.push(base.clone());
        ControlFlow::Continue(())
    })?;
    for base in above {
        has_unfound |= bases(resolver, &base)?.iter().any(|base| base.may_be_unfound);
    }
    Ok(has_unfound)
}

/// Returns the class whose member is declared by the name at a byte.
fn declaring_class(here: &CurrentFile, start: u32) -> Option<IndexedDeclaration> {
    let rows = &here.outline.rows;
    let row = rows.iter().find(|row| row.name_start == start && !row.is_local())?;
    row.parent().filter(|&parent| is_class(&rows[parent])).map(|parent| here.target(parent))
}

/// Returns what is given where the name at byte `start` is bound.
fn value_at(
    resolver: &Resolver,
    here: &CurrentFile,
    (start, name): (u32, &str),
    kind: BoundKind,
    walk: &Walk,
) -> Result<GivenValue, Cancelled> {
    Ok(match bound_at(here, start as usize, name, kind) {
        Bound::Type(at, written) => GivenValue::of(type_class(resolver, here, (written, at), None)?),
        Bound::Value(at) => given_value(resolver, here, at, walk)?,
        Bound::Context(end) if kind == BoundKind::Variable => {
            GivenValue::of(context_class(resolver, here, end, walk)?)
        }
        Bound::Context(_) => GivenValue::Unknown,
        Bound::Unknown => match unpacked_at(here.text.as_str(), start as usize, name) {
            Some(item) => item_value(resolver, here, item, walk)?,
            None => GivenValue::of(inherited_annotation(resolver, here, (start, name))?),
        },
    })
}

/// Returns the class that is written for the parameter of that name where the method of a base declares it, if its own method does not.
fn inherited_annotation(
    resolver: &Resolver,
    here: &CurrentFile,
    (start, name): (u32, &str),
) -> Result<Option<IndexedDeclaration>, Cancelled> {
    let Some(&method) = scope::around(here, start).first() else { return Ok(None) };
    let Some(class) = class_of(&here.target(method)).filter(|_| is_parameter(here, method, start)) else {
        return Ok(None);
    };
    let method = here.outline.name(&here.outline.rows[method]);
    let Meaning::Declared(found) = inherited(resolver, &class, method)? else { return Ok(None) };
    let [base] = &found[..] else { return Ok(None) };
    let Some(there) = resolver.read_file(&base.file) else { return Ok(None) };
    let Some(parameter) = parameter(resolver, base, name).and_then(|one| there.row_of(&one)) else {
        return Ok(None);
    };
    let start = there.outline.rows[parameter].name_start as usize;
    match bound_at(&there, start, name, BoundKind::Variable) {
        Bound::Type(at, written) => type_class(resolver, &there, (written, at), Some(&class)),
        _ => Ok(None),
    }
}
