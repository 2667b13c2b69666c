//! The handshake, the facts, and the ways in which requests fail.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::peer::{Stage, able, range};
use crate::server_event::ServerEvent;
use crate::{Change, ColumnEncoding, ServerError};
use symd_base::RelPath;

#[tokio::test]
async fn symd_introduces_itself() {
    let stage = Stage::new(&[], able()).await;
    let said = &stage.introduction;
    let root = format!("file://{}", stage.root.path().display());
    assert_eq!(said["rootUri"], json!(root));
    assert_eq!(said["workspaceFolders"][0]["uri"], json!(root));
    assert_eq!(said["processId"], json!(std::process::id()));
    assert_eq!(said["initializationOptions"]["peer"]["level"], json!({"deep": 3}));
    let can = |place: &str| said["capabilities"].pointer(place).cloned().unwrap_or_default();
    assert_eq!(can("/general/positionEncodings"), json!(["utf-8", "utf-32", "utf-16"]));
    assert_eq!(can("/textDocument/definition/linkSupport"), json!(true));
    assert_eq!(can("/textDocument/documentSymbol/hierarchicalDocumentSymbolSupport"), json!(true));
    assert_eq!(can("/textDocument/typeHierarchy"), json!({"dynamicRegistration": false}));
    assert_eq!(can("/workspace/didChangeWatchedFiles/dynamicRegistration"), json!(true));
    assert_eq!(can("/workspace/configuration"), json!(true));
    assert_eq!(can("/workspace/applyEdit"), json!(true));
    assert_eq!(can("/workspace/workspaceEdit/documentChanges"), json!(true));
    assert_eq!(can("/workspace/workspaceEdit/resourceOperations"), json!(["create", "rename", "delete"]));
    assert_eq!(can("/textDocument/rename/prepareSupport"), json!(true));
    assert_eq!(can("/window/workDoneProgress"), json!(true));
    assert_eq!(can("/experimental/serverStatusNotification"), json!(true));
    assert_eq!(stage.session.info().name, "Peer");
    assert_eq!(stage.session.info().version.as_deref(), Some("1.2"));
    assert_eq!(stage.session.rim.encoding, ColumnEncoding::Utf16, "LSP's default");
    assert!(stage.session.supports("textDocument/references"));
    assert!(!stage.session.supports("textDocument/implementation"));
}

#[tokio::test]
async fn the_encoding_is_the_servers_choice() {
    for (capabilities, expected) in [
        (json!({"positionEncoding": "utf-8"}), ColumnEncoding::Utf8),
        (json!({"positionEncoding": "utf-32"}), ColumnEncoding::Utf32),
        (json!({"positionEncoding": "ebcdic"}), ColumnEncoding::Utf16),
        (json!({"offsetEncoding": "utf-8"}), ColumnEncoding::Utf8),
        (json!(null), ColumnEncoding::Utf16),
    ] {
        assert_eq!(Stage::new(&[], capabilities).await.session.rim.encoding, expected);
    }
}

#[tokio::test]
async fn facts_are_told_in_order() {
    let mut stage = Stage::new(&[], able()).await;
    let progress = |value: Value| json!({"method": "$/progress", "params": {"token": 7, "value": value}});
    let peer = &mut stage.peer;
    peer.say(progress(json!({"kind": "begin", "title": "Indexing", "percentage": 0}))).await;
    peer.say(progress(json!({"kind": "report", "message": "1/2", "percentage": 50.7}))).await;
    peer.say(progress(json!({"partial": "results come so too"}))).await;
    peer.say(progress(json!({"kind": "end"}))).await;
    peer.say(json!({"method": "window/logMessage", "params": {"type": 1, "message": "!"}})).await;
    peer.say(json!({"method": "telemetry/event", "params": null})).await;
    peer.say(json!({"method": "experimental/serverStatus", "params": {"health": "ok", "quiescent": true}}))
        .await;
    peer.say(json!({"method": "intellij/ready-for-test"})).await;
    let token = || "7".to_owned();
    for expected in [
        ServerEvent::ProgressBegun {
            token: token(),
            title: "Indexing".into(),
            message: None,
            percentage: Some(0),
        },
        ServerEvent::ProgressReported { token: token(), message: Some("1/2".into()), percentage: Some(50) },
        ServerEvent::ProgressEnded { token: token(), message: None },
        ServerEvent::Status { quiescent: true, health: Some("ok".into()), message: None },
        ServerEvent::Notified { method: "intellij/ready-for-test".into() },
    ] {
        assert_eq!(stage.facts.recv().await, Some(expected));
    }
}

#[tokio::test]
async fn reports_that_nobody_reads_make_room_for_what_matters() {
    let mut stage = Stage::new(&[], able()).await;
    let report = json!({"method": "$/progress", "params": {"token": "t", "value": {"kind": "report"}}});
    for _ in 0..2000 {
        stage.peer.say(report.clone()).await;
    }
    stage.peer.say(json!({"method": "$/progress", "params": {"token": "t", "value": {"kind": "end"}}})).await;
    stage.peer.ask("window/workDoneProgress/create", json!({"token": "t"})).await;
    let mut last = None;
    while let Ok(fact) = stage.facts.try_recv() {
        last = Some(fact);
    }
    assert_eq!(last, Some(ServerEvent::ProgressEnded { token: "\"t\"".into(), message: None }));
}

#[tokio::test]
async fn a_question_is_asked_again_when_files_changed_under_it_but_not_for_ever() {
    let mut stage = Stage::new(&[("a.py", "x = 1\n")], able()).await;
    let at = stage.at("a.py", "x");
    let session = stage.session.clone();
    let asking = tokio::spawn(async move { session.references(&at).await });
    stage.peer.expect("textDocument/didOpen").await;
    for _ in 0..3 {
        let request = stage.peer.expect("textDocument/references").await;
        stage.peer.refuse(&request, -32801).await;
    }
    let request = stage.peer.expect("textDocument/references").await;
    let found = json!([{"uri": stage.uri("a.py"), "range": range(0, 0, 1)}]);
    stage.peer.answer(&request, found).await;
    assert_eq!(asking.await.unwrap().unwrap().len(), 1);

    let (at, session) = (stage.at("a.py", "x"), stage.session.clone());
    let asking = tokio::spawn(async move { session.references(&at).await });
    for _ in 0..4 {
        let request = stage.peer.expect("textDocument/references").await;
        stage.peer.refuse(&request, -32801).await;
    }
    let error = asking.await.unwrap().unwrap_err();
    assert!(
        matches!(&error, ServerError::Failed { problem, .. } if problem.contains("ask again")),
        "{error}"
    );
}

#[tokio::test]
async fn failures_name_the_server_and_the_next_step() {
    let mut stage = Stage::new(&[("a.py", "x = 1\n")], able()).await;
    let at = stage.at("a.py", "x");
    let unsupported = stage.session.goto(&at, crate::Goto::Implementation).await.unwrap_err();
    let expected = ServerError::Unsupported { server: "peer".into(), what: "textDocument/implementation" };
    assert_eq!(unsupported, expected);

    let session = stage.session.clone();
    let asked = at.clone();
    let asking = tokio::spawn(async move { session.hover(&asked).await });
    stage.peer.expect("textDocument/didOpen").await;
    let request = stage.peer.expect("textDocument/hover").await;
    stage.peer.answer(&request, json!([1, 2])).await;
    let wrong = asking.await.unwrap().unwrap_err().to_string();
    assert!(
        wrong.starts_with("peer failed: its answer to textDocument/hover does not conform to LSP"),
        "{wrong}"
    );

    let (session, asked) = (stage.session.clone(), at.clone());
    let asking = tokio::spawn(async move { session.hover(&asked).await });
    let request = stage.peer.expect("textDocument/hover").await;
    stage.peer.refuse(&request, -32601).await;
    let unknown = asking.await.unwrap().unwrap_err();
    assert_eq!(unknown, ServerError::Unsupported { server: "peer".into(), what: "textDocument/hover" });

    let (session, asked) = (stage.session.clone(), at.clone());
    let asking = tokio::spawn(async move { session.hover(&asked).await });
    stage.peer.expect("textDocument/hover").await;
    drop(stage.peer);
    let died = asking.await.unwrap().unwrap_err().to_string();
    assert_eq!(died, "peer failed: it closed the connection before answering textDocument/hover; ask again");
    stage.session.closed().await;
    stage.session.file_changed(&RelPath::new("a.py").unwrap(), Change::Written);
    assert!(stage.session.references(&at).await.is_err());
}

#[tokio::test]
async fn a_handshake_that_fails_says_how() {
    let (reader, writer, mut peer) = super::peer::pipes();
    let stage = Stage::new(&[], able()).await;
    let languages = symd_config::Languages::builtin().clone();
    let setup = crate::session::SessionConfig {
        server: "usage".into(),
        server_root: stage.root.path().to_owned(),
        files: stage.root.clone(),
        config: Value::Null,
        log_message: None,
        group: None,
        timeout: Duration::from_secs(1),
        language: languages.by_name("python").unwrap(),
        languages,
    };
    let opening = tokio::spawn(crate::session::Session::open(reader, writer, setup, super::peer::far()));
    peer.expect("initialize").await;
    peer.say_bytes(b"usage: server [options]\n\nHTTP/1.1 400 Bad Request\r\n\r\n").await;
    drop(peer);
    let error = opening.await.unwrap().expect_err("no session").to_string();
    assert_eq!(error, "it closed the connection before answering initialize");
}

#[tokio::test]
async fn the_server_is_answered_while_it_shuts_down() {
    let mut stage = Stage::new(&[], able()).await;
    let session = stage.session.clone();
    let ending = tokio::spawn(async move { session.shutdown(super::peer::far()).await });
    let request = stage.peer.expect("shutdown").await;
    assert_eq!(request.get("params"), None);
    assert_eq!(stage.peer.ask("workspace/diagnostic/refresh", json!(null)).await["result"], Value::Null);
    stage.peer.answer(&request, Value::Null).await;
    stage.peer.expect("exit").await;
    ending.await.unwrap();
}

#[tokio::test]
async fn a_shutdown_that_is_ignored_ends_at_its_deadline() {
    let mut stage = Stage::new(&[], able()).await;
    stage.session.shutdown(Instant::now()).await;
    stage.peer.expect("shutdown").await;
    stage.peer.expect("$/cancelRequest").await;
}
