//! What `symd lsp` answers about code: for the languages that the editor's package names, and for no other.

use serde_json::{Value, json};

use crate::fake_editor::{FakeEditor, uri};
use crate::lsp_stage::{fifo, install_fake};
use crate::support::{User, write};

const SHOP: &str =
    "# é𝒳\nclass Cart:\n    def total(self):\n        return tax(1)\n\n\ndef tax(price):\n    return price\n";
const USER: &str = "from shop import Cart, tax\n\nprint(\"𝒳\", tax(2), Cart().total())\n";

fn user() -> User {
    let user = User::new();
    write(&user.path("config/languages.toml"), "[[language]]\nname = \"python\"\nlanguage-servers = []\n");
    write(&user.path("project/shop.py"), SHOP);
    write(&user.path("project/user.py"), USER);
    user
}

/// Starts an editor whose package names these languages, with these members added to the capabilities.
pub fn editor(user: &User, languages: &[&str], capabilities: Value) -> (FakeEditor, Value) {
    let mut editor = FakeEditor::silent(user);
    let answer = editor.ask(
        "initialize",
        json!({
            "clientInfo": { "name": "fake", "version": "1" }, "rootUri": uri(user, "project"),
            "capabilities": capabilities, "initializationOptions": { "symd": { "navigation": languages } },
        }),
    );
    editor.tell("initialized", json!({}));
    (editor, answer["result"]["capabilities"].clone())
}

fn opened(user: &User, languages: &[&str]) -> FakeEditor {
    let (mut editor, _) = editor(user, languages, json!({}));
    editor.open(&uri(user, "project/shop.py"), 1, SHOP);
    editor.open(&uri(user, "project/user.py"), 1, USER);
    editor
}

pub fn at(user: &User, file: &str, line: u32, character: u32) -> Value {
    json!({
        "textDocument": { "uri": uri(user, &format!("project/{file}")) },
        "position": { "line": line, "character": character },
    })
}

/// Returns the places of an answer as `file:line:from-to`, 0-based.
#[track_caller]
pub fn places(answer: &Value) -> Vec<String> {
    let list = answer["result"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let place = |one: &Value| {
        let file = one["uri"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        let (start, end) = (&one["range"]["start"], &one["range"]["end"]);
        format!("{file}:{}:{}-{}", start["line"], start["character"], end["character"])
    };
    list.iter().map(place).collect()
}

#[test]
fn places_and_texts_are_those_that_the_editor_counts() {
    let user = user();
    let mut editor = opened(&user, &["python"]);
    // `tax` behind a character of two UTF-16 units.
    let definition = editor.ask("textDocument/definition", at(&user, "user.py", 2, 12));
    assert_eq!(places(&definition), ["shop.py:6:4-7"], "{definition}");
    let mut asked = at(&user, "shop.py", 6, 5);
    asked["context"] = json!({ "includeDeclaration": true });
    let all = editor.ask("textDocument/references", asked.clone());
    assert_eq!(
        places(&all),
        ["shop.py:3:15-18", "shop.py:6:4-7", "user.py:0:23-26", "user.py:2:12-15"],
        "{all}"
    );
    asked["context"] = json!({ "includeDeclaration": false });
    let uses = editor.ask("textDocument/references", asked);
    assert_eq!(places(&uses), ["shop.py:3:15-18", "user.py:0:23-26", "user.py:2:12-15"]);
    let hover = editor.ask("textDocument/hover", at(&user, "user.py", 2, 12));
    let text = hover["result"]["contents"]["value"].as_str().unwrap();
    assert!(text.contains("def tax(price)") && text.starts_with("```python"), "{hover}");
    assert_eq!(editor.ask("textDocument/hover", at(&user, "shop.py", 4, 0))["result"], Value::Null);
    let nowhere = editor.ask("textDocument/definition", at(&user, "shop.py", 90, 0));
    assert_eq!(nowhere["result"], json!([]));

    // What is typed counts, before it is saved.
    editor.change(&uri(&user, "project/shop.py"), 2, [0, 0, 0, 0], "\n\n");
    let moved = editor.ask("textDocument/definition", at(&user, "user.py", 2, 12));
    assert_eq!(places(&moved), ["shop.py:8:4-7"], "{moved}");
}

#[test]
fn places_are_those_of_a_ready_server_however_late_it_answers() {
    let user = User::new();
    let text = "class One:\n    def run(self):\n        pass\n\n\nclass Two:\n    def run(self):\n        pass\n\n\ndef f(x):\n    x.run()\n";
    write(&user.path("project/a.py"), text);
    write(&user.path("config/config.toml"), "server_answer_ms = 1\n");
    let asked = fifo(&user.path("asked"));
    let range = json!({ "start": { "line": 1, "character": 8 }, "end": { "line": 1, "character": 11 } });
    let answer = json!({ "answer": [{ "uri": "{uri}", "range": range }] });
    install_fake(
        &user,
        &json!({
            "capabilities": { "referencesProvider": true, "hoverProvider": true },
            "on": {
                // A server that may lack a use, or may still be indexing, is asked again.
                "textDocument/references": [[{ "wait_for": asked }, answer], [answer]],
                "textDocument/hover": [[{ "answer": { "contents": "a method" } }], [{ "hang": true }]],
            },
        }),
    );
    let (mut editor, _) = editor(&user, &["python"], json!({}));
    editor.open(&uri(&user, "project/a.py"), 1, text);
    let ready = json!({ "relative_path": "a.py", "line": 2, "name": "run", "wait": "ready" });
    let said = user.symd().args(["call", "hover", &ready.to_string()]).output().unwrap();
    assert!(String::from_utf8_lossy(&said.stdout).contains("a method"), "{said:?}");

    let mut params = at(&user, "a.py", 1, 9);
    params["context"] = json!({ "includeDeclaration": true });
    editor.send(
        &json!({ "jsonrpc": "2.0", "id": "late", "method": "textDocument/references", "params": params }),
    );
    // The server never answers a second hover: for what is no place, syntax answers instead.
    let hover = editor.ask("textDocument/hover", at(&user, "a.py", 10, 4));
    assert!(hover["result"]["contents"]["value"].as_str().unwrap().contains("def f(x)"), "{hover}");
    drop(std::fs::OpenOptions::new().write(true).open(&asked).unwrap());
    let answer = editor.await_message(|message| message["id"] == "late");
    // Not `x.run()`, of which syntax cannot tell that it is another class's.
    assert_eq!(places(&answer), ["a.py:1:8-11"], "{answer}");
}

#[test]
fn symbols_and_hierarchies_are_trees() {
    let user = user();
    let mut editor = opened(&user, &["python"]);
    let shop = json!({ "textDocument": { "uri": uri(&user, "project/shop.py") } });
    let symbols = editor.ask("textDocument/documentSymbol", shop);
    let cart = &symbols["result"][0];
    assert_eq!((&cart["name"], &cart["kind"]), (&json!("Cart"), &json!(5)), "{symbols}");
    assert_eq!(cart["children"][0]["name"], "total");
    let selection = json!({ "start": { "line": 1, "character": 6 }, "end": { "line": 1, "character": 10 } });
    assert_eq!(cart["selectionRange"], selection);
    assert_eq!(symbols["result"][1]["name"], "tax");
    let found = editor.ask("workspace/symbol", json!({ "query": "tota" }));
    assert_eq!(
        (&found["result"][0]["name"], found["result"].as_array().unwrap().len()),
        (&json!("total"), 1)
    );
    assert_eq!(found["result"][0]["containerName"], "Cart");

    let items = editor.ask("textDocument/prepareCallHierarchy", at(&user, "user.py", 2, 12));
    let item = items["result"][0].clone();
    assert_eq!(item["name"], "tax", "{items}");
    let calls = editor.ask("callHierarchy/incomingCalls", json!({ "item": item }));
    let from: Vec<&str> = calls["result"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| call["from"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(from, ["total", "user"], "{calls}");
    assert_eq!(calls["result"][0]["fromRanges"][0]["start"], json!({ "line": 3, "character": 15 }));
    assert_eq!(calls["result"][1]["fromRanges"][0]["start"], json!({ "line": 2, "character": 12 }));
    let total = calls["result"][0]["from"].clone();
    let calls = editor.ask("callHierarchy/outgoingCalls", json!({ "item": total }));
    assert_eq!(calls["result"][0]["to"]["name"], "tax", "{calls}");
    assert_eq!(calls["result"][0]["fromRanges"][0]["start"], json!({ "line": 3, "character": 15 }));
}

#[test]
fn a_rename_is_an_edit_of_the_texts_that_it_was_asked_about() {
    let user = user();
    let mut editor = opened(&user, &["python"]);
    let file = uri(&user, "project/shop.py");
    let prepared = editor.ask("textDocument/prepareRename", at(&user, "shop.py", 6, 5));
    assert_eq!(prepared["result"]["start"], json!({ "line": 6, "character": 4 }), "{prepared}");
    let mut asked = at(&user, "user.py", 2, 12);
    asked["newName"] = json!("levy");
    let renamed = editor.ask("textDocument/rename", asked.clone());
    let changes = renamed["result"]["documentChanges"].as_array().unwrap();
    assert_eq!(changes[0]["textDocument"], json!({ "uri": file, "version": 1 }), "{renamed}");
    assert_eq!(changes[0]["edits"].as_array().unwrap().len(), 2);
    let range = json!({ "start": { "line": 2, "character": 12 }, "end": { "line": 2, "character": 15 } });
    assert_eq!(changes[1]["edits"][1], json!({ "range": range, "newText": "levy" }), "{renamed}");
    assert_eq!(std::fs::read_to_string(user.path("project/shop.py")).unwrap(), SHOP, "the editor makes it");
    asked["newName"] = json!("Cart");
    let refused = editor.ask("textDocument/rename", asked.clone());
    assert!(refused["error"]["message"].as_str().unwrap().contains("is taken"), "{refused}");
    asked["newName"] = json!("a b");
    assert!(editor.ask("textDocument/rename", asked)["error"]["message"].is_string());
}

#[test]
fn of_languages_that_another_server_has_nothing_is_said() {
    let user = user();
    write(&user.path("project/a.kt"), "fun taxed() = 1\n");
    let mut editor = opened(&user, &["kotlin"]);
    let kotlin = uri(&user, "project/a.kt");
    let item = json!({ "uri": kotlin, "languageId": "kotlin", "version": 1, "text": "fun taxed() = 1\n" });
    editor.tell("textDocument/didOpen", json!({ "textDocument": item }));
    for (method, nothing) in [
        ("textDocument/definition", json!([])),
        ("textDocument/references", json!([])),
        ("textDocument/hover", Value::Null),
        ("textDocument/documentSymbol", json!([])),
        ("textDocument/rename", Value::Null),
        ("textDocument/diagnostic", json!({ "kind": "full", "items": [] })),
    ] {
        let answer = editor.ask(method, at(&user, "user.py", 2, 12));
        assert_eq!(answer["result"], nothing, "{method}: {answer}");
    }
    let found = editor.ask("workspace/symbol", json!({ "query": "tax" }));
    assert_eq!(places(&json!({ "result": [found["result"][0]["location"]] })), ["a.kt:0:4-9"]);
    assert_eq!(found["result"].as_array().unwrap().len(), 1, "{found}");
    let definition = editor.ask("textDocument/definition", at(&user, "a.kt", 0, 5));
    assert_eq!(places(&definition), ["a.kt:0:4-9"]);

    // The other server has ended.
    editor.tell("symd/didChangeNavigation", json!({ "languages": ["python"] }));
    assert_eq!(
        places(&editor.ask("textDocument/definition", at(&user, "user.py", 2, 12))),
        ["shop.py:6:4-7"]
    );
    assert_eq!(editor.ask("textDocument/definition", at(&user, "a.kt", 0, 5))["result"], json!([]));
    let unnamed = FakeEditor::new(&user).ask("workspace/symbol", json!({ "query": "tax" }));
    assert_eq!(unnamed["result"], json!([]));
}

#[test]
fn what_symd_answers_is_registered_by_language_or_static_where_that_is_missing() {
    let user = user();
    let dynamic = json!({ "dynamicRegistration": true });
    let offered = json!({ "textDocument": { "definition": dynamic, "references": dynamic, "hover": {} } });
    let (mut editor, capabilities) = editor(&user, &["python"], offered.clone());
    assert_eq!(
        (&capabilities["hoverProvider"], capabilities.get("definitionProvider")),
        (&json!(true), None),
        "{capabilities}"
    );
    assert_eq!(capabilities["renameProvider"], json!({ "prepareProvider": true }));
    let methods = |request: &Value, list: &str| -> Vec<String> {
        let list = request["params"][list].as_array().unwrap();
        list.iter().map(|one| one["method"].as_str().unwrap().to_owned()).collect()
    };
    let request = editor.await_request("client/registerCapability");
    assert_eq!(methods(&request, "registrations"), ["textDocument/definition", "textDocument/references"]);
    let selector = json!([{ "scheme": "file", "language": "python" }]);
    assert_eq!(request["params"]["registrations"][0]["registerOptions"]["documentSelector"], selector);
    editor.reply(&request, Value::Null);
    editor.tell("symd/didChangeNavigation", json!({ "languages": ["go", "python", "go"] }));
    let request = editor.await_request("client/unregisterCapability");
    assert_eq!(methods(&request, "unregisterations"), ["textDocument/definition", "textDocument/references"]);
    editor.reply(&request, Value::Null);
    let request = editor.await_request("client/registerCapability");
    let selector = json!([
        { "scheme": "file", "language": "go" }, { "scheme": "file", "language": "python" }
    ]);
    assert_eq!(request["params"]["registrations"][0]["registerOptions"]["documentSelector"], selector);

    // Without a package nothing of this is offered.
    let mut plain = FakeEditor::silent(&user);
    let answer =
        plain.ask("initialize", json!({ "rootUri": uri(&user, "project"), "capabilities": offered }));
    assert_eq!(answer["result"]["capabilities"].get("hoverProvider"), None, "{answer}");
}

#[test]
fn symbols_of_all_projects_are_one_list() {
    let user = user();
    std::fs::create_dir_all(user.path("second/.git")).unwrap();
    write(&user.path("second/more.py"), "def taxed():\n    pass\n");
    let folder = |name: &str| json!({ "uri": uri(&user, name), "name": name });
    let mut editor = FakeEditor::silent(&user);
    let params = json!({
        "workspaceFolders": [folder("project"), folder("second")], "capabilities": {},
        "initializationOptions": { "symd": { "navigation": ["python"] } },
    });
    editor.ask("initialize", params);
    editor.tell("initialized", json!({}));
    let named = |answer: &Value| -> Vec<String> {
        let found = answer["result"].as_array().unwrap_or_else(|| panic!("{answer}"));
        let mut named: Vec<String> =
            found.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect();
        named.sort();
        named
    };
    assert_eq!(named(&editor.ask("workspace/symbol", json!({ "query": "tax" }))), ["tax", "taxed"]);
    assert_eq!(named(&editor.ask("workspace/symbol", json!({ "query": "taxed" }))), ["taxed"]);
    assert_eq!(named(&editor.ask("workspace/symbol", json!({ "query": "none of them" }))), [""; 0]);
    let event = json!({ "added": [], "removed": [folder("project")] });
    editor.tell("workspace/didChangeWorkspaceFolders", json!({ "event": event }));
    assert_eq!(named(&editor.ask("workspace/symbol", json!({ "query": "tax" }))), ["taxed"]);
}
