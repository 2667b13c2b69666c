//! Edits: a rename through a server compared with the bare server's own time, a symbol's body in a large file
//! compared with one parse of it, and the latency of questions meanwhile. The trees are generated, so that
//! the number of files and places is the target's.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use symd::config::Languages;
use symd::syntax::Grammar;

use crate::bare;
use crate::daemon::{Connection, Daemon};
use crate::servers::bare::Bare;
use crate::servers::installed;
use crate::table::{Table, median, ms, percentiles};

/// The number of files that name the symbol, including the declaring one; five places each.
const FILES: usize = 200;
const ROUNDS: usize = 9;
/// The number of functions, eight lines each.
const FUNCTIONS: usize = 1_000;

pub(crate) fn measure(table: &mut Table) {
    rename(table);
    symbol_body(table);
}

fn rename(table: &mut Table) {
    let scratch = tempfile::tempdir().unwrap();
    let tree = scratch.path().canonicalize().unwrap().join("tree");
    write_users(&tree);
    let home = scratch.path().join("home");
    let daemon = Daemon::at(&tree, &home);
    std::fs::create_dir_all(home.join("data")).unwrap();
    std::os::unix::fs::symlink(installed(), home.join("data/servers")).unwrap();
    let mut symd = daemon.connect("native");
    let mut bare = Bare::start(&installed().join("ty/bin/ty"), &["server"], &tree);
    let mut bare_rename = |from: &str, to: &str| {
        bare.open("origin.py");
        let params = json!({
            "textDocument": {"uri": bare.uri("origin.py")},
            "position": {"line": 0, "character": 6},
            "newName": to,
        });
        let started = Instant::now();
        let answer = bare.request("textDocument/rename", &params);
        let time = started.elapsed();
        let changes = answer["changes"].as_object().map_or(0, serde_json::Map::len);
        assert_eq!(changes.max(answer["documentChanges"].as_array().map_or(0, Vec::len)), FILES, "{from}");
        time
    };
    bare_rename("Thing", "Other");
    let names = ["Thing", "Other"];
    let (mut ours, mut theirs, mut dry) = (Vec::new(), Vec::new(), Vec::new());
    let stop = AtomicBool::new(false);
    let (quiet, meanwhile) = std::thread::scope(|scope| {
        let mut asker = daemon.connect("native");
        ask_for_a_while(&mut asker, 200);
        let quiet = ask_for_a_while(&mut asker, 2_000);
        let stop = &stop;
        let asking = scope.spawn(move || {
            let mut times = Vec::new();
            while !stop.load(Ordering::Relaxed) {
                times.extend(ask_for_a_while(&mut asker, 1));
            }
            times
        });
        for round in 0..ROUNDS {
            let (from, to) = (names[round % 2], names[(round + 1) % 2]);
            theirs.push(bare_rename(from, to));
            let mut wanted = json!({"name_path": from, "relative_path": "origin.py", "new_name": to, "dry_run": true, "wait": "ready"});
            let started = Instant::now();
            symd.call("rename_symbol", &wanted);
            dry.push(started.elapsed());
            wanted["dry_run"] = json!(false);
            let started = Instant::now();
            let answer = symd.call("rename_symbol", &wanted);
            ours.push(started.elapsed());
            assert!(
                answer.contains("1000 changes in 200 files"),
                "{}",
                &answer[answer.len().saturating_sub(300)..]
            );
        }
        stop.store(true, Ordering::Relaxed);
        (quiet, asking.join().unwrap())
    });
    let fsync = fsync_of(&tree, scratch.path());
    let against = format!(
        "{} from the bare server; the diff alone {}; writing and syncing the same 200 files and one journal: {}",
        ms(median(theirs)),
        ms(median(dry)),
        ms(fsync),
    );
    table.row(
        "200 files",
        "rename of 1,000 occurrences",
        ms(median(ours)),
        against,
        "≤ the server's + 150 ms",
    );
    let ((p50, p99), worst) =
        (percentiles(meanwhile.clone()), meanwhile.into_iter().max().unwrap_or_default());
    let (quiet50, quiet99) = percentiles(quiet);
    table.row(
        "200 files",
        "find_symbol while that happens, p50 / p99 / worst",
        format!("{} / {} / {}", ms(p50), ms(p99), ms(worst)),
        format!("{} / {} with nothing going on", ms(quiet50), ms(quiet99)),
        "readers never wait",
    );
}

fn ask_for_a_while(asker: &mut Connection, times: usize) -> Vec<Duration> {
    let ask = |_| {
        let started = Instant::now();
        asker.call("find_symbol", &json!({"name_path_pattern": "use_7"}));
        started.elapsed()
    };
    (0..times).map(ask).collect()
}

fn write_users(tree: &Path) {
    std::fs::create_dir_all(tree).unwrap();
    let filler = |text: &mut String| {
        for line in 0..60 {
            let _ = writeln!(text, "value_{line} = {line}");
        }
    };
    let mut origin =
        String::from("class Thing:\n    pass\n\n\na = Thing()\nb = Thing()\nc = Thing()\nd = Thing()\n");
    filler(&mut origin);
    std::fs::write(tree.join("origin.py"), origin).unwrap();
    for file in 1..FILES {
        let mut text = format!(
            "from origin import Thing\n\n\ndef use_{file}(one: Thing, two: Thing) -> Thing:\n    return one or two or Thing()\n"
        );
        filler(&mut text);
        std::fs::write(tree.join(format!("use_{file}.py")), text).unwrap();
    }
}

/// Measures the disk's time for the same bytes: every file written beside and synced, one more file with all
/// of them, all renamed.
fn fsync_of(tree: &Path, scratch: &Path) -> Duration {
    let texts: Vec<Vec<u8>> = std::fs::read_dir(tree)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .map(|path| std::fs::read(path).unwrap())
        .collect();
    let place = scratch.join("synced");
    std::fs::create_dir_all(&place).unwrap();
    let round = |number: usize| {
        let started = Instant::now();
        write_synced(&place.join(format!("journal{number}")), &texts.concat());
        let indexed: Vec<(usize, &Vec<u8>)> = texts.iter().enumerate().collect();
        std::thread::scope(|scope| {
            for share in indexed.chunks(texts.len().div_ceil(8)) {
                let place = &place;
                scope.spawn(move || {
                    share.iter().for_each(|(file, text)| write_synced(&place.join(format!("t{file}")), text));
                });
            }
        });
        (0..texts.len()).for_each(|file| {
            std::fs::rename(place.join(format!("t{file}")), place.join(format!("f{file}"))).unwrap()
        });
        std::fs::File::open(&place).unwrap().sync_all().unwrap();
        started.elapsed()
    };
    median((0..ROUNDS).map(round).collect())
}

fn write_synced(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
    std::fs::File::open(path).unwrap().sync_all().unwrap();
}

/// Returns a module of 8,000 lines.
fn large() -> String {
    let mut text = String::new();
    for number in 0..FUNCTIONS {
        let _ = write!(
            text,
            "def function_{number}(self, request):\n    response = self.client.get(reverse(\"admin:page_{number}\"), follow=True)\n    self.assertEqual(response.status_code, 200)\n    for row in response.context[\"rows\"]:\n        if row.number > {number} and not row.is_hidden:\n            self.assertContains(response, f\"<td>{{row.title}}</td>\")\n    return [row.title for row in response.context[\"rows\"]]\n\n"
        );
    }
    text
}

fn symbol_body(table: &mut Table) {
    let scratch = tempfile::tempdir().unwrap();
    let tree = scratch.path().canonicalize().unwrap().join("tree");
    std::fs::create_dir_all(&tree).unwrap();
    let text = large();
    std::fs::write(tree.join("large.py"), &text).unwrap();
    let daemon = Daemon::at(&tree, &scratch.path().join("home"));
    let mut symd = daemon.connect("native");
    let python = Languages::builtin();
    let python = python.all().find(|(_, language)| language.name == "python").unwrap().1;
    let source = [(Grammar::named(python.grammar.as_deref().unwrap()).unwrap(), text.clone())];
    let mut parse = Vec::new();
    let mut ours = Vec::new();
    for round in 0..ROUNDS * 3 {
        parse.push(bare::run(&source));
        let name = format!("function_{}", (round * 71) % FUNCTIONS);
        let body = format!("def {name}(first):\n    return first + {round}");
        let wanted = json!({"name_path": name, "relative_path": "large.py", "body": body});
        let started = Instant::now();
        symd.call("replace_symbol_body", &wanted);
        let found = symd.call("find_symbol", &json!({"name_path_pattern": name, "include_body": true}));
        ours.push(started.elapsed());
        assert!(found.contains(&format!("return first + {round}")), "{found}");
    }
    let sync = fsync_of(&tree, scratch.path());
    let against = format!(
        "parse + query + identifier walk of it: {}; writing and syncing that file and a journal: {}",
        ms(median(parse)),
        ms(sync)
    );
    let lines = text.lines().count();
    table.row(
        &format!("{lines} lines, {} KB", text.len() / 1024),
        "replace_symbol_body and the answer that shows it",
        ms(median(ours)),
        against,
        "≤ 1.3 × one parse besides fsync",
    );
}
