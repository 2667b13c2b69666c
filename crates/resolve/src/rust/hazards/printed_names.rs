//! Names that derives print or write out: `{:?}` those of fields, variants and types, serde and the like those of fields and variants.

use std::collections::BTreeSet;

use super::RustRenamed;
use super::spelled_names::{catches_panics, macros_around};
use crate::brackets::close_bracket;
use crate::conflicts::SourcePlace;
use crate::context::{first_word, is_word, last_word};
use crate::family_texts::{FamilyText, FamilyTexts, words_of};
use crate::lookup::{is_harmless, rust_attributes};
use crate::name_reach::NameReach;
use crate::rename_hazard::RenameHazard;
use crate::resolver::CurrentFile;
use crate::scope::outermost_function;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_syntax::{Row, SymbolKind};

/// Macros that print in a failure only: by `Debug` what their texts say so of.
const ASSERTIONS: [&str; 6] =
    ["assert", "assert_eq", "assert_ne", "debug_assert", "debug_assert_eq", "debug_assert_ne"];

/// Those of them that print the values which they compare.
const COMPARISONS: [&str; 4] = ["assert_eq", "assert_ne", "debug_assert_eq", "debug_assert_ne"];

/// How many functions and macros are followed that print what they are given.
const MAX_FORWARDING: usize = 200;

/// Calls that print what a value holds by `Debug`.
const DEBUG_CALLS: [&str; 6] =
    ["Debug::fmt", ".debug_struct", ".debug_tuple", ".debug_list", ".debug_set", ".debug_map"];

/// Calls that panic with what an error prints by `Debug`.
const UNWRAPPING: [&str; 4] = [".unwrap", ".expect", ".unwrap_err", ".expect_err"];

/// Where a text prints by `Debug`: the byte, the number of bytes to show, and what is printed.
struct DebugPrint<'t> {
    at: usize,
    length: usize,
    arguments: &'t str,
}

/// What prints values that it is given, by its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Forwarding {
    Function(String),
    Macro(String),
    /// A field that holds such a function.
    Field(String),
}

impl Forwarding {
    fn name(&self) -> &str {
        let (Forwarding::Function(name) | Forwarding::Macro(name) | Forwarding::Field(name)) = self;
        name
    }

    /// Whether `text`, which has its name at byte `at`, calls it there, or takes it as a value that will be called: `show::<T>(x)`,
    /// `for_each(show)`, `[show]`, `let f = &show`, `(p.print)(x)`.
    fn is_called(&self, text: &str, at: usize) -> bool {
        let behind = &text[at + self.name().len()..];
        match self {
            Forwarding::Function(_) => {
                let behind = behind_type_arguments(behind);
                behind.starts_with('(') || is_function_value(text, at, behind)
            }
            Forwarding::Macro(_) => {
                behind.strip_prefix('!').is_some_and(|rest| rest.trim_start().starts_with(['(', '[', '{']))
            }
            // `p.print(x)` calls a method, and `p.print = show` sets the field.
            Forwarding::Field(_) => {
                let behind = behind.trim_start();
                let is_set = behind.starts_with('=') && !behind.starts_with("==");
                text[..at].ends_with('.')
                    && !text[..at].ends_with("..")
                    && !is_set
                    && !behind.starts_with(['(', ':'])
            }
        }
    }
}

/// Whether the name at byte `at`, with `behind` behind it and its type arguments, stands where a value does.
fn is_function_value(text: &str, at: usize, behind: &str) -> bool {
    let before = text[..at].trim_end_matches(|c: char| is_word(c) || c == ':').trim_end();
    let is_value = before.ends_with(['(', ',', '[', '=', '&', ':', '{', '|', ';', '}'])
        || before.ends_with("=>")
        || matches!(last_word(before), "return" | "else" | "break");
    let behind = behind.trim_start();
    let is_end = behind.starts_with([')', ',', ']', ';', '}']) || first_word(behind) == "as";
    // `{show}` in a text is a variable's.
    is_value && is_end && !(text[..at].ends_with('{') && is_in_string(text, at))
}

/// Whether byte `at` stands in a string that its line opens.
fn is_in_string(text: &str, at: usize) -> bool {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    line.replace("\\\\", "").replace("\\\"", "").replace("'\"'", "").matches('"').count() % 2 == 1
}

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
        let (panics, is_error) = (catches_panics(texts), is_error(of, &derives, texts));
        let raising = if is_error { raising_functions(symbol, texts)? } else { NameReach::default() };
        for one in texts.iter() {
            symbol.resolver.cancel.check()?;
            places.extend(printed_in(symbol, &one, (&reach, &raising, panics), &mut forwarding));
            places.extend(returned_by_main(symbol, &one, &reach, is_error));
        }
        let (handed, is_whole) = handed_on(symbol, texts, &reach, forwarding)?;
        places.extend(handed);
        if !is_whole {
            found.push(RenameHazard::doubt_without_place(format!(
                "more than {MAX_FORWARDING} functions and macros print what they are given; calls of others that call them were \
                 not looked at, and may print '{name}'"
            )));
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

/// Returns where a text prints by `Debug`, in functions that mention the reach, or are the type's own, or print an error that functions
/// of `raising` gave them.
fn printed_in(
    symbol: &RustRenamed,
    one: &FamilyText,
    (reach, raising, catches_panics): (&NameReach, &NameReach, bool),
    forwarding: &mut Vec<Forwarding>,
) -> Vec<SourcePlace> {
    let mut places = Vec::new();
    let prints = debug_prints(&one.text, catches_panics);
    if prints.is_empty() {
        return places;
    }
    let Some(here) = one.current(symbol.resolver) else { return places };
    for print in prints {
        if let Some((_, body)) = macro_around(&one.text, print.at)
            && reach.is_in(body)
        {
            places.push(one.place(print.at, print.length));
            continue;
        }
        let Some(function) = outermost_function(&here, print.at) else {
            forwarding.extend(forwarding_at(&here, &one.text, print.at));
            continue;
        };
        let text = here.text_of(function);
        let names_error = || {
            ["e", "err", "error", "cause", "source", "why"]
                .iter()
                .any(|name| words_of(print.arguments, name).next().is_some())
        };
        if has_in_hand(&here, print.at, print.arguments, reach) || names_error() && raising.is_in(text) {
            places.push(one.place(print.at, print.length));
            continue;
        }
        forwarding.extend(forwarding_at(&here, &one.text, print.at));
    }
    places
}

/// Finds where values of the reach are handed to what prints all that it is given, itself or by others; and whether all of these were
/// followed.
fn handed_on(
    symbol: &RustRenamed,
    texts: &FamilyTexts,
    reach: &NameReach,
    mut open: Vec<Forwarding>,
) -> Result<(Vec<SourcePlace>, bool), Cancelled> {
    let (mut places, mut known) = (Vec::new(), BTreeSet::new());
    loop {
        open.retain(|one| !known.contains(one));
        if open.is_empty() || known.len() >= MAX_FORWARDING {
            return Ok((places, open.is_empty()));
        }
        open.retain(|one| known.insert(one.clone()));
        let names: Vec<String> = open.iter().map(|one| one.name().to_owned()).collect();
        let mut next = Vec::new();
        for one in texts.with_any(&names) {
            symbol.resolver.cancel.check()?;
            let Some(here) = one.current(symbol.resolver) else { continue };
            for called in &open {
                let name = called.name();
                for at in one.words(name).filter(|at| called.is_called(&one.text, *at)) {
                    if has_in_hand(&here, at, "", reach) || is_for_values(&here, at, reach) {
                        places.push(one.place(at, name.len()));
                        continue;
                    }
                    next.extend(
                        forwarding_at(&here, &one.text, at)
                            .or_else(|| giver_of(&here, &one.text, called, at)),
                    );
                    next.extend(field_set(&one.text, called, at));
                }
            }
        }
        open = next;
    }
}

/// Returns what stands behind the type arguments with which a text begins, if it does: `(x)` of `::<T>(x)`.
fn behind_type_arguments(text: &str) -> &str {
    let Some(list) = text.strip_prefix("::").map(str::trim_start).filter(|list| list.starts_with('<')) else {
        return text;
    };
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(byte) = list.as_bytes().get(at) {
        match byte {
            b'<' => depth += 1,
            // Not that of an arrow: `fn(T) -> U`.
            b'>' if !list[..at].ends_with('-') => depth -= 1,
            // An array's length, and a constant's expression.
            b'[' | b'(' | b'{' => at = close_bracket(list, at) - 1,
            b';' => return text,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return &list[at..];
        }
    }
    text
}

/// Returns the macro, or the function of values that only have to be printable, that prints by what stands at byte `at`.
fn forwarding_at(here: &CurrentFile, text: &str, at: usize) -> Option<Forwarding> {
    if let Some((name, _)) = macro_around(text, at) {
        return Some(Forwarding::Macro(name.to_owned()));
    }
    let function = outermost_function(here, at)?;
    let whole = text.get(function.start as usize..function.end as usize)?;
    let head = whole.split('{').next()?;
    let is_any = ["Debug", "dyn ", "impl "].iter().any(|sign| head.contains(sign));
    is_any.then(|| Forwarding::Function(here.outline.name(function).to_owned()))
}

/// Returns the function that may return `called`, which it has as a value at byte `at`: `fn printer() -> fn(E) { show }`.
fn giver_of(here: &CurrentFile, text: &str, called: &Forwarding, at: usize) -> Option<Forwarding> {
    let behind = behind_type_arguments(&text[at + called.name().len()..]);
    if !matches!(called, Forwarding::Function(_)) || !is_function_value(text, at, behind) {
        return None;
    }
    let function = outermost_function(here, at)?;
    let whole = text.get(function.start as usize..function.end as usize)?;
    let (_, result) = whole.split('{').next()?.split_once("->")?;
    let result = result.split("where").next().unwrap_or_default();
    let is_function = result.contains("fn(") || result.contains("Fn");
    let end = function.end as usize;
    let gives = is_function
        || is_returned(
            &text[function.start as usize..end],
            at - function.start as usize,
            behind.len() - (text.len() - end),
        );
    gives.then(|| Forwarding::Function(here.outline.name(function).to_owned()))
}

/// Returns the field that is set to `called`, a function that stands as a value at byte `at`: `P { print: show }`, `p.print = Some(show)`.
fn field_set(text: &str, called: &Forwarding, at: usize) -> Option<Forwarding> {
    let Forwarding::Function(name) = called else { return None };
    let behind = behind_type_arguments(&text[at + name.len()..]).trim_start();
    if !is_function_value(text, at, behind) {
        return None;
    }
    let mut before = text[..at].trim_end_matches(|c: char| is_word(c) || c == ':').trim_end();
    if before.ends_with(['{', ',']) && behind.starts_with(['}', ',']) {
        // `P { show }`
        return Some(Forwarding::Field(name.clone()));
    }
    while let Some(outer) = before.strip_suffix(['&', '(']) {
        before = outer.trim_end_matches(|c: char| is_word(c) || c == ':').trim_end();
    }
    let field = match before.strip_suffix('=') {
        Some(object) => {
            let field = last_word(object.trim_end());
            Some(field)
                .filter(|field| object.trim_end()[..object.trim_end().len() - field.len()].ends_with('.'))
        }
        None => before.strip_suffix(':').map(|field| last_word(field.trim_end())),
    };
    field.filter(|field| !field.is_empty()).map(|field| Forwarding::Field(field.to_owned()))
}

/// Whether the value at byte `at` of a function's text, with `rest` bytes of the function behind it, may be in what the function returns.
fn is_returned(function: &str, at: usize, rest: usize) -> bool {
    let is_closer = |c: char| c.is_whitespace() || ")]},".contains(c);
    let statement = function[..at].rsplit(';').next().unwrap_or_default();
    let before = function[..at].trim_end();
    // A block's value, and that of a branch.
    let is_tail = before.ends_with(['{', '}', ';']) || before.ends_with("=>");
    let behind = &function[function.len() - rest..];
    let last = function.trim_end_matches(is_closer).rsplit([';', '{', '}']).next().unwrap_or_default();
    let bound = statement
        .rsplit_once("let ")
        .map(|(_, rest)| first_word(rest.trim_start().trim_start_matches("mut ")));
    is_tail && behind.trim_start().starts_with(['}', ','])
        || words_of(statement, "return").next().is_some()
        || behind.trim_matches(is_closer).is_empty()
        || bound.is_some_and(|name| words_of(last, name).next().is_some())
}

/// Whether byte `at` stands outside of functions in a constant or a variable for values of the reach: `const SHOW: fn(E) = show;`.
fn is_for_values(here: &CurrentFile, at: usize, reach: &NameReach) -> bool {
    let byte = u32::try_from(at).unwrap_or(u32::MAX);
    let is_around = |row: &&Row| {
        matches!(row.kind(), SymbolKind::Constant | SymbolKind::Variable)
            && row.start <= byte
            && byte < row.end
    };
    outermost_function(here, at).is_none()
        && here.outline.rows.iter().filter(is_around).any(|row| reach.is_in(here.text_of(row)))
}

/// Returns the macro in whose definition byte `at` stands: its name and its rules.
fn macro_around(text: &str, at: usize) -> Option<(&str, &str)> {
    const SIGN: &str = "macro_rules!";
    let start = text[..at].rfind(SIGN)? + SIGN.len();
    let rest = text[start..].trim_start();
    let open = text.len() - rest.len() + rest.find(['{', '(', '['])?;
    let end = close_bracket(text, open);
    (open < at && at < end).then(|| (first_word(rest), &text[open..end]))
}

/// Finds where a text prints by `Debug`, with what panics print if the program reads that.
fn debug_prints(text: &str, catches_panics: bool) -> Vec<DebugPrint<'_>> {
    let mut found = Vec::new();
    let arguments_at = |open: usize| &text[open..close_bracket(text, open)];
    for (at, _) in text.match_indices("?}") {
        let Some((start, name)) = macros_around(text, at).next() else { continue };
        if catches_panics || !ASSERTIONS.contains(&name) {
            let length = name.len();
            found.push(DebugPrint { at: start, length, arguments: arguments_at(start + length + 1) });
        }
    }
    let mut called = |name: &str, signs: &[char]| {
        for (at, _) in text.match_indices(name) {
            let open = at + name.len();
            let is_word =
                !name.starts_with('.') && text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            if !is_word && text[open..].starts_with(signs) {
                let (at, length) = (at, name.trim_end_matches('!').len());
                found.push(DebugPrint { at, length, arguments: arguments_at(open) });
            }
        }
    };
    called("dbg!", &['(', '[', '{']);
    for name in DEBUG_CALLS {
        called(name, &['(']);
    }
    if catches_panics {
        for name in COMPARISONS {
            called(&format!("{name}!"), &['(']);
        }
    }
    for name in UNWRAPPING.iter().filter(|_| catches_panics) {
        for (at, _) in text.match_indices(name) {
            if text[at + name.len()..].starts_with('(') {
                found.push(DebugPrint { at: at + 1, length: name.len() - 1, arguments: "" });
            }
        }
    }
    found
}

/// Returns the name of `main` where it returns an error of the reach, or any error: Rust prints that by `Debug`.
fn returned_by_main(
    symbol: &RustRenamed,
    one: &FamilyText,
    reach: &NameReach,
    is_error: bool,
) -> Option<SourcePlace> {
    if !one.text.contains("fn main(") {
        return None;
    }
    let here = one.current(symbol.resolver)?;
    let is_main = |row: &&Row| row.parent().is_none() && here.outline.name(row) == "main";
    let row = here.outline.rows.iter().find(is_main)?;
    let text = here.text.as_str().get(row.name_start as usize..row.end as usize)?;
    let result = text.split('{').next()?.split_once("->")?.1;
    let is_any = is_error && is_any_error(result);
    (reach.is_in(result) || is_any).then(|| one.place(row.name_start as usize, "main".len()))
}

/// Whether a type is one that holds errors of any type.
fn is_any_error(result: &str) -> bool {
    ["dyn Error", "error::Error", "dyn std::error", "anyhow", "eyre"].iter().any(|sign| result.contains(sign))
}

/// Whether the type is an error for others: it implements the trait.
fn is_error(of: &str, derives: &[&str], texts: &FamilyTexts) -> bool {
    let signs = [format!("Error for {of}"), format!("Error> for {of}")];
    derives.iter().any(|derive| words_of(derive, "Error").next().is_some())
        || texts.iter().any(|one| signs.iter().any(|sign| one.text.contains(sign)))
}

/// Returns the functions that return errors of any type.
fn raising_functions(symbol: &RustRenamed, texts: &FamilyTexts) -> Result<NameReach, Cancelled> {
    let mut names = Vec::new();
    for one in texts.iter().filter(|one| is_any_error(&one.text)) {
        symbol.resolver.cancel.check()?;
        let Some(here) = one.current(symbol.resolver) else { continue };
        for row in here.outline.rows.iter() {
            let text = here.text_from_name(row);
            let result = text.split('{').next().and_then(|head| head.split_once("->"));
            let is_function = matches!(row.kind(), SymbolKind::Function | SymbolKind::Method);
            if is_function && result.is_some_and(|(_, result)| is_any_error(result)) {
                names.push(here.outline.name(row).to_owned());
            }
        }
    }
    Ok(NameReach::of_names(names))
}

/// Whether the function around byte `at` mentions the reach, or is a method of it that prints itself.
fn has_in_hand(here: &CurrentFile, at: usize, arguments: &str, reach: &NameReach) -> bool {
    let Some(function) = outermost_function(here, at) else { return false };
    let text = here.text_of(function);
    let is_own = || {
        let parent = function.parent().map(|at| here.outline.name(&here.outline.rows[at]));
        arguments.contains("self") && parent.is_some_and(|parent| reach.is_in(parent))
    };
    reach.is_in(text) || is_own()
}
