//! Two languages in one project, each with its own server, answer together.

use serde_json::json;

use super::{Real, places};
use crate::servers::real_program;

#[test]
fn python_and_typescript() {
    if !real_program("node") {
        return;
    }
    let Some(real) = Real::new(&[("python", "ty"), ("typescript", "tsc")]) else { return };
    let real = real.with(
        "//- server.py\ndef total(prices: list[int]) -> int:\n    return sum(prices)\n\n\nprint(total([1]))\n\
         //- tsconfig.json\n{ \"compilerOptions\": { \"strict\": true } }\n\
         //- client.ts\nexport function total(prices: number[]): number {\n    return prices.length;\n}\n\ntotal([1]);\n",
    );
    let of = |file: &str, server: &str| {
        let ask = json!({ "name_path": "total", "relative_path": file });
        real.places(server, "find_referencing_symbols", "references", ask)
    };
    assert_eq!(of("server.py", "ty"), ["server.py:5"]);
    assert_eq!(of("client.ts", "tsc"), ["client.ts:5"]);
    real.write("wrong.py", "from server import total\n\ntotal(1)\n");
    real.write("wrong.ts", "import { total } from \"./client\";\n\ntotal(1);\n");
    for (file, place) in [("wrong.py", "wrong.py:3"), ("wrong.ts", "wrong.ts:3")] {
        let wrong = real.ask("diagnostics", json!({ "relative_path": file }));
        assert_eq!(places(&wrong["diagnostics"]), [place], "{wrong:#}");
    }
    let wrong = real.ask("diagnostics", json!({}));
    let sources = wrong["sources"].as_array().unwrap();
    assert!(sources.contains(&json!("ty")) && sources.contains(&json!("tsc")), "{wrong:#}");
    // One server is stopped; the other is not affected.
    real.user.check(&["server", "stop", "tsc"], 0);
    assert_eq!(of("server.py", "ty"), ["server.py:5", "wrong.py:1", "wrong.py:3"]);
}

#[test]
fn a_kotlin_class_used_from_java() {
    let Some(real) = Real::new(&[("kotlin", "kmp-lsp")]) else { return };
    let real = real.with(
        "//- settings.gradle.kts\nrootProject.name = \"shop\"\n\
         //- src/main/kotlin/shop/Book.kt\npackage shop\n\nclass Book(val title: String)\n\
         //- src/main/kotlin/shop/Shelf.kt\npackage shop\n\nval first = Book(\"one\")\n\
         //- src/main/java/shop/Reader.java\npackage shop;\n\nclass Reader {\n    Book book = new Book(\"two\");\n}\n",
    );
    let ask = json!({ "name_path": "Book", "show_unlisted": true });
    let answer = real.ask("find_referencing_symbols", ask);
    assert_eq!(answer["source"], "kmp-lsp", "{answer:#}");
    let mut all = places(&answer["references"]);
    // Uses in a language that the server does not serve come from syntax.
    all.extend(places(&answer["other_languages"]));
    all.sort();
    all.dedup();
    assert_eq!(all, ["src/main/java/shop/Reader.java:4", "src/main/kotlin/shop/Shelf.kt:3"], "{answer:#}");
}
