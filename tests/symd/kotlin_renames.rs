//! Renames of Kotlin symbols without a server: what a library declares too.

use serde_json::json;

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
        assert!(done.ends_with("; complete]") || done.contains("; complete"), "{done}");
        assert_eq!(stage.text("Mine.kt"), text.replace("close", "zzz"));
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
