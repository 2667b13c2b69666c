//! Cold start to the first answer, and a restart that finds the cache.

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
    let (mut limits, mut colds, mut restarts) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        limits.push(bare::run(&sources));
        let home = bench.scratch.path().join(format!("start{round}"));
        colds.push(first_answer(bench, &home));
        restarts.push(first_answer(bench, &home));
    }
    let (limit, cold, restart) = (median(limits), median(colds), median(restarts));
    let ratio = cold.as_secs_f64() / limit.as_secs_f64();
    let megabytes = bytes as f64 / 1e6;
    table.row(
        &bench.name,
        "cold start to first find_symbol",
        format!("{} ({ratio:.2} ×)", ms(cold)),
        format!(
            "parse + query + identifier walk of {} files, {megabytes:.1} MB: {}",
            sources.len(),
            ms(limit)
        ),
        "≤ 1.5 ×",
    );
    table.row(
        &bench.name,
        "restart with cache to first answer",
        ms(restart),
        "a new process".to_owned(),
        "≤ 300 ms",
    );
}

/// Measures the time from no daemon to an answer as a user sees it: one command that starts the daemon and
/// asks.
fn first_answer(bench: &Bench, home: &std::path::Path) -> Duration {
    let daemon = Daemon::at(&bench.tree, home);
    let started = Instant::now();
    daemon.run(&["call", "find_symbol", r#"{"name_path_pattern":"__no_such_symbol__"}"#]);
    let taken = started.elapsed();
    // Stopping writes the cache.
    daemon.run(&["stop"]);
    taken
}
