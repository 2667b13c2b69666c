//! The oracle: whatever happens to the tree, the index equals one built from nothing. `SYMD_ORACLE_ROUNDS`
//! and `SYMD_ORACLE_SEED` play more rounds, or repeat the same ones as far as thread timing allows;
//! `SYMD_ORACLE_STEPS` sets the number of changes between two comparisons.

use std::path::Path;

use super::play::{Player, git, prepare};
use super::restart::hours_later;
use super::*;
use symd_index::tables::assert_tables;
use symd_index::{SegmentThresholds, Snapshot};
use symd_watch::BackendChoice;

const ROUNDS: usize = 8;
const STEPS: usize = 120;

/// Reads a number from the environment, for manual runs.
pub(super) fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|error| panic!("{name}={text}: {error}")))
}

/// Small enough that loose files, several tables, dead rows and merges all occur in a small tree.
fn small() -> SegmentThresholds {
    SegmentThresholds { loose_rows: 60, loose_files: 12, segments: 3, ..SegmentThresholds::default() }
}

fn start(
    runtime: &tokio::runtime::Runtime,
    scratch: &Path,
    watch: WatchOptions,
    limits: SegmentThresholds,
) -> Engine {
    let memory = MemoryOptions::default();
    start_with_cache(runtime, scratch, (watch, limits), (None, memory), ClockReading::now)
}

fn start_with_cache(
    runtime: &tokio::runtime::Runtime,
    scratch: &Path,
    (watch, limits): (WatchOptions, SegmentThresholds),
    (cache_directory, memory): (Option<PathBuf>, MemoryOptions),
    clock: Clock,
) -> Engine {
    let _within = runtime.enter();
    let options = EngineOptions {
        root: scratch.join("project"),
        unsaved: std::sync::Arc::default(),
        languages: Languages::builtin().clone(),
        runtime_directory: scratch.join(format!("run{}", fastrand::u64(..))),
        cache_directory,
        watch,
        sweep_every: DEADLINE,
        parsers: Parsers::in_this_process(),
        memory,
        on_change: None,
    };
    Engine::start_with(options, IndexState::with_limits(limits), clock).expect("started")
}

/// Returns a fresh snapshot of the index.
fn index(runtime: &tokio::runtime::Runtime, engine: &Engine) -> Arc<Snapshot> {
    let asked = engine.ask(|view| view.snapshot.clone());
    let answer = runtime.block_on(async { tokio::time::timeout(DEADLINE, asked).await });
    answer.expect("an answer in time").expect("an answer")
}

/// Returns the counts of the status.
fn counts(engine: &Engine) -> (usize, usize, usize, usize, SkippedFiles) {
    let EngineStatus { files, parsed_files, symbols, files_with_errors, skipped, .. } = engine.status();
    (files, parsed_files, symbols, files_with_errors, skipped)
}

/// Asserts that `engine` has the same index as an engine started now.
fn check(runtime: &tokio::runtime::Runtime, engine: &Engine, scratch: &Path, log: &[String]) {
    let (now, told) = (index(runtime, engine), counts(engine));
    assert_tables(&now);
    let fresh = start(runtime, scratch, WatchOptions::default(), SegmentThresholds::default());
    let rebuilt = index(runtime, &fresh);
    if now.digest() != rebuilt.digest() {
        let lines = |snapshot: &Snapshot| snapshot.describe().collect::<std::collections::BTreeSet<_>>();
        let (now, rebuilt) = (lines(&now), lines(&rebuilt));
        panic!(
            "index: {:#?}\nrebuilt: {:#?}\nafter {log:#?}",
            now.difference(&rebuilt).collect::<Vec<_>>(),
            rebuilt.difference(&now).collect::<Vec<_>>(),
        );
    }
    assert_eq!(told, counts(&fresh));
    runtime.block_on(fresh.shutdown());
}

/// Returns a sink that blocks while the test holds the gate.
fn gated(
    notices: mpsc::Sender<Event>,
    gate: Arc<std::sync::Mutex<()>>,
) -> impl FnMut(Vec<Notice>) -> ControlFlow<()> {
    let mut pass = sink(notices);
    move |batch| {
        drop(gate.lock().expect("not poisoned"));
        pass(batch)
    }
}

fn play(watch: WatchOptions, rounds: usize) {
    play_with(rounds, |runtime, scratch| start(runtime, scratch, watch.clone(), small()), |_| ());
}

/// A tree that is changed at random, round by round.
struct PlayedTree {
    rounds: usize,
    steps: usize,
    random: fastrand::Rng,
    scratch: tempfile::TempDir,
    root: PathBuf,
    runtime: tokio::runtime::Runtime,
}

impl PlayedTree {
    fn new(rounds: usize) -> PlayedTree {
        let count = |name, else_| number(name).map_or(else_, |it| usize::try_from(it).expect("fits"));
        let (rounds, steps) = (count("SYMD_ORACLE_ROUNDS", rounds), count("SYMD_ORACLE_STEPS", STEPS));
        let seed = number("SYMD_ORACLE_SEED").unwrap_or_else(|| fastrand::u64(..));
        println!("{rounds} rounds of {steps} changes, seed {seed}");
        let scratch = tempfile::tempdir().expect("scratch");
        let root = scratch.path().join("project");
        std::fs::create_dir(&root).expect("made");
        prepare(&root);
        PlayedTree {
            rounds,
            steps,
            random: fastrand::Rng::with_seed(seed),
            scratch,
            root,
            runtime: runtime(),
        }
    }

    /// Changes the tree while `engine` is asked, does `meanwhile` after each question, and compares the index.
    fn play(&mut self, engine: &Engine, mut meanwhile: impl FnMut(&mut fastrand::Rng)) -> Player {
        let (mut player, steps) = (Player::new(&self.root, self.random.fork()), self.steps);
        let playing = std::thread::spawn(move || {
            player.play(steps);
            player
        });
        // Questions during the changes, so that scans and changes interleave.
        while !playing.is_finished() {
            assert_tables(&index(&self.runtime, engine));
            meanwhile(&mut self.random);
        }
        let player = playing.join().expect("played");
        check(&self.runtime, engine, self.scratch.path(), &player.log);
        player
    }

    fn end(self, engine: Engine) {
        self.runtime.block_on(engine.shutdown());
        // Makes the directory removable.
        let _ = std::process::Command::new("chmod").args(["-R", "u+rwX"]).arg(&self.root).status();
    }
}

/// Plays rounds with the engine that `start` returns; `meanwhile` is done during each.
fn play_with(
    rounds: usize,
    start: impl Fn(&tokio::runtime::Runtime, &Path) -> Engine,
    mut meanwhile: impl FnMut(&mut fastrand::Rng),
) {
    let mut tree = PlayedTree::new(rounds);
    let engine = start(&tree.runtime, tree.scratch.path());
    for round in 1..=tree.rounds {
        tree.play(&engine, &mut meanwhile);
        if round % 100 == 0 {
            println!("{round} rounds");
        }
    }
    tree.end(engine);
}

#[test]
fn the_index_equals_one_built_from_nothing() {
    play(WatchOptions::default(), ROUNDS);
}

#[test]
fn so_it_does_where_most_directories_are_polled() {
    play(WatchOptions { max_watches: Some(5), ..WatchOptions::default() }, ROUNDS / 3);
}

#[test]
fn so_it_does_where_everything_is_polled() {
    play(WatchOptions { backend: BackendChoice::Poll, ..WatchOptions::default() }, ROUNDS / 3);
}

#[test]
fn so_it_does_where_every_outline_is_let_go_of_and_packs_are_damaged() {
    let own = tempfile::tempdir().expect("scratch");
    let cache = own.path().join("cache");
    let memory = MemoryOptions { ceiling: 0, let_go: None };
    play_with(
        ROUNDS,
        |runtime, scratch| {
            let watch = (WatchOptions::default(), small());
            let memory = (Some(cache.clone()), memory.clone());
            start_with_cache(runtime, scratch, watch, memory, ClockReading::now)
        },
        |random| {
            for pack in std::fs::read_dir(&cache).into_iter().flatten().flatten() {
                // Sometimes, so that outlines are also read from sound ones.
                if pack.path().extension().is_some_and(|it| it == "pack") && random.u8(..8) == 0 {
                    std::fs::write(pack.path(), "damaged").expect("written");
                }
            }
        },
    );
}

/// Waits until a file that changes now gets another time of change than one that changed before the call.
fn wait_for_the_next_time(scratch: &Path) {
    let time = || {
        std::fs::write(scratch.join("time"), "").expect("written");
        std::fs::metadata(scratch.join("time")).and_then(|metadata| metadata.modified()).expect("looked at")
    };
    let first = time();
    while time() == first {}
}

#[test]
fn so_it_does_after_restarts_on_the_stored_index() {
    let mut tree = PlayedTree::new(ROUNDS);
    let start = |tree: &PlayedTree| {
        let cache = Some(tree.scratch.path().join("cache"));
        let (watch, memory) = (WatchOptions::default(), MemoryOptions::default());
        start_with_cache(&tree.runtime, tree.scratch.path(), (watch, small()), (cache, memory), || {
            hours_later(1)
        })
    };
    let mut engine = start(&tree);
    let mut taken = 0;
    for _ in 0..tree.rounds {
        let mut player = tree.play(&engine, |_| ());
        if tree.random.bool() {
            let is_verified = |status: &EngineStatus| status.ready && status.unverified_files == 0;
            let mut status = engine.status.clone();
            let verified =
                async { tokio::time::timeout(DEADLINE, status.wait_for(is_verified)).await.is_ok() };
            assert!(tree.runtime.block_on(verified));
        }
        tree.runtime.block_on(engine.shutdown());
        // States are trusted at once by the clock of this test, so two changes must not have one time.
        wait_for_the_next_time(tree.scratch.path());
        player.play(tree.random.usize(..tree.steps / 4));
        engine = start(&tree);
        check(&tree.runtime, &engine, tree.scratch.path(), &player.log);
        taken += engine.status().recorded_files;
    }
    println!("{taken} files taken as they were stored");
    assert!(taken > 0);
    tree.end(engine);
}

/// Creates two branches of `files` files each, some of them only on one branch, without checking them out.
fn import(root: &Path, files: usize) {
    let mut stream = String::new();
    for branch in ["first", "second"] {
        let message = "commit refs/heads/{}\ncommitter test <test@localhost> 0 +0000\ndata 0\n";
        stream += &message.replace("{}", branch);
        for number in 0..files {
            let name = if number % 5 == 0 { format!("{branch}_{number}") } else { number.to_string() };
            let text = format!("class {branch}_{number}:\n    def f(self): pass\n");
            let directory = number / 50;
            stream += &format!("M 644 inline package_{directory}/{name}.py\ndata {}\n{text}\n", text.len());
        }
    }
    let mut importer = std::process::Command::new("git")
        .arg("-C")
        .arg(root)
        .args(["fast-import", "--quiet"])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .expect("git runs");
    let written = std::io::Write::write_all(&mut importer.stdin.take().expect("piped"), stream.as_bytes());
    written.expect("taken");
    assert!(importer.wait().expect("ended").success());
}

#[test]
fn a_switch_between_branches_of_two_thousand_files() {
    let scratch = tempfile::tempdir().expect("scratch");
    let root = scratch.path().join("project");
    std::fs::create_dir(&root).expect("made");
    assert!(git(&root, &["init", "-q", "-b", "trunk"]));
    import(&root, 2_000);
    assert!(git(&root, &["checkout", "-q", "first"]));
    let runtime = runtime();
    let engine = start(&runtime, scratch.path(), WatchOptions::default(), small());
    index(&runtime, &engine);
    assert!(git(&root, &["checkout", "-q", "second"]));
    check(&runtime, &engine, scratch.path(), &["checkout second".to_owned()]);
    assert_eq!(counts(&engine).0, 2_000);
    runtime.block_on(engine.shutdown());
}

#[test]
fn events_that_overflow_the_kernels_queue_are_no_loss() {
    let limit = std::fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").expect("Linux");
    let limit: usize = limit.trim().parse().expect("a number");
    if limit > 200_000 {
        println!("not forced: {limit} events fit the queue");
        return;
    }
    let scratch = tempfile::tempdir().expect("scratch");
    let (root, run) = (scratch.path().join("project"), scratch.path().join("run"));
    std::fs::create_dir_all(root.join("old")).expect("made");
    symd_base::state::private_dir(&run).expect("made");
    std::fs::write(root.join("old/a.py"), "before = 1\n").expect("written");
    let runtime = runtime();
    let gate = Arc::new(std::sync::Mutex::new(()));
    let (sender, notices) = mpsc::channel(NOTICE_QUEUE);
    let opened = Arc::new(Root::open(&root).expect("opened"));
    // The rules of a fresh engine, so that both ignore the same files.
    let settings = IgnoreSettings {
        vendored: vendored(Languages::builtin()),
        global: IgnoreSettings::global_excludes(|name| std::env::var_os(name)),
    };
    let ignore = Arc::new(Ignore::new(&opened, settings));
    let told = gated(sender, gate.clone());
    let watch =
        Watch::start(opened.clone(), ignore.clone(), &run, &WatchOptions::default(), told).expect("started");
    let engine = {
        let _within = runtime.enter();
        let scanner = scanner(
            opened,
            Languages::builtin().clone(),
            None,
            (None, ClockReading::now),
            Parsers::in_this_process(),
        );
        Engine::run(
            (scanner, ignore, Arc::default()),
            (watch, notices),
            (IndexState::with_limits(small()), Ceiling::new(MemoryOptions::default())),
            None,
        )
    };
    index(&runtime, &engine);

    let closed = gate.lock().expect("not poisoned");
    // The watcher takes one batch before it blocks; everything beyond that has to fit the queue.
    for number in 0..2 * limit {
        let path = root.join(format!("{}.py", number % 2));
        std::fs::write(path, "same = 1\n").expect("written");
    }
    std::fs::create_dir(root.join("new")).expect("made");
    std::fs::write(root.join("new/b.py"), "b = 1\n").expect("written");
    std::fs::write(root.join("old/a.py"), "after = 1\n").expect("written");
    std::fs::rename(root.join("old"), root.join("renamed")).expect("renamed");
    drop(closed);
    check(&runtime, &engine, scratch.path(), &[]);
    assert!(engine.status().watcher.overflows >= 1, "{:?}", engine.status().watcher);
    runtime.block_on(engine.shutdown());
}
