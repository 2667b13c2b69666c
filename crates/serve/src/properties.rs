//! Properties of the readers of hellos and MCP that must hold for all input. See `symd::properties`.

use serde_json::{Value, json};

use super::dispatch::{self, ClientLine};
use super::mcp;
use super::protocol::Hello;
use symd_rpc::client_message::ClientMessage;
use symd_rpc::properties::{assert_answers, assert_reads_again, lines};
use symd_toolsets::{self as toolsets, Offered, spellings};

/// Checks that every line is parsed or rejected by an error of bounded length, and that a request survives a
/// round trip.
pub fn json_rpc_line(bytes: &[u8]) {
    lines(bytes);
    for line in bytes.split(|byte| *byte == b'\n') {
        match dispatch::read(line) {
            Ok(ClientLine::Message(ClientMessage::Request(request))) => assert_reads_again(&request),
            Ok(ClientLine::Hello(mut hello)) => drop(serde_json::from_value::<Hello>(hello["symd"].take())),
            Ok(_) => {}
            Err(wrong) => assert_answers(&wrong, line),
        }
    }
}

/// Checks that a message of MCP is converted or rejected, and that its tool's arguments are read.
pub fn mcp(line: &[u8]) {
    match dispatch::read(line) {
        Ok(ClientLine::Message(ClientMessage::Request(request))) => {
            settle(&request.params);
            if let Err(wrong) = mcp::parse_request(request) {
                assert_answers(&wrong, line);
            }
        }
        Ok(ClientLine::Message(
            ClientMessage::Notification { whole, .. } | ClientMessage::Response(whole),
        )) => drop(mcp::parse_notification(whole)),
        Ok(_) | Err(_) => {}
    }
}

/// Checks, for each toolset's tool of that name, that normalizing a call's arguments twice changes nothing
/// more.
fn settle(call: &serde_json::Map<String, Value>) {
    let (Some(Value::String(name)), Some(Value::Object(arguments))) =
        (call.get("name"), call.get("arguments"))
    else {
        return;
    };
    let root = std::path::Path::new("/project");
    for toolset in toolsets::all() {
        for tool in toolset.tools.iter().filter(|tool| tool.name == name) {
            let offered = Offered { toolset, tool };
            if let Ok((offered, settled)) = spellings::normalize_call(offered, root, arguments.clone()) {
                let again = spellings::normalize_call(offered, root, settled.clone()).map(|(_, again)| again);
                assert_eq!(again.as_ref(), Ok(&settled), "{} {name}", toolset.name);
            }
        }
    }
}

/// Initial inputs for a fuzzer.
pub fn seeds() -> Vec<Vec<u8>> {
    let call = |name: &str, arguments: Value| {
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": name, "arguments": arguments, "_meta": { "progressToken": 7 } } })
    };
    let lines = [
        json!({ "jsonrpc": "2.0", "id": "a", "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": { "elicitation": {} },
            "clientInfo": { "name": "c", "version": "1" } } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1, "reason": "r" } }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": { "cursor": "x" } }),
        json!({ "jsonrpc": "2.0", "id": 3, "result": { "action": "accept", "content": { "answer": "yes" } } }),
        json!({ "symd": { "protocol": [1, 1], "version": "9", "toolset": ["native"], "client": "cli" } }),
        call(
            "find_symbol",
            json!({ "name_path": "A/b[0]", "depth": "1", "include_body": "true", "relative_path": "/project/a" }),
        ),
        call("read_file", json!({ "absolute_path": "/project/a", "offset": 3, "limit": -1 })),
        call("apply_patch_json", json!({ "patch": "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n" })),
    ];
    lines.iter().map(|line| line.to_string().into_bytes()).collect()
}

/// Tokens from which a fuzzer composes lines.
pub const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\u",
    "\\udcff",
    "\\ud800",
    "d83d",
    "\\n",
    "\n",
    "\0",
    "1e999",
    "-0",
    "1",
    "null",
    "true",
    "\"id\":",
    "\"jsonrpc\":\"2.0\"",
    "\"method\":",
    "\"params\":",
    "\"result\":",
    "\"error\":",
    "\"symd\":",
    "\"tools/call\"",
    "\"arguments\":",
    "\"name\":",
    "\"_meta\":",
    "é",
    "\u{2028}",
    "\u{feff}",
];
