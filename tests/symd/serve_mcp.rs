//! The MCP protocol, in both eras, on the socket and through `symd mcp`.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::{Value, json};

use symd::ide::wire::NAVIGATE;

use crate::support::{MODERN, User, Wire, assert_error, call, initialize, modern, request};

/// Removes the tools, which other tests check.
fn without_tools(mut answer: Value) -> Value {
    let tools = answer["result"]["tools"].take();
    assert!(!tools.as_array().unwrap().is_empty());
    answer
}

#[test]
fn the_era_of_initialize() {
    let user = User::new();
    let mut wire = user.connect();
    let mut opened = wire.initialize();
    let instructions = opened["result"]["instructions"].take();
    assert!(!instructions.as_str().unwrap().is_empty());
    assert_eq!(
        opened,
        json!({ "jsonrpc": "2.0", "id": 0, "result": {
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "symd", "title": "symd", "version": env!("CARGO_PKG_VERSION") },
            "instructions": null,
        }})
    );
    assert_eq!(wire.ask(&request(1, "ping", json!({}))), json!({ "jsonrpc": "2.0", "id": 1, "result": {} }));
    assert_eq!(
        without_tools(wire.ask(&request("two", "tools/list", json!({})))),
        json!({ "jsonrpc": "2.0", "id": "two", "result": { "tools": null } })
    );
    let mut answer = wire.ask(&call(3, "status", json!({})));
    assert!(answer["result"]["content"][0]["text"].take().is_string());
    assert_eq!(
        answer,
        json!({ "jsonrpc": "2.0", "id": 3, "result": { "content": [{ "type": "text", "text": null }], "isError": false } })
    );
    assert_error(&wire.ask(&initialize("2025-11-25")), json!(0), -32600, "initialized already");
}

#[test]
fn older_and_unknown_versions_are_negotiated() {
    let user = User::new();
    for (asked, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-06-18", "2025-06-18"),
        (MODERN, "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let mut wire = user.connect();
        assert_eq!(wire.ask(&initialize(asked))["result"]["protocolVersion"], agreed, "asked for {asked}");
        let listed = wire.ask(&request(1, "tools/list", json!({})));
        assert!(listed["result"].get("resultType").is_none(), "{listed}");
    }
}

#[test]
fn the_era_of_discover() {
    let user = User::new();
    let mut wire = user.connect();
    let mut found = wire.ask(&modern(request(1, "server/discover", json!({}))));
    assert!(found["result"]["instructions"].take().is_string());
    assert_eq!(
        found["result"],
        json!({
            "resultType": "complete",
            "supportedVersions": ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN],
            "capabilities": { "tools": {} },
            "instructions": null,
            "ttlMs": 0,
            "cacheScope": "private",
            "_meta": { "io.modelcontextprotocol/serverInfo": {
                "name": "symd", "title": "symd", "version": env!("CARGO_PKG_VERSION") } },
        })
    );
    assert_eq!(
        without_tools(wire.ask(&modern(request(2, "tools/list", json!({})))))["result"],
        json!({ "resultType": "complete", "ttlMs": 3_600_000, "cacheScope": "private", "tools": null })
    );
    let answer = wire.ask(&modern(call(3, "status", json!({}))));
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(answer["result"]["isError"], false);

    let mut other = modern(call(4, "status", json!({})));
    other["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2031-01-01");
    let refused = wire.ask(&other);
    assert_error(&refused, json!(4), -32022, "");
    assert_eq!(
        refused["error"]["data"],
        json!({ "requested": "2031-01-01", "supported": found["result"]["supportedVersions"] })
    );
    let mut bare = modern(call(5, "status", json!({})));
    bare["params"]["_meta"].as_object_mut().unwrap().remove("io.modelcontextprotocol/clientCapabilities");
    assert_error(&wire.ask(&bare), json!(5), -32602, "clientCapabilities");
    assert_error(&wire.ask(&call(6, "status", json!({}))), json!(6), -32602, "initialize");
}

#[test]
fn tools_are_listed_in_the_same_order_with_everything_that_clients_look_at() {
    let user = User::new();
    for toolset in ["native", "native_full", "serena"] {
        let list = || {
            let mut wire = user.connect();
            wire.ask(&json!({ "symd": { "protocol": [1, 1], "version": "1", "toolset": [toolset] } }));
            wire.initialize();
            wire.ask(&request(1, "tools/list", json!({})))
        };
        let first = list();
        assert_eq!(first, list());
        for tool in first["result"]["tools"].as_array().unwrap() {
            check_listed(tool);
        }
    }
}

#[track_caller]
fn check_listed(tool: &Value) {
    let name = tool["name"].as_str().unwrap();
    assert!(
        name.len() <= 50 && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)),
        "{name}"
    );
    for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
        assert!(tool["annotations"][hint].is_boolean(), "{name}: {hint}");
    }
    let schema = &tool["inputSchema"];
    assert_eq!(schema["type"], "object", "{name}");
    for required in schema["required"].as_array().unwrap() {
        assert!(schema["properties"][required.as_str().unwrap()].is_object(), "{name}: {required}");
    }
    for (parameter, property) in schema["properties"].as_object().unwrap() {
        assert!(property["description"].is_string(), "{name}: {parameter}");
    }
    let schema = schema.to_string();
    assert!(!schema.contains("$ref") && !schema.contains("$defs"), "{name}: {schema}");
    assert!(!tool["title"].as_str().unwrap().is_empty() && !tool["description"].as_str().unwrap().is_empty());
}

#[test]
fn a_shim_passes_everything_on_to_the_end() {
    let user = User::new();
    let answers = user.mcp("project", &[initialize("2025-06-18"), call(1, "status", json!({}))]);
    assert_eq!(answers.len(), 2);
    assert_eq!(answers[0]["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(answers[1]["result"]["isError"], false);
}

#[test]
fn outside_a_project_every_call_says_how_to_choose_one() {
    let user = User::new();
    let lines = [
        initialize("2025-11-25"),
        request(1, "tools/list", json!({})),
        call(2, "status", json!({})),
        call(3, "nope", json!({})),
        request(
            4,
            NAVIGATE,
            json!({ "encoding": "utf-16", "question": { "of": "hover", "path": "a.py", "offset": 0 } }),
        ),
    ];
    let answers = user.mcp("elsewhere", &lines);
    let of = |id: i64| answers.iter().find(|answer| answer["id"] == id).unwrap();
    assert!(!of(1)["result"]["tools"].as_array().unwrap().is_empty());
    assert_eq!(of(2)["result"]["isError"], true);
    let text = of(2)["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("--project DIR") && text.contains(".symd"), "{text}");
    assert_error(of(3), json!(3), -32602, "nope");
    assert_error(of(4), json!(4), -32603, "symd serves no project here");
    assert!(!user.path("run").exists(), "no daemon was started");
}

#[test]
fn a_session_survives_the_daemon() {
    let user = User::new();
    let mut child = user.symd().arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |message: &Value| -> Value {
        writeln!(stdin, "{message}").unwrap();
        serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap()
    };
    assert_eq!(ask(&initialize("2025-06-18"))["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(ask(&call(1, "status", json!({})))["result"]["isError"], false);
    let first = user.pid();
    user.check(&["restart"], 0);
    // Requested twice at most: the first request may be sent while the daemon exits.
    let again =
        (2..4).map(|id| ask(&call(id, "status", json!({})))).find(|answer| answer.get("result").is_some());
    assert_eq!(again.unwrap()["result"]["isError"], false);
    assert_ne!(user.pid(), first);
    user.check(&["stop"], 0);
    let again =
        (4..6).map(|id| ask(&call(id, "status", json!({})))).find(|answer| answer.get("result").is_some());
    assert_eq!(again.unwrap()["result"]["isError"], false, "a daemon that is gone is started again");
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

/// Returns a request that may change something, which is never repeated.
fn writing(id: Value) -> Value {
    let arguments = json!({ "relative_path": "a.py", "needle": "a", "repl": "b", "mode": "literal" });
    call(id, "replace_content", arguments)
}

#[test]
fn a_change_that_a_daemon_took_to_its_grave_is_answered_for_and_not_repeated() {
    let user = User::new();
    let place = user.place();
    place.prepare().unwrap();
    let held = symd::serve::lock::try_lock(&place.lock()).unwrap().unwrap();
    let listener = std::os::unix::net::UnixListener::bind(place.socket()).unwrap();
    let socket = place.socket();
    let daemon = std::thread::spawn(move || {
        let mut wire = Wire::over(listener.accept().unwrap().0);
        assert_eq!(wire.receive().unwrap()["symd"]["client"], "mcp");
        wire.send(&json!({ "symd": { "protocol": 1, "version": "x", "pid": 1, "root": "/" } }));
        let asked = wire.receive().unwrap();
        wire.send_raw(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"resu");
        std::fs::remove_file(socket).unwrap();
        drop(held);
        asked
    });
    let answers = user.mcp("project", &[modern(writing(1.into()))]);
    assert_eq!(daemon.join().unwrap()["id"], 1);
    assert_eq!(answers.len(), 1);
    assert_error(&answers[0], json!(1), -32000, "ended before it answered");
}

#[test]
fn nothing_is_said_of_a_cancelled_request_when_the_daemon_ends() {
    let user = User::new();
    let place = user.place();
    place.prepare().unwrap();
    let held = symd::serve::lock::try_lock(&place.lock()).unwrap().unwrap();
    let listener = std::os::unix::net::UnixListener::bind(place.socket()).unwrap();
    let daemon = std::thread::spawn(move || {
        let mut wire = Wire::over(listener.accept().unwrap().0);
        assert_eq!(wire.receive().unwrap()["symd"]["client"], "mcp");
        wire.send(&json!({ "symd": { "protocol": 1, "version": "x", "pid": 1, "root": "/" } }));
        let ids = [wire.receive().unwrap()["id"].clone(), wire.receive().unwrap()["id"].clone()];
        assert_eq!(wire.receive().unwrap()["method"], "notifications/cancelled");
        drop(held);
        ids
    });
    let cancelled =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "1" } });
    let asked = [writing("1".into()), writing(1.into())].map(modern);
    let answers = user.mcp("project", &[&asked[..], &[cancelled]].concat());
    assert_eq!(daemon.join().unwrap(), [json!("1"), json!(1)]);
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_error(&answers[0], json!(1), -32000, "ended before it answered");
}

#[test]
fn more_than_the_shim_looks_at_passes_it() {
    let user = User::new();
    let mut child = user.symd().arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let chunk = vec![b'x'; 1024 * 1024];
    for _ in 0..100 {
        stdin.write_all(&chunk).unwrap();
    }
    writeln!(stdin, "\n{}", modern(call(1, "status", json!({})))).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let answers: Vec<Value> = output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    assert_eq!(answers.len(), 2);
    assert_error(&answers[0], Value::Null, -32600, "longer than");
    assert_eq!(answers[1]["result"]["isError"], false);
}
