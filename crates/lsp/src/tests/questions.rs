//! Each request: what is sent, and how the response is converted.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::peer::{Stage, able, range};
use crate::session::Session;
use crate::{DiagnosticSubject, Direction, DocumentPosition, FileRef, Goto, ServerError, Severity};
use symd_base::{RelPath, Text, TextRange};

const TEXT: &str = "def f():\r\n    return \"😀\", g(1)\r\n";

/// Asks about `g`, answers the expected requests one after the other, and returns the requests and the
/// result.
async fn dialogue<R: Send + 'static, F: Future<Output = R> + Send>(
    stage: &mut Stage,
    question: impl FnOnce(Arc<Session>, DocumentPosition) -> F + Send + 'static,
    answers: &[(&str, Value)],
) -> (Vec<Value>, R) {
    let (session, at) = (stage.session.clone(), stage.at("a.py", "g("));
    let asking = tokio::spawn(async move { question(session, at).await });
    let mut asked = Vec::new();
    for (method, answer) in answers {
        let mut message = stage.peer.next().await.unwrap();
        while message["method"] == "textDocument/didOpen" {
            message = stage.peer.next().await.unwrap();
        }
        assert_eq!(message["method"], *method);
        stage.peer.answer(&message, answer.clone()).await;
        asked.push(message["params"].clone());
    }
    (asked, asking.await.unwrap())
}

async fn stage() -> Stage {
    Stage::new(&[("a.py", TEXT)], able()).await
}

#[tokio::test]
async fn positions_go_out_and_come_back_in_the_servers_units() {
    for (encoding, column) in [("utf-8", 19), ("utf-16", 17), ("utf-32", 16)] {
        let mut capabilities = able();
        capabilities["positionEncoding"] = json!(encoding);
        let mut stage = Stage::new(&[("a.py", TEXT)], capabilities).await;
        let place = json!([{"uri": stage.uri("a.py"), "range": range(1, column, column + 1)}]);
        let answers = [("textDocument/references", place)];
        let ask = |session: Arc<Session>, at: DocumentPosition| async move { session.references(&at).await };
        let (asked, found) = dialogue(&mut stage, ask, &answers).await;
        assert_eq!(asked[0]["position"], json!({"line": 1, "character": column}), "{encoding}");
        assert_eq!(asked[0]["context"], json!({"includeDeclaration": true}));
        let text = Text::decode(TEXT.as_bytes().to_vec()).unwrap();
        let found = found.unwrap();
        assert_eq!(found[0].file, FileRef::Project(RelPath::new("a.py").unwrap()));
        assert_eq!(found[0].resolve(&text).map(|range| text.slice(range)), Some("g"));
    }
}

#[tokio::test]
async fn goto_takes_every_form() {
    let mut stage = stage().await;
    let uri = stage.uri("a.py");
    for (answer, count) in [
        (Value::Null, 0),
        (json!([]), 0),
        (json!({"uri": uri, "range": range(0, 4, 5)}), 1),
        (
            json!([{"targetUri": uri, "targetRange": range(0, 0, 8), "targetSelectionRange": range(0, 4, 5)}]),
            1,
        ),
    ] {
        let ask = |session: Arc<Session>, at: DocumentPosition| async move {
            session.goto(&at, Goto::Definition).await
        };
        let (_, found) = dialogue(&mut stage, ask, &[("textDocument/definition", answer)]).await;
        let found = found.unwrap();
        assert_eq!(found.len(), count);
        assert!(found.iter().all(|span| span.start.character == 4));
    }
}

#[tokio::test]
async fn calls_send_the_item_back_as_it_came() {
    let mut stage = stage().await;
    let item = json!({"name": "f", "kind": 12, "uri": stage.uri("a.py"), "range": range(0, 0, 8),
        "selectionRange": range(0, 4, 5), "data": {"secret": [1, 2.5]}, "tags": []});
    let calls = json!([{"from": item, "fromRanges": [range(1, 17, 18)]}]);
    let answers =
        [("textDocument/prepareCallHierarchy", json!([item])), ("callHierarchy/incomingCalls", calls)];
    let ask =
        |session: Arc<Session>, at: DocumentPosition| async move { session.calls(&at, Direction::Up).await };
    let (asked, found) = dialogue(&mut stage, ask, &answers).await;
    assert_eq!(asked[1]["item"], item);
    let found = found.unwrap();
    assert_eq!((found[0].item.name.as_str(), found[0].sites.len()), ("f", 1));

    let calls = json!([{"to": {"name": "g", "kind": 12, "uri": "file:///lib/g.py", "range": range(0, 0, 8),
        "selectionRange": range(0, 4, 5)}, "fromRanges": [range(1, 17, 18)]}]);
    let answers =
        [("textDocument/prepareCallHierarchy", json!([item])), ("callHierarchy/outgoingCalls", calls)];
    let ask = |session: Arc<Session>, at: DocumentPosition| async move {
        session.calls(&at, Direction::Down).await
    };
    let (_, found) = dialogue(&mut stage, ask, &answers).await;
    let found = found.unwrap();
    assert!(matches!(found[0].item.range.file, FileRef::Outside(_)));
    assert_eq!(found[0].sites[0].file, FileRef::Project(RelPath::new("a.py").unwrap()));

    let ask = |session: Arc<Session>, at: DocumentPosition| async move {
        session.calls(&at, Direction::Down).await
    };
    let answers = [("textDocument/prepareCallHierarchy", Value::Null)];
    assert_eq!(dialogue(&mut stage, ask, &answers).await.1, Ok(vec![]), "nothing callable is there");
}

#[tokio::test]
async fn the_other_questions_are_asked_and_answered() {
    let mut stage = stage().await;
    let item = json!({"name": "T", "kind": 5, "uri": stage.uri("a.py"), "range": range(0, 0, 8), "selectionRange": range(0, 4, 5)});
    let answers = [
        ("textDocument/prepareTypeHierarchy", json!([item])),
        ("typeHierarchy/subtypes", json!([item, item])),
    ];
    let ask = |session: Arc<Session>, at: DocumentPosition| async move {
        session.types(&at, Direction::Down).await
    };
    assert_eq!(dialogue(&mut stage, ask, &answers).await.1.unwrap().len(), 2);

    let ask = |session: Arc<Session>, at: DocumentPosition| async move { session.hover(&at).await };
    let hover = json!({"contents": ["a", {"language": "py", "value": "b"}]});
    let (_, found) = dialogue(&mut stage, ask, &[("textDocument/hover", hover)]).await;
    assert_eq!(found, Ok(Some("a\n\n```py\nb\n```".to_owned())));
    let (_, found) = dialogue(&mut stage, ask, &[("textDocument/hover", Value::Null)]).await;
    assert_eq!(found, Ok(None));

    let ask = |session: Arc<Session>, at: DocumentPosition| async move { session.signatures(&at).await };
    let help = json!({"signatures": [{"label": "g(a)"}, {"label": "g(b)"}], "activeSignature": 1});
    let (_, found) = dialogue(&mut stage, ask, &[("textDocument/signatureHelp", help)]).await;
    assert_eq!(found, Ok(vec!["g(b)".to_owned(), "g(a)".to_owned()]));

    let ask =
        |session: Arc<Session>, at: DocumentPosition| async move { session.document_symbols(&at).await };
    let flat =
        json!([{"name": "f", "kind": 12, "location": {"uri": stage.uri("a.py"), "range": range(0, 0, 8)}}]);
    let (_, found) = dialogue(&mut stage, ask, &[("textDocument/documentSymbol", flat)]).await;
    assert_eq!(found.unwrap()[0].name, "f");

    let ask = |session: Arc<Session>, at: DocumentPosition| async move {
        session.code_actions(&at, TextRange::new(at.offset, at.offset + 1)).await
    };
    let actions = json!([{"title": "run", "command": "x"}, {"title": "fix", "kind": "quickfix", "disabled": {"reason": "no"}}]);
    let (asked, found) = dialogue(&mut stage, ask, &[("textDocument/codeAction", actions)]).await;
    assert_eq!(asked[0]["range"], range(1, 17, 18));
    assert_eq!(found.unwrap()[1].disabled.as_deref(), Some("no"));
}

fn file(path: &str) -> DiagnosticSubject {
    DiagnosticSubject::File(RelPath::new(path).unwrap())
}

#[tokio::test]
async fn diagnostics_are_pulled_where_the_server_answers_that() {
    let mut capabilities = able();
    capabilities["diagnosticProvider"] = json!({"identifier": "x", "workspaceDiagnostics": true});
    let mut stage = Stage::new(&[("a.py", TEXT)], capabilities).await;
    let report = json!({"kind": "full", "items": [{"range": range(1, 17, 18), "severity": 2, "code": 7, "message": "m"}]});
    let ask =
        |session: Arc<Session>, _: DocumentPosition| async move { session.diagnostics(&file("a.py")).await };
    let (asked, found) = dialogue(&mut stage, ask, &[("textDocument/diagnostic", report)]).await;
    assert_eq!(asked[0]["identifier"], "x");
    let found = found.unwrap();
    assert_eq!((found[0].severity, found[0].code.as_deref()), (Severity::Warning, Some("7")));

    let item = |path: &str, line| json!({"uri": path, "kind": "full", "version": null, "items": [{"range": range(line, 0, 1), "message": "m"}]});
    let report = json!({"items": [item(&stage.uri("b.py"), 0), item(&stage.uri("a.py"), 1), item("file:///elsewhere.py", 0),
        {"uri": stage.uri("c.py"), "kind": "unchanged", "resultId": "1"}]});
    let ask = |session: Arc<Session>, _: DocumentPosition| async move {
        session.diagnostics(&DiagnosticSubject::Project).await
    };
    let (_, found) = dialogue(&mut stage, ask, &[("workspace/diagnostic", report)]).await;
    let files: Vec<FileRef> = found.unwrap().into_iter().map(|one| one.span.file).collect();
    let project = |path: &str| FileRef::Project(RelPath::new(path).unwrap());
    assert_eq!(files, [project("a.py"), project("b.py")]);
}

#[tokio::test]
async fn published_diagnostics_are_those_of_the_version_sent() {
    let mut stage = stage().await;
    let publish = |uri: String, version: Value, message: &str| {
        json!({"method": "textDocument/publishDiagnostics", "params":
            {"uri": uri, "version": version, "diagnostics": [{"range": range(0, 0, 1), "message": message}]}})
    };
    let session = stage.session.clone();
    let asking = tokio::spawn(async move { session.diagnostics(&file("a.py")).await });
    let opened = stage.peer.expect("textDocument/didOpen").await["params"]["textDocument"].clone();
    let version = opened["version"].as_i64().unwrap();
    stage.peer.say(publish(stage.uri("b.py"), json!(version), "of another file")).await;
    stage.peer.say(publish(stage.uri("a.py"), json!(version - 1), "of an older version")).await;
    stage.peer.say(publish(stage.uri("a.py"), json!(version), "right")).await;
    let found = asking.await.unwrap().unwrap();
    assert_eq!(found[0].message, "right");
    // It is known now, so it is returned without waiting.
    assert_eq!(stage.session.diagnostics(&file("a.py")).await.unwrap()[0].message, "right");
    let all = stage.session.diagnostics(&DiagnosticSubject::Project).await.unwrap();
    assert_eq!(all.len(), 2);

    // Without versions, the first publication after the new text was sent counts.
    stage.write("a.py", "changed\n");
    stage.session.file_changed(&RelPath::new("a.py").unwrap(), crate::Change::Written);
    stage.peer.expect("workspace/didChangeWatchedFiles").await;
    let session = stage.session.clone();
    let asking = tokio::spawn(async move { session.diagnostics(&file("a.py")).await });
    stage.peer.expect("textDocument/didChange").await;
    stage.peer.say(publish(stage.uri("a.py"), Value::Null, "new")).await;
    assert_eq!(asking.await.unwrap().unwrap()[0].message, "new");
}

#[tokio::test]
async fn a_server_that_publishes_nothing_is_not_taken_for_content() {
    let stage = Stage::with_timeout(&[("a.py", TEXT)], able(), Duration::from_millis(20)).await;
    let error = stage.session.diagnostics(&file("a.py")).await.unwrap_err();
    assert!(
        matches!(&error, ServerError::Failed { problem, .. } if problem.contains("publishDiagnostics")),
        "{error}"
    );
}
