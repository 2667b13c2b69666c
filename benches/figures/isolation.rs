//! The cost of parsing in worker processes compared with the engine's own threads, and the cost of edits of
//! small files beyond the disk's time: `--isolation TREE…`. Both sides of a comparison alternate, since a
//! machine's speed drifts.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use symd::engine::{Engine, EngineOptions};
use symd::parse::Parsers;
use symd::syntax::Grammar;
use symd::sys::processes;

use crate::Bench;
use crate::bare;
use crate::daemon::{Daemon, runtime_directory};
use crate::servers::bare::Bare;
use crate::table::{Table, median, ms};

/// Starts of each kind.
const STARTS: usize = 5;
/// Edits of each kind.
const EDITS: usize = 200;
/// Bytes of a small file, and of a huge one.
const SMALL: usize = 10_000;
const HUGE: usize = 4 << 20;

pub(crate) fn measure(bench: &Bench, table: &mut Table) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(both_ways(bench, table));
    drop(runtime);
    memory(table);
    let here = Path::new("/dev/shm");
    if here.is_dir() {
        small_edits("in memory", tempfile::tempdir_in(here).unwrap(), "0.3", table);
    }
    small_edits("on disk", tempfile::tempdir().unwrap(), "0.5", table);
    common_name(bench, table);
}

async fn both_ways(bench: &Bench, table: &mut Table) {
    let (mut starts, mut edits) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    for round in 0..STARTS {
        for way in 0..2 {
            let parsers = if way == 0 { Parsers::in_this_process() } else { crate::workers() };
            let began = Instant::now();
            let engine = engine(bench, parsers);
            engine.ask(|_| ()).await.unwrap();
            starts[way].push(began.elapsed());
            engine.wait_until_fresh().await.unwrap();
            let file = bench.tree.join("isolation_bench.py");
            for edit in 0..EDITS / STARTS {
                std::fs::write(&file, python(&format!("edit_{round}_{way}_{edit}"))).unwrap();
                let began = Instant::now();
                let rows = engine.ask(|view| {
                    let file = view.snapshot.files.get("isolation_bench.py");
                    file.and_then(|file| file.outline().map(|outline| outline.rows.len()))
                });
                assert!(rows.await.unwrap().is_some_and(|rows| rows > 10));
                edits[way].push(began.elapsed());
            }
            std::fs::remove_file(&file).unwrap();
            engine.shutdown().await;
        }
    }
    let [threads, workers] = starts.map(median);
    let ratio = workers.as_secs_f64() / threads.as_secs_f64();
    let against = format!("parsed in threads: {}", ms(threads));
    table.row(
        &bench.name,
        "cold start to the first answer",
        format!("{} ({ratio:.2} ×)", ms(workers)),
        against,
        "≤ 1.05 ×",
    );
    let [threads, workers] = edits.map(median);
    let against = format!("parsed in threads: {}", ms(threads));
    table.row("10 KB of Python", "the outline after one edit", ms(workers), against, "≤ 0.15 ms more");
}

fn engine(bench: &Bench, parsers: Parsers) -> Engine {
    Engine::start(EngineOptions {
        root: bench.tree.clone(),
        unsaved: std::sync::Arc::default(),
        languages: symd::config::Languages::builtin().clone(),
        runtime_directory: runtime_directory(&bench.scratch.path().join("isolation")),
        cache_directory: None,
        watch: Default::default(),
        sweep_every: Duration::from_secs(3600),
        parsers,
        memory: symd::engine::MemoryOptions::default(),
        on_change: None,
    })
    .unwrap()
}

/// Returns a module of [`SMALL`] bytes whose first function has this name.
fn python(name: &str) -> String {
    let mut text = format!("def {name}():\n    pass\n");
    let mut number = 0;
    while text.len() < SMALL {
        number += 1;
        let _ = write!(
            text,
            "\n\ndef function_{number}(self, request):\n    return self.client.get(request, {number})\n"
        );
    }
    text
}

/// Measures the resident memory of the daemon and its workers before a huge file, with it, and after its
/// removal.
fn memory(table: &mut Table) {
    let scratch = tempfile::tempdir().unwrap();
    let tree = scratch.path().canonicalize().unwrap().join("tree");
    std::fs::create_dir_all(&tree).unwrap();
    std::fs::write(tree.join("small.py"), python("small")).unwrap();
    let daemon = Daemon::at(&tree, &scratch.path().join("home"));
    let mut symd = daemon.connect("native");
    let ask = json!({"name_path_pattern": "small"});
    symd.call("find_symbol", &ask);
    let pid = i32::try_from(daemon.status()["pid"].as_i64().unwrap()).unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    let before = resident(pid);
    let text = python("huge").repeat(HUGE / SMALL);
    std::fs::write(tree.join("huge.py"), &text).unwrap();
    symd.call("find_symbol", &json!({"name_path_pattern": "huge"}));
    while daemon.status()["on_trial"].as_array().is_some_and(|files| !files.is_empty()) {}
    symd.call("find_symbol", &json!({"name_path_pattern": "huge"}));
    let with = resident(pid);
    std::fs::remove_file(tree.join("huge.py")).unwrap();
    symd.call("find_symbol", &ask);
    std::thread::sleep(Duration::from_secs(5));
    let after = resident(pid);
    let megabytes = |bytes: u64| format!("{:.0} MB", bytes as f64 / 1e6);
    let against = format!("before: {}, with the file: {}", megabytes(before), megabytes(with));
    table.row(
        "4 MB of Python",
        "resident memory, daemon and workers, 5 s after it has gone",
        megabytes(after),
        against,
        "≤ 30 MB more",
    );
}

fn resident(pid: rustix::process::Pid) -> u64 {
    let own = |pid| processes::by_pid(pid).map_or(0, |process| process.resident_pages * 4096);
    own(pid)
        + processes::children(pid)
            .iter()
            .filter(|child| child.is_alive)
            .map(|child| own(child.pid))
            .sum::<u64>()
}

/// Measures a tool that changes a small file, with a grammar and without, compared with the disk's time for
/// the same bytes.
fn small_edits(place: &str, scratch: tempfile::TempDir, above: &str, table: &mut Table) {
    let tree = scratch.path().canonicalize().unwrap().join("tree");
    std::fs::create_dir_all(&tree).unwrap();
    let text = "a line of forty characters, more or less\n".repeat(SMALL / 41);
    std::fs::write(tree.join("notes.txt"), &text).unwrap();
    std::fs::write(tree.join("code.py"), python("first")).unwrap();
    let daemon = Daemon::at(&tree, &scratch.path().join("home"));
    let mut symd = daemon.connect("serena");
    let journal = scratch.path().join("journal");
    std::fs::write(&journal, vec![0; 64 << 10]).unwrap();
    let source = [(Grammar::named("python").unwrap(), python("first"))];
    let (mut disk, mut plain, mut code, mut parse) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..EDITS {
        disk.push(written(&scratch.path().join("own"), &journal, text.as_bytes()));
        let mut replaced = |file: &str, line: usize, content: String, times: &mut Vec<Duration>| {
            let wanted =
                json!({"relative_path": file, "start_line": line, "end_line": line, "content": content});
            let began = Instant::now();
            symd.call("replace_lines", &wanted);
            times.push(began.elapsed());
        };
        replaced("notes.txt", 7, format!("line {round}\n"), &mut plain);
        replaced("code.py", 1, format!("    return {round}\n"), &mut code);
        parse.push(bare::run(&source));
    }
    let (disk, plain, code, parse) = (median(disk), median(plain), median(code), median(parse));
    let against = format!("the disk's own: {}", ms(disk));
    let name = format!("10 KB, {place}");
    table.row(&name, "a tool that changes a text file", ms(plain), against, &format!("≤ {above} ms more"));
    let against = format!("the disk's own: {}, one parse: {}", ms(disk), ms(parse));
    let target = format!("≤ {above} + 0.15 ms more than both");
    table.row(&name, "a tool that changes a Python file", ms(code), against, &target);
}

/// Measures the writes that an edit needs: a journal that is written in place, the new file beside the old
/// one, its rename.
fn written(file: &Path, journal: &Path, bytes: &[u8]) -> Duration {
    use std::io::Write as _;
    let began = Instant::now();
    let mut slot = std::fs::OpenOptions::new().write(true).open(journal).unwrap();
    slot.write_all(bytes).unwrap();
    slot.sync_data().unwrap();
    let beside = file.with_extension("new");
    let mut new = std::fs::File::create(&beside).unwrap();
    new.write_all(bytes).unwrap();
    new.sync_all().unwrap();
    std::fs::rename(&beside, file).unwrap();
    std::fs::File::open(file.parent().unwrap()).unwrap().sync_all().unwrap();
    began.elapsed()
}

/// Measures a name with five uses among thousands of occurrences, in Django.
fn common_name(bench: &Bench, table: &mut Table) {
    let path = "django/db/models/query.py";
    let Ok(text) = std::fs::read_to_string(bench.tree.join(path)) else { return };
    if std::env::var_os("SYMD_TEST_SERVERS").is_none() {
        eprintln!("    SYMD_TEST_SERVERS names no servers: references are not measured");
        return;
    }
    let installed = crate::servers::installed();
    let home = bench.scratch.path().join("common");
    let daemon = Daemon::at(&bench.tree, &home);
    std::fs::create_dir_all(home.join("data")).unwrap();
    std::os::unix::fs::symlink(&installed, home.join("data/servers")).unwrap();
    let mut symd = daemon.connect("native");
    let mut bare = Bare::start(&installed.join("ty/bin/ty"), &["server"], &bench.tree);
    bare.open(path);
    for (name, declared) in [("QuerySet/filter", "    def filter("), ("QuerySet/get", "    def get(")] {
        let at = text.find(declared).unwrap();
        let line = text[..at].matches('\n').count();
        let wanted = json!({"name_path": name, "relative_path": path, "wait": "ready"});
        let position = json!({
            "textDocument": {"uri": bare.uri(path)},
            "position": {"line": line, "character": 8},
            "context": {"includeDeclaration": true},
        });
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        // In its first seconds a server gets each request twice.
        let until = Instant::now() + Duration::from_secs(12);
        while ours.len() < 15 {
            let began = Instant::now();
            symd.call("find_referencing_symbols", &wanted);
            let our = began.elapsed();
            let began = Instant::now();
            bare.request("textDocument/references", &position);
            if Instant::now() > until {
                ours.push(our);
                theirs.push(began.elapsed());
            }
        }
        let against = format!("the bare server: {}", ms(median(theirs)));
        table.row(&bench.name, &format!("references of {name}"), ms(median(ours)), against, "≤ 50 ms more");
    }
}
