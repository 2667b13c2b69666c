//! Much at once from an editor: bursts of changes, many open files, long buffers, and line ends that it hides.

use serde_json::json;

use crate::editor_agent::{agent, done};
use crate::fake_editor::{FakeEditor, uri};
use crate::support::{User, write};

fn user() -> User {
    let user = User::new();
    write(&user.path("config/languages.toml"), "[[language]]\nname = \"python\"\nlanguage-servers = []\n");
    user
}

fn abilities() -> serde_json::Value {
    json!({ "workspace": { "applyEdit": true, "workspaceEdit": { "documentChanges": true } } })
}

#[test]
fn agents_see_the_last_text_of_a_burst_and_of_every_open_file() {
    let user = user();
    for number in 0..200 {
        write(&user.path(&format!("project/f{number}.py")), "saved = 1\n");
    }
    let mut editor = FakeEditor::new(&user);
    let file = |number: usize| uri(&user, &format!("project/f{number}.py"));
    for number in 0..200 {
        editor.open(&file(number), 1, "saved = 1\n");
        editor.change(&file(number), 2, [0, 0, 0, 5], &format!("typed_{number}_"));
    }
    let burst = file(7);
    for version in 3..1_003 {
        editor.change(&burst, version, [0, 0, 0, 0], "k");
    }
    editor.settle();
    let found = user.check(&["find", "typed_", "--substring", "--limit", "100000"], 0);
    let seen = |number: usize| found.contains(&format!("f{number}.py:1"));
    assert!((0..200).filter(|number| *number != 7).all(seen), "{found}");
    let name = format!("{}typed_7_", "k".repeat(1_000));
    let found = user.check(&["find", &name], 0);
    assert!(found.contains("f7.py:1"), "{found}");
    let found = user.check(&["find", "saved"], 0);
    assert!(!found.contains(".py:1"), "no file is seen as it was saved: {found}");
}

/// An editor's change of several places is one: no agent sees the text between them.
#[test]
fn agents_see_no_text_in_the_middle_of_a_change() {
    let user = user();
    let text = "def a0():\n    pass\n\n\ndef b0():\n    pass\n";
    write(&user.path("project/a.py"), text);
    let file = uri(&user, "project/a.py");
    let mut editor = FakeEditor::new(&user);
    editor.open(&file, 1, text);
    editor.settle();
    std::thread::scope(|scope| {
        let agent = scope.spawn(|| {
            for _ in 0..30 {
                let overview =
                    user.check(&["call", "get_symbols_overview", r#"{"relative_path": "a.py"}"#], 0);
                let number = |name: &str| {
                    let (_, rest) = overview.split_once(&format!("function {name}")).unwrap();
                    rest.split_once('(').unwrap().0.to_owned()
                };
                assert_eq!(number("a"), number("b"), "{overview}");
            }
        });
        for number in 1_u32.. {
            let (new, width) = (number.to_string(), (number - 1).to_string().len());
            // Between these two the names differ.
            let changes = [0, 4].map(|line| {
                let start = json!({ "line": line, "character": 5 });
                let end = json!({ "line": line, "character": 5 + width });
                json!({ "range": { "start": start, "end": end }, "text": new })
            });
            editor.tell(
                "textDocument/didChange",
                json!({ "textDocument": { "uri": file, "version": number + 1 }, "contentChanges": changes }),
            );
            editor.settle();
            if agent.is_finished() {
                break;
            }
        }
        agent.join().unwrap();
    });
}

#[test]
fn a_buffer_of_20_megabytes_is_seen_and_edited() {
    let user = user();
    let saved = "a line of the long file\n".repeat(20 * 1_024 * 1_024 / 24);
    write(&user.path("project/long.txt"), &saved);
    let file = uri(&user, "project/long.txt");
    let mut editor = FakeEditor::with(&user, abilities());
    editor.open(&file, 1, &saved);
    let middle = u32::try_from(saved.len() / 48).unwrap();
    editor.change(&file, 2, [middle, 0, middle, 6], "TYPED");
    editor.settle();
    let read =
        json!({ "relative_path": "long.txt", "start_line": middle + 1, "end_line": middle + 1 }).to_string();
    let told = user.check(&["call", "read_file", &read], 0);
    assert!(told.contains("TYPED of the long file"), "{told}");
    let wanted =
        json!({ "relative_path": "long.txt", "needle": "TYPED", "repl": "AGENT", "mode": "literal" });
    let call = agent(&user, "replace_content", &wanted);
    let request = editor.await_request("workspace/applyEdit");
    let edits = request["params"]["edit"]["documentChanges"][0]["edits"].as_array().unwrap();
    assert_eq!((edits.len(), &edits[0]["range"]["start"]["line"]), (1, &json!(middle)), "{edits:?}");
    editor.change(&file, 3, [middle, 0, middle, 5], "AGENT");
    editor.reply(&request, json!({ "applied": true }));
    let told = done(call);
    assert!(told.contains("[unsaved: long.txt in fake 1"), "{told}");
    assert_eq!(std::fs::read_to_string(user.path("project/long.txt")).unwrap().len(), saved.len());
}

#[test]
fn an_edit_of_a_file_with_carriage_returns_that_its_editor_hides_keeps_them() {
    const SAVED: &str = "def saved():\r\n    return 1\r\n";
    let user = user();
    write(&user.path("project/a.py"), SAVED);
    write(&user.path("project/b.py"), "import a\r\n\r\na.typed()\r\n");
    let file = uri(&user, "project/a.py");
    let mut editor = FakeEditor::with(&user, abilities());
    editor.open(&file, 1, &SAVED.replace('\r', ""));
    editor.change(&file, 2, [0, 4, 0, 9], "typed");
    editor.settle();
    let wanted =
        json!({ "name_path": "typed", "new_name": "other", "force": true, "include": ["unchecked"] });
    let mut command = user.symd();
    command.args(["call", "rename_symbol", &wanted.to_string()]).stdout(std::process::Stdio::piped());
    let call = command.spawn().unwrap();
    let request = editor.await_request("workspace/applyEdit");
    let change = &request["params"]["edit"]["documentChanges"][0]["edits"][0];
    assert_eq!(change["newText"], "def other():\n", "the editor's own line ends: {request}");
    editor.change(&file, 3, [0, 4, 0, 9], "other");
    // A formatter that runs as the editor makes the change asks symd, too.
    let asked = editor.ask("workspace/executeCommand", json!({ "command": "symd.history" }));
    assert!(asked.get("result").is_some(), "{asked}");
    editor.reply(&request, json!({ "applied": true }));
    let done = call.wait_with_output().unwrap();
    assert!(done.status.success(), "{done:?}");
    assert_eq!(std::fs::read_to_string(user.path("project/b.py")).unwrap(), "import a\r\n\r\na.other()\r\n");
    assert_eq!(std::fs::read_to_string(user.path("project/a.py")).unwrap(), SAVED);
    // The editor saves with the line ends of the file.
    write(&user.path("project/a.py"), &SAVED.replace("saved", "other"));
    editor.save(&file);
    editor.settle();
    let told = user.check(&["call", "read_file", r#"{"relative_path": "a.py"}"#], 0);
    assert!(told.contains("other") && !told.contains("unsaved"), "{told}");
}
