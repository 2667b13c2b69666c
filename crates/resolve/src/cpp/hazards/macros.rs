//! The macros of a project that turn names into texts: those of what they are given (`#x`), and that of the function around them
//! (`__func__`).

use std::collections::BTreeSet;

use crate::brackets::{close_bracket, open_bracket};
use crate::context::{first_word, is_word, last_word};
use crate::family_texts::{FamilyTexts, words_of};
use symd_base::Cancel;
use symd_base::cancel::Cancelled;

/// Names of the function around them, which the compiler makes.
pub(super) const OWN_NAMES: [&str; 4] = ["__func__", "__FUNCTION__", "__PRETTY_FUNCTION__", "__FUNCSIG__"];

/// The most macros through which an argument is followed.
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
    pub(super) fn read(cancel: &Cancel, texts: &FamilyTexts) -> Result<SpellingMacros, Cancelled> {
        let mut found = SpellingMacros::default();
        // Each macro with the words of its body, which may be other macros.
        let mut all: Vec<(String, BTreeSet<String>)> = Vec::new();
        for one in texts.iter() {
            cancel.check()?;
            for (name, body) in definitions(&one.text) {
                let words = body.split(|c| !is_word(c)).filter(|word| !word.is_empty() && *word != name);
                let words: BTreeSet<String> = words.map(str::to_owned).collect();
                if has_stringizing(body) {
                    found.of_arguments.insert(name.to_owned());
                }
                if OWN_NAMES.iter().any(|own| words.contains(*own)) {
                    found.of_function.insert(name.to_owned());
                }
                if !words.is_empty() {
                    all.push((name.to_owned(), words));
                }
            }
        }
        for _ in 0..MAX_STEPS {
            cancel.check()?;
            let mut is_new = false;
            for known in [&mut found.of_arguments, &mut found.of_function] {
                for (name, words) in &all {
                    if !known.contains(name) && words.iter().any(|word| known.contains(word)) {
                        is_new |= known.insert(name.clone());
                    }
                }
            }
            if !is_new {
                break;
            }
        }
        Ok(found)
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

/// Returns the parenthesis with the arguments that opens at byte `name_end`, where the call's name ends; empty where none opens.
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
