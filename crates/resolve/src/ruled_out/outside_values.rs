//! Receivers that hold no object of the project: values that pytest itself passes to functions, and
//! attributes of `self` to which only instances of classes from outside are assigned. Invariant: one
//! assignment that cannot be read makes the answer no.

use crate::context::{self, Receiver, first_word};
use crate::family::Family;
use crate::meaning::Meaning;
use crate::python::fixtures::{decorators, holds_given, is_fixture};
use crate::resolver::{CurrentFile, Resolver};
use crate::scope::{self, SearchStart};
use symd_base::cancel::Cancelled;

/// Fixtures that pytest declares. Their values are of pytest's own classes, or of the standard library's.
const PYTEST_FIXTURES: [&str; 14] = [
    "cache",
    "capfd",
    "capfdbinary",
    "caplog",
    "capsys",
    "capsysbinary",
    "monkeypatch",
    "pytestconfig",
    "recwarn",
    "request",
    "tmp_path",
    "tmp_path_factory",
    "tmpdir",
    "tmpdir_factory",
];

/// Whether the receiver of the member at byte `at` is known to hold something from outside the project.
pub(super) fn is_outside_value(
    resolver: &Resolver,
    here: &CurrentFile,
    receiver: &Receiver,
    at: u32,
) -> Result<bool, Cancelled> {
    let Receiver::Chain(chain, _) = receiver else { return Ok(false) };
    match &chain[..] {
        [parameter] => is_pytests_own(resolver, here, parameter, at),
        ["self", attribute] => is_outside_attribute(resolver, attribute),
        _ => Ok(false),
    }
}

/// Whether pytest passes a fixture of its own to the parameter.
fn is_pytests_own(
    resolver: &Resolver,
    here: &CurrentFile,
    parameter: &str,
    at: u32,
) -> Result<bool, Cancelled> {
    if !PYTEST_FIXTURES.contains(&parameter) {
        return Ok(false);
    }
    let Some(function) = holds_given(here, parameter, at) else { return Ok(false) };
    // `parametrize("request", …)` passes something else.
    let above = std::iter::successors(Some(function), |&row| here.outline.rows[row].parent());
    if above.into_iter().any(|row| decorators(here, row).contains(parameter)) {
        return Ok(false);
    }
    let is_replaced = |one: &crate::IndexedDeclaration| {
        let there = resolver.read_file(&one.file);
        there.is_none_or(|there| there.row_of(one).is_none_or(|row| is_fixture(&there, row)))
    };
    Ok(!resolver.declared(parameter)?.iter().any(is_replaced))
}

/// Whether every assignment to an attribute of that name, in any class, assigns an instance of a class from
/// outside.
fn is_outside_attribute(resolver: &Resolver, attribute: &str) -> Result<bool, Cancelled> {
    // Code that creates the object may set a member that the class declares in its body.
    let is_assigned = |one: &crate::IndexedDeclaration| {
        let there = resolver.read_file(&one.file);
        let starts = one.row().map(|(_, row)| row.name_start as usize);
        let is_member = one.row().is_some_and(|(_, row)| row.parent().is_some());
        !is_member
            || there.zip(starts).is_some_and(|(there, start)| {
                there.text.as_str().get(..start).is_some_and(|before| before.ends_with('.'))
            })
    };
    if !resolver.declared(attribute)?.iter().all(is_assigned) {
        return Ok(false);
    }
    let mut is_assigned = false;
    for file in resolver.sources.snapshot().files.iter() {
        let holds = file.holds(attribute);
        if !holds || Family::of(file) != Some(resolver.family) {
            continue;
        }
        resolver.cancel.check()?;
        let Some(here) = resolver.read_file(file) else { return Ok(false) };
        for start in here.outline.occurrences.offsets_of(attribute) {
            match assigned(here.text.as_str(), start as usize, attribute) {
                Assignment::Nothing => {}
                Assignment::Value(at) if is_outside_instance(resolver, &here, at)? => is_assigned = true,
                Assignment::Value(_) | Assignment::Unread => return Ok(false),
            }
        }
    }
    Ok(is_assigned)
}

/// The value that an occurrence of an attribute is assigned.
#[derive(Debug, PartialEq, Eq)]
enum Assignment {
    /// No value: the attribute is read.
    Nothing,
    /// The value that begins at this byte.
    Value(usize),
    /// A value that is not understood: in a loop, together with others, by an operator.
    Unread,
}

/// Returns the value that the attribute whose name begins at byte `start` is assigned there.
fn assigned(text: &str, start: usize, attribute: &str) -> Assignment {
    let Some(behind) = text.get(start + attribute.len()..) else { return Assignment::Unread };
    if !text[..start].ends_with('.') {
        return Assignment::Nothing;
    }
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let (before, rest) = (&text[line..start], behind.split('\n').next().unwrap_or_default());
    let is_object = before
        .trim_start()
        .trim_end_matches('.')
        .chars()
        .all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    let trimmed = rest.trim_start();
    let is_binding = trimmed.starts_with('=') && !trimmed.starts_with("==");
    if is_object {
        if is_binding {
            let value = trimmed[1..].trim_start();
            return Assignment::Value(start + attribute.len() + (rest.len() - value.len()));
        }
        if let Some(annotation) = trimmed.strip_prefix(':') {
            return match annotation.split_once('=') {
                Some((_, value)) => {
                    Assignment::Value(start + attribute.len() + (rest.len() - value.trim_start().len()))
                }
                None => Assignment::Nothing,
            };
        }
    }
    let word = context::last_word(before.rsplit([' ', '(', ',']).nth(1).unwrap_or_default());
    let is_taken = matches!(word, "as" | "for" | "del");
    let is_operated = ["+=", "-=", "|=", "&=", "*=", "/=", "%=", ":=", "@=", "^="]
        .iter()
        .any(|sign| trimmed.starts_with(sign));
    // `self.a, self.b = …`, `a = self.b = …`
    let is_among = is_binding || (trimmed.starts_with([',', ')', ']']) && has_binding(before, trimmed));
    if is_taken || is_operated || is_among { Assignment::Unread } else { Assignment::Nothing }
}

/// Whether an assignment follows outside of the brackets that `before` or `rest` opens.
fn has_binding(before: &str, rest: &str) -> bool {
    let opened = before.matches(['(', '[', '{']).count();
    let mut depth = opened.saturating_sub(before.matches([')', ']', '}']).count());
    let bytes = rest.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'=' if depth == 0 => {
                let is_compared = bytes.get(at + 1) == Some(&b'=')
                    || at.checked_sub(1).is_some_and(|at| b"=!<>".contains(&bytes[at]));
                return !is_compared;
            }
            _ => {}
        }
    }
    false
}

/// Whether the value at byte `at` is a call of a class from outside, or of a member of such a class; or
/// `None`.
fn is_outside_instance(resolver: &Resolver, here: &CurrentFile, at: usize) -> Result<bool, Cancelled> {
    let text = here.text.as_str();
    let mut chain = Vec::new();
    let mut end = at;
    loop {
        let word = first_word(text.get(end..).unwrap_or_default());
        if word.is_empty() {
            return Ok(false);
        }
        chain.push(word);
        end += word.len();
        match text[end..].chars().next() {
            Some('.') => end += 1,
            Some('(') => break,
            _ => return Ok(word == "None" && chain.len() == 1),
        }
    }
    let is_class = |word: &&str| word.trim_start_matches('_').starts_with(char::is_uppercase);
    let begins = u32::try_from(at).unwrap_or(u32::MAX);
    let is_outside = matches!(
        scope::resolve_chain(resolver, here, begins, &chain, SearchStart::Inside)?,
        Meaning::OutsideProject
    );
    Ok(is_outside && chain.iter().any(is_class) && is_whole_call(&text[end..]))
}

/// Whether the expression ends with the call: a chain that continues has another value.
fn is_whole_call(text: &str) -> bool {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth > 1 => depth -= 1,
            b')' | b']' | b'}' => {
                let rest = text[at + 1..].split(['\n', '#', ';']).next().unwrap_or_default();
                return rest.trim().is_empty();
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_attribute_is_assigned() {
        for (text, expected) in [
            ("self.it = Box()", Assignment::Value(10)),
            ("    self.it: Box = Box()", Assignment::Value(19)),
            ("self.it: Box", Assignment::Nothing),
            ("self.it.run()", Assignment::Nothing),
            ("self.it == 1", Assignment::Nothing),
            ("f(self.it, x=1)", Assignment::Nothing),
            ("f(x, self.it)", Assignment::Nothing),
            ("return a, self.it", Assignment::Nothing),
            ("self.a, self.it = 1, 2", Assignment::Unread),
            ("self.it, self.a = 1, 2", Assignment::Unread),
            ("x = self.it = 1", Assignment::Unread),
            ("with open() as self.it:", Assignment::Unread),
            ("for self.it in all:", Assignment::Unread),
            ("(self.a, self.it) = both", Assignment::Unread),
            ("self.it += 1", Assignment::Unread),
            ("it = 1", Assignment::Nothing),
        ] {
            let start = text
                .find("it")
                .filter(|_| !text.starts_with("with"))
                .unwrap_or_else(|| text.rfind("it").expect("in it"));
            assert_eq!(assigned(text, start, "it"), expected, "{text}");
        }
    }

    #[test]
    fn calls_that_end_their_statement() {
        for (text, expected) in [
            ("()", true),
            ("(a, (b))  # note", true),
            ("(\n  a,\n)", true),
            ("().x", false),
            ("() or y", false),
            ("(", false),
        ] {
            assert_eq!(is_whole_call(text), expected, "{text}");
        }
    }
}
