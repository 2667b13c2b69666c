//! Characters per answer compared with the serena contract's, memory, and processor time without requests.

use serde_json::{Value, json};
use symd::engine::{Engine, EngineOptions};

use crate::Bench;
use crate::daemon::Daemon;
use crate::latency;
use crate::table::Table;
use std::sync::mpsc;
use std::time::Duration;

pub(crate) fn measure(bench: &Bench, table: &mut Table) {
    let daemon = Daemon::at(&bench.tree, &bench.scratch.path().join("size"));
    daemon.run(&["start"]);
    daemon.wait_until_indexed();
    answers(bench, &daemon, table);
    per_symbol(bench, table);

    let status = daemon.status();
    let pid = status["pid"].as_u64().unwrap_or(0);
    let symbols = status["symbols"].as_u64().unwrap_or(1);
    let resident = resident_kilobytes(pid) as f64 / 1e3;
    table.row(
        &bench.name,
        "daemon's resident memory",
        format!("{resident:.0} MB"),
        format!("{symbols} symbols"),
        "≤ 100 MB on Django",
    );

    let before = cpu_ticks(pid);
    // Only waits for time to pass, which is the measurement itself.
    let (_quiet, nobody_sends) = mpsc::sync_channel::<()>(0);
    let _ = nobody_sends.recv_timeout(Duration::from_secs(5));
    let ticks = cpu_ticks(pid) - before;
    table.row(
        &bench.name,
        "processor time while idle",
        format!("{ticks} ticks of 10 ms in 5 s"),
        "/proc/PID/stat".to_owned(),
        "0",
    );
}

fn answers(bench: &Bench, daemon: &Daemon, table: &mut Table) {
    let (mut native, mut serena) = (daemon.connect("native"), daemon.connect("serena"));
    let mut both = |figure: &str, tool: &str, for_native: Value, for_serena: Value| {
        let ours = native.call(tool, &for_native).chars().count();
        let theirs = serena.call(tool, &for_serena).chars().count();
        let part = ours as f64 / theirs as f64;
        table.row(
            &bench.name,
            figure,
            format!("{ours} characters ({part:.2} ×)"),
            format!("serena's JSON: {theirs}"),
            "≤ 0.33 ×",
        );
    };
    if let Some(file) = largest_outline(bench) {
        for depth in [0, 1] {
            let figure = format!("overview of {file}, depth {depth}");
            // The same facts: serena's answer includes locals of functions as children, which native omits.
            let arguments =
                json!({"relative_path": file, "depth": depth, "include_locals": true, "limit": 1_000_000});
            both(
                &figure,
                "get_symbols_overview",
                arguments,
                json!({"relative_path": file, "depth": depth, "max_answer_chars": 10_000_000}),
            );
        }
    }
    let names = latency::names(&bench.tree);
    let mut about_fifty: Vec<(&String, &usize)> =
        names.iter().filter(|(_, count)| (48..=52).contains(*count)).collect();
    about_fifty.sort();
    for (name, count) in about_fifty.into_iter().take(3) {
        let arguments = json!({"name_path_pattern": name, "include_locals": true, "limit": 1_000_000});
        both(
            &format!("find_symbol `{name}`, {count} hits"),
            "find_symbol",
            arguments,
            json!({"name_path_pattern": name, "max_answer_chars": 10_000_000}),
        );
    }
}

/// Measures the memory of a symbol in the index, in this process.
fn per_symbol(bench: &Bench, table: &mut Table) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let (symbols, (tables, rows, occurrences)) = runtime.block_on(async {
        let engine = Engine::start(EngineOptions {
            root: bench.tree.clone(),
            unsaved: std::sync::Arc::default(),
            languages: symd::config::Languages::builtin().clone(),
            runtime_directory: bench.scratch.path().join("per_symbol"),
            cache_directory: None,
            watch: Default::default(),
            sweep_every: Duration::from_secs(3600),
            parsers: crate::workers(),
            memory: symd::engine::MemoryOptions::default(),
            on_change: None,
        });
        let engine = engine.unwrap();
        // Small trees never get a name table: their files are kept separately.
        while engine.wait_until_fresh().await.unwrap().segments == 0 && engine.status().symbols > 20_000 {}
        let counted = engine.ask(|view| (view.snapshot.symbols, view.snapshot.memory())).await.unwrap();
        engine.shutdown().await;
        counted
    });
    let each = |bytes: usize| bytes as f64 / symbols as f64;
    table.row(
        &bench.name,
        "bytes per symbol besides names",
        format!("{:.0}", each(tables + rows)),
        format!(
            "rows {:.0}, name tables {:.0}; identifier occurrences {:.0} besides",
            each(rows),
            each(tables),
            each(occurrences)
        ),
        "≤ 64",
    );
}

/// Returns the file with the most symbols in the index.
fn largest_outline(bench: &Bench) -> Option<String> {
    let files = crate::bare::files(&bench.tree);
    let sized = files.iter().filter(|path| path.extension().is_some_and(|e| e == "py" || e == "kt"));
    let largest = sized.max_by_key(|path| path.metadata().map_or(0, |meta| meta.len()))?;
    Some(largest.strip_prefix(&bench.tree).ok()?.to_str()?.to_owned())
}

pub(crate) fn resident_kilobytes(pid: u64) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Returns user and system time, in clock ticks of 10 ms.
fn cpu_ticks(pid: u64) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let after_name = stat.rsplit(')').next().unwrap();
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}
