//! The class of an object, by what the text says: a new object (`Cart()`, `new Cart()`), what a function is declared to return, methods
//! that return their own object, annotations of parameters and members. Invariant: a variable counts only while nothing else is
//! assigned to it; what the text does not say is unknown.

mod agreed_class;
mod binding;
mod chain;
mod items;
mod python_values;
mod results;
mod walk;
mod written_type;

use self::binding::{member_class, variable_class};
use self::chain::{Chain, ChainPart, chain_before, read_chain};
use self::results::{CallReceiver, result_class};
use self::walk::Walk;
use crate::context::{argument_of, last_word};
use crate::family::Family;
use crate::hierarchy::classes::{self, is_class};
use crate::hierarchy::inherited::Inherited;
use crate::meaning::Meaning;
use crate::python::function_heads::is_parameter;
use crate::resolver::{CurrentFile, Resolver};
use crate::scope;
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};

/// For each member use at `places`: resolves the member of that name in the class of the object before it; one of `members` takes
/// precedence. For each keyword of a call of a method: resolves the parameter. `None` where the class is unknown, and always outside Python, JavaScript and TypeScript.
pub fn object_members(
    sources: &dyn Sources,
    places: &[(RelPath, TextRange)],
    members: &[IndexedDeclaration],
    cancel: &Cancel,
) -> Result<Vec<Option<IndexedDeclaration>>, Cancelled> {
    let none = vec![None; places.len()];
    let Some(first) = members.first() else { return Ok(none) };
    let Some(family @ (Family::Python | Family::Ecma)) = Family::of(&first.file) else { return Ok(none) };
    let resolver = Resolver::new(sources, family, cancel);
    let mut classes = Vec::new();
    for (path, range) in places {
        cancel.check()?;
        let here = resolver.file(path.as_str()).and_then(|file| resolver.read_file(file));
        classes.push(match here {
            Some(here) => asked_member(&resolver, &here, *range)?,
            None => None,
        });
    }
    if classes.iter().all(Option::is_none) {
        return Ok(none);
    }
    let inherited = Inherited::read(&resolver)?;
    let member = |asked: Option<AskedMember>| {
        let AskedMember { class, method } = asked?;
        let is_class = |one: &IndexedDeclaration| one.is_same_declaration(&class);
        match method {
            Some(method) => parameter(&resolver, &inherited.member(is_class, &method, &[])?, first.name()),
            None => inherited.member(is_class, first.name(), members),
        }
    };
    Ok(classes.into_iter().map(member).collect())
}

/// Returns what the name at `range` means as a member of the object before it, or as a keyword of a call of the object's method; unknown
/// where the text does not tell the object's class.
pub(crate) fn meaning_by_object(
    resolver: &Resolver,
    here: &CurrentFile,
    range: TextRange,
    name: &str,
) -> Result<Meaning, Cancelled> {
    let Some(AskedMember { class, method }) = asked_member(resolver, here, range)? else {
        return Ok(Meaning::Unknown);
    };
    let Some(method) = method else { return classes::member(resolver, &class, name) };
    Ok(match classes::member(resolver, &class, &method)? {
        Meaning::Declared(found) => match &found[..] {
            [one] => {
                parameter(resolver, one, name).map_or(Meaning::Unknown, |one| Meaning::Declared(vec![one]))
            }
            _ => Meaning::Unknown,
        },
        _ => Meaning::Unknown,
    })
}

/// What a name stands for at a place: a member of an object, or a parameter of a method of it.
struct AskedMember {
    /// The object's class.
    class: IndexedDeclaration,
    /// The method that is called with the name as a keyword.
    method: Option<String>,
}

fn asked_member(
    resolver: &Resolver,
    here: &CurrentFile,
    range: TextRange,
) -> Result<Option<AskedMember>, Cancelled> {
    let text = here.text.as_str();
    let (at, method) = match argument_of(text, range.start as usize, range.end as usize, resolver.family) {
        Some(end) => {
            let method = last_word(&text[..end]);
            (u32::try_from(end - method.len()).unwrap_or(u32::MAX), Some(method.to_owned()))
        }
        None => (range.start, None),
    };
    Ok(class_before(resolver, here, at, &Walk::default())?.map(|class| AskedMember { class, method }))
}

/// Returns the parameter of that name of a method.
fn parameter(resolver: &Resolver, method: &IndexedDeclaration, name: &str) -> Option<IndexedDeclaration> {
    let here = resolver.read_file(&method.file)?;
    let function = here.row_of(method)?;
    let rows = &here.outline.rows;
    let is_it = |&at: &usize| {
        here.outline.name(&rows[at]) == name && is_parameter(&here, function, rows[at].name_start)
    };
    here.outline.children(function).find(is_it).map(|at| here.target(at))
}

/// Returns the class of the object before the member at byte `at`.
fn class_before(
    resolver: &Resolver,
    here: &CurrentFile,
    at: u32,
    walk: &Walk,
) -> Result<Option<IndexedDeclaration>, Cancelled> {
    match chain_before(here.text.as_str(), at as usize, here.language) {
        Some((start, chain)) => class_of_chain(resolver, here, (start, &chain), walk),
        None => Ok(None),
    }
}

/// Returns the class of the object that a chain gives; `start` is the byte at which it begins.
fn class_of_chain(
    resolver: &Resolver,
    here: &CurrentFile,
    (start, chain): (usize, &Chain),
    walk: &Walk,
) -> Result<Option<IndexedDeclaration>, Cancelled> {
    Ok(match value_of_parts(resolver, here, (start, &chain.parts), chain.is_new, walk)? {
        Some(ChainValue::Object(class)) => Some(class),
        _ => None,
    })
}

/// Returns what the parts of a chain give that begins at byte `start`.
fn value_of_parts(
    resolver: &Resolver,
    here: &CurrentFile,
    (start, parts): (usize, &[ChainPart]),
    is_new: bool,
    walk: &Walk,
) -> Result<Option<ChainValue>, Cancelled> {
    resolver.cancel.check()?;
    if !walk.step() {
        return Ok(None);
    }
    let at = u32::try_from(start).unwrap_or(u32::MAX);
    let mut parts = parts.iter();
    let Some(first) = parts.next() else { return Ok(None) };
    let mut value = match resolver.profile.spelling.receiver_names.contains(&first.name) {
        // `cls()` makes an object of some class of the family.
        true if first.name == "cls" || first.is_called || is_new => return Ok(None),
        true => match scope::own_class(here, at) {
            Meaning::Declared(found) => ChainValue::object(found),
            _ => None,
        },
        false => {
            let meaning = scope::resolve_name(resolver, here, at, first.name)?;
            let of = Named { here, at, name: first.name, class: None };
            named(resolver, meaning, of, first, is_new, walk)?
        }
    };
    for part in parts {
        value = match value {
            None => return Ok(None),
            Some(ChainValue::Object(class)) => of_member(resolver, &class, part, walk)?,
            Some(ChainValue::Container(container)) => {
                let meaning = scope::resolve_member(resolver, &container, part.name)?;
                let class = container_class(&container);
                let of = Named { here, at: u32::MAX, name: part.name, class };
                named(resolver, meaning, of, part, is_new, walk)?
            }
        };
    }
    Ok(value)
}

/// Returns the class that is itself the container.
fn container_class(container: &Meaning) -> Option<&IndexedDeclaration> {
    match container {
        Meaning::Declared(found) => found.first(),
        _ => None,
    }
}

/// What the beginning of a chain gives.
enum ChainValue {
    /// An object of this class.
    Object(IndexedDeclaration),
    /// A module, or a class itself: its members are what it declares.
    Container(Meaning),
}

impl ChainValue {
    fn object(found: Vec<IndexedDeclaration>) -> Option<ChainValue> {
        match <[IndexedDeclaration; 1]>::try_from(found) {
            Ok([class]) => Some(ChainValue::Object(class)),
            Err(_) => None,
        }
    }
}

/// A name in a file; `at` is `u32::MAX` for a member, which is not looked up as a variable.
struct Named<'a> {
    here: &'a CurrentFile,
    at: u32,
    name: &'a str,
    /// The class whose member it is, if it is taken of a class itself.
    class: Option<&'a IndexedDeclaration>,
}

/// Returns what a name of this meaning gives, called or not.
fn named(
    resolver: &Resolver,
    meaning: Meaning,
    of: Named,
    part: &ChainPart,
    is_new: bool,
    walk: &Walk,
) -> Result<Option<ChainValue>, Cancelled> {
    let found = match meaning {
        Meaning::Module(_) if !part.is_called => return Ok(Some(ChainValue::Container(meaning))),
        Meaning::Declared(found) => found,
        Meaning::Local if !part.is_called && of.at != u32::MAX => {
            let class = variable_class(resolver, of.here, (of.at, of.name), &[], walk)?;
            return Ok(class.map(ChainValue::Object));
        }
        _ => return Ok(None),
    };
    let [one] = &found[..] else { return Ok(None) };
    let Some((_, row)) = one.row() else { return Ok(None) };
    if is_class(row) {
        let makes = is_new || resolver.family == Family::Python;
        return Ok(match part.is_called {
            true if makes => Some(ChainValue::Object(one.clone())),
            true => None,
            false => Some(ChainValue::Container(Meaning::Declared(found))),
        });
    }
    let class = match part.is_called {
        true if is_new => None,
        true => {
            let receiver = of.class.map(|class| CallReceiver { class, is_exact: true });
            result_class(resolver, one, receiver, walk)?
        }
        false => {
            let Some(there) = resolver.read_file(&one.file) else { return Ok(None) };
            let Some((name_start, name)) = there
                .row_of(one)
                .map(|at| &there.outline.rows[at])
                .map(|row| (row.name_start, there.outline.name(row)))
            else {
                return Ok(None);
            };
            let class = variable_class(resolver, &there, (name_start, name), &found, walk)?;
            unless_descriptor(resolver, class)?
        }
    };
    Ok(class.map(ChainValue::Object))
}

/// Returns what a member of an object gives, called or not.
fn of_member(
    resolver: &Resolver,
    class: &IndexedDeclaration,
    part: &ChainPart,
    walk: &Walk,
) -> Result<Option<ChainValue>, Cancelled> {
    let Meaning::Declared(found) = classes::member(resolver, class, part.name)? else { return Ok(None) };
    let class = match part.is_called {
        true => match &found[..] {
            [method] => result_class(resolver, method, Some(CallReceiver { class, is_exact: false }), walk)?,
            _ => None,
        },
        false => member_class(resolver, class, &found, walk)?,
    };
    Ok(class.map(ChainValue::Object))
}

/// Returns the class of what a member gives that holds an object of `class`; unknown for a descriptor of Python, which has `__get__`.
fn unless_descriptor(
    resolver: &Resolver,
    class: Option<IndexedDeclaration>,
) -> Result<Option<IndexedDeclaration>, Cancelled> {
    if resolver.family != Family::Python {
        return Ok(class);
    }
    let Some(class) = class else { return Ok(None) };
    let get = classes::member(resolver, &class, "__get__")?;
    Ok((!matches!(get, Meaning::Declared(_) | Meaning::Unknown)).then_some(class))
}

/// Returns the class of the object that the value at byte `at` gives, if it is a chain as a whole.
fn class_of_value(
    resolver: &Resolver,
    here: &CurrentFile,
    at: usize,
    walk: &Walk,
) -> Result<Option<IndexedDeclaration>, Cancelled> {
    let text = here.text.as_str();
    match read_chain(text, at, here.language) {
        Some(chain) if ends_value(text, chain.end, resolver.family) => {
            class_of_chain(resolver, here, (at, &chain), walk)
        }
        _ => Ok(None),
    }
}

/// Whether an expression ends at byte `end`.
fn ends_value(text: &str, end: usize, family: Family) -> bool {
    let behind = text.get(end..).unwrap_or("");
    let line = behind.split('\n').next().unwrap_or("").trim();
    if family == Family::Python {
        return line.is_empty() || line.starts_with(['#', ';']);
    }
    // A line of JavaScript goes on where the next one begins with an operator.
    let next = behind.trim_start();
    line.starts_with([';', '}']) && !line.starts_with("};,")
        || line.is_empty()
            && !next.starts_with([
                '.', '?', '+', '-', '*', '/', '%', '&', '|', '<', '>', '=', '(', '[', '`', ':', ',',
            ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_an_expression_ends() {
        for (behind, expected) in [("\n", true), ("  # note\n", true), (" or b\n", false), (")", false)] {
            assert_eq!(ends_value(behind, 0, Family::Python), expected, "{behind}");
        }
        for (behind, expected) in [
            (";", true),
            ("\nconst b = 1", true),
            ("\n  || b", false),
            (" as B;", false),
            (" ?? b", false),
            ("", true),
        ] {
            assert_eq!(ends_value(behind, 0, Family::Ecma), expected, "{behind}");
        }
    }
}
