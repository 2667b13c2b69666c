//! What the editor can do, and what symd offers to it: text synchronisation, and navigation only where the editor's
//! package names languages without another server, since editors merge the results of several.

use serde_json::{Map, Value, json};

use crate::position::PositionEncoding;

/// What the editor said of itself in `initialize`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct EditorAbilities {
    /// Its name and version.
    pub(super) name: String,
    /// The position encodings that it offers, in its order of preference.
    pub(super) encodings: Vec<String>,
    /// Whether it makes changes for a given version of a document.
    pub(super) applies: bool,
    /// Whether a package of symd's runs in it that saves documents on request.
    pub(super) saves: bool,
    /// Whether that package has the editor read changed files again on request.
    pub(super) reloads: bool,
    /// Whether a package of symd's runs in it, which reports the cursor.
    pub(super) reports_context: bool,
    /// Whether that package also tells what the editor shows when it is asked.
    pub(super) tells_context: bool,
}

impl EditorAbilities {
    pub(super) fn of(params: &Value) -> EditorAbilities {
        let info = &params["clientInfo"];
        // Clients from before LSP 3.15 send no `clientInfo`.
        let name_of_package = params.pointer("/initializationOptions/symd/editor").and_then(Value::as_str);
        let name = info["name"].as_str().or(name_of_package).unwrap_or("an editor");
        let name = match info["version"].as_str() {
            Some(version) => format!("{name} {version}"),
            None => name.to_owned(),
        };
        let offered = params.pointer("/capabilities/general/positionEncodings").and_then(Value::as_array);
        let encodings = offered.into_iter().flatten().filter_map(|one| one.as_str().map(str::to_owned));
        let reports_context =
            params.pointer("/initializationOptions/symd/reportsContext") == Some(&json!(true));
        let is_set = |pointer: &str| params.pointer(pointer) == Some(&json!(true));
        let applies = is_set("/capabilities/workspace/applyEdit")
            && is_set("/capabilities/workspace/workspaceEdit/documentChanges");
        let saves = is_set("/initializationOptions/symd/saves");
        let reloads = is_set("/initializationOptions/symd/reloads");
        let tells_context = is_set("/initializationOptions/symd/tellsContext");
        let encodings = encodings.collect();
        EditorAbilities { name, encodings, applies, saves, reloads, reports_context, tells_context }
    }
}

/// Returns the result of `initialize`, with the capabilities in `navigation`. Code actions are offered, always none, to an editor without a package:
/// their requests tell where the cursor is.
pub(super) fn initialize_result(
    encoding: PositionEncoding,
    abilities: &EditorAbilities,
    navigation: Map<String, Value>,
    follows_renames: bool,
) -> Value {
    let mut result = json!({
        "capabilities": {
            "positionEncoding": encoding.name(),
            "textDocumentSync": { "openClose": true, "change": 2, "save": { "includeText": false } },
            "codeActionProvider": !abilities.reports_context,
            "executeCommandProvider": { "commands": super::commands::NAMES, "workDoneProgress": true },
            "workspace": {
                "workspaceFolders": { "supported": true, "changeNotifications": true },
                "fileOperations": file_operations(follows_renames),
            },
        },
        "serverInfo": { "name": "symd", "version": env!("CARGO_PKG_VERSION") },
    });
    for (provider, value) in navigation {
        result["capabilities"][provider] = value;
    }
    result
}

/// The operations on files of which symd wants to hear, before a rename only if it has something to say. Nothing follows from a new file, or from one that is about to
/// be removed: the watcher tells of both.
fn file_operations(follows_renames: bool) -> Value {
    let all = json!({ "filters": [{ "scheme": "file", "pattern": { "glob": "**" } }] });
    let names = ["didCreate", "didRename", "didDelete"].into_iter();
    let names = names.chain(follows_renames.then_some("willRename"));
    names.map(|name| (name.to_owned(), all.clone())).collect()
}
