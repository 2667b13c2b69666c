//! `symd solutions`, and that secrets do not reach the store.

use std::io::Write;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::approvals_stage::{Stage, Whose, text};
use crate::support::{User, call, write};

fn import(user: &User, lines: &str) -> Output {
    let mut command = user.symd();
    command.args(["solutions", "import"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn solution(description: &str) -> Value {
    json!({
        "errorDescription": description, "rootCause": "a cause", "solution": "a fix", "language": "kotlin",
        "errorType": "IllegalStateException", "confidence": 0.9,
    })
}

#[test]
fn they_are_imported_shown_confirmed_exported_and_deleted() {
    let user = User::new();
    assert_eq!(user.check(&["solutions"], 0), "");
    let lines = format!("{}\n\n{}\n", solution("no till"), solution("password=hunter2 in /home/jo/x"));
    let imported = import(&user, &lines);
    assert!(imported.status.success());
    assert_eq!(
        String::from_utf8_lossy(&imported.stderr).trim(),
        "2 solutions imported; 2 secrets and home paths were taken out"
    );
    let list = "rca-001\tkotlin\tIllegalStateException: no till (confidence 0.9)\n\
                rca-002\tkotlin\tIllegalStateException: password=<secret> in ~/x (confidence 0.9)\n";
    assert_eq!(user.check(&["solutions", "list"], 0), list);
    user.check(&["solutions", "validate", "rca-001"], 0);
    assert!(
        user.check(&["solutions", "show", "rca-001"], 0)
            .contains("confidence 0.9, confirmed by you)\nerror: no till\n")
    );
    let exported = user.check(&["solutions", "export"], 0);
    assert!(!exported.contains("hunter2") && exported.lines().count() == 2, "{exported}");
    user.check(&["solutions", "delete", "rca-001"], 0);
    user.check(&["solutions", "show", "rca-001"], 1);
    let again = import(&user, &exported);
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    assert_eq!(said.trim(), "2 solutions imported; 1 replaced an earlier copy");
    let foreign = exported.replace("no till", "of a colleague");
    let said = String::from_utf8_lossy(&import(&user, &foreign).stderr).into_owned();
    let expected = "2 solutions imported; 1 replaced an earlier copy; 1 got a new id, because another solution has theirs";
    assert_eq!(said.trim(), expected);
    assert_eq!(user.check(&["solutions", "export"], 0).lines().count(), 3);
}

#[test]
fn a_solution_is_one_line_of_the_list_whatever_it_holds() {
    let user = User::new();
    let mut solution = solution("no till");
    solution["language"] = json!("kot\tlin");
    solution["errorType"] = json!("No\nTill");
    assert!(import(&user, &solution.to_string()).status.success());
    assert_eq!(
        user.check(&["solutions", "list"], 0),
        "rca-001\tkot lin\tNo Till: no till (confidence 0.9)\n"
    );
}

#[test]
fn a_line_that_is_no_solution_imports_nothing() {
    let user = User::new();
    for (wrong, why) in [("{}", "missing field"), ("no json", "expected"), (r#"{"a":1}"#, "unknown field")] {
        let refused = import(&user, &format!("{}\n{wrong}\n", solution("no till")));
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(
            said.contains("line 2: ") && said.contains(why) && said.contains("nothing was imported"),
            "{said}"
        );
    }
    assert_eq!(user.check(&["solutions"], 0), "");
}

#[test]
fn a_damaged_store_is_kept_aside_and_said() {
    let user = User::new();
    assert!(import(&user, &solution("no till").to_string()).status.success());
    let path = user.path("data/solutions/solutions.db");
    write(&path, &"no database\n".repeat(1_000));
    let output = user.symd().args(["solutions", "list"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.contains("it is kept as "), "{said}");
    assert!(import(&user, &solution("no till").to_string()).status.success());
    assert_eq!(user.check(&["solutions"], 0).lines().count(), 1);
}

#[test]
fn neither_the_question_to_the_user_nor_the_rule_holds_secrets() {
    let stage = Stage::new();
    stage.approvals("[policy]\nnative = \"ask\"\n");
    let mut wire = stage.asked("native", Whose::Users);
    let arguments = json!({
        "error_description": "password=hunter2", "root_cause": "in /home/jo/x", "solution": "a fix",
        "language": "kotlin", "error_type": "IllegalStateException",
    });
    let question = wire.ask(&call(1, "record_solution", arguments.clone()));
    let message = question["params"]["message"].as_str().unwrap().to_owned();
    assert!(
        message.contains("error_description: password=<secret>\n") && message.contains("in ~/x"),
        "{message}"
    );
    let always = json!({ "action": "accept", "content": { "answer": "always" } });
    let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": always });
    let recorded = text(&wire.ask(&answer));
    assert!(recorded.contains("; 2 secrets and home paths were taken out"), "{recorded}");
    let rule = stage.approvals_text();
    assert!(
        rule.contains("record_solution") && !rule.contains("hunter2") && !rule.contains("/home/jo"),
        "{rule}"
    );
    assert!(
        text(&wire.ask(&call(2, "record_solution", arguments))).contains("recorded as rca-002"),
        "not asked again"
    );
}

#[test]
fn an_agent_hears_of_a_damaged_store() {
    let stage = Stage::new();
    assert!(import(&stage.user, &solution("no till").to_string()).status.success());
    write(&stage.user.path("data/solutions/solutions.db"), &"no database\n".repeat(1_000));
    let said = stage.says("kotlin_debug", "vector_search_db", json!({ "query": "no till" }));
    assert!(said.contains("NO_RESULTS") && said.contains("it is kept as "), "{said}");
    let said = stage.says("kotlin_debug", "vector_search_db", json!({ "query": "no till" }));
    assert!(said.contains("NO_RESULTS") && !said.contains("it is kept as "), "{said}");
}
