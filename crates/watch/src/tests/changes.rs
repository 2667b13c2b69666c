//! Each test makes one kind of change and checks what is reported.

use super::*;

#[test]
fn tells_of_files_written_renamed_and_deleted() {
    let mut scene = Scene::prepared(WatchOptions::default(), |root| {
        std::fs::create_dir(root.join("d")).expect("made");
        std::fs::write(root.join("d/old"), "1").expect("written");
    });
    assert_eq!(scene.files(), "d/old");
    scene.write("a", "1");
    scene.write("d/b", "1");
    scene.check();
    scene.write("a", "22");
    scene.check();
    scene.rename("a", "d/c");
    std::fs::remove_file(scene.at("d/b")).expect("removed");
    let told = scene.settle();
    assert!(told.contains(&Notice::Removed(RelPath::new("a").expect("valid"))), "{told:?}");
    scene.check();
    assert_eq!(scene.files(), "d/c d/old");
    std::fs::hard_link(scene.at("d/c"), scene.at("hard")).expect("linked");
    scene.rename("d/c", "d/old");
    scene.check();
    assert_eq!(scene.files(), "d/old hard");
}

/// Each backend, and polling because no watches are left.
fn all_backends() -> [WatchOptions; 4] {
    let of = |backend| WatchOptions { backend, ..WatchOptions::default() };
    let polled = WatchOptions { max_watches: Some(0), ..WatchOptions::default() };
    [of(BackendChoice::Auto), of(BackendChoice::Notify), of(BackendChoice::Poll), polled]
}

/// The directory above a repository's `.git` is listed by another way.
#[test]
fn states_are_told_with_the_first_listing_of_each_directory() {
    for options in all_backends() {
        for git in [false, true] {
            let mut scene = Scene::prepared(WatchOptions { takes_states: true, ..options.clone() }, |root| {
                std::fs::create_dir_all(root.join("d/e")).expect("made");
                if git {
                    std::fs::create_dir_all(root.join("d/.git")).expect("made");
                }
                for file in ["a", "d/b", "d/node_modules", "d/e/c"] {
                    std::fs::write(root.join(file), file).expect("written");
                }
                std::fs::write(root.join("d/.gitignore"), "b\n").expect("written");
                std::os::unix::fs::symlink("a", root.join("link")).expect("linked");
            });
            let root = Root::open(&scene.seen.root).expect("opened");
            let told = |log: &[Notice]| -> Vec<(RelPath, Option<Stat>)> {
                let listed = log.iter().filter_map(|notice| match notice {
                    Notice::Listed { files, states, .. } => Some((files.clone(), states.clone())),
                    _ => None,
                });
                listed.flat_map(|(files, states)| files.into_iter().zip(states)).collect()
            };
            let first = told(&scene.seen.log);
            let mut paths: Vec<&str> = first.iter().map(|(path, _)| path.as_str()).collect();
            paths.sort_unstable();
            assert_eq!(paths, ["a", "d/.gitignore", "d/e/c", "d/node_modules"]);
            for (path, state) in &first {
                assert_eq!(*state, root.stat_link(path).ok().map(|(_, stat)| stat), "{path}");
            }
            // What is listed later may have changed in between.
            scene.mkdir("new");
            scene.write("new/f", "1");
            scene.watch.rescan(&RelPath::root());
            let later = scene.settle();
            assert!(later.iter().any(|notice| matches!(notice, Notice::Listed { .. })), "{later:?}");
            assert_eq!(told(&later), []);
        }
    }
}

/// A reader beneath the directory found nothing in between, or the content of another directory.
#[test]
fn a_directory_that_was_away_is_told_again_with_all_beneath() {
    for options in all_backends() {
        let mut scene = Scene::with(options.clone());
        scene.mkdir("d/e");
        scene.mkdir("other/e");
        scene.write("d/e/f", "1");
        scene.write("other/e/f", "2");
        scene.check();
        // The entries must have changed in another clock tick than the name.
        std::fs::File::open(scene.at("d")).expect("opened").set_modified(std::time::UNIX_EPOCH).expect("set");
        scene.check();
        for away in ["../away", "away"] {
            scene.rename("d", away);
            scene.rename(away, "d");
            let told = scene.settle();
            let is_told = |path: &str| {
                let path = RelPath::new(path).expect("valid");
                told.iter()
                    .any(|notice| matches!(notice, Notice::Listed { directory, .. } if *directory == path))
            };
            assert!(is_told("d") && is_told("d/e"), "{options:?}: {told:?}");
            scene.check();
        }
    }
}

#[test]
fn an_unfinished_write_is_told_at_the_next_barrier_and_when_it_finishes() {
    use std::io::{Seek, Write};
    for options in all_backends() {
        let mut scene = Scene::with(options.clone());
        scene.mkdir("d");
        scene.write("d/old", "before\n");
        scene.check();
        let mut how = std::fs::OpenOptions::new();
        how.write(true).create(true).truncate(false);
        let open = |path: &str| how.open(scene.at(path));
        let (mut new, mut old) = (open("d/new").expect("opened"), open("d/old").expect("opened"));
        // A second descriptor of the open file, like that of a child forked meanwhile: closing ours does not
        // close the file.
        let copies = [new.try_clone().expect("copied"), old.try_clone().expect("copied")];
        scene.check();
        new.write_all(b"one\n").expect("written");
        old.write_all(b"BEFORE\n").expect("written");
        scene.check();
        new.write_all(b"two\n").expect("written");
        old.set_len(0).expect("emptied");
        scene.check();
        old.rewind().expect("sought");
        old.write_all(b"after\n").expect("written");
        scene.rename("d/new", "d/renamed");
        new.write_all(b"three\n").expect("written");
        scene.check();
        std::fs::remove_file(scene.at("d/renamed")).expect("removed");
        new.write_all(b"four\n").expect("written");
        drop((new, old));
        scene.check();
        assert_eq!(scene.files(), "d/old", "{options:?}");
        drop(copies);
        scene.check();
        if options.backend == BackendChoice::Auto && options.max_watches.is_none() {
            assert_eq!(scene.settle().len(), 1, "nothing but the barrier");
        }
    }
}

#[test]
fn an_unfinished_write_of_what_is_left_out_is_not_told() {
    use std::io::Write;
    let mut scene = Scene::new();
    scene.write(".gitignore", "*.log\n");
    scene.check();
    let mut log = std::fs::File::create(scene.at("a.log")).expect("made");
    scene.settle();
    log.write_all(b"x").expect("written");
    assert_eq!(scene.settle().len(), 1, "nothing but the barrier");
    // The rules are read as they are, even from an open file.
    let mut rules = std::fs::File::create(scene.at(".gitignore")).expect("opened");
    rules.write_all(b"*.txt\n").expect("written");
    scene.check();
    assert_eq!(scene.files(), ".gitignore a.log");
}

#[test]
fn who_writes_without_end_is_not_listened_to_until_somebody_asks() {
    use std::io::Write;
    for backend in [BackendChoice::Auto, BackendChoice::Notify] {
        let mut scene = Scene::with(WatchOptions { backend, ..WatchOptions::default() });
        scene.mkdir("d");
        let create = |path: &str| std::fs::File::create(scene.at(path)).expect("made");
        let mut logs = [create("d/one"), create("d/other")];
        let mut late = create("d/late");
        scene.check();
        for _ in 0..3 {
            // Two files in turn: the kernel merges no two of these writes. Fewer than its queue holds.
            let since = std::time::Instant::now();
            let mut quiet = false;
            while !quiet {
                let before = scene.watch.counters().events;
                for _ in 0..1_000 {
                    logs.iter_mut().for_each(|log| log.write_all(b"line\n").expect("written"));
                }
                // notify keeps sending events to its own thread.
                quiet = backend == BackendChoice::Notify || scene.watch.counters().events == before;
                assert!(since.elapsed() < DEADLINE, "every write is told: {:?}", scene.watch.counters());
            }
            late.write_all(b"first\n").expect("written");
            scene.check();
            late.write_all(b"second\n").expect("written");
            scene.check();
        }
        assert_eq!(scene.watch.counters().overflows, 0);
    }
}

#[test]
fn follows_directories_wherever_they_go() {
    let mut scene = Scene::new();
    scene.mkdir("a/b/c");
    scene.write("a/b/c/f", "1");
    scene.check();
    scene.rename("a/b", "moved");
    scene.check();
    scene.write("moved/c/g", "1");
    scene.check();
    assert_eq!(scene.files(), "moved/c/f moved/c/g");
    let outside = scene.scratch.path().join("outside");
    std::fs::rename(scene.at("moved"), &outside).expect("moved out");
    scene.check();
    assert_eq!(scene.files(), "");
    std::fs::write(outside.join("c/h"), "1").expect("written");
    assert_eq!(scene.settle().len(), 1, "nothing but the barrier");
    std::fs::rename(&outside, scene.at("back")).expect("moved in");
    scene.check();
    assert_eq!(scene.files(), "back/c/f back/c/g back/c/h");
    scene.write("back/c/h", "2");
    std::fs::remove_dir_all(scene.at("back")).expect("removed");
    scene.write("back", "a file now");
    scene.check();
    std::fs::remove_file(scene.at("back")).expect("removed");
    scene.mkdir("back/again");
    scene.write("back/again/f", "1");
    scene.check();
    assert_eq!(scene.watch.counters().watched, 4, "the root, its parent's directories a, back and again");
}

#[test]
fn exchanged_directories_and_files_are_told_apart() {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    let mut scene = Scene::new();
    scene.mkdir("x/sub");
    scene.mkdir("y");
    scene.write("x/sub/f", "1");
    scene.write("y/g", "1");
    scene.write("file", "1");
    scene.check();
    for (one, other) in [("x", "y"), ("y", "file"), ("x", "y")] {
        renameat_with(CWD, scene.at(one), CWD, scene.at(other), RenameFlags::EXCHANGE).expect("exchanged");
        scene.check();
    }
    // Renamed and renamed back before the watcher looks.
    scene.rename("y", "z");
    scene.rename("z", "y");
    scene.check();
    scene.mkdir("empty");
    scene.check();
    let directory = if scene.at("y").is_dir() { "y" } else { "file" };
    scene.rename(directory, "empty");
    scene.check();
}

#[test]
fn links_and_special_files_are_left_out() {
    let mut scene = Scene::new();
    scene.mkdir("d");
    scene.write("d/f", "1");
    std::os::unix::fs::symlink("d", scene.at("linked")).expect("linked");
    std::os::unix::fs::symlink("d/f", scene.at("link")).expect("linked");
    let (fifo, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
    rustix::fs::mknodat(rustix::fs::CWD, scene.at("fifo"), fifo, mode, 0).expect("made");
    scene.settle();
    assert_eq!(scene.files(), "d/f");
    let counters = scene.watch.counters();
    assert_eq!((counters.links, counters.special), (2, 1));
    // A file that is replaced by a link is gone.
    scene.write("f", "1");
    scene.check();
    std::fs::remove_file(scene.at("f")).expect("removed");
    std::os::unix::fs::symlink("d/f", scene.at("f")).expect("linked");
    scene.check();
    // So is a directory that is replaced by one.
    scene.rename("d", "e");
    std::os::unix::fs::symlink("e", scene.at("d")).expect("linked");
    scene.check();
    assert_eq!(scene.files(), "e/f");
}

#[test]
fn changed_ignore_files_hide_and_bring_back() {
    let mut scene = Scene::new();
    for directory in ["a/gen", "rust/target", "node_modules/m", ".git/info"] {
        scene.mkdir(directory);
        scene.write(&format!("{directory}/f"), "1");
    }
    scene.write("a/x.log", "1");
    scene.check();
    assert_eq!(scene.files(), "a/gen/f a/x.log rust/target/f");
    scene.write(".gitignore", "*.log\n");
    scene.check();
    scene.write("a/.gitignore", "!x.log\ngen\n");
    scene.check();
    assert_eq!(scene.files(), ".gitignore a/.gitignore a/x.log rust/target/f");
    scene.write("a/gen/g", "1");
    assert_eq!(scene.settle().len(), 1, "nothing but the barrier");
    scene.write("rust/Cargo.toml", "");
    scene.check();
    std::fs::remove_file(scene.at("rust/Cargo.toml")).expect("removed");
    scene.check();
    assert_eq!(scene.files(), ".gitignore a/.gitignore a/x.log rust/target/f");
    scene.write(".git/info/exclude", "rust\n");
    scene.check();
    scene.write("a/.symdignore", "!gen\nx.log\n");
    scene.check();
    assert_eq!(scene.files(), ".gitignore a/.gitignore a/.symdignore a/gen/f a/gen/g");
    std::fs::remove_dir_all(scene.at(".git")).expect("removed");
    std::fs::remove_file(scene.at("a/.gitignore")).expect("removed");
    std::fs::remove_file(scene.at("a/.symdignore")).expect("removed");
    scene.check();
    // A repository is created.
    scene.mkdir(".git");
    scene.check();
    scene.mkdir(".git/info");
    scene.write(".git/info/exclude", "/rust\n");
    scene.check();
    assert_eq!(scene.files(), ".gitignore a/gen/f a/gen/g");
}

#[test]
fn a_root_that_is_moved_or_deleted_is_gone() {
    let mut scene = Scene::new();
    std::fs::rename(scene.at(""), scene.scratch.path().join("elsewhere")).expect("moved");
    scene.until(&Notice::RootGone);
    let mut scene = Scene::new();
    scene.write("f", "1");
    std::fs::remove_dir_all(scene.at("")).expect("removed");
    std::fs::create_dir(scene.scratch.path().join("project")).expect("made again");
    scene.until(&Notice::RootGone);
}

#[test]
fn barriers_arrive_in_any_number_and_leave_nothing_behind() {
    let scene = Scene::new();
    let numbers: Vec<u64> = std::thread::scope(|scope| {
        let ask = || (0..50).map(|_| scene.watch.barrier().expect("asked")).collect::<Vec<_>>();
        let askers: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        // Four threads request barriers while this one reads, since the channel is bounded.
        let mut arrived = Vec::new();
        while arrived.len() < 200 {
            for notice in scene.notices.recv_timeout(DEADLINE).expect("in time") {
                if let Notice::Barrier(number) = notice {
                    arrived.push(number);
                }
            }
        }
        let mut asked: Vec<u64> =
            askers.into_iter().flat_map(|asker| asker.join().expect("joined")).collect();
        asked.sort_unstable();
        arrived.sort_unstable();
        assert_eq!(asked, arrived);
        asked
    });
    assert_eq!(numbers.len(), 200);
    let Scene { scratch, watch, notices, .. } = scene;
    drop(watch);
    drop(notices);
    assert_eq!(std::fs::read_dir(scratch.path().join("run/barrier")).expect("listed").count(), 0);
}
