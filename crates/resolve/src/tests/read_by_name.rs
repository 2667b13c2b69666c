//! Declarations that Python, pytest and Kotlin look up by name.

use super::*;

fn reader(fixture: &str, new_name: &str) -> Option<&'static str> {
    let (memory, target) = declared(fixture);
    everywhere(&memory, |memory| {
        find_external_reader(memory, &target, Some(new_name), &Cancel::new()).expect("not cancelled")
    })
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
    let (memory, target) = declared(fixture);
    match everywhere(&memory, |memory| unseen_user(memory, &target, &Cancel::new()).expect("not cancelled")) {
        Some(UnseenUser::Reader(reader)) => reader.to_owned(),
        Some(UnseenUser::Annotation(annotation)) => annotation,
        Some(other) => format!("{other:?}"),
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
        // What calls an operator is among its references.
        ("//- a.kt\nclass V { operator fun $0plus(o: V) = o }\n", ""),
        ("//- a.kt\nprivate operator fun V.$0contains(i: Int) = true\n", ""),
        ("//- a.kt\nclass V { operator fun $0mod(o: V) = o }\n", "a Kotlin operator"),
        ("//- a.kt\nclass V : W { override fun $0plus(o: V) = o }\n", "a Kotlin operator"),
        ("//- a.kt\nclass V : W { override operator fun $0plus(o: V) = o }\n", "a Kotlin operator"),
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
        ("//- a.rs\n#[no_mangle]\npub extern \"C\" fn $0f() {}\n", "the linker"),
        ("//- a.rs\nextern \"C\" { fn $0abs(x: i32) -> i32; }\n", ""),
        // Values that count by position.
        ("//- a.ts\nenum E { $0A, B }\n", "Position"),
        ("//- a.ts\nenum E { $0A, B = 2, C }\n", ""),
        ("//- a.ts\nenum E { A, $0B }\n", ""),
        ("//- a.c\nenum e { $0A = 1, B };\n", "Position"),
        ("//- A.cs\nenum E { $0A, B }\n", "Position"),
        ("//- a.py\nclass E(Enum):\n    $0A = auto()\n    B = auto()\n", "Position"),
        ("//- a.py\nclass E(Enum):\n    $0A = auto()\n    B = 2\n", ""),
        (
            "//- a.rs\n#[derive(Default)]\nenum E {\n    A,\n    /// B.\n    #[default]\n    $0B,\n}\n",
            "Default",
        ),
        ("//- a.rs\n#[derive(Default)]\nenum E {\n    #[default]\n    A,\n    $0B,\n}\n", ""),
        ("//- a.go\npackage a\nconst (\n\tA = iota\n\t$0B\n\tC\n)\n", "Position"),
        ("//- a.go\npackage a\nconst (\n\tA = iota\n\t$0B\n)\nconst C = 2\n", ""),
        ("//- a.go\npackage a\nconst (\n\t$0A = 1\n\tB = 2\n)\n", ""),
    ] {
        assert_eq!(user(fixture), expected, "{fixture}");
    }
}

#[test]
fn types_from_outside_may_ask_for_a_method_of_go() {
    let uses = |fixture: &str| {
        let (memory, target) = declared(fixture);
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
        let (memory, target) = declared(fixture);
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

#[test]
fn parameters_that_are_passed_by_name() {
    let filler = |fixture: &str| {
        let (memory, target) = declared(fixture);
        parameter_filler(&memory, &target, &Cancel::new()).expect("not cancelled")
    };
    for (code, expected) in [
        ("def test_a($0tmp_path): pass", Some("pytest")),
        ("class TestA:\n    def test_a(self, $0tmp_path): pass", Some("pytest")),
        ("def test_a($0x=1): pass", None),
        ("@pytest.fixture\ndef f($0db): pass", Some("pytest")),
        ("@pytest.mark.parametrize('x, y', [(1, 2)])\ndef test_a($0y): pass", Some("a decorator")),
        ("@click.option('--dry-run')\ndef f($0dry_run): pass", Some("a decorator")),
        ("@click.option('--dry-run')\ndef f($0run): pass", None),
        ("def f($0tmp_path): pass", None),
        ("def test_a():\n    $0tmp_path = 1", None),
    ] {
        assert_eq!(filler(&format!("//- test_a.py\nimport pytest\n{code}\n")), expected, "{code}");
    }
}

#[test]
fn what_a_new_name_hides_or_loses() {
    let (memory, target) = declared(
        "//- m/a.go\npackage m\nfunc $0Used() {}\n//- m/b.go\npackage m\n//- n/b.go\npackage n\n\
         //- m/a_test.go\npackage m\n//- m/b_test.go\n// From outside.\npackage m_test\n",
    );
    let hides = |new_name: &str, user: &str| {
        let users = [(RelPath::new(user).expect("a path"), TextRange::new(0, 1))];
        !hidden_users(&memory, &target, new_name, &users).is_empty()
    };
    assert!(hides("used", "n/b.go") && hides("_used", "m/b_test.go"));
    assert!(!hides("Other", "n/b.go") && !hides("used", "m/b.go") && !hides("used", "m/a_test.go"));
    for (code, is_named) in [
        ("mod $0inner;", true),
        ("#[macro_use]\npub mod $0inner;", true),
        ("/// The path of a thing.\nmod $0inner;", true),
        ("#[path = \"x.rs\"]\nmod $0inner;", false),
        ("mod $0inner { fn f() {} }", false),
        ("fn $0inner() {}", false),
    ] {
        let (memory, target) = declared(&format!("//- src/lib.rs\nuse a::b;\n{code}\n"));
        assert_eq!(is_named_like_its_file(&memory, &target), is_named, "{code}");
    }
    for (code, is_asked) in [
        ("type I interface { M() }\nfunc (T) $0M() {}", true),
        ("type I interface { $0M() }\nfunc (T) M() {}", false),
        ("type I interface { N() }\nfunc (T) $0M() {}", false),
    ] {
        let (memory, target) = declared(&format!("//- a.go\npackage a\ntype T struct {{}}\n{code}\n"));
        assert_eq!(
            is_asked_for(&memory, &target, &Cancel::new()).expect("not cancelled"),
            is_asked,
            "{code}"
        );
    }
}

#[test]
fn bases_outside_find_members_by_the_beginnings_of_their_names() {
    for (code, new_name, expected) in [
        (
            "import ast\nclass V(ast.NodeVisitor):\n    def $0visit_Num(self, node): pass",
            "visit_Str",
            Some("ast.NodeVisitor"),
        ),
        (
            "from ast import NodeTransformer as N\nclass V(N):\n    def $0visit_Num(self, node): pass",
            "f",
            Some("ast.NodeVisitor"),
        ),
        (
            "import ast\nclass V(ast.NodeVisitor): pass\nclass W(V):\n    def $0visit_Num(self, node): pass",
            "f",
            Some("ast.NodeVisitor"),
        ),
        (
            "import ast\nclass M:\n    def $0visit_Num(self, node): pass\nclass V(M, ast.NodeVisitor): pass",
            "f",
            Some("ast.NodeVisitor"),
        ),
        ("import cmd\nclass C(cmd.Cmd):\n    def $0help_run(self): pass", "f", Some("cmd.Cmd")),
        (
            "from html.parser import HTMLParser\nclass P(HTMLParser):\n    def $0handle_data(self, data): pass",
            "handle_text",
            Some("html.parser.HTMLParser"),
        ),
        (
            "from html.parser import HTMLParser\nclass P(HTMLParser):\n    def $0unknown_decl(self, data): pass",
            "f",
            Some("html.parser.HTMLParser"),
        ),
        (
            "from html.parser import HTMLParser\nclass P(HTMLParser):\n    def $0handle_price(self, data): pass",
            "f",
            None,
        ),
        (
            "import http.server\nclass C(http.server.SimpleHTTPRequestHandler):\n    def $0do_PUT(self): pass",
            "f",
            Some("http.server.BaseHTTPRequestHandler"),
        ),
        (
            "import unittest\nclass C(unittest.TestCase):\n    def $0test_a(self): pass",
            "check_a",
            Some("unittest.TestCase"),
        ),
        ("import unittest\nclass C(unittest.TestCase):\n    def $0test_a(self): pass", "test_b", None),
        ("import unittest\nclass C(unittest.TestCase):\n    def $0make(self): pass", "test_b", None),
        ("import ast\nclass V(ast.NodeVisitor):\n    def $0helper(self): pass", "f", None),
        ("class V:\n    def $0visit_Num(self, node): pass", "f", None),
        ("class V(Other):\n    def $0visit_Num(self, node): pass", "f", None),
        ("def $0visit_Num(node): pass", "f", None),
    ] {
        assert_eq!(reader(&format!("//- a.py\n{code}\n"), new_name), expected, "{code}");
    }
}

#[test]
fn fields_of_go_that_embed_a_type() {
    for (field, embeds) in [
        ("$0Base", true),
        ("*$0Base", true),
        ("$0Base[int]", true),
        ("lib.$0Mixin", true),
        ("$0Base `json:\",inline\"`", true),
        ("$0base Base", false),
        ("$0bytes [4]byte", false),
        ("$0f func()", false),
    ] {
        let code =
            "//- a.go\npackage a\nimport \"ext.org/lib\"\ntype Base struct{}\ntype T struct {\n\t@\n}\n";
        let (memory, target) = declared(&code.replace('@', field));
        assert_eq!(is_embedding(&memory, &target, &Cancel::new()).expect("not cancelled"), embeds, "{field}");
    }
}

#[test]
fn what_computes_a_value_may_have_an_effect() {
    for (fixture, expected) in [
        ("//- a.py\n$0x = side()\n", "side()"),
        ("//- a.py\n$0x: Annotated[int, Field(gt=1)] = lib.side(1)\n", "lib.side()"),
        ("//- a.py\n$0x: Annotated[int, Field(gt=1)] = 3\n", ""),
        ("//- a.py\ndef f():\n    $0x = await other\n", "await"),
        ("//- a.py\n$0x = lambda: side()\n", ""),
        ("//- a.py\n$0x = 'f()'  # f()\n", ""),
        ("//- a.py\n$0x = (1, [2], {3: 4})\n", ""),
        ("//- a.py\n$0x = re.compile('a')\n", ""),
        ("//- a.py\n$0x = reset()\n", "reset()"),
        ("//- a.py\n$0x = box.set(1)\n", "box.set()"),
        ("//- a.py\n$0x = collections.deque()\n", ""),
        ("//- a.py\n$0x = [side() for y in z]\n", "side()"),
        ("//- a.py\n$0x: int\n", ""),
        ("//- a.go\npackage a\nvar $0x = side()\n", "side()"),
        ("//- a.go\npackage a\nvar $0x = func() int { return side() }\n", ""),
        ("//- a.go\npackage a\nvar $0x = func() int { return side() }()\n", "a function called at once"),
        ("//- a.go\npackage a\nvar $0x = make(map[string]int)\n", ""),
        ("//- a.go\npackage a\nvar $0x = &T{a: 1}\n", ""),
        ("//- a.ts\nexport const $0x = side();\n", "side()"),
        ("//- a.ts\nconst $0x = () => side();\n", ""),
        ("//- a.ts\nconst $0x = [() => side(), other()];\n", "other()"),
        ("//- a.ts\nconst $0x: () => void = function () { side(); };\n", ""),
        ("//- a.ts\nclass A { $0x = new Map<string, number>(); }\n", ""),
        ("//- a.ts\nclass A { $0x = new Client(1); }\n", "Client()"),
        ("//- a.ts\nlet $0x = i++;\n", "++"),
        ("//- a.ts\nconst $0x = { a: 1, b: (c + 1) * 2 };\n", ""),
        ("//- a.kt\nval $0x = side()\n", "side()"),
        ("//- a.kt\nval $0x by lazy { side() }\n", ""),
        ("//- a.kt\nval $0x: Int\n    get() = side()\n", ""),
        ("//- a.kt\nval $0x = mutableListOf<Int>()\n", ""),
        ("//- A.java\nclass A { int $0x = side(); }\n", "side()"),
        ("//- A.java\nclass A { java.util.List<Integer> $0x = new ArrayList<>(); }\n", ""),
        ("//- A.cs\nclass A { int $0X => F(); }\n", ""),
        ("//- A.cs\nclass A { int $0X { get; } = F(); }\n", "F()"),
        ("//- a.cpp\nint $0x = side();\n", "side()"),
        ("//- a.c\nint $0x = sizeof(int);\n", ""),
        ("//- a.rs\nstatic $0X: u8 = f();\n", ""),
    ] {
        let expected = if expected.is_empty() { String::new() } else { format!("Effect({expected:?})") };
        assert_eq!(user(fixture), expected, "{fixture}");
    }
}

#[test]
fn members_whose_names_are_computed_from_a_class() {
    let code = |class: &str, member: &str| {
        format!(
            "//- a.py\nclass {class}: pass\n//- b.py\nclass H:\n    def {member}(self, e): pass\n    def run(self, e):\n        \
             getattr(self, f'on_{{type(e).__name__}}')(e)\n"
        )
    };
    let members = |fixture: &str| {
        let (memory, target) = declared(fixture);
        let found = everywhere(&memory, |memory| {
            let found = members_named_by_class(memory, &target, &Cancel::new()).expect("not cancelled");
            found.into_iter().map(|one| one.member).collect::<Vec<_>>()
        });
        found.join(" ")
    };
    assert_eq!(members(&code("$0Click", "on_Click")), "on_Click");
    assert_eq!(members(&code("$0Click", "on_Other")), "");
    assert_eq!(members(&code("Click", "$0on_Click")), "");
}

#[test]
fn types_of_typescript_that_add_to_those_of_a_library() {
    for (code, expected) in [
        ("export {};\ndeclare global {\n  interface $0Window { mine: string }\n}", Some("declare global")),
        (
            "export {};\ndeclare global {\n  namespace NodeJS { interface $0ProcessEnv { KEY: string } }\n}",
            Some("declare global"),
        ),
        (
            "import { Request } from \"express\";\ndeclare module \"express\" {\n  interface $0Request { user: string }\n}",
            Some("declare module \"express\""),
        ),
        ("interface $0Window { mine: string }", Some("a file that is no module")),
        ("export interface $0Window { mine: string }", None),
        ("interface $0Own { mine: string }", None),
        ("export {};\ndeclare global {\n  interface Window { $0mine: string }\n}", None),
        ("import x from \"./m\";\ndeclare module \"./m\" {\n  interface $0Own { user: string }\n}", None),
        // No file is a module here: this declares a library that has no types.
        ("declare module \"untyped\" {\n  interface $0Own { user: string }\n}", None),
        ("namespace N {\n  interface $0Window { a: string }\n}", None),
        ("class $0Node {}", None),
        // What libraries declare in it is not known.
        ("export {};\ndeclare global {\n  interface $0MyState { mine: string }\n}", Some("declare global")),
        (
            "export {};\ndeclare global {\n  namespace Mine { interface $0Window { a: string } }\n}",
            Some("declare global"),
        ),
        ("import x from \"x\";\ndeclare module \"@/store\" {\n  interface $0State { user: string }\n}", None),
        ("import x from \"x\";\ndeclare module \"~/store\" {\n  interface $0State { user: string }\n}", None),
        // Modules, however they are written.
        ("export{};\ninterface $0Window { mine: string }", None),
        ("import{X} from \"x\";\ninterface $0Window { mine: string }", None),
        ("const a = 1; export default a;\ninterface $0Window { mine: string }", None),
        (
            "import{X} from \"x\";\ndeclare module \"express\" {\n  interface $0Request { user: string }\n}",
            Some("declare module \"express\""),
        ),
        // No modules.
        ("// export {};\ninterface $0Window { mine: string }", Some("a file that is no module")),
        (
            "const a = import(\"x\");\nimport.meta.url;\ninterface $0Window { mine: string }",
            Some("a file that is no module"),
        ),
        (
            "declare module \"untyped\" {\n  export const a: string;\n}\ninterface $0Window { mine: string }",
            Some("a file that is no module"),
        ),
    ] {
        let (memory, target) = declared(&format!("//- a.ts\n{code}\n"));
        assert_eq!(augmented_outside(&memory, &target).as_deref(), expected, "{code}");
    }
    let (memory, target) = declared("//- a.js\nclass $0Node {}\nmodule.exports = Node;\n");
    assert_eq!(augmented_outside(&memory, &target), None);
    let long = "  interface Other { one: string; two: string }\n".repeat(200);
    let (memory, target) = declared(&format!(
        "//- a.ts\nexport {{}};\ndeclare global {{\n{long}  interface $0Window {{ mine: string }}\n}}\n"
    ));
    assert_eq!(augmented_outside(&memory, &target).as_deref(), Some("declare global"));
}
