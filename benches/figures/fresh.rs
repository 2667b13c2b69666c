//! A change by another program, and a question immediately after it: whether the answer is ever stale, and
//! its latency.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use symd::engine::{Engine, EngineOptions};

use crate::Bench;
use crate::daemon::{Connection, Daemon, runtime_directory};
use crate::table::{Table, ms, percentiles};

const TRIES: usize = 10_000;

pub(crate) fn measure(bench: &Bench, table: &mut Table) {
    let (p50, p99) = percentiles(barriers(bench));
    table.row(
        &bench.name,
        "barrier (a question that asks nothing), p50 / p99",
        format!("{} / {}", ms(p50), ms(p99)),
        "2,000 in process".to_owned(),
        "≤ 0.2 ms p50",
    );

    let daemon = Daemon::at(&bench.tree, &bench.scratch.path().join("fresh"));
    daemon.run(&["start"]);
    daemon.wait_until_indexed();
    let mut connection = daemon.connect("native");
    let quiet = percentiles(quiet_questions(&mut connection));
    let mut stale = 0;
    let mut samples = Vec::with_capacity(TRIES);
    let mut random = fastrand::Rng::with_seed(3);
    for number in 0..TRIES {
        let (arguments, expected) = change(&bench.tree, number, &mut random);
        let started = Instant::now();
        let answer = connection.call("find_symbol", &arguments);
        samples.push(started.elapsed());
        stale += usize::from(answer.contains("\"symbols\":[]") == expected);
    }
    let (p50, p99) = percentiles(samples);
    table.row(
        &bench.name,
        "stale answers after write, rename, create, delete",
        format!("{stale} of {TRIES}"),
        "the question is sent at once".to_owned(),
        "0",
    );
    table.row(
        &bench.name,
        "such a question, p50 / p99",
        format!("{} / {}", ms(p50), ms(p99)),
        format!("the same with nothing changed: {} / {}", ms(quiet.0), ms(quiet.1)),
        "≤ 2 ms p99 above the file's parse",
    );
}

fn quiet_questions(connection: &mut Connection) -> Vec<Duration> {
    let ask = |connection: &mut Connection| {
        let started = Instant::now();
        connection.call("find_symbol", &json!({"name_path_pattern": "__no_such_symbol__", "format": "json"}));
        started.elapsed()
    };
    (0..1_000).map(|_| ask(connection)).collect()
}

/// Changes a small file; returns the question to ask, and whether something must be found.
fn change(tree: &Path, number: usize, random: &mut fastrand::Rng) -> (serde_json::Value, bool) {
    let file = tree.join("bench_fresh.py");
    let moved = tree.join("bench_moved.py");
    let name = format!("bench_symbol_{number}");
    let text = format!("def {name}(x):\n    return x\n");
    // JSON: a text answer without matches continues with a search for similar names.
    let ask = |name: &str| json!({"name_path_pattern": name, "format": "json"});
    match random.u8(..4) {
        0 => {
            std::fs::write(&file, text).unwrap();
            (ask(&name), true)
        }
        1 => {
            std::fs::write(&file, text).unwrap();
            std::fs::rename(&file, &moved).unwrap();
            (json!({"name_path_pattern": name, "relative_path": "bench_moved.py", "format": "json"}), true)
        }
        2 => {
            let new = tree.join(format!("bench_new_{number}.py"));
            std::fs::write(&new, text).unwrap();
            (ask(&name), true)
        }
        _ => {
            std::fs::write(&file, &text).unwrap();
            std::fs::remove_file(&file).unwrap();
            (ask(&name), false)
        }
    }
}

/// Measures the engine alone, without socket and JSON.
fn barriers(bench: &Bench) -> Vec<Duration> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let engine = Engine::start(EngineOptions {
            root: bench.tree.clone(),
            unsaved: std::sync::Arc::default(),
            languages: symd::config::Languages::builtin().clone(),
            runtime_directory: runtime_directory(&bench.scratch.path().join("barriers")),
            cache_directory: None,
            watch: Default::default(),
            sweep_every: Duration::from_secs(3600),
            parsers: crate::workers(),
            memory: symd::engine::MemoryOptions::default(),
            on_change: None,
        });
        let engine = engine.unwrap();
        engine.wait_until_fresh().await.unwrap();
        let mut samples = Vec::new();
        for _ in 0..2_000 {
            let started = Instant::now();
            engine.ask(|_| ()).await.unwrap();
            samples.push(started.elapsed());
        }
        engine.shutdown().await;
        samples
    })
}
