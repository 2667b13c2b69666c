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

/// Returns the judgements of the uses of `size` in a class that declares it and contains `body`.
fn size(body: &str) -> Vec<String> {
    let fixture = format!("//- A.kt\npackage p\nclass A {{ val $0size: Int = 1\n\n{body}\n}}\n");
    let said = judged(&fixture);
    let own = |line: &String| !line.starts_with("a.kt:2:") && !line.starts_with("a.kt:3:");
    said.into_iter().filter(own).map(|line| line.replace("a.kt:", "")).collect()
}

#[test]
fn kotlin_has_no_types_before_names() {
    assert_eq!(size("fun f() {\nx = y\nsize = 2 }"), ["6: likely use"]);
    assert_eq!(size("fun f(b: Int) = g(b step size, b shl size)"), ["4: likely use", "4: likely use"]);
}

#[test]
fn where_locals_of_one_name_are_too_many_to_look_into_every_use_may_be_theirs() {
    let locals = "    run { val load = 1 }\n".repeat(3_000);
    let fixture = format!(
        "//- A.kt\npackage p\nfun $0load(n: Int) = n\nfun f() {{\n{locals}}}\nval r = ::load\n\
        //- B.kt\npackage p\nval s = ::load\n"
    );
    let all = judged(&fixture);
    assert_eq!(all.last().map(String::as_str), Some("b.kt:2: likely use"));
    assert_eq!(
        all.iter().rfind(|one| one.starts_with("a.kt")).map(String::as_str),
        Some("a.kt:3005: unchecked use")
    );
}

#[test]
fn a_local_is_visible_behind_its_statement_in_its_block() {
    assert_eq!(
        size("fun f() {\nuse(size)\nval size = size\nuse(size)\n}"),
        ["5: likely use", "6: unlikely use", "6: likely use", "7: unlikely use"]
    );
    assert_eq!(
        size("fun f() {\nif (a) { val size = \"}${size}\"; use(size) }\nuse(size)\n}"),
        ["5: unlikely use", "5: likely use", "5: unlikely use", "6: likely use"]
    );
    assert_eq!(
        size("fun f() {\nval size = g()\n  ?: size\nuse(size)\n}"),
        ["5: unlikely use", "6: likely use", "7: unlikely use"]
    );
    assert_eq!(
        size("fun f() {\nval (a, size) = pair(size)\nuse(size)\n}"),
        ["5: unlikely use", "5: likely use", "6: unlikely use"]
    );
    assert_eq!(size("fun f() = when (val size = g()) { 1 -> size }"), ["4: unlikely use", "4: unlikely use"]);
}

#[test]
fn headers_bind_for_their_bodies() {
    assert_eq!(
        size("fun f() {\nfor (size in 0..size) { use(size) }\nuse(size) }"),
        ["5: unlikely use", "5: likely use", "5: unlikely use", "6: likely use"]
    );
    assert_eq!(
        size("fun f() {\nfor ((a, size) in all(size))\n  use(size)\nuse(size) }"),
        ["5: unlikely use", "5: likely use", "6: unlikely use", "7: likely use"]
    );
    assert_eq!(
        size("fun f() {\ntry { g() } catch (size: E) { use(size) }\nuse(size) }"),
        ["5: unlikely use", "5: unlikely use", "6: likely use"]
    );
    assert_eq!(
        size("fun f() {\ng { size -> use(size) }\nuse(size) }"),
        ["5: unlikely use", "5: unlikely use", "6: likely use"]
    );
    assert_eq!(
        size("var b: Int\nget() = size\nset(size) { field = size }"),
        ["5: likely use", "6: unlikely use", "6: unlikely use"]
    );
    assert_eq!(size("var b: Int\nset(@size value) { }"), ["5: likely use"]);
    assert_eq!(size("val f: (size: Int) -> Int\nfun g() = size"), ["4: unlikely use", "5: likely use"]);
}

#[test]
fn a_constructors_parameter_is_seen_by_initializers_alone() {
    let fixture = "//- A.kt\npackage p\nopen class A(var $0size: Int)\n\
        class B(size: Int) : A(size) {\n\
        val a = size\n\
        val b get() = size\n\
        val c: Int = if (size > 0) get(size) else get(size)\n\
        init { use(size) }\n\
        fun f() = size\n\
        inner class D { val d = size }\n}\n";
    assert_eq!(
        judged(fixture)[1..],
        [
            "a.kt:3: unlikely use",
            "a.kt:3: unlikely use",
            "a.kt:4: unlikely use",
            "a.kt:5: likely use",
            "a.kt:6: unlikely use",
            "a.kt:6: unlikely use",
            "a.kt:6: unlikely use",
            "a.kt:7: unlikely use",
            "a.kt:8: likely use",
            "a.kt:9: likely use",
        ]
    );
}

#[test]
fn a_property_may_extend_a_type() {
    let fixture = "//- A.kt\npackage p\nclass $0Box<T>\nval Box<*>.a get() = 1\nval Box<Int>?.b get() = 1\n";
    assert_eq!(judged(fixture)[1..], ["a.kt:3: likely use", "a.kt:4: likely use"]);
}

#[test]
fn a_value_hides_no_function() {
    let fixture = "//- A.kt\npackage p\nclass A { fun $0size(): Int = 1\n\
        fun f() {\nval size = size()\nuse(size, size())\n}\n}\n\
        //- B.java\npackage p;\nclass B { int size() { return 1; }\nvoid f() { int size = size(); use(size, size()); }\n}\n";
    assert_eq!(
        judged(fixture)[1..4],
        ["a.kt:4: unlikely use", "a.kt:4: likely call", "a.kt:5: unlikely use"]
    );
    assert_eq!(judged(fixture)[4], "a.kt:5: unchecked call");
    let java = "//- B.java\npackage p;\nclass B { int $0size() { return 1; }\n\
        void f() { int size = size(); use(size, size()); }\n}\n";
    assert_eq!(
        judged(java)[1..],
        [
            "b.java:3: unlikely use",
            "b.java:3: likely call",
            "b.java:3: unlikely use",
            "b.java:3: likely call"
        ]
    );
}

#[test]
fn what_is_no_header_of_the_function_binds_nothing() {
    assert_eq!(size("fun f(m: M) {\nm.set(size, 2)\nuse(size) }"), ["5: likely use", "6: likely use"]);
    assert_eq!(
        size("fun f(c: @Composable (size: Int) -> Unit) { c(size) }"),
        ["4: unlikely use", "4: likely use"]
    );
    assert_eq!(
        size("val b: suspend (size: Int) -> Unit = g()\nval d = size"),
        ["4: unlikely use", "5: likely use"]
    );
    assert_eq!(size("@Tag(size) fun f(size: Int) { }")[..1], ["4: likely use"]);
}

#[test]
fn a_value_is_no_function_of_the_class() {
    let fixture =
        "//- A.kt\npackage p\nval $0width = 1\nclass B { fun width() = width\nfun c() = ::width }\n";
    assert_eq!(
        judged(fixture)[1..],
        ["a.kt:3: unlikely declaration", "a.kt:3: likely use", "a.kt:4: unlikely use"]
    );
    let fixture =
        "//- A.kt\npackage p\nopen class A { val $0width = 1 }\nclass B : A() { fun width() = width }\n";
    assert_eq!(judged(fixture)[2..], ["a.kt:3: likely use"]);
}

#[test]
fn arguments_are_named_of_constructors_by_other_names() {
    let fixture = "//- A.kt\npackage p\nenum class A(val $0size: Int) { RED(size = 1);\nconstructor(s: S) : this(size = 2) }\n\
        //- B.kt\npackage p\ntypealias C = A\nval c = C(size = 1)\nval d = c.copy(size = 2)\nval e = use(size = 3)\n";
    assert_eq!(
        judged(fixture)[1..],
        [
            "a.kt:2: unchecked argument",
            "a.kt:3: unchecked argument",
            "b.kt:3: unchecked argument",
            "b.kt:4: unchecked argument",
            "b.kt:5: unlikely argument"
        ]
    );
}

#[test]
fn functions_in_functions_and_conditions_behind_blocks() {
    assert_eq!(
        size("fun f(): Int {\nfun g(size: Int) = size\nreturn g(1) + size\n}"),
        ["5: unlikely use", "5: unlikely use", "6: likely use"]
    );
    assert_eq!(
        size("fun f() {\ndo { val size = g() } while (size > 1)\nuse(size) }"),
        ["5: unlikely use", "5: unlikely use", "6: likely use"]
    );
    assert_eq!(
        size("fun f() {\nval a = when (val size = g()) { 1 -> size }\nuse(size) }"),
        ["5: unlikely use", "5: unlikely use", "6: likely use"]
    );
    assert_eq!(
        size("fun f() {\nfor (size: Int in all) use(size)\nuse(size) }"),
        ["5: unlikely use", "5: unlikely use", "6: likely use"]
    );
    assert_eq!(
        size("fun f() {\ng { size: Map.Entry<*, Int> -> use(size) } }"),
        ["5: unlikely use", "5: unlikely use"]
    );
}
