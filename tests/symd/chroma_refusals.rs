//! A Chroma server that answers late, wrongly or not at all: each search says what failed, where, and what to do, within the
//! two seconds of the contract.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::chroma::{import, is_error, late_search, misbehaving, said, search, solution};
use crate::chroma_server::{TestChroma, raw_response};
use crate::support::write;

#[test]
fn whatever_the_server_answers_a_search_says_what_to_do() {
    let (chroma, user) = misbehaving();
    let error = |kind: &str, message: &str| json!({ "error": kind, "message": message }).to_string();
    let wrong: Vec<(Vec<u8>, &str, &[&str])> = vec![
        (
            raw_response("401 Unauthorized", &error("AuthError", "Forbidden")),
            "API_ERROR",
            &["HTTP 401: Forbidden", "set chroma.token in config.toml"],
        ),
        (
            raw_response("503 Service Unavailable", "<html>upstream</html>"),
            "API_ERROR",
            &["is not ready (HTTP 503", "it may be starting: try again"],
        ),
        (raw_response("429 Too Many Requests", ""), "API_ERROR", &["wants fewer requests (HTTP 429)"]),
        (
            raw_response("500 Internal Server Error", &error("InternalError", "disk I/O error")),
            "API_ERROR",
            &["HTTP 500: disk I/O error"],
        ),
        (
            raw_response("404 Not Found", r#"{"detail":"Not Found"}"#),
            "API_ERROR",
            &["has no API v2 (HTTP 404", "version 1.0 or later"],
        ),
        (
            raw_response(
                "410 Gone",
                &error("Unimplemented", "The v1 API is deprecated. Please use /v2 apis"),
            ),
            "API_ERROR",
            &["has no API v2 (HTTP 410"],
        ),
        (
            raw_response("307 Temporary Redirect\r\nLocation: http://elsewhere.example/", ""),
            "API_ERROR",
            &["redirects (HTTP 307)", "chroma.url must be the final address"],
        ),
        (raw_response("200 OK", "<html>Sign in</html>"), "API_ERROR", &["an answer that is not Chroma's"]),
        (raw_response("200 OK", "{}"), "API_ERROR", &["an answer that is not Chroma's"]),
        (raw_response("200 OK", &"[".repeat(2 << 20)), "API_ERROR", &["more than 1 MiB"]),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"id\":".to_vec(),
            "DB_CONNECTION_FAILED",
            &["it may be restarting: try again"],
        ),
    ];
    let address = format!("Chroma at {}", chroma.url());
    for (answer, code, parts) in wrong {
        let shown = String::from_utf8_lossy(&answer[..answer.len().min(100)]).into_owned();
        chroma.misbehave(Box::new(move |_| Some(answer.clone())));
        let refused = search(&user, &json!({ "query": "no till" }));
        eprintln!("{shown:?}: {refused}");
        is_error(&refused, code, &[&[address.as_str()], parts].concat());
    }
    // It is back.
    chroma.misbehave(Box::new(|_| None));
    assert_eq!(search(&user, &json!({ "query": "no till" }))["data"]["totalFound"], 1);
}

#[test]
fn an_answer_that_does_not_come_is_tool_timeout_whichever_it_is() {
    let (chroma, user) = misbehaving();
    for silent_at in ["/collections/rca_solutions", "/query", "/get"] {
        chroma.misbehave(Box::new(move |request| request.path.ends_with(silent_at).then(Vec::new)));
        let began = Instant::now();
        let late = late_search(&user, &json!({ "query": "no till" }));
        // Ours, not that of the tool, which names no server.
        is_error(&late, "TOOL_TIMEOUT", &[&chroma.url(), "did not answer in time", "try again"]);
        assert!(began.elapsed() >= Duration::from_millis(1_700), "{:?}", began.elapsed());
    }
    chroma.misbehave(Box::new(|_| None));
    assert_eq!(search(&user, &json!({ "query": "no till" }))["data"]["totalFound"], 1);
}

#[test]
fn model_and_server_have_one_deadline() {
    let (chroma, user) = misbehaving();
    // A model that takes a third of the 1.8 seconds.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let embedder = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let (asked, mut bytes) = (Instant::now(), [0; 4096]);
            // Nothing more comes: this waits for the time to pass.
            stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
            while asked.elapsed() < Duration::from_millis(600) {
                let _ = stream.read(&mut bytes);
            }
            let body = json!({ "data": [{ "index": 0, "embedding": vec![1.0; 384] }] }).to_string();
            let _ = stream.write_all(&raw_response("200 OK", &body));
        }
    });
    user.check(&["stop"], 0);
    let settings = format!("{}[embedder]\nurl = \"{embedder}\"\nmodel = \"slow\"\n", config(&chroma));
    write(&user.path("config/config.toml"), &settings);
    user.check(&["solutions", "reembed", "--yes"], 0);
    assert_eq!(search(&user, &json!({ "query": "no till" }))["data"]["totalFound"], 1);
    chroma.misbehave(Box::new(|request| request.path.ends_with("/query").then(Vec::new)));
    let began = Instant::now();
    let late = late_search(&user, &json!({ "query": "no till" }));
    let took = began.elapsed();
    is_error(&late, "TOOL_TIMEOUT", &["did not answer in time", &chroma.url()]);
    assert!(took >= Duration::from_millis(1_700), "{took:?}");
}

#[test]
fn records_that_fill_more_than_one_answer_are_read() {
    let (chroma, user) = misbehaving();
    let long = "no till ".to_owned() + &"x".repeat(60_000);
    let lines: String = (0..40).map(|n| format!("{}\n", solution(&format!("{n} {long}")))).collect();
    let output = import(&user, &lines);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(user.check(&["solutions", "export"], 0).lines().count(), 41);
    drop(chroma);
}

#[test]
fn texts_of_the_server_do_not_steer_the_terminal() {
    let (chroma, user) = misbehaving();
    let chroma = TestChroma::Recorded(chroma);
    let kept = chroma.records("rca_solutions");
    let path = format!("/collections/{}/upsert", chroma.id("rca_solutions"));
    let mut body = json!({
        "ids": kept["ids"], "embeddings": kept["embeddings"], "documents": ["no\u{1b}[2Jtill"], "metadatas": kept["metadatas"],
    });
    assert_eq!(chroma.ask("POST", &path, &body.to_string()).0, 200);
    let list = user.check(&["solutions"], 0);
    assert!(list.contains("no\u{FFFD}[2Jtill"), "{list:?}");
    // And what symd would not write is none of its solutions.
    body["metadatas"][0]["confidence"] = json!(7);
    assert_eq!(chroma.ask("POST", &path, &body.to_string()).0, 200);
    assert_eq!(user.check(&["solutions"], 0), "");
}

fn config(chroma: &crate::chroma_server::RecordedChroma) -> String {
    format!("[chroma]\nurl = \"{}\"\ntoken = \"the-token\"\n", chroma.url())
}
