//! A switch between two branches of 10,000 files each: the time until it is indexed, and comparison with an
//! index built from nothing.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use symd::engine::{Engine, EngineOptions};
use symd::index::Snapshot;

use crate::table::{Table, ms};

const FILES: usize = 10_000;

pub(crate) fn measure(table: &mut Table) {
    let scratch = tempfile::tempdir().unwrap();
    let tree = scratch.path().join("tree").canonicalize().unwrap_or_else(|_| scratch.path().join("tree"));
    std::fs::create_dir(&tree).unwrap();
    let git = |arguments: &[&str]| {
        let identity =
            ["-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "init.defaultBranch=first"];
        let status =
            Command::new("git").arg("-C").arg(&tree).args(identity).args(arguments).status().unwrap();
        assert!(status.success(), "git {arguments:?}");
    };
    git(&["init", "-q"]);
    write_branch(&tree, "first");
    git(&["add", "."]);
    git(&["commit", "-qm", "first"]);
    git(&["checkout", "-qb", "second"]);
    write_branch(&tree, "second");
    git(&["commit", "-qam", "second"]);

    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let engine = engine(&tree, &scratch.path().join("run"));
        let before = snapshot(&engine).await;
        git(&["checkout", "-q", "first"]);
        let started = Instant::now();
        let absorbed = snapshot(&engine).await;
        let taken = started.elapsed();
        assert_ne!(before.digest(), absorbed.digest(), "the branches differ");
        let rebuilt = snapshot(&self::engine(&tree, &scratch.path().join("another_run"))).await;
        let verdict = if absorbed.digest() == rebuilt.digest() { "equal" } else { "NOT EQUAL" };
        table.row(
            "10,000 files",
            "a branch switch, from git's end to the next answer",
            ms(taken),
            format!(
                "{} symbols, {verdict} to a rebuild, {} overflows",
                absorbed.symbols,
                engine.status().watcher.overflows
            ),
            "≤ 2 ms, index equals rebuild",
        );
        engine.shutdown().await;
    });
}

fn engine(tree: &Path, runtime_directory: &Path) -> Engine {
    let options = EngineOptions {
        root: tree.to_owned(),
        unsaved: std::sync::Arc::default(),
        languages: symd::config::Languages::builtin().clone(),
        runtime_directory: runtime_directory.to_owned(),
        cache_directory: None,
        watch: Default::default(),
        sweep_every: Duration::from_secs(3600),
        parsers: crate::workers(),
        memory: symd::engine::MemoryOptions::default(),
        on_change: None,
    };
    Engine::start(options).unwrap()
}

async fn snapshot(engine: &Engine) -> Arc<Snapshot> {
    engine.ask(|view| view.snapshot.clone()).await.unwrap()
}

fn write_branch(tree: &Path, branch: &str) {
    for number in 0..FILES {
        let directory = tree.join(format!("package_{}", number / 100));
        std::fs::create_dir_all(&directory).unwrap();
        let text = format!(
            "class {branch}_class_{number}:\n    def method(self, value):\n        return value\n\n\ndef {branch}_function_{number}(a, b):\n    return a + b\n"
        );
        std::fs::write(directory.join(format!("module_{number}.py")), text).unwrap();
    }
}
