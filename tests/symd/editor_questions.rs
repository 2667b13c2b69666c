//! What `symd lsp` asks and tells the people in front of the editor: approvals, trust, edits of open files.

use std::io::Write;
use std::process::{Child, Output, Stdio};

use serde_json::{Value, json};

use crate::approvals_cli::TerminalCall;
use crate::approvals_stage::{Stage, Whose, modern_call, ran, text};
use crate::fake_editor::{FakeEditor, uri};
use crate::support::{User, Wire, call, write};

fn user() -> User {
    let user = User::new();
    write(&user.path("config/languages.toml"), "[[language]]\nname = \"python\"\nlanguage-servers = []\n");
    write(&user.path("project/a.py"), "a = 1\n");
    user
}

fn creation(file: &str) -> [String; 3] {
    let arguments = json!({ "relative_path": file, "content": "x = 1\n" });
    ["call".to_owned(), "create_text_file".to_owned(), arguments.to_string()]
}

/// Starts an agent that cannot ask its user.
fn creating(user: &User, file: &str) -> Child {
    let mut command = user.symd();
    command.args(creation(file));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[track_caller]
fn ended(call: Child) -> (bool, String) {
    let Output { status, stdout, stderr } = call.wait_with_output().unwrap();
    (status.success(), String::from_utf8([stdout, stderr].concat()).unwrap())
}

fn titles(request: &Value) -> Vec<&str> {
    let actions = request["params"]["actions"].as_array().unwrap();
    actions.iter().map(|action| action["title"].as_str().unwrap()).collect()
}

#[test]
fn an_agent_that_cannot_ask_is_approved_in_the_editor() {
    let user = user();
    user.check(&["approvals", "policy", "native/create_text_file", "ask"], 0);
    let mut editor = FakeEditor::new(&user);
    editor.open(&uri(&user, "project/a.py"), 1, "a = 1\n");
    editor.settle();
    let first = creating(&user, "[one](command:x).py");
    let question = editor.await_request("window/showMessageRequest");
    assert_eq!(titles(&question), ["Once", "Always", "Deny"]);
    let message = question["params"]["message"].as_str().unwrap();
    assert!(message.starts_with("symd: cli asks to run\nTool: create_text_file\n"), "{message}");
    assert!(message.contains("Risk level") && !message.contains("Approve?"), "{message}");
    assert!(message.contains("[one] (command:x).py"), "an editor makes no link of it: {message}");
    editor.reply(&question, json!({ "title": "Deny" }));
    let (is_done, told) = ended(first);
    assert!(!is_done && told.contains("the user did not approve it"), "{told}");

    let dismissed = creating(&user, "one.py");
    let question = editor.await_request("window/showMessageRequest");
    editor.reply(&question, Value::Null);
    let (is_done, told) = ended(dismissed);
    assert!(!is_done && told.contains("there is no terminal to ask on"), "{told}");

    let once = creating(&user, "one.py");
    let question = editor.await_request("window/showMessageRequest");
    editor.reply(&question, json!({ "title": "Once" }));
    assert!(ended(once).0);
    for file in ["two.py", "three.py"] {
        let always = creating(&user, file);
        let question = editor.await_request("window/showMessageRequest");
        editor.reply(&question, json!({ "title": "Always" }));
        assert!(ended(always).0);
    }
    std::fs::remove_file(user.path("project/three.py")).unwrap();
    assert!(ended(creating(&user, "three.py")).0, "this very call is always allowed");

    // What the editor's own user asks for is asked there, too.
    let killed = creating(&user, "four.py");
    let question = editor.await_request("window/showMessageRequest");
    let pid = rustix::process::Pid::from_raw(i32::try_from(killed.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    ended(killed);
    let withdrawn = editor.await_message(|message| message["method"] == "$/cancelRequest");
    assert_eq!(withdrawn["params"]["id"], question["id"]);
    editor.reply(&question, json!({ "title": "Once" }));
    editor.settle();
    assert!(!user.path("project/four.py").exists(), "its client is gone");
}

/// Opens a connection as `symd lsp` does.
fn editor(stage: &Stage, whose: Whose) -> Wire {
    let mut wire = stage.connect("native", whose);
    let params = json!({ "editor": "Editor 1" });
    wire.send(&json!({ "jsonrpc": "2.0", "method": "symd/editor/attach", "params": params }));
    // Answered after the notification was handled.
    wire.ask(&json!({ "jsonrpc": "2.0", "id": 1, "method": "symd/status", "params": {} }));
    wire
}

#[track_caller]
fn asked(editor: &mut Wire) -> Value {
    let question = editor.receive().unwrap();
    assert_eq!(question["method"], "symd/editor/ask", "{question}");
    question
}

fn choose(question: &Value, place: usize) -> Value {
    json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "chosen": place } })
}

#[test]
fn the_first_answer_counts_wherever_it_is_given() {
    let stage = Stage::new();
    let (mut one, mut two) = (editor(&stage, Whose::Users), editor(&stage, Whose::Users));
    let mut forger = editor(&stage, Whose::Anybodys);
    let mut client = stage.asked("careful", Whose::Users);
    let arguments = |mark: &str| json!({ "path": "a.py", "content": "", "mark": mark });

    let form = client.ask(&call(1, "create_file", arguments("in-two")));
    assert_eq!(form["method"], "elicitation/create");
    let (first, second) = (asked(&mut one), asked(&mut two));
    two.send(&choose(&second, 0));
    let withdrawn = client.receive().unwrap();
    assert_eq!(withdrawn["method"], "notifications/cancelled", "{withdrawn}");
    assert_eq!(text(&client.receive().unwrap()), "ran ByUser");
    let withdrawn = one.receive().unwrap();
    assert_eq!(
        (&withdrawn["method"], &withdrawn["params"]["id"]),
        (&json!("symd/editor/withdraw"), &first["id"])
    );

    let form = client.ask(&call(2, "create_file", arguments("in-client")));
    let (first, _) = (asked(&mut one), asked(&mut two));
    let accepted = json!({ "action": "accept", "content": { "answer": "y" } });
    let reply = client.ask(&json!({ "jsonrpc": "2.0", "id": form["id"], "result": accepted }));
    assert_eq!(text(&reply), "ran ByUser");
    assert_eq!(one.receive().unwrap()["params"]["id"], first["id"]);
    assert_eq!(two.receive().unwrap()["method"], "symd/editor/withdraw");
    // Too late, and a place that was not offered.
    one.send(&choose(&first, 0));

    let mut mute = stage.connect("careful", Whose::Users);
    crate::approvals_stage::open(&mut mute, json!({}));
    mute.send(&call(3, "create_file", arguments("denied-there")));
    let (first, second) = (asked(&mut one), asked(&mut two));
    one.send(&choose(&first, 7));
    two.send(&choose(&second, 2));
    assert!(text(&mute.receive().unwrap()).contains("the user did not approve it"));
    assert!(!ran("denied-there"));

    // An editor that has not proved to be the user's is not asked: the next that it hears is its own answer.
    let status = forger.ask(&json!({ "jsonrpc": "2.0", "id": 2, "method": "symd/status", "params": {} }));
    assert_eq!(status["id"], 2, "{status}");
    drop((one, two, client, mute, forger));
    stage.all_ended();
}

#[test]
fn a_question_that_a_call_returns_is_shown_in_editors_too() {
    let stage = Stage::new();
    let (mut one, mut two) = (editor(&stage, Whose::Users), editor(&stage, Whose::Users));
    let mut client = stage.connect("careful", Whose::Users);
    let arguments = |mark: &str| json!({ "path": "a.py", "content": "", "mark": mark });
    let again = |id: u64, mark: &str, first: &Value, response: Value| {
        let mut again = modern_call(id, "create_file", arguments(mark));
        again["params"]["requestState"] = first["result"]["requestState"].clone();
        again["params"]["inputResponses"] = json!({ "approval": response });
        again
    };
    let (accepted, declined) =
        (json!({ "action": "accept", "content": { "answer": "y" } }), json!({ "action": "decline" }));
    // Whatever the client's form says: the editors' answer was the first. The other editor hears that there is one.
    for (id, place, response, expected) in
        [(1, 0, &declined, "ran ByUser"), (3, 2, &accepted, "the user did not approve it")]
    {
        let mark = format!("deferred-{place}");
        let first = client.ask(&modern_call(id, "create_file", arguments(&mark)));
        assert_eq!(first["result"]["resultType"], "input_required", "{first}");
        let (here, there) = (asked(&mut one), asked(&mut two));
        one.send(&choose(&here, place));
        assert_eq!(two.receive().unwrap()["params"]["id"], there["id"]);
        let reply = client.ask(&again(id + 1, &mark, &first, response.clone()));
        assert!(text(&reply).contains(expected), "{reply}");
        assert_eq!(ran(&mark), place == 0);
    }
    // The client answers first, and the question is withdrawn.
    let first = client.ask(&modern_call(5, "create_file", arguments("in-form")));
    let (here, there) = (asked(&mut one), asked(&mut two));
    let reply = client.ask(&again(6, "in-form", &first, accepted));
    assert_eq!(text(&reply), "ran ByUser");
    for (editor, question) in [(&mut one, here), (&mut two, there)] {
        let withdrawn = editor.receive().unwrap();
        assert_eq!(withdrawn["method"], "symd/editor/withdraw", "{withdrawn}");
        assert_eq!(withdrawn["params"]["id"], question["id"]);
    }
    drop((one, two, client));
    stage.all_ended();
}

#[test]
fn a_question_on_a_terminal_is_shown_in_editors_too() {
    let user = user();
    user.check(&["approvals", "policy", "native/create_text_file", "ask"], 0);
    let mut editor = FakeEditor::new(&user);
    editor.settle();
    for (file, title, exit) in [("once.py", "Once", 0), ("deny.py", "Deny", 6)] {
        let mut call = TerminalCall::new(&user, &creation(file));
        let question = editor.await_request("window/showMessageRequest");
        editor.reply(&question, json!({ "title": title }));
        assert_eq!(call.child.wait().unwrap().code(), Some(exit), "{title}");
        assert_eq!(user.path("project").join(file).exists(), exit == 0);
    }
    let mut call = TerminalCall::new(&user, &creation("there.py"));
    let question = editor.await_request("window/showMessageRequest");
    call.terminal.write_all(b"what?\ny\n").unwrap();
    assert_eq!(call.child.wait().unwrap().code(), Some(0));
    let withdrawn = editor.await_message(|message| message["method"] == "$/cancelRequest");
    assert_eq!(withdrawn["params"]["id"], question["id"]);
    // Dismissed in the editor, the question stays open here.
    let mut call = TerminalCall::new(&user, &creation("dismissed.py"));
    let question = editor.await_request("window/showMessageRequest");
    editor.reply(&question, Value::Null);
    editor.settle();
    call.terminal.write_all(b"n\n").unwrap();
    assert_eq!(call.child.wait().unwrap().code(), Some(6));
}

#[test]
fn trust_is_asked_once_and_what_was_shown_is_trusted() {
    let user = user();
    let server = "[[language]]\nname = \"python\"\nlanguage-servers = [\"runner\"]\n\n[language-server.runner]\n\
        command = \"no-such-program\"\nruns-project-code = \"its code\"\n";
    write(&user.path("config/languages.toml"), server);
    let file = uri(&user, "project/a.py");
    let mut editor = FakeEditor::new(&user);
    editor.open(&file, 1, "typed = 1\n");
    let question = editor.await_request("window/showMessageRequest");
    let message = question["params"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("symd: trust this project?") && message.contains("runner runs its code"),
        "{message}"
    );
    assert_eq!(titles(&question), ["Trust", "Not now", "Never"]);
    editor.reply(&question, json!({ "title": "Not now" }));
    editor.settle();
    assert!(user.check(&["trust", "--show"], 0).contains("not trusted"));
    assert_eq!(editor.leave(), Some(0));

    let mut editor = FakeEditor::new(&user);
    let question = editor.await_request("window/showMessageRequest");
    editor.reply(&question, json!({ "title": "Never" }));
    editor.await_message(|message| message["params"]["message"].to_string().contains("not asked again"));
    assert_eq!(editor.leave(), Some(0));

    write(&user.path("project/.symd/languages.toml"), "[language-server.runner]\nargs = [\"--all\"]\n");
    let mut editor = FakeEditor::new(&user);
    editor.open(&file, 1, "typed = 1\n");
    let question = editor.await_request("window/showMessageRequest");
    assert!(question["params"]["message"].to_string().contains("--all"), "{question}");
    let before = user.pid();
    editor.reply(&question, json!({ "title": "Trust" }));
    editor
        .await_message(|message| message["params"]["message"].to_string().contains("is trusted from now on"));
    // Right after the daemon's end.
    assert!(user.check(&["find", "typed"], 0).contains("a.py:1"), "the editor's text is waited for");
    editor.settle();
    assert!(user.check(&["trust", "--show"], 0).starts_with("this project is trusted"));
    assert_ne!(user.pid(), before, "a daemon knows the trust with which it started");
    assert!(
        editor.heard.iter().all(|one| one["method"] != "window/showMessageRequest"),
        "{:?}",
        editor.heard
    );
}

#[test]
fn an_edit_of_open_files_is_told_to_the_people_who_have_them_open() {
    let user = user();
    write(&user.path("project/b.py"), "b = 1\n");
    let mut editor = FakeEditor::new(&user);
    editor.open(&uri(&user, "project/a.py"), 1, "a = 1\n");
    editor.settle();
    let replace = |file: &str| {
        let arguments = json!({ "relative_path": file, "needle": "= 1", "repl": "= 2", "mode": "literal" });
        user.check(&["call", "replace_content", &arguments.to_string()], 0);
    };
    replace("b.py");
    replace("a.py");
    let told = editor.await_message(|message| message["method"] == "window/showMessage");
    let message = told["params"]["message"].as_str().unwrap();
    assert!(message.starts_with("symd: cli changed a.py (") && !message.contains("b.py"), "{message}");
    let operation = message.split_once("symd.undo ").unwrap().1.split_once(' ').unwrap().0;
    let arguments =
        json!({ "command": "symd.undo", "arguments": [{ "id": operation.parse::<u64>().unwrap() }] });
    let undone = editor.ask("workspace/executeCommand", arguments);
    assert!(undone.get("result").is_some(), "{undone}");
    assert_eq!(std::fs::read_to_string(user.path("project/a.py")).unwrap(), "a = 1\n");
    assert!(user.check(&["history"], 0).contains("fake 1"), "the editor is named as what undid it");
}
