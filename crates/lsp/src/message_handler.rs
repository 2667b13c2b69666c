//! Handles what a server sends on its own initiative: answers its requests and turns its notifications into
//! facts. Every request is answered at once, also while the server shuts down: servers have been observed to
//! exit because of a missing answer. Invariant: nothing here blocks, and nothing that a server sends makes
//! symd fail.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::capabilities::{Capabilities, Registration};
use super::connection::Handler;
use super::edit_collector::EditCollector;
use super::published_diagnostics::Published;
use super::server_event::{FACTS, ServerEvent};
use super::uri;
use symd_rpc::codes::METHOD_NOT_FOUND;
use symd_rpc::server_message::{ErrorObject, RawJson};

/// The handler of one server's requests and notifications.
pub(crate) struct ServerMessageHandler {
    server: String,
    /// The root sent in `initialize`, as the only workspace folder.
    root: PathBuf,
    config: Value,
    /// A part of the log message that the readiness rules wait for.
    log_message: Option<String>,
    capabilities: Mutex<Capabilities>,
    published: Arc<Published>,
    collected: Arc<EditCollector>,
    facts: mpsc::Sender<ServerEvent>,
}

impl ServerMessageHandler {
    /// Creates the handler for `server` with its root and its settings, and the receiver of its facts.
    pub(crate) fn new(
        server: &str,
        root: PathBuf,
        config: Value,
        log_message: Option<String>,
        published: Arc<Published>,
    ) -> (Arc<ServerMessageHandler>, mpsc::Receiver<ServerEvent>) {
        let (facts, told) = mpsc::channel(FACTS);
        let server = server.to_owned();
        let capabilities = Mutex::default();
        let collected = Arc::default();
        let answers = ServerMessageHandler {
            server,
            root,
            config,
            log_message,
            capabilities,
            published,
            collected,
            facts,
        };
        (Arc::new(answers), told)
    }

    /// Locks the server's capabilities as known so far.
    pub(crate) fn capabilities(&self) -> MutexGuard<'_, Capabilities> {
        self.capabilities.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the collector of the edits that the server requests.
    pub(crate) fn collected(&self) -> Arc<EditCollector> {
        Arc::clone(&self.collected)
    }

    fn register(&self, params: &RawJson) {
        #[derive(Deserialize)]
        struct Registrations {
            registrations: Vec<Registration>,
        }
        match params.decode::<Registrations>() {
            Ok(Registrations { registrations }) => {
                let mut capabilities = self.capabilities();
                registrations.into_iter().for_each(|registration| capabilities.register(registration));
            }
            Err(error) => tracing::debug!(server = self.server, %error, "invalid registration"),
        }
    }

    fn unregister(&self, params: &RawJson) {
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
            Err(error) => tracing::debug!(server = self.server, %error, "invalid unregistration"),
        }
    }

    fn configuration(&self, params: &RawJson) -> Value {
        let asked: Value = params.decode().unwrap_or_default();
        let items = asked.get("items").and_then(Value::as_array).cloned().unwrap_or_default();
        let section = |item: &Value| section_of(&self.config, item.get("section").and_then(Value::as_str));
        items.iter().map(section).collect()
    }

    fn folders(&self) -> Value {
        json!([folder(&self.root)])
    }

    fn progress(&self, params: &RawJson) -> Option<ServerEvent> {
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
                Some(ServerEvent::ProgressBegun { token, title, message, percentage })
            }
            "report" => Some(ServerEvent::ProgressReported { token, message, percentage }),
            "end" => Some(ServerEvent::ProgressEnded { token, message }),
            _ => None,
        }
    }

    fn send_fact(&self, fact: ServerEvent) {
        let can_be_left_out = matches!(fact, ServerEvent::ProgressReported { .. });
        if can_be_left_out && self.facts.capacity() < FACTS / 2 {
            return;
        }
        if let Err(mpsc::error::TrySendError::Full(fact)) = self.facts.try_send(fact) {
            tracing::warn!(server = self.server, ?fact, "the queue of facts is full; this one is lost");
        }
    }

    fn log(&self, method: &str, params: &RawJson) {
        let text: String = params.as_str().chars().take(1000).collect();
        tracing::debug!(server = self.server, method, text, "message from the server");
    }
}

impl Handler for ServerMessageHandler {
    fn request(&self, method: &str, params: &RawJson) -> Result<Value, ErrorObject> {
        match method {
            "client/registerCapability" => self.register(params),
            "client/unregisterCapability" => self.unregister(params),
            "window/workDoneProgress/create" => {}
            "workspace/configuration" => return Ok(self.configuration(params)),
            "workspace/workspaceFolders" => return Ok(self.folders()),
            "window/showMessageRequest" => self.log(method, params),
            "window/showDocument" => return Ok(json!({"success": false})),
            "workspace/applyEdit" => return Ok(self.collected.offer(params)),
            _ if method.to_ascii_lowercase().ends_with("refresh") => {}
            _ => {
                tracing::debug!(server = self.server, method, "the server sent an unknown request");
                let message = format!("symd does not support {method}");
                return Err(ErrorObject { code: METHOD_NOT_FOUND, message });
            }
        }
        Ok(Value::Null)
    }

    fn notification(&self, method: &str, params: &RawJson) {
        match method {
            "textDocument/publishDiagnostics" => self.published.take(params),
            "$/progress" => {
                if let Some(fact) = self.progress(params) {
                    self.send_fact(fact);
                }
            }
            "experimental/serverStatus" => self.send_fact(status(params)),
            "window/showMessage" => {
                self.log(method, params);
                if let Some(message) = error_shown(params) {
                    self.send_fact(ServerEvent::ErrorShown { message });
                }
            }
            "window/logMessage" => {
                self.log(method, params);
                // Only the log message that the readiness rules name becomes a fact: some servers log several
                // lines per request.
                if self.log_message.as_deref().is_some_and(|sign| logged(params).contains(sign)) {
                    self.send_fact(ServerEvent::ReadyLogMessage);
                }
            }
            "telemetry/event" | "$/logTrace" => self.log(method, params),
            // symd answers every request at once, so there is nothing to cancel.
            "$/cancelRequest" => {}
            _ => self.send_fact(ServerEvent::Notified { method: method.to_owned() }),
        }
    }
}

fn status(params: &RawJson) -> ServerEvent {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Status {
        quiescent: bool,
        health: Option<String>,
        message: Option<String>,
    }
    let Status { quiescent, health, message } = params.decode().unwrap_or_default();
    ServerEvent::Status { quiescent, health, message }
}

/// Returns the text of a `window/logMessage`; empty if it has none.
fn logged(params: &RawJson) -> String {
    #[derive(Default, Deserialize)]
    struct Logged {
        #[serde(default)]
        message: String,
    }
    params.decode::<Logged>().unwrap_or_default().message
}

/// Returns the text of a `window/showMessage` of type error (LSP 3.17, `MessageType`).
fn error_shown(params: &RawJson) -> Option<String> {
    const ERROR: u64 = 1;
    let params: Value = params.decode().ok()?;
    let is_error = params.get("type").and_then(Value::as_u64) == Some(ERROR);
    is_error.then(|| params.get("message")?.as_str().map(str::to_owned)).flatten()
}

fn whole_percent(percentage: f64) -> Option<u32> {
    (0..=100).find(|&whole| percentage < f64::from(whole) + 1.0)
}

/// Returns the section of the settings that a server requests: `a.b` is `config.a.b`, or else the key `a.b`
/// itself. Null if there is none; all settings if no section is named.
fn section_of(config: &Value, section: Option<&str>) -> Value {
    let Some(section) = section.filter(|section| !section.is_empty()) else { return config.clone() };
    let nested = section.split('.').try_fold(config, |part, name| part.get(name));
    nested.or_else(|| config.get(section)).cloned().unwrap_or_default()
}

/// Returns the JSON of a workspace folder (LSP 3.17, `WorkspaceFolder`).
pub(crate) fn folder(root: &std::path::Path) -> Value {
    let name = root.file_name().map_or_else(|| "/".to_owned(), |name| name.to_string_lossy().into_owned());
    json!({"uri": uri::of_path(root), "name": name})
}
