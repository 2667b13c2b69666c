//! Servers that misbehave: each leads to an error that names the server and says what to do, and the other
//! language's server is not affected.

use serde_json::{Value, json};
use symd::lsp::ServerState;

use crate::lsp_stage::{Play, Stage, honest, honest_but, is_pending, one_reference};

const REFERENCES: &str = "textDocument/references";
/// A short timeout; ready at once.
const HASTY: &str = "timeout = 1\nreadiness = { start-grace-ms = 0 }\n";

/// Sends a request to a server that plays `script`; its result or error must contain all of `says`.
async fn check_with(toml: &str, script: Value, says: &[&str]) -> Stage {
    let stage =
        Stage::new(|_| vec![Play::new("bad", script).with(toml), Play::new("good", honest()).of("rust")]);
    let answer = stage.references("python").await;
    let text = match &answer {
        Ok(said) => format!("{said:?}"),
        Err(error) => error.to_string(),
    };
    for part in says {
        assert!(text.contains(part), "{text:?} does not say {part:?}");
    }
    assert_eq!(stage.references("rust").await.unwrap().value.len(), 1);
    stage
}

async fn check(script: Value, says: &[&str]) -> Stage {
    check_with("readiness = { start-grace-ms = 0 }\n", script, says).await
}

#[tokio::test]
async fn prints_usage_and_exits() {
    let script = json!({ "at_start": [{ "stderr": "usage: bad [--stdio]" }, { "exit": 2 }] });
    let says = [
        "bad failed: it exited (exit code 2) before it answered initialize",
        "its stderr ends with: usage: bad [--stdio]",
        "check that `bad ",
        "/state/bad.log",
    ];
    let stage = check(script, &says).await;
    let log = std::fs::read_to_string(stage.path("state/bad.log")).unwrap();
    assert!(log.starts_with("usage: bad [--stdio]\n"), "{log}");
    assert_eq!(stage.status("bad").last_error.unwrap().matches("usage").count(), 1);
}

#[tokio::test]
async fn has_expired() {
    let script = json!({ "at_start": [{ "stderr": "This build has expired." }, { "exit": 7 }] });
    let toml = "fatal-stderr = [{ contains = \"has expired\", say = \"this build is too old; `symd install kotlin`\" }]";
    let stage =
        check_with(toml, script, &["bad is down: this build is too old; `symd install kotlin`"]).await;
    assert_eq!(stage.state("bad"), ServerState::Down);
    assert_eq!(stage.status("bad").starts, 1);
}

#[tokio::test]
async fn says_that_it_will_never_work_and_goes_on() {
    let script =
        json!({ "at_start": [{ "stderr": "fatal: no JVM" }], "on": { "initialize": [{ "hang": true }] } });
    let toml = "fatal-stderr = [{ contains = \"no JVM\", say = \"install a JDK 21\" }]";
    check_with(toml, script, &["bad is down: install a JDK 21"]).await;
}

#[tokio::test]
async fn speaks_http() {
    let answer = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n\r\nBad Request\r\n";
    let script = json!({ "on": { "initialize": [{ "raw": answer }, { "hang": true }] } });
    check_with(HASTY, script, &["bad failed: it did not answer initialize within 2", "check that `bad "])
        .await;
    let ends = json!({ "on": { "initialize": [{ "raw": answer }, { "exit": 1 }] } });
    check(ends, &["bad failed: it exited (exit code 1) before it answered initialize"]).await;
}

#[tokio::test]
async fn refuses_to_initialize() {
    let error = json!({ "error": { "code": -32603, "message": "no workspace" } });
    check(json!({ "on": { "initialize": [error] } }), &["bad failed", "initialize", "no workspace"]).await;
}

#[tokio::test]
async fn answers_nothing_in_time() {
    let says = ["bad failed: it did not answer textDocument/references within 1", "ask again"];
    check_with(HASTY, honest_but(REFERENCES, json!([{ "hang": true }])), &says).await;
    // An answer with another id does not count either.
    let other = json!([{ "answer_as": { "id": 99_999, "result": [] } }]);
    check_with(HASTY, honest_but(REFERENCES, other), &says).await;
}

#[tokio::test]
async fn hangs_again_and_again_and_is_started_anew() {
    let steps = json!([{ "hang": true }]);
    let stage = check_with(HASTY, honest_but(REFERENCES, steps), &["did not answer"]).await;
    let first = stage.pid("bad");
    stage.references("python").await.unwrap_err();
    // An answer in between, so that the server does not count as hung.
    stage.hover("python").await.unwrap();
    stage.references("python").await.unwrap_err();
    stage.references("python").await.unwrap_err();
    assert_eq!((stage.pid("bad"), stage.status("bad").starts), (first, 1));
    stage.references("python").await.unwrap_err();
    // This request waits for the new process.
    stage.hover("python").await.unwrap();
    assert_ne!(stage.pid("bad"), first);
    assert!(stage.status("bad").last_error.unwrap().contains("several requests in a row"));
}

#[tokio::test]
async fn who_does_not_wait_is_not_kept_by_one_that_was_late() {
    let steps = json!([{ "hang": true }]);
    let stage = check_with(HASTY, honest_but(REFERENCES, steps), &["did not answer"]).await;
    let late = "it did not answer the last question in time";
    assert_eq!(stage.status("bad").doing.as_deref(), Some(late));
    let mut trial = Box::pin(stage.references_now("python"));
    assert!(is_pending(&mut trial).await);
    // One request tries the server; others fail at once.
    let text = Stage::error(stage.references_now("python").await);
    assert!(text.starts_with(&format!("bad is not ready yet: {late} (")), "{text}");
    trial.await.unwrap_err();
    stage.hover("python").await.unwrap();
    assert_ne!(stage.status("bad").doing.as_deref(), Some(late));
}

#[tokio::test]
async fn answers_nonsense() {
    let answers = |steps: Value| honest_but(REFERENCES, steps);
    check(answers(json!([{ "answer": { "x": 1 } }])), &["bad failed: its answer to textDocument/references"])
        .await;
    check(answers(json!([{ "answer": "no" }])), &["bad failed: its answer to textDocument/references"]).await;
    // LSP: null is "none".
    check(answers(json!([{ "answer": null }])), &["value: []"]).await;
    let error = json!([{ "error": { "code": -32603, "message": "advertised, and failing" } }]);
    check(answers(error), &["bad failed", "error -32603: advertised, and failing"]).await;
    // Ranges are checked where the text is available.
    let far = json!({ "start": { "line": 9999, "character": 1 }, "end": { "line": 1, "character": 0 } });
    check(answers(json!([{ "answer": [{ "uri": "{uri}", "range": far }] }])), &["line: 9999"]).await;
}

#[tokio::test]
async fn answers_with_200_mib() {
    let stage =
        check(honest_but(REFERENCES, json!([{ "answer_huge": 200 << 20 }])), &["bad failed: its answer"])
            .await;
    // The server is still running.
    assert!(stage.hover("python").await.is_ok());
    assert_eq!(stage.status("bad").starts, 1);
}

#[tokio::test]
async fn writes_junk_between_messages() {
    let mut script =
        honest_but(REFERENCES, json!([{ "raw": "debug: here\n" }, { "answer": one_reference() }]));
    script["at_start"] = json!([{ "raw": "Welcome!\nStarting up…\r\n\r\n" }]);
    script["on"]["initialized"] = json!([{ "raw_message": "{not json" }, { "raw": "\n\n" }]);
    check(script, &["server: \"bad\"", "line: 1"]).await;
}

#[tokio::test]
async fn dies_with_questions_pending() {
    let steps = json!([{ "stderr": "panicked at src/x.rs" }, { "exit": 101 }]);
    let says = [
        "bad failed: it exited (exit code 101)",
        "its stderr ends with: panicked at src/x.rs",
        "ask again: it is being restarted",
    ];
    let stage = check(honest_but(REFERENCES, steps), &says).await;
    assert!(stage.hover("python").await.is_ok());
    // The request was also sent to the next process, which crashed on it, too.
    assert_eq!(stage.status("bad").starts, 3);
    check(honest_but(REFERENCES, json!([{ "abort": true }])), &["bad failed: it exited (signal 6)"]).await;
    let mut script = honest();
    // initialize, initialized, didOpen, references: one of these.
    script["crash_after"] = json!({ "messages": 3, "code": 3, "stderr": "three is enough" });
    check(script, &["bad failed: it exited (exit code 3)", "three is enough"]).await;
}

#[tokio::test]
async fn closes_its_stdout_and_stays() {
    let stage = Stage::new(|_| vec![Play::new("bad", honest()), Play::new("good", honest()).of("rust")]);
    let program = stage.path("installed/bad/bin/bad");
    std::fs::remove_file(&program).unwrap();
    crate::support::write(&program, "#!/bin/sh\nexec 1>&-\nkill -STOP $$\n");
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let error = Stage::error(stage.references("python").await);
    assert!(error.contains("bad failed: it closed its stdout"), "{error}");
    assert!(stage.references("rust").await.is_ok());
}

#[tokio::test]
async fn asks_questions_of_its_own() {
    let asks = json!([
        { "request": { "method": "workspace/configuration", "params": { "items": [{ "section": "bad" }] } } },
        { "request": { "method": "window/workDoneProgress/create", "params": { "token": "t" } } },
        { "request": { "method": "client/registerCapability", "params": { "registrations": [] } } },
        { "request": { "method": "workspace/semanticTokens/refresh", "params": null } },
        { "request": { "method": "workspace/applyEdit", "params": { "edit": {} } } },
        { "request": { "method": "no/such", "params": null } },
        { "answer": one_reference() },
    ]);
    let stage = check(honest_but(REFERENCES, asks), &["line: 1"]).await;
    // A request after them: when it is answered, the server has read them all.
    stage.hover("python").await.unwrap();
    let answers: Vec<Value> = stage
        .received("bad")
        .into_iter()
        .filter(|message| message["id"].as_str().is_some_and(|id| id.starts_with("own-")))
        .collect();
    assert_eq!(answers.len(), 6, "{answers:?}");
    assert_eq!(answers[3]["result"], Value::Null);
    assert_eq!(answers[4]["result"]["applied"], false);
    assert_eq!(answers[5]["error"]["code"], -32601);
}
