//! Files that were written and not reported as closed, because a child that was forked meanwhile holds a copy
//! of the descriptor: what was written counts from the next question on, not only when the child exits.

use std::fs::File;
use std::io::Write;
use std::process::{Child, Command, Stdio};

use crate::support::{User, write};

/// Starts a process that holds `file` open until its input ends.
fn holding(file: &File) -> Child {
    let file = file.try_clone().unwrap();
    Command::new("cat").stdin(Stdio::piped()).stdout(file).spawn().unwrap()
}

/// Ends the process, and with it the last copy of the descriptor.
fn let_go(mut child: Child) {
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn what_was_written_counts_though_a_child_holds_the_file_open() {
    for backend in ["auto", "notify", "poll"] {
        let user = User::with_config(&format!("watch = \"{backend}\"\n"));
        write(&user.path("project/old.py"), "def before(): pass\n");
        assert!(user.find("before").contains("old.py:1 "));
        // New: the creation event arrives while the file is empty.
        let mut new = File::create(user.path("project/new.py")).unwrap();
        let new_child = holding(&new);
        assert!(user.find("one").starts_with("No symbols match."));
        new.write_all(b"def one(): pass\n").unwrap();
        drop(new);
        assert!(user.find("one").contains("new.py:1 "), "{backend}");
        // Overwritten in place, as by editors that keep the inode.
        let mut old =
            std::fs::OpenOptions::new().write(true).truncate(true).open(user.path("project/old.py")).unwrap();
        let old_child = holding(&old);
        old.write_all(b"\ndef after(): pass\n").unwrap();
        drop(old);
        assert!(user.find("after").contains("old.py:2 "), "{backend}");
        assert!(user.find("before").starts_with("No symbols match."), "{backend}");
        let_go(new_child);
        let_go(old_child);
        assert!(
            user.find("one").contains("new.py:1 ") && user.find("after").contains("old.py:2 "),
            "{backend}"
        );
    }
}
