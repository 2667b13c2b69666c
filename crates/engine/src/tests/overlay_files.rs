//! Tests: a restart on overlayfs, whose files have the states of their layers. The test runs itself in a mount namespace of its
//! own, where mounting is allowed.

use std::process::Command;

use super::restart::{FILES, Restarts, hours_later};

/// Set for the process in which the test runs.
const INSIDE: &str = "SYMD_TEST_MAY_MOUNT";

/// How that process says that it could not test.
const NOT_RUN: &str = "not run: ";

#[test]
fn what_changed_in_a_layer_is_read() {
    if std::env::var_os(INSIDE).is_some() {
        return restart();
    }
    let name = "tests::overlay_files::what_changed_in_a_layer_is_read";
    let program = std::env::current_exe().expect("known");
    let mut test = Command::new("unshare");
    test.arg("--mount").arg(program).args(["--exact", name, "--nocapture"]).env(INSIDE, "1");
    match test.output() {
        Ok(output) if String::from_utf8_lossy(&output.stderr).contains("unshare failed") => {
            record_unrun("this user may not mount");
        }
        Ok(output) => {
            assert!(output.status.success(), "{output:?}");
            let said = String::from_utf8_lossy(&output.stderr);
            said.lines().filter_map(|line| line.strip_prefix(NOT_RUN)).for_each(record_unrun);
        }
        Err(error) => record_unrun(&format!("unshare: {error}")),
    }
}

/// Has `crates/unrun` tell, in the last lines of `cargo test`, that this test did not run.
fn record_unrun(why: &str) {
    // `target/PROFILE/deps/TEST`; cargo names `target/tmp` only to tests in folders of their own.
    let program = std::env::current_exe().expect("known");
    let records = program.ancestors().nth(3).expect("beneath target").join("tmp/unrun");
    std::fs::create_dir_all(&records).expect("made");
    std::fs::write(records.join("overlay_files"), format!("overlayfs: {why}\n")).expect("written");
}

fn restart() {
    let restarts = Restarts::of_nothing();
    let (layers, project) = (restarts.own.at(""), restarts.project.at(""));
    let runs = |script: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-ec", script]).current_dir(&layers).env("PROJECT", &project);
        shell.status().expect("a shell").success()
    };
    let mount = "mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work \"$PROJECT\"";
    assert!(runs("mkdir lower upper work"));
    for (file, text) in FILES {
        restarts.own.write(&format!("lower/{file}"), text);
    }
    if !runs(mount) {
        return eprintln!("{NOT_RUN}overlayfs cannot be mounted here");
    }
    let (index, status) = restarts.run(|| hours_later(1));
    assert_eq!((index.as_str(), status.recorded_files), ("a.py:a b.h:B c.py:c", 0));
    // Copied up, with the size and times that it had.
    assert!(runs(
        "cp -p \"$PROJECT/a.py\" old; printf 'x = 1\\n' > \"$PROJECT/a.py\"; touch -r old \"$PROJECT/a.py\""
    ));
    let (index, status) = restarts.run(|| hours_later(2));
    assert_eq!(
        (index.as_str(), status.recorded_files, status.corrected_files),
        ("a.py:x b.h:B c.py:c", 2, 0)
    );
    // The same in each layer while they are not mounted.
    assert!(runs("umount \"$PROJECT\""));
    for (file, text) in [("lower/c.py", "y = 1"), ("upper/a.py", "z = 1")] {
        assert!(
            runs(&format!("cp -p {file} old; printf '{text}\\n' > {file}; touch -r old {file}")),
            "{file}"
        );
    }
    assert!(runs(mount));
    let (index, status) = restarts.run(|| hours_later(3));
    assert_eq!((index.as_str(), status.corrected_files), ("a.py:z b.h:B c.py:y", 0));
    assert!(runs("umount \"$PROJECT\""));
}
