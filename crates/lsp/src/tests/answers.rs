//! Requests from a server to symd.

use serde_json::{Value, json};

use super::peer::{Stage, able};

#[tokio::test]
async fn every_request_of_a_server_is_answered() {
    let mut stage = Stage::new(&[], able()).await;
    let folder = json!([{"uri": format!("file://{}", stage.root.path().display()),
        "name": stage.root.path().file_name().unwrap().to_str().unwrap()}]);
    let items = json!({"items": [{"section": "peer.level"}, {"section": "peer.none"}, {"section": "flat.key"}, {"scopeUri": "x"}]});
    let all = json!({"peer": {"level": {"deep": 3}}, "flat.key": true});
    for (method, params, expected) in [
        ("window/workDoneProgress/create", json!({"token": 1}), Value::Null),
        (
            "window/showMessageRequest",
            json!({"type": 1, "message": "?", "actions": [{"title": "a"}]}),
            Value::Null,
        ),
        ("window/showDocument", json!({"uri": "file:///a"}), json!({"success": false})),
        ("workspace/workspaceFolders", Value::Null, folder),
        ("workspace/configuration", items, json!([{"deep": 3}, null, true, all])),
        ("workspace/configuration", json!({"nonsense": 1}), json!([])),
        ("workspace/diagnostic/refresh", Value::Null, Value::Null),
        ("workspace/semanticTokens/refresh", Value::Null, Value::Null),
        ("custom/codeRefresh", Value::Null, Value::Null),
        ("client/registerCapability", json!("nonsense"), Value::Null),
        ("client/unregisterCapability", json!("nonsense"), Value::Null),
    ] {
        let answer = stage.peer.ask(method, params).await;
        assert_eq!(answer.get("result"), Some(&expected), "{method}: {answer}");
        assert_eq!(answer.get("error"), None, "{method}");
    }
    let edit = stage.peer.ask("workspace/applyEdit", json!({"edit": {}})).await;
    assert_eq!(edit["result"]["applied"], json!(false));
    assert!(edit["result"]["failureReason"].is_string());
    let unknown = stage.peer.ask("custom/ask", json!([])).await;
    assert_eq!((unknown.get("result"), &unknown["error"]["code"]), (None, &json!(-32601)));
}

#[tokio::test]
async fn what_is_registered_later_counts() {
    let mut stage = Stage::new(&[], json!({"diagnosticProvider": false})).await;
    let supports = |stage: &Stage, method: &str| stage.session.supports(method);
    assert!(!supports(&stage, "textDocument/diagnostic") && stage.session.features().is_empty());
    let registration = json!({"registrations": [
        {"id": "1", "method": "textDocument/diagnostic", "registerOptions": {"workspaceDiagnostics": true, "identifier": "x"}},
        {"id": "2", "method": "textDocument/references"},
        {"id": "3", "method": "textDocument/rename", "registerOptions": {"prepareProvider": false}},
    ]});
    stage.peer.ask("client/registerCapability", registration).await;
    let all =
        ["textDocument/diagnostic", "textDocument/references", "textDocument/rename", "workspace/diagnostic"];
    assert_eq!(stage.session.features(), all);
    let gone = json!({"unregisterations": [{"id": "1", "method": "textDocument/diagnostic"}]});
    stage.peer.ask("client/unregisterCapability", gone).await;
    assert!(!supports(&stage, "workspace/diagnostic") && supports(&stage, "textDocument/references"));
}
