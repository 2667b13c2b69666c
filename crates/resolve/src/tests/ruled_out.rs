//! Uses that only other files of the project show to mean something else.

use super::*;

/// Returns the lines, as 1-based `path:line`, on which a use of the name behind `$0` is ruled out.
fn ruled_out_lines(fixture: &str) -> Vec<String> {
    let (texts, (path, at)) = files(fixture);
    let memory = memory(texts);
    let target = target(&memory, &path, at);
    let found = occurrences(&memory, std::slice::from_ref(&target), &Cancel::new()).expect("not cancelled");
    let open = found.into_iter().filter(|one| one.judgement == Judgement::Unchecked);
    let places: Vec<(RelPath, TextRange)> = open.map(|one| (one.path, one.range)).collect();
    let targets = [target];
    let out = everywhere(&memory, |memory| {
        rule_out_uses(memory, &targets, &places, &Cancel::new()).expect("not cancelled")
    });
    let line = |(path, range): &(RelPath, TextRange)| {
        let text = &memory.texts.iter().find(|(known, _)| known == path).expect("there").1;
        format!("{path}:{}", text[..range.start as usize].matches('\n').count() + 1)
    };
    places.iter().zip(out).filter(|(_, is_out)| *is_out).map(|(place, _)| line(place)).collect()
}

#[test]
fn what_pytest_gives_itself_is_nothing_of_the_project() {
    let library = "//- lib.py\nclass Box:\n    $0param = 1\n";
    let test = "//- test_a.py\nimport pytest\n@pytest.fixture(params=[1])\ndef one(request):\n    return request.param\n\
        def test_one(request):\n    request.x.param\n    request.param\n\
        @pytest.mark.parametrize(\"request\", [1])\ndef test_two(request):\n    request.param\n\
        def test_three(request):\n    request = f()\n    request.param\n\
        def helper(request):\n    request.param\n";
    assert_eq!(ruled_out_lines(&format!("{library}{test}")), ["test_a.py:4", "test_a.py:7"]);
    let own = "//- conftest.py\nimport pytest\n@pytest.fixture\ndef request(): return make()\n";
    assert_eq!(ruled_out_lines(&format!("{library}{test}{own}")), [""; 0]);
}

#[test]
fn an_attribute_that_only_holds_what_is_from_outside() {
    let library = "//- lib.py\nclass Box:\n    def $0parse(self): pass\n";
    let client = "//- client.py\nfrom outside import Parser, make\nfrom lib import Box\n\
        class A:\n    def __init__(self):\n        self.rp: Parser = Parser(1)\n        self.other = make()\n        self.third = Parser()\n\
        \x20   def run(self):\n        self.rp.parse()\n        self.other.parse()\n        self.third.parse()\n        self.unknown.parse()\n\
        class B:\n    def run(self):\n        self.rp = Parser.of(self.rp)\n        self.third = Box()\n";
    assert_eq!(ruled_out_lines(&format!("{library}{client}")), ["client.py:9"]);
    // An attribute that is set from outside, or declared by a class, may hold anything.
    let set = "//- more.py\ndef f(a):\n    a.rp = g()\n";
    assert_eq!(ruled_out_lines(&format!("{library}{client}{set}")), [""; 0]);
    let declared = "//- more.py\nclass C:\n    rp: object\n";
    assert_eq!(ruled_out_lines(&format!("{library}{client}{declared}")), [""; 0]);
}

#[test]
fn a_module_that_nothing_binds_is_no_receiver() {
    let library = "//- pkg/__init__.py\n//- pkg/mod.py\n$0logger = 1\nclass A: pass\n";
    let user = "//- user.py\nfrom pkg.mod import A\ndef f(x):\n    x.spider.logger\n    x.logger\n    g().logger\n    x.mod.logger\n";
    assert_eq!(ruled_out_lines(&format!("{library}{user}")), ["user.py:3"]);
    for binding in
        ["import pkg.mod", "from pkg import mod", "from pkg import mod as m", "from pkg.mod import *"]
    {
        let more = format!("//- more.py\n{binding}\n");
        assert_eq!(ruled_out_lines(&format!("{library}{user}{more}")), [""; 0], "{binding}");
    }
    // Modules also offer what they import.
    let importer = "//- more.py\nfrom pkg.mod import logger\n";
    assert_eq!(ruled_out_lines(&format!("{library}{user}{importer}")), ["user.py:3"]);
    let bound = "//- last.py\nimport more\n";
    assert_eq!(ruled_out_lines(&format!("{library}{user}{importer}{bound}")), [""; 0]);
    let package = "//- top/__init__.py\nfrom pkg.mod import logger\n";
    assert_eq!(ruled_out_lines(&format!("{library}{user}{package}")), [""; 0]);
    let loaded = "//- user.py\nimport importlib\ndef f(x):\n    x.plugin.logger\n";
    assert_eq!(ruled_out_lines(&format!("{library}{loaded}")), [""; 0]);
}

#[test]
fn what_a_test_module_makes_gets_to_what_it_imports() {
    let test = "//- lib/__init__.py\n//- lib/a.py\ndef f(x): x.go_on()\n//- lib/loaded.py\ndef g(x): x.go_on()\n\
        //- tests/test_a.py\nfrom lib.a import f\nclass Made:\n    def $0go_on(self): pass\n\
        //- tests/test_b.py\ndef test_b(x): x.go_on()\n//- tests/conftest.py\ndef f(x): x.go_on()\n\
        //- examples/one.py\nimport lib.a\nlib.a.f(1).go_on()\n//- docs/conf.py\ndef setup(app): app.go_on()\n\
        //- examples/two.py\nfrom tests.test_a import Made\ndef f(x): x.go_on()\n";
    assert_eq!(ruled_out_lines(test), ["docs/conf.py:1", "examples/one.py:2"]);
}

#[test]
fn what_a_function_makes_itself_is_of_that_class() {
    let fixture = "//- lib.py\nclass Base:\n    def $0run(self): pass\nclass Box(Base): pass\ndef make(): pass\n\
        //- use.py\nfrom lib import Box, make\ndef one():\n    box = Box(\n        1,\n    )\n    box.run()\n\
        def two(box):\n    box.run()\ndef three():\n    box = make()\n    box.run()\n\
        def four(x):\n    box = Box()\n    if x: box = x\n    box.run()\ndef five():\n    box = Box().more\n    box.run()\n";
    let (texts, (path, at)) = files(fixture);
    let memory = memory(texts);
    let target = target(&memory, &path, at);
    let found = occurrences(&memory, std::slice::from_ref(&target), &Cancel::new()).expect("not cancelled");
    let uses = found.into_iter().filter(|one| one.role != Role::Declaration);
    let judged: Vec<Judgement> = uses.map(|one| one.judgement).collect();
    let (likely, open) = (Judgement::Likely, Judgement::Unchecked);
    assert_eq!(judged, [likely, open, open, open, open]);
}

/// Returns the lines, as 1-based `path:line`, on which the name behind `$0` stands for a member of an unrelated class.
fn unrelated_lines(fixture: &str) -> Vec<String> {
    let (memory, target) = declared(fixture);
    let places: Vec<(RelPath, TextRange)> = memory
        .texts
        .iter()
        .flat_map(|(path, text)| {
            let at = |(at, name): (usize, &str)| {
                let start = u32::try_from(at).expect("short");
                (path.clone(), TextRange::new(start, start + u32::try_from(name.len()).expect("short")))
            };
            text.match_indices(target.name()).map(at).collect::<Vec<_>>()
        })
        .collect();
    let targets = [target];
    let out = everywhere(&memory, |memory| {
        rule_out_members(memory, &targets, &places, &Cancel::new()).expect("not cancelled")
    });
    let line = |(path, range): &(RelPath, TextRange)| {
        let text = &memory.texts.iter().find(|(known, _)| known == path).expect("there").1;
        format!("{path}:{}", text[..range.start as usize].matches('\n').count() + 1)
    };
    places.iter().zip(out).filter(|(_, is_out)| *is_out).map(|(place, _)| line(place)).collect()
}

#[test]
fn members_of_unrelated_classes() {
    let own = "//- a.py\nclass A:\n    def $0move(self): self.move()\n";
    let other = "//- b.py\nclass B:\n    def move(self): pass\n    def b(self):\n        self.move()\n        other.move()\n    def c(self): pass\n    def d(self): pass\n";
    assert_eq!(unrelated_lines(&format!("{own}{other}")), ["b.py:2", "b.py:4"]);
    for related in [
        // A class that inherits from both, or may.
        "from a import A\nfrom b import B\nclass C(A, B): pass\n",
        "from b import B\nclass C(B, make()): pass\n",
        "from b import B\nC = type('C', (B, make()), {})\n",
        // It names neither, so every class has to be read.
        "class C(make()): pass\n",
        "from a import *\nfrom b import B\nclass C(B, Unknown): pass\n",
    ] {
        assert_eq!(unrelated_lines(&format!("{own}{other}//- c.py\n{related}")), [""; 0], "{related}");
    }
    let heir = "//- b.py\nfrom a import A\nclass B(A):\n    def b(self): self.move()\n";
    assert_eq!(unrelated_lines(&format!("{own}{heir}")), [""; 0]);
    let outside =
        format!("{own}{}", other.replace("class B:", "import threading\nclass B(threading.Thread):"));
    assert_eq!(unrelated_lines(&outside), ["b.py:3", "b.py:5"]);
    // It may be used in the place of the other.
    let alike = "//- a.py\nclass A:\n    def $0move(self): pass\n    def stop(self): pass\n//- b.py\nclass B:\n    def move(self): pass\n    def stop(self): pass\n";
    assert_eq!(unrelated_lines(alike), [""; 0]);
    let ecma = |other: &str| format!("//- a.ts\nclass A {{ $0move() {{}}\n a() {{}} }}\n//- b.ts\n{other}\n");
    assert_eq!(unrelated_lines(&ecma("class B { move() {}\n b() { this.move(); } }")), ["b.ts:1", "b.ts:2"]);
    for related in [
        "class B { move() {} }",
        "interface B { move(): void }",
        "class B extends Lib { move() {}\n b() {} }",
        "const b = { move() {} };",
        // Whatever has the required members is of the type.
        "interface B { move(): void; label?: string }",
        "interface B { move(): void; stop?(): void }",
        "class B { constructor() {}\n static make() {}\n move() {} }",
        "class B { move() {}\n label?: string }",
        "interface B { move(): void; readonly 'a': unknown }",
    ] {
        assert_eq!(unrelated_lines(&ecma(related)), [""; 0], "{related}");
    }
    assert_eq!(unrelated_lines(&ecma("interface B { move(): void; stop(): void }")), ["b.ts:1"]);
    // What a subclass has besides.
    let heir = "//- c.ts\nimport { A } from \"./a\";\nclass C extends A { stop() {} }\n";
    let exported = ecma("interface B { move(): void; stop(): void }").replace("class A", "export class A");
    assert_eq!(unrelated_lines(&format!("{exported}{heir}")), [""; 0]);
}

#[test]
fn what_an_object_of_javascript_gets_from_elsewhere_is_not_ruled_out() {
    let own = "//- a.js\nclass A { get $0size() { return 1; } area() {} }\n";
    let other = |body: &str| {
        format!("{own}//- b.js\nclass B {{ {body} show() {{ return this.size; }} rest() {{}} }}\n")
    };
    assert_eq!(unrelated_lines(&other("")), Vec::<String>::new());
    assert_eq!(unrelated_lines(&other("constructor() { this.size = 1; }")), ["b.js:1", "b.js:1"]);
    assert_eq!(unrelated_lines(&other("size = 1;")), ["b.js:1", "b.js:1"]);
}

#[test]
fn bare_names_are_no_members() {
    let lines = |fixture: &str| {
        let (texts, (path, at)) = files(fixture);
        let memory = memory(texts);
        let targets = [target(&memory, &path, at)];
        let found = occurrences(&memory, &targets, &Cancel::new()).expect("not cancelled");
        let places: Vec<(RelPath, TextRange)> = found.into_iter().map(|one| (one.path, one.range)).collect();
        let out = rule_out_bare_names(&memory, &targets, &places, &Cancel::new()).expect("not cancelled");
        let line = |(path, range): &(RelPath, TextRange)| {
            let text = &memory.texts.iter().find(|(known, _)| known == path).expect("there").1;
            text[..range.start as usize].matches('\n').count() + 1
        };
        let out = places.iter().zip(out).filter(|(_, is_out)| *is_out).map(|(place, _)| line(place));
        (out.collect::<Vec<usize>>(), are_beyond_keywords(&targets))
    };
    let python = "//- a.py\nclass A:\n    def __init__(self, size=0):\n        self.$0size = size\n\nsize = 1\nprint(size, a.size)\nclass B:\n    size = 2\n";
    assert_eq!(lines(python), (vec![2, 3, 5, 6], true));
    let field = "//- a.py\n@dataclass\nclass A:\n    $0size: int\n\nA(size=1)\nf(size)\n";
    assert_eq!(lines(field), (vec![6], false));
    let script = "//- a.ts\nclass A { $0size = 1; }\nconst size = 2;\nf({ size }, { size: 1 }, size, \"size\");\nclass C { constructor(public size: number) {} }\nfunction g(size: number) { return size; }\n";
    assert_eq!(lines(script), (vec![2, 3, 5, 5], false));
    let function = "//- a.py\ndef $0size(): ...\ndef f(size): ...\n";
    assert_eq!(lines(function), (vec![], false));
}
