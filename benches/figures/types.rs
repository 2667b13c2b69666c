//! What types cost on a Kotlin tree without a language server: until trees are parsed ahead, questions about references, the
//! first question after an edit, memory.

use std::collections::BTreeSet;
use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::json;
use symd::base::Cancel;
use symd::syntax::{self, Grammar};

use crate::Bench;
use crate::bare;
use crate::daemon::{Connection, Daemon};
use crate::table::{Table, ms, percentiles_of};

/// Symbols whose references are asked for.
const QUESTIONS: usize = 300;
/// Edits of one file, each with a question behind it.
const EDITS: usize = 60;

/// A symbol of the tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct NamedSymbol {
    file: String,
    /// 1-based.
    line: usize,
    name_path: String,
}

pub(crate) fn measure(bench: &Bench, table: &mut Table) {
    let daemon = Daemon::at(&bench.tree, &bench.scratch.path().join("types"));
    let started = Instant::now();
    daemon.run(&["start"]);
    daemon.wait_until_read();
    let indexed = started.elapsed();
    daemon.wait_until_indexed();
    let ahead = started.elapsed();
    table.row(
        &bench.name,
        "cold index / until trees are parsed ahead",
        format!("{} / {}", ms(indexed), ms(ahead)),
        "from spawning the daemon".to_owned(),
        "the index ≤ 1.25 × that without types",
    );
    let symbols = symbols(bench);
    let mut random = fastrand::Rng::with_seed(7);
    let asked: Vec<&NamedSymbol> = (0..QUESTIONS).map(|_| &symbols[random.usize(..symbols.len())]).collect();
    let before = memory(&daemon);
    let mut session = daemon.connect("native");
    let took = asked.iter().map(|one| ask(&mut session, one)).collect();
    let against = format!("{QUESTIONS} of {} symbols", symbols.len());
    let mut row = |figure: &str, took: Vec<Duration>, target: &str| {
        let measured = percentiles_of([50, 95, 99], took).map(ms).join(" / ");
        table.row(&bench.name, figure, measured, against.clone(), target);
    };
    row("references, p50 / p95 / p99", took, "≤ 5 / 50 ms (aim 2 / 20)");
    let again = asked.iter().map(|one| ask(&mut session, one)).collect();
    row("the same asked again", again, "");
    let after = memory(&daemon);
    let edited = (0..EDITS).map(|number| {
        let (of, of_file) = (asked[number], &symbols[random.usize(..symbols.len())].file);
        let mut file = std::fs::OpenOptions::new().append(true).open(bench.tree.join(of_file)).unwrap();
        writeln!(file, "// {number}").unwrap();
        ask(&mut session, of)
    });
    let edited = edited.collect();
    row("references after an edit of one file", edited, "≤ 20 ms (aim 5)");
    table.row(
        &bench.name,
        "anonymous memory of the daemon when indexed / after these questions",
        format!("{} / {} MiB", before >> 20, after >> 20),
        format!("{} files", bare::files(&bench.tree).len()),
        "≤ 40 MB more (aim 15)",
    );
}

fn ask(session: &mut Connection, symbol: &NamedSymbol) -> Duration {
    let started = Instant::now();
    let place = format!("{}:{}", symbol.file, symbol.line);
    session.call("references", &json!({ "name_path": symbol.name_path, "path": place }));
    started.elapsed()
}

fn memory(daemon: &Daemon) -> u64 {
    daemon.status()["memory"]["anonymous_bytes"].as_u64().unwrap()
}

/// Returns the symbols of the tree's Kotlin files that are not local.
fn symbols(bench: &Bench) -> Vec<NamedSymbol> {
    let kotlin = Grammar::named("kotlin").unwrap();
    let mut found = BTreeSet::new();
    for (path, grammar, text) in bare::sources_with_paths(&bench.tree) {
        if grammar.name() != kotlin.name() {
            continue;
        }
        let outline = syntax::outline(grammar, &text, &Cancel::new()).unwrap();
        for (at, row) in outline.rows.iter().enumerate().filter(|(_, row)| !row.is_local()) {
            let file = path.to_string_lossy().into_owned();
            let line = text[..row.name_start as usize].matches('\n').count() + 1;
            found.insert(NamedSymbol { file, line, name_path: outline.name_path(at) });
        }
    }
    found.into_iter().collect()
}
