//! The command line as scripts use it: exit codes, stdout for data, stderr for messages.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::support::User;

#[test]
fn exit_codes() {
    let user = User::new();
    assert!(user.fails(&["--no-spawn", "call", "status"], 3).contains("symd start"));
    user.fails(&["status"], 3);
    user.check(&["call", "status"], 0);
    user.fails(&["call", "status", "[1]"], 2);
    user.fails(&["call", "status", "{"], 2);
    user.fails(&["call", "no_such_tool"], 2);
    user.fails(&["call", "--toolset", "nope", "status"], 2);
    user.fails(&["tools", "--toolset", "nope"], 2);
    user.fails(&["no-such-command"], 2);
    user.fails(&[], 2);
    user.check(&["--help"], 0);
    user.check(&["--version"], 0);
    let nowhere = user.path("nowhere");
    user.fails(&["--project", nowhere.to_str().unwrap(), "status"], 2);
}

#[test]
fn outside_a_project_commands_say_how_to_choose_one() {
    let user = User::new();
    let output = user.symd().current_dir(user.path("elsewhere")).arg("status").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let talk = String::from_utf8(output.stderr).unwrap();
    assert!(talk.contains("--project DIR") && talk.contains("mkdir .symd"), "{talk}");
    let elsewhere = user.path("elsewhere");
    user.check(&["--project", elsewhere.to_str().unwrap(), "call", "status"], 0);
}

#[test]
fn call_reads_arguments_from_stdin() {
    let user = User::new();
    let mut child = user
        .symd()
        .args(["call", "status", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"{}").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(output.stdout.ends_with(b"\n") && !output.stdout.ends_with(b"\n\n"));
}

#[test]
fn call_reads_a_whole_call_from_stdin() {
    let user = User::new();
    let call = |text: &str| {
        let mut child = user
            .symd()
            .args(["call", "--toolset", "serena", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    std::fs::write(user.path("project/größe.txt"), "eins\n").unwrap();
    let (exit, text, talk) = call(r#"{"tool": "read_file", "parameters": {"relative_path": "größe.txt"}}"#);
    assert_eq!((exit, text.as_str()), (Some(0), "eins\n"), "{talk}");
    let (exit, text, _) = call(r#"{"tool": "read_file"}"#);
    assert_eq!(
        (exit, text.as_str()),
        (Some(1), "Error: Missing required parameter 'relative_path' (expected a string)\n")
    );
    for wrong in [
        "",
        "[]",
        r#"{"parameters": {}}"#,
        r#"{"tool": "read_file", "arguments": {}}"#,
        r#"{"tool": "read_file", "parameters": []}"#,
    ] {
        let (exit, text, talk) = call(wrong);
        assert_eq!((exit, text.as_str()), (Some(2), ""), "{wrong}");
        assert!(talk.contains("stdin must be {\"tool\": NAME"), "{talk}");
    }
}

#[test]
fn tools_needs_no_daemon() {
    let user = User::new();
    assert!(user.check(&["tools"], 0).contains("find_symbol  "));
    let json: serde_json::Value =
        serde_json::from_str(&user.check(&["tools", "--format", "json"], 0)).unwrap();
    assert!(json[0]["inputSchema"].is_object());
    assert!(!user.path("run").exists());
}

#[test]
fn a_reader_that_has_had_enough_is_no_failure() {
    let user = User::new();
    let mut child = user.symd().args(["tools", "--format", "json"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn the_settings_and_their_origin() {
    let user = User::with_config("idle_exit_minutes = 5\n[limits]\nmax_in_flight = 3\n");
    let shown: serde_json::Value =
        serde_json::from_str(&user.check(&["config", "show", "--json"], 0)).unwrap();
    assert_eq!(shown["limits.max_in_flight"]["value"], 3);
    assert!(shown["limits.max_in_flight"]["origin"].as_str().unwrap().ends_with("config.toml"));
    assert_eq!(shown["limits.max_connections"]["origin"], "default");
    assert!(user.check(&["config", "show"], 0).contains("idle_exit_minutes = 5.0"));
}

#[test]
fn doctor_finds_what_is_wrong() {
    let user = User::new();
    let checks: serde_json::Value = serde_json::from_str(&user.check(&["doctor", "--json"], 0)).unwrap();
    assert!(checks.as_array().unwrap().iter().all(|check| check["state"] != "fail"), "{checks}");
    let user = User::with_config("toolset = 7\n");
    let text = user.check(&["doctor"], 1);
    assert!(text.contains("fail  settings") && text.contains("toolset"), "{text}");
    assert!(!text.contains('\x1b'), "no colours where there is no terminal");
}

#[test]
fn index_logs_and_gc() {
    let user = User::new();
    assert!(user.fails(&["logs"], 1).contains("symd start"));
    assert!(user.check(&["index"], 0).contains("files/s"));
    assert!(user.check(&["logs"], 0).contains("ready"));
    assert!(!user.check(&["gc"], 0).contains("removed"));
    user.check(&["stop"], 0);
    assert!(user.check(&["gc"], 0).contains("its daemon is gone"));
    assert!(user.path("run").read_dir().unwrap().next().is_none());
    std::fs::remove_dir_all(user.path("project")).unwrap();
    let output = user.symd().current_dir(user.path("home")).arg("gc").output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains("does not exist any more"));
    // Only the list of projects is left, which is empty.
    let left = user.path("state").read_dir().unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = left.filter(|name| !name.to_str().unwrap().starts_with("projects.")).collect();
    assert!(left.is_empty(), "{left:?}");
    let projects = user.symd().current_dir(user.path("home")).arg("projects").output().unwrap();
    assert_eq!(projects.stdout, b"");
}

#[test]
fn logs_go_on() {
    let user = User::new();
    user.check(&["start"], 0);
    let mut follow = user.symd().args(["logs", "-f"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(follow.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("ready")));
    user.check(&["call", "status"], 0);
    assert!(lines.any(|line| line.unwrap().contains("tool=\"status\" arguments=\"{}\"")));
    follow.kill().unwrap();
    follow.wait().unwrap();
}

#[test]
fn completions_and_man() {
    let user = User::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(user.check(&["completions", shell], 0).contains("overview"));
    }
    let pages = user.check(&["man"], 0);
    assert!(pages.contains(".TH symd 1") && pages.contains("symd\\-find"));
}
