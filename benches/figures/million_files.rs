//! A tree of a million files: the listing of a tree, repeated under further folders. Contents are made: a line each, a thousand different ones
//! for each grammar, so that the files take little and no time goes into parsing.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::Bench;
use crate::bare;
use crate::daemon::Daemon;
use crate::latency;
use crate::many_files::rollup;
use crate::table::{Table, ms, percentiles};

const FILES: usize = 1_000_000;
const CONTENTS: usize = 1_000;
const FINDS: usize = 100;

pub(crate) fn measure(bench: &Bench, table: &mut Table) {
    let listing: Vec<PathBuf> = bare::files(&bench.tree);
    let listing: Vec<&Path> = listing.iter().map(|path| path.strip_prefix(&bench.tree).unwrap()).collect();
    let large = bench.scratch.path().join("million");
    write(&listing, &large);
    let home = bench.scratch.path().join("million-home");
    for start in ["a cold start", "a restart"] {
        let daemon = Daemon::at(&large, &home);
        let started = Instant::now();
        daemon.run(&["start"]);
        let until = |is_so: &dyn Fn(&serde_json::Value) -> bool| {
            while !is_so(&daemon.status()) {
                std::thread::sleep(Duration::from_millis(100));
            }
            started.elapsed()
        };
        let number = |status: &serde_json::Value, field: &str| status[field].as_u64().unwrap_or(0);
        let is_listed = |status: &serde_json::Value| {
            number(status, "files") + number(status, "unread_files") >= FILES as u64
        };
        let listed = until(&is_listed);
        let read = until(&|status| status["ready"] == json!(true) && status["pending_files"] == json!(0));
        let verified = until(&|status| status["unverified_files"] == json!(0));
        let mut connection = daemon.connect("native");
        let status = daemon.status();
        let (watched, polled) = (&status["watcher"]["watched"], &status["watcher"]["polled"]);
        let against = format!("{} files, {watched} directories watched, {polled} polled", status["files"]);
        let mut row = |figure: &str, measured: String| {
            table.row(&bench.name, &format!("{figure} after {start}"), measured, against.clone(), "–");
        };
        row("all files listed", ms(listed));
        row("all files in the index", ms(read));
        row("all files verified", ms(verified));
        let queries: Vec<String> = (0..FINDS).map(|at| name(at * 7)).collect();
        let (p50, p99) = percentiles(latency::ask(&mut connection, &queries, false));
        row(
            "find_symbol of a name in a thousandth of the files, p50 / p99",
            format!("{} / {}", ms(p50), ms(p99)),
        );
        let pid = status["pid"].as_u64().unwrap_or(0);
        let sizes = format!("{} MB, {} MB", rollup(pid, "Pss:") / 1000, rollup(pid, "Anonymous:") / 1000);
        row("PSS of the daemon, of which anonymous", sizes);
    }
}

/// Writes the files.
fn write(listing: &[&Path], large: &Path) {
    for number in 0..FILES {
        let (part, path) = (number / listing.len(), listing[number % listing.len()]);
        let target = large.join(format!("part_{part}")).join(path);
        if number % listing.len() == 0 || listing[number % listing.len() - 1].parent() != path.parent() {
            std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        }
        std::fs::write(target, format!("{} = 1\n", name(number))).unwrap();
    }
}

fn name(number: usize) -> String {
    format!("name_{}", number % CONTENTS)
}
