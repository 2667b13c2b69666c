//! A project full of traps: files with which editors, version managers and language servers are made to run programs.
//! Before the project is trusted nothing of it runs, and nothing of it reaches a language server as a setting.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::fake_editor::{FakeEditor, uri};
use crate::lsp_stage::fake_ls;
use crate::support::{User, write};

/// The mark that every trap has in its text, and no other file.
const MARK: &str = "trap-7f3a";

/// Files whose text would be settings for a server, or a program for whatever reads it.
const SETTINGS: [&str; 19] = [
    ".vscode/settings.json",
    ".vscode/tasks.json",
    ".vscode/launch.json",
    "project.code-workspace",
    ".zed/settings.json",
    ".helix/languages.toml",
    ".helix/config.toml",
    ".nvim.lua",
    ".nvimrc",
    ".exrc",
    ".vim/coc-settings.json",
    ".dir-locals.el",
    ".dir-locals-2.el",
    ".envrc",
    ".tool-versions",
    ".mise.toml",
    ".lsp.json",
    ".idea/workspace.xml",
    "coc-settings.json",
];

/// Programs of the project with names that are looked up.
const PROGRAMS: [&str; 9] = [
    "spy",
    "bin/spy",
    "node_modules/.bin/spy",
    ".venv/bin/spy",
    ".venv/bin/python",
    "venv/bin/python",
    "python3",
    "git",
    ".git/hooks/fsmonitor",
];

fn place(user: &User, file: &str, text: &str) -> PathBuf {
    let path = user.path("project").join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    write(&path, text);
    path
}

fn set_traps(user: &User) {
    let sprung = user.path("sprung");
    for file in SETTINGS {
        let text = format!(
            "{{ \"spy.path\": \"{MARK}\", \"python.defaultInterpreterPath\": \"./python3\" }} touch {}\n",
            sprung.display()
        );
        place(user, file, &text);
    }
    for program in PROGRAMS {
        let text = format!("#!/bin/sh\n# {MARK}\necho {program} >> {}\n", sprung.display());
        let file = place(user, program, &text);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let git = format!("[core]\n\tfsmonitor = {}\n", user.path("project/.git/hooks/fsmonitor").display());
    place(user, ".git/config", &git);
    let own = format!(
        "[language-server.spy]\ncommand = \"./spy\"\nargs = [\"{MARK}\"]\nconfig = {{ path = \"{MARK}\" }}\n\
         environment = {{ TRAP = \"1\" }}\n"
    );
    place(user, ".symd/languages.toml", &own);
}

#[test]
fn nothing_of_an_untrusted_project_runs_or_reaches_a_server() {
    let user = User::new();
    let script = json!({
        "log": user.path("log"),
        "capabilities": { "hoverProvider": true, "definitionProvider": true },
        "on": { "textDocument/hover": [{ "answer": { "contents": "a word" } }] },
    });
    write(&user.path("script.json"), &script.to_string());
    let languages = format!(
        "[language-server.spy]\ncommand = {:?}\nargs = [{:?}]\nreadiness = {{ start-grace-ms = 0 }}\n\
         [[language]]\nname = \"python\"\nlanguage-servers = [\"spy\"]\n",
        fake_ls(),
        user.path("script.json")
    );
    write(&user.path("config/languages.toml"), &languages);
    write(&user.path("project/a.py"), "def word():\n    return 1\n");
    set_traps(&user);

    let file = uri(&user, "project/a.py");
    let mut editor = FakeEditor::silent(&user);
    let trap = json!({ "spy": { "path": MARK } });
    editor.ask(
        "initialize",
        json!({
            "clientInfo": { "name": "fake", "version": "1" }, "rootUri": uri(&user, "project"), "capabilities": {},
            "initializationOptions": { "settings": trap, "spy.path": MARK },
        }),
    );
    editor.tell("initialized", json!({}));
    // What an editor sends here is what it has read in the project's own settings.
    editor.tell("workspace/didChangeConfiguration", json!({ "settings": trap }));
    editor.open(&file, 1, "def word():\n    return 1\n");
    for trapped in SETTINGS.iter().take(3) {
        editor.open(&uri(&user, &format!("project/{trapped}")), 1, MARK);
    }
    editor.tell("workspace/didChangeConfiguration", json!({ "settings": trap }));
    editor.settle();
    let told = user.check(
        &["call", "hover", r#"{"relative_path": "a.py", "line": 1, "name": "word", "wait": "ready"}"#],
        0,
    );
    assert!(told.contains("a word"), "{told}");
    user.check(&["find", "word"], 0);

    let log = std::fs::read_to_string(user.path("log")).unwrap();
    assert!(log.contains("\"initialize\"") && log.contains("textDocument/didOpen"), "{log}");
    assert!(!log.contains(MARK), "{log}");
    let started: Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    let environment = std::fs::read(format!("/proc/{}/environ", started["started"])).unwrap();
    assert!(!String::from_utf8_lossy(&environment).contains("TRAP="));
    assert!(!user.path("sprung").exists(), "{:?}", std::fs::read_to_string(user.path("sprung")));
}
