//! Bodies given for symbols, through the real daemon and in both toolsets: they end up at the right column,
//! whatever column they were written for, and what would harm the file is rejected with the line, and nothing
//! is written.

use serde_json::{Value, json};

use super::edit_agent::{Agent, CALC, of_file, put, text_of, things};
use crate::support::User;

fn body(name_path: &str, body: &str) -> Value {
    of_file(json!({ "name_path": name_path, "body": body }))
}

#[test]
fn a_body_from_the_margin_takes_its_methods_column() {
    let user = User::new();
    for toolset in ["native", "serena"] {
        put(&user, "calc.py", CALC);
        let mut agent = Agent::new(&user, toolset);
        agent.done("replace_symbol_body", body("Calc/sub", "def sub(self, a, b):\n    return b - a\n"));
        let expected = CALC.replace("return a - b", "return b - a");
        assert_eq!(text_of(&user, "calc.py"), expected, "{toolset}");
        // The insertion does not close the class.
        agent.done("insert_after_symbol", body("Calc/add", "def neg(self, a):\n    return -a\n"));
        let expected = expected.replace("a + b\n", "a + b\n\n    def neg(self, a):\n        return -a\n");
        assert_eq!(text_of(&user, "calc.py"), expected, "{toolset}");
        agent.done("insert_before_symbol", body("Calc/add", "\tdef pos(self, a):\n\t\treturn '''\n\t'''\n"));
        let expected = expected
            .replace("    def add", "    def pos(self, a):\n        return '''\n\t'''\n\n    def add");
        assert_eq!(text_of(&user, "calc.py"), expected, "{toolset}");
    }
}

#[test]
fn indentation_as_given_is_still_to_be_had() {
    let user = User::new();
    put(&user, "calc.py", CALC);
    let mut agent = Agent::new(&user, "native");
    let mut edit = body("Calc/sub", "def sub(self, a, b):\n    return b - a\n");
    edit["indent"] = "given".into();
    let refusal = agent.refused("replace_symbol_body", edit.clone());
    assert_eq!(
        refusal,
        "calc.py: Python would not accept the file: line 5: `def sub(self, a, b):` would have an empty block; nothing was \
         written; correct the text, or give force: true"
    );
    assert_eq!(text_of(&user, "calc.py"), CALC);
    edit["force"] = true.into();
    agent.done("replace_symbol_body", edit);
    assert_eq!(text_of(&user, "calc.py"), CALC.replace("        return a - b", "    return b - a"));
}

#[test]
fn what_would_harm_the_file_is_refused_and_names_the_line() {
    let user = User::new();
    put(&user, "calc.py", CALC);
    put(&user, "Box.kt", "class Box {\n    fun get() = 1\n\n    fun put() = 2\n}\n");
    let first = things(&user);
    let (mut native, mut serena) = (Agent::new(&user, "native"), Agent::new(&user, "serena"));
    let cases = [
        (
            body("Calc/sub", "return b - a"),
            "calc.py: the body must be the whole symbol, as it is now (line 5: `def sub(self, a, b):`), and it declares nothing; \
             nothing was written; correct the text, or give force: true",
        ),
        (
            body("Calc/sub", "def sub(self, a, b):\n    pass\n\ndef more(self):\n    pass"),
            "calc.py: the body must be the whole symbol, as it is now (line 5: `def sub(self, a, b):`), and it declares 2: method \
             'sub', method 'more'; nothing was written; correct the text, or give force: true",
        ),
        (
            body("Calc/sub", "def sub(self, a, b):\n        x = 1\n          y = 2"),
            "calc.py: Python would not accept the file: line 7: `y = 2` would be at another column than its block; nothing \
             was written; correct the text, or give force: true",
        ),
    ];
    for (edit, expected) in cases {
        assert_eq!(native.refused("replace_symbol_body", edit), expected);
    }
    assert_eq!(
        serena.refused("replace_symbol_body", body("Calc/sub", "def sub(self, a, b):\n")),
        "Error: calc.py: Python would not accept the file: line 5: `def sub(self, a, b):` would have an empty block; nothing was \
         written"
    );
    let swallows = json!({ "name_path": "Box/get", "relative_path": "Box.kt", "body": "fun get() = 1 /*" });
    assert_eq!(
        serena.refused("replace_symbol_body", swallows),
        "Error: Box.kt: 'Box' (line 1) would no longer be declared; nothing was written"
    );
    assert_eq!(things(&user), first);
    // A different name is accepted.
    native.done("replace_symbol_body", body("Calc/sub", "def less(self, a, b):\n    return a - b"));
    assert_eq!(text_of(&user, "calc.py"), CALC.replace("def sub", "def less"));
}

#[test]
fn of_a_file_that_does_not_parse_only_the_other_declarations_count() {
    let user = User::new();
    let broken = format!("{CALC}x = (\n");
    put(&user, "calc.py", &broken);
    let mut native = Agent::new(&user, "native");
    native.done("replace_symbol_body", body("Calc/sub", "sub = None"));
    assert_eq!(
        text_of(&user, "calc.py"),
        broken.replace("def sub(self, a, b):\n        return a - b", "sub = None")
    );
}

#[test]
fn no_edit_of_a_symbol_reaches_beyond_it() {
    let user = User::new();
    put(&user, "pair.py", "c, d = 3, 4\nprint(d)\n\n\nclass K: x = 1; y = 2\n");
    put(&user, "A.java", "class A { void f() {} void g() {} }\n");
    let first = things(&user);
    for (toolset, starts) in [("native", ""), ("serena", "Error: ")] {
        let mut agent = Agent::new(&user, toolset);
        let alone = json!({ "name_path": "c", "relative_path": "pair.py", "body": "c = 9" });
        let told = agent.refused("replace_symbol_body", alone);
        let expected = format!(
            "{starts}pair.py: 'c' is bound together with 'd' by one statement (line 1), which the body replaces as a whole; declare it \
             in the body, too, or edit that line; nothing was written"
        );
        assert!(told.starts_with(&expected), "{toolset}: {told}");
        let beside = json!({ "name_path": "K/x", "relative_path": "pair.py", "body": "z = 3" });
        for tool in ["insert_before_symbol", "insert_after_symbol"] {
            let told = agent.refused(tool, beside.clone());
            assert!(
                told.starts_with(&format!(
                    "{starts}'K/x' is on the same line as the head of its block (pair.py:5: "
                )),
                "{told}"
            );
        }
        assert_eq!(things(&user), first, "{toolset}");
        let both = json!({ "name_path": "c", "relative_path": "pair.py", "body": "c, d = 9, 9" });
        agent.done("replace_symbol_body", both);
        let member = json!({ "name_path": "A/f", "relative_path": "A.java", "body": "void n() {}" });
        agent.done("insert_after_symbol", member);
        let expected = "class A { void f() {}\n\n    void n() {}\n\n    void g() {} }\n";
        assert_eq!(text_of(&user, "A.java"), expected, "{toolset}");
        put(&user, "pair.py", "c, d = 3, 4\nprint(d)\n\n\nclass K: x = 1; y = 2\n");
        put(&user, "A.java", "class A { void f() {} void g() {} }\n");
    }
}

#[test]
fn a_body_of_another_kind_is_refused_where_its_users_would_break() {
    let user = User::new();
    put(&user, "K.kt", "class K {\n    fun n() = 2\n\n    val p = 1\n}\n");
    put(&user, "C.cs", "class C\n{\n    public int P { get; set; }\n}\n");
    put(&user, "q.ts", "export class Q {\n  get p() { return 1 }\n}\n\nexport function f() { return 1 }\n");
    let mut native = Agent::new(&user, "native");
    for (path, name, body, signature, held) in [
        ("K.kt", "K/n", "val n = 2", "2: `fun n() = 2`", "property 'n'"),
        ("K.kt", "K/p", "fun p() = 2", "4: `val p = 1`", "method 'p'"),
        ("C.cs", "C/P", "public int P() => 2;", "3: `public int P { get; set; }`", "method 'P'"),
        ("q.ts", "Q/p", "p() { return 1 }", "2: `get p() { return 1 }`", "method 'p'"),
    ] {
        let edit = json!({ "name_path": name, "relative_path": path, "body": body });
        let before = text_of(&user, path);
        assert_eq!(
            native.refused("replace_symbol_body", edit.clone()),
            format!(
                "{path}: the body must be the whole symbol, as it is now (line {signature}), and it declares the {held}; nothing was \
                 written; correct the text, or give force: true"
            )
        );
        let mut forced = edit;
        forced["force"] = json!(true);
        native.done("replace_symbol_body", forced);
        assert_ne!(text_of(&user, path), before);
    }
    let arrow = json!({ "name_path": "f", "relative_path": "q.ts", "body": "export const f = () => 1" });
    native.done("replace_symbol_body", arrow);
}
