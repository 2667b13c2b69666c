//! Names that a type makes of the names of another's members: `{ [K in keyof T as `get_${K}`]: … }`. A use of such a name is none of
//! the member's.

use super::RenamedSymbol;
use super::type_reach::TypeReach;
use crate::brackets::{close_bracket, open_bracket};
use crate::context::last_word;
use crate::family_texts::{FamilyText, FamilyTexts, words_of};
use crate::rename_hazard::RenameHazard;
use symd_base::cancel::Cancelled;

pub(super) fn find(
    symbol: &RenamedSymbol,
    reach: &TypeReach,
    texts: &FamilyTexts,
) -> Result<Option<RenameHazard>, Cancelled> {
    let mut places = Vec::new();
    let mut makers: Vec<String> = Vec::new();
    let is_own = |written: &str| reach.own.iter().any(|name| words_of(written, name).next().is_some());
    for one in texts.iter().filter(|one| one.text.contains("keyof") && one.text.contains('`')) {
        symbol.resolver.cancel.check()?;
        for (at, written) in making(&one) {
            match is_own(written) {
                true => places.push(one.place(at, "keyof".len())),
                false => makers.extend(type_of(&one.text, at).map(str::to_owned)),
            }
        }
    }
    makers.sort();
    makers.dedup();
    for one in texts.with_any(&makers) {
        for maker in &makers {
            for at in one.words(maker) {
                let behind = &one.text[at + maker.len()..];
                if behind.starts_with('<') && is_own(type_arguments(behind)) {
                    places.push(one.place(at, maker.len()));
                }
            }
        }
    }
    let text =
        format!("a type makes names of the names of these members, and '{}' is one of them", symbol.old);
    Ok(RenameHazard::doubt(text, places))
}

/// Finds the places where names are made of names, each with the byte of its `keyof` and what is written around it.
fn making(one: &FamilyText) -> Vec<(usize, &str)> {
    let text = one.text.as_str();
    let mut found = Vec::new();
    for at in words_of(text, "keyof") {
        let Some(open) = open_bracket(text, at) else { continue };
        let around = &text[open..close_bracket(text, open)];
        // `[K in keyof T as `…`]`, and `${keyof T}` in a template.
        let is_mapped =
            around.starts_with('[') && around.split_once(" as ").is_some_and(|(_, made)| made.contains('`'));
        let is_template = around.starts_with('{') && text[..open].ends_with('$');
        let is_nested = || {
            // `${Capitalize<keyof T>}`
            let before = &text[..at];
            let line = before.rsplit(['\n', ';']).next().unwrap_or("");
            line.matches('`').count() % 2 == 1
        };
        if is_mapped || is_template || is_nested() {
            found.push((at, around));
        }
    }
    found
}

/// Returns the name of the type whose definition holds byte `at`.
fn type_of(text: &str, at: usize) -> Option<&str> {
    let before = &text[..at];
    let definition = words_of(before, "type").last()?;
    let name = before[definition + "type".len()..].trim_start();
    let name = crate::context::first_word(name);
    let is_definition = !name.is_empty() && last_word(before[..definition].trim_end()) != "import";
    is_definition.then_some(name)
}

/// Returns the type arguments that a text begins with.
fn type_arguments(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if !text[..at].ends_with('=') => depth = depth.saturating_sub(1),
            ';' | '\n' => return &text[..at],
            _ => {}
        }
        if depth == 0 {
            return &text[..at];
        }
    }
    text
}
