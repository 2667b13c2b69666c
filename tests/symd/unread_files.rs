//! Files that could not be read make an answer incomplete, are named, and are read again later: too few
//! descriptors, no permission, too large, not text. With a real daemon.

use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::Command;

use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
use serde_json::{Value, json};

use crate::support::{User, Wire, call, modern, write};

fn many_files(user: &User, count: usize) {
    for number in 0..count {
        let directory = user.path(&format!("project/d{}", number / 50));
        std::fs::create_dir_all(&directory).unwrap();
        write(
            &directory.join(format!("m{number}.py")),
            &format!("def fun_{number}():\n    return {number}\n"),
        );
    }
}

fn ask(wire: &mut Wire, tool: &str, arguments: Value) -> String {
    let answer = wire.ask(&modern(call(1, tool, arguments)));
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

fn find(wire: &mut Wire, name: &str) -> String {
    ask(wire, "find_symbol", json!({ "name_path_pattern": name }))
}

/// Runs a shell that starts symd with at most this many descriptors.
fn with_descriptors(user: &User, most: usize, command: &str) -> std::process::Output {
    let mut shell = user.dressed(Command::new("sh"));
    let symd = env!("CARGO_BIN_EXE_symd");
    shell.args(["-c", &format!("ulimit -n {most}; exec \"$0\" {command}"), symd]).output().unwrap()
}

#[test]
fn a_cold_start_under_many_connections_reads_every_file() {
    let user = User::new();
    many_files(&user, 1500);
    let socket = with_descriptors(&user, 64, "socket");
    let socket = String::from_utf8(socket.stdout).unwrap();
    let socket = Path::new(socket.trim_end());
    // More connections than the process has descriptors, while it reads its first files.
    let mut wires: Vec<Wire> = (0..100).map(|_| Wire::connect(socket)).collect();
    let status = request_status(&mut wires);
    let connections = status["connections"].as_u64().unwrap();
    assert!(connections < 40, "{connections} of 64 descriptors are connections");
    let refused = wires.iter_mut().rev().find_map(|wire| {
        wire.stream().set_nonblocking(true).unwrap();
        wire.try_receive_now()
    });
    let refused = refused.expect("a refusal at the limit");
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("the limit of open files, which is 64") && message.contains("`symd restart`"),
        "{message}"
    );
    drop(wires);
    // Connections that have ended may still count for a moment.
    let found = loop {
        let output = with_descriptors(&user, 64, "find fun_1499");
        if output.status.code() != Some(3) && output.status.code() != Some(5) {
            break String::from_utf8(output.stdout).unwrap();
        }
    };
    assert!(found.contains("m1499.py") && found.contains("; complete]"), "{found}");
    assert_eq!(user.status()["skipped"]["unreadable"], 0);
}

/// Returns the daemon's status over the first connection that it serves.
fn request_status(wires: &mut [Wire]) -> Value {
    let asked = crate::support::request(1, "symd/status", json!({}));
    let status = wires.iter_mut().find_map(|wire| {
        wire.try_send(&asked)?;
        wire.try_receive().filter(|answer| answer.get("result").is_some())
    });
    status.expect("one connection is served")["result"].clone()
}

#[test]
fn files_that_no_descriptor_is_left_for_are_named_and_read_with_the_next_question() {
    let user = User::new();
    write(&user.path("project/a.py"), "def first():\n    pass\n\n\nfirst()\n");
    let mut wire = user.connect();
    assert!(find(&mut wire, "first").contains("; complete]"));
    let pid = Pid::from_raw(user.pid().try_into().unwrap()).unwrap();
    let limit = getrlimit(Resource::Nofile);
    let lowered = Rlimit { current: Some(3), maximum: limit.maximum };
    let before = prlimit(Some(pid), Resource::Nofile, lowered).unwrap();
    for number in 0..5 {
        write(&user.path(&format!("project/b{number}.py")), "def second():\n    first()\n");
    }
    std::fs::create_dir(user.path("project/deep")).unwrap();
    write(&user.path("project/deep/c.py"), "def third():\n    first()\n");

    let missed = find(&mut wire, "second");
    let why = "incomplete: 6 files could not be read (Too many open files): b0.py, b1.py, b2.py and 3 more";
    assert!(missed.contains(why) && !missed.contains("; complete]"), "{missed}");
    let json = ask(&mut wire, "find_symbol", json!({ "name_path_pattern": "first", "format": "json" }));
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["complete"], false, "{json}");
    assert!(json["notes"][0].as_str().unwrap().contains("6 files could not be read"), "{json}");
    for tool in ["find_referencing_symbols", "find_callers", "find_implementations"] {
        let answer = ask(&mut wire, tool, json!({ "name_path": "first" }));
        assert!(
            answer.contains(" files could not be read (Too many open files): ")
                && !answer.contains("; complete]"),
            "{tool}: {answer}"
        );
        let answer = ask(&mut wire, tool, json!({ "name_path": "first", "format": "json" }));
        let answer: Value = serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{tool}: {answer}"));
        assert_eq!(answer["complete"], false, "{tool}: {answer}");
    }
    let unknown = ask(&mut wire, "find_referencing_symbols", json!({ "name_path": "second" }));
    assert!(
        unknown.contains("No symbol matching 'second' found. But 6 files could not be read"),
        "{unknown}"
    );
    let outline = ask(&mut wire, "get_symbols_overview", json!({ "relative_path": "b0.py" }));
    assert!(!outline.contains("; complete]"), "{outline}");

    prlimit(Some(pid), Resource::Nofile, before).unwrap();
    let found = find(&mut wire, "second");
    assert!(found.contains("[5 symbols;") && found.contains("; complete]"), "{found}");
    assert!(find(&mut wire, "third").contains("; complete]"));
}

#[test]
fn while_files_are_unread_similar_names_are_said_to_be_unknown() {
    let user = User::new();
    let body: String =
        (0..1500).map(|number| format!("def fun_{number}(a, b):\n    return a + b\n\n\n")).collect();
    // Far more to parse than two questions last: each of them searches these texts only.
    for number in 0..400 {
        write(&user.path(&format!("project/m{number}.py")), &format!("{body}last_{number} = 1\n"));
    }
    let mut wire = user.connect();
    let found = find(&mut wire, "no_such_name");
    assert!(
        found.contains(" are not known before all files are read.")
            && found.contains("[0 symbols; complete]"),
        "{found}"
    );
    let unknown = ask(&mut wire, "find_referencing_symbols", json!({ "name_path": "no_such_name" }));
    assert!(
        unknown.contains("No symbol matching 'no_such_name' found")
            && unknown.contains(" are not known before all files are read"),
        "{unknown}"
    );
}

#[test]
fn a_use_that_cannot_be_looked_at_any_more_is_missing_from_no_complete_answer() {
    let user = User::new();
    write(&user.path("project/a.py"), "def first():\n    pass\n");
    write(&user.path("project/b.py"), "from a import first\n\nfirst()\n");
    let mut wire = user.connect();
    // The reason why there is no server is reported once.
    ask(&mut wire, "find_referencing_symbols", json!({ "name_path": "first" }));
    let complete = ask(&mut wire, "find_referencing_symbols", json!({ "name_path": "first" }));
    assert!(complete.contains("[2 references in 1 file") && complete.contains("; complete]"), "{complete}");
    let pid = Pid::from_raw(user.pid().try_into().unwrap()).unwrap();
    let lowered = Rlimit { current: Some(3), maximum: getrlimit(Resource::Nofile).maximum };
    let before = prlimit(Some(pid), Resource::Nofile, lowered).unwrap();
    let answer = ask(&mut wire, "find_referencing_symbols", json!({ "name_path": "first" }));
    assert!(
        answer.contains("could not be read (Too many open files)") && !answer.contains("; complete]"),
        "{answer}"
    );
    prlimit(Some(pid), Resource::Nofile, before).unwrap();
    assert_eq!(ask(&mut wire, "find_referencing_symbols", json!({ "name_path": "first" })), complete);
}

#[test]
fn files_of_another_user_make_answers_incomplete_until_they_may_be_read() {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root || Command::new("setpriv").arg("--version").output().is_err() {
        return;
    }
    let user = User::new();
    write(&user.path("project/a.py"), "def first():\n    pass\n");
    write(&user.path("project/secret.py"), "def second():\n    first()\n");
    write(&user.path("project/notes.txt"), "first\n");
    std::fs::create_dir_all(user.path("project/locked")).unwrap();
    write(&user.path("project/locked/c.py"), "def third():\n    pass\n");
    let program = user.copy_of_symd("symd-of-all");
    assert!(Command::new("chown").args(["-R", "65534:65534"]).arg(user.path("")).status().unwrap().success());
    let mode = |name: &str, mode: u32, owner: u32| {
        let path = user.path(name);
        chown(&path, Some(owner), Some(owner)).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("project/secret.py", 0o600, 0);
    mode("project/notes.txt", 0o600, 0);
    mode("project/locked", 0o700, 0);
    let run = |arguments: &[&str]| {
        let mut setpriv = Command::new("setpriv");
        setpriv.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program).args(arguments);
        let output = user.dressed(setpriv).output().unwrap();
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8_lossy(&output.stderr)
    };
    let missed = run(&["find", "second"]);
    assert!(
        missed.contains("incomplete: 1 file could not be read (Permission denied): secret.py;"),
        "{missed}"
    );
    assert!(
        missed.contains("incomplete: 1 directory could not be listed (Permission denied): locked]"),
        "{missed}"
    );
    let uses = run(&["refs", "first"]);
    assert!(uses.contains("1 file could not be read (Permission denied): secret.py"), "{uses}");
    let search = json!({ "substring_pattern": "third" }).to_string();
    let searched = run(&["call", "search_for_pattern", &search]);
    assert!(searched.contains("notes.txt and 1 more cannot be read; locked cannot be listed]"), "{searched}");
    let delete = json!({ "name_path": "first" }).to_string();
    let deleted = run(&["call", "safe_delete", &delete]);
    assert!(
        deleted.contains("cannot determine whether first in a.py is used; nothing was written"),
        "{deleted}"
    );
    assert_eq!(std::fs::read_to_string(user.path("project/a.py")).unwrap(), "def first():\n    pass\n");
    mode("project/secret.py", 0o644, 0);
    mode("project/locked", 0o755, 0);
    let found = run(&["find", "second"]);
    assert!(found.contains("secret.py:1-2 function second()") && found.contains("; complete]"), "{found}");
    assert!(run(&["find", "third"]).contains("; complete]"));
    run(&["stop"]);
}

#[test]
fn files_that_are_not_parsed_are_told_of_where_they_could_hold_the_answer() {
    let user = User::new();
    write(&user.path("project/a.py"), "def first():\n    pass\n\n\ndef other():\n    pass\n");
    write(&user.path("project/large.py"), &("x = 1\n".repeat(1_500_000) + "first()\n"));
    write(&user.path("project/odd.py"), "first()\0\n");
    write(&user.path("project/odd.ts"), "first()\0\n");
    write(&user.path("project/broken.py"), "def (:\n  lost = = 1\n");
    let large = "1 file too large to be parsed holds the name: large.py; its text can be searched";
    let found = user.find("first");
    assert!(
        found.contains(large)
            && found.contains("2 files with NUL bytes hold the name and cannot be parsed: odd.py, odd.ts"),
        "{found}"
    );
    let uses = user.check(&["refs", "first"], 0);
    assert!(
        uses.contains(&format!("{large} by `symd search`"))
            && uses.contains("1 file with NUL bytes holds the name and cannot be parsed: odd.py"),
        "{uses}"
    );
    for complete in [user.find("other"), user.check(&["refs", "other"], 0)] {
        assert!(complete.contains("; complete]"), "{complete}");
    }
    let missed = user.find("lost");
    assert!(
        missed.contains("1 file with syntax errors holds the name and may declare it: broken.py"),
        "{missed}"
    );
    assert!(user.find("nowhere").contains("; complete]"));
}
