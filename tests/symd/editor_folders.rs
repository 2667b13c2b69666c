//! The folders of an editor and the daemons of their projects: one `symd lsp` serves all, and folders come and go.

use serde_json::{Value, json};

use crate::fake_editor::{FakeEditor, uri};
use crate::support::{User, write};

const SAVED: &str = "def saved():\n    pass\n";
const TYPED: &str = "def typed():\n    pass\n";

/// A directory with two projects, one of them with modules, and a file of no project.
fn user() -> User {
    let user = User::new();
    // No server that runs code of a project, so that the user is not asked to trust it.
    let languages =
        ["python", "kotlin"].map(|name| format!("[[language]]\nname = \"{name}\"\nlanguage-servers = []\n"));
    write(&user.path("config/languages.toml"), &languages.concat());
    for directory in ["all/one/.git", "all/two/app/inner", "all/loose"] {
        std::fs::create_dir_all(user.path(directory)).unwrap();
    }
    for settings in ["all/two/settings.gradle.kts", "all/two/app/settings.gradle"] {
        write(&user.path(settings), "");
    }
    for file in ["all/one/a.py", "all/two/app/inner/b.py", "all/loose/c.py"] {
        write(&user.path(file), SAVED);
    }
    user
}

fn folder(user: &User, path: &str) -> Value {
    json!({ "uri": uri(user, path), "name": path })
}

fn started(user: &User, folders: &[&str]) -> FakeEditor {
    let mut editor = FakeEditor::silent(user);
    let folders: Vec<Value> = folders.iter().map(|path| folder(user, path)).collect();
    editor.ask("initialize", json!({ "workspaceFolders": folders, "capabilities": {} }));
    editor.tell("initialized", json!({}));
    editor
}

/// Waits until the daemon of `file`'s project knows all that the editor sent; returns its root.
fn settled(user: &User, editor: &mut FakeEditor, file: &str) -> Value {
    let command = json!({ "command": "symd.status", "arguments": [{ "uri": uri(user, file) }] });
    editor.ask("workspace/executeCommand", command)["result"]["root"].clone()
}

/// Whether an agent in this project sees a function.
fn sees(user: &User, project: &str, name: &str) -> bool {
    let asked = json!({ "name_path_pattern": name }).to_string();
    let root = user.path(project);
    user.check(&["--project", root.to_str().unwrap(), "call", "find_symbol", &asked], 0).contains(".py:1")
}

fn change(user: &User, editor: &mut FakeEditor, added: &[&str], removed: &[&str]) {
    let named = |paths: &[&str]| paths.iter().map(|path| folder(user, path)).collect::<Vec<Value>>();
    let event = json!({ "added": named(added), "removed": named(removed) });
    editor.tell("workspace/didChangeWorkspaceFolders", json!({ "event": event }));
}

#[test]
fn a_folder_above_or_inside_a_project_stands_for_it() {
    let user = user();
    // Above all of them; inside of one, whose root is the outermost directory with Gradle's settings.
    for folders in [&["all"][..], &["all/one", "all/two/app/inner"]] {
        let mut editor = started(&user, folders);
        for (file, root) in [("all/one/a.py", "all/one"), ("all/two/app/inner/b.py", "all/two")] {
            editor.open(&uri(&user, file), 1, TYPED);
            assert_eq!(settled(&user, &mut editor, file), json!(user.path(root)), "{folders:?}");
            assert!(sees(&user, root, "typed") && !sees(&user, root, "saved"), "{folders:?} {root}");
        }
        // A file of no project fails nothing.
        let loose = uri(&user, "all/loose/c.py");
        editor.open(&loose, 1, TYPED);
        editor.change(&loose, 2, [0, 0, 0, 0], "#");
        editor.save(&loose);
        settled(&user, &mut editor, "all/one/a.py");
        assert!(editor.heard.is_empty(), "{:?}", editor.heard);
        assert_eq!(editor.leave(), Some(0));
    }
}

#[test]
fn folders_are_added_and_removed_while_the_editor_runs() {
    let user = user();
    let mut editor = started(&user, &["all/one"]);
    let (one, two) = ("all/one/a.py", "all/two/app/inner/b.py");
    for file in [one, two] {
        editor.open(&uri(&user, file), 1, TYPED);
    }
    settled(&user, &mut editor, one);
    assert!(sees(&user, "all/one", "typed"));
    assert!(sees(&user, "all/two", "saved"), "outside the editor's folders");

    change(&user, &mut editor, &["all/two"], &[]);
    assert_eq!(settled(&user, &mut editor, two), json!(user.path("all/two")));
    assert!(sees(&user, "all/two", "typed"), "what was open already is told");

    // The project of a folder that is gone is left, while its document is still open: its file counts there.
    change(&user, &mut editor, &[], &["all/two"]);
    let left = settled(&user, &mut editor, one);
    assert_eq!(left, json!(user.path("all/one")));
    assert!((0..200).any(|_| sees(&user, "all/two", "saved")), "left");
    assert!(sees(&user, "all/one", "typed"), "the other one stays");
}
