//! Where a Python class accesses its own members by names that the program computes: `getattr(self, name)`,
//! `getattr(self, "do_" + word)`. The member's name does not occur there, and yet the member may be meant.
//! Invariant: a name that is written out as one string is not computed.

use super::classes::is_class;
use super::constructed::only_value;
use super::context::first_word;
use super::resolver::{CurrentFile, Resolver};
use super::scope;
use super::sources::IndexedDeclaration;
use symd_base::{RelPath, TextRange};

/// Functions that take an object and the name of a member.
const BY_NAME: [&str; 4] = ["getattr", "hasattr", "setattr", "delattr"];

/// Expressions for the object itself, or for its class.
const OWN: [&str; 5] = ["self", "cls", "type(self)", "self.__class__", "super()"];

/// Finds the calls in `class` that may access its member `name` by a computed name; each as its file and the
/// range of the called function's name.
pub(super) fn computed_names(
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
        let length = u32::try_from(function.len()).unwrap_or(u32::MAX);
        for start in here.outline.occurrences.offsets_of(function) {
            let range = TextRange::new(start, start.saturating_add(length));
            let is_inside = row.start <= start && start < row.end;
            let behind = here.text.as_str().get(range.end as usize..).unwrap_or_default();
            let is_own = || !names_class(behind) || takes_class(&here, start);
            let may_begin = || {
                let beginning = beginning(behind)?;
                Some(if beginning.is_empty() {
                    of_local(&here, start, behind).unwrap_or("")
                } else {
                    beginning
                })
            };
            if is_inside && is_own() && may_begin().is_some_and(|beginning| name.starts_with(beginning)) {
                found.push((class.file.path.clone(), range));
            }
        }
    }
    found
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

/// Returns the known beginning of the computed name where it is a local, `(self, cached)`, to which the
/// function around byte `at` assigns one text only.
fn of_local<'t>(here: &'t CurrentFile, at: u32, arguments: &str) -> Option<&'t str> {
    let (_, rest) = arguments.split_once(',')?;
    let rest = rest.trim_start();
    let local = first_word(rest);
    if local.is_empty() || !rest[local.len()..].trim_start().starts_with([')', ',']) {
        return None;
    }
    let value = only_value(here, scope::function_around(here, at)?, local)?;
    beginning_of(here.text.as_str().get(value..)?.split('\n').next()?)
}

/// Returns the known beginning, possibly empty, of the computed name in arguments such as
/// `(self, "do_" + word)`. `None` where the object is another one, or the name is written out.
fn beginning(text: &str) -> Option<&str> {
    let arguments = text.trim_start().strip_prefix('(')?.trim_start();
    let own = OWN.iter().filter_map(|own| arguments.strip_prefix(own));
    let mut names = own.filter_map(|rest| rest.trim_start().strip_prefix(','));
    beginning_of(names.next()?.trim_start())
}

/// Returns the known beginning, possibly empty, of the text that the expression `name` gives; `None` where it
/// is written out.
fn beginning_of(name: &str) -> Option<&str> {
    let (is_template, literal) = match name.strip_prefix(['f', 'F']) {
        Some(rest) if rest.starts_with(['"', '\'']) => (true, rest),
        _ => (false, name),
    };
    let Some(quote) = literal.chars().next().filter(|first| matches!(first, '"' | '\'')) else {
        return Some("");
    };
    let (inside, behind) = literal[1..].split_once(quote)?;
    match inside.split_once(['{', '%']) {
        Some((before, _)) if is_template || behind.trim_start().starts_with(['%', '.']) => Some(before),
        _ if behind.trim_start().starts_with('+') => Some(inside),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computed_names_and_what_they_begin_with() {
        for (arguments, expected) in [
            ("(self, request.method.lower(), None)", Some("")),
            ("( self , name)", Some("")),
            ("(type(self), word)", Some("")),
            ("(self, \"do_\" + word)", Some("do_")),
            ("(self, f'visit_{kind}', None)", Some("visit_")),
            ("(self, 'on_%s' % event)", Some("on_")),
            ("(self, \"on_{}\".format(event))", Some("on_")),
            ("(self, \"get\", None)", None),
            ("(self, 'a%b')", None),
            ("(other, name)", None),
            ("(self)", None),
            ("", None),
        ] {
            assert_eq!(beginning(arguments), expected, "{arguments}");
        }
    }
}
