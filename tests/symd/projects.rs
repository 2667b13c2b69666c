//! One connection and several projects: it can change to projects that the user has registered, and to no
//! others; calls there are made by their own daemon, and end when the connection ends or cancels them.

use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode};
use serde_json::{Value, json};

use crate::lsp_stage::install_fake;
use crate::support::{PATIENCE, User, Wire, call, initialize, write};

/// Returns a user with the projects `project` (where connections begin) and `other`.
fn two_projects() -> User {
    let user = User::new();
    for directory in ["other/.symd/memories", "other/src"] {
        std::fs::create_dir_all(user.path(directory)).unwrap();
    }
    write(&user.path("project/here.py"), "class Here:\n    pass\n");
    write(&user.path("other/src/there.py"), "class There:\n    pass\n");
    write(&user.path("other/.symd/memories/style.md"), "tabs");
    user
}

/// A connection; by default with the toolset serena, and native in addition.
struct Talk {
    wire: Wire,
    calls: u64,
}

impl Talk {
    fn new(user: &User) -> Talk {
        Talk::with(user, &["serena", "native"])
    }

    fn with(user: &User, toolsets: &[&str]) -> Talk {
        let mut wire = user.connect();
        let hello = json!({ "protocol": [1, 1], "version": "9", "toolset": toolsets, "client": "talk" });
        wire.ask(&json!({ "symd": hello }));
        wire.initialize();
        Talk { wire, calls: 0 }
    }

    fn send(&mut self, tool: &str, arguments: Value) -> u64 {
        self.calls += 1;
        self.wire.send(&call(self.calls, tool, arguments));
        self.calls
    }

    /// Calls a tool; returns the text, and whether it is an error.
    fn call(&mut self, tool: &str, arguments: Value) -> (String, bool) {
        let id = self.send(tool, arguments);
        let answer = self.wire.receive().unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        let result = &answer["result"];
        (result["content"][0]["text"].as_str().unwrap().to_owned(), result["isError"] == true)
    }

    #[track_caller]
    fn says(&mut self, tool: &str, arguments: Value, expected: &str) {
        assert_eq!(self.call(tool, arguments), (expected.to_owned(), false));
    }

    #[track_caller]
    fn fails(&mut self, tool: &str, arguments: Value, expected: &str) {
        assert_eq!(self.call(tool, arguments), (expected.to_owned(), true));
    }
}

fn path(user: &User, name: &str) -> String {
    user.path(name).to_str().unwrap().to_owned()
}

fn there(user: &User) -> String {
    format!(
        "Project 'other' is active, at {}.\nProgramming languages: python\nMemories: [\"style\"]",
        path(user, "other")
    )
}

fn find(name: &str) -> Value {
    json!({ "name_path_pattern": name })
}

#[test]
fn a_connection_changes_to_a_registered_project_and_back() {
    let user = two_projects();
    user.fails(&["projects", "add", &path(&user, "nowhere")], 2);
    user.check(&["projects", "add", &path(&user, "other")], 0);
    let mut talk = Talk::new(&user);
    let mut bystander = Talk::new(&user);
    // The other project's daemon does not run yet.
    talk.says("activate_project", json!({ "project": "other" }), &there(&user));
    talk.says("read_file", json!({ "relative_path": "src/there.py" }), "class There:\n    pass\n");
    let location = r#""kind": 5, "body_location": {"start_line": 0, "end_line": 1}}]"#;
    talk.says(
        "find_symbol",
        find("There"),
        &format!("[{{\"name_path\": \"There\", \"relative_path\": \"src/there.py\", {location}"),
    );
    talk.says("find_symbol", find("Here"), "[]");
    talk.says("read_memory", json!({ "memory_file_name": "style" }), "tabs");
    talk.fails(
        "read_file",
        json!({ "relative_path": "../project/here.py" }),
        "Path validation failed: Path is outside the project: ../project/here.py",
    );
    // An edit there is in that project's history, under the client's own name.
    talk.says(
        "create_text_file",
        json!({ "relative_path": "new.py", "content": "x = 1\n" }),
        "File created: new.py.",
    );
    assert_eq!(std::fs::read_to_string(user.path("other/new.py")).unwrap(), "x = 1\n");
    let history = user.check(&["--project", &path(&user, "other"), "history"], 0);
    assert!(history.contains(" talk create_text_file: create new.py; new.py"), "{history}");
    assert_eq!(user.check(&["history"], 0).trim_end(), "[0 operations]");
    // A tool of another toolset also applies to that project.
    let (history, _) = talk.call("history", json!({}));
    assert!(history.contains("create new.py"), "{history}");
    // The connection's modes also apply there, and its configuration shows the active project.
    talk.call("switch_modes", json!({ "modes": ["no-memories"] }));
    assert!(
        talk.call("read_memory", json!({ "memory_file_name": "style" }))
            .0
            .starts_with("Error: Tool not active. ")
    );
    let (config, _) = talk.call("get_current_config", json!({}));
    let lines: Vec<&str> = config.lines().collect();
    assert_eq!(lines[1], format!("Active project: other, at {}", path(&user, "other")));
    assert_eq!(lines[2..4], ["Registered projects: other, project", "Active modes: no-memories"]);
    // Other connections of this daemon stay in their project.
    bystander.says("read_file", json!({ "relative_path": "here.py" }), "class Here:\n    pass\n");
    let (back, _) = talk.call("activate_project", json!({ "project": path(&user, "project") }));
    assert!(back.starts_with("Project 'project' is active, at "), "{back}");
    talk.says("read_file", json!({ "relative_path": "here.py" }), "class Here:\n    pass\n");
}

#[test]
fn a_picture_there_is_a_picture_here() {
    let user = two_projects();
    user.check(&["projects", "add", &path(&user, "other")], 0);
    let bytes = [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', 0];
    std::fs::write(user.path("other/dot.png"), bytes).unwrap();
    let mut talk = Talk::with(&user, &["gemini_cli", "serena"]);
    talk.says("activate_project", json!({ "project": "other" }), &there(&user));
    let id = talk.send("read_file", json!({ "absolute_path": path(&user, "other/dot.png") }));
    let answer = talk.wire.receive().unwrap();
    let content = json!([{ "type": "image", "data": "iVBORw0KGgoA", "mimeType": "image/png" }]);
    assert_eq!((&answer["id"], &answer["result"]["content"]), (&json!(id), &content), "{answer}");
    // The command line gets a description in words.
    let arguments = json!({ "absolute_path": path(&user, "other/dot.png") }).to_string();
    let call =
        ["--project", &path(&user, "other"), "call", "--toolset", "gemini_cli", "read_file", &arguments];
    assert_eq!(user.check(&call, 0), "Read image file: dot.png\n");
}

#[test]
fn only_what_the_user_has_registered_can_be_activated() {
    let user = two_projects();
    let other = path(&user, "other");
    let mut talk = Talk::new(&user);
    let refused = format!(
        "Error: Project '{other}' is not registered. Only the user can register it, by running `symd start` in its \
         directory, or `symd projects add PATH`. Registered projects: project"
    );
    talk.fails("activate_project", json!({ "project": other }), &refused);
    // Starting a daemon there registers the project, and removing it from the list does not stop the daemon.
    user.check(&["--project", &other, "start"], 0);
    talk.says("activate_project", json!({ "project": other }), &there(&user));
    talk.says(
        "remove_project",
        json!({ "project_name": "other" }),
        "Successfully removed project 'other' from configuration.",
    );
    talk.says("read_file", json!({ "relative_path": "src/there.py" }), "class There:\n    pass\n");
    assert!(user.path("other/src/there.py").exists());
    talk.fails("activate_project", json!({ "project": other }), &refused);
    // The rejection has not changed anything either.
    talk.says("read_memory", json!({ "memory_file_name": "style" }), "tabs");
}

#[test]
fn a_root_that_became_a_link_is_not_followed() {
    let user = two_projects();
    let other = path(&user, "other");
    user.check(&["projects", "add", &other], 0);
    std::fs::rename(user.path("other"), user.path("moved")).unwrap();
    std::os::unix::fs::symlink(user.path("elsewhere"), user.path("other")).unwrap();
    let mut talk = Talk::new(&user);
    let gone = format!(
        "Error: project 'other' does not answer: its daemon cannot be reached: {other} does not exist any more; if the \
         project has moved, the user has to run `symd start` in its new directory"
    );
    talk.fails("activate_project", json!({ "project": "other" }), &gone);
    talk.says("read_file", json!({ "relative_path": "here.py" }), "class Here:\n    pass\n");
}

#[test]
fn a_daemon_that_ended_is_started_again() {
    let user = two_projects();
    let other = path(&user, "other");
    user.check(&["projects", "add", &other], 0);
    let mut talk = Talk::new(&user);
    talk.says("activate_project", json!({ "project": "other" }), &there(&user));
    user.check(&["--project", &other, "stop"], 0);
    talk.says("read_file", json!({ "relative_path": "src/there.py" }), "class There:\n    pass\n");
    // A daemon that cannot start reports why.
    user.check(&["--project", &other, "stop"], 0);
    let broken = user.path("config/config.toml");
    write(&broken, "no such key = 1");
    let (text, is_error) = talk.call("read_file", json!({ "relative_path": "src/there.py" }));
    let start = "Error: project 'other' does not answer: its daemon cannot be reached: it could not be started: symd: ";
    assert!(is_error && text.starts_with(start) && text.contains("config.toml"), "{text}");
    std::fs::remove_file(broken).unwrap();
    talk.says("read_file", json!({ "relative_path": "src/there.py" }), "class There:\n    pass\n");
}

#[test]
fn outside_any_project_one_can_be_activated() {
    let user = two_projects();
    user.check(&["projects", "add", &path(&user, "other")], 0);
    let mut mcp = user.symd();
    mcp.args(["mcp", "--toolset", "serena"]).current_dir(user.path("elsewhere"));
    let mut child =
        mcp.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(output));
    let mut ask = |message: Value| -> Value {
        std::io::Write::write_all(&mut input, format!("{message}\n").as_bytes()).unwrap();
        serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap()
    };
    let text = |answer: Value| answer["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    ask(initialize("2025-11-25"));
    let read = || json!({ "relative_path": "src/there.py" });
    let refused = text(ask(call(1, "read_file", read())));
    assert!(refused.starts_with("Error: No active project. "), "{refused}");
    assert_eq!(text(ask(call(2, "activate_project", json!({ "project": "other" })))), there(&user));
    assert_eq!(text(ask(call(3, "read_file", read()))), "class There:\n    pass\n");
    drop(input);
    assert!(child.wait().unwrap().success());
}

/// Creates a FIFO through which a script can report.
fn fifo(user: &User, name: &str) -> String {
    let path = user.path(name);
    rustix::fs::mknodat(rustix::fs::CWD, &path, FileType::Fifo, Mode::RWXU, 0).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Reads a FIFO whose writer waits for a reader.
fn told(fifo: &str) -> String {
    let (sender, receiver) = std::sync::mpsc::sync_channel(1);
    let path = PathBuf::from(fifo);
    // The thread ends with the test's process if nothing is ever written.
    std::thread::spawn(move || sender.send(std::fs::read_to_string(path).unwrap()));
    receiver.recv_timeout(PATIENCE).unwrap()
}

#[test]
fn a_call_elsewhere_ends_when_it_is_cancelled_or_nobody_is_left() {
    let user = two_projects();
    let (asked, cancelled) = (fifo(&user, "asked"), fifo(&user, "cancelled"));
    install_fake(
        &user,
        &json!({
            "capabilities": { "referencesProvider": true },
            "on": {
                "textDocument/references": [{ "tell": asked }, { "hang": true }],
                "$/cancelRequest": [{ "tell": cancelled }],
            },
        }),
    );
    let other = path(&user, "other");
    user.check(&["--project", &other, "trust", "--yes"], 0);
    user.check(&["projects", "add", &other], 0);
    let mut talk = Talk::new(&user);
    talk.says("activate_project", json!({ "project": "other" }), &there(&user));
    let symbol = || json!({ "name_path": "There", "relative_path": "src/there.py" });
    let id = talk.send("find_referencing_symbols", symbol());
    assert_eq!(told(&asked), "textDocument/references\n");
    talk.wire.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
    }));
    assert_eq!(told(&cancelled), "$/cancelRequest\n");
    // The connection continues to work.
    talk.says("read_memory", json!({ "memory_file_name": "style" }), "tabs");
    talk.send("find_referencing_symbols", symbol());
    assert_eq!(told(&asked), "textDocument/references\n");
    drop(talk);
    assert_eq!(told(&cancelled), "$/cancelRequest\n");
}

#[test]
fn restarting_the_language_server_restarts_what_was_started() {
    let user = two_projects();
    install_fake(
        &user,
        &json!({
            "log": path(&user, "fake.log"),
            "capabilities": { "referencesProvider": true },
            "on": { "textDocument/references": [{ "answer": [] }] },
        }),
    );
    user.check(&["trust", "--yes"], 0);
    let starts = || {
        let servers = user.status()["servers"].as_array().unwrap().clone();
        servers
            .iter()
            .find(|server| server["name"] == "fake")
            .map_or(0, |server| server["starts"].as_u64().unwrap())
    };
    let mut talk = Talk::new(&user);
    talk.says("restart_language_server", json!({}), "OK");
    assert_eq!(starts(), 0, "one that nobody has needed is left alone");
    talk.call("find_referencing_symbols", json!({ "name_path": "Here", "relative_path": "here.py" }));
    assert_eq!(starts(), 1);
    talk.says("restart_language_server", json!({}), "OK");
    talk.call("find_referencing_symbols", json!({ "name_path": "Here", "relative_path": "here.py" }));
    assert_eq!(starts(), 2);
}

#[test]
fn memories_are_no_part_of_what_undo_takes_back() {
    let user = two_projects();
    let mut talk = Talk::new(&user);
    talk.says("create_text_file", json!({ "relative_path": "a.py", "content": "1" }), "File created: a.py.");
    talk.says("write_memory", json!({ "memory_file_name": "m", "content": "x" }), "Memory m written.");
    user.check(&["undo"], 0);
    assert!(!user.path("project/a.py").exists());
    talk.says("read_memory", json!({ "memory_file_name": "m" }), "x");
    let history = user.check(&["history"], 0);
    assert!(
        history.contains("2 ") && history.contains(" talk write_memory: write memory m; .symd/memories/m.md"),
        "{history}"
    );
    user.check(&["undo", "2"], 0);
    assert!(!user.path("project/.symd/memories/m.md").exists());
}

#[test]
fn projects_are_listed_added_and_removed_by_hand() {
    let user = two_projects();
    std::fs::create_dir_all(user.path("elsewhere/other")).unwrap();
    assert_eq!(user.check(&["projects"], 0), "");
    for directory in ["other", "elsewhere/other", "other"] {
        user.check(&["projects", "add", &path(&user, directory)], 0);
    }
    let expected = format!("other\t{}\nother-2\t{}\n", path(&user, "other"), path(&user, "elsewhere/other"));
    assert_eq!(user.check(&["projects", "list"], 0), expected);
    let json: Value = serde_json::from_str(&user.check(&["projects", "list", "--json"], 0)).unwrap();
    assert_eq!(json["projects"][1], json!({ "name": "other-2", "root": path(&user, "elsewhere/other") }));
    user.check(&["projects", "remove", "other"], 0);
    assert!(user.fails(&["projects", "remove", "other"], 1).contains("there is no project \"other\""));
    assert!(user.fails(&["projects", "add", &path(&user, "project/here.py")], 2).contains("not a directory"));
    assert!(Path::new(&path(&user, "other")).is_dir());
    std::fs::remove_dir(user.path("elsewhere/other")).unwrap();
    let gone = format!("forgot the project other-2: {} is gone\n", path(&user, "elsewhere/other"));
    assert!(user.check(&["gc"], 0).contains(&gone));
    assert_eq!(user.check(&["projects"], 0), "");
    // A daemon registers its project when it starts.
    user.check(&["start"], 0);
    assert!(user.check(&["projects"], 0).contains(&format!("project\t{}\n", path(&user, "project"))));
}

#[test]
fn the_configured_length_limits_memories_both_ways() {
    let user = User::with_config("max_answer_chars = 5\n");
    let mut talk = Talk::new(&user);
    let written =
        |content: &str| json!({ "memory_file_name": "m", "content": content, "max_answer_chars": -1 });
    talk.says("write_memory", written("größe"), "Memory m written.");
    talk.fails(
        "write_memory",
        written("größer"),
        "Content for m is too long. Max length is 5 characters. Please make the content shorter.",
    );
    talk.says("read_memory", json!({ "memory_file_name": "m" }), "größe");
    write(&user.path("project/.symd/memories/m.md"), "größer");
    talk.fails(
        "read_memory",
        json!({ "memory_file_name": "m" }),
        "The answer is too long (6 characters). Please try a more specific tool query or raise the max_answer_chars parameter.",
    );
    talk.fails(
        "list_memories",
        json!({ "max_answer_chars": 3 }),
        "The answer is too long (5 characters). Please try a more specific tool query or raise the max_answer_chars parameter.",
    );
}

#[test]
fn many_edits_of_one_memory_at_once_are_all_there() {
    let user = two_projects();
    let lines: Vec<String> = (0..6).map(|number| format!("line {number} <0>")).collect();
    std::fs::create_dir_all(user.path("project/.symd/memories")).unwrap();
    write(&user.path("project/.symd/memories/m.md"), &lines.join("\n"));
    user.socket();
    std::thread::scope(|scope| {
        for number in 0..lines.len() {
            let user = &user;
            scope.spawn(move || {
                let mut talk = Talk::new(user);
                for round in 0..5 {
                    let (old, new) =
                        (format!("line {number} <{round}>"), format!("line {number} <{}>", round + 1));
                    let edit =
                        json!({ "memory_file_name": "m", "needle": old, "repl": new, "mode": "literal" });
                    talk.says("edit_memory", edit, "OK");
                }
            });
        }
    });
    let expected: Vec<String> = (0..6).map(|number| format!("line {number} <5>")).collect();
    assert_eq!(
        std::fs::read_to_string(user.path("project/.symd/memories/m.md")).unwrap(),
        expected.join("\n")
    );
}
