//! Parses a line into a JSON-RPC message, or into the error that answers it. Knows JSON-RPC 2.0 but no
//! methods. Invariant: every line that is not blank yields a message or an error, whatever it contains.

use serde_json::{Map, Value};

use crate::escapes::json_of;
use crate::protocol::{BUSY, INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, error_line};

/// A JSON-RPC message from a client.
#[derive(Debug)]
pub(super) enum Message {
    /// A message that expects a response.
    Request(Request),
    /// A message that expects no response.
    Notification {
        method: String,
        /// The whole message.
        whole: Value,
    },
    /// The response to a request of ours.
    Response(Value),
    /// The first line of one of symd's own clients.
    Hello(Value),
    Blank,
}

/// A request that is valid JSON-RPC.
#[derive(Debug)]
pub(super) struct Request {
    /// A string or an integer.
    pub(super) id: Value,
    pub(super) method: String,
    /// An object; empty if the request has none.
    pub(super) params: Map<String, Value>,
}

/// The error that answers a line.
#[derive(Debug)]
pub(super) struct RejectedRequest {
    id: Value,
    code: i64,
    message: String,
}

impl RejectedRequest {
    pub(super) fn new(id: Value, code: i64, message: impl Into<String>) -> RejectedRequest {
        RejectedRequest { id, code, message: message.into() }
    }

    pub(super) fn too_long(limit: usize) -> RejectedRequest {
        let message = format!("this line is longer than {limit} bytes; it was skipped, the next one is read");
        RejectedRequest::new(Value::Null, INVALID_REQUEST, message)
    }

    pub(super) fn no_room(most: usize) -> RejectedRequest {
        let message = format!(
            "busy: incomplete requests of all connections already take {most} bytes; this line was skipped; send it again later"
        );
        RejectedRequest::new(Value::Null, BUSY, message)
    }

    pub(super) fn line(&self) -> Vec<u8> {
        error_line(&self.id, self.code, &self.message)
    }
}

pub(super) fn read(line: &[u8]) -> Result<Message, RejectedRequest> {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Ok(Message::Blank);
    }
    let value = json_of(line).map_err(|error| {
        RejectedRequest::new(Value::Null, PARSE_ERROR, format!("this line is not JSON: {error}"))
    })?;
    let object = match value {
        Value::Object(object) => object,
        Value::Array(_) => {
            return Err(invalid(Value::Null, "batches are not part of MCP; send one message a line"));
        }
        _ => return Err(invalid(Value::Null, "a message is a JSON object")),
    };
    if object.contains_key("symd") && !object.contains_key("method") {
        return Ok(Message::Hello(Value::Object(object)));
    }
    message(object)
}

fn message(mut object: Map<String, Value>) -> Result<Message, RejectedRequest> {
    let id = object.get("id").cloned();
    let known = id.clone().filter(is_id).unwrap_or(Value::Null);
    if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(invalid(known, "\"jsonrpc\" must be \"2.0\""));
    }
    let method = match object.get("method") {
        Some(Value::String(method)) => method.clone(),
        Some(_) => return Err(invalid(known, "\"method\" must be a string")),
        None if object.contains_key("result") || object.contains_key("error") => {
            return Ok(Message::Response(Value::Object(object)));
        }
        None => return Err(invalid(known, "\"method\" is missing")),
    };
    let Some(id) = id else {
        return Ok(Message::Notification { method, whole: Value::Object(object) });
    };
    if !is_id(&id) {
        return Err(invalid(Value::Null, "\"id\" must be a string or a whole number"));
    }
    match object.remove("params") {
        None => Ok(Message::Request(Request { id, method, params: Map::new() })),
        Some(Value::Object(params)) => Ok(Message::Request(Request { id, method, params })),
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

    fn check(line: &str, expected: &str) {
        let got = match read(line.as_bytes()) {
            Ok(Message::Request(request)) => format!("request {} {}", request.id, request.method),
            Ok(Message::Notification { method, .. }) => format!("notification {method}"),
            Ok(Message::Response(_)) => "response".to_owned(),
            Ok(Message::Hello(_)) => "hello".to_owned(),
            Ok(Message::Blank) => "blank".to_owned(),
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
        check(r#"{"symd":{}}"#, "hello");
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
