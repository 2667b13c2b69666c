//! Where Python gives a name's spelling to the program, though no string holds it: `f"{name=}"` prints it, and `locals()`,
//! `vars()`, `dir()`, `eval(text)` and `exec(text)` reach a function's variables by their names.

use crate::brackets::close_bracket;
use crate::conflicts::SourcePlace;
use crate::context::{first_word, text_after, text_before};
use crate::name_places::{places_of, with_name};
use crate::python::reached_unnamed::is_in_string;
use crate::resolver::{CurrentFile, Resolver};
use crate::scope::function_around;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;

/// Calls without arguments that give the variables of a function.
const DICTIONARIES: [&str; 3] = ["locals", "vars", "dir"];

/// Attributes that hold the variables of a function that runs, or the names of those of its code.
const OF_FRAMES: [&str; 4] = ["f_locals", "co_cellvars", "co_freevars", "co_varnames"];

/// Calls that run a text which may name them.
const RUNNERS: [&str; 2] = ["eval", "exec"];

/// How far from a name the brace of its expression is searched, in bytes.
const MAX_NEAR: usize = 200;

/// Whether an f-string prints the expression in which the name at `range` stands, `{name=}`, `{f(name)=!r}`.
pub(crate) fn is_printed(text: &str, range: TextRange) -> bool {
    let line = |part: &str| part.len().min(MAX_NEAR);
    let (start, end) = (range.start as usize, range.end as usize);
    let behind = &text[end..];
    let near = behind.char_indices().map(|(at, _)| at).take_while(|&at| at <= line(behind));
    let near = &behind[..near.last().unwrap_or(0)];
    // The end of the expression: the brace, a conversion or a format of the level of the name.
    let mut depth = 0_usize;
    for (at, byte) in near.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b'}' | b'!' | b':' if depth == 0 => {
                let is_compared = byte == b'!' && near[at..].starts_with("!=");
                let inside = near[..at].trim_end();
                let is_shown = inside.ends_with('=') && !inside.ends_with("==");
                return !is_compared && is_shown && is_in_braces(text, start);
            }
            b'}' => depth = depth.saturating_sub(1),
            b'\n' => return false,
            _ => {}
        }
    }
    false
}

/// Whether a brace opens before byte `at` of its line, behind a quote.
fn is_in_braces(text: &str, at: usize) -> bool {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    // The expression begins on a line of its own.
    if line.trim().is_empty() && text[..at].trim_end().ends_with('{') {
        return true;
    }
    line.rfind('{').is_some_and(|open| line[..open].contains(['"', '\'']) || !line[..open].contains('='))
}

/// Finds what reaches the variable `name` of the function in a row by its name: calls in the function, in functions inside it that
/// use the variable, and reads of the variables of a frame where a string is the name, or the frame is the function's.
pub(crate) fn reached_by_name(
    resolver: &Resolver,
    here: &CurrentFile,
    function: usize,
    name: &str,
) -> Result<Vec<SourcePlace>, Cancelled> {
    let text = here.text.as_str();
    let within = here.outline.rows[function].range();
    let uses = places_of(here, name);
    // A function inside has the variable among its own where it uses it.
    let has_it = |at: u32| {
        let around = function_around(here, at);
        around == Some(function)
            || around.is_some_and(|inner| {
                let inner = here.outline.rows[inner].range();
                uses.iter().any(|range| inner.contains(*range))
            })
    };
    let mut found = Vec::new();
    for word in DICTIONARIES.iter().chain(&RUNNERS) {
        let length = u32::try_from(word.len()).unwrap_or(u32::MAX);
        for start in here.outline.occurrences.offsets_of(word) {
            let range = TextRange::new(start, start.saturating_add(length));
            let behind = text_after(text, range.end as usize);
            let is_bare = !text_before(text, start as usize, here.language.family).ends_with('.');
            let is_call = match DICTIONARIES.contains(word) {
                true => behind.strip_prefix('(').is_some_and(|rest| rest.trim_start().starts_with(')')),
                false => behind.starts_with('(') && runs_unknown(behind),
            };
            if within.contains(range) && is_bare && is_call && has_it(start) {
                found.push((here.file.path.clone(), range));
            }
        }
    }
    for word in OF_FRAMES {
        for there in with_name(resolver, word)? {
            let is_same = there.file.path == here.file.path;
            let is_named = word == "f_locals" && is_in_string(there.text.as_str(), name);
            let told = |range: &TextRange| is_named || is_same && within.contains(*range);
            let told: Vec<TextRange> = places_of(&there, word).into_iter().filter(told).collect();
            found.extend(told.into_iter().map(|range| (there.file.path.clone(), range)));
        }
    }
    Ok(found)
}

/// Whether `(…)` of `eval` or `exec` runs a text that is not written out, in the variables around it.
fn runs_unknown(behind: &str) -> bool {
    let call = &behind[..close_bracket(behind, 0)];
    let inside = call[1..].trim_start();
    let is_literal = inside.starts_with(['"', '\'']) || {
        let prefix = first_word(inside);
        prefix.len() == 1 && inside[1..].starts_with(['"', '\'']) && !prefix.eq_ignore_ascii_case("f")
    };
    // With a dictionary of their own they do not see what is around.
    !is_literal && crate::hierarchy::heads::arguments_of(call).is_some_and(|all| all.len() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_an_f_string_prints() {
        for (text, expected) in [
            ("f\"{name=}\"", true),
            ("print(f'{name = }')", true),
            ("f'{self.name=!r:>10}'", true),
            ("f'{g(name, 1)=}'", true),
            ("f'''{\n    name=}'''", true),
            ("f'{name}='", false),
            ("f'{name == 1}'", false),
            ("f'{name!r}'", false),
            ("f'{x[name]=}'", true),
            ("{name: 1}", false),
            ("g(name=1)", false),
            ("if name != 1: {}", false),
            ("f'{a=}', name", false),
        ] {
            let at = text.find("name").expect("in it");
            let at = u32::try_from(at).expect("short");
            assert_eq!(is_printed(text, TextRange::new(at, at + 4)), expected, "{text}");
        }
    }

    #[test]
    fn texts_that_are_run() {
        for (call, expected) in [
            ("(code)", true),
            ("('a + b')", false),
            ("(f'{a} + b')", true),
            ("(code, {})", false),
            ("()", false),
        ] {
            assert_eq!(runs_unknown(call), expected, "{call}");
        }
    }
}
