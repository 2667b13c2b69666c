//! Functions of Python that may be called though no expression is their name: a decorator is given them; strings name them
//! (`getattr(lib, "grow")(size=1)`); of a constructor, its class is reached as the class of an object, or among the heirs of a
//! base. Invariant: this only adds doubt about keywords that the parameter's name is in.

use crate::brackets::{open_bracket, open_parenthesis};
use crate::context::last_word;
use crate::hierarchy::classes::is_class;
use crate::name_places::{places_of, with_name};
use crate::python::function_values::{ClassKin, is_value_anywhere};
use crate::python::keyword_uses::CONSTRUCTORS;
use crate::python::keywords::is_value;
use crate::python::parameter_readers::reading_decorators;
use crate::resolver::{CurrentFile, Resolver};
use crate::scope::function_around;
use crate::sources::IndexedDeclaration;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;

/// Whether the function in a row may be called through a variable: it, or a class that it constructs, is a value somewhere, is
/// given to a decorator that may call it otherwise, or is among the heirs that a base collects.
pub(crate) fn may_be_held(
    resolver: &Resolver,
    here: &CurrentFile,
    function: usize,
    kin: &ClassKin,
) -> Result<bool, Cancelled> {
    let row = &here.outline.rows[function];
    let of = here.target(function);
    let is_constructor =
        row.parent().is_some_and(|at| is_class(&here.outline.rows[at])) && CONSTRUCTORS.contains(&of.name());
    if !reading_decorators(here, function).is_empty() {
        return Ok(true);
    }
    if !is_constructor {
        return is_value_anywhere(resolver, &of);
    }
    for class in &kin.heirs {
        if is_value_anywhere(resolver, class)? {
            return Ok(true);
        }
    }
    is_class_given_away(resolver, kin)
}

/// Whether a class or an heir is given to a decorator, or is among the heirs that a base collects.
pub(crate) fn is_class_given_away(resolver: &Resolver, kin: &ClassKin) -> Result<bool, Cancelled> {
    for class in &kin.heirs {
        let is_decorated = resolver.read_file(&class.file).is_some_and(|there| {
            there.row_of(class).is_some_and(|at| !reading_decorators(&there, at).is_empty())
        });
        if is_decorated {
            return Ok(true);
        }
    }
    for class in &kin.around {
        if collects_heirs(resolver, class)? || gives_itself_away(resolver, class) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Functions that a class is given to and that do not construct it with keywords of their own.
const HARMLESS: [&str; 9] =
    ["__new__", "cast", "getattr", "hasattr", "isinstance", "issubclass", "repr", "setattr", "super"];

/// Whether a method of a class uses `cls` as a value: `build(cls)`, `make = cls`.
fn gives_itself_away(resolver: &Resolver, class: &IndexedDeclaration) -> bool {
    let Some(there) = resolver.read_file(&class.file) else { return false };
    there.row_of(class).is_some_and(|at| has_class_as_value(&there, there.outline.rows[at].range()))
}

fn has_class_as_value(here: &CurrentFile, within: TextRange) -> bool {
    let text = here.text.as_str();
    let is_declared = |at: u32| here.outline.rows.iter().any(|row| row.name_start == at);
    let is_harmless = |at: u32| {
        let open = open_parenthesis(text, at as usize);
        open.is_some_and(|open| HARMLESS.contains(&last_word(text[..open].trim_end())))
    };
    places_of(here, "cls").into_iter().any(|one| {
        within.contains(one) && is_value(text, one) && !is_declared(one.start) && !is_harmless(one.start)
    })
}

/// Whether a class is told of its heirs, or asked for them.
fn collects_heirs(resolver: &Resolver, class: &IndexedDeclaration) -> Result<bool, Cancelled> {
    let Some(there) = resolver.read_file(&class.file) else { return Ok(false) };
    let Some(at) = there.row_of(class) else { return Ok(false) };
    let mut members = there.outline.children(at).map(|row| there.outline.name(&there.outline.rows[row]));
    if members.any(|name| name == "__init_subclass__") {
        return Ok(true);
    }
    for other in with_name(resolver, "__subclasses__")? {
        let text = other.text.as_str();
        let asks = |range: &TextRange| {
            let asked = last_word(text[..range.start as usize].trim_end_matches('.'));
            asked == class.name() || matches!(asked, "cls" | "self" | "__class__")
        };
        if places_of(&other, "__subclasses__").iter().any(asks) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a string of the text is the name, except in `__all__`.
pub(crate) fn is_in_string(text: &str, name: &str) -> bool {
    ['"', '\''].iter().any(|quote| {
        let quoted = format!("{quote}{name}{quote}");
        text.match_indices(&quoted).any(|(at, _)| {
            let list = open_bracket(text, at).map_or("", |open| text[..open].trim_end());
            let list = list.trim_end_matches(['=', '+']).trim_end();
            last_word(list) != "__all__"
        })
    })
}

/// Whether what is called is the class of an object: `type(x)`.
pub(crate) fn is_class_of(called: &str) -> bool {
    called.ends_with(')')
        && open_parenthesis(called, called.len() - 1)
            .is_some_and(|open| last_word(called[..open].trim_end()) == "type")
}

/// Whether the function around byte `at`, or the file outside of functions, gets at the class of an object, or has its own as a value.
pub(crate) fn gets_class_of_object(here: &CurrentFile, at: u32) -> bool {
    let text = here.text.as_str();
    let function = function_around(here, at).map(|function| here.outline.rows[function].range());
    let part = function.map_or(text, |range| text.get(range.as_range()).unwrap_or_default());
    part.contains("type(")
        || part.contains("__class__")
        || function.is_some_and(|range| has_class_as_value(here, range))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_that_are_the_name_of_a_function() {
        for (text, expected) in [
            ("getattr(lib, 'grow')(size=1)", true),
            ("__all__ = [\"shrink\", \"grow\"]\n", false),
            ("__all__ += ('grow',)\n", false),
            ("NAMES = ['grow']\n", true),
            ("print('grow it')\n", false),
        ] {
            assert_eq!(is_in_string(text, "grow"), expected, "{text}");
        }
    }
}
