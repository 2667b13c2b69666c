//! The first answers of a daemon that has read nothing, for names that stand in few files, in many and in none, each
//! beside what it needs at least: a search for the name, and the parse of the files that hold it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;
use symd::base::Cancel;
use symd::syntax::{self, Grammar, SymbolKind};

use crate::Bench;
use crate::bare;
use crate::daemon::Daemon;
use crate::table::{Table, median, ms, percentiles};

const ROUNDS: usize = 3;
/// Numbers of files that the names stand in, about.
const FILES: [usize; 3] = [3, 40, 1_000];
const NOWHERE: &str = "no_such_symbol_anywhere";
/// Number of questions about the same name after the first.
const AGAIN: usize = 200;

/// A name to ask about.
struct Name {
    name: String,
    /// What holds it and is parsed, with its text.
    sources: Vec<(Grammar, String)>,
}

pub(crate) fn measure(bench: &Bench, table: &mut Table) {
    let sources = bare::sources_with_paths(&bench.tree);
    let names = names(&sources).into_iter().chain([NOWHERE.to_owned()]);
    let names: Vec<Name> = names.map(|name| holding(&bench.tree, &sources, name)).collect();
    for name in &names {
        first(bench, table, name, "find_symbol");
    }
    for name in names.iter().filter(|name| name.name != NOWHERE) {
        first(bench, table, name, "find_referencing_symbols");
    }
    for name in &names {
        again(bench, table, name);
    }
    let load = std::fs::read_to_string("/proc/loadavg").unwrap();
    eprintln!("  load at the end: {load}");
}

/// Measures the same once with nothing of the tree in the page cache.
pub(crate) fn measure_cold(bench: &Bench, table: &mut Table) {
    let sources = bare::sources_with_paths(&bench.tree);
    let names: Vec<String> = names(&sources).into_iter().chain([NOWHERE.to_owned()]).collect();
    for (tool, factor) in [("find_symbol", 1.0), ("find_referencing_symbols", 1.5)] {
        let asked = names.iter().filter(|name| tool == "find_symbol" || *name != NOWHERE);
        for name in asked.map(|name| holding(&bench.tree, &sources, name.clone())) {
            first_cold(bench, table, &name, tool, factor);
        }
    }
}

fn first_cold(bench: &Bench, table: &mut Table, name: &Name, tool: &str, factor: f64) {
    let parse = if name.sources.is_empty() { Duration::ZERO } else { bare::run(&name.sources) };
    let cold = |measured: &mut dyn FnMut()| {
        drop_page_cache();
        let started = Instant::now();
        measured();
        started.elapsed()
    };
    let search = cold(&mut || drop(search(&bench.tree, &name.name)));
    let home = bench.scratch.path().join(format!("cold-{tool}-{}", name.name));
    let daemon = Daemon::at(&bench.tree, &home);
    let question = question(tool, &name.name).to_string();
    let answer = cold(&mut || drop(daemon.run(&["call", tool, &question])));
    let allowed = ((search + parse).mul_f64(1.5) + Duration::from_millis(30)).mul_f64(factor);
    table.row(
        &bench.name,
        &format!("cold: spawn to first {tool} `{}`, in {} files", name.name, name.sources.len()),
        ms(answer),
        format!("rg -lw, as cold, {} + parse of these files {}", ms(search), ms(parse)),
        &format!("≤ {}", ms(allowed)),
    );
}

/// Has the system forget what files it holds in memory, which takes root.
pub(crate) fn drop_page_cache() {
    rustix::fs::sync();
    std::fs::write("/proc/sys/vm/drop_caches", "3").expect("root may drop the page cache");
}

/// Returns names of one class or function each that stand in about as many files as [`FILES`] says.
fn names(sources: &[(PathBuf, Grammar, String)]) -> Vec<String> {
    let (mut declared, mut files) = (BTreeMap::<String, usize>::new(), HashMap::<&str, usize>::new());
    for (_, grammar, text) in sources {
        let outline = syntax::outline(*grammar, text, &Cancel::new()).unwrap();
        let is_kind = |kind| matches!(kind, SymbolKind::Class | SymbolKind::Function);
        for row in outline.rows.iter().filter(|row| row.parent().is_none() && is_kind(row.kind())) {
            *declared.entry(outline.name(row).to_owned()).or_default() += 1;
        }
        let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        words.collect::<HashSet<&str>>().into_iter().for_each(|word| *files.entry(word).or_default() += 1);
    }
    let unique: Vec<&String> = declared
        .iter()
        .filter(|(name, count)| **count == 1 && name.len() > 7)
        .map(|(name, _)| name)
        .collect();
    let distance = |name: &str, wanted: usize| files.get(name).copied().unwrap_or(0).abs_diff(wanted);
    let nearest = |wanted| unique.iter().min_by_key(|name| distance(name, wanted)).unwrap();
    FILES.iter().map(|wanted| (*nearest(*wanted)).clone()).collect()
}

fn holding(tree: &Path, sources: &[(PathBuf, Grammar, String)], name: String) -> Name {
    let found = search(tree, &name);
    let sources = sources
        .iter()
        .filter(|(path, _, _)| found.contains(path))
        .map(|(_, grammar, text)| (*grammar, text.clone()))
        .collect();
    Name { name, sources }
}

/// Returns the files that hold the name, as `rg -lw` tells them.
pub(crate) fn search(tree: &Path, name: &str) -> HashSet<PathBuf> {
    let output = Command::new("rg").args(["-lw", name, "."]).current_dir(tree).output().unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    listed.lines().map(|line| PathBuf::from(line.trim_start_matches("./"))).collect()
}

/// Measures a search and the parse of what it finds.
fn limit(tree: &Path, name: &Name) -> (Duration, Duration) {
    let started = Instant::now();
    search(tree, &name.name);
    let searched = started.elapsed();
    (searched, if name.sources.is_empty() { Duration::ZERO } else { bare::run(&name.sources) })
}

fn question(tool: &str, name: &str) -> serde_json::Value {
    let parameter = if tool == "find_symbol" { "name_path_pattern" } else { "name_path" };
    json!({parameter: name})
}

/// Measures from spawning the command that starts the daemon to the answer.
fn first(bench: &Bench, table: &mut Table, name: &Name, tool: &str) {
    let (mut searches, mut parses, mut answers) = (Vec::new(), Vec::new(), Vec::new());
    let mut unread = 0;
    for round in 0..ROUNDS {
        let (search, parse) = limit(&bench.tree, name);
        searches.push(search);
        parses.push(parse);
        let home = bench.scratch.path().join(format!("{tool}-{}-{round}", name.name));
        let daemon = Daemon::at(&bench.tree, &home);
        let started = Instant::now();
        let answer = daemon.run(&["call", tool, &question(tool, &name.name).to_string()]);
        answers.push(started.elapsed());
        unread = daemon.status()["unread_files"].as_u64().unwrap_or(0);
        assert!(!answer.is_empty(), "{tool} {}", name.name);
        drop(daemon);
        std::fs::remove_dir_all(&home).unwrap();
    }
    let (search, parse, answer) = (median(searches), median(parses), median(answers));
    let allowed = (search + parse).mul_f64(1.5) + Duration::from_millis(30);
    let allowed = if tool == "find_symbol" { allowed } else { allowed.mul_f64(1.5) };
    let figure = format!("spawn to first {tool} `{}`, in {} files", name.name, name.sources.len());
    let against =
        format!("rg -lw {} + parse of these files {}; {unread} files unread after it", ms(search), ms(parse));
    let target = format!("≤ {}", ms(allowed));
    table.row(&bench.name, &figure, ms(answer), against, &target);
}

/// Measures further questions about a name, from the first answer on, while the index is built.
fn again(bench: &Bench, table: &mut Table, name: &Name) {
    let home = bench.scratch.path().join(format!("again-{}", name.name));
    let daemon = Daemon::at(&bench.tree, &home);
    daemon.run(&["start"]);
    let mut connection = daemon.connect("native");
    let arguments = question("find_symbol", &name.name);
    connection.call("find_symbol", &arguments);
    let samples: Vec<Duration> = (0..AGAIN)
        .map(|_| {
            let started = Instant::now();
            connection.call("find_symbol", &arguments);
            started.elapsed()
        })
        .collect();
    let left = daemon.status()["unread_files"].as_u64().unwrap_or(0);
    let (p50, p99) = percentiles(samples);
    table.row(
        &bench.name,
        &format!("find_symbol `{}` again, p50 / p99", name.name),
        format!("{} / {}", ms(p50), ms(p99)),
        format!("{AGAIN} questions right after the first; {left} files unread after them"),
        "≤ 10 ms p99",
    );
}
