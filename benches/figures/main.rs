//! Measures the figures of the README: `cargo bench --bench figures -- TREE…` prints a table with date and
//! machine. Every tree is copied to a scratch directory first; nothing is written in the original. Each
//! figure is printed beside its physical limit or a comparable program, measured in the same run.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, missing_docs)]

mod bare;
mod branch;
mod contracts;
mod daemon;
mod debugging;
mod editor;
mod edits;
mod first;
mod fresh;
mod isolation;
mod latency;
mod many_files;
mod million_files;
mod paraphrases;
mod scale;
mod search;
mod servers;
mod size;
mod solutions;
mod start;
mod table;
mod terminal;
mod types;
mod unpacked;

use std::path::{Path, PathBuf};

use table::Table;

/// The copy of a tree, and the daemon's own directories.
pub(crate) struct Bench {
    pub(crate) name: String,
    pub(crate) tree: PathBuf,
    pub(crate) scratch: tempfile::TempDir,
}

type Measure = fn(&mut Table);
type MeasureTree = fn(&Bench, &mut Table);

/// Flags that measure what they make themselves, without a tree.
const WITHOUT_TREE: [(&str, Measure); 6] = [
    ("--edits", edits::measure),
    ("--editor", editor::measure),
    ("--small-files", |table| contracts::measure_small("–", table)),
    ("--paraphrases", paraphrases::measure),
    ("--solutions", solutions::measure),
    ("--terminal", terminal::measure),
];

/// Flags that measure one subject on each tree.
const OF_TREES: [(&str, MeasureTree); 13] = [
    ("--servers", servers::measure),
    ("--server-times", servers::measure_times),
    ("--first", first::measure),
    ("--first-cold", first::measure_cold),
    ("--isolation", isolation::measure),
    ("--debugging", debugging::measure),
    ("--traces", debugging::measure_traces),
    ("--contracts", contracts::measure),
    ("--types", types::measure),
    ("--many-files", many_files::measure),
    ("--many-files-cold", many_files::measure_cold),
    ("--million-files", million_files::measure),
    ("--unpacked", unpacked::measure),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let (flags, trees): (Vec<String>, Vec<String>) =
        arguments.into_iter().partition(|argument| argument.starts_with("--"));
    let is_asked = |flag: &str| flags.iter().any(|one| one == flag);
    let mut table = Table::default();
    if let Some((_, measure)) = WITHOUT_TREE.iter().find(|(flag, _)| is_asked(flag)) {
        measure(&mut table);
    } else if trees.is_empty() {
        // With `cargo test --benches` and similar commands nothing is measured.
        eprintln!("{}", usage());
        return;
    } else if let Some((_, measure)) = OF_TREES.iter().find(|(flag, _)| is_asked(flag)) {
        trees.iter().for_each(|tree| measure(&prepare(Path::new(tree)), &mut table));
    } else {
        if !is_asked("--only-large") {
            trees.iter().for_each(|tree| measure_all(&prepare(Path::new(tree)), &mut table));
            eprintln!("a branch switch of 10,000 files");
            branch::measure(&mut table);
        }
        if is_asked("--only-large") || is_asked("--large") {
            eprintln!("two million symbols");
            scale::measure(Path::new(&trees[0]), &mut table);
        }
    }
    table.print(&[flags, trees].concat());
}

fn usage() -> String {
    let flags = |flags: &[&str]| flags.join(" | ");
    format!(
        "usage: cargo bench --bench figures -- [{}] | [--large | --only-large | {}] TREE…   (say, the unpacked source of Django 5.1)",
        flags(&WITHOUT_TREE.map(|(flag, _)| flag)),
        flags(&OF_TREES.map(|(flag, _)| flag))
    )
}

fn measure_all(bench: &Bench, table: &mut Table) {
    eprintln!("{}: start and restart", bench.name);
    start::measure(bench, table);
    eprintln!("{}: queries", bench.name);
    latency::measure(bench, table);
    eprintln!("{}: freshness", bench.name);
    fresh::measure(bench, table);
    eprintln!("{}: search", bench.name);
    search::measure(bench, table);
    eprintln!("{}: answer sizes, memory, idling", bench.name);
    size::measure(bench, table);
}

fn prepare(tree: &Path) -> Bench {
    let scratch = tempfile::tempdir().unwrap();
    let copy = scratch.path().join("tree");
    copy_tree(tree, &copy);
    let name = tree.file_name().map_or_else(|| "tree".to_owned(), |name| name.to_string_lossy().into_owned());
    Bench { name, tree: copy.canonicalize().unwrap(), scratch }
}

/// Returns parsers as in the daemon.
pub(crate) fn workers() -> symd::parse::Parsers {
    let program = env!("CARGO_BIN_EXE_symd").into();
    symd::parse::Parsers::in_workers(symd::parse::ParserOptions { program, quarantine: None, parses: None })
        .unwrap()
}

/// Copies regular files and directories, without `.git`: only the tree is measured.
pub(crate) fn copy_tree(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let kind = entry.file_type().unwrap();
        let target = to.join(entry.file_name());
        if kind.is_dir() && entry.file_name() != ".git" {
            copy_tree(&entry.path(), &target);
        } else if kind.is_file() {
            std::fs::copy(entry.path(), &target).unwrap();
        }
    }
}
