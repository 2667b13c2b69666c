//! An agent beside an editor: its calls, which go on while the editor answers, and what the history says of them.

use std::process::{Child, Output, Stdio};

use serde_json::{Value, json};

use crate::fake_editor::FakeEditor;
use crate::support::User;

/// Starts an agent's call of a tool.
pub fn agent(user: &User, tool: &str, arguments: &Value) -> Child {
    let mut command = user.symd();
    command.args(["call", tool, &arguments.to_string()]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Returns the answer of a call that succeeds.
#[track_caller]
pub fn done(call: Child) -> String {
    let Output { status, stdout, stderr } = call.wait_with_output().unwrap();
    let text = String::from_utf8(stdout).unwrap();
    assert!(status.success(), "{text}{}", String::from_utf8_lossy(&stderr));
    text
}

/// Returns what a call says that fails.
#[track_caller]
pub fn failed(call: Child) -> String {
    let Output { status, stdout, stderr } = call.wait_with_output().unwrap();
    let text = String::from_utf8([stdout, stderr].concat()).unwrap();
    assert_eq!(status.code(), Some(1), "{text}");
    text
}

/// Has the editor make the edit of a call: its document has this text then, at this version. Returns the operation.
#[track_caller]
pub fn made(
    user: &User,
    call: Child,
    editor: &mut FakeEditor,
    (file, version, text): (&str, i64, &str),
) -> u64 {
    let request = editor.await_request("workspace/applyEdit");
    editor.rewrite(file, version, text);
    editor.reply(&request, json!({ "applied": true }));
    done(call);
    last_operation(user)
}

/// Returns the number of the newest operation.
fn last_operation(user: &User) -> u64 {
    let history: Value = serde_json::from_str(&user.check(&["history", "--json"], 0)).unwrap();
    history["operations"][0]["id"].as_u64().unwrap()
}

/// Returns what the history says of an operation.
pub fn marked(user: &User, id: u64) -> String {
    let history = user.check(&["history"], 0);
    history.lines().find(|line| line.starts_with(&format!("{id} "))).unwrap().to_owned()
}
