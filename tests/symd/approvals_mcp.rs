//! Approval through an MCP client, in both eras: what counts as the user's answer, and what ends the wait for
//! it.

use std::net::Shutdown;

use serde_json::{Value, json};
use symd::config::settings::Limits;

use crate::approvals_stage::{Stage, Whose, modern_call, open, ran, text};
use crate::support::{Wire, call, modern, request};

const DISPLAY: &str = "Tool: create_file\nParameters:\n  path: hello.py\n  content: <20 bytes>\nFiles affected: hello.py\nRisk level: safe_write\n\nApprove? (y/n/always):";

fn hello(mark: &str) -> Value {
    json!({ "path": "hello.py", "content": "print('Hello, you')\n", "mark": mark })
}

/// Calls create_file; returns the elicitation that follows.
#[track_caller]
fn elicited(wire: &mut Wire, id: u64, arguments: Value) -> Value {
    let question = wire.ask(&call(id, "create_file", arguments));
    assert_eq!(question["method"], "elicitation/create", "{question}");
    question
}

fn answer(question: &Value, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": question["id"], "result": result })
}

fn accepted(word: &str) -> Value {
    json!({ "action": "accept", "content": { "answer": word } })
}

fn cancel(id: u64) -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } })
}

#[test]
fn a_client_is_asked_by_a_request_with_the_contracts_display() {
    let stage = Stage::new();
    let mut wire = stage.asked("careful", Whose::Users);
    let question = elicited(&mut wire, 1, json!({ "path": "hello.py", "content": "print('Hello, you')\n" }));
    assert_eq!(question["params"]["message"], DISPLAY);
    let schema = &question["params"]["requestedSchema"];
    assert_eq!((&schema["type"], &schema["required"]), (&json!("object"), &json!(["answer"])));
    assert_eq!(schema["properties"]["answer"]["enum"], json!(["y", "n", "always"]));
    let reply = wire.ask(&answer(&question, accepted("y")));
    assert_eq!((text(&reply).as_str(), &reply["id"]), ("ran ByUser", &json!(1)));
    let question = elicited(&mut wire, 2, hello("y-again"));
    assert_eq!(text(&wire.ask(&answer(&question, accepted("y")))), "ran ByUser", "yes is for once");
}

#[test]
fn whatever_is_no_yes_is_a_no() {
    let stage = Stage::new();
    let mut wire = stage.asked("careful", Whose::Users);
    for (id, result) in (1..).zip([
        json!({ "action": "decline" }),
        json!({ "action": "cancel" }),
        accepted("n"),
        accepted("Y "),
        json!({ "action": "accept" }),
        json!({ "action": "accept", "content": {} }),
        json!({ "action": "accept", "content": { "answer": true } }),
        json!({ "action": "decline", "content": { "answer": "y" } }),
    ]) {
        let question = elicited(&mut wire, id, hello("declined"));
        let reply = wire.ask(&answer(&question, result.clone()));
        assert_eq!(text(&reply), "Refused: create_file was not run: the user did not approve it", "{result}");
        assert_eq!(reply["result"]["isError"], true);
    }
    let question = elicited(&mut wire, 90, hello("declined"));
    let error =
        json!({ "jsonrpc": "2.0", "id": question["id"], "error": { "code": -32601, "message": "no forms" } });
    let says = text(&wire.ask(&error));
    assert!(says.contains("the client did not ask the user") && says.contains("no forms"), "{says}");
    let question = elicited(&mut wire, 91, hello("declined"));
    let says = text(&wire.ask(&answer(&question, json!({ "what": 1 }))));
    assert!(says.contains("needs the user's approval, and the client's response is not"), "{says}");
    assert!(!ran("declined"));
    assert_eq!(stage.approvals_text(), "");
}

#[test]
fn always_keeps_this_very_call_of_this_toolset_in_this_project() {
    let stage = Stage::new();
    let mut wire = stage.asked("careful", Whose::Users);
    let arguments = json!({ "path": "a.txt", "content": "{2}" });
    let question = elicited(&mut wire, 1, arguments.clone());
    assert_eq!(text(&wire.ask(&answer(&question, accepted("always")))), "ran ByUser");
    let kept = stage.approvals_text();
    let expected = format!(
        "\n[[rule]]\nid = 1\ntool = \"create_file\"\npattern = '^\\{{\"content\":\"\\{{2\\}}\",\"path\":\"a\\.txt\"\\}}$'\ntoolset = \"careful\"\nproject = \"{}\"\n",
        stage.host.root().display()
    );
    assert!(kept.ends_with(&expected), "{kept}\n{expected}");
    assert_eq!(text(&wire.ask(&call(2, "create_file", arguments.clone()))), "ran ByUser", "not asked again");
    for other in [json!({ "path": "a_txt", "content": "{2}" }), json!({ "path": "a.txt" })] {
        let question = elicited(&mut wire, 3, other);
        wire.ask(&answer(&question, accepted("n")));
    }
    stage.user.check(&["approvals", "disable", "1"], 0);
    let question = elicited(&mut wire, 4, arguments);
    wire.ask(&answer(&question, accepted("n")));
}

#[test]
fn nobody_is_asked_who_cannot_be_or_is_not_the_user() {
    let stage = Stage::new();
    let not_the_users = "this connection has not shown that it is the user's own";
    let cannot = "this client cannot ask the user";
    for (whose, capabilities, expected) in [
        (Whose::Users, json!({}), cannot),
        (Whose::Users, json!({ "elicitation": { "url": {} } }), cannot),
        (Whose::Anybodys, json!({ "elicitation": {} }), not_the_users),
    ] {
        let mut wire = stage.connect("easy", whose);
        open(&mut wire, capabilities);
        let says = text(&wire.ask(&call(1, "command", json!({ "mark": "nobody" }))));
        assert!(says.contains(expected), "{says}");
    }
    // Without a hello, as any program in a sandbox might connect that can reach the socket.
    let mut wire = stage.connect_raw();
    open(&mut wire, json!({ "elicitation": {} }));
    assert!(text(&wire.ask(&call(1, "command", json!({ "mark": "nobody" })))).contains(not_the_users));
    let mut wire = stage.connect_raw();
    assert!(text(&wire.ask(&modern_call(1, "command", json!({ "mark": "nobody" })))).contains(not_the_users));
    assert!(!ran("nobody"));

    let mut wire = stage.connect("careful", Whose::Users);
    open(&mut wire, json!({ "elicitation": { "form": {}, "url": {} } }));
    elicited(&mut wire, 1, hello("form"));
}

#[test]
fn a_rule_about_a_command_holds_over_the_users_own_connections_only() {
    let stage = Stage::new();
    stage.approvals("[[rule]]\nid = 1\ntool = \"command\"\npattern = 'status'\n[[rule]]\nid = 2\ntool = \"create_file\"\npattern = '.'\n");
    let command = |mark: &str| modern(call(1, "command", json!({ "command": "git status", "mark": mark })));
    assert_eq!(text(&stage.connect("careful", Whose::Users).ask(&command("rule-users"))), "ran ByRule");
    for mut wire in [stage.connect("careful", Whose::Anybodys), stage.connect_raw()] {
        let says = text(&wire.ask(&command("rule-anybodys")));
        assert!(says.contains("one of the user's rules allows it, but"), "{says}");
        let edit = modern(call(2, "create_file", json!({ "path": "a" })));
        assert_eq!(text(&wire.ask(&edit)), "ran ByRule", "an edit goes no further than the project");
    }
    assert!(ran("rule-users") && !ran("rule-anybodys"));
    stage.approvals("[policy]\ncareful = \"allow\"\n");
    assert_eq!(text(&stage.connect_raw().ask(&command("rule-policy"))), "ran ByPolicy", "whoever calls");
}

#[test]
fn a_proof_is_of_one_connection() {
    let stage = Stage::new();
    let mut users = stage.asked("careful", Whose::Users);
    let mut other = stage.asked("careful", Whose::Anybodys);
    assert!(text(&other.ask(&call(1, "create_file", hello("proof")))).contains("has not shown"));
    let question = elicited(&mut users, 1, hello("proof-users"));
    // An answer over another connection does not count either.
    other.send(&answer(&question, accepted("y")));
    assert_eq!(other.ask(&request(9, "tools/list", json!({})))["id"], 9);
    assert!(!ran("proof-users"));
    assert_eq!(text(&users.ask(&answer(&question, accepted("y")))), "ran ByUser");
    drop((users, other));
    stage.all_ended();
    let left = std::fs::read_dir(stage.user.place().proofs()).unwrap().count();
    assert_eq!(left, 0, "proofs go with their connections");
}

#[test]
fn other_requests_go_on_while_the_user_thinks() {
    let stage = Stage::new();
    let mut wire = stage.asked("careful", Whose::Users);
    let question = elicited(&mut wire, 1, hello("thinks"));
    assert_eq!(wire.ask(&request(2, "tools/list", json!({})))["id"], 2);
    assert_eq!(text(&wire.ask(&call(3, "look", json!({})))), "ran ByPolicy");
    let second = elicited(&mut wire, 4, hello("thinks-2"));
    assert_ne!(question["id"], second["id"]);
    let reply = wire.ask(&answer(&second, accepted("n")));
    assert_eq!(reply["id"], 4);
    assert_eq!(text(&wire.ask(&answer(&question, accepted("y")))), "ran ByUser");
    assert!(ran("thinks") && !ran("thinks-2"));
}

#[test]
fn a_cancelled_call_takes_its_question_back() {
    let stage = Stage::new();
    let mut wire = stage.asked("careful", Whose::Users);
    let question = elicited(&mut wire, 1, hello("cancelled"));
    let withdrawn = wire.ask(&cancel(1));
    assert_eq!(withdrawn["method"], "notifications/cancelled", "{withdrawn}");
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
    wire.send(&answer(&question, accepted("y")));
    assert_eq!(wire.ask(&request(2, "tools/list", json!({})))["id"], 2, "no answer to the call");
    assert!(!ran("cancelled"));
    // Other calls are asked about; no client reuses an id.
    elicited(&mut wire, 3, hello("cancelled"));
}

#[test]
fn a_client_that_leaves_is_not_waited_for() {
    let stage = Stage::new();
    let mut wire = stage.asked("careful", Whose::Users);
    elicited(&mut wire, 1, hello("left"));
    drop(wire);
    stage.all_ended();

    let mut wire = stage.asked("careful", Whose::Users);
    elicited(&mut wire, 1, hello("left"));
    wire.stream().shutdown(Shutdown::Write).unwrap();
    assert_eq!(wire.receive().unwrap()["method"], "notifications/cancelled");
    let says = text(&wire.receive().unwrap());
    assert!(says.contains("the client left before the user answered"), "{says}");
    stage.all_ended();

    let mut wire = stage.asked("careful", Whose::Users);
    elicited(&mut wire, 1, hello("left"));
    stage.host.drain();
    assert_eq!(wire.receive().unwrap()["method"], "notifications/cancelled");
    let says = text(&wire.receive().unwrap());
    assert!(says.contains("needs the user's approval"), "the daemon ends: {says}");
    stage.all_ended();
    assert!(!ran("left"));
}

#[test]
fn an_answer_is_waited_for_until_the_deadline() {
    let stage = Stage::with(Limits { approval_deadline_ms: 20, ..Limits::default() });
    let mut wire = stage.asked("careful", Whose::Users);
    let question = elicited(&mut wire, 1, hello("late"));
    let withdrawn = wire.receive().unwrap();
    assert_eq!(
        (&withdrawn["method"], &withdrawn["params"]["requestId"]),
        (&json!("notifications/cancelled"), &question["id"])
    );
    let says = text(&wire.receive().unwrap());
    assert!(says.contains("the user did not answer within 0.02 s"), "{says}");
    wire.send(&answer(&question, accepted("y")));
    assert_eq!(wire.ask(&request(2, "tools/list", json!({})))["id"], 2);
    assert!(!ran("late"));
}

#[test]
fn what_is_denied_meanwhile_does_not_run() {
    let stage = Stage::new();
    let mut wire = stage.asked("careful", Whose::Users);
    let question = elicited(&mut wire, 1, hello("meanwhile"));
    stage.approvals("[policy]\ncareful = \"deny\"\n");
    assert!(text(&wire.ask(&answer(&question, accepted("y")))).contains("the user's policy denies careful"));
    assert!(!ran("meanwhile"));
}

#[test]
fn a_question_that_is_wanted_each_time_offers_no_always() {
    let stage = Stage::new();
    stage.projects("[policy]\ncareful = \"ask\"\n");
    let mut wire = stage.asked("careful", Whose::Users);
    let question = elicited(&mut wire, 1, hello("each"));
    assert!(question["params"]["message"].as_str().unwrap().ends_with("\n\nApprove? (y/n):"));
    assert_eq!(question["params"]["requestedSchema"]["properties"]["answer"]["enum"], json!(["y", "n"]));
    assert_eq!(text(&wire.ask(&answer(&question, accepted("always")))), "ran ByUser");
    assert_eq!(stage.approvals_text(), "", "what was not offered is taken for yes, and kept nowhere");
}

/// Calls create_file as a client of 2026-07-28; returns the state of the question that follows.
#[track_caller]
fn input_required(wire: &mut Wire, id: u64, arguments: Value) -> String {
    let result = wire.ask(&modern_call(id, "create_file", arguments))["result"].take();
    assert_eq!(result["resultType"], "input_required", "{result}");
    let question = &result["inputRequests"]["approval"];
    assert_eq!(question["method"], "elicitation/create", "{result}");
    assert!(question["params"]["message"].as_str().unwrap().ends_with("Approve? (y/n/always):"));
    assert!(question["params"]["requestedSchema"]["properties"]["answer"].is_object());
    result["requestState"].as_str().unwrap().to_owned()
}

fn retried(id: u64, tool: &str, arguments: Value, state: &str, response: Value) -> Value {
    let mut again = modern_call(id, tool, arguments);
    again["params"]["requestState"] = json!(state);
    again["params"]["inputResponses"] = json!({ "approval": response });
    again
}

#[test]
fn a_modern_client_is_asked_by_a_result_and_answers_with_the_call_made_again() {
    let stage = Stage::new();
    let mut wire = stage.connect("careful", Whose::Users);
    let arguments = json!({ "path": "hello.py", "content": "print('Hello, you')\n" });
    let first = wire.ask(&modern_call(1, "create_file", arguments.clone()));
    assert_eq!(first["result"]["inputRequests"]["approval"]["params"]["message"], DISPLAY);
    let state = first["result"]["requestState"].as_str().unwrap();
    let reply = wire.ask(&retried(2, "create_file", arguments.clone(), state, accepted("y")));
    assert_eq!((text(&reply).as_str(), &reply["result"]["resultType"]), ("ran ByUser", &json!("complete")));

    let state = input_required(&mut wire, 3, arguments.clone());
    let reply =
        wire.ask(&retried(4, "create_file", arguments.clone(), &state, json!({ "action": "decline" })));
    assert_eq!(text(&reply), "Refused: create_file was not run: the user did not approve it");

    let state = input_required(&mut wire, 5, arguments.clone());
    let reply = wire.ask(&retried(6, "create_file", arguments.clone(), &state, accepted("always")));
    assert_eq!(text(&reply), "ran ByUser");
    assert_eq!(text(&wire.ask(&modern_call(7, "create_file", arguments))), "ran ByUser", "not asked again");
}

#[test]
fn a_state_counts_once_for_its_call_on_its_connection() {
    let stage = Stage::new();
    let mut wire = stage.connect("careful", Whose::Users);
    let mut other = stage.connect("careful", Whose::Users);
    let state = input_required(&mut wire, 1, hello("state"));
    let foreign = "its requestState is not one that was given for this very call on this connection";
    let evil = json!({ "path": "hello.py", "content": "evil", "mark": "state-evil" });
    for again in [
        retried(2, "create_file", evil.clone(), &state, accepted("y")),
        retried(3, "command", hello("state-evil"), &state, accepted("y")),
        retried(4, "create_file", hello("state-evil"), "", accepted("y")),
        retried(5, "create_file", hello("state-evil"), &format!("{state}0"), accepted("y")),
    ] {
        let reply = wire.ask(&again);
        assert!(text(&reply).contains(foreign), "{reply}");
    }
    let mut stateless = retried(6, "create_file", hello("state-evil"), "", accepted("y"));
    stateless["params"].as_object_mut().unwrap().remove("requestState");
    assert!(text(&wire.ask(&stateless)).contains(foreign));
    let reply = other.ask(&retried(7, "create_file", hello("state"), &state, accepted("y")));
    assert!(text(&reply).contains(foreign), "another connection: {reply}");
    assert!(!ran("state-evil") && !ran("state"));

    let again = |id| retried(id, "create_file", hello("state"), &state, accepted("y"));
    assert_eq!(text(&wire.ask(&again(8))), "ran ByUser");
    assert!(text(&wire.ask(&again(9))).contains("its requestState was used before"));

    let state = input_required(&mut wire, 10, hello("unanswered"));
    let mut unanswered = retried(11, "create_file", hello("unanswered"), &state, Value::Null);
    unanswered["params"]["inputResponses"] = json!({ "other": accepted("y") });
    assert!(text(&wire.ask(&unanswered)).contains("hold no answer to \"approval\""));
    assert!(!ran("unanswered"));
}

#[test]
fn a_modern_client_that_declares_no_elicitation_is_refused() {
    let stage = Stage::new();
    let mut wire = stage.connect("careful", Whose::Users);
    let state = input_required(&mut wire, 1, hello("declares"));
    let mut again = modern(call(2, "create_file", hello("declares")));
    again["params"]["requestState"] = json!(state);
    again["params"]["inputResponses"] = json!({ "approval": accepted("y") });
    assert!(text(&wire.ask(&again)).contains("this client cannot ask the user"));
    assert!(!ran("declares"));
}

#[test]
fn an_expired_state_is_refused() {
    let stage = Stage::with(Limits { approval_deadline_ms: 0, ..Limits::default() });
    let mut wire = stage.connect("careful", Whose::Users);
    let state = input_required(&mut wire, 1, hello("expired"));
    let reply = wire.ask(&retried(2, "create_file", hello("expired"), &state, accepted("y")));
    assert!(text(&reply).contains("its requestState has expired; call the tool again"), "{reply}");
    assert!(!ran("expired"));
}

#[test]
fn the_command_lines_way_to_answer_is_the_users_alone() {
    let stage = Stage::new();
    let call = |id: u64, mark: &str, more: Value| {
        let mut params = json!({ "tool": "command", "arguments": { "mark": mark }, "toolset": ["easy"] });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        request(id, "symd/call", params)
    };
    let mut anybodys = stage.connect_raw();
    for (id, more) in (1..).zip([
        json!({ "answer": "once" }),
        json!({ "answer": "always" }),
        json!({ "answer": "once", "can_ask": true }),
        json!({}),
    ]) {
        let result = anybodys.ask(&call(id, "cli-evil", more.clone()))["result"].take();
        assert_eq!(result["outcome"], "denied", "{more}: {result}");
    }
    let result = anybodys.ask(&call(7, "cli-evil", json!({ "approved": true })));
    assert_eq!(result["error"]["code"], -32602, "{result}");
    assert_eq!(stage.approvals_text(), "");
    assert!(!ran("cli-evil"));

    let mut users = stage.connect("careful", Whose::Users);
    let mut result = users.ask(&call(1, "cli-no", json!({ "can_ask": true })))["result"].take();
    assert!(result.as_object_mut().unwrap().remove("question").unwrap().is_u64(), "its number");
    assert_eq!(
        result,
        json!({ "ask": "Tool: command\nParameters:\n  mark: cli-no\nFiles affected: (none)\nRisk level: dangerous\n\nApprove? (y/n/always):", "offer": "always" })
    );
    let result = users.ask(&call(2, "cli-no", json!({ "answer": "no" })))["result"].take();
    assert_eq!(
        result,
        json!({ "text": "Refused: command was not run: the user did not approve it", "outcome": "denied" })
    );
    let result = users.ask(&call(3, "cli-yes", json!({ "answer": "once" })))["result"].take();
    assert_eq!(result, json!({ "text": "ran ByUser", "outcome": "done" }));
    stage.approvals("[policy]\neasy = \"deny\"\n");
    let result = users.ask(&call(4, "cli-no", json!({ "answer": "once" })))["result"].take();
    assert_eq!(result["outcome"], "denied", "a policy is not overridden");
    assert!(!ran("cli-no") && ran("cli-yes"));
}
