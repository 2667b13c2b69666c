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
mod scale;
mod search;
mod servers;
mod size;
mod start;
mod table;
mod terminal;

use std::path::{Path, PathBuf};

use table::Table;

/// The copy of a tree, and the daemon's own directories.
pub(crate) struct Bench {
    pub(crate) name: String,
    pub(crate) tree: PathBuf,
    pub(crate) scratch: tempfile::TempDir,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let (flags, trees): (Vec<String>, Vec<String>) =
        arguments.into_iter().partition(|argument| argument.starts_with("--"));
    if flags.iter().any(|flag| flag == "--edits") {
        let mut table = Table::default();
        edits::measure(&mut table);
        table.print(&flags);
        return;
    }
    if flags.iter().any(|flag| flag == "--editor") {
        let mut table = Table::default();
        editor::measure(&mut table);
        table.print(&flags);
        return;
    }
    if flags.iter().any(|flag| flag == "--small-files") {
        let mut table = Table::default();
        contracts::measure_small("–", &mut table);
        table.print(&flags);
        return;
    }
    if flags.iter().any(|flag| flag == "--terminal") {
        let mut table = Table::default();
        terminal::measure(&mut table);
        table.print(&flags);
        return;
    }
    if trees.is_empty() {
        // With `cargo test --benches` and similar commands nothing is measured.
        eprintln!(
            "usage: cargo bench --bench figures -- [--edits | --editor | --small-files | --terminal] | [--large | --only-large | --first | --servers | --server-times | --contracts | --debugging | --isolation] TREE…   (say, the unpacked source of Django 5.1)"
        );
        return;
    }
    let mut table = Table::default();
    let only_large = flags.iter().any(|flag| flag == "--only-large");
    if flags.iter().any(|flag| flag == "--servers") {
        for tree in &trees {
            servers::measure(&prepare(Path::new(tree)), &mut table);
        }
        table.print(&[flags, trees].concat());
        return;
    }
    if flags.iter().any(|flag| flag == "--server-times") {
        for tree in &trees {
            servers::measure_times(&prepare(Path::new(tree)), &mut table);
        }
        table.print(&[flags, trees].concat());
        return;
    }
    if flags.iter().any(|flag| flag == "--first") {
        for tree in &trees {
            first::measure(&prepare(Path::new(tree)), &mut table);
        }
        table.print(&[flags, trees].concat());
        return;
    }
    if flags.iter().any(|flag| flag == "--isolation") {
        for tree in &trees {
            isolation::measure(&prepare(Path::new(tree)), &mut table);
        }
        table.print(&[flags, trees].concat());
        return;
    }
    if flags.iter().any(|flag| flag == "--debugging") {
        for tree in &trees {
            debugging::measure(&prepare(Path::new(tree)), &mut table);
        }
        table.print(&[flags, trees].concat());
        return;
    }
    if flags.iter().any(|flag| flag == "--contracts") {
        for tree in &trees {
            contracts::measure(&prepare(Path::new(tree)), &mut table);
        }
        table.print(&[flags, trees].concat());
        return;
    }
    for tree in trees.iter().filter(|_| !only_large) {
        let bench = prepare(Path::new(tree));
        eprintln!("{}: start and restart", bench.name);
        start::measure(&bench, &mut table);
        eprintln!("{}: queries", bench.name);
        latency::measure(&bench, &mut table);
        eprintln!("{}: freshness", bench.name);
        fresh::measure(&bench, &mut table);
        eprintln!("{}: search", bench.name);
        search::measure(&bench, &mut table);
        eprintln!("{}: answer sizes, memory, idling", bench.name);
        size::measure(&bench, &mut table);
    }
    if !only_large {
        eprintln!("a branch switch of 10,000 files");
        branch::measure(&mut table);
    }
    if only_large || flags.iter().any(|flag| flag == "--large") {
        eprintln!("two million symbols");
        scale::measure(Path::new(&trees[0]), &mut table);
    }
    table.print(&[flags, trees].concat());
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
    symd::parse::Parsers::in_workers(symd::parse::ParserOptions { program, quarantine: None }).unwrap()
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
