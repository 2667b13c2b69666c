//! Names that others look for.

use super::*;

fn reader(fixture: &str, new_name: &str) -> Option<&'static str> {
    let (texts, (path, at)) = files(fixture);
    let memory = memory(texts);
    read_by_name(&target(&memory, &path, at), new_name)
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
