//! Kotlin and Java: packages, imports, members, overloads, extensions.

use super::{declared, judged};
use crate::sources::Sources;
use symd_base::RelPath;

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
fn many_locals_of_one_name_hide_it_only_in_their_blocks() {
    let locals = "    run { val load = 1 }\n".repeat(3_000);
    let fixture = format!(
        "//- A.kt\npackage p\nfun $0load(n: Int) = n\nfun f() {{\n{locals}}}\nval r = ::load\n\
        //- B.kt\npackage p\nval s = ::load\n"
    );
    let all = judged(&fixture);
    assert_eq!(all.last().map(String::as_str), Some("b.kt:2: likely use"));
    assert_eq!(
        all.iter().rfind(|one| one.starts_with("a.kt")).map(String::as_str),
        Some("a.kt:3005: likely use")
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
    assert_eq!(size("var b: Int\nset(@size value) { }"), ["5: unlikely use"]);
    assert_eq!(size("val f: (size: Int) -> Int\nfun g() = size"), ["4: unlikely use", "5: likely use"]);
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

#[test]
fn the_nearest_member_is_probable_where_an_unknown_object_may_have_it() {
    let fixture = "//- A.kt\npackage p\nclass A(val $0page: Int) {\n fun f(x: Unlisted) = x.whenDone { page }\n fun g() = page\n}\nclass B { val page = 1 }\n";
    assert_eq!(
        judged(fixture),
        [
            "a.kt:2: likely declaration",
            "a.kt:3: probable use",
            "a.kt:4: likely use",
            "a.kt:6: unlikely declaration"
        ]
    );
}

/// Many files are shared between threads, each of which resolves for itself.
#[test]
fn occurrences_of_many_files_are_those_of_each() {
    let till = "//- p/Till.kt\npackage p\nclass Till { fun $0close() {} }\nclass Other { fun close() {} }\n";
    let user = |number: usize| {
        format!(
            "//- p/U{number:03}.kt\npackage p\nfun f{number}(till: Till, other: Other) {{ till.close()\n other.close()\n}}\n"
        )
    };
    let all: Vec<String> = judged(&format!("{till}{}", (0..150).map(user).collect::<String>()));
    let expected = ["p/till.kt:2: likely declaration", "p/till.kt:3: unlikely declaration"];
    assert_eq!(all[..2], expected);
    let uses = (0..150).flat_map(|number| {
        [format!("p/u{number:03}.kt:2: likely call"), format!("p/u{number:03}.kt:3: unlikely call")]
    });
    assert_eq!(all[2..], uses.collect::<Vec<_>>());
}

#[test]
fn what_javas_methods_and_fields_give_has_members() {
    let java = "//- p/Store.java\npackage p;\nimport java.util.List;\nimport lib.Outside;\n\
        public class Store<T> {\n    public Coin best;\n    public static Store<String> open() { return null; }\n    \
        public Coin first() { return null; }\n    public List<Coin> all() { return null; }\n    \
        public T held() { return null; }\n    public <Coin> Coin any() { return null; }\n    \
        public String getText() { return null; }\n    public Inner inner() { return null; }\n    \
        public int of(int x) { return 1; }\n    public Coin of(String x) { return null; }\n    \
        public Outside outside() { return null; }\n    public static class Inner { public Coin coin() { return null; } }\n}\n";
    let kotlin = "//- p/Coin.kt\npackage p\nclass Coin { fun $0bump() = 1 }\n//- q/Use.kt\npackage q\nimport p.Store\n\
        val a = Store.open().first().bump()\n\
        val b = Store<Int>().best.bump()\n\
        val c = Store.open().all().first().bump()\n\
        val d = Store.open().inner().coin().bump()\n\
        val e = Store.open().text.bump()\n\
        val f = Store.open().outside().bump()\n\
        val g = Store.open().held().bump()\n\
        val h = Store.open().any().bump()\n\
        val i = Store.open().of(\"\").bump()\n";
    let said = judged(&format!("{java}{kotlin}"));
    let uses: Vec<String> = said.into_iter().filter(|line| line.starts_with("q/use.kt")).collect();
    assert_eq!(
        uses,
        [
            "q/use.kt:3: likely call",
            "q/use.kt:4: likely call",
            "q/use.kt:5: likely call",
            "q/use.kt:6: likely call",
            "q/use.kt:7: unlikely call",
            "q/use.kt:8: unlikely call",
            "q/use.kt:9: unchecked call",
            "q/use.kt:10: unchecked call",
            "q/use.kt:11: unchecked call",
        ]
    );
}

#[test]
fn tests_of_a_product_flavor_are_seen_by_its_own_tests_alone() {
    let sees = |fixture: &str, from: &str, declared_in: &str| {
        let (memory, _) = declared(fixture);
        let path = |path: &str| RelPath::new(path).expect("a path");
        memory.gradle_modules().may_see(&path(from), &path(declared_in))
    };
    let with = |script: &str, set: &str| {
        format!(
            "//- settings.gradle\ninclude ':m'\n//- m/build.gradle\n{script}\n//- m/src/{set}/A.kt\nclass $0A\n\
             //- m/src/testFree/T.kt\nclass T\n//- m/src/testShared/S.kt\nclass S\n//- m/src/shared/H.kt\nclass H\n\
             //- m/src/test/U.kt\nclass U\n//- m/src/androidTest/D.kt\nclass D\n"
        )
    };
    let flavors = "android { productFlavors { free { } } }";
    let (device, free) = ("m/src/androidTest/D.kt", "m/src/testFree/T.kt");
    assert!(!sees(&with(flavors, "free"), device, free));
    assert!(sees(&with(flavors, "free"), "m/src/test/U.kt", free));
    assert!(sees(&with(flavors, "free"), device, "m/src/testShared/S.kt"));
    // Nothing says that it is a variant's.
    assert!(sees(&with(flavors, "paid"), device, free));
    assert!(sees(&with("android { }", "free"), device, free));
}
