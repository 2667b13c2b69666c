//! Adverse conditions for the contracts' file tools that no scenario can represent: links that change during
//! a call, and names that are not text.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;

use super::edit_agent::Agent;
use crate::support::{User, write};

/// Calls of each kind while the link changes.
const CALLS: usize = 60;

fn user() -> User {
    let user = User::new();
    user.settles("[policy]\ngemini_cli = \"allow\"\ntool_router = \"allow\"\n");
    user
}

/// Makes `way` alternately a directory of the project and a link out of it: a few times for each `turn`,
/// while the call that sent it is answered. Not without end: a tree that changes faster than it can be
/// scanned never becomes up to date.
fn swap(project: &Path, outside: &Path, turns: &Receiver<()>) {
    let (way, link) = (project.join("way"), project.join("link"));
    std::os::unix::fs::symlink(outside, &link).unwrap();
    while turns.recv().is_ok() {
        for _ in 0..fastrand::usize(1..12) {
            (0..fastrand::u32(..20_000)).for_each(|spin| {
                std::hint::black_box(spin);
            });
            renameat_with(CWD, &way, CWD, &link, RenameFlags::EXCHANGE).unwrap();
        }
    }
}

#[test]
fn a_link_made_between_check_and_use_leads_nowhere() {
    let user = user();
    let (project, outside) = (user.path("project"), user.path("elsewhere"));
    std::fs::create_dir(project.join("way")).unwrap();
    write(&project.join("way/f.txt"), "ours\n");
    write(&outside.join("f.txt"), "secret\n");
    write(&outside.join("hidden.txt"), "secret\n");
    let root = project.to_str().unwrap().to_owned();
    let mut gemini = Agent::new(&user, "gemini_cli");
    let mut router = Agent::new(&user, "tool_router");
    let mut answers = Vec::new();
    std::thread::scope(|scope| {
        let (turn, turns) = sync_channel(1);
        let swapping = scope.spawn(|| swap(&project, &outside, &{ turns }));
        for call in 0..CALLS {
            let file = format!("{root}/way/f.txt");
            let mut gemini = |tool, arguments| {
                turn.send(()).unwrap();
                gemini.call(tool, arguments).0
            };
            let mut router = |tool, arguments| {
                turn.send(()).unwrap();
                router.call(tool, arguments).0
            };
            answers.push(gemini("read_file", json!({ "absolute_path": file })));
            answers.push(gemini("list_directory", json!({ "path": format!("{root}/way") })));
            answers.push(gemini("glob", json!({ "pattern": "**/*.txt", "respect_git_ignore": false })));
            answers.push(gemini("search_file_content", json!({ "pattern": "s[e]cret|ours" })));
            gemini("write_file", json!({ "file_path": file, "content": format!("ours {call}\n") }));
            gemini("write_file", json!({ "file_path": format!("{root}/way/new{call}"), "content": "new\n" }));
            answers.push(router("read_file", json!({ "path": "way/f.txt" })));
            answers.push(router("list_dir", json!({ "path": "way" })));
            answers.push(router("grep_files", json!({ "pattern": "s[e]cret|ours", "path": "." })));
            let patch = format!("*** Begin Patch\n*** Add File: way/patch{call}\n+new\n*** End Patch\n");
            router("apply_patch_freeform", json!({ "patch": patch }));
        }
        drop(turn);
        swapping.join().unwrap();
    });
    for answer in &answers {
        assert!(!answer.contains("secret") && !answer.contains("hidden"), "{answer}");
    }
    assert!(answers.iter().any(|answer| answer.contains("ours")), "nothing was ever read");
    let mut there: Vec<_> =
        std::fs::read_dir(&outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    there.sort();
    assert_eq!(there, ["f.txt", "hidden.txt"]);
    for file in ["f.txt", "hidden.txt"] {
        assert_eq!(std::fs::read(outside.join(file)).unwrap(), b"secret\n");
    }
}

#[test]
fn names_that_are_no_text_are_counted_or_passed_over() {
    let user = user();
    let project = user.path("project");
    std::fs::remove_dir(project.join(".symd")).unwrap();
    std::fs::create_dir(project.join("d")).unwrap();
    write(&project.join("d/plain.txt"), "x\n");
    let odd = OsStr::from_bytes(b"odd\xFF.txt");
    write(&project.join("d").join(odd), "x\n");
    std::fs::create_dir(project.join(OsStr::from_bytes(b"dir\xFF"))).unwrap();
    write(&project.join(OsStr::from_bytes(b"dir\xFF")).join("in.txt"), "x\n");
    let root = project.to_str().unwrap().to_owned();
    // The project's marker is gone, so the daemon gets its root explicitly.
    user.check(&["start", "--project", &root], 0);
    let socket = user.place().socket();
    let connect = |toolset| Agent::over(crate::support::Wire::connect(&socket), toolset);
    let mut gemini = connect("gemini_cli");
    assert_eq!(
        gemini.done("list_directory", json!({ "path": format!("{root}/d") })),
        format!("Directory listing for {root}/d:\nplain.txt\n\n(1 with a name that is not UTF-8)")
    );
    assert_eq!(
        gemini.done("search_file_content", json!({ "pattern": "x" })),
        "Found 1 match for pattern \"x\" in path \".\":\n---\nFile: d/plain.txt\nL1: x\n---"
    );
    let found = gemini.done("glob", json!({ "pattern": "**/*.txt", "respect_git_ignore": false }));
    assert!(found.ends_with(&format!("(newest first):\n{root}/d/plain.txt")), "{found}");
    let mut router = connect("tool_router");
    assert_eq!(router.done("list_dir", json!({})), r#"{"entries":["d/","d/plain.txt"]}"#);
    assert_eq!(
        router.done("grep_files", json!({ "pattern": "x" })),
        r#"{"results":[{"file":"d/plain.txt","matches":[{"line_num":1,"line":"x"}]}]}"#
    );
    let mut agent = connect("cli_agent");
    let mut output = |tool, arguments| {
        let envelope: serde_json::Value = serde_json::from_str(&agent.done(tool, arguments)).unwrap();
        envelope["output"].as_str().unwrap().to_owned()
    };
    let left_out = "Warning: Left out 2 entries with a name that is not UTF-8\n";
    assert_eq!(
        output("file_search", json!({ "pattern": "**/*.txt" })),
        format!("{left_out}Found 1 file matching '**/*.txt':\n  d/plain.txt\n")
    );
    assert_eq!(
        output("grep_search", json!({ "pattern": "x" })),
        format!("{left_out}Found 1 match for 'x':\n  d/plain.txt:1: x\n")
    );
}
