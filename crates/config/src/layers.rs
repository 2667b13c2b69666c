//! Merges the three layers of languages.toml: the binary's, the user's, the project's, in this order. Tables
//! merge by key, `[[language]]` tables by name; scalars and lists are replaced; what a later layer claims (a
//! file type, a file name, an interpreter) is removed from the languages of earlier layers. Reads no files:
//! texts come from the caller. Invariant: nothing in an untrusted project's file can change what symd runs,
//! except by choosing among servers defined elsewhere.

use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use toml::{Table, Value};

use super::languages::{BUILTIN_TOML, Languages, LanguagesConflict, Tables};
use super::trust::Trust;

/// Keys of a language whose values belong to one language only.
const CLAIMS: [&str; 3] = ["file-types", "file-names", "shebangs"];

/// The text of a languages.toml.
#[derive(Clone, Copy, Debug)]
pub struct LayerText<'a> {
    /// The file's name in messages.
    pub file: &'a str,
    pub text: &'a str,
}

/// Why a languages.toml cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LanguagesError {
    /// A text that is not TOML, or does not have the right structure.
    #[error("{file}: {message}")]
    Invalid {
        file: String,
        /// Line, key, what was expected.
        message: String,
    },
    /// A text that does not fit the layers it is merged over.
    #[error("{file}: {misfit}")]
    Conflict { file: String, misfit: LanguagesConflict },
}

/// The languages of a project, and which parts of its file were ignored.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// All layers merged.
    pub languages: Arc<Languages>,
    /// The ignored parts, in the order of the file.
    pub notes: Vec<Note>,
}

/// A part of the project's file that is not in effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub file: String,
    /// The ignored part: `[language-server.ty]`.
    pub what: String,
    /// The reason, and what to do about it.
    pub why: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} is ignored: {}", self.file, self.what, self.why)
    }
}

impl Languages {
    /// Merges the user's and the project's languages over the binary's. A mistake in the user's file is an
    /// error; after one in the project's file, that file is ignored, with a note.
    pub fn load(
        user: Option<LayerText<'_>>,
        project: Option<LayerText<'_>>,
        trust: &Trust,
    ) -> Result<Loaded, LanguagesError> {
        if user.is_none() && project.is_none() {
            return Ok(Loaded { languages: Languages::builtin().clone(), notes: Vec::new() });
        }
        let mut base = read(LayerText { file: "languages.toml", text: BUILTIN_TOML })?;
        let mut languages = Languages::builtin().clone();
        if let Some(user) = user {
            merge_layer(&mut base, read(user)?);
            languages = Arc::new(fit(&base, user.file)?);
        }
        let Some(project) = project else { return Ok(Loaded { languages, notes: Vec::new() }) };
        let mut notes = Vec::new();
        let merged = read(project).and_then(|mut layer| {
            if *trust != Trust::Trusted {
                remove_commands(
                    &mut layer,
                    &languages,
                    &mut NoteCollector { file: project.file, trust, notes: &mut notes },
                );
            }
            merge_layer(&mut base, layer);
            fit(&base, project.file)
        });
        match merged {
            Ok(merged) => languages = Arc::new(merged),
            Err(error) => {
                let what = "the whole file".to_owned();
                let why = printable(&error.to_string());
                notes = vec![Note { file: project.file.to_owned(), what, why }];
            }
        }
        Ok(Loaded { languages, notes })
    }
}

/// Reads one layer and checks it by itself, so that a mistake is reported with this file's line.
fn read(layer: LayerText<'_>) -> Result<Table, LanguagesError> {
    let wrong = |error: toml::de::Error| LanguagesError::Invalid {
        file: layer.file.to_owned(),
        message: printable(error.to_string().trim()),
    };
    // Checks claims of one file against each other; servers and commands may be defined elsewhere.
    let mut tables: Tables = toml::from_str(layer.text).map_err(wrong)?;
    tables.language_server.clear();
    for language in &mut tables.language {
        language.language_servers.clear();
    }
    let misfit = |misfit| LanguagesError::Conflict { file: layer.file.to_owned(), misfit };
    Languages::fit(tables).map_err(misfit)?;
    toml::from_str(layer.text).map_err(wrong)
}

fn fit(merged: &Table, file: &str) -> Result<Languages, LanguagesError> {
    let wrong = |error: toml::de::Error| LanguagesError::Invalid {
        file: file.to_owned(),
        message: error.to_string(),
    };
    let tables = Tables::deserialize(Value::Table(merged.clone())).map_err(wrong)?;
    Languages::fit(tables).map_err(|misfit| LanguagesError::Conflict { file: file.to_owned(), misfit })
}

fn merge_layer(base: &mut Table, mut layer: Table) {
    if let Some(Value::Array(changes)) = layer.remove("language") {
        let languages = base.entry("language").or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(languages) = languages {
            changes.into_iter().for_each(|change| merge_language(languages, change));
        }
    }
    merge(base, layer);
}

fn merge_language(languages: &mut Vec<Value>, change: Value) {
    let Value::Table(change) = change else { return };
    let is_same = |language: &Value| language.get("name") == change.get("name");
    for other in languages.iter_mut().filter(|language| !is_same(language)) {
        for key in CLAIMS {
            let (Some(Value::Array(theirs)), Some(Value::Array(claimed))) =
                (other.get_mut(key), change.get(key))
            else {
                continue;
            };
            theirs.retain(|value| !claimed.contains(value));
        }
    }
    match languages.iter().position(is_same) {
        Some(at) => match &mut languages[at] {
            Value::Table(language) => merge(language, change),
            other => *other = Value::Table(change),
        },
        None => languages.push(Value::Table(change)),
    }
}

fn merge(base: &mut Table, change: Table) {
    for (key, value) in change {
        match (base.get_mut(&key), value) {
            (Some(Value::Table(table)), Value::Table(change)) => merge(table, change),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

/// Collects the notes for one file.
struct NoteCollector<'a> {
    file: &'a str,
    trust: &'a Trust,
    notes: &'a mut Vec<Note>,
}

impl NoteCollector<'_> {
    fn note(&mut self, what: String, reason: &str) {
        let why = format!("{reason}, and {}; review it, then run `symd trust`", self.trust);
        self.notes.push(Note { file: self.file.to_owned(), what, why });
    }
}

/// Removes from an untrusted project's layer what could make symd run something: all server tables, and from
/// the languages' lists the names of servers that are not `defined` elsewhere.
fn remove_commands(layer: &mut Table, defined: &Languages, out: &mut NoteCollector<'_>) {
    if let Some(Value::Table(servers)) = layer.remove("language-server") {
        for name in servers.keys() {
            out.note(printable(&format!("[language-server.{name}]")), "it can name commands to run");
        }
    }
    let Some(Value::Array(languages)) = layer.get_mut("language") else { return };
    for language in languages.iter_mut().filter_map(Value::as_table_mut) {
        let name = language.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let Some(Value::Array(servers)) = language.get_mut("language-servers") else { continue };
        let named = servers.len();
        servers.retain(|used| {
            let server = used.as_str().or_else(|| used.get("name")?.as_str()).unwrap_or_default();
            let known = defined.server(server).is_some();
            if !known {
                out.note(
                    printable(&format!("{name}'s server \"{server}\"")),
                    "only this project's file could define it",
                );
            }
            known
        });
        // A list whose names were all removed does not mean "no server", as a list that is empty in the file
        // does.
        if servers.is_empty() && named > 0 {
            language.remove("language-servers");
        }
    }
}

/// Returns the server tables of a project's file in the form shown to the user before trusting it: the name,
/// and each key with its value on a line of its own, nothing omitted. Empty when the file is invalid: then
/// none of it is used.
pub fn server_tables(layer: LayerText<'_>) -> Vec<(String, Vec<String>)> {
    let Ok(mut table) = read(layer) else { return Vec::new() };
    let Some(Value::Table(servers)) = table.remove("language-server") else { return Vec::new() };
    let lines = |server: &Value| {
        let keys = server.as_table().into_iter().flatten();
        keys.map(|(key, value)| printable(&format!("{key} = {value}", value = serde_json::json!(value))))
            .collect()
    };
    servers.iter().map(|(name, server)| (printable(name), lines(server))).collect()
}

/// Escapes untrusted text for a terminal: characters that would control it, or reorder what it displays.
/// Keeps line breaks.
pub fn printable(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '"' | '\'' | '\\' => c.to_string(),
        c => c.escape_debug().to_string(),
    };
    text.chars().map(shown).collect()
}

#[cfg(test)]
#[path = "layers_tests.rs"]
mod tests;
