//! How tools other than rename treat members that override one another: safe_delete, find_implementations.

use serde_json::{Value, json};

use crate::rename_stage::{Answers, Stage, play};
use crate::servers::real_server;

const VIEWS: &str = "import threading\n\nfrom lost import Unknown\n\n\nclass View:\n    def dispatch(self):\n        raise NotImplementedError\n\n    def alone(self):\n        return 1\n\n\nclass Method(View):\n    def dispatch(self):\n        return 1\n\n    def only(self):\n        return 2\n\n\nclass Work(threading.Thread):\n    def run(self):\n        return 3\n\n    def own(self):\n        return 4\n\n\nclass Astray(Unknown):\n    def found(self):\n        return 5\n";
const FILES: [(&str, &[u8]); 2] =
    [("pyproject.toml", b"[project]\nname = \"views\"\nversion = \"1\"\n"), ("views.py", VIEWS.as_bytes())];

fn delete(name_path: &str) -> Value {
    json!({ "name_path": name_path, "relative_path": "views.py", "wait": "ready" })
}

async fn deletes_what_nothing_is_linked_to(stage: &Stage) {
    for (name_path, other) in
        [("View/dispatch", "15 Method/dispatch"), ("Method/dispatch", "7 View/dispatch")]
    {
        let refused = stage.refused("safe_delete", delete(name_path)).await;
        let why = format!(
            "{name_path} in views.py counts as used: it overrides, or is overridden by, 1 member; nothing was written; give \
             force: true to delete it nevertheless\n  views.py:{other}"
        );
        assert_eq!(refused, why);
    }
    let refused = stage.refused("safe_delete", delete("Work/run")).await;
    assert!(
        refused.contains("counts as used: 'run' of Work is also declared by threading.Thread"),
        "{refused}"
    );
    let refused = stage.refused("safe_delete", delete("Astray/found")).await;
    assert!(
        refused.contains("it is not known whether lost.Unknown, a base of Astray outside the project"),
        "{refused}"
    );
    let mut forced = delete("Method/dispatch");
    forced["force"] = json!(true);
    stage.done("safe_delete", forced).await;
    assert!(!stage.text("views.py").contains("return 1\n\n    def only"));
    for name_path in ["View/alone", "Method/only", "Work/own"] {
        stage.undo().await;
        stage.done("read_file", json!({ "relative_path": "views.py" })).await;
        stage.done("safe_delete", delete(name_path)).await;
        assert!(!stage.text("views.py").contains(&format!("def {}(", name_path.rsplit('/').next().unwrap())));
    }
}

#[test]
fn a_member_that_overrides_or_is_overridden_counts_as_used() {
    play(&FILES, Answers::NoServer, deletes_what_nothing_is_linked_to);
}

#[test]
fn so_it_does_with_a_server() {
    let Some(servers) = real_server("ty") else { return };
    play(&FILES, Answers::Real(servers), deletes_what_nothing_is_linked_to);
}

const SPIDERS: [(&str, &[u8]); 4] = [
    ("pyproject.toml", b"[project]\nname = \"spiders\"\nversion = \"1\"\n"),
    (
        "base.py",
        b"from typing import TYPE_CHECKING, Any\n\n\nclass Spider:\n    if TYPE_CHECKING:\n        parse: Any\n    else:\n\n        def parse(self):\n            return 0\n",
    ),
    ("own.py", b"from base import Spider as S\n\n\nclass One(S):\n    def parse(self):\n        return 1\n\n\nclass Two(One):\n    pass\n\n\nclass Three(Two):\n    def parse(self):\n        return 3\n"),
    ("apart.py", b"class Other:\n    def parse(self):\n        return 1\n"),
];

fn lines(answer: &str) -> Vec<&str> {
    answer.lines().filter_map(|line| line.split(' ').next()).filter(|place| place.contains(".py:")).collect()
}

async fn finds_all_that_override(stage: &Stage) {
    let ask = json!({ "name_path": "Spider/parse", "relative_path": "base.py", "wait": "ready" });
    let found = stage.done("find_implementations", ask).await;
    assert_eq!(lines(&found), ["own.py:5-6", "own.py:14-15"], "{found}");
    assert!(found.ends_with("; complete]"), "{found}");
    let ask = json!({ "name_path": "Spider", "relative_path": "base.py", "wait": "ready" });
    let found = stage.done("find_implementations", ask).await;
    assert_eq!(lines(&found), ["own.py:4-6", "own.py:9-10", "own.py:13-15"], "{found}");
}

#[test]
fn implementations_are_found_by_heads_of_classes() {
    play(&SPIDERS, Answers::NoServer, finds_all_that_override);
}

#[test]
fn what_a_server_does_not_tell_is_found_all_the_same() {
    let Some(servers) = real_server("ty") else { return };
    play(&SPIDERS, Answers::Real(servers), finds_all_that_override);
}

#[test]
fn a_class_that_may_be_one_keeps_the_list_from_being_called_complete() {
    for more in [
        "class D(make(Spider)): pass\n",
        "from nowhere import *\nclass D(Spider): pass\n",
        "def f(kind):\n    class D(kind):\n        def parse(self): pass\n",
    ] {
        let mut files = SPIDERS.to_vec();
        files.push(("more.py", more.as_bytes()));
        play(&files, Answers::NoServer, async |stage| {
            let ask = json!({ "name_path": "Spider", "relative_path": "base.py" });
            let found = stage.done("find_implementations", ask.clone()).await;
            assert!(found.contains("; unchecked: perhaps D through an unknown base]"), "{more}: {found}");
            let mut ask = ask;
            ask["format"] = json!("json");
            let found: Value = serde_json::from_str(&stage.done("find_implementations", ask).await).unwrap();
            assert_eq!(found["complete"], false, "{more}");
        });
    }
}

#[test]
fn heads_that_name_a_type_otherwise_are_in_the_hierarchy() {
    let hierarchy =
        |of: &str, direction: &str| json!({ "name_path": of, "direction": direction, "depth": 3 });
    play(&SPIDERS, Answers::NoServer, async |stage| {
        let down = stage.done("type_hierarchy", hierarchy("Spider", "subtypes")).await;
        let expected = "own.py:4 class One\n :9 class Two\n  :13 class Three\n[3 subtypes;";
        assert!(down.starts_with(expected) && down.ends_with("; complete]"), "{down}");
        let up = stage.done("type_hierarchy", hierarchy("Three", "supertypes")).await;
        let expected = "own.py:9 class Two\n :4 class One\n  base.py:4 class Spider\n[3 supertypes;";
        assert!(up.starts_with(expected) && up.ends_with("; complete]"), "{up}");
    });
    let mut files = SPIDERS.to_vec();
    files.push((
        "more.py",
        b"from base import Spider\nimport threading\n\nclass D(make(Spider), threading.Thread): pass\n",
    ));
    play(&files, Answers::NoServer, async |stage| {
        let down = stage.done("type_hierarchy", hierarchy("Spider", "subtypes")).await;
        assert!(down.ends_with("; unchecked: perhaps D through an unknown base]"), "{down}");
        let up = stage.done("type_hierarchy", hierarchy("D", "supertypes")).await;
        assert!(up.contains("outside the project or unknown: threading.Thread;"), "{up}");
        assert!(up.ends_with("; unchecked: perhaps a computed base]"), "{up}");
        let mut ask = hierarchy("D", "supertypes");
        ask["format"] = json!("json");
        let found: Value = serde_json::from_str(&stage.done("type_hierarchy", ask).await).unwrap();
        assert_eq!((&found["complete"], &found["perhaps"]), (&json!(false), &json!("a computed base")));
    });
}

const OBJECTS: [(&str, &[u8]); 3] = [
    (
        "limit/Limiter.kt",
        b"package limit\n\ninterface Limiter {\n    suspend fun tryTake(count: Int): Boolean\n\n    companion object {\n        val Unlimited = object : Limiter {\n            override suspend fun tryTake(count: Int): Boolean = true\n        }\n    }\n}\n\nenum class Fixed : Limiter {\n    NONE {\n        override suspend fun tryTake(count: Int): Boolean = false\n    }\n}\n",
    ),
    (
        "limit/Make.kt",
        b"package limit\n\nfun limiter(size: Int): Limiter {\n    class Counting : Limiter {\n        override suspend fun tryTake(count: Int): Boolean = count < size\n    }\n    return if (size > 0) Counting() else object : Limiter, AutoCloseable {\n        override suspend fun tryTake(count: Int): Boolean = Counting().tryTake(count)\n\n        override fun close() {}\n    }\n}\n",
    ),
    (
        "limit/Old.java",
        b"package limit;\n\nclass Old {\n    Runner runner = new Runner() {\n        @Override public void go() {}\n    };\n}\n\ninterface Runner {\n    void go();\n}\n",
    ),
];

#[test]
fn objects_without_a_name_and_types_in_bodies_are_implementations() {
    play(&OBJECTS, Answers::NoServer, async |stage| {
        let ask = json!({ "name_path": "Limiter", "relative_path": "limit" });
        let found = stage.done("find_implementations", ask).await;
        let expected = "limit/\n Limiter.kt\n  7-9 class Limiter/Companion/Unlimited/object\n\
            \u{20} 13-17 enum Fixed : Limiter\n  14-16 member Fixed/NONE\n Make.kt\n\
            \u{20} 4-6 class limiter/Counting\n  7-11 class limiter/object\n[5 implementations;";
        assert!(found.starts_with(expected) && found.ends_with("complete]"), "{found}");
        let ask = json!({ "name_path": "Limiter/tryTake", "relative_path": "limit" });
        let found = stage.done("find_implementations", ask).await;
        let places: Vec<&str> = found.lines().filter_map(|line| line.split(' ').next()).collect();
        let expected = ["limit/Limiter.kt:8", "limit/Limiter.kt:15", "limit/Make.kt:5", "limit/Make.kt:8"];
        assert_eq!(places[..places.len() - 1], expected, "{found}");
        let ask = json!({ "name_path": "Limiter", "relative_path": "limit", "direction": "subtypes" });
        let found = stage.done("type_hierarchy", ask).await;
        for name in ["limiter/Counting", "limiter/object", "Limiter/Companion/Unlimited/object", "Fixed"] {
            assert!(found.contains(name), "{name}: {found}");
        }
        let refused =
            stage.refused("safe_delete", json!({ "name_path": "Runner/go", "relative_path": "limit" })).await;
        assert!(refused.contains("counts as used") && refused.contains("limit/Old.java:5"), "{refused}");
    });
}

#[test]
fn a_rename_takes_members_of_objects_without_a_name_along() {
    play(&OBJECTS, Answers::NoServer, async |stage| {
        let before =
            [stage.text("limit/Limiter.kt"), stage.text("limit/Make.kt"), stage.text("limit/Old.java")];
        let ask = json!({ "name_path": "Limiter/tryTake", "relative_path": "limit", "new_name": "attempt", "force": true });
        let done = stage.done("rename_symbol", ask).await;
        assert!(
            done.contains(
                "note: 5 declarations are linked by overriding, or declare one entity, and are renamed together"
            ),
            "{done}"
        );
        assert_eq!(stage.text("limit/Limiter.kt"), before[0].replace("tryTake", "attempt"));
        assert_eq!(stage.text("limit/Make.kt").matches("fun attempt(").count(), 2, "{done}");
        let ask = json!({ "name_path": "Runner/go", "relative_path": "limit", "new_name": "start" });
        let done = stage.done("rename_symbol", ask).await;
        assert!(done.ends_with("complete]"), "{done}");
        assert_eq!(stage.text("limit/Old.java"), before[2].replace("go(", "start("));
    });
}

/// Members in several languages that override `area`, and members that override a library's declarations.
struct Family {
    files: &'static [(&'static str, &'static str)],
    members: &'static [(&'static str, &'static str)],
    new_name: &'static str,
    of_libraries: &'static [(&'static str, &'static str, &'static str)],
}

const FAMILIES: [Family; 6] = [
    Family {
        files: &[
            ("a.kt", "package p\n\ninterface Shape {\n    fun area(): Int\n}\n"),
            (
                "b.kt",
                "package p\n\nclass Square : Shape {\n    override fun area(): Int = 1\n}\n\nclass Work : Thread() {\n    override fun run() {}\n\n    override fun toString(): String = \"\"\n}\n",
            ),
        ],
        members: &[("Shape/area", "a.kt"), ("Square/area", "b.kt")],
        new_name: "size",
        of_libraries: &[
            ("Work/run", "b.kt", "'run' of Work is also declared by Thread"),
            ("Work/toString", "b.kt", "'toString' of Work is also declared by kotlin.Any"),
        ],
    },
    Family {
        files: &[
            ("p/Shape.java", "package p;\n\ninterface Shape {\n    int area();\n}\n"),
            (
                "p/Square.java",
                "package p;\n\nclass Square implements Shape {\n    @Override public int area() { return 1; }\n}\n\nclass Work extends Thread {\n    @Override public void run() {}\n}\n",
            ),
        ],
        members: &[("Shape/area", "p/Shape.java"), ("Square/area", "p/Square.java")],
        new_name: "size",
        of_libraries: &[("Work/run", "p/Square.java", "'run' of Work is also declared by Thread")],
    },
    Family {
        files: &[
            ("Shape.cs", "namespace P {\n    interface IShape {\n        int area();\n    }\n}\n"),
            (
                "Square.cs",
                "namespace P {\n    class Square : IShape {\n        public int area() { return 1; }\n        public override string ToString() { return \"\"; }\n    }\n}\n",
            ),
        ],
        members: &[("IShape/area", "Shape.cs"), ("Square/area", "Square.cs")],
        new_name: "size",
        of_libraries: &[("Square/ToString", "Square.cs", "'ToString' of Square is also declared by")],
    },
    Family {
        files: &[(
            "a.cpp",
            "struct Shape {\n    virtual int area() const = 0;\n};\n\nstruct Square : Shape {\n    int area() const override { return 1; }\n};\n\nstruct Work : lib::Thread {\n    void run() override {}\n};\n",
        )],
        members: &[("Shape/area", "a.cpp"), ("Square/area", "a.cpp")],
        new_name: "size",
        of_libraries: &[("Work/run", "a.cpp", "'run' of Work is also declared by lib.Thread")],
    },
    Family {
        files: &[
            ("a.ts", "export class Shape {\n    area(): number { return 0; }\n}\n"),
            (
                "b.ts",
                "import { Shape } from './a';\n\nexport class Square extends Shape {\n    area(): number { return 1; }\n    toString(): string { return ''; }\n}\n",
            ),
        ],
        members: &[("Shape/area", "a.ts"), ("Square/area", "b.ts")],
        new_name: "size",
        of_libraries: &[("Square/toString", "b.ts", "'toString' of Square is also declared by Object")],
    },
    Family {
        files: &[(
            "src/lib.rs",
            "pub trait Shape {\n    fn area(&self) -> u32;\n}\n\npub struct Square;\n\nimpl Shape for Square {\n    fn area(&self) -> u32 {\n        1\n    }\n}\n\nimpl std::fmt::Display for Square {\n    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {\n        f.write_str(\"\")\n    }\n}\n",
        )],
        members: &[("Shape/area", "src/lib.rs"), ("impl Shape for Square/area", "src/lib.rs")],
        new_name: "size",
        of_libraries: &[(
            "impl std::fmt::Display for Square/fmt",
            "src/lib.rs",
            "'fmt' of impl std::fmt::Display",
        )],
    },
];

#[test]
fn families_are_renamed_in_every_language_and_what_libraries_declare_is_refused() {
    for Family { files, members, new_name, of_libraries } in FAMILIES {
        let bytes: Vec<(&str, &[u8])> = files.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
        play(&bytes, Answers::NoServer, async |stage| {
            let ask = |name_path: &str, path: &str| json!({ "name_path": name_path, "relative_path": path, "new_name": new_name });
            for (name_path, path) in members {
                let done = stage.done("rename_symbol", ask(name_path, path)).await;
                assert!(done.ends_with("complete]"), "{name_path} in {path}: {done}");
                for (path, text) in files {
                    assert_eq!(
                        stage.text(path),
                        text.replace("area", new_name),
                        "{name_path}: {path}\n{done}"
                    );
                }
                stage.undo().await;
            }
            for (name_path, path, why) in of_libraries {
                let refused = stage.refused("rename_symbol", ask(name_path, path)).await;
                assert!(refused.starts_with(why), "{name_path} in {path}: {refused}");
            }
        });
    }
}
