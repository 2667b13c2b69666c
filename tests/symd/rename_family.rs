//! Renames of members that override, are overridden, or may be: all linked members are renamed, or none.

use serde_json::{Value, json};

use crate::rename_stage::{Answers, Stage, play};
use crate::servers::real_server;

const BASE: &str = "from typing import TYPE_CHECKING, Any, Callable\n\n\nclass Base:\n    if TYPE_CHECKING:\n        step: Callable[[], Any]\n    else:\n\n        def step(self):\n            return 0\n\n    def run(self):\n        return self.step()\n";
const MIXIN: &str = "class Mixin:\n    def step(self):\n        return super().step()\n";
const KINDS: &str = "from pkg import base as b\nfrom pkg.base import Base as Renamed\nfrom pkg.mixin import Mixin\n\n\nclass One(Renamed):\n    def step(self):\n        return 1\n\n\nclass Two(Mixin, b.Base):\n    pass\n\n\nclass Three(Two):\n    def step(self):\n        return super().step() + 3\n\n\nclass Apart:\n    def step(self):\n        return 9\n";
const USE: &str = "from pkg.kinds import Apart, One, Three\n\n\ndef f(one: One, three: Three, apart: Apart):\n    return one.step() + three.step() + apart.step()\n\n\nassert f(One(), Three(), Apart()) == 13\n";
const FILES: [(&str, &[u8]); 6] = [
    ("pyproject.toml", b"[project]\nname = \"pkg\"\nversion = \"1\"\n"),
    ("pkg/__init__.py", b""),
    ("pkg/base.py", BASE.as_bytes()),
    ("pkg/mixin.py", MIXIN.as_bytes()),
    ("pkg/kinds.py", KINDS.as_bytes()),
    ("use.py", USE.as_bytes()),
];

fn wanted(name_path: &str, relative_path: &str) -> Value {
    json!({ "name_path": name_path, "relative_path": relative_path, "new_name": "advance" })
}

fn with(mut wanted: Value, key: &str, value: Value) -> Value {
    wanted[key] = value;
    wanted
}

fn renamed(text: &str) -> String {
    text.replace("step", "advance")
}

async fn renames_the_family(stage: &Stage) {
    let before = stage.tree();
    let kinds =
        renamed(KINDS).replace("class Apart:\n    def advance(self)", "class Apart:\n    def step(self)");
    let using = renamed(USE).replace("apart.advance", "apart.step");
    // All are renamed, whichever of them the call names.
    for (name_path, path) in
        [("Base/step", "pkg/base.py"), ("Mixin/step", "pkg/mixin.py"), ("Three/step", "pkg/kinds.py")]
    {
        let done = stage.done("rename_symbol", wanted(name_path, path)).await;
        assert!(
            done.contains(
                "note: 4 declarations are linked by overriding, or declare one entity, and are renamed together"
            ),
            "{done}"
        );
        for (path, text) in [
            ("pkg/base.py", renamed(BASE)),
            ("pkg/mixin.py", renamed(MIXIN)),
            ("pkg/kinds.py", kinds.clone()),
            ("use.py", using.clone()),
        ] {
            assert_eq!(stage.text(path), text, "{name_path}: {path}\n{done}");
        }
        stage.undo().await;
        assert!(stage.tree() == before);
    }
    let alone = stage.done("rename_symbol", wanted("Apart/step", "pkg/kinds.py")).await;
    assert!(!alone.contains("linked by overriding"), "{alone}");
    assert_eq!(stage.text("use.py"), USE.replace("apart.step", "apart.advance"));
    assert_eq!(stage.text("pkg/base.py"), BASE);
}

#[test]
fn ty_renames_all_that_is_linked_by_overriding() {
    let Some(servers) = real_server("ty") else { return };
    play(&FILES, Answers::Real(servers), renames_the_family);
}

#[test]
fn basedpyright_renames_all_that_is_linked_by_overriding() {
    let Some(servers) = real_server("basedpyright") else { return };
    play(&FILES, Answers::ForPython(servers, "basedpyright"), renames_the_family);
}

const OUTSIDE: &str = "import threading\n\nfrom library.client import Client\nfrom nowhere import Lost\n\n\nclass Worker(threading.Thread):\n    def run(self):\n        return self.work()\n\n    def work(self):\n        return 1\n\n\nclass Mine(Client):\n    def open(self):\n        return self.fresh()\n\n    def deep(self):\n        return 2\n\n    def fresh(self):\n        return 3\n\n\nclass Astray(Lost):\n    def found(self):\n        return 4\n";
const CLIENT: &str = "from library.base import Deep\n\n\nclass Client(Deep):\n    \"\"\"A client.\"\"\"\n\n    def open(self):\n        return 0\n";
const WITH_LIBRARY: [(&str, &[u8]); 6] = [
    (
        "pyproject.toml",
        b"[project]\nname = \"own\"\nversion = \"1\"\n[tool.basedpyright]\nvenvPath = \".\"\nvenv = \".venv\"\n",
    ),
    ("own.py", OUTSIDE.as_bytes()),
    (".venv/pyvenv.cfg", b"home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.0\n"),
    (".venv/lib/python3.11/site-packages/library/__init__.py", b""),
    (".venv/lib/python3.11/site-packages/library/client.py", CLIENT.as_bytes()),
    (
        ".venv/lib/python3.11/site-packages/library/base.py",
        b"class Deep:\n    def deep(self):\n        return 0\n",
    ),
];

async fn refuses_what_is_linked_to_a_library(stage: &Stage) {
    let own = |name_path: &str| wanted(name_path, "own.py");
    let refused = stage.refused("rename_symbol", own("Worker/run")).await;
    let why = "'run' of Worker is also declared by threading.Thread, which is outside the project and relies on this \
        name; nothing was written; force: true renames it nevertheless\n  own.py:7: class Worker(threading.Thread):";
    assert_eq!(refused, why);
    let reply = stage.serena("rename_symbol", own("Worker/run")).await;
    assert!(
        reply.text.starts_with("Error: 'run' of Worker is also declared by threading.Thread"),
        "{}",
        reply.text
    );
    // Members that only the server knows: of a library's class, and of that class's base classes.
    for (name_path, class) in [("Mine/open", "Client"), ("Mine/deep", "Deep")] {
        let refused = stage.refused("rename_symbol", own(name_path)).await;
        assert!(refused.contains(&format!(" of Mine is also declared by {class}, ")), "{refused}");
    }
    let refused = stage.refused("rename_symbol", own("Astray/found")).await;
    assert!(
        refused.starts_with(
            "it is not known whether nowhere.Lost, a base of Astray outside the project, declares 'found' too"
        ),
        "{refused}"
    );
    assert!(refused.contains("\n  own.py:26: class Astray(Lost):"), "{refused}");
    for name_path in ["Worker/work", "Mine/fresh"] {
        stage.done("rename_symbol", own(name_path)).await;
        stage.undo().await;
    }
    let forced = stage.done("rename_symbol", with(own("Worker/run"), "force", json!(true))).await;
    assert!(forced.contains("note: 'run' of Worker is also declared by threading.Thread"), "{forced}");
    assert!(
        forced.contains("incomplete: the rename is forced") && !forced.contains("; complete]"),
        "{forced}"
    );
    assert!(stage.text("own.py").contains("def advance(self):\n        return self.work()"));
}

#[test]
fn ty_knows_what_libraries_declare() {
    let Some(servers) = real_server("ty") else { return };
    play(&WITH_LIBRARY, Answers::Real(servers), refuses_what_is_linked_to_a_library);
}

#[test]
fn basedpyright_knows_what_libraries_declare() {
    let Some(servers) = real_server("basedpyright") else { return };
    play(&WITH_LIBRARY, Answers::ForPython(servers, "basedpyright"), refuses_what_is_linked_to_a_library);
}

#[test]
fn without_a_server_a_family_is_renamed_where_all_of_it_is_known() {
    let files: [(&str, &[u8]); 2] = [
        ("a.py", b"class A:\n    def step(self):\n        return self.step()\n"),
        ("b.py", b"from a import A\n\n\nclass B(A):\n    def step(self):\n        return super().step()\n"),
    ];
    play(&files, Answers::NoServer, async |stage| {
        let done = stage.done("rename_symbol", wanted("A/step", "a.py")).await;
        assert!(done.contains("a.py: 2\nb.py: 2\n") && done.contains("complete]"), "{done}");
    });
    let unknown: [(&str, &[u8]); 2] =
        [files[0], ("b.py", b"from c import D\n\n\nclass B(D):\n    def other(self):\n        return 1\n")];
    play(&unknown, Answers::NoServer, async |stage| {
        stage.done("rename_symbol", wanted("A/step", "a.py")).await;
        let refused = stage.refused("rename_symbol", wanted("B/other", "b.py")).await;
        assert!(
            refused.starts_with(
                "it is not known whether c.D, a base of B outside the project, declares 'other' too ("
            ),
            "{refused}"
        );
    });
}

fn range(line: u32, from: u32, to: u32) -> Value {
    json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } })
}

fn edit(line: u32, from: u32, new_text: &str) -> Value {
    json!({ "range": range(line, from, from + 4), "newText": new_text })
}

const TWO: [(&str, &[u8]); 1] = [(
    "a.py",
    b"class A:\n    def step(self):\n        return 1\n\n\nclass B(A):\n    def step(self):\n        return 2\n\n\nA().step()\n",
)];

/// Returns a server that gives these edits of a.py for the first and for the second declaration.
fn answering(first: Value, second: Value) -> Answers {
    let changes = |edits: Value| {
        let document = json!({ "textDocument": { "uri": "{root}/a.py", "version": null }, "edits": edits });
        json!([{ "answer": { "documentChanges": [document] } }])
    };
    let script = json!({
        "capabilities": { "renameProvider": true, "definitionProvider": true },
        "on": {
            "textDocument/rename": [changes(first), changes(second)],
            "textDocument/definition": [{ "answer": null }],
        },
    });
    Answers::Fake(script, "")
}

#[test]
fn edits_of_several_declarations_are_united() {
    let both = json!([edit(1, 8, "advance"), edit(6, 8, "advance"), edit(10, 4, "advance")]);
    let own = json!([edit(6, 8, "advance")]);
    for (first, second) in [
        (both.clone(), own.clone()),
        (both.clone(), both.clone()),
        (json!([edit(1, 8, "advance"), edit(10, 4, "advance")]), own),
    ] {
        play(&TWO, answering(first, second), async |stage| {
            let done = stage.done("rename_symbol", wanted("A/step", "a.py")).await;
            assert!(done.contains("a.py: 3\n") && !done.contains("given twice"), "{done}");
            assert!(done.ends_with("complete]"), "{done}");
        });
    }
}

#[test]
fn edits_that_contradict_each_other_are_refused() {
    let (first, second) = (
        json!([edit(1, 8, "advance"), edit(10, 4, "advance")]),
        json!([edit(6, 8, "advance"), edit(10, 4, "step: advance")]),
    );
    play(&TWO, answering(first, second), async |stage| {
        let refused = stage.refused("rename_symbol", wanted("A/step", "a.py")).await;
        assert!(refused.contains("overlap"), "{refused}");
    });
}

#[test]
fn a_declaration_that_the_server_leaves_is_a_doubt() {
    let first = json!([edit(1, 8, "advance"), edit(10, 4, "advance")]);
    play(&TWO, answering(first.clone(), first), async |stage| {
        let refused = stage.refused("rename_symbol", wanted("A/step", "a.py")).await;
        assert!(refused.starts_with("fake does not rename the declaration of 'step'"), "{refused}");
        assert!(refused.contains("\n  a.py:7: def step(self):"), "{refused}");
    });
}

const WRITTEN_PROGRAM: &str = "import subprocess\nimport sys\n\nPROGRAM = \"\"\"\nimport base\n\n\nclass Own(base.Spider):\n    def parse(self):\n        return 1\n\n\nprint(Own().start())\n# no parse\n\"\"\"\n\n\ndef test_own():\n    assert subprocess.check_output([sys.executable, \"-c\", PROGRAM]) == b\"1\\n\"\n";
const SPIDER_AND_PROGRAM: [(&str, &[u8]); 3] = [
    ("pyproject.toml", b"[project]\nname = \"spiders\"\nversion = \"1\"\n"),
    (
        "base.py",
        b"class Spider:\n    def start(self):\n        return self.parse()\n\n    def parse(self):\n        return 0\n",
    ),
    ("test_own.py", WRITTEN_PROGRAM.as_bytes()),
];

async fn a_class_in_a_string_follows(stage: &Stage) {
    let ask = json!({ "name_path": "Spider/parse", "relative_path": "base.py", "new_name": "handle", "wait": "ready" });
    let done = stage.done("rename_symbol", ask).await;
    assert_eq!(stage.text("test_own.py"), WRITTEN_PROGRAM.replace("parse(self)", "handle(self)"));
    assert!(!stage.text("base.py").contains("parse"));
    let note = "1 place in a string renamed too, because of the text around the name";
    assert!(done.contains(note) && done.contains("incomplete: "), "{done}");
    // Occurrences in another class, and mere mentions, are kept.
    assert!(done.contains("1 mention in strings left as it is"), "{done}");
}

#[test]
fn without_a_server_a_class_in_a_string_follows() {
    play(&SPIDER_AND_PROGRAM, Answers::NoServer, a_class_in_a_string_follows);
}

#[test]
fn through_ty_a_class_in_a_string_follows() {
    let Some(servers) = real_server("ty") else { return };
    play(&SPIDER_AND_PROGRAM, Answers::Real(servers), a_class_in_a_string_follows);
}
