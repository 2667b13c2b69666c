//! Edits computed by servers, or from syntax, while other programs write the same files: computed again, or
//! rejected if the client knows another state of the files.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use symd::base::ContentHash;
use symd::toolsets::Outcome;

use crate::rename_stage::{Answers, Stage, play};

const LIB: &str = "def run(x):\n    return x\n";
const USE: &str = "from lib import run\n\nprint(run(2))\n";
const FILES: [(&str, &[u8]); 2] = [("lib.py", LIB.as_bytes()), ("use.py", USE.as_bytes())];

/// Renames in sequence, while lines are inserted into one of the files continuously.
const RENAMES: usize = 12;

fn range(line: u32, from: u32, to: u32) -> Value {
    json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } })
}

fn formatting() -> Answers {
    let spaces = json!([{ "answer": [{ "range": range(1, 0, 4), "newText": "  " }] }]);
    let script = json!({
        "capabilities": { "documentFormattingProvider": true, "documentRangeFormattingProvider": true },
        "on": { "textDocument/formatting": spaces, "textDocument/rangeFormatting": spaces },
    });
    Answers::Fake(script, "")
}

fn revision(text: &str) -> String {
    ContentHash::of(text.as_bytes()).short()
}

#[test]
fn a_rename_that_is_beaten_is_made_up_anew() {
    play(&FILES, Answers::NoServer, async |stage| {
        let is_over = AtomicBool::new(false);
        let writer = async {
            let mut count = 0;
            while !is_over.load(Ordering::Relaxed) {
                let insert = json!({ "relative_path": "use.py", "line": 2, "content": "# c" });
                let reply = stage.serena("insert_at_line", insert).await;
                assert_eq!(reply.text, "OK");
                count += 1;
            }
            count
        };
        let renamer = async {
            for number in 0..RENAMES {
                let old = if number == 0 { "run".to_owned() } else { format!("run{number}") };
                let new = format!("run{}", number + 1);
                let ask = json!({ "name_path": old, "relative_path": "lib.py", "new_name": new });
                let tool = if number % 2 == 0 {
                    stage.serena("rename_symbol", ask).await
                } else {
                    stage.reply("rename_symbol", ask).await
                };
                if tool.outcome != Outcome::Done {
                    is_over.store(true, Ordering::Relaxed);
                }
                assert_eq!(tool.outcome, Outcome::Done, "{number}: {}", tool.text);
            }
            is_over.store(true, Ordering::Relaxed);
        };
        let (lines, ()) = tokio::join!(writer, renamer);
        let last = format!("run{RENAMES}");
        assert_eq!(stage.text("lib.py"), LIB.replace("run", &last));
        let inserted = "# c\n".repeat(lines);
        assert_eq!(
            stage.text("use.py"),
            USE.replace("run", &last).replacen("\n\n", &format!("\n\n{inserted}"), 1)
        );
    });
}

#[test]
fn a_file_that_changed_since_it_was_read_is_not_formatted() {
    play(&FILES, formatting(), async |stage| {
        let ask = json!({ "relative_path": "lib.py", "start_line": 1, "end_line": 2 });
        stage.done("read_file", json!({ "relative_path": "lib.py" })).await;
        let newer = format!("# new\n{LIB}");
        std::fs::write(stage.path("lib.py"), &newer).unwrap();
        let text = stage.refused("format", ask.clone()).await;
        assert!(text.starts_with("conflict: lib.py changed since it was read here"), "{text}");
        let mut shown = ask.clone();
        shown["dry_run"] = json!(true);
        assert!(stage.refused("format", shown).await.starts_with("conflict: lib.py"));
        let mut wrong = ask.clone();
        wrong["expect"] = json!("0123456789ab");
        let text = stage.refused("format", wrong).await;
        assert!(text.contains("has revision") && text.contains("not 0123456789ab"), "{text}");
        let mut known = ask;
        known["expect"] = json!(revision(&newer));
        stage.done("format", known).await;
        // What was written here is known from then on.
        stage.done("format", json!({ "relative_path": "lib.py" })).await;
    });
}

#[test]
fn a_rename_is_held_against_what_its_client_knows_of_every_file() {
    play(&FILES, Answers::NoServer, async |stage| {
        let ask = json!({ "name_path": "run", "relative_path": "lib.py", "new_name": "go" });
        let with = |expect: Value| {
            let mut ask = ask.clone();
            ask["expect"] = expect;
            ask
        };
        let text = stage.refused("rename_symbol", with(json!({ "lib.py": "0123456789ab" }))).await;
        assert!(text.starts_with("conflict: lib.py has revision"), "{text}");
        stage.done("read_file", json!({ "relative_path": "use.py" })).await;
        let newer = format!("# new\n{USE}");
        std::fs::write(stage.path("use.py"), &newer).unwrap();
        let text = stage.refused("rename_symbol", ask.clone()).await;
        let way_on = format!("give expect: {{\"use.py\": \"{}\"}}", revision(&newer));
        assert!(text.starts_with("conflict: use.py changed") && text.contains(&way_on), "{text}");
        let text = stage.refused("rename_symbol", with(json!({ "lib.py": revision(LIB) }))).await;
        assert!(text.starts_with("conflict: use.py"), "{text}");
        stage
            .done("rename_symbol", with(json!({ "use.py": revision(&newer), "lib.py": revision(LIB) })))
            .await;
        assert_eq!(stage.text("use.py"), newer.replace("run", "go"));
    });
}

#[test]
fn what_an_edit_caused_is_told_to_programs_too() {
    let items = |items: Value| json!([{ "answer": { "kind": "full", "items": items } }]);
    let wrong = json!([{ "range": range(1, 2, 8), "severity": 1, "message": "odd indentation" }]);
    let script = json!({
        "capabilities": {
            "documentFormattingProvider": true,
            "diagnosticProvider": { "interFileDependencies": false, "workspaceDiagnostics": false },
        },
        "on": {
            "textDocument/formatting": [{ "answer": [{ "range": range(1, 0, 4), "newText": "  " }] }],
            "textDocument/diagnostic": [items(json!([])), items(wrong)],
        },
    });
    play(&FILES, Answers::Fake(script, ""), async |stage| {
        let answer = stage.done("format", json!({ "relative_path": "lib.py", "format": "json" })).await;
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let told = &answer["new_diagnostics"];
        assert_eq!((&told["known"], &told["sources"]), (&json!(true), &json!(["fake"])), "{answer}");
        let new = told["new"].as_array().unwrap();
        assert_eq!(new.len(), 1, "{answer}");
        assert_eq!((&new[0]["path"], &new[0]["line"]), (&json!("lib.py"), &json!(2)), "{answer}");
        assert_eq!(new[0]["message"], "odd indentation", "{answer}");
    });
    play(&FILES, Answers::NoServer, async |stage| {
        let ask =
            json!({ "name_path": "run", "relative_path": "lib.py", "new_name": "go", "format": "json" });
        let answer: Value = serde_json::from_str(&stage.done("rename_symbol", ask).await).unwrap();
        let expected = json!({ "known": false, "why": "no language server is ready" });
        assert_eq!(answer["new_diagnostics"], expected, "{answer}");
    });
}

/// Creates two FIFOs: through the first the server reports a request, through the second it continues.
fn fifos(scratch: &std::path::Path) -> (PathBuf, PathBuf) {
    let both = (scratch.join("asked"), scratch.join("go-on"));
    let made = std::process::Command::new("mkfifo").args([&both.0, &both.1]).status().unwrap();
    assert!(made.success());
    both
}

#[test]
fn a_file_that_changes_while_the_server_thinks_is_not_edited_by_old_places() {
    let scratch = tempfile::tempdir().unwrap();
    let (asked, go_on) = fifos(scratch.path());
    // The server was never sent use.py: its answers come from its own read of the disk.
    let edit = json!({ "documentChanges": [{
        "textDocument": { "uri": "{root}/use.py", "version": null },
        "edits": [{ "range": range(2, 0, 5), "newText": "log" }],
    }] });
    let script = json!({
        "capabilities": { "codeActionProvider": true },
        "on": { "textDocument/codeAction": [
            { "tell": asked.to_str().unwrap() },
            { "wait_for": go_on.to_str().unwrap() },
            { "answer": [{ "title": "act", "edit": edit }] },
        ] },
    });
    play(&FILES, Answers::Fake(script, ""), async |stage| {
        let ask = || json!({ "relative_path": "lib.py", "start_line": 1, "title": "act" });
        let meanwhile = |path: PathBuf, text: String| {
            let (asked, go_on) = (asked.clone(), go_on.clone());
            tokio::task::spawn_blocking(move || {
                std::fs::read(asked).unwrap();
                std::fs::write(path, text).unwrap();
                drop(std::fs::OpenOptions::new().write(true).open(go_on).unwrap());
            })
        };
        let newer = format!("# one\n# two\n{USE}");
        let writer = meanwhile(stage.path("use.py"), newer.clone());
        let reply = stage.reply("apply_code_action", ask()).await;
        writer.await.unwrap();
        assert_ne!(reply.outcome, Outcome::Done, "{}", reply.text);
        assert!(reply.text.contains("use.py"), "{}", reply.text);
        assert_eq!(stage.text("use.py"), newer);
        // Changes in another file do not matter.
        std::fs::write(stage.path("use.py"), USE).unwrap();
        let writer = meanwhile(stage.path("other.py"), "x = 1\n".to_owned());
        stage.done("apply_code_action", ask()).await;
        writer.await.unwrap();
        assert_eq!(stage.text("use.py"), USE.replace("print", "log"));
    });
}

/// A plan is made on one view; what changes meanwhile makes it a plan for files that are gone.
#[test]
fn a_use_that_appears_while_the_server_thinks_is_renamed_too() {
    let scratch = tempfile::tempdir().unwrap();
    let (asked, go_on) = fifos(scratch.path());
    let edit = |line, from| json!({ "range": range(line, from, from + 3), "newText": "go" });
    let file = |name: &str, edits: Value| {
        let uri = format!("{{root}}/{name}");
        json!({ "textDocument": { "uri": uri, "version": null }, "edits": edits })
    };
    let known = [file("lib.py", json!([edit(0, 4)])), file("use.py", json!([edit(0, 16), edit(2, 6)]))];
    let all = [known.as_slice(), &[file("new.py", json!([edit(0, 16)]))]].concat();
    let script = json!({
        "capabilities": { "renameProvider": true },
        "on": { "textDocument/rename": [
            [
                { "tell": asked.to_str().unwrap() },
                { "wait_for": go_on.to_str().unwrap() },
                { "answer": { "documentChanges": known } },
            ],
            [{ "answer": { "documentChanges": all } }],
        ] },
    });
    play(&FILES, Answers::Fake(script, ""), async |stage| {
        let new = stage.path("new.py");
        let writer = tokio::task::spawn_blocking(move || {
            std::fs::read(asked).unwrap();
            std::fs::write(new, "from lib import run\n").unwrap();
            drop(std::fs::OpenOptions::new().write(true).open(go_on).unwrap());
        });
        let ask = json!({ "name_path": "run", "relative_path": "lib.py", "new_name": "go" });
        stage.done("rename_symbol", ask).await;
        writer.await.unwrap();
        let texts = ["lib.py", "use.py", "new.py"].map(|path| stage.text(path));
        let renamed = [LIB, USE, "from lib import run\n"].map(|text| text.replace("run", "go"));
        assert_eq!(texts, renamed);
    });
}

/// A use of a symbol is added while the server searches for its uses.
async fn deletes_while_used(stage: &Stage, asked: PathBuf, go_on: PathBuf) {
    let user = stage.path("new.py");
    let is_over = Arc::new(AtomicBool::new(false));
    let writer = tokio::task::spawn_blocking({
        let (asked, is_over) = (asked.clone(), is_over.clone());
        move || {
            loop {
                std::fs::read(&asked).unwrap();
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                std::fs::write(&user, "import lib\nlib.run(1)\n").unwrap();
                drop(std::fs::OpenOptions::new().write(true).open(&go_on).unwrap());
            }
        }
    });
    let reply = stage
        .reply("safe_delete", json!({ "name_path": "run", "relative_path": "lib.py", "wait": "ready" }))
        .await;
    is_over.store(true, Ordering::Relaxed);
    tokio::task::spawn_blocking(move || std::fs::write(asked, "").unwrap()).await.unwrap();
    writer.await.unwrap();
    assert_ne!(reply.outcome, Outcome::Done, "{}", reply.text);
    assert!(reply.text.contains("still used") && reply.text.contains("new.py"), "{}", reply.text);
    assert_eq!(stage.text("lib.py"), LIB);
}

#[test]
fn a_use_that_appears_while_uses_are_looked_for_keeps_the_symbol() {
    let scratch = tempfile::tempdir().unwrap();
    let (asked, go_on) = fifos(scratch.path());
    let script = json!({
        "capabilities": { "referencesProvider": true },
        "on": { "textDocument/references": [
            { "tell": asked.to_str().unwrap() }, { "wait_for": go_on.to_str().unwrap() }, { "answer": [] },
        ] },
    });
    let files: [(&str, &[u8]); 1] = [FILES[0]];
    play(&files, Answers::Fake(script, ""), async |stage| deletes_while_used(stage, asked, go_on).await);
}
