//! An edit that is killed, or fails, between any two steps: afterwards the tree is entirely old or entirely
//! new.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use symd::base::TextEdits;
use symd::edit::{EditError, Editor, Hook, Options, Plan, PlanStep, Resolution, Step, UndoTarget};

use super::edit_support::*;

/// Environment variable for the child process: its project and state directories, and the step at which it is
/// killed.
const CHILD: &str = "SYMD_TEST_EDIT_CHILD";

/// Sizes of a changed file: for an ordinary journal, and for one so long that it needs a file of its own.
const LENGTHS: [usize; 2] = [0, 100_000];

/// A tree on which every kind of change has an effect.
fn tree() -> Project {
    tree_with(0)
}

/// As `tree`, with this many bytes in a file that is changed.
fn tree_with(bytes: usize) -> Project {
    let project = Project::in_memory();
    project.write("long", format!("old {}", "x".repeat(bytes)));
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

/// A plan with every kind of change.
fn plan(project: &Project) -> Plan {
    let mut steps: Vec<PlanStep> = (0..5)
        .map(|number| project.text(&format!("src/f{number}"), vec![edit(0, 3, "new"), edit(7, 11, "NAME")]))
        .collect();
    steps.push(project.text("long", vec![edit(0, 3, "new")]));
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

/// Returns the steps of `work`, in order.
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

/// Returns the step after which everything is changed: an edit that is killed later is rolled forward, not
/// back.
fn last_change(steps: &[Step]) -> usize {
    steps.iter().rposition(|step| *step == Step::Changed).unwrap()
}

/// Runs the edit in a process that is killed at step `at`; returns whether it was killed.
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
            // The plan for the tree as it is: its hashes are those of the parent's tree.
            std::os::unix::fs::symlink(scratch.join("project"), project.root()).unwrap();
            editor.apply(&plan(&project), by("child")).unwrap();
        }
        "undo" => {
            editor.undo(UndoTarget::Last, by("child")).unwrap();
        }
        other => panic!("{other}"),
    }
}

#[test]
fn killed_between_every_two_steps_the_tree_is_old_or_new() {
    for bytes in LENGTHS {
        let project = tree_with(bytes);
        let old = project.things();
        let steps = steps_of(&project, |editor| {
            editor.apply(&plan(&project), by("whole")).unwrap();
        });
        let new = project.things();
        assert_ne!(old, new);
        assert!(steps.len() >= 30, "{steps:?}");
        for (at, step) in steps.iter().enumerate() {
            let project = tree_with(bytes);
            assert!(killed_at(&project, "apply", at));
            let (editor, recovered) = project.open();
            let is_made = at >= last_change(&steps);
            let expected = if is_made { &new } else { &old };
            assert_eq!(&project.things(), expected, "killed after {at}: {step:?}");
            assert_eq!(project.unfinished(), Vec::<String>::new());
            let told = usize::from(!is_made && *step != Step::Checked);
            assert_eq!(recovered.operations.len(), told, "{step:?}");
            assert!(recovered.operations.iter().all(|operation| operation.left.is_empty()), "{recovered:?}");
            assert_eq!(editor.history(9).unwrap().len(), usize::from(is_made), "{step:?}");
            // Editing continues from there.
            if is_made {
                editor.undo(UndoTarget::Last, by("undo")).unwrap();
                assert_eq!(project.things(), old);
            } else {
                editor.apply(&plan(&project), by("again")).unwrap();
                assert_eq!(project.things(), new);
            }
        }
    }
}

#[test]
fn an_edit_whose_entry_is_lost_with_the_machines_power_is_history_again() {
    for damage in [None, Some(0), Some(30), Some(300)] {
        let project = tree();
        let old = project.things();
        let editor = project.editor();
        editor.apply(&plan(&project), by("whole")).unwrap();
        let new = project.things();
        drop(editor);
        let entry = project.state().join("1.edit");
        match damage {
            None => std::fs::remove_file(&entry).unwrap(),
            Some(length) => std::fs::write(&entry, &std::fs::read(&entry).unwrap()[..length]).unwrap(),
        }
        let (editor, recovered) = project.open();
        assert!(recovered.operations.is_empty(), "{recovered:?}");
        assert_eq!(project.things(), new);
        assert_eq!(editor.history(9).unwrap().len(), 1);
        editor.undo(UndoTarget::Last, by("undo")).unwrap();
        assert_eq!(project.things(), old);
    }
}

#[test]
fn what_an_older_edit_left_in_the_slot_is_passed_by() {
    let project = tree();
    let options = Options { history_bytes: 1, ..Options::default() };
    let (editor, _) = project.open_with(options.clone());
    editor.apply(&Plan::new(vec![create("first", "")]), by("first")).unwrap();
    // The journal of this edit is too long for the slot, and its entry displaces the first one from the
    // history.
    editor.apply(&Plan::new(vec![create("second", "x".repeat(100_000))]), by("second")).unwrap();
    editor.apply(&Plan::new(vec![project.delete("second")]), by("third")).unwrap();
    drop(editor);
    assert!(!project.state().join("1.edit").exists());
    std::fs::remove_file(project.root().join("first")).unwrap();
    let (editor, recovered) = project.open_with(options);
    assert!(recovered.operations.is_empty(), "{recovered:?}");
    assert_eq!(editor.history(9).unwrap().len(), 1);
}

#[test]
fn a_journal_of_another_version_is_neither_forgotten_nor_edited_over() {
    let project = tree();
    assert!(killed_at(&project, "apply", 1));
    let slot = project.state().join("slot");
    let mut journal = std::fs::read(&slot).unwrap();
    journal[7] = b'9';
    std::fs::write(&slot, &journal).unwrap();
    let root = Arc::new(symd::vfs::Root::open(&project.root()).unwrap());
    let error = Editor::open(root, &project.state()).unwrap_err();
    assert!(error.to_string().contains("another version of symd wrote it"), "{error}");
    assert_eq!(std::fs::read(&slot).unwrap(), journal);
}

#[test]
fn directories_that_were_taken_away_after_a_crash_come_back_with_their_files() {
    let project = Project::in_memory();
    project.write("d/e/f", "f\n");
    project.write("m/n", "n\n");
    project.write("z", "z\n");
    let old = project.things();
    let editor = project.editor();
    let steps = vec![project.delete("d/e/f"), project.rename("m/n", "n"), project.delete("z")];
    editor.apply(&Plan::new(steps), by("whole")).unwrap();
    drop(editor);
    // As if the edit had been interrupted before the last file.
    std::fs::remove_file(project.state().join("1.edit")).unwrap();
    project.write("z", "z\n");
    std::fs::remove_dir_all(project.root().join("d")).unwrap();
    std::fs::remove_dir_all(project.root().join("m")).unwrap();
    let (_, recovered) = project.open();
    assert!(recovered.operations[0].left.is_empty(), "{recovered:?}");
    assert_eq!(project.things(), old);
}

#[test]
fn what_cannot_be_put_back_is_the_users_to_decide() {
    for resolution in [Resolution::Keep, Resolution::PutBack] {
        let project = Project::in_memory();
        project.write("a", "a\n");
        project.write("z", "z\n");
        let editor = project.editor();
        editor.apply(&Plan::new(vec![project.delete("a"), project.delete("z")]), by("whole")).unwrap();
        std::fs::remove_file(project.state().join("1.edit")).unwrap();
        project.write("z", "z\n");
        drop(editor);
        let hook = Hook::new(move |step| match step {
            Step::AllPutBack => Err(std::io::Error::other("no")),
            _ => Ok(()),
        });
        let editor = project.hooked(hook);
        let stuck = editor.apply(&Plan::new(vec![create("n", "")]), by("too early")).unwrap_err().to_string();
        assert!(stuck.contains("`symd resolve 1 keep`"), "{stuck}");
        assert_eq!(stuck.matches("nothing was written").count(), 1, "{stuck}");
        editor.resolve(symd::edit::OperationId(1), resolution, by("resolve")).unwrap();
        editor.apply(&Plan::new(vec![create("n", "")]), by("in time")).unwrap();
        assert_eq!(project.unfinished(), Vec::<String>::new());
    }
}

#[test]
fn numbers_are_given_once() {
    let project = tree();
    let whole = tree();
    let steps = steps_of(&whole, |editor| {
        editor.apply(&plan(&whole), by("whole")).unwrap();
    });
    assert!(killed_at(&project, "apply", last_change(&steps) - 1));
    project.write("src/f2", "mine\n");
    let (editor, recovered) = project.open();
    let cut_short = recovered.operations[0].id;
    editor.resolve(cut_short, Resolution::Keep, by("resolve")).unwrap();
    drop(editor);
    let applied = project.editor().apply(&Plan::new(vec![create("n", "")]), by("next")).unwrap();
    assert!(applied.id.unwrap() > cut_short, "{applied:?}");
}

#[test]
fn an_undo_killed_between_every_two_steps_is_undone_or_done() {
    let project = tree();
    let old = project.things();
    let editor = project.editor();
    editor.apply(&plan(&project), by("whole")).unwrap();
    let new = project.things();
    let steps = steps_of(&project, |editor| {
        editor.undo(UndoTarget::Last, by("undo")).unwrap();
    });
    assert!(steps.contains(&Step::DirectoryCleared));
    for (at, step) in steps.iter().enumerate() {
        let project = tree();
        project.editor().apply(&plan(&project), by("whole")).unwrap();
        assert!(killed_at(&project, "undo", at));
        project.open();
        let expected = if at >= last_change(&steps) { &old } else { &new };
        assert_eq!(&project.things(), expected, "killed after {at}: {step:?}");
    }
}

#[test]
fn recovery_killed_between_every_two_steps_is_finished_by_the_next() {
    let last = steps_of(&tree(), |_| {}).len();
    assert_eq!(last, 0, "recovery of nothing takes no step");
    let whole = tree();
    let old = whole.things();
    let steps = steps_of(&whole, |editor| {
        editor.apply(&plan(&whole), by("whole")).unwrap();
    });
    let at_end = last_change(&steps) - 1;
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
            // The edit is committed: an error would claim that it is not.
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

        // It does not block other edits, and is reported again.
        let (editor, again) = project.open();
        assert_eq!(again.operations[0].id, operation.id);
        editor.apply(&Plan::new(vec![create("other", "")]), by("other")).unwrap();
        editor.undo(UndoTarget::Last, by("undo")).unwrap();
        // A file that was rolled back no longer belongs to this operation.
        project.write("src/f0", "a day's work\n");
        assert_eq!(project.open().1.operations[0].left.len(), 2);
        editor.resolve(operation.id, resolution, by("resolve")).unwrap();
        assert_eq!(project.read("src/f0"), b"a day's work\n");
        assert_eq!(project.unfinished(), Vec::<String>::new());
        if resolution == Resolution::PutBack {
            assert_eq!(project.read("src/f2"), b"old 2\r\nname\r\n");
            editor.undo(UndoTarget::Last, by("undo")).unwrap();
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
    // The third change fails, and so does rolling back the first file, twice.
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
    editor.undo(UndoTarget::Last, by("undo")).unwrap();
    assert_eq!(project.things(), old);
    assert_eq!(project.unfinished(), Vec::<String>::new());
}

#[test]
fn a_journal_cut_short_means_that_nothing_was_changed() {
    let project = tree();
    assert!(killed_at(&project, "apply", 1));
    let slot = project.state().join("slot");
    let mut whole = std::fs::read(&slot).unwrap();
    whole.truncate(whole.iter().rposition(|byte| *byte != 0).unwrap() + 1);
    let old = project.things();
    for journal in [slot.clone(), project.state().join("pending")] {
        std::fs::write(&slot, [0; 8]).unwrap();
        for length in (0..whole.len()).step_by(7).chain([whole.len() - 1]) {
            std::fs::write(&journal, &whole[..length]).unwrap();
            let (editor, recovered) = project.open();
            assert!(recovered.operations.is_empty(), "{length}");
            assert!(editor.history(1).unwrap().is_empty());
            assert_eq!(project.unfinished(), Vec::<String>::new());
        }
        // Damage in the middle is detected, too.
        for at in [0, 9, 20, 40, whole.len() - 3] {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            std::fs::write(&journal, &damaged).unwrap();
            assert!(project.open().1.operations.is_empty(), "{at}");
        }
        assert_eq!(project.things(), old);
        std::fs::write(&journal, &whole).unwrap();
        assert_eq!(project.open().1.operations.len(), 1, "the whole one is taken for whole");
    }
}
