//! What editors show: asked for by symd where they answer, and else what they said last.

use serde_json::{Value, json};

use crate::fake_editor::{FakeEditor, uri};
use crate::support::{User, write};

fn user() -> User {
    let user = User::new();
    write(&user.path("config/languages.toml"), "[[language]]\nname = \"python\"\nlanguage-servers = []\n");
    write(&user.path("project/a.py"), "a = 1\n");
    user
}

fn telling(user: &User) -> FakeEditor {
    let mut editor = FakeEditor::silent(user);
    let told = json!({ "symd": { "reportsContext": true, "tellsContext": true } });
    editor.ask(
        "initialize",
        json!({
            "clientInfo": { "name": "fake", "version": "1" }, "rootUri": uri(user, "project"), "capabilities": {},
            "initializationOptions": told,
        }),
    );
    editor.tell("initialized", json!({}));
    editor.open(&uri(user, "project/a.py"), 1, "a = 1\n");
    editor.settle();
    editor
}

fn asked(user: &User) -> std::process::Child {
    let mut command = user.symd();
    command.args(["call", "editor_context", "{}"]).stdout(std::process::Stdio::piped());
    command.spawn().unwrap()
}

fn text(call: std::process::Child) -> String {
    String::from_utf8(call.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn an_editor_is_asked_what_it_shows_when_an_agent_wants_to_know() {
    let user = user();
    let mut editor = telling(&user);
    let call = asked(&user);
    let request = editor.await_request("symd/editorContext");
    let range = json!({ "start": { "line": 0, "character": 4 }, "end": { "line": 0, "character": 5 } });
    editor.reply(
        &request,
        json!({
            "textDocument": { "uri": uri(&user, "project/a.py") }, "position": { "line": 0, "character": 4 },
            "selection": { "range": range, "text": "1" }, "dirty": true,
            "diagnostics": { "files": [{
                "uri": uri(&user, "project/a.py"),
                "diagnostics": [{ "range": range, "severity": 2, "message": "magic number", "source": "lint" }],
            }] },
            "terminal": { "lines": ["$ make", "ok"] },
        }),
    );
    let told = text(call);
    assert!(told.starts_with("a.py:1:5 in fake 1, not saved\nselected, 1:5-1:6:\n1\n"), "{told}");
    assert!(told.contains("a.py:1:5 warning: magic number (lint)"), "{told}");
    assert!(told.contains("terminal, 2 lines:\n$ make\nok"), "{told}");

    // In its terminal the editor shows no file, and says nothing of one.
    let call = asked(&user);
    let request = editor.await_request("symd/editorContext");
    editor.reply(&request, json!({ "terminal": { "lines": ["$ symd"] } }));
    let told = text(call);
    assert!(told.starts_with("a.py:1:5 in fake 1") && told.contains("terminal, 1 line:\n$ symd"), "{told}");
    let call = asked(&user);
    let request = editor.await_request("symd/editorContext");
    editor.reply(&request, json!({ "textDocument": null }));
    assert!(text(call).starts_with("fake 1 shows no file of this project"));
}

#[test]
fn an_editor_that_does_not_answer_is_taken_at_its_last_word() {
    let user = user();
    let mut editor = telling(&user);
    editor.tell(
        "symd/didChangeEditorContext",
        json!({ "textDocument": { "uri": uri(&user, "project/a.py") }, "position": { "line": 0, "character": 2 } }),
    );
    editor.settle();
    let call = asked(&user);
    let request = editor.await_request("symd/editorContext");
    assert!(text(call).starts_with("a.py:1:3 in fake 1"));
    // Its late answer is the last word from now on.
    editor.reply(&request, Value::Null);
    editor.tell(
        "symd/didChangeEditorContext",
        json!({ "textDocument": { "uri": uri(&user, "project/a.py") }, "position": { "line": 0, "character": 1 } }),
    );
    editor.settle();
    let call = asked(&user);
    let request = editor.await_request("symd/editorContext");
    let error = json!({ "code": -32601, "message": "unknown" });
    editor.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "error": error }));
    assert!(text(call).starts_with("a.py:1:2 in fake 1"));
}

#[test]
fn an_inferred_cursor_tells_whether_the_document_is_saved_now() {
    let user = user();
    let file = uri(&user, "project/a.py");
    let mut editor = FakeEditor::new(&user);
    editor.open(&file, 1, "a = 1\n");
    editor.change(&file, 2, [0, 4, 0, 5], "2");
    let place = json!({ "line": 0, "character": 2 });
    let at = json!({
        "textDocument": { "uri": file }, "range": { "start": place, "end": place }, "context": { "diagnostics": [] },
    });
    editor.ask("textDocument/codeAction", at);
    editor.settle();
    let told = text(asked(&user));
    assert!(told.starts_with("a.py:1:3 in fake 1, not saved; inferred"), "{told}");
    write(&user.path("project/a.py"), "a = 2\n");
    editor.save(&file);
    editor.settle();
    let told = text(asked(&user));
    assert!(told.starts_with("a.py:1:3 in fake 1; inferred"), "{told}");
}

#[test]
fn requests_that_symd_does_not_offer_tell_the_cursor_and_find_nothing() {
    let user = user();
    let file = uri(&user, "project/a.py");
    let mut editor = FakeEditor::new(&user);
    editor.open(&file, 1, "a = 1\n");
    for (character, method) in [(1, "textDocument/documentHighlight"), (3, "textDocument/completion")] {
        let place = json!({ "line": 0, "character": character });
        let answer = editor.ask(method, json!({ "textDocument": { "uri": file }, "position": place }));
        assert_eq!(answer.get("result"), Some(&Value::Null), "{answer}");
        editor.settle();
        let told = text(asked(&user));
        assert!(told.starts_with(&format!("a.py:1:{} in fake 1; inferred", character + 1)), "{told}");
    }
}
