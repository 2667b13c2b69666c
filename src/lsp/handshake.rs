//! `initialize`: what symd says of itself and of the project, and what is kept of the answer.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::answers::{Answers, folder};
use super::capabilities;
use super::connection::{Connection, RequestError};
use super::uri;

/// Who the server says it is (LSP 3.17, `serverInfo`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct ServerInfo {
    /// "ty", "IntelliJ Language Server by JetBrains" …
    #[serde(default)]
    pub(crate) name: String,
    /// As it writes it.
    #[serde(default)]
    pub(crate) version: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Initialized {
    #[serde(default)]
    capabilities: Value,
    #[serde(default)]
    server_info: Value,
    /// clangd's own form of the agreed encoding.
    #[serde(default)]
    offset_encoding: Value,
}

/// Introduces symd to a server that was given `root`, and learns what it can do.
pub(crate) async fn shake_hands(
    connection: &Connection,
    answers: &Answers,
    root: &Path,
    config: &Value,
    deadline: Instant,
) -> Result<ServerInfo, RequestError> {
    let params = json!({
        "processId": std::process::id(),
        "clientInfo": {"name": "symd", "version": env!("CARGO_PKG_VERSION")},
        "rootPath": root.to_string_lossy(),
        "rootUri": uri::of_path(root),
        "workspaceFolders": [folder(root)],
        "initializationOptions": config,
        "capabilities": capabilities::of_client(),
    });
    let answer: Initialized = connection.request("initialize", &params, deadline).await?;
    let Initialized { mut capabilities, server_info, offset_encoding } = answer;
    if let Value::Object(fields) = &mut capabilities
        && !offset_encoding.is_null()
    {
        fields.entry("offsetEncoding").or_insert(offset_encoding);
    }
    answers.capabilities().state(capabilities);
    connection.notify("initialized", &json!({})).await;
    let settings = if config.is_null() { json!({}) } else { config.clone() };
    connection.notify("workspace/didChangeConfiguration", &json!({"settings": settings})).await;
    Ok(serde_json::from_value(server_info).unwrap_or_default())
}
