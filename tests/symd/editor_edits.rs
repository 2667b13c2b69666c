//! Edits of documents that an editor has open: the editor makes them, and nothing is written where it does not.

use std::process::Child;

use serde_json::{Value, json};

use crate::editor_agent::{agent, done, failed, made, marked};
use crate::fake_editor::{FakeEditor, uri};
use crate::support::{User, write};

const SAVED: &str = "def saved():\n    return 1\n";
const TYPED: &str = "def typed():\n    return 1\n";
const EDITED: &str = "def typed():\n    return 2\n";

fn user() -> User {
    let user = User::new();
    write(&user.path("config/languages.toml"), "[[language]]\nname = \"python\"\nlanguage-servers = []\n");
    write(&user.path("project/a.py"), SAVED);
    user
}

fn abilities() -> Value {
    json!({ "workspace": { "applyEdit": true, "workspaceEdit": { "documentChanges": true } } })
}

fn edit(user: &User) -> Child {
    let arguments =
        json!({ "relative_path": "a.py", "needle": "return 1", "repl": "return 2", "mode": "literal" });
    agent(user, "replace_content", &arguments)
}

#[track_caller]
fn refused(call: Child, because: &str) {
    let text = failed(call);
    assert!(text.contains(because) && text.contains("nothing was written"), "{text}");
}

fn on_disk(user: &User) -> String {
    std::fs::read_to_string(user.path("project/a.py")).unwrap()
}

fn body(user: &User) -> String {
    user.check(&["call", "read_file", r#"{"relative_path": "a.py"}"#], 0)
}

/// Starts an editor with unsaved changes of `a.py`.
fn typed(user: &User) -> (FakeEditor, String) {
    let file = uri(user, "project/a.py");
    let mut editor = FakeEditor::with(user, abilities());
    editor.open(&file, 1, SAVED);
    editor.change(&file, 2, [0, 4, 0, 9], "typed");
    editor.settle();
    (editor, file)
}

#[test]
fn an_edit_counts_when_the_editor_has_told_the_planned_text() {
    let user = user();
    let (mut editor, file) = typed(&user);
    let call = edit(&user);
    let request = editor.await_request("workspace/applyEdit");
    let change = &request["params"]["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"], json!({ "uri": file, "version": 2 }));
    let lines = json!({ "start": { "line": 1, "character": 0 }, "end": { "line": 2, "character": 0 } });
    assert_eq!(change["edits"], json!([{ "range": lines, "newText": "    return 2\n" }]));
    // An agent that asks meanwhile, such as one that the editor calls, sees the text before the edit.
    assert!(body(&user).contains("return 1"));
    editor.reply(&request, json!({ "applied": true }));
    editor.change(&file, 3, [1, 0, 2, 0], "    return 2\n");
    let told = done(call);
    assert!(told.contains("[unsaved: a.py in fake 1; a build sees the file as it was saved]"), "{told}");
    assert!(body(&user).contains("return 2"));
    assert_eq!(on_disk(&user), SAVED);

    let call = agent(&user, "undo", &json!({}));
    let request = editor.await_request("workspace/applyEdit");
    editor.rewrite(&file, 4, TYPED);
    editor.reply(&request, json!({ "applied": true }));
    done(call);
    assert!(body(&user).contains("return 1"));
    let call = agent(&user, "redo", &json!({}));
    let request = editor.await_request("workspace/applyEdit");
    editor.rewrite(&file, 5, EDITED);
    editor.reply(&request, json!({ "applied": true }));
    done(call);
    // Saved, then undone: the file gets the text before the edit.
    write(&user.path("project/a.py"), EDITED);
    editor.save(&file);
    editor.close(&file);
    editor.settle();
    user.check(&["undo"], 0);
    assert_eq!(on_disk(&user), TYPED);
}

#[test]
fn an_edit_counts_though_its_user_types_on_before_the_editor_answers() {
    let user = user();
    let (mut editor, file) = typed(&user);
    let call = edit(&user);
    let request = editor.await_request("workspace/applyEdit");
    editor.change(&file, 3, [1, 0, 2, 0], "    return 2\n");
    editor.change(&file, 4, [0, 0, 0, 0], "# more\n");
    editor.settle();
    editor.reply(&request, json!({ "applied": true }));
    let told = done(call);
    assert!(told.contains("a build sees the file as it was saved"), "{told}");
    assert!(body(&user).contains("# more") && body(&user).contains("return 2"), "{}", body(&user));
    assert_eq!(on_disk(&user), SAVED);
}

#[test]
fn a_buffer_that_its_editor_did_not_save_is_named_with_the_reason() {
    let user = user();
    let file = uri(&user, "project/a.py");
    let mut editor = FakeEditor::saving(&user, abilities());
    editor.open(&file, 1, SAVED);
    editor.settle();
    let call = edit(&user);
    let request = editor.await_request("workspace/applyEdit");
    editor.rewrite(&file, 2, "def saved():\n    return 2\n");
    editor.reply(&request, json!({ "applied": true }));
    let save = editor.await_request("symd/save");
    editor.reply(&save, json!({ "saved": false, "problem": "the disk is full" }));
    let told = done(call);
    assert!(told.contains("still shown as not saved: a.py in fake 1 (the disk is full)"), "{told}");
    assert_eq!(on_disk(&user), "def saved():\n    return 2\n");
}

#[test]
fn each_document_is_saved_by_itself_and_all_at_once() {
    let (in_a, in_b) = ("def one():\n    return 1\n", "import a\na.one()\n");
    let (new_a, new_b) = (in_a.replace("one", "other"), in_b.replace("one", "other"));
    let user = user();
    write(&user.path("project/a.py"), in_a);
    write(&user.path("project/b.py"), in_b);
    write(&user.path("project/c.py"), in_b);
    let [a, b, c] = ["a.py", "b.py", "c.py"].map(|name| uri(&user, &format!("project/{name}")));
    let mut slow = FakeEditor::saving(&user, abilities());
    slow.open(&a, 1, in_a);
    slow.open(&b, 1, in_b);
    slow.settle();
    let mut quick = FakeEditor::saving(&user, abilities());
    quick.open(&c, 1, in_b);
    quick.settle();
    let wanted = json!({ "name_path": "one", "new_name": "other", "force": true, "include": ["unchecked"] });
    let call = agent(&user, "rename_symbol", &wanted);
    let request = slow.await_request("workspace/applyEdit");
    slow.rewrite(&a, 2, &new_a);
    slow.rewrite(&b, 2, &new_b);
    slow.reply(&request, json!({ "applied": true }));
    let request = quick.await_request("workspace/applyEdit");
    quick.rewrite(&c, 2, &new_b);
    quick.reply(&request, json!({ "applied": true }));
    // The other editor has not answered.
    let save = quick.await_request("symd/save");
    quick.save(&c);
    quick.reply(&save, json!({ "saved": true }));
    for _ in 0..2 {
        let save = slow.await_request("symd/save");
        let [document] = &save["params"]["uris"].as_array().unwrap()[..] else { panic!("{save}") };
        let answer = if *document == json!(a) {
            json!({ "saved": true })
        } else {
            json!({ "saved": false, "problem": "the disk is full" })
        };
        slow.reply(&save, answer);
    }
    let told = done(call);
    assert!(told.contains("still shown as not saved: b.py in fake 1 (the disk is full)"), "{told}");
    assert!(!told.contains("did not answer"), "{told}");
}

#[test]
fn nothing_is_written_where_an_editor_does_not_make_its_part() {
    let user = user();
    write(&user.path("project/b.py"), "import a\n\na.typed()\n");
    let rename = |user: &User| {
        let wanted =
            json!({ "name_path": "typed", "new_name": "other", "force": true, "include": ["unchecked"] });
        agent(user, "rename_symbol", &wanted)
    };
    let untouched = |user: &User| {
        assert_eq!(on_disk(user), SAVED);
        assert_eq!(std::fs::read_to_string(user.path("project/b.py")).unwrap(), "import a\n\na.typed()\n");
    };
    let (mut editor, file) = typed(&user);
    let call = rename(&user);
    let request = editor.await_request("workspace/applyEdit");
    editor.reply(&request, json!({ "applied": false, "failureReason": "the user said no" }));
    refused(call, "fake 1 did not change a.py: the user said no");
    untouched(&user);

    let call = rename(&user);
    let request = editor.await_request("workspace/applyEdit");
    editor
        .send(&json!({ "jsonrpc": "2.0", "id": request["id"], "error": { "code": 1, "message": "broken" } }));
    refused(call, "fake 1 did not change a.py: broken");

    let call = rename(&user);
    let request = editor.await_request("workspace/applyEdit");
    editor.reply(&request, json!({ "applied": true }));
    refused(call, "fake 1 said that it changed a.py, and its text is another one");
    untouched(&user);

    // A keystroke comes before the change.
    let call = rename(&user);
    let request = editor.await_request("workspace/applyEdit");
    editor.change(&file, 3, [0, 0, 0, 0], "#");
    editor.reply(&request, json!({ "applied": true }));
    refused(call, "may still have or make the change, look there and undo it: a.py in fake 1");
    assert!(body(&user).contains("#def typed"));
    editor.rewrite(&file, 4, TYPED);
    editor.settle();

    let call = rename(&user);
    editor.await_request("workspace/applyEdit");
    drop(editor);
    refused(call, "did not change a.py: it is gone");
    untouched(&user);
    assert!(body(&user).contains("saved"));
}

#[test]
fn what_one_editor_made_is_taken_back_if_another_one_refuses() {
    let user = user();
    write(&user.path("project/b.py"), "import a\n");
    let (mut one, first) = typed(&user);
    let second = uri(&user, "project/b.py");
    let mut two = FakeEditor::with(&user, abilities());
    two.open(&second, 1, "import a\na.typed()\n");
    two.settle();
    let wanted =
        json!({ "name_path": "typed", "new_name": "other", "force": true, "include": ["unchecked"] });
    let call = agent(&user, "rename_symbol", &wanted);
    let request = one.await_request("workspace/applyEdit");
    one.rewrite(&first, 3, "def other():\n    return 1\n");
    one.reply(&request, json!({ "applied": true }));
    let request = two.await_request("workspace/applyEdit");
    two.reply(&request, json!({ "applied": false }));
    let back = one.await_request("workspace/applyEdit");
    assert_eq!(back["params"]["edit"]["documentChanges"][0]["textDocument"]["version"], 3, "{back}");
    one.rewrite(&first, 4, TYPED);
    one.reply(&back, json!({ "applied": true }));
    refused(call, "fake 1 did not change b.py: it refused the change");
    assert!(body(&user).contains("typed"));
    assert_eq!(on_disk(&user), SAVED);
}

#[test]
fn an_editor_that_does_not_read_a_changed_file_again_is_named() {
    let user = user();
    let file = uri(&user, "project/a.py");
    let mut editor = FakeEditor::with(&user, abilities());
    editor.open(&file, 1, SAVED);
    editor.settle();
    let told = done(edit(&user));
    assert!(told.contains("written, but its editor has not reloaded it: a.py in fake 1"), "{told}");
    assert_eq!(on_disk(&user), SAVED.replace('1', "2"));
    // It is named once, until it has reloaded.
    let edited = |from: &str, to: &str| {
        let arguments = json!({ "relative_path": "a.py", "needle": from, "repl": to, "mode": "literal" });
        done(agent(&user, "replace_content", &arguments))
    };
    let told = edited("return 2", "return 3");
    assert!(!told.contains("reloaded"), "{told}");
    editor.rewrite(&file, 2, &SAVED.replace('1', "3"));
    editor.settle();
    let told = edited("return 3", "return 2");
    assert!(told.contains("has not reloaded it: a.py in fake 1"), "{told}");
    let told = user.check(&["undo"], 0);
    assert!(!told.contains("reloaded"), "the buffer has this text: {told}");
    editor.close(&file);
    editor.settle();
    let told = user.check(&["redo"], 0);
    assert!(!told.contains("reloaded"), "{told}");

    // Of an encoding that symd does not know nothing can be said.
    std::fs::write(user.path("project/a.py"), b"# \xe9\ndef saved():\n    return 1\n").unwrap();
    editor.open(&file, 1, "# é\ndef saved():\n    return 1\n");
    editor.settle();
    let told = done(edit(&user));
    assert!(!told.contains("reloaded"), "{told}");
}

#[test]
fn a_saved_buffer_is_changed_and_saved_by_an_editor_that_can() {
    let user = user();
    let file = uri(&user, "project/a.py");
    let mut editor = FakeEditor::saving(&user, abilities());
    editor.open(&file, 1, SAVED);
    editor.settle();
    let call = edit(&user);
    let request = editor.await_request("workspace/applyEdit");
    assert_eq!(on_disk(&user), SAVED);
    editor.rewrite(&file, 2, "def saved():\n    return 2\n");
    editor.reply(&request, json!({ "applied": true }));
    let save = editor.await_request("symd/save");
    assert_eq!(save["params"], json!({ "uris": [file], "versions": [2] }));
    assert_eq!(on_disk(&user), "def saved():\n    return 2\n", "before the editor is asked to save");
    editor.save(&file);
    editor.reply(&save, json!({ "saved": true }));
    let told = done(call);
    assert!(!told.contains("unsaved"), "{told}");

    // Without such a package the file is written, and the editor reads it again by itself.
    let mut plain = FakeEditor::with(&user, abilities());
    editor.close(&file);
    editor.settle();
    plain.open(&file, 1, "def saved():\n    return 2\n");
    plain.settle();
    user.check(&["undo"], 0);
    assert_eq!(on_disk(&user), SAVED);
}

#[test]
fn buffers_that_cannot_be_changed_safely_are_not_changed() {
    let user = user();
    let file = uri(&user, "project/a.py");
    let mut plain = FakeEditor::new(&user);
    plain.open(&file, 1, TYPED);
    plain.settle();
    refused(edit(&user), "a.py has changes in an editor that are not saved");
    plain.change(&file, 0, [0, 0, 0, 0], "x");
    plain.settle();
    let lost =
        json!({ "relative_path": "a.py", "needle": "return 1", "repl": "return 2", "mode": "literal" });
    refused(agent(&user, "replace_content", &lost), "with a text that symd does not know");
    plain.close(&file);
    plain.settle();

    let new = uri(&user, "project/new.py");
    plain.open(&new, 1, "mine = 1\n");
    plain.settle();
    let create = json!({ "relative_path": "new.py", "content": "theirs = 1\n" });
    refused(
        agent(&user, "create_text_file", &create),
        "new.py is open in fake 1 with a text that was not saved",
    );
    assert!(!user.path("project/new.py").exists());
    plain.close(&new);
    plain.settle();

    let (mut one, _) = typed(&user);
    let mut two = FakeEditor::with(&user, abilities());
    two.open(&file, 1, "def two():\n    return 1\n");
    two.settle();
    refused(edit(&user), "with another text than in another window");
    let told = body(&user);
    assert!(told.contains("with different texts; this is the one that changed last"), "{told}");
    two.rewrite(&file, 2, TYPED);
    two.settle();
    let call = edit(&user);
    // They agree: the edit is made in both, one after the other.
    for editor in [&mut one, &mut two] {
        let request = editor.await_request("workspace/applyEdit");
        editor.rewrite(&file, 3, EDITED);
        editor.reply(&request, json!({ "applied": true }));
    }
    done(call);
    assert!(body(&user).contains("return 2") && !body(&user).contains("different"), "{}", body(&user));
    one.rewrite(&file, 4, TYPED);
    one.settle();
    refused(edit(&user), "with another text than in another window");
    two.close(&file);
    two.settle();
    let call = edit(&user);
    let request = one.await_request("workspace/applyEdit");
    one.reply(&request, json!({ "applied": false }));
    refused(call, "it refused the change");
    assert_eq!(on_disk(&user), SAVED);
}

#[test]
fn a_file_that_is_typed_in_while_an_edit_waits_is_not_written_beneath() {
    let user = user();
    write(&user.path("project/b.py"), USER);
    let (mut one, first) = typed(&user);
    let second = uri(&user, "project/b.py");
    let mut plain = FakeEditor::with(&user, abilities());
    plain.open(&second, 1, USER);
    plain.settle();
    let wanted =
        json!({ "name_path": "typed", "new_name": "other", "force": true, "include": ["unchecked"] });
    let call = agent(&user, "rename_symbol", &wanted);
    let request = one.await_request("workspace/applyEdit");
    plain.change(&second, 2, [0, 0, 0, 0], "# mine\n");
    plain.settle();
    one.rewrite(&first, 3, "def other():\n    return 1\n");
    one.reply(&request, json!({ "applied": true }));
    let back = one.await_request("workspace/applyEdit");
    one.rewrite(&first, 4, TYPED);
    one.reply(&back, json!({ "applied": true }));
    refused(call, "b.py is open in fake 1 and changed there just now");
    assert_eq!(std::fs::read_to_string(user.path("project/b.py")).unwrap(), USER);
    assert_eq!(on_disk(&user), SAVED);
}

#[test]
fn an_edit_begins_when_the_buffers_of_the_one_before_are_saved() {
    let user = user();
    let file = uri(&user, "project/a.py");
    let mut editor = FakeEditor::saving(&user, abilities());
    editor.open(&file, 1, SAVED);
    editor.settle();
    let first = edit(&user);
    let request = editor.await_request("workspace/applyEdit");
    let arguments = json!({ "relative_path": "a.py", "needle": "saved", "repl": "again", "mode": "literal" });
    let second = agent(&user, "replace_content", &arguments);
    editor.rewrite(&file, 2, "def saved():\n    return 2\n");
    editor.reply(&request, json!({ "applied": true }));
    let save = editor.await_request("symd/save");
    assert!(body(&user).contains("return 2"));
    editor.settle();
    assert!(!editor.heard.iter().any(|one| one["method"] == "workspace/applyEdit"), "{:?}", editor.heard);
    editor.save(&file);
    editor.reply(&save, json!({ "saved": true }));
    done(first);
    let request = editor.await_request("workspace/applyEdit");
    editor.rewrite(&file, 3, "def again():\n    return 2\n");
    editor.reply(&request, json!({ "applied": true }));
    let save = editor.await_request("symd/save");
    editor.save(&file);
    editor.reply(&save, json!({ "saved": true }));
    let told = done(second);
    assert!(!told.contains("unsaved"), "{told}");
    assert_eq!(on_disk(&user), "def again():\n    return 2\n");
}

#[test]
fn an_edit_waits_for_what_an_editor_has_open_that_noticed_no_restart_of_the_daemon() {
    use rustix::process::Signal;
    let user = user();
    let (mut editor, file) = typed(&user);
    let signal = |process: u64, signal| {
        let process = rustix::process::Pid::from_raw(i32::try_from(process).unwrap()).unwrap();
        rustix::process::kill_process(process, signal).unwrap();
    };
    signal(editor.process.id().into(), Signal::STOP);
    signal(user.pid(), Signal::KILL);
    let arguments =
        json!({ "relative_path": "a.py", "needle": "return", "repl": "yield", "mode": "literal" });
    refused(agent(&user, "replace_content", &arguments), "has not told symd their texts");
    assert_eq!(on_disk(&user), SAVED);
    signal(editor.process.id().into(), Signal::CONT);
    let call = edit(&user);
    let request = editor.await_request("workspace/applyEdit");
    editor.rewrite(&file, 3, EDITED);
    editor.reply(&request, json!({ "applied": true }));
    done(call);
    assert_eq!(on_disk(&user), SAVED);
}

/// Renames `typed` in the unsaved buffer of `a.py`, at the editor's version 3, and in `b.py` on the disk.
fn spanning(user: &User, editor: &mut FakeEditor, file: &str) -> u64 {
    let wanted =
        json!({ "name_path": "typed", "new_name": "other", "force": true, "include": ["unchecked"] });
    let call = agent(user, "rename_symbol", &wanted);
    made(user, call, editor, (file, 3, "def other():\n    return 1\n"))
}

const USER: &str = "import a\n\na.typed()\n";

fn of_user(user: &User) -> String {
    std::fs::read_to_string(user.path("project/b.py")).unwrap()
}

#[test]
fn an_edit_whose_buffer_was_closed_unsaved_is_half_saved_and_can_be_undone() {
    let user = user();
    write(&user.path("project/b.py"), USER);
    let (mut editor, file) = typed(&user);
    let id = spanning(&user, &mut editor, &file);
    assert!(marked(&user, id).contains("(pending save: a.py)"), "{}", marked(&user, id));
    editor.rewrite(&file, 4, TYPED);
    editor.settle();
    assert!(
        marked(&user, id).contains("changed since: undone in the editor in a.py"),
        "{}",
        marked(&user, id)
    );
    editor.rewrite(&file, 5, "def other():\n    return 1\n");
    editor.close(&file);
    editor.settle();
    let mark = marked(&user, id);
    let way = format!(
        "half saved: a.py was closed in its editor and not saved; `symd undo {id}` or `symd finish {id}`"
    );
    assert!(mark.contains(&way), "{mark}");
    // A daemon of tomorrow still knows.
    user.check(&["restart"], 0);
    assert!(marked(&user, id).contains(&way));
    user.check(&["undo", &id.to_string()], 0);
    assert_eq!((on_disk(&user).as_str(), of_user(&user).as_str()), (SAVED, USER));
    assert!(marked(&user, id).contains("(undone)"));
}

#[test]
fn an_edit_whose_editor_died_is_finished_in_the_files() {
    let user = user();
    let saved = "def saved():\n    return 1\n\n\ndef last():\n    return 3\n";
    write(&user.path("project/a.py"), saved);
    let file = uri(&user, "project/a.py");
    let mut editor = FakeEditor::with(&user, abilities());
    editor.open(&file, 1, saved);
    editor.change(&file, 2, [0, 0, 0, 0], "# typed\n");
    editor.settle();
    let edit = |from: &str, to: &str| {
        let arguments = json!({ "relative_path": "a.py", "needle": from, "repl": to, "mode": "literal" });
        agent(&user, "replace_content", &arguments)
    };
    let call = edit("return 3", "return 4");
    let request = editor.await_request("workspace/applyEdit");
    let seen = format!("# typed\n{saved}");
    editor.rewrite(&file, 3, &seen.replace('3', "4"));
    editor.reply(&request, json!({ "applied": true }));
    done(call);
    let first = "# typed\n";
    let call = edit("# typed", "# agent");
    let request = editor.await_request("workspace/applyEdit");
    editor.rewrite(&file, 4, &seen.replace('3', "4").replace(first, "# agent\n"));
    editor.reply(&request, json!({ "applied": true }));
    done(call);
    let history: Value = serde_json::from_str(&user.check(&["history", "--json"], 0)).unwrap();
    let id = |at: usize| history["operations"][at]["id"].as_u64().unwrap();
    let (in_comment, in_last) = (id(0), id(1));
    refused(agent(&user, "finish_edit", &json!({ "id": in_last })), "has nothing that was closed");
    editor.process.kill().unwrap();
    editor.process.wait().unwrap();
    drop(editor);
    // Its end is noticed by the daemon, after which questions see the file.
    assert!((0..200).any(|_| !body(&user).contains("# agent")), "the editor's end is not noticed");
    assert!(marked(&user, in_last).contains("half saved: a.py"), "{}", marked(&user, in_last));
    refused(agent(&user, "finish_edit", &json!({ "id": in_comment })), "beside lines that were never saved");
    user.check(&["finish", &in_last.to_string(), "--dry-run"], 0);
    assert_eq!(on_disk(&user), saved);
    user.check(&["finish", &in_last.to_string()], 0);
    assert_eq!(on_disk(&user), saved.replace('3', "4"));
    assert!(!marked(&user, in_last).contains("half saved"), "{}", marked(&user, in_last));
    user.check(&["undo"], 0);
    assert_eq!(on_disk(&user), saved);
}

#[test]
fn a_saved_buffer_that_its_editor_may_have_changed_is_named_after_a_crash() {
    let user = user();
    let file = uri(&user, "project/a.py");
    let mut editor = FakeEditor::saving(&user, abilities());
    editor.open(&file, 1, SAVED);
    editor.settle();
    let pid = user.pid();
    let call = edit(&user);
    editor.await_request("workspace/applyEdit");
    let killed = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(killed, rustix::process::Signal::KILL).unwrap();
    call.wait_with_output().unwrap();
    editor.rewrite(&file, 2, "def saved():\n    return 2\n");
    editor.await_restart(pid);
    let told = user.status()["recovered"].to_string();
    assert!(told.contains("look there, and undo it there: a.py"), "{told}");
    assert_eq!(on_disk(&user), SAVED);
}

/// A daemon that is killed while an edit spans an unsaved buffer and a file: `SYMD_EDITOR_ROUNDS` plays more rounds.
#[test]
fn a_daemon_killed_in_an_edit_leaves_each_file_old_or_new_and_the_buffer_to_its_editor() {
    let rounds = std::env::var("SYMD_EDITOR_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
    for round in 0..rounds.unwrap_or(6_u32) {
        let user = user();
        write(&user.path("project/b.py"), USER);
        let (mut editor, file) = typed(&user);
        let pid = user.pid();
        let kill = || {
            let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        };
        let wanted =
            json!({ "name_path": "typed", "new_name": "other", "force": true, "include": ["unchecked"] });
        let call = agent(&user, "rename_symbol", &wanted);
        let request = editor.await_request("workspace/applyEdit");
        let mut buffer = TYPED;
        if round % 3 == 0 {
            kill();
        } else {
            editor.reply(&request, json!({ "applied": true }));
            buffer = "def other():\n    return 1\n";
            editor.rewrite(&file, 3, buffer);
            // At some moment of what follows: the change of the files, the commit, the answer.
            for _ in 0..fastrand::u32(..200_000) {
                std::hint::spin_loop();
            }
            kill();
        }
        let killed = call.wait_with_output().unwrap();
        editor.await_restart(pid);
        let recovered = user.status()["recovered"].to_string();
        let named = "look there, and undo it there: a.py";
        assert!(round % 3 != 0 || recovered.contains(named), "round {round}: {recovered}");
        let now = std::fs::read_to_string(user.path("project/b.py")).unwrap();
        let new = USER.replace("typed", "other");
        assert!(now == USER || now == new, "round {round}: {now}");
        assert!(now == USER || round % 3 != 0, "round {round}: changed before the editor had agreed");
        assert!(!killed.status.success() || now == new, "round {round}: said to be done");
        assert_eq!(on_disk(&user), SAVED, "round {round}");
        let seen = body(&user);
        assert!(buffer.lines().all(|line| seen.contains(line)), "round {round}: {seen}");
        let left: Vec<_> =
            std::fs::read_dir(user.path("project")).unwrap().map(|one| one.unwrap().file_name()).collect();
        assert_eq!(left.len(), 3, "round {round}: {left:?}");

        // All is undone: by symd, where the edit was made, and else by the editor's user.
        if now == new {
            let call = agent(&user, "undo", &json!({}));
            let request = editor.await_request("workspace/applyEdit");
            editor.rewrite(&file, 4, TYPED);
            editor.reply(&request, json!({ "applied": true }));
            done(call);
        } else {
            editor.rewrite(&file, 4, TYPED);
            editor.settle();
        }
        assert_eq!((on_disk(&user).as_str(), of_user(&user).as_str()), (SAVED, USER), "round {round}");
        assert!(body(&user).contains("def typed"), "round {round}");
        editor.close(&file);
        editor.settle();
        assert!(body(&user).contains("def saved"), "round {round}");
    }
}

/// An editor that is killed while an edit spans its unsaved buffer and a file: `SYMD_EDITOR_ROUNDS` plays more rounds.
#[test]
fn an_editor_killed_in_an_edit_leaves_all_files_old_or_new_and_undo_gives_the_first_tree() {
    let rounds = std::env::var("SYMD_EDITOR_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
    for round in 0..rounds.unwrap_or(4_u32) {
        let user = user();
        write(&user.path("project/b.py"), USER);
        let (mut editor, file) = typed(&user);
        let wanted =
            json!({ "name_path": "typed", "new_name": "other", "force": true, "include": ["unchecked"] });
        let call = agent(&user, "rename_symbol", &wanted);
        let request = editor.await_request("workspace/applyEdit");
        match round % 4 {
            // Before it answers, between the answer and the text, in the middle of a message, afterwards.
            0 => {}
            1 => editor.reply(&request, json!({ "applied": true })),
            2 => editor.raw(b"Content-Length: 4000\r\n\r\n{\"jsonrpc\": \"2.0\", \"method\": \"textDo"),
            _ => {
                editor.reply(&request, json!({ "applied": true }));
                editor.rewrite(&file, 3, "def other():\n    return 1\n");
                for _ in 0..fastrand::u32(..400_000) {
                    std::hint::spin_loop();
                }
            }
        }
        editor.process.kill().unwrap();
        editor.process.wait().unwrap();
        drop(editor);
        let ended = call.wait_with_output().unwrap();
        let now = of_user(&user);
        let new = USER.replace("typed", "other");
        let is_done = ended.status.success();
        assert!(if is_done { now == new } else { now == USER }, "round {round}: {is_done} {now} {ended:?}");
        assert!(round % 4 == 3 || !is_done, "round {round}: done before the editor had told the text");
        assert_eq!(on_disk(&user), SAVED, "round {round}");
        if is_done {
            // Its end may not have been noticed yet: until then the buffer counts.
            assert!(
                (0..200).any(|_| body(&user).contains("def saved")),
                "round {round}: its end is not noticed"
            );
            let history = user.check(&["history"], 0);
            assert!(history.contains("half saved: a.py"), "round {round}: {history}");
            user.check(&["undo"], 0);
        }
        assert_eq!((on_disk(&user).as_str(), of_user(&user).as_str()), (SAVED, USER), "round {round}");
    }
}
