//! `symd lsp` over the packages beneath VS Code's language client (vscode-jsonrpc, vscode-languageserver-protocol), against
//! the real daemon; with the extension's modules that need no window. `editors/vscode/try.sh` drives the packaged
//! extension in code-server.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::servers::{real_program, unrun};
use crate::support::{User, write};

#[test]
fn the_packages_beneath_vs_codes_client_and_symd_understand_each_other() {
    if !real_program("node") {
        return;
    }
    let extension = Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/vscode");
    if !extension.join("node_modules/vscode-languageserver-protocol").is_dir() {
        return unrun("the packages of editors/vscode are not installed: `npm ci` there");
    }
    let user = User::new();
    write(&user.path("config/languages.toml"), "[[language]]\nname = \"python\"\nlanguage-servers = []\n");
    write(&user.path("project/a.py"), "def saved():\n    return 1\n");
    let ran = user
        .dressed(Command::new("node"))
        .arg(extension.join("test/protocol.mjs"))
        .env("SYMD", env!("CARGO_BIN_EXE_symd"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let (report, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    let expected = [
        r#"terminal: ["$ make","100%","done"]"#,
        "tail: 50 lines from line 4950",
        "no terminal: true",
        "running: $ serve, listening, GET /",
        "last terminal: $ make, built",
        "server: symd",
        r#"sync: {"change":2,"openClose":true,"save":{"includeText":false}}"#,
        "static: callHierarchyProvider declarationProvider diagnosticProvider executeCommandProvider \
         implementationProvider typeDefinitionProvider typeHierarchyProvider workspaceSymbolProvider",
        "registered: definition references hover documentSymbol rename",
        r#"selector: [{"language":"python","scheme":"file"}]"#,
        "seen: true",
        "edited: true",
        "unsaved: def saved():\n    return 1\n",
        "undone: true",
        "file before save: true",
        "saved: true",
        r#"definition: {"start":{"line":0,"character":4},"end":{"line":0,"character":9}}"#,
        "rename: [[5,1]]",
        "context: a.py:2:5 in vscode packages 1, not saved",
        "exit: 0",
    ];
    assert_eq!(report, format!("{}\n", expected.join("\n")), "{errors}");
}
