//! Kotlin and Java: packages, imports, members, overloads, extensions.

use super::judged;

#[test]
fn a_class_is_known_in_its_package_and_by_import() {
    let fixture = "//- p/A.kt\npackage p\nclass $0Item(val size: Int)\n\
        //- p/B.kt\npackage p\nfun f(x: Item) = Item(1)\n\
        //- q/C.kt\npackage q\nimport p.Item\nval a: Item? = null\n\
        //- q/D.kt\npackage q\nimport p.*\nval b = p.Item(1)\nval c = Item(2)\n\
        //- q/E.kt\npackage q\nimport other.Item\nval d = Item(2)\n\
        //- q/F.kt\npackage q\nfun g(x: Any) = x.Item\nval e: Item\n\
        //- q/G.java\npackage q;\nimport p.Item;\nclass G { Item x = new Item(1); }\n\
        //- r/H.kt\npackage r\nclass Item\nval f = Item()\n";
    assert_eq!(
        judged(fixture),
        [
            "p/a.kt:2: likely declaration",
            "p/b.kt:2: likely use",
            "p/b.kt:2: likely call",
            "q/c.kt:2: likely import",
            "q/c.kt:3: likely use",
            "q/d.kt:3: likely call",
            "q/d.kt:4: likely call",
            "q/e.kt:2: unlikely import",
            "q/e.kt:3: unlikely call",
            "q/f.kt:2: unlikely use",
            "q/f.kt:3: unlikely use",
            "q/g.java:2: likely import",
            "q/g.java:3: likely use",
            "q/g.java:3: likely call",
            "r/h.kt:2: unlikely declaration",
            "r/h.kt:3: unlikely call",
        ]
    );
}

#[test]
fn functions_locals_lambdas_and_named_arguments() {
    let fixture = "//- A.kt\npackage p\nfun $0load(n: Int) = n\n\
        fun f() { load(1) }\n\
        fun g(load: Int) = load\n\
        fun h() { val load = 1; use(load) }\n\
        fun k() = run { load -> load }\n\
        fun m() = other(load = 1)\n\
        class C { fun n() = this@C.load() }\n\
        fun o(x: Any) = when (x) { is C -> load(2) }\n\
        val r = ::load\n";
    assert_eq!(
        judged(fixture),
        [
            "a.kt:2: likely declaration",
            "a.kt:3: likely call",
            "a.kt:4: unlikely use",
            "a.kt:4: unlikely use",
            "a.kt:5: unlikely declaration",
            "a.kt:5: unlikely use",
            "a.kt:6: unlikely use",
            "a.kt:6: unlikely use",
            "a.kt:7: unlikely argument",
            "a.kt:8: unlikely call",
            "a.kt:9: likely call",
            "a.kt:10: likely use",
        ]
        .map(|line| line.replace("a.kt:5: unlikely declaration", "a.kt:5: unlikely use"))
    );
}

#[test]
fn overloads_and_extensions() {
    let fixture = "//- A.kt\npackage p\nfun $0load(n: Int) = n\nfun load(s: String) = s\nval a = load(1)\n";
    assert_eq!(
        judged(fixture),
        ["a.kt:2: likely declaration", "a.kt:3: unchecked declaration", "a.kt:4: unchecked call"]
    );
    let fixture = "//- A.kt\npackage p\nfun String.$0half() = 1\n\
        //- B.kt\npackage p\nval half = \"a\".half()\nval c = x?.half()\n\
        //- C.kt\npackage q\nval d = \"a\".half()\n";
    assert_eq!(
        judged(fixture),
        [
            "a.kt:2: likely declaration",
            "b.kt:2: unlikely declaration",
            "b.kt:2: unchecked call",
            "b.kt:3: unchecked call",
            "c.kt:2: unlikely call",
        ]
    );
}

#[test]
fn members_are_known_in_their_class_and_below_it() {
    let fixture = "//- A.kt\npackage p\nopen class A(val $0size: Int) { fun f() = size + this.size }\n\
        class B : A(1) { fun g() = size }\n\
        class C { fun h(a: A) = a.size + A(size = 2) }\n\
        //- D.kt\npackage q\nfun k(x: List<Int>) = x.size\n";
    assert_eq!(
        judged(fixture),
        [
            "a.kt:2: likely declaration",
            "a.kt:2: likely use",
            "a.kt:2: likely use",
            "a.kt:3: likely use",
            "a.kt:4: unchecked use",
            "a.kt:4: likely argument",
            "d.kt:2: unchecked use",
        ]
    );
}

#[test]
fn names_in_string_templates() {
    let fixture = "//- A.kt\npackage p\nval $0size = 1\n\
        val a = \"$size, ${size}: \\$size\"\n\
        val b = \"\"\"$size) \\$size\"\"\"\n\
        fun f(size: Int) = \"$size(1)\"\n\
        fun g() = \"$size(1) $size.length\"\n\
        fun h() { val size = 2; print(\"$size\") }\n\
        fun i() { print(\"x = $size, y\"); size }\n";
    assert_eq!(
        judged(fixture),
        [
            "a.kt:2: likely declaration",
            "a.kt:3: likely use",
            "a.kt:3: likely use",
            "a.kt:4: likely use",
            "a.kt:4: likely use",
            "a.kt:5: unlikely use",
            "a.kt:5: unlikely use",
            "a.kt:6: likely use",
            "a.kt:6: likely use",
            "a.kt:7: unlikely use",
            "a.kt:7: unlikely use",
            "a.kt:8: likely use",
            "a.kt:8: likely use",
        ]
    );
}

#[test]
fn labels() {
    let fixture = "//- A.kt\npackage p\nfun $0each(f: () -> Unit) = f()\n\
        fun a() { each { return@each } }\n\
        fun b() { each@ for (i in x) break@each }\n";
    assert_eq!(
        judged(fixture),
        [
            "a.kt:2: likely declaration",
            "a.kt:3: likely call",
            "a.kt:3: unchecked use",
            "a.kt:4: unlikely use",
        ]
    );
}
