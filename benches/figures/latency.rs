//! Latency of find_symbol over an open connection: exact and substring, queries with at most 20 hits.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use symd::base::Cancel;
use symd::syntax;

use crate::Bench;
use crate::bare;
use crate::daemon::{Connection, Daemon};
use crate::table::{Table, ms, percentiles};

const QUERIES: usize = 2_000;
const MOST_HITS: usize = 20;

pub(crate) fn measure(bench: &Bench, table: &mut Table) {
    let daemon = Daemon::at(&bench.tree, &bench.scratch.path().join("queries"));
    daemon.run(&["start"]);
    daemon.wait_until_indexed();
    let symbols = daemon.status()["symbols"].as_u64().unwrap_or(0);
    let against = format!("{symbols} symbols, {QUERIES} queries");
    let names = names(&bench.tree);
    let mut connection = daemon.connect("native");
    let (exact, substring) = (exact_queries(&names), substring_queries(&names));
    for (figure, queries, part, target) in [
        ("find_symbol exact, p50 / p99", exact, false, "≤ 0.3 / 2 ms"),
        ("find_symbol substring, p50 / p99", substring, true, "≤ 1 / 5 ms"),
    ] {
        let (p50, p99) = percentiles(ask(&mut connection, &queries, part));
        table.row(&bench.name, figure, format!("{} / {}", ms(p50), ms(p99)), against.clone(), target);
    }
}

/// Sends every query once; returns the time of each.
pub(crate) fn ask(connection: &mut Connection, queries: &[String], part: bool) -> Vec<Duration> {
    let mut samples = Vec::with_capacity(queries.len());
    for query in queries {
        let arguments = json!({"name_path_pattern": query, "substring_matching": part});
        let started = Instant::now();
        let answer = connection.call("find_symbol", &arguments);
        samples.push(started.elapsed());
        assert!(part || !answer.starts_with("No symbols"), "{query}: {answer}");
    }
    samples
}

/// Returns how often each name occurs as a symbol that is not local.
pub(crate) fn names(tree: &Path) -> HashMap<String, usize> {
    let mut names: HashMap<String, usize> = HashMap::new();
    for (grammar, text) in bare::sources(tree) {
        let outline = syntax::outline(grammar, &text, &Cancel::new()).unwrap();
        for row in outline.rows.iter().filter(|row| !row.is_local()) {
            *names.entry(outline.name(row).to_owned()).or_default() += 1;
        }
    }
    names
}

pub(crate) fn exact_queries(names: &HashMap<String, usize>) -> Vec<String> {
    let mut few: Vec<&String> =
        names.iter().filter(|(_, count)| **count <= MOST_HITS).map(|(name, _)| name).collect();
    few.sort();
    let mut random = fastrand::Rng::with_seed(1);
    (0..QUERIES).map(|_| few[random.usize(..few.len())].clone()).collect()
}

/// Returns parts of names (at least five letters) that few symbols contain.
pub(crate) fn substring_queries(names: &HashMap<String, usize>) -> Vec<String> {
    let mut all: Vec<&String> = names.keys().filter(|name| name.is_ascii() && name.len() >= 8).collect();
    all.sort();
    let mut random = fastrand::Rng::with_seed(2);
    let mut queries = Vec::new();
    while queries.len() < QUERIES {
        let name = all[random.usize(..all.len())];
        let part = &name[random.usize(..3)..name.len() - random.usize(..2)];
        let hits: usize = names.iter().filter(|(name, _)| name.contains(part)).map(|(_, count)| count).sum();
        if hits <= MOST_HITS {
            queries.push(part.to_owned());
        }
    }
    queries
}
