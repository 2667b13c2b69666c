//! Code that depends on the order of a type's constants or fields.

use super::*;

/// Returns the code that depends on the position of the target, as `path:line`.
fn dependent(fixture: &str) -> String {
    let (memory, target) = declared(fixture);
    let found = everywhere(&memory, |memory| {
        find_position_use(memory, &target, &Cancel::new()).expect("not cancelled")
    });
    found.map_or_else(String::new, |found| format!("{}:{}", found.path, found.line + 1))
}

#[test]
fn casts_of_rust_read_the_positions_of_constants() {
    let code = |rest: &str| format!("//- a.rs\nenum E {{ $0A, B, C }}\n{rest}\n");
    for (rest, expected) in [
        ("fn f() -> u8 { E::B as u8 }", "a.rs:2"),
        ("fn f(e: E) -> usize { e as usize }", "a.rs:2"),
        ("fn f(e: &E) -> usize { *e as usize }", "a.rs:2"),
        ("impl E { fn f(self) -> i32 { self as i32 } }", "a.rs:2"),
        ("impl T for E { fn f(&self) -> i32 { *self as i32 + 1 } }", "a.rs:2"),
        ("impl E { fn f() -> i32 { Self::C as i32 } }", "a.rs:2"),
        ("impl From<E> for u8 { fn from(e: E) -> u8 { e as u8 } }", "a.rs:2"),
        ("struct S { e: E }\n//- b.rs\nfn f(s: S) -> u8 { s.e as u8 }", "b.rs:1"),
        ("fn g() -> E { E::B }\nfn f() -> u8 { g() as u8 }", "a.rs:3"),
        ("fn f() -> u8 { let e = E::B; e as u8 }", "a.rs:2"),
        ("use E::*;\nfn f() -> u8 { B as u8 }", "a.rs:3"),
        // Nothing that is a position.
        ("fn f(e: E, n: u32) -> u8 { n as u8 }", ""),
        ("fn f() -> u8 { let n = E::B as u8; n }", "a.rs:2"),
        ("enum F { B }\nfn f(e: E) -> u8 { F::B as u8 }", ""),
        ("impl E { fn f(self) {} }\nimpl F { fn f(self) -> u8 { self as u8 } }", ""),
        ("use crate::E as Other;\n// E::B as u8", ""),
        ("fn f(e: E) -> bool { matches!(e, E::B) }", ""),
        ("fn f(e: E) -> F { e as F }", ""),
    ] {
        assert_eq!(dependent(&code(rest)), expected, "{rest}");
    }
    for (head, expected) in [
        ("#[repr(u8)]\n", "a.rs:2"),
        ("#[derive(Clone, FromPrimitive)]\n", "a.rs:2"),
        ("#[derive(Clone, Debug, PartialOrd, Ord)]\n", ""),
    ] {
        assert_eq!(dependent(&format!("//- a.rs\n{head}enum E {{ $0A, B }}\n")), expected, "{head}");
    }
    let user = "fn f() { E::C as u8; }\n";
    for (body, is_read) in [
        ("$0A, B = 2, C = 3", false),
        ("A, B, $0C", false),
        ("A = 1, $0B, C", true),
        ("$0A, B { x: u8 } = 2", false),
    ] {
        let fixture = format!("//- a.rs\nenum E {{ {body} }}\n{user}");
        assert_eq!(!dependent(&fixture).is_empty(), is_read, "{body}");
    }
}

#[test]
fn ordinals_and_lists_of_java_read_the_positions_of_constants() {
    let code =
        |rest: &str| format!("//- E.java\nenum E {{ $0A, B, C }}\n//- M.java\nclass M {{\n{rest}\n}}\n");
    for (rest, expected) in [
        ("int f() { return E.B.ordinal(); }", "M.java:2"),
        ("int f(E e) { return e.ordinal(); }", "M.java:2"),
        ("E f(int i) { return E.values()[i]; }", "M.java:2"),
        ("E[] all = E.values();\nE f(int i) { return all[i]; }", "M.java:3"),
        ("E kind;\n}\n//- N.java\nclass N { int f(M m) { return m.kind.ordinal(); }", "N.java:1"),
        ("int f(java.util.List<E> l) { return l.get(0).ordinal(); }", "M.java:2"),
        ("void f(java.util.List<E> l) { l.forEach(e -> g(e.ordinal())); }", "M.java:2"),
        // Nothing that is a position.
        ("int f(E e, Other o) { return o.ordinal(); }", ""),
        ("int f(E e) { return Other.B.ordinal(); }", ""),
        ("int f(Other o) { return o.ordinal(); }", ""),
        ("int f(E e) { for (E x : E.values()) g(x); return E.values().length; }", ""),
        ("int f(E e) { switch (e) { case B: return 1; default: return 2; } }", ""),
        ("java.util.EnumMap<E, String> m = new java.util.EnumMap<>(E.class);", ""),
        ("int f(E e) { return e.compareTo(E.B); }", ""),
        ("String f(E e) { return e.name(); }", ""),
    ] {
        assert_eq!(dependent(&code(rest)), expected, "{rest}");
    }
    for (body, expected) in [
        ("$0A, B; E next() { return values()[ordinal() + 1]; }", "E.java:1"),
        ("$0A, B; E next() { return this.ordinal() == 0 ? B : A; }", "E.java:1"),
        ("$0A, B; int own() { return name().length(); }", ""),
        ("A, $0B; int own() { return ordinal(); }", ""),
    ] {
        assert_eq!(dependent(&format!("//- E.java\nenum E {{ {body} }}\n")), expected, "{body}");
    }
}

#[test]
fn ordinals_and_lists_of_kotlin_read_the_positions_of_constants() {
    let code = |rest: &str| format!("//- a.kt\nenum class E {{ $0A, B, C }}\n{rest}\n");
    for (rest, expected) in [
        ("val x = E.B.ordinal", "a.kt:2"),
        ("fun f(e: E) = e.ordinal", "a.kt:2"),
        ("fun f(i: Int) = E.entries[i]", "a.kt:2"),
        ("fun f(i: Int) = E.entries.getOrNull(i)", "a.kt:2"),
        ("fun f(i: Int) = enumValues<E>()[i]", "a.kt:2"),
        ("fun f(i: Int) = E.values()[i]", "a.kt:2"),
        ("val l = E.entries.map { it.ordinal }", "a.kt:2"),
        ("val l = E.entries.associateBy(E::ordinal)", "a.kt:2"),
        ("class C(val e: E)\n//- b.kt\nfun f(c: C) = c.e.ordinal", "b.kt:1"),
        ("fun E.next() = E.entries.first { it > this }", ""),
        ("enum class F { X }\nfun f(e: E, o: F) = o.ordinal", ""),
        ("enum class F { X;\nfun o(e: E) = ordinal }", ""),
        ("val l = E.entries.map { it.name }\nval s = E.entries.size", ""),
        ("fun f(e: E) = when (e) { E.B -> 1\nelse -> 2 }", ""),
    ] {
        assert_eq!(dependent(&code(rest)), expected, "{rest}");
    }
}
