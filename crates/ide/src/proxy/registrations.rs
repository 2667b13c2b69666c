//! For which documents the editor asks symd about code: registered by language where the editor takes registrations
//! (LSP 3.17, `client/registerCapability`), and static elsewhere, with nothing said of other languages.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::Proxy;
use super::edits::{AskedEditor, EditorQuestion};
use super::navigation::{METHODS, NavigationMethod};
use symd_rpc::write;

/// The languages about which symd is asked.
#[derive(Debug, Default)]
pub(super) struct NavigationState {
    /// Whether the editor has a package that names languages.
    pub(super) is_wanted: bool,
    /// By LSP's identifiers, sorted.
    pub(super) languages: Vec<String>,
    /// The methods that the editor lets servers register, by their places in [`METHODS`].
    dynamic: Vec<usize>,
    /// Whether something is registered.
    is_registered: bool,
}

impl NavigationState {
    /// Reads what `initialize` says.
    pub(super) fn of(params: &Value) -> NavigationState {
        let named = params.pointer("/initializationOptions/symd/navigation").and_then(Value::as_array);
        let mut languages: Vec<String> =
            named.into_iter().flatten().filter_map(|one| one.as_str().map(str::to_owned)).collect();
        languages.sort();
        languages.dedup();
        let takes = |method: &NavigationMethod| {
            let pointer = format!("/capabilities{}/dynamicRegistration", method.editors);
            params.pointer(&pointer) == Some(&json!(true))
        };
        let dynamic = (0..METHODS.len()).filter(|&at| takes(&METHODS[at])).collect();
        NavigationState { is_wanted: named.is_some(), languages, dynamic, is_registered: false }
    }

    pub(super) fn has(&self, language: &str) -> bool {
        self.languages.iter().any(|known| known == language)
    }

    /// Returns the capabilities that the editor does not let servers register.
    pub(super) fn capabilities(&self) -> Map<String, Value> {
        let is_static = |at: &usize| self.is_wanted && !self.dynamic.contains(at);
        let fixed = (0..METHODS.len()).filter(is_static).map(|at| &METHODS[at]);
        let capability = |method: &NavigationMethod| {
            let value = match method.method {
                "textDocument/rename" => json!({ "prepareProvider": true }),
                "textDocument/diagnostic" => diagnostic_options(),
                _ => json!(true),
            };
            (method.provider.to_owned(), value)
        };
        fixed.map(capability).collect()
    }
}

fn diagnostic_options() -> Value {
    json!({ "interFileDependencies": true, "workspaceDiagnostics": false })
}

fn id_of(method: &NavigationMethod) -> String {
    format!("symd {}", method.method)
}

impl Proxy {
    /// Takes the languages that the package names from now on.
    pub(super) async fn change_navigation(&mut self, mut languages: Vec<String>) {
        languages.sort();
        languages.dedup();
        if languages != self.navigation.languages {
            self.navigation.languages = languages;
            self.diagnose_all(Duration::ZERO, |_| true);
            self.register_navigation().await;
        }
    }

    /// Registers what symd answers, for the languages of now.
    pub(super) async fn register_navigation(&mut self) {
        let dynamic: Vec<&NavigationMethod> =
            self.navigation.dynamic.iter().map(|&at| &METHODS[at]).collect();
        if self.navigation.is_registered && !dynamic.is_empty() {
            let all: Vec<Value> = dynamic
                .iter()
                .map(|method| json!({ "id": id_of(method), "method": method.method }))
                .collect();
            // The misspelling is LSP's.
            self.ask_registration("client/unregisterCapability", json!({ "unregisterations": all })).await;
        }
        let languages = self.navigation.languages.clone();
        self.navigation.is_registered = !languages.is_empty();
        if languages.is_empty() || dynamic.is_empty() {
            return;
        }
        let selector: Vec<Value> =
            languages.iter().map(|language| json!({ "scheme": "file", "language": language })).collect();
        let registration = |method: &&NavigationMethod| {
            let mut options = match method.method {
                "textDocument/diagnostic" => diagnostic_options(),
                "textDocument/rename" => json!({ "prepareProvider": true }),
                _ => json!({}),
            };
            if method.method != "workspace/symbol" {
                options["documentSelector"] = json!(selector);
            }
            json!({ "id": id_of(method), "method": method.method, "registerOptions": options })
        };
        let all: Vec<Value> = dynamic.iter().map(registration).collect();
        self.ask_registration("client/registerCapability", json!({ "registrations": all })).await;
    }

    async fn ask_registration(&mut self, method: &str, params: Value) {
        let question = EditorQuestion::Registration;
        let id = self.asked.add(AskedEditor { root: PathBuf::new(), id: Value::Null, question });
        self.tell(write::request(id, method, Some(params))).await;
    }
}
