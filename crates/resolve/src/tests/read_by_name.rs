//! Declarations that Python, pytest and Kotlin look up by name.

use super::*;

fn reader(fixture: &str, new_name: &str) -> Option<&'static str> {
    let (texts, (path, at)) = files(fixture);
    let memory = memory(texts);
    find_external_reader(&memory, &target(&memory, &path, at), new_name)
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
        ("class operator(val $0plus: Int)", None),
    ] {
        assert_eq!(reader(&format!("//- a.kt\n{text}\n"), "add"), expected, "{text}");
    }
}
