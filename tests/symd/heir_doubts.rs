//! What the searches for subclasses and overrides report about what they cannot determine: with a real
//! daemon, without a server and with real ones.

use crate::real_servers::Real;
use crate::support::{User, write};

/// A project without servers; text after a line `//- name` is a file.
fn project(languages: &[&str], files: &str) -> User {
    let user = User::new();
    let none = |language: &&str| format!("[[language]]\nname = \"{language}\"\nlanguage-servers = []\n");
    write(&user.path("config/languages.toml"), &languages.iter().map(none).collect::<String>());
    for file in files.split("//- ").skip(1) {
        let (name, text) = file.split_once('\n').unwrap();
        let path = user.path("project").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        write(&path, text);
    }
    user
}

/// The last line of an answer.
fn footer(answer: &str) -> &str {
    answer.trim_end().rsplit('\n').next().unwrap()
}

const BROKEN: &str = "//- base.py\nclass Base:\n    def go(self): pass\n\
    //- bad.py\nfrom base import Base\n\nclass X(Base:\n  def go(self) return\n\
    //- far.py\nclass Y(Mid:\n  def go(self) return\n\
    //- mid.py\nfrom base import Base\nclass Mid(Base):\n    def stop(self): pass\n    def go(self): pass\n\
    //- apart.py\ndef stop(: return\n";

#[test]
fn files_with_syntax_errors_may_hold_more() {
    let user = project(&["python"], BROKEN);
    let tree = ["call", "type_hierarchy", r#"{"name_path": "Base"}"#];
    for asked in [&["impls", "Base"][..], &["impls", "Base/go"], &tree] {
        let answer = user.check(asked, 0);
        let why = "incomplete: 2 files with syntax errors hold the name and may hold further results: bad.py, far.py";
        assert!(footer(&answer).contains(why) && !answer.contains("; complete]"), "{asked:?}: {answer}");
    }
    let other = user.check(&["impls", "Mid/stop"], 0);
    assert!(other.ends_with("; complete]\n"), "apart.py does not name Mid: {other}");
}

#[test]
fn uses_in_files_with_syntax_errors_are_listed() {
    let files =
        "//- a.py\ndef used():\n    return 1\n\n//- b.py\nfrom a import used\n\n\ndef f(:\n    used()\n";
    let user = project(&["python"], files);
    for asked in ["refs", "callers"] {
        let answer = user.check(&[asked, "used"], 0);
        assert!(answer.contains("b.py"), "{answer}");
    }
}

const COMPUTED: &str = "//- pyproject.toml\n[project]\nname = \"computed\"\nversion = \"1\"\n\
    //- a.py\nfrom typing import Protocol\n\n\nclass Base:\n    def go(self): pass\n\n\nclass Own(Base):\n    def go(self): pass\n\n\n\
    def factory(base=Base):\n    class F(base):\n        def go(self): pass\n    return F\n\n\n\
    class P(Protocol):\n    def meet(self): ...\n\n\nclass Impl:\n    def meet(self): pass\n";

fn says_what_is_computed(user: &User) {
    let types = user.check(&["impls", "Base", "--wait", "--deadline", "600"], 0);
    assert!(types.contains("class Own(Base)"), "{types}");
    assert!(footer(&types).contains("; unchecked: perhaps F through an unknown base]"), "{types}");
    let tree = user.check(&["call", "type_hierarchy", r#"{"name_path": "Base", "wait": "ready"}"#], 0);
    let is_told = tree.contains("class factory/F")
        || footer(&tree).contains("; unchecked: perhaps F through an unknown base]");
    assert!(is_told, "{tree}");
    let members = user.check(&["impls", "Base/go", "--wait", "--deadline", "600"], 0);
    assert!(members.contains("Own/go(self)"), "{members}");
    assert!(
        footer(&members).contains("; unchecked: perhaps 'go' of F through an unknown base]"),
        "{members}"
    );
    for asked in ["P", "P/meet"] {
        let met = user.check(&["impls", asked, "--wait", "--deadline", "600"], 0);
        assert!(footer(&met).contains("Impl, which has all its members]"), "{met}");
    }
    let known = user.check(&["impls", "Own/go", "--wait", "--deadline", "600"], 0);
    assert!(footer(&known).contains("perhaps 'go' of F"), "a computed base may be any class: {known}");
}

#[test]
fn a_computed_base_is_a_doubt() {
    says_what_is_computed(&project(&["python"], COMPUTED));
}

#[test]
fn it_is_one_beside_a_server_that_does_not_list_the_class() {
    let Some(real) = Real::new(&[("python", "ty")]) else { return };
    let real = real.with(COMPUTED);
    real.trust();
    says_what_is_computed(&real.user);
}

#[test]
fn what_the_server_lists_is_no_doubt() {
    let Some(real) = Real::new(&[("python", "basedpyright")]) else { return };
    let real = real.with(COMPUTED);
    real.trust();
    let members = real.user.check(&["impls", "Base/go", "--wait", "--deadline", "600"], 0);
    assert!(members.contains("F/go(self)") && footer(&members).ends_with("; complete]"), "{members}");
    let met = real.user.check(&["impls", "P", "--wait", "--deadline", "600"], 0);
    assert!(met.contains("class Impl") && !met.contains("all its members"), "{met}");
}

#[test]
fn a_base_that_typescript_computes_is_a_doubt_beside_tsc() {
    let Some(real) = Real::new(&[("typescript", "tsc")]) else { return };
    let real = real.with(
        "//- tsconfig.json\n{\"compilerOptions\": {\"strict\": true}}\n//- a.ts\n\
        export class Base { go() {} }\nexport class C1 extends Base { override go() {} }\n\
        function Mix<T extends new (...a: any[]) => {}>(B: T) { return class extends B { extra() {} } }\n\
        export class C4 extends Mix(Base) { override go() {} }\n",
    );
    real.trust();
    let members = real.user.check(&["impls", "Base/go", "--wait", "--deadline", "600"], 0);
    assert!(members.contains("C1/go()"), "{members}");
    let is_told = members.contains("C4/go()") || footer(&members).contains("perhaps 'go' of C4");
    assert!(is_told, "{members}");
}

/// Asks for the implementations of `asked`, and asserts that each of `expected` is listed or named as a
/// doubt, and that the answer is not called `complete` if something is only doubted.
fn tells_of(languages: &[&str], files: &str, asked: &str, expected: &[&str]) {
    let user = project(languages, files);
    let answer = user.check(&["impls", asked], 0);
    for one in expected {
        let (list, last) = answer.trim_end().rsplit_once('\n').unwrap();
        let is_doubt = last.contains("unchecked: perhaps ") && last.contains(one);
        assert!(list.contains(one) || is_doubt, "{one} of {asked}: {answer}");
    }
}

#[test]
fn aliases_of_a_base_are_followed_or_doubted() {
    let cpp = "//- a.hpp\nstruct Base { virtual int go() { return 1; } };\ntypedef Base Al;\nusing Al2 = Base;\n\
        struct C1 : Al { int go() override { return 2; } };\n\
        //- b.hpp\n#include \"a.hpp\"\nstruct C2 : Al2 { int go() override { return 3; } };\n\
        //- c.hpp\n#include \"a.hpp\"\n#define BASE Base\nstruct C3 : BASE { int go() override { return 4; } };\n\
        //- d.hpp\n#include \"a.hpp\"\ntemplate<class T> struct C5 : T { int go() { return 1; } };\n";
    for asked in ["Base", "Base/go"] {
        tells_of(&["cpp", "c"], cpp, asked, &["C1", "C2"]);
    }
    let user = project(&["cpp", "c"], cpp);
    let answer = user.check(&["impls", "Base"], 0);
    assert!(!answer.contains("complete]"), "a macro and a parameter of a template are doubts: {answer}");
    let csharp = "//- a.cs\nnamespace N { public class Base { public virtual int Go() => 1; } }\n\
        //- u.cs\nglobal using Al = N.Base;\n//- b.cs\nclass C1 : Al { public override int Go() => 2; }\n";
    tells_of(&["csharp"], csharp, "Base", &["C1"]);
    let rust = "//- lib.rs\npub trait T { fn go(&self) -> i32; }\npub mod m { pub use super::T as Pubbed; }\n\
        use m::Pubbed as P2;\nimpl P2 for u16 { fn go(&self) -> i32 { 4 } }\n";
    tells_of(&["rust"], rust, "T", &["P2 for u16"]);
    let typescript = "//- a.ts\nexport class Ren { go() {} }\nconst all = { Ren };\nconst { Ren: Q } = all;\n\
        class C5 extends Q { go() {} }\n";
    tells_of(&["typescript"], typescript, "Ren", &["C5"]);
}

const ABSTRACT: &str = "//- a.py\nimport abc\nfrom dataclasses import make_dataclass\n\n\nclass Abs(abc.ABC):\n    def mm(self): pass\n\n\n\
    class Plain:\n    def nn(self): pass\n\n\n@Abs.register\nclass Vir:\n    def mm(self): pass\n\n\n\
    class Called:\n    def mm(self): pass\n\n\nAbs.register(Called)\n\n\nclass Registry:\n    @classmethod\n    def register(cls, one): return one\n\n\n\
    @Registry.register\nclass Plugin:\n    def mm(self): pass\n\n\nDyn = type(\"Dyn\", (Abs,), {})\nData = make_dataclass(\"Data\", [], bases=(Abs,))\n";

#[test]
fn classes_that_calls_make_or_register_are_told_of() {
    let user = project(&["python"], ABSTRACT);
    let types = user.check(&["impls", "Abs"], 0);
    assert!(types.contains("class Vir") && types.contains("class Called"), "{types}");
    assert!(!types.contains("class Plugin"), "its register is one of its own: {types}");

    let last = footer(&types);
    assert!(
        last.contains("class created by make_dataclass in a.py:") && last.contains("class created by type"),
        "{types}"
    );
    let other = user.check(&["impls", "Plain"], 0);
    assert!(other.ends_with("; complete]\n"), "they inherit from another class: {other}");
    user.check(&["trust", "--yes"], 0);
    user.check(&["rename", "Abs/mm", "zz", "--force"], 0);
    let text = std::fs::read_to_string(user.path("project/a.py")).unwrap();
    assert_eq!(text.matches("def zz(").count(), 3, "Abs, Vir and Called: {text}");
}

const ACCESSORS: &str = "//- A.kt\nclass B { val solo = 2; var flag = true; private val own = 1; var isOn = false }\n\
    abstract class Ab { abstract val v: Int }\nval lone = 3\n\
    //- J.java\nclass J extends Ab {\n    int f(B b) { b.setFlag(true); return b.getSolo() + AKt.getLone(); }\n\
    boolean g(B b) { return b.isOn(); }\n    public int getV() { return 1; }\n    int getOwn() { return 1; }\n    int getJust() { return 1; }\n}\n\
    //- C.kt\nfun use(j: J) = j.just\n";

#[test]
fn accessors_of_kotlin_properties_are_told_of() {
    let user = project(&["kotlin", "java"], ACCESSORS);
    for (name_path, place) in [
        ("B/solo", "J.java:2 in J/f"),
        ("B/flag", "J.java:2 in J/f"),
        ("lone", "J.java:2 in J/f"),
        ("J/getJust", "C.kt:1 in use"),
    ] {
        let answer = user.check(&["refs", name_path], 0);
        assert!(answer.contains(place) && answer.ends_with("; complete]\n"), "{answer}");
    }
    let members = user.check(&["impls", "Ab/v"], 0);
    assert!(footer(&members).contains("incomplete: 1 file holds getV, which may be the same"), "{members}");
    // A name that is the same in both languages is an ordinary occurrence.
    let same = user.check(&["refs", "B/isOn"], 0);
    assert!(same.contains("J.java:3 in J/g") && same.ends_with("; complete]\n"), "{same}");
    let own = user.check(&["refs", "B/own"], 0);
    assert!(own.ends_with("; complete]\n"), "Java sees no private property: {own}");
    user.check(&["trust", "--yes"], 0);
    user.check(&["rename", "B/solo", "alone"], 0);
    user.check(&["rename", "B/isOn", "isOff"], 0);
    user.check(&["rename", "lone", "single"], 0);
    let java = std::fs::read_to_string(user.path("project/J.java")).unwrap();
    assert!(java.contains("b.getAlone() + AKt.getSingle()") && java.contains("b.isOff()"), "{java}");
}

const OVERRIDDEN_ACCESSORS: &str = "//- Base.java\npublic class Base { public String getNick() { return \"a\"; } public void setNick(String nick) {} }\n\
    //- Sub.kt\nclass Sub : Base() {\n    override fun getNick(): String = \"b\"\n    fun own() = nick\n}\nclass Other(val nick: String)\n\
    fun f(s: Sub) = s.nick\nfun g(b: Base) = b.nick\nfun h(o: Other) = o.nick\nfun i(s: Sub) { s.nick = \"c\" }\nfun j(s: Sub) = s.run { nick }\n";

#[test]
fn overrides_of_javas_accessors_are_used_like_properties() {
    let user = project(&["kotlin", "java"], OVERRIDDEN_ACCESSORS);
    let answer = user.check(&["refs", "Sub/getNick"], 0);
    let uses = "Sub.kt\n 3 in Sub/own: fun own() = nick\n 6 in f: fun f(s: Sub) = s.nick\n 9 in i: fun i(s: Sub) { s.nick = \"c\" }\n 10 in j: fun j(s: Sub) = s.run { nick }\n[4 references";
    assert!(answer.starts_with(uses) && answer.ends_with("; complete]\n"), "{answer}");
    let base = user.check(&["refs", "Base/getNick"], 0);
    assert!(base.starts_with("Sub.kt:7 in g"), "{base}");
}

const FLAGS_OF_JAVA: &str = "//- Door.java\npublic class Door { public boolean isOpen() { return true; } public void setOpen(boolean open) {} public int getWidth() { return 1; }\n\
    public void setWidth(int width) {} public void setIsOpen(int open) {} }\n\
    //- Use.kt\nfun f(d: Door) = d.isOpen\nfun g(d: Door) { d.isOpen = true }\nfun h(d: Door) { d.width += 1 }\n\
    fun i(d: Door) = ++d.width\nfun j(d: Door) = d.width == 1\n";

#[test]
fn what_kotlin_writes_of_javas_calls_the_setter_and_the_getter() {
    let user = project(&["kotlin", "java"], FLAGS_OF_JAVA);
    // Two methods are meant by one name, so that the use by the name of one of them is marked.
    let (written, both) = ("Use.kt:2 in g", "Use.kt\n 1 in f: fun f(d: Door) = d.isOpen\n 2? in g");
    for (name, uses) in [
        ("Door/setOpen", written),
        ("Door/isOpen", both),
        (
            "Door/setWidth",
            "Use.kt\n 3 in h: fun h(d: Door) { d.width += 1 }\n 4 in i: fun i(d: Door) = ++d.width\n",
        ),
        (
            "Door/getWidth",
            "Use.kt\n 3 in h: fun h(d: Door) { d.width += 1 }\n 4 in i: fun i(d: Door) = ++d.width\n 5 in j: ",
        ),
    ] {
        let answer = user.check(&["refs", name], 0);
        assert!(answer.starts_with(uses), "{name}: {answer}");
    }
    let other = user.check(&["refs", "Door/setIsOpen"], 0);
    assert!(!other.contains("Use.kt"), "{other}");
}

#[test]
fn callers_do_not_promise_calls_by_another_name() {
    let files =
        "//- a.py\ndef square(x):\n    return x\n//- alias.py\nfrom a import square as quad\n\nquad(2)\n";
    let user = project(&["python"], files);
    let answer = user.check(&["callers", "square"], 0);
    let why = "unchecked: alias.py imports it as quad; uses of such names are not followed";
    assert!(footer(&answer).contains(why), "{answer}");
    let json = user.check(&["call", "find_callers", r#"{"name_path": "square", "format": "json"}"#], 0);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["complete"], &json["renamed"][0]["as"]), (&false.into(), &"quad".into()), "{json}");
}

#[test]
fn a_forced_rename_leaves_what_is_outside_of_the_project() {
    let Some(real) = Real::new(&[("typescript", "tsc")]) else { return };
    let real = real.with(
        "//- tsconfig.json\n{\"compilerOptions\": {\"strict\": true}}\n//- a.ts\n\
        export class Th extends Error { toString() { return \"x\" } }\nnew Th().toString();\n",
    );
    real.trust();
    real.user.check(&["refs", "Th", "--wait", "--deadline", "600"], 0);
    let answer = real.user.check(&["rename", "Th/toString", "zz", "--force"], 0);
    assert!(
        answer.contains("outside the project, which symd does not do") && !answer.contains("; complete]"),
        "{answer}"
    );
    let text = std::fs::read_to_string(real.path("a.ts")).unwrap();
    assert!(text.contains("zz() { return") && text.contains("new Th().zz()"), "{text}");
}

#[test]
fn cpp_has_no_base_of_all_classes() {
    let files = "//- a.hpp\nstruct Base { virtual int go() { return 1; } };\n#define BASE Base\nstruct C1 : BASE { int go() override { return 2; } };\n";
    let user = project(&["cpp", "c"], files);
    let refused = user.run(&["rename", "C1/go", "zz"]);
    let refused =
        String::from_utf8_lossy(&refused.stdout).into_owned() + &String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.contains("base of all classes") && refused.contains("BASE"), "{refused}");
}
