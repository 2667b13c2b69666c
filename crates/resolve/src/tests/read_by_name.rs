//! Declarations that Python, pytest and Kotlin look up by name.

use super::*;

fn reader(fixture: &str, new_name: &str) -> Option<&'static str> {
    let (texts, (path, at)) = files(fixture);
    let memory = memory(texts);
    find_external_reader(&memory, &target(&memory, &path, at), Some(new_name))
}

#[test]
fn python_and_pytest_find_declarations_by_their_names() {
    for (fixture, expected) in [
        ("//- a.py\n$0__all__ = []\n", Some("Python")),
        ("//- a.py\nclass A:\n    def $0__len__(self): pass\n", Some("Python")),
        ("//- conftest.py\n$0collect_ignore = []\n", Some("pytest")),
        ("//- a/conftest.py\ndef $0pytest_configure(): pass\n", Some("pytest")),
        ("//- a/conftest.py\ndef $0app(): pass\n", None),
        ("//- test_a.py\ndef $0test_one(): pass\n", Some("pytest")),
        ("//- test_a.py\nclass $0TestA: pass\n", Some("pytest")),
        ("//- test_a.py\nclass A:\n    def $0setup_method(self): pass\n", Some("pytest")),
        ("//- test_a.py\ndef f():\n    class $0TestA: pass\n", None),
        ("//- a.py\n$0collect_ignore = []\n", None),
        ("//- a.py\ndef $0test_one(): pass\n", None),
    ] {
        assert_eq!(reader(fixture, "other"), expected, "{fixture}");
    }
    assert_eq!(reader("//- test_a.py\ndef $0test_one(): pass\n", "test_two"), None);
}

#[test]
fn kotlins_operators_find_functions_by_their_names() {
    for (text, expected) in [
        ("class V { operator fun $0plus(o: V) = o }", Some("a Kotlin operator")),
        ("private operator fun V.$0contains(i: Int) = true", Some("a Kotlin operator")),
        ("class V { fun $0plus(o: V) = o }", None),
        ("class V { operator fun plus(o: V) = o\nfun $0other() = 1 }", None),
        ("class V : W { override fun $0plus(o: V) = o }", Some("a Kotlin operator")),
        ("class V : W { override fun $0add(o: V) = o }", None),
        ("class operator(val $0plus: Int)", None),
    ] {
        assert_eq!(reader(&format!("//- a.kt\n{text}\n"), "add"), expected, "{text}");
    }
}

#[test]
fn starts_and_interfaces_find_functions_by_their_names() {
    for (fixture, new_name, expected) in [
        ("//- a.c\nint $0main(void) { return 0; }\n", "other", Some("the program's start")),
        (
            "//- a.go\npackage a\nfunc (e E) $0Error() string { return \"\" }\n",
            "Text",
            Some("an interface of Go's standard library"),
        ),
        ("//- a.go\npackage a\nfunc $0Error() string { return \"\" }\n", "Text", None),
        ("//- a_test.go\npackage a\nfunc $0TestA(t *testing.T) {}\n", "checkA", Some("go test")),
        ("//- a_test.go\npackage a\nfunc $0TestA(t *testing.T) {}\n", "TestB", None),
        (
            "//- A.java\nclass A { public static void $0main(String[] a) {} }\n",
            "run",
            Some("the program's start"),
        ),
    ] {
        assert_eq!(reader(fixture, new_name), expected, "{fixture}");
    }
}

fn user(fixture: &str) -> String {
    let (texts, (path, at)) = files(fixture);
    let memory = memory(texts);
    let target = target(&memory, &path, at);
    match everywhere(&memory, |memory| unseen_user(memory, &target)) {
        Some(UnseenUser::Reader(reader)) => reader.to_owned(),
        Some(UnseenUser::Annotation(annotation)) => annotation,
        None => String::new(),
    }
}

#[test]
fn what_uses_a_declaration_without_its_name() {
    for (fixture, expected) in [
        ("//- a.go\npackage main\nfunc $0main() {}\n", "the program's start"),
        ("//- a.go\npackage a\nfunc $0init() {}\n", "Go"),
        ("//- a_test.go\npackage a\nfunc $0TestA(t *testing.T) {}\n", "go test"),
        ("//- a_test.go\npackage a\nfunc $0Testing(t *testing.T) {}\n", ""),
        ("//- a.go\npackage a\nfunc $0TestA() {}\n", ""),
        ("//- main.rs\nfn $0main() {}\n", "the program's start"),
        ("//- a.rs\n#[test]\nfn $0adds() {}\n", "#[test]"),
        ("//- a.rs\n#[inline]\nfn $0adds() {}\n", ""),
        ("//- a.kt\nfun $0main() {}\n", "the program's start"),
        ("//- a.kt\nclass A { fun $0main() {} }\n", ""),
        ("//- a.kt\nclass A {\n    @Test fun $0adds() {}\n}\n", "@Test"),
        ("//- a.kt\n@Suppress(\"x\", \"@y\")\ninternal fun $0f() {}\n", ""),
        ("//- A.java\nclass A { public static void $0main(String[] a) {} }\n", "the program's start"),
        ("//- A.java\nclass A { @Deprecated @org.junit.Test public void $0f() {} }\n", "@org.junit.Test"),
        (
            "//- A.cs\nclass A {\n    [Fact, Trait(\"a\", \"b\")]\n    public int[] $0F() => null;\n}\n",
            "[Fact]",
        ),
        ("//- A.cs\nclass A {\n    [Obsolete]\n    public int[] $0F() => null;\n}\n", ""),
        ("//- a.c\nint $0main(void) { return 0; }\n", "the program's start"),
        ("//- a.py\n@app.route('/')  # it's it\ndef $0index(): pass\n", "@app.route"),
        ("//- a.py\n@functools.lru_cache(maxsize=None)\ndef $0index(): pass\n", ""),
        ("//- a.py\nclass A:\n    @x.setter\n    def $0x(self, x): pass\n", ""),
        ("//- conftest.py\n@pytest.fixture(scope='session')\ndef $0db(): pass\n", ""),
        ("//- conftest.py\n@pytest.fixture(autouse=True)\ndef $0db(): pass\n", "pytest"),
        ("//- test_a.py\ndef $0test_a(): pass\n", "pytest"),
        ("//- a.ts\n@Component({a: 1})\nclass $0A {}\n", "@Component"),
    ] {
        assert_eq!(user(fixture), expected, "{fixture}");
    }
}

#[test]
fn types_from_outside_may_ask_for_a_method_of_go() {
    let uses = |fixture: &str| {
        let (texts, (path, at)) = files(fixture);
        let memory = memory(texts);
        let target = target(&memory, &path, at);
        let found = go_rename_obstacles(&memory, &[target], &Cancel::new()).expect("not cancelled");
        found.outside_use.map(|(path, range)| format!("{path}:{}", range.start))
    };
    let code = |use_of: &str| {
        format!(
            "//- a.go\npackage a\nimport \"ext.org/lib\"\ntype A struct {{ lib.Mixin }}\nfunc (a A) $0Show() {{}}\ntype B struct {{ lib.Mixin }}\nfunc f(thing lib.Thing, a A, b B) {{ {use_of} }}\n"
        )
    };
    for (use_of, is_found) in [
        ("thing.Show()", true),
        ("b.Show()", true),
        ("lib.Show()", false),
        ("a.Show()", false),
        ("thing.Other()", false),
    ] {
        assert_eq!(uses(&code(use_of)).is_some(), is_found, "{use_of}");
    }
    assert_eq!(uses(&code("thing.show()").replace("Show", "show")), None);
}

#[test]
fn interfaces_of_the_project_ask_for_methods_of_go() {
    let places = |fixture: &str| {
        let (texts, (path, at)) = files(fixture);
        let memory = memory(texts);
        let target = target(&memory, &path, at);
        let found = go_rename_obstacles(&memory, &[target], &Cancel::new()).expect("not cancelled");
        let text =
            |path: &RelPath| &memory.texts.iter().find(|(known, _)| known == path).expect("is there").1;
        found
            .of_interfaces
            .iter()
            .map(|(path, range)| text(path)[..range.start as usize].matches('\n').count() + 1)
            .collect::<Vec<_>>()
    };
    let code = "//- a.go\npackage a\ntype I interface { Go(a int)\nShow() }\nfunc (a A) Show() {}\nfunc (b B) Show() {}\n\
                func f(x any) { x.(interface{ Show() }).Show() }\nfunc (b B) Own() {}\nfunc Show() {}\n";
    assert_eq!(places(&code.replacen("Show", "$0Show", 2).replacen("$0Show", "Show", 1)), [3, 6]);
    assert_eq!(places(&code.replacen("Show", "$0Show", 1)), [4, 5, 6]);
    assert_eq!(places(&code.replace("Go(", "$0Go(")), [2]);
    assert!(places(&code.replace("Go(", "$0leap(")).is_empty());
    assert!(places(&code.replace("Own", "$0Own")).is_empty());
    assert!(places(&code.replace("func Show", "func $0Show")).is_empty());
}
