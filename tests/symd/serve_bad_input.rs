//! Invalid input from clients.

use std::io::Write;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

use serde_json::{Value, json};

use crate::support::{User, Wire, assert_error, call, modern, request};

fn alive(wire: &mut Wire) {
    assert_eq!(wire.ask(&modern(call(99, "status", json!({}))))["result"]["isError"], false);
}

#[test]
fn junk_is_answered_and_the_next_line_is_read() {
    let user = User::new();
    let mut wire = user.connect();
    for junk in [&b"junk\n"[..], b"{\"a\":\n", b"\x00\xff\xfe\n", b"\"", b"\n"] {
        wire.send_raw(junk);
    }
    for _ in 0..4 {
        assert_error(&wire.receive().unwrap(), Value::Null, -32700, "not JSON");
    }
    for invalid in ["[]", "7", "{}", r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#] {
        wire.send_raw(format!("{invalid}\n").as_bytes());
        assert_error(&wire.receive().unwrap(), Value::Null, -32600, "");
    }
    alive(&mut wire);
}

#[test]
fn wrong_parameters_are_answered_each_by_its_error() {
    let user = User::new();
    let mut wire = user.connect();
    wire.initialize();
    let wrong = [
        ("tools/call", json!([])),
        ("tools/call", json!("x")),
        ("tools/call", json!({})),
        ("tools/call", json!({ "name": 7 })),
        ("tools/call", json!({ "name": "status", "arguments": [] })),
        ("tools/call", json!({ "name": "status", "arguments": "x" })),
        ("tools/call", json!({ "name": "no_such_tool" })),
        ("tools/list", json!({ "cursor": 7 })),
        ("tools/list", json!({ "cursor": "x" })),
        ("tools/list", json!({ "_meta": 7 })),
        ("resources/read", json!({})),
        ("symd/call", json!({})),
        ("symd/call", json!({ "tool": "no_such_tool" })),
        ("symd/call", json!({ "tool": "status", "toolset": ["nope"] })),
        ("symd/tools", json!({ "toolset": "native" })),
    ];
    for (number, (method, params)) in wrong.into_iter().enumerate() {
        let answer = wire.ask(&request(number, method, params.clone()));
        assert_error(&answer, json!(number), -32602, "");
    }
    assert_error(&wire.ask(&request(50, "no/such", json!({}))), json!(50), -32601, "no/such");
    assert_error(&wire.ask(&request(51, "symd/such", json!({}))), json!(51), -32601, "symd/such");
    alive(&mut wire);
}

#[test]
fn half_a_surrogate_pair_in_a_path_is_answered_as_a_path() {
    let user = User::new();
    let mut wire = user.connect();
    let line = modern(call(7, "read_file", json!({ "relative_path": "b@d.txt" }))).to_string();
    wire.send_raw(format!("{}\n", line.replace('@', "\\udcff")).as_bytes());
    let answer = wire.receive().unwrap();
    assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(7), &json!(true)), "{answer}");
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("b\u{fffd}d.txt"), "{answer}");
}

#[test]
fn half_a_line_before_the_end_is_answered() {
    let user = User::new();
    let mut wire = user.connect();
    wire.send_raw(br#"{"jsonrpc":"2.0","id":1,"meth"#);
    wire.stream().shutdown(Shutdown::Write).unwrap();
    assert_error(&wire.receive().unwrap(), Value::Null, -32700, "not JSON");
    assert_eq!(wire.receive(), None);

    let mut wire = user.connect();
    wire.send_raw(modern(call(1, "status", json!({}))).to_string().as_bytes());
    wire.stream().shutdown(Shutdown::Write).unwrap();
    assert_eq!(wire.receive().unwrap()["result"]["isError"], false, "a last line needs no newline");
    assert_eq!(wire.receive(), None);
}

#[test]
fn a_line_over_the_limit_is_skipped_at_no_cost() {
    let user = User::with_config("[limits]\nmax_line_bytes = 4096\n");
    let mut wire = user.connect();
    let before = resident_kib(user.pid());
    let chunk = vec![b'x'; 1024 * 1024];
    for _ in 0..1024 {
        wire.send_raw(&chunk);
    }
    wire.send_raw(b"\n");
    assert_error(&wire.receive().unwrap(), Value::Null, -32600, "4096");
    alive(&mut wire);
    let grown = resident_kib(user.pid()).saturating_sub(before);
    assert!(grown < 8 * 1024, "a gigabyte without a newline cost {grown} KiB");
}

#[test]
fn a_big_patch_fits_into_a_line() {
    let user = User::new();
    let mut wire = user.connect();
    let patch = "x".repeat(12 * 1024 * 1024);
    let answer = wire.ask(&modern(call(1, "status", json!({ "ignored": patch }))));
    assert_eq!(answer["id"], 1);
    assert!(answer.get("result").is_some());
}

#[test]
fn ten_thousand_connections_do_not_stop_the_daemon() {
    let user = User::with_config("[limits]\nmax_connections = 100\n");
    let socket = user.socket();
    let mut kept = Vec::new();
    while kept.len() < 100 {
        let mut wire = Wire::connect(&socket);
        // The connection that was used to find the socket may still count.
        if wire.ask(&request(1, "symd/status", json!({}))).get("result").is_some() {
            kept.push(wire);
        }
    }
    for _ in 0..10_000 {
        let stream = UnixStream::connect(&socket).unwrap();
        // The daemon must cope, whether the input is read or not.
        let _ = (&stream).write_all(b"x");
    }
    let answer = Wire::connect(&socket).receive().unwrap();
    assert_error(&answer, Value::Null, -32000, "100 connections");
    let talk = user.fails(&["call", "status"], 3);
    assert!(talk.contains("100 connections"), "{talk}");
    assert!(user.fails(&["status"], 5).contains("100 connections"));
    alive(&mut kept[0]);
    // The daemon can be stopped, even at its limit of connections.
    user.check(&["stop"], 0);
    assert_eq!(kept[0].receive(), None);
}

fn resident_kib(pid: u64) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
