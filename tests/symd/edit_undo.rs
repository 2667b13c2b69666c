//! Undoing all edits restores the first tree, byte for byte, whatever the edits were.

use symd::base::ContentHash;
use symd::edit::{Conflict, EditError, OperationId, OperationKind, Options, Plan, PlanStep, UndoTarget};

use super::edit_support::*;

#[test]
fn undoing_everything_gives_the_first_tree_and_redoing_the_last() {
    let (mut applied, mut refused) = (0, 0);
    for seed in 0..40 {
        let mut random = fastrand::Rng::with_seed(seed);
        let project = Project::in_memory();
        random_tree(&project, &mut random);
        let first = project.things();
        let editor = project.editor();
        for number in 0..8 {
            let plan = random_plan(&project, &mut random);
            let before = project.things();
            match editor.apply(&plan, by(&format!("seed {seed}, plan {number}"))) {
                Ok(done) => {
                    applied += 1;
                    assert_eq!(done.id.is_none(), project.things() == before, "seed {seed}: {plan:?}");
                    for file in done.files {
                        let now = std::fs::read(project.root().join(file.path.as_str())).ok();
                        assert_eq!(file.after, now.map(|bytes| ContentHash::of(&bytes)), "seed {seed}");
                    }
                }
                Err(error) => {
                    refused += 1;
                    assert_eq!(project.things(), before, "seed {seed}: {error}: {plan:?}");
                }
            }
        }
        let last = project.things();
        let mut undone = 0;
        while let Ok(done) = editor.undo(UndoTarget::Last, by("undo")) {
            assert!(done.id.is_some());
            undone += 1;
        }
        assert_eq!(project.things(), first, "seed {seed}");
        for _ in 0..undone {
            editor.redo(by("redo")).unwrap();
        }
        assert!(matches!(editor.redo(by("redo")), Err(EditError::NoOperation(_))));
        assert_eq!(project.things(), last, "seed {seed}");
        while editor.undo(UndoTarget::Last, by("undo")).is_ok() {}
        assert_eq!(project.things(), first, "seed {seed}");
        assert_eq!(project.unfinished(), Vec::<String>::new());
    }
    assert!(applied > 2 * refused, "{applied} applied, {refused} refused: the plans test little");
    assert!(refused > 10, "no plan was refused");
}

#[test]
fn undo_is_refused_where_later_changes_overlap() {
    let project = Project::new();
    project.write("a", "one\n");
    project.write("b", "one\n");
    let editor = project.editor();
    let both = Plan::new(vec![
        project.text("a", vec![edit(0, 3, "two")]),
        project.text("b", vec![edit(0, 3, "two")]),
    ]);
    let first = editor.apply(&both, by("both")).unwrap().id.unwrap();
    let again = Plan::new(vec![project.text("b", vec![edit(0, 0, "more ")])]);
    let second = editor.apply(&again, by("b again")).unwrap().id.unwrap();
    let before = project.things();
    let Err(EditError::Conflict { files }) = editor.undo(UndoTarget::Id(first), by("undo")) else {
        panic!("not refused");
    };
    let expected = Some(ContentHash::of(b"two\n"));
    let found = Some(ContentHash::of(b"more two\n"));
    assert_eq!(files, [Conflict { path: rel("b"), expected, found }]);
    assert_eq!(project.things(), before);

    editor.undo(UndoTarget::Id(second), by("undo")).unwrap();
    editor.undo(UndoTarget::Id(first), by("undo")).unwrap();
    assert_eq!(project.read("b"), b"one\n");
    for (which, why) in [
        (UndoTarget::Last, "nothing to undo"),
        (UndoTarget::Id(first), "undone already"),
        (UndoTarget::Id(OperationId(99)), "not in the history"),
        (UndoTarget::Id(OperationId(3)), "not an edit"),
    ] {
        let refused = editor.undo(which, by("undo")).unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
    }
}

#[test]
fn undo_of_an_edit_whose_file_is_gone_says_so() {
    let project = Project::new();
    project.write("a", "one\n");
    let editor = project.editor();
    editor.apply(&Plan::new(vec![project.text("a", vec![edit(0, 3, "two")])]), by("edit")).unwrap();
    std::fs::remove_file(project.root().join("a")).unwrap();
    let refused = editor.undo(UndoTarget::Last, by("undo")).unwrap_err().to_string();
    assert_eq!(refused, "conflict: a is gone; nothing was written; read again and repeat the edit");
    std::fs::create_dir(project.root().join("a")).unwrap();
    let refused = editor.undo(UndoTarget::Last, by("undo")).unwrap_err().to_string();
    assert_eq!(refused, "a is a directory, not a regular file; nothing was written");
}

#[test]
fn an_edit_ends_redoing() {
    let project = Project::new();
    let editor = project.editor();
    editor.apply(&Plan::new(vec![create("d/a", "1")]), by("one")).unwrap();
    editor.apply(&Plan::new(vec![create("b", "2")]), by("two")).unwrap();
    editor.undo(UndoTarget::Last, by("undo")).unwrap();
    editor.undo(UndoTarget::Last, by("undo")).unwrap();
    // Directories that an edit created are removed by its undo.
    assert!(project.things().is_empty());
    editor.redo(by("redo")).unwrap();
    assert_eq!(project.read("d/a"), b"1");
    editor.apply(&Plan::new(vec![create("c", "3")]), by("three")).unwrap();
    assert!(matches!(editor.redo(by("redo")), Err(EditError::NoOperation(_))));
    let history = editor.history(100).unwrap();
    let shown: Vec<(u64, OperationKind, bool, &str)> = history
        .iter()
        .map(|operation| (operation.id.0, operation.what, operation.undone, operation.by.title.as_str()))
        .collect();
    let (one, two) = (OperationId(1), OperationId(2));
    assert_eq!(
        shown,
        [
            (6, OperationKind::Edit, false, "three"),
            (5, OperationKind::Redo(one), false, "redo"),
            (4, OperationKind::Undo(one), false, "undo"),
            (3, OperationKind::Undo(two), false, "undo"),
            (2, OperationKind::Edit, true, "two"),
            (1, OperationKind::Edit, false, "one"),
        ]
    );
    assert_eq!(editor.history(1).unwrap().len(), 1);
    // A second editor of the same state has the same history.
    drop(editor);
    assert_eq!(project.editor().history(100).unwrap(), history);
}

#[test]
fn what_is_done_aside_is_undone_by_its_number_only() {
    let project = Project::new();
    let editor = project.editor();
    let note = |text: &str| {
        Plan::new(vec![PlanStep::Write { path: rel("notes/n"), base: None, bytes: text.as_bytes().to_vec() }])
    };
    editor.apply(&Plan::new(vec![create("a", "1")]), by("one")).unwrap();
    editor.apply(&Plan::new(vec![create("b", "2")]), by("two")).unwrap();
    let aside = editor.apply_notes(&note("first"), by("note")).unwrap().id.unwrap();
    editor.undo(UndoTarget::Last, by("undo")).unwrap();
    editor.apply_notes(&note("second"), by("note")).unwrap();
    editor.undo(UndoTarget::Last, by("undo")).unwrap();
    assert_eq!(project.things().len(), 2, "the note and its directory");
    assert!(matches!(editor.undo(UndoTarget::Last, by("undo")), Err(EditError::NoOperation(_))));
    // Notes do not discard the operations to redo.
    editor.redo(by("redo")).unwrap();
    editor.redo(by("redo")).unwrap();
    assert_eq!((project.read("a"), project.read("b")), (b"1".to_vec(), b"2".to_vec()));
    let overlapping = editor.undo(UndoTarget::Id(aside), by("undo"));
    assert!(matches!(overlapping, Err(EditError::Conflict { .. })), "{overlapping:?}");
    let last = editor.history(100).unwrap().iter().find(|one| one.by.title == "note").unwrap().id;
    editor.undo(UndoTarget::Id(last), by("undo")).unwrap();
    editor.undo(UndoTarget::Id(aside), by("undo")).unwrap();
    assert!(!project.root().join("notes").exists());
}

#[test]
fn what_is_done_aside_goes_through_no_link() {
    let project = Project::new();
    project.write("real/f", "1");
    project.write("g", "2");
    std::os::unix::fs::symlink("real", project.root().join("linked")).unwrap();
    std::os::unix::fs::symlink("../g", project.root().join("real/link")).unwrap();
    let editor = project.editor();
    let before = project.things();
    for step in [
        PlanStep::Write { path: rel("linked/f"), base: None, bytes: b"x".to_vec() },
        PlanStep::Write { path: rel("real/link"), base: None, bytes: b"x".to_vec() },
        create("linked/new", "x"),
        PlanStep::Delete { path: rel("linked/f"), base: project.hash("real/f") },
    ] {
        let refused = editor.apply_notes(&Plan::new(vec![step]), by("note")).unwrap_err().to_string();
        assert!(refused.contains("is behind a link"), "{refused}");
    }
    assert_eq!(project.things(), before);
}

#[test]
fn old_operations_fall_out_and_files_are_private() {
    let project = Project::new();
    let editor = project.open_with(Options { history_bytes: 3_000, ..Options::default() }).0;
    project.write("f", vec![b'0'; 1_000]);
    for number in 1..=9_u8 {
        let write =
            symd::edit::PlanStep::Write { path: rel("f"), base: None, bytes: vec![b'0' + number; 1_000] };
        editor.apply(&Plan::new(vec![write]), by("write")).unwrap();
    }
    let kept = editor.history(100).unwrap();
    assert_eq!(kept.iter().map(|operation| operation.id.0).collect::<Vec<_>>(), [9, 8]);
    for entry in std::fs::read_dir(project.state()).unwrap() {
        let mode = std::os::unix::fs::PermissionsExt::mode(&entry.unwrap().metadata().unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600);
    }
    // An operation larger than the limit can still be undone.
    let large = symd::edit::PlanStep::Write { path: rel("f"), base: None, bytes: vec![b'x'; 10_000] };
    editor.apply(&Plan::new(vec![large]), by("large")).unwrap();
    editor.apply(&Plan::new(vec![project.delete("f")]), by("delete")).unwrap();
    assert_eq!(editor.history(100).unwrap().len(), 1);
    editor.undo(UndoTarget::Last, by("undo")).unwrap();
    assert_eq!(project.read("f"), vec![b'x'; 10_000]);
}
