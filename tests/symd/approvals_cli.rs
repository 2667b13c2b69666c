//! Approvals as users see them: `symd approvals`, the question on a terminal, `symd mcp`, the log.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::support::{User, call, open_terminal, request, terminal, write};

fn file_of(user: &User) -> std::path::PathBuf {
    user.path("project/new.txt")
}

const CREATE: &str = r#"{"relative_path":"new.txt","content":"a\n"}"#;

#[test]
fn a_policy_is_set_shown_and_taken_back() {
    let user = User::new();
    let policy = |arguments: &[&str]| user.check(&[&["approvals", "policy"], arguments].concat(), 0);
    assert_eq!(policy(&["native"]), "default: asks before calls that run commands or use the network\n");
    assert_eq!(policy(&["native/create_text_file"]), "allow (the default)\n");
    user.check(&["call", "create_text_file", CREATE], 0);
    std::fs::remove_file(file_of(&user)).unwrap();
    let pid = user.pid();

    policy(&["native", "ask"]);
    assert_eq!(policy(&["native/create_text_file"]), "ask\n");
    let refused = user.check(&["call", "create_text_file", CREATE], 6);
    assert!(refused.starts_with("Error: create_text_file was not run: it needs the user's approval, and there is no terminal to ask on (`symd call --yes TOOL JSON` approves that one call). "), "{refused}");
    assert!(!file_of(&user).exists());
    user.check(&["call", "--yes", "create_text_file", CREATE], 0);
    assert!(file_of(&user).exists());

    policy(&["native", "deny"]);
    let refused = user.check(&["call", "--yes", "find_file", r#"{"file_mask":"*","relative_path":"."}"#], 6);
    assert!(refused.contains("the user's policy denies native"), "{refused}");
    policy(&["native/find_file", "allow"]);
    user.check(&["call", "find_file", r#"{"file_mask":"*","relative_path":"."}"#], 0);
    let talk = user.fails(&["approvals", "policy", "native", "allow"], 0);
    assert!(talk.contains("those that run commands or use the network included"), "{talk}");
    assert!(talk.contains("keep a policy of their own: native/find_file"), "{talk}");
    policy(&["native", "default"]);
    policy(&["native/find_file", "default"]);
    assert_eq!(policy(&["native"]), "default: asks before calls that run commands or use the network\n");
    user.check(&["call", "find_symbol", r#"{"name_path_pattern":"x"}"#], 0);
    assert_eq!(user.pid(), pid, "no daemon was started anew");
}

#[test]
fn wrong_words_are_told() {
    let user = User::new();
    for (arguments, says) in [
        (["policy", "nativ", "allow"].as_slice(), "there is no toolset \"nativ\"; known: native, serena"),
        (&["policy", "native/creat", "allow"], "there is no tool \"creat\" in toolset native"),
        (
            &["policy", "native/rename", "allow"],
            "need the approval of the tools it stands for: rename_symbol; name one",
        ),
        (&["policy", "native_full", "deny"], "native_full only lists tools of native; use the name native"),
        (&["policy", "native/a/b", "allow"], "neither a TOOLSET nor a TOOLSET/TOOL"),
        (&["policy", "native", "allow_all"], "invalid value 'allow_all'"),
        (&["add", "creat", "x"], "there is no tool \"creat\"; `symd tools` lists them"),
        (&["add", "create_text_file", "(x"], "\"(x\" is not a regular expression: unclosed group"),
        (&["add", "create_text_file", ""], "it is empty"),
        (&["add", "create_text_file", "x", "--expires", "2 h"], "--expires: \"2 h\" is not a duration"),
        (&["enable", "7"], "there is no rule 7; `symd approvals list` shows them"),
        (&["disable", "7"], "there is no rule 7"),
        (&["revoke", "7"], "there is no rule 7"),
    ] {
        let talk = user.fails(&[&["approvals"], arguments].concat(), 2);
        assert!(talk.contains(says), "{arguments:?}: {talk}");
    }
    assert!(!user.path("config/approvals.toml").exists());
}

#[test]
fn rules_are_added_listed_disabled_and_revoked() {
    let user = User::new();
    user.check(&["approvals", "policy", "native", "ask"], 0);
    let pattern = r#""relative_path":"new\.txt"}$"#;
    let talk = user.fails(&["approvals", "add", "create_text_file", pattern, "--expires", "2h", "--here"], 0);
    assert!(talk.contains("rule 1; `symd approvals revoke 1` takes it back"), "{talk}");
    let created = || {
        let _ = std::fs::remove_file(file_of(&user));
        user.run(&["call", "create_text_file", CREATE]).status.code()
    };
    assert_eq!(created(), Some(0));
    let list: Value = serde_json::from_str(&user.check(&["approvals", "list", "--json"], 0)).unwrap();
    assert_eq!(list["policies"], json!({ "native": "ask" }));
    assert_eq!(list["defaults"]["native"]["create_text_file"], "allow");
    let rule = &list["rules"][0];
    assert_eq!(
        (&rule["id"], &rule["state"], &rule["pattern"]),
        (&json!(1), &json!("enabled"), &json!(pattern))
    );
    assert_eq!(rule["project"], user.path("project").display().to_string());
    let text = user.check(&["approvals", "list"], 0);
    assert!(
        text.contains("\n  native       ask\n") && text.contains("  1 allow create_text_file in "),
        "{text}"
    );

    user.check(&["approvals", "disable", "1"], 0);
    assert!(user.check(&["approvals", "list"], 0).contains(" (disabled): "));
    assert_eq!(created(), Some(6));
    user.check(&["approvals", "enable", "1"], 0);
    assert_eq!(created(), Some(0));
    // An expired rule, otherwise the same.
    let file = user.path("config/approvals.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let line = text.lines().find(|line| line.starts_with("expires")).unwrap();
    write(&file, &text.replace(line, "expires = \"2026-01-01T00:00:00Z\""));
    assert!(user.check(&["approvals", "list"], 0).contains(" (expired): "));
    assert_eq!(created(), Some(6));
    write(&file, &text);
    assert_eq!(created(), Some(0));
    user.check(&["approvals", "revoke", "1"], 0);
    assert_eq!(created(), Some(6));

    user.check(&["approvals", "add", "create_text_file", "new", "--policy", "deny"], 0);
    user.check(&["approvals", "policy", "native", "allow"], 0);
    let refused = user.check(&["call", "--yes", "create_text_file", CREATE], 6);
    assert!(refused.contains("the user's rule 1 denies it"), "{refused}");
}

/// A call that asks its question on a terminal.
pub struct TerminalCall {
    pub child: Child,
    pub terminal: File,
    /// What the terminal has shown.
    talk: Vec<u8>,
}

impl TerminalCall {
    /// Starts symd with these arguments, and waits for its question.
    pub fn new(user: &User, arguments: &[impl AsRef<std::ffi::OsStr>]) -> TerminalCall {
        let (mut terminal, name) = terminal();
        let slave = || open_terminal(&name);
        let mut command = user.symd();
        command.args(arguments).stdin(slave()).stderr(slave()).stdout(Stdio::piped());
        let child = command.spawn().unwrap();
        let mut talk = Vec::new();
        while !String::from_utf8_lossy(&talk).ends_with("Approve? (y/n/always): ") {
            let mut some = [0; 512];
            let count = terminal.read(&mut some).unwrap();
            talk.extend_from_slice(&some[..count]);
        }
        TerminalCall { child, terminal, talk }
    }
}

/// Answers the question on a terminal; returns the terminal's output, stdout, and the exit code.
fn on_a_terminal(user: &User, arguments: &[&str], answer: &str) -> (String, String, Option<i32>) {
    let mut call = TerminalCall::new(user, arguments);
    call.terminal.write_all(answer.as_bytes()).unwrap();
    let mut out = String::new();
    call.child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    let exit = call.child.wait().unwrap().code();
    (String::from_utf8(call.talk).unwrap().replace("\r\n", "\n"), out, exit)
}

#[test]
fn the_command_line_asks_on_its_terminal() {
    let user = User::new();
    user.check(&["approvals", "policy", "native", "ask"], 0);
    user.check(&["start"], 0);
    let create = ["call", "create_text_file", CREATE];
    let (talk, out, exit) = on_a_terminal(&user, &create, "n\n");
    assert!(
        talk.contains("Tool: create_text_file\nParameters:\n  relative_path: new.txt\n  content: <2 bytes>\nFiles affected: new.txt\nRisk level: "),
        "{talk}"
    );
    assert!(talk.contains("\n\nApprove? (y/n/always): "), "{talk}");
    assert_eq!(
        (out.as_str(), exit),
        ("Error: create_text_file was not run: the user did not approve it\n", Some(6))
    );
    assert!(!file_of(&user).exists());
    // An invalid answer repeats the question; the end of the input means no.
    assert_eq!(on_a_terminal(&user, &create, "perhaps\n\u{4}").2, Some(6));
    assert!(!file_of(&user).exists());
    assert_eq!(on_a_terminal(&user, &create, "what?\ny\n").2, Some(0));
    assert!(file_of(&user).exists());
    std::fs::remove_file(file_of(&user)).unwrap();
    assert_eq!(on_a_terminal(&user, &create, "always\n").2, Some(0));
    std::fs::remove_file(file_of(&user)).unwrap();
    user.check(&create, 0);
    assert!(user.check(&["approvals", "list"], 0).contains("  1 allow create_text_file of native in "));
}

/// Runs `symd mcp` with a client that supports elicitation and answers `word`; returns the result of the
/// call.
fn through_mcp(user: &User, word: &str) -> Value {
    let arguments: Value = serde_json::from_str(CREATE).unwrap();
    let (answers, _) = asked_through_mcp(user, "native", word, &[("create_text_file", arguments)]);
    answers.into_iter().next().unwrap()
}

/// Runs `symd mcp` for the calls; returns their results and how often the user was asked.
fn asked_through_mcp(user: &User, toolset: &str, word: &str, calls: &[(&str, Value)]) -> (Vec<Value>, usize) {
    let mut child = user
        .symd()
        .args(["mcp", "--toolset", toolset])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let client = json!({ "name": "test", "version": "1" });
    let opening = json!({ "protocolVersion": "2025-06-18", "capabilities": { "elicitation": {} }, "clientInfo": client });
    let mut receive = || {
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        serde_json::from_str::<Value>(&line).unwrap()
    };
    writeln!(stdin, "{}", request(0, "initialize", opening)).unwrap();
    assert_eq!(receive()["id"], 0);
    writeln!(stdin, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).unwrap();
    let mut asked = 0;
    let mut results = Vec::new();
    for (id, (tool, arguments)) in (1..).zip(calls) {
        writeln!(stdin, "{}", call(id, tool, arguments.clone())).unwrap();
        let mut message = receive();
        if message["method"] == "elicitation/create" {
            asked += 1;
            let answer = json!({ "action": "accept", "content": { "answer": word } });
            writeln!(stdin, "{}", json!({ "jsonrpc": "2.0", "id": message["id"], "result": answer }))
                .unwrap();
            message = receive();
        }
        assert_eq!(message["id"], id, "{message}");
        results.push(message["result"].take());
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
    (results, asked)
}

#[test]
fn a_call_in_another_project_is_asked_about_here_and_settled_there() {
    let user = User::new();
    let other = user.path("other");
    std::fs::create_dir_all(other.join(".symd")).unwrap();
    user.check(&["start", "--project", other.to_str().unwrap()], 0);
    let calls = [
        ("activate_project", json!({ "project": other.to_str().unwrap() })),
        ("execute_shell_command", json!({ "command": "echo ran > ran.txt" })),
    ];
    let (results, asked) = asked_through_mcp(&user, "serena", "n", &calls);
    assert_eq!((results[0]["isError"].clone(), asked), (json!(false), 1), "{results:?}");
    assert_eq!(
        results[1]["content"][0]["text"],
        "Error: execute_shell_command was not run: the user did not approve it"
    );
    assert!(!other.join("ran.txt").exists());
    let (results, asked) = asked_through_mcp(&user, "serena", "always", &calls);
    assert_eq!((results[1]["isError"].clone(), asked), (json!(false), 1), "{results:?}");
    assert!(other.join("ran.txt").exists() && !user.path("project/ran.txt").exists());
    let list: Value = serde_json::from_str(&user.check(&["approvals", "list", "--json"], 0)).unwrap();
    assert_eq!(list["rules"][0]["project"], other.to_str().unwrap(), "{list}");
    std::fs::remove_file(other.join("ran.txt")).unwrap();
    let (results, asked) = asked_through_mcp(&user, "serena", "n", &calls);
    assert_eq!((results[1]["isError"].clone(), asked), (json!(false), 0), "{results:?}");
    assert!(other.join("ran.txt").exists());
    // In this project the rule does not apply.
    let (results, asked) = asked_through_mcp(&user, "serena", "n", &calls[1..]);
    assert_eq!((results[0]["isError"].clone(), asked), (json!(true), 1), "{results:?}");
    // A call that the other project denies is denied.
    write(&other.join(".symd/approvals.toml"), "[policy]\n\"serena/execute_shell_command\" = \"deny\"\n");
    let (results, asked) = asked_through_mcp(&user, "serena", "y", &calls);
    let text = results[1]["content"][0]["text"].as_str().unwrap();
    assert_eq!(
        (text.contains("the project's own .symd/approvals.toml denies it"), asked),
        (true, 0),
        "{text}"
    );
}

#[test]
fn a_client_of_symd_mcp_is_the_users_unless_it_is_in_a_sandbox() {
    let user = User::new();
    user.check(&["approvals", "policy", "native", "ask"], 0);
    assert_eq!(through_mcp(&user, "n")["isError"], true);
    assert!(!file_of(&user).exists());
    let result = through_mcp(&user, "y");
    assert_eq!(result["isError"], false, "{result}");
    assert!(file_of(&user).exists());
    std::fs::remove_file(file_of(&user)).unwrap();
    // As in a sandbox: nothing outside the project can be written.
    let proofs = user.place().proofs();
    std::fs::remove_dir_all(&proofs).unwrap();
    write(&proofs, "");
    let result = through_mcp(&user, "y");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("this connection has not shown that it is the user's own"), "{text}");
    let talk = user.fails(&["call", "--yes", "create_text_file", CREATE], 6);
    assert!(talk.contains("cannot prove to the daemon that you are the user"), "{talk}");
    assert!(!file_of(&user).exists());
}

#[test]
fn cli_agent_asks_with_its_own_display_and_refuses_in_its_own_shape() {
    let user = User::new();
    let create = json!({ "path": "hello.py", "content": "print('Hello, you')\n" });
    let toolset = ["call", "--toolset", "cli_agent", "create_file"];
    let arguments = create.to_string();
    let command = [toolset.as_slice(), &[arguments.as_str()]].concat();
    user.check(&["start"], 0);
    let (talk, out, exit) = on_a_terminal(&user, &command, "n\n");
    let display = "Tool: create_file\nParameters:\n  path: hello.py\n  content: <20 bytes>\nFiles affected: hello.py\nRisk level: safe_write\n\nApprove? (y/n/always): ";
    assert!(talk.ends_with(display), "{talk}");
    assert_eq!(exit, Some(6), "{out}");
    assert!(out.contains("create_file was not run: the user did not approve it"), "{out}");
    for (word, code) in [("n", json!("approval_denied")), ("y", Value::Null)] {
        let (results, asked) =
            asked_through_mcp(&user, "cli_agent", word, &[("create_file", create.clone())]);
        let envelope: Value =
            serde_json::from_str(results[0]["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!((&envelope["error"]["code"], asked), (&code, 1), "{envelope}");
        assert_eq!(envelope["success"], word == "y");
        assert_eq!(user.path("project/hello.py").exists(), word == "y");
    }
    let (results, asked) =
        asked_through_mcp(&user, "cli_agent", "n", &[("read_file", json!({ "path": "hello.py" }))]);
    assert_eq!((&results[0]["isError"], asked), (&json!(false), 0), "what is read-only runs");
}

#[test]
fn another_users_file_settles_nothing() {
    if !rustix::process::geteuid().is_root() || Command::new("setpriv").arg("--version").output().is_err() {
        return;
    }
    let user = User::new();
    user.check(&["approvals", "policy", "native", "allow"], 0);
    for directory in ["", "config", "config", "project"] {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(user.path(directory), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let program = user.copy_of_symd("symd-for-all");
    let mut nobody = Command::new("setpriv");
    nobody.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(&program);
    let output = user.dressed(nobody).args(["approvals", "list"]).output().unwrap();
    let talk = String::from_utf8(output.stderr).unwrap();
    assert!(talk.contains("belongs to user 0, not to user 65534") && talk.contains("chmod 600"), "{talk}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn every_call_is_one_line_in_the_log_and_every_result_another() {
    let user = User::with_config("log = \"info,symd=debug,rmcp=error\"\n");
    let long = "ä\\n".repeat(1_000);
    let content = format!(r#"{{"relative_path":"new.txt","content":"{long}"}}"#);
    user.check(&["call", "create_text_file", &content], 0);
    user.check(
        &["call", "--toolset", "serena", "list_dir", r#"{"relative_path":"no\nsuch","recursive":false}"#],
        0,
    );
    user.check(&["approvals", "policy", "serena", "deny"], 0);
    user.check(&["call", "--toolset", "serena", "list_dir", r#"{"relative_path":".","recursive":false}"#], 6);
    let log = user.check(&["logs"], 0);
    let lines = |level: &str, what: &str| -> Vec<String> {
        let of = |line: &&str| line.contains(&format!(" {level} ")) && line.contains(what);
        log.lines().filter(of).map(str::to_owned).collect()
    };
    let calls = lines("INFO", ": call session=");
    let results = lines("DEBUG", ": answered session=");
    assert_eq!((calls.len(), results.len()), (3, 3), "{log}");
    assert!(calls[0].contains(r#"toolset="native" tool="create_text_file""#), "{}", calls[0]);
    assert!(calls[0].contains("… (3000 bytes)") && calls[0].contains("new.txt"), "{}", calls[0]);
    assert!(calls.iter().chain(&results).all(|line| line.chars().count() < 700), "{calls:?}\n{results:?}");
    assert!(
        calls[1].contains(r#"toolset="serena" tool="list_dir""#) && calls[1].contains("such"),
        "{}",
        calls[1]
    );
    for (line, outcome) in results.iter().zip(["done", "done", "denied"]) {
        assert!(line.contains(&format!("outcome=\"{outcome}\"")) && line.contains(" ms="), "{line}");
        assert!(line.contains("result="), "{line}");
    }
    assert!(results[2].contains("the user's policy denies serena"), "{}", results[2]);
}
