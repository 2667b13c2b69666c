//! A debugging session: kotlin_debug's reading tools and callers on a Kotlin tree, and stack traces, plain and through a large
//! mapping file of the user's own (`SYMD_BENCH_MAPPING=FILE`: that of the Kotlin compiler, say, obfuscated by ProGuard).

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;
use symd::base::Cancel;
use symd::syntax::{self, Grammar, SymbolKind};

use crate::Bench;
use crate::bare;
use crate::daemon::{Connection, Daemon};
use crate::table::{Table, ms, percentiles, percentiles_of};

/// Questions of each kind.
const QUESTIONS: usize = 300;
/// Frames of the trace.
const FRAMES: usize = 200;
/// Traces through the mapping after the first.
const REPEATED: usize = 20;

/// A function of the tree.
struct DeclaredFunction {
    path: String,
    /// 1-based.
    line: usize,
    name: String,
    package: String,
    file_class: String,
}

pub(crate) fn measure(bench: &Bench, table: &mut Table) {
    let daemon = started(bench);
    let functions = functions(&bench.tree);
    // Before callers, whose slowest answers take minutes altogether.
    traces(bench, &daemon, &functions, table);
    reading_and_callers(bench, &daemon, &functions, table);
}

/// Measures only what a stack trace takes.
pub(crate) fn measure_traces(bench: &Bench, table: &mut Table) {
    traces(bench, &started(bench), &functions(&bench.tree), table);
}

fn started(bench: &Bench) -> Daemon {
    let daemon = Daemon::at(&bench.tree, &bench.scratch.path().join("debugging"));
    daemon.run(&["start"]);
    daemon.wait_until_indexed();
    daemon
}

fn reading_and_callers(bench: &Bench, daemon: &Daemon, functions: &[DeclaredFunction], table: &mut Table) {
    let mut session = daemon.connect("kotlin_debug");
    let mut random = fastrand::Rng::with_seed(7);
    let asked: Vec<&DeclaredFunction> =
        (0..QUESTIONS).map(|_| &functions[random.usize(..functions.len())]).collect();
    let against = format!("{} functions of {} Kotlin files", functions.len(), kotlin_files(&bench.tree));
    let mut row = |figure: &str, took: Vec<Duration>, target: &str| {
        let measured = percentiles_of([50, 95, 99], took).map(ms).join(" / ");
        table.row(&bench.name, figure, measured, against.clone(), target);
    };
    let read = time(&mut session, "read_file", asked.iter().map(|one| json!({ "filePath": one.path })));
    row("kotlin_debug read_file, p50 / p95 / p99", read, "≤ 2 ms p50");
    let contexts = asked.iter().map(|one| json!({ "filePath": one.path, "line": one.line }));
    row(
        "kotlin_debug get_code_context, p50 / p95 / p99",
        time(&mut session, "get_code_context", contexts),
        "≤ 2 ms p50",
    );
    for (depth, target) in [(1, "≤ 50 ms p95"), (3, "≤ 300 ms p95")] {
        let callers = asked
            .iter()
            .map(|one| json!({ "functionName": one.name, "filePath": one.path, "maxDepth": depth }));
        row(
            &format!("find_callers_of_function to depth {depth}, p50 / p95 / p99"),
            time(&mut session, "find_callers_of_function", callers),
            target,
        );
    }
}

fn traces(bench: &Bench, daemon: &Daemon, functions: &[DeclaredFunction], table: &mut Table) {
    let mut random = fastrand::Rng::with_seed(11);
    let mut trace = String::from("java.lang.IllegalStateException: broken\n");
    for _ in 0..FRAMES {
        let one = &functions[random.usize(..functions.len())];
        let file = Path::new(&one.path).file_name().unwrap().to_string_lossy();
        trace.push_str(&format!(
            "\tat {}.{}.{}({file}:{})\n",
            one.package, one.file_class, one.name, one.line
        ));
    }
    let mut native = daemon.connect("native_full");
    let mut plain = Vec::new();
    for _ in 0..REPEATED {
        let started = Instant::now();
        native.call("resolve_stack_trace", &json!({ "text": trace }));
        plain.push(started.elapsed());
    }
    let first = plain.remove(0);
    table.row(
        &bench.name,
        &format!("a trace of {FRAMES} frames, first / p50"),
        format!("{} / {}", ms(first), ms(percentiles(plain).0)),
        "frames of random functions, each read from its file".to_owned(),
        "≤ 20 ms",
    );
    let Some(mapping) = std::env::var_os("SYMD_BENCH_MAPPING").map(PathBuf::from) else {
        let why = "SYMD_BENCH_MAPPING names no mapping file".to_owned();
        table.row(
            &bench.name,
            "a trace through a mapping",
            "not measured".to_owned(),
            why,
            "≤ 500 ms, then 50 ms",
        );
        return;
    };
    let text = std::fs::read_to_string(&mapping).unwrap();
    std::fs::write(bench.tree.join("mapping.txt"), &text).unwrap();
    let trace = obfuscated_trace(&text);
    let ask = |native: &mut Connection| {
        let started = Instant::now();
        let answer = native.call(
            "resolve_stack_trace",
            &json!({ "text": trace, "mapping": "mapping.txt", "limit": 100_000 }),
        );
        assert!(answer.contains("mapping.txt"), "{answer}");
        started.elapsed()
    };
    let first = ask(&mut native);
    let then = (0..REPEATED).map(|_| ask(&mut native)).collect();
    let started = Instant::now();
    std::hint::black_box(std::fs::read(bench.tree.join("mapping.txt")).unwrap());
    let reading = started.elapsed();
    table.row(
        &bench.name,
        &format!("{FRAMES} frames through a mapping of {} MB, first / then p50", text.len() >> 20),
        format!("{} / {}", ms(first), ms(percentiles(then).0)),
        format!("reading the mapping once: {}", ms(reading)),
        "≤ 500 ms / 50 ms",
    );
}

/// Returns a trace of methods that the mapping names, spread over the whole of it.
fn obfuscated_trace(mapping: &str) -> String {
    let mut frames = Vec::new();
    let mut class = "";
    for line in mapping.lines() {
        if let Some(head) = line.strip_suffix(':').filter(|line| !line.starts_with(' ')) {
            class = head.rsplit(" -> ").next().unwrap_or("");
        } else if let Some((method, name)) = line.trim_start().split_once(" -> ")
            && method.contains('(')
            && let Some((range, _)) = method.split_once(':')
            && range.bytes().all(|byte| byte.is_ascii_digit())
        {
            frames.push(format!("\tat {class}.{name}(SourceFile:{range})\n"));
        }
    }
    let step = (frames.len() / FRAMES).max(1);
    let chosen: String = frames.into_iter().step_by(step).take(FRAMES).collect();
    format!("java.lang.IllegalStateException: broken\n{chosen}")
}

/// Asks each question; one without an answer in the contract's 2 s counts with its time, and is told.
fn time(
    session: &mut Connection,
    tool: &str,
    questions: impl Iterator<Item = serde_json::Value>,
) -> Vec<Duration> {
    let mut late = Vec::new();
    let mut took = Vec::new();
    for arguments in questions {
        let started = Instant::now();
        if !session.succeeds(tool, &arguments) {
            late.push(arguments);
        }
        took.push(started.elapsed());
    }
    if !late.is_empty() {
        eprintln!("  {tool}: no answer to {} of {} questions, say {}", late.len(), took.len(), late[0]);
    }
    took
}

fn kotlin_files(tree: &Path) -> usize {
    bare::files(tree).iter().filter(|path| path.extension().is_some_and(|end| end == "kt")).count()
}

/// Returns the functions of the tree's Kotlin files that are not local.
fn functions(tree: &Path) -> Vec<DeclaredFunction> {
    let kotlin = Grammar::named("kotlin").unwrap();
    let mut found = Vec::new();
    for (path, grammar, text) in bare::sources_with_paths(tree) {
        if grammar.name() != kotlin.name() || path.extension().is_none_or(|end| end != "kt") {
            continue;
        }
        let outline = syntax::outline(grammar, &text, &Cancel::new()).unwrap();
        let package = outline.imports.unpack().package().unwrap_or("").to_owned();
        let stem = path.file_stem().unwrap().to_string_lossy();
        for row in &outline.rows {
            if matches!(row.kind(), SymbolKind::Function | SymbolKind::Method) && !row.is_local() {
                let owner = row.parent().map(|parent| outline.name(&outline.rows[parent]).to_owned());
                found.push(DeclaredFunction {
                    path: path.to_string_lossy().into_owned(),
                    line: text[..row.name_start as usize].matches('\n').count() + 1,
                    name: outline.name(row).to_owned(),
                    package: package.clone(),
                    file_class: owner.unwrap_or_else(|| format!("{stem}Kt")),
                });
            }
        }
    }
    found
}
