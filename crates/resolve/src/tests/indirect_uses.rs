//! Uses that neither a declaration's name nor its scope leads to.

use super::*;

/// Returns one line per use: `path:line: name judgement role`, lines 1-based.
#[track_caller]
fn check(fixture: &str, expected: &[&str]) {
    let (texts, (path, at)) = files(fixture);
    let memory = memory(texts);
    let target = target(&memory, &path, at);
    let found =
        everywhere(&memory, |memory| indirect_uses(memory, &target, &Cancel::new()).expect("not cancelled"));
    let shown = |(name, one): &(String, Occurrence)| {
        super::check(&memory, std::slice::from_ref(one), name);
        let text = &memory.texts.iter().find(|(path, _)| *path == one.path).expect("is there").1;
        let line = text[..one.range.start as usize].matches('\n').count() + 1;
        let word = |debug: String| debug.to_lowercase();
        let (judgement, role) = (word(format!("{:?}", one.judgement)), word(format!("{:?}", one.role)));
        format!("{}:{line}: {name} {judgement} {role}", one.path)
    };
    assert_eq!(found.iter().map(shown).collect::<Vec<_>>(), expected, "{fixture}");
}

#[test]
fn a_fixture_is_used_by_the_parameters_of_its_name() {
    let fixture = "//- conftest.py\nimport pytest\n@pytest.fixture\ndef $0db(): pass\n\
        @pytest.fixture\ndef full(db): return db\n\
        //- a/test_a.py\ndef test_one(db): db.go()\n\
        def helper(db): pass\n\
        def test_two():\n    db = 1\n\
        @pytest.mark.parametrize('db', [1])\ndef test_three(db): pass\n\
        @pytest.mark.usefixtures('db')\ndef test_four(): pass\n\
        def test_five(request): request.getfixturevalue(\"db\")\n\
        @given('x')\ndef step(db): pass\n\
        //- b/test_b.py\nfrom pytest import fixture\n@fixture\ndef db(db): pass\ndef test_six(db): pass\n\
        class TestA:\n    @fixture\n    def db(self): pass\n    def test_seven(self, db): pass\n";
    check(
        fixture,
        &[
            "a/test_a.py:1: db likely use",
            "a/test_a.py:7: db likely use",
            "a/test_a.py:9: db likely use",
            "a/test_a.py:11: db likely use",
            "b/test_b.py:3: db unchecked use",
            "conftest.py:5: db likely use",
        ],
    );
}

#[test]
fn a_fixture_may_have_another_name_and_may_be_in_a_plugin() {
    let named = "//- conftest.py\n@fixture(scope='module', name='db')\ndef $0make_db(): pass\n\
        //- test_a.py\ndef test_a(db): pass\ndef test_b(make_db): pass\n";
    check(named, &["test_a.py:1: db likely use"]);
    let of_plugin = "//- plugin.py\n@pytest.fixture\ndef $0db(): pass\n//- test_a.py\ndef test_a(db): pass\n";
    check(of_plugin, &["test_a.py:1: db unchecked use"]);
    let elsewhere =
        "//- a/conftest.py\n@pytest.fixture\ndef $0db(): pass\n//- test_a.py\ndef test_a(db): pass\n";
    check(elsewhere, &[]);
    check("//- conftest.py\ndef $0db(): pass\n//- test_a.py\ndef test_a(db): pass\n", &[]);
}

#[test]
fn calls_of_a_class_run_its_constructor() {
    let python = "//- a.py\nclass A:\n    def $0__init__(self): pass\n    @classmethod\n    def make(cls): return cls()\n\
        class B(A): pass\nclass C(A):\n    def __init__(self): super().__init__()\n\
        class D(unknown.X, A): pass\n\
        def f(x: A): return A()\nB()\nC()\nD()\n";
    check(
        python,
        &[
            "a.py:4: cls likely call",
            "a.py:9: A likely call",
            "a.py:10: B likely call",
            "a.py:12: D likely call",
        ],
    );
    let script = "//- a.ts\nclass A {\n  $0constructor() {}\n}\nclass B extends A {\n  constructor() { super(); }\n}\n\
        class C extends A {}\nconst a: A = new A();\nnew B();\nnew C();\n";
    check(script, &["a.ts:5: super likely call", "a.ts:8: A likely call", "a.ts:10: C likely call"]);
    let computed = "//- a.js\nclass A {\n  $0constructor() {}\n}\nclass B extends mixed(A) {\n  constructor() { super(); }\n}\n\
        class C extends Other {\n  constructor() { super(); }\n}\n";
    check(computed, &["a.js:5: super unchecked call"]);
}

#[test]
fn constructors_run_others() {
    let java = "//- A.java\nclass A {\n    $0A() {}\n    A(int x) { this(); } // this()\n}\n\
        class B extends A {\n    B() { super(2); }\n    int f() { return super.f(); }\n}\n\
        class C extends B {\n    C() { super(); }\n}\n";
    check(java, &["A.java:3: this unchecked call", "A.java:6: super unchecked call"]);
    let csharp = "//- A.cs\nclass A {\n    public $0A() {}\n    public A(int x) : this() {}\n}\n\
        class B : A {\n    public B() : base() {}\n}\n";
    check(csharp, &["A.cs:3: this unchecked call", "A.cs:6: base unchecked call"]);
}

#[test]
fn arguments_tell_kotlins_constructors_apart() {
    let kotlin = "//- A.kt\npackage p\nopen class A(x: Int) {\n    $0constructor(s: String) : this(s.length)\n    constructor(s: String, i: Int) : this(s)\n}\n\
        class B : A(\"\")\nclass C : A {\n    constructor() : super(\"\")\n    constructor(i: Int) : super(i)\n}\n\
        val a = A(\"b\")\nval b = A(1)\nval c = A(unknown())\nval d = p.A(\"\")\n";
    check(
        kotlin,
        &[
            "A.kt:4: this likely call",
            "A.kt:6: A likely call",
            "A.kt:8: super likely call",
            "A.kt:11: A likely call",
            "A.kt:13: A unchecked call",
            "A.kt:14: A likely call",
        ],
    );
    let entries = "//- E.kt\nenum class E(val x: Int) {\n    ONE(1), TWO(\"two\"), THREE, FOUR(unknown());\n    $0constructor(s: String) : this(2)\n\
        constructor() : this(3)\n}\n";
    check(entries, &["E.kt:2: TWO likely call", "E.kt:2: FOUR unchecked call"]);
}

#[test]
fn a_kotlin_import_may_give_another_name() {
    let function = "//- a/Help.kt\npackage a\nfun $0helper(n: Int) = n\nfun other() = 1\n\
        //- b/Use.kt\npackage b\nimport a.helper as aid\nval one = aid(1)\nval two = ::aid\n\
        fun three(aid: Int) = aid\n// aid is no use\n\
        //- b/Other.kt\npackage b\nimport a.other as aid\nval four = aid()\n\
        //- c/Plain.kt\npackage c\nimport a.helper\nval aid = helper(1)\nval five = aid\n";
    check(function, &["b/Use.kt:3: aid likely call", "b/Use.kt:4: aid likely use"]);
    let class = "//- r/Zoo.kt\npackage r\nclass $0Zoo { fun open() = 1 }\n\
        //- s/Use.kt\npackage s\nimport r.Zoo\nimport r.Zoo as Zed\nimport r.Zoo as `the zed`\n\
        fun one(): Zed = Zoo()\nfun two(z: Zed) = z.open()\nval three = `the zed`()\n";
    check(
        class,
        &["s/Use.kt:5: Zed likely use", "s/Use.kt:6: Zed likely use", "s/Use.kt:7: the zed likely call"],
    );
    let extension = "//- a/Ext.kt\npackage a\nfun String.$0shout() = this + 1\n\
        //- b/Use.kt\npackage b\nimport a.shout as cry\nval one = \"x\".cry()\nval two = unknown().cry()\n";
    check(extension, &["b/Use.kt:3: cry likely call", "b/Use.kt:4: cry likely call"]);
    let member = "//- a/A.kt\npackage a\nclass A { companion object { fun $0make(n: Int) = n } }\nobject O { fun make(n: Int) = n }\n\
        //- b/Use.kt\npackage b\nimport a.A.Companion.make as m\nimport a.O.make as o\n\
        val one = m(1)\nval two = o(2)\nval three = ::m\n";
    check(member, &["b/Use.kt:4: m likely call", "b/Use.kt:6: m likely use"]);
}

#[test]
fn a_kotlin_constructor_is_called_by_the_class_s_other_name() {
    let fixture = "//- r/Zoo.kt\npackage r\nclass Zoo(val n: Int) { $0constructor() : this(1) }\n\
        //- s/Use.kt\npackage s\nimport r.Zoo as Zed\nval one = Zed()\nval two = Zed(2)\nval three: Zed = one\n";
    check(fixture, &["s/Use.kt:3: Zed likely call"]);
}
