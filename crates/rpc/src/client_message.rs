//! Parses a client's line into a JSON-RPC message, or into the error that answers it. As strict as MCP: no
//! batches, and parameters have names. Invariant: every line that is not blank yields an object or an error, and
//! every object a message or an error, whatever they contain.

use serde_json::{Map, Value};

use crate::codes::{BUSY, INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR};
use crate::escapes::json_of;
use crate::lines;
use crate::write;

/// A JSON-RPC message from a client.
#[derive(Debug)]
pub enum ClientMessage {
    /// A message that expects a response.
    Request(RpcRequest),
    /// A message that expects no response.
    Notification {
        method: String,
        /// The whole message.
        whole: Value,
    },
    /// The response to a request of ours.
    Response(Value),
}

/// A request that is valid JSON-RPC.
#[derive(Debug)]
pub struct RpcRequest {
    /// A string or an integer.
    pub id: Value,
    pub method: String,
    /// An object; empty if the request has none.
    pub params: Map<String, Value>,
}

/// The error that answers a line.
#[derive(Debug)]
pub struct RejectedRequest {
    id: Value,
    code: i64,
    message: String,
}

impl RejectedRequest {
    /// An error with one of [`codes`](crate::codes); `id` is null if the request's id is unknown.
    pub fn new(id: Value, code: i64, message: impl Into<String>) -> RejectedRequest {
        RejectedRequest { id, code, message: message.into() }
    }

    /// The error that answers a line longer than `limit` bytes.
    pub fn too_long(limit: usize) -> RejectedRequest {
        let message = format!(
            "this line is longer than {limit} bytes; it was skipped, the next one is read; send less (of a log the part with the \
             error), or let the user raise [limits] max_line_bytes in config.toml"
        );
        RejectedRequest::new(Value::Null, INVALID_REQUEST, message)
    }

    /// The error that answers a line for which a budget of `most` bytes had no room.
    pub fn no_room(most: usize) -> RejectedRequest {
        let message = format!(
            "busy: incomplete requests of all connections already take {most} bytes; this line was skipped; send it again later"
        );
        RejectedRequest::new(Value::Null, BUSY, message)
    }

    /// Returns the error response as a line.
    pub fn line(&self) -> Vec<u8> {
        lines::line(write::error(&self.id, self.code, &self.message))
    }
}

/// Parses a line into a JSON object; `None` if the line is blank.
pub fn object(line: &[u8]) -> Result<Option<Map<String, Value>>, RejectedRequest> {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    let value = json_of(line).map_err(|error| {
        RejectedRequest::new(Value::Null, PARSE_ERROR, format!("this line is not JSON: {error}"))
    })?;
    match value {
        Value::Object(object) => Ok(Some(object)),
        Value::Array(_) => Err(invalid(Value::Null, "batches are not part of MCP; send one message a line")),
        _ => Err(invalid(Value::Null, "a message is a JSON object")),
    }
}

/// Takes an object for a message.
pub fn message(mut object: Map<String, Value>) -> Result<ClientMessage, RejectedRequest> {
    let id = object.get("id").cloned();
    let known = id.clone().filter(is_id).unwrap_or(Value::Null);
    if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(invalid(known, "\"jsonrpc\" must be \"2.0\""));
    }
    let method = match object.get("method") {
        Some(Value::String(method)) => method.clone(),
        Some(_) => return Err(invalid(known, "\"method\" must be a string")),
        None if object.contains_key("result") || object.contains_key("error") => {
            return Ok(ClientMessage::Response(Value::Object(object)));
        }
        None => return Err(invalid(known, "\"method\" is missing")),
    };
    let Some(id) = id else {
        return Ok(ClientMessage::Notification { method, whole: Value::Object(object) });
    };
    if !is_id(&id) {
        return Err(invalid(Value::Null, "\"id\" must be a string or a whole number"));
    }
    match object.remove("params") {
        None => Ok(ClientMessage::Request(RpcRequest { id, method, params: Map::new() })),
        Some(Value::Object(params)) => Ok(ClientMessage::Request(RpcRequest { id, method, params })),
        Some(_) => {
            Err(RejectedRequest::new(id, INVALID_PARAMS, format!("{method}: \"params\" must be an object")))
        }
    }
}

fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_i64()
}

fn invalid(id: Value, message: &str) -> RejectedRequest {
    RejectedRequest::new(id, INVALID_REQUEST, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &[u8]) -> Result<Option<ClientMessage>, RejectedRequest> {
        object(line)?.map(message).transpose()
    }

    fn check(line: &str, expected: &str) {
        let got = match read(line.as_bytes()) {
            Ok(Some(ClientMessage::Request(request))) => format!("request {} {}", request.id, request.method),
            Ok(Some(ClientMessage::Notification { method, .. })) => format!("notification {method}"),
            Ok(Some(ClientMessage::Response(_))) => "response".to_owned(),
            Ok(None) => "blank".to_owned(),
            Err(wrong) => format!("{} {}", wrong.code, wrong.id),
        };
        assert_eq!(got, expected, "{line}");
    }

    #[test]
    fn every_line_gives_a_message_or_an_error() {
        check(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "request 1 ping");
        check(r#"{"jsonrpc":"2.0","id":"a","method":"ping","params":{}}"#, r#"request "a" ping"#);
        check(
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            "notification notifications/initialized",
        );
        check(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "response");
        check(" \r", "blank");
        check("{", "-32700 null");
        check("\u{1}", "-32700 null");
        check("[]", "-32600 null");
        check("1", "-32600 null");
        check(r#"{"id":1,"method":"ping"}"#, "-32600 1");
        check(r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, "-32600 1");
        check(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "-32600 null");
        check(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, "-32600 null");
        check(r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, "-32600 null");
        check(r#"{"jsonrpc":"2.0","id":1}"#, "-32600 1");
        check(r#"{"jsonrpc":"2.0","id":1,"method":7}"#, "-32600 1");
        check(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#, "-32602 1");
        check(&"[".repeat(1000), "-32700 null");
        assert!(matches!(read(b"\xff\xfe"), Err(RejectedRequest { code: PARSE_ERROR, .. })));
    }
}
