//! A keystroke in an editor, and an agent's question immediately after it: the time until the agent sees the new text.

use std::io::{BufReader, Read, Write};
use std::process::{ChildStdin, Stdio};
use std::time::Instant;

use serde_json::{Value, json};
use symd::base::Cancel;
use symd::syntax;

use crate::daemon::Daemon;
use crate::table::{Table, ms, percentiles};

const KEYSTROKES: usize = 500;

pub(crate) fn measure(table: &mut Table) {
    for lines in [400, 5_000] {
        let scratch = tempfile::tempdir().unwrap();
        let tree = scratch.path().canonicalize().unwrap().join("project");
        std::fs::create_dir_all(tree.join(".git")).unwrap();
        let text = text(lines);
        let file = tree.join("typed.py");
        std::fs::write(&file, &text).unwrap();
        let daemon = Daemon::at(&tree, &scratch.path().join("home"));
        daemon.run(&["start"]);
        let mut agent = daemon.connect("native");
        let mut process =
            daemon.command(&["lsp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut editor = process.stdin.take().unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        // What symd says to the editor is of no interest here, and must be read.
        let reading = std::thread::spawn(move || std::io::copy(&mut output.by_ref(), &mut std::io::sink()));
        let uri = format!("file://{}", file.display());
        send(
            &mut editor,
            &json!({ "id": 0, "method": "initialize", "params": { "rootUri": format!("file://{}", tree.display()) } }),
        );
        let item = json!({ "uri": uri, "languageId": "python", "version": 1, "text": text });
        send(&mut editor, &json!({ "method": "textDocument/didOpen", "params": { "textDocument": item } }));
        let mut samples = Vec::new();
        for number in 0..KEYSTROKES + 20 {
            let name = format!("typed_{number:04}");
            let range =
                json!({ "start": { "line": 0, "character": 4 }, "end": { "line": 0, "character": 14 } });
            let change = json!({ "range": range, "text": name });
            let document = json!({ "uri": uri, "version": number + 2 });
            let params = json!({ "textDocument": document, "contentChanges": [change] });
            let started = Instant::now();
            send(&mut editor, &json!({ "method": "textDocument/didChange", "params": params }));
            while agent.call("find_symbol", &json!({ "name_path_pattern": name })).starts_with("No symbols") {
            }
            // The first ones wait for the editor's connection and for the first parse of the file.
            if number >= 20 {
                samples.push(started.elapsed());
            }
        }
        let parses = (0..50).map(|_| {
            let started = Instant::now();
            syntax::outline(syntax::Grammar::named("python").unwrap(), &text, &Cancel::new()).unwrap();
            started.elapsed()
        });
        let parse = percentiles(parses.collect()).0;
        let (p50, p99) = percentiles(samples);
        drop(editor);
        let _ = process.wait();
        let _ = reading.join();
        table.row(
            "–",
            &format!("keystroke → an agent's answer has it, {lines} lines, p50 / p99"),
            format!("{} / {}", ms(p50), ms(p99)),
            format!("one parse: {}; {KEYSTROKES} keystrokes", ms(parse)),
            "≤ 20 ms p99",
        );
    }
}

/// Returns a Python file of so many lines, whose first function has a name of ten letters.
fn text(lines: usize) -> String {
    let mut text = "def typed_none():\n    pass\n\n\n".replace("typed_none", "typed_0000");
    for number in 0..(lines - 4) / 4 {
        text.push_str(&format!("def function_{number}(a, b):\n    return a + b * {number}\n\n\n"));
    }
    text
}

fn send(editor: &mut ChildStdin, message: &Value) {
    let mut message = message.clone();
    message["jsonrpc"] = json!("2.0");
    let text = message.to_string();
    write!(editor, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
    editor.flush().unwrap();
}
