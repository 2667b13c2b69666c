//! Memory and questions in a large tree whose files all differ: forty copies of a tree, in each of which every file has a line and its first
//! class a name of its own.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use symd::base::{ContentHash, cores};

use crate::Bench;
use crate::bare;
use crate::daemon::{Connection, Daemon};
use crate::first;
use crate::latency;
use crate::table::{Table, ms, percentiles};

const COPIES: usize = 40;
const FINDS: usize = 1_000;
const REFERENCES: usize = 100;

pub(crate) fn measure(bench: &Bench, table: &mut Table) {
    let large = bench.scratch.path().join("many");
    let classes = copy(&bench.tree, &large);
    let mut names = latency::names(&bench.tree);
    // The first classes have another name in each copy.
    for (_, name) in &classes {
        names.remove(name.rsplit_once('_').map_or(name.as_str(), |(name, _)| name));
    }
    first_find(bench, &large, &classes[0], table, || {});
    let parse = bare::run(&bare::sources(&bench.tree)).mul_f64(COPIES as f64);
    let home = bench.scratch.path().join("many-home");
    for (start, most) in [("a cold start", 300), ("a restart", 250)] {
        let daemon = Daemon::at(&large, &home);
        let (answered, whole) = start_daemon(bench, &daemon, (&large, &classes[1].1), start, table, || {});
        let mut connection = daemon.connect("native");
        let status = daemon.status();
        let (files, symbols) = (&status["files"], &status["symbols"]);
        let against = format!("{files} files, {symbols} symbols");
        let mut row = |figure: &str, measured: String, target: &str| {
            table.row(&bench.name, &format!("{figure} after {start}"), measured, against.clone(), target);
        };
        let ratio = format!(
            "{} ({:.2} × {COPIES} times the parse, query and identifier walk of one copy, {})",
            ms(whole),
            whole.as_secs_f64() / parse.as_secs_f64(),
            ms(parse)
        );
        row("whole index", ratio, if most == 300 { "≤ 1.3 ×" } else { "–" });
        row("spawn to first find_symbol", ms(answered), if most == 300 { "–" } else { "≤ 2 s" });
        let of_one_copy: Vec<String> =
            (0..FINDS).map(|at| classes[at * 7 % classes.len()].1.clone()).collect();
        for (figure, queries, part, target) in [
            ("find_symbol in one copy, p50 / p99", &of_one_copy, false, "≤ 0.4 / 2 ms"),
            ("find_symbol in all copies, p50 / p99", &latency::exact_queries(&names), false, "–"),
            (
                "find_symbol by a part, in all copies, p50 / p99",
                &latency::substring_queries(&names),
                true,
                "≤ 3 / 15 ms",
            ),
        ] {
            let (p50, p99) = percentiles(latency::ask(&mut connection, &queries[..FINDS], part));
            row(figure, format!("{} / {}", ms(p50), ms(p99)), target);
        }
        let (p50, p99) = percentiles(references(&mut connection, &classes));
        row("find_referencing_symbols, p50 / p99", format!("{} / {}", ms(p50), ms(p99)), "–");
        let status = daemon.status();
        let pid = status["pid"].as_u64().unwrap_or(0);
        let workers = status["memory"]["parse_workers"].as_array().cloned().unwrap_or_default();
        let workers: u64 =
            workers.iter().map(|worker| rollup(worker["pid"].as_u64().unwrap_or(0), "Pss:")).sum();
        let own = rollup(pid, "Pss:");
        let sizes = format!("{} MB: {} MB and {} MB", (own + workers) / 1000, own / 1000, workers / 1000);
        row("PSS of the daemon and its workers", sizes, &format!("≤ {most} MB"));
        row("of which anonymous", format!("{} MB", rollup(pid, "Anonymous:") / 1000), "≤ 150 MB");
        row("files whose outline is on disk alone", status["stored_outlines"].to_string(), "–");
    }
}

/// Measures a first find, and both starts, with nothing of the tree in the page cache before each and before its limit.
pub(crate) fn measure_cold(bench: &Bench, table: &mut Table) {
    let large = bench.scratch.path().join("many");
    let classes = copy(&bench.tree, &large);
    first_find(bench, &large, &classes[0], table, first::drop_page_cache);
    let home = bench.scratch.path().join("many-home");
    for start in ["a cold start", "a restart"] {
        let daemon = Daemon::at(&large, &home);
        let asked = (&*large, &*classes[1].1);
        let (answered, whole) = start_daemon(bench, &daemon, asked, start, table, first::drop_page_cache);
        for (figure, taken) in [("spawn to first find_symbol", answered), ("whole index", whole)] {
            table.row(&bench.name, &format!("{figure} after {start}"), ms(taken), "–".to_owned(), "–");
        }
    }
}

/// Starts a daemon by a question about a class, waits until all files are verified, and returns the times to its answer and to the whole
/// index. `before` is called before the start, and before its limit.
fn start_daemon(
    bench: &Bench,
    daemon: &Daemon,
    (large, name): (&Path, &str),
    start: &str,
    table: &mut Table,
    before: fn(),
) -> (Duration, Duration) {
    before();
    let started = Instant::now();
    daemon.run(&["call", "find_symbol", &json!({"name_path_pattern": name}).to_string()]);
    let answered = started.elapsed();
    daemon.wait_until_indexed();
    let whole = started.elapsed();
    while daemon.status()["unverified_files"] != json!(0) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let verified = started.elapsed();
    let limit = read_and_hash(large, before);
    let measured = format!("{} ({:.2} ×)", ms(verified), verified.as_secs_f64() / limit.as_secs_f64());
    let against = format!("reading and hashing all of them on all cores: {}", ms(limit));
    table.row(&bench.name, &format!("all files verified after {start}"), measured, against, "≤ 1.5 ×");
    (answered, whole)
}

/// Measures from spawning the command that starts a daemon without a cache to its answer about a class that one copy declares. `before` is
/// called before each thing that is measured.
fn first_find(bench: &Bench, large: &Path, (path, name): &(String, String), table: &mut Table, before: fn()) {
    before();
    let started = Instant::now();
    let listed = bare::files(large).len();
    let crawl = started.elapsed();
    before();
    let started = Instant::now();
    let holding = first::search(large, name);
    let search = started.elapsed();
    assert!(holding.contains(Path::new(path)), "{name} stands in {path}");
    let texts = bare::sources_with_paths(&large.join("copy_0"));
    let own = texts.into_iter().filter(|(of, ..)| holding.contains(&Path::new("copy_0").join(of)));
    let parse = bare::run(&own.map(|(_, grammar, text)| (grammar, text)).collect::<Vec<_>>());
    let daemon = Daemon::at(large, &bench.scratch.path().join("many-first"));
    before();
    let started = Instant::now();
    daemon.run(&["call", "find_symbol", &json!({"name_path_pattern": name}).to_string()]);
    let answer = started.elapsed();
    table.row(
        &bench.name,
        &format!("spawn to first find_symbol `{name}`, in {} files", holding.len()),
        ms(answer),
        format!(
            "rg -lw {} + parse of these files {}; listing {listed} files {}",
            ms(search),
            ms(parse),
            ms(crawl)
        ),
        &format!("≤ {}", ms((search + parse).mul_f64(1.5) + crawl)),
    );
}

/// Reads and hashes every file, on all cores, and returns how long that takes.
fn read_and_hash(tree: &Path, before: fn()) -> Duration {
    let files = bare::files(tree);
    before();
    let started = Instant::now();
    let hash = |path: &std::path::PathBuf| ContentHash::of(&std::fs::read(path).unwrap());
    let hashes = cores::parallel_map(&files, 64, hash);
    assert_eq!(hashes.len(), files.len());
    started.elapsed()
}

/// Asks for the uses of classes that one copy declares.
fn references(connection: &mut Connection, classes: &[(String, String)]) -> Vec<Duration> {
    let one = |at: usize| {
        let (path, name) = &classes[at * 31 % classes.len()];
        let arguments: Value = json!({"name_path": name, "relative_path": path});
        let started = Instant::now();
        connection.call("find_referencing_symbols", &arguments);
        started.elapsed()
    };
    (0..REFERENCES).map(one).collect()
}

/// Writes the copies; returns the classes that have a name of their own, with their files.
fn copy(tree: &Path, large: &Path) -> Vec<(String, String)> {
    let mut classes = Vec::new();
    for (number, (path, _, text)) in bare::sources_with_paths(tree).into_iter().enumerate() {
        let head = text.find("\nclass ").map(|at| at + "\nclass ".len());
        let name =
            head.map(|at| text[at..].split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(""));
        for copy in 0..COPIES {
            let relative = Path::new(&format!("copy_{copy}")).join(&path);
            let mut text = text.clone();
            if let (Some(head), Some(name)) = (head, name.filter(|name| !name.is_empty())) {
                text.insert_str(head + name.len(), &format!("_{copy}"));
                classes.push((relative.to_string_lossy().into_owned(), format!("{name}_{copy}")));
            }
            let target = large.join(relative);
            std::fs::create_dir_all(target.parent().unwrap()).unwrap();
            std::fs::write(target, format!("{text}\n# copy {copy} of file {number}\n")).unwrap();
        }
    }
    classes
}

/// Returns kilobytes of a process's memory.
pub(crate) fn rollup(pid: u64, field: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(field));
    let kibibytes: u64 = line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0);
    kibibytes * 1024 / 1000
}
