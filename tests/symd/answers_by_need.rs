//! The first answer of a daemon that has read nothing yet, about uses, callers, types and definitions, is the one that it
//! gives when it has read everything.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::fake_editor::{FakeEditor, uri};
use crate::support::{User, write};

/// Files that have nothing to do with what is asked.
const OTHERS: usize = 400;

fn project() -> User {
    let user = User::new();
    // No server of this machine must be found: a question that may ask one waits for every file.
    let languages = ["python", "kotlin", "typescript"]
        .map(|name| format!("[[language]]\nname = \"{name}\"\nlanguage-servers = []\n"));
    write(&user.path("config/languages.toml"), &languages.join("\n"));
    let file = |path: &str, text: &str| {
        let path = user.path(&format!("project/{path}"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        write(&path, text);
    };
    for number in 0..OTHERS {
        let mut text = format!("import os\nfrom .m{} import *\n\n\nclass Model{number}:\n", number / 2);
        for member in 0..30 {
            let _ =
                writeln!(text, "    def field_{member}(self, value):\n        return self.other(value)\n");
        }
        file(&format!("app/d{}/m{number}.py", number / 40), &text);
    }
    file("app/__init__.py", "from .core import *\n");
    file("app/core.py", "from .deep.base import Base\n\n\nclass Service(Base):\n    pass\n");
    file("app/deep/__init__.py", "");
    file("app/d3/lonely.py", "def lonely():\n    return 1\n");
    file(
        "app/deep/base.py",
        "class Base:\n    def __init__(self):\n        pass\n\n    def validate(self, value):\n        return check(value)\n\n    \
         def spare(self):\n        pass\n\n\ndef check(value):\n    return value\n",
    );
    file(
        "app/d1/uses.py",
        "from app import Service\nfrom app.deep.base import check as look\n\n\nclass Special(Service):\n    \
         def go(self):\n        self.validate(1)\n        return look(2)\n\n\ndef start(service: Service):\n    \
         service.validate(3)\n    Special().validate(4)\n",
    );
    file(
        "app/d3/heir.py",
        "from app.d1.uses import Special as Kind\n\n\nclass Heir(Kind):\n    def spare(self):\n        return super().spare()\n",
    );
    let wide = "from app.deep.base import check\ncheck(5)\n".encode_utf16();
    let wide: Vec<u8> = std::iter::once(0xFEFF).chain(wide).flat_map(u16::to_le_bytes).collect();
    std::fs::write(user.path("project/app/d2/wide.py"), wide).unwrap();
    file(
        "k/Clock.kt",
        "package k\nclass Clock { companion object { fun now() = 1 }\n    fun unused() = 2\n}\nfun `at noon`() = Clock.now()\n",
    );
    file(
        "k/b/Use.kt",
        "package k.b\nimport k.Clock\nimport k.`at noon`\nval x = Clock.now() + `at noon`()\n",
    );
    file("t/a.ts", "export function walk() { return 1; }\n");
    file("t/b.ts", "export { walk as run } from './a';\nexport * from './a';\n");
    file("t/c.ts", "import { run } from './b';\nimport { walk } from './b';\nrun() + walk();\n");
    user
}

const QUESTIONS: [&[&str]; 30] = [
    &["refs", "check"],
    &["refs", "Base/validate"],
    &["refs", "Service"],
    &["refs", "Companion/now"],
    &["refs", "at noon"],
    &["refs", "walk"],
    &["callers", "check", "--depth", "3"],
    &["callers", "Base/validate", "--depth", "2"],
    &["callees", "start"],
    &["callees", "Special/go", "--depth", "2"],
    &["def", "app/d1/uses.py:12", "validate"],
    &["def", "k/b/Use.kt:4", "now"],
    &["hover", "app/d1/uses.py:8", "look"],
    &["call", "type_hierarchy", "{\"name_path\": \"Base\", \"direction\": \"subtypes\", \"depth\": 3}"],
    &["call", "explore", "{\"name_path\": \"check\"}"],
    &["call", "explore", "{\"name_path\": \"Base/validate\"}"],
    &["call", "impact", "{\"name_path\": \"check\"}"],
    &["call", "impact", "{\"name_path\": \"Base/validate\", \"change\": \"removal\"}"],
    &["call", "find_implementations", "{\"name_path\": \"Base\"}"],
    &["call", "find_implementations", "{\"name_path\": \"Base/validate\"}"],
    &["call", "rename_symbol", "{\"name_path\": \"check\", \"new_name\": \"weigh\", \"dry_run\": true}"],
    &[
        "call",
        "rename_symbol",
        "{\"name_path\": \"Base/validate\", \"new_name\": \"weigh\", \"dry_run\": true}",
    ],
    &["call", "rename_symbol", "{\"name_path\": \"at noon\", \"new_name\": \"late\", \"dry_run\": true}"],
    &["call", "rename_symbol", "{\"name_path\": \"walk\", \"new_name\": \"go\", \"dry_run\": true}"],
    &["call", "safe_delete", "{\"name_path\": \"lonely\", \"dry_run\": true}"],
    &["call", "safe_delete", "{\"name_path\": \"Clock/unused\", \"dry_run\": true}"],
    &["call", "safe_delete", "{\"name_path\": \"Base/spare\", \"dry_run\": true}"],
    &["call", "rename_symbol", "{\"name_path\": \"Base/spare\", \"new_name\": \"rest\", \"dry_run\": true}"],
    &["call", "type_hierarchy", "{\"name_path\": \"Special\", \"direction\": \"supertypes\", \"depth\": 3}"],
    &["refs", "Base/__init__"],
];

/// Returns what is answered, or why an edit is refused.
fn said(user: &User, question: &[&str]) -> String {
    let output = user.run(question);
    let answer = String::from_utf8(output.stdout).unwrap();
    let is_answered = output.status.success() || matches!(question[1], "rename_symbol" | "safe_delete");
    assert!(is_answered, "{question:?}: {answer}{}", String::from_utf8_lossy(&output.stderr));
    answer
}

#[test]
fn a_daemon_that_has_read_nothing_answers_as_one_that_has_read_everything() {
    let user = project();
    let answers: Vec<String> = QUESTIONS
        .into_iter()
        .map(|question| {
            user.run(&["stop"]);
            let _ = std::fs::remove_dir_all(user.path("cache"));
            said(&user, question)
        })
        .collect();
    // Needs every file.
    user.check(QUESTIONS[13], 0);
    assert_eq!(user.status()["ready"], true);
    for (question, first) in QUESTIONS.into_iter().zip(answers) {
        assert_eq!(first, said(&user, question), "{question:?}");
        assert!(!first.contains("0 references") && !first.contains("no symbol"), "{question:?}: {first}");
    }
}

/// What editors ask about a place: the method, the file, the line and the column, 0-based.
const PLACES: [(&str, &str, u32, u32); 7] = [
    ("textDocument/definition", "app/d1/uses.py", 11, 13),
    ("textDocument/references", "app/deep/base.py", 11, 5),
    ("textDocument/references", "app/deep/base.py", 4, 9),
    ("textDocument/hover", "app/d1/uses.py", 7, 16),
    ("textDocument/definition", "k/b/Use.kt", 3, 15),
    ("textDocument/references", "t/a.ts", 0, 17),
    ("textDocument/documentSymbol", "app/core.py", 0, 0),
];

#[test]
fn an_editor_is_answered_as_if_everything_had_been_read() {
    let user = project();
    let ask = |editor: &mut FakeEditor, (method, file, line, character): (&str, &str, u32, u32)| {
        let document = json!({ "uri": uri(&user, &format!("project/{file}")) });
        let text = std::fs::read_to_string(user.path(&format!("project/{file}"))).unwrap();
        let language = match file.rsplit('.').next() {
            Some("kt") => "kotlin",
            Some("ts") => "typescript",
            _ => "python",
        };
        let mut opened = document.clone();
        opened["languageId"] = json!(language);
        opened["version"] = json!(1);
        opened["text"] = json!(text);
        editor.tell("textDocument/didOpen", json!({ "textDocument": opened }));
        let position = json!({ "line": line, "character": character });
        let context = json!({ "includeDeclaration": true });
        let answer =
            editor.ask(method, json!({ "textDocument": document, "position": position, "context": context }));
        let result = &answer["result"];
        let is_empty = result.is_null() || result.as_array().is_some_and(Vec::is_empty);
        assert!(!is_empty, "{method} in {file}: {answer}");
        editor.tell("textDocument/didClose", json!({ "textDocument": document }));
        result.clone()
    };
    let start = || {
        let mut editor = FakeEditor::silent(&user);
        let languages = ["python", "kotlin", "typescript"];
        editor.ask(
            "initialize",
            json!({
                "clientInfo": { "name": "fake", "version": "1" }, "rootUri": uri(&user, "project"),
                "capabilities": {}, "initializationOptions": { "symd": { "navigation": languages } },
            }),
        );
        editor.tell("initialized", json!({}));
        editor
    };
    let firsts: Vec<Value> = PLACES
        .into_iter()
        .map(|place| {
            user.run(&["stop"]);
            let _ = std::fs::remove_dir_all(user.path("cache"));
            ask(&mut start(), place)
        })
        .collect();
    // Needs every file.
    user.check(QUESTIONS[13], 0);
    assert_eq!(user.status()["ready"], true);
    let mut editor = start();
    for (place, first) in PLACES.into_iter().zip(firsts) {
        assert_eq!(first, ask(&mut editor, place), "{place:?}");
    }
}
