//! Progress of commands (LSP 3.17, `$/progress`), for an editor that sent a token with one.

use serde_json::{Value, json};

use symd_rpc::write;

/// Returns the notification that work has begun.
pub(super) fn begun(token: &Value, title: &str) -> Vec<u8> {
    notification(token, json!({ "kind": "begin", "title": title, "cancellable": true }))
}

/// Returns the notification of what is being done.
pub(super) fn report(token: &Value, doing: &str) -> Vec<u8> {
    notification(token, json!({ "kind": "report", "message": doing }))
}

/// Returns the notification that work has ended.
pub(super) fn ended(token: &Value) -> Vec<u8> {
    notification(token, json!({ "kind": "end" }))
}

fn notification(token: &Value, value: Value) -> Vec<u8> {
    write::notification("$/progress", Some(json!({ "token": token, "value": value })))
}
