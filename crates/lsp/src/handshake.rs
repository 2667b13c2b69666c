//! The `initialize` handshake: what symd reports about itself and the project, and what it keeps of the
//! response.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::capabilities;
use super::connection::{Connection, RequestError};
use super::message_handler::{ServerMessageHandler, folder};
use super::uri;

/// The server's name and version from `initialize` (LSP 3.17, `serverInfo`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct ServerInfo {
    /// "ty", "IntelliJ Language Server by JetBrains" …
    #[serde(default)]
    pub(crate) name: String,
    /// A single line.
    #[serde(default)]
    pub(crate) version: Option<String>,
}

/// The maximum number of characters of a version.
const MAX_VERSION_CHARS: usize = 80;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Initialized {
    #[serde(default)]
    capabilities: Value,
    #[serde(default)]
    server_info: Value,
    /// clangd's property for the position encoding.
    #[serde(default)]
    offset_encoding: Value,
}

/// Runs the handshake with a server whose workspace is `root`, sends its settings, and stores its
/// capabilities in `answers`.
pub(crate) async fn initialize(
    connection: &Connection,
    answers: &ServerMessageHandler,
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
    answers.capabilities().set_initial(capabilities);
    connection.notify("initialized", &json!({})).await;
    let settings = if config.is_null() { json!({}) } else { config.clone() };
    connection.notify("workspace/didChangeConfiguration", &json!({"settings": settings})).await;
    let info: ServerInfo = serde_json::from_value(server_info).unwrap_or_default();
    Ok(ServerInfo { version: info.version.as_deref().and_then(one_line), ..info })
}

/// Reduces a server's version to one line; `None` if it is empty. gopls writes a JSON document in which its
/// version is one of many fields (its `debug.VersionInfo`).
fn one_line(written: &str) -> Option<String> {
    let document: Option<Value> = serde_json::from_str(written).ok().filter(Value::is_object);
    let version = match &document {
        Some(document) => document["Version"].as_str()?,
        None => written,
    };
    let line: String = version.trim().lines().next()?.chars().take(MAX_VERSION_CHARS).collect();
    Some(line).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The `serverInfo.version` of Debian's gopls 0.5.0.
    const GOPLS: &str = r#"{"GoVersion":"go1.19.5","Path":"golang.org/x/tools/gopls","Main":{"Path":"","Version":"","Sum":"","Replace":null},"Deps":null,"Settings":[{"Key":"-compiler","Value":"gc"},{"Key":"-trimpath","Value":"true"},{"Key":"CGO_ENABLED","Value":"1"},{"Key":"GOARCH","Value":"amd64"},{"Key":"GOOS","Value":"linux"},{"Key":"GOAMD64","Value":"v1"}],"Version":"master"}"#;

    #[test]
    fn a_version_is_one_line() {
        let released = GOPLS.replace("master", "v0.20.0");
        let long = format!("1.2{}\nbuilt today", "3".repeat(200));
        let cut = format!("1.2{}", "3".repeat(MAX_VERSION_CHARS - 3));
        for (written, line) in [
            (GOPLS, Some("master")),
            (&released, Some("v0.20.0")),
            ("0.0.105", Some("0.0.105")),
            ("7", Some("7")),
            ("Debian clangd version 14.0.6\n+grpc\n", Some("Debian clangd version 14.0.6")),
            (&long, Some(cut.as_str())),
            (r#"{"Version":""}"#, None),
            (r#"{"GoVersion":"go1.19.5"}"#, None),
            ("\n", None),
            ("", None),
        ] {
            assert_eq!(one_line(written).as_deref(), line, "{written}");
        }
    }
}
