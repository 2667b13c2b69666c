//! Values that functions of Go raise: errors that are written out as what they are, and values that `panic` prints.

use super::GoRenamed;
use super::name_readers::{add_reached, field_encoders};
use crate::brackets::close_bracket;
use crate::conflicts::SourcePlace;
use crate::context::last_word;
use crate::family_texts::{FamilyTexts, words_of};
use crate::name_reach::NameReach;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

/// Returns the calls of encoders that are given an error, in functions that call a maker of such errors: a function that returns an error
/// and creates a value of the type.
pub(super) fn encoded_errors(
    symbol: &GoRenamed,
    texts: &FamilyTexts,
    of: &str,
) -> Result<Vec<SourcePlace>, Cancelled> {
    let made = [format!("{of}{{"), format!("new({of})")];
    let mut makers = Vec::new();
    for one in texts.iter().filter(|one| made.iter().any(|sign| one.text.contains(sign))) {
        symbol.resolver.cancel.check()?;
        let Some(here) = one.current(symbol.resolver) else { continue };
        for row in here.outline.rows.iter().filter(|row| row.parent().is_none()) {
            let text = one.text.get(row.start as usize..row.end as usize).unwrap_or("");
            let head = text.split('{').next().unwrap_or("");
            let is_function = matches!(row.kind(), SymbolKind::Function | SymbolKind::Method);
            if is_function
                && words_of(head, "error").next().is_some()
                && made.iter().any(|sign| text.contains(sign))
            {
                makers.push(here.outline.name(row).to_owned());
            }
        }
    }
    if makers.is_empty() {
        return Ok(Vec::new());
    }
    let reach = NameReach::of_names(makers);
    let mut places = Vec::new();
    for one in texts.iter() {
        symbol.resolver.cancel.check()?;
        let mut readers = field_encoders(symbol, &one.text);
        readers.retain(|&(at, length)| {
            let open = at + length;
            let arguments = &one.text[open..close_bracket(&one.text, open)];
            let argument = last_word(arguments.trim_end_matches(')')).to_lowercase();
            argument.ends_with("err") || argument == "e" || argument == "error"
        });
        add_reached(symbol, &one, readers, &reach, &mut places, &mut Vec::new());
    }
    Ok(places)
}

/// Returns the calls of `panic` that are given a value of the type as it is made, unless the type writes its own text.
pub(super) fn panics_with(symbol: &GoRenamed, texts: &FamilyTexts) -> Result<Vec<SourcePlace>, Cancelled> {
    let mut places = Vec::new();
    if symbol.has_method(&symbol.old, "Error")? || symbol.has_method(&symbol.old, "String")? {
        return Ok(places);
    }
    for one in texts.iter() {
        symbol.resolver.cancel.check()?;
        for at in one.words("panic") {
            let open = at + "panic".len();
            if !one.text[open..].starts_with('(') {
                continue;
            }
            let argument = one.text[open + 1..].trim_start_matches('&');
            let word = &argument[..argument.find(['{', '(', ')']).unwrap_or(0)];
            if word.rsplit('.').next() == Some(symbol.old.as_str()) {
                places.push(one.place(at, "panic".len()));
            }
        }
    }
    Ok(places)
}
