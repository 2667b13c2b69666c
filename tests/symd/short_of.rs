//! A system that lacks resources of the daemon: inotify watches and instances, space on the disk, names in a
//! directory. Answers are right, or rejected with the reason; an answer that may lack something is never
//! called complete. Lack of descriptors: `unread_files`; edits on a full disk: `edit_hostile`.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{User, stands_at, write};

/// The number of directories in the project, far more than the limit of watches.
const DIRECTORIES: usize = 40;

fn project(user: &User) {
    for number in 0..DIRECTORIES {
        let directory = user.path(&format!("project/d{}/e{number}", number % 4));
        std::fs::create_dir_all(&directory).unwrap();
        write(&directory.join("m.py"), &format!("def first_{number}():\n    pass\n"));
    }
}

/// Starts a daemon in a user namespace of its own with these limits (in /proc/sys/user); returns `false` if
/// the system does not allow namespaces.
fn start_within(user: &User, limits: &[(&str, u32)]) -> bool {
    let within = |script: &str| {
        let mut unshare = user.dressed(Command::new("unshare"));
        unshare.args(["--user", "--map-root-user", "sh", "-c", script, env!("CARGO_BIN_EXE_symd")]);
        unshare.output().unwrap()
    };
    let set: Vec<String> =
        limits.iter().map(|(name, most)| format!("echo {most} > /proc/sys/user/{name} && ")).collect();
    if !within(&format!("{}true", set.concat())).status.success() {
        eprintln!("SKIPPED: no user namespaces here; few watches are NOT tested with a daemon");
        return false;
    }
    let started = within(&format!("{}exec \"$0\" start", set.concat()));
    assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
    true
}

#[track_caller]
fn assert_found(user: &User, name: &str, place: &str) {
    let found = user.find(name);
    assert!(stands_at(&found, place) && found.contains("; complete]"), "{name}: {found}");
}

/// Asserts that `name` exists nowhere, with a complete answer.
#[track_caller]
fn assert_gone(user: &User, name: &str) {
    let found = user.find(name);
    assert!(found.contains("[0 symbols; ") && found.contains("; complete]"), "{name}: {found}");
}

#[test]
fn with_few_watches_or_none_every_change_is_seen() {
    for limits in [
        ("max_inotify_watches", 8),
        ("max_inotify_watches", 1),
        ("max_inotify_watches", 0),
        ("max_inotify_instances", 0),
    ] {
        let user = User::new();
        project(&user);
        if !start_within(&user, &[limits]) {
            return;
        }
        for number in [0, 7, 21, 39] {
            let file = user.path(&format!("project/d{}/e{number}/m.py", number % 4));
            assert_found(&user, &format!("first_{number}"), &format!("d{}/e{number}/m.py:1", number % 4));
            write(&file, &format!("\ndef second_{number}():\n    pass\n"));
            assert_found(&user, &format!("second_{number}"), &format!("d{}/e{number}/m.py:2", number % 4));
            assert_gone(&user, &format!("first_{number}"));
            let new = user.path(&format!("project/new{number}/deep"));
            std::fs::create_dir_all(&new).unwrap();
            std::fs::rename(&file, new.join("n.py")).unwrap();
            assert_found(&user, &format!("second_{number}"), &format!("new{number}/deep/n.py:2"));
            std::fs::remove_dir_all(new).unwrap();
            assert_gone(&user, &format!("second_{number}"));
        }
        let status = user.status();
        let polls =
            status["watcher"]["polled"].as_u64().unwrap() > 0 || status["watcher"]["backend"] == "poll";
        assert!(polls, "{limits:?}: {}", status["watcher"]);
        user.check(&["stop"], 0);
    }
}

/// A small tmpfs over one of the user's directories. The daemon is stopped before it is unmounted.
struct Small<'u> {
    user: &'u User,
    at: PathBuf,
}

impl<'u> Small<'u> {
    fn mounted(user: &'u User, directory: &str, options: &str) -> Option<Small<'u>> {
        let at = user.path(directory);
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("mode=700,{options}"), "none"]).arg(&at);
        if !mount.output().is_ok_and(|output| output.status.success()) {
            eprintln!("SKIPPED: cannot mount a tmpfs here (not root?); full disks are NOT tested");
            return None;
        }
        Some(Small { user, at })
    }

    /// Fills the file system to the last byte.
    fn fill(&self) -> PathBuf {
        let filler = self.at.join("filler");
        let error = std::fs::write(&filler, vec![b'x'; 16 << 20]).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
        filler
    }

    /// Uses up all names that the file system can provide.
    fn take_names(&self) -> Vec<PathBuf> {
        let names = (0..10_000).map(|number| self.at.join(format!("name{number}")));
        names.take_while(|name| std::fs::write(name, "").is_ok()).collect()
    }
}

impl Drop for Small<'_> {
    fn drop(&mut self) {
        let _ = self.user.symd().args(["stop", "--all"]).current_dir(self.user.path("")).output();
        let _ = Command::new("umount").arg(&self.at).status();
    }
}

/// Edits `file`; returns the exit code and the output.
fn edit(user: &User, file: &Path, name: &str) -> (Option<i32>, String) {
    let relative = file.strip_prefix(user.path("project")).unwrap();
    let body = format!("def {name}():\n    return 2");
    let arguments = json!({ "name_path": name, "relative_path": relative, "body": body }).to_string();
    let output = user.run(&["call", "replace_symbol_body", &arguments]);
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

#[test]
fn with_a_full_disk_for_its_state_a_daemon_answers_and_edits_nothing() {
    let user = User::new();
    project(&user);
    let Some(state) = Small::mounted(&user, "state", "size=2m") else { return };
    let Some(cache) = Small::mounted(&user, "cache", "size=64k") else { return };
    cache.fill();
    assert_found(&user, "first_1", "d1/e1/m.py:1");
    let filler = state.fill();
    let file = user.path("project/d2/e2/m.py");
    write(&file, "def second_2():\n    pass\n");
    assert_found(&user, "second_2", "d2/e2/m.py:1");
    assert_gone(&user, "first_2");
    let (code, said) = edit(&user, &file, "second_2");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("No space left on device"), "{said}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "def second_2():\n    pass\n");
    // The next daemon reports why it cannot start, or works as this one did.
    user.check(&["stop"], 0);
    let output = user.run(&["find", "first_3"]);
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    let is_right = stands_at(&text, "d3/e3/m.py:1") && text.contains("; complete]");
    assert!(is_right || text.contains("No space left on device"), "{text}");
    std::fs::remove_file(filler).unwrap();
    assert_found(&user, "first_3", "d3/e3/m.py:1");
    let (code, said) = edit(&user, &file, "second_2");
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "def second_2():\n    return 2\n");
}

#[test]
fn where_no_barrier_can_be_made_a_question_is_refused_with_the_reason() {
    let user = User::new();
    project(&user);
    let Some(run) = Small::mounted(&user, "run", "size=1m,nr_inodes=40") else { return };
    let mut wire = user.connect();
    wire.initialize();
    let mut ask = |id: u64, name: &str| -> Value {
        let call = crate::support::call(id, "find_symbol", json!({ "name_path_pattern": name }));
        wire.ask(&call)["result"].take()
    };
    assert!(ask(1, "first_1")["content"][0]["text"].as_str().unwrap().contains("; complete]"));
    let names = run.take_names();
    write(&user.path("project/d1/e1/m.py"), "def second_1():\n    pass\n");
    let answer = ask(2, "first_1");
    let text = answer["content"][0]["text"].as_str().unwrap();
    let is_refused = answer["isError"] == true && text.contains("No space left on device");
    assert!(is_refused, "{answer}");
    names.iter().for_each(|name| std::fs::remove_file(name).unwrap());
    let answer = ask(3, "second_1");
    let text = answer["content"][0]["text"].as_str().unwrap();
    assert!(stands_at(text, "d1/e1/m.py:1") && text.contains("; complete]"), "{answer}");
}
