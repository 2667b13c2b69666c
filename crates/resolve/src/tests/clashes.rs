//! Conflicts of a new name and, as important, names that do not conflict.

use super::*;
use symd_base::{TextEdit, TextEdits};

/// Returns `path:line` of every conflict when the symbol at `$0` is renamed to `new_name`. Its uses are all
/// occurrences that resolve judges likely, as a server's would be. Lines are 1-based.
fn in_the_way(fixture: &str, new_name: &str) -> Vec<String> {
    let (texts, (path, at)) = files(fixture);
    let memory = memory(texts);
    let target = target(&memory, &path, at);
    let cancel = Cancel::new();
    let mut found = everywhere(&memory, |memory| {
        let mut found =
            find_conflicts(memory, std::slice::from_ref(&target), new_name, &cancel).expect("not cancelled");
        found.sort();
        found
    });
    let uses = occurrences(&memory, std::slice::from_ref(&target), &cancel).expect("not cancelled");
    let uses: Vec<Occurrence> = uses.into_iter().filter(|one| one.judgement == Judgement::Likely).collect();
    assert!(!uses.is_empty());
    for of_file in uses.chunk_by(|a, b| a.path == b.path) {
        let places: Vec<TextRange> = of_file.iter().map(|one| one.range).collect();
        let path = &of_file[0].path;
        found.extend(everywhere(&memory, |memory| {
            find_captures(memory, std::slice::from_ref(&target), new_name, path, &places, &cancel)
                .expect("not cancelled")
        }));
    }
    found.sort();
    let line = |(path, range): &(RelPath, TextRange)| {
        let text = &memory.texts.iter().find(|(known, _)| known == path).expect("is there").1;
        format!("{path}:{}", text[..range.start as usize].matches('\n').count() + 1)
    };
    let mut lines: Vec<String> = found.iter().map(line).collect();
    lines.dedup();
    lines
}

fn free(fixture: &str, new_name: &str) {
    assert_eq!(in_the_way(fixture, new_name), Vec::<String>::new(), "{new_name}: {fixture}");
}

#[test]
fn imports_of_the_declaring_file_are_in_the_way() {
    let fixture = "//- a.py\nimport os\nimport a.b\nfrom x import y as z\ndef $0run(): return os.getcwd()\n";
    assert_eq!(in_the_way(fixture, "os"), ["a.py:1", "a.py:4"]);
    assert_eq!(in_the_way(fixture, "a"), ["a.py:2"]);
    assert_eq!(in_the_way(fixture, "z"), ["a.py:3"]);
    for name in ["b", "x", "y", "getcwd"] {
        free(fixture, name);
    }
    free("//- a.py\ndef $0run(): pass\ndef f():\n    import os\n    return os\n", "os");
    let local = "//- a.py\ndef f():\n    import os\n    $0x = 1\n    return x\n";
    assert_eq!(in_the_way(local, "os"), ["a.py:2"]);
}

#[test]
fn a_name_of_the_language_is_in_the_way_where_it_is_used() {
    let fixture =
        "//- a.py\ndef $0run(): pass\n//- b.py\nfrom a import run\nprint(len(x), run())\n//- c.py\nlen(y)\n";
    assert_eq!(in_the_way(fixture, "len"), ["b.py:2"]);
    assert_eq!(in_the_way(fixture, "print"), ["b.py:2"]);
    free(fixture, "min");
    // A file that accesses the function as a member does not have its bare name.
    free("//- a.py\ndef $0run(): pass\n//- b.py\nimport a\nprint(len(x), a.run())\n", "len");
    free("//- a.py\ndef $0run(): pass\n//- b.py\nfrom a import run as go\nprint(len(x), go())\n", "len");
    let starred = "//- a.py\ndef $0run(): pass\n//- b.py\nfrom a import *\nlen(x)\n";
    assert_eq!(in_the_way(starred, "len"), ["b.py:2"]);
    let local = "//- a.py\ndef f(q):\n    $0tmp = q\n    print(q, tmp)\n    return tmp\ndef g(): print(1)\n";
    assert_eq!(in_the_way(local, "print"), ["a.py:3"]);
}

#[test]
fn members_arguments_strings_and_other_scopes_are_not() {
    for text in [
        "def $0run(): pass\nx.go = 1\nrun(y.go)\n",
        "def $0run(): pass\nf(go=run())\ng(\":)\", go=1)\n",
        "def $0run(): pass\nx = 'go'  # go\n",
        "def $0run(): pass\ndef f(go): return go\nrun()\n",
        "def $0run(): pass\nrun()\nx = [go for go in y]\ny = lambda go: go\n",
        "def $0run(): pass\ndef f():\n    for go in range(3): print(go)\n",
        "def $0run(): pass\nclass A:\n    go = 1\n    def f(self): return self.go + run()\n",
        "def f():\n    $0run = 1\n    return run\ndef g(): return go(1)\n",
        "def f():\n    $0run = 1\n    def h(go): return go\n    return h, run\ndef go(): pass\n",
        "class A:\n    def $0run(self): return go()\ndef go(): pass\n",
        "class A:\n    def __init__(self, go):\n        self.$0run = go\n    def f(self, go): self.run = go\n",
        "class A:\n    def $0run(self): pass\nclass B:\n    def go(self): return self.go\n",
        "class A:\n    def $0run(self): return self.x.go\n",
    ] {
        free(&format!("//- a.py\n{text}"), "go");
    }
}

#[test]
fn only_the_first_iterable_of_a_comprehension_is_outside_of_it() {
    for form in [
        "[x for x in old()]",
        "(x for x in old())",
        "sum(x for x in old() if x)",
        "{x for x in old()}",
        "{x: 1 for x in old()}",
        "{k: x for k, x in old().items() for y in x}",
        "[x async for x in old()]",
        "[x for x in [y for y in old()]]",
        "[')', *(x for x in f(\"]\", old()))]",
        "f'{[x for x in old()]}'",
    ] {
        free(&format!("//- a.py\ndef $0old(): pass\nz = {form}\n"), "x");
    }
    for form in [
        "[x for y in ys for x in old()]",
        "[x for x in ys if old()]",
        "[old() for x in ys]",
        "(x for y in ys for x in old())",
        "sum(x for x in ys if old())",
        "sum(old() for x in ys)",
        "{x: 1 for y in ys for x in old()}",
        "{x: x for x in ys if old()}",
        "{x: old() for x in ys}",
        "[x for x in [y for y in ys if [old() for x in y]]]",
        "f'{\", \".join(old() for x in ys)}'",
    ] {
        assert_eq!(
            in_the_way(&format!("//- a.py\ndef $0old(): pass\nz = {form}\n"), "x"),
            ["a.py:2"],
            "{form}"
        );
    }
}

#[test]
fn the_names_of_a_class_body_are_not_known_inside_its_comprehensions() {
    let class =
        |body: &str| format!("//- a.py\nx = 0\ndef $0old(): pass\nclass A:\n    go = 1\n    z = {body}\n");
    for body in [
        "[old() for y in ys]",
        "{y: old() for y in ys}",
        "sum(y for y in ys if old())",
        "[y for w in v for y in old()]",
    ] {
        free(&class(body), "go");
    }
    for body in ["[y for y in old()]", "sum(y for y in old() if y)", "{y: 1 for y in old()}", "old()"] {
        assert_eq!(in_the_way(&class(body), "go"), ["a.py:4"], "{body}");
    }
    let member = |body: &str| format!("//- a.py\nx = 0\nclass A:\n    $0old = 1\n    z = {body}\n");
    for body in ["[x for y in ys]", "(y for y in ys if x)"] {
        free(&member(body), "x");
    }
    for body in ["[y for y in x]", "(y for y in x)", "x"] {
        assert_eq!(in_the_way(&member(body), "x"), ["a.py:4"], "{body}");
    }
}

#[test]
fn what_is_nearer_catches_the_uses() {
    let fixture = "//- a.py\ndef $0f():\n    return 1\ndef g(x):\n    y = f()\n    return y\ndef h(z):\n    y = 2\n    return z\ny = 3\n";
    assert_eq!(in_the_way(fixture, "y"), ["a.py:4", "a.py:9"]);
    let class = "//- a.py\ndef $0run(): pass\nclass A:\n    go = 1\n    x = run()\n";
    assert_eq!(in_the_way(class, "go"), ["a.py:3"]);
    let lambda = "//- a.py\ndef $0run(): pass\nx = lambda go: run(go)\n";
    assert_eq!(in_the_way(lambda, "go"), ["a.py:2"]);
    let nested = "//- a.py\ndef f():\n    $0run = 1\n    def h(go): return go + run\n    return h\n";
    assert_eq!(in_the_way(nested, "go"), ["a.py:3"]);
    let user = "//- a.py\ndef $0run(): pass\n//- b.py\nfrom a import run\nfrom c import go\n//- d.py\ndef f():\n    from a import run\n    go = run()\n";
    assert_eq!(in_the_way(user, "go"), ["b.py:2", "d.py:3"]);
}

#[test]
fn what_would_be_hidden_is_found() {
    let text = "def f():\n    return 1\ndef g(x):\n    $0y = f()\n    return y\ndef h(): return f()\n";
    assert_eq!(in_the_way(&format!("//- a.py\n{text}"), "f"), ["a.py:4"]);
    assert_eq!(in_the_way(&format!("//- a.py\n{text}"), "x"), ["a.py:3"]);
    let class = "//- a.py\nclass A:\n    $0x = 1\n    y = len(z)\n    def f(self): return len(self.y)\n";
    assert_eq!(in_the_way(class, "len"), ["a.py:3"]);
}

#[test]
fn members_of_related_classes_are_in_the_way() {
    let family = "//- a.py\nclass A:\n    def $0m1(self): pass\n    def f(self): return self.m3\n\
        //- b.py\nfrom a import A\nclass B(A):\n    def m2(self): return self.m1()\nclass C(B):\n    def g(self): self.m3()\n\
        //- c.py\nclass D:\n    def m2(self): return self.m3\n";
    assert_eq!(in_the_way(family, "m2"), ["b.py:3"]);
    assert_eq!(in_the_way(family, "m3"), ["a.py:3", "b.py:5"]);
    free(family, "g1");
    let up = "//- a.py\nclass P:\n    def go(self): pass\nclass A(P):\n    def $0run(self): pass\n";
    assert_eq!(in_the_way(up, "go"), ["a.py:2"]);
}

#[test]
fn kotlins_imports_packages_and_own_members() {
    let import = "//- a.kt\npackage p\nimport java.io.File\nclass $0Uno\nval f = File(\"a\")\n";
    assert_eq!(in_the_way(import, "File"), ["a.kt:2", "a.kt:4"]);
    let user = "//- a.kt\npackage p\nclass $0Uno\n//- q/b.kt\npackage q\nimport p.Uno\nimport java.io.File\nval u = Uno()\n";
    assert_eq!(in_the_way(user, "File"), ["q/b.kt:3"]);
    let package = "//- a.kt\npackage p\nclass $0Uno\n//- b.kt\npackage p\nval x = List(3)\n//- c.kt\npackage p\nclass Due\n//- q/d.kt\npackage q\nval y: List<Int>\nclass Tre\n";
    assert_eq!(in_the_way(package, "List"), ["b.kt:2"]);
    assert_eq!(in_the_way(package, "Due"), ["c.kt:2"]);
    free(package, "Tre");
    let member = "//- a.kt\nclass A(val $0one: Int) {\n    fun set(two: Int) { one = two }\n    fun log() = println(one)\n    fun two() = 2\n}\n";
    assert_eq!(in_the_way(member, "two"), ["a.kt:2"]);
    free(member, "log");
    free(member, "println");
    let called =
        "//- a.kt\nclass A {\n    fun $0one() = 1\n    fun log(two: Int) = println(one() + two)\n}\n";
    assert_eq!(in_the_way(called, "println"), ["a.kt:3"]);
    free(called, "two");
    let callable = "//- a.kt\nfun $0one() = 1\nfun f(two: () -> Int) = one() + two()\n";
    assert_eq!(in_the_way(callable, "two"), ["a.kt:2"]);
    let argument = "//- a.kt\nfun $0one() = 1\nfun f(two: Int) = 2\nval x = f(two = one())\n";
    free(argument, "two");
    let heirs =
        "//- a.kt\nopen class A { open fun $0one() = 1 }\n//- b.kt\nclass B : A() { fun two() = one() }\n";
    assert_eq!(in_the_way(heirs, "two"), ["b.kt:1"]);
}

#[test]
fn javas_fields_and_parameters() {
    let text = "//- A.java\nclass A {\n    int $0one;\n    A(int two) { this.one = two; }\n    int two() { return one; }\n}\n";
    free(text, "two");
    let bare = "//- A.java\nclass A {\n    int $0one;\n    void set(int two) { one = two; }\n}\n";
    assert_eq!(in_the_way(bare, "two"), ["A.java:3"]);
}

#[test]
fn typescript_keys_are_no_uses() {
    let text = "//- a.ts\nexport function $0run() {}\n//- b.ts\nimport { run } from './a';\nconst x = { go: run(), y: 1 };\nx.go;\n";
    free(text, "go");
    let used = "//- a.ts\nexport function $0run() {}\n//- b.ts\nimport { run } from './a';\nconst x = { y: run(), go };\n";
    assert_eq!(in_the_way(used, "go"), ["b.ts:2"]);
    let import = "//- a.ts\nexport function $0run() {}\n//- b.ts\nimport { run } from './a';\nimport { go } from 'elsewhere';\nrun();\n";
    assert_eq!(in_the_way(import, "go"), ["b.ts:2"]);
}

#[test]
fn gos_and_rusts_imports() {
    let go = "//- p/a.go\npackage p\nimport \"os\"\nfunc $0run() { os.Exit(1) }\n//- p/b.go\npackage p\nfunc walk() { run() }\n";
    assert_eq!(in_the_way(go, "os"), ["p/a.go:2", "p/a.go:3"]);
    assert_eq!(in_the_way(go, "walk"), ["p/b.go:2"]);
    let rust = "//- src/lib.rs\nuse std::fs::File;\nfn $0run() { let go = 1; run(); }\nfn f(x: S) -> S { S { walk: x.walk } }\n";
    assert_eq!(in_the_way(rust, "File"), ["src/lib.rs:1"]);
    assert_eq!(in_the_way(rust, "go"), ["src/lib.rs:2"]);
    free(rust, "walk");
    let module = "//- src/lib.rs\nmod $0heirs {}\npub fn subclasses() { heirs::f(); }\npub enum Kind { A }\n";
    free(module, "subclasses");
    assert_eq!(in_the_way(module, "Kind"), ["src/lib.rs:3"]);
}

#[test]
fn names_that_modules_export_are_in_the_way() {
    let clause = "//- a.ts\nfunction other() {}\nexport { other as go };\nexport function $0run() {}\n";
    assert_eq!(in_the_way(clause, "go"), ["a.ts:2"]);
    free(clause, "walk");
    free("//- a.ts\nfunction other() {}\nexport { other as go };\nfunction $0run() {}\nrun();\n", "go");
    let stars = "//- a.ts\nexport function $0run() {}\n//- b.ts\nexport function go() {}\n\
                 //- index.ts\nexport * from './a';\nexport * from './b';\n//- all.ts\nexport const leap = 1;\nexport * from '.';\n\
                 //- user.ts\nimport { run } from './all';\nrun();\n";
    assert_eq!(in_the_way(stars, "go"), ["all.ts:2", "index.ts:1"]);
    assert_eq!(in_the_way(stars, "leap"), ["all.ts:2"]);
    free(stars, "walk");
    free(
        "//- a.ts\nexport function $0run() {}\n//- b.ts\nexport function go() {}\nexport * from './c';\n//- c.ts\n",
        "go",
    );
}

#[test]
fn a_component_stays_one() {
    let fixture =
        "//- a.tsx\nexport function $0Card() {}\nconst a = () => <Card></Card>;\nconst b = f<Card>();\n";
    assert_eq!(in_the_way(fixture, "card"), ["a.tsx:2"]);
    free(fixture, "Sheet");
    free("//- a.tsx\nexport function $0Card() {}\nCard();\nconst a = <p></p>;\n", "card");
    assert_eq!(in_the_way("//- a.ts\nfunction $0run() {}\nrun();\n", "arguments"), ["a.ts:1"]);
}

#[test]
fn type_parameters_are_in_the_way_of_types_in_their_scope() {
    let fixture = "//- a.ts\nexport interface $0Old { x: number }\nexport class Box<T> {\n  f(o: Old): T | undefined { return undefined; }\n}\n\
                   export function g<U extends Old>(u: U): Old { return u; }\nexport type Inf<Z> = Z extends Array<infer E> ? E | Old : never;\n";
    assert_eq!(in_the_way(fixture, "T"), ["a.ts:3"]);
    assert_eq!(in_the_way(fixture, "U"), ["a.ts:5"]);
    assert_eq!(in_the_way(fixture, "Z"), ["a.ts:6"]);
    assert_eq!(in_the_way(fixture, "E"), ["a.ts:6"]);
    free(fixture, "K");
}

#[test]
fn members_of_gos_types_are_in_the_way() {
    let fixture = "//- a.go\npackage a\ntype Base struct { $0name string }\nfunc (b Base) Title() string { return b.name }\n\
                   type Sub struct { Base; size int }\nfunc (s Sub) Own() int { return s.size }\nfunc f(s Sub) string { return s.name }\n\
                   type Outer struct { *Sub; deep Deep }\ntype Deep struct { far int }\n";
    assert_eq!(in_the_way(fixture, "Title"), ["a.go:3"]);
    assert_eq!(in_the_way(fixture, "size"), ["a.go:4", "a.go:5"]);
    assert_eq!(in_the_way(fixture, "Own"), ["a.go:5"]);
    for name in ["far", "deep", "other"] {
        free(fixture, name);
    }
    let promoted = "//- a.go\npackage a\ntype Base struct { name string }\ntype Sub struct { Base; $0size int }\n\
                    func f(s Sub) string { return s.name + s.Base.name }\nfunc (s *Sub) Own() int { return s.size }\n";
    assert_eq!(in_the_way(promoted, "name"), ["a.go:2", "a.go:4"]);
    assert_eq!(
        in_the_way(
            &promoted
                .replace("$0", "")
                .replace(") Own", ") $0Own")
                .replace("{ return s.size", "{ return s.Own() + s.size"),
            "size"
        ),
        ["a.go:3", "a.go:5"]
    );
}

/// Modules that import everything of one another: each of the many ways to a module was followed.
#[test]
fn modules_that_import_everything_of_each_other_are_followed_once() {
    let modules: String = (0..40)
        .map(|number| format!("mod m{number} {{ use super::*; pub fn f() {{ let _ = Solo2; }} }}\n"))
        .collect();
    free(&format!("//- src/lib.rs\npub enum Op {{ $0Solo }}\n{modules}"), "Solo2");
    let packages: String = (0..12)
        .map(|number| {
            let stars: String = (0..12).map(|other| format!("from p{other} import *\n")).collect();
            format!("//- p{number}.py\n{stars}")
        })
        .collect();
    free(&format!("{packages}//- a.py\nfrom p0 import *\ndef $0solo(): pass\nsolo()\nother()\n"), "other2");
}

#[test]
fn quoted_members_are_in_the_way() {
    for (fixture, line) in [
        ("//- a.ts\ninterface P {\n  \"full\": 1;\n  $0name: 2;\n}\n", "a.ts:2"),
        ("//- a.ts\nclass P {\n  'full' = 1;\n  $0name = 2;\n}\n", "a.ts:2"),
        ("//- a.ts\nclass B {\n  \"full\" = 1;\n}\nclass P extends B {\n  $0name = 2;\n}\n", "a.ts:2"),
        ("//- a.ts\nenum P {\n  \"full\",\n  $0name,\n}\n", "a.ts:2"),
    ] {
        assert_eq!(in_the_way(fixture, "full"), [line], "{fixture}");
        free(fixture, "whole");
    }
}

#[test]
fn members_of_the_extended_class_are_in_the_way_of_kotlins_extensions() {
    let fixture = "//- a.kt\npackage p\nopen class Base { fun far() = 1 }\nopen class K : Base() { fun mem() = 1 }\nclass Sub : K() { fun below() = 1 }\n\
                   class Other { fun apart() = 1 }\n//- b.kt\npackage q\nimport p.K\nfun K.$0ext() = 2\nfun u(k: K) = k.ext()\n";
    assert_eq!(in_the_way(fixture, "mem"), ["a.kt:3"]);
    assert_eq!(in_the_way(fixture, "far"), ["a.kt:2"]);
    assert_eq!(in_the_way(fixture, "below"), ["a.kt:4"]);
    free(fixture, "apart");
    let nullable = fixture.replace("K.$0ext()", "K?.$0ext()");
    assert_eq!(in_the_way(&nullable, "mem"), ["a.kt:3"]);
    let generic = "//- a.kt\nclass Box<T> { fun mem() = 1 }\nfun <T : Comparable<T>> Box<List<T>>.$0ext() = 2\nfun u(k: Box<List<Int>>) = k.ext()\n";
    assert_eq!(in_the_way(generic, "mem"), ["a.kt:1"]);
    let property = "//- a.kt\nclass K { val mem = 1 }\nval K.$0ext get() = 2\nfun u(k: K) = k.ext\n";
    assert_eq!(in_the_way(property, "mem"), ["a.kt:1"]);
}

/// Returns what a library declares by the new name, as `line: class`.
fn in_libraries(fixture: &str, new_name: &str) -> Vec<String> {
    let (memory, target) = declared(fixture);
    everywhere(&memory, |memory| {
        let found = find_library_conflicts(memory, std::slice::from_ref(&target), new_name, &Cancel::new())
            .expect("not cancelled");
        let kind = |is_of_extension| if is_of_extension { "instead" } else { "overridden" };
        found.iter().map(|one| format!("{} {}", one.declared_by, kind(one.is_of_extension))).collect()
    })
}

#[test]
fn members_of_libraries_are_in_the_way() {
    let cut = "//- a.kt\nfun String.$0cut(i: Int) = this\n";
    assert_eq!(in_libraries(cut, "get"), ["kotlin.String instead"]);
    assert_eq!(in_libraries(cut, "equals"), ["kotlin.String instead"]);
    assert!(in_libraries(cut, "length").is_empty(), "a property");
    assert!(in_libraries(cut, "hashCode").is_empty(), "another number of parameters");
    assert!(in_libraries(cut, "take").is_empty(), "an extension of the library");
    assert_eq!(in_libraries("//- a.kt\nfun x.y.View.$0cut() = this\n", "hashCode"), ["kotlin.Any instead"]);
    assert!(
        in_libraries("//- a.kt\nfun x.y.View.$0cut() = this\n", "notify").is_empty(),
        "a member of Java's objects alone"
    );
    let member =
        "//- a.kt\nopen class K { fun $0mem() = 1; fun of(i: Int) = i }\nclass Sub : K(), AutoCloseable\n";
    assert_eq!(in_libraries(member, "hashCode"), ["kotlin.Any overridden"]);
    assert_eq!(in_libraries(member, "close"), ["java.lang.AutoCloseable overridden"]);
    assert!(in_libraries(member, "equals").is_empty());
    assert!(in_libraries(member, "other").is_empty());
    let extension = "//- a.kt\nclass K : AutoCloseable { override fun close() {} }\nfun K.$0end() {}\n";
    assert_eq!(in_libraries(extension, "close"), ["java.lang.AutoCloseable instead"]);
    let java = "//- A.java\nclass A implements Runnable { public void run() {} void $0mem() {} }\n";
    assert_eq!(in_libraries(&java.replace("run", "walk"), "run"), ["java.lang.Runnable overridden"]);
    assert_eq!(in_libraries(java, "toString"), ["kotlin.Any overridden"]);
    let python = "//- a.py\nimport threading\nclass A(threading.Thread):\n    def $0work(self): pass\n";
    assert_eq!(in_libraries(python, "run"), ["threading.Thread overridden"]);
    assert!(in_libraries(python, "walk").is_empty());
    assert!(in_libraries("//- a.rs\nfn $0f() {}\n", "drop").is_empty());
}

/// Returns `path:line` of what would mean something else when the symbol at `$0` and its uses are called `new_name`. Lines are 1-based.
fn changed(fixture: &str, new_name: &str) -> Vec<String> {
    let (texts, (path, at)) = files(fixture);
    let memory = memory(texts);
    let target = target(&memory, &path, at);
    let cancel = Cancel::new();
    let uses = occurrences(&memory, std::slice::from_ref(&target), &cancel).expect("not cancelled");
    let uses: Vec<Occurrence> = uses.into_iter().filter(|one| one.judgement == Judgement::Likely).collect();
    let edits: Vec<(RelPath, Text, TextEdits)> = uses
        .chunk_by(|a, b| a.path == b.path)
        .map(|of_file| {
            let text = &memory.texts.iter().find(|(known, _)| *known == of_file[0].path).expect("is there").1;
            let edit = |one: &Occurrence| TextEdit { range: one.range, new_text: new_name.to_owned() };
            let edits = TextEdits::new(of_file.iter().map(edit).collect()).expect("disjoint");
            (of_file[0].path.clone(), Text::decode(text.clone().into_bytes()).expect("text"), edits)
        })
        .collect();
    let edited: Vec<EditedText<'_>> =
        edits.iter().map(|(path, text, edits)| EditedText { path, text, edits }).collect();
    let found = everywhere(&memory, |memory| {
        find_changed_meanings(memory, std::slice::from_ref(&target), new_name, &edited, &cancel)
            .expect("not cancelled")
    });
    let line = |(path, range): &(RelPath, TextRange)| {
        let text = &memory.texts.iter().find(|(known, _)| known == path).expect("is there").1;
        format!("{path}:{}", text[..range.start as usize].matches('\n').count() + 1)
    };
    found.iter().map(line).collect()
}

#[test]
fn kotlin_names_are_resolved_in_the_edited_texts() {
    let lambda = "//- a.kt\npackage p\nclass Person { fun greet() = 1 }\nfun $0hello() = 2\n\
        //- b.kt\npackage p\nfun build(block: Person.() -> Int) = Person().block()\nfun f() = build { hello() }\nfun g() = hello()\n";
    assert_eq!(changed(lambda, "greet"), ["b.kt:3"]);
    assert_eq!(changed(lambda, "other"), [""; 0]);
    // The library's extension is hidden by one of the package.
    let library = "//- a.kt\npackage p\nfun String.$0cut() = \"<\" + this.trim()\n//- b.kt\npackage p\nval x = \" a \".trim()\nval y = \" a \".cut()\n\
        //- c.kt\npackage q\nval z = \" a \".trim()\n";
    assert_eq!(changed(library, "trim"), ["a.kt:2", "b.kt:2"]);
    let overloads = "//- a.kt\npackage p\nfun $0one(x: String) = 1\nfun two(x: Any) = 2\nfun f() = one(\"\") + two(\"\") + two(3)\n";
    assert_eq!(changed(overloads, "two"), ["a.kt:4"]);
    let apart =
        "//- a.kt\npackage p\nfun $0one(x: String) = 1\nfun two(x: Int) = 2\nfun f() = one(\"\") + two(3)\n";
    assert_eq!(changed(apart, "two"), [""; 0]);
    let quoted = "//- a.kt\npackage p\nclass A { fun `in`() = 1 }\nfun $0one() = 1\nfun f(a: A) = with(a) { one() + `in`() }\n";
    assert_eq!(changed(quoted, "`in`"), ["a.kt:4"]);
}

#[test]
fn accessors_of_kotlins_properties_are_in_the_way() {
    let function = |property: &str| {
        format!("//- a.kt\npackage p\nopen class A {{ {property} }}\nclass B : A() {{ fun $0grab() = 1 }}\n")
    };
    assert_eq!(in_the_way(&function("val size = 1"), "getSize"), ["a.kt:2"]);
    assert_eq!(in_the_way(&function("val isOpen = 1"), "isOpen"), ["a.kt:2"]);
    for own in [
        "private val size = 1",
        "@JvmField val size = 1",
        "val size: Int @JvmName(\"q\") get() = 1",
        "fun size() = 1",
    ] {
        free(&function(own), "getSize");
    }
    free(&function("val size = 1"), "setSize");
    free(&function("val size = 1"), "getsize");
    let setter = |head: &str| format!("//- a.kt\npackage p\n{head} size = 1\nfun $0put(size: Int) = 1\n");
    assert_eq!(in_the_way(&setter("var"), "setSize"), ["a.kt:2"]);
    free(&setter("val"), "setSize");
    free(&setter("var"), "getSize");
    let property = "//- a.kt\npackage p\nclass A { var $0size = 1; fun getText() = 1; fun setName(to: Int) {}; fun getCode(of: Int) = of; fun setLabel(to: String) {} }\n\
        class B { fun getMine() = 1 }\n";
    assert_eq!(in_the_way(property, "text"), ["a.kt:2"]);
    assert_eq!(in_the_way(property, "name"), ["a.kt:2"]);
    free(property, "code");
    free(property, "mine");
    free(property, "label");
    free("//- a.kt\npackage p\nval size = 1\nfun String.$0grab() = 1\n", "getSize");
    let extended = "//- a.kt\npackage p\nval String.size get() = 1\nfun String.$0grab() = 1\n";
    assert_eq!(in_the_way(extended, "getSize"), ["a.kt:2"]);
    free(&extended.replace("fun String", "fun Int"), "getSize");
}
