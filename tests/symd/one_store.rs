//! One user's store of solutions under two daemons, each of a project of its own, and what is given to `symd solutions import`.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support::{User, Wire, call, write};

/// The solutions that each client records, and the clients of each daemon.
const SOLUTIONS: usize = 12;
const CLIENTS: usize = 2;

/// A user with two projects, whose agents may record.
fn user() -> User {
    let user = User::new();
    std::fs::create_dir_all(user.path("elsewhere/.symd")).unwrap();
    user.settles("[policy]\nnative = \"allow\"\n");
    user
}

fn in_project(user: &User, project: &str, arguments: &[&str]) -> String {
    let output = user.symd().current_dir(user.path(project)).args(arguments).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn socket(user: &User, project: &str) -> PathBuf {
    PathBuf::from(in_project(user, project, &["socket"]).trim_end())
}

fn talk(user: &User, project: &str) -> Wire {
    let mut wire = Wire::connect(&socket(user, project));
    let toolsets = ["native", "kotlin_debug"];
    wire.ask(&json!({ "symd": { "protocol": [1, 1], "version": "9", "toolset": toolsets } }));
    wire.initialize();
    wire
}

fn said(wire: &mut Wire, tool: &str, arguments: Value) -> String {
    let answer = wire.ask(&call(1, tool, arguments));
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

fn record(wire: &mut Wire, description: &str) -> String {
    let arguments = json!({
        "error_description": description, "root_cause": "a cause", "solution": "a fix", "language": "kotlin",
        "error_type": "IllegalStateException",
    });
    said(wire, "record_solution", arguments)
}

fn found(wire: &mut Wire, query: &str) -> Value {
    let text = said(wire, "vector_search_db", json!({ "query": query, "limit": 10 }));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn pid(user: &User, project: &str) -> u64 {
    let status: Value = serde_json::from_str(&in_project(user, project, &["status", "--json"])).unwrap();
    status["pid"].as_u64().unwrap()
}

#[test]
fn two_daemons_record_and_search_at_once() {
    let user = user();
    let projects = ["project", "elsewhere"];
    let mut wires: Vec<(usize, Wire)> = Vec::new();
    for project in projects {
        wires.extend((0..CLIENTS).map(|_| (wires.len(), talk(&user, project))).collect::<Vec<_>>());
    }
    assert_ne!(pid(&user, projects[0]), pid(&user, projects[1]));
    let (clients, recording) = (wires.len(), AtomicUsize::new(wires.len()));
    std::thread::scope(|scope| {
        for (client, (_, mut wire)) in wires.into_iter().enumerate() {
            let recording = &recording;
            scope.spawn(move || {
                for number in 0..SOLUTIONS {
                    let answer = record(&mut wire, &format!("loose plug {number} of client {client}"));
                    assert!(answer.contains("recorded as rca-"), "{answer}");
                    // What was recorded is found at once, whatever the others do.
                    let own = found(&mut wire, &format!("loose plug {number} of client {client}"));
                    assert_eq!(own["success"], true, "{own}");
                    assert!(own["data"]["totalFound"].as_u64().unwrap() > number as u64, "{own}");
                }
                recording.fetch_sub(1, Ordering::SeqCst);
            });
        }
        for project in projects {
            let (mut wire, recording) = (talk(&user, project), &recording);
            scope.spawn(move || {
                let mut most = 0;
                while recording.load(Ordering::SeqCst) > 0 {
                    let answer = found(&mut wire, "loose plug");
                    match answer["error"]["code"].as_str() {
                        None => {
                            let total = answer["data"]["totalFound"].as_u64().unwrap();
                            assert!(total >= most, "{total} after {most}");
                            most = total;
                        }
                        Some(code) => assert!(code == "NO_RESULTS" && most == 0, "{answer}"),
                    }
                }
            });
        }
    });
    for project in projects {
        let answer = found(&mut talk(&user, project), "loose plug");
        assert_eq!(answer["data"]["totalFound"], clients * SOLUTIONS, "{answer}");
    }
    let list = user.check(&["solutions", "list"], 0);
    let ids: BTreeSet<&str> = list.lines().filter_map(|line| line.split('\t').next()).collect();
    assert_eq!((ids.len(), list.lines().count()), (clients * SOLUTIONS, clients * SOLUTIONS), "{list}");
}

#[test]
fn a_damaged_store_is_set_aside_once_by_two_daemons() {
    let user = user();
    let (mut one, mut other) = (talk(&user, "project"), talk(&user, "elsewhere"));
    assert!(import(&user, format!("{}\n", solution("no till")).as_bytes()).status.success());
    write(&user.path("data/solutions/solutions.db"), &"no database\n".repeat(1_000));
    let answers = std::thread::scope(|scope| {
        let asked = [&mut one, &mut other].map(|wire| scope.spawn(|| found(wire, "no till").to_string()));
        asked.map(|asked| asked.join().unwrap())
    });
    let said: Vec<&String> = answers.iter().filter(|answer| answer.contains("it is kept as ")).collect();
    assert_eq!(said.len(), 1, "{answers:?}");
    assert!(answers.iter().all(|answer| answer.contains("NO_RESULTS")), "{answers:?}");
    let kept = std::fs::read_dir(user.path("data/solutions")).unwrap();
    let kept: Vec<String> = kept.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let damaged: Vec<&String> =
        kept.iter().filter(|name| name.starts_with("solutions.db.damaged-")).collect();
    assert_eq!(damaged.len(), 1, "{kept:?}");
    let aside = std::fs::read_to_string(user.path("data/solutions").join(damaged[0])).unwrap();
    assert!(aside.starts_with("no database\n"));
    assert!(record(&mut one, "a loose plug").contains("recorded as rca-001"));
    assert!(record(&mut other, "a burnt plug").contains("recorded as rca-002"));
    for wire in [&mut one, &mut other] {
        assert_eq!(found(wire, "plug")["data"]["totalFound"], 2);
    }
}

fn solution(description: &str) -> Value {
    json!({
        "errorDescription": description, "rootCause": "a cause", "solution": "a fix", "language": "kotlin",
        "errorType": "IllegalStateException", "confidence": 0.9,
    })
}

fn import(user: &User, bytes: &[u8]) -> Output {
    let mut child = importing(user.symd());
    // A client that has given up is not an error.
    let _ = child.stdin.take().unwrap().write_all(bytes);
    child.wait_with_output().unwrap()
}

fn importing(mut command: Command) -> std::process::Child {
    command.args(["solutions", "import"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

#[test]
fn an_import_of_a_broken_file_names_the_line_and_imports_nothing() {
    let user = User::new();
    let (one, two) = (solution("no till").to_string(), solution("kein Regal für Bücher").to_string());
    let cut = format!("{one}\r\n{two}\r\n");
    let wide: Vec<u8> = [0xFF, 0xFE]
        .into_iter()
        .chain(format!("{one}\n").encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let in_character = cut.find('ü').unwrap() + 1;
    for (bytes, line, why) in [
        (&cut.as_bytes()[..cut.len() - 9], "line 2: ", "as in a file that was cut"),
        (&cut.as_bytes()[..in_character], "line 2: ", "is not UTF-8"),
        (
            &[one.as_bytes(), b"\n\n", b"{\"errorDescription\":\"\xE4\"}"].concat(),
            "line 3: ",
            "byte 22 is not UTF-8",
        ),
        (&wide, "line 1: ", "the text is UTF-16"),
        (&[one.as_bytes(), b"\n", &vec![b'['; 5 << 20]].concat(), "line 2: ", "longer than 4 MiB"),
        (&[one.as_bytes(), b"\n", &vec![b'['; 1 << 20]].concat(), "line 2: ", "invalid type: sequence"),
    ] {
        let output = import(&user, bytes);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(line) && said.contains(why) && said.contains("nothing was imported"), "{said}");
        assert_eq!(user.check(&["solutions"], 0), "");
    }
    let whole = import(&user, format!("\u{feff}{cut}").as_bytes());
    assert!(whole.status.success(), "{}", String::from_utf8_lossy(&whole.stderr));
    assert_eq!(user.check(&["solutions"], 0).lines().count(), 2);
}

/// The shell's limit is what a program that keeps all that it is given would meet.
#[test]
fn an_import_without_end_takes_bounded_memory() {
    let user = User::new();
    let one = format!("{}\n", solution("no till"));
    let blank = [vec![b' '; (1 << 20) - 1], b"\n".to_vec()].concat();
    for (endless, why) in
        [(vec![b'x'; 1 << 20], "line 2: it is longer than 4 MiB"), (blank, "more than 256 MiB")]
    {
        let mut shell = user.dressed(Command::new("sh"));
        shell.args(["-c", "ulimit -v 600000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_symd")]);
        let mut child = importing(shell);
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(one.as_bytes()).unwrap();
        // Until it reads no more.
        while stdin.write_all(&endless).is_ok() {}
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(why) && said.contains("nothing was imported"), "{said}");
    }
    assert_eq!(user.check(&["solutions"], 0), "");
}
