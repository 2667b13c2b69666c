//! Values whose text holds the name: constants of enumerations, and records, as `toString` writes them. A place counts where a value
//! of the type, as declarations in sight show, is printed, appended or joined to a text.

use super::{JavaRenamed, is_record};
use crate::brackets::close_bracket;
use crate::conflicts::SourcePlace;
use crate::context::{is_word, last_word};
use crate::family_texts::{FamilyText, FamilyTexts, words_of};
use crate::name_reach::NameReach;
use crate::rename_hazard::RenameHazard;
use symd_base::cancel::Cancelled;
use symd_syntax::{Row, SymbolKind};

/// Calls that make texts of what they are given.
const PRINTING: [&str; 9] =
    ["println", "print", "printf", "format", "formatted", "append", "valueOf", "write", "join"];

pub(super) fn find(symbol: &JavaRenamed, texts: &FamilyTexts) -> Result<Option<RenameHazard>, Cancelled> {
    let Some(owner) = printed_type(symbol) else { return Ok(None) };
    let of = symbol.here.outline.name(owner).to_owned();
    let has_own_text = symbol.text_of(owner).contains(" toString(");
    let is_constant = symbol.is_constant_of_enum();
    if has_own_text && !is_constant {
        return Ok(None);
    }
    let reach = NameReach::of(symbol.resolver, texts, [of.clone()])?;
    let mut places = Vec::new();
    let mut forwarding = Vec::new();
    for one in texts.iter() {
        symbol.resolver.cancel.check()?;
        if is_constant {
            places.extend(named_in(&one, &of));
        }
        if !has_own_text {
            places.extend(printed_in(symbol, &one, (&of, &reach), &PRINTING, &mut forwarding));
        }
    }
    let names: Vec<&str> = forwarding.iter().map(String::as_str).collect();
    for one in texts.with_any(&forwarding) {
        places.extend(printed_in(symbol, &one, (&of, &reach), &names, &mut Vec::new()));
    }
    let text =
        format!("a text is made here of a value of '{of}', with the name '{}', or read as one", symbol.old);
    Ok(RenameHazard::doubt(text, places))
}

/// Returns the type whose values' texts hold the name.
fn printed_type<'q>(symbol: &'q JavaRenamed) -> Option<&'q Row> {
    match symbol.row.kind() {
        SymbolKind::EnumMember => symbol.owner(),
        SymbolKind::Field => symbol.owner().filter(|owner| is_record(&symbol.here, owner)),
        _ => Some(&symbol.row).filter(|row| is_record(&symbol.here, row)),
    }
}

/// Returns where constants are looked up by their names, or asked for them.
fn named_in(one: &FamilyText, of: &str) -> Vec<SourcePlace> {
    let text = &one.text;
    let mut places = Vec::new();
    for at in one.words(of) {
        let rest = &text[at + of.len()..];
        let argument = rest.strip_prefix(".valueOf(").map(str::trim_start);
        // A text that stands there is found as a mention.
        if argument.is_some_and(|argument| !argument.starts_with('"'))
            || rest.starts_with(".class") && text[..at].ends_with("valueOf(")
        {
            places.push(one.place(at, of.len()));
        }
    }
    if words_of(text, of).next().is_some() {
        for sign in [".name()", "::name", "::toString"] {
            places.extend(text.match_indices(sign).map(|(at, _)| one.place(at, sign.len())));
        }
    }
    places
}

/// Returns the calls of these names, and sums of texts, that are given a value of the type, in functions whose own text, or whose
/// class's fields, declare it. Adds the functions that print what they are given as an `Object`.
fn printed_in(
    symbol: &JavaRenamed,
    one: &FamilyText,
    (of, reach): (&str, &NameReach),
    calls: &[&str],
    forwarding: &mut Vec<String>,
) -> Vec<SourcePlace> {
    let text = &one.text;
    let mut places = Vec::new();
    let mut parts: Vec<(usize, &str)> = Vec::new();
    for call in calls {
        for at in words_of(text, call) {
            let open = at + call.len();
            if text[open..].starts_with('(') {
                parts.push((at, &text[open..close_bracket(text, open)]));
            }
        }
    }
    for (at, _) in text.match_indices('+') {
        let line_start = text[..at].rfind('\n').map_or(0, |at| at + 1);
        let line = &text[line_start..];
        let line = &line[..line.find('\n').unwrap_or(line.len())];
        if line.contains('"') {
            parts.push((at, line));
        }
    }
    for (at, _) in text.match_indices(".toString()") {
        let receiver = text[..at].trim_end_matches(|c| is_word(c) || c == '.').len();
        parts.push((at, &text[receiver..at]));
    }
    if parts.is_empty() {
        return places;
    }
    let Some(here) = one.current(symbol.resolver) else { return places };
    for (at, part) in parts {
        let byte = u32::try_from(at).unwrap_or(u32::MAX);
        let is_around = |row: &&Row| {
            row.start <= byte
                && byte < row.end
                && matches!(row.kind(), SymbolKind::Method | SymbolKind::Function | SymbolKind::Constructor)
        };
        let function = here.outline.rows.iter().find(is_around);
        let around = function.and_then(|row| text.get(row.start as usize..row.end as usize)).unwrap_or("");
        if values_in(part).any(|value| is_of_type(value, (around, text), of, reach)) {
            places.push(one.place(at, 1));
            continue;
        }
        let head = around.split('{').next().unwrap_or("");
        if let Some(row) = function.filter(|_| words_of(head, "Object").next().is_some()) {
            forwarding.push(here.outline.name(row).to_owned());
        }
    }
    places
}

/// Returns the values in an expression, as written: names with what stands before their dots, `this` of a member, calls without
/// their arguments. Texts are left out.
fn values_in(part: &str) -> impl Iterator<Item = &str> {
    let unquoted = part.split('"').step_by(2);
    unquoted.flat_map(|code| {
        code.split(|c: char| !(is_word(c) || matches!(c, '.'))).filter(|value| !value.is_empty())
    })
}

/// Whether a value is a constant of the type, a variable that the function or the file declares with the type, or something whose last
/// name is that of a function or variable of the reach.
fn is_of_type(value: &str, (function, file): (&str, &str), of: &str, reach: &NameReach) -> bool {
    let mut names = value.rsplit('.');
    let last = names.next().unwrap_or("");
    let before = names.next().unwrap_or("");
    // `Color.GREEN`, `new Point`: what is called on it is another value.
    if before == of
        && !last.is_empty()
        && last.chars().all(|c| c.is_uppercase() || c == '_' || c.is_numeric())
    {
        return true;
    }
    if value == of || last.is_empty() {
        return value == of;
    }
    let declares = |text: &str| {
        words_of(text, last).any(|at| {
            let left = text[..at].trim_end();
            let generic = left.strip_suffix('>').map_or(left, |left| left.rsplit('<').next().unwrap_or(left));
            last_word(left) == of || last_word(generic.trim_end_matches("[]")) == of
        })
    };
    let is_made = || {
        words_of(function, last).any(|at| {
            let rest = function[at + last.len()..].trim_start();
            let made = rest.strip_prefix('=').filter(|rest| !rest.starts_with('='));
            made.is_some_and(|made| {
                let made = &made[..made.find(';').unwrap_or(made.len())];
                reach.is_in(made)
            })
        })
    };
    let is_known = last != of && value.contains('(') && reach.is_in(last);
    declares(function)
        || is_known
        || is_made()
        || before == "this" && declares(file)
        || before.is_empty() && words_of(function, of).next().is_none() && declares(file)
}
