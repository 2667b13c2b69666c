//! The file tools of the contracts: on one small file compared with the disk's own time, on a whole tree
//! compared with `fdfind` and `rg` over the same files, and with a large patch, each where syncing is free
//! and where it is not.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Bench;
use crate::bare;
use crate::daemon::{Connection, Daemon};
use crate::table::{Table, median, ms};
use symd::syntax::Grammar;

/// Calls of each tool on the small file.
const CALLS: usize = 300;
/// Rounds over the whole tree.
const ROUNDS: usize = 9;
/// Bytes of the small file.
const SMALL: usize = 10_000;
/// Files of the large patch, and hunks in each.
const PATCHED: (usize, usize) = (100, 10);
/// A file system where syncing is free.
const MEMORY: &str = "/dev/shm";

pub(crate) fn measure(bench: &Bench, table: &mut Table) {
    measure_small(&bench.name, table);
    let memory = tempfile::tempdir_in(MEMORY).unwrap();
    whole_tree(bench, table);
    large_patch(bench, &bench.scratch.path().join("patched"), "fsync included", table);
    large_patch(bench, &memory.path().join("patched"), "besides fsync (all in memory)", table);
}

/// Measures the tools on one small file only, which needs no tree.
pub(crate) fn measure_small(name: &str, table: &mut Table) {
    let disk = tempfile::tempdir().unwrap();
    small_file(name, &disk.path().join("small"), "on disk", table);
    let memory = tempfile::tempdir_in(MEMORY).unwrap();
    small_file(name, &memory.path().join("small"), "in memory", table);
}

fn small_file(name: &str, place: &Path, which: &str, table: &mut Table) {
    let (tree, home) = (place.join("tree"), place.join("home"));
    std::fs::create_dir_all(tree.join(".symd")).unwrap();
    let file = tree.join("small.txt");
    std::fs::write(&file, text(0)).unwrap();
    let daemon = Daemon::that_asks_nobody(&tree, &home);
    let (mut gemini, mut router) = (daemon.connect("gemini_cli"), daemon.connect("tool_router"));
    let (root, path) = (tree.to_str().unwrap(), file.to_str().unwrap());
    let read = bare_time(|_| drop(std::hint::black_box(std::fs::read(&file).unwrap())));
    let mut row = |tool: &str, took: Duration, limit: Duration| {
        table.row(
            name,
            &format!("{tool} on a 10 KB file, {which}, p50"),
            format!("{}, {} above", ms(took), ms(took.saturating_sub(limit))),
            format!("the disk's own time {}", ms(limit)),
            "≤ 0.30 ms above",
        );
    };
    let reads: [(&str, Value); 4] = [
        ("read_file", json!({ "absolute_path": path })),
        ("list_directory", json!({ "path": root })),
        ("search_file_content", json!({ "pattern": "line 77 " })),
        ("glob", json!({ "pattern": "**/*.txt" })),
    ];
    for (tool, arguments) in reads {
        row(&format!("gemini_cli {tool}"), time(&mut gemini, tool, |_| arguments.clone()), read);
    }
    let reads: [(&str, Value); 3] = [
        ("read_file", json!({ "path": "small.txt" })),
        ("list_dir", json!({})),
        ("grep_files", json!({ "pattern": "line 77 " })),
    ];
    for (tool, arguments) in reads {
        row(&format!("tool_router {tool}"), time(&mut router, tool, |_| arguments.clone()), read);
    }
    for kind in [Small::Plain, Small::Python] {
        changed_file(name, &tree, which, (&mut gemini, &mut router), kind, table);
    }
}

/// The kind of the small file.
#[derive(Clone, Copy)]
enum Small {
    /// A file of a language without a grammar.
    Plain,
    Python,
}

impl Small {
    fn file(self) -> &'static str {
        match self {
            Small::Plain => "small.txt",
            Small::Python => "small.py",
        }
    }

    fn mark(self, which: usize) -> String {
        match self {
            Small::Plain => mark(which),
            Small::Python => format!("mark = {which}"),
        }
    }

    fn line(self, number: usize) -> String {
        match self {
            Small::Plain => format!("line {number} of it\n"),
            Small::Python => format!("value_{number} = made_of({number}, \"of it\")\n"),
        }
    }

    fn text(self, which: usize) -> String {
        let mut text = self.mark(which) + "\n";
        for line in (0..).take_while(|line| line * 10 < SMALL) {
            if text.len() < SMALL {
                text.push_str(&self.line(line));
            }
        }
        text
    }
}

/// Measures the tools that change the file, alternating with the disk's own time and one parse: all of them
/// vary with the load of the machine.
fn changed_file(
    name: &str,
    tree: &Path,
    which: &str,
    (gemini, router): (&mut Connection, &mut Connection),
    kind: Small,
    table: &mut Table,
) {
    let file = tree.join(kind.file());
    let beside = tree.with_file_name("beside");
    std::fs::create_dir_all(&beside).unwrap();
    std::fs::write(&file, kind.text(0)).unwrap();
    let path = file.to_str().unwrap();
    let (mut disk, mut parse) = (Vec::new(), Vec::new());
    let mut ours: [Vec<Duration>; 3] = Default::default();
    for round in 0..CALLS {
        let text = kind.text(3 * round);
        let started = Instant::now();
        durable_write(&beside, &beside.join(kind.file()), &text);
        disk.push(started.elapsed());
        if let Small::Python = kind {
            parse.push(bare::run(&[(Grammar::named("python").unwrap(), text)]));
        }
        let started = Instant::now();
        gemini.call("write_file", &json!({ "file_path": path, "content": kind.text(3 * round) }));
        ours[0].push(started.elapsed());
        let [old, new, newer] = [0, 1, 2].map(|more| kind.mark(3 * round + more));
        let started = Instant::now();
        gemini.call("replace", &json!({ "file_path": path, "old_string": old, "new_string": new }));
        ours[1].push(started.elapsed());
        let (file, line) = (kind.file(), kind.line(0));
        let patch = format!("--- a/{file}\n+++ b/{file}\n@@ -1,2 +1,2 @@\n-{new}\n+{newer}\n {line}");
        let started = Instant::now();
        router.call("apply_patch_json", &json!({ "patch": patch }));
        ours[2].push(started.elapsed());
    }
    let disk = median(disk);
    // On a disk each sync of symd's journal takes longer than in memory.
    let bound = if which == "on disk" { 0.50 } else { 0.30 };
    for (tool, took) in
        ["gemini_cli write_file", "gemini_cli replace", "tool_router apply_patch_json"].into_iter().zip(ours)
    {
        let took = median(took);
        let (what, limit, against, bound) = match kind {
            Small::Plain => ("file", disk, format!("the disk's own time {}", ms(disk)), bound),
            Small::Python => {
                let parse = median(parse.clone());
                let against = format!("the disk's own time {}, one parse {}", ms(disk), ms(parse));
                ("Python file", disk + parse, against, bound + 0.15)
            }
        };
        table.row(
            name,
            &format!("{tool} on a 10 KB {what}, {which}, p50"),
            format!("{}, {} above", ms(took), ms(took.saturating_sub(limit))),
            against,
            &format!("≤ {bound:.2} ms above"),
        );
    }
}

/// Returns a text of the small file's size, whose first line depends on `which`.
fn text(which: usize) -> String {
    let mut text = mark(which) + "\n";
    for line in 0.. {
        if text.len() >= SMALL {
            break;
        }
        text.push_str(&format!("line {line} of it\n"));
    }
    text
}

fn mark(which: usize) -> String {
    format!("mark {which:08}")
}

fn bare_time(mut work: impl FnMut(usize)) -> Duration {
    let samples = (0..CALLS).map(|call| {
        let started = Instant::now();
        work(call);
        started.elapsed()
    });
    median(samples.collect())
}

/// Measures the minimum time of a write that survives a crash.
fn durable_write(directory: &Path, file: &Path, text: &str) {
    let aside = file.with_extension("aside");
    let mut new = std::fs::File::create(&aside).unwrap();
    new.write_all(text.as_bytes()).unwrap();
    new.sync_all().unwrap();
    std::fs::rename(&aside, file).unwrap();
    std::fs::File::open(directory).unwrap().sync_all().unwrap();
}

fn time(connection: &mut Connection, tool: &str, arguments: impl Fn(usize) -> Value) -> Duration {
    let samples = (0..CALLS).map(|call| {
        let arguments = arguments(call);
        let started = Instant::now();
        connection.call(tool, &arguments);
        started.elapsed()
    });
    median(samples.collect())
}

/// A call, and an equivalent command.
struct Pair {
    toolset: &'static str,
    tool: &'static str,
    arguments: Value,
    program: &'static str,
    flags: Vec<&'static str>,
}

fn whole_tree(bench: &Bench, table: &mut Table) {
    for program in ["fdfind", "rg"] {
        if Command::new(program).arg("--version").stdout(Stdio::null()).status().is_err() {
            let why = format!("no `{program}` on PATH");
            table.row(&bench.name, "glob, list, grep", "not measured".to_owned(), why, "≤ 1.1 ×");
            return;
        }
    }
    let home = bench.scratch.path().join("whole");
    let daemon = Daemon::that_asks_nobody(&bench.tree, &home);
    let (mut gemini, mut router) = (daemon.connect("gemini_cli"), daemon.connect("tool_router"));
    let files = bare::files(&bench.tree).len();
    let grep = |toolset, tool, pattern: &'static str| {
        let is_gemini = toolset == "gemini_cli";
        let arguments = match is_gemini {
            true => json!({ "pattern": pattern }),
            false => json!({ "pattern": pattern, "limit": 20_000 }),
        };
        // Not sorted, which rg does on one thread only; symd's answers are in path order.
        let mut flags = vec!["--no-config", "--hidden", "--line-number"];
        flags.extend(is_gemini.then_some("--ignore-case"));
        flags.extend(["-e", pattern, "."]);
        Pair { toolset, tool, arguments, program: "rg", flags }
    };
    let find = |toolset, tool, arguments, flags| Pair { toolset, tool, arguments, program: "fdfind", flags };
    let pairs = [
        find("gemini_cli", "glob", json!({ "pattern": "**/*.py" }), vec!["-H", "-a", "-t", "f", "-e", "py"]),
        find("gemini_cli", "glob", json!({ "pattern": "**/*" }), vec!["-H", "-a", "-t", "f"]),
        find(
            "gemini_cli",
            "glob",
            json!({ "pattern": "**/*", "respect_git_ignore": false }),
            vec!["-HI", "-a", "-t", "f"],
        ),
        find("tool_router", "list_dir", json!({ "depth": 100, "limit": 1_000 }), vec!["-HI"]),
        find("tool_router", "list_dir", json!({ "depth": 100, "offset": 10_000 }), vec!["-HI"]),
        find("gemini_cli", "list_directory", json!({ "path": bench.tree }), vec!["-HI", "-d", "1"]),
        grep("gemini_cli", "search_file_content", "QuerySet"),
        grep("gemini_cli", "search_file_content", r"def \w+\(self\)"),
        grep("gemini_cli", "search_file_content", "__no_such_text__"),
        grep("tool_router", "grep_files", "QuerySet"),
        grep("tool_router", "grep_files", r"\bTODO\b|\bFIXME\b|\bXXX\b"),
        grep("tool_router", "grep_files", r"^\s+return None$"),
        grep("tool_router", "grep_files", "__no_such_text__"),
    ];
    for Pair { toolset, tool, arguments, program, flags } in pairs {
        let connection = if toolset == "gemini_cli" { &mut gemini } else { &mut router };
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let started = Instant::now();
            connection.call(tool, &arguments);
            ours.push(started.elapsed());
            let started = Instant::now();
            let output = Command::new(program).args(&flags).current_dir(&bench.tree).output().unwrap();
            theirs.push(started.elapsed());
            assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        let (ours, theirs) = (median(ours), median(theirs));
        let what = arguments.to_string().replace(bench.tree.to_str().unwrap(), "ROOT").replace('|', "\\|");
        table.row(
            &bench.name,
            &format!("{toolset} {tool} `{what}`, {files} files"),
            format!("{}: {:.2} ×", ms(ours), ours.as_secs_f64() / theirs.as_secs_f64()),
            format!("`{program} {}` {}", flags.join(" ").replace('|', "\\|"), ms(theirs)),
            "≤ 1.1 ×",
        );
    }
}

/// Patches each of the tree's larger Python files at regular intervals.
fn large_patch(bench: &Bench, place: &Path, which: &str, table: &mut Table) {
    let (tree, home) = (place.join("tree"), place.join("home"));
    crate::copy_tree(&bench.tree, &tree);
    let (files, hunks) = PATCHED;
    let mut sources: Vec<(PathBuf, String)> = bare::sources_with_paths(&tree)
        .into_iter()
        .filter(|(path, _, text)| {
            path.extension().is_some_and(|end| end == "py") && text.lines().count() > 150
        })
        .map(|(path, _, text)| (path, text))
        .collect();
    sources.truncate(files);
    let (mut there, mut back) = (String::new(), String::new());
    for (path, text) in &sources {
        let changed = changed(text, hunks);
        for (patch, old, new) in [(&mut there, text, &changed), (&mut back, &changed, text)] {
            let name = path.to_str().unwrap();
            let diff = similar::TextDiff::from_lines(old, new);
            patch.push_str(&diff.unified_diff().context_radius(3).header(name, name).to_string());
        }
    }
    let daemon = Daemon::that_asks_nobody(&tree, &home);
    let mut router = daemon.connect("tool_router");
    let samples: Vec<Duration> = (0..ROUNDS)
        .map(|round| {
            let patch = if round % 2 == 0 { &there } else { &back };
            let started = Instant::now();
            router.call("apply_patch_json", &json!({ "patch": patch }));
            started.elapsed()
        })
        .collect();
    let bytes: usize = sources.iter().map(|(_, text)| text.len()).sum();
    table.row(
        &bench.name,
        &format!(
            "apply_patch, {} hunks over {} files, {which}",
            there.matches("\n@@ -").count(),
            sources.len()
        ),
        ms(median(samples)),
        format!("{} KB of Python, parsed anew by the index in it", bytes / 1_000),
        if which.starts_with("besides") { "≤ 300 ms" } else { "-" },
    );
}

/// Returns `text` with `hunks` additional comment lines, far apart.
fn changed(text: &str, hunks: usize) -> String {
    let count = text.lines().count();
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    for hunk in (0..hunks).rev() {
        let at = (hunk * count) / hunks + 1;
        lines.insert(at.min(lines.len()), format!("# changed {hunk}\n"));
    }
    lines.concat()
}
