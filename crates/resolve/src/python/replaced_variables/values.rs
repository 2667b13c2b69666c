//! Values as assignments give them to variables.

use crate::brackets::{close_bracket, open_bracket};
use crate::context::{before_last_chain, is_word, last_word};
use crate::hierarchy::heads::{arguments_of, without_texts};
use crate::profiles::PYTHON;
use symd_base::TextRange;

/// Bytes of a value that are looked at.
const MAX_VALUE: usize = 4_000;

/// Returns the value that the statement gives to what stands at `range`, with blanks for comments and for what strings hold. Of several
/// that it gives to several targets it is the one for this target, or all where these cannot be told apart.
pub(in crate::python) fn value_set(text: &str, range: TextRange) -> Option<String> {
    let rest = &text[range.end as usize..];
    let rest = &rest[..rest.floor_char_boundary(MAX_VALUE)];
    let is_between = [' ', '\t', ')', ']'];
    if !rest.trim_start_matches(is_between).starts_with(['=', ',', ':']) {
        return None;
    }
    let blank = without_texts(rest, &PYTHON);
    let behind = blank.trim_start_matches(is_between);
    let line = text[..range.start as usize].rsplit('\n').next().unwrap_or_default();
    let chain = before_last_chain(line);
    if let Some(value) = behind.strip_prefix('=') {
        let value = statement(value.strip_prefix('=').map_or(Some(value), |_| None)?);
        // The last of several targets: `other, shop.till = values`.
        return Some(match elements(chain.trim_start().trim_start_matches(['(', '['])) {
            before if chain.trim_end().ends_with(',') => one_of(value, before.len()),
            _ => value.to_owned(),
        });
    }
    let begins = chain.trim_start().trim_start_matches(['(', '[']);
    if behind.starts_with(',') && (begins.is_empty() || begins.trim_end().ends_with(',')) {
        let statement = statement(behind);
        let (targets, value) = split_assignment(statement)?;
        // Other targets follow, and `=`.
        let is_target = |one: &&str| one.trim().chars().all(|c| is_word(c) || ".*[])(, ".contains(c));
        return elements(targets).iter().all(is_target).then(|| one_of(value, elements(begins).len()));
    }
    let annotated = behind.strip_prefix(':').filter(|_| begins.is_empty())?;
    Some(split_assignment(statement(annotated))?.1.to_owned())
}

/// Returns the statement with which `text` begins.
fn statement(text: &str) -> &str {
    let (mut depth, mut is_continued) = (0_usize, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'\n' | b';' if depth == 0 && !is_continued => return &text[..at],
            _ => {}
        }
        is_continued = byte == b'\\' || is_continued && byte == b'\r';
    }
    text
}

/// Splits an assignment at the first `=` outside of brackets.
fn split_assignment(statement: &str) -> Option<(&str, &str)> {
    let at = top_level(statement, '=').find(|&at| {
        !statement[..at].ends_with(['=', '!', '<', '>', ':']) && !statement[at + 1..].starts_with('=')
    })?;
    Some((&statement[..at], &statement[at + 1..]))
}

/// Returns the byte of each `wanted` outside of brackets.
fn top_level(text: &str, wanted: char) -> impl Iterator<Item = usize> + '_ {
    let mut depth = 0_usize;
    text.char_indices().filter_map(move |(at, c)| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (c == wanted && depth == 0).then_some(at)
    })
}

/// Returns what stands between commas outside of brackets, without empty parts.
fn elements(text: &str) -> Vec<&str> {
    let mut begin = 0;
    let mut found = Vec::new();
    for at in top_level(text, ',').chain([text.len()]) {
        found.push(&text[begin..at]);
        begin = at + 1;
    }
    found.retain(|one| !one.trim().is_empty());
    found
}

/// Returns the element of a tuple at `index`; the value where it is no tuple that tells.
fn one_of(value: &str, index: usize) -> String {
    let all = elements(inner(value).unwrap_or(value));
    let is_spread = all.iter().any(|one| one.trim_start().starts_with('*'));
    match all.get(index) {
        Some(one) if !is_spread => (*one).to_owned(),
        _ => value.to_owned(),
    }
}

/// Returns what is between the parentheses in which a value stands as a whole.
fn inner(value: &str) -> Option<&str> {
    let value = value.trim_matches(|c: char| c.is_whitespace() || c == '\\');
    (value.starts_with('(') && close_bracket(value, 0) == value.len() && value.ends_with(')'))
        .then(|| &value[1..value.len() - 1])
}

/// Returns each alternative of a value.
pub(in crate::python) fn held_by(value: &str) -> Vec<String> {
    alternatives(value).into_iter().map(str::to_owned).filter(|one| !one.is_empty()).collect()
}

/// Returns what a value may be: `a` and `c` of `(a if b else c)`, both of `a or c`.
fn alternatives(value: &str) -> Vec<&str> {
    let value = value.trim_matches(|c: char| c.is_whitespace() || c == '\\');
    if let Some(inner) = inner(value).filter(|inner| top_level(inner, ',').next().is_none()) {
        return alternatives(inner);
    }
    if let Some(value) = cast_value(value) {
        return alternatives(value);
    }
    // The last of several assignments: `other = Fake()`.
    if let Some((_, value)) = split_assignment(value) {
        return alternatives(value);
    }
    let (mut found, mut begin, mut depth, mut is_condition) = (Vec::new(), 0, 0_usize, false);
    let mut word = None;
    for (at, c) in value.char_indices().chain([(value.len(), ' ')]) {
        if is_word(c) {
            word.get_or_insert(at);
            continue;
        }
        if let Some(from) = word.take()
            && depth == 0
            && matches!(&value[from..at], "if" | "else" | "or" | "and")
        {
            if !is_condition {
                found.push(&value[begin..from]);
            }
            is_condition = match &value[from..at] {
                "if" => true,
                "else" => false,
                _ => is_condition,
            };
            begin = at;
        }
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    if begin == 0 {
        return vec![value];
    }
    if !is_condition {
        found.push(&value[begin..]);
    }
    found.into_iter().flat_map(alternatives).collect()
}

/// Returns what `typing.cast` is given to return: `b` of `cast("A", b)`.
fn cast_value(value: &str) -> Option<&str> {
    let open = open_bracket(value, value.strip_suffix(')')?.len())?;
    let callee = &value[..open];
    let is_cast = last_word(callee) == "cast" && callee.chars().all(|c| is_word(c) || c == '.');
    let given = arguments_of(&value[open..]).filter(|_| is_cast)?;
    match given[..] {
        [_, value] => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::dynamic_receivers::held;

    fn names(value: &str) -> Vec<String> {
        held_by(value).iter().map(|one| held(one).to_owned()).filter(|name| !name.is_empty()).collect()
    }

    #[test]
    fn what_a_value_may_be() {
        for (value, expected) in [
            ("shop.Fake()", &["Fake"][..]),
            ("Fake() if is_test(a or b) else shop.Till(1)", &["Fake", "Till"]),
            ("(\n    a or make(b if c else d)\n)", &["a", "make"]),
            ("a if b else c if d else e", &["a", "c", "e"]),
            ("a if b and c else d", &["a", "d"]),
            ("\\\n    Fake()", &["Fake"]),
            ("other.till = Fake()", &["Fake"]),
            ("typing.cast(\"A\", Fake() if b else Till())", &["Fake", "Till"]),
            ("if", &[]),
            ("", &[]),
        ] {
            assert_eq!(names(value), expected, "{value}");
        }
    }

    #[test]
    fn the_value_that_a_statement_sets() {
        for (rest, expected) in [
            (" = Fake(\"#1\") # new", Some("Fake")),
            (" = (  # fake\n    Fake()\n)\nother()", Some("Fake")),
            (" = \\\n    Fake()\nother()", Some("Fake")),
            (" = Fake(); other()", Some("Fake")),
            (": Till = Fake()", Some("Fake")),
            (": \"dict[str, Till]\" = (\n    Fake()\n)\n", Some("Fake")),
            (", other = Fake(), Till()\n", Some("Fake")),
            (", other = (\n    Fake(),\n    Till(),\n)\n", Some("Fake")),
            (", (a, b) = Fake(), (1, 2)\n", Some("Fake")),
            (", other = make()\n", Some("make")),
            (", *other = *made, Fake()\n", Some("Fake")),
            (": x = Fake() if a == b else c", Some("Fake")),
            (": Till\nx = Fake()", None),
            (", x)\ny = Fake()", None),
            (" == Fake()", None),
            (".x = Fake()", None),
        ] {
            let text = format!("s.till{rest}");
            let value = value_set(&text, TextRange::new(2, 6));
            let held = value.map(|value| names(&value));
            let held = held.map(|held| held.first().cloned().unwrap_or_default());
            assert_eq!(held.as_deref(), expected, "{text}");
        }
        for (before, expected) in
            [("other, ", "Till"), ("(other, ", "Till"), ("if x: ", "Fake"), ("other = ", "Fake")]
        {
            let text = format!("{before}s.till = Fake(), Till()");
            let at = u32::try_from(before.len()).unwrap() + 2;
            let value = value_set(&text, TextRange::new(at, at + 4)).unwrap();
            assert!(value.trim_start().starts_with(expected), "{text}: {value}");
        }
    }
}
