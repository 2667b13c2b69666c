//! Texts that an editor has not saved, in a real project: seen by every tool, sent to the language server, and
//! safe from edits.

use std::path::Path;

use serde_json::{Value, json};
use symd::base::RelPath;
use symd::ops::Project;
use symd::toolsets::Outcome;
use symd::vfs::TextOrigin;

use crate::opened::{Opening, call_native};
use crate::servers::real_server;
use crate::support::{PATIENCE, write};

const SAVED: &str = "def saved():\n    return 1\n\n\ndef caller():\n    return saved()\n";
const UNSAVED: &str = "def unsaved():\n    return 1\n\n\ndef caller():\n    return unsaved()\n";

fn path(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

struct Stage<'p>(&'p Project);

impl Stage<'_> {
    async fn call(&self, tool: &str, arguments: Value) -> (Outcome, String) {
        let answered = tokio::time::timeout(PATIENCE, call_native(self.0, tool, arguments));
        answered.await.expect("answered in time")
    }

    async fn done(&self, tool: &str, arguments: Value) -> String {
        let (outcome, text) = self.call(tool, arguments).await;
        assert_eq!(outcome, Outcome::Done, "{tool}: {text}");
        text
    }

    async fn refused(&self, tool: &str, arguments: Value) -> String {
        let (outcome, text) = self.call(tool, arguments).await;
        assert_eq!(outcome, Outcome::Failed, "{tool}: {text}");
        text
    }
}

/// Opens a project with a saved file, and a file that uses it.
fn play(toml: &str, installed: Option<&Path>, test: impl AsyncFnOnce(&Stage<'_>, &Path)) {
    let scratch = tempfile::tempdir().unwrap();
    let at = scratch.path().canonicalize().unwrap();
    std::fs::create_dir(at.join("project")).unwrap();
    write(&at.join("project/a.py"), SAVED);
    write(&at.join("project/b.py"), "import a\n\na.caller()\n");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut opening = Opening::new(&at, toml);
        if let Some(installed) = installed {
            opening.installed = installed.to_owned();
        }
        let project = opening.open(&at);
        test(&Stage(&project), &at).await;
        project.servers.shutdown().await;
        project.engine.shutdown().await;
    });
}

const NO_SERVER: &str = "[[language]]\nname = \"python\"\nlanguage-servers = []\n";

#[test]
fn every_tool_sees_the_unsaved_text() {
    play(NO_SERVER, None, async |stage, _| {
        stage.0.engine.set_unsaved(path("a.py"), 1, UNSAVED, TextOrigin::OfFile).await.unwrap();
        let found = stage.done("find_symbol", json!({ "name_path_pattern": "unsaved" })).await;
        assert!(found.contains("a.py") && found.ends_with("complete]"), "{found}");
        let uses = stage.done("find_referencing_symbols", json!({ "name_path": "unsaved" })).await;
        assert!(uses.contains("return unsaved()"), "{uses}");
        let text = stage.done("read_file", json!({ "relative_path": "a.py" })).await;
        assert!(text.contains("def unsaved():") && !text.contains("saved():\n    return saved"), "{text}");
        let hits = stage.done("search_for_pattern", json!({ "substring_pattern": "def \\w*saved" })).await;
        assert!(hits.contains("def unsaved") && !hits.contains("def saved"), "{hits}");
        stage.0.engine.remove_unsaved(path("a.py")).await.unwrap();
        let found = stage.done("find_symbol", json!({ "name_path_pattern": "saved" })).await;
        assert!(found.contains("a.py"), "{found}");
    });
}

#[test]
fn no_edit_changes_a_file_that_an_editor_has_not_saved() {
    const WHY: &str = "a.py has changes in an editor that are not saved; nothing was written; save the file there, or \
                       close it, then repeat the edit";
    play(NO_SERVER, None, async |stage, at| {
        let replace = |from: &str, to: &str| json!({ "relative_path": "a.py", "needle": from, "repl": to, "mode": "literal" });
        stage.done("replace_content", replace("return 1", "return 2")).await;
        let edited = SAVED.replace("return 1", "return 2");
        let on_disk = || std::fs::read_to_string(at.join("project/a.py")).unwrap();
        assert_eq!(on_disk(), edited);

        stage.0.engine.set_unsaved(path("a.py"), 1, UNSAVED, TextOrigin::OfFile).await.unwrap();
        let edits = [
            ("replace_content", replace("return 1", "return 3")),
            (
                "replace_symbol_body",
                json!({ "relative_path": "a.py", "name_path": "unsaved", "body": "def unsaved():\n    return 3" }),
            ),
            ("rename_symbol", json!({ "relative_path": "a.py", "name_path": "caller", "new_name": "user" })),
            ("undo", json!({})),
        ];
        for (tool, arguments) in edits {
            let why = stage.refused(tool, arguments).await;
            // What was undone is not what the editor shows.
            let expected = if tool == "undo" { "conflict: a.py changed; nothing was written" } else { WHY };
            assert!(why.contains(expected), "{tool}: {why}");
            assert_eq!(on_disk(), edited, "{tool}");
        }
        assert_eq!(std::fs::read_to_string(at.join("project/b.py")).unwrap(), "import a\n\na.caller()\n");

        stage.0.engine.remove_unsaved(path("a.py")).await.unwrap();
        stage.done("undo", json!({})).await;
        assert_eq!(on_disk(), SAVED);
    });
}

#[test]
fn a_language_server_is_sent_the_unsaved_text() {
    let Some(servers) = real_server("ty") else { return };
    play(
        "[[language]]\nname = \"python\"\nlanguage-servers = [\"ty\"]\n",
        Some(&servers),
        async |stage, _| {
            let hover = json!({ "relative_path": "a.py", "line": 6, "name": "saved" });
            let before = stage.done("hover", hover).await;
            assert!(before.contains("def saved()"), "{before}");
            stage.0.engine.set_unsaved(path("a.py"), 1, UNSAVED, TextOrigin::OfFile).await.unwrap();
            let hover = json!({ "relative_path": "a.py", "line": 6, "name": "unsaved" });
            let after = stage.done("hover", hover).await;
            assert!(after.contains("def unsaved()"), "{after}");
        },
    );
}
