//! JavaScript and TypeScript, Rust, Go, C#, C.

use super::judged;

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
        ["4: unlikely use", "5: unlikely use", "7: likely use"]
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
fn a_name_that_a_file_binds_too_often_is_possibly_a_local() {
    let blocks = "{ const name = 1; }\n".repeat(6000);
    let uses = typed(&format!("function f() {{\n{blocks}}}"));
    assert_eq!(uses.len(), 6000);
    assert!(uses.iter().all(|line| line.ends_with("unchecked use")), "{}", uses[0]);
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
        ["4: unlikely use", "4: unlikely use", "5: unlikely use", "7: likely use"]
    );
    assert_eq!(
        go("func f() int {\nname := name + 1\nreturn name\n}"),
        ["4: unlikely use", "4: likely use", "5: unlikely use"]
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
