//! Questions about code that the editor asks symd: for the languages that its package names, because no other server of
//! the editor has them. Editors show what all servers say, so symd says nothing of other languages. Invariant: a
//! request about a document of another language, or about none of a project, is answered at once, with nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};

use super::documents::{Document, path_of};
use super::gathered::GatheredAnswer;
use super::link::{AnswerUse, AskedCommand};
use super::messages::RenameFiles;
use super::{Answer, Proxy};
use crate::position::{LspPosition, LspRange};
use crate::wire::{NAVIGATE, Navigation, NavigationQuestion};
use symd_rpc::codes::{BUSY, INVALID_PARAMS};
use symd_rpc::server_message::RawJson;

/// A method that symd answers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NavigationMethod {
    /// The method under which it is registered.
    pub(super) method: &'static str,
    /// The capability in which an editor says whether it takes registrations.
    pub(super) editors: &'static str,
    /// The server's capability where it does not.
    pub(super) provider: &'static str,
}

const fn method(method: &'static str, editors: &'static str, provider: &'static str) -> NavigationMethod {
    NavigationMethod { method, editors, provider }
}

/// What symd answers about code.
pub(super) const METHODS: [NavigationMethod; 12] = [
    method("textDocument/definition", "/textDocument/definition", "definitionProvider"),
    method("textDocument/declaration", "/textDocument/declaration", "declarationProvider"),
    method("textDocument/typeDefinition", "/textDocument/typeDefinition", "typeDefinitionProvider"),
    method("textDocument/implementation", "/textDocument/implementation", "implementationProvider"),
    method("textDocument/references", "/textDocument/references", "referencesProvider"),
    method("textDocument/hover", "/textDocument/hover", "hoverProvider"),
    method("textDocument/documentSymbol", "/textDocument/documentSymbol", "documentSymbolProvider"),
    method("workspace/symbol", "/workspace/symbol", "workspaceSymbolProvider"),
    method("textDocument/prepareCallHierarchy", "/textDocument/callHierarchy", "callHierarchyProvider"),
    method("textDocument/prepareTypeHierarchy", "/textDocument/typeHierarchy", "typeHierarchyProvider"),
    method("textDocument/rename", "/textDocument/rename", "renameProvider"),
    method("textDocument/diagnostic", "/textDocument/diagnostic", "diagnosticProvider"),
];

/// A request about code, by what symd reads of it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CodeRequest {
    text_document: Option<NamedDocument>,
    position: Option<LspPosition>,
    context: Option<ReferencesContext>,
    query: Option<String>,
    new_name: Option<String>,
    item: Option<HierarchyParam>,
}

impl CodeRequest {
    /// Returns a request about a document as a whole.
    pub(super) fn about(uri: &str) -> CodeRequest {
        let text_document = Some(NamedDocument { uri: uri.to_owned() });
        CodeRequest { text_document, ..CodeRequest::default() }
    }
}

#[derive(Debug, Deserialize)]
struct NamedDocument {
    uri: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReferencesContext {
    #[serde(default)]
    include_declaration: bool,
}

#[derive(Debug, Deserialize)]
struct HierarchyParam {
    uri: String,
    data: Option<ItemData>,
}

#[derive(Debug, Deserialize)]
struct ItemData {
    symd: String,
    offset: u32,
}

/// `symd/didChangeNavigation`.
#[derive(Debug, Deserialize)]
pub(super) struct NavigationLanguages {
    pub(super) languages: Vec<String>,
}

/// Whether symd answers requests of this method, for some documents at least.
pub(super) fn is_about_code(method: &str) -> bool {
    METHODS.iter().any(|known| known.method == method)
        || matches!(
            method,
            "textDocument/prepareRename"
                | "callHierarchy/incomingCalls"
                | "callHierarchy/outgoingCalls"
                | "typeHierarchy/supertypes"
                | "typeHierarchy/subtypes"
        )
}

/// Returns what stands for no answer.
fn nothing(method: &str) -> Value {
    match method {
        "textDocument/hover" | "textDocument/rename" | "textDocument/prepareRename" => Value::Null,
        "textDocument/diagnostic" => json!({ "kind": "full", "items": [] }),
        _ => json!([]),
    }
}

impl Proxy {
    /// Passes a question on to the daemon of the document's project.
    pub(super) fn navigate(
        &mut self,
        id: &Value,
        method: &str,
        params: &RawJson,
    ) -> Result<Answer, (i64, String)> {
        let asked: CodeRequest = params.decode().map_err(|error| (INVALID_PARAMS, error.to_string()))?;
        if method == "workspace/symbol" {
            return self.find_symbols(id, asked.query.unwrap_or_default());
        }
        if let (Some(document), Some(at)) = (&asked.text_document, asked.position) {
            self.infer_position(&document.uri, LspRange { start: at, end: at });
        }
        let named = asked.text_document.as_ref().map(|document| document.uri.as_str());
        let named = named.or(asked.item.as_ref().map(|item| item.uri.as_str()));
        let about = named.and_then(|uri| Some((uri.to_owned(), self.documents.by_uri.get(uri)?.version)));
        let Some((root, question)) = self.question(method, asked) else {
            return Ok(Answer::Now(nothing(method)));
        };
        let used = match method {
            "textDocument/rename" => AnswerUse::Rename(self.versions_beneath(&root)),
            _ => AnswerUse::Passed,
        };
        let encoding = self.encoding.name().to_owned();
        let params = json!(Navigation { encoding, question });
        let Some(link) = self.links.get_mut(&root) else { return Ok(Answer::Now(nothing(method))) };
        let asked = AskedCommand { id: id.clone(), used, progress: None, about };
        match link.ask(NAVIGATE, &params, asked) {
            Ok(()) => Ok(Answer::Later(None)),
            Err(_) => Err((BUSY, format!("{method}: too many requests wait for the daemon"))),
        }
    }

    /// Asks the daemons of all projects for symbols.
    fn find_symbols(&mut self, id: &Value, part: String) -> Result<Answer, (i64, String)> {
        let languages = self.navigation.languages.clone();
        if languages.is_empty() || self.links.is_empty() {
            return Ok(Answer::Now(nothing("workspace/symbol")));
        }
        let question = NavigationQuestion::WorkspaceSymbols { part, languages };
        let params = json!(Navigation { encoding: self.encoding.name().to_owned(), question });
        let mut daemons = 0;
        for link in self.links.values_mut() {
            let asked = AskedCommand { id: id.clone(), used: AnswerUse::Part, progress: None, about: None };
            daemons += usize::from(link.ask(NAVIGATE, &params, asked).is_ok());
        }
        if daemons == 0 {
            return Err((BUSY, "workspace/symbol: too many requests wait for the daemons".to_owned()));
        }
        self.gathered.insert(id.to_string(), GatheredAnswer::of(daemons));
        Ok(Answer::Later(None))
    }

    /// Asks what follows from files that the editor is about to rename, in the project that holds them.
    pub(super) fn follow_renames(&mut self, id: &Value, params: &RawJson) -> Result<Answer, (i64, String)> {
        let RenameFiles { files } = params.decode().map_err(|error| (INVALID_PARAMS, error.to_string()))?;
        let files: Vec<(PathBuf, PathBuf)> = files
            .iter()
            .filter_map(|file| Some((path_of(&file.old_uri)?, path_of(&file.new_uri)?)))
            .collect();
        let languages = self.navigation.languages.clone();
        let of_root = |root: &PathBuf| {
            let beneath = |path: &Path| path.strip_prefix(root).ok()?.to_str().map(str::to_owned);
            let moved: Vec<(String, String)> =
                files.iter().filter_map(|(from, to)| Some((beneath(from)?, beneath(to)?))).collect();
            (!moved.is_empty()).then(|| (root.clone(), moved))
        };
        // The versions in an edit are compared with those of one project's documents only.
        let asked = if languages.is_empty() { None } else { self.links.keys().find_map(of_root) };
        let Some((root, moved)) = asked else { return Ok(Answer::Now(Value::Null)) };
        let question = NavigationQuestion::MovedFiles { moved, languages };
        let params = json!(Navigation { encoding: self.encoding.name().to_owned(), question });
        let used = AnswerUse::Rename(self.versions_beneath(&root));
        let Some(link) = self.links.get_mut(&root) else { return Ok(Answer::Now(Value::Null)) };
        let asked = AskedCommand { id: id.clone(), used, progress: None, about: None };
        match link.ask(NAVIGATE, &params, asked) {
            Ok(()) => Ok(Answer::Later(None)),
            Err(_) => Err((BUSY, "too many requests wait for the daemon".to_owned())),
        }
    }

    /// Returns the question with the root of its project; `None` if symd has nothing to say.
    pub(super) fn question(&self, method: &str, asked: CodeRequest) -> Option<(PathBuf, NavigationQuestion)> {
        use NavigationQuestion as Of;
        if let Some(HierarchyParam { uri, data }) = asked.item {
            let ItemData { symd: path, offset } = data?;
            let file = path_of(&uri)?;
            let root = self.links.keys().find(|root| file == root.join(&path))?.clone();
            let question = match method {
                "callHierarchy/incomingCalls" => Of::Callers { path, offset },
                "callHierarchy/outgoingCalls" => Of::Callees { path, offset },
                "typeHierarchy/supertypes" => Of::Supertypes { path, offset },
                "typeHierarchy/subtypes" => Of::Subtypes { path, offset },
                _ => return None,
            };
            return Some((root, question));
        }
        let uri = asked.text_document?.uri;
        let document = self.documents.by_uri.get(&uri)?;
        if !self.navigation.has(&document.language) || self.documents.is_in_doubt(document) {
            return None;
        }
        let (root, path) =
            self.links.keys().find_map(|root| Some((root.clone(), document.beneath(root)?)))?;
        let path = path.to_owned();
        let question = match method {
            "textDocument/documentSymbol" => Of::DocumentSymbols { path },
            "textDocument/diagnostic" => Of::Diagnostics { path },
            _ => {
                let offset = self.encoding.offset(&document.text, asked.position?)?;
                let offset = u32::try_from(offset).ok()?;
                match method {
                    "textDocument/definition" => Of::Definition { path, offset },
                    "textDocument/declaration" => Of::Declaration { path, offset },
                    "textDocument/typeDefinition" => Of::TypeDefinition { path, offset },
                    "textDocument/implementation" => Of::Implementation { path, offset },
                    "textDocument/references" => {
                        let with_declaration =
                            asked.context.is_some_and(|context| context.include_declaration);
                        Of::References { path, offset, with_declaration }
                    }
                    "textDocument/hover" => Of::Hover { path, offset },
                    "textDocument/prepareCallHierarchy" | "textDocument/prepareTypeHierarchy" => {
                        Of::HierarchyItems { path, offset }
                    }
                    "textDocument/prepareRename" => Of::Renameable { path, offset },
                    "textDocument/rename" => Of::Rename { path, offset, new_name: asked.new_name? },
                    _ => return None,
                }
            }
        };
        Some((root, question))
    }

    /// Returns the versions of the documents beneath a root, by URI.
    fn versions_beneath(&self, root: &Path) -> BTreeMap<String, i64> {
        let beneath = self.documents.by_uri.iter().filter(|(_, document)| document.beneath(root).is_some());
        beneath.map(|(uri, document)| (uri.clone(), document.version)).collect()
    }

    /// Fills in the versions of open documents, under the URIs that the editor uses; the error is for people.
    pub(super) fn completed_rename(
        &self,
        mut edit: Value,
        asked_at: &BTreeMap<String, i64>,
    ) -> Result<Value, String> {
        let changes = edit["documentChanges"].as_array_mut().into_iter().flatten();
        for change in changes.filter(|change| change.get("edits").is_some()) {
            let Some(file) = change["textDocument"]["uri"].as_str().and_then(path_of) else { continue };
            let open: Vec<(&String, &Document)> =
                self.documents.by_uri.iter().filter(|(_, document)| document.path == file).collect();
            let Some((uri, document)) = open.first() else { continue };
            if asked_at.get(*uri) != Some(&document.version) {
                return Err(format!("{} was changed meanwhile; repeat the rename", file.display()));
            }
            change["textDocument"] = json!({ "uri": uri, "version": document.version });
        }
        Ok(edit)
    }
}
