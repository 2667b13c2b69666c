//! Approval of a call that another project's daemon makes: the question is sent to the connection's own
//! client, `symd mcp` with and without a project of its own, in both eras, and the answer is returned to the
//! daemon that asked.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::approvals_stage::{modern_call, text};
use crate::fake_editor::{FakeEditor, uri};
use crate::support::{User, call, initialize, modern, write};

/// A client of serena, with cli_agent in addition, over `symd mcp`, started in a directory of the user.
struct Mcp {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Mcp {
    fn new(user: &User, directory: &str) -> Mcp {
        let mut command = user.symd();
        command.args(["mcp", "--toolset", "serena,cli_agent"]).current_dir(user.path(directory));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Mcp { child, input, output }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn ask(&mut self, message: &Value) -> Value {
        self.send(message);
        self.receive()
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "symd mcp has ended");
        serde_json::from_str(&line).unwrap()
    }

    /// Opens the session as a client of 2025-11-25 that supports elicitation.
    fn initialize(&mut self) {
        let mut opening = initialize("2025-11-25");
        opening["params"]["capabilities"] = json!({ "elicitation": {} });
        self.ask(&opening);
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    }
}

impl Drop for Mcp {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.wait();
    }
}

/// A user with the registered project `other`, and the project `project`.
fn two_projects() -> User {
    let user = User::new();
    std::fs::create_dir_all(user.path("other/.symd")).unwrap();
    write(&user.path("other/there.txt"), "there\n");
    user.check(&["projects", "add", user.path("other").to_str().unwrap()], 0);
    user
}

fn activate() -> Value {
    json!({ "project": "other" })
}

/// Returns a command that shows where it runs, and leaves a mark that it ran.
fn command(mark: &str) -> Value {
    json!({ "command": format!("cat there.txt; touch {mark}") })
}

fn accepted(word: &str) -> Value {
    json!({ "action": "accept", "content": { "answer": word } })
}

fn display(mark: &str) -> String {
    format!(
        "Tool: execute_shell_command\nParameters:\n  command: cat there.txt; touch {mark}\nFiles affected: (none)\n\
         Risk level: dangerous\n\nApprove? (y/n/always):"
    )
}

const RAN: &str = r#"{"stdout": "there\n", "stderr": "", "returncode": 0}"#;

const DECLINED: &str = "Error: execute_shell_command was not run: the user did not approve it";

/// Returns the call of the command as a client of 2026-07-28 repeats it, with the user's response to the
/// question in `first`.
fn again(id: u64, arguments: Value, first: &Value, response: Value) -> Value {
    let mut again = modern_call(id, "execute_shell_command", arguments);
    again["params"]["requestState"] = first["result"]["requestState"].clone();
    again["params"]["inputResponses"] = json!({ "approval": response });
    again
}

/// Returns the question about `command(mark)`, which is sent as a result.
#[track_caller]
fn question(mcp: &mut Mcp, id: u64, mark: &str) -> Value {
    let first = mcp.ask(&modern_call(id, "execute_shell_command", command(mark)));
    assert_eq!(first["result"]["resultType"], "input_required", "{first}");
    assert_eq!(first["result"]["inputRequests"]["approval"]["params"]["message"], display(mark));
    first
}

/// Plays the session of a client of 2026-07-28, started in `directory`.
fn modern_era(directory: &str) {
    let user = two_projects();
    let (there, ran) = (user.path("other"), |mark: &str| user.path("other").join(mark).exists());
    let mut mcp = Mcp::new(&user, directory);
    let activated = text(&mcp.ask(&modern_call(1, "activate_project", activate())));
    assert!(activated.starts_with("Project 'other' is active, at "), "{activated}");

    let first = question(&mut mcp, 2, "once");
    assert!(!ran("once"), "before the answer");
    let changed = mcp.ask(&again(3, command("changed"), &first, accepted("y")));
    assert!(text(&changed).contains("its requestState is not one that was given for this very call"));
    let reply = mcp.ask(&again(4, command("once"), &first, accepted("y")));
    assert_eq!((text(&reply).as_str(), ran("once")), (RAN, true));
    std::fs::remove_file(there.join("once")).unwrap();
    let twice = mcp.ask(&again(5, command("once"), &first, accepted("y")));
    assert!(text(&twice).contains("its requestState was used before"), "{twice}");

    let first = question(&mut mcp, 6, "declined");
    let reply = mcp.ask(&again(7, command("declined"), &first, json!({ "action": "decline" })));
    assert_eq!((text(&reply).as_str(), &reply["result"]["isError"]), (DECLINED, &json!(true)));
    assert!(!ran("once") && !ran("changed") && !ran("declined"));

    let first = question(&mut mcp, 8, "always");
    assert_eq!(text(&mcp.ask(&again(9, command("always"), &first, accepted("always")))), RAN);
    let reply = mcp.ask(&modern_call(10, "execute_shell_command", command("always")));
    assert_eq!(text(&reply), RAN, "not asked again");
    let kept = std::fs::read_to_string(user.path("config/approvals.toml")).unwrap();
    assert!(kept.contains(&format!("project = \"{}\"", there.display())), "{kept}");
}

#[test]
fn a_client_of_the_newer_era_is_asked_about_a_call_in_an_activated_project() {
    modern_era("project");
}

#[test]
fn so_is_one_that_began_outside_any_project() {
    modern_era("elsewhere");
}

#[test]
fn a_client_of_the_older_era_that_began_outside_any_project_is_asked() {
    let user = two_projects();
    let ran = |mark: &str| user.path("other").join(mark).exists();
    let mut mcp = Mcp::new(&user, "elsewhere");
    mcp.initialize();
    let nowhere = text(&mcp.ask(&call(1, "execute_shell_command", command("nowhere"))));
    assert!(nowhere.starts_with("Error: No active project. "), "{nowhere}");
    let activated = text(&mcp.ask(&call(2, "activate_project", activate())));
    assert!(activated.starts_with("Project 'other' is active, at "), "{activated}");
    for (id, mark, word, expected) in [(3, "yes", "y", RAN), (4, "no", "n", DECLINED)] {
        let question = mcp.ask(&call(id, "execute_shell_command", command(mark)));
        assert_eq!(question["params"]["message"], display(mark), "{question}");
        assert!(!ran(mark), "before the answer");
        let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": accepted(word) });
        assert_eq!(text(&mcp.ask(&answer)), expected);
    }
    assert!(ran("yes") && !ran("no"));
}

#[test]
fn one_that_cannot_be_asked_is_told_how_to_allow_the_call() {
    let user = two_projects();
    let mut mcp = Mcp::new(&user, "elsewhere");
    mcp.ask(&initialize("2025-11-25"));
    mcp.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    mcp.ask(&call(1, "activate_project", activate()));
    let refused = text(&mcp.ask(&call(2, "execute_shell_command", command("unasked"))));
    assert!(refused.contains("this client cannot ask the user: it declares no elicitation"), "{refused}");
    user.check(&["approvals", "policy", "serena/execute_shell_command", "allow"], 0);
    assert_eq!(text(&mcp.ask(&call(3, "execute_shell_command", command("unasked")))), RAN);
}

#[test]
fn why_only_the_users_word_will_do_comes_from_there() {
    let user = two_projects();
    user.settles("[policy]\ncli_agent = \"allow\"\n");
    let mut mcp = Mcp::new(&user, "project");
    mcp.ask(&modern_call(1, "activate_project", activate()));
    let wanted = json!({ "url": "http://127.0.0.1:1/" });
    let asked = mcp.ask(&modern_call(2, "fetch_webpage", wanted.clone()));
    let message = asked["result"]["inputRequests"]["approval"]["params"]["message"].as_str().unwrap();
    let because = "127.0.0.1 leads to 127.0.0.1, which is not a public address";
    assert!(message.contains(&format!("\nAsked because: {because}\n\n")), "{message}");
    let refused = text(&mcp.ask(&modern(call(3, "fetch_webpage", wanted))));
    assert!(
        refused.contains(&format!("was not run: {because}; so it needs the user's approval")),
        "{refused}"
    );
}

#[test]
fn the_editors_of_that_project_are_asked_too() {
    let user = two_projects();
    let ran = |mark: &str| user.path("other").join(mark).exists();
    let mut editor = FakeEditor::silent(&user);
    editor.ask("initialize", json!({ "rootUri": uri(&user, "other"), "capabilities": {} }));
    editor.settle();
    let mut mcp = Mcp::new(&user, "project");
    mcp.initialize();
    mcp.ask(&call(1, "activate_project", activate()));
    let form = mcp.ask(&call(2, "execute_shell_command", command("there")));
    assert_eq!(form["params"]["message"], display("there"), "{form}");
    let question = editor.await_request("window/showMessageRequest");
    editor.reply(&question, json!({ "title": "Once" }));
    let mut told = [mcp.receive(), mcp.receive()];
    told.sort_by_key(|message| message.get("id").is_some());
    assert_eq!(told[0]["method"], "notifications/cancelled", "{told:?}");
    assert_eq!((text(&told[1]).as_str(), ran("there")), (RAN, true));

    let form = mcp.ask(&call(3, "execute_shell_command", command("here")));
    let question = editor.await_request("window/showMessageRequest");
    let answer = json!({ "jsonrpc": "2.0", "id": form["id"], "result": accepted("y") });
    assert_eq!(text(&mcp.ask(&answer)), RAN);
    let withdrawn = editor.await_message(|message| message["method"] == "$/cancelRequest");
    assert_eq!(withdrawn["params"]["id"], question["id"]);

    // So does a "no" of the client, and the end of the call.
    for (id, mark) in [(4, "no"), (5, "stopped")] {
        let form = mcp.ask(&call(id, "execute_shell_command", command(mark)));
        let question = editor.await_request("window/showMessageRequest");
        if mark == "no" {
            let answer = json!({ "jsonrpc": "2.0", "id": form["id"], "result": accepted("n") });
            assert_eq!(text(&mcp.ask(&answer)), DECLINED);
        } else {
            let params = json!({ "requestId": id });
            mcp.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }));
        }
        let withdrawn = editor.await_message(|message| message["method"] == "$/cancelRequest");
        assert_eq!(withdrawn["params"]["id"], question["id"], "{mark}");
        assert!(!ran(mark));
    }

    // A client that cannot ask leaves it to them.
    let mut mute = Mcp::new(&user, "project");
    mute.ask(&initialize("2025-11-25"));
    mute.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    mute.ask(&call(1, "activate_project", activate()));
    mute.send(&call(2, "execute_shell_command", command("denied")));
    let question = editor.await_request("window/showMessageRequest");
    editor.reply(&question, json!({ "title": "Deny" }));
    assert_eq!((text(&mute.receive()).as_str(), ran("denied")), (DECLINED, false));
}

#[test]
fn an_editors_answer_counts_for_the_repeated_call_there() {
    let user = two_projects();
    let ran = |mark: &str| user.path("other").join(mark).exists();
    let mut editors = [FakeEditor::silent(&user), FakeEditor::silent(&user)];
    for editor in &mut editors {
        editor.ask("initialize", json!({ "rootUri": uri(&user, "other"), "capabilities": {} }));
        editor.settle();
    }
    let mut mcp = Mcp::new(&user, "project");
    mcp.ask(&modern_call(1, "activate_project", activate()));
    for (id, title, response, expected) in
        [(2, "Once", json!({ "action": "decline" }), RAN), (5, "Deny", accepted("y"), DECLINED)]
    {
        let first = question(&mut mcp, id, title);
        let [there, other] = &mut editors;
        let asked = there.await_request("window/showMessageRequest");
        there.reply(&asked, json!({ "title": title }));
        // The other one hears that there is an answer.
        other.await_message(|message| message["method"] == "$/cancelRequest");
        let reply = mcp.ask(&again(id + 1, command(title), &first, response.clone()));
        assert_eq!((text(&reply).as_str(), ran(title)), (expected, title == "Once"), "{reply}");
        // Neither answer counts again.
        let _ = std::fs::remove_file(user.path("other").join(title));
        mcp.send(&again(id + 2, command(title), &first, accepted("y")));
        let [there, other] = &mut editors;
        for editor in [there, other] {
            let asked = editor.await_request("window/showMessageRequest");
            editor.reply(&asked, Value::Null);
        }
        let twice = text(&mcp.receive());
        assert!(twice.contains("its requestState was used before") && !ran(title), "{twice}");
    }
    // The client answers first.
    let first = question(&mut mcp, 8, "form");
    let [there, _] = &mut editors;
    let asked = there.await_request("window/showMessageRequest");
    let reply = mcp.ask(&again(9, command("form"), &first, accepted("y")));
    assert_eq!(text(&reply), RAN);
    let withdrawn = there.await_message(|message| message["method"] == "$/cancelRequest");
    assert_eq!(withdrawn["params"]["id"], asked["id"]);
}

#[test]
fn editors_show_a_question_no_longer_where_the_repeated_call_needs_no_answer() {
    for project in ["project", "other"] {
        let user = two_projects();
        let ran = user.path(project).join("ran");
        let mut editor = FakeEditor::silent(&user);
        editor.ask("initialize", json!({ "rootUri": uri(&user, project), "capabilities": {} }));
        editor.settle();
        let mut mcp = Mcp::new(&user, "project");
        if project == "other" {
            mcp.ask(&modern_call(1, "activate_project", activate()));
        }
        let first = question(&mut mcp, 2, "ran");
        let asked = editor.await_request("window/showMessageRequest");
        user.check(&["approvals", "policy", "serena/execute_shell_command", "allow"], 0);
        mcp.ask(&again(3, command("ran"), &first, json!({ "action": "decline" })));
        assert!(ran.exists(), "the policy allows it");
        let withdrawn = editor.await_message(|message| message["method"] == "$/cancelRequest");
        assert_eq!(withdrawn["params"]["id"], asked["id"], "{project}");
        // Its answer does not count again.
        std::fs::remove_file(&ran).unwrap();
        user.check(&["approvals", "policy", "serena/execute_shell_command", "ask"], 0);
        mcp.send(&again(4, command("ran"), &first, accepted("y")));
        let asked = editor.await_request("window/showMessageRequest");
        editor.reply(&asked, Value::Null);
        let twice = text(&mcp.receive());
        assert!(twice.contains("its requestState was used before") && !ran.exists(), "{twice}");
    }
}
