//! The oracle for symd's own edits, whose outlines are given to the index before it reads the files:
//! afterwards the index equals one built from nothing, whatever was written, and undoing all edits restores
//! the first tree byte for byte. The rest of the oracle is in
//! `crates/engine/src/tests/oracle.rs`.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use symd::config::Languages;
use symd::engine::{Engine, EngineOptions, MAX_PARSED_BYTES};
use symd::toolsets::Outcome;
use symd::watch::{BackendChoice, WatchOptions};

use super::rename_stage::{Answers, Stage, play};

const EDITS: usize = 240;
/// Edits between two comparisons.
const BETWEEN: usize = 6;

/// Asserts that the index equals that of an engine started now.
async fn check(stage: &Stage, after: &[String]) {
    let now = stage.project.engine.ask(|view| view.snapshot.clone()).await.unwrap();
    let run = tempfile::tempdir().unwrap();
    let fresh = Engine::start(EngineOptions {
        root: stage.path(""),
        unsaved: std::sync::Arc::default(),
        languages: Languages::builtin().clone(),
        runtime_directory: run.path().join("run"),
        cache_directory: None,
        watch: WatchOptions { backend: BackendChoice::Auto, ..WatchOptions::default() },
        sweep_every: Duration::from_secs(600),
        parsers: crate::support::workers(),
        memory: symd::engine::MemoryOptions::default(),
        on_change: None,
    })
    .unwrap();
    let rebuilt = fresh.ask(|view| view.snapshot.clone()).await.unwrap();
    if now.digest() != rebuilt.digest() {
        let (now, rebuilt) = (now.describe().collect::<BTreeSet<_>>(), rebuilt.describe().collect());
        let wrong: Vec<_> = now.difference(&rebuilt).collect();
        let missing: Vec<_> = rebuilt.difference(&now).collect();
        panic!("index: {wrong:#?}\nrebuilt: {missing:#?}\nafter {after:#?}");
    }
    fresh.shutdown().await;
}

fn wide(text: &str) -> Vec<u8> {
    [&b"\xFF\xFE"[..], &text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()].concat()
}

const SOURCE: &str = "def one():\n    return 1\n\n\nclass Two:\n    def three(self):\n        return 1\n";

#[test]
fn what_edits_tell_the_index_is_what_it_would_find() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let files: [(&str, &[u8]); 6] = [
        ("a.py", SOURCE.as_bytes()),
        ("crlf.py", &SOURCE.replace('\n', "\r\n").into_bytes()),
        ("marked.py", &[b"\xEF\xBB\xBF", SOURCE.as_bytes()].concat()),
        ("wide.py", &wide(SOURCE)),
        ("lossy.py", &[SOURCE.as_bytes(), b"# \xFF\n"].concat()),
        ("d/k.kt", b"class Two { fun three() = 1 }\n"),
    ];
    play(&files, Answers::NoServer, async |stage| {
        let (first, mut log) = (stage.tree(), Vec::new());
        let mut done = 0;
        for number in 0..EDITS {
            let (tool, arguments) = edit(&mut random);
            let reply = stage.reply(tool, arguments.clone()).await;
            done += usize::from(reply.outcome == Outcome::Done);
            log.push(format!("{tool} {arguments}: {}", reply.text));
            if number % BETWEEN == 0 {
                check(stage, &log).await;
            }
        }
        assert!(done > EDITS / 3, "most edits were refused: {log:#?}");
        check(stage, &log).await;
        while stage.reply("undo", json!({})).await.outcome == Outcome::Done {}
        check(stage, &log).await;
        assert!(stage.tree() == first, "{log:#?}");
    });
}

fn edit(random: &mut fastrand::Rng) -> (&'static str, Value) {
    let paths = ["a.py", "crlf.py", "marked.py", "wide.py", "lossy.py", "d/k.kt", "new.py", "notes.txt"];
    let path = paths[random.usize(..paths.len())];
    let mut arguments = json!({ "relative_path": path, "force": true });
    let mut with = |more: Value| arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let name = ["one", "Two", "Two/three", "name"][random.usize(..4)];
    let tool = match random.u8(..14) {
        0..3 => {
            with(json!({ "content": text(random) }));
            "create_text_file"
        }
        3..5 => {
            let repl = ["2", "\u{FEFF}", "\0", "\r\n", "\u{1F600}", ""][random.usize(..6)];
            with(json!({ "needle": "1", "repl": repl, "allow_multiple_occurrences": true }));
            "replace_content"
        }
        5..7 => {
            with(json!({ "line": 1, "content": text(random) }));
            "insert_at_line"
        }
        7 => {
            with(json!({ "start_line": 1, "end_line": 1 }));
            "delete_lines"
        }
        8 => {
            with(json!({ "start_line": 1, "end_line": 2, "content": text(random) }));
            "replace_lines"
        }
        9 => {
            with(json!({ "name_path": name, "body": "def name():\n    return 1" }));
            "replace_symbol_body"
        }
        10 => {
            with(json!({ "name_path": name, "body": "def name():\n    return 1" }));
            "insert_after_symbol"
        }
        11 => {
            let number = random.u8(..4);
            let patch = match random.u8(..3) {
                0 => format!("*** Add File: p{number}.py\n+{}", text(random).replace('\n', "\n+")),
                1 => format!("*** Update File: {path}\n*** Move to: p{number}.py"),
                _ => format!("*** Delete File: p{number}.py"),
            };
            with(json!({ "patch": format!("*** Begin Patch\n{patch}\n*** End Patch\n") }));
            "apply_patch"
        }
        12 => "undo",
        _ => "redo",
    };
    (tool, arguments)
}

/// Returns a text with a valid or invalid beginning, which may contain bytes that no text contains.
fn text(random: &mut fastrand::Rng) -> String {
    let mut text =
        ["", "", "\u{FEFF}", "\u{FEFF}\u{FEFF}", "\0", "class Broken(:\n"][random.usize(..6)].to_owned();
    let ending = ["\n", "\r\n", "\r"][random.usize(..3)];
    for _ in 0..random.usize(1..4) {
        text += ["def one():\n    return 1\n", "class Two:\n    def three(self): return 1\n", "name = 1\n"]
            [random.usize(..3)];
    }
    text += ["", "", "\0", "# \u{FEFF}\u{1F600}"][random.usize(..4)];
    text.replace('\n', ending)
}

#[test]
fn an_edit_over_the_limit_of_what_is_parsed_is_not_told_either() {
    let size = usize::try_from(MAX_PARSED_BYTES).unwrap();
    let mut large = SOURCE.to_owned();
    large += &"#".repeat(size - large.len());
    play(&[("large.py", large.as_bytes())], Answers::NoServer, async |stage| {
        check(stage, &[]).await;
        for (tool, arguments) in [
            ("insert_at_line", json!({ "relative_path": "large.py", "line": 1, "content": "# more" })),
            ("undo", json!({})),
            ("redo", json!({})),
            ("delete_lines", json!({ "relative_path": "large.py", "start_line": 1, "end_line": 1 })),
        ] {
            let done = stage.done(tool, arguments).await;
            check(stage, &[done]).await;
        }
    });
}

#[test]
fn a_mark_that_arrives_in_a_text_is_no_part_of_it() {
    play(&[("a.py", b"x = 1\n")], Answers::NoServer, async |stage| {
        let whole = "\u{FEFF}def one():\n    return 1\n\n\ndef two():\n    return 2\n";
        for (tool, mut arguments) in [
            ("create_text_file", json!({ "content": whole })),
            ("replace_content", json!({ "needle": "x = 1\n", "repl": whole })),
            ("replace_lines", json!({ "start_line": 1, "end_line": 1, "content": whole })),
        ] {
            arguments["relative_path"] = "a.py".into();
            stage.done(tool, arguments).await;
            check(stage, &[tool.to_owned()]).await;
            let body =
                json!({ "relative_path": "a.py", "name_path": "two", "body": "def two():\n    return 22\n" });
            stage.done("replace_symbol_body", body).await;
            assert_eq!(stage.text("a.py"), whole.replace("return 2", "return 22"), "{tool}");
            stage.undo().await;
            stage.undo().await;
            // The content that the connection wrote is no longer the current one.
            stage.done("read_file", json!({ "relative_path": "a.py" })).await;
        }
    });
}
