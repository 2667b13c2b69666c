//! What a server asks and tells of itself, and what it hears. Every request is answered at once, also while the server
//! shuts down: servers have been seen to die of a missing answer. Invariant: nothing here waits, and nothing a server
//! says is an error of ours.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::capabilities::{Capabilities, Registration};
use super::collected::Collected;
use super::connection::{Handler, Refusal};
use super::fact::{FACTS, Fact};
use super::message::Raw;
use super::published::Published;
use super::uri;

/// JSON-RPC 2.0, `Method not found`.
const METHOD_NOT_FOUND: i64 = -32601;

/// Answers one server.
pub(crate) struct Answers {
    server: String,
    /// The root it was given, as its one workspace folder.
    root: PathBuf,
    config: Value,
    /// A part of the log message that its readiness waits for.
    log_message: Option<String>,
    capabilities: Mutex<Capabilities>,
    published: Arc<Published>,
    collected: Arc<Collected>,
    facts: mpsc::Sender<Fact>,
}

impl Answers {
    /// Answers `server`, whose root is `root` and whose settings are `config`. Facts go to the receiver.
    pub(crate) fn new(
        server: &str,
        root: PathBuf,
        config: Value,
        log_message: Option<String>,
        published: Arc<Published>,
    ) -> (Arc<Answers>, mpsc::Receiver<Fact>) {
        let (facts, told) = mpsc::channel(FACTS);
        let server = server.to_owned();
        let capabilities = Mutex::default();
        let collected = Arc::default();
        let answers =
            Answers { server, root, config, log_message, capabilities, published, collected, facts };
        (Arc::new(answers), told)
    }

    /// What the server can do, as known so far.
    pub(crate) fn capabilities(&self) -> MutexGuard<'_, Capabilities> {
        self.capabilities.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the edits go that the server asks for.
    pub(crate) fn collected(&self) -> Arc<Collected> {
        Arc::clone(&self.collected)
    }

    fn register(&self, params: &Raw) {
        #[derive(Deserialize)]
        struct Registrations {
            registrations: Vec<Registration>,
        }
        match params.decode::<Registrations>() {
            Ok(Registrations { registrations }) => {
                let mut capabilities = self.capabilities();
                registrations.into_iter().for_each(|registration| capabilities.register(registration));
            }
            Err(error) => tracing::debug!(server = self.server, %error, "an odd registration"),
        }
    }

    fn unregister(&self, params: &Raw) {
        #[derive(Deserialize)]
        struct Unregistrations {
            // The spelling is LSP's own (3.17, `UnregistrationParams`).
            #[serde(alias = "unregistrations")]
            unregisterations: Vec<Unregistration>,
        }
        #[derive(Deserialize)]
        struct Unregistration {
            id: String,
        }
        match params.decode::<Unregistrations>() {
            Ok(Unregistrations { unregisterations }) => {
                let mut capabilities = self.capabilities();
                unregisterations.iter().for_each(|gone| capabilities.unregister(&gone.id));
            }
            Err(error) => tracing::debug!(server = self.server, %error, "an odd unregistration"),
        }
    }

    fn configuration(&self, params: &Raw) -> Value {
        let asked: Value = params.decode().unwrap_or_default();
        let items = asked.get("items").and_then(Value::as_array).cloned().unwrap_or_default();
        let section = |item: &Value| section_of(&self.config, item.get("section").and_then(Value::as_str));
        items.iter().map(section).collect()
    }

    fn folders(&self) -> Value {
        json!([folder(&self.root)])
    }

    fn progress(&self, params: &Raw) -> Option<Fact> {
        let params: Value = params.decode().ok()?;
        let token = params.get("token")?.to_string();
        let value = params.get("value")?;
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        // Some servers send fractions.
        let percentage = value.get("percentage").and_then(Value::as_f64).and_then(whole_percent);
        let message = text("message");
        match value.get("kind")?.as_str()? {
            "begin" => {
                let title = text("title").unwrap_or_default();
                Some(Fact::ProgressBegun { token, title, message, percentage })
            }
            "report" => Some(Fact::ProgressReported { token, message, percentage }),
            "end" => Some(Fact::ProgressEnded { token, message }),
            _ => None,
        }
    }

    fn tell(&self, fact: Fact) {
        let can_be_left_out = matches!(fact, Fact::ProgressReported { .. });
        if can_be_left_out && self.facts.capacity() < FACTS / 2 {
            return;
        }
        if let Err(mpsc::error::TrySendError::Full(fact)) = self.facts.try_send(fact) {
            tracing::warn!(server = self.server, ?fact, "nobody takes what the server tells; it is lost");
        }
    }

    fn log(&self, method: &str, params: &Raw) {
        let text: String = params.as_str().chars().take(1000).collect();
        tracing::debug!(server = self.server, method, text, "the server says");
    }
}

impl Handler for Answers {
    fn request(&self, method: &str, params: &Raw) -> Result<Value, Refusal> {
        match method {
            "client/registerCapability" => self.register(params),
            "client/unregisterCapability" => self.unregister(params),
            "window/workDoneProgress/create" => {}
            "workspace/configuration" => return Ok(self.configuration(params)),
            "workspace/workspaceFolders" => return Ok(self.folders()),
            "window/showMessageRequest" => self.log(method, params),
            "window/showDocument" => return Ok(json!({"success": false})),
            "workspace/applyEdit" => return Ok(self.collected.take(params)),
            _ if method.to_ascii_lowercase().ends_with("refresh") => {}
            _ => {
                tracing::debug!(server = self.server, method, "the server asks what symd does not know");
                let message = format!("symd does not know {method}");
                return Err(Refusal { code: METHOD_NOT_FOUND, message });
            }
        }
        Ok(Value::Null)
    }

    fn notification(&self, method: &str, params: &Raw) {
        match method {
            "textDocument/publishDiagnostics" => self.published.take(params),
            "$/progress" => {
                if let Some(fact) = self.progress(params) {
                    self.tell(fact);
                }
            }
            "experimental/serverStatus" => self.tell(status(params)),
            "window/showMessage" => {
                self.log(method, params);
                if let Some(message) = error_shown(params) {
                    self.tell(Fact::Complained { message });
                }
            }
            "window/logMessage" => {
                self.log(method, params);
                // Only what the rule names becomes a fact: some servers log several lines for each request.
                if self.log_message.as_deref().is_some_and(|sign| logged(params).contains(sign)) {
                    self.tell(Fact::LoggedSign);
                }
            }
            "telemetry/event" | "$/logTrace" => self.log(method, params),
            // Nothing of ours is ever computing for the server.
            "$/cancelRequest" => {}
            _ => self.tell(Fact::Notified { method: method.to_owned() }),
        }
    }
}

fn status(params: &Raw) -> Fact {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Status {
        quiescent: bool,
        health: Option<String>,
        message: Option<String>,
    }
    let Status { quiescent, health, message } = params.decode().unwrap_or_default();
    Fact::Status { quiescent, health, message }
}

/// The text of a `window/logMessage`; empty where it has none.
fn logged(params: &Raw) -> String {
    #[derive(Default, Deserialize)]
    struct Logged {
        #[serde(default)]
        message: String,
    }
    params.decode::<Logged>().unwrap_or_default().message
}

/// The text of a message that reports an error (LSP 3.17, `MessageType`).
fn error_shown(params: &Raw) -> Option<String> {
    const ERROR: u64 = 1;
    let params: Value = params.decode().ok()?;
    let is_error = params.get("type").and_then(Value::as_u64) == Some(ERROR);
    is_error.then(|| params.get("message")?.as_str().map(str::to_owned)).flatten()
}

fn whole_percent(percentage: f64) -> Option<u32> {
    (0..=100).find(|&whole| percentage < f64::from(whole) + 1.0)
}

/// The part of the settings that a server asks for: `a.b` is `config.a.b`, or a key that is written `a.b`. Null when
/// there is none; everything when no section is named.
fn section_of(config: &Value, section: Option<&str>) -> Value {
    let Some(section) = section.filter(|section| !section.is_empty()) else { return config.clone() };
    let nested = section.split('.').try_fold(config, |part, name| part.get(name));
    nested.or_else(|| config.get(section)).cloned().unwrap_or_default()
}

/// A workspace folder (LSP 3.17, `WorkspaceFolder`).
pub(crate) fn folder(root: &std::path::Path) -> Value {
    let name = root.file_name().map_or_else(|| "/".to_owned(), |name| name.to_string_lossy().into_owned());
    json!({"uri": uri::of_path(root), "name": name})
}
