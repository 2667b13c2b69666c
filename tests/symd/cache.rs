//! The cache with real daemons: it only saves parsing; no answer depends on it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{User, write};

const FILES: usize = 20;

fn project() -> User {
    let user = User::new();
    for number in 0..FILES {
        let text = format!("class C{number}:\n    def method_{number}(self): pass\n");
        write(&user.path(&format!("project/{number}.py")), &text);
    }
    user
}

/// Returns every symbol with its place.
fn everything(user: &User) -> String {
    let arguments = json!({ "name_path_pattern": "method_", "substring_matching": true }).to_string();
    let answer = user.check(&["call", "--toolset", "serena", "find_symbol", &arguments], 0);
    let found: Vec<Value> = serde_json::from_str(&answer).unwrap();
    assert_eq!(found.len(), FILES, "{answer}");
    answer
}

/// Returns `hits`, `misses` and `damaged` of a daemon that has answered a request.
fn counts(user: &User) -> (u64, u64, u64) {
    let cache = &user.status()["cache"];
    let count = |name: &str| cache[name].as_u64().unwrap();
    (count("hits"), count("misses"), count("damaged"))
}

fn packs(user: &User) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for directory in user.path("cache/outlines").read_dir().unwrap() {
        for file in directory.unwrap().path().read_dir().unwrap() {
            found.push(file.unwrap().path());
        }
    }
    assert!(!found.is_empty());
    found
}

#[test]
fn a_restart_parses_nothing_twice() {
    let user = project();
    let first = everything(&user);
    assert_eq!(counts(&user), (0, FILES as u64, 0));
    user.check(&["stop"], 0);
    assert_eq!(everything(&user), first);
    assert_eq!(counts(&user), (FILES as u64, 0, 0));
}

#[test]
fn what_changed_while_nobody_watched_is_noticed() {
    let user = project();
    everything(&user);
    user.check(&["stop"], 0);
    write(&user.path("project/0.py"), "class Changed: pass\n");
    write(&user.path("project/new.py"), "class New: pass\n");
    std::fs::remove_file(user.path("project/1.py")).unwrap();
    // The same size and the same times: only the content differs.
    let (path, kept) = (user.path("project/2.py"), user.path("kept"));
    let touch = |reference: &Path, file: &Path| {
        assert!(Command::new("touch").arg("-r").args([reference, file]).status().unwrap().success());
    };
    write(&kept, "");
    touch(&path, &kept);
    write(&path, "class D2:\n    def method_2(self): pass\n");
    touch(&kept, &path);
    for (name, place) in [("Changed", "0.py:1 "), ("New", "new.py:1 "), ("D2", "2.py:1")] {
        assert!(user.find(name).starts_with(place), "{name}: {}", user.find(name));
    }
    for name in ["C0", "C1", "C2"] {
        assert!(user.find(name).contains("No symbols"), "{name}");
    }
    assert_eq!(counts(&user), (FILES as u64 - 3, 3, 0));
}

#[test]
fn damaged_packs_are_made_anew() {
    let damages: [fn(&mut Vec<u8>); 5] = [
        Vec::clear,
        |bytes| bytes.truncate(bytes.len() / 2),
        |bytes| bytes.iter_mut().for_each(|byte| *byte = 0xA5),
        |bytes| bytes.iter_mut().step_by(7).for_each(|byte| *byte ^= 0xFF),
        |bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
        },
    ];
    for (number, damage) in damages.into_iter().enumerate() {
        let user = project();
        let first = everything(&user);
        user.check(&["stop"], 0);
        for pack in packs(&user) {
            let mut bytes = std::fs::read(&pack).unwrap();
            damage(&mut bytes);
            std::fs::write(&pack, bytes).unwrap();
        }
        assert_eq!(everything(&user), first, "damage {number}");
        let (hits, misses, damaged) = counts(&user);
        assert_eq!(hits + misses, FILES as u64, "damage {number}");
        assert!(misses > 0 && damaged > 0, "damage {number}: {misses} misses, {damaged} damaged");
    }
}

#[test]
fn where_no_cache_can_be_it_goes_on_and_says_so() {
    let user = project();
    let outlines = user.path("cache/outlines");
    std::fs::create_dir_all(outlines.parent().unwrap()).unwrap();
    // A file where the directory should be: this also stops root.
    write(&outlines, "");
    everything(&user);
    let log = user.check(&["logs"], 0);
    assert!(log.contains("WARN") && log.contains("without a cache"), "{log}");
    write(&user.path("project/0.py"), "class Changed:\n    def method_0(self): pass\n");
    assert!(user.find("Changed").starts_with("0.py:1"));
}

/// Makes the project a repository with a second work tree, at the returned path.
fn with_second_worktree(user: &User) -> PathBuf {
    let project = user.path("project");
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=test", "-c", "user.email=test@localhost"];
        let done =
            Command::new("git").arg("-C").arg(&project).args(identity).args(arguments).output().unwrap();
        assert!(done.status.success(), "{arguments:?}: {done:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "all"]);
    let second = user.path("second");
    git(&["worktree", "add", "-q", second.to_str().unwrap()]);
    second
}

fn within(user: &User, worktree: &Path, arguments: &[&str]) -> String {
    user.check(&[&["--project", worktree.to_str().unwrap()], arguments].concat(), 0)
}

#[test]
fn worktrees_of_one_repository_share_it() {
    let user = project();
    let second = with_second_worktree(&user);
    everything(&user);
    user.check(&["stop"], 0);
    assert!(within(&user, &second, &["find", "method_7"]).starts_with("7.py:2"));
    let status: Value = serde_json::from_str(&within(&user, &second, &["status", "--json"])).unwrap();
    assert_eq!(status["root"].as_str(), second.to_str());
    assert_eq!(
        (&status["cache"]["hits"], &status["cache"]["misses"]),
        (&json!(FILES), &json!(0)),
        "{status}"
    );
}

#[test]
fn worktrees_that_are_open_at_once_do_each_other_no_harm() {
    let user = project();
    let worktrees = [user.path("project"), with_second_worktree(&user)];
    // Each round has files that only one of them has; both write and merge packs while the other reads.
    for round in 0..12 {
        std::thread::scope(|scope| {
            for (number, worktree) in worktrees.iter().enumerate() {
                let user = &user;
                scope.spawn(move || {
                    let own = format!("class Own{number}:\n    def round_{round}(self): pass\n");
                    write(&worktree.join(format!("own{round}.py")), &own);
                    within(user, worktree, &["index"]);
                    let found = within(user, worktree, &["find", &format!("round_{round}")]);
                    let expected = format!("own{round}.py:2 method Own{number}/round_{round}");
                    assert!(found.starts_with(&expected), "{found}");
                    within(user, worktree, &["stop"]);
                });
            }
        });
    }
    for worktree in &worktrees {
        let answer = within(&user, worktree, &["find", "method_7"]);
        assert!(answer.starts_with("7.py:2") && answer.contains("[1 symbol; complete]"), "{answer}");
        let status: Value = serde_json::from_str(&within(&user, worktree, &["status", "--json"])).unwrap();
        let cache = &status["cache"];
        assert_eq!((&cache["misses"], &cache["damaged"]), (&json!(0), &json!(0)), "{status}");
        assert!(cache["packs"].as_u64().unwrap() <= 16, "{status}");
    }
}
