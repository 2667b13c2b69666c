//! Language servers through symd compared with the same servers alone: time and answer sets for seeded
//! symbols, the first question, many clients at once, a killed server.

pub(crate) mod bare;
mod crowd;
mod pick;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::bare::Bare;
use self::pick::Asked;
use crate::Bench;
use crate::daemon::{Connection, Daemon};
use crate::table::{Table, median, ms};

const SYMBOLS: usize = 100;
/// A method of Django with few uses among thousands of calls of that name.
const COMMON: &str = "QuerySet/filter";
const COMMON_ROUNDS: usize = 15;
/// The number of times to kill the server.
const KILLS: usize = 5;

/// Returns the directory of the installed servers: `$SYMD_TEST_SERVERS`, as in the tests.
pub(crate) fn installed() -> PathBuf {
    std::env::var_os("SYMD_TEST_SERVERS")
        .expect("SYMD_TEST_SERVERS names the directory of installed servers")
        .into()
}

fn daemon(bench: &Bench, name: &str) -> Daemon {
    let home = bench.scratch.path().join(name);
    let daemon = Daemon::at(&bench.tree, &home);
    std::fs::create_dir_all(home.join("data")).unwrap();
    std::os::unix::fs::symlink(installed(), home.join("data/servers")).unwrap();
    daemon
}

pub(crate) fn measure(bench: &Bench, table: &mut Table) {
    let asked = pick::symbols(&bench.tree, SYMBOLS);
    first_question(bench, &asked[0], table);
    let daemon = daemon(bench, "servers");
    let mut symd = daemon.connect("native");
    let mut bare = Bare::start(&installed().join("ty/bin/ty"), &["server"], &bench.tree);
    // Both have read the project before anything is measured.
    references(&mut symd, &asked[0]);
    bare_references(&mut bare, &asked[0]);
    let sets = compare(bench, table, &mut symd, &mut bare, &asked);
    against_basedpyright(bench, table, &asked, &sets);
    largest(bench, table, &mut symd, &mut bare);
    common_name(bench, table, &mut symd, &mut bare);
    crowd::measure(bench, table, &daemon, &asked);
    killed(bench, table, &daemon, &mut symd, &asked[0]);
}

/// Measures single questions, without comparing answer sets and without many clients.
pub(crate) fn measure_times(bench: &Bench, table: &mut Table) {
    let asked = pick::symbols(&bench.tree, 1);
    let daemon = daemon(bench, "servers");
    let mut symd = daemon.connect("native");
    let mut bare = Bare::start(&installed().join("ty/bin/ty"), &["server"], &bench.tree);
    references(&mut symd, &asked[0]);
    bare_references(&mut bare, &asked[0]);
    largest(bench, table, &mut symd, &mut bare);
    common_name(bench, table, &mut symd, &mut bare);
    killed(bench, table, &daemon, &mut symd, &asked[0]);
}

/// Compares references, definition and incoming calls of each symbol, alternating between symd and the bare
/// server. Returns symd's answer sets.
fn compare(
    bench: &Bench,
    table: &mut Table,
    symd: &mut Connection,
    bare: &mut Bare,
    asked: &[Asked],
) -> Vec<BTreeSet<Site>> {
    let (mut ours, mut theirs) = (Times::default(), Times::default());
    let (mut equal, mut alarms, mut unchecked, mut differences) = (0, 0, 0, Vec::new());
    let mut sets = Vec::new();
    for symbol in asked {
        bare.open(&symbol.path);
        let (bare_set, time) = timed(|| bare_references(bare, symbol));
        theirs.references.push(time);
        let (answer, time) = timed(|| references(symd, symbol));
        ours.references.push(time);
        let set = set_of(&answer);
        if set == bare_set {
            equal += 1;
        } else {
            differences.push(difference(symbol, ("bare ty", &bare_set), ("symd", &set)));
        }
        sets.push(set);
        unchecked += usize::from(answer["unchecked"] != json!(0));
        if answer["missing"] != json!(0) {
            alarms += 1;
            eprintln!(
                "    said to be incomplete: {} in {}: {}",
                symbol.name_path, symbol.path, answer["unlisted"]
            );
        }
        if let Some((path, line)) = bare_set.iter().next() {
            bare.open(path);
            let Some(at) = pick::name_on_line(&bench.tree.join(path), *line, &symbol.name) else { continue };
            theirs.definition.push(
                timed(|| bare.request("textDocument/definition", &position(bare_uri(bare, path), at))).1,
            );
            let arguments =
                json!({"relative_path": path, "line": line + 1, "name": symbol.name, "format": "json"});
            ours.definition.push(timed(|| symd.call("find_definition", &arguments)).1);
        }
        if symbol.is_function {
            theirs.calls.push(timed(|| bare_callers(bare, symbol)).1);
            let arguments =
                json!({"name_path": symbol.name_path, "relative_path": symbol.path, "format": "json"});
            ours.calls.push(timed(|| symd.call("find_callers", &arguments)).1);
        }
    }
    for (figure, ours, theirs) in [
        ("references through ty, median", ours.references, theirs.references),
        ("definition through ty, median", ours.definition, theirs.definition),
        ("incoming calls through ty, median", ours.calls, theirs.calls),
    ] {
        let count = ours.len();
        let against = format!("{} from the bare server, {count} questions", ms(median(theirs)));
        table.row(&bench.name, figure, ms(median(ours)), against, "≤ + 2 ms or + 5 %");
    }
    differences.iter().for_each(|difference| eprintln!("    {difference}"));
    let against = format!("{SYMBOLS} symbols, by file and line");
    table.row(&bench.name, "answer sets equal to bare ty's", equal.to_string(), against.clone(), "100");
    table.row(
        &bench.name,
        "complete answers said to be incomplete",
        alarms.to_string(),
        against.clone(),
        "≤ 2",
    );
    table.row(
        &bench.name,
        "complete answers said to be unchecked",
        unchecked.to_string(),
        against,
        "only where receivers are unknown",
    );
    sets
}

/// Describes the difference between two answers in a line.
fn difference(symbol: &Asked, a: (&str, &BTreeSet<Site>), b: (&str, &BTreeSet<Site>)) -> String {
    let only = |a: &BTreeSet<Site>, b: &BTreeSet<Site>| {
        (a.difference(b).count(), a.difference(b).take(3).cloned().collect::<Vec<_>>())
    };
    let (name_path, path) = (&symbol.name_path, &symbol.path);
    format!("{name_path} in {path}: {} only {:?}, {} only {:?}", a.0, only(a.1, b.1), b.0, only(b.1, a.1))
}

/// Sends the same questions to basedpyright through symd, if it is installed.
fn against_basedpyright(bench: &Bench, table: &mut Table, asked: &[Asked], of_ty: &[BTreeSet<Site>]) {
    if !installed().join("basedpyright").exists() {
        eprintln!("    basedpyright is not installed: not compared");
        return;
    }
    let daemon = daemon(bench, "basedpyright");
    let config = bench.scratch.path().join("basedpyright/config");
    std::fs::create_dir_all(&config).unwrap();
    let chosen = "[[language]]\nname = \"python\"\nlanguage-servers = [\"basedpyright\"]\n";
    std::fs::write(config.join("languages.toml"), chosen).unwrap();
    daemon.run(&["trust", "--yes"]);
    let mut symd = daemon.connect("native");
    let mut equal = 0;
    for (symbol, of_ty) in asked.iter().zip(of_ty) {
        let answer = references(&mut symd, symbol);
        assert_eq!(answer["source"], json!("basedpyright"), "{answer}");
        let set = set_of(&answer);
        if set == *of_ty {
            equal += 1;
        } else {
            eprintln!("    {}", difference(symbol, ("ty", of_ty), ("basedpyright", &set)));
        }
    }
    let against = format!("{SYMBOLS} symbols, by file and line");
    table.row(&bench.name, "answer sets of ty and basedpyright equal", equal.to_string(), against, "≥ 95");
}

#[derive(Default)]
struct Times {
    references: Vec<Duration>,
    definition: Vec<Duration>,
    calls: Vec<Duration>,
}

/// A file and a 0-based line.
type Site = (String, u64);

/// Returns symd's references of a symbol, waiting for the server.
fn references(symd: &mut Connection, symbol: &Asked) -> Value {
    let arguments = json!({
        "name_path": symbol.name_path, "relative_path": symbol.path, "wait": "ready", "deadline_seconds": 100,
        "format": "json", "limit": 10_000_000, "show_unlisted": true,
    });
    serde_json::from_str(&symd.call("find_referencing_symbols", &arguments)).unwrap()
}

fn set_of(answer: &Value) -> BTreeSet<Site> {
    let references = answer["references"].as_array().unwrap_or_else(|| panic!("no references in {answer}"));
    let site = |reference: &Value| {
        (reference["path"].as_str().unwrap().to_owned(), reference["line"].as_u64().unwrap() - 1)
    };
    references.iter().map(site).collect()
}

/// Returns the bare server's references without the definition.
fn bare_references(bare: &mut Bare, symbol: &Asked) -> BTreeSet<Site> {
    let mut params = position(bare_uri(bare, &symbol.path), (symbol.line, symbol.column));
    params["context"] = json!({"includeDeclaration": true});
    let answer = bare.request("textDocument/references", &params);
    let own = (symbol.path.as_str(), symbol.line, symbol.column);
    let site = |location: &Value| {
        let path = bare.path_of(location["uri"].as_str().unwrap());
        let start = &location["range"]["start"];
        let (line, column) = (start["line"].as_u64().unwrap(), start["character"].as_u64().unwrap());
        ((path, line, column) != own).then(|| (path.to_owned(), line))
    };
    answer.as_array().into_iter().flatten().filter_map(site).collect()
}

fn bare_callers(bare: &mut Bare, symbol: &Asked) -> usize {
    let params = position(bare_uri(bare, &symbol.path), (symbol.line, symbol.column));
    let items = bare.request("textDocument/prepareCallHierarchy", &params);
    let items = items.as_array().cloned().unwrap_or_default();
    let calls = items.iter().map(|item| bare.request("callHierarchy/incomingCalls", &json!({"item": item})));
    calls.map(|calls| calls.as_array().map_or(0, Vec::len)).sum()
}

fn bare_uri(bare: &Bare, path: &str) -> String {
    bare.uri(path)
}

fn position(uri: String, (line, character): (u64, u64)) -> Value {
    json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}})
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let done = work();
    (done, started.elapsed())
}

/// Measures the symbol with the most references: the time for rendering them in addition to the server's
/// time.
fn largest(bench: &Bench, table: &mut Table, symd: &mut Connection, bare: &mut Bare) {
    let Some(symbol) = pick::most_used(&bench.tree) else { return };
    bare.open(&symbol.path);
    let mut here = Vec::new();
    let mut there = Vec::new();
    let mut count = 0;
    for _ in 0..5 {
        there.push(timed(|| bare_references(bare, &symbol)).1);
        let arguments = json!({
            "name_path": symbol.name_path, "relative_path": symbol.path, "wait": "ready", "limit": 10_000_000,
        });
        let (text, time) = timed(|| symd.call("find_referencing_symbols", &arguments));
        here.push(time);
        count = text.lines().count();
    }
    let against = format!("{} bare; {} ({count} lines), medians of 5", ms(median(there)), symbol.name_path);
    table.row(&bench.name, "references of the most used symbol", ms(median(here)), against, "≤ + 50 ms");
}

/// Measures a method with few uses whose name occurs everywhere: the time for checking all those places in
/// addition to the server's time.
fn common_name(bench: &Bench, table: &mut Table, symd: &mut Connection, bare: &mut Bare) {
    let Some(symbol) = pick::named(&bench.tree, COMMON) else { return };
    bare.open(&symbol.path);
    let (mut here, mut there) = (Vec::new(), Vec::new());
    let (mut used, mut unchecked) = (0, Value::Null);
    for round in 0..=COMMON_ROUNDS {
        let (_, bare_time) = timed(|| bare_references(bare, &symbol));
        let (answer, time) = timed(|| references(symd, &symbol));
        assert_eq!(answer["source"], json!("ty"), "{answer}");
        (used, unchecked) = (set_of(&answer).len(), answer["unchecked"].clone());
        if round > 0 {
            there.push(bare_time);
            here.push(time);
        }
    }
    let against = format!(
        "{} bare; {COMMON}: lines with uses {used}, other places that syntax cannot judge {unchecked}; medians of {COMMON_ROUNDS}",
        ms(median(there))
    );
    table.row(&bench.name, "references of a common name", ms(median(here)), against, "≤ + 50 ms");
}

/// Measures the first question without a running daemon: the answer from syntax, and the server's as soon as
/// it is available.
fn first_question(bench: &Bench, symbol: &Asked, table: &mut Table) {
    let daemon = daemon(bench, "first");
    let mut symd = daemon.connect("native");
    symd.call("find_symbol", &json!({"name_path_pattern": "__no_such_symbol__"}));
    let arguments = json!({"name_path": symbol.name_path, "relative_path": symbol.path, "format": "json"});
    let started = Instant::now();
    let text = symd.call("find_referencing_symbols", &arguments);
    let first = started.elapsed();
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["source"], json!("syntax"), "{answer}");
    let semantic = references(&mut symd, symbol);
    let both = started.elapsed();
    assert_eq!(semantic["source"], json!("ty"), "{semantic}");
    let (_, bare) = timed(|| {
        let mut bare = Bare::start(&installed().join("ty/bin/ty"), &["server"], &bench.tree);
        bare.open(&symbol.path);
        bare_references(&mut bare, symbol)
    });
    let against = "index ready, no server started".to_owned();
    table.row(&bench.name, "first references, from syntax", ms(first), against, "≤ 50 ms");
    let against = format!("{} from the bare server, started for it", ms(bare));
    table.row(&bench.name, "first references, from ty", ms(both), against, "as soon as it can");
}

/// Measures the time until the server answers again after its process group was killed. It is started
/// explicitly before each kill, because the delay before an automatic start grows with each crash.
fn killed(bench: &Bench, table: &mut Table, daemon: &Daemon, symd: &mut Connection, symbol: &Asked) {
    let (mut starts, mut times) = (Vec::new(), Vec::new());
    for _ in 0..KILLS {
        let bare = timed(|| {
            let mut bare = Bare::start(&installed().join("ty/bin/ty"), &["server"], &bench.tree);
            bare.open(&symbol.path);
            bare_references(&mut bare, symbol)
        });
        starts.push(bare.1);
        daemon.run(&["server", "restart", "ty"]);
        let answer = references(symd, symbol);
        assert_eq!(answer["source"], json!("ty"), "{answer}");
        let servers = daemon.status()["servers"].clone();
        let ty =
            servers.as_array().unwrap().iter().find(|server| server["name"] == json!("ty")).unwrap().clone();
        let group =
            rustix::process::Pid::from_raw(i32::try_from(ty["pid"].as_u64().unwrap()).unwrap()).unwrap();
        let (answer, time) = timed(|| {
            rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
            loop {
                // A question that arrives before the crash is noticed fails.
                let answer = references(symd, symbol);
                if answer["source"] == json!("ty") {
                    return answer;
                }
            }
        });
        assert!(answer["references"].is_array());
        times.push(time);
    }
    let against = format!("{} from start to answer of the bare server", ms(median(starts)));
    let figure = format!("answer after the server was killed, median of {KILLS}");
    table.row(&bench.name, &figure, ms(median(times)), against, "≤ + 300 ms");
}

/// Returns a file's text, for `pick`.
fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}
