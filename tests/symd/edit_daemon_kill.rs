//! Daemons are killed with SIGKILL while eight clients edit one tree through them. After each restart the
//! tree is the result of the committed operations, the journal is empty, and undoing everything restores the
//! first tree byte for byte.
//! 50 kills here; more of them by `SYMD_TEST_DAEMON_KILLS=500 cargo test --test symd edit_daemon_kill`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use symd::base::ContentHash;

use super::edit_agent::{Agent, put, text_of, things};
use super::edit_random_calls::{edit_until_it_is_gone, plant};
use super::edit_support::{Thing, open, rel};
use crate::support::{User, Wire};

const CLIENTS: u64 = 8;
/// Maximum number of operations of all clients together before the kill, in one of this many rounds ...
const OPERATIONS: usize = 200;
const LONG_ROUNDS: u64 = 10;
/// ... and in the other rounds, so that there is time for more kills.
const FEWER_OPERATIONS: usize = 20;
/// The maximum delay of the kill after that: longer than most edits take.
const LONGEST_WAIT: Duration = Duration::from_millis(20);

#[test]
fn killed_at_any_moment_the_daemon_leaves_a_prefix_of_what_was_committed() {
    let kills: u64 = std::env::var("SYMD_TEST_DAEMON_KILLS").map_or(50, |kills| kills.parse().unwrap());
    let (mut committed, mut cut_short) = (0, 0);
    let mut tools: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 0..kills {
        let (operations, recovered) = round(seed);
        committed += operations.len();
        cut_short += recovered;
        operations.into_iter().for_each(|tool| *tools.entry(tool).or_default() += 1);
    }
    println!("{kills} kills, {committed} operations, {cut_short} cut short: {tools:?}");
    assert!(cut_short > 0, "no kill hit an edit under way: this tests nothing");
    let all = [
        "apply_patch",
        "create_text_file",
        "delete_lines",
        "insert_at_line",
        "redo",
        "rename_symbol",
        "replace_content",
        "replace_symbol_body",
        "undo",
    ];
    assert_eq!(tools.keys().collect::<Vec<_>>(), all);
}

/// Runs one round on a new tree, with one kill; returns the tools of the committed operations, and how many
/// were interrupted.
fn round(seed: u64) -> (Vec<String>, usize) {
    let user = User::new();
    plant(&user.path("project"));
    let first = things(&user);
    let socket = user.socket();
    let daemon = Pid::from_raw(i32::try_from(user.pid()).unwrap()).unwrap();
    let mut random = fastrand::Rng::with_seed(seed);
    let most = if seed.is_multiple_of(LONG_ROUNDS) { OPERATIONS } else { FEWER_OPERATIONS };
    let kill_after = random.usize(..most);
    let project = user.path("project");
    let answered = AtomicUsize::new(0);
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (answered, tell, project) = (&answered, tell.clone(), &project);
            // Connected here: a thread that connects late would find the daemon killed.
            let agent = Agent::over(Wire::connect(&socket), "native");
            scope.spawn(move || {
                let random = fastrand::Rng::with_seed(seed * CLIENTS + client);
                edit_until_it_is_gone(agent, project, random, || {
                    answered.fetch_add(1, Ordering::Relaxed);
                    let _ = tell.send(());
                });
            });
        }
        drop(tell);
        for _ in 0..kill_after {
            told.recv().unwrap();
        }
        // Not when an answer arrives: then an edit has just been committed.
        let (now, wait) = (Instant::now(), LONGEST_WAIT.mul_f64(random.f64()));
        while now.elapsed() < wait {
            std::hint::spin_loop();
        }
        kill_process(daemon, Signal::KILL).unwrap();
    });
    // The next daemon runs recovery before it answers anything.
    let status = user.check(&["start"], 0);
    let status: Value =
        serde_json::from_str(&user.check(&["status", "--json"], 0)).unwrap_or_else(|_| panic!("{status}"));
    let recovered = status["recovered"].as_array().unwrap();
    assert!(recovered.iter().all(|one| !one.as_str().unwrap().contains("left as they are")), "{status}");
    let names = std::fs::read_dir(user.place().edits()).unwrap().map(|entry| entry.unwrap().file_name());
    let names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    assert!(
        names.iter().all(|name| name == "lock" || name == "slot" || name.ends_with(".edit")),
        "seed {seed}: {names:?}"
    );
    let mut agent = Agent::new(&user, "native");
    let history = json!({ "count": 100_000, "limit": 100_000_000, "format": "json" });
    let mut history = agent.done("history", history);
    if let Some(json) = history.find('{') {
        // The first answer reports what was recovered.
        history.drain(..json);
    }
    let history: Value = serde_json::from_str(&history).unwrap();
    let operations = history["operations"].as_array().unwrap();
    let answered = answered.load(Ordering::Relaxed);
    let clients = usize::try_from(CLIENTS).unwrap();
    let expected = answered..=answered + clients;
    assert!(expected.contains(&operations.len()), "seed {seed}: {answered} answered, {}", operations.len());
    // Newest first: the first entry of a path is its latest one.
    let mut last: BTreeMap<PathBuf, Option<String>> = BTreeMap::new();
    for file in operations.iter().flat_map(|operation| operation["files"].as_array().unwrap()) {
        let path = PathBuf::from(file["path"].as_str().unwrap());
        last.entry(path).or_insert_with(|| file["after"].as_str().map(str::to_owned));
    }
    let now = things(&user);
    for (path, after) in &last {
        let is = now.get(path).map(|thing| match thing {
            Thing::File { bytes, .. } => ContentHash::of(bytes).short(),
            other => panic!("{other:?}"),
        });
        assert_eq!(is, *after, "seed {seed}: {}", path.display());
    }
    for (path, thing) in &now {
        let is_known =
            matches!(thing, Thing::Directory) || last.contains_key(path) || first.get(path) == Some(thing);
        assert!(is_known, "seed {seed}: nobody made {}", path.display());
    }
    let refused = loop {
        let (text, is_error) = agent.call("undo", json!({}));
        if is_error {
            // The first answer reports what was recovered.
            break text.lines().last().unwrap().to_owned();
        }
    };
    assert!(refused.starts_with("there is nothing to undo"), "seed {seed}: {refused}");
    assert_eq!(things(&user), first, "seed {seed}");
    let tools = operations.iter().map(|operation| operation["tool"].as_str().unwrap().to_owned());
    (tools.collect(), recovered.len())
}

const CRASHING: &str = "SYMD_TEST_EDIT_DAEMON_CRASH";

#[test]
fn what_a_crash_cut_short_is_put_back_and_told_before_the_first_answer() {
    let user = User::new();
    put(&user, "a.py", "def a(): pass\n");
    put(&user, "b.py", "def b(): pass\n");
    user.check(&["start"], 0);
    user.check(&["stop"], 0);
    let first = things(&user);
    let crashed = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "edit_daemon_kill::crashes_half_way", "--ignored", "--quiet"])
        .env(CRASHING, user.path("project"))
        .env("SYMD_TEST_EDIT_STATE", user.place().edits())
        .status()
        .unwrap();
    assert!(!crashed.success());
    assert_ne!(things(&user), first, "half of the edit stands");
    let mut serena = Agent::new(&user, "serena");
    let found = serena.done("find_symbol", json!({ "name_path_pattern": "a", "include_body": true }));
    assert!(found.contains("def a(): pass"), "a contract's text is the contract's: {found}");
    assert_eq!(things(&user), first);
    let told = "operation 1 (rename) had been cut short; put back: a.py; the tree is as it was before it";
    let mut native = Agent::new(&user, "native");
    let answer = native.done("find_symbol", json!({ "name_path_pattern": "b" }));
    assert!(answer.starts_with(&format!("[recovered: {told}]\nb.py:1 ")), "{answer}");
    assert!(
        !native.done("find_symbol", json!({ "name_path_pattern": "b" })).contains("recovered"),
        "told once"
    );
    assert_eq!(user.status()["recovered"], json!([told]));
    assert!(std::fs::read_to_string(user.place().log()).unwrap().contains(told));
    assert_eq!(native.done("history", json!({})), "[0 operations]");
}

#[test]
fn what_somebody_changed_meanwhile_is_left_until_the_user_decides() {
    for (resolution, text) in [("keep", "def mine(): pass\n"), ("put-back", "def a(): pass\n")] {
        let user = User::new();
        put(&user, "a.py", "def a(): pass\n");
        put(&user, "b.py", "def b(): pass\n");
        let crashed = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "edit_daemon_kill::crashes_half_way", "--ignored", "--quiet"])
            .env(CRASHING, user.path("project"))
            .env("SYMD_TEST_EDIT_STATE", user.place().edits())
            .status()
            .unwrap();
        assert!(!crashed.success());
        put(&user, "a.py", "def mine(): pass\n");
        assert!(user.find("b").contains("a.py was changed since; `symd resolve 1 keep`"));
        let shown = user.check(&["resolve", "1", resolution, "--dry-run"], 0);
        assert_eq!(shown.contains("+def a(): pass"), resolution == "put-back", "{shown}");
        assert_eq!(text_of(&user, "a.py"), "def mine(): pass\n");
        user.check(&["resolve", "1", resolution], 0);
        assert_eq!(
            (text_of(&user, "a.py"), text_of(&user, "b.py")),
            (text.to_owned(), "def b(): pass\n".to_owned())
        );
        assert_eq!(user.status()["recovered"], json!([]), "resolved");
        let again = user.run(&["resolve", "1", resolution]);
        assert!(String::from_utf8_lossy(&again.stdout).contains("was not cut short, or is resolved"));
        user.check(&["restart"], 0);
        assert_eq!(user.status()["recovered"], json!([]));
        if resolution == "put-back" {
            user.check(&["undo"], 0);
            assert_eq!(text_of(&user, "a.py"), "def mine(): pass\n");
        }
    }
}

#[test]
#[ignore = "started by the tests above, as a process of its own"]
fn crashes_half_way() {
    use std::sync::Arc;
    use symd::edit::{Hook, Options, Plan, PlanStep, Step};
    let Some(project) = std::env::var_os(CRASHING) else { return };
    let state = std::env::var_os("SYMD_TEST_EDIT_STATE").unwrap();
    let changed = Arc::new(AtomicUsize::new(0));
    let hook = Hook::new(move |step| {
        if step == Step::Changed && changed.fetch_add(1, Ordering::Relaxed) == 0 {
            std::process::exit(9);
        }
        Ok(())
    });
    let editor = open(project.as_ref(), state.as_ref(), Options { hook, ..Options::default() }).0;
    let step =
        |path: &str| PlanStep::Write { path: rel(path), base: None, bytes: b"def c(): pass\n".to_vec() };
    let _ = editor.apply(&Plan::new(vec![step("a.py"), step("b.py")]), super::edit_support::by("rename"));
}
