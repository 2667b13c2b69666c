//! Names that become texts: by macros of the project, by `__func__` in the function itself, by `typeid(x).name()`.

use super::CRenamed;
use super::macros::{OWN_NAMES, SpellingMacros, arguments_of, calls_around};
use crate::conflicts::SourcePlace;
use crate::family_texts::{FamilyText, FamilyTexts, words_of};
use crate::rename_hazard::RenameHazard;
use crate::resolver::CurrentFile;
use crate::scope::outermost_function;
use symd_base::cancel::Cancelled;

pub(super) fn find(symbol: &CRenamed, texts: &FamilyTexts) -> Result<Option<RenameHazard>, Cancelled> {
    let macros = SpellingMacros::read(symbol.resolver.cancel, texts)?;
    let name = symbol.old.as_str();
    let mut places = Vec::new();
    for one in texts.iter().filter(|one| one.text.contains(name) && !macros.of_arguments.is_empty()) {
        symbol.resolver.cancel.check()?;
        for at in one.words(name) {
            // The name itself is changed; the macro shows what it does.
            let around =
                calls_around(&one.text, at).find(|(_, called)| macros.of_arguments.contains(*called));
            places.extend(around.map(|(at, called)| one.place(at, called.len())));
        }
    }
    if symbol.is_function() {
        symbol.each_text(|there, row, text| {
            let own = OWN_NAMES.iter().copied().chain(macros.of_function.iter().map(String::as_str));
            for sign in own {
                for at in words_of(text, sign) {
                    let start = row.start.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
                    let end = start.saturating_add(u32::try_from(sign.len()).unwrap_or(0));
                    places.push((there.file.path.clone(), symd_base::TextRange::new(start, end)));
                }
            }
        });
    }
    if symbol.is_type() {
        let mut templates = Vec::new();
        for one in texts.iter() {
            symbol.resolver.cancel.check()?;
            places.extend(type_names(symbol, &one, &mut templates));
        }
        templates.sort();
        templates.dedup();
        for one in texts.with_any(&templates) {
            symbol.resolver.cancel.check()?;
            if one.holds(name) {
                places.extend(templates.iter().flat_map(|function| calls_with(&one, function, name)));
            }
        }
    }
    let text = format!("a macro or the compiler turns '{name}' into a text here");
    Ok(RenameHazard::doubt(text, places))
}

/// Returns where the name of the type is read: `typeid(x).name()` in functions that mention the type. Adds the templates that do so with
/// types that they are given.
fn type_names(symbol: &CRenamed, one: &FamilyText, templates: &mut Vec<String>) -> Vec<SourcePlace> {
    let name = symbol.old.as_str();
    let mut places = Vec::new();
    let reads = |at: usize, sign: &str| {
        let behind = &one.text[at + sign.len()..];
        let arguments = arguments_of(&one.text, at + sign.len());
        sign != "typeid" || behind[arguments.len()..].trim_start().starts_with(".name()")
    };
    for sign in ["typeid", "__PRETTY_FUNCTION__", "__FUNCSIG__"] {
        for at in one.words(sign).filter(|&at| reads(at, sign)) {
            let Some(here) = one.current(symbol.resolver) else { continue };
            let Some(row) = outermost_function(&here, at) else { continue };
            if words_of(here.text_of(row), name).next().is_some() {
                places.push(one.place(at, sign.len()));
                continue;
            }
            if is_template(&here, row.start as usize) {
                templates.push(here.outline.name(row).to_owned());
            }
        }
    }
    places
}

/// Whether the declaration that begins at byte `start` is a template.
fn is_template(here: &CurrentFile, start: usize) -> bool {
    let text = here.text.as_str();
    let before = text.get(..start).unwrap_or("").trim_end();
    before.ends_with('>') || text.get(start..).is_some_and(|rest| rest.starts_with("template"))
}

/// Returns the calls of a function, in a text, whose statements name the type.
fn calls_with(one: &FamilyText, function: &str, name: &str) -> Vec<SourcePlace> {
    let is_call = |at: &usize| {
        let behind = &one.text[at + function.len()..];
        let statement = || behind.split(';').next().unwrap_or("");
        behind.starts_with(['<', '(']) && words_of(statement(), name).next().is_some()
    };
    one.words(function).filter(is_call).map(|at| one.place(at, function.len())).collect()
}
