//! Effects of renames in Java that no use of the name shows.

use super::check;

#[test]
fn constants_that_become_texts() {
    let fixture = "//- a/Color.java\npackage a;\nenum Color { $0GREEN, RED }\n//- a/A.java\npackage a;\nclass A {\n\
        void f(Color c) { System.out.println(c); }\nvoid g(Color c) { System.out.println(c.ordinal() + 1); }\n\
        void h(int n) { System.out.println(n); }\nvoid i(String s) { Color.valueOf(s); }\nString j(Color c) { return c.name(); }\n\
        String k(Color c) { return \"is \" + c; }\n}\n";
    check("TEAL", fixture, &["doubt a/A.java:3 a/A.java:6 a/A.java:7 a/A.java:8"]);
    let own = fixture.replace("GREEN, RED", "GREEN, RED; public String toString() { return \"\"; }");
    check("TEAL", &own, &["doubt a/A.java:6 a/A.java:7"]);
}

#[test]
fn records_that_are_printed() {
    let fixture = "//- A.java\nrecord P(int $0name) { }\nclass A { void f(P p) { System.out.println(p); } void g(P p) { System.out.println(p.name()); } }\n";
    check("label", fixture, &["doubt A.java:2"]);
}

#[test]
fn names_that_reflection_reads() {
    let fixture = "//- A.java\nclass P { void $0setName() {} }\nclass A { void f(P p, String s) { p.getClass().getMethod(\"set\" + s); }\n\
        void g(P p) { p.getClass().getMethod(\"close\"); }\nvoid h(Q q, String s) { q.getClass().getMethod(\"set\" + s); } }\n";
    check("putName", fixture, &["doubt A.java:2"]);
    let classes = "//- A.java\nabstract class Base { String id() { return getClass().getSimpleName(); } }\nclass $0Item extends Base { }\n\
        class A { String f() { return Item.class.getName(); } String g() { return Other.class.getName(); }\n\
        Class<?> h(String s) { return Class.forName(\"a.It\" + s); } Class<?> i(String s) { return Class.forName(s + \"Item\"); } }\n";
    check("Thing", classes, &["doubt A.java:1 A.java:3"]);
}

#[test]
fn members_that_serialization_reads() {
    let fixture = "//- A.java\nclass P implements java.io.Serializable { int $0count; transient int cache; static final long serialVersionUID = 1L; }\n";
    check("number", fixture, &["doubt A.java:1"]);
    let transient = fixture.replace("$0", "").replace("int cache", "int $0cache");
    check("store", &transient, &[]);
    let uid = fixture.replace("$0", "").replace("serialV", "$0serialV");
    check("VERSION", &uid, &["breaks"]);
}

#[test]
fn annotations_that_make_names() {
    let fixture = "//- A.java\n@Data\nclass P { int $0count; }\n";
    check("number", fixture, &["doubt A.java:2"]);
    check("number", &fixture.replace("@Data", "@Database"), &[]);
}

#[test]
fn methods_that_heirs_have_twice() {
    let fixture = "//- A.java\ninterface Op { default int act() { return 1; } }\nclass P { public int $0work() { return 2; } }\nclass Q extends P implements Op { }\n";
    check("act", fixture, &["breaks A.java:1"]);
    check("toil", fixture, &[]);
    let generic = "//- A.java\nabstract class B<T> { abstract String $0show(T t); }\nclass P extends B<Integer> { String show(Integer t) { return \"\"; } }\n";
    check("act", generic, &["breaks A.java:2"]);
}

#[test]
fn links_of_javadoc() {
    let fixture = "//- A.java\n/** See {@link P#run(int)}, and run it. */\nclass A { }\nclass P { /** @see #run */ int n; void $0run(int n) { } }\n";
    check("act", fixture, &["doubt A.java:1 A.java:3"]);
}

#[test]
fn methods_that_java_gives() {
    check("name", "//- A.java\nenum E { X; int $0label() { return 3; } }\n", &["breaks"]);
    check("name", "//- A.java\nenum E { X; int $0label(int n) { return 3; } }\n", &[]);
    check("getClass", "//- A.java\nclass P { String $0kind() { return null; } }\n", &["breaks"]);
    check("n", "//- A.java\nrecord R(int n) { int $0twice() { return 2; } }\n", &["breaks"]);
    check("twin", "//- A.java\nrecord R(int n) { int $0twice() { return 2; } }\n", &[]);
    let interface = "//- A.java\ninterface Named { String $0name(); }\nrecord R(String name) implements Named { }\n\
        enum E implements Named { X }\nclass C implements Named { public String name() { return null; } }\n";
    check("label", interface, &["breaks A.java:2 A.java:3"]);
}
