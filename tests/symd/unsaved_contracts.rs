//! Every contract shows the text of an unsaved buffer, without a mark: their texts are fixed byte by byte.

use serde_json::{Value, json};

use crate::fake_editor::{FakeEditor, uri};
use crate::support::{User, write};

const SAVED: &str = "def saved():\n    return 1\n\n\nsaved()\n";
const TYPED: &str = "def typed():\n    return 1\n\n\ntyped()\n";

#[test]
fn every_contract_shows_the_unsaved_text_without_a_mark() {
    let user = User::new();
    write(&user.path("config/languages.toml"), "[[language]]\nname = \"python\"\nlanguage-servers = []\n");
    write(&user.path("project/a.py"), SAVED);
    let file = uri(&user, "project/a.py");
    let mut editor = FakeEditor::new(&user);
    editor.open(&file, 1, SAVED);
    editor.rewrite(&file, 2, TYPED);
    editor.settle();
    let absolute = user.path("project/a.py");
    let asked: [(&str, &str, Value); 13] = [
        ("serena", "read_file", json!({ "relative_path": "a.py" })),
        ("serena", "find_symbol", json!({ "name_path_pattern": "typed", "include_body": true })),
        ("serena", "get_symbols_overview", json!({ "relative_path": "a.py" })),
        ("serena", "find_referencing_symbols", json!({ "name_path": "typed", "relative_path": "a.py" })),
        ("serena", "search_for_pattern", json!({ "substring_pattern": "\\w+\\(\\)" })),
        ("gemini_cli", "read_file", json!({ "absolute_path": absolute })),
        ("gemini_cli", "search_file_content", json!({ "pattern": "\\w+\\(\\)" })),
        ("cli_agent", "read_file", json!({ "path": "a.py" })),
        ("cli_agent", "grep_search", json!({ "pattern": "d()" })),
        ("tool_router", "read_file", json!({ "path": "a.py" })),
        ("kotlin_debug", "read_file", json!({ "filePath": "a.py", "lineStart": 1, "lineEnd": 5 })),
        ("kotlin_debug", "get_code_context", json!({ "filePath": "a.py", "line": 2 })),
        ("kotlin_debug", "find_callers_of_function", json!({ "functionName": "typed", "filePath": "a.py" })),
    ];
    for (toolset, tool, arguments) in asked {
        let told = user.check(&["call", "--toolset", toolset, tool, &arguments.to_string()], 0);
        assert!(told.contains("typed"), "{toolset} {tool}: {told}");
        assert!(!told.contains("saved"), "neither the file's text nor a mark; {toolset} {tool}: {told}");
    }
    let exact = user.check(&["call", "--toolset", "serena", "read_file", r#"{"relative_path": "a.py"}"#], 0);
    assert_eq!(exact, TYPED);
    // Its answer is the files that match.
    let grep = |pattern: &str| {
        let arguments = json!({ "pattern": pattern }).to_string();
        user.check(&["call", "--toolset", "tool_router", "grep_files", &arguments], 0)
    };
    assert!(grep("typed").contains("a.py"), "{}", grep("typed"));
    assert!(!grep("saved").contains("a.py"), "{}", grep("saved"));
    let native = user.check(&["call", "read_file", r#"{"relative_path": "a.py"}"#], 0);
    assert!(native.contains("[unsaved: a.py in fake 1]"), "{native}");
}
