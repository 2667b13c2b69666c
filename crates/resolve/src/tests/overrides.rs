//! The declarations linked to a member by overriding, and links that cannot be determined.

use super::*;
use crate::overrides as family_of;

/// Returns `path:line` of each member in the family of the target at `$0`, then what is outside, unknown,
/// alike or a stand-in.
fn family(fixture: &str) -> Vec<String> {
    let (texts, (path, at)) = files(fixture);
    let memory = memory(texts);
    let target = target(&memory, &path, at);
    everywhere(&memory, |memory| {
        let found = family_of(memory, &target, &ServerBases::new(), &Cancel::new()).expect("not cancelled");
        let line = |target: &IndexedDeclaration| {
            format!("{}:{}", target.file.path, target.row().expect("a row").1.name_line + 1)
        };
        let mut lines: Vec<String> = found.members.iter().map(line).collect();
        lines.extend(
            found.outside_project.iter().map(|one| format!("{} overrides {}", one.class.name(), one.base)),
        );
        let unknown = |one: &UnknownBase| {
            format!("{}: {:?} of {}", one.class.name(), one.fact, one.name).to_lowercase()
        };
        lines.extend(found.unknown.iter().map(unknown));
        lines.extend(found.structural.iter().map(|one| format!("{} is alike", one.name())));
        let stands_in = |one: &StandIn| {
            format!("{} may stand in{}", line(&one.member), if one.is_whole { ", whole" } else { "" })
        };
        lines.extend(found.stand_ins.iter().map(stands_in));
        lines
    })
}

#[test]
fn overriding_links_up_down_and_across() {
    let fixture = "//- a.py\nclass A:\n    def $0run(self): pass\n    def other(self): pass\n\
        class Between(A): pass\n\
        //- b.py\nfrom a import Between as Renamed\nimport a\nclass B(Renamed):\n    def run(self): pass\nclass C(a.A):\n    run = None\n\
        class D:\n    def run(self): pass\n\
        //- c.py\nclass Mixin:\n    def run(self): pass\n\
        class Alone:\n    def run(self): pass\n\
        //- d.py\nfrom b import C\nfrom c import Mixin\nclass E(C, Mixin): pass\nclass F(Mixin):\n    def run(self): pass\n";
    assert_eq!(family(fixture), ["a.py:2", "b.py:4", "b.py:6", "c.py:2", "d.py:5"]);
}

#[test]
fn a_class_with_the_same_methods_may_stand_in() {
    let fixture = "//- a.py\nclass A:\n    def $0run(self): pass\n    def stop(self): pass\n    def go(self): pass\n\
        //- test_a.py\nclass Double:\n    def run(self): pass\n    def stop(self): pass\n    def own(self): pass\n\
        class Lone:\n    def run(self): pass\n\
        class Large:\n    def run(self): pass\n    def stop(self): pass\n    def b(self): pass\n    def c(self): pass\n    def d(self): pass\n\
        class Data:\n    run = 1\n    stop = 2\n\
        def test_it():\n    class Inner:\n        def go(self): pass\n        def run(self): pass\n\
        class Whole:\n    def go(self): pass\n    def run(self): pass\n    def stop(self): pass\n";
    let expected = [
        "a.py:2",
        "test_a.py:2 may stand in",
        "test_a.py:19 may stand in",
        "test_a.py:22 may stand in, whole",
    ];
    assert_eq!(family(fixture), expected);
}

#[test]
fn a_class_in_a_function_may_stand_in_by_one_method() {
    let fixture = "//- a.py\nclass A:\n    def $0run(self): pass\n    def stop(self): pass\n\
        //- test_a.py\nfrom a import A\ndef test_it():\n    class Fake:\n        def run(self): pass\n\
        class Lone:\n    def run(self): pass\n\
        //- test_b.py\ndef test_it():\n    class Fake:\n        def run(self): pass\n";
    assert_eq!(family(fixture), ["a.py:2", "test_a.py:4 may stand in"]);
    let fixture = "//- a.py\ndef test_it():\n    class Spec:\n        def $0run(self): pass\n    class Plugin:\n        def run(self): pass\n\
        def test_other():\n    class Plugin:\n        def run(self): pass\n";
    assert_eq!(family(fixture), ["a.py:3", "a.py:5 may stand in"]);
}

#[test]
fn a_base_that_is_an_attribute_of_a_parameter_may_be_any_class() {
    let fixture = "//- a.py\nclass A:\n    limit = 1\n    $0size = 1\n\
        //- test_a.py\ndef test_it(maker):\n    class Other(maker.made):\n        size = 2\n";
    assert_eq!(family(fixture), ["a.py:3", "other: class of maker.made"]);
}

#[test]
fn every_row_of_a_member_belongs_to_it() {
    let fixture = "//- a.py\nfrom typing import overload, TYPE_CHECKING\nclass A:\n    if TYPE_CHECKING:\n        run: int\n    else:\n        def run(self): pass\n\
        class B(A):\n    @property\n    def $0run(self): pass\n    @run.setter\n    def run(self, x): pass\n\
        class C(A):\n    def __init__(self): self.run = 1\n";
    assert_eq!(family(fixture), ["a.py:6", "a.py:9", "a.py:11", "a.py:13"], "an annotation is no row");
}

#[test]
fn classes_in_functions_have_the_bases_that_stand_there() {
    let fixture = "//- a.py\ndef f():\n    class A:\n        def $0run(self): pass\n    class B(A):\n        def run(self): pass\n\
        def g():\n    class A:\n        def run(self): pass\n\
        class O:\n    class A:\n        def run(self): pass\n    class B(A):\n        def run(self): pass\n";
    assert_eq!(
        family(fixture),
        ["a.py:3", "a.py:5", "a.py:11 may stand in", "a.py:13 may stand in"],
        "those outside of functions could be used in their place"
    );
}

#[test]
fn other_names_of_a_class_are_followed() {
    let fixture = "//- a.py\nclass A:\n    def $0run(self): pass\n\
        //- b.py\nimport a\nBase = a.A\nclass B(Base):\n    def run(self): pass\n\
        //- c.py\ntry:\n    from a import A\nexcept ImportError:\n    A = None\nclass C(A):\n    def run(self): pass\n\
        //- d.py\nfrom b import *\nclass D(Base):\n    def run(self): pass\n";
    assert_eq!(family(fixture), ["a.py:2", "b.py:4", "c.py:6", "d.py:3"]);
}

#[test]
fn what_super_leads_to_in_a_mixin_is_of_the_family() {
    let fixture = "//- a.py\nclass A:\n    def $0run(self): return super().go()\nclass Mixin:\n    def run(self):\n        return super().run()\n    def other(self): return super(Mixin, self).run() + self.run()\n\
        class B(Mixin, A): pass\nclass C:\n    def f(self): super().run()\n";
    let (texts, (path, at)) = files(fixture);
    let memory = memory(texts);
    let target = target(&memory, &path, at);
    let found = family_of(&memory, &target, &ServerBases::new(), &Cancel::new()).expect("not cancelled");
    let text = &memory.texts[0].1;
    let lines: Vec<usize> = found
        .through_super
        .iter()
        .map(|(_, range)| text[..range.start as usize].matches('\n').count() + 1)
        .collect();
    assert_eq!(lines, [5, 6]);
}

#[test]
fn an_attribute_of_the_test_may_be_the_base() {
    let fixture = "//- a.py\nclass A:\n    def $0run(self): pass\nclass B(A):\n    def run(self): pass\n\
        //- b.py\nfrom a import A, B\nclass Test:\n    kind = A\n    def f(self):\n        class X(self.kind):\n            def run(self): pass\n\
        class More(Test):\n    kind = B\n\
        class Else:\n    def f(self):\n        class Y(self.kind):\n            def run(self): pass\n";
    assert_eq!(
        family(fixture),
        ["a.py:2", "a.py:4", "b.py:6", "y: class of self.kind", "b.py:12 may stand in"]
    );
}

#[test]
fn what_the_standard_library_declares_is_known() {
    let thread = "//- a.py\nimport threading\nclass A(threading.Thread):\n    def $0run(self): pass\n";
    assert_eq!(family(thread), ["a.py:3", "A overrides threading.Thread"]);
    let free = thread.replace("run", "work");
    assert_eq!(family(&free), ["a.py:3"]);
    // The mixin does not know the thread class, but an instance of T resolves the member in one of both.
    let mixin = "//- a.py\nfrom threading import Thread as Base\nclass A:\n    def $0run(self): pass\nclass T(A, Base): pass\n";
    assert_eq!(family(mixin), ["a.py:3", "T overrides threading.Thread"]);
    let builtin = "//- a.py\nclass A(dict):\n    def $0get(self): pass\n    def got(self): pass\n";
    assert_eq!(family(builtin), ["a.py:2", "A overrides dict"]);
    let through = "//- compat.py\nfrom collections import OrderedDict as Ordered\n//- a.py\nfrom compat import Ordered\nclass A(Ordered):\n    def $0keys(self): pass\n";
    assert_eq!(family(through), ["a.py:3", "A overrides collections.OrderedDict"]);
    let known = "//- a.py\nfrom abc import ABC\nfrom typing import Generic, Protocol, T\nclass A(ABC, Generic[T], object, Exception):\n    def $0run(self): pass\n";
    assert_eq!(family(known), ["a.py:4"]);
    let special = "//- a.py\nclass A:\n    def $0__len__(self): pass\n";
    assert_eq!(family(special), ["a.py:2", "A overrides Python itself"]);
}

#[test]
fn what_is_not_known_is_told() {
    let outside =
        "//- a.py\nfrom werkzeug.test import Client as Base\nclass A(Base):\n    def $0run(self): pass\n";
    assert_eq!(family(outside), ["a.py:3", "a: members of werkzeug.test.client"]);
    let computed = "//- a.py\nclass A(make(int), B if x else C):\n    def $0run(self): pass\n";
    assert_eq!(family(computed), ["a.py:2", "a: class of make(int)", "a: class of b if x else c"]);
    let parameter = "//- a.py\ndef f(base):\n    class A(base):\n        def $0run(self): pass\n";
    assert_eq!(family(parameter), ["a.py:3", "a: class of base"]);
    // A class that does not declare the member is not reported as unknown, unless it is of the family.
    let beside = "//- a.py\nclass A:\n    def $0run(self): pass\nclass B(make(A)):\n    def run(self): pass\nclass C(make(A)): pass\n\
        //- b.py\nfrom a import A as X\n//- c.py\nfrom unknown import *\nclass D(X):\n    def run(self): pass\nclass E(Other):\n    def run(self): pass\n";
    assert_eq!(family(beside), ["a.py:2", "b: class of make(a)", "d: class of x"]);
}

#[test]
fn what_a_server_says_of_a_base_settles_it() {
    let fixture = "//- a.py\nclass A:\n    def $0run(self): pass\n//- b.py\nclass B(make()):\n    def run(self): pass\nclass C(make()):\n    def run(self): pass\n";
    let (texts, (path, at)) = files(fixture);
    let memory = memory(texts);
    let target = target(&memory, &path, at);
    let of =
        |settled: &ServerBases| family_of(&memory, &target, settled, &Cancel::new()).expect("not cancelled");
    let found = of(&ServerBases::new());
    assert_eq!((found.members.len(), found.unknown.len()), (1, 2));
    let place = |at: usize| {
        let one = &found.unknown[at];
        (one.class.file.path.clone(), one.written.range.start)
    };
    let is_a = ServerBase { classes: vec![(path.clone(), 6)], declares: None, is_known: true };
    let is_other = ServerBase { is_known: true, ..ServerBase::default() };
    let found = of(&ServerBases::from([(place(0), is_a), (place(1), is_other)]));
    assert_eq!((found.members.len(), found.unknown.len()), (2, 0));
    assert_eq!(found.members[1].file.path.as_str(), "b.py");
}

#[test]
fn a_private_name_is_the_classs_own() {
    let fixture = "//- a.py\nclass A:\n    def $0__run(self): pass\nclass B(A):\n    def __run(self): pass\n";
    assert_eq!(family(fixture), ["a.py:2"]);
}

#[test]
fn a_protocol_may_be_met_without_a_word() {
    let fixture = "//- a.py\nfrom typing import Protocol\nclass P(Protocol):\n    def $0run(self): ...\n    def stop(self): ...\n\
        class A:\n    def run(self): pass\n    def stop(self): pass\nclass B:\n    def run(self): pass\n\
        class C(P):\n    def run(self): pass\n";
    assert_eq!(family(fixture), ["a.py:3", "a.py:11", "A is alike"]);
}

#[test]
fn an_interface_that_a_decorator_names_is_a_base() {
    let fixture =
        "//- a.py\nclass I:\n    def $0run(): pass\n@implementer(I)\nclass A:\n    def run(self): pass\n";
    assert_eq!(family(fixture), ["a.py:2", "a.py:5"]);
    let outside = "//- a.py\nfrom outside import I\n@implementer(I)\nclass A:\n    def $0_run(self): pass\n";
    assert_eq!(family(outside), ["a.py:4"], "interfaces have no private names");
    assert_eq!(family(&outside.replace("_run", "run")).len(), 2);
}

#[test]
fn functions_and_members_of_nothing_are_alone() {
    let function = "//- a.py\ndef $0run(): pass\nclass A:\n    def run(self): pass\n";
    assert_eq!(family(function), ["a.py:1"]);
    let local = "//- a.py\nclass A:\n    def f(self, $0run): pass\n    def run(self): pass\n";
    assert_eq!(family(local), ["a.py:2"]);
}

#[test]
fn a_ring_of_bases_ends() {
    let fixture = "//- a.py\nclass A(B):\n    def $0run(self): pass\nclass B(A):\n    def run(self): pass\n";
    assert_eq!(family(fixture), ["a.py:2", "a.py:4"]);
    let inside = "//- A.java\nclass O extends O.N { class N extends Q { void $0run() {} } }\n";
    assert_eq!(family(inside)[0], "A.java:1");
}

#[test]
fn kotlin_and_java_say_what_they_override() {
    let fixture = "//- a.kt\npackage p\nopen class A : Activity() {\n    open fun $0run(x: Int) = 1\n    open fun run(x: String) = 1\n    override fun onCreate() {}\n}\n\
        //- b.kt\npackage p\nclass B : A() {\n    override fun run(x: Int) = 2\n    fun run() = 3\n}\n\
        //- C.java\npackage p;\nclass C extends A {\n    @Override int run(int x) { return 1; }\n}\n";
    assert_eq!(family(fixture), ["a.kt:3", "b.kt:3"], "Int is int: not seen");
    let outside = fixture.replace("$0", "").replace("override fun onCreate", "override fun $0onCreate");
    assert_eq!(family(&outside), ["a.kt:5", "A overrides Activity"]);
    let generic = "//- a.kt\ninterface Box<T> { fun $0put(x: T) }\nclass Ints : Box<Int> { override fun put(x: Int) {} }\n\
        enum class E : Box<Int> { A { override fun put(x: Int) {} } }\n";
    assert_eq!(family(generic), ["a.kt:1", "a.kt:2", "a.kt:3"]);
    let library = "//- a.kt\npackage a\ninterface Col<E> { fun add(x: Int) }\ninterface Own<E> : Set<E>, Col<E> {\n    override fun $0add(x: Int) }\n\
        //- b.kt\npackage b\nopen class Set { fun q() {} }\n";
    assert_eq!(family(library), ["a.kt:2", "a.kt:4"]);
    let overload = "//- a.kt\ninterface Box<T> { fun $0put(x: T); fun put(x: Long) }\nclass Ints : Box<Int> { override fun put(x: Int) {}\n\
        override fun put(x: Long) {}\nfun put(x: String) {} }\nabstract class Half<T> : Box<T> { override fun put(x: Long) {} }\n";
    assert_eq!(family(overload), ["a.kt:1", "a.kt:2"]);
    let both = "//- a.kt\ninterface I { fun $0run() }\nclass K : Thread(), I { override fun run() {} }\n";
    assert_eq!(family(both), ["a.kt:1", "a.kt:2", "k: members of thread"]);
    let objects = "//- a.kt\nclass A { override fun $0toString() = \"\" }\n";
    assert_eq!(family(objects), ["a.kt:1", "A overrides kotlin.Any"]);
    // What the base outside the project is known not to declare.
    let closed = "//- a.kt\nopen class A : java.io.Closeable { override fun close() {} }\nclass B : A() { override fun $0toString() = \"\"\noverride fun none() {} }\n";
    assert_eq!(family(closed), ["a.kt:2", "B overrides kotlin.Any"]);
    let none = closed.replace("$0", "").replace("none", "$0none");
    assert_eq!(family(&none), ["a.kt:3", "B overrides a class above it that is not found"]);
    let java = "//- A.java\nclass A extends Base { void $0run() {} }\n";
    assert_eq!(family(java), ["A.java:1", "a: members of base"]);
    let property = "//- a.kt\ninterface Face { val $0size: Int }\nclass A(override val size: Int) : Face\nclass B(val size: Int)\n";
    assert_eq!(family(property), ["a.kt:1", "a.kt:2"]);
}

#[test]
fn other_languages_have_families_too() {
    let typescript = "//- a.ts\nexport interface I { $0run(): void }\nexport abstract class A implements I { abstract run(): void }\n\
        class N { run() {} }\n\
        //- b.ts\nimport { A as X } from './a';\nclass B extends X { run() {} }\nconst C = class extends X { run() {} };\n\
        class D extends mix(X) { run() {} }\nclass E extends Component { run() {} }\n";
    assert_eq!(
        family(typescript),
        [
            "a.ts:1",
            "a.ts:2",
            "b.ts:2",
            "b.ts:3",
            "d: class of mix(x)",
            "N is alike",
            "D is alike",
            "E is alike"
        ]
    );
    let rust = "//- src/lib.rs\npub trait T { fn $0run(&self); }\nstruct S;\nimpl S { fn run(&self) {} }\nimpl T for S { fn run(&self) {} }\n\
        impl<X> T for Vec<X> { fn run(&self) {} }\n";
    assert_eq!(family(rust), ["src/lib.rs:1", "src/lib.rs:4", "src/lib.rs:5"]);
    let display =
        "//- src/lib.rs\nuse std::fmt::Display;\nstruct S;\nimpl Display for S { fn $0fmt(&self) {} }\n";
    assert_eq!(family(display), ["src/lib.rs:3", "impl Display for S overrides Display"]);
    let cpp = "//- a.cpp\nstruct A { virtual int run() { return 1; } virtual int run(int x); };\nclass B : public A { int run() override; };\nint B::$0run() { return 2; }\n\
        struct C : A { int run(int x) override; };\n";
    assert_eq!(family(cpp), ["a.cpp:1", "a.cpp:2", "a.cpp:3"]);
    let csharp = "//- a.cs\nnamespace P { interface I { int $0Run(); }\nclass A : I { public virtual int Run() => 1; public int Run(int x) => 2; }\nclass B : A { public override int Run() => 2; public override string ToString() => \"\"; } }\n";
    assert_eq!(family(csharp), ["a.cs:1", "a.cs:2", "a.cs:3"]);
}

/// Returns the classes that inherit from the class at `$0`, then those that possibly do.
fn inheriting(fixture: &str) -> Vec<String> {
    let (texts, (path, at)) = files(fixture);
    let memory = memory(texts);
    let target = target(&memory, &path, at);
    everywhere(&memory, |memory| {
        let found = subclasses(memory, &target, &Cancel::new()).expect("not cancelled");
        let mut lines: Vec<String> = found.all.iter().map(|one| one.name().to_owned()).collect();
        lines.extend(found.possible.iter().map(|(class, _)| format!("{} perhaps", class.name())));
        lines.extend(found.structural.iter().map(|class| format!("{} is alike", class.name())));
        lines
    })
}

#[test]
fn heirs_are_found_through_other_names_and_doubts_are_told() {
    let fixture = "//- pkg/__init__.py\nfrom .base import Spider as Spider\n\
        //- pkg/base.py\nclass $0Spider: pass\nclass Other: pass\n\
        //- a.py\nimport pkg\nfrom pkg import Spider as S\nclass A(pkg.Spider): pass\nclass B(S): pass\nclass C(A): pass\n\
        class D(make(S)): pass\nclass E(pkg.base.Other): pass\n\
        //- b.py\nfrom nowhere import *\nclass F(Spider): pass\nclass G(Else): pass\nclass H(S): pass\n";
    assert_eq!(inheriting(fixture), ["A", "B", "C", "D perhaps", "F perhaps", "H perhaps"]);
}

#[test]
fn what_meets_an_interface_without_a_word_is_told() {
    let go = "//- p/a.go\npackage p\ntype $0Face interface {\n\tRun() int\n\tStop()\n}\n\
        type Some struct{}\nfunc (s *Some) Run() int { return 1 }\nfunc (s *Some) Stop() {}\n\
        type Half struct{}\nfunc (Half) Run() int { return 1 }\n\
        //- q/b.go\npackage q\ntype List[T any] struct{}\nfunc (l List[T]) Run() int { return 1 }\nfunc (l *List[T]) Stop() {}\n";
    assert_eq!(inheriting(go), ["Some is alike", "List is alike"]);
    let typescript = "//- a.ts\nexport interface $0Face { run(): void; stop(): void }\nclass A implements Face { run() {} stop() {} }\n\
        class B { run() {} stop() {} }\nclass C { run() {} }\n";
    assert_eq!(inheriting(typescript), ["A", "B is alike"]);
}

#[test]
fn objects_without_a_name_and_types_in_bodies_belong_to_families() {
    let kotlin = "//- a.kt\npackage p\ninterface I {\n    fun $0run(): Int\n}\n\
        fun make(): I = object : I {\n    override fun run(): Int = 1\n}\n\
        class K {\n    val one = object : Base(), I {\n        private val run = 3\n        override fun run(): Int {\n            val f = { x: Int -> object : I { override fun run() = x } }\n            return 2\n        }\n    }\n}\n\
        //- b.kt\npackage q\nimport p.I as J\nfun f() {\n    class Local : J {\n        override fun run(): Int = 4\n    }\n    val other = object : K {\n        fun run() = 1\n    }\n}\n\
        //- c.kt\npackage p\nenum class E : I {\n    A {\n        override fun run() = 1\n    }\n}\n";
    assert_eq!(
        family(kotlin),
        ["a.kt:3", "a.kt:6", "a.kt:11", "a.kt:12", "b.kt:5", "c.kt:4", "object: members of base"]
    );
    assert_eq!(inheriting(&kotlin.replace("interface I", "interface $0I").replace("$0run", "run")).len(), 6);
    let java = "//- A.java\npackage p;\ninterface I<T> { int $0run(); }\n\
        class A {\n    I<String> one = new I<String>() {\n        @Override public int run() { return 1; }\n    };\n\
        Object f() {\n        class Local implements I<String> {\n            public int run() { return 2; }\n        }\n        return new p.I<>() {\n            public int run() { return 3; }\n        };\n    }\n    Object g = new Object() { int run() { return 4; } };\n}\n\
        enum E implements I<String> { X { public int run() { return 5; } } }\n";
    assert_eq!(family(java), ["A.java:2", "A.java:5", "A.java:9", "A.java:12", "A.java:17"]);
    let typescript = "//- a.ts\nexport class B { $0run() {} }\nexport function f() { return class extends B { run() {} }; }\n\
        const C = class extends B { run() {} };\nuse(class D extends B {\n run() {} });\nlet x = class { run() {} };\n";
    assert_eq!(family(typescript), ["a.ts:1", "a.ts:2", "a.ts:3", "a.ts:5"]);
}

#[test]
fn an_actual_alias_of_a_class_from_outside_declares_the_members_too() {
    let fixture = "//- common/A.kt\npackage p\nexpect object Charsets { val $0UTF_8: Int }\nexpect class Own { val size: Int }\n\
        //- jvm/A.kt\npackage p\nactual typealias Charsets = kotlin.text.Charsets\nactual class Own { actual val size = 1 }\n";
    assert_eq!(family(fixture), ["common/A.kt:2", "Charsets overrides kotlin.text.Charsets"]);
    let own = fixture.replace("$0", "").replace("size: Int", "$0size: Int");
    assert!(family(&own).iter().all(|line| !line.contains("overrides")), "{:?}", family(&own));
}

#[test]
fn an_override_beside_a_librarys_member_is_told() {
    let mine = "//- a.kt\ninterface Mine { fun $0close() }\n";
    let both = |imports: &str, bases: &str| {
        family(&format!(
            "{mine}//- b.kt\n{imports}class Both : Mine, {bases} {{ override fun close() {{}} }}\n"
        ))
    };
    let lines = |last: &[&str], line: u32| {
        let mut all = vec!["a.kt:1".to_owned(), format!("b.kt:{line}")];
        all.extend(last.iter().map(|&one| one.to_owned()));
        all
    };
    assert_eq!(both("", "java.io.Closeable"), lines(&["Both overrides java.lang.AutoCloseable"], 1));
    let imported = both("import java.io.Closeable as C\n", "C");
    assert_eq!(imported, lines(&["Both overrides java.lang.AutoCloseable"], 2));
    assert_eq!(both("", "AutoCloseable"), lines(&["Both overrides java.lang.AutoCloseable"], 1));
    assert_eq!(both("import java.io.*\n", "Closeable"), lines(&["both: members of closeable"], 2));
    assert_eq!(both("import x.Other\n", "Other"), lines(&["both: members of other"], 2));
    for known in ["Comparable<Both>", "Runnable", "java.io.Serializable", "Iterable<Int>", "Exception()"] {
        assert_eq!(both("", known), lines(&[], 1), "{known}");
    }
    let of_kotlin = "//- a.kt\ninterface Mine { fun $0iterator(): Any }\nabstract class Both : Mine, List<Int> { override fun iterator() = TODO() }\n";
    assert_eq!(family(of_kotlin), ["a.kt:1", "a.kt:2", "Both overrides kotlin.collections.List"]);
    let property =
        of_kotlin.replace("fun $0iterator(): Any", "val $0size: Int").replace("fun iterator()", "val size");
    assert_eq!(family(&property), ["a.kt:1", "a.kt:2", "Both overrides kotlin.collections.List"]);
    let far = "//- a.kt\ninterface Mine { fun $0close() }\nabstract class Between : java.io.Closeable\nclass Both : Between(), Mine { override fun close() {} }\n";
    assert_eq!(family(far), ["a.kt:1", "a.kt:3", "Between overrides java.lang.AutoCloseable"]);
    // The class below declares nothing: it gives the inherited member for the library's.
    let heir = "//- a.kt\nopen class Mine { fun $0close() {} }\nclass Both : Mine(), java.io.Closeable\n";
    assert_eq!(family(heir), ["a.kt:1", "Both overrides java.lang.AutoCloseable"]);
    let java = "//- A.java\nimport java.io.Closeable;\ninterface Mine { void $0close(); }\nclass Both implements Mine, Closeable { @Override public void close() {} }\n";
    assert_eq!(family(java), ["A.java:2", "A.java:3", "Both overrides java.lang.AutoCloseable"]);
    assert_eq!(family(&java.replace("Closeable", "Serializable")), ["A.java:2", "A.java:3"]);
}
