//! Tests: outlines that take more memory than they may are let go of, and read back when a question needs one. A cache that was damaged
//! meanwhile costs another parse. Real files and a real cache; what the watcher tells is the test's.

use std::sync::atomic::Ordering;

use super::order::Stage;
use super::*;
use symd_base::Cancel;
use symd_index::tables::cut_unnamed_file;
use symd_index::{Locals, Query, SegmentThresholds};
use symd_resolve::{KotlinState, Sources};
use symd_syntax::{Matching, NamePattern};
use symd_watch::fake::FakeHandle;

/// Of these many files 256 are written to the cache, and all but a few are in a table.
const FILES: usize = 300;

struct Project {
    runtime: tokio::runtime::Runtime,
    scratch: Scratch,
    engine: Engine,
    fake: FakeHandle,
}

fn text(number: usize) -> String {
    format!("import os\n\n\nclass Class{number}:\n    def method_{number}(self):\n        return os.name\n")
}

impl Project {
    /// Returns a project all of whose outlines have been let go of.
    fn without_outlines() -> Project {
        let (scratch, runtime) = (Scratch::new(), runtime());
        std::fs::create_dir(scratch.at("src")).expect("made");
        let names: Vec<String> = (0..FILES).map(|number| format!("src/f{number:03}.py")).collect();
        names.iter().enumerate().for_each(|(number, name)| scratch.write(name, &text(number)));
        let root = Arc::new(Root::open(&scratch.at("")).expect("opened"));
        let cache = Arc::new(symd_index::cache::Cache::open(&scratch.at("cache")).expect("opened"));
        let parsers = Parsers::in_this_process();
        let languages = Languages::builtin().clone();
        let scanner = scanner(root, languages, Some(cache), (None, ClockReading::now), parsers);
        let (sender, notices) = mpsc::channel(NOTICE_QUEUE);
        let (watch, fake) = Watch::fake(sink(sender));
        let (_, ignore) = scratch.parts();
        let small = SegmentThresholds {
            loose_rows: 10,
            loose_files: 10,
            segments: 3,
            ..SegmentThresholds::default()
        };
        let engine = {
            let _within = runtime.enter();
            // Nothing may be kept: what can be let go of is.
            let ceiling = Ceiling::new(MemoryOptions { ceiling: 0, let_go: None });
            let state = (IndexState::with_limits(small), ceiling);
            Engine::run((scanner, ignore, Arc::default()), (watch, notices), state, None)
        };
        let files = listed("src", &names.join(" "), "");
        assert!(fake.tell(vec![listed("", "", "src"), files, Notice::Crawled]).is_continue());
        let project = Project { runtime, scratch, engine, fake };
        project.wait_until(|status| status.stored_outlines == FILES);
        project
    }

    fn wait_until(&self, is_so: impl FnMut(&EngineStatus) -> bool) {
        let mut status = self.engine.status.clone();
        let reached = async { tokio::time::timeout(DEADLINE, status.wait_for(is_so)).await.map(drop) };
        self.runtime.block_on(reached).unwrap_or_else(|_| panic!("{:?}", self.engine.status()));
    }

    /// Returns the files in which `name` is found, and those that the question is told it did not read.
    fn find(&self, name: &str) -> (Vec<RelPath>, Vec<RelPath>) {
        let pattern = NamePattern::parse(name, Matching::Exact).expect("valid");
        let query = Query::in_project(pattern, Locals::Excluded);
        self.ask(move |view| {
            let hits = view.snapshot.find(&query, &Cancel::new()).expect("not cancelled");
            (hits.into_iter().map(|hit| hit.file.path.clone()).collect(), view.unread_files())
        })
    }

    fn ask<T: Send + 'static>(&self, question: impl FnOnce(&View) -> T + Send + 'static) -> T {
        let asked = self.engine.ask(question);
        let arrived = async { tokio::task::block_in_place(|| self.fake.arrive(DEADLINE)).is_continue() };
        let both = async { tokio::time::timeout(DEADLINE, async { tokio::join!(asked, arrived) }).await };
        let (answer, arrived) = self.runtime.block_on(both).expect("in time");
        assert!(arrived);
        answer.expect("answered")
    }

    /// Damages every pack. What is open is what is damaged.
    fn damage(&self, damage: impl Fn(&Path)) {
        let entries = std::fs::read_dir(self.scratch.at("cache")).expect("listed");
        let packs = entries.map(|entry| entry.expect("listed").path());
        let packs: Vec<PathBuf> =
            packs.filter(|path| path.extension().is_some_and(|it| it == "pack")).collect();
        assert!(!packs.is_empty());
        packs.iter().for_each(|pack| damage(pack));
    }
}

#[test]
fn every_symbol_is_found_without_outlines_and_few_are_read_for_it() {
    let project = Project::without_outlines();
    for (asked, number) in [0, 7, FILES - 1].into_iter().enumerate() {
        let found = project.find(&format!("Class{number}/method_{number}"));
        assert_eq!(found, (vec![path(&format!("src/f{number:03}.py"))], Vec::new()));
        let read = project.ask(|view| {
            let outlines = view.snapshot.files.iter().filter_map(|file| file.file_outline());
            outlines.filter(|outline| outline.in_memory().is_some()).count()
        });
        assert!(read <= asked + 1, "{read}");
    }
    assert!(project.find("Class").0.is_empty());
    // What was read is let go of again.
    project.wait_until(|status| status.stored_outlines == FILES);
    let held = project.ask(|view| {
        let files = view.snapshot.files.iter();
        let held = |file: &&Arc<symd_index::FileEntry>| file.holds("method_5");
        files.filter(held).map(|file| file.path.clone()).collect::<Vec<_>>()
    });
    assert_eq!(held, [path("src/f005.py")]);
}

#[test]
fn what_a_damaged_cache_has_lost_is_parsed_again() {
    let cut = |pack: &Path| {
        let file = std::fs::File::options().write(true).open(pack).expect("opened");
        file.set_len(5_000).expect("cut");
    };
    let overwrite = |pack: &Path| {
        let length = usize::try_from(pack.metadata().expect("there").len()).expect("small");
        std::fs::write(pack, vec![7; length]).expect("written");
    };
    let replace = |pack: &Path| {
        std::fs::write(pack, "").expect("emptied");
        std::fs::remove_file(pack).expect("removed");
        std::fs::create_dir(pack).expect("made");
    };
    let damages: [&dyn Fn(&Path); 3] = [&cut, &overwrite, &replace];
    for damage in damages {
        let project = Project::without_outlines();
        project.damage(damage);
        for number in 0..FILES {
            let found = project.find(&format!("method_{number}"));
            assert_eq!(found, (vec![path(&format!("src/f{number:03}.py"))], Vec::new()));
        }
        // It is stored again, and let go of again.
        project.wait_until(|status| status.cache.written > FILES as u64 && status.stored_outlines == FILES);
        assert_eq!(project.find("method_9").0, [path("src/f009.py")]);
    }
}

#[test]
fn a_file_that_changed_after_its_outline_was_lost_is_told_and_scanned() {
    let project = Project::without_outlines();
    project.damage(|pack| std::fs::write(pack, "").expect("emptied"));
    // The watcher has not reported it yet.
    project.scratch.write("src/f004.py", "class Later:\n    pass\n");
    let unread = vec![path("src/f004.py")];
    assert_eq!(project.find("method_4"), (Vec::new(), unread));
    // The next question waits for the scan.
    assert_eq!(project.find("Later"), (vec![path("src/f004.py")], Vec::new()));
    assert_eq!(project.find("method_4"), (Vec::new(), Vec::new()));
    assert_eq!(project.find("method_5"), (vec![path("src/f005.py")], Vec::new()));
    assert!(project.fake.tell(vec![changed("src/f004.py")]).is_continue());
    assert_eq!(project.find("Later").0, [path("src/f004.py")]);
}

#[test]
fn above_the_ceiling_the_files_that_a_round_has_passed_are_looked_at_again() {
    let (_cache, mut stage) = stage(MemoryOptions::default());
    add_files(&mut stage, 12);
    let read_all = |view: &View| view.snapshot.files.iter().filter(|file| file.outline().is_some()).count();
    assert_eq!(stage.answer(in_memory), 12);
    stage.take(Event::OverCeiling);
    stage.finish();
    assert_eq!(stage.answer(in_memory), 0);
    // A second round passes all files …
    stage.take(Event::OverCeiling);
    let mut passed = None;
    while passed.is_none() {
        passed = stage.run_job();
    }
    // … then a question reads them, and that takes too much again before the engine knows of the round's end.
    assert_eq!(stage.answer(read_all), 12);
    stage.take(Event::OverCeiling);
    stage.take(passed.expect("an event"));
    stage.finish();
    assert_eq!(stage.answer(in_memory), 0);
}

#[test]
fn a_scan_that_finds_nothing_new_brings_back_no_outline_that_was_let_go_of_meanwhile() {
    let (_cache, mut stage) = stage(MemoryOptions::default());
    add_files(&mut stage, 12);
    stage.tell([changed("f003.py")]);
    let scanned = stage.run_job().expect("an event");
    stage.take(Event::OverCeiling);
    stage.finish();
    stage.take(scanned);
    assert_eq!(stage.answer(in_memory), 0);
}

#[test]
fn where_outlines_were_let_go_of_those_that_come_later_are_too() {
    // Outlines may take 256 KiB.
    let (_cache, mut stage) = stage(MemoryOptions { ceiling: 16 * (256 << 10), let_go: None });
    add_files(&mut stage, 150);
    assert_eq!(stage.answer(in_memory), 150, "they take less");
    stage.take(Event::OverCeiling);
    stage.finish();
    assert_eq!(stage.answer(in_memory), 0);
    add_files(&mut stage, 280);
    // The cache is written for 256 new ones at least; the rest is in memory alone.
    add_files(&mut stage, 450);
    // An eighth of what outlines may take is left, which is room for 90 of these.
    let left = stage.answer(in_memory);
    assert!(left < 100, "{left} of 450");
}

#[test]
fn files_without_symbols_let_go_of_their_outlines_too() {
    let (_cache, mut stage) = stage(MemoryOptions::default());
    stage.scratch.write("empty.py", "# nothing\n");
    stage.scratch.write("imports.py", "import os\nfrom a import b\n");
    stage.scratch.write("class.py", &text(1));
    stage.tell([listed("", "class.py empty.py imports.py", "")]);
    stage.finish();
    assert_eq!(stage.answer(in_memory), 3);
    stage.take(Event::OverCeiling);
    stage.finish();
    assert_eq!(stage.answer(in_memory), 0);
    let imports = |view: &View| view.snapshot.files.get("imports.py").is_some_and(|file| file.holds("b"));
    assert!(stage.answer(imports));
}

#[test]
fn what_was_found_out_about_types_keeps_no_outline_that_was_let_go_of() {
    // The caches have room for it.
    let (_cache, mut stage) = stage(MemoryOptions { ceiling: 1 << 40, let_go: None });
    add_files(&mut stage, 12);
    let keep = |view: &View| view.keep_kotlin_state(KotlinState::default());
    let outline = stage.answer(move |view| {
        keep(view);
        assert!(view.gradle_modules().is_whole());
        let first = view.snapshot.files.iter().next().and_then(|file| file.outline());
        Arc::downgrade(first.expect("there"))
    });
    stage.take(Event::OverCeiling);
    let round = loop {
        if let Some(event) = stage.run_job() {
            break event;
        }
    };
    stage.take(round);
    // A question keeps something between the last entry that is replaced and the end of the round.
    stage.answer(keep);
    assert!(outline.strong_count() > 0);
    stage.finish();
    assert_eq!((outline.strong_count(), stage.answer(in_memory)), (0, 0));
    let goes_on = |view: &View| {
        view.kotlin_state(&Cancel::new());
        view.steps.goes_on.load(Ordering::Relaxed)
    };
    assert!(stage.answer(goes_on), "what was found out about the files as they are now stays");
}

#[test]
fn a_filter_of_words_that_the_disk_has_lost_is_made_again() {
    let (cache, mut stage) = stage(MemoryOptions::default());
    // So many that what is known of them is on disk.
    add_files(&mut stage, FILES);
    let holding = |view: &View| view.snapshot.files.iter().filter(|file| file.holds("method_5")).count();
    let left = |stage: &mut Stage| {
        stage.take(Event::OverCeiling);
        stage.finish();
        stage.answer(in_memory)
    };
    assert_eq!(left(&mut stage), 0);
    cut_unnamed_file(&cache.path().join("cache"));
    assert_eq!(stage.answer(holding), 1);
    assert_eq!(stage.answer(in_memory), FILES, "each may hold the word");
    assert_eq!(left(&mut stage), 0);
    assert_eq!(stage.answer(holding), 1);
    let read = stage.answer(in_memory);
    assert!(read < 10, "{read} of {FILES}");
}

/// Returns an engine with a cache, whose outlines are stored and in tables soon, and the cache's directory.
fn stage(options: MemoryOptions) -> (tempfile::TempDir, Stage) {
    let cache = tempfile::tempdir().expect("scratch");
    let opened = Arc::new(Cache::open(&cache.path().join("cache")).expect("opened"));
    let small =
        SegmentThresholds { loose_rows: 1, loose_files: 1, segments: 3, ..SegmentThresholds::default() };
    let stage = Stage::with(IndexState::with_limits(small), Some(opened), options);
    (cache, stage)
}

/// Has the engine scan the first files of a project, and do all that follows.
fn add_files(stage: &mut Stage, count: usize) {
    let names: Vec<String> = (0..count).map(|number| format!("f{number:03}.py")).collect();
    names.iter().enumerate().for_each(|(number, name)| stage.scratch.write(name, &text(number)));
    stage.tell([listed("", &names.join(" "), "")]);
    stage.finish();
}

/// Returns the number of outlines that are in memory.
fn in_memory(view: &View) -> usize {
    let outlines = view.snapshot.files.iter().filter_map(|file| file.file_outline());
    outlines.filter(|outline| outline.in_memory().is_some()).count()
}
