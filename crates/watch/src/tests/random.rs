//! Many changes at once, made by another thread.

use super::*;

#[test]
fn nothing_is_lost_beneath_directories_just_made() {
    let mut scene = Scene::new();
    let root = scene.at("");
    let writer = std::thread::spawn(move || {
        for index in 0..200 {
            let directory = root.join(format!("{index}/b/c"));
            std::fs::create_dir_all(&directory).expect("made");
            for file in 0..10 {
                std::fs::write(directory.join(file.to_string()), "1").expect("written");
            }
        }
    });
    while !writer.is_finished() {
        scene.settle();
    }
    writer.join().expect("joined");
    scene.check();
    assert_eq!(scene.seen.files.len(), 2_000);
}

/// Makes random changes in a small tree; small, so that names are reused.
fn play(random: &mut fastrand::Rng, root: &std::path::Path, steps: usize) {
    const NAMES: [&str; 8] = ["a", "b", "c", "target", "node_modules", "Cargo.toml", "x.log", "x.rs"];
    let pick = |random: &mut fastrand::Rng| {
        let depth = random.usize(1..=3);
        let names: Vec<&str> = (0..depth).map(|_| NAMES[random.usize(..NAMES.len())]).collect();
        root.join(names.join("/"))
    };
    // Failing operations are skipped: only the resulting tree counts.
    for _ in 0..steps {
        let (one, other) = (pick(random), pick(random));
        let _ = match random.u32(..16) {
            0..4 => std::fs::write(&one, random.u32(..).to_string()),
            4..7 => std::fs::create_dir_all(&one),
            7..10 => std::fs::rename(&one, &other),
            10 => std::fs::remove_dir_all(&one),
            11 => std::fs::remove_file(&one),
            // No hard links: a write through one name of a file is not reported for the other.
            12..14 => std::os::unix::fs::symlink("a", &one),
            14 => {
                use rustix::fs::{CWD, RenameFlags, renameat_with};
                renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).map_err(Into::into)
            }
            _ => {
                let name = [".gitignore", ".symdignore"][random.usize(..2)];
                let text = ["*.log\n", "b\n", "!x.log\n/a\n", "a/b\n", "c/\n", ""][random.usize(..6)];
                std::fs::write(one.with_file_name(name), text)
            }
        };
    }
}

#[test]
fn what_is_told_adds_up_to_what_is_there() {
    let options = [
        WatchOptions::default(),
        WatchOptions { max_watches: Some(6), ..WatchOptions::default() },
        WatchOptions { backend: BackendChoice::Poll, ..WatchOptions::default() },
        WatchOptions { backend: BackendChoice::Notify, ..WatchOptions::default() },
    ];
    for options in options {
        let seed = fastrand::u64(..);
        println!("seed {seed} {options:?}");
        let mut random = fastrand::Rng::with_seed(seed);
        let mut scene = Scene::with(options);
        for _ in 0..12 {
            let root = scene.at("");
            let mut theirs = random.fork();
            let player = std::thread::spawn(move || play(&mut theirs, &root, 200));
            // Barriers during the changes, so that examining and changing interleave.
            while !player.is_finished() {
                scene.settle();
            }
            player.join().expect("joined");
            scene.check();
        }
    }
}
