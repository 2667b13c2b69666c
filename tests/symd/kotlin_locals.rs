//! Renames of Kotlin's locals, parameters and type parameters by their name paths, without a server.

use serde_json::{Value, json};

use crate::rename_stage::{Answers, play};

const STORE: &str = "interface Store {
    fun put(key: String, value: Int = 1): Int
}

/**
 * A store.
 * @param size how many, see [size] and [Store.put]
 */
open class Mem(size: Int) : Store {
    val half = size / 2

    /** Puts [key]. @param key the key */
    override fun put(key: String, value: Int): Int {
        val seen = \"$key ${key.length}\"
        return listOf(value).map { value -> value + seen.length }.sum() + key.length
    }
}

class Big : Mem(size = 9)

fun <T> first(all: List<T>): T = all[0]

fun count(n: Int): Int {
    fun step(by: Int): Int = if (by == 0) n else step(by - 1)
    val total = step(by = n)
    for (total in 0..n) println(total)
    return total
}
";

const USE: &str =
    "fun use(store: Store, mem: Mem) = store.put(key = \"a\", value = 2) + mem.put(value = 1, key = \"b\")

fun other(key: String, size: Int) = key + size

val made = Mem(size = 3)
";

const FILES: [(&str, &[u8]); 2] = [("Store.kt", STORE.as_bytes()), ("Use.kt", USE.as_bytes())];

fn rename(name_path: &str, new_name: &str) -> Value {
    json!({ "name_path": name_path, "new_name": new_name })
}

/// Returns a text with the old name replaced by the new one within these pieces of it, each of which stands there once.
fn with(text: &str, (old, new): (&str, &str), pieces: &[&str]) -> String {
    pieces.iter().fold(text.to_owned(), |text, piece| {
        assert_eq!(text.matches(piece).count(), 1, "{piece}");
        text.replace(piece, &piece.replace(old, new))
    })
}

#[test]
fn locals_have_name_paths_and_calls_that_name_arguments_follow() {
    let cases: [(&str, &str, &[&str], &[&str]); 6] = [
        (
            "Mem/put/key",
            "name",
            &["[key]. @param key ", "override fun put(key", "$key ${key.length}", ".sum() + key.length"],
            &["key = \"b\""],
        ),
        ("Store/put/key", "name", &["    fun put(key"], &["key = \"a\""]),
        (
            "Mem/size",
            "room",
            &["@param size how many, see [size]", "Mem(size: Int)", "= size / 2", "Mem(size = 9)"],
            &["Mem(size = 3)"],
        ),
        ("first/T", "Item", &["fun <T> first(all: List<T>): T"], &[]),
        (
            "/count/step",
            "walk",
            &["fun step(by: Int): Int = if (by == 0) n else step(by", "= step(by = n"],
            &[],
        ),
        ("step/by", "left", &["fun step(by: Int): Int = if (by == 0) n else step(by -", "step(by = n)"], &[]),
    ];
    for (name_path, new, store, using) in cases {
        play(&FILES, Answers::NoServer, async |stage| {
            let done = stage.done("rename_symbol", rename(name_path, new)).await;
            let old = name_path.rsplit('/').next().unwrap();
            assert_eq!(stage.text("Store.kt"), with(STORE, (old, new), store), "{done}");
            assert_eq!(stage.text("Use.kt"), with(USE, (old, new), using), "{done}");
            assert!(done.contains("; complete"), "{done}");
        });
    }
}

#[test]
fn one_of_several_locals_is_named_by_its_line() {
    play(&FILES, Answers::NoServer, async |stage| {
        let several = stage.refused("rename_symbol", rename("count/total", "all")).await;
        assert!(several.starts_with("2 symbols match 'count/total'"), "{several}");
        assert!(several.contains("Store.kt:25") && several.contains("Store.kt:26"), "{several}");
        let wanted = json!({ "name_path": "count/total", "new_name": "all", "relative_path": "Store.kt:26" });
        stage.done("rename_symbol", wanted).await;
        let renamed = STORE.replace("for (total in 0..n) println(total)", "for (all in 0..n) println(all)");
        assert_eq!(stage.text("Store.kt"), renamed);
    });
    play(&FILES, Answers::NoServer, async |stage| {
        let several = stage.refused("rename_symbol", rename("put/key", "name")).await;
        assert!(several.starts_with("2 symbols match 'put/key'"), "{several}");
        let none = stage.refused("rename_symbol", rename("Big/key", "name")).await;
        assert!(none.starts_with("No symbol matching 'Big/key' found"), "{none}");
    });
}

#[test]
fn a_name_that_a_local_would_hide_or_share_is_refused() {
    play(&FILES, Answers::NoServer, async |stage| {
        for (name_path, new, line) in [
            ("Mem/put/value", "key", "Store.kt:13"),
            ("Mem/put/key", "seen", "Store.kt:1"),
            ("count/step/by", "n", "Store.kt:24"),
            ("count/n", "total", "Store.kt:2"),
        ] {
            let refused = stage.refused("rename_symbol", rename(name_path, new)).await;
            assert!(refused.contains(&format!("'{new}' is taken")) && refused.contains(line), "{refused}");
        }
        assert_eq!(stage.text("Store.kt"), STORE);
    });
}

#[test]
fn what_may_mean_a_local_or_something_else_is_told() {
    let text = "import other.Panel\n\nfun show(title: String) = Panel { println(title) }\n\n\
                fun key(map: Map<String, Int>): Int {\n    val size by map\n    return size\n}\n";
    let files = [("Show.kt", text.as_bytes())];
    play(&files, Answers::NoServer, async |stage| {
        let done = stage.done("rename_symbol", rename("key/size", "count")).await;
        assert!(done.contains("a delegate gets the name") && done.contains("incomplete"), "{done}");
        let text = text.replace("val size", "val count").replace("return size", "return count");
        assert_eq!(stage.text("Show.kt"), text);
        let said = stage.done("rename_symbol", rename("show/title", "text")).await;
        let text = text.replace("title", "text");
        assert_eq!(stage.text("Show.kt"), text, "{said}");
    });
    let broken = "fun f(size: Int) = size\n\n// size\nfun g() = f(size = 1).)\n";
    play(&[("Broken.kt", broken.as_bytes())], Answers::NoServer, async |stage| {
        let done = stage.done("rename_symbol", rename("f/size", "count")).await;
        assert!(done.contains("syntax errors") && done.contains("incomplete"), "{done}");
    });
}
