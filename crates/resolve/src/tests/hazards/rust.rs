//! Effects of renames in Rust that no use of the name shows.

use super::check;

#[test]
fn names_that_derives_print() {
    let fixture = "//- a.rs\n#[derive(Debug)]\nstruct P { $0name: i32 }\nfn f(p: P) { println!(\"{:?}\", p); }\n\
        fn g(n: i32) { println!(\"{n:?}\"); }\nfn h(p: P) { println!(\"{}\", p.name); }\nfn t(p: P) { assert_eq!(p, P { name: 1 }, \"{p:?}\"); }\n";
    check("label", fixture, &["doubt a.rs:3"]);
    check("label", &fixture.replace("#[derive(Debug)]", "#[derive(Clone)]"), &[]);
    let forwarded = "//- a.rs\n#[derive(Debug)]\nenum E { $0One }\nfn show<T: Debug>(t: T) { println!(\"{t:?}\"); }\n\
        fn f(e: E) { show(e); }\nfn g(n: i32) { show(n); }\n";
    check("First", forwarded, &["doubt a.rs:4"]);
    check("F", &forwarded.replace("$0One", "One").replace("enum E", "enum $0E"), &[]);
    for given in
        ["show::<E>(e)", "show::<fn(E) -> E>(e)", "[e].into_iter().for_each(show)", "each(&[e], show::<E>)"]
    {
        check("First", &forwarded.replace("show(e)", given), &["doubt a.rs:4"]);
    }
    for value in [
        "[show][0](e)",
        "each(&show, e)",
        "(show as fn(E))(e)",
        "let p = P { print: show }; (p.print)(e)",
        "let f = show; f(e)",
        "show::<[E; 2]>(x)",
        "show::<N<{ 1 + 1 }>>(e)",
        "let f = if b { show } else { g }; f(e)",
        "let f: fn(E) = match b { _ => show }; f(e)",
    ] {
        check("First", &forwarded.replace("show(e)", value), &["doubt a.rs:4"]);
    }
    for other in [
        "e.show",
        "shown(e)",
        "let show = e",
        "show::f(e)",
        "let x: show = e",
        "P { show: 1 }",
        "println!(\"{show}\")",
        "println!(\"total: {show}\")",
        "println!(\"a\", \"\\\" total: {show}\")",
        "use m::show",
    ] {
        check("First", &forwarded.replace("show(e)", other), &[]);
    }
    // A value that is given away, and one of the module.
    for (user, expected) in [
        ("fn printer() -> fn(u8) { show }\nfn h(e: E) { printer()(e); }\n", &["doubt a.rs:7"][..]),
        ("const SHOW: fn(E) = show;\n", &["doubt a.rs:6"]),
        ("static SHOW: [fn(u8); 1] = [show];\n", &[]),
        ("fn printer() -> fn(u8) { show }\nfn h(n: u8) { printer()(n); }\n", &[]),
        ("fn many(x: &[u8]) -> usize { x.iter().for_each(show); 1 }\nfn h(e: E) { many(&[]); }\n", &[]),
        (
            "fn many() -> P { if b { return P::of(show); } P::none() }\nfn h(e: E) { many()(e); }\n",
            &["doubt a.rs:7"],
        ),
        (
            "fn many() -> P { match b { 1 => show, _ => other } }\nfn h(e: E) { many()(e); }\n",
            &["doubt a.rs:7"],
        ),
        ("fn many() -> P { let p = P { print: show }; p }\nfn h(e: E) { many()(e); }\n", &["doubt a.rs:7"]),
        ("fn many() -> P { P::of(&[show]) }\nfn h(e: E) { many()(e); }\n", &["doubt a.rs:7"]),
        // One that a field holds.
        ("fn make() { put(P { print: show }); }\nfn h(p: P, e: E) { (p.print)(e); }\n", &["doubt a.rs:7"]),
        (
            "fn make() { put(P { print: &show, x }); }\nfn h(p: P, e: E) { (p.print)(e); }\n",
            &["doubt a.rs:7"],
        ),
        ("fn make() { put(P { x, show }); }\nfn h(p: P, e: E) { (p.show)(e); }\n", &["doubt a.rs:7"]),
        (
            "fn make(p: &mut P) { p.print = Some(show); }\nfn h(p: P, e: E) { p.print.unwrap()(e); }\n",
            &["doubt a.rs:7"],
        ),
        (
            "fn make() { put(P { print: Box::new(show::<u8>) }); }\nfn h(p: P, e: E) { if let Some(f) = p.print { f(e) } }\n",
            &["doubt a.rs:7"],
        ),
        (
            "fn make() { put(P { print: show }); }\nmacro_rules! run { ($p:expr, $e:expr) => { ($p.print)($e) } }\nfn h(p: P, e: E) { run!(p, e); }\n",
            &["doubt a.rs:8"],
        ),
        ("fn make() { put(P { print: show }); }\nfn h(p: P, n: u8) { (p.print)(n); }\n", &[]),
        (
            "fn make() { put(P { print: show }); }\nfn h(p: P, e: E) { p.print(e); p.print = other; (p.prints)(e); }\n",
            &[],
        ),
        ("fn make() { let print: u8 = put(show); }\nfn h(p: P, e: E) { (p.print)(e); }\n", &[]),
    ] {
        check("First", &format!("{}{user}", forwarded.replace("show(e)", "drop(e)")), expected);
    }
}

#[test]
fn names_that_many_macros_print() {
    let printing = |count: usize| -> String {
        (0..count)
            .map(|at| format!("macro_rules! m{at} {{ ($x:expr) => {{ println!(\"{{:?}}\", $x) }} }}\n"))
            .collect()
    };
    let user = "macro_rules! outer { ($x:expr) => { m0!($x) } }\nfn f(e: E) { outer!(e); }\n";
    let of = |count| format!("//- a.rs\n#[derive(Debug)]\nenum E {{ $0One }}\n{}{user}", printing(count));
    check("First", &of(60), &["doubt a.rs:64"]);
    // Those that call them are not followed any more.
    check("First", &of(200), &["doubt"]);
}

#[test]
fn names_that_derives_write_out() {
    let fixture = "//- a.rs\n#[derive(Clone, serde::Serialize)]\nstruct P { $0name: i32 }\n";
    check("label", fixture, &["doubt a.rs:2"]);
    check("label", &fixture.replace("$0name", "#[serde(rename = \"name\")] $0name"), &[]);
    check("Q", &fixture.replace("$0", "").replace("struct P", "struct $0P"), &[]);
}

#[test]
fn names_that_become_texts() {
    let fixture = "//- a.rs\nmacro_rules! name_of { ($x:ident) => { stringify!($x) } }\nmacro_rules! twice { ($x:expr) => { $x + $x } }\n\
        fn $0one() -> i32 { 1 }\nfn f() { name_of!(one); twice!(one()); stringify!(one); }\n";
    check("two", fixture, &["doubt a.rs:4 a.rs:4"]);
    let type_name =
        "//- a.rs\nstruct $0P;\nfn f() { std::any::type_name::<P>(); std::any::type_name::<u8>(); }\n";
    check("Q", type_name, &["doubt a.rs:2"]);
}

#[test]
fn strings_of_attributes() {
    let fixture = "//- a.rs\nfn $0make() -> i32 { 1 }\n#[derive(Deserialize)]\nstruct P {\n    #[serde(default = \"make\")]\n    n: i32,\n}\n\
        #[deprecated(note = \"make\")]\nfn old() {}\n#[error(\"please make it\")]\nstruct E;\n";
    check("build", fixture, &["doubt a.rs:4"]);
}

#[test]
fn names_that_patterns_bind() {
    let fixture = "//- a.rs\nconst $0limit: i32 = 3;\nfn f() { match 5 { other => {} } }\n";
    check("other", fixture, &["breaks a.rs:2"]);
    check("free", fixture, &[]);
    check("other", "//- a.rs\nfn $0limit() {}\nfn f() { match 5 { other => {} } }\n", &[]);
}

#[test]
fn methods_that_would_hide_a_traits() {
    let fixture = "//- a.rs\ntrait Len { fn len(&self) -> i32 { 7 } }\nstruct A;\nimpl Len for A {}\nimpl A { fn $0size(&self) -> i32 { 1 } }\n";
    check("len", fixture, &["breaks a.rs:3"]);
    check("len", &fixture.replace("for A", "for B"), &[]);
    let standard = "//- a.rs\n#[derive(Clone)]\nstruct A;\nimpl std::fmt::Display for A {}\nimpl A { fn $0text(&self) {} }\n";
    check("to_string", standard, &["breaks a.rs:3"]);
    check("clone", standard, &["breaks a.rs:2"]);
    check("hash", standard, &[]);
}

#[test]
fn links_and_examples() {
    let fixture = "//- a.rs\n//! See [`one`], or [this](crate::one). That one is prose.\n/// ```\n/// one();\n/// ```\nfn $0one() {}\n";
    check("two", fixture, &["doubt a.rs:1 a.rs:1 a.rs:3"]);
}
