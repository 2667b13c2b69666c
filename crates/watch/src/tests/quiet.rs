//! The look that stands for a barrier: it never says that all is reported before it is.

use std::io::Write;
use std::time::Instant;

use super::*;

impl Scene {
    /// Takes what has been reported.
    fn take_reported(&mut self) {
        while let Ok(batch) = self.notices.try_recv() {
            batch.into_iter().for_each(|notice| self.seen.take(notice));
        }
    }

    /// Looks until the watch is quiet, and takes what was reported before.
    fn settle_quietly(&mut self) {
        let start = Instant::now();
        while !self.watch.is_quiet() {
            self.take_reported();
            assert!(start.elapsed() < DEADLINE, "never quiet");
        }
        self.take_reported();
    }

    fn check_quietly(&mut self, what: &str) {
        self.settle_quietly();
        assert_eq!(self.seen.files, on_disk(&self.seen.root), "{what}");
    }
}

#[test]
fn everything_is_reported_before_the_watch_is_quiet() {
    let mut scene = Scene::new();
    scene.mkdir("d/e");
    scene.check_quietly("directories");
    for round in 0..500 {
        scene.write("d/e/f", &round.to_string());
        scene.check_quietly("written");
        std::fs::rename(scene.at("d/e/f"), scene.at("d/g")).expect("renamed");
        scene.check_quietly("renamed");
        scene.write(&format!("d/{round}"), "one more");
        std::fs::remove_file(scene.at("d/g")).expect("removed");
        scene.check_quietly("made and removed");
    }
    scene.rename("d", "h");
    scene.check_quietly("a directory renamed");
    scene.mkdir("h/i/j");
    scene.write("h/i/j/k", "");
    scene.check_quietly("directories made");
}

#[test]
fn an_open_file_is_reported_at_a_barrier_only() {
    let mut scene = Scene::new();
    let mut open = std::fs::File::create(scene.at("f")).expect("made");
    scene.check_quietly("made");
    for round in 0..10 {
        open.write_all(b"line\n").expect("written");
        for _ in 0..1_000 {
            assert!(!scene.watch.is_quiet(), "{round}");
        }
        scene.check();
        scene.check_quietly("after the barrier");
    }
    // More writes than are reported one by one.
    for _ in 0..200 {
        open.write_all(b"line\n").expect("written");
    }
    assert!(!scene.watch.is_quiet());
    scene.check();
    scene.check_quietly("after many");
}

#[test]
fn what_only_a_barrier_finds_keeps_the_watch_busy() {
    let mut polling = Scene::with(WatchOptions { max_watches: Some(1), ..WatchOptions::default() });
    polling.mkdir("a/b");
    polling.check();
    let mut gone = Scene::new();
    gone.settle_quietly();
    std::fs::remove_dir_all(gone.scratch.path().join("run")).expect("removed");
    let mut moved = Scene::prepared(WatchOptions::default(), |_| {});
    moved.settle_quietly();
    let elsewhere = moved.scratch.path().with_extension("moved");
    std::fs::rename(moved.scratch.path(), &elsewhere).expect("renamed");
    for _ in 0..1_000 {
        assert!(!polling.watch.is_quiet(), "a directory is polled");
        assert!(!gone.watch.is_quiet(), "no barrier can be made");
        assert!(!moved.watch.is_quiet(), "the root is elsewhere");
    }
    std::fs::rename(&elsewhere, moved.scratch.path()).expect("renamed");
    moved.check_quietly("the root is there again");
}
