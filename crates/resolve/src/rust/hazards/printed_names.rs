//! Names that derives print or write out: `{:?}` those of fields, variants and types, serde and the like those of fields and variants.

use super::RustRenamed;
use crate::brackets::close_bracket;
use crate::conflicts::SourcePlace;
use crate::family_texts::{FamilyText, FamilyTexts};
use crate::lookup::{is_harmless, rust_attributes};
use crate::name_reach::NameReach;
use crate::rename_hazard::RenameHazard;
use crate::resolver::CurrentFile;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_syntax::{Row, SymbolKind};

/// Macros that write what they are given where the program's users see it; those of assertions show it in a failure only.
const PRINTING: [&str; 9] =
    ["print!", "println!", "eprint!", "eprintln!", "format!", "write!", "writeln!", "format_args!", "dbg!"];

pub(super) fn find(symbol: &RustRenamed, texts: &FamilyTexts) -> Result<Vec<RenameHazard>, Cancelled> {
    use SymbolKind::{Class, Enum, EnumMember, Field, Struct};
    let mut found = Vec::new();
    if !matches!(symbol.row.kind(), Field | EnumMember | Struct | Enum | Class) {
        return Ok(found);
    }
    let Some(of) = symbol.type_name() else { return Ok(found) };
    let Some(owner) = owner_row(symbol) else { return Ok(found) };
    let derives: Vec<&str> =
        rust_attributes(&symbol.here.text, owner).filter(|one| one.starts_with("derive")).collect();
    let name = &symbol.old;
    let is_part = matches!(symbol.row.kind(), Field | EnumMember);
    let has_own_name = rust_attributes(&symbol.here.text, &symbol.row).any(|one| one.contains("rename"));
    let written = derives.iter().find(|derive| !is_harmless(derive)).filter(|_| is_part && !has_own_name);
    if let Some(derive) = written {
        let length = u32::from(owner.name_len);
        let range = TextRange::new(owner.name_start, owner.name_start.saturating_add(length));
        let place = (symbol.here.file.path.clone(), range);
        let text = format!("#[{}] may use the name '{name}' in what it makes", derive.replace('\n', " "));
        found.extend(RenameHazard::doubt(text, vec![place]));
    }
    let has_debug = |derive: &&str| derive.split(|c: char| !c.is_alphanumeric()).any(|word| word == "Debug");
    // An enumeration's own name is not printed.
    if derives.iter().any(has_debug) && symbol.row.kind() != Enum {
        let reach = NameReach::of(symbol.resolver, texts, [of.to_owned()])?;
        let (mut places, mut forwarding) = (Vec::new(), Vec::new());
        for one in texts.iter().filter(|one| one.text.contains("?}") || one.text.contains("dbg!")) {
            symbol.resolver.cancel.check()?;
            places.extend(printed_in(symbol, &one, &reach, &mut forwarding));
        }
        // What takes a value that only has to be printable is found where it is called with one.
        for one in texts.with_any(&forwarding) {
            let Some(here) = one.current(symbol.resolver) else { continue };
            for name in &forwarding {
                let is_call = |at: &usize| {
                    one.text[at + name.len()..].starts_with('(') && has_in_hand(&here, *at, "", &reach)
                };
                places.extend(one.words(name).filter(is_call).map(|at| one.place(at, name.len())));
            }
        }
        let text = format!("'{name}' is printed here, if the value is, or holds, one of '{of}'");
        found.extend(RenameHazard::doubt(text, places));
    }
    Ok(found)
}

/// Returns the row of the type that has the attributes.
fn owner_row<'q>(symbol: &'q RustRenamed) -> Option<&'q Row> {
    let mut row = &symbol.row;
    while matches!(row.kind(), SymbolKind::Field | SymbolKind::EnumMember) {
        row = &symbol.here.outline.rows[row.parent()?];
    }
    Some(row)
}

/// Returns where a text prints by `Debug`, in functions that mention the reach, or are the type's own.
fn printed_in(
    symbol: &RustRenamed,
    one: &FamilyText,
    reach: &NameReach,
    forwarding: &mut Vec<String>,
) -> Vec<SourcePlace> {
    let text = &one.text;
    let mut places = Vec::new();
    let mut current = None;
    for printing in PRINTING {
        for (at, _) in text.match_indices(printing) {
            let open = at + printing.len();
            let is_word = text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            if is_word || !text[open..].starts_with(['(', '[', '{']) {
                continue;
            }
            let arguments = &text[open..close_bracket(text, open)];
            if printing != "dbg!" && !["?}", "?}}"].iter().any(|verb| arguments.contains(verb)) {
                continue;
            }
            if current.is_none() {
                current = one.current(symbol.resolver);
            }
            let Some(here) = &current else { return places };
            if has_in_hand(here, at, arguments, reach) {
                places.push(one.place(at, printing.len() - 1));
            } else if let Some(function) = function_around(here, at) {
                let text = here.text.as_str().get(function.start as usize..function.end as usize);
                let head = text.and_then(|text| text.split('{').next()).unwrap_or("");
                if ["Debug", "dyn ", "impl "].iter().any(|sign| head.contains(sign)) {
                    forwarding.push(here.outline.name(function).to_owned());
                }
            }
        }
    }
    places
}

/// Returns the outermost function around byte `at`.
fn function_around(here: &CurrentFile, at: usize) -> Option<&Row> {
    let byte = u32::try_from(at).unwrap_or(u32::MAX);
    let is_function = |row: &Row| matches!(row.kind(), SymbolKind::Function | SymbolKind::Method);
    here.outline.rows.iter().find(|row| row.start <= byte && byte < row.end && is_function(row))
}

/// Whether the function around byte `at` mentions the reach, or is a method of it that prints itself.
fn has_in_hand(here: &CurrentFile, at: usize, arguments: &str, reach: &NameReach) -> bool {
    let Some(function) = function_around(here, at) else { return false };
    let text = here.text.as_str().get(function.start as usize..function.end as usize).unwrap_or("");
    let is_own = || {
        let parent = function.parent().map(|at| here.outline.name(&here.outline.rows[at]));
        arguments.contains("self") && parent.is_some_and(|parent| reach.is_in(parent))
    };
    reach.is_in(text) || is_own()
}
