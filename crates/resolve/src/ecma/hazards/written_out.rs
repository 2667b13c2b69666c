//! Data that leaves the program or enters it by the names of its members: what is given to `JSON.stringify`, taken from
//! `JSON.parse`, listed by `Object.keys`. Only where the value's type is seen to be, or to hold, the symbol's: every program calls these.

use super::type_reach::TypeReach;
use super::{RenamedSymbol, printed};
use crate::brackets::close_bracket;
use crate::context::is_word;
use crate::family_texts::{FamilyText, FamilyTexts, words_of};
use crate::hierarchy::heads::arguments_in;
use crate::profiles::LanguageProfile;
use crate::rename_hazard::RenameHazard;
use symd_base::cancel::Cancelled;
use symd_base::{RelPath, TextRange};
use symd_syntax::SymbolKind;

/// Functions to which the names of an object's members matter.
const WRITING: [&str; 7] = [
    "JSON.stringify",
    "Object.keys",
    "Object.entries",
    "Object.fromEntries",
    "Object.getOwnPropertyNames",
    "Reflect.ownKeys",
    "new URLSearchParams",
];

/// What gives an object whose members have the names that a text has; `response.json()` as well.
const READING: [&str; 2] = ["JSON.parse", ".json"];

pub(super) fn find(
    symbol: &RenamedSymbol,
    reach: &TypeReach,
    texts: &FamilyTexts,
) -> Result<Vec<RenameHazard>, Cancelled> {
    // Methods are not written, and what is private to the language is not seen.
    if !matches!(symbol.row.kind(), SymbolKind::Property | SymbolKind::Field) || is_unwritten(symbol) {
        return Ok(Vec::new());
    }
    let Some(profile) = LanguageProfile::of(&symbol.here.file) else { return Ok(Vec::new()) };
    let (mut written, mut read) = (Vec::new(), Vec::new());
    for one in texts.iter() {
        symbol.resolver.cancel.check()?;
        for function in WRITING.iter().filter(|function| one.text.contains(**function)) {
            for at in words_of(&one.text, function) {
                let call = &one.text[at + function.len()..];
                let Some(value) = arguments_in(call, profile).into_iter().flatten().next() else { continue };
                let is_counted = || call[close_bracket(call, 0)..].starts_with(".length");
                if call.starts_with('(') && !is_counted() && reach.holds(symbol, &one, value, at)? {
                    written.push(one.place(at, function.len()));
                }
            }
        }
        for at in one.text.match_indices(" in ").map(|(at, _)| at).filter(|&at| is_loop(&one.text, at)) {
            let rest = &one.text[at + " in ".len()..];
            let value = &rest[..rest.find(')').unwrap_or(rest.len())];
            if reach.holds(symbol, &one, value, at)? {
                written.push(one.place(at + 1, 2));
            }
        }
        for reading in READING.iter().filter(|reading| one.text.contains(**reading)) {
            read.extend(readings(symbol, reach, (&one, reading), texts)?);
        }
    }
    let name = &symbol.old;
    let printed = printed::find(symbol, reach, texts)?;
    let written = RenameHazard::doubt(
        format!("an object's keys become data here, and '{name}' may be one of them"),
        written,
    );
    let read = RenameHazard::doubt(
        format!("objects that have '{name}' are read from texts, which keep the name"),
        read,
    );
    Ok(written.into_iter().chain(read).chain(printed).collect())
}

/// Whether the member is an accessor, which is not the object's own, or a function, which no text holds.
fn is_unwritten(symbol: &RenamedSymbol) -> bool {
    let is_accessor = symbol.head().split_whitespace().any(|word| matches!(word, "get" | "set"));
    let (row, text) = (&symbol.row, symbol.here.text.as_str());
    let behind =
        text.get(row.name_start as usize + usize::from(row.name_len)..row.end as usize).unwrap_or("");
    let written = behind.trim_start_matches(['?', '!', ' ', ':', '=']);
    is_accessor || written.starts_with('(') && behind.contains("=>")
}

/// Whether the ` in ` at byte `at` is that of a loop: `for (const key in value)`.
fn is_loop(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches(is_word).trim_end();
    let before = ["const", "let", "var"].iter().find_map(|word| before.strip_suffix(word)).unwrap_or(before);
    before.trim_end().strip_suffix('(').is_some_and(|before| before.trim_end().ends_with("for"))
}

/// Finds where a file reads objects of the type from texts.
fn readings(
    symbol: &RenamedSymbol,
    reach: &TypeReach,
    (one, reading): (&FamilyText, &str),
    texts: &FamilyTexts,
) -> Result<Vec<(RelPath, TextRange)>, Cancelled> {
    let text = one.text.as_str();
    let mut found = Vec::new();
    for at in text.match_indices(reading).map(|(at, _)| at) {
        let open = at + reading.len();
        let is_method = reading.starts_with('.');
        if !text[open..].starts_with('(') || !is_method && text[..at].ends_with(is_word) {
            continue;
        }
        // `(await response.json()) as User`
        let behind = text[close_bracket(text, open)..].trim_start_matches([')', ' ']);
        let cast = behind.split([';', '\n', ',']).next().unwrap_or("");
        let line = text[..at].rsplit(['\n', ';']).next().unwrap_or("");
        let is_typed = cast.trim_start().starts_with("as ") && reach.is_in(cast)
            || line
                .split_once(':')
                .is_some_and(|(_, annotation)| annotation.contains('=') && reach.is_in(annotation));
        if is_typed {
            found.push(one.place(at, reading.len()));
            continue;
        }
        // What a function returns has the type of its result.
        let Some(here) = one.current(symbol.resolver) else { continue };
        let byte = u32::try_from(at).unwrap_or(u32::MAX);
        let Some(function) = crate::scope::function_around(&here, byte) else { continue };
        let row = &here.outline.rows[function];
        let head = text.get(row.name_start as usize..at).unwrap_or("");
        let head = head.split(['{']).next().unwrap_or("");
        let result = head.rsplit_once(')').map_or("", |(_, result)| result);
        if reach.is_in(result) {
            found.push(one.place(at, reading.len()));
            continue;
        }
        // `decode<User>(text)` of `function decode<T>(text: string): T`.
        let name = here.outline.name(row).to_owned();
        if !head.contains('<') || name.is_empty() {
            continue;
        }
        for user in texts.iter().filter(|user| user.holds(&name)) {
            for call in user.words(&name) {
                let behind = &user.text[call + name.len()..];
                let arguments = behind.strip_prefix('<').and_then(|rest| rest.split_once('('));
                if arguments.is_some_and(|(types, _)| reach.is_in(types)) {
                    found.push(user.place(call, name.len()));
                }
            }
        }
    }
    Ok(found)
}
