//! Cold start to the first answer and to the whole index, and a restart that finds the cache.

use std::time::{Duration, Instant};

use crate::Bench;
use crate::bare;
use crate::daemon::Daemon;
use crate::table::{Table, median, ms};

const ROUNDS: usize = 5;

pub(crate) fn measure(bench: &Bench, table: &mut Table) {
    let sources = bare::sources(&bench.tree);
    let bytes: usize = sources.iter().map(|(_, text)| text.len()).sum();
    // Alternating, so that a drift of the machine's speed affects all.
    let (mut limits, mut colds, mut wholes, mut restarts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        limits.push(bare::run(&sources));
        let home = bench.scratch.path().join(format!("start{round}"));
        let (cold, whole) = first_answer_and_index(bench, &home);
        colds.push(cold);
        wholes.push(whole);
        restarts.push(first_answer_and_index(bench, &home).0);
    }
    let (limit, restart) = (median(limits), median(restarts));
    let megabytes = bytes as f64 / 1e6;
    let against = format!(
        "parse + query + identifier walk of {} files, {megabytes:.1} MB: {}",
        sources.len(),
        ms(limit)
    );
    for (figure, taken, target) in [
        ("cold start to first find_symbol, of a name that is nowhere", median(colds), "≤ 1.5 ×"),
        ("cold start to the whole index", median(wholes), "≤ 1.3 ×"),
    ] {
        let ratio = taken.as_secs_f64() / limit.as_secs_f64();
        let measured = format!("{} ({ratio:.2} ×)", ms(taken));
        table.row(&bench.name, figure, measured, against.clone(), target);
    }
    table.row(
        &bench.name,
        "restart with cache to first answer",
        ms(restart),
        "a new process".to_owned(),
        "≤ 300 ms",
    );
}

/// Measures the time from no daemon to an answer as a user sees it, one command that starts the daemon and
/// asks, and to the whole index.
fn first_answer_and_index(bench: &Bench, home: &std::path::Path) -> (Duration, Duration) {
    let daemon = Daemon::at(&bench.tree, home);
    let started = Instant::now();
    daemon.run(&["call", "find_symbol", r#"{"name_path_pattern":"__no_such_symbol__"}"#]);
    let answered = started.elapsed();
    daemon.wait_until_indexed();
    let indexed = started.elapsed();
    // Stopping writes the cache.
    daemon.run(&["stop"]);
    (answered, indexed)
}
