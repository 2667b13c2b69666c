//! Effects of renames in Python that no use of the name shows.

use super::{check, hazards};

#[test]
fn keywords_of_a_name_that_is_bound_again() {
    let text = "//- a.py\ndef g(size): ...\n\ndef h($0size): ...\n\ng = h\ng(size=1)\n";
    check("width", text, &["doubt a.py:6"]);
    let called = "//- a.py\ndef g(size): ...\n\ndef h($0size): ...\n\nk = h\ng(size=1)\n";
    check("width", called, &[]);
}

#[test]
fn keywords_that_a_method_of_a_base_hands_to_the_constructor() {
    let base = "class Base:\n    @classmethod\n    def make(cls, **kw):\n        return cls(**kw)\n\n";
    let user = "class A(Base):\n    def __init__(self, $0size): ...\n\nA.make(size=1)\n";
    let found = hazards("width", &format!("//- a.py\n{base}{user}"));
    assert!(found.iter().any(|one| one.contains("a.py:9")), "{found:?}");
    let other = "class A:\n    def __init__(self, $0size): ...\n\nBase.make(size=1)\n";
    check("width", &format!("//- a.py\n{base}{other}"), &[]);
}

#[test]
fn what_an_f_string_prints_counts_where_it_changes() {
    let text = "//- a.py\ndef f():\n    $0size = 1\n    return f\"{size=}\"\n";
    check("width", text, &["doubt a.py:3"]);
}
