//! Members of objects that a function creates itself: `builder = Builder(…)` and then `builder.add()`, where
//! a server gives no answer because it considers the code unreachable or loses the type. Invariant: the local
//! has this one value in the function.

use super::context::{Receiver, first_word, last_word, receiver};
use super::family::Family;
use super::meaning::Meaning;
use super::resolver::{CurrentFile, Resolver};
use super::ruled_out::is_whole_call;
use super::scope::{self, SearchStart};
use super::sources::{IndexedDeclaration, Sources};
use crate::hierarchy::classes::is_class;
use crate::hierarchy::inherited::Inherited;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};

/// For each member use at `places`: resolves the member of that name in the class of which the local in front
/// of it is an instance; one of `members` takes precedence. `None` where the class is unknown, and always
/// outside Python.
pub fn constructed_members(
    sources: &dyn Sources,
    places: &[(RelPath, TextRange)],
    members: &[IndexedDeclaration],
    cancel: &Cancel,
) -> Result<Vec<Option<IndexedDeclaration>>, Cancelled> {
    let first = members.first().and_then(|first| Some((first, Family::dynamic_of(&first.file)?)));
    let Some((first, family)) = first else { return Ok(vec![None; places.len()]) };
    let resolver = Resolver::new(sources, family, cancel);
    let mut classes = Vec::new();
    for (path, range) in places {
        cancel.check()?;
        let here = resolver.file(path.as_str()).and_then(|file| resolver.read_file(file));
        classes.push(match here {
            Some(here) => class_of(&resolver, &here, range.start)?,
            None => None,
        });
    }
    if classes.iter().all(Option::is_none) {
        return Ok(vec![None; places.len()]);
    }
    let inherited = Inherited::read(&resolver)?;
    let member = |class: Option<IndexedDeclaration>| {
        let class = class?;
        inherited.member(|one| one.is_same_declaration(&class), first.name(), members)
    };
    Ok(classes.into_iter().map(member).collect())
}

/// Returns the class of which the local in front of the member at byte `at` is an instance.
fn class_of(
    resolver: &Resolver,
    here: &CurrentFile,
    at: u32,
) -> Result<Option<IndexedDeclaration>, Cancelled> {
    let text = here.text.as_str();
    let Receiver::Chain(chain, _) = receiver(text, at as usize, resolver.family) else { return Ok(None) };
    let (&[name], Some(function)) = (&chain[..], scope::function_around(here, at)) else { return Ok(None) };
    match only_value(here, function, name) {
        Some(value) => constructed(resolver, here, value),
        None => Ok(None),
    }
}

/// Returns the byte at which the only value begins that the function in row `function` assigns to a local;
/// `None` if it assigns none, or binds the local in another way too.
pub(super) fn only_value(here: &CurrentFile, function: usize, name: &str) -> Option<usize> {
    let range = here.outline.rows[function].range();
    let mut value = None;
    for start in here.outline.occurrences.offsets_of(name) {
        if start < range.start || start >= range.end {
            continue;
        }
        match bound(here.text.as_str(), start as usize, name) {
            Binding::Not => {}
            Binding::To(at) if value.is_none() => value = Some(at),
            Binding::To(_) | Binding::Unread => return None,
        }
    }
    value
}

/// The effect of an occurrence of a name on its binding.
#[derive(Debug, PartialEq, Eq)]
enum Binding {
    /// The name is read.
    Not,
    /// The name is bound to the value that begins at this byte.
    To(usize),
    /// The name is bound to something that is not understood: as a parameter, a loop variable, one of several
    /// targets.
    Unread,
}

fn bound(text: &str, start: usize, name: &str) -> Binding {
    let Some(behind) = text.get(start + name.len()..).filter(|_| text[start..].starts_with(name)) else {
        return Binding::Not;
    };
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let before = &text[line..start];
    if before.ends_with('.') {
        return Binding::Not;
    }
    let rest = behind.split('\n').next().unwrap_or_default();
    let trimmed = rest.trim_start();
    let is_assigned = trimmed.starts_with('=') && !trimmed.starts_with("==");
    if before.trim().is_empty() && is_assigned {
        let value = trimmed[1..].trim_start();
        return Binding::To(start + name.len() + (rest.len() - value.len()));
    }
    let word = last_word(before.trim_end());
    let is_taken =
        matches!(word, "as" | "for" | "del" | "global" | "nonlocal" | "import" | "def" | "class" | "lambda");
    // `f(name=1)` names an argument of another function; a parameter of this function's head stands behind
    // `def`.
    let is_in_head = before.trim_start().starts_with("def ") || before.contains("lambda");
    let is_read = matches!(trimmed.chars().next(), Some('.' | ')' | '(' | ']' | '[' | '}') | None);
    let is_open = before.matches(['(', '[', '{']).count() > before.matches([')', ']', '}']).count();
    let is_argument = is_assigned && is_open && before.trim_end().ends_with(['(', ',']);
    match is_taken || is_in_head {
        true => Binding::Unread,
        false if is_read || is_argument => Binding::Not,
        // `a, name = …`, `name: Type = …`, `name += 1`, or a read that looks like one of these.
        false if rest.contains('=') || trimmed.starts_with(':') => Binding::Unread,
        false => Binding::Not,
    }
}

/// Returns the class of the project that the value at byte `at` calls, if the value is nothing but that call.
fn constructed(
    resolver: &Resolver,
    here: &CurrentFile,
    at: usize,
) -> Result<Option<IndexedDeclaration>, Cancelled> {
    let text = here.text.as_str();
    let (mut chain, mut end) = (Vec::new(), at);
    loop {
        let word = first_word(text.get(end..).unwrap_or_default());
        if word.is_empty() {
            return Ok(None);
        }
        chain.push(word);
        end += word.len();
        match text[end..].chars().next() {
            Some('.') => end += 1,
            Some('(') if is_whole_call(&text[end..]) => break,
            _ => return Ok(None),
        }
    }
    let begins = u32::try_from(at).unwrap_or(u32::MAX);
    let meaning = scope::resolve_chain(resolver, here, begins, &chain, SearchStart::Inside)?;
    let Meaning::Declared(found) = meaning else { return Ok(None) };
    Ok(match &found[..] {
        [class] if class.row().is_some_and(|(_, row)| is_class(row)) => Some(class.clone()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_name_is_bound_to() {
        for (text, expected) in [
            ("    it = Box()", Binding::To(9)),
            ("it.run()", Binding::Not),
            ("f(it, x)", Binding::Not),
            ("f(it=1)", Binding::Not),
            ("x.it = 1", Binding::Not),
            ("return it", Binding::Not),
            ("a, it = 1, 2", Binding::Unread),
            ("it, a = 1, 2", Binding::Unread),
            ("it += 1", Binding::Unread),
            ("it: Box = f()", Binding::Unread),
            ("def f(it):", Binding::Unread),
            ("for it in x:", Binding::Unread),
            ("with x as it:", Binding::Unread),
            ("global it", Binding::Unread),
        ] {
            let start = text.rfind("it").filter(|_| !text.starts_with("it")).unwrap_or(0);
            assert_eq!(bound(text, start, "it"), expected, "{text}");
        }
    }
}
