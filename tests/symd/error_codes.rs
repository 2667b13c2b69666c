//! Codes of kotlin_debug's table that take a broken machine: a store that cannot be opened, a parser that stands still, no project.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use symd::sys::processes;

use crate::support::{User, call, initialize, write};

fn says(user: &User, tool: &str, arguments: serde_json::Value) -> String {
    let arguments = arguments.to_string();
    let output = user.run(&["call", "--toolset", "kotlin_debug", tool, &arguments]);
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

#[test]
fn a_store_that_cannot_be_opened_is_db_connection_failed() {
    let user = User::new();
    std::fs::create_dir_all(user.path("data/solutions/solutions.db")).unwrap();
    let said = says(&user, "vector_search_db", json!({ "query": "no till" }));
    assert!(
        said.contains(r#"{"success":false,"error":{"code":"DB_CONNECTION_FAILED","message":""#),
        "{said}"
    );
}

#[test]
fn an_answer_that_takes_longer_than_two_seconds_is_tool_timeout() {
    let user = User::new();
    write(&user.path("project/a.kt"), "fun a() = 1\n");
    let ask = || says(&user, "get_code_context", json!({ "filePath": "a.kt", "line": 1 }));
    assert!(ask().contains(r#"{"success":true"#));
    let daemon = Pid::from_raw(user.pid().try_into().unwrap()).unwrap();
    let workers: Vec<Pid> =
        processes::children(daemon).iter().filter(|child| child.is_alive).map(|child| child.pid).collect();
    // The daemon waits for the parser: a question must not miss what was just written.
    workers.iter().for_each(|worker| kill_process(*worker, Signal::STOP).unwrap());
    write(&user.path("project/a.kt"), "fun b() = 1\n");
    let said = ask();
    workers.iter().for_each(|worker| {
        let _ = kill_process(*worker, Signal::CONT);
    });
    let late =
        r#""code":"TOOL_TIMEOUT","message":"no answer within 2 s; files are still to be read: 1; ask again""#;
    assert!(said.contains(late), "{said}");
    assert!(ask().contains("fun b() = 1"));
}

#[test]
fn a_call_outside_of_any_project_is_internal_error() {
    let user = User::new();
    let asked = call(1, "read_file", json!({ "filePath": "a.kt" }));
    let answers = user.mcp_with("home", &["--toolset", "kotlin_debug"], &[initialize("2025-11-25"), asked]);
    let answer = answers.iter().find(|answer| answer["id"] == 1).unwrap_or_else(|| panic!("{answers:?}"));
    let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
    assert!(text.starts_with(r#"{"success":false,"error":{"code":"INTERNAL_ERROR","message":""#), "{text}");
    assert_eq!(answer["result"]["isError"], true);
}
