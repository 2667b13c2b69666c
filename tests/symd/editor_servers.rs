//! What `symd lsp` answers where one of symd's own servers knows: the real ty and the real TypeScript server. And what
//! it publishes to an editor that does not ask for diagnostics.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::editor_navigation::{at, editor, places};
use crate::fake_editor::{FakeEditor, uri};
use crate::real_servers::Real;
use crate::support::User;

const SHAPES: &str = "\
class Shape:
    def area(self) -> int:
        return 0


class Square(Shape):
    def area(self) -> int:
        return 1


def total(one: Shape) -> int:
    return one.area() + \"x\"
";
const USE: &str = "from shapes import total\n\nwrong: str = total(None)\n";

fn python() -> Option<Real> {
    let real = Real::new(&[("python", "ty")])?;
    real.write("shapes.py", SHAPES);
    real.write("use.py", USE);
    // Answers to editors do not wait for a server that is starting; diagnostics do.
    real.ask("hover", json!({ "relative_path": "shapes.py", "line": 11, "name": "one" }));
    Some(real)
}

/// Starts an editor whose package names Python, with these capabilities, and opens the file.
fn opened(user: &User, file: &str, text: &str, capabilities: Value) -> FakeEditor {
    let (mut editor, _) = editor(user, &["python"], capabilities);
    editor.open(&uri(user, &format!("project/{file}")), 1, text);
    editor
}

/// Returns `line:severity source` of each diagnostic in a list.
fn told(list: &Value) -> Vec<String> {
    let list = list.as_array().unwrap();
    let one = |one: &Value| {
        assert!(!one["message"].as_str().unwrap().is_empty(), "{one}");
        let (line, severity) = (&one["range"]["start"]["line"], &one["severity"]);
        format!("{line}:{severity} {}", one["source"].as_str().unwrap())
    };
    list.iter().map(one).collect()
}

/// Returns what is published next of a document.
fn published(editor: &mut FakeEditor, uri: &str) -> Value {
    let is_meant = |message: &Value| {
        message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == uri
    };
    editor.await_message(is_meant)["params"].take()
}

#[test]
fn diagnostics_are_those_of_the_text_in_the_editor() {
    let Some(real) = python() else { return };
    let pulls = json!({ "textDocument": { "diagnostic": {} } });
    let mut editor = opened(&real.user, "shapes.py", SHAPES, pulls);
    let file = uri(&real.user, "project/shapes.py");
    let ask = |editor: &mut FakeEditor| {
        editor.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": file } }))["result"].take()
    };
    let report = ask(&mut editor);
    assert_eq!(report["kind"], "full", "{report}");
    assert_eq!(told(&report["items"]), ["11:1 ty"], "{report}");
    let range = &report["items"][0]["range"];
    assert_eq!((&range["start"]["character"], &range["end"]["line"]), (&json!(11), &json!(11)), "{report}");
    // Mended in the editor, and not saved.
    editor.change(&file, 2, [11, 24, 11, 27], "1");
    assert_eq!(ask(&mut editor)["items"], json!([]));
    let other = uri(&real.user, "project/use.py");
    editor.open(&other, 1, USE);
    let report = editor.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": other } }));
    assert_eq!(told(&report["result"]["items"]), ["2:1 ty", "2:1 ty"], "{report}");
    let was_told = |message: &Value| message["method"] == "textDocument/publishDiagnostics";
    assert!(!editor.heard.iter().any(was_told), "{:?}", editor.heard);
}

#[test]
fn an_editor_that_does_not_ask_is_told_and_told_when_nothing_is_left() {
    let Some(real) = python() else { return };
    let mut editor = opened(&real.user, "shapes.py", SHAPES, json!({}));
    let file = uri(&real.user, "project/shapes.py");
    let shown = published(&mut editor, &file);
    assert_eq!(shown["version"], 1, "{shown}");
    assert_eq!(told(&shown["diagnostics"]), ["11:1 ty"], "{shown}");
    editor.change(&file, 2, [11, 24, 11, 27], "1");
    assert_eq!(published(&mut editor, &file), json!({ "uri": file, "diagnostics": [] }));

    // A file that is wrong because of another one: it is asked about again when that one is saved.
    let other = uri(&real.user, "project/use.py");
    editor.open(&other, 1, USE);
    let shown = published(&mut editor, &other);
    assert_eq!(told(&shown["diagnostics"]).len(), 2, "{shown}");
    let changed = "def total(one: None) -> str:\n    return \"\"\n";
    editor.change(&file, 3, [10, 0, 12, 0], changed);
    real.write("shapes.py", &(SHAPES.split("def total").next().unwrap().to_owned() + changed));
    editor.save(&file);
    assert_eq!(published(&mut editor, &other), json!({ "uri": other, "diagnostics": [] }));

    // What is shown is taken back when the file is closed, and when another server has its language.
    editor.change(&other, 2, [2, 0, 2, 5], "wrang: int");
    let shown = published(&mut editor, &other);
    assert_eq!((&shown["version"], told(&shown["diagnostics"]).len()), (&json!(2), 1), "{shown}");
    editor.close(&other);
    assert_eq!(published(&mut editor, &other), json!({ "uri": other, "diagnostics": [] }));
    editor.open(&other, 1, "a: str = 1\n");
    assert_eq!(told(&published(&mut editor, &other)["diagnostics"]), ["0:1 ty"]);
    editor.tell("symd/didChangeNavigation", json!({ "languages": [] }));
    assert_eq!(published(&mut editor, &other), json!({ "uri": other, "diagnostics": [] }));
}

#[test]
fn all_documents_are_told_of_when_more_are_open_than_are_asked_about_at_once() {
    let Some(real) = python() else { return };
    let name = |number: usize| format!("many_{number}.py");
    for number in 0..20 {
        real.write(&name(number), "a: str = 1\n");
    }
    let (mut editor, _) = editor(&real.user, &["python"], json!({}));
    let file = |number: usize| uri(&real.user, &format!("project/{}", name(number)));
    for number in 0..20 {
        editor.open(&file(number), 1, "a: str = 1\n");
    }
    let mut left: BTreeSet<String> = (0..20).map(file).collect();
    while !left.is_empty() {
        let told = editor.await_message(|message| message["method"] == "textDocument/publishDiagnostics");
        assert_eq!(told["params"]["diagnostics"].as_array().unwrap().len(), 1, "{told}");
        left.remove(told["params"]["uri"].as_str().unwrap());
    }
}

#[test]
fn a_type_is_found_by_a_value_of_it() {
    let Some(real) = python() else { return };
    let mut editor = opened(&real.user, "shapes.py", SHAPES, json!({}));
    let of_value = editor.ask("textDocument/typeDefinition", at(&real.user, "shapes.py", 11, 12));
    assert_eq!(places(&of_value), ["shapes.py:0:6-11"], "{of_value}");
    let called = editor.ask("textDocument/definition", at(&real.user, "shapes.py", 11, 16));
    assert_eq!(places(&called), ["shapes.py:1:8-12"], "{called}");
}

#[test]
fn types_above_and_below_a_class_are_a_hierarchy() {
    let Some(real) = python() else { return };
    let mut editor = opened(&real.user, "shapes.py", SHAPES, json!({}));
    let mut related = |method: &str, line: u32, character: u32| -> Vec<String> {
        let place = at(&real.user, "shapes.py", line, character);
        let items = editor.ask("textDocument/prepareTypeHierarchy", place);
        let item = items["result"][0].clone();
        let answer = editor.ask(&format!("typeHierarchy/{method}"), json!({ "item": item }));
        let list = answer["result"].as_array().unwrap_or_else(|| panic!("{answer}")).clone();
        let named = |one: &Value| {
            let range = &one["selectionRange"]["start"];
            format!("{} {}:{}", one["name"].as_str().unwrap(), range["line"], range["character"])
        };
        list.iter().map(named).collect()
    };
    assert_eq!(related("subtypes", 0, 7), ["Square 5:6"]);
    assert_eq!(related("supertypes", 5, 7), ["Shape 0:6"]);
    // From a use of the class, too.
    assert_eq!(related("subtypes", 5, 14), ["Square 5:6"]);
    assert_eq!(related("subtypes", 5, 7), [""; 0]);
}

#[test]
fn implementations_of_an_interface_are_found() {
    let Some(real) = Real::new(&[("typescript", "tsc")]) else { return };
    let text = "export interface Shape {\n  area(): number;\n}\n\nclass Square implements Shape {\n  area() {\n    \
        return 1;\n  }\n}\n\nconst one: Shape = new Square();\none.area();\n";
    real.write("shapes.ts", text);
    real.write("tsconfig.json", "{}\n");
    real.ask("hover", json!({ "relative_path": "shapes.ts", "line": 11, "name": "one" }));
    let (mut editor, _) = editor(&real.user, &["typescript"], json!({}));
    let file = uri(&real.user, "project/shapes.ts");
    let item = json!({ "uri": file, "languageId": "typescript", "version": 1, "text": text });
    editor.tell("textDocument/didOpen", json!({ "textDocument": item }));
    let found = editor.ask("textDocument/implementation", at(&real.user, "shapes.ts", 11, 5));
    assert_eq!(places(&found), ["shapes.ts:5:2-6"], "{found}");
    let declared = editor.ask("textDocument/definition", at(&real.user, "shapes.ts", 11, 5));
    assert_eq!(places(&declared), ["shapes.ts:1:2-6"], "{declared}");
    let kind = editor.ask("textDocument/typeDefinition", at(&real.user, "shapes.ts", 11, 1));
    assert_eq!(places(&kind), ["shapes.ts:0:17-22"], "{kind}");
}

#[test]
fn files_that_the_editor_renames_are_followed_by_what_imports_them() {
    let Some(real) = python() else { return };
    real.write("inner/deep.py", "value = 1\n");
    real.write("inner/__init__.py", "");
    real.write("third.py", "from inner.deep import value\n");
    let (mut editor, capabilities) = editor(&real.user, &["python"], json!({}));
    let wanted = capabilities["workspace"]["fileOperations"].as_object().unwrap();
    assert!(wanted.contains_key("willRename") && wanted.contains_key("didRename"), "{wanted:?}");
    let other = uri(&real.user, "project/use.py");
    editor.open(&other, 7, USE);
    let follow = |editor: &mut FakeEditor, from: &str, to: &str| {
        let files = json!([{ "oldUri": uri(&real.user, from), "newUri": uri(&real.user, to) }]);
        editor.ask("workspace/willRenameFiles", json!({ "files": files }))["result"].take()
    };
    let edit = follow(&mut editor, "project/shapes.py", "project/forms.py");
    let changes = json!([{
        "textDocument": { "uri": other, "version": 7 },
        "edits": [{
            "range": { "start": { "line": 0, "character": 5 }, "end": { "line": 0, "character": 11 } },
            "newText": "forms",
        }],
    }]);
    assert_eq!(edit, json!({ "documentChanges": changes }));
    // A directory.
    let edit = follow(&mut editor, "project/inner", "project/outer");
    let changes = &edit["documentChanges"];
    assert_eq!(changes[0]["textDocument"]["uri"], uri(&real.user, "project/third.py"), "{edit}");
    assert!(changes[0]["edits"][0]["newText"].as_str().unwrap().contains("outer"), "{edit}");
    assert_eq!(changes.as_array().unwrap().len(), 1, "{edit}");

    // Another server of the editor has Python now.
    editor.tell("symd/didChangeNavigation", json!({ "languages": ["go"] }));
    assert_eq!(follow(&mut editor, "project/shapes.py", "project/forms.py")["documentChanges"], json!([]));
    editor.tell("symd/didChangeNavigation", json!({ "languages": [] }));
    assert_eq!(follow(&mut editor, "project/shapes.py", "project/forms.py"), Value::Null);
    // Without a package symd is not asked.
    let plain =
        FakeEditor::silent(&real.user).ask("initialize", json!({ "rootUri": uri(&real.user, "project") }));
    assert_eq!(plain["result"]["capabilities"]["workspace"]["fileOperations"].get("willRename"), None);
}

#[test]
fn what_symds_server_finds_stands_in_where_an_editor_reports_nothing() {
    let Some(real) = python() else { return };
    let mut editor = FakeEditor::new(&real.user);
    let file = uri(&real.user, "project/shapes.py");
    editor.open(&file, 1, SHAPES);
    editor.change(&file, 2, [0, 0, 0, 0], "# typed\n");
    let place = json!({ "line": 12, "character": 4 });
    let at = json!({
        "textDocument": { "uri": file }, "range": { "start": place, "end": place }, "context": { "diagnostics": [] },
    });
    editor.ask("textDocument/codeAction", at);
    editor.settle();
    let told = real.user.check(&["call", "editor_context", "{}"], 0);
    assert!(told.contains("shapes.py:13:5 in fake 1, not saved; inferred"), "{told}");
    let head =
        "\n1 diagnostic of this file from symd's servers, since fake 1 reports none\nshapes.py:13:12 error: ";
    assert!(told.contains(head) && told.contains("(ty)"), "{told}");
    let told = real.user.check(&["call", "--toolset", "kotlin_debug", "get_user_error_context", "{}"], 0);
    let told: Value = serde_json::from_str(&told).unwrap();
    let one = &told["data"]["diagnostics"][0];
    assert_eq!(
        (&one["line"], &one["column"], &one["source"]),
        (&json!(13), &json!(12), &json!("ty")),
        "{told}"
    );
}

#[test]
fn a_server_is_restarted_by_its_name() {
    let Some(real) = python() else { return };
    let pulls = json!({ "textDocument": { "diagnostic": {} } });
    let mut editor = opened(&real.user, "shapes.py", SHAPES, pulls);
    let starts = || {
        let status = real.user.status();
        let servers = status["servers"].as_array().unwrap();
        servers.iter().find(|server| server["name"] == "ty").unwrap()["starts"].as_u64().unwrap()
    };
    assert_eq!(starts(), 1);
    let restart = json!({ "command": "symd.restartServer", "arguments": [{ "server": "ty" }] });
    let answer = editor.ask("workspace/executeCommand", restart);
    assert_eq!(answer["result"]["done"], true, "{answer}");
    let shown = |message: &Value| message["method"] == "window/showMessage";
    assert!(editor.heard.iter().any(|message| shown(message) && message["params"]["message"] == "done"));
    // It answers again, from a process that is another one.
    let file = uri(&real.user, "project/shapes.py");
    let report = editor.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": file } }));
    assert!(!told(&report["result"]["items"]).is_empty(), "{report}");
    assert_eq!(starts(), 2);
}
