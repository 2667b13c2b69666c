//! What the text tells of a name that a Python expression gives: `"do_" + word`, a local variable, a loop's.

use crate::brackets::close_bracket;
use crate::constructed::{Binding, bound, only_value};
use crate::context::{first_word, is_word, last_word};
use crate::name_places::places_of;
use crate::resolver::CurrentFile;
use crate::scope;

/// What is in an expression that lists names which objects have: they are other names after a rename, too.
const LISTINGS: [&str; 6] = ["__dict__", "__slots__", "vars(", "dir(", "fields(", "__annotations__"];

/// What is known of a name that is computed. Empty where nothing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GivenName<'t> {
    pub(super) beginning: &'t str,
    pub(super) ending: &'t str,
}

impl GivenName<'_> {
    pub(super) fn may_be(self, name: &str) -> bool {
        name.starts_with(self.beginning) && name.ends_with(self.ending)
    }
}

/// Returns what is known of the name that an expression at byte `at` gives, followed to the only value of a local; `None` where every
/// name that it gives is written out, or is one that an object was asked for.
pub(super) fn given_name<'t>(here: &'t CurrentFile, at: u32, expression: &'t str) -> Option<GivenName<'t>> {
    let expression = expression.trim();
    let word = first_word(expression);
    let behind = &expression[word.len()..];
    // `field.name`, of what `dataclasses.fields` lists.
    if !word.is_empty() && matches!(behind, "" | ".name") && is_of_known_names(here, at, word) {
        return None;
    }
    let value = || {
        let value = only_value(here, scope::function_around(here, at)?, word)?;
        here.text.as_str().get(value..)?.split('\n').next()
    };
    let is_local = !word.is_empty() && behind.is_empty();
    let given = is_local.then(value).flatten().unwrap_or(expression);
    Some(GivenName { beginning: beginning_of(given)?, ending: ending_of(given) })
}

/// Whether a variable at byte `at` is bound by loops alone, over texts that are written out or over names that objects have:
/// `for name in ("a", "b"):`.
fn is_of_known_names(here: &CurrentFile, at: u32, variable: &str) -> bool {
    let text = here.text.as_str();
    let function = scope::function_around(here, at);
    let mut is_bound = false;
    for range in places_of(here, variable) {
        if scope::function_around(here, range.start) != function {
            continue;
        }
        match looped_over(text, range.start as usize, variable) {
            Some(listed) if is_known(here, listed) => is_bound = true,
            Some(_) => return false,
            None if bound(text, range.start as usize, variable) != Binding::Not => return false,
            None => {}
        }
    }
    is_bound
}

/// Returns the rest of the line behind `in`, if the variable at byte `at` is the first, or the only one, of a loop.
fn looped_over<'t>(text: &'t str, at: usize, variable: &str) -> Option<&'t str> {
    let before = text[..at].trim_end_matches(['(', ' ']);
    let is_first = before.strip_suffix("for").is_some_and(|rest| !rest.ends_with(is_word));
    let line = text[at + variable.len()..].split('\n').next()?;
    let (targets, _) = line.split_once(" in ")?;
    let is_loop = targets.trim().is_empty() || targets.trim_start().starts_with(',');
    (is_first && is_loop).then(|| &text[at + variable.len() + targets.len() + " in ".len()..])
}

/// Whether what begins a text lists names that objects have, or is a tuple, list or set of texts, or a variable of the file that is set to one.
fn is_known(here: &CurrentFile, listed: &str) -> bool {
    let line = listed.split('\n').next().unwrap_or_default();
    let whole = &line[..line.find(':').unwrap_or(line.len())];
    if LISTINGS.iter().any(|listing| whole.contains(listing)) {
        return true;
    }
    let chain = &listed[..listed.find(|c: char| !is_word(c) && c != '.').unwrap_or(listed.len())];
    if chain.is_empty() {
        return is_of_texts(listed);
    }
    // `NAMES`, `self.NAMES`
    let (text, name) = (here.text.as_str(), last_word(chain));
    let is_alone = listed[chain.len()..].starts_with([':', ']', ')', '}', ' ', '\n']);
    let bindings = places_of(here, name).into_iter().map(|range| bound(text, range.start as usize, name));
    let bindings: Vec<Binding> = bindings.filter(|one| *one != Binding::Not).collect();
    matches!(bindings[..], [Binding::To(value)] if is_alone && is_of_texts(&text[value..]))
}

/// Whether a text begins with a tuple, a list or a set of texts that are written out.
fn is_of_texts(listed: &str) -> bool {
    if !listed.starts_with(['(', '[', '{']) {
        return false;
    }
    let end = close_bracket(listed, 0);
    let inside = listed.get(1..end.saturating_sub(1)).unwrap_or_default();
    let mut texts = inside.split(',').map(str::trim).filter(|one| !one.is_empty()).peekable();
    texts.peek().is_some() && texts.all(is_written_out)
}

/// Whether an expression is one text without anything that is computed.
pub(super) fn is_written_out(expression: &str) -> bool {
    let Some(quote) = expression.chars().next().filter(|first| matches!(first, '"' | '\'')) else {
        return false;
    };
    expression[1..].find(quote).is_some_and(|end| end + 2 == expression.len())
}

/// Returns the known end, possibly empty, of the text that a template gives: `"get_%s_display" % x`, `f"get_{x}_display"`.
fn ending_of(name: &str) -> &str {
    let literal = name.strip_prefix(['f', 'F']).unwrap_or(name);
    let Some(quote) = literal.chars().next().filter(|first| matches!(first, '"' | '\'')) else { return "" };
    let Some((inside, behind)) = literal[1..].split_once(quote) else { return "" };
    let is_template = name.len() != literal.len() || behind.trim_start().starts_with(".format(");
    let is_formatted = behind.trim_start().starts_with('%');
    match (inside.rsplit_once('}'), inside.rsplit_once('%')) {
        (Some((_, ending)), _) if is_template => ending,
        // `%s`, `%d`: what is behind the letter.
        (_, Some((_, ending))) if is_formatted && ending.starts_with(['s', 'd']) => &ending[1..],
        _ => "",
    }
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
    fn what_computed_names_end_with() {
        for (name, expected) in [
            ("\"get_%s_display\" % x", "_display"),
            ("f\"get_{x}_display\"", "_display"),
            ("'get_{}_display'.format(x)", "_display"),
            ("f'get_{x}'", ""),
            ("\"get_\" + x", ""),
            ("x", ""),
        ] {
            assert_eq!(ending_of(name), expected, "{name}");
        }
    }

    #[test]
    fn what_computed_names_begin_with() {
        for (name, expected) in [
            ("request.method.lower()", Some("")),
            ("\"do_\" + word", Some("do_")),
            ("f'visit_{kind}'", Some("visit_")),
            ("'on_%s' % event", Some("on_")),
            ("\"on_{}\".format(event)", Some("on_")),
            ("\"get\"", None),
            ("'a%b'", None),
        ] {
            assert_eq!(beginning_of(name), expected, "{name}");
        }
    }

    #[test]
    fn what_a_loop_goes_over() {
        for (text, expected) in [
            ("for name in NAMES:\n", Some("NAMES:")),
            ("for (name, value) in x.items():\n", Some("x.items():")),
            ("for name, value in x.items():\n", Some("x.items():")),
            ("[f(y) for name in (1, 2)]", Some("(1, 2)]")),
            ("for value, name in x.items():\n", None),
            ("before name in x", None),
        ] {
            let at = text.find("name").expect("in it");
            let listed = looped_over(text, at, "name").and_then(|rest| rest.lines().next());
            assert_eq!(listed, expected, "{text}");
        }
    }

    #[test]
    fn lists_of_texts() {
        for (listed, expected) in [
            ("(\"a\", 'b'):", true),
            ("[\n    \"a\",\n]", true),
            ("(\"a\", b)", false),
            ("(f\"{a}\",)", false),
            ("()", false),
            ("(", false),
            ("names", false),
        ] {
            assert_eq!(is_of_texts(listed), expected, "{listed}");
        }
    }
}
