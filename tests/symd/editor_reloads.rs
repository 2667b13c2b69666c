//! Saved buffers whose files symd changes on the disk, in an editor whose package reads them again when it is asked to.

use serde_json::{Value, json};

use crate::editor_agent::{agent, done};
use crate::fake_editor::{FakeEditor, uri};
use crate::lsp_stage::install_fake;
use crate::support::{User, write};

/// Starts an editor with `a.py` open, whose file has these bytes.
fn opened(on_disk: &[u8], shown: &str) -> (User, FakeEditor, String) {
    let user = User::new();
    write(&user.path("config/languages.toml"), "[[language]]\nname = \"python\"\nlanguage-servers = []\n");
    std::fs::write(user.path("project/a.py"), on_disk).unwrap();
    let (editor, file) = another(&user, shown);
    (user, editor, file)
}

/// Starts an editor that shows this text of `a.py`.
fn another(user: &User, shown: &str) -> (FakeEditor, String) {
    let file = uri(user, "project/a.py");
    let mut editor = FakeEditor::silent(user);
    let abilities = json!({ "applyEdit": true, "workspaceEdit": { "documentChanges": true } });
    editor.ask(
        "initialize",
        json!({
            "clientInfo": { "name": "fake", "version": "1" }, "rootUri": uri(user, "project"),
            "capabilities": { "workspace": abilities },
            "initializationOptions": { "symd": { "saves": true, "reloads": true } },
        }),
    );
    editor.open(&file, 1, shown);
    editor.settle();
    (editor, file)
}

fn wanted(from: &str, to: &str) -> Value {
    json!({ "relative_path": "a.py", "needle": from, "repl": to, "mode": "literal" })
}

#[test]
fn a_file_whose_encoding_symd_does_not_know_is_read_again_by_its_editor() {
    let (user, mut editor, file) = opened(b"a = '\xe9'\nb = 1\n", "a = '\u{e9}'\nb = 1\n");
    let call = agent(&user, "replace_content", &wanted("b = 1", "b = 2"));
    let request = editor.await_request("symd/reload");
    assert_eq!(request["params"], json!({ "uris": [file] }));
    assert_eq!(std::fs::read(user.path("project/a.py")).unwrap(), b"a = '\xe9'\nb = 2\n");
    // As Neovim tells it.
    editor.close(&file);
    editor.open(&file, 1, "a = '\u{e9}'\nb = 2\n");
    editor.reply(&request, json!({ "reloaded": true }));
    let told = done(call);
    assert!(!told.contains("reloaded"), "{told}");
    let read = user.check(&["call", "read_file", r#"{"relative_path": "a.py"}"#], 0);
    assert!(read.contains("b = 2") && !read.contains("[unsaved"), "{read}");

    let call = agent(&user, "replace_content", &wanted("b = 2", "b = 3"));
    let request = editor.await_request("symd/reload");
    editor.reply(&request, json!({ "reloaded": false, "problem": "a.py was typed in" }));
    let told = done(call);
    assert!(told.contains("has not reloaded it: a.py in fake 1 (a.py was typed in)"), "{told}");
}

#[test]
fn an_answer_does_not_stand_for_a_text_that_can_be_compared() {
    let mixed = "one = 1\r\ntwo = 2\n";
    let (user, mut editor, file) = opened(mixed.as_bytes(), mixed);
    let call = agent(&user, "replace_content", &wanted("= 1", "= 3"));
    let request = editor.await_request("symd/reload");
    editor.change(&file, 2, [0, 6, 0, 7], "3");
    editor.reply(&request, json!({ "reloaded": true }));
    let told = done(call);
    assert!(!told.contains("reloaded"), "{told}");

    let call = agent(&user, "replace_content", &wanted("= 3", "= 4"));
    let request = editor.await_request("symd/reload");
    editor.reply(&request, json!({ "reloaded": true }));
    let told = done(call);
    assert!(
        told.contains("has not reloaded it: a.py in fake 1"),
        "it says so, and shows the old text: {told}"
    );
}

#[test]
fn an_editor_that_hangs_does_not_keep_another_one_from_reading_the_file_again() {
    let mixed = "one = 1\r\ntwo = 2\n";
    let (user, mut hangs, _) = opened(mixed.as_bytes(), mixed);
    let (mut reads, file) = another(&user, mixed);
    let call = agent(&user, "replace_content", &wanted("= 1", "= 3"));
    let request = reads.await_request("symd/reload");
    reads.change(&file, 2, [0, 6, 0, 7], "3");
    reads.reply(&request, json!({ "reloaded": true }));
    hangs.await_request("symd/reload");
    let told = done(call);
    assert!(told.contains("a.py in fake 1 (it did not answer in time)"), "{told}");
    // Both have the same name.
    assert_eq!(told.matches("a.py in fake").count(), 1, "{told}");
}

#[test]
fn an_editor_is_asked_for_each_document_by_itself() {
    let (in_a, in_b) = ("def one():\r\n    return 1\n", "import a\r\na.one()\n");
    let (user, mut editor, _) = opened(in_a.as_bytes(), in_a);
    write(&user.path("project/b.py"), in_b);
    editor.open(&uri(&user, "project/b.py"), 1, in_b);
    editor.settle();
    let wanted = json!({ "name_path": "one", "new_name": "other", "force": true, "include": ["unchecked"] });
    let call = agent(&user, "rename_symbol", &wanted);
    for _ in 0..2 {
        let request = editor.await_request("symd/reload");
        let [document] = &request["params"]["uris"].as_array().unwrap()[..] else { panic!("{request}") };
        let name = document.as_str().unwrap().rsplit('/').next().unwrap();
        editor.reply(&request, json!({ "reloaded": false, "problem": format!("{name} was typed in") }));
    }
    let answer = done(call);
    for name in ["a.py", "b.py"] {
        assert!(answer.contains(&format!("{name} was typed in")), "{answer}");
    }
}

#[test]
fn a_program_is_told_of_buffers_that_do_not_show_a_rename() {
    let (in_a, in_b) = ("def one():\n    return 1\n", "import a\r\na.one()\n");
    let (user, mut editor, file) = opened(in_a.as_bytes(), in_a);
    write(&user.path("project/b.py"), in_b);
    editor.open(&uri(&user, "project/b.py"), 1, in_b);
    editor.settle();
    let wanted = json!({
        "name_path": "one", "new_name": "other", "force": true, "include": ["unchecked"], "format": "json",
    });
    let call = agent(&user, "rename_symbol", &wanted);
    let request = editor.await_request("workspace/applyEdit");
    editor.rewrite(&file, 2, "def other():\n    return 1\n");
    editor.reply(&request, json!({ "applied": true }));
    let save = editor.await_request("symd/save");
    editor.reply(&save, json!({ "saved": false, "problem": "the disk is full" }));
    let reload = editor.await_request("symd/reload");
    editor.reply(&reload, json!({ "reloaded": false, "problem": "b.py was typed in" }));
    let told = done(call);
    let answer: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(answer["not_saved"], json!(["a.py in fake 1 (the disk is full)"]), "{told}");
    let [not_reloaded] = &answer["not_reloaded"].as_array().unwrap()[..] else { panic!("{told}") };
    assert!(not_reloaded.as_str().unwrap().starts_with("b.py in fake 1 ("), "{told}");
}

#[test]
fn a_program_is_told_of_buffers_that_do_not_show_an_edit_by_a_server() {
    let user = User::new();
    let start = json!({ "line": 1, "character": 0 });
    let narrower =
        json!({ "range": { "start": start, "end": { "line": 1, "character": 4 } }, "newText": "  " });
    install_fake(
        &user,
        &json!({
            "capabilities": { "documentFormattingProvider": true },
            "on": { "textDocument/formatting": [{ "answer": [narrower] }] },
        }),
    );
    let mixed = "def one():\r\n    return 1\n";
    write(&user.path("project/a.py"), mixed);
    let (mut editor, _) = another(&user, mixed);
    let wanted = json!({ "relative_path": "a.py", "format": "json" });
    let call = agent(&user, "format", &wanted);
    let request = editor.await_request("symd/reload");
    editor.reply(&request, json!({ "reloaded": false, "problem": "a.py was typed in" }));
    let told = done(call);
    let answer: Value = serde_json::from_str(&told).unwrap();
    let [not_reloaded] = &answer["not_reloaded"].as_array().unwrap()[..] else { panic!("{told}") };
    assert!(not_reloaded.as_str().unwrap().starts_with("a.py in fake 1 ("), "{told}");
    assert_eq!(answer.get("not_saved"), None, "{told}");
}
