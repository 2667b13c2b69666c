//! Calls that read names from a value's type: encoders and `%+v` those of fields, `reflect` and `net/rpc` those of methods too, `%T`
//! and `encoding/xml` those of types. What a call is given is not known: its function has to mention the type, or what holds it.

use super::{GoOwner, GoRenamed, callers, is_exported, raised_values};
use crate::brackets::close_bracket;
use crate::conflicts::SourcePlace;
use crate::context::last_word;
use crate::family_texts::{FamilyText, FamilyTexts, words_of};
use crate::go::value_types::embeds;
use crate::name_reach::NameReach;
use crate::rename_hazard::RenameHazard;
use symd_base::cancel::Cancelled;
use symd_syntax::{Row, SymbolKind};

/// How often a value is handed on as an `any`.
const MAX_FORWARDS: usize = 3;

/// The packages whose calls write fields out or read them in, with the key of their tags.
const ENCODERS: [(&str, &str); 12] = [
    ("\"encoding/json\"", "json"),
    ("\"encoding/xml\"", "xml"),
    ("\"encoding/gob\"", ""),
    ("/yaml", "yaml"),
    ("/toml", "toml"),
    ("/mapstructure", "mapstructure"),
    ("/msgpack", "msgpack"),
    ("/bson\"", "bson"),
    ("/json-iterator", "json"),
    ("/gin\"", "json"),
    ("/echo", "json"),
    ("/envconfig", "envconfig"),
];

/// What the names of encoders' functions begin with.
const ENCODING: [&str; 9] = [
    "Marshal",
    "Unmarshal",
    "Encode",
    "Decode",
    "EncodeElement",
    "DecodeElement",
    "JSON",
    "BindJSON",
    "Process",
];

/// Calls of `reflect` by which names are read, by what has the names.
const FIELDS: [&str; 5] = [".Field(", ".FieldByName", ".NumField(", "VisibleFields(", ".FieldByIndex("];
const METHODS: [&str; 3] = [".Method(", ".MethodByName(", ".NumMethod("];
const TYPES: [&str; 3] = [".Name()", ".String()", ".PkgPath()"];

/// What has the name that a call reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NamedKind {
    Field,
    Method,
    Type,
    /// The type as the name of a field that embeds it.
    Embedding,
    Function,
}

pub(super) fn find(symbol: &GoRenamed, texts: &FamilyTexts) -> Result<Vec<RenameHazard>, Cancelled> {
    let old = &symbol.old;
    let mut found = Vec::new();
    let add = |kind: NamedKind, reach: &NameReach, what: &str, found: &mut Vec<RenameHazard>| {
        let places = reading_places(symbol, texts, kind, reach)?;
        let text = format!("code here may read the name '{old}' of {what} from the type of a value");
        found.extend(RenameHazard::doubt(text, places));
        Ok::<_, Cancelled>(())
    };
    match &symbol.owner {
        GoOwner::Struct(of) => {
            // Apart, so that an interface of many users does not end the search for what holds the struct.
            let interfaces = super::project_interfaces::satisfied(symbol, texts, of)?;
            let reach = NameReach::of(symbol.resolver, texts, [of.clone()])?.and(NameReach::of(
                symbol.resolver,
                texts,
                interfaces,
            )?);
            add(NamedKind::Field, &reach, "the field", &mut found)?;
            if symbol.has_method(of, "Error")? {
                let places = raised_values::encoded_errors(symbol, texts, of)?;
                let text =
                    format!("an error is written out here, with the field '{old}' if it is one of '{of}'");
                found.extend(RenameHazard::doubt(text, places));
            }
        }
        GoOwner::Receiver(of) => {
            if is_exported(old) || is_exported(symbol.new) {
                let reach = NameReach::of(symbol.resolver, texts, [of.clone()])?;
                add(NamedKind::Method, &reach, "the method", &mut found)?;
            }
            add(NamedKind::Function, &NameReach::of_name(old), "the method", &mut found)?;
        }
        GoOwner::Package if symbol.is_type() => {
            let reach = NameReach::of_values(symbol.resolver, texts, [old.clone()])?;
            add(NamedKind::Type, &reach, "the type", &mut found)?;
            let places = raised_values::panics_with(symbol, texts)?;
            let text = format!("a panic prints the type's name '{old}' here");
            found.extend(RenameHazard::doubt(text, places));
            let embedding = embedding_structs(symbol, texts)?;
            if !embedding.is_empty() {
                let reach = NameReach::of(symbol.resolver, texts, embedding)?;
                add(NamedKind::Embedding, &reach, "the field that embeds the type", &mut found)?;
            }
        }
        GoOwner::Package if symbol.row.kind() == SymbolKind::Function => {
            add(NamedKind::Function, &NameReach::of_name(old), "the function", &mut found)?;
            let text = format!("a function that '{old}' calls reads the names of its callers here");
            found.extend(RenameHazard::doubt(text, callers::readers(symbol, texts)?));
        }
        _ => {}
    }
    Ok(found)
}

/// Returns the calls that may read the name of a value of the reach.
fn reading_places(
    symbol: &GoRenamed,
    texts: &FamilyTexts,
    kind: NamedKind,
    reach: &NameReach,
) -> Result<Vec<SourcePlace>, Cancelled> {
    let mut places = Vec::new();
    let mut forwarding: Vec<String> = Vec::new();
    for one in texts.iter() {
        symbol.resolver.cancel.check()?;
        let readers = readers_in(symbol, &one.text, kind);
        add_reached(symbol, &one, readers, reach, &mut places, &mut forwarding);
    }
    let mut known: Vec<String> = Vec::new();
    for _ in 0..MAX_FORWARDS {
        forwarding.sort();
        forwarding.dedup();
        forwarding.retain(|name| !known.contains(name));
        let names = std::mem::take(&mut forwarding);
        for one in texts.with_any(&names) {
            symbol.resolver.cancel.check()?;
            let text = &one.text;
            let calls = |name: &String| {
                let is_call = |at: &usize| {
                    text[at + name.len()..].starts_with('(')
                        && !text[..*at].ends_with("func ")
                        && !text[..*at].ends_with(") ")
                };
                let length = name.len();
                words_of(text, name).filter(is_call).map(|at| (at, length)).collect::<Vec<_>>()
            };
            let readers = names.iter().flat_map(calls).collect();
            add_reached(symbol, &one, readers, reach, &mut places, &mut forwarding);
        }
        known.extend(names);
    }
    Ok(places)
}

/// Adds those calls whose functions mention the reach, and the functions that are given what they hand on as an `any`.
pub(super) fn add_reached(
    symbol: &GoRenamed,
    one: &FamilyText,
    readers: Vec<(usize, usize)>,
    reach: &NameReach,
    places: &mut Vec<SourcePlace>,
    forwarding: &mut Vec<String>,
) {
    if readers.is_empty() {
        return;
    }
    let Some(here) = one.current(symbol.resolver) else { return };
    for (at, length) in readers {
        let byte = u32::try_from(at).unwrap_or(u32::MAX);
        let is_around = |row: &&Row| row.parent().is_none() && row.start <= byte && byte < row.end;
        let Some(row) = here.outline.rows.iter().find(is_around) else { continue };
        let Some(around) = one.text.get(row.start as usize..row.end as usize) else { continue };
        if reach.is_in(around) {
            places.push(one.place(at, length));
        } else if matches!(row.kind(), SymbolKind::Function | SymbolKind::Method) {
            let head = around.split('{').next().unwrap_or("");
            // `interface{}` begins a body for the split above, which leaves its word in the head.
            if takes_any(symbol, head) {
                forwarding.push(here.outline.name(row).to_owned());
            }
        }
    }
}

/// Whether a function with this head takes what may be a value of any type, or of those that satisfy an interface of the project.
fn takes_any(symbol: &GoRenamed, head: &str) -> bool {
    let is_interface = |word: &str| {
        let declared = symbol.resolver.declared(word);
        declared.is_ok_and(|all| {
            all.iter().any(|one| one.row().is_some_and(|(_, row)| row.kind() == SymbolKind::Interface))
        })
    };
    let mut words = head.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    words.any(|word| matches!(word, "any" | "interface") || is_interface(word))
}

/// Returns where calls that read names of this kind stand in a text, with their lengths.
fn readers_in(symbol: &GoRenamed, text: &str, kind: NamedKind) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    if kind != NamedKind::Function {
        found.extend(encoders_in(symbol, text, kind));
        found.extend(printed_in(text, kind));
    }
    let signs: &[&str] = match kind {
        NamedKind::Field | NamedKind::Embedding => &FIELDS,
        NamedKind::Method => &METHODS,
        NamedKind::Type => &TYPES,
        NamedKind::Function => &[],
    };
    if text.contains("\"reflect\"") && signs.iter().any(|sign| text.contains(sign)) {
        for call in ["reflect.TypeOf", "reflect.ValueOf"] {
            found.extend(text.match_indices(call).map(|(at, _)| (at, call.len())));
        }
    }
    if matches!(kind, NamedKind::Method | NamedKind::Type) && text.contains("\"net/rpc\"") {
        found.extend(words_of(text, "Register").map(|at| (at, "Register".len())));
    }
    if kind == NamedKind::Function && text.contains("\"runtime\"") {
        for call in ["runtime.Caller(", "runtime.FuncForPC(", "runtime.CallersFrames("] {
            found.extend(text.match_indices(call).map(|(at, _)| (at, call.len() - 1)));
        }
    }
    found
}

/// Returns the calls of encoders that read the renamed field.
pub(super) fn field_encoders(symbol: &GoRenamed, text: &str) -> Vec<(usize, usize)> {
    encoders_in(symbol, text, NamedKind::Field)
}

/// Returns the calls of encoders that read names of this kind.
fn encoders_in(symbol: &GoRenamed, text: &str, kind: NamedKind) -> Vec<(usize, usize)> {
    if kind == NamedKind::Method {
        return Vec::new();
    }
    let imports = &text[..text.find("\nfunc ").unwrap_or(text.len())];
    let reads = |(import, key): &&(&str, &str)| {
        imports.contains(import)
            && match kind {
                NamedKind::Field => {
                    (is_exported(&symbol.old) || is_exported(symbol.new))
                        && (symbol.changes_visibility() || !has_key(symbol.behind(), key))
                }
                NamedKind::Type => matches!(*key, "" | "xml"),
                // The fields of an embedded struct are those of the one around it.
                NamedKind::Embedding => {
                    symbol.changes_visibility() || symbol.row.kind() != SymbolKind::Struct || key.is_empty()
                }
                NamedKind::Method | NamedKind::Function => false,
            }
    };
    if ENCODERS.iter().find(reads).is_none() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for name in ENCODING {
        for (at, _) in text.match_indices(name) {
            let rest = &text[at + name.len()..];
            let word = &rest[..rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len())];
            if text[..at].ends_with('.') && rest[word.len()..].starts_with('(') {
                found.push((at, name.len() + word.len()));
            }
        }
    }
    if kind == NamedKind::Type {
        found.extend(text.match_indices("gob.Register(").map(|(at, sign)| (at, sign.len() - 1)));
    }
    found
}

/// Whether a field's tag gives it a name for an encoder.
fn has_key(behind: &str, key: &str) -> bool {
    let wanted = format!("{key}:\"");
    let named = (!key.is_empty()).then(|| behind.split(&wanted).nth(1)).flatten();
    named.is_some_and(|name| !name.starts_with([',', '"']))
}

/// Returns the format strings that print names of this kind: `%+v` those of fields, `%T` that of a type, `%#v` both.
fn printed_in(text: &str, kind: NamedKind) -> Vec<(usize, usize)> {
    let verbs: &[&str] = match kind {
        NamedKind::Field | NamedKind::Embedding => &["%+v", "%#v"],
        NamedKind::Type => &["%T", "%#v"],
        NamedKind::Method | NamedKind::Function => &[],
    };
    let mut found = Vec::new();
    for verb in verbs {
        for (at, _) in text.match_indices(verb) {
            let line = text[..at].rfind('\n').map_or(0, |at| at + 1);
            let Some(open) = text[line..at].rfind(['"', '`']).map(|open| line + open) else { continue };
            if prints_argument(text, open, at) && !is_in_default(text, at) {
                found.push((at, verb.len()));
            }
        }
    }
    found
}

/// Whether the verb at byte `at`, in a format that begins at byte `open`, prints something that may be a value of a type of the
/// project: no error, text or number.
fn prints_argument(text: &str, open: usize, at: usize) -> bool {
    let before = text[open..at].replace("%%", "");
    let number = before.matches('%').count();
    let Some(call) = text[..open].rfind('(') else { return true };
    // A parenthesis in the format may close it before the verb.
    let close = close_bracket(text, call);
    let quote = &text[open..=open];
    let Some(end) = text.get(at..close).and_then(|rest| rest.find(quote)).map(|end| at + end + 1) else {
        return true;
    };
    let arguments = text.get(end..close.saturating_sub(1)).unwrap_or("");
    let mut depth = 0_usize;
    let mut items = arguments.split(|c: char| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    let Some(argument) = items.nth(number + 1) else { return true };
    let argument = argument.trim();
    let name = last_word(argument).to_lowercase();
    !(name.ends_with("err") || name == "error" || argument.ends_with('"') || argument.starts_with("len("))
}

/// Whether byte `at` is in the `default` of a `switch`: what is printed there is of none of the types above.
fn is_in_default(text: &str, at: usize) -> bool {
    let before = &text[text[..at].rfind("\nfunc ").unwrap_or(0)..at];
    before.rfind("switch ").is_some_and(|switch| before[switch..].contains("default:"))
}

/// Returns the structs that embed the type, without a tag that names the field.
fn embedding_structs(symbol: &GoRenamed, texts: &FamilyTexts) -> Result<Vec<String>, Cancelled> {
    let mut found = Vec::new();
    for one in texts.iter().filter(|one| one.holds(&symbol.old)) {
        symbol.resolver.cancel.check()?;
        let Some(here) = one.current(symbol.resolver) else { continue };
        let rows = &here.outline.rows;
        for row in rows.iter().filter(|row| row.kind() == SymbolKind::Field) {
            let Some(parent) = row.parent().filter(|_| here.outline.name(row) == symbol.old) else {
                continue;
            };
            // A field that is only called like the type has a type behind its name.
            if embeds(&one.text, row.name_start as usize + usize::from(row.name_len)) {
                found.push(here.outline.name(&rows[parent]).to_owned());
            }
        }
    }
    Ok(found)
}
