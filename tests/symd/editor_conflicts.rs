//! Edits that failed and that an editor did not take back: kept until the user has resolved them.

use std::collections::BTreeMap;
use std::process::Output;
use std::sync::Arc;

use serde_json::{Value, json};
use symd::edit::{ConflictEnd, EditError, EditStage, Editor, OperationId, Plan, Resolution};
use symd::vfs::{TextOrigin, UnsavedTexts};

use super::edit_support::{self, by, edit, rel};
use crate::editor_agent::agent;
use crate::fake_editor::{FakeEditor, uri};
use crate::support::{PATIENCE, User, write};

const SAVED: &str = "def saved():\n    return 1\n";
const TYPED: &str = "def typed():\n    return 1\n";
const RENAMED: &str = "def other():\n    return 1\n";

/// A user with an editor, and another editor that makes no change of `b.py`.
struct Stage {
    user: User,
    one: FakeEditor,
    two: FakeEditor,
}

impl Stage {
    /// The first editor has `a.py` open with a text that it has not saved.
    fn typed() -> Stage {
        let mut stage = Stage::new(FakeEditor::with, SAVED.as_bytes(), SAVED);
        let file = stage.file();
        stage.one.change(&file, 2, [0, 4, 0, 9], "typed");
        stage.one.settle();
        stage
    }

    /// The first editor has `a.py` open with this text.
    fn new(start: fn(&User, Value) -> FakeEditor, saved: &[u8], text: &str) -> Stage {
        let user = User::new();
        let languages = "[[language]]\nname = \"python\"\nlanguage-servers = []\n";
        write(&user.path("config/languages.toml"), languages);
        std::fs::write(user.path("project/a.py"), saved).unwrap();
        write(&user.path("project/b.py"), "import a\n");
        let abilities =
            json!({ "workspace": { "applyEdit": true, "workspaceEdit": { "documentChanges": true } } });
        let mut one = start(&user, abilities.clone());
        one.open(&uri(&user, "project/a.py"), 1, text);
        // The one that comes first is asked first.
        one.settle();
        let mut two = FakeEditor::with(&user, abilities);
        two.open(&uri(&user, "project/b.py"), 1, "import a\na.typed()\n");
        two.settle();
        Stage { user, one, two }
    }

    fn file(&self) -> String {
        uri(&self.user, "project/a.py")
    }

    /// Has an agent rename `typed`: the first editor makes its part in these documents and keeps it, the second one
    /// refuses. Returns what the agent is told.
    fn conflict(&mut self, made: &[(&str, i64, &str)]) -> String {
        let wanted =
            json!({ "name_path": "typed", "new_name": "other", "force": true, "include": ["unchecked"] });
        let call = agent(&self.user, "rename_symbol", &wanted);
        let request = self.one.await_request("workspace/applyEdit");
        for (file, version, text) in made {
            self.one.rewrite(file, *version, text);
        }
        self.one.reply(&request, json!({ "applied": true }));
        let request = self.two.await_request("workspace/applyEdit");
        self.two.reply(&request, json!({ "applied": false }));
        let back = self.one.await_request("workspace/applyEdit");
        self.one.reply(&back, json!({ "applied": false }));
        let Output { status, stdout, stderr } = call.wait_with_output().unwrap();
        let text = String::from_utf8([stdout, stderr].concat()).unwrap();
        assert_eq!(status.code(), Some(1), "{text}");
        text
    }

    /// Puts the operation back; the first editor takes its part back in `a.py`.
    fn put_back(&mut self, id: &str, version: i64, text: &str) -> String {
        let (user, one, file) = (&self.user, &mut self.one, uri(&self.user, "project/a.py"));
        std::thread::scope(|scope| {
            let call = scope.spawn(|| user.check(&["resolve", id, "put-back"], 0));
            let request = one.await_request("workspace/applyEdit");
            one.rewrite(&file, version, text);
            one.reply(&request, json!({ "applied": true }));
            call.join().unwrap()
        })
    }

    /// Waits until no conflict is open.
    fn await_settled(&mut self) {
        self.one.settle();
        let begun = std::time::Instant::now();
        while self.user.status()["recovered"] != json!([]) {
            assert!(begun.elapsed() < PATIENCE, "{}", self.user.status()["recovered"]);
        }
    }

    fn body(&self) -> String {
        self.user.check(&["call", "read_file", r#"{"relative_path": "a.py"}"#], 0)
    }

    fn on_disk(&self) -> String {
        std::fs::read_to_string(self.user.path("project/a.py")).unwrap()
    }
}

#[test]
fn an_editor_that_does_not_take_its_part_back_leaves_a_conflict_that_can_be_resolved() {
    let mut stage = Stage::typed();
    let file = stage.file();
    let told = stage.conflict(&[(&file, 3, RENAMED)]);
    assert!(told.contains("not taken back, undo it there: the unsaved change of a.py in fake 1"), "{told}");
    assert!(told.contains("kept as operation 1: `symd resolve 1 put-back`"), "{told}");
    let open = stage.user.status()["recovered"].to_string();
    assert!(open.contains("operation 1 (") && open.contains("failed, and an editor kept its part"), "{open}");
    let open = stage.user.check(&["call", "status", "{}"], 0);
    assert!(open.contains("recovered: operation 1 ("), "{open}");
    let told = stage.put_back("1", 4, TYPED);
    assert!(told.contains("a.py"), "{told}");
    assert_eq!(stage.user.status()["recovered"], json!([]), "resolved");
    assert!(stage.body().contains("def typed"));
    assert!(stage.user.check(&["resolve", "1", "keep"], 1).contains("is resolved"));

    // A later daemon tells of it until it is resolved.
    let told = stage.conflict(&[(&file, 5, RENAMED)]);
    assert!(told.contains("kept as operation 3"), "{told}");
    stage.user.check(&["stop"], 0);
    let told = stage.body();
    let states = "failed, and an editor kept its part; left as they are: a.py has the change in fake 1, unsaved, b.py is as it was before the edit; \
                  `symd resolve 3 keep`";
    assert!(told.contains(states), "{told}");
    stage.user.check(&["stop"], 0);
    let told = stage.user.check(&["resolve", "3", "keep"], 0);
    assert!(!told.contains("recovered"), "the first answer of a daemon, and it is resolved: {told}");
    stage.user.check(&["stop"], 0);
    let told = stage.body();
    assert!(!told.contains("recovered"), "{told}");
    assert_eq!(stage.on_disk(), SAVED);
}

#[test]
fn a_conflict_is_closed_when_its_editor_takes_the_change_back_late_or_all_files_have_it() {
    let mut stage = Stage::typed();
    let file = stage.file();
    stage.conflict(&[(&file, 3, RENAMED)]);
    stage.one.rewrite(&file, 4, TYPED);
    stage.await_settled();
    assert!(stage.user.check(&["resolve", "1", "put-back"], 1).contains("is resolved"));

    // Also in a later daemon.
    stage.conflict(&[(&file, 5, RENAMED)]);
    stage.user.check(&["restart"], 0);
    stage.one.settle();
    assert_eq!(stage.user.status()["recovered"].as_array().unwrap().len(), 1);
    stage.one.rewrite(&file, 6, TYPED);
    stage.await_settled();

    // Its users make the rest of it by hand. After a restart either editor may be the first to come back.
    let mut stage = Stage::typed();
    let file = stage.file();
    stage.conflict(&[(&file, 3, RENAMED)]);
    stage.two.rewrite(&uri(&stage.user, "project/b.py"), 2, "import a\na.other()\n");
    stage.await_settled();
    assert!(stage.body().contains("def other"));
}

/// The file on the disk is as before the edit, and the text in the editor is not.
#[test]
fn a_conflict_stays_open_while_an_editor_has_not_told_its_texts() {
    let mut stage = Stage::new(FakeEditor::saving, TYPED.as_bytes(), TYPED);
    let file = stage.file();
    stage.conflict(&[(&file, 2, RENAMED)]);
    for _ in 0..3 {
        stage.user.check(&["restart"], 0);
        stage.one.settle();
        stage.two.settle();
        assert_eq!(stage.user.status()["recovered"].as_array().unwrap().len(), 1);
    }
    stage.one.rewrite(&file, 3, TYPED);
    stage.await_settled();
}

#[test]
fn a_conflict_in_which_an_editor_has_all_of_the_edit_is_not_closed_by_that() {
    let project = edit_support::Project::new();
    project.write("a", "one\n");
    project.write("b", "one\n");
    let unsaved = Arc::<UnsavedTexts>::default();
    let editor = project.editor().with_unsaved(Arc::clone(&unsaved));
    let closed = |id| editor.close_if_settled(editor.try_turn().unwrap(), id).unwrap().map(|one| one.end);
    let id = kept_conflict(&editor, &Plan::new(vec![project.text("a", vec![edit(0, 3, "two")])]), "a");
    unsaved.set(&rel("a"), 1, "two\n", TextOrigin::OfFile);
    assert_eq!(closed(id), None, "it has to be decided");
    unsaved.set(&rel("a"), 2, "typed\n", TextOrigin::OfFile);
    assert_eq!(closed(id), None);
    unsaved.set(&rel("a"), 3, "one\n", TextOrigin::OfFile);
    assert_eq!(closed(id), Some(ConflictEnd::TakenBack));
    assert_eq!(closed(id), None, "closed before");

    let steps = ["a", "b"].map(|file| project.text(file, vec![edit(0, 3, "two")]));
    let id = kept_conflict(&editor, &Plan::new(steps.to_vec()), "a");
    unsaved.set(&rel("a"), 4, "two\n", TextOrigin::OfFile);
    assert_eq!(closed(id), None, "b has no part of it");
    project.write("b", "two\n");
    assert_eq!(closed(id), Some(ConflictEnd::Made));
}

#[test]
fn a_conflict_that_was_saved_meanwhile_is_put_back_in_the_file() {
    let mut stage = Stage::typed();
    let file = stage.file();
    stage.conflict(&[(&file, 3, RENAMED)]);
    write(&stage.user.path("project/a.py"), RENAMED);
    stage.one.save(&file);
    stage.one.close(&file);
    stage.one.settle();
    let shown = stage.user.check(&["resolve", "1", "put-back", "--dry-run"], 0);
    assert!(shown.contains("+def typed"), "{shown}");
    stage.user.check(&["resolve", "1", "put-back"], 0);
    assert_eq!(stage.on_disk(), TYPED);
    stage.user.check(&["undo"], 0);
    assert_eq!(stage.on_disk(), RENAMED);
}

#[test]
fn a_conflict_with_a_file_that_was_changed_since_is_kept_and_names_the_file() {
    let mut stage = Stage::typed();
    write(&stage.user.path("project/c.py"), "import a\n");
    let (first, second) = (stage.file(), uri(&stage.user, "project/c.py"));
    stage.one.open(&second, 1, "import a\na.typed()\n");
    stage.one.settle();
    stage.conflict(&[(&first, 3, RENAMED), (&second, 2, "import a\na.other()\n")]);
    stage.one.change(&second, 3, [0, 0, 0, 0], "# mine\n");
    stage.one.settle();
    for arguments in [vec!["resolve", "1", "put-back", "--dry-run"], vec!["resolve", "1", "put-back"]] {
        let told = stage.user.check(&arguments, 1);
        let why = "c.py was changed since in fake 1; change it there by hand, then `symd resolve 1 keep`";
        assert!(told.contains(why) && !told.contains("a.py"), "{told}");
    }
    assert!(stage.body().contains("def other"), "nothing was put back");

    // Once it is as it was before the edit, only the other file is left to be put back.
    stage.one.rewrite(&second, 4, "import a\na.typed()\n");
    stage.one.settle();
    stage.put_back("1", 4, TYPED);
    assert!(stage.body().contains("def typed"));
}

#[test]
fn a_conflict_in_a_buffer_whose_file_has_a_byte_order_mark_is_put_back() {
    let marked = |text: &str| [b"\xEF\xBB\xBF", text.as_bytes()].concat();
    let mut stage = Stage::new(FakeEditor::saving, &marked(TYPED), TYPED);
    let file = stage.file();
    stage.conflict(&[(&file, 2, RENAMED)]);
    stage.put_back("1", 3, TYPED);
    assert!(!stage.body().contains("[unsaved"), "{}", stage.body());
    let on_disk = || std::fs::read(stage.user.path("project/a.py")).unwrap();
    assert_eq!(on_disk(), marked(TYPED));
}

/// Has an edit fail after an editor made its part in `kept`, and keeps the conflict.
fn kept_conflict(editor: &Editor, plan: &Plan, kept: &str) -> OperationId {
    let stage = editor.stage(editor.try_turn().unwrap(), plan, by("edit"));
    let EditStage::Staged(staged) = stage else { panic!("{stage:?}") };
    let record = staged.record();
    editor.abandon(*staged, EditError::NotInEditor("refused".to_owned()));
    let kept = BTreeMap::from([(rel(kept), "has the change in fake 1, unsaved".to_owned())]);
    editor.keep_conflict(record, &kept).unwrap()
}

/// Returns the bytes of a file with this text.
type Encoder<'e> = &'e dyn Fn(&str) -> Vec<u8>;

#[test]
fn a_conflict_is_put_back_in_the_encoding_of_the_file() {
    let utf16 = |mark: &[u8], text: &str, unit: fn(u16) -> [u8; 2]| {
        [mark, &text.encode_utf16().flat_map(unit).collect::<Vec<u8>>()].concat()
    };
    let encodings: [Encoder<'_>; 4] = [
        &|text| text.as_bytes().to_vec(),
        &|text| [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
        &|text| utf16(b"\xFF\xFE", text, u16::to_le_bytes),
        &|text| utf16(b"\xFE\xFF", text, u16::to_be_bytes),
    ];
    let (before, after) = ("a = '\u{e4}1'\n", "a = '\u{e4}2'\n");
    for encoded in encodings {
        for was_unsaved in [false, true] {
            let project = edit_support::Project::new();
            project.write("a", encoded(if was_unsaved { "saved\n" } else { before }));
            let unsaved = Arc::<UnsavedTexts>::default();
            if was_unsaved {
                unsaved.set(&rel("a"), 1, before, TextOrigin::OfFile);
            }
            let editor = project.editor().with_unsaved(Arc::clone(&unsaved));
            let base =
                if was_unsaved { symd::base::ContentHash::of(before.as_bytes()) } else { project.hash("a") };
            let step = symd::edit::PlanStep::Text {
                path: rel("a"),
                base,
                edits: symd::base::TextEdits::new(vec![edit(7, 8, "2")]).unwrap(),
            };
            let id = kept_conflict(&editor, &Plan::new(vec![step]), "a");

            unsaved.set(&rel("a"), 2, after, TextOrigin::OfFile);
            let shown = editor.preview_resolve(id, Resolution::PutBack).unwrap();
            assert_eq!(shown.len(), 1, "{shown:?}");
            unsaved.set(&rel("a"), 3, before, TextOrigin::OfFile);
            assert_eq!(
                editor.preview_resolve(id, Resolution::PutBack).unwrap().len(),
                0,
                "undone in the editor"
            );
            for (version, typed) in [(4, "typed\n"), (5, "")] {
                unsaved.set(&rel("a"), version, typed, TextOrigin::OfFile);
                let refused = editor.resolve(id, Resolution::PutBack, by("resolve")).unwrap_err().to_string();
                assert!(refused.contains("a was changed since in an editor"), "{refused}");
            }
            unsaved.remove(&rel("a"));
            project.write("a", encoded(after));
            editor.resolve(id, Resolution::PutBack, by("resolve")).unwrap();
            assert_eq!(project.read("a"), encoded(before));
            assert!(editor.resolve(id, Resolution::Keep, by("resolve")).is_err(), "is resolved");
        }
    }
}

#[test]
fn a_conflict_that_was_saved_with_an_end_of_its_last_line_is_put_back() {
    let (before, after) = ("x\na = 1", "x\na = 2");
    for end in ["", "\n", "\r\n"] {
        let project = edit_support::Project::new();
        project.write("a", "saved\n");
        let unsaved = Arc::<UnsavedTexts>::default();
        unsaved.set(&rel("a"), 1, before, TextOrigin::OfFile);
        let editor = project.editor().with_unsaved(Arc::clone(&unsaved));
        let step = symd::edit::PlanStep::Text {
            path: rel("a"),
            base: symd::base::ContentHash::of(before.as_bytes()),
            edits: symd::base::TextEdits::new(vec![edit(6, 7, "2")]).unwrap(),
        };
        let id = kept_conflict(&editor, &Plan::new(vec![step]), "a");
        // The editor kept the change, and ended the last line when it saved it.
        unsaved.remove(&rel("a"));
        project.write("a", format!("{after}{end}"));
        editor.resolve(id, Resolution::PutBack, by("resolve")).unwrap();
        assert_eq!(project.read("a"), format!("{before}{end}").as_bytes(), "{end:?}");
    }
}

#[test]
fn what_a_conflict_has_not_changed_is_not_put_back() {
    let project = edit_support::Project::new();
    for file in ["a", "b", "d"] {
        project.write(file, "one\n");
    }
    let unsaved = Arc::<UnsavedTexts>::default();
    let editor = project.editor().with_unsaved(Arc::clone(&unsaved));
    let steps = vec![
        project.text("a", vec![edit(0, 3, "two")]),
        project.rename("b", "c"),
        project.delete("d"),
        edit_support::create("e", "new\n"),
    ];
    let id = kept_conflict(&editor, &Plan::new(steps), "a");
    unsaved.set(&rel("a"), 1, "two\n", TextOrigin::OfFile);
    // The user does the same by hand.
    std::fs::rename(project.root().join("b"), project.root().join("c")).unwrap();
    std::fs::remove_file(project.root().join("d")).unwrap();
    project.write("e", "new\n");
    let shown = editor.preview_resolve(id, Resolution::PutBack).unwrap();
    assert_eq!(shown.iter().map(|one| one.path.as_str()).collect::<Vec<_>>(), ["a"]);
}
