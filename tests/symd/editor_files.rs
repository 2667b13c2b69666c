//! Files that an editor renames, with texts that were not saved and edits in them; edits that were finished without
//! their editor, and undone.

use serde_json::{Value, json};

use crate::editor_agent::{agent, done, made, marked};
use crate::fake_editor::{FakeEditor, uri};
use crate::support::{User, write};

const SAVED: &str = "def saved():\n    pass\n\n\ndef last():\n    return 1\n";
const TYPED: &str = "def typed():\n    pass\n\n\ndef last():\n    return 1\n";
const EDITED: &str = "def typed():\n    pass\n\n\ndef last():\n    return 2\n";

fn user() -> User {
    let user = User::new();
    write(&user.path("config/languages.toml"), "[[language]]\nname = \"python\"\nlanguage-servers = []\n");
    std::fs::create_dir(user.path("project/old")).unwrap();
    write(&user.path("project/old/a.py"), SAVED);
    user
}

fn editor(user: &User) -> FakeEditor {
    let abilities = json!({ "applyEdit": true, "workspaceEdit": { "documentChanges": true } });
    FakeEditor::with(user, json!({ "workspace": abilities }))
}

/// Has an agent edit `old/a.py`, which the editor has open and not saved; returns the operation.
fn edited(user: &User, editor: &mut FakeEditor, file: &str) -> u64 {
    editor.open(file, 1, TYPED);
    editor.settle();
    let arguments =
        json!({ "relative_path": "old/a.py", "needle": "return 1", "repl": "return 2", "mode": "literal" });
    let call = agent(user, "replace_content", &arguments);
    made(user, call, editor, (file, 2, EDITED))
}

/// Renames the directory of `old/a.py` as editors do, with the notifications in this order.
fn rename(user: &User, editor: &mut FakeEditor, order: [&str; 3]) -> String {
    let (old, new) = (uri(user, "project/old/a.py"), uri(user, "project/new/a.py"));
    let files = json!([{ "oldUri": uri(user, "project/old"), "newUri": uri(user, "project/new") }]);
    let follows = editor.ask("workspace/willRenameFiles", json!({ "files": files }));
    assert_eq!(follows["result"], Value::Null, "{follows}");
    std::fs::rename(user.path("project/old"), user.path("project/new")).unwrap();
    for step in order {
        match step {
            "close" => editor.close(&old),
            "open" => editor.open(&new, 1, EDITED),
            _ => editor.tell("workspace/didRenameFiles", json!({ "files": files })),
        }
    }
    editor.settle();
    new
}

#[test]
fn an_unsaved_edit_goes_with_the_file_that_its_editor_renames() {
    for order in [["close", "open", "renamed"], ["renamed", "close", "open"], ["close", "renamed", "open"]] {
        let user = user();
        let mut editor = editor(&user);
        let id = edited(&user, &mut editor, &uri(&user, "project/old/a.py"));
        let new = rename(&user, &mut editor, order);
        let mark = marked(&user, id);
        assert!(mark.contains("pending save: new/a.py"), "{order:?}: {mark}");
        let text = user.check(&["call", "read_file", r#"{"relative_path": "new/a.py"}"#], 0);
        assert!(text.contains("return 2"), "{order:?}: {text}");

        let call = agent(&user, "undo", &json!({ "id": id }));
        let request = editor.await_request("workspace/applyEdit");
        let change = &request["params"]["edit"]["documentChanges"][0];
        assert_eq!(change["textDocument"]["uri"], json!(new), "{order:?}");
        editor.rewrite(&new, 2, TYPED);
        editor.reply(&request, json!({ "applied": true }));
        done(call);
        let text = user.check(&["call", "read_file", r#"{"relative_path": "new/a.py"}"#], 0);
        assert!(text.contains("return 1"), "{order:?}: {text}");
        assert_eq!(std::fs::read_to_string(user.path("project/new/a.py")).unwrap(), SAVED);
    }
}

#[test]
fn a_renamed_file_is_finished_under_its_new_name_by_a_later_daemon() {
    let user = user();
    let mut editor = editor(&user);
    let id = edited(&user, &mut editor, &uri(&user, "project/old/a.py"));
    let new = rename(&user, &mut editor, ["close", "open", "renamed"]);
    editor.close(&new);
    editor.settle();
    user.check(&["restart"], 0);
    let mark = marked(&user, id);
    assert!(mark.contains("half saved: new/a.py"), "{mark}");
    user.check(&["finish", &id.to_string()], 0);
    let on_disk = || std::fs::read_to_string(user.path("project/new/a.py")).unwrap();
    assert_eq!(on_disk(), SAVED.replace("return 1", "return 2"));
    user.check(&["undo", &id.to_string()], 0);
    assert_eq!(on_disk(), SAVED);
}

#[test]
fn a_finished_edit_is_undone_and_redone_as_one_by_its_number() {
    let user = user();
    write(&user.path("project/b.py"), "import a\n\na.typed()\n");
    let file = uri(&user, "project/old/a.py");
    let saved = "def typed():\n    return 1\n\n\nx = 1\n";
    write(&user.path("project/old/a.py"), saved);
    let typed = "def typed():\n    return 1\n\n\nx = 1\n# mine\n";
    let mut editor = editor(&user);
    editor.open(&file, 1, typed);
    editor.settle();
    let wanted =
        json!({ "name_path": "typed", "new_name": "other", "force": true, "include": ["unchecked"] });
    let call = agent(&user, "rename_symbol", &wanted);
    let id = made(&user, call, &mut editor, (&file, 2, &typed.replace("typed", "other")));
    editor.close(&file);
    editor.settle();
    assert!(marked(&user, id).contains("half saved: old/a.py"), "{}", marked(&user, id));
    let files = || {
        let read = |file: &str| std::fs::read_to_string(user.path(file)).unwrap();
        (read("project/old/a.py"), read("project/b.py"))
    };
    let before = (saved.to_owned(), "import a\n\na.typed()\n".to_owned());
    let after = (saved.replace("typed", "other"), "import a\n\na.other()\n".to_owned());

    user.check(&["finish", &id.to_string()], 0);
    assert_eq!(files(), after);
    let finishing = id + 1;
    assert!(!marked(&user, id).contains("half saved"), "{}", marked(&user, id));
    let again = user.check(&["finish", &id.to_string()], 1);
    assert!(again.contains("is finished, by operation"), "{again}");
    user.check(&["undo", &id.to_string()], 0);
    assert_eq!(files(), before, "both parts at once");
    for undone in [id, finishing] {
        assert!(marked(&user, undone).contains("(undone)"), "{}", marked(&user, undone));
    }
    user.check(&["redo"], 0);
    assert_eq!(files(), after);
    assert!(!marked(&user, finishing).contains("(undone)"), "{}", marked(&user, finishing));

    // Undone alone, the finished part is open again.
    user.check(&["undo", &finishing.to_string()], 0);
    assert_eq!(files(), (saved.to_owned(), after.1.clone()));
    user.check(&["undo", &id.to_string()], 1);
}
