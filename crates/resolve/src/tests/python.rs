//! Python: imports, re-exports, scopes, receivers, keyword arguments.

use super::judged;

#[test]
fn imports_lead_to_the_declaration_through_packages_and_stars() {
    let fixture = "//- pkg/__init__.py\nfrom .inner import mark\n\
        //- pkg/inner.py\ndef $0mark(): pass\nmark()\n\
        //- pkg/star.py\nfrom .inner import *\nmark()\n\
        //- use/a.py\nfrom pkg import mark\n@mark\ndef g(): return mark()\n\
        //- use/b.py\nimport pkg.inner\nfrom pkg import inner as i\npkg.inner.mark(); i.mark; pkg.mark()\n\
        //- use/c.py\nfrom other import mark\nmark()\n\
        //- use/d.py\nfrom pkg.star import mark\nmark()\n\
        //- use/e.py\ndef f(x): return x.mark()\n";
    assert_eq!(
        judged(fixture),
        [
            "pkg/__init__.py:1: likely import",
            "pkg/inner.py:1: likely declaration",
            "pkg/inner.py:2: likely call",
            "pkg/star.py:2: likely call",
            "use/a.py:1: likely import",
            "use/a.py:2: likely use",
            "use/a.py:3: likely call",
            "use/b.py:3: likely call",
            "use/b.py:3: likely use",
            "use/b.py:3: likely call",
            "use/c.py:1: unlikely import",
            "use/c.py:2: unlikely call",
            "use/d.py:1: likely import",
            "use/d.py:2: likely call",
            "use/e.py:1: unchecked call",
        ]
    );
}

#[test]
fn comprehensions_have_a_scope_of_their_own_but_for_the_first_iterable() {
    let fixture = "//- a.py\n$0mark = 1\n\
        a = [mark for mark in mark]\n\
        b = {k: mark for k, mark in mark.items()}\n\
        class C:\n    mark = 2\n    c = [mark for x in y]\n    d = [x for x in mark]\n    \
        e = {x: 1 for x in y if mark}\n";
    assert_eq!(
        judged(fixture),
        [
            "a.py:1: likely declaration",
            "a.py:2: unlikely use",
            "a.py:2: unlikely use",
            "a.py:2: likely use",
            "a.py:3: unlikely use",
            "a.py:3: unlikely use",
            "a.py:3: likely use",
            "a.py:5: unlikely declaration",
            "a.py:6: likely use",
            "a.py:7: unlikely use",
            "a.py:8: likely use",
        ]
    );
}

#[test]
fn what_shadows_a_name_makes_it_another() {
    let fixture = "//- a.py\ndef $0mark(): pass\n\
        def f(mark): return mark\n\
        def g():\n    mark = 1\n    return mark\n\
        def h(x=mark): return [mark for mark in x], mark\n\
        k = lambda mark: mark\n\
        class C:\n    mark = mark\n    def m(self): return mark, self.mark\n\
        # mark\ns = 'mark'\n\
        def o():\n    from b import mark\n    return mark()\n\
        f(mark=1)\n\
        //- b.py\ndef mark(): pass\n";
    assert_eq!(
        judged(fixture),
        [
            "a.py:1: likely declaration",
            "a.py:2: unlikely declaration",
            "a.py:2: unlikely use",
            "a.py:4: unlikely declaration",
            "a.py:5: unlikely use",
            "a.py:6: likely use",
            "a.py:6: unlikely use",
            "a.py:6: unlikely use",
            "a.py:6: likely use",
            "a.py:7: unlikely use",
            "a.py:7: unlikely use",
            "a.py:9: unlikely declaration",
            "a.py:9: likely use",
            "a.py:10: likely use",
            "a.py:10: unlikely use",
            "a.py:14: unlikely import",
            "a.py:15: unlikely call",
            "a.py:16: unlikely argument",
            "b.py:1: unlikely declaration",
        ]
    );
}

#[test]
fn what_a_test_function_makes_reaches_no_other() {
    let fixture = "//- a.py\ndef test_one():\n    class A:\n        def $0go_on(self): pass\n    x = f(A())\n    x.go_on()\n\
        def test_two(made):\n    assert made.go_on()\n\
        def helper(made):\n    assert made.go_on()\n";
    let expected = [
        "a.py:3: likely declaration",
        "a.py:5: unchecked call",
        "a.py:7: unlikely call",
        "a.py:9: unchecked call",
    ];
    assert_eq!(judged(fixture), expected);
    let of_helper = "//- a.py\ndef make():\n    class A:\n        def $0go_on(self): pass\n    return A()\n\
        def test_two():\n    assert make().go_on()\n";
    assert_eq!(judged(of_helper), ["a.py:3: likely declaration", "a.py:6: unchecked call"]);
}

#[test]
fn a_parameter_is_named_in_calls_of_its_function() {
    let fixture = "//- a.py\ndef f($0size): return size\ndef g(size): return f(size=size)\n\
        //- b.py\nfrom a import f\nf(1, size=2)\nx.f(size=3)\nh(size=4)\nsize = 5\n";
    assert_eq!(
        judged(fixture),
        [
            "a.py:1: likely declaration",
            "a.py:1: likely use",
            "a.py:2: unlikely declaration",
            "a.py:2: likely argument",
            "a.py:2: unlikely use",
            "b.py:2: likely argument",
            "b.py:3: unchecked argument",
            "b.py:4: unlikely argument",
            "b.py:5: unlikely declaration",
        ]
    );
}

#[test]
fn members_are_sure_on_self_and_on_the_class_only() {
    let fixture = "//- a.py\nclass A:\n    def $0save(self): pass\n    def m(self): self.save()\n\
        class B(A):\n    def n(self): self.save(); super().save()\n\
        class C(A):\n    def save(self): super().save()\n    def n(self): self.save()\n\
        //- b.py\nfrom a import A\nA.save(x)\ndef f(x): x.save()\nsave()\n\
        class D(unknown.D):\n    def n(self): self.save()\n";
    assert_eq!(
        judged(fixture),
        [
            "a.py:2: likely declaration",
            "a.py:3: likely call",
            "a.py:5: likely call",
            "a.py:5: likely call",
            "a.py:7: unlikely declaration",
            "a.py:7: likely call",
            "a.py:8: unlikely call",
            "b.py:2: likely call",
            "b.py:3: unchecked call",
            "b.py:4: unlikely call",
            "b.py:6: unchecked call",
        ]
    );
}

#[test]
fn line_ends_comments_and_astral_characters_move_nothing() {
    let fixture = "//- a.py\ns = '\u{1F600}'; T = 1\r\ndef $0mark(): pass\r\n\
        def f():\r\n    # A sentence ends.\r\n    mark()\r\n    x = '\u{1F600}'; mark\r\n";
    assert_eq!(judged(fixture), ["a.py:2: likely declaration", "a.py:5: likely call", "a.py:6: likely use"]);
}

#[test]
fn relative_imports_and_source_roots() {
    let fixture = "//- src/lib/__init__.py\n\
        //- src/lib/json.py\ndef $0dump(): pass\n\
        //- src/lib/sub/__init__.py\nfrom ..json import dump\nfrom .. import json\njson.dump()\n\
        //- tests/test_a.py\nfrom lib.json import dump\n\
        //- tests/test_b.py\nimport json\njson.dump()\nfrom json import dump\n";
    assert_eq!(
        judged(fixture),
        [
            "src/lib/json.py:1: likely declaration",
            "src/lib/sub/__init__.py:1: likely import",
            "src/lib/sub/__init__.py:3: likely call",
            "tests/test_a.py:1: likely import",
            "tests/test_b.py:2: unlikely call",
            "tests/test_b.py:3: unlikely import",
        ]
    );
}

#[test]
fn rings_of_imports_end() {
    let fixture = "//- a.py\nfrom b import *\nfrom b import mark\ndef $0other(): pass\n\
        //- b.py\nfrom a import *\nfrom a import mark\nother()\n";
    assert_eq!(judged(fixture), ["a.py:3: likely declaration", "b.py:3: likely call"]);
}

#[test]
fn a_file_may_use_what_it_imports_through_its_module_too() {
    let fixture = "//- pkg/__init__.py\nfrom . import inner\n//- pkg/inner.py\nclass $0Mark: pass\n\
        //- use.py\nimport pkg\nfrom pkg.inner import Mark\ndef f(x=pkg.inner.Mark): return x.Mark, x.y.Mark, Mark\n";
    let expected = [
        "pkg/inner.py:1: likely declaration",
        "use.py:2: likely import",
        "use.py:3: likely use",
        "use.py:3: unlikely use",
        "use.py:3: unchecked use",
        "use.py:3: likely use",
    ];
    assert_eq!(judged(fixture), expected);
}

#[test]
fn a_member_beyond_the_base_classes_that_are_searched_is_unchecked() {
    let mut fixture = "//- a.py\nclass C0:\n    def $0mark(self): pass\n".to_owned();
    for number in 1..100 {
        fixture += &format!("class C{number}(C{}): pass\n", number - 1);
    }
    let near = format!("{fixture}class Near(C10):\n    def m(self): self.mark()\n");
    assert_eq!(judged(&near).last().unwrap(), "a.py:103: likely call");
    let far = format!("{fixture}class Far(C99):\n    def m(self): self.mark()\n");
    assert_eq!(judged(&far).last().unwrap(), "a.py:103: unchecked call");
}
