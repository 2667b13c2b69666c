//! What finds heirs of classes and overrides of members says of what it cannot tell: with a real daemon, without a server and
//! with real ones.

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
        let why = "incomplete: 2 files with syntax errors hold the name and may have more of what was asked for: bad.py, far.py";
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
    let types = user.check(&["impls", "Base", "--wait"], 0);
    assert!(types.contains("class Own(Base)"), "{types}");
    assert!(footer(&types).contains("; unchecked: perhaps F by a base that is not known]"), "{types}");
    let tree = user.check(&["call", "type_hierarchy", r#"{"name_path": "Base", "wait": "ready"}"#], 0);
    let is_told = tree.contains("class factory/F")
        || footer(&tree).contains("; unchecked: perhaps F by a base that is not known]");
    assert!(is_told, "{tree}");
    let members = user.check(&["impls", "Base/go", "--wait"], 0);
    assert!(members.contains("Own/go(self)"), "{members}");
    assert!(
        footer(&members).contains("; unchecked: perhaps 'go' of F by a base that is not known]"),
        "{members}"
    );
    for asked in ["P", "P/meet"] {
        let met = user.check(&["impls", asked, "--wait"], 0);
        assert!(footer(&met).contains("Impl, which has all its members]"), "{met}");
    }
    let known = user.check(&["impls", "Own/go", "--wait"], 0);
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
    let members = real.user.check(&["impls", "Base/go", "--wait"], 0);
    assert!(members.contains("F/go(self)") && footer(&members).ends_with("; complete]"), "{members}");
    let met = real.user.check(&["impls", "P", "--wait"], 0);
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
    let members = real.user.check(&["impls", "Base/go", "--wait"], 0);
    assert!(members.contains("C1/go()"), "{members}");
    let is_told = members.contains("C4/go()") || footer(&members).contains("perhaps 'go' of C4");
    assert!(is_told, "{members}");
}
