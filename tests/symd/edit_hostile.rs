//! Edits under adverse conditions: read-only files, full disks, links, files that change meanwhile, other
//! processes.

use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::{Duration, Instant};

use symd::base::{ContentHash, TextEdits};
use symd::edit::{EditError, Hook, Options, Plan, PlanStep, Step, UndoTarget};
use symd::vfs::VfsError;

use super::edit_support::*;
use crate::support::copy_of;

const CHILD: &str = "SYMD_TEST_EDIT_HOSTILE";

/// Prepares a run of this test binary for one ignored test of this file on `project`.
fn child(project: &Project, name: &str, mut command: Command) -> Command {
    command
        .args(["--exact", &format!("edit_hostile::{name}"), "--ignored", "--quiet"])
        .env(CHILD, project.scratch.path())
        .stdout(std::process::Stdio::null());
    command
}

fn myself() -> Command {
    Command::new(std::env::current_exe().unwrap())
}

/// Applies steps that must be rejected with the tree untouched and nothing left behind; returns the message.
fn refused(project: &Project, steps: Vec<PlanStep>) -> String {
    let before = project.things();
    let editor = project.open().0;
    let plan = Plan::new(steps);
    let checked = editor.check(&plan).unwrap_err().to_string();
    assert!(editor.preview(&plan).is_err());
    let error = editor.apply(&plan, by("refused")).unwrap_err().to_string();
    assert_eq!(checked, error);
    assert_eq!(project.things(), before);
    assert_eq!(project.unfinished(), Vec::<String>::new());
    assert!(editor.history(1).unwrap().is_empty());
    error.strip_suffix("; nothing was written").unwrap_or(&error).to_owned()
}

#[test]
fn plans_that_cannot_be_meant_are_refused_with_file_and_reason() {
    let project = Project::new();
    project.write("a", "\u{e4}\n");
    project.write("b", "b\n");
    project.write("binary", b"a\0b");
    project.write("d/f", "f\n");
    project.link("a", "link");
    project.link("gone", "dangling");
    let outside = project.scratch.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("secret"), "secret\n").unwrap();
    project.link("../outside/secret", "out");
    project.link("../outside", "out_directory");
    let hash = ContentHash::of(b"secret\n");
    let text = |path: &str, base, edits| PlanStep::Text {
        path: rel(path),
        base,
        edits: TextEdits::new(edits).unwrap(),
    };
    let b = || project.text("b", vec![edit(0, 1, "B")]);
    let cases: Vec<(Vec<PlanStep>, &str)> = vec![
        (
            vec![b(), project.text("a", vec![edit(0, 1, "")])],
            "a: edit 0..1 is outside the text (3 bytes) or splits a character",
        ),
        (
            vec![b(), project.text("a", vec![edit(0, 9, "")])],
            "a: edit 0..9 is outside the text (3 bytes) or splits a character",
        ),
        (
            // The second step has offsets of the original text, not of the first step's result; also under
            // another name.
            vec![project.text("a", vec![edit(0, 0, "more ")]), project.text("link", vec![edit(0, 2, "A")])],
            "a has two edits, and the second was computed before the first was applied; nothing was written; combine all \
             changes of this file in one edit",
        ),
        (vec![b(), project.text("binary", vec![edit(0, 1, "")])], "binary is a binary file"),
        (vec![b(), create("a", "")], "a exists already"),
        (vec![b(), create("d", "")], "d exists already"),
        (vec![b(), create("link", "")], "link exists already"),
        (vec![b(), create("dangling", "")], "dangling exists already"),
        (vec![create("c", ""), create("c", "")], "c exists already"),
        (vec![project.rename("b", "a")], "a exists already"),
        (vec![project.rename("b", "d")], "d exists already"),
        (vec![b(), create("a/x", "")], "cannot write a/x: not a directory"),
        (vec![b(), create("a/x/y", "")], "cannot write a/x/y: not a directory"),
        (vec![create("c", ""), create("c/x", "")], "cannot write c: not a directory"),
        (vec![b(), create("", "")], ". is a directory, not a regular file"),
        (vec![b(), text("d", hash, vec![])], "d is a directory, not a regular file"),
        (vec![b(), PlanStep::Delete { path: rel("d"), base: hash }], "d is a directory, not a regular file"),
        (
            vec![b(), PlanStep::Delete { path: rel("link"), base: project.hash("a") }],
            "link is a link, not a regular file",
        ),
        (
            vec![PlanStep::Rename { from: rel("link"), to: rel("c"), base: project.hash("a") }],
            "link is a link, not a regular file",
        ),
        (vec![b(), text("out", hash, vec![])], "out is outside the project (a link leads there)"),
        (
            vec![b(), create("out_directory/x", "")],
            "out_directory/x is outside the project (a link leads there)",
        ),
        (
            vec![b(), PlanStep::Write { path: rel("out"), base: None, bytes: vec![] }],
            "out is outside the project (a link leads there)",
        ),
        (
            vec![project.rename("b", "out_directory/b")],
            "out_directory/b is outside the project (a link leads there)",
        ),
        (
            vec![b(), text("missing", hash, vec![]), text("a", hash, vec![])],
            "conflict: a changed, missing is gone; nothing was written; read again and repeat the edit",
        ),
        (
            vec![PlanStep::Write { path: rel("b"), base: None, bytes: vec![0; (100 << 20) + 1] }],
            "b has 104857601 bytes; symd reads files up to 104857600",
        ),
    ];
    for (steps, why) in cases {
        assert_eq!(refused(&project, steps), why);
    }
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
    assert_eq!(std::fs::read(outside.join("secret")).unwrap(), b"secret\n");
}

#[test]
fn a_second_edit_of_a_file_is_of_what_the_first_left() {
    let project = Project::new();
    project.write("a", "one\n");
    let second = PlanStep::Text {
        path: rel("a"),
        base: ContentHash::of(b"more one\n"),
        edits: TextEdits::new(vec![edit(5, 8, "1")]).unwrap(),
    };
    let plan = Plan::new(vec![project.text("a", vec![edit(0, 0, "more ")]), second]);
    project.editor().apply(&plan, by("twice")).unwrap();
    assert_eq!(project.read("a"), b"more 1\n");
}

#[test]
fn read_only_files_are_refused_to_everybody() {
    let project = Project::new();
    project.write("a", "a\n");
    project.write("read_only", "r\n");
    project.chmod("read_only", 0o444);
    let a = || project.text("a", vec![edit(0, 1, "A")]);
    for step in [
        project.text("read_only", vec![edit(0, 1, "R")]),
        project.delete("read_only"),
        project.rename("read_only", "elsewhere"),
    ] {
        assert_eq!(refused(&project, vec![a(), step]), "read_only is read-only");
    }
}

#[test]
#[ignore = "started by other tests, as another user"]
fn another_user() {
    let Some(scratch) = std::env::var_os(CHILD) else { return };
    assert!(!rustix::process::geteuid().is_root());
    let scratch = Path::new(&scratch);
    let (editor, _) = open(&scratch.join("project"), &scratch.join("state/edits"), Options::default());
    let text = |path: &str| PlanStep::Text {
        path: rel(path),
        base: ContentHash::of(b"text\n"),
        edits: TextEdits::new(vec![edit(0, 4, "new")]).unwrap(),
    };
    for (path, why) in [
        ("closed/f", "closed/f is read-only (its directory cannot be written)"),
        ("others", "others is read-only"),
    ] {
        let error =
            editor.apply(&Plan::new(vec![text("a"), text(path)]), by("refused")).unwrap_err().to_string();
        assert_eq!(error, format!("{why}; nothing was written"));
    }
    let error =
        editor.apply(&Plan::new(vec![text("a"), create("closed/d/x", "")]), by("refused")).unwrap_err();
    assert!(error.to_string().contains("closed/d is read-only (its directory"), "{error}");
    // Another user's file in a directory that is ours to write: its owner cannot be preserved.
    editor.apply(&Plan::new(vec![text("writable")]), by("edit")).unwrap();
    let meta = std::fs::metadata(scratch.join("project/writable")).unwrap();
    assert_eq!((meta.uid(), meta.mode() & 0o7777), (65534, 0o666));
}

#[test]
fn what_an_ordinary_user_may_not_write_is_refused_before_anything_is() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: needs root, to become another user");
        return;
    }
    let project = Project::new();
    for path in ["a", "closed/f", "others", "writable"] {
        project.write(path, "text\n");
    }
    std::fs::create_dir_all(project.state()).unwrap();
    for path in ["project", "project/a", "state", "state/edits"] {
        chown(project.scratch.path().join(path), Some(65534), Some(65534)).unwrap();
    }
    std::fs::set_permissions(project.scratch.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::set_permissions(project.state(), std::fs::Permissions::from_mode(0o700)).unwrap();
    project.chmod("writable", 0o4666);
    // The directory in which the tests were built may not be accessible to other users.
    let program = copy_of(&std::env::current_exe().unwrap(), project.scratch.path().join("tests"));
    let before = project.things();
    let mut setpriv = Command::new("setpriv");
    setpriv.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program);
    let status = child(&project, "another_user", setpriv).current_dir("/").status().unwrap();
    assert!(status.success());
    let mut after = project.things();
    assert_eq!(
        after.remove(Path::new("writable")),
        Some(Thing::File { bytes: b"new\n".to_vec(), mode: 0o666 })
    );
    after.insert("writable".into(), before[Path::new("writable")].clone());
    assert_eq!(after, before);
}

#[test]
fn owner_permissions_attributes_and_links_are_kept() {
    let project = Project::new();
    project.write("d/f", "text\n");
    project.chmod("d/f", 0o4751);
    let path = project.root().join("d/f");
    let as_root = rustix::process::geteuid().is_root();
    if as_root {
        chown(&path, Some(1234), Some(2345)).unwrap();
        project.chmod("d/f", 0o4751);
    }
    let flags = rustix::fs::XattrFlags::empty();
    let has_attributes = rustix::fs::setxattr(&path, "user.symd", b"kept", flags).is_ok();
    project.link("d/f", "link");
    project.link("d", "directory");
    std::fs::hard_link(&path, project.root().join("hard")).unwrap();
    let editor = project.editor();
    let before = std::fs::metadata(&path).unwrap();
    let plan = Plan::new(vec![project.text("link", vec![edit(0, 4, "new")]), create("directory/g", "g")]);
    let applied = editor.apply(&plan, by("edit")).unwrap();
    let paths: Vec<&str> = applied.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["d/f", "d/g"]);
    let kept = |what: &str| {
        let after = std::fs::metadata(&path).unwrap();
        assert_eq!(
            (after.mode(), after.uid(), after.gid()),
            (before.mode(), before.uid(), before.gid()),
            "{what}"
        );
        if has_attributes {
            let mut value = [0; 4];
            assert_eq!(rustix::fs::getxattr(&path, "user.symd", &mut value[..]), Ok(4), "{what}");
            assert_eq!(&value, b"kept");
        }
    };
    kept("edited");
    assert_eq!(project.read("d/f"), b"new\n");
    assert!(project.root().join("link").is_symlink() && project.root().join("directory").is_symlink());
    // As in git: the other name keeps the old file.
    assert_eq!(project.read("hard"), b"text\n");
    editor.apply(&Plan::new(vec![project.rename("d/f", "moved")]), by("move")).unwrap();
    editor.undo(UndoTarget::Last, by("undo")).unwrap();
    kept("moved and back");
    editor.undo(UndoTarget::Last, by("undo")).unwrap();
    kept("undone");
    assert_eq!(project.read("d/f"), b"text\n");
    assert!(!project.root().join("d/g").exists());
}

/// A small tmpfs, mounted as long as this value lives.
struct Small<'p>(&'p Path);

impl<'p> Small<'p> {
    fn mounted(at: &'p Path) -> Option<Small<'p>> {
        std::fs::create_dir_all(at).unwrap();
        let options = ["-t", "tmpfs", "-o", "size=256k,mode=700", "none"];
        let mounted =
            Command::new("mount").args(options).arg(at).status().is_ok_and(|status| status.success());
        if !mounted {
            eprintln!("SKIPPED: cannot mount a tmpfs here (not root?); full disks are NOT tested");
        }
        mounted.then_some(Small(at))
    }
}

impl Drop for Small<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

/// Repeats an edit while there is no space: a process that another test is starting has removed files open until it
/// executes its program.
fn once_there_is_space(edit: impl Fn() -> Result<(), EditError>) {
    let until = Instant::now() + Duration::from_secs(60);
    while let Err(error) = edit() {
        assert!(error.to_string().contains("No space left") && Instant::now() < until, "{error}");
        std::thread::yield_now();
    }
}

#[test]
fn a_full_disk_leaves_the_tree_as_it_was() {
    let project = Project::new();
    let root = project.root();
    let Some(_small) = Small::mounted(&root) else { return };
    for number in 0..8 {
        project.write(&format!("f{number}"), vec![b'o'; 16 << 10]);
    }
    let before = project.things();
    let editor = project.editor();
    let mut steps: Vec<PlanStep> = (0..8)
        .map(|number| {
            let path = rel(&format!("f{number}"));
            PlanStep::Write { path, base: None, bytes: vec![b'n'; 20 << 10] }
        })
        .collect();
    let error = editor.apply(&Plan::new(steps.clone()), by("too much")).unwrap_err().to_string();
    assert!(error.contains("cannot write f") && error.ends_with("the tree is as it was"), "{error}");
    assert!(error.contains("No space left"), "{error}");
    assert_eq!(project.things(), before);
    assert_eq!(project.unfinished(), Vec::<String>::new());
    // The staged files are gone: a smaller plan fits.
    steps.truncate(4);
    once_there_is_space(|| editor.apply(&Plan::new(steps.clone()), by("fits")).map(drop));
    once_there_is_space(|| editor.undo(UndoTarget::Last, by("undo")).map(drop));
    assert_eq!(project.things(), before);
}

#[test]
fn a_full_state_directory_leaves_the_tree_as_it_was() {
    let project = Project::new();
    let state = project.state();
    let Some(_small) = Small::mounted(&state) else { return };
    project.write("large", vec![b'o'; 1 << 20]);
    let before = project.things();
    let editor = project.editor();
    let error =
        editor.apply(&Plan::new(vec![project.delete("large")]), by("too much")).unwrap_err().to_string();
    assert!(error.contains("cannot write") && error.contains("nothing was written"), "{error}");
    assert_eq!(project.things(), before);
    assert_eq!(project.unfinished(), Vec::<String>::new());
    editor.apply(&Plan::new(vec![create("small", "s")]), by("fits")).unwrap();
}

#[test]
fn what_changes_between_check_and_write_is_never_overwritten() {
    type Meddle = fn(&Path);
    let cases: [(Meddle, &str); 6] = [
        (|root| std::fs::write(root.join("z"), "mine\n").unwrap(), "conflict: z changed"),
        (|root| std::fs::remove_file(root.join("z")).unwrap(), "conflict: z is gone"),
        (
            |root| {
                std::fs::remove_file(root.join("z")).unwrap();
                std::fs::create_dir(root.join("z")).unwrap();
            },
            "z is a directory, not a regular file",
        ),
        (
            |root| {
                std::fs::remove_file(root.join("z")).unwrap();
                std::os::unix::fs::symlink("../outside", root.join("z")).unwrap();
            },
            "z is a link, not a regular file",
        ),
        (|root| std::fs::write(root.join("new"), "mine\n").unwrap(), "conflict: new was created"),
        (
            |root| {
                std::fs::rename(root.join("y"), root.join("w")).unwrap();
                std::os::unix::fs::symlink("../outside_directory", root.join("y")).unwrap();
            },
            "",
        ),
    ];
    for step in [Step::Journalled, Step::Synced] {
        for (meddle, why) in cases {
            let project = Project::new();
            for path in ["a", "b", "y/f", "z"] {
                project.write(path, "text\n");
            }
            let outside = project.scratch.path().join("outside");
            std::fs::write(&outside, "text\n").unwrap();
            let outside_directory = project.scratch.path().join("outside_directory");
            std::fs::create_dir(&outside_directory).unwrap();
            std::fs::write(outside_directory.join("f"), "text\n").unwrap();
            let root = project.root();
            let editor = project.hooked(Hook::new(move |now| {
                if now == step {
                    meddle(&root);
                }
                Ok(())
            }));
            let texts = ["a", "y/f", "z"].map(|path| project.text(path, vec![edit(0, 4, "new")]));
            let mut steps = vec![project.rename("b", "c"), create("new", "new\n")];
            steps.extend(texts);
            let expected = Project::new();
            for path in ["a", "b", "y/f", "z"] {
                expected.write(path, "text\n");
            }
            meddle(&expected.root());
            let error = editor.apply(&Plan::new(steps), by("meddled")).unwrap_err().to_string();
            assert!(error.starts_with(why), "{error}");
            let mut things = project.things();
            if why.is_empty() {
                // A staged file in a directory that was moved away may remain there.
                things.retain(|path, _| !path.to_string_lossy().contains(symd::vfs::TEMPORARY_PREFIX));
            }
            assert_eq!(things, expected.things(), "{step:?}: {error}");
            assert_eq!(std::fs::read(&outside).unwrap(), b"text\n");
            assert_eq!(std::fs::read_dir(&outside_directory).unwrap().count(), 1);
            assert_eq!(std::fs::read(outside_directory.join("f")).unwrap(), b"text\n");
        }
    }
}

#[test]
fn a_touched_file_with_the_same_bytes_is_no_conflict() {
    let project = Project::new();
    project.write("f", "text\n");
    let root = project.root();
    let editor = project.hooked(Hook::new(move |step| {
        if step == Step::Synced {
            std::fs::write(root.join("f"), "text\n").unwrap();
        }
        Ok(())
    }));
    editor.apply(&Plan::new(vec![project.text("f", vec![edit(0, 4, "new")])]), by("edit")).unwrap();
    assert_eq!(project.read("f"), b"new\n");
    // Writing the same bytes again is not an operation.
    let same = PlanStep::Write { path: rel("f"), base: None, bytes: b"new\n".to_vec() };
    assert_eq!(editor.apply(&Plan::new(vec![same]), by("same")).unwrap().id, None);
    assert_eq!(editor.history(9).unwrap().len(), 1);
}

/// Appends a line `count` times, each time to the current content, and moves another file each time.
fn append(project: &Path, state: &Path, count: usize) {
    let (editor, _) = open(project, state, Options::default());
    let mut done = 0;
    while done < count {
        let bytes = std::fs::read(project.join("log")).unwrap();
        let step = PlanStep::Text {
            path: rel("log"),
            base: ContentHash::of(&bytes),
            edits: TextEdits::new(vec![edit(bytes.len(), bytes.len(), "line\n")]).unwrap(),
        };
        let lines = bytes.len() / 5 + 1;
        match editor.apply(&Plan::new(vec![step, create(&format!("made/{lines}"), "")]), by("append")) {
            Ok(_) => done += 1,
            Err(EditError::Conflict { .. }) => {}
            // Read before the other edit was complete, checked after it.
            Err(EditError::File(VfsError::Exists { .. })) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
#[ignore = "started by other tests, as a process of its own"]
fn appending() {
    let Some(scratch) = std::env::var_os(CHILD) else { return };
    let scratch = Path::new(&scratch);
    append(&scratch.join("project"), &scratch.join("state/edits"), 20);
}

#[test]
fn two_processes_and_two_threads_edit_one_after_the_other() {
    let project = Project::new();
    project.write("log", "");
    let first = project.things();
    let children: Vec<Child> =
        (0..2).map(|_| child(&project, "appending", myself()).spawn().unwrap()).collect();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| append(&project.root(), &project.state(), 20));
        }
    });
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(project.read("log"), b"line\n".repeat(80));
    let editor = Arc::new(project.editor());
    let ids: Vec<u64> = editor.history(1_000).unwrap().iter().rev().map(|operation| operation.id.0).collect();
    assert_eq!(ids, (1..=80).collect::<Vec<u64>>());
    while editor.undo(UndoTarget::Last, by("undo")).is_ok() {}
    assert_eq!(project.things(), first);
}
