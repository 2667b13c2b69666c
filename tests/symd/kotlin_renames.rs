//! Renames of Kotlin symbols without a server: what a library declares too, links in documentation, generated files; and the uses that
//! arrive through overrides.

use serde_json::{Value, json};

use crate::rename_stage::{Answers, play};

const MINE: &str = "package p\n\ninterface Mine {\n    fun close()\n}\n\nclass Both : Mine, java.io.Closeable {\n    override fun close() {}\n}\n";

#[test]
fn a_member_that_overrides_a_librarys_beside_the_projects_is_refused() {
    play(&[("Mine.kt", MINE.as_bytes())], Answers::NoServer, async |stage| {
        for name_path in ["Mine/close", "Both/close"] {
            let refused =
                stage.refused("rename_symbol", json!({ "name_path": name_path, "new_name": "zzz" })).await;
            let why =
                "'close' of Both is also declared by java.lang.AutoCloseable, which is outside the project";
            assert!(refused.starts_with(why), "{refused}");
            assert!(refused.contains("\n  Mine.kt:7: class Both : Mine, java.io.Closeable {"), "{refused}");
        }
        assert_eq!(stage.text("Mine.kt"), MINE);
    });
    // Nothing is known of the library.
    let text = MINE.replace("java.io.Closeable", "x.Other");
    play(&[("Mine.kt", text.as_bytes())], Answers::NoServer, async |stage| {
        let refused =
            stage.refused("rename_symbol", json!({ "name_path": "Mine/close", "new_name": "zzz" })).await;
        let why = "it is not known whether x.Other, a base of Both outside the project, declares 'close' too";
        assert!(refused.starts_with(why), "{refused}");
    });
    let text = MINE.replace("java.io.Closeable", "Comparable<Both>");
    play(&[("Mine.kt", text.as_bytes())], Answers::NoServer, async |stage| {
        let done = stage.done("rename_symbol", json!({ "name_path": "Mine/close", "new_name": "zzz" })).await;
        assert!(done.contains("; complete"), "{done}");
        assert_eq!(stage.text("Mine.kt"), text.replace("close", "zzz"));
    });
}

#[test]
fn what_a_class_of_the_library_has_from_java_is_not_taken_for_nothing() {
    let text = "interface Mine {\n    fun ensureCapacity(size: Int)\n    fun message(): String\n}\n\nabstract class Both : Mine, AbstractMutableList<Int>() {\n    override fun ensureCapacity(size: Int) {}\n}\n\nabstract class Failed : Mine, FileSystemException(java.io.File(\"a\"))\n";
    play(&[("Mine.kt", text.as_bytes())], Answers::NoServer, async |stage| {
        let wanted = json!({ "name_path": "Mine/ensureCapacity", "new_name": "zzz" });
        let refused = stage.refused("rename_symbol", wanted).await;
        let why = "it is not known whether AbstractMutableList, a base of Both outside the project, declares 'ensureCapacity' too";
        assert!(refused.starts_with(why), "{refused}");
    });
    // All that `FileSystemException` inherits is known.
    let text = text.replace("AbstractMutableList<Int>()", "Comparable<Int>");
    play(&[("Mine.kt", text.as_bytes())], Answers::NoServer, async |stage| {
        let refused = stage
            .refused("rename_symbol", json!({ "name_path": "Mine/message", "new_name": "getCause" }))
            .await;
        let why = "'getCause' would override the member of java.lang.Throwable, which is outside the project";
        assert!(refused.starts_with(why), "{refused}");
        stage.done("rename_symbol", json!({ "name_path": "Mine/message", "new_name": "zzz" })).await;
    });
}

#[test]
fn a_name_that_a_member_has_already_is_refused_for_extensions() {
    let text = "class K2 {\n    fun mem() = 1\n}\n\nfun K2.ext2() = 2\n\nfun u(k: K2) = k.ext2()\n\nfun String.cut(i: Int) = this\n";
    play(&[("K2.kt", text.as_bytes())], Answers::NoServer, async |stage| {
        let wanted =
            |name_path: &str, new_name: &str| json!({ "name_path": name_path, "new_name": new_name });
        let refused = stage.refused("rename_symbol", wanted("ext2", "mem")).await;
        assert!(refused.starts_with("'mem' is taken where 'ext2' is declared or used"), "{refused}");
        let refused = stage.refused("rename_symbol", wanted("cut", "get")).await;
        assert!(
            refused.starts_with(
                "'get' is a member of kotlin.String, which is called instead of an extension of that name"
            ),
            "{refused}"
        );
        let refused = stage.refused("rename_symbol", wanted("K2/mem", "hashCode")).await;
        let why = "'hashCode' would override the member of kotlin.Any, which is outside the project";
        assert!(refused.starts_with(why) && refused.contains("\n  K2.kt:2: fun mem() = 1"), "{refused}");
        stage.done("rename_symbol", wanted("ext2", "ext3")).await;
    });
}

const FOO: &str = "package p\n\n/**\n * A foo of the [size] and [Bar.size], see [Foo.size], [p.Foo.size] and size.\n *\n * @property size the size\n */\nclass Foo(val size: Int) {\n    /** Half of the [size]. */\n    fun half() = size / 2\n}\n\n/** Has a [size] of its own, unlike [Foo.size]; `[size]`. */\nclass Bar {\n    val size = 1\n}\n";

#[test]
fn files_with_syntax_errors_that_hold_the_name_are_told() {
    let till = "class Till {\n    fun ring() = 1\n}\n";
    let using = "fun f(till: Till) {\n    till.ring()\n}\n\n// ring\nfun g(text: String) = text.)\n";
    let wanted = json!({ "name_path": "Till/ring", "new_name": "toll" });
    play(&[("Till.kt", till.as_bytes()), ("use.kt", using.as_bytes())], Answers::NoServer, async |stage| {
        let done = stage.done("rename_symbol", wanted.clone()).await;
        let note = "1 file with syntax errors holds the name and may hold further results: use.kt";
        assert!(done.contains(note) && done.contains("; incomplete: a note says what is in doubt"), "{done}");
        assert_eq!(stage.text("use.kt"), using.replace("till.ring", "till.toll"));
    });
    let using = using.replace("text.)", "text");
    play(&[("Till.kt", till.as_bytes()), ("use.kt", using.as_bytes())], Answers::NoServer, async |stage| {
        let done = stage.done("rename_symbol", wanted.clone()).await;
        assert!(done.contains("; complete"), "{done}");
    });
}

const TILL: &str = "interface Till {\n    fun ring()\n}\n\nclass Shop : Till {\n    override fun ring() {}\n}\n\nfun f(shop: Shop) = shop.ring()\n";
const FOR_KOTLIN: &str = "\n[[language]]\nname = \"kotlin\"\nlanguage-servers = [\"fake\"]\n";
const UNPROVEN: &str = "references = \"unproven\"\nrename = \"unproven\"\n\n[[language]]\nname = \"kotlin\"\nlanguage-servers = [\"fake\"]\n";

/// Answers each rename with `said`, and each request for references with nothing.
fn renaming(said: &serde_json::Value) -> serde_json::Value {
    json!({
        "capabilities": { "renameProvider": true, "referencesProvider": true },
        "on": { "textDocument/rename": [said], "textDocument/references": [{ "result": [] }] },
    })
}

#[test]
fn an_unproven_server_is_not_asked_where_types_decide() {
    let script = renaming(&json!({ "error": { "code": -32803, "message": "it is an override" } }));
    let wanted = json!({ "name_path": "Till/ring", "new_name": "toll" });
    play(&[("Till.kt", TILL.as_bytes())], Answers::Fake(script.clone(), FOR_KOTLIN), async |stage| {
        let refused = stage.refused("rename_symbol", wanted.clone()).await;
        assert_eq!(refused, "fake refuses textDocument/rename: it is an override");
    });
    play(&[("Till.kt", TILL.as_bytes())], Answers::Fake(script, UNPROVEN), async |stage| {
        let done = stage.done("find_referencing_symbols", json!({ "name_path": "Shop/ring" })).await;
        assert!(done.contains("Till.kt:9"), "{done}");
        assert!(done.contains("syntax (fake is not asked where types decide)"), "{done}");
        let done = stage.done("rename_symbol", wanted).await;
        assert!(done.contains("; complete"), "{done}");
        assert_eq!(stage.text("Till.kt"), TILL.replace("ring", "toll"));
    });
}

#[test]
fn what_an_unproven_server_refuses_or_gets_wrong_is_left_to_types() {
    let other = "fun g(it: Elsewhere) = it.ring()\n";
    let place = json!({ "start": { "line": 0, "character": 4 }, "end": { "line": 0, "character": 4 } });
    let document = json!({ "uri": "{root}/Other.kt", "version": null });
    let edits = json!([{ "range": place, "newText": "x" }]);
    let wrong = json!({ "answer": { "documentChanges": [{ "textDocument": document, "edits": edits }] } });
    for (said, why) in [
        (
            json!({ "error": { "code": -32803, "message": "it is an override" } }),
            "fake refuses textDocument/rename",
        ),
        (wrong, "fake failed: the server's edit of Other.kt would change"),
    ] {
        let files: [(&str, &[u8]); 2] = [("Till.kt", TILL.as_bytes()), ("Other.kt", other.as_bytes())];
        play(&files, Answers::Fake(renaming(&said), UNPROVEN), async |stage| {
            let mut wanted = json!({ "name_path": "Till/ring", "new_name": "toll" });
            let refused = stage.refused("rename_symbol", wanted.clone()).await;
            assert!(refused.contains(&format!("without a server ({why}")), "{refused}");
            assert!(refused.contains("Other.kt:1"), "{refused}");
            wanted["include"] = json!(["unchecked"]);
            stage.done("rename_symbol", wanted).await;
            assert_eq!(stage.text("Till.kt"), TILL.replace("ring", "toll"));
            assert_eq!(stage.text("Other.kt"), other.replace("ring", "toll"));
        });
    }
}

#[test]
fn links_in_documentation_are_uses() {
    let expected = FOO
        .replace("of the [size]", "of the [zzz]")
        .replace("Foo.size]", "Foo.zzz]")
        .replace("Half of the [size]", "Half of the [zzz]")
        .replace("(val size", "(val zzz")
        .replace("= size / 2", "= zzz / 2");
    play(&[("Foo.kt", FOO.as_bytes())], Answers::NoServer, async |stage| {
        let before = stage.tree();
        let done = stage.done("rename_symbol", json!({ "name_path": "Foo/size", "new_name": "zzz" })).await;
        assert_eq!(stage.text("Foo.kt"), expected, "{done}");
        assert!(done.contains("note: 5 links in documentation renamed too"), "{done}");
        stage.undo().await;
        assert!(stage.tree() == before);
        let all = json!({ "name_path": "Foo/size", "new_name": "zzz", "include": ["docs"] });
        stage.done("rename_symbol", all).await;
        let prose = expected.replace("and size.", "and zzz.").replace(" the size\n", " the zzz\n");
        let prose = prose.replace("`[size]`", "`[zzz]`").replace("@property size", "@property zzz");
        assert_eq!(stage.text("Foo.kt"), prose, "what links to Bar's stays");
    });
    let parameter = "class Foo(val size: Int) {\n    /**\n     * Does [size] and [Foo.size].\n     * @param size how many\n     */\n    fun f(size: Int) = size\n}\n";
    play(&[("F.kt", parameter.as_bytes())], Answers::NoServer, async |stage| {
        let all = json!({ "name_path": "Foo/size", "new_name": "zzz", "include": ["docs"] });
        stage.done("rename_symbol", all).await;
        let expected = parameter.replace("(val size", "(val zzz").replace("Foo.size", "Foo.zzz");
        assert_eq!(stage.text("F.kt"), expected, "what links to the parameter stays");
    });
}

#[test]
fn generated_files_are_marked_and_not_edited() {
    let files: [(&str, &[u8]); 4] = [
        (
            "core/src/main/kotlin/A.kt",
            b"package p\n\nclass A {\n    fun open() = 1\n}\n\nfun f(a: A) = a.open()\n",
        ),
        (
            "core/src/main/generated/kotlin/G.kt",
            b"package p\n\nfun g(a: A) = a.open()\n\nclass Made { fun own() = 1 }\n",
        ),
        ("core/src/main/kotlin/H.kt", b"// Written by x. DO NOT EDIT\npackage p\n\nfun h(a: A) = a.open()\n"),
        ("p.py", b"# @generated by x\ndef made(): pass\n\nmade()\n"),
    ];
    play(&files, Answers::NoServer, async |stage| {
        let uses = stage.done("find_referencing_symbols", json!({ "name_path": "A/open" })).await;
        assert!(uses.contains("G.kt (generated)\n") && uses.contains("H.kt (generated)\n"), "{uses}");
        assert!(uses.contains("A.kt:7 in f"), "{uses}");
        let as_json =
            stage.done("find_referencing_symbols", json!({ "name_path": "A/open", "format": "json" })).await;
        let as_json: Value = serde_json::from_str(&as_json).expect("JSON");
        let marked: Vec<bool> = as_json["references"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| one["generated"] == json!(true))
            .collect();
        assert_eq!(marked, [true, false, true], "{as_json}");
        let done = stage.done("rename_symbol", json!({ "name_path": "A/open", "new_name": "zzz" })).await;
        assert!(done.contains("note: 2 uses in generated files left: generate them again\n"), "{done}");
        assert!(!done.contains("; complete]"), "{done}");
        assert!(stage.text(files[0].0).contains("a.zzz()"));
        assert_eq!(stage.bytes(files[1].0), files[1].1);
        assert_eq!(stage.bytes(files[2].0), files[2].1);
        for name_path in ["Made/own", "made"] {
            let wanted = json!({ "name_path": name_path, "new_name": "zzz" });
            let refused = stage.refused("rename_symbol", wanted).await;
            assert!(refused.contains("is declared in a generated file"), "{refused}");
        }
        let forced = json!({ "name_path": "made", "new_name": "zzz", "force": true });
        stage.done("rename_symbol", forced).await;
        assert!(stage.text("p.py").contains("zzz()\n"));
    });
}

#[test]
fn uses_through_overrides_are_told_in_one_line() {
    let text = "package p\n\ninterface Far {\n    fun foo()\n}\n\ninterface Base : Far {\n    override fun foo()\n}\n\nclass Impl : Base {\n    override fun foo() {}\n}\n\nclass Other : Base {\n    override fun foo() {}\n}\n\nfun a(base: Base) = base.foo()\n\nfun b(base: Base, far: Far, other: Other) {\n    base.foo()\n    far.foo()\n    other.foo()\n}\n\nfun c(impl: Impl) = impl.foo()\n";
    play(&[("A.kt", text.as_bytes())], Answers::NoServer, async |stage| {
        let uses = stage.done("find_referencing_symbols", json!({ "name_path": "Impl/foo" })).await;
        assert!(uses.starts_with("A.kt:27 in c: fun c(impl: Impl) = impl.foo()\n"), "{uses}");
        let line = "; 2 more through Base/foo, 1 through Far/foo; family: true lists them; complete]";
        assert!(uses.ends_with(line), "{uses}");
        let all =
            stage.done("find_referencing_symbols", json!({ "name_path": "Impl/foo", "family": true })).await;
        assert!(
            all.contains(
                "\nthrough Base/foo:\nA.kt\n 19 in a: fun a(base: Base) = base.foo()\n 22 in b: base.foo()\n"
            ),
            "{all}"
        );
        assert!(all.contains("\nthrough Far/foo:\nA.kt:23 in b: far.foo()\n"), "{all}");
        assert!(all.ends_with("; 2 more through Base/foo, 1 through Far/foo; complete]"), "{all}");
        let of_base = stage.done("find_referencing_symbols", json!({ "name_path": "Base/foo" })).await;
        assert!(
            of_base.contains("; 1 more through Far/foo, 1 through Impl/foo, 1 through Other/foo; family"),
            "{of_base}"
        );
        let wanted = json!({ "name_path": "Impl/foo", "family": true, "format": "json" });
        let as_json: Value =
            serde_json::from_str(&stage.done("find_referencing_symbols", wanted).await).expect("JSON");
        let through = &as_json["through_family"];
        assert_eq!(through[0]["name_path"], "Base/foo", "{as_json}");
        assert_eq!((&through[0]["count"], &through[0]["references"][0]["line"]), (&json!(2), &json!(19)));
        assert_eq!(as_json["complete"], true, "{as_json}");
    });
}

#[test]
fn uses_through_overrides_are_told_for_each_overload() {
    let text = "interface Base {\n    fun foo(n: Int)\n    fun foo(s: String, n: Int)\n}\n\nclass Impl : Base {\n    override fun foo(n: Int) {}\n    override fun foo(s: String, n: Int) {}\n}\n\nfun a(b: Base) = b.foo(1)\nfun c(b: Base) {\n    b.foo(\"x\", 1)\n    b.foo(\"y\", 2)\n}\n";
    play(&[("A.kt", text.as_bytes())], Answers::NoServer, async |stage| {
        let uses = stage.done("find_referencing_symbols", json!({ "name_path": "Impl/foo" })).await;
        assert!(uses.contains("1 more through Base/foo[0]"), "{uses}");
        assert!(uses.contains("2 more through Base/foo[1]"), "{uses}");
    });
}

#[test]
fn an_import_of_overloads_brings_what_its_file_uses() {
    let files: [(&str, &[u8]); 5] = [
        ("A.kt", b"package a\n\nfun take(n: Int) = n\n\nfun take(s: String) = s\n\nclass Row\n\nfun Row.get(n: Int, s: String) = s\n\noperator fun Row.get(n: Int) = n\n"),
        ("one.kt", b"import a.take\n\nfun f() = take(1)\n"),
        ("two.kt", b"import a.take\n\nfun g() = take(\"\")\n"),
        ("both.kt", b"import a.Row\r\nimport a.take // both\r\n\r\nfun h() = take(1)\r\n\r\nfun i() = take(\"x\")\r\n"),
        ("rows.kt", b"import a.Row\nimport a.get\n\nfun j(row: Row) = row.get(1, \"\") + row[2]\n"),
    ];
    play(&files, Answers::NoServer, async |stage| {
        let wanted = json!({ "name_path": "take", "relative_path": "A.kt:3", "new_name": "zzz" });
        let done = stage.done("rename_symbol", wanted).await;
        assert!(done.contains("; complete"), "{done}");
        assert_eq!(stage.text("one.kt"), "import a.zzz\n\nfun f() = zzz(1)\n");
        assert_eq!(stage.bytes("two.kt"), files[2].1);
        let both = "import a.Row\r\nimport a.take\r\nimport a.zzz // both\r\n\r\nfun h() = zzz(1)\r\n\r\nfun i() = take(\"x\")\r\n";
        assert_eq!(stage.text("both.kt"), both);
        // The file may use the other one as an operator.
        let wanted = json!({ "name_path": "get", "relative_path": "A.kt:9", "new_name": "read" });
        stage.done("rename_symbol", wanted).await;
        let rows =
            "import a.Row\nimport a.get\nimport a.read\n\nfun j(row: Row) = row.read(1, \"\") + row[2]\n";
        assert_eq!(stage.text("rows.kt"), rows);
    });
    let aliased = b"import a.take as grab\n\nfun f() = grab(1)\n";
    play(&[files[0], ("one.kt", aliased)], Answers::NoServer, async |stage| {
        let wanted = json!({ "name_path": "take", "relative_path": "A.kt:3", "new_name": "zzz" });
        let refused = stage.refused("rename_symbol", wanted).await;
        assert!(refused.contains("\n  one.kt:1: import a.take as grab"), "{refused}");
    });
}

#[test]
fn a_function_that_is_called_like_an_interface_is_no_base() {
    let paths =
        "package a\n\ninterface Road {\n    fun size(): Int\n}\n\nfun Road(size: Int): Road = Paved(size)\n";
    let using = "package b\n\nimport a.Road\n\nclass Paved(val own: Int) : Road {\n    override fun size() = own\n}\n\nfun f(road: Road) = road.size()\n";
    play(
        &[("Road.kt", paths.as_bytes()), ("Paved.kt", using.as_bytes())],
        Answers::NoServer,
        async |stage| {
            let wanted = json!({ "name_path": "Road/size", "new_name": "length" });
            let done = stage.done("rename_symbol", wanted).await;
            assert!(done.contains("; complete"), "{done}");
            assert_eq!(stage.text("Paved.kt"), using.replace("size", "length"));
            let wanted = json!({ "name_path": "Paved/own", "new_name": "count" });
            stage.done("rename_symbol", wanted).await;
            assert_eq!(stage.text("Paved.kt"), using.replace("size", "length").replace("own", "count"));
        },
    );
}

#[test]
fn a_delegate_that_may_use_the_propertys_name_leaves_the_rename_incomplete() {
    let using = "package p\n\nclass User(val map: Map<String, Any?>) {\n    val name: String by map\n    val nick by Named()\n    \
        val plain by Quiet()\n    val late by lazy { 1 }\n}\n";
    let delegates = "package p\n\nimport kotlin.reflect.KProperty\n\nclass Named {\n    operator fun getValue(of: Any?, property: KProperty<*>) = property.name\n}\n\n\
        class Quiet {\n    operator fun getValue(of: Any?, property: KProperty<*>) = 3\n}\n";
    let script = "val release: String by project\nval once by lazy { 1 }\n";
    let files = [
        ("User.kt", using.as_bytes()),
        ("Named.kt", delegates.as_bytes()),
        ("build.gradle.kts", script.as_bytes()),
    ];
    play(&files, Answers::NoServer, async |stage| {
        for (property, is_complete) in [("release", false), ("once", true)] {
            let wanted = json!({ "name_path": property, "new_name": format!("{property}Too") });
            let done = stage.done("rename_symbol", wanted).await;
            assert_eq!(done.contains("; complete"), is_complete, "{done}");
        }
        for (property, line) in [("nick", Some(5)), ("plain", None), ("late", None), ("name", Some(4))] {
            let wanted =
                json!({ "name_path": format!("User/{property}"), "new_name": format!("{property}Too") });
            let done = stage.done("rename_symbol", wanted).await;
            let is_told = line.is_some_and(|line| done.contains(&format!("\n  User.kt:{line}: va")));
            assert_eq!(done.contains("; complete"), line.is_none(), "{done}");
            assert_eq!(is_told, line.is_some(), "{done}");
            assert_eq!(done.contains("a delegate gets the property's name"), line.is_some(), "{done}");
        }
    });
}

#[test]
fn a_name_that_changes_what_other_code_means_is_taken() {
    let text = "package p\n\nclass Person {\n    fun greet() = 1\n}\n\nfun hello() = 2\n\nfun build(block: Person.() -> Int) = Person().block()\n\n\
        val built = build { hello() }\n\nfun String.cut() = this.trim()\n";
    play(&[("A.kt", text.as_bytes())], Answers::NoServer, async |stage| {
        let refused =
            stage.refused("rename_symbol", json!({ "name_path": "hello", "new_name": "greet" })).await;
        assert!(refused.starts_with("'greet' is taken where 'hello' is declared or used"), "{refused}");
        assert!(refused.contains("\n  A.kt:11: val built"), "{refused}");
        let refused = stage.refused("rename_symbol", json!({ "name_path": "cut", "new_name": "trim" })).await;
        assert!(refused.contains("\n  A.kt:13: fun String.cut()"), "{refused}");
        stage.done("rename_symbol", json!({ "name_path": "hello", "new_name": "salute" })).await;
    });
}

#[test]
fn a_delegated_class_before_a_function_is_renamed_whole() {
    let text = "package p\n\ninterface I {\n    fun name(): String\n}\n\nclass Other(inner: I) : I by inner {\n    override fun name() = \"other\"\n}\n\n\
        fun main() {\n    println(Other(TODO()).name())\n}\n";
    play(&[("A.kt", text.as_bytes())], Answers::NoServer, async |stage| {
        let done = stage.done("rename_symbol", json!({ "name_path": "I/name", "new_name": "label" })).await;
        assert!(done.contains("; complete"), "{done}");
        assert_eq!(stage.text("A.kt"), text.replace("name()", "label()"));
    });
}

/// What calls functions without their names, by the line that does it.
const OPERATORS: &str = "package shop\n\nclass Bag(val coins: List<Int>) {\n    operator fun plus(other: Bag) = Bag(coins + other.coins)\n    operator fun iterator() = coins.iterator()\n    operator fun contains(coin: Int) = coins.any { it == coin }\n    \
    operator fun invoke(n: Int) = n\n    operator fun component1() = coins\n    operator fun component2() = 2\n    operator fun minus(other: Bag) = this\n}\n\nclass Kept {\n    operator fun getValue(of: Any?, property: Any) = 3\n}\n\nval kept by Kept()\n\n\
    fun use(a: Bag, b: Bag): Int {\n    val sum = a + b\n    for (coin in sum) println(coin)\n    if (1 in sum) return 1\n    val (coins, two) = b\n    return a(1) + two + coins.size + kept\n}\n";

#[test]
fn what_the_language_calls_is_an_operators_use_and_keeps_its_function() {
    let uses = [
        ("Bag/plus", 20),
        ("Bag/iterator", 21),
        ("Bag/contains", 22),
        ("Bag/invoke", 24),
        ("Bag/component1", 23),
        ("Bag/component2", 23),
        ("Kept/getValue", 17),
    ];
    play(&[("Bag.kt", OPERATORS.as_bytes())], Answers::NoServer, async |stage| {
        for (name_path, line) in uses {
            let wanted = json!({ "name_path": name_path, "format": "json" });
            let found: Value =
                serde_json::from_str(&stage.done("find_referencing_symbols", wanted).await).unwrap();
            let told: Vec<(u64, &str)> = found["references"]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| (one["line"].as_u64().unwrap(), one["role"].as_str().unwrap()))
                .collect();
            assert_eq!(
                (told.as_slice(), &found["complete"]),
                ([(line, "operator")].as_slice(), &json!(true)),
                "{name_path}"
            );
            let renamed = json!({ "name_path": name_path, "new_name": "other" });
            let refused = stage.refused("rename_symbol", renamed).await;
            let name = name_path.rsplit('/').next().unwrap();
            let why = format!(
                "a Kotlin operator looks up '{name}' by its name, and would not find 'other'; nothing was written"
            );
            assert!(refused.starts_with(&why), "{refused}");
            let refused = stage.refused("safe_delete", json!({ "name_path": name_path })).await;
            let why = format!("{name_path} in Bag.kt is still used; nothing was written");
            let place = format!("Bag.kt:{line} in ");
            assert!(refused.starts_with(&why) && refused.contains(&place), "{refused}");
        }
        assert_eq!(stage.text("Bag.kt"), OPERATORS);
        // Nothing subtracts: types tell what each operator calls.
        stage.done("safe_delete", json!({ "name_path": "Bag/minus" })).await;
        let without = OPERATORS.replace("    operator fun minus(other: Bag) = this\n", "");
        assert_eq!(stage.text("Bag.kt"), without);
    });
}

#[test]
fn an_operator_stays_where_types_do_not_tell_that_nothing_calls_it() {
    let bag = "package shop\nimport org.absent.found\nclass Bag {\n    operator fun minus(other: Bag) = this\n    operator fun times(n: Int) = this\n}\nclass Row : Comparable<Row> {\n    override operator fun compareTo(other: Row) = 0\n}\nfun f(a: Bag) = found() - a\n";
    play(&[("Bag.kt", bag.as_bytes())], Answers::NoServer, async |stage| {
        let refused = stage.refused("safe_delete", json!({ "name_path": "Bag/minus" })).await;
        assert!(refused.contains("still used") && refused.contains("Bag.kt:10"), "{refused}");
        let refused = stage.refused("safe_delete", json!({ "name_path": "Row/compareTo" })).await;
        assert!(refused.contains("is outside the project and relies on this name"), "{refused}");
        assert_eq!(stage.text("Bag.kt"), bag);
        stage.done("safe_delete", json!({ "name_path": "Bag/times" })).await;
        assert!(!stage.text("Bag.kt").contains("times"));
    });
}
