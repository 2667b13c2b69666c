//! Calls whose tool finds that they need the user's own approval, such as fetch_webpage with an address that
//! is not public: policies and wide rules do not allow them, and the user is asked wherever possible.

use serde_json::{Value, json};

use crate::approvals_stage::{Stage, Whose, modern_call, ran, text};
use crate::support::{call, request};

const ALLOW: &str = "[policy]\ncareful = \"allow\"\neasy = \"allow\"\n";

const WIDE: &str = "[[rule]]\nid = 1\ntool = \"fetch\"\npattern = 'private'\n";

const DISPLAY: &str = "Tool: fetch\nParameters:\n  mark: MARK\n  private: true\nFiles affected: (none)\n\
    Risk level: read_only\nAsked because: it leads to 127.0.0.1\n\nApprove? (y/n/always):";

fn private(mark: &str) -> Value {
    json!({ "private": true, "mark": mark })
}

fn accepted(word: &str) -> Value {
    json!({ "action": "accept", "content": { "answer": word } })
}

#[test]
fn no_policy_and_no_wide_rule_stands_for_the_users_word() {
    let stage = Stage::new();
    for (settled, mark) in [(ALLOW, "word_policy"), (WIDE, "word_rule")] {
        stage.approvals(settled);
        assert_eq!(
            stage.says("careful", "fetch", private(mark)),
            format!(
                "Refused: fetch was not run: it leads to 127.0.0.1; so it needs the user's approval of this very call, which \
                 no policy and no broader rule can give, and this client cannot ask the user: it declares no \
                 elicitation. The user can allow it in a terminal: `symd approvals add fetch \
                 '^\\{{\"mark\":\"{mark}\",\"private\":true\\}}$' --toolset careful`"
            )
        );
        assert!(!ran(mark));
    }
    stage.approvals(ALLOW);
    assert_eq!(stage.says("careful", "fetch", json!({ "mark": "word_public" })), "ran ByPolicy");
}

#[test]
fn what_the_refusal_proposes_lets_that_very_call_run_over_the_users_own_connection() {
    let stage = Stage::new();
    let exact = r#"'^\{"mark":"word_added","private":true\}$'"#;
    let rule = format!("[[rule]]\nid = 1\ntool = \"fetch\"\npattern = {exact}\ntoolset = \"careful\"\n");
    stage.approvals(&format!("{ALLOW}{rule}"));
    let mut anybodys = stage.connect("careful", Whose::Anybodys);
    let says = text(&anybodys.ask(&modern_call(1, "fetch", private("word_added"))));
    assert!(
        says.contains("rules about tools that reach beyond the project apply only to the user's own"),
        "{says}"
    );
    assert!(!ran("word_added"));
    let public = text(&anybodys.ask(&modern_call(2, "fetch", json!({ "mark": "word_public" }))));
    assert_eq!(public, "ran ByPolicy");
    assert_eq!(stage.says("careful", "fetch", private("word_added")), "ran ByUser");
    assert!(stage.says("careful", "fetch", private("word_other")).contains("needs the user's approval"));
}

#[test]
fn a_client_of_the_older_era_is_asked_in_the_midst_of_the_call() {
    let stage = Stage::new();
    stage.approvals(ALLOW);
    let mut wire = stage.asked("careful", Whose::Users);
    let mut answered = |id: u64, mark: &str, word: &str| {
        let question = wire.ask(&call(id, "fetch", private(mark)));
        assert_eq!(question["params"]["message"], DISPLAY.replace("MARK", mark), "{question}");
        assert!(!ran(mark), "before the answer");
        text(&wire.ask(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": accepted(word) })))
    };
    assert_eq!(answered(1, "word_no", "n"), "Refused: fetch was not run: the user did not approve it");
    assert_eq!(answered(2, "word_once", "y"), "ran ByUser");
    assert_eq!(answered(3, "word_always", "always"), "ran ByUser");
    assert_eq!(text(&wire.ask(&call(4, "fetch", private("word_always")))), "ran ByUser", "not asked again");
    assert!(!ran("word_no"));
    // A user who was shown the call before it ran is not asked twice.
    stage.approvals("");
    let question = wire.ask(&call(5, "fetch", private("word_before")));
    let reply = wire.ask(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": accepted("y") }));
    assert_eq!(text(&reply), "ran ByUser");
}

#[test]
fn a_client_of_the_newer_era_answers_with_the_call_made_again() {
    let stage = Stage::new();
    stage.approvals(ALLOW);
    let mut wire = stage.connect("careful", Whose::Users);
    let first = wire.ask(&modern_call(1, "fetch", private("word_modern")));
    let question = &first["result"]["inputRequests"]["approval"]["params"]["message"];
    assert_eq!(*question, DISPLAY.replace("MARK", "word_modern"), "{first}");
    let mut again = modern_call(2, "fetch", private("word_modern"));
    again["params"]["requestState"] = first["result"]["requestState"].clone();
    again["params"]["inputResponses"] = json!({ "approval": accepted("y") });
    assert!(!ran("word_modern"));
    assert_eq!(text(&wire.ask(&again)), "ran ByUser");
    let says = text(&wire.ask(&again));
    assert!(says.contains("; so it needs the user's") && says.contains("was used before"), "{says}");
}

#[test]
fn the_command_line_is_asked_too() {
    let stage = Stage::new();
    stage.approvals(ALLOW);
    let mut wire = stage.connect("careful", Whose::Users);
    let mut made = |id: u64, more: Value| {
        let mut params = json!({ "tool": "fetch", "arguments": private("word_cli"), "toolset": ["careful"] });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        wire.ask(&request(id, "symd/call", params))["result"].take()
    };
    let mut question = made(1, json!({ "can_ask": true }));
    assert!(question.as_object_mut().unwrap().remove("question").unwrap().is_u64(), "its number");
    assert_eq!(
        question,
        json!({ "ask": DISPLAY.replace("MARK", "word_cli"), "offer": "always", "because": "it leads to 127.0.0.1" })
    );
    let denied = made(2, json!({}));
    assert_eq!(denied["outcome"], "denied", "{denied}");
    assert!(!ran("word_cli"));
    assert_eq!(made(3, json!({ "answer": "once" })), json!({ "text": "ran ByUser", "outcome": "done" }));
}
