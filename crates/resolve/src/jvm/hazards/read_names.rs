//! Code that reads the names of members: reflection, mappers that write values out and read them in. What a call is given is not known:
//! its method has to mention the type, or what holds it.

use super::JavaRenamed;
use crate::brackets::close_bracket;
use crate::conflicts::SourcePlace;
use crate::family_texts::{FamilyTexts, words_of};
use crate::name_reach::NameReach;
use crate::rename_hazard::RenameHazard;
use crate::resolver::CurrentFile;
use crate::scope::outermost_function;
use symd_base::cancel::Cancelled;
use symd_syntax::{Row, SymbolKind};

/// How often a value is handed on as an `Object`, or a class as a `Class`.
const MAX_FORWARDS: usize = 3;

/// Calls that list or look up methods, and fields; what is looked up by a text that stands there is found as a mention.
const METHODS: [&str; 8] = [
    "getMethod",
    "getDeclaredMethod",
    "getMethods",
    "getDeclaredMethods",
    "getBeanInfo",
    "findVirtual",
    "findStatic",
    "newProxyInstance",
];
const FIELDS: [&str; 7] = [
    "getField",
    "getDeclaredField",
    "getFields",
    "getDeclaredFields",
    "getRecordComponents",
    "getBeanInfo",
    "findVarHandle",
];

/// Calls of mappers, which read accessors and fields.
const MAPPING: [&str; 7] = [
    "writeValueAsString",
    "writeValueAsBytes",
    "writeValue",
    "readValue",
    "convertValue",
    "toJson",
    "fromJson",
];

pub(super) fn find(symbol: &JavaRenamed, texts: &FamilyTexts) -> Result<Vec<RenameHazard>, Cancelled> {
    let mut found = Vec::new();
    let old = &symbol.old;
    let Some(owner) = symbol.owner() else { return Ok(found) };
    let of = symbol.here.outline.name(owner).to_owned();
    let mut calls: Vec<&str> = match symbol.row.kind() {
        SymbolKind::Method => METHODS.to_vec(),
        SymbolKind::Field | SymbolKind::Constant => FIELDS.to_vec(),
        _ => return Ok(found),
    };
    let annotations = symbol.head(&symbol.row);
    let has_key =
        ["@JsonProperty(", "@SerializedName(", "@JsonIgnore"].iter().any(|it| annotations.contains(it));
    let is_static = annotations.split_whitespace().any(|word| word == "static");
    if !has_key && !is_static && (symbol.row.kind() == SymbolKind::Field || is_accessor(old)) {
        calls.extend(MAPPING);
    }
    // An heir's members are its own and those that it inherits.
    let mut types = vec![of.clone()];
    if let Some(parent) = symbol.row.parent() {
        let class = symbol.here.target(parent);
        let heirs = crate::hierarchy::subclasses::heirs(symbol.resolver, &class)?;
        types.extend(heirs.iter().map(|heir| heir.name().to_owned()));
    }
    let reach = NameReach::of(symbol.resolver, texts, types)?;
    let mut places = reading_places(symbol, texts, &calls, &reach)?;
    if symbol.row.kind() == SymbolKind::Method {
        places.extend(reading_places(symbol, texts, &["getMethodName"], &NameReach::of_name(old))?);
    }
    let text = format!("code here may read the name '{old}' from a class or a value of '{of}'");
    found.extend(RenameHazard::doubt(text, places));
    Ok(found)
}

fn is_accessor(name: &str) -> bool {
    ["get", "is", "set"]
        .iter()
        .any(|prefix| name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(char::is_uppercase)))
}

/// Returns the calls of these names in methods that mention the reach, and calls of the methods that hand on what they are given.
fn reading_places(
    symbol: &JavaRenamed,
    texts: &FamilyTexts,
    calls: &[&str],
    reach: &NameReach,
) -> Result<Vec<SourcePlace>, Cancelled> {
    let mut places = Vec::new();
    let mut names: Vec<String> = calls.iter().map(|&call| call.to_owned()).collect();
    let mut known = names.clone();
    for step in 0..=MAX_FORWARDS {
        let mut forwarding = Vec::new();
        for one in texts.with_any(&names) {
            symbol.resolver.cancel.check()?;
            let mut current = None;
            for name in &names {
                let is_call = |at: &usize| {
                    let rest = &one.text[at + name.len()..];
                    rest.starts_with('(') && (step > 0 || !is_plain_lookup(name, rest))
                };
                for at in one.words(name).filter(is_call) {
                    if current.is_none() {
                        current = one.current(symbol.resolver);
                    }
                    let Some(here) = &current else { continue };
                    let Some(row) = outermost_function(here, at) else { continue };
                    let text = here.text_of(row);
                    if here.outline.name(row) == name {
                        continue;
                    }
                    if reach.is_in(text) || is_in_own_class(here, row, text, reach) {
                        places.push(one.place(at, name.len()));
                        continue;
                    }
                    let head = text.split('{').next().unwrap_or("");
                    if ["Object", "Class", "T"].iter().any(|any| words_of(head, any).next().is_some()) {
                        forwarding.push(here.outline.name(row).to_owned());
                    }
                }
            }
        }
        forwarding.sort();
        forwarding.dedup();
        forwarding.retain(|name| !known.contains(name));
        known.extend(forwarding.iter().cloned());
        names = forwarding;
        if names.is_empty() {
            break;
        }
    }
    Ok(places)
}

/// Whether a call looks a single member up by a text that stands there.
fn is_plain_lookup(name: &str, rest: &str) -> bool {
    let arguments = &rest[1..close_bracket(rest, 0).max(1)];
    let first = arguments.split([',', ')']).next().unwrap_or("").trim();
    let is_lookup = matches!(name, "getMethod" | "getDeclaredMethod" | "getField" | "getDeclaredField");
    is_lookup && first.len() > 1 && first.starts_with('"') && first.ends_with('"') && !first.contains('+')
}

/// Whether a method of a class of the reach reads its own class: `getClass()`, `this`.
fn is_in_own_class(here: &CurrentFile, row: &Row, text: &str, reach: &NameReach) -> bool {
    let class = row.parent().map(|at| here.outline.name(&here.outline.rows[at]));
    class.is_some_and(|class| reach.is_in(class)) && (text.contains("getClass()") || text.contains("this"))
}
