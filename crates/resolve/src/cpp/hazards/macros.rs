//! The macros of a project that turn names into texts: those of what they are given (`#x`), and that of the function around them
//! (`__func__`).

use std::collections::BTreeSet;

use crate::brackets::{close_bracket, open_bracket};
use crate::context::{first_word, last_word};
use crate::family_texts::{FamilyTexts, words_of};

/// Names of the function around them, which the compiler makes.
pub(super) const OWN_NAMES: [&str; 4] = ["__func__", "__FUNCTION__", "__PRETTY_FUNCTION__", "__FUNCSIG__"];

/// How often a macro may hand on what it is given.
const MAX_STEPS: usize = 4;

/// The names of macros by what they make texts of.
#[derive(Debug, Default)]
pub(super) struct SpellingMacros {
    /// Of what they are given.
    pub(super) of_arguments: BTreeSet<String>,
    /// Of the function around them.
    pub(super) of_function: BTreeSet<String>,
}

impl SpellingMacros {
    pub(super) fn read(texts: &FamilyTexts) -> SpellingMacros {
        let mut all: Vec<(String, String)> = Vec::new();
        for one in texts.iter() {
            all.extend(definitions(&one.text).map(|(name, body)| (name.to_owned(), body.to_owned())));
        }
        let mut found = SpellingMacros::default();
        for _ in 0..MAX_STEPS {
            let mut is_new = false;
            for (name, body) in &all {
                let names = |known: &BTreeSet<String>| {
                    known.iter().any(|one| one != name && words_of(body, one).next().is_some())
                };
                if has_stringizing(body) || names(&found.of_arguments) {
                    is_new |= found.of_arguments.insert(name.clone());
                }
                let is_own = OWN_NAMES.iter().any(|own| words_of(body, own).next().is_some());
                if is_own || names(&found.of_function) {
                    is_new |= found.of_function.insert(name.clone());
                }
            }
            if !is_new {
                break;
            }
        }
        found
    }
}

/// Returns the macros that a text defines, with the text behind their names.
fn definitions(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.match_indices("define").filter_map(|(at, word)| {
        let is_directive = text[..at].trim_end_matches([' ', '\t']).ends_with('#');
        let rest = text[at + word.len()..].trim_start_matches([' ', '\t']);
        let name = first_word(rest);
        let behind = &rest[name.len()..];
        let mut end = 0;
        for line in behind.split_inclusive('\n') {
            end += line.len();
            if !line.trim_end().ends_with('\\') {
                break;
            }
        }
        (is_directive && !name.is_empty()).then(|| (name, &behind[..end]))
    })
}

/// Whether the body of a macro makes a text of a parameter: `#x`, but not `a##x`.
fn has_stringizing(body: &str) -> bool {
    body.match_indices('#').any(|(at, _)| {
        let (before, behind) = (&body[..at], &body[at + 1..]);
        let is_pasting = before.ends_with('#') || behind.starts_with('#');
        let is_quoted = before.matches('"').count() % 2 == 1;
        let word = first_word(behind.trim_start());
        !is_pasting && !is_quoted && !word.is_empty() && words_of(before, word).next().is_some()
    })
}

/// Returns the calls in whose arguments byte `at` stands, innermost first, with the bytes where their names begin.
pub(super) fn calls_around(text: &str, at: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut from = at;
    std::iter::from_fn(move || {
        from = open_bracket(text, from)?;
        let before = text[..from].trim_end();
        let name = if text[from..].starts_with('(') { last_word(before) } else { "" };
        Some((before.len() - name.len(), name))
    })
    .take(8)
    .filter(|(_, name)| !name.is_empty())
}

/// Returns the arguments of the call whose name stands at byte `at`, with their parenthesis.
pub(super) fn arguments_of(text: &str, name_end: usize) -> &str {
    if text[name_end..].starts_with('(') { &text[name_end..close_bracket(text, name_end)] } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_that_spell_are_found_in_their_bodies() {
        let text = "#define SHOW(e) printf(#e)\n#  define JOIN(a, b) a##b\n#define LOG() \\\n    puts(__func__)\n#define N 3\n#define Q(x) \"#x\"\n";
        let all: Vec<_> = definitions(text).collect();
        let names = |is_it: &dyn Fn(&str) -> bool| {
            all.iter().filter(|one| is_it(one.1)).map(|one| one.0).collect::<Vec<_>>()
        };
        assert_eq!(names(&|_| true), ["SHOW", "JOIN", "LOG", "N", "Q"]);
        assert_eq!(names(&has_stringizing), ["SHOW"]);
        assert_eq!(names(&|body| body.contains("__func__")), ["LOG"]);
    }
}
