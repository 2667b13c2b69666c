//! Arguments as clients spell them, put as tools read them, before anybody decides about the call: what a rule or the user
//! allows is what runs. Which spellings a contract takes is a table; what it does not take is left for its own words.
//! Invariant: a call whose arguments are as the tool's schema says is not changed.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

use serde_json::{Map, Value};

use super::Offered;
use crate::vfs::spelling;

/// What a contract takes besides what its schemas say.
#[derive(Debug)]
pub struct Spellings {
    /// The parameters that name a file or directory.
    pub paths: &'static [&'static str],
    /// What becomes of absolute paths where its paths are relative.
    pub absolute: Absolute,
    /// What becomes of values of the wrong type and of parameters of the wrong name.
    pub slips: Slips,
}

impl Spellings {
    /// Nothing.
    pub const NONE: Spellings = Spellings { paths: &[], absolute: Absolute::Judged, slips: Slips::Judged };
}

/// What becomes of absolute paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absolute {
    /// Those inside the project are taken; the others are refused as being outside it.
    TakenOrRefused,
    /// Those inside the project are taken; the tools judge the others.
    TakenOrJudged,
    /// The tools judge them.
    Judged,
}

/// What becomes of small mistakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slips {
    /// `"3"` is 3 and `"true"` is true where the schema wants that; a parameter that has another name in another tool is
    /// understood; where a required one is missing and an unknown one is given, the answer says what it is called.
    Mended,
    /// The tools judge them.
    Judged,
}

/// Names under which one parameter is known in different tools.
const SAME: [&str; 2] = ["name_path_pattern", "name_path"];

/// The arguments as the tool reads them, in the project at `root`; else why the call is of no use.
pub fn settled(
    offered: Offered,
    root: &Path,
    mut arguments: Map<String, Value>,
) -> Result<Map<String, Value>, String> {
    let spells = &offered.toolset.spells;
    for name in spells.paths {
        let Some(Value::String(path)) = arguments.get_mut(*name) else { continue };
        if let Some(meant) = spelling::escaped_name(root, path) {
            *path = meant;
        }
        if !path.starts_with('/') || spells.absolute == Absolute::Judged {
            continue;
        }
        match spelling::beneath_root(root, path) {
            Some(inside) => *path = inside,
            None if spells.absolute == Absolute::TakenOrJudged => {}
            None => {
                return Err(format!(
                    "Path is outside the project: {path} (the project is {})",
                    root.display()
                ));
            }
        }
    }
    match spells.slips {
        Slips::Mended => mended(offered, arguments),
        Slips::Judged => Ok(arguments),
    }
}

/// What a tool's schema says of its parameters.
#[derive(Debug)]
struct Parameters {
    types: BTreeMap<String, String>,
    required: Vec<String>,
}

impl Parameters {
    /// Read once for each tool: making a schema takes longer than most calls.
    fn of(offered: Offered) -> &'static Parameters {
        static KNOWN: OnceLock<Mutex<HashMap<(&'static str, &'static str), &'static Parameters>>> =
            OnceLock::new();
        let mut known = KNOWN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        // Never given back: there are as many as there are tools.
        known
            .entry((offered.toolset.name, offered.tool.name))
            .or_insert_with(|| Box::leak(Box::new(Parameters::read(&(offered.tool.schema)()))))
    }

    fn read(schema: &Value) -> Parameters {
        let word = |value: &Value| value.as_str().unwrap_or("").to_owned();
        let properties = schema["properties"].as_object().into_iter().flatten();
        Parameters {
            types: properties.map(|(name, property)| (name.clone(), word(&property["type"]))).collect(),
            required: schema["required"].as_array().into_iter().flatten().map(word).collect(),
        }
    }
}

fn mended(offered: Offered, mut arguments: Map<String, Value>) -> Result<Map<String, Value>, String> {
    let known = Parameters::of(offered);
    for name in SAME.iter().filter(|name| !known.types.contains_key(**name)) {
        let other = SAME.iter().find(|other| known.types.contains_key(**other));
        if let Some(other) = other.filter(|other| !arguments.contains_key(**other))
            && let Some(value) = arguments.remove(*name)
        {
            arguments.insert((*other).to_owned(), value);
        }
    }
    for (name, value) in &mut arguments {
        let Value::String(text) = &*value else { continue };
        let meant = match known.types.get(name).map(String::as_str) {
            Some("integer") => text.trim().parse::<i64>().ok().map(Value::from),
            Some("boolean") => text.trim().parse::<bool>().ok().map(Value::from),
            _ => None,
        };
        *value = meant.unwrap_or_else(|| Value::String(text.clone()));
    }
    let missing: Vec<&str> =
        known.required.iter().map(String::as_str).filter(|name| !arguments.contains_key(*name)).collect();
    let unknown: Vec<&str> =
        arguments.keys().map(String::as_str).filter(|name| !known.types.contains_key(*name)).collect();
    match (missing.as_slice(), unknown.as_slice()) {
        ([], _) | (_, []) => Ok(arguments),
        ([missing], [unknown]) => Err(format!(
            "Missing required parameter '{missing}': {} has no parameter '{unknown}'; call it '{missing}'",
            offered.tool.name
        )),
        (missing, unknown) => Err(format!(
            "Missing required parameters {}: {} has no {}; it takes {}",
            quoted(missing),
            offered.tool.name,
            quoted(unknown),
            quoted(&known.types.keys().map(String::as_str).collect::<Vec<_>>())
        )),
    }
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::toolsets;

    fn offered(toolset: &str, tool: &str) -> Offered {
        let toolset = toolsets::all().iter().find(|known| known.name == toolset).expect(toolset);
        let tool = toolset.tools.iter().find(|known| known.name == tool).expect(tool);
        Offered { toolset, tool }
    }

    #[track_caller]
    fn check(toolset: &str, tool: &str, given: Value, expected: Result<Value, &str>) {
        let given = given.as_object().expect("an object").clone();
        let read = settled(offered(toolset, tool), Path::new("/p"), given).map(Value::Object);
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
        let given = json!({ "name_path": "3", "depth": "3", "include_body": "true", "include_kinds": [] });
        check("native", "find_symbol", given, Ok(mended));
        check("native", "find_callers", json!({ "name_path_pattern": "a" }), Ok(json!({ "name_path": "a" })));
        let both = json!({ "name_path_pattern": "a", "name_path": "b" });
        check("native", "find_callers", both.clone(), Ok(both));
        for odd in [json!({ "depth": "many", "name_path": "a" }), json!({ "name_path": "a", "other": "3" })] {
            check("native", "find_callers", odd.clone(), Ok(odd));
        }
        let serena = json!({ "name_path_pattern": "a", "depth": "3" });
        check("serena", "find_symbol", serena.clone(), Ok(serena));
    }

    #[test]
    fn a_parameter_of_another_name_is_answered_with_its_own() {
        let named = "Missing required parameter 'name_path': find_callers has no parameter 'name'; call it 'name_path'";
        check("native", "find_callers", json!({ "name": "a" }), Err(named));
        let listed = "Missing required parameters 'relative_path', 'content': create_text_file has no 'path'; it takes \
            'content', 'dry_run', 'expect', 'force', 'limit', 'relative_path'";
        check("native", "create_text_file", json!({ "path": "a" }), Err(listed));
        check("native", "find_callers", json!({}), Ok(json!({})));
        check("serena", "find_symbol", json!({ "name": "a" }), Ok(json!({ "name": "a" })));
    }

    #[test]
    fn every_parameter_that_names_a_path_is_in_its_table() {
        for toolset in toolsets::all() {
            for name in toolset.spells.paths {
                let has =
                    |tool: &toolsets::Tool| Parameters::read(&(tool.schema)()).types.contains_key(*name);
                assert!(toolset.tools.iter().any(has), "{}: {name}", toolset.name);
            }
            for tool in toolset.tools {
                let names = Parameters::read(&(tool.schema)()).types.into_keys();
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
