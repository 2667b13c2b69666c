//! Names as people and agents write them: readings other than a name path, overloads of one name, several
//! declarations of one thing; through the real daemon, without a language server.

use serde_json::Value;

use crate::support::{User, write};

const APP: &str = "class App:\n    def run(self): ...\n\n\nclass Flask(App):\n    def run(self, host=None):\n        return self.start(host)\n\n    \
                   def start(self, host):\n        return host\n";

fn project(files: &[(&str, &str)]) -> User {
    let user = User::new();
    let languages = ["python", "kotlin", "java", "rust", "go", "c", "cpp", "typescript"];
    let none = |name: &str| format!("[[language]]\nname = \"{name}\"\nlanguage-servers = []\n");
    write(&user.path("config/languages.toml"), &languages.map(none).concat());
    for (path, text) in files {
        let path = user.path(&format!("project/{path}"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        write(&path, text);
    }
    user
}

fn polyglot() -> User {
    project(&[
        ("src/flask/__init__.py", "from .app import Flask as Flask\n"),
        ("src/flask/app.py", APP),
        ("serve.py", "from flask import Flask\n\n\ndef main():\n    Flask().run()\n"),
        (
            "app/Call.kt",
            "package io.demo\n\nfun ApplicationCall.respondText(text: String) {}\n\
             fun ApplicationCall.respondText(\n    text: String,\n    status: Int,\n) {}\n\
             fun Other<Int>.respondText(text: String) {}\n",
        ),
        ("crawl.rs", "pub struct Crawler;\nimpl Crawler {\n    pub fn crawl(&self) {}\n}\n"),
        ("server.go", "package main\n\nfunc (s *Server) Open(x int) {}\n\nfunc (f File) Open() {}\n"),
    ])
}

#[test]
fn a_name_that_is_no_name_path_is_understood_and_said_to_be() {
    let user = polyglot();
    let cases = [
        ("Flask.run", "src/flask/app.py:6-7 method Flask/run(self, host=None)", "read as Flask/run"),
        ("Flask/run()", "src/flask/app.py:6-7 method Flask/run(self, host=None)", "read as Flask/run"),
        (
            "Flask.run(self, host)",
            "src/flask/app.py:6-7 method Flask/run(self, host=None)",
            "read as Flask/run",
        ),
        ("flask.app.Flask", "src/flask/app.py:5-10 class Flask(App)", "read as Flask in src/flask/app.py"),
        (
            "flask.Flask.run",
            "src/flask/app.py:6-7 method Flask/run(",
            "read as Flask/run in src/flask/app.py",
        ),
        ("Crawler::crawl", "crawl.rs:3 method impl Crawler/crawl(&self)", "read as impl Crawler/crawl"),
        ("Server.Open", "server.go:3 method (*Server) Open[0](x int)", "read as Open of Server"),
    ];
    for (name, line, meaning) in cases {
        let text = user.check(&["find", name], 0);
        let (first, footer) = text.trim_end().split_once('\n').unwrap();
        assert!(first.starts_with(line), "{name}: {text}");
        assert!(
            footer.contains(&format!("; {meaning};")) && footer.starts_with("[1 symbol; "),
            "{name}: {text}"
        );
    }
    let extension = user.check(&["find", "ApplicationCall/respondText"], 0);
    assert!(
        extension.contains("\n 3 function (ApplicationCall) respondText[0](text: String)\n"),
        "{extension}"
    );
    assert!(
        extension.contains("[2 symbols;") && extension.contains("read as respondText of ApplicationCall")
    );
    let body = user.check(&["find", "Flask.start", "--body"], 0);
    assert!(body.contains("    def start(self, host):\n        return host\n"), "{body}");
    let json = r#"{"name_path_pattern": "Flask.run", "format": "json"}"#;
    let json: Value = serde_json::from_str(&user.check(&["call", "find_symbol", json], 0)).unwrap();
    assert_eq!(json["read_as"], "Flask/run", "{json}");
}

#[test]
fn the_literal_reading_comes_first_and_nothing_is_made_up() {
    let user = polyglot();
    let literal = user.check(&["find", "Flask/run"], 0);
    assert!(!literal.contains("read as") && literal.contains("[1 symbol; complete]"), "{literal}");
    for name in ["Flask.walk", "django.app.Flask", "Flask.app", "Wrong/respondText", "Flask::Crawler::crawl"]
    {
        let text = user.check(&["find", name], 0);
        assert!(text.starts_with("No symbols match."), "{name}: {text}");
    }
    // Only at the top level.
    assert!(user.check(&["find", "/run()"], 0).starts_with("No symbols match."));
    assert!(user.check(&["find", "/Flask.run"], 0).contains("read as Flask/run"));
}

#[test]
fn questions_about_a_symbol_understand_its_name_too() {
    let user = polyglot();
    for command in ["refs", "callers", "callees", "impls", "hover", "def"] {
        let text = user.check(&[command, "Flask.run"], 0);
        assert!(text.lines().last().unwrap().contains("; read as Flask/run"), "{command}: {text}");
        let literal = user.check(&[command, "Flask/run"], 0);
        assert!(!literal.contains("read as"), "{command}: {literal}");
    }
    assert!(user.check(&["refs", "Flask.run"], 0).starts_with("serve.py:5"));
}

#[test]
fn an_edit_never_acts_on_another_reading_and_names_it() {
    let user = polyglot();
    let edits = [
        ("rename_symbol", r#"{"name_path": "Flask.run", "new_name": "go"}"#),
        ("replace_symbol_body", r#"{"name_path": "Flask.run", "body": "def run(self): pass"}"#),
        ("insert_after_symbol", r#"{"name_path": "Flask.run", "body": "def go(self): pass"}"#),
        ("safe_delete", r#"{"name_path": "Flask.run", "force": true}"#),
    ];
    for (tool, arguments) in edits {
        let text = user.check(&["call", tool, arguments], 1);
        assert!(
            text.starts_with(
                "No symbol matching 'Flask.run' found. Did you mean:\nsrc/flask/app.py:6-7 method Flask/run(self, host=None)"
            ),
            "{tool}: {text}"
        );
    }
    assert_eq!(std::fs::read_to_string(user.path("project/src/flask/app.py")).unwrap(), APP);
}

const ACCOUNTS: &str = "class Account(val id: Int) {\n    companion object Registry {\n        fun create() = Account(1)\n    }\n}\n\
                        class Plain {\n    companion object { const val LIMIT = 3 }\n}\n\
                        class Both {\n    fun make() = 1\n    companion object { fun make(x: Int) = x }\n}\n\
                        object Single { object Inner { fun hit() = 1 } }\nval made = Account.create()\n";

#[test]
fn members_of_companions_are_named_through_their_class_in_edits_too() {
    let user = project(&[("Account.kt", ACCOUNTS)]);
    for (name, line, meaning) in [
        (
            "Account/create",
            "Account.kt:3 method Account/Registry/create()",
            "read as Account/Registry/create",
        ),
        ("/Plain/LIMIT", "Account.kt:7 property Plain/Companion/LIMIT", "read as Plain/Companion/LIMIT"),
        ("Plain.LIMIT", "Account.kt:7 property Plain/Companion/LIMIT", "read as Plain/Companion/LIMIT"),
    ] {
        let text = user.check(&["find", name], 0);
        assert!(text.starts_with(line) && text.contains(meaning), "{name}: {text}");
    }
    let literal = user.check(&["find", "Both/make"], 0);
    assert!(literal.contains("[1 symbol;") && !literal.contains("read as"), "{literal}");
    for name in ["Single/hit", "/create", "Account/Registry/Registry"] {
        let text = user.check(&["find", name], 0);
        assert!(text.starts_with("No symbols match."), "{name}: {text}");
    }
    let refs = user.check(&["refs", "Account/create"], 0);
    assert!(refs.starts_with("Account.kt:14 in made") && refs.contains("[1 reference"), "{refs}");
    user.check(&["call", "rename_symbol", r#"{"name_path": "Account/create", "new_name": "open"}"#], 0);
    user.check(&["call", "rename_symbol", r#"{"name_path": "Plain/LIMIT", "new_name": "MAX"}"#], 0);
    let renamed = ACCOUNTS.replace("create", "open").replace("LIMIT", "MAX");
    assert_eq!(std::fs::read_to_string(user.path("project/Account.kt")).unwrap(), renamed);
}

const SHOP: &str = "class Shop {\n    int size(int... a) { return 0; }\n    int size(String b,\n             long... c) { return size(c); }\n    \
                    int other() { return size(1) + size(\"x\", 2); }\n}\nclass Stall {\n    int size() { return 0; }\n}\n";

#[test]
fn a_question_about_overloads_is_answered_for_all_of_their_container() {
    let user = project(&[("Shop.java", SHOP)]);
    let refs = user.check(&["refs", "Shop/size"], 0);
    assert!(
        refs.starts_with("# Shop.java:2 method Shop/size[0](int... a) -> int\n# Shop.java:3-4 method Shop/size[1](String b, long... c) -> int\n"),
        "{refs}"
    );
    assert!(
        refs.contains("\nShop.java\n in Shop/\n  4? size[1]: ") && refs.contains("\n  5? other: "),
        "{refs}"
    );
    let callers = user.check(&["callers", "Shop/size"], 0);
    assert!(callers.contains("method Shop/size[1](String b, long... c) -> int\n"), "{callers}");
    assert!(callers.contains("Shop.java:5 method Shop/other @ 5 ?"), "{callers}");
    let callees = user.check(&["callees", "Shop/size"], 0);
    let groups: Vec<&str> = callees.split("\n\n").collect();
    assert!(
        groups[0].starts_with("# Shop.java:2 method Shop/size[0]") && groups[0].contains("No callees."),
        "{callees}"
    );
    assert!(
        groups[1].starts_with("# Shop.java:3-4 method Shop/size[1]") && groups[1].contains("@ 4"),
        "{callees}"
    );
    let json = r#"{"name_path": "Shop/size", "format": "json"}"#;
    let json: Value = serde_json::from_str(&user.check(&["call", "find_callees", json], 0)).unwrap();
    assert_eq!(json["overloads"][1]["symbols"][0]["signature"], "(String b, long... c) -> int", "{json}");
    let impact = user.check(&["impact", "Shop/size"], 0);
    for overload in ["Shop/size[0] (Shop.java:2)\n", "Shop/size[1] (Shop.java:3)\n"] {
        assert!(impact.contains(&format!("signature of method {overload}")), "{impact}");
    }
    assert!(impact.contains("Shop.java:5 method Shop/other @ 5?"), "{impact}");
    let json = r#"{"name_path": "Shop/size", "format": "json"}"#;
    let json: Value = serde_json::from_str(&user.check(&["call", "impact", json], 0)).unwrap();
    assert_eq!(json["overloads"][1]["symbol"]["name_path"], "Shop/size[1]", "{json}");
    assert_eq!(json["complete"], false, "{json}");
    // The uses of only one of them.
    let one = user.check(&["refs", "Shop/size[0]"], 0);
    assert!(!one.starts_with('#'), "{one}");
    // Of two types.
    let both = user.check(&["refs", "size"], 1);
    assert!(both.starts_with("3 symbols match 'size'; "), "{both}");
    assert!(both.ends_with("\nShop.java:8 method Stall/size() -> int\n"), "{both}");
}

#[test]
fn of_hundreds_of_overloads_one_is_asked_for() {
    let overloads: String = (0..257).map(|n| format!("    int size(T{n} a) {{ return {n}; }}\n")).collect();
    let user = project(&[("Shop.java", &format!("class Shop {{\n{overloads}}}\n"))]);
    let text = user.check(&["refs", "Shop/size"], 1);
    assert!(text.starts_with("257 symbols match 'Shop/size'; "), "{text}");
    let one = user.check(&["refs", "Shop/size[256]"], 0);
    assert!(!one.contains(" symbols match "), "{one}");
}

#[test]
fn an_edit_of_overloads_demands_an_index_and_shows_signatures() {
    let user = project(&[("Shop.java", SHOP)]);
    let edits = [
        ("rename_symbol", r#"{"name_path": "Shop/size", "new_name": "count"}"#),
        ("replace_symbol_body", r#"{"name_path": "Shop/size", "body": "int size() { return 1; }"}"#),
        ("safe_delete", r#"{"name_path": "Shop/size"}"#),
    ];
    for (tool, arguments) in edits {
        let text = user.check(&["call", tool, arguments], 1);
        assert!(text.contains("\nShop.java:2 method Shop/size[0](int... a) -> int\nShop.java:3-4 method Shop/size[1](String b, long... c) -> int"), "{text}");
    }
    assert_eq!(std::fs::read_to_string(user.path("project/Shop.java")).unwrap(), SHOP);
}

#[test]
fn methods_of_two_receivers_are_no_overloads() {
    let user = project(&[
        ("server.go", "package main\n\nfunc (s *Server) Open(x int) {}\n\nfunc (f File) Open() {}\n"),
        ("car.cpp", "void Car::drive(int x) {}\nvoid Car::drive() {}\nvoid Truck::drive() {}\n"),
    ]);
    for name in ["Open", "drive"] {
        assert!(user.check(&["refs", name], 1).contains(" symbols match "), "{name}");
    }
    let read = user.check(&["refs", "Car::drive"], 0);
    assert!(read.starts_with("# car.cpp:1 method (Car) drive[0](int x) -> void\n"), "{read}");
    assert!(read.contains("read as drive of Car") && !read.contains("Truck"), "{read}");
}

#[test]
fn declarations_that_are_one_thing_are_answered_once() {
    let user = project(&[
        ("shop.h", "struct shop;\nint shop_open(struct shop *s, int x);\n"),
        ("shop.c", "#include \"shop.h\"\nint shop_open(struct shop *shop, int y) {\n    return y;\n}\n"),
        ("main.c", "#include \"shop.h\"\nint main(void) { return shop_open(0, 1); }\n"),
        ("one.c", "static int helper(void) { return 1; }\n"),
        ("two.c", "static int helper(void) { return 2; }\n"),
        (
            "sizes.py",
            "from typing import overload\n\n\n@overload\ndef size(x: int) -> int: ...\n@overload\ndef size(x: str) -> str: ...\n\
             def size(x):\n    return grow(x)\n\n\ndef grow(x):\n    return x\n\n\nsize(1)\n",
        ),
        (
            "common/Platform.kt",
            "package demo\nexpect fun platformName(x: Int): String\nexpect fun platformName(): String\n",
        ),
        (
            "jvm/Platform.kt",
            "package demo\nactual fun platformName(x: Int): String = \"jvm\"\nactual fun platformName(): String = \"\"\n",
        ),
    ]);
    let c = user.check(&["refs", "shop_open"], 0);
    assert!(c.starts_with("# shop.c:2-4 function shop_open(struct shop *shop, int y) -> int\n# shop.h:2 function shop_open(struct shop *s, int x) -> int\n"), "{c}");
    assert_eq!(c.matches("main.c:2").count(), 1, "{c}");
    assert!(!c.contains("\n\n"), "one group: {c}");
    assert!(user.check(&["refs", "helper"], 1).starts_with("2 symbols match "));
    let python = user.check(&["callees", "size"], 0);
    assert!(python.contains("sizes.py:12 function grow @ 9"), "of the implementation: {python}");
    assert!(!python.contains("\n\n"), "{python}");
    let kotlin = user.check(&["callees", "platformName"], 0);
    let groups: Vec<&str> = kotlin.split("\n\n").collect();
    assert!(
        groups[0].starts_with(
            "# common/Platform.kt:2 function platformName[0](x: Int): String\n# jvm/Platform.kt:2 function"
        ),
        "{kotlin}"
    );
}

#[test]
fn a_name_that_only_one_symbol_has_needs_no_file() {
    let user = project(&[
        ("a.py", "def only():\n    pass\n\n\ndef twice(x):\n    only()\n"),
        ("b.py", "def twice(x, y):\n    pass\n"),
    ]);
    let text = user.check(&["rename", "only", "alone"], 0);
    assert!(text.starts_with("a.py: 2\n"), "{text}");
    let several = user.check(&["rename", "twice", "thrice"], 1);
    assert!(several.ends_with("\na.py:5-6 function twice(x)\nb.py:1-2 function twice(x, y)\n"), "{several}");
    let one = user.check(&["rename", "twice", "thrice", "--in", "b.py:1", "--force"], 0);
    assert!(one.contains("b.py: 1"), "{one}");
}
