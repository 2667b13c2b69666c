//! Edits that fail after an editor has made its part: the disk fails, or the document is gone.

use std::path::PathBuf;
use std::process::Child;

use serde_json::{Value, json};

use crate::editor_agent::{agent, failed};
use crate::fake_editor::{FakeEditor, uri};
use crate::support::{PATIENCE, User, write};

const SAVED: &str = "def saved():\n    return 1\n";
const TYPED: &str = "def typed():\n    return 1\n";
const RENAMED: &str = "def other():\n    return 1\n";
const USER: &str = "import a\n\na.typed()\n";

/// A file on the disk in a directory of its own, and an unsaved buffer of another one.
fn typed() -> (User, FakeEditor, String) {
    let user = User::new();
    write(&user.path("config/languages.toml"), "[[language]]\nname = \"python\"\nlanguage-servers = []\n");
    write(&user.path("project/a.py"), SAVED);
    std::fs::create_dir(user.path("project/d")).unwrap();
    write(&user.path("project/d/b.py"), USER);
    let file = uri(&user, "project/a.py");
    let abilities = json!({ "applyEdit": true, "workspaceEdit": { "documentChanges": true } });
    let mut editor = FakeEditor::with(&user, json!({ "workspace": abilities }));
    editor.open(&file, 1, SAVED);
    editor.rewrite(&file, 2, TYPED);
    editor.settle();
    (user, editor, file)
}

fn rename(user: &User) -> Child {
    let wanted =
        json!({ "name_path": "typed", "new_name": "other", "force": true, "include": ["unchecked"] });
    agent(user, "rename_symbol", &wanted)
}

/// Takes away the new content that is ready beside `d/b.py`: putting it in its place fails then.
fn fail_the_disk(user: &User) {
    let staged: Vec<PathBuf> = std::fs::read_dir(user.path("project/d"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.ends_with("b.py"))
        .collect();
    assert_eq!(staged.len(), 1, "{staged:?}");
    std::fs::remove_file(&staged[0]).unwrap();
}

/// Renames `typed`: the editor makes its part, and the disk fails. Returns the call, and the request to the editor to take its
/// part back.
fn made_where_the_disk_fails(user: &User, editor: &mut FakeEditor, file: &str) -> (Child, Value) {
    let call = rename(user);
    let request = editor.await_request("workspace/applyEdit");
    fail_the_disk(user);
    editor.rewrite(file, 3, RENAMED);
    editor.reply(&request, json!({ "applied": true }));
    (call, editor.await_request("workspace/applyEdit"))
}

fn is_old(user: &User) -> bool {
    let read = |file: &str| std::fs::read_to_string(user.path(file)).unwrap();
    let names = std::fs::read_dir(user.path("project/d")).unwrap().count();
    (read("project/a.py").as_str(), read("project/d/b.py").as_str(), names) == (SAVED, USER, 1)
}

#[test]
fn an_editor_takes_its_part_back_where_the_disk_fails() {
    let (user, mut editor, file) = typed();
    let (call, back) = made_where_the_disk_fails(&user, &mut editor, &file);
    let change = &back["params"]["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"], json!({ "uri": file, "version": 3 }), "{back}");
    assert_eq!(change["edits"][0]["newText"], "def typed():\n", "{back}");
    editor.rewrite(&file, 4, TYPED);
    editor.reply(&back, json!({ "applied": true }));
    let told = failed(call);
    assert!(!told.contains("not taken back") && !told.contains("may still have"), "{told}");
    assert!(is_old(&user), "{told}");
    let body = user.check(&["call", "read_file", r#"{"relative_path": "a.py"}"#], 0);
    assert!(body.contains("def typed"), "{body}");
    assert_eq!(user.status()["recovered"], json!([]));
}

#[test]
fn an_edit_is_a_conflict_where_the_disk_fails_and_the_editor_keeps_its_part() {
    let (user, mut editor, file) = typed();
    let (call, back) = made_where_the_disk_fails(&user, &mut editor, &file);
    editor.reply(&back, json!({ "applied": false }));
    let told = failed(call);
    assert!(told.contains("not taken back, undo it there: the unsaved change of a.py in fake 1"), "{told}");
    assert!(told.contains("kept as operation 1"), "{told}");
    assert!(is_old(&user), "{told}");
    let open = user.status()["recovered"].to_string();
    assert!(
        open.contains("a.py has the change in fake 1, unsaved") && open.contains("d/b.py is as"),
        "{open}"
    );
}

/// Has the lock of the edits be a directory: erasing a journal begins with the copy of its head in this file.
struct LockAway(PathBuf);

impl LockAway {
    fn begin(user: &User) -> LockAway {
        let lock = user.place().edits().join("lock");
        std::fs::rename(&lock, lock.with_extension("away")).unwrap();
        std::fs::create_dir(&lock).unwrap();
        LockAway(lock)
    }

    fn end(self) {
        std::fs::remove_dir(&self.0).unwrap();
        std::fs::rename(self.0.with_extension("away"), &self.0).unwrap();
    }
}

#[test]
fn an_edit_that_an_editor_took_back_is_no_conflict_where_its_journal_could_not_be_erased() {
    for is_soon_back in [true, false] {
        let (user, mut editor, file) = typed();
        let call = rename(&user);
        let request = editor.await_request("workspace/applyEdit");
        fail_the_disk(&user);
        let lock = LockAway::begin(&user);
        editor.rewrite(&file, 3, RENAMED);
        editor.reply(&request, json!({ "applied": true }));
        let back = editor.await_request("workspace/applyEdit");
        let give_back = |editor: &mut FakeEditor| {
            editor.rewrite(&file, 4, TYPED);
            editor.reply(&back, json!({ "applied": true }));
            failed(call)
        };
        let told = if is_soon_back {
            lock.end();
            give_back(&mut editor)
        } else {
            // Dropping the conflict's record fails, too.
            let told = give_back(&mut editor);
            assert_ne!(user.status()["recovered"], json!([]), "{told}");
            lock.end();
            let begun = std::time::Instant::now();
            while user.status()["recovered"] != json!([]) {
                assert!(begun.elapsed() < PATIENCE, "{told}");
            }
            told
        };
        assert!(
            told.contains("the tree is as it was; the journal of the edit could not be erased"),
            "{told}"
        );
        assert!(is_old(&user), "{told}");
        assert_eq!(user.status()["recovered"], json!([]));
        // The user makes the change that failed, and saves it.
        let by_hand = "import a\n\na.other()\n";
        write(&user.path("project/d/b.py"), by_hand);
        // The next edit is made.
        let wanted = json!({ "relative_path": "c.py", "content": "c = 1\n" }).to_string();
        user.check(&["call", "create_text_file", &wanted], 0);
        assert_eq!(user.status()["recovered"], json!([]));
        assert_eq!(std::fs::read_to_string(user.path("project/d/b.py")).unwrap(), by_hand);
    }
}

#[test]
fn an_edit_is_a_conflict_where_symd_is_killed_before_an_editor_takes_its_part_back() {
    let (user, mut editor, file) = typed();
    let (mut call, _) = made_where_the_disk_fails(&user, &mut editor, &file);
    let daemon = user.pid();
    let killed = rustix::process::Pid::from_raw(i32::try_from(daemon).unwrap()).unwrap();
    rustix::process::kill_process(killed, rustix::process::Signal::KILL).unwrap();
    call.wait().unwrap();
    editor.await_restart(daemon);
    assert!(is_old(&user));
    let open = user.status()["recovered"].to_string();
    assert!(open.contains("a.py may have the change in fake 1, unsaved"), "{open}");
    // The user undoes it there.
    editor.rewrite(&file, 4, TYPED);
    let closed = (0..200).any(|_| {
        editor.settle();
        user.status()["recovered"] == json!([])
    });
    assert!(closed, "{}", user.status()["recovered"]);
}

#[test]
fn an_edit_whose_document_is_closed_meanwhile_is_not_made() {
    for is_made in [false, true] {
        let (user, mut editor, file) = typed();
        let call = rename(&user);
        let request = editor.await_request("workspace/applyEdit");
        if is_made {
            editor.rewrite(&file, 3, RENAMED);
        }
        editor.close(&file);
        editor.reply(&request, json!({ "applied": true }));
        let told = failed(call);
        assert!(told.contains("a.py") && told.contains("nothing was written"), "{told}");
        assert!(is_old(&user), "{told}");
        let body = user.check(&["call", "read_file", r#"{"relative_path": "a.py"}"#], 0);
        assert!(body.contains("def saved") && !body.contains("[unsaved"), "{body}");
        assert_eq!(user.status()["recovered"], json!([]));
    }
}
