//! JavaScript and TypeScript, Rust, Go, C#, C.

use super::judged;

#[test]
fn ecma_script_modules() {
    let fixture = "//- src/a.ts\nexport function $0load() {}\nload();\n\
        //- src/index.ts\nexport { load } from './a';\nexport * from './b.js';\n\
        //- src/b.ts\nimport { load } from '.';\nload();\nexport const f = (load: number) => load;\n\
        //- lib/c.js\nconst { load } = require('../src/a');\nload();\n\
        //- lib/d.tsx\nimport * as s from '../src';\ns.load();\nx.load();\n\
        //- lib/e.ts\nimport { load } from 'pkg';\nload();\nfunction g() { const load = 1; return load; }\n\
        //- lib/f.ts\nimport { load } from './nowhere';\n";
    assert_eq!(
        judged(fixture),
        [
            "lib/c.js:1: likely import",
            "lib/c.js:2: likely call",
            "lib/d.tsx:2: likely call",
            "lib/d.tsx:3: unchecked call",
            "lib/e.ts:1: unchecked import",
            "lib/e.ts:2: unchecked call",
            "lib/e.ts:3: unlikely use",
            "lib/e.ts:3: unlikely use",
            "lib/f.ts:1: unchecked import",
            "src/a.ts:1: likely declaration",
            "src/a.ts:2: likely call",
            "src/b.ts:1: likely import",
            "src/b.ts:2: likely call",
            "src/b.ts:3: unlikely use",
            "src/b.ts:3: unlikely use",
            "src/index.ts:1: likely import",
        ]
    );
}

#[test]
fn ecma_script_default_exports() {
    let fixture = "//- a.ts\nexport default class $0Item {}\n\
        //- b.ts\nimport Item from './a';\nnew Item();\n\
        //- c.ts\nexport class Item {}\nnew Item();\n";
    assert_eq!(
        judged(fixture),
        [
            "a.ts:1: likely declaration",
            "b.ts:1: likely import",
            "b.ts:2: likely call",
            "c.ts:1: unlikely declaration",
            "c.ts:2: unlikely call",
        ]
    );
}

#[test]
fn rust_methods_are_named_behind_a_dot_or_colons() {
    let fixture = "//- src/a.rs\nstruct A;\nimpl A { fn $0hold(&self) {} }\n\
        //- src/b.rs\nuse ::hold::x;\nfn f(a: A) { let (hold, its) = pair(); g(hold); assert!(hold); a.hold(); }\n\
        fn g() { while let Some(hold) = next() {} call!(a, hold); A::hold(&a); }\n";
    assert_eq!(
        judged(fixture),
        [
            "src/a.rs:2: likely declaration",
            "src/b.rs:1: unlikely import",
            "src/b.rs:2: unlikely use",
            "src/b.rs:2: unlikely use",
            "src/b.rs:2: unlikely use",
            "src/b.rs:2: unchecked call",
            "src/b.rs:3: unlikely use",
            "src/b.rs:3: unchecked use",
            "src/b.rs:3: unchecked call",
        ]
    );
}

#[test]
fn rust_fields_and_modules_stand_bare_in_few_places() {
    let field = "//- src/a.rs\nstruct A { $0made: u8 }\nfn f(a: A) { let A { made } = a; A { made: 1 }; }\n\
        fn g() { if let Some((_, made)) = next() { h(made) } std::made(); }\n";
    let of_field = judged(field);
    let expected = [
        "src/a.rs:1: likely declaration",
        "src/a.rs:2: unchecked use",
        "src/a.rs:2: unchecked use",
        "src/a.rs:3: unlikely use",
        "src/a.rs:3: unlikely use",
        "src/a.rs:3: unlikely call",
    ];
    assert_eq!(of_field, expected);
    let module =
        "//- src/lib.rs\nmod project;\npub mod $0parts {}\nfn f(parts: u8) { parts::g(); h(parts.len()); }\n";
    assert_eq!(judged(module).last().unwrap(), "src/lib.rs:3: unlikely use");
}

#[test]
fn rust_patterns_bind_locals() {
    let fixture = "//- src/a.rs\nfn $0load() -> Option<u8> { None }\n\
        fn f() { if let Some(load) = load() { g(load) } else { load(); } }\n\
        fn h() { let (load, _) = pair(); g(load); load::x(); load!(); }\n\
        fn i() { match x { A { load } => load, B(load) if load > 1 => 2, C => load() } }\n\
        fn j() { x.map(load); x.map(|load| load + 1); let load = load().unwrap_or(load); g(load) }\n\
        async fn k() { select! { load = load() => g(load), else => load() } }\n\
        fn l() { let Some(load) = y else { return load() }; fn m() { load() } g(load) }\n";
    let by_line = |line: usize| -> Vec<String> {
        let prefix = format!("src/a.rs:{line}: ");
        judged(fixture).iter().filter_map(|one| Some(one.strip_prefix(&prefix)?.to_owned())).collect()
    };
    assert_eq!(by_line(2), ["unlikely use", "likely call", "unlikely use", "likely call"]);
    assert_eq!(by_line(3), ["unlikely use", "unlikely use", "unlikely use", "unlikely call"]);
    assert_eq!(by_line(4), ["unlikely use", "unlikely use", "unlikely use", "unlikely use", "likely call"]);
    assert_eq!(
        by_line(5),
        [
            "likely use",
            "unlikely use",
            "unlikely use",
            "unlikely use",
            "likely call",
            "likely use",
            "unlikely use"
        ]
    );
    assert_eq!(by_line(6), ["unlikely use", "likely call", "unlikely use", "likely call"]);
    assert_eq!(by_line(7), ["unlikely use", "likely call", "likely call", "unlikely use"]);
}

/// Returns the judgements of a fixture's occurrences in `file:line`, in their order.
fn on_line(fixture: &str, place: &str) -> Vec<String> {
    let prefix = format!("{place}: ");
    judged(fixture).iter().filter_map(|one| Some(one.strip_prefix(&prefix)?.to_owned())).collect()
}

#[test]
fn rust_names_behind_modules_that_are_not_followed_are_unchecked() {
    let module =
        "//- src/main.rs\nmod engine;\nfn run() { engine::run() }\n//- src/engine.rs\npub fn $0run() {}\n";
    assert_eq!(on_line(module, "src/main.rs:2"), ["unlikely declaration", "unchecked call"]);
    let own = "//- src/main.rs\nmod core;\nfn f() { core::start(); std::start() }\n//- src/core.rs\npub fn $0start() {}\n";
    assert_eq!(on_line(own, "src/main.rs:2"), ["unchecked call", "unlikely call"]);
    let segment =
        "//- src/a.rs\npub enum $0Kind { A }\n//- src/b.rs\nuse crate::a::Kind::{A, B};\nuse Kind::*;\n";
    assert_eq!(on_line(segment, "src/b.rs:1"), ["unchecked import"]);
    assert_eq!(on_line(segment, "src/b.rs:2"), ["unchecked import"]);
    let restricted = "//- src/lib.rs\nmod $0engine { pub(in crate::engine) fn f() {} }\n";
    assert_ne!(judged(restricted)[1], "src/lib.rs:1: unlikely use");
}

#[test]
fn rust_names_of_other_sorts_are_no_uses() {
    let function = "//- src/a.rs\nfn $0name() {}\nfn f() { Other { name: 1, age: name() }; }\n\
        fn g() { 'name: loop { break 'name } }\nfn h<'name>(x: &'name u8) {}\n";
    assert_eq!(on_line(function, "src/a.rs:2"), ["unlikely use", "likely call"]);
    assert!(on_line(function, "src/a.rs:3").iter().all(|one| one == "unlikely use"));
    assert!(on_line(function, "src/a.rs:4").iter().all(|one| one == "unlikely use"));
    let constant =
        "//- src/a.rs\nconst $0N: usize = 3;\nfn f<const N: usize>() -> usize { N }\nfn g() { N; }\n";
    assert_eq!(on_line(constant, "src/a.rs:2"), ["unlikely use", "unlikely use"]);
    assert_eq!(on_line(constant, "src/a.rs:3"), ["likely use"]);
}

#[test]
fn rust_names_that_macros_and_attributes_take_are_unchecked() {
    let procedural = "//- src/lib.rs\nmod a;\n//- src/a.rs\n#[proc_macro]\npub fn $0sql(i: T) -> T { i }\n//- src/b.rs\nuse crate::a::sql;\nfn f() { sql!(1); }\n";
    assert_eq!(on_line(procedural, "src/b.rs:2"), ["likely call"]);
    let method = "//- src/a.rs\nstruct A;\nimpl A { fn $0take(&self) {} }\nfn f() { invoke!(a, \")\", take); g(take) }\n";
    assert_eq!(on_line(method, "src/a.rs:3"), ["unchecked use", "unlikely use"]);
    let field = "//- src/a.rs\nstruct A { $0other: u8, #[validate(equals = other)] b: u8 }\n\
        fn f(a: A) { matches!(a, A { other } if other > 1); }\n";
    assert_eq!(judged(field)[1], "src/a.rs:1: unchecked use");
    assert_eq!(on_line(field, "src/a.rs:2")[0], "unchecked use");
    let pattern = "//- src/a.rs\nconst $0lower: u8 = 1;\nfn f(x: u8) { match x { lower => 1, _ => 2 }; }\n";
    assert_eq!(on_line(pattern, "src/a.rs:2"), ["unchecked use"]);
}

#[test]
fn rust_locals_hide_no_field_of_a_literal() {
    let fixture = "//- src/a.rs\nstruct A { $0made: u8 }\n\
        fn f() -> A { let made = 1; g(made); A { made } }\nfn h(made: u8, A { made: x, .. }: A) {}\n";
    assert_eq!(
        judged(fixture),
        [
            "src/a.rs:1: likely declaration",
            "src/a.rs:2: unlikely use",
            "src/a.rs:2: unlikely use",
            "src/a.rs:2: unchecked use",
            "src/a.rs:3: unlikely use",
            "src/a.rs:3: unchecked use",
        ]
    );
}

#[test]
fn rust_modules() {
    let fixture = "//- src/lib.rs\nmod a;\npub use a::load;\n\
        //- src/a.rs\npub fn $0load() {}\nfn f() { load() }\nmod tests { use super::*; fn g() { load() } }\n\
        //- src/b.rs\nuse crate::a::{self, load};\nfn f() { load(); a::load(); }\n\
        //- src/c.rs\nuse crate::load;\nfn f() { load() }\nfn g(load: u8) { load; }\n\
        //- src/d.rs\nuse std::x::load;\nfn f() { load(); y.load(); }\n";
    assert_eq!(
        judged(fixture),
        [
            "src/a.rs:1: likely declaration",
            "src/a.rs:2: likely call",
            "src/a.rs:3: likely call",
            "src/b.rs:1: likely import",
            "src/b.rs:2: likely call",
            "src/b.rs:2: likely call",
            "src/c.rs:1: likely import",
            "src/c.rs:2: likely call",
            "src/c.rs:3: unlikely use",
            "src/c.rs:3: unlikely use",
            "src/d.rs:1: unlikely import",
            "src/d.rs:2: unlikely call",
            "src/d.rs:2: unchecked call",
            "src/lib.rs:2: likely import",
        ]
    );
}

#[test]
fn go_packages() {
    let fixture = "//- p/a.go\npackage p\nfunc $0Load() {}\n//- p/b.go\npackage p\nfunc f() { Load() }\n\
        //- q/c.go\npackage q\nimport \"x.org/m/p\"\nfunc g() { p.Load(); y.Load() }\n\
        //- q/d.go\npackage q\nfunc h() { Load() }\n";
    assert_eq!(
        judged(fixture),
        [
            "p/a.go:2: likely declaration",
            "p/b.go:2: likely call",
            "q/c.go:3: likely call",
            "q/c.go:3: unchecked call",
            "q/d.go:2: unchecked call",
        ]
    );
}

#[test]
fn csharp_namespaces_and_c_headers() {
    let fixture = "//- A.cs\nnamespace P { class $0Item {} }\n//- B.cs\nusing P;\nclass B { Item x = new Item(); }\n\
        //- C.cs\nnamespace P.Q { class C { Item y; } }\n//- D.cs\nclass D { Item z; }\n";
    assert_eq!(
        judged(fixture),
        [
            "a.cs:1: likely declaration",
            "b.cs:2: likely use",
            "b.cs:2: likely call",
            "c.cs:1: likely use",
            "d.cs:1: unchecked use",
        ]
    );
    let fixture = "//- a.c\n#include \"a.h\"\nint $0load(int n) { return n; }\n//- a.h\nint load(int n);\n\
        //- b.c\n#include \"a.h\"\nint f() { return load(1); }\n//- c.c\nint g() { return load(1); }\n";
    let found = judged(fixture);
    assert!(found.contains(&"a.c:2: likely declaration".to_owned()), "{found:?}");
    assert!(found.contains(&"b.c:2: likely call".to_owned()), "{found:?}");
    assert!(found.contains(&"c.c:1: unchecked call".to_owned()), "{found:?}");
}

#[test]
fn keys_of_objects_and_types_before_arrows_are_no_locals_and_no_uses_of_them() {
    let fixture = "//- a.ts\nconst $0recursive = new Map();\nexport const f = () => {\n\
        use({ recursive: 1, b: recursive });\nconst { recursive: c } = g();\nreturn recursive;\n}\n";
    assert_eq!(
        judged(fixture)[1..],
        ["a.ts:3: unlikely use", "a.ts:3: likely use", "a.ts:4: unlikely use", "a.ts:5: likely use"]
    );
    let fixture = "//- a.ts\ntype $0Kind = 1 | 2;\ntype Other = 3;\n\
        export const f = (data: any): Kind => {\nreturn g(data as Kind);\n};\n\
        export const g = (data: any): Other | Kind => 1;\nexport const h = (Kind) => Kind;\n";
    assert_eq!(
        judged(fixture)[1..],
        [
            "a.ts:3: likely use",
            "a.ts:4: likely use",
            "a.ts:6: likely use",
            "a.ts:7: unlikely use",
            "a.ts:7: unlikely use"
        ]
    );
    let fixture = "//- a.ts\ninterface Box { $0size?: number }\nconst size = 1;\nuse({ size: 2 });\n";
    assert_eq!(judged(fixture)[1..], ["a.ts:2: unlikely declaration", "a.ts:3: unchecked use"]);
}

#[test]
fn go_embeds_types_and_names_fields_in_literals() {
    let fixture = "//- a.go\npackage mux\ntype $0Conf struct { n int }\ntype Route struct {\n\tConf\n\tn Conf\n}\n\
        type Other struct { *Conf }\nfunc f(r Route) Route {\n\tuse(r.Conf, Conf{n: 1})\n\
        \treturn Route{\n\t\tConf: r.Conf,\n\t}\n}\n\
        //- a_test.go\npackage mux_test\nimport \"example.org/gorilla/mux/v2\"\nvar c = mux.Conf{}\n";
    assert_eq!(
        judged(fixture)[1..],
        [
            "a.go:4: likely use",
            "a.go:5: likely use",
            "a.go:7: likely use",
            "a.go:9: unchecked use",
            "a.go:9: likely use",
            "a.go:11: unchecked use",
            "a.go:11: unchecked use",
            "a_test.go:3: likely use",
        ]
    );
    let fixture = "//- a.go\npackage p\ntype $0kind int\nfunc f() {\n\tuse(box{kind: kind(1)})\n\
        \tswitch x {\n\tcase a, kind:\n\t}\n}\n";
    assert_eq!(judged(fixture)[1..], ["a.go:4: unchecked use", "a.go:4: likely call", "a.go:6: likely use"]);
}

/// Returns the judgements of the uses of `name` in a TypeScript file that declares it and contains `body`.
fn typed(body: &str) -> Vec<String> {
    let fixture = format!("//- a.ts\nexport const $0name = 1;\n{body}\n");
    judged(&fixture)[1..].iter().map(|line| line.replace("a.ts:", "")).collect()
}

#[test]
fn typescripts_locals_hide_a_name_where_they_are_seen() {
    assert_eq!(typed("function f(c: boolean) {\nreturn c ? g(name) : 0;\n}"), ["3: likely use"]);
    assert_eq!(
        typed("function f(c: boolean) {\nif (c) {\nconst name = 2;\nuse(name);\n}\nreturn name;\n}"),
        ["4: unlikely use", "5: unlikely use", "7: unchecked use"]
    );
    assert_eq!(typed("const f = ({ a, name }) => a + name;"), ["2: unlikely use", "2: unlikely use"]);
    assert_eq!(
        typed("function f(o: any) {\nconst { b: { name } } = o;\nreturn name;\n}"),
        ["3: unlikely use", "4: unlikely use"]
    );
    assert_eq!(
        typed("class K { constructor(private name: A) { use(name); } }"),
        ["2: unlikely declaration", "2: unlikely use"]
    );
    assert_eq!(typed("function f(...name: A[]) { use(name); }"), ["2: unlikely use", "2: unlikely use"]);
    let fixture = "//- a.ts\ntype $0Kind = 1;\nfunction f(a: Kind, { b }: { b: Kind }): Kind {\nreturn g(a as Kind);\n}\n";
    assert_eq!(
        judged(fixture)[1..],
        ["a.ts:2: likely use", "a.ts:2: likely use", "a.ts:2: likely use", "a.ts:3: likely use"]
    );
}

#[test]
fn gos_locals_hide_a_name_where_they_are_seen() {
    let go = |body: &str| {
        let fixture = format!("//- a.go\npackage p\nvar $0name = 1\n{body}\n");
        judged(&fixture)[1..].iter().map(|line| line.replace("a.go:", "")).collect::<Vec<_>>()
    };
    assert_eq!(
        go("func f() {\nuse(name[0], name * 2)\nreturn name\n}"),
        ["4: likely use", "4: likely use", "5: likely use"]
    );
    assert_eq!(
        go("func f() int {\nif name := g(); name > 1 {\nuse(name)\n}\nreturn name\n}"),
        ["4: unlikely use", "4: unchecked use", "5: unlikely use", "7: unchecked use"]
    );
    assert_eq!(
        go("func f() int {\nname := name + 1\nreturn name\n}"),
        ["4: unlikely use", "4: unchecked use", "5: unlikely use"]
    );
    assert_eq!(go("func f(name int) int { return name }"), ["3: unlikely use", "3: unlikely use"]);
}

#[test]
fn javas_locals_hide_a_name_where_they_are_seen() {
    let java = |body: &str| {
        let fixture = format!("//- A.java\npackage p;\nclass A {{ int $0name;\n{body}\n}}\n");
        judged(&fixture)[1..].iter().map(|line| line.replace("a.java:", "")).collect::<Vec<_>>()
    };
    assert_eq!(
        java("int f() {\nif (c) { int name = 2; use(name); }\nreturn name; }"),
        ["4: unlikely use", "4: unlikely use", "5: unchecked use"]
    );
    assert_eq!(java("void f() { g(name -> use(name)); }"), ["3: unlikely use", "3: unlikely use"]);
    assert_eq!(java("void f() { g((a, name) -> use(name)); }"), ["3: unlikely use", "3: unlikely use"]);
    assert_eq!(java("int f(int... name) { return name; }"), ["3: unlikely use", "3: unlikely use"]);
}
