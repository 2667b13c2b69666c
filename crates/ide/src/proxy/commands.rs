//! The commands of `workspace/executeCommand`, and the requests to daemons that carry them out.

use serde_json::{Value, json};

/// The names of the commands, as `initialize` advertises them.
pub(super) const NAMES: [&str; 5] =
    ["symd.history", "symd.rename", "symd.restartServer", "symd.status", "symd.undo"];

/// Calls a tool.
pub(super) const CALL: &str = "symd/call";

/// A request to a daemon.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DaemonRequest {
    pub(super) method: &'static str,
    pub(super) params: Value,
    /// Whether the answer's text is shown to the user: editors drop a command's result.
    pub(super) is_shown: bool,
}

/// Returns the request that carries out a command, or why its arguments are wrong. Arguments are one object, or
/// none.
pub(super) fn request_of(command: &str, arguments: &Value) -> Result<DaemonRequest, String> {
    let first = arguments.get(0).cloned().unwrap_or_else(|| json!({}));
    if !first.is_object() {
        return Err(format!("{command}: the argument must be an object, such as {}", example(command)));
    }
    let call = |tool: &str| DaemonRequest {
        method: CALL,
        params: json!({ "tool": tool, "arguments": first, "toolset": ["native"] }),
        is_shown: true,
    };
    match command {
        "symd.status" => Ok(DaemonRequest { method: "symd/status", params: json!({}), is_shown: false }),
        "symd.undo" => Ok(call("undo")),
        "symd.history" => Ok(call("history")),
        "symd.rename" => Ok(call("rename_symbol")),
        "symd.restartServer" => {
            let server = first["server"].as_str();
            let server = server.ok_or_else(|| format!("{command}: which? {}", example(command)))?;
            let params = json!({ "action": "restart", "server": server });
            Ok(DaemonRequest { method: "symd/server", params, is_shown: true })
        }
        _ => Err(format!("symd has no command {command}; it has {}", NAMES.join(", "))),
    }
}

fn example(command: &str) -> &'static str {
    match command {
        "symd.rename" => r#"{"name_path": "Cart/total", "new_name": "sum"}"#,
        "symd.restartServer" => r#"{"server": "ty"}"#,
        _ => "{}",
    }
}

/// Returns the text of a daemon's answer that the user is shown.
pub(super) fn shown(result: &Value) -> String {
    if let Some(text) = result["text"].as_str() {
        return text.to_owned();
    }
    match (result["error"].as_str(), result["ask"].as_str()) {
        (Some(error), _) => error.to_owned(),
        (None, Some(question)) => format!("not done, since it needs approval: {question}"),
        (None, None) => "done".to_owned(),
    }
}
