//! A keystroke in an editor, and an agent's question immediately after it: the time until the agent sees the new text.
//! And, with `SYMD_TEST_SERVERS`, what an editor's request through symd costs above the bare server.

use std::io::{BufReader, Read, Write};
use std::process::{ChildStdin, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use symd::base::Cancel;
use symd::syntax;

use crate::daemon::Daemon;
use crate::servers::bare::Bare;
use crate::servers::installed;
use crate::table::{Table, ms, percentiles};

const KEYSTROKES: usize = 500;

/// Up to so many lines a keystroke has to be seen within a time; above, within a multiple of one parse.
const MOST_LINES_IN_TIME: usize = 5_000;

/// Functions, and how often each is used: the references of the first are about 64 KB of JSON, those of the second 1.4 MB.
const USES: [(&str, usize); 2] = [("few", 430), ("many", 11_000)];

pub(crate) fn measure(table: &mut Table) {
    if std::env::var_os("SYMD_TEST_SERVERS").is_some() {
        measure_requests(table);
    }
    for lines in [400, MOST_LINES_IN_TIME, 10_000, 20_000] {
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
        let grammar = syntax::Grammar::named("python").unwrap();
        let outline = median_of(|| {
            syntax::outline(grammar, &text, &Cancel::new()).unwrap();
        });
        let mut parser = tree_sitter::Parser::new();
        parser.set_language(&grammar.language()).unwrap();
        let parse = median_of(|| drop(parser.parse(&text, None).unwrap()));
        let (p50, p99) = percentiles(samples);
        drop(editor);
        let _ = process.wait();
        let _ = reading.join();
        table.row(
            "–",
            &format!("keystroke → an agent's answer has it, {lines} lines, p50 / p99"),
            format!("{} / {}", ms(p50), ms(p99)),
            format!(
                "parse + query + identifier walk: {}, parse alone: {}; {KEYSTROKES} keystrokes",
                ms(outline),
                ms(parse)
            ),
            if lines <= MOST_LINES_IN_TIME { "≤ 20 ms p99" } else { "≤ 1.3 × one parse" },
        );
    }
}

/// Returns how long the work takes, by the median of 50 times.
fn median_of(mut work: impl FnMut()) -> Duration {
    let spent = (0..50).map(|_| {
        let started = Instant::now();
        work();
        started.elapsed()
    });
    percentiles(spent.collect()).0
}

/// What a request through symd costs above the same server without symd: ty, asked in turn by either way, always about
/// a place that was not asked about before.
fn measure_requests(table: &mut Table) {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path().canonicalize().unwrap();
    let tree = root.join("project");
    std::fs::create_dir_all(tree.join(".git")).unwrap();
    let mut uses = "from lib import *\n".to_owned();
    for (name, count) in USES {
        uses.push_str(&format!("{name}(1)\n").repeat(count));
    }
    let declared = USES.map(|(name, _)| format!("def {name}(a: int) -> int:\n    return a\n\n\n"));
    std::fs::write(tree.join("lib.py"), declared.concat()).unwrap();
    std::fs::write(tree.join("uses.py"), &uses).unwrap();
    let home = root.join("home");
    std::fs::create_dir_all(home.join("data")).unwrap();
    std::os::unix::fs::symlink(installed(), home.join("data/servers")).unwrap();
    let daemon = Daemon::that_asks_nobody(&tree, &home);
    let mut bare = Bare::start(&installed().join("ty/bin/ty"), &["server"], &tree);
    let options = json!({ "symd": { "navigation": ["python"] } });
    let mut through = Bare::run(daemon.command(&["lsp"]), &tree, &options);
    bare.open("uses.py");
    through.open("uses.py");
    let mut agent = daemon.connect("native");
    let ready = json!({ "relative_path": "uses.py", "line": 2, "name": "few", "wait": "ready", "deadline_seconds": 120 });
    agent.call("hover", &ready);
    let mut line = 1;
    for (what, method, (name, count), rounds) in [
        ("hover", "textDocument/hover", USES[0], 200),
        ("references", "textDocument/references", USES[0], 200),
        ("references", "textDocument/references", USES[1], 40),
    ] {
        let first = if name == USES[0].0 { 1 } else { 1 + USES[0].1 };
        let (mut alone, mut with_symd, mut bytes) = (Vec::new(), Vec::new(), 0);
        for number in 0..rounds {
            line = first + (line + 1) % count;
            let params = json!({
                "textDocument": { "uri": bare.uri("uses.py") }, "position": { "line": line, "character": 1 },
                "context": { "includeDeclaration": true },
            });
            let started = Instant::now();
            let expected = bare.request(method, &params);
            let spent = started.elapsed();
            let started = Instant::now();
            let answer = through.request(method, &params);
            let spent_through = started.elapsed();
            let size = |answer: &Value| answer.as_array().map_or(usize::from(!answer.is_null()), Vec::len);
            assert_eq!(size(&answer), size(&expected), "{method} at line {line}");
            bytes = answer.to_string().len();
            // The first one has the file parsed and read.
            if number > 0 {
                alone.push(spent);
                with_symd.push(spent_through);
            }
        }
        let (alone, with_symd) = (percentiles(alone), percentiles(with_symd));
        table.row(
            "–",
            &format!("{what} through `symd lsp`, an answer of {} KB, p50 / p99", bytes.div_ceil(1024)),
            format!("{} / {}", ms(with_symd.0), ms(with_symd.1)),
            format!("ty alone: {} / {}; {rounds} places", ms(alone.0), ms(alone.1)),
            if bytes <= 64 << 10 { "≤ 1 / ≤ 5 ms above" } else { "≤ 10 ms above" },
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
