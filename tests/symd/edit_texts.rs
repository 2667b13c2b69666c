//! Exactness: text outside an edit stays as it was, byte for byte, in every encoding and with every line
//! ending; and the content of previews.

use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use symd::base::ContentHash;
use symd::edit::{EditError, EditStage, Hook, Plan, PlanStep, Step, UndoTarget};

use super::edit_support::*;

/// `name` is replaced by `new` wherever it occurs, in files that differ in everything else.
#[test]
fn every_byte_outside_the_edit_stays() {
    let utf16 = |mark: &[u8], text: &str, bytes: fn(u16) -> [u8; 2]| {
        [mark, &text.encode_utf16().flat_map(bytes).collect::<Vec<_>>()].concat()
    };
    let text = |name: &str| format!("\u{1F600}\t{name}\r\n\u{e4} {name}\nlone\r{name}");
    let latin1 = |name: &str| [b"\xE4\xF6 ", name.as_bytes(), b" \xFF\r\n\xC3"].concat();
    type Bytes<'b> = &'b dyn Fn(&str) -> Vec<u8>;
    let table: [(&str, Bytes<'_>); 10] = [
        ("LF", &|name| format!("a\n{name}\nb\n").into_bytes()),
        ("CRLF", &|name| format!("a\r\n{name}\r\nb\r\n").into_bytes()),
        ("mixed, no last line ending", &|name| text(name).into_bytes()),
        ("one line without an ending", &|name| name.as_bytes().to_vec()),
        ("UTF-8 with a mark", &|name| [b"\xEF\xBB\xBF", text(name).as_bytes()].concat()),
        ("UTF-16 little endian", &|name| utf16(b"\xFF\xFE", &text(name), u16::to_le_bytes)),
        ("UTF-16 big endian", &|name| utf16(b"\xFE\xFF", &text(name), u16::to_be_bytes)),
        ("Latin-1", &latin1),
        ("invalid bytes behind a mark", &|name| [b"\xEF\xBB\xBF", &latin1(name)[..]].concat()),
        ("astral characters and tabs", &|name| format!("\u{1F680}\u{1F680}\t\t{name}\u{1F680}").into_bytes()),
    ];
    let project = Project::new();
    for (number, (_, bytes)) in table.iter().enumerate() {
        project.write(&format!("f{number}"), bytes("name"));
    }
    let before = project.things();
    let editor = project.editor();
    let steps = (0..table.len()).map(|number| {
        let path = format!("f{number}");
        let (text, _) = symd::base::text::decode(project.read(&path)).unwrap();
        project.text(
            &path,
            text.match_indices("name").map(|(at, _)| edit(at, at + 4, "\u{f1}ew \u{1F680}")).collect(),
        )
    });
    editor.apply(&Plan::new(steps.collect()), by("rename")).unwrap();
    for (number, (what, bytes)) in table.iter().enumerate() {
        assert_eq!(project.read(&format!("f{number}")), bytes("\u{f1}ew \u{1F680}"), "{what}");
    }
    editor.undo(UndoTarget::Last, by("undo")).unwrap();
    assert_eq!(project.things(), before);
}

#[test]
fn steps_of_one_plan_see_what_earlier_ones_left() {
    let project = Project::new();
    project.write("a", "one two three\n");
    let editor = project.editor();
    let again = |path: &str, left: &str, edits| PlanStep::Text {
        path: rel(path),
        base: ContentHash::of(left.as_bytes()),
        edits: symd::base::TextEdits::new(edits).unwrap(),
    };
    let plan = Plan::new(vec![
        project.text("a", vec![edit(0, 3, "1"), edit(8, 13, "3")]),
        again("a", "1 two 3\n", vec![edit(2, 5, "2")]),
        project.rename("a", "b"),
        again("b", "1 2 3\n", vec![edit(0, 0, "0 ")]),
        create("a", "new\n"),
    ]);
    let diffs = editor.preview(&plan).unwrap();
    editor.apply(&plan, by("all")).unwrap();
    assert_eq!(project.read("b"), b"0 1 2 3\n");
    assert_eq!(project.read("a"), b"new\n");
    let shown: Vec<&str> = diffs.iter().map(|diff| diff.unified.as_str()).collect();
    assert_eq!(
        shown,
        [
            "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one two three\n+new\n",
            "--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+0 1 2 3\n",
        ]
    );
}

#[test]
fn what_moves_and_changes_is_shown_as_one() {
    let project = Project::new();
    project.write("a", "1\n2\n3\n");
    project.write("b", "b");
    project.write("binary", b"\0");
    let editor = project.editor();
    let moved = PlanStep::Text {
        path: rel("c"),
        base: project.hash("a"),
        edits: symd::base::TextEdits::new(vec![edit(2, 3, "two")]).unwrap(),
    };
    let diffs = editor
        .preview(&Plan::new(vec![
            project.rename("a", "c"),
            moved,
            project.rename("b", "d"),
            project.delete("binary"),
        ]))
        .unwrap();
    let shown: Vec<(&str, &str)> =
        diffs.iter().map(|diff| (diff.path.as_str(), diff.unified.as_str())).collect();
    assert_eq!(
        shown,
        [
            ("binary", "Binary files a/binary and /dev/null differ\n"),
            ("c", "rename from a\nrename to c\n--- a/a\n+++ b/c\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n"),
            ("d", "rename from b\nrename to d\n"),
        ]
    );
}

/// The diff is accepted by `patch`, and has the same effect as the edit.
#[test]
fn a_preview_applied_by_patch_gives_the_same_tree() {
    if Command::new("patch").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("SKIPPED: no `patch` here");
        return;
    }
    for seed in 0..30 {
        let mut random = fastrand::Rng::with_seed(seed);
        let project = Project::in_memory();
        let lines = |random: &mut fastrand::Rng| {
            let mut text: String = (0..random.usize(1..40))
                .map(|_| ["a\n", "b\r\n", "c \n", "\u{e4}\n"][random.usize(..4)])
                .collect();
            text.push_str(if random.bool() { "end" } else { "" });
            text
        };
        for path in ["a", "d/b", "gone"] {
            project.write(path, lines(&mut random));
        }
        let write = |path: &str, text: String| PlanStep::Write {
            path: rel(path),
            base: None,
            bytes: text.into_bytes(),
        };
        let plan = Plan::new(vec![
            write("a", lines(&mut random)),
            write("d/b", lines(&mut random)),
            write("new/c", lines(&mut random)),
            project.delete("gone"),
        ]);
        let editor = project.editor();
        let before = project.things();
        let diffs = editor.preview(&plan).unwrap();
        assert_eq!(project.things(), before, "a preview writes nothing");
        let patched = Project::in_memory();
        for path in ["a", "d/b", "gone"] {
            patched.write(path, project.read(path));
        }
        let diff = patched.scratch.path().join("diff");
        std::fs::write(&diff, diffs.iter().map(|diff| diff.unified.as_str()).collect::<String>()).unwrap();
        let done = Command::new("patch")
            .args(["-p1", "--binary", "--silent", "-E", "-i"])
            .arg(&diff)
            .current_dir(patched.root())
            .output()
            .unwrap();
        assert!(done.status.success(), "seed {seed}: {done:?}");
        editor.apply(&plan, by("write")).unwrap();
        assert_eq!(patched.things(), project.things(), "seed {seed}");
    }
}

/// What an edit waits for runs in parallel with the slow steps: an edit that is staged has everything on the
/// disk, and no file has changed. A plan that is rejected is not staged. Between two stages an edit may be given
/// up, by word or by being dropped.
#[tokio::test]
async fn a_staged_edit_has_changed_no_file() {
    let project = Project::new();
    project.write("a", "one");
    project.write("b", "two");
    let steps = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&steps);
    let editor = project.hooked(Hook::new(move |step| {
        seen.lock().unwrap().push(step);
        Ok(())
    }));
    let plan =
        Plan::new(vec![project.text("a", vec![edit(0, 3, "1")]), project.text("b", vec![edit(0, 3, "2")])]);
    let before = project.things();
    let stage = async || match editor.stage(editor.turn().await, &plan, by("edit")) {
        EditStage::Staged(staged) => *staged,
        other => panic!("{other:?}"),
    };
    let abandoned = editor.abandon(stage().await, EditError::Busy("busy".to_owned()));
    assert!(abandoned.to_string().contains("busy"), "{abandoned}");
    assert_eq!(project.things(), before);

    // Put back by the next turn.
    drop(stage().await);
    steps.lock().unwrap().clear();
    let staged = stage().await;
    let done = std::mem::take(&mut *steps.lock().unwrap());
    assert!(
        done.ends_with(&[Step::Checked, Step::Journalled, Step::Staged, Step::Staged, Step::Synced]),
        "{done:?}"
    );
    assert_eq!((project.read("a"), project.read("b")), (b"one".to_vec(), b"two".to_vec()));
    assert!(matches!(editor.finish(staged, None), EditStage::Ended(Ok(_))));
    assert_eq!((project.read("a"), project.read("b")), (b"1".to_vec(), b"2".to_vec()));
    assert_eq!(editor.history(9).unwrap().len(), 1);

    let refused = editor.stage(editor.turn().await, &plan, by("again"));
    assert!(matches!(refused, EditStage::Ended(Err(EditError::Conflict { .. }))), "{refused:?}");
}
