//! A switch between two branches of 10,000 files each: absorbed, and equal to an index built from nothing.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::json;

use crate::daemon::Daemon;
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

    let daemon = Daemon::at(&tree, &scratch.path().join("home"));
    daemon.run(&["start"]);
    let mut connection = daemon.connect("native");
    let ask =
        |branch: &str| json!({"name_path_pattern": format!("{branch}_function_7777"), "relative_path": ""});
    assert!(!connection.call("find_symbol", &ask("second")).starts_with("No symbols"));
    git(&["checkout", "-q", "first"]);
    let started = Instant::now();
    let answer = connection.call("find_symbol", &ask("first"));
    let taken = started.elapsed();
    assert!(!answer.starts_with("No symbols"), "stale after a branch switch: {answer}");
    let absorbed = daemon.status();

    let rebuilt = Daemon::at(&tree, &scratch.path().join("another_home"));
    rebuilt.run(&["start"]);
    rebuilt.connect("native").call("find_symbol", &ask("first"));
    let fresh = rebuilt.status();
    let equal = ["files", "parsed_files", "symbols"].iter().all(|key| absorbed[*key] == fresh[*key]);
    let overflows = &absorbed["watcher"]["overflows"];
    table.row(
        "10,000 files",
        "a branch switch, until the next answer",
        ms(taken),
        format!("{} symbols, as many as a rebuild: {equal}; {overflows} overflows", absorbed["symbols"]),
        "index equals rebuild",
    );
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
