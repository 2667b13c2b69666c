//! Rewrites calls from the spellings of clients to that of the tools, before approval is decided: the call
//! that a rule or the user allows is the one that runs. A table lists the spellings that a contract accepts;
//! the contract's tools reject the rest in their own words. Invariant: a call of a tool (not of an alias)
//! whose arguments match the tool's schema is not changed.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

use serde_json::{Map, Value};

use super::Offered;
use super::alias::{Alias, alias_of};
use super::arguments::{ArgumentError, Arguments};
use symd_vfs::spelling;

/// The spellings that a contract accepts beyond its schemas.
#[derive(Debug)]
pub struct AcceptedSpellings {
    /// The parameters that name a file or directory.
    pub paths: &'static [&'static str],
    /// The treatment of absolute paths, where the contract's paths are relative.
    pub absolute: AbsolutePaths,
    /// The treatment of values of the wrong type and of parameters with the wrong name.
    pub coercion: Coercion,
    /// Pairs of names of the same parameter: a tool that has one accepts the other too.
    pub names: &'static [[&'static str; 2]],
    /// Further tools that clients may call: other names of its tools.
    pub aliases: &'static [Alias],
}

impl AcceptedSpellings {
    /// No spellings beyond the schemas.
    pub const NONE: AcceptedSpellings = AcceptedSpellings {
        paths: &[],
        absolute: AbsolutePaths::Pass,
        coercion: Coercion::Pass,
        names: &[],
        aliases: &[],
    };
}

/// The treatment of absolute paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbsolutePaths {
    /// Paths inside the project are made relative; others are refused as outside the project.
    RelativizeOrReject,
    /// Paths inside the project are made relative; the tools validate the others.
    RelativizeOrPass,
    /// The tools validate them.
    Pass,
}

/// The treatment of small mistakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coercion {
    /// `"3"` becomes 3, `"true"` becomes true and `"a"` becomes `["a"]` where the schema demands it. A parameter that the
    /// tool does not have is refused, with the name that is probably meant.
    Coerce,
    /// The tools validate the arguments.
    Pass,
}

/// Returns the tool that a call means and its arguments as that tool reads them, in the project at `root`;
/// otherwise the reason why the call is invalid.
pub fn normalize_call(
    offered: Offered,
    root: &Path,
    mut arguments: Map<String, Value>,
) -> Result<(Offered, Map<String, Value>), String> {
    let shown = offered;
    let given: Vec<String> = arguments.keys().cloned().collect();
    let offered = match alias_of(shown) {
        Some(alias) => resolve_alias(shown, alias, &mut arguments)?,
        None => shown,
    };
    rename(shown, offered, &mut arguments)?;
    take_paths(offered, root, &mut arguments)?;
    if offered.toolset.spells.coercion == Coercion::Coerce {
        coerce_types(Parameters::of(offered), &mut arguments);
        refuse_missing(shown, offered, &arguments)?;
        refuse_unknown(shown, offered, (&arguments, &given))?;
    }
    Ok((offered, arguments))
}

/// Resolves a call of an alias to the tool that it means. The arguments that the alias's schema lists are
/// validated against it; the tool validates the others.
fn resolve_alias(
    shown: Offered,
    alias: &Alias,
    arguments: &mut Map<String, Value>,
) -> Result<Offered, String> {
    let text = |error: ArgumentError| error.to_string();
    let listed = Parameters::of(shown);
    coerce_types(listed, arguments);
    for (name, parameter) in &listed.all {
        if arguments.get(name).is_some_and(|value| !value.is_null() && !parameter.takes(value)) {
            return Err(text(Arguments::new(arguments).invalid(name, &parameter.expected())));
        }
    }
    let name = (alias.read)(arguments).map_err(text)?;
    let tool = shown.toolset.tools.iter().find(|tool| tool.name == name);
    tool.map(|tool| Offered { tool, ..shown }).ok_or_else(|| format!("there is no tool {name}"))
}

/// Gives each parameter the tool's own name for it. Two names of one parameter with different values are an
/// error.
fn rename(shown: Offered, offered: Offered, arguments: &mut Map<String, Value>) -> Result<(), String> {
    let known = &Parameters::of(offered).all;
    for [one, other] in offered.toolset.spells.names {
        let (own, given) = match (known.contains_key(*one), known.contains_key(*other)) {
            (true, false) => (*one, *other),
            (false, true) => (*other, *one),
            _ => continue,
        };
        let Some(value) = arguments.remove(given) else { continue };
        match arguments.get(own).filter(|value| !value.is_null()) {
            Some(known) if *known != value && !value.is_null() => {
                return Err(format!(
                    "'{own}' and '{given}' of {} name the same parameter and have different values; give only one of them",
                    shown.tool.name
                ));
            }
            Some(_) => {}
            None => drop(arguments.insert(own.to_owned(), value)),
        }
    }
    Ok(())
}

fn take_paths(offered: Offered, root: &Path, arguments: &mut Map<String, Value>) -> Result<(), String> {
    let spells = &offered.toolset.spells;
    for name in spells.paths {
        let Some(Value::String(path)) = arguments.get_mut(*name) else { continue };
        if let Some(meant) = spelling::escaped_name(root, path) {
            *path = meant;
        }
        if !path.starts_with('/') || spells.absolute == AbsolutePaths::Pass {
            continue;
        }
        match spelling::beneath_root(root, path) {
            Some(inside) => *path = inside,
            None if spells.absolute == AbsolutePaths::RelativizeOrPass => {}
            None => {
                return Err(format!(
                    "Path is outside the project: {path} (the project is {})",
                    root.display()
                ));
            }
        }
    }
    Ok(())
}

/// The parameters in a tool's schema.
#[derive(Debug)]
struct Parameters {
    all: BTreeMap<String, Parameter>,
    required: Vec<String>,
}

/// One parameter in a schema.
#[derive(Debug)]
struct Parameter {
    /// The JSON types that it accepts.
    types: Vec<String>,
    /// The words that it accepts; any string if empty.
    words: Vec<String>,
}

impl Parameter {
    fn read(schema: &Value) -> Parameter {
        let own = schema["type"].as_str();
        let others = schema["anyOf"].as_array().into_iter().flatten();
        Parameter {
            types: own
                .into_iter()
                .chain(others.filter_map(|one| one["type"].as_str()))
                .map(str::to_owned)
                .collect(),
            words: texts(&schema["enum"]),
        }
    }

    fn may_be(&self, kind: &str) -> bool {
        self.types.iter().any(|known| known == kind)
    }

    /// Whether a value has one of the types and, if words are listed, is one of them. A list must hold
    /// strings only.
    fn takes(&self, value: &Value) -> bool {
        let fits = |kind: &str| match kind {
            "string" => value.is_string(),
            "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            "boolean" => value.is_boolean(),
            "array" => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
            _ => true,
        };
        let is_word = || value.as_str().is_some_and(|text| self.words.iter().any(|word| word == text));
        self.types.iter().any(|kind| fits(kind)) && (self.words.is_empty() || is_word())
    }

    /// Describes what it accepts, with an article.
    fn expected(&self) -> String {
        if !self.words.is_empty() {
            return format!("one of {}", quoted(&self.words.iter().map(String::as_str).collect::<Vec<_>>()));
        }
        let phrase = |kind: &String| match kind.as_str() {
            "integer" => "an integer",
            "boolean" => "a boolean",
            "array" => "a list of strings",
            "object" => "an object",
            _ => "a string",
        };
        self.types.iter().map(phrase).collect::<Vec<_>>().join(" or ")
    }
}

/// What tells a tool from all others: its toolset, its name, and whether it is an alias.
type ToolKey = (&'static str, &'static str, bool);

impl Parameters {
    /// Returns the parameters of a tool, read once per tool: building a schema takes longer than most calls.
    fn of(offered: Offered) -> &'static Parameters {
        static KNOWN: OnceLock<Mutex<HashMap<ToolKey, &'static Parameters>>> = OnceLock::new();
        let mut known = KNOWN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        // Never freed: there are as many as there are tools. An alias may have the name of its tool.
        known
            .entry((offered.toolset.name, offered.tool.name, offered.tool.is_alias()))
            .or_insert_with(|| Box::leak(Box::new(Parameters::read(&(offered.tool.schema)()))))
    }

    fn read(schema: &Value) -> Parameters {
        let properties = schema["properties"].as_object().into_iter().flatten();
        Parameters {
            all: properties.map(|(name, property)| (name.clone(), Parameter::read(property))).collect(),
            required: texts(&schema["required"]),
        }
    }
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Converts strings to the types that the schema demands, where they parse as such.
fn coerce_types(known: &Parameters, arguments: &mut Map<String, Value>) {
    for (name, value) in arguments {
        let (Value::String(text), Some(parameter)) = (&*value, known.all.get(name)) else { continue };
        if parameter.may_be("string") {
            continue;
        }
        let meant = if parameter.may_be("integer") {
            text.trim().parse::<i64>().ok().map(Value::from)
        } else if parameter.may_be("boolean") {
            text.trim().parse::<bool>().ok().map(Value::from)
        } else if parameter.may_be("array") {
            Some(Value::from(vec![text.as_str()]))
        } else {
            None
        };
        if let Some(meant) = meant {
            *value = meant;
        }
    }
}

/// Rejects a call that lacks a required parameter, and says what the parameter is called, if the client
/// called an alias or gave an unknown parameter. In other cases the tool rejects the call.
fn refuse_missing(shown: Offered, offered: Offered, arguments: &Map<String, Value>) -> Result<(), String> {
    let known = Parameters::of(offered);
    let listed = Parameters::of(shown);
    let name_of = |own: &str| -> String {
        let pair = offered.toolset.spells.names.iter().find(|pair| pair.contains(&own));
        let other = pair.and_then(|pair| pair.iter().find(|name| listed.all.contains_key(**name)));
        other.map_or_else(|| own.to_owned(), ToString::to_string)
    };
    let missing: Vec<String> = known
        .required
        .iter()
        .filter(|name| !arguments.contains_key(*name))
        .map(|name| name_of(name))
        .collect();
    let unknown: Vec<&str> =
        arguments.keys().map(String::as_str).filter(|name| !known.all.contains_key(*name)).collect();
    let name = shown.tool.name;
    match (missing.as_slice(), unknown.as_slice()) {
        ([], _) => Ok(()),
        ([missing, ..], []) if alias_of(shown).is_some() => {
            let expected = listed.all.get(missing).map_or_else(|| "a string".to_owned(), Parameter::expected);
            Err(ArgumentError::Missing { name: missing.clone(), expected }.to_string())
        }
        (_, []) => Ok(()),
        ([missing], [unknown]) => Err(format!(
            "Missing required parameter '{missing}': {name} has no parameter '{unknown}'; call it '{missing}'"
        )),
        (missing, unknown) => Err(format!(
            "Missing required parameters {}: {name} has no {}; it takes {}",
            quoted(&missing.iter().map(String::as_str).collect::<Vec<_>>()),
            quoted(unknown),
            quoted(&listed.all.keys().map(String::as_str).collect::<Vec<_>>())
        )),
    }
}

/// Rejects a call with a parameter that its tool does not have: without a misspelt `dry_run` an edit would be made, and
/// without a misspelt `relative_path` the answer would be about something else. Names that begin with an underscore are
/// for clients' own use.
fn refuse_unknown(
    shown: Offered,
    offered: Offered,
    (arguments, given): (&Map<String, Value>, &[String]),
) -> Result<(), String> {
    let (known, listed) = (Parameters::of(offered), Parameters::of(shown));
    let is_unknown = |(name, value): &(&String, &Value)| {
        !known.all.contains_key(*name)
            && !listed.all.contains_key(*name)
            && !name.starts_with('_')
            && !value.is_null()
            // What an alias adds is for its tool alone.
            && given.contains(name)
    };
    let Some((name, _)) = arguments.iter().find(is_unknown) else { return Ok(()) };
    let tool = shown.tool.name;
    Err(match listed.all.keys().min_by_key(|own| distance(own, name)) {
        Some(own) if distance(own, name) <= MAX_TYPOS => {
            format!("{tool} has no parameter '{name}'; did you mean '{own}'? Nothing was done")
        }
        Some(_) => {
            let names: Vec<&str> = listed.all.keys().map(String::as_str).collect();
            format!("{tool} has no parameter '{name}'; it takes {}. Nothing was done", quoted(&names))
        }
        None => format!("{tool} has no parameter '{name}', and takes none. Nothing was done"),
    })
}

/// The greatest number of wrong letters in a parameter's name with which it is recognised.
const MAX_TYPOS: usize = 2;

/// Returns the number of wrong letters between two names, whatever their case and separators: 0 for `dryRun` and `dry_run`.
fn distance(one: &str, other: &str) -> usize {
    let plain = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    strsim::osa_distance(&plain(one), &plain(other))
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate as toolsets;

    fn offered(toolset: &str, tool: &str) -> Offered {
        let toolset = toolsets::all().iter().find(|known| known.name == toolset).expect(toolset);
        let tool = toolset.tools.iter().find(|known| known.name == tool).expect(tool);
        Offered { toolset, tool }
    }

    fn alias(name: &str) -> Offered {
        let toolset = &toolsets::native::NATIVE;
        let alias = toolset.spells.aliases.iter().find(|alias| alias.tool.name == name).expect(name);
        Offered { toolset, tool: &alias.tool }
    }

    #[track_caller]
    fn means(name: &str, given: Value, tool: &str, expected: Value) {
        let given = given.as_object().expect("an object").clone();
        let (offered, arguments) = normalize_call(alias(name), Path::new("/p"), given).expect("understood");
        assert_eq!((offered.tool.name, Value::Object(arguments)), (tool, expected));
    }

    #[track_caller]
    fn refuses(name: &str, given: Value, expected: &str) {
        let given = given.as_object().expect("an object").clone();
        assert_eq!(normalize_call(alias(name), Path::new("/p"), given).map(|_| ()), Err(expected.to_owned()));
    }

    #[track_caller]
    fn check(toolset: &str, tool: &str, given: Value, expected: Result<Value, &str>) {
        let given = given.as_object().expect("an object").clone();
        let read = normalize_call(offered(toolset, tool), Path::new("/p"), given)
            .map(|(_, read)| Value::Object(read));
        match (read, expected) {
            (Ok(read), Ok(expected)) => assert_eq!(read, expected),
            (Err(why), Err(expected)) => assert_eq!(why, expected),
            (read, _) => panic!("{read:?}"),
        }
    }

    #[test]
    fn small_mistakes_are_mended() {
        let mended =
            json!({ "name_path_pattern": "3", "depth": 3, "include_body": true, "include_kinds": [] });
        let given = json!({ "name_path": "3", "depth": "3", "body": "true", "kinds": [] });
        check("native", "find_symbol", given, Ok(mended));
        check("native", "find_callers", json!({ "name_path_pattern": "a" }), Ok(json!({ "name_path": "a" })));
        let both = json!({ "name_path_pattern": "a", "name_path": "a", "path": "b", "relative_path": null });
        check("native", "find_callers", both, Ok(json!({ "name_path": "a", "relative_path": "b" })));
        let one = json!({ "name_path_pattern": "A", "include_kinds": "class" });
        let list = json!({ "name_path_pattern": "A", "include_kinds": ["class"] });
        check("native", "find_symbol", one, Ok(list));
        let odd = json!({ "depth": "many", "name_path": "a", "other": null, "_for": "me" });
        check("native", "find_callers", odd.clone(), Ok(odd));
        let differing = json!({ "name_path_pattern": "a", "name_path": "b" });
        let refusal = "'name_path' and 'name_path_pattern' of find_callers name the same parameter and have different \
            values; give only one of them";
        check("native", "find_callers", differing, Err(refusal));
        let serena = json!({ "name_path_pattern": "a", "depth": "3" });
        check("serena", "find_symbol", serena.clone(), Ok(serena));
    }

    #[test]
    fn a_parameter_of_another_name_is_answered_with_its_own() {
        let named = "Missing required parameter 'name_path': find_callers has no parameter 'name'; call it 'name_path'";
        check("native", "find_callers", json!({ "name": "a" }), Err(named));
        let listed = "Missing required parameters 'relative_path', 'content': create_text_file has no 'file'; it takes \
            'content', 'dry_run', 'expect', 'force', 'limit', 'relative_path'";
        check("native", "create_text_file", json!({ "file": "a" }), Err(listed));
        check("native", "find_callers", json!({}), Ok(json!({})));
        check("serena", "find_symbol", json!({ "name": "a" }), Ok(json!({ "name": "a" })));
    }

    #[test]
    fn a_parameter_that_a_tool_does_not_have_is_refused() {
        let edit = |name: &str| json!({ "relative_path": "a", "content": "", name: true });
        let meant = "create_text_file has no parameter 'dryRun'; did you mean 'dry_run'? Nothing was done";
        check("native", "create_text_file", edit("dryRun"), Err(meant));
        let typo = "create_text_file has no parameter 'dy_run'; did you mean 'dry_run'? Nothing was done";
        check("native", "create_text_file", edit("dy_run"), Err(typo));
        let listed = "create_text_file has no parameter 'overwrite'; it takes 'content', 'dry_run', 'expect', 'force', \
            'limit', 'relative_path'. Nothing was done";
        check("native", "create_text_file", edit("overwrite"), Err(listed));
        let serena = json!({ "name_path_pattern": "a", "other": 1 });
        check("serena", "find_symbol", serena.clone(), Ok(serena));
    }

    #[test]
    fn a_call_of_an_alias_is_one_of_the_tool_that_it_means() {
        let given =
            json!({ "name_path": "a", "path": "/p/f.py", "relation": "callers", "depth": "2", "limit": 9 });
        let calls = json!({ "name_path": "a", "relative_path": "f.py", "depth": 2, "limit": 9 });
        means("references", given, "find_callers", calls);
        let types = json!({ "name_path": "a", "direction": "supertypes" });
        means("references", json!({ "name_path": "a", "relation": "supertypes" }), "type_hierarchy", types);
        let many = json!({ "name_path": ["a", "b"] });
        means("references", many.clone(), "find_referencing_symbols", many);
        let short = json!({ "name_path": "a", "body": true, "substring": true, "kinds": ["class"] });
        let long = json!({
            "name_path_pattern": "a", "include_body": true, "substring_matching": true, "include_kinds": ["class"],
        });
        means("find_symbol", short, "find_symbol", long);
        let long = json!({ "substring_pattern": "x", "paths_include_glob": "*.py", "context_lines_before": 2, "context_lines_after": 2 });
        means("search", json!({ "pattern": "x", "glob": "*.py", "context": 2 }), "search_for_pattern", long);
        let body = json!({ "name_path": "a", "body": "x" });
        means("insert_symbol", body.clone(), "insert_after_symbol", body.clone());
        let before = json!({ "name_path": "a", "body": "x", "position": "before" });
        means("insert_symbol", before, "insert_before_symbol", body);
        means("undo", json!({ "redo": "true" }), "redo", json!({}));
        means("undo", json!({ "id": 3, "redo": false }), "undo", json!({ "id": 3 }));
        let lines = json!({ "path": "f.py", "start_line": 1 });
        means(
            "code_actions",
            lines,
            "list_code_actions",
            json!({ "relative_path": "f.py", "start_line": 1 }),
        );
        let fix = json!({ "name_path": "a", "title": "Fix" });
        means("code_actions", fix.clone(), "apply_code_action", fix);
    }

    #[test]
    fn an_alias_is_refused_in_its_own_words() {
        let missing = "Missing required parameter 'name_path' (expected a string or a list of strings)";
        refuses("find_symbol", json!({}), missing);
        refuses("find_symbol", json!({ "body": true, "depth": 1 }), missing);
        let named = "Missing required parameter 'name_path': find_symbol has no parameter 'name'; call it 'name_path'";
        refuses("find_symbol", json!({ "name": "a" }), named);
        let wrong = "Invalid parameter 'body': expected a boolean, got: \"yes\"";
        refuses("find_symbol", json!({ "name_path": "a", "body": "yes" }), wrong);
        let wrong = "Invalid parameter 'relation': expected one of 'uses', 'callers', 'callees', 'implementations', \
            'supertypes', 'subtypes', got: \"calls\"";
        refuses("references", json!({ "name_path": "a", "relation": "calls" }), wrong);
        let differing = "'relative_path' and 'path' of references name the same parameter and have different values; give only one of them";
        refuses("references", json!({ "name_path": "a", "path": "b", "relative_path": "c" }), differing);
        let redo = "Invalid parameter 'id': expected no value together with redo, which reapplies the last undone edit, got: 3";
        refuses("undo", json!({ "id": 3, "redo": true }), redo);
    }

    #[test]
    fn every_alias_is_one_of_tools_that_are_there() {
        for toolset in toolsets::all() {
            for alias in toolset.spells.aliases {
                let tools: Vec<&toolsets::Tool> =
                    alias.tool.stands_for.iter().map(|name| offered(toolset.name, name).tool).collect();
                let says = alias.tool.annotations;
                let every = |holds: fn(&toolsets::Annotations) -> bool| {
                    tools.iter().all(|tool| holds(&tool.annotations))
                };
                // What a client may assume of an alias holds for each tool that a call of it can mean.
                assert_eq!(says.read_only, every(|of| of.read_only), "{}", alias.tool.name);
                assert_eq!(says.destructive, !every(|of| !of.destructive), "{}", alias.tool.name);
                assert_eq!(says.idempotent, every(|of| of.idempotent), "{}", alias.tool.name);
                assert_eq!(
                    Some(alias.tool.risk),
                    tools.iter().map(|tool| tool.risk).max(),
                    "{}",
                    alias.tool.name
                );
                assert!(tools.iter().all(|tool| tool.reach == alias.tool.reach), "{}", alias.tool.name);
            }
        }
    }

    fn tools(toolset: &'static toolsets::Toolset) -> impl Iterator<Item = &'static toolsets::Tool> {
        toolset.tools.iter().chain(toolset.spells.aliases.iter().map(|alias| &alias.tool))
    }

    #[test]
    fn every_parameter_that_names_a_path_is_in_its_table() {
        for toolset in toolsets::all() {
            for name in toolset.spells.paths {
                let has = |tool: &toolsets::Tool| Parameters::read(&(tool.schema)()).all.contains_key(*name);
                assert!(tools(toolset).any(has), "{}: {name}", toolset.name);
            }
            for tool in tools(toolset) {
                let names = Parameters::read(&(tool.schema)()).all.into_keys();
                let forgotten = |name: &String| {
                    (name == "path" || name.ends_with("_path"))
                        && !name.starts_with("name_")
                        && !toolset.spells.paths.contains(&name.as_str())
                };
                let forgotten: Vec<String> = names.filter(forgotten).collect();
                assert!(forgotten.is_empty(), "{}/{}: {forgotten:?}", toolset.name, tool.name);
            }
        }
    }
}
