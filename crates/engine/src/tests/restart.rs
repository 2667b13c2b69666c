//! Tests: a restart reads only files whose state differs from the recorded one, and its answers are right whatever changed
//! meanwhile. Real files; the clocks are the test's, since a state is trusted only two seconds after the last change.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use super::*;
use symd_sys::clock::ClockReading;

const HOUR: i64 = 3_600_000_000_000;

pub(super) fn hours_later(hours: i64) -> ClockReading {
    let now = ClockReading::now();
    ClockReading { wall: now.wall + hours * HOUR, since_start: now.since_start + hours * HOUR, ..now }
}

/// A project, and the directories that its daemons share.
pub(super) struct Restarts {
    pub(super) project: Scratch,
    pub(super) own: Scratch,
}

impl Restarts {
    pub(super) fn of_nothing() -> Restarts {
        Restarts { project: Scratch::new(), own: Scratch::new() }
    }

    /// Returns a project of `files`, known to a daemon that has ended.
    fn after_a_first_daemon(files: &[(&str, &str)]) -> Restarts {
        let restarts = Restarts::of_nothing();
        files.iter().for_each(|(path, text)| restarts.project.write(path, text));
        let (_, status) = restarts.run(|| hours_later(1));
        assert_eq!((status.recorded_files, status.parsed_files), (0, files.len()));
        restarts
    }

    /// Runs a daemon until everything is verified; returns its index, and its status. The daemon has closed all files then.
    pub(super) fn run(&self, clock: Clock) -> (String, EngineStatus) {
        let options = EngineOptions {
            root: self.project.at(""),
            unsaved: Arc::default(),
            languages: Languages::builtin().clone(),
            runtime_directory: self.own.at("run"),
            cache_directory: Some(self.own.at("cache")),
            watch: WatchOptions::default(),
            sweep_every: DEADLINE,
            parsers: Parsers::in_this_process(),
            memory: MemoryOptions::default(),
            on_change: None,
        };
        let run = async {
            let engine = Engine::start_with(options, IndexState::default(), clock).expect("started");
            engine.ask(|_| ()).await.expect("answered");
            let is_verified = |status: &EngineStatus| status.ready && status.unverified_files == 0;
            engine.status.clone().wait_for(is_verified).await.expect("verified");
            let index = engine.ask(shown).await.expect("answered");
            let status = engine.status();
            engine.shutdown().await;
            (index, status)
        };
        // The engine answers that it has ended before it is dropped: the end of the runtime waits for that.
        runtime().block_on(async { tokio::time::timeout(DEADLINE, run).await }).expect("in time")
    }

    fn shell(&self, script: &str) {
        let ended = Command::new("sh").args(["-ec", script]).current_dir(self.project.at("")).status();
        assert!(ended.expect("a shell").success(), "{script}");
    }
}

pub(super) const FILES: [(&str, &str); 3] =
    [("a.py", "a = 1\n"), ("b.h", "class B {};\n"), ("c.py", "c = 1\n")];

#[test]
fn unchanged_files_are_not_read_at_the_start_and_verified_later() {
    let restarts = Restarts::after_a_first_daemon(&FILES);
    let (index, status) = restarts.run(|| hours_later(2));
    assert_eq!(index, "a.py:a b.h:B c.py:c");
    assert_eq!((status.recorded_files, status.corrected_files), (3, 0));
    // What the second daemon took and verified is recorded again.
    let (_, status) = restarts.run(|| hours_later(3));
    assert_eq!((status.recorded_files, status.corrected_files), (3, 0));
}

#[test]
fn files_that_got_their_size_and_times_back_are_read() {
    for change in [
        "cp -p a.py old; printf 'x = 1\\n' > a.py; touch -r old a.py; rm old",
        "printf 'x = 1\\n' > other; touch -r a.py other; cp -p other a.py; rm other",
        // As rsync -a does it.
        "printf 'x = 1\\n' > .a.py.tmp; touch -r a.py .a.py.tmp; mv .a.py.tmp a.py",
        "printf 'x = 1\\n' > d; touch -r a.py d; ln -f d a.py; rm d",
    ] {
        let restarts = Restarts::after_a_first_daemon(&FILES);
        restarts.shell(change);
        let (index, status) = restarts.run(|| hours_later(2));
        assert_eq!(index, "a.py:x b.h:B c.py:c", "{change}");
        assert_eq!((status.recorded_files, status.corrected_files), (2, 0), "{change}");
    }
}

#[test]
fn a_directory_in_place_of_the_records_costs_one_start() {
    let restarts = Restarts::after_a_first_daemon(&FILES);
    let entries = std::fs::read_dir(restarts.own.at("cache")).expect("listed");
    let paths = entries.map(|entry| entry.expect("listed").path());
    let records: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|it| it == "index")).collect();
    let [records] = &records[..] else { panic!("{records:?}") };
    std::fs::remove_file(records).expect("removed");
    std::fs::create_dir(records).expect("made");
    let (index, status) = restarts.run(|| hours_later(2));
    assert_eq!((index.as_str(), status.recorded_files), ("a.py:a b.h:B c.py:c", 0));
    assert_eq!(restarts.run(|| hours_later(3)).1.recorded_files, 3);
}

#[test]
fn files_that_came_or_went_are_seen() {
    let restarts = Restarts::after_a_first_daemon(&FILES);
    restarts.shell("rm c.py; mkdir d; mv a.py d/a.py; printf 'e = 1\\n' > e.py");
    let (index, status) = restarts.run(|| hours_later(2));
    assert_eq!(index, "b.h:B d/a.py:a e.py:e");
    assert_eq!(status.recorded_files, 1);
}

#[test]
fn files_whose_outlines_the_cache_has_lost_are_read() {
    let restarts = Restarts::after_a_first_daemon(&FILES);
    restarts.shell(&format!("rm {}/*.pack", restarts.own.at("cache").display()));
    let (index, status) = restarts.run(|| hours_later(2));
    assert_eq!((index.as_str(), status.recorded_files), ("a.py:a b.h:B c.py:c", 0));
    assert_eq!(restarts.run(|| hours_later(3)).1.recorded_files, 3);
}

#[test]
fn after_the_clock_was_set_back_all_files_are_read() {
    let restarts = Restarts::after_a_first_daemon(&FILES);
    let (index, status) = restarts.run(ClockReading::now);
    assert_eq!(index, "a.py:a b.h:B c.py:c");
    assert_eq!(status.recorded_files, 0);
}

#[test]
fn a_file_that_changed_just_before_its_state_was_recorded_is_read_once() {
    let restarts = Restarts::of_nothing();
    FILES.iter().for_each(|(path, text)| restarts.project.write(path, text));
    restarts.run(ClockReading::now);
    let (_, status) = restarts.run(|| hours_later(1));
    assert_eq!(status.recorded_files, 0);
    // That daemon changed nothing and found the files settled.
    let (_, status) = restarts.run(|| hours_later(2));
    assert_eq!(status.recorded_files, 3);
}

#[test]
fn damaged_records_cost_a_reading() {
    let restarts = Restarts::after_a_first_daemon(&FILES);
    let cache = restarts.own.at("cache");
    let damage = "for file in \"$0\"/*.index; do printf x | dd of=\"$file\" bs=1 seek=100 conv=notrunc; done";
    restarts.shell(&damage.replace("$0", cache.to_str().expect("UTF-8")));
    let (index, status) = restarts.run(|| hours_later(2));
    assert_eq!((index.as_str(), status.recorded_files), ("a.py:a b.h:B c.py:c", 0));
}

/// A memory map that is written again after its page was marked as changed leaves no trace in the file's state.
#[test]
fn a_write_that_leaves_no_trace_is_found_by_verification() {
    const PROGRAM: &str = "import mmap, sys\nfile = open(sys.argv[1], 'r+b')\nmap = mmap.mmap(file.fileno(), 0)\nmap[0:1] = b'a'\nprint('mapped', flush=True)\nsys.stdin.readline()\nmap[0:1] = b'x'\nprint('written', flush=True)\nsys.stdin.readline()\n";
    let restarts = Restarts::of_nothing();
    FILES.iter().for_each(|(path, text)| restarts.project.write(path, text));
    let mut writer = Command::new("python3")
        .args(["-c", PROGRAM])
        .arg(restarts.project.at("a.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3");
    let mut lines = BufReader::new(writer.stdout.take().expect("piped")).lines();
    let mut line = || lines.next().expect("a line").expect("read");
    assert_eq!(line(), "mapped");
    restarts.run(|| hours_later(1));
    let mut stdin = writer.stdin.take().expect("piped");
    stdin.write_all(b"\n").expect("written");
    assert_eq!(line(), "written");
    let (index, status) = restarts.run(|| hours_later(2));
    drop(stdin);
    writer.wait().expect("ended");
    assert_eq!(index, "a.py:x b.h:B c.py:c");
    // If the system wrote the page back in between, the state differs after all.
    assert_eq!(status.recorded_files - status.corrected_files, 2);
}
