//! Code that depends on the order of a type's constants or fields.

use super::*;
use crate::positions::find_position_user;

/// Returns the code that depends on the position of the target, as `path:line`.
fn dependent(fixture: &str) -> String {
    let (memory, target) = declared(fixture);
    let found = everywhere(&memory, |memory| {
        find_position_user(memory, &target, &Cancel::new()).expect("not cancelled")
    });
    match found {
        Some(UnseenUser::PositionRead(code) | UnseenUser::FieldByPosition(code)) => {
            format!("{}:{}", code.path, code.line + 1)
        }
        found => {
            assert_eq!(found, None);
            String::new()
        }
    }
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
        // The name has another type there, or may.
        ("fn g(at: E) {}\nfn f(at: u32) -> usize { at as usize }", ""),
        ("fn g(at: u32) {}\nfn f(at: E) -> usize { at as usize }", "a.rs:3"),
        ("struct S { e: E }\nstruct T { e: u32 }\n//- b.rs\nfn f(t: T) -> u8 { t.e as u8 }", ""),
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

#[test]
fn literals_of_go_give_fields_by_position() {
    let code =
        |rest: &str| format!("//- p/a.go\npackage p\ntype S struct {{\n\tA int\n\t$0B int\n}}\n{rest}\n");
    for (rest, expected) in [
        ("var s = S{1, 2}", "p/a.go:6"),
        ("var s = &S{1, 2}", "p/a.go:6"),
        ("var s = []S{{1, 2}}", "p/a.go:6"),
        ("var s = []*S{{A: 1}, {1, 2}}", "p/a.go:6"),
        ("var s = map[string]S{\"a\": {1, 2}}", "p/a.go:6"),
        ("var s = map[S]int{{1, 2}: 3}", "p/a.go:6"),
        ("var s = [][]S{{{1, 2}}}", "p/a.go:6"),
        ("type L []S\nvar s = L{{1, 2}}", "p/a.go:7"),
        ("type U S\nvar s = U{1, 2}", "p/a.go:7"),
        ("//- q/b.go\npackage q\nimport \"x/p\"\nvar s = p.S{1, 2}", "q/b.go:3"),
        // All by name, or none.
        ("var s = S{A: 1}", ""),
        ("var s = []S{{A: f(`a, {b`)}}", ""),
        ("var s = []S{{f(`a: {b`), 2}}", "p/a.go:6"),
        ("var s = S{}", ""),
        ("var s = []S{{A: 1}, {A: f(1, 2)}}", ""),
        ("var s = map[string]S{\"a\": {A: 1}}", ""),
        ("func f() S {\n\treturn g(1, 2)\n}", ""),
        ("type T struct { A, B int }\nvar t = T{1, 2}", ""),
        ("var s = []T{{1, 2}}\nvar n S", ""),
    ] {
        assert_eq!(dependent(&code(rest)), expected, "{rest}");
    }
}

#[test]
fn initializers_of_c_give_fields_by_position() {
    let code =
        |rest: &str| format!("//- a.c\nstruct s {{\n    int a;\n    int $0b;\n    int c;\n}};\n{rest}\n");
    for (rest, expected) in [
        ("struct s v = {1, 2};", "a.c:6"),
        ("struct s v = {1, 2, 3}, w;", "a.c:6"),
        ("struct s v = {0}, w = {1, 2};", "a.c:6"),
        ("static const struct s v[] = {{1}, {1, 2}};", "a.c:6"),
        ("struct s v[] = {[3] = {1, 2}};", "a.c:6"),
        ("int f(void) { return g((struct s){1, 2, 3}); }", "a.c:6"),
        ("struct s v = {.a = 1, 2};", "a.c:6"),
        ("typedef struct s t;\nt v = {1, 2};", "a.c:7"),
        ("struct o { struct s in; int x; };\nstruct o v = {{1, 2}, 3};", "a.c:7"),
        ("struct o { int x; struct s in; };\nstruct o v = {.x = 1, .in = {1, 2}};", "a.c:7"),
        // Others, and none that reach it.
        ("struct s v = {0};", ""),
        ("struct s v = {1};", ""),
        ("struct s v = {.a = 1, .c = 3};", ""),
        ("struct s v[] = {{.a = 1}, {0}, {}};", ""),
        ("struct s v;\nint w[] = {1, 2, 3};", ""),
        ("struct s *v = f(1, 2, 3);", ""),
        ("struct o { struct s *in; int x; };\nstruct o v = {{1, 2}, 3};", ""),
        ("struct o { int x[3]; struct s in; };\nstruct o v = {.x = {1, 2, 3}};", ""),
    ] {
        assert_eq!(dependent(&code(rest)), expected, "{rest}");
    }
    let typedef = "//- a.c\ntypedef struct {\n    int a;\n    int $0b;\n} point;\n";
    assert_eq!(dependent(&format!("{typedef}point p = {{1, 2}};\n")), "a.c:5");
    assert_eq!(dependent(&format!("{typedef}point p = {{.a = 1}};\n")), "");
    let cpp = "//- a.cpp\nstruct S {\n    int a;\n    int $0b;\n};\n";
    assert_eq!(dependent(&format!("{cpp}S s{{1, 2}};\n")), "a.cpp:5");
    assert_eq!(dependent(&format!("{cpp}auto s = S{{1, 2}};\n")), "a.cpp:5");
    assert_eq!(dependent(&format!("{cpp}S f() {{ return g(1, 2); }}\n")), "");
}

#[test]
fn constructors_of_python_give_fields_by_position() {
    let tuple = "class P(NamedTuple):\n    x: int\n    $0y: int = 0\n    z: int = 0\n";
    let data = "@dataclass(frozen=True)\nclass P:\n    c: ClassVar[int]\n    $0y: int = 0\n    z: int = 0\n";
    for (class, rest, expected) in [
        (tuple, "P(1, 2)", "a.py:5"),
        (tuple, "P(1, *rest)", "a.py:5"),
        (tuple, "P._make(row)", "a.py:5"),
        (tuple, "match p:\n    case P(1, y): pass", "a.py:6"),
        (tuple, "class Q(P): pass\nQ(1, 2)", "a.py:6"),
        (tuple, "\n//- b.py\nfrom a import P as Q\nQ(1, 2)", "b.py:2"),
        (data, "P(1)", "a.py:6"),
        (data, "    @classmethod\n    def f(cls): return cls(1, 2)", "a.py:7"),
        (tuple, "P(1)", ""),
        (tuple, "P(1, z=2)", ""),
        (tuple, "P(x=1, **rest)", ""),
        (tuple, "f(P, 1, 2)", ""),
        (data, "P(z=1)", ""),
        (data, "P()", ""),
        (data, "def f(p: P = None): return g(1, 2)", ""),
    ] {
        assert_eq!(dependent(&format!("//- a.py\n{class}{rest}\n")), expected, "{rest}");
    }
    for class in [
        "@dataclass(kw_only=True)\nclass P:\n    x: int\n    $0y: int\n",
        "@dataclass\nclass P:\n    x: int\n    $0y: int = field(init=False)\n",
        "class Q(NamedTuple):\n    $0x: int\n",
        "class P(BaseModel):\n    x: int\n    $0y: int\n",
        "class P:\n    x: int = 1\n    $0y: int = 2\n",
    ] {
        assert_eq!(dependent(&format!("//- a.py\n{class}P(1, 2)\n")), "", "{class}");
    }
}

#[test]
fn strings_of_go_hide_no_literals() {
    let code = |rest: &str| format!("//- p/a.go\npackage p\ntype S struct {{ A, $0B string }}\n{rest}\n");
    for (rest, expected) in [
        ("const u = `http://x`\nvar s = S{f(), g()}", "p/a.go:4"),
        ("const u = `\"`\nvar s = S{f(), g()}", "p/a.go:4"),
        ("const u = `/*`\nvar s = S{f(), g()}", "p/a.go:4"),
        ("// don't `\nvar s = S{f(), g()}", "p/a.go:4"),
        ("const r = '`'\nvar s = S{f(), g()}", "p/a.go:4"),
        ("var s = S{\"a\", \"b\"}", "p/a.go:3"),
        ("const u = `\nvar s = S{f(), g()}`", ""),
        ("var s = S{A: \"}, S{1, 2\"}", ""),
    ] {
        assert_eq!(dependent(&code(rest)), expected, "{rest}");
    }
}

#[test]
fn types_that_name_a_type_are_followed_to_the_last() {
    let chain = |count: usize, first: &dyn Fn(usize) -> String| (0..count).map(first).collect::<String>();
    let go = "//- p/a.go\npackage p\ntype S struct { A, $0B int }\ntype T0 S\n";
    let types = chain(7, &|at| format!("type T{} T{at}\n", at + 1));
    assert_eq!(dependent(&format!("{go}{types}var t = T7{{1, 2}}\n")), "p/a.go:11");
    assert_eq!(dependent(&format!("{go}{types}var t = T7{{A: 1}}\n")), "");
    let c = "//- a.c\nstruct s { int a; int $0b; };\ntypedef struct s t0;\n";
    let types = chain(7, &|at| format!("typedef t{at} t{};\n", at + 1));
    assert_eq!(dependent(&format!("{c}{types}t7 v = {{1, 2}};\n")), "a.c:10");
    // More types than are followed.
    let types = chain(80, &|at| format!("typedef t{at} t{};\n", at + 1));
    assert_ne!(dependent(&format!("{c}{types}")), "");
    let types = chain(200, &|_| "struct o { struct s first; struct s second; };\n".to_owned());
    assert_ne!(dependent(&format!("{c}{types}")), "");
}

#[test]
fn literals_of_any_depth_are_read() {
    let code = "//- p/a.go\npackage p\ntype S struct { A, $0B int }\n";
    let deep =
        |depth: usize| format!("{code}var s = []S{{{}1, 2{}}}\n", "{".repeat(depth), "}".repeat(depth));
    assert_eq!(dependent(&deep(3)), "p/a.go:3");
    assert_eq!(dependent(&deep(20_000)), "p/a.go:3");
}

#[test]
fn every_declarator_of_c_is_read() {
    let code = |rest: &str| format!("//- a.c\nstruct s {{ int a; int $0b; int c; }};\n{rest}\n");
    for (rest, expected) in [
        ("struct s a, b = {1, 2};", "a.c:2"),
        ("struct s *p, b = {1, 2};", "a.c:2"),
        ("struct s a = f(1, 2), b = {1, 2};", "a.c:2"),
        ("struct s const p = {1, 2};", "a.c:2"),
        ("struct s f(struct s p) {\n    int x[] = {1, 2};\n}", ""),
        ("struct s a, b;\nint x[] = {1, 2};", ""),
        ("struct s *p = {f(1, 2)}, *q;", ""),
    ] {
        assert_eq!(dependent(&code(rest)), expected, "{rest}");
    }
    let cpp = "//- a.cpp\nstruct S {\n    int a;\n    int $0b;\n};\n";
    assert_eq!(dependent(&format!("{cpp}S const p{{1, 2}};\n")), "a.cpp:5");
    assert_eq!(dependent(&format!("{cpp}void f(S a, std::vector<int> b = {{1, 2}}) {{}}\n")), "");
}

#[test]
fn lists_of_constants_are_read_inside_the_enumeration() {
    for (body, expected) in [
        ("$0A, B, C; static E of(int i) { return values()[i]; }", "E.java:1"),
        ("$0A, B, C;\nstatic final E[] ALL = values();\nstatic E of(int i) { return ALL[i]; }", "E.java:3"),
        (
            "$0A, B, C; static final E[] ALL = values(); }\nclass M { E f(int i) { return E.ALL[i]; }",
            "E.java:2",
        ),
        ("$0A, B, C; static int count() { return values().length; }", ""),
        ("$0A, B, C; static E of(Row row, int i) { return row.values()[i]; }", ""),
    ] {
        assert_eq!(dependent(&format!("//- E.java\nenum E {{ {body} }}\n")), expected, "{body}");
    }
    for (body, expected) in [
        ("companion object { fun of(i: Int) = entries[i] }", "a.kt:2"),
        ("companion object { private val all: List<E> = entries\nfun of(i: Int) = all[i] }", "a.kt:3"),
        ("companion object { val all = values() }\n}\nclass M { fun f(i: Int) = E.all[i]", "a.kt:4"),
        ("companion object { fun of(name: String) = entries.first { it.name == name } }", ""),
    ] {
        assert_eq!(
            dependent(&format!("//- a.kt\nenum class E {{ $0A, B, C;\n{body} }}\n")),
            expected,
            "{body}"
        );
    }
    let other = "//- M.java\nclass M { void f(int i) { g(H.ALL[i]); } }\n";
    let holder = "//- H.java\nclass H { static final E[] ALL = E.values(); }\n";
    assert_eq!(dependent(&format!("//- E.java\nenum E {{ $0A, B }}\n{holder}{other}")), "M.java:1");
}

#[test]
fn values_that_accessors_return_are_constants() {
    let java = "//- E.java\nenum E { $0A, B, C }\n//- M.java\nclass M { E getKind() { return null; } }\n";
    let kotlin = "//- E.kt\nenum class E { $0A, B, C }\nclass M(val kind: E)\n";
    let mixed = "//- E.java\nenum E { $0A, B, C }\n//- m.kt\nclass M(val kind: E)\n";
    for (declared, user, expected) in [
        (java, "//- N.java\nclass N { int f(M m) { return m.getKind().ordinal(); } }", "N.java:1"),
        (java, "//- n.kt\nfun f(m: M) = m.kind.ordinal", "n.kt:1"),
        (java, "//- n.kt\nfun f(m: M) = m.getKind()?.ordinal", "n.kt:1"),
        (kotlin, "//- N.java\nclass N { int f(M m) { return m.getKind().ordinal(); } }", "N.java:1"),
        (mixed, "//- n.kt\nfun f(m: M) = m.kind.ordinal", "n.kt:1"),
        (java, "//- N.java\nclass N { int f(M m) { return m.getSize().ordinal(); } }", ""),
        (java, "//- N.java\nclass N { String f(M m) { return m.getKind().name(); } }", ""),
    ] {
        assert_eq!(dependent(&format!("{declared}{user}\n")), expected, "{declared}{user}");
    }
}

#[test]
fn members_of_objects_hold_constants() {
    let code = |rest: &str| format!("//- a.kt\nenum class E {{ $0A, B, C }}\n{rest}\n");
    for (rest, expected) in [
        ("object Settings { val theme = E.A }\nval x = Settings.theme.ordinal", "a.kt:3"),
        ("object Settings { val theme = E.A }\n//- b.kt\nval x = Settings.theme.ordinal", "b.kt:1"),
        ("enum class F { A }\nval x = F.A.ordinal\nval y: E? = null", ""),
    ] {
        assert_eq!(dependent(&code(rest)), expected, "{rest}");
    }
}

#[test]
fn members_of_the_positions_name_in_other_classes_change_nothing() {
    let java = "//- E.java\nenum E { $0A, B, C }\n//- C.java\nclass C { int ordinal; int ordinal() { return 1; } }\n";
    for (body, expected) in [
        ("int f(E e) { return e.ordinal(); }", "M.java:1"),
        ("int f(E e, C c) { return c.ordinal(); }", ""),
        ("int f(E e, C c) { return g(c).ordinal; }", ""),
        ("E e; int ordinal() { return 1; } int f() { return ordinal() + this.ordinal(); }", ""),
    ] {
        let user = format!("//- M.java\nclass M {{ {body} }}\n");
        assert_eq!(dependent(&format!("{java}{user}")), expected, "{body}");
    }
    let kotlin = "//- a.kt\nenum class E { $0A, B, C }\nclass C(val ordinal: Int)\n";
    for (rest, expected) in [
        ("fun f(e: E) = e.ordinal", "a.kt:3"),
        ("fun f(e: E, ordinal: Int) = ordinal + 1", ""),
        ("fun E.next() = ordinal + 1", "a.kt:3"),
        ("enum class F { X }\nval f = F.entries.map(F::ordinal)", ""),
        ("val f = E.entries.map(Enum<*>::ordinal)", "a.kt:3"),
    ] {
        assert_eq!(dependent(&format!("{kotlin}{rest}\n")), expected, "{rest}");
    }
}

#[test]
fn constructors_of_python_are_called_by_heirs() {
    let data = "@dataclass\nclass P:\n    x: int\n    $0y: int = 0\n";
    for (class, rest, expected) in [
        (data, "class Q(P):\n    def __init__(self):\n        super().__init__(1, 2)", "a.py:7"),
        (data, "class Q(P):\n    def __init__(self):\n        super(Q, self).__init__(1, 2)", "a.py:7"),
        (data, "class Q(P):\n    def __init__(self):\n        P.__init__(self, 1, 2)", "a.py:7"),
        (data, "class Q(P):\n    def __init__(self):\n        super().__init__(1)", ""),
        (data, "class Q(P):\n    def __init__(self):\n        P.__init__(self, 1)", ""),
        (data, "class Q(P):\n    def __init__(self, a, b, c): pass\nQ(1, 2, 3)", ""),
        (data, "    def __init__(self, a, b): pass\nP(1, 2)", ""),
    ] {
        assert_eq!(dependent(&format!("//- a.py\n{class}{rest}\n")), expected, "{rest}");
    }
}

#[test]
fn fields_of_c_are_given_in_values_of_any_nesting() {
    let types =
        "struct p { struct s in; int x; };\nstruct q { int x; struct p mid[2]; };\ntypedef struct q r;\n";
    for (rest, expected) in [
        ("struct p v = {{1, 2}, 3};", "a.c:5"),
        ("struct q v = {1, {{{1, 2}, 3}}};", "a.c:5"),
        ("struct q v = {.mid = {{.in = {1, 2}}}};", "a.c:5"),
        ("r v[] = {{.mid = {[1] = {.in = {1, 2}}}}};", "a.c:5"),
        ("struct s v[2][2] = {{{1, 2}}};", "a.c:5"),
        ("struct s v[2][2] = {{{1}, {1}}};", ""),
        ("struct q v = {.mid = {{.in = {.a = 1}}}};", ""),
        ("struct q v = {.x = 1, .mid = {{.x = 2}, {.x = 3}}};", ""),
    ] {
        let code = format!("//- a.c\nstruct s {{ int a; int $0b; }};\n{types}{rest}\n");
        assert_eq!(dependent(&code), expected, "{rest}");
    }
}

#[test]
fn named_tuples_of_python_are_taken_apart_by_position() {
    let class = "class P(NamedTuple):\n    x: int\n    $0y: int = 0\n    z: int = 0\n";
    for (rest, expected) in [
        ("def f(p: P):\n    a, b, c = p", "a.py:6"),
        ("def f(p: 'P | None'):\n    (a, b, c) = p", "a.py:6"),
        ("def f(p: P): return p[1]", "a.py:5"),
        ("def f(p: P, i): return p[i]", "a.py:5"),
        ("def f(p: P): return p[1:]", "a.py:5"),
        ("def f(p: P): return g(*p)", "a.py:5"),
        ("def f(p: P): return tuple(p)", "a.py:5"),
        ("def f(p: P): return '%s %s %s' % p", "a.py:5"),
        ("def f(p: P): return [v for v in p]", "a.py:5"),
        ("def f(p: P): return p == (1, 2, 3)", "a.py:5"),
        ("def f(ps: list[P]):\n    for x, y, z in ps: pass", "a.py:6"),
        ("def f(ps: list[P]):\n    for i, (x, y, z) in enumerate(ps): pass", "a.py:6"),
        ("def f(ps: dict[str, P]): return [x for x, y, z in ps.values()]", "a.py:5"),
        ("def f(ps: list[P]): return sorted(ps, key=lambda p: p[1])", "a.py:5"),
        ("def f(ps: list[P]): return ps[0][1]", "a.py:5"),
        ("def f(ps: list[P]):\n    for p in ps:\n        a, b, c = p", "a.py:7"),
        ("p = P(x=1)\na, b, c = p", "a.py:6"),
        ("a, b, c = P(x=1)", "a.py:5"),
        ("def f(): return P(x=1)\na, b, c = f()", "a.py:6"),
        ("def f() -> P: pass\na, b, c = f()", "a.py:6"),
        ("    def f(self): return self[1]", "a.py:5"),
        ("def make() -> P: pass\n//- b.py\nfrom a import make\nx, y, z = make()", "b.py:2"),
        (
            "class A:\n    def __init__(self):\n        self.p = P(x=1)\n    def f(self):\n        a, b, c = self.p",
            "a.py:9",
        ),
        ("ps = []\nps.append(P(x=1))\nfor x, y, z in ps: pass", "a.py:7"),
        ("def f(ps: dict[str, P]):\n    for name, (x, y, z) in ps.items(): pass", "a.py:6"),
        ("def f(ps: list[P]): return zip(*ps)", "a.py:5"),
        ("def f(p: P):\n    (a,\n     b, c) = p", "a.py:7"),
        ("def f(p: P):\n    match p:\n        case (a, b, c): pass", "a.py:6"),
        ("def f(p: P): return p < (1, 2, 3)", "a.py:5"),
        // Nothing that needs the field.
        ("def f(p: P, q):\n    a, b = p, q", ""),
        ("def f() -> P: pass\nf(1, 2) == f(3, 4)", ""),
        ("def f(p: P): return p[0]", ""),
        ("def f(p: P):\n    a, b = p.x, p.z", ""),
        ("def f(p: P): return n * p.x", ""),
        ("def f(p: P): return g(p)", ""),
        ("def f(ps: list[P]): return ps[0]", ""),
        ("def f(ps: list[P]):\n    for p in ps: print(p.x)", ""),
        ("def f(ps: list[P]): return len(ps)", ""),
        ("def f(ps: list[P]): return g(*ps)", ""),
        ("def f(p: P): return p\ndef g(p): return p[1]", ""),
        ("p = P(x=1)", ""),
        ("def f(p: P):\n    a = b = p", ""),
    ] {
        assert_eq!(dependent(&format!("//- a.py\n{class}{rest}\n")), expected, "{rest}");
    }
    let data = "@dataclass\nclass P:\n    x: int\n    $0y: int = 0\n";
    assert_eq!(dependent(&format!("//- a.py\n{data}def f(p: P): return p[1]\n")), "");
}

#[test]
fn fields_of_dataclasses_stand_behind_those_of_their_bases() {
    let base = "@dataclass\nclass B:\n    a: int\n    b: int\n";
    for (rest, expected) in [
        ("@dataclass\nclass P(B):\n    c: int\n    $0d: int\nP(1, 2, 3, d=4)", ""),
        ("@dataclass\nclass P(B):\n    c: int\n    $0d: int\nP(1, 2, 3, 4)", "a.py:9"),
        ("@dataclass\nclass P(B):\n    c: int\n    $0b: int\nP(1, 2)", "a.py:9"),
        ("class C(B): pass\n@dataclass\nclass P(C):\n    $0c: int\nP(1, 2, c=3)", ""),
        ("@dataclass\nclass P(Unknown):\n    $0c: int\nP(1)", "a.py:8"),
    ] {
        assert_eq!(dependent(&format!("//- a.py\n{base}{rest}\n")), expected, "{rest}");
    }
}

#[test]
fn braces_of_cpp_stand_apart_from_their_type() {
    let code = |rest: &str| format!("//- a.cpp\nstruct P {{ int x; int $0y; }};\n{rest}\n");
    for (rest, expected) in [
        ("P make() { return {1, 2}; }", "a.cpp:2"),
        ("P Shop::make(int n) const {\n  return {n, 2};\n}", "a.cpp:3"),
        ("auto make() -> P { return {1, 2}; }", "a.cpp:2"),
        ("std::vector<P> make() { return {{1, 2}}; }", "a.cpp:2"),
        ("int sum(P p);\nint n = sum({1, 2});", "a.cpp:3"),
        ("int sum(int n, const P& p);\nint n = sum(1, {1, 2});", "a.cpp:3"),
        ("int sum(const std::vector<P>& p);\nint n = sum({{1, 2}});", "a.cpp:3"),
        ("int sum(P p);\n//- b.cpp\nint n = sum({1, 2});", "b.cpp:1"),
        ("std::vector<P> v = {{1, 2}, {3, 4}};", "a.cpp:2"),
        ("std::vector<P> v{{1, 2}};", "a.cpp:2"),
        ("std::map<int, P> v = {{1, {1, 2}}};", "a.cpp:2"),
        ("std::array<P, 2> v = {1, 2, 3, 4};", "a.cpp:2"),
        ("std::vector<P> v;\nvoid add() { v.push_back({1, 2}); }", "a.cpp:3"),
        ("void f() { P p; p = {1, 2}; }", "a.cpp:2"),
        ("struct L { P from; P to; };\nL make() { return {{1, 2}, {3, 4}}; }", "a.cpp:3"),
        ("void f(std::map<int, P>& m) { m[1] = {1, 2}; }", "a.cpp:2"),
        ("P operator+(P a, P b) { return {1, 2}; }", "a.cpp:2"),
        ("int f() { P v; }\n//- b.cpp\nvoid g() { v = {1, 2}; }", ""),
        ("Q P::make() const { return {1, 2}; }", ""),
        ("P make() { return {}; }", ""),
        ("P make() { return {1}; }", ""),
        ("P make();\nint other() { return {1, 2}; }", ""),
        ("int sum(P p, std::array<int, 2> q);\nint n = sum({}, {1, 2});", ""),
        ("std::vector<P> v = {{1}, {3}};", ""),
        ("std::vector<P> v = {a, b};", ""),
        ("std::vector<P> v;\nvoid add() { v.push_back(make(1, 2)); }", ""),
        ("void f(P p) { if (p.x) { g(1, 2); } }", ""),
    ] {
        assert_eq!(dependent(&code(rest)), expected, "{rest}");
    }
}

#[test]
fn initializers_of_c_may_omit_braces() {
    let types = "struct l { struct s from; struct s to; };\nstruct m { int n; struct s in; };\n";
    for (rest, expected) in [
        ("struct l v = {1, 2, 3, 4};", "a.c:4"),
        ("struct l v[] = {{1, 2, 3, 4}};", "a.c:4"),
        ("struct m v = {1, 2, 3};", "a.c:4"),
        ("struct m v = {1, a, b};", "a.c:4"),
        ("struct l v = {0};", ""),
        ("struct l v = {a, b};", ""),
        ("struct m v = {1, a};", ""),
        ("struct m v = {1};", ""),
    ] {
        let code = format!("//- a.c\nstruct s {{ int a; int $0b; }};\n{types}{rest}\n");
        assert_eq!(dependent(&code), expected, "{rest}");
    }
}

#[test]
fn lists_of_constants_are_passed_on() {
    let java =
        |rest: &str| format!("//- E.java\nenum E {{ $0A, B, C }}\n//- M.java\nclass M {{\n{rest}\n}}\n");
    for (rest, expected) in [
        ("E f(int i) { return Arrays.asList(E.values()).get(i); }", "M.java:2"),
        ("E f(int i) { return List.of(E.values()).get(i); }", "M.java:2"),
        ("List<E> all = Arrays.asList(E.values());\nE f(int i) { return all.get(i); }", "M.java:3"),
        ("E f(int i) { return pick(E.values(), i); }\nE pick(E[] all, int i) { return all[i]; }", "M.java:2"),
        ("E f(int i) { return E.values().clone()[i]; }", "M.java:2"),
        ("int f() { return count(E.values()); }\nint count(E[] all) { return all.length; }", ""),
        ("void f() { show(Arrays.asList(E.values())); }", ""),
    ] {
        assert_eq!(dependent(&java(rest)), expected, "{rest}");
    }
    let kotlin = |rest: &str| format!("//- a.kt\nenum class E {{ $0A, B, C }}\n{rest}\n");
    for (rest, expected) in [
        ("fun f(i: Int) = with(E) { entries[i] }", "a.kt:2"),
        ("fun f(i: Int) = E.run { values()[i] }", "a.kt:2"),
        ("fun f(i: Int) = E.entries.toList()[i]", "a.kt:2"),
        ("fun f(i: Int) = listOf(E.entries)[i]", "a.kt:2"),
        ("fun f(i: Int) = with(other) { entries[i] }", ""),
        ("fun f(i: Int) = with(E) { entries.size }", ""),
    ] {
        assert_eq!(dependent(&kotlin(rest)), expected, "{rest}");
    }
}
