//! Texts that crash a parser, block it or exhaust its memory, with a real daemon: they cost a worker and
//! their own symbols, nothing else. A worker has no privileges, leaves nothing running, and may be killed at
//! any time.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use symd::base::{Cancel, ContentHash, RelPath, TextRange};
use symd::parse::{Attempt, ParserOptions, Parsers};
use symd::rewrite::{EditTarget, Guard, Indentation, Placement, PlacementOptions, place_body};
use symd::syntax::extract::ParseCounters;
use symd::syntax::{Grammar, inspect};
use symd::sys::processes;

use crate::shell_stage::wait_until_gone;
use crate::support::{User, Wire, call, write};

/// Longer than anything here takes on a busy machine.
const DEADLINE: Duration = Duration::from_secs(120);

/// Returns a text on which the scanner of Kotlin's grammar calls abort().
fn aborting() -> String {
    "\"${".repeat(1_000)
}

/// Returns a text on which the parser takes time by the square of its length, without checking a flag.
fn hanging() -> String {
    "<-".repeat(100_000)
}

fn pid(user: &User) -> Pid {
    Pid::from_raw(user.pid().try_into().unwrap()).unwrap()
}

/// Returns the daemon's workers: it has no other children here.
fn workers(daemon: Pid) -> Vec<Pid> {
    processes::children(daemon).iter().filter(|child| child.is_alive).map(|child| child.pid).collect()
}

fn text_of(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap()
}

/// Waits until no file is on trial.
fn tried(user: &User) -> Value {
    let until = Instant::now() + DEADLINE;
    loop {
        let status = user.status();
        if status["on_trial"] == json!([]) {
            return status;
        }
        assert!(Instant::now() < until, "{status}");
    }
}

#[test]
fn a_text_that_ends_its_parser_costs_its_own_symbols_and_nothing_else() {
    let user = User::new();
    write(&user.path("project/x.kt"), &aborting());
    write(&user.path("project/good.kt"), "fun good() = 1\n");
    assert!(user.find("good").starts_with("good.kt:1 "));
    let daemon = user.pid();
    let status = tried(&user);
    assert_eq!(status["unparsable"][0]["path"], "x.kt", "{status}");
    assert!(status["unparsable"][0]["why"].as_str().unwrap().contains("SIGABRT"), "{status}");
    let shown = user.check(&["status"], 0);
    assert!(shown.contains("unparsable       path x.kt, why its parser gave up"), "{shown}");
    // The file is listed, read and searched like any other.
    assert!(user.check(&["call", "list_dir", r#"{"relative_path": "."}"#], 0).contains("x.kt"));
    let found = user.check(&["call", "search_for_pattern", r#"{"substring_pattern": "\\$\\{\""}"#], 0);
    assert!(found.contains("x.kt"), "{found}");
    let refused = user.run(&["call", "get_symbols_overview", r#"{"relative_path": "x.kt"}"#]);
    let said = String::from_utf8([refused.stdout, refused.stderr].concat()).unwrap();
    assert!(said.contains("x.kt") && said.contains("symd index --retry"), "{said}");
    // The same daemon sees a change in another file, and a change of the file itself ends its quarantine.
    write(&user.path("project/good.kt"), "fun better() = 1\n");
    assert!(user.find("better").starts_with("good.kt:1 "));
    write(&user.path("project/x.kt"), "fun healed() = 1\n");
    assert!(user.find("healed").starts_with("x.kt:1 "));
    assert_eq!(user.status()["unparsable"], json!([]));
    assert_eq!(user.pid(), daemon);
}

#[test]
fn what_is_quarantined_stays_so_after_a_restart_until_it_is_retried() {
    let user = User::new();
    write(&user.path("project/x.kt"), &aborting());
    user.check(&["index"], 0);
    tried(&user);
    let blamed = |log: &str| log.matches("a text is quarantined").count();
    assert_eq!(blamed(&user.check(&["logs"], 0)), 1);
    user.check(&["stop"], 0);
    user.check(&["index"], 0);
    let status = tried(&user);
    assert_eq!(status["unparsable"][0]["path"], "x.kt", "{status}");
    assert_eq!(blamed(&user.check(&["logs"], 0)), 1, "it was not tried again");
    user.check(&["index", "--retry"], 0);
    assert_eq!(tried(&user)["unparsable"][0]["path"], "x.kt");
    assert_eq!(blamed(&user.check(&["logs"], 0)), 2, "it was tried again");
}

#[test]
fn a_text_that_hangs_its_parser_holds_up_one_question_for_a_second() {
    let user = User::new();
    write(&user.path("project/good.py"), "def good(): pass\n");
    assert!(user.find("good").starts_with("good.py:1 "));
    write(&user.path("project/hangs.py"), &hanging());
    let mut wire = user.connect();
    wire.initialize();
    let ask = |wire: &mut Wire, id: u64| {
        let asked = Instant::now();
        let answer = wire.ask(&call(id, "find_symbol", json!({ "name_path_pattern": "good" })));
        assert!(text_of(&answer).starts_with("good.py:1 "), "{answer}");
        asked.elapsed()
    };
    let took = ask(&mut wire, 1);
    assert!(took < Duration::from_secs(3), "{took:?}");
    assert_eq!(user.status()["on_trial"], json!(["hangs.py"]));
    // The time that questions wait for a trial is over: this one does not wait.
    let took = ask(&mut wire, 2);
    assert!(took < Duration::from_millis(500), "{took:?}");
    // Once the file is removed, its worker is not needed any more.
    let daemon = pid(&user);
    let busy = workers(daemon);
    std::fs::remove_file(user.path("project/hangs.py")).unwrap();
    ask(&mut wire, 3);
    assert_eq!(user.status()["on_trial"], json!([]));
    let ended = |pid: &Pid| processes::by_pid(*pid).is_none();
    let until = Instant::now() + Duration::from_secs(1);
    while !busy.iter().any(ended) {
        assert!(Instant::now() < until, "the worker parses what is gone");
    }
}

#[test]
fn a_text_that_takes_long_leaves_its_worker_to_other_texts() {
    let (parsers, cancel) = (crate::support::workers(), Cancel::new());
    let python = Grammar::named("python").unwrap();
    let outline = |text: &str| {
        parsers.outline_of_file(python, text, ContentHash::of(text.as_bytes()), &cancel).unwrap()
    };
    // Comments are skipped in one step: the grammar's texts look fast. A text of short statements takes many times
    // as long a byte, and its parser looks at the flag all the time: one that does not would be moved to a trial,
    // with its worker.
    let fast = "# a comment of a length that other comments have, too\n".repeat(2_000);
    let slow = "x\n".repeat(100_000);
    for _ in 0..50 {
        outline(&fast);
    }
    // A worker that continued with it would have to be replaced by one without a loaded grammar. On a busy
    // machine it may not be seen to stop.
    let stops = || matches!(outline(&slow), Attempt::SetAside(None));
    assert!((0..50).any(|_| stops()));
}

#[test]
fn while_a_worker_is_stopped_no_answer_says_that_there_is_nothing() {
    let user = User::new();
    write(&user.path("project/good.py"), "def good(): pass\n");
    // The worker that parses the first file stays ready for it.
    let mut wire = user.connect();
    wire.initialize();
    assert!(user.find("good").starts_with("good.py:1 "));
    let serena = |tool: &str, name: &str| {
        let arguments = json!({ "name_path_pattern": name }).to_string();
        let output = user.symd().args(["call", "--toolset", "serena", tool, &arguments]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let daemon = pid(&user);
    let until = Instant::now() + DEADLINE;
    for number in 0.. {
        assert!(Instant::now() < until, "no stopped worker was ever asked");
        let stopped = workers(daemon);
        // A worker may have exited since it was listed.
        let all = |signal| {
            for &worker in &stopped {
                let _ = kill_process(worker, signal);
            }
        };
        all(Signal::STOP);
        let (file, name) = (format!("late{number}.py"), format!("late{number}"));
        write(&user.path(&format!("project/{file}")), &format!("def {name}(): pass\n"));
        let asked = serena("find_symbol", &name);
        all(Signal::CONT);
        tried(&user);
        let there = format!("[{{\"name_path\": \"{name}\"");
        let found = serena("find_symbol", &name);
        assert!(found.starts_with(&there), "{found}");
        // The daemon may just have started another worker.
        if !asked.starts_with(&there) {
            assert!(
                asked.starts_with("Error: No symbol found so far: 1 file") && asked.contains(&file),
                "{asked}"
            );
            break;
        }
    }
}

#[test]
fn a_worker_has_a_pipe_and_nothing_else() {
    let user = User::new();
    write(&user.path("project/good.py"), "def good(): pass\n");
    // Left open in the process that starts the daemon, so that it is inherited.
    let leaked = std::fs::File::open(user.path("project/good.py")).unwrap();
    rustix::io::fcntl_setfd(&leaked, rustix::io::FdFlags::empty()).unwrap();
    user.find("good");
    let workers = workers(pid(&user));
    assert!(!workers.is_empty());
    for worker in workers {
        let proc = |file: &str| format!("/proc/{}/{file}", worker.as_raw_nonzero());
        // A worker that is being started is confined before it gets a text.
        let is_confined = || std::fs::read_to_string(proc("status")).unwrap().contains("Seccomp:\t2");
        let asked = std::iter::repeat_with(|| user.find("good")).take(1_000);
        assert!(is_confined() || asked.into_iter().any(|_| is_confined()));
        let mut descriptors: Vec<String> = std::fs::read_dir(proc("fd"))
            .unwrap()
            .map(|entry| std::fs::read_link(entry.unwrap().path()).unwrap().display().to_string())
            .map(|target| target.split(':').next().unwrap().to_owned())
            .collect();
        descriptors.sort();
        assert_eq!(descriptors, ["/dev/null", "/dev/null", "socket"]);
        assert_eq!(std::fs::read_link(proc("cwd")).unwrap().to_str(), Some("/"));
        assert_eq!(std::fs::read(proc("environ")).unwrap(), b"");
        let status = std::fs::read_to_string(proc("status")).unwrap();
        for line in ["Seccomp:\t2", "NoNewPrivs:\t1", "Threads:\t1"] {
            assert!(status.contains(line), "{line}: {status}");
        }
        let limits = std::fs::read_to_string(proc("limits")).unwrap();
        for limit in ["Max core file size", "Max open files", "Max file size"] {
            let line = limits.lines().find(|line| line.starts_with(limit)).unwrap();
            assert_eq!(line.split_ascii_whitespace().rev().nth(2), Some("0"), "{line}");
        }
    }
}

#[test]
fn a_worker_ends_with_its_daemon_also_while_it_hangs() {
    let user = User::new();
    write(&user.path("project/hangs.py"), &hanging());
    user.find("nothing");
    assert_eq!(user.status()["on_trial"], json!(["hangs.py"]));
    let daemon = pid(&user);
    let workers = workers(daemon);
    assert!(!workers.is_empty());
    kill_process(daemon, Signal::KILL).unwrap();
    wait_until_gone(&workers);
}

#[test]
fn two_hundred_workers_killed_from_outside_change_no_answer_and_blame_no_file() {
    let user = User::new();
    let texts = |round: usize| format!("class Round{round}:\n{}", "    def method(self): pass\n".repeat(200));
    for file in 0..10 {
        write(&user.path(&format!("project/f{file}.py")), &texts(0));
    }
    let mut wire = user.connect();
    wire.initialize();
    user.find("Round0");
    let daemon = pid(&user);
    let (stop, stopped) = sync_channel::<()>(0);
    let killer = std::thread::spawn(move || {
        let (mut killed, mut random) = (0, fastrand::Rng::with_seed(11));
        while killed < 200 {
            let workers = workers(daemon);
            if let Some(worker) = random.choice(&workers) {
                let signal = if random.bool() { Signal::KILL } else { Signal::TERM };
                killed += usize::from(kill_process(*worker, signal).is_ok());
            }
            // A random moment between the start of a worker and the middle of a text.
            let pause = Duration::from_micros(random.u64(0..250_000));
            if stopped.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
                break;
            }
        }
        killed
    });
    let mut round = 0;
    while !killer.is_finished() {
        round += 1;
        for file in 0..10 {
            write(&user.path(&format!("project/f{file}.py")), &texts(round));
        }
        let id = u64::try_from(round).unwrap();
        let name = format!("Round{round}/method[7]");
        let answer = wire.ask(&call(id, "find_symbol", json!({ "name_path_pattern": name })));
        let text = text_of(&answer);
        assert!(text.contains("[10 symbols;") && text.contains("complete"), "{round}: {text}");
    }
    drop(stop);
    assert_eq!(killer.join().unwrap(), 200);
    let status = tried(&user);
    assert_eq!(status["unparsable"], json!([]), "{status}");
    assert_eq!(status["skipped"]["unreadable"], 0, "{status}");
}

#[test]
fn what_an_edit_must_know_of_a_text_is_one_request_and_no_parse_in_the_daemon() {
    let options =
        ParserOptions { program: env!("CARGO_BIN_EXE_symd").into(), quarantine: None, parses: None };
    let parsers = Parsers::in_workers(options).unwrap();
    let cancel = Cancel::new();
    for (language, text) in [
        ("python", "def f():\n    # c\n    return 1\n"),
        ("python", "def f():\n    return )\n"),
        ("python", "if x:\n    a\n  b\n"),
        ("java", "class A {\n  int x = 1\n}\n"),
        ("kotlin", ""),
    ] {
        let grammar = Grammar::named(language).unwrap();
        let whole = TextRange::new(0, text.len().try_into().unwrap());
        let (requests, parsed) = (parsers.requests(), ParseCounters::of_this_thread());
        let seen = parsers.inspect(grammar, text, whole, &cancel).unwrap();
        assert_eq!((parsers.requests() - requests, parsed.since().texts), (1, 0), "{text}");
        assert_eq!(seen, inspect(grammar, text, whole, &cancel).unwrap(), "{text}");
    }
}

#[test]
fn a_body_is_replaced_by_one_request_for_its_file_and_no_parse_in_the_daemon() {
    let options =
        ParserOptions { program: env!("CARGO_BIN_EXE_symd").into(), quarantine: None, parses: None };
    let parsers = Parsers::in_workers(options).unwrap();
    let (cancel, grammar) = (Cancel::new(), Grammar::named("python").unwrap());
    let text = "class A:\n    def m(self):\n        return 1\n\n    def n(self):\n        return 2\n";
    let outline = parsers.outline_now(grammar, text, &cancel).unwrap();
    let row = (0..outline.rows.len()).find(|&row| outline.name_path(row) == "A/m").unwrap();
    let path = RelPath::new("a.py").unwrap();
    let target = EditTarget { path: &path, grammar, text, outline: &outline, row, parsers: &parsers };
    let (placing, indentation) = (Placement::Replace, Indentation::ByContract);
    let manner = PlacementOptions { placing, indentation, guard: Guard::SurroundingDeclarations };
    let (requests, parsed) = (parsers.requests(), ParseCounters::of_this_thread());
    let body = "    def m(self):\n        if self:\n            return 3\n        return 4";
    let placed = place_body(target, body, manner, &cancel).unwrap();
    assert_eq!(parsed.since().texts, 0);
    // The other two requests are for the few lines of the given body, and of the present one.
    assert!(parsers.requests() - requests <= 3, "{}", parsers.requests() - requests);
    assert!(placed.outline.is_some_and(|outline| outline.rows.len() == 3));
}
