//! An edit killed, or failing, between every two steps: afterwards the tree is entirely old or entirely new.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use symd::base::TextEdits;
use symd::edit::{EditError, Editor, Hook, Options, Plan, PlanStep, Resolution, Step, Which};

use super::edit_support::*;

/// What the child does: its project and state directories, and at which step it is killed.
const CHILD: &str = "SYMD_TEST_EDIT_CHILD";

/// A tree in which every kind of change has something to do.
fn tree() -> Project {
    let project = Project::in_memory();
    for number in 0..5 {
        project.write(&format!("src/f{number}"), format!("old {number}\r\nname\r\n"));
    }
    project.write("moved", "old moved\n");
    project.write("moved_and_changed", "old name\n");
    project.write("deleted", "old deleted\n");
    project.write("x", "x\n");
    project.write("y", "y\n");
    project.chmod("moved_and_changed", 0o751);
    project.chmod("deleted", 0o604);
    project
}

/// Every kind of change at once.
fn plan(project: &Project) -> Plan {
    let mut steps: Vec<PlanStep> = (0..5)
        .map(|number| project.text(&format!("src/f{number}"), vec![edit(0, 3, "new"), edit(7, 11, "NAME")]))
        .collect();
    let changed = |path: &str, base| PlanStep::Text {
        path: rel(path),
        base,
        edits: TextEdits::new(vec![edit(0, 3, "new")]).unwrap(),
    };
    let (x, y) = (project.hash("x"), project.hash("y"));
    let rename = |from: &str, to: &str, base| PlanStep::Rename { from: rel(from), to: rel(to), base };
    steps.extend([
        create("made/deep/file", "new\n"),
        create("made/file", ""),
        project.rename("moved", "made/moved"),
        project.rename("moved_and_changed", "elsewhere"),
        changed("elsewhere", project.hash("moved_and_changed")),
        project.delete("deleted"),
        rename("x", "aside", x),
        rename("y", "x", y),
        rename("aside", "y", x),
    ]);
    Plan::new(steps)
}

/// Calls `at` with the number and name of each step.
fn counting(at: impl Fn(usize, Step) -> std::io::Result<()> + Send + Sync + 'static) -> Hook {
    let next = AtomicUsize::new(0);
    Hook::new(move |step| at(next.fetch_add(1, Ordering::Relaxed), step))
}

/// The steps that `work` takes, in order.
fn steps_of(project: &Project, work: impl Fn(&Editor)) -> Vec<Step> {
    let steps = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&steps);
    let editor = project.hooked(Hook::new(move |step| {
        seen.lock().unwrap_or_else(PoisonError::into_inner).push(step);
        Ok(())
    }));
    work(&editor);
    drop(editor);
    Arc::into_inner(steps).unwrap().into_inner().unwrap()
}

/// Runs the edit in a process that is killed at step `at`; whether it was.
fn killed_at(project: &Project, work: &str, at: usize) -> bool {
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "edit_crash::child", "--ignored", "--quiet"])
        .env(CHILD, work)
        .env("SYMD_TEST_EDIT_PROJECT", project.scratch.path())
        .env("SYMD_TEST_EDIT_AT", at.to_string())
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success() || status.signal() == Some(9), "{status}");
    !status.success()
}

#[test]
#[ignore = "started by other tests, as a process of its own"]
fn child() {
    let Ok(work) = std::env::var(CHILD) else { return };
    let scratch = std::path::PathBuf::from(std::env::var_os("SYMD_TEST_EDIT_PROJECT").unwrap());
    let at: usize = std::env::var("SYMD_TEST_EDIT_AT").unwrap().parse().unwrap();
    let hook = counting(move |number, _| {
        if number == at {
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).unwrap();
        }
        Ok(())
    });
    let options = Options { hook, ..Options::default() };
    let (editor, _) = open(&scratch.join("project"), &scratch.join("state/edits"), options);
    match work.as_str() {
        "recover" => {}
        "apply" => {
            let project = Project { scratch: tempfile::tempdir().unwrap() };
            // The plan of the tree as it is: hashes are those of the parent's tree.
            std::os::unix::fs::symlink(scratch.join("project"), project.root()).unwrap();
            editor.apply(&plan(&project), by("child")).unwrap();
        }
        "undo" => {
            editor.undo(Which::Last, by("child")).unwrap();
        }
        other => panic!("{other}"),
    }
}

#[test]
fn killed_between_every_two_steps_the_tree_is_old_or_new() {
    let project = tree();
    let old = project.things();
    let steps = steps_of(&project, |editor| {
        editor.apply(&plan(&project), by("whole")).unwrap();
    });
    let new = project.things();
    assert_ne!(old, new);
    assert!(steps.len() >= 30, "{steps:?}");
    for (at, step) in steps.iter().enumerate() {
        let project = tree();
        assert!(killed_at(&project, "apply", at));
        let (editor, recovered) = project.open();
        let committed = *step == Step::Committed;
        assert_eq!(
            project.things(),
            if committed { new.clone() } else { old.clone() },
            "killed after {at}: {step:?}"
        );
        assert_eq!(project.unfinished(), Vec::<String>::new());
        assert_eq!(recovered.operations.len(), usize::from(!committed && *step != Step::Checked), "{step:?}");
        assert!(recovered.operations.iter().all(|operation| operation.left.is_empty()), "{recovered:?}");
        // It goes on from there.
        if committed {
            editor.undo(Which::Last, by("undo")).unwrap();
            assert_eq!(project.things(), old);
        } else {
            editor.apply(&plan(&project), by("again")).unwrap();
            assert_eq!(project.things(), new);
        }
    }
}

#[test]
fn an_undo_killed_between_every_two_steps_is_undone_or_done() {
    let project = tree();
    let old = project.things();
    let editor = project.editor();
    editor.apply(&plan(&project), by("whole")).unwrap();
    let new = project.things();
    let steps = steps_of(&project, |editor| {
        editor.undo(Which::Last, by("undo")).unwrap();
    });
    assert!(steps.contains(&Step::DirectoryCleared));
    for (at, step) in steps.iter().enumerate() {
        let project = tree();
        project.editor().apply(&plan(&project), by("whole")).unwrap();
        assert!(killed_at(&project, "undo", at));
        project.open();
        let expected = if *step == Step::Committed { &old } else { &new };
        assert_eq!(&project.things(), expected, "killed after {at}: {step:?}");
    }
}

#[test]
fn recovery_killed_between_every_two_steps_is_finished_by_the_next() {
    let last = steps_of(&tree(), |_| {}).len();
    assert_eq!(last, 0, "recovery of nothing takes no step");
    let whole = tree();
    let old = whole.things();
    let at_end = steps_of(&whole, |editor| {
        editor.apply(&plan(&whole), by("whole")).unwrap();
    })
    .iter()
    .position(|step| *step == Step::DirectoriesSynced)
    .unwrap();
    let mut at = 0;
    loop {
        let project = tree();
        assert!(killed_at(&project, "apply", at_end));
        if !killed_at(&project, "recover", at) {
            assert_eq!(project.things(), old);
            break;
        }
        project.open();
        assert_eq!(project.things(), old, "killed after step {at} of recovery");
        at += 1;
    }
    assert!(at > 10, "{at}");
}

#[test]
fn an_error_after_any_step_leaves_the_tree_as_it_was() {
    let whole = tree();
    let old = whole.things();
    let steps = steps_of(&whole, |editor| {
        editor.apply(&plan(&whole), by("whole")).unwrap();
    });
    let new = whole.things();
    for (at, step) in steps.iter().enumerate() {
        let project = tree();
        let editor = project.hooked(counting(move |number, _| {
            if number == at { Err(std::io::Error::from(std::io::ErrorKind::StorageFull)) } else { Ok(()) }
        }));
        let answer = editor.apply(&plan(&project), by("failing"));
        if *step == Step::Committed {
            // It has happened: an error would say that it has not.
            answer.unwrap();
            assert_eq!(project.things(), new);
            continue;
        }
        let error = answer.unwrap_err();
        assert!(matches!(error, EditError::Failed { .. } | EditError::Injected(_)), "{error}");
        assert_eq!(project.things(), old, "failed after {at}: {step:?}");
        assert_eq!(project.unfinished(), Vec::<String>::new());
        editor.apply(&plan(&project), by("again")).unwrap();
        assert_eq!(project.things(), new);
    }
}

#[test]
fn what_a_user_changed_after_a_crash_is_left_and_named_until_resolved() {
    for resolution in [Resolution::Keep, Resolution::PutBack] {
        let project = tree();
        let old = project.things();
        let whole = tree();
        let at_end = steps_of(&whole, |editor| {
            editor.apply(&plan(&whole), by("whole")).unwrap();
        })
        .len()
            - 2;
        assert!(killed_at(&project, "apply", at_end));
        project.write("src/f2", "mine\n");
        std::fs::remove_file(project.root().join("made/moved")).unwrap();
        let (_, recovered) = project.open();
        let [operation] = &recovered.operations[..] else { panic!("{recovered:?}") };
        let mut left: Vec<String> = operation.left.iter().map(ToString::to_string).collect();
        left.sort();
        assert_eq!(left, ["made/moved is gone", "src/f2 was changed since"]);
        assert_eq!(project.read("src/f2"), b"mine\n");
        let mut expected = old.clone();
        expected.remove(std::path::Path::new("moved"));
        let mine = Thing::File { bytes: b"mine\n".to_vec(), mode: 0o644 };
        expected.insert("src/f2".into(), mine);
        assert_eq!(project.things(), expected);
        assert_eq!(project.unfinished(), [format!("{}.cut", operation.id)]);

        // It does not stand in the way of edits, and is reported again.
        let (editor, again) = project.open();
        assert_eq!(again.operations[0].id, operation.id);
        editor.apply(&Plan::new(vec![create("other", "")]), by("other")).unwrap();
        editor.undo(Which::Last, by("undo")).unwrap();
        editor.resolve(operation.id, resolution, by("resolve")).unwrap();
        assert_eq!(project.unfinished(), Vec::<String>::new());
        if resolution == Resolution::PutBack {
            assert_eq!(project.read("src/f2"), b"old 2\r\nname\r\n");
            editor.undo(Which::Last, by("undo")).unwrap();
        }
        assert_eq!(project.read("src/f2"), b"mine\n");
        assert!(project.open().1.operations.is_empty());
        assert!(editor.resolve(operation.id, resolution, by("resolve")).is_err());
    }
}

#[test]
fn a_rollback_that_fails_is_finished_before_the_next_edit() {
    let project = tree();
    let old = project.things();
    let failing = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&failing);
    // The third change fails, and so does putting the first file back, twice.
    let editor = project.hooked(counting(move |_, step| {
        let number = match step {
            Step::Changed | Step::PutBack => count.fetch_add(1, Ordering::Relaxed),
            _ => 0,
        };
        if (2..4).contains(&number) { Err(std::io::Error::other("no")) } else { Ok(()) }
    }));
    let error = editor.apply(&plan(&project), by("failing")).unwrap_err();
    assert!(matches!(error, EditError::RollbackFailed { .. }), "{error}");
    assert!(error.to_string().contains("not everything could be put back"), "{error}");
    failing.store(3, Ordering::Relaxed);
    project.write("src/f0", "old 0\r\nname\r\n");
    let error = editor.apply(&Plan::new(vec![create("n", "")]), by("too early")).unwrap_err();
    assert!(matches!(error, EditError::RecoveryDue { .. }), "{error}");
    editor.apply(&Plan::new(vec![create("n", "")]), by("in time")).unwrap();
    editor.undo(Which::Last, by("undo")).unwrap();
    assert_eq!(project.things(), old);
    assert_eq!(project.unfinished(), Vec::<String>::new());
}

#[test]
fn a_journal_cut_short_means_that_nothing_was_changed() {
    let project = tree();
    assert!(killed_at(&project, "apply", 1));
    let pending = project.state().join("pending");
    let whole = std::fs::read(&pending).unwrap();
    let old = project.things();
    for length in (0..whole.len()).step_by(7).chain([whole.len() - 1]) {
        std::fs::write(&pending, &whole[..length]).unwrap();
        let (editor, recovered) = project.open();
        assert!(recovered.operations.is_empty(), "{length}");
        assert!(editor.history(1).unwrap().is_empty());
        assert_eq!(project.unfinished(), Vec::<String>::new());
    }
    // Damage in the middle is seen too.
    for at in [0, 9, 20, 40, whole.len() - 3] {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        std::fs::write(&pending, &damaged).unwrap();
        assert!(project.open().1.operations.is_empty(), "{at}");
    }
    assert_eq!(project.things(), old);
    std::fs::write(&pending, &whole).unwrap();
    assert_eq!(project.open().1.operations.len(), 1, "the whole one is taken for whole");
}
