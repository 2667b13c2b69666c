//! Limits of the system: watches, queue, permissions, lengths, encodings.

use super::*;

fn limited(most: usize) -> WatchOptions {
    WatchOptions { max_watches: Some(most), ..WatchOptions::default() }
}

#[test]
fn what_cannot_be_watched_is_polled() {
    for options in
        [limited(0), limited(2), WatchOptions { backend: BackendChoice::Poll, ..WatchOptions::default() }]
    {
        let mut scene = Scene::with(options);
        scene.mkdir("a/b/c");
        scene.write("a/b/c/f", "1");
        scene.write("top", "1");
        scene.check();
        assert!(scene.watch.counters().polled > 0);
        scene.write("a/b/c/f", "2");
        scene.check();
        scene.write("a/b/c/f", "3");
        scene.check();
        scene.rename("a/b", "b");
        scene.mkdir("a/b");
        scene.write("a/b/g", "1");
        scene.check();
        scene.write("b/.gitignore", "c\n");
        scene.check();
        assert_eq!(scene.files(), "a/b/g b/.gitignore top");
        std::fs::remove_file(scene.at("b/.gitignore")).expect("removed");
        scene.check();
        std::fs::remove_dir_all(scene.at("b")).expect("removed");
        scene.write("b", "a file now");
        scene.check();
        assert_eq!(scene.files(), "a/b/g b top");
    }
}

#[test]
fn an_overflow_loses_nothing() {
    let mut scene = Scene::new();
    scene.mkdir("d");
    scene.check();
    let limit = std::fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").expect("read");
    let limit: usize = limit.trim().parse().expect("a number");
    // The channel is not read: the watch thread blocks in the sink, and the kernel's queue fills up.
    let mut asked = Vec::new();
    for index in 0..limit {
        scene.write(&format!("d/{}", index % 500), &index.to_string());
        std::fs::remove_file(scene.at(&format!("d/{}", index % 500))).expect("removed");
        if index % 2_000 == 0 {
            asked.push(scene.watch.barrier().expect("asked"));
        }
    }
    scene.mkdir("d/late");
    scene.write("d/late/f", "1");
    asked.push(scene.watch.barrier().expect("asked"));
    let last = asked[asked.len() - 1];
    while !asked.iter().all(|number| scene.seen.log.contains(&Notice::Barrier(*number))) {
        for notice in scene.notices.recv_timeout(DEADLINE).expect("in time") {
            scene.seen.take(notice);
        }
    }
    assert!(scene.seen.log.contains(&Notice::Barrier(last)));
    assert!(scene.watch.counters().overflows > 0);
    assert_eq!(scene.files(), "d/late/f");
    scene.check();
}

#[test]
fn paths_too_long_for_the_system_are_counted() {
    let scene = Scene::prepared(WatchOptions::default(), |root| {
        let mut at =
            rustix::fs::open(root, rustix::fs::OFlags::PATH, rustix::fs::Mode::empty()).expect("opened");
        for _ in 0..3_000 {
            rustix::fs::mkdirat(&at, "d", rustix::fs::Mode::RWXU).expect("made");
            at = rustix::fs::openat(&at, "d", rustix::fs::OFlags::PATH, rustix::fs::Mode::empty())
                .expect("opened");
        }
        std::fs::write(root.join("d/f"), "1").expect("written");
    });
    assert_eq!(scene.files(), "d/f");
    assert_eq!(scene.watch.counters().too_deep, 1);
}

#[test]
fn names_that_are_not_utf8_are_counted() {
    let mut scene = Scene::new();
    let odd: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"\xFF");
    std::fs::write(scene.at("").join(odd), "").expect("written");
    scene.write("f", "1");
    scene.settle();
    assert_eq!(scene.files(), "f");
    assert!(scene.watch.counters().unnamed > 0);
}

/// Root may read everything, so this runs once more as the user nobody.
#[test]
fn what_may_not_be_read_is_skipped_until_it_may() {
    const NAME: &str = "tests::limits::what_may_not_be_read_is_skipped_until_it_may";
    if rustix::process::geteuid().is_root() {
        let this = std::env::current_exe().expect("known");
        let output = std::process::Command::new("setpriv")
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .arg(this)
            .args(["--exact", NAME])
            .env("TMPDIR", "/tmp")
            .output()
            .expect("setpriv runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
        return;
    }
    let permit = |path: PathBuf, mode: u32| {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(path, mode).expect("permitted");
    };
    for options in [WatchOptions::default(), limited(1)] {
        let mut scene = Scene::prepared(options, |root| {
            std::fs::create_dir_all(root.join("shut/in")).expect("made");
            std::fs::write(root.join("shut/in/f"), "1").expect("written");
            permit(root.join("shut"), 0o000);
        });
        assert_eq!(scene.files(), "");
        assert!(scene.watch.counters().denied > 0);
        permit(scene.at("shut"), 0o700);
        scene.check();
        assert_eq!(scene.files(), "shut/in/f");
        scene.write("shut/in/f", "2");
        scene.check();
        permit(scene.at("shut"), 0o000);
        scene.settle();
        assert_eq!(scene.files(), "");
        permit(scene.at("shut"), 0o700);
        scene.write("shut/in/f", "3");
        permit(scene.at("shut/in/f"), 0o000);
        scene.settle();
        assert_eq!(scene.files(), "");
        permit(scene.at("shut/in/f"), 0o600);
        scene.check();
        permit(scene.at(""), 0o000);
        scene.settle();
        permit(scene.at(""), 0o700);
        scene.check();
        assert_eq!(scene.files(), "shut/in/f");
    }
}
