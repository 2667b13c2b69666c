//! Open documents of an editor: every agent sees them, and nothing of them is left when the editor is gone.

use serde_json::{Value, json};

use crate::editor_agent::agent;
use crate::fake_editor::{FakeEditor, uri};
use crate::support::{PATIENCE, User, write};

const SAVED: &str = "def saved():\n    return 1\n";

fn user() -> User {
    let user = User::new();
    write(&user.path("config/languages.toml"), "[[language]]\nname = \"python\"\nlanguage-servers = []\n");
    write(&user.path("project/a.py"), SAVED);
    user
}

/// Returns the names of the functions that an agent finds in `a.py`.
fn seen(user: &User) -> String {
    let answer = user.check(&["call", "get_symbols_overview", r#"{"relative_path": "a.py"}"#], 0);
    let names = answer.lines().filter_map(|line| line.split("function ").nth(1)?.split('(').next());
    names.collect::<Vec<_>>().join(" ")
}

#[test]
fn agents_see_an_unsaved_text_until_it_is_saved_closed_or_given_up() {
    let user = user();
    let file = uri(&user, "project/a.py");
    let mut editor = FakeEditor::new(&user);
    editor.open(&file, 1, SAVED);
    editor.settle();
    assert_eq!(seen(&user), "saved");
    editor.change(&file, 2, [0, 4, 0, 9], "typed");
    editor.settle();
    assert_eq!(seen(&user), "typed");
    editor.change(&file, 3, [0, 4, 0, 9], "saved");
    editor.settle();
    assert_eq!(seen(&user), "saved", "undone in the editor");

    editor.change(&file, 4, [0, 4, 0, 9], "kept");
    write(&user.path("project/a.py"), "def kept():\n    return 1\n");
    editor.save(&file);
    editor.settle();
    write(&user.path("project/a.py"), "def later():\n    return 1\n");
    editor.settle();
    assert_eq!(seen(&user), "later", "the file counts again, once the text was saved");

    editor.change(&file, 5, [0, 4, 0, 8], "dropped");
    editor.settle();
    assert_eq!(seen(&user), "dropped");
    editor.close(&file);
    editor.settle();
    assert_eq!(seen(&user), "later");
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn a_buffer_is_saved_if_its_file_has_its_text() {
    let user = user();
    let file = uri(&user, "project/a.py");
    let mut editor = FakeEditor::new(&user);
    editor.open(&file, 1, SAVED);
    editor.change(&file, 2, [0, 4, 0, 9], "kept");
    write(&user.path("project/a.py"), "def kept():\n    return 1\n");
    // A key that was pressed while the editor saved.
    editor.change(&file, 3, [0, 4, 0, 4], "x");
    editor.save(&file);
    editor.settle();
    assert_eq!(seen(&user), "xkept");
    let told = user.check(&["call", "read_file", r#"{"relative_path": "a.py"}"#], 0);
    assert!(told.contains("[unsaved: a.py"), "{told}");

    // Another program wrote the file, and the editor read it again.
    write(&user.path("project/a.py"), "def other():\n    return 1\n");
    editor.change(&file, 4, [0, 4, 0, 9], "other");
    editor.settle();
    let told = user.check(&["call", "read_file", r#"{"relative_path": "a.py"}"#], 0);
    assert!(told.contains("other") && !told.contains("[unsaved"), "{told}");

    // In another encoding it has another size.
    let units = "def wide():\n    return 1\n".encode_utf16().flat_map(u16::to_le_bytes);
    let bytes: Vec<u8> = b"\xFF\xFE".iter().copied().chain(units).collect();
    std::fs::write(user.path("project/a.py"), bytes).unwrap();
    editor.change(&file, 5, [0, 4, 0, 9], "wid");
    editor.change(&file, 6, [0, 7, 0, 7], "e");
    editor.settle();
    let told = user.check(&["call", "read_file", r#"{"relative_path": "a.py"}"#], 0);
    assert!(told.contains("wide") && !told.contains("[unsaved"), "{told}");
}

#[test]
fn an_unsaved_text_outlasts_its_file() {
    let user = user();
    let directory = user.path("project/d");
    std::fs::create_dir(&directory).unwrap();
    write(&directory.join("b.py"), "def saved_too():\n    return 1\n");
    let (one, other) = (uri(&user, "project/a.py"), uri(&user, "project/d/b.py"));
    let mut editor = FakeEditor::new(&user);
    editor.open(&one, 1, SAVED);
    editor.change(&one, 2, [0, 4, 0, 9], "typed");
    editor.open(&other, 1, "def typed_too():\n    return 1\n");
    editor.settle();
    assert_eq!(seen(&user), "typed");
    std::fs::remove_file(user.path("project/a.py")).unwrap();
    std::fs::remove_dir_all(&directory).unwrap();

    let mark = "[unsaved: a.py in fake 1; the file is gone from the disk]";
    let call = |tool: &str, arguments: &str| user.check(&["call", tool, arguments], 0);
    let read = call("read_file", r#"{"relative_path": "a.py"}"#);
    assert!(read.contains("def typed") && read.contains(mark), "{read}");
    assert_eq!(seen(&user), "typed");
    let found = call("find_symbol", r#"{"name_path_pattern": "typed", "substring_matching": true}"#);
    assert!(found.contains("a.py") && found.contains("d/b.py"), "{found}");
    let hits = call("search_for_pattern", r#"{"substring_pattern": "def .*:"}"#);
    assert!(hits.contains("typed()") && hits.contains("typed_too()"), "{hits}");
    let listed = call("list_dir", r#"{"relative_path": ".", "recursive": true}"#);
    assert!(listed.contains("a.py") && listed.contains("b.py"), "{listed}");
    let edit = r#"{"relative_path": "a.py", "needle": "return 1", "repl": "return 2", "mode": "literal"}"#;
    let told = user.check(&["call", "replace_content", edit], 1);
    assert!(told.contains("a.py has changes in an editor that are not saved"), "{told}");
    assert!(!user.path("project/a.py").exists());

    write(&user.path("project/a.py"), "def typed():\n    return 1\n");
    editor.save(&one);
    editor.close(&other);
    editor.settle();
    let read = call("read_file", r#"{"relative_path": "a.py"}"#);
    assert!(!read.contains("[unsaved"), "{read}");
    let found = call("find_symbol", r#"{"name_path_pattern": "typed", "substring_matching": true}"#);
    assert!(!found.contains("b.py"), "{found}");
}

#[test]
fn a_text_that_is_not_certainly_unsaved_does_not_outlast_its_file() {
    let user = user();
    let file = uri(&user, "project/a.py");
    let gone = |editor: &mut FakeEditor| {
        editor.settle();
        let told = user.check(&["call", "read_file", r#"{"relative_path": "a.py"}"#], 1);
        assert!(told.contains("does not exist"), "{told}");
        assert_eq!(
            user.check(&["call", "list_dir", r#"{"relative_path": "."}"#], 0).matches("a.py").count(),
            0
        );
    };
    // The editor sends the text of the removed file whole again.
    let mut editor = FakeEditor::new(&user);
    for (again, on_disk) in
        [("rewritten", SAVED), ("opened", SAVED), ("opened", "def saved():\r\n    return 1\r\n")]
    {
        write(&user.path("project/a.py"), on_disk);
        editor.open(&file, 1, SAVED);
        editor.settle();
        std::fs::remove_file(user.path("project/a.py")).unwrap();
        match again {
            "rewritten" => editor.rewrite(&file, 2, SAVED),
            _ => editor.open(&file, 2, SAVED),
        }
        gone(&mut editor);
        editor.close(&file);
    }

    // The editor reads a file again whose encoding symd does not know: since it was opened, or since another branch was checked out.
    for opened in
        [&b"# \xe9\ndef saved():\n    return 1\n"[..], "# \u{e9}\ndef saved():\n    return 1\n".as_bytes()]
    {
        std::fs::write(user.path("project/a.py"), opened).unwrap();
        editor.open(&file, 1, "# \u{e9}\ndef saved():\n    return 1\n");
        editor.settle();
        std::fs::write(user.path("project/a.py"), b"# \xe8\ndef other():\n    return 1\n").unwrap();
        editor.change(&file, 2, [0, 2, 1, 9], "\u{e8}\ndef other");
        editor.settle();
        std::fs::remove_file(user.path("project/a.py")).unwrap();
        gone(&mut editor);
        editor.close(&file);
    }
}

#[test]
fn only_a_file_that_existed_is_called_gone() {
    let user = user();
    let mut editor = FakeEditor::new(&user);
    editor.open(&uri(&user, "project/new.py"), 1, "def new():\n    return 1\n");
    editor.settle();
    let told = user.check(&["call", "list_dir", r#"{"relative_path": "."}"#], 0);
    assert!(!told.contains("new.py"), "{told}");
    let told = user.check(&["call", "read_file", r#"{"relative_path": "new.py"}"#], 1);
    assert!(!told.contains("gone from the disk"), "{told}");
}

#[test]
fn a_file_that_is_open_under_two_names_keeps_the_unsaved_one() {
    let user = user();
    std::os::unix::fs::symlink(user.path("project"), user.path("project/link")).unwrap();
    let (direct, linked) = (uri(&user, "project/a.py"), uri(&user, "project/link/a.py"));
    let mut editor = FakeEditor::with(
        &user,
        json!({ "workspace": { "applyEdit": true, "workspaceEdit": { "documentChanges": true } } }),
    );
    editor.open(&direct, 1, SAVED);
    editor.change(&direct, 2, [0, 4, 0, 9], "typed");
    editor.open(&linked, 1, SAVED);
    editor.settle();
    let edit = r#"{"relative_path": "a.py", "needle": "return 1", "repl": "return 2", "mode": "literal"}"#;
    let told = user.check(&["call", "replace_content", edit], 1);
    assert!(told.contains("with a text that symd does not know"), "{told}");
    editor.close(&linked);
    editor.settle();
    assert_eq!(seen(&user), "typed");
    assert_eq!(std::fs::read_to_string(user.path("project/a.py")).unwrap(), SAVED);
}

#[test]
fn what_cannot_be_read_or_placed_makes_texts_unknown() {
    let user = user();
    let file = uri(&user, "project/a.py");
    let mut editor = FakeEditor::new(&user);
    let typed = "def typed():\n    return 1\n";
    editor.open(&file, 1, typed);
    editor.settle();
    assert_eq!(seen(&user), "typed");
    editor.raw(b"Content-Length: 2\r\n\r\n\"\xff");
    let told = editor.await_message(|message| message["method"] == "window/showMessage");
    assert!(told["params"]["message"].as_str().unwrap().contains("could not be read"), "{told}");
    editor.settle();
    assert_eq!(seen(&user), "saved");
    editor.rewrite(&file, i64::MAX, typed);
    editor.settle();
    assert_eq!(seen(&user), "typed");

    // Where the lines of this text begin depends on the editor.
    editor.rewrite(&file, i64::MAX, "def bare():\n    return '\r'\n");
    let told = editor.await_message(|message| message["method"] == "window/showMessage");
    assert!(told["params"]["message"].as_str().unwrap().contains("carriage return"), "{told}");
    editor.settle();
    assert_eq!(seen(&user), "saved");
    let edit = r#"{"relative_path": "a.py", "needle": "return 1", "repl": "return 2", "mode": "literal"}"#;
    let told = user.check(&["call", "replace_content", edit], 1);
    assert!(told.contains("with a text that symd does not know"), "{told}");
}

#[test]
fn an_editor_that_dies_leaves_nothing_behind() {
    let user = user();
    let file = uri(&user, "project/a.py");
    let _keeps_the_daemon = user.connect();
    let daemon = user.pid();
    for end in ["hang up", "killed", "mid-message"] {
        let mut editor = FakeEditor::new(&user);
        editor.open(&file, 1, "def typed():\n    pass\n");
        editor.settle();
        assert_eq!(seen(&user), "typed");
        match end {
            "hang up" => assert_eq!(editor.hang_up(), Some(1)),
            "killed" => drop(editor),
            _ => {
                editor.raw(b"Content-Length: 100\r\n\r\n{\"jsonrpc\":");
                assert_eq!(editor.hang_up(), Some(1));
            }
        }
        // A connection of its own per question: the daemon has noticed the end before it accepted that.
        let mut last = seen(&user);
        for _ in 0..200 {
            if last == "saved" {
                break;
            }
            last = seen(&user);
        }
        assert_eq!(last, "saved", "{end}");
        assert_eq!(user.pid(), daemon, "{end}");
    }
}

#[test]
fn a_daemon_that_died_is_told_everything_again() {
    let user = user();
    let file = uri(&user, "project/a.py");
    let mut editor = FakeEditor::new(&user);
    editor.open(&file, 1, SAVED);
    editor.change(&file, 2, [0, 4, 0, 9], "typed");
    editor.settle();
    for stop in ["killed", "stopped"] {
        let pid = user.pid();
        if stop == "killed" {
            let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        } else {
            user.check(&["stop"], 0);
        }
        // A request may meet the end of the daemon; the next one is answered by another.
        let answered = (0..100).any(|_| {
            let command = json!({ "command": "symd.status" });
            editor.ask("workspace/executeCommand", command)["result"]["pid"]
                .as_u64()
                .is_some_and(|now| now != pid)
        });
        assert!(answered, "{stop}");
        assert_eq!(seen(&user), "typed", "{stop}");
    }
}

fn signal(pid: u64, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

#[test]
fn a_question_right_after_a_daemons_end_has_the_editors_text() {
    let user = user();
    let file = uri(&user, "project/a.py");
    let mut editor = FakeEditor::new(&user);
    editor.open(&file, 1, SAVED);
    editor.change(&file, 2, [0, 4, 0, 9], "typed");
    editor.settle();
    // Short lives in a row, after which no daemon is started for a while.
    for round in 0..2 {
        signal(user.pid(), rustix::process::Signal::KILL);
        assert_eq!(seen(&user), "typed", "killed, {round}");
        user.check(&["stop"], 0);
        let text = user.check(&["call", "read_file", r#"{"relative_path": "a.py"}"#], 0);
        assert!(text.contains("def typed") && text.contains("[unsaved: a.py in fake 1]"), "{round}: {text}");
        user.check(&["restart"], 0);
        let asked = ["call", "rename_symbol", r#"{"name_path": "typed", "new_name": "x", "dry_run": true}"#];
        let shown = user.check(&asked, 0);
        assert!(shown.contains("def x()"), "{round}: {shown}");
    }
    let log = std::fs::read_to_string(user.place().log()).unwrap();
    assert!(!log.contains("some connections did not end in time"), "{log}");
}

#[test]
fn a_daemon_that_ends_hears_what_is_typed_until_its_last_answer() {
    let user = user();
    let mute = "[[language]]\nname = \"python\"\nlanguage-servers = [\"mute\"]\n\n[language-server.mute]\n\
        command = \"sleep\"\nargs = [\"600\"]\n";
    write(&user.path("config/languages.toml"), mute);
    let text = "def slow():\n    pass\n\n\ndef other():\n    pass\n";
    write(&user.path("project/a.py"), text);
    let file = uri(&user, "project/a.py");
    let mut editor = FakeEditor::new(&user);
    editor.open(&file, 1, text);
    editor.settle();
    // The server is waited for, and then the second name is asked about.
    let calls = user.status()["calls"].as_u64().unwrap();
    let asked = json!({ "name_path": ["slow", "other"], "wait": "ready", "deadline_seconds": 2 });
    let call = agent(&user, "find_referencing_symbols", &asked);
    let begun = std::time::Instant::now();
    while user.status()["calls"].as_u64().unwrap() == calls {
        assert!(begun.elapsed() < PATIENCE);
    }
    let mut stop = user.symd().arg("stop").stdout(std::process::Stdio::null()).spawn().unwrap();
    while user.place().socket().exists() {
        assert!(begun.elapsed() < PATIENCE);
    }
    editor.change(&file, 2, [5, 8, 5, 8], "\n\n\nother()");
    let output = call.wait_with_output().unwrap();
    let told = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(told.contains("other()"), "{told}");
    assert!(stop.wait().unwrap().success());
}

#[test]
fn an_answer_is_incomplete_while_an_editor_has_not_told_its_texts() {
    let user = user();
    let file = uri(&user, "project/a.py");
    let mut editor = FakeEditor::new(&user);
    editor.open(&file, 1, SAVED);
    editor.change(&file, 2, [0, 4, 0, 9], "typed");
    editor.settle();
    let lsp = editor.process.id();
    signal(lsp.into(), rustix::process::Signal::STOP);
    let daemon = user.pid();
    signal(daemon, rustix::process::Signal::KILL);
    let why = format!(
        "incomplete: fake 1 has files of this project open and has not told symd their texts since symd \
        started: its `symd lsp` is process {lsp}; ask again, and if it stays so restart the language server in that editor, or close it]"
    );
    let text = user.check(&["call", "find_symbol", r#"{"name_path_pattern": "typed"}"#], 0);
    assert!(text.ends_with(&format!("[0 symbols; {why}\n")), "{text}");
    let text = user.check(&["call", "read_file", r#"{"relative_path": "a.py"}"#], 0);
    assert!(text.contains("def saved") && text.ends_with(&format!("\n[{why}\n")), "{text}");
    let asked = ["call", "find_symbol", r#"{"name_path_pattern": "saved", "format": "json"}"#];
    let json: Value = serde_json::from_str(&user.check(&asked, 0)).unwrap();
    assert_eq!(json["complete"], false, "{json}");
    let asked = ["call", "rename_symbol", r#"{"name_path": "typed", "new_name": "x"}"#];
    let failed = user.run(&asked);
    assert_eq!(failed.status.code(), Some(1), "{failed:?}");
    let text = String::from_utf8(failed.stdout).unwrap();
    assert!(text.contains("No symbol matching 'typed' found\n[incomplete: "), "{text}");
    let absolute = json!({ "absolute_path": user.path("project/a.py") }).to_string();
    let exact = user.check(&["call", "--toolset", "gemini_cli", "read_file", &absolute], 0);
    assert!(exact.contains("def saved") && !exact.contains("incomplete"), "{exact}");
    signal(lsp.into(), rustix::process::Signal::CONT);
    editor.await_restart(daemon);
    let text = user.check(&["call", "find_symbol", r#"{"name_path_pattern": "typed"}"#], 0);
    assert!(text.contains("a.py") && text.contains("; complete]"), "{text}");
}

#[test]
fn two_windows_with_different_texts_show_the_one_that_changed_last() {
    let user = user();
    let file = uri(&user, "project/a.py");
    let (mut one, mut two) = (FakeEditor::new(&user), FakeEditor::new(&user));
    for editor in [&mut one, &mut two] {
        editor.open(&file, 1, SAVED);
        editor.settle();
    }
    one.change(&file, 2, [0, 4, 0, 9], "one");
    one.settle();
    two.change(&file, 2, [0, 4, 0, 9], "two");
    two.settle();
    assert_eq!(seen(&user), "two");
    one.change(&file, 3, [0, 4, 0, 7], "again");
    one.settle();
    assert_eq!(seen(&user), "again");
    one.close(&file);
    one.settle();
    assert_eq!(seen(&user), "two");
    two.close(&file);
    two.settle();
    assert_eq!(seen(&user), "saved");
}

#[test]
fn changes_that_do_not_fit_hide_no_file() {
    let user = user();
    let file = uri(&user, "project/a.py");
    let mut editor = FakeEditor::new(&user);
    editor.open(&file, 5, "def typed():\n    pass\n");
    editor.settle();
    for (version, range) in [(6, [7, 0, 7, 0]), (7, [1, 0, 0, 0]), (5, [0, 0, 0, 0]), (-1, [0, 0, 0, 0])] {
        editor.rewrite(&file, version.max(6), "def typed():\n    pass\n");
        editor.settle();
        assert_eq!(seen(&user), "typed");
        editor.change(&file, version, range, "x");
        let told = editor.await_message(|message| message["method"] == "window/showMessage");
        assert!(told["params"]["message"].as_str().unwrap().contains("do not fit"), "{told}");
        editor.settle();
        assert_eq!(seen(&user), "saved");
    }
    editor.tell(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": file, "version": 90 }, "contentChanges": [{ "range": 3, "text": 4 }] }),
    );
    editor.rewrite(&file, 91, "def again():\n    pass\n");
    editor.settle();
    assert_eq!(seen(&user), "again");
}

#[test]
fn documents_that_are_no_files_of_the_project_are_left_alone() {
    let user = user();
    std::fs::create_dir_all(user.path("elsewhere/.git")).unwrap();
    write(&user.path("elsewhere/b.py"), "b = 1\n");
    let mut editor = FakeEditor::new(&user);
    for other in [
        "untitled:Untitled-1",
        "git:/project/a.py",
        "jar:file:///a.jar!/A.class",
        "jdt://contents/A.class",
        "vscode-notebook-cell:/a.ipynb#1",
        &uri(&user, "project/a.ipynb").replace("file:", "vscode-notebook-cell:"),
        "no uri",
        &uri(&user, "elsewhere/b.py"),
        &uri(&user, "project/../../../../etc/passwd"),
        &uri(&user, "project/new.py"),
    ] {
        editor.open(other, 1, "other = 1\n");
        editor.change(other, 2, [0, 0, 0, 0], "x");
        editor.save(other);
        editor.close(other);
    }
    editor.settle();
    assert_eq!(seen(&user), "saved");
    assert!(editor.heard.is_empty(), "{:?}", editor.heard);
    assert!(user.find("other").contains("complete"));
}

#[test]
fn the_conversation_keeps_lsps_order() {
    let user = user();
    let mut editor = FakeEditor::silent(&user);
    let code = |answer: Value| answer["error"]["code"].as_i64();
    editor.open(&uri(&user, "project/a.py"), 1, "early = 1\n");
    assert_eq!(code(editor.ask("textDocument/hover", json!({}))), Some(-32002));
    assert_eq!(code(editor.ask("shutdown", Value::Null)), Some(-32002));
    editor.raw(b"junk\r\nContent-Length: 5\r\n\r\n{\"a\":Content-Length: 2\r\n\r\n[]");
    let offered = json!({ "general": { "positionEncodings": ["utf-16", "utf-8"] } });
    let answer =
        editor.ask("initialize", json!({ "processId": null, "rootUri": null, "capabilities": offered }));
    assert_eq!(answer["result"]["capabilities"]["positionEncoding"], "utf-8", "{answer}");
    assert_eq!(code(editor.ask("initialize", json!({}))), Some(-32600));
    assert_eq!(code(editor.ask("textDocument/foldingRange", json!({}))), Some(-32601));
    let nowhere = editor.ask("workspace/executeCommand", json!({ "command": "symd.status" }));
    assert_eq!(code(nowhere), Some(-32803));
    let unknown = editor.ask("workspace/executeCommand", json!({ "command": "symd.dance" }));
    assert_eq!(code(unknown), Some(-32602));
    editor.ask("shutdown", Value::Null);
    assert_eq!(code(editor.ask("textDocument/hover", json!({}))), Some(-32600));
    editor.tell("exit", Value::Null);
    assert_eq!(editor.process.wait().unwrap().code(), Some(0));
}

#[test]
fn many_and_large_documents_are_taken() {
    let user = user();
    let mut editor = FakeEditor::new(&user);
    for number in 0..200 {
        let name = format!("project/m{number}.py");
        write(&user.path(&name), "old = 1\n");
        editor.open(&uri(&user, &name), 1, &format!("new{number} = 1\n"));
    }
    let file = uri(&user, "project/a.py");
    let large = format!("{}def large():\n    pass\n", "# é\n".repeat(1_500_000));
    editor.open(&file, 1, &large);
    for version in 2..52 {
        editor.change(&file, version, [0, 0, 0, 0], "#");
    }
    editor.rewrite(&file, 2_000, "def burst():\n    pass\n");
    for version in 2_001..3_001 {
        editor.change(&file, version, [0, 4, 0, 4], "x");
    }
    editor.settle();
    assert!(user.find("new199").contains("m199.py"));
    assert_eq!(seen(&user), format!("{}burst", "x".repeat(1_000)));
    assert_eq!(editor.leave(), Some(0));
}
