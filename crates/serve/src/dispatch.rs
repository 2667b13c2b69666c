//! Parses a client's line into symd's hello, a JSON-RPC message, or the error that answers it. Knows no methods.

use serde_json::Value;

use symd_rpc::client_message::{ClientMessage, RejectedRequest, message, object};

/// A line from a client.
#[derive(Debug)]
pub(super) enum ClientLine {
    /// The first line of one of symd's own clients.
    Hello(Value),
    Message(ClientMessage),
    Blank,
}

pub(super) fn read(line: &[u8]) -> Result<ClientLine, RejectedRequest> {
    let Some(object) = object(line)? else { return Ok(ClientLine::Blank) };
    if object.contains_key("symd") && !object.contains_key("method") {
        return Ok(ClientLine::Hello(Value::Object(object)));
    }
    message(object).map(ClientLine::Message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hello_is_told_from_a_message() {
        assert!(matches!(read(br#"{"symd":{}}"#), Ok(ClientLine::Hello(_))));
        let both = br#"{"jsonrpc":"2.0","id":1,"method":"ping","symd":{}}"#;
        assert!(matches!(read(both), Ok(ClientLine::Message(ClientMessage::Request(_)))));
        assert!(matches!(read(b" \r"), Ok(ClientLine::Blank)));
        assert!(read(br#"{"jsonrpc":"2.0","id":1}"#).is_err());
    }
}
