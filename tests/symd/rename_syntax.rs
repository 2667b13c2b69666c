//! Renames without a server: only of uses that syntax is certain about.

use serde_json::json;

use crate::rename_stage::{Answers, play};

#[test]
fn a_unique_name_whose_every_use_is_known_is_renamed() {
    let files: [(&str, &[u8]); 3] = [
        ("a/lib.py", b"def compute(x):\n    return x\n\n\ny = compute(1)\n"),
        ("a/use.py", b"from a.lib import compute\n\nprint(compute(2))\n"),
        ("README.md", b"Call `compute`; computers do.\n"),
    ];
    play(&files, Answers::NoServer, async |stage| {
        let before = stage.tree();
        let wanted = json!({ "name_path": "compute", "relative_path": "a/lib.py", "new_name": "work_out" });
        let done = stage.done("rename_symbol", wanted).await;
        assert!(done.contains("a/lib.py: 2\na/use.py: 2\nnote: 1 mention in docs"), "{done}");
        assert!(done.contains("[4 changes in 2 files; syntax ("), "{done}");
        assert_eq!(stage.text("a/use.py"), "from a.lib import work_out\n\nprint(work_out(2))\n");
        stage.undo().await;
        assert!(stage.tree() == before);
        let all = json!({ "name_path": "compute", "new_name": "work_out", "include": ["docs"] });
        stage.done("rename_symbol", all).await;
        assert_eq!(stage.text("README.md"), "Call `work_out`; computers do.\n");
    });
}

#[test]
fn doubts_are_refused_with_the_places() {
    let files: [(&str, &[u8]); 3] = [
        ("lib.py", b"class Box:\n    def get(self):\n        return 1\n\n    def two(self):\n        return self.get()\n"),
        ("use.py", b"def f(box):\n    return box.get()\n"),
        ("other.py", b"def twice():\n    pass\n\n\ndef once():\n    twice()\n"),
    ];
    play(&files, Answers::NoServer, async |stage| {
        let member = json!({ "name_path": "Box/get", "new_name": "fetch" });
        let text = stage.refused("rename_symbol", member.clone()).await;
        let why = "the meaning of 1 of the places named 'get' is unknown; include: [\"unchecked\"] renames those that may \
            refer to it and skips those that look like something else; nothing was written; look at these places; change them by hand, or give \
            force: true to leave them as they are\n";
        assert!(text.contains(why), "{text}");
        assert!(text.contains("\n  use.py:2: return box.get()"), "{text}");
        let mut forced = member;
        forced["force"] = json!(true);
        let done = stage.done("rename_symbol", forced).await;
        assert!(done.contains("; not renamed\n  use.py:2"), "{done}");
        assert!(stage.text("lib.py").contains("self.fetch()") && stage.text("use.py").contains("box.get()"));
    });
}

#[test]
fn uses_that_may_mean_it_are_renamed_when_asked_for() {
    let files: [(&str, &[u8]); 3] = [
        ("lib.py", b"class Box:\n    def get(self):\n        return 1\n"),
        ("use.py", b"def f(box):\n    return box.get()\n"),
        ("other.py", b"def get():\n    pass\n\n\nget()\n"),
    ];
    play(&files, Answers::NoServer, async |stage| {
        let before = stage.tree();
        let all = json!({ "name_path": "Box/get", "new_name": "fetch", "include": ["unchecked"] });
        let done = stage.done("rename_symbol", all).await;
        assert!(stage.text("lib.py").contains("def fetch(") && stage.text("use.py").contains("box.fetch()"));
        assert_eq!(stage.bytes("other.py"), files[2].1, "another symbol");
        let why = "1 occurrence of 'get' renamed too, although syntax cannot determine the meaning";
        assert!(done.contains(why) && !done.contains("; complete]"), "{done}");
        stage.undo().await;
        assert!(stage.tree() == before);
    });
}

#[test]
fn a_string_elsewhere_names_nothing_that_a_test_function_declares() {
    let lib = "def test_one():\n    class A:\n        def go_on(self): pass\n    getattr(A(), 'other')\n\n\nNAMES = ['go_on']\n";
    let files: [(&str, &[u8]); 2] = [("test_lib.py", lib.as_bytes()), ("names.json", b"[\"go_on\"]\n")];
    play(&files, Answers::NoServer, async |stage| {
        let wanted = json!({ "name_path": "test_one/A/go_on", "new_name": "stop" });
        let done = stage.done("rename_symbol", wanted).await;
        assert!(!done.contains("note:") && done.contains("; complete]"), "{done}");
    });
    let inside = lib.replace("'other'", "'go_on'");
    play(&[("test_lib.py", inside.as_bytes())], Answers::NoServer, async |stage| {
        let wanted = json!({ "name_path": "test_one/A/go_on", "new_name": "stop" });
        assert!(
            stage.refused("rename_symbol", wanted).await.contains("\n  test_lib.py:4: getattr(A(), 'go_on')")
        );
    });
}

#[test]
fn a_string_that_says_nothing_but_the_symbol_is_a_doubt() {
    let lib = "class Box:\n    def take_out(self):\n        return getattr(self, 'put')()\n\n    def put(self):\n        pass\n\n\n\
               NAMES = ['lib.Box', 'take_out', 'put', 'Box.put', 'a put']\n";
    let own: (&str, &[u8]) = ("own.py", b"some_type = TypeVar('some_type')\n");
    let files: [(&str, &[u8]); 2] = [("lib.py", lib.as_bytes()), own];
    let spider = "class Spider:\n    rules = [rule(callback=\"parse\"), {\"name\": \"parse\"}]\n    def parse(self): pass\n    name = \"x\"\n";
    play(&[("spider.py", spider.as_bytes())], Answers::NoServer, async |stage| {
        let refused =
            stage.refused("rename_symbol", json!({ "name_path": "Spider/parse", "new_name": "zz" })).await;
        assert!(refused.contains("1 string consists") && refused.contains("spider.py:2"), "{refused}");
        stage.done("rename_symbol", json!({ "name_path": "Spider/name", "new_name": "zz" })).await;
    });
    play(&files, Answers::NoServer, async |stage| {
        let done = stage.done("rename_symbol", json!({ "name_path": "some_type", "new_name": "zz" })).await;
        assert!(done.contains("1 mention in strings") && !done.contains("; complete]"), "{done}");
        for name in ["Box/take_out", "Box/put"] {
            let refused =
                stage.refused("rename_symbol", json!({ "name_path": name, "new_name": "zz" })).await;
            assert!(
                refused.contains("1 string consists") && refused.contains("include: [\"strings\"]"),
                "{refused}"
            );
            assert!(refused.contains("\n  lib.py:9: NAMES"), "{refused}");
        }
        let wanted = json!({ "name_path": "Box", "new_name": "Crate", "include": ["strings"] });
        stage.done("rename_symbol", wanted).await;
        assert!(stage.text("lib.py").contains("'lib.Crate', 'take_out', 'put', 'Crate.put', 'a put'"));
    });
}

#[test]
fn a_class_that_stands_for_a_module_is_a_doubt() {
    let lib = "import json\n\nclass Provider:\n    def loads(self, s): return json.loads(s)\n    def dumps(self, o): return json.dumps(o)\n\
        \x20   def other(self): return self.loads('')\n";
    let files: [(&str, &[u8]); 1] = [("lib.py", lib.as_bytes())];
    play(&files, Answers::NoServer, async |stage| {
        let wanted = |name: &str| json!({ "name_path": name, "new_name": "zz", "include": ["unchecked"] });
        let done = stage.done("rename_symbol", wanted("Provider/loads")).await;
        assert!(done.contains("stands in for a module") && !done.contains("; complete]"), "{done}");
        stage.undo().await;
        stage.done("rename_symbol", json!({ "name_path": "Provider/other", "new_name": "zz" })).await;
    });
}

#[test]
fn strings_that_name_the_symbol_follow() {
    let lib = "class Box:\n    def go_on(self): return 1\n    def __getattr__(self, name): return name in {'go_on'}\n";
    let user = "from unittest import mock\nfrom pkg.lib import Box\nPLUGINS = {'pkg.lib.Box': 1}\n\
        def f(**options):\n    mock.patch.object(Box, 'go_on')\n    return options.pop('go_on'), Box().go_on()\n";
    let files: [(&str, &[u8]); 3] =
        [("pkg/__init__.py", b""), ("pkg/lib.py", lib.as_bytes()), ("use.py", user.as_bytes())];
    play(&files, Answers::NoServer, async |stage| {
        let wanted = json!({ "name_path": "Box", "new_name": "Crate" });
        let done = stage.done("rename_symbol", wanted).await;
        assert!(
            done.contains("1 string that names it renamed too") && done.contains("; complete]"),
            "{done}"
        );
        assert_eq!(stage.text("use.py"), user.replace("Box", "Crate"));
        stage.undo().await;
        let wanted = json!({ "name_path": "Box/go_on", "new_name": "run", "include": ["unchecked"] });
        let done = stage.done("rename_symbol", wanted).await;
        assert!(done.contains("2 strings that name it renamed too"), "{done}");
        assert_eq!(stage.text("pkg/lib.py"), lib.replace("go_on", "run"));
        let followed = user.replace("Box, 'go_on'", "Box, 'run'").replace(".go_on()", ".run()");
        assert_eq!(stage.text("use.py"), followed);
    });
}

#[test]
fn a_property_is_renamed_with_its_setter() {
    let lib = "class Box:\n    @property\n    def room(self): return 1\n\n    @room.setter\n    def room(self, value): pass\n\n    def f(self): self.room = 2\n";
    let files: [(&str, &[u8]); 1] = [("lib.py", lib.as_bytes())];
    play(&files, Answers::NoServer, async |stage| {
        let done = stage.done("rename_symbol", json!({ "name_path": "Box/room", "new_name": "space" })).await;
        assert_eq!(stage.text("lib.py"), lib.replace("room", "space"), "{done}");
    });
}

#[test]
fn a_fixture_of_pytest_is_used_by_parameters() {
    let files: [(&str, &[u8]); 1] = [(
        "conftest.py",
        b"import pytest\n\n\n@pytest.fixture\ndef made():\n    return 1\n\n\ndef other():\n    return 2\n",
    )];
    play(&files, Answers::NoServer, async |stage| {
        let refused = stage.refused("rename_symbol", json!({ "name_path": "made", "new_name": "zz" })).await;
        assert!(
            refused.contains("'made' is a pytest fixture: pytest passes it to parameters of this name"),
            "{refused}"
        );
        let forced = json!({ "name_path": "made", "new_name": "zz", "force": true });
        let done = stage.done("rename_symbol", forced).await;
        assert!(done.contains("is a pytest fixture") && !done.contains("; complete]"), "{done}");
        let done = stage.done("rename_symbol", json!({ "name_path": "other", "new_name": "yy" })).await;
        assert!(done.contains("; complete]"), "{done}");
    });
}

#[test]
fn all_branches_that_declare_a_name_are_renamed() {
    let lib = "import sys\n\nif sys.version_info > (4,):\n    def work_out(): pass\nelse:\n    def work_out(): pass\n";
    let files: [(&str, &[u8]); 1] = [("lib.py", lib.as_bytes())];
    for nth in ["work_out[0]", "work_out[1]"] {
        play(&files, Answers::NoServer, async |stage| {
            stage.done("rename_symbol", json!({ "name_path": nth, "new_name": "find" })).await;
            assert_eq!(stage.text("lib.py"), lib.replace("work_out", "find"));
        });
    }
}

#[test]
fn a_module_and_its_stub_are_renamed_together() {
    let files: [(&str, &[u8]); 4] = [
        ("lib.py", b"class Box:\n    def take_out(self, x=None):\n        return x\n"),
        ("lib.pyi", b"from typing import overload\nclass Box:\n    @overload\n    def take_out(self) -> None: ...\n    @overload\n    def take_out(self, x: int) -> int: ...\n"),
        ("heir.py", b"from lib import Box\n\n\nclass Large(Box):\n    def take_out(self, x=None):\n        return super().take_out(x)\n"),
        ("heir.pyi", b"from lib import Box\nclass Large(Box): ...\n"),
    ];
    for from in ["lib.py", "lib.pyi", "heir.py"] {
        play(&files, Answers::NoServer, async |stage| {
            let class = if from == "heir.py" { "Large" } else { "Box" };
            let wanted = json!({ "name_path": format!("{class}/take_out"), "relative_path": from, "new_name": "pick" });
            let wanted = if from == "lib.pyi" {
                json!({ "name_path": "Box/take_out[0]", "relative_path": from, "new_name": "pick" })
            } else {
                wanted
            };
            let done = stage.done("rename_symbol", wanted).await;
            for (file, _) in &files {
                assert!(!stage.text(file).contains("take_out"), "{from}: {file}: {done}");
            }
            assert!(
                done.contains("[5 changes in 3 files;") && done.contains("; complete]"),
                "{from}: {done}"
            );
        });
    }
}

#[test]
fn a_member_that_only_a_computed_name_reaches_is_a_doubt() {
    let files: [(&str, &[u8]); 3] = [
        (
            "lib.py",
            b"class Base:\n    def run(self, word):\n        return getattr(self, 'do_' + word)()\n\n\nclass Loop(Base):\n    \
              def do_get(self):\n        pass\n\n    def do_put(self):\n        self.do_put()\n\n    def close(self):\n        pass\n",
        ),
        ("use.py", b"from lib import Loop\n"),
        (
            "cached.py",
            b"class Cached:\n    def set(self, word):\n        key = f'_cached_{word}'\n        setattr(self, key, 1)\n        cls = type(word)\n        \
              return getattr(cls, word)\n\n    def halt(self):\n        self.halt()\n\n    def _cached_it(self):\n        self._cached_it()\n",
        ),
    ];
    play(&files, Answers::NoServer, async |stage| {
        let rename =
            |old: &str| json!({ "name_path": format!("Loop/{old}"), "new_name": format!("{old}_zz") });
        let refused = stage.refused("rename_symbol", rename("do_get")).await;
        assert!(refused.contains("computed names, and 'do_get' may be one"), "{refused}");
        assert!(refused.contains("\n  lib.py:3: return getattr(self, 'do_' + word)()"), "{refused}");
        let used = stage.done("rename_symbol", rename("do_put")).await;
        assert!(used.contains("'do_put' may be one of them") && !used.contains("; complete]"), "{used}");
        let other = stage.done("rename_symbol", rename("close")).await;
        assert!(other.contains("; complete]"), "{other}");
        let of_cached =
            |old: &str| json!({ "name_path": format!("Cached/{old}"), "new_name": format!("{old}_zz") });
        let other = stage.done("rename_symbol", of_cached("halt")).await;
        assert!(other.contains("; complete]"), "{other}");
        let used = stage.done("rename_symbol", of_cached("_cached_it")).await;
        assert!(used.contains("'_cached_it' may be one of them"), "{used}");
    });
}

#[test]
fn other_declarations_of_the_name_are_a_doubt() {
    let files: [(&str, &[u8]); 2] =
        [("a.py", b"def run():\n    pass\n\n\nrun()\n"), ("b.py", b"def run():\n    pass\n")];
    play(&files, Answers::NoServer, async |stage| {
        let wanted = json!({ "name_path": "run", "relative_path": "a.py", "new_name": "go" });
        assert!(stage.refused("rename_symbol", wanted).await.contains("b.py:1: def run():"));
    });
}

#[test]
fn a_field_given_by_its_variables_name_is_a_doubt() {
    let files: [(&str, &[u8]); 1] = [(
        "a.ts",
        b"const size = 1;\nexport const box = { size, other: 2 };\nexport const list = [size, 1];\n",
    )];
    play(&files, Answers::NoServer, async |stage| {
        let text = stage.refused("rename_symbol", json!({ "name_path": "size", "new_name": "length" })).await;
        assert!(text.contains("a.ts:2:") && !text.contains("a.ts:3:"), "{text}");
    });
}

#[test]
fn files_that_are_not_parsed_are_looked_through_all_the_same() {
    // Too large to be parsed, and not text because of its NUL byte.
    let mut large = "x = 1\n".repeat(1_500_000);
    large.push_str("from lib import compute\n");
    let notes = "compute\n".repeat(1_200_000);
    let files: [(&str, &[u8]); 5] = [
        ("notes.txt", notes.as_bytes()),
        ("lib.py", b"def compute(x):\n    return x\n"),
        ("large.py", large.as_bytes()),
        ("odd.py", b"computed = 1\nlib.compute(1)\0\n"),
        ("data.bin", b"compute\0"),
    ];
    play(&files, Answers::NoServer, async |stage| {
        let wanted = json!({ "name_path": "compute", "relative_path": "lib.py", "new_name": "work_out" });
        let text = stage.refused("rename_symbol", wanted.clone()).await;
        assert!(text.contains("the meaning of 2 of the places named 'compute' is unknown"), "{text}");
        assert!(text.contains("\n  large.py:1500001: from lib import compute"), "{text}");
        assert!(text.contains("\n  odd.py:2: lib.compute(1)"), "{text}");
        let mut forced = wanted;
        forced["force"] = json!(true);
        let done = stage.done("rename_symbol", forced).await;
        assert!(done.contains("; not renamed\n  large.py:1500001"), "{done}");
        assert!(done.contains("note: too large to be searched for mentions: notes.txt\n"), "{done}");
    });
}

#[test]
fn names_in_kotlins_string_templates_are_uses() {
    let files: [(&str, &[u8]); 2] = [
        ("p/Lib.kt", b"package p\n\nval rate = 3\n"),
        (
            "p/Use.kt",
            b"package p\n\nfun f() = \"$rate${rate}$rate.x \\$rate $this\"\nval s = \"\"\"\n  $rate, rate\n\"\"\"\n",
        ),
    ];
    play(&files, Answers::NoServer, async |stage| {
        let wanted = json!({ "name_path": "rate", "relative_path": "p/Lib.kt" });
        let found = stage.done("find_referencing_symbols", wanted).await;
        assert!(found.contains("[4 references in 1 file") && found.contains("; complete]"), "{found}");
        let renamed = json!({ "name_path": "rate", "relative_path": "p/Lib.kt", "new_name": "share" });
        let done = stage.done("rename_symbol", renamed).await;
        assert!(done.contains("p/Use.kt: 4") && done.contains("2 mentions in strings"), "{done}");
        let text = "package p\n\nfun f() = \"$share${share}$share.x \\$rate $this\"\nval s = \"\"\"\n  $share, rate\n\"\"\"\n";
        assert_eq!(stage.text("p/Use.kt"), text);
    });
}

#[test]
fn what_a_language_declares_that_cannot_name_the_symbol_is_no_doubt() {
    let files: [(&str, &[u8]); 3] = [
        (
            "p/Agent.kt",
            b"package p\n\nclass Agent(val prefix: String)\n\nfun of(agent: Agent) = agent.prefix\n",
        ),
        ("jni/agent.h", b"struct agent { int prefix; };\nvoid start(const char* prefix);\n"),
        ("jni/agent.cc", b"static int prefix = 0;\nint get(agent* a) { return a->prefix; }\n"),
    ];
    play(&files, Answers::NoServer, async |stage| {
        let renamed =
            json!({ "name_path": "Agent/prefix", "relative_path": "p/Agent.kt", "new_name": "start" });
        let done = stage.done("rename_symbol", renamed).await;
        assert!(
            done.contains("p/Agent.kt: 2") && done.contains("4 mentions in other languages left"),
            "{done}"
        );
        assert!(stage.text("jni/agent.h").contains("int prefix;"));
    });
}

#[test]
fn the_files_of_a_rename_are_parsed_before_it() {
    let lib = "def compute(x):\n    return x\n";
    let using = "from lib import compute\n\nprint(compute(2))\n";
    let names: Vec<String> = (0..30).map(|number| format!("use_{number}.py")).collect();
    let mut files: Vec<(&str, &[u8])> = vec![("lib.py", lib.as_bytes())];
    // All texts differ: otherwise one outline would do for two.
    let texts: Vec<String> = names.iter().map(|name| format!("# {name}\n{using}")).collect();
    files.extend(names.iter().zip(&texts).map(|(name, text)| (name.as_str(), text.as_bytes())));
    play(&files, Answers::NoServer, async |stage| {
        let wanted = json!({ "name_path": "compute", "relative_path": "lib.py", "new_name": "work_out" });
        let done = stage.done("rename_symbol", wanted).await;
        assert!(done.contains("in 31 files"), "{done}");
        let found = stage.done("find_symbol", json!({ "name_path_pattern": "work_out" })).await;
        assert!(found.contains("lib.py:1"), "{found}");
        assert_eq!(stage.project.engine.parses_avoided(), 31);
        // A rejected rename leaves nothing behind, and another rename works as usual.
        let again = json!({ "name_path": "work_out", "relative_path": "lib.py", "new_name": "compute" });
        stage.done("rename_symbol", again).await;
        stage.done("find_symbol", json!({ "name_path_pattern": "compute" })).await;
        assert!(stage.project.engine.parses_avoided() > 31);
    });
}

#[test]
fn in_rust_only_what_attributes_publish_is_found_by_name() {
    let lib = "pub fn fits_in() {}\npub fn call() { fits_in(); println!(\"fits_in\"); }\n\
        #[derive(Debug, Serialize)]\npub struct Box { pub size_of: u8 }\n";
    let notes = "wanted = \"fits_in\"\nsize_of = 1\n";
    let files: [(&str, &[u8]); 2] = [("src/lib.rs", lib.as_bytes()), ("notes.toml", notes.as_bytes())];
    play(&files, Answers::NoServer, async |stage| {
        let of = |name: &str| json!({ "name_path": name, "new_name": "zz_top" });
        let done = stage.done("rename_symbol", of("fits_in")).await;
        assert!(done.contains("1 mention in strings") && done.contains("; complete]"), "{done}");
        stage.undo().await;
        let done = stage.done("rename_symbol", of("size_of")).await;
        assert!(done.contains("1 mention in other languages") && !done.contains("; complete]"), "{done}");
    });
}

#[test]
fn in_rust_a_type_stands_for_its_impl_in_an_edit() {
    let lib = "struct Shop;\nimpl Shop { fn open_it(&self) {} fn call(&self) { self.open_it(); } }\n\
        impl Drop for Shop { fn drop(&mut self) {} }\n\
        mod a { impl super::Shop { fn twice(&self) {} } }\nmod b { impl super::Shop { fn twice(&self) {} } }\n";
    play(&[("src/lib.rs", lib.as_bytes())], Answers::NoServer, async |stage| {
        let of = |path: &str| json!({ "name_path": path, "new_name": "zz_top", "include": ["unchecked"] });
        let done = stage.done("rename_symbol", of("Shop/open_it")).await;
        assert!(done.contains("src/lib.rs: 2"), "{done}");
        stage.undo().await;
        let several = stage.refused("rename_symbol", of("Shop/twice")).await;
        assert!(several.contains("a/impl super::Shop/twice") && several.contains("b/impl"), "{several}");
        let none = stage.refused("rename_symbol", of("Shop.open_it")).await;
        assert!(none.contains("impl Shop/open_it"), "{none}");
    });
}

#[test]
fn members_of_unrelated_classes_keep_their_name() {
    let files: [(&str, &[u8]); 2] = [
        ("a.py", b"class A:\n    def move(self):\n        return 1\n\n    def go(self):\n        return self.move()\n"),
        ("b.py", b"class B:\n    def move(self):\n        return 2\n\n    def b(self):\n        return self.move()\n\n    def c(self):\n        pass\n\n    def d(self):\n        pass\n"),
    ];
    play(&files, Answers::NoServer, async |stage| {
        let wanted = json!({ "name_path": "A/move", "relative_path": "a.py", "new_name": "step" });
        let done = stage.done("rename_symbol", wanted).await;
        assert!(done.contains("[2 changes in 1 file; syntax (") && done.contains("complete"), "{done}");
        assert!(stage.text("a.py").contains("self.step()"));
        assert_eq!(stage.bytes("b.py"), files[1].1);
    });
}

#[test]
fn what_a_module_of_commonjs_exports_keeps_its_name_for_other_files() {
    let user = b"const { add } = require('./lib');\nconst Stack = require('./stack');\nadd(new Stack(), lib.add(1));\n";
    let files: [(&str, &[u8]); 3] = [
        ("lib.js", b"function add(a) {\n  return a;\n}\nmodule.exports = { add };\n"),
        ("stack.js", b"class Stack {}\nmodule.exports = Stack;\n"),
        ("use.js", user),
    ];
    play(&files, Answers::NoServer, async |stage| {
        let wanted = json!({ "name_path": "add", "relative_path": "lib.js", "new_name": "plus" });
        let done = stage.done("rename_symbol", wanted).await;
        assert!(
            done.contains("the module keeps exporting it as 'add'") && done.contains("; complete"),
            "{done}"
        );
        assert!(stage.text("lib.js").starts_with("function plus(a)"), "{done}");
        assert!(stage.text("lib.js").ends_with("module.exports = { add: plus };\n"), "{done}");
        let wanted = json!({ "name_path": "Stack", "relative_path": "stack.js", "new_name": "Pile" });
        let done = stage.done("rename_symbol", wanted).await;
        assert!(done.contains("; complete"), "{done}");
        assert_eq!(stage.text("stack.js"), "class Pile {}\nmodule.exports = Pile;\n");
        assert_eq!(stage.bytes("use.js"), user);
    });
}

#[test]
fn a_type_that_adds_to_a_librarys_is_not_renamed() {
    let files: [(&str, &[u8]); 1] =
        [("a.ts", b"export {};\ndeclare global {\n  interface Window { mine: string }\n}\n")];
    play(&files, Answers::NoServer, async |stage| {
        let told =
            stage.refused("rename_symbol", json!({ "name_path": "Window", "new_name": "Fresh" })).await;
        let why = "'Window' in declare global adds, or may add, to what a library declares by this name, which stays; ";
        assert!(told.contains(why), "{told}");
        let done =
            stage.done("rename_symbol", json!({ "name_path": "Window/mine", "new_name": "own" })).await;
        assert!(done.contains("[1 change in 1 file"), "{done}");
    });
}

#[test]
fn members_follow_where_the_text_tells_the_class_of_the_object() {
    let files: [(&str, &[u8]); 3] = [
        ("lib.py", b"class Cart:\n    def __init__(self, size=0):\n        self.size = size\n\n    def add(self):\n        self.size += 1\n        return self\n"),
        ("use.py", b"from lib import Cart\n\ncart = Cart(size=2).add()\nprint(cart.size)\n\n\ndef show(cart: Cart):\n    return cart.size\n"),
        ("other.py", b"size = 3\n\n\nclass Box:\n    def __init__(self):\n        self.size = size\n\n\nprint(Box().size)\n"),
    ];
    play(&files, Answers::NoServer, async |stage| {
        let wanted = json!({ "name_path": "Cart/size", "relative_path": "lib.py", "new_name": "count" });
        let done = stage.done("rename_symbol", wanted.clone()).await;
        assert!(done.contains("[4 changes in 2 files; syntax (") && done.contains("; complete"), "{done}");
        assert!(
            stage.text("lib.py").contains("self.count = size\n")
                && stage.text("lib.py").contains("self.count += 1")
        );
        assert!(
            stage.text("use.py").contains("Cart(size=2)")
                && stage.text("use.py").contains("print(cart.count)")
        );
        assert_eq!(stage.bytes("other.py"), files[2].1);
    });
    let again = [
        files[0],
        ("use.py", b"import lib\n\ncart = lib.Cart()\ncart = make()\nprint(cart.size)\n" as &[u8]),
    ];
    play(&again, Answers::NoServer, async |stage| {
        let wanted = json!({ "name_path": "Cart/size", "relative_path": "lib.py", "new_name": "count" });
        let told = stage.refused("rename_symbol", wanted).await;
        assert!(told.contains("the meaning of 1 of the places named 'size' is unknown"), "{told}");
    });
}
