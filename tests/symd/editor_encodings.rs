//! Open files whose text an editor and the file spell differently: another encoding, a byte-order mark, line ends, an
//! empty file.

use std::sync::Arc;

use serde_json::json;
use symd::base::{ContentHash, TextEdits};
use symd::edit::{EditStage, Plan, PlanStep, UndoTarget};
use symd::vfs::{TextOrigin, UnsavedTexts};

use super::edit_support::{self, by, edit, rel};
use crate::editor_agent::{agent, done};
use crate::fake_editor::{FakeEditor, uri};
use crate::support::{User, write};

fn user(text: &[u8]) -> User {
    let user = User::new();
    write(&user.path("config/languages.toml"), "[[language]]\nname = \"python\"\nlanguage-servers = []\n");
    std::fs::write(user.path("project/a.py"), text).unwrap();
    user
}

fn read(user: &User) -> String {
    user.check(&["call", "read_file", r#"{"relative_path": "a.py"}"#], 0)
}

#[test]
fn an_edit_of_an_unsaved_text_is_undone_in_the_file_in_which_it_was_saved() {
    let utf16 = |text: &str| {
        [b"\xFF\xFE".to_vec(), text.encode_utf16().flat_map(u16::to_le_bytes).collect()].concat()
    };
    let marked = |text: &str| [b"\xEF\xBB\xBF", text.as_bytes()].concat();
    let (typed, edited) = ("typed\nb = '\u{e4}1'", "typed\nb = '\u{e4}2'");
    // With the end of the last line that editors add when they save, or without.
    let ended = |text: &str| format!("{text}\r\n").into_bytes();
    for encoded in [&marked as &dyn Fn(&str) -> Vec<u8>, &utf16, &ended, &|text| text.as_bytes().to_vec()] {
        let project = edit_support::Project::new();
        project.write("a", encoded("saved\n"));
        let unsaved = Arc::<UnsavedTexts>::default();
        unsaved.set(&rel("a"), 1, typed, TextOrigin::OfFile);
        let editor = project.editor().with_unsaved(Arc::clone(&unsaved));
        let step = PlanStep::Text {
            path: rel("a"),
            base: ContentHash::of(typed.as_bytes()),
            edits: TextEdits::new(vec![edit(13, 14, "2")]).unwrap(),
        };
        let staged = editor.stage(editor.try_turn().unwrap(), &Plan::new(vec![step]), by("edit"));
        let EditStage::Staged(staged) = staged else { panic!("{staged:?}") };
        // The editor makes the change, and its user saves it.
        let EditStage::Ended(Ok(_)) = editor.finish(*staged, None) else { panic!("not finished") };
        unsaved.remove(&rel("a"));
        project.write("a", encoded(edited));
        editor.undo(UndoTarget::Last, by("undo")).unwrap();
        assert_eq!(project.read("a"), encoded(typed));
        editor.redo(by("redo")).unwrap();
        assert_eq!(project.read("a"), encoded(edited));
        project.write("a", encoded("typed\nb = '\u{e4}3'\n"));
        editor.undo(UndoTarget::Last, by("undo")).unwrap_err();
    }
}

#[test]
fn an_open_file_without_a_text_is_not_unsaved_because_its_editor_shows_one() {
    for (on_disk, shown) in [(&b""[..], "\n"), (b"a\0b\n", "a\0b\n")] {
        let user = user(on_disk);
        let file = uri(&user, "project/a.py");
        let mut editor = FakeEditor::new(&user);
        editor.open(&file, 1, shown);
        editor.settle();
        let listed = user.check(&["call", "list_dir", r#"{"relative_path": "."}"#], 0);
        assert!(listed.contains("a.py") && !listed.contains("unsaved"), "{listed}");
        editor.change(&file, 2, [0, 0, 1, 0], "typed = 1\n");
        editor.settle();
        assert!(read(&user).contains("[unsaved: a.py"), "{}", read(&user));
    }
}

#[test]
fn an_editor_is_asked_for_no_edit_whose_line_ends_it_may_change() {
    let mixed = "one = 1\r\ntwo = 2\n";
    let user = user(mixed.as_bytes());
    let file = uri(&user, "project/a.py");
    let abilities = json!({ "applyEdit": true, "workspaceEdit": { "documentChanges": true } });
    let mut editor = FakeEditor::saving(&user, json!({ "workspace": abilities }));
    editor.open(&file, 1, mixed);
    editor.settle();
    let wanted = json!({ "relative_path": "a.py", "needle": "= 1", "repl": "= 3", "mode": "literal" });
    let told = done(agent(&user, "replace_content", &wanted));
    assert!(told.contains("has not reloaded it: a.py in fake 1"), "{told}");
    assert_eq!(std::fs::read_to_string(user.path("project/a.py")).unwrap(), "one = 3\r\ntwo = 2\n");

    editor.rewrite(&file, 2, "# typed\none = 3\r\ntwo = 2\n");
    editor.settle();
    let wanted = json!({ "relative_path": "a.py", "needle": "= 3", "repl": "= 4", "mode": "literal" });
    let told = user.check(&["call", "replace_content", &wanted.to_string()], 1);
    assert!(told.contains("line ends of both kinds") && told.contains("nothing was written"), "{told}");
    assert!(read(&user).contains("one = 3"), "the buffer is as it was");
}
