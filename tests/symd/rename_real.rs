//! Renames by real servers, across files, undone byte for byte.

use serde_json::json;

use crate::rename_stage::{Answers, Stage, play};
use crate::servers::real_server;

const CATALOG: &str = include_str!("../../fixtures/demo/bookshop/catalog.py");
const CLI: &str = include_str!("../../fixtures/demo/bookshop/cli.py");
const PRICING: &str = include_str!("../../fixtures/demo/bookshop/pricing.py");
const CART_KT: &str = include_str!("../../fixtures/demo/app/src/main/kotlin/bookshop/Cart.kt");
const CATALOG_KT: &str = include_str!("../../fixtures/demo/app/src/main/kotlin/bookshop/Catalog.kt");

/// Replaces every whole word `old` of `text` by `new`.
fn with_words(text: &str, old: &str, new: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    while let Some(at) = rest.find(old) {
        let before = rest[..at].chars().next_back().or(result.chars().next_back());
        let after = rest[at + old.len()..].chars().next();
        let is_whole = !before.is_some_and(is_word) && !after.is_some_and(is_word);
        result.push_str(&rest[..at]);
        result.push_str(if is_whole { new } else { old });
        rest = &rest[at + old.len()..];
    }
    result.push_str(rest);
    result
}

async fn renames_and_undoes(stage: &Stage, wanted: serde_json::Value, expected: &[(&str, String)]) {
    let before = stage.tree();
    let mut shown = wanted.clone();
    shown["dry_run"] = json!(true);
    let diff = stage.done("rename_symbol", shown).await;
    assert!(diff.contains("\n@@ -"), "{diff}");
    assert!(stage.tree() == before);
    let done = stage.done("rename_symbol", wanted).await;
    for (path, text) in expected {
        assert_eq!(&stage.text(path), text, "{path}\n{done}");
    }
    stage.undo().await;
    assert!(stage.tree() == before);
}

#[test]
fn ty_renames_across_python_files() {
    let Some(servers) = real_server("ty") else { return };
    let files: [(&str, &[u8]); 5] = [
        ("pyproject.toml", b"[project]\nname = \"bookshop\"\nversion = \"1\"\n"),
        ("bookshop/__init__.py", b""),
        ("bookshop/catalog.py", CATALOG.as_bytes()),
        ("bookshop/cli.py", CLI.as_bytes()),
        ("bookshop/pricing.py", PRICING.as_bytes()),
    ];
    play(&files, Answers::Real(servers), async |stage| {
        let wanted =
            json!({ "name_path": "Book", "relative_path": "bookshop/catalog.py", "new_name": "Volume" });
        let expected = [
            ("bookshop/catalog.py", with_words(CATALOG, "Book", "Volume")),
            ("bookshop/pricing.py", with_words(PRICING, "Book", "Volume")),
            ("bookshop/cli.py", CLI.to_owned()),
        ];
        renames_and_undoes(stage, wanted, &expected).await;
        let method = json!({ "name_path": "Catalog/take", "relative_path": "bookshop/catalog.py", "new_name": "withdraw" });
        let expected = [
            ("bookshop/catalog.py", with_words(CATALOG, "take", "withdraw")),
            ("bookshop/cli.py", with_words(CLI, "take", "withdraw")),
        ];
        renames_and_undoes(stage, method, &expected).await;
        let taken =
            json!({ "name_path": "Book", "relative_path": "bookshop/catalog.py", "new_name": "Catalog" });
        assert!(stage.refused("rename_symbol", taken).await.contains("'Catalog' is taken"));
    });
}

#[test]
fn what_a_fixture_of_pytest_gives_is_followed_through_ty() {
    let Some(servers) = real_server("ty") else { return };
    let lib = "class Store:\n    def load(self):\n        return 1\n\n\nclass App:\n    def __init__(self):\n        self.store: Store = Store()\n\n    def run(self):\n        return 1\n\n\nclass Large(App):\n    pass\n\n\nclass Other:\n    def run(self):\n        return 2\n";
    let conftest = "import pytest\n\nfrom lib import Large, Other\n\n\n@pytest.fixture\ndef app():\n    app = Large()\n    return app\n\n\n\
        @pytest.fixture()\ndef other():\n    yield Other()\n";
    let tests = "def test_run(app, other):\n    assert app.run() < other.run()\n\n\nclass TestMore:\n    def test_again(self, app):\n        app.run()\n        app.store.load()\n";
    let files: [(&str, &[u8]); 4] = [
        ("pyproject.toml", b"[project]\nname = \"lib\"\nversion = \"1\"\n"),
        ("lib.py", lib.as_bytes()),
        ("conftest.py", conftest.as_bytes()),
        ("tests/test_lib.py", tests.as_bytes()),
    ];
    play(&files, Answers::Real(servers), async |stage| {
        let wanted = json!({ "name_path": "App/run", "relative_path": "lib.py", "new_name": "start" });
        let expected = [
            ("lib.py", lib.replacen("run", "start", 1)),
            ("tests/test_lib.py", tests.replace("app.run", "app.start")),
        ];
        renames_and_undoes(stage, wanted, &expected).await;
        let inside = json!({ "name_path": "Store/load", "relative_path": "lib.py", "new_name": "fetch" });
        let expected = [
            ("lib.py", lib.replacen("load", "fetch", 1)),
            ("tests/test_lib.py", tests.replace("load", "fetch")),
        ];
        renames_and_undoes(stage, inside, &expected).await;
    });
}

#[test]
fn methods_that_return_their_object_are_followed_through_ty() {
    let Some(servers) = real_server("ty") else { return };
    let lib = "class Builder:\n    def one(self):\n        return self\n\n    def two(self):\n        def inner():\n            return 1\n\n        return self\n\n\
        \x20   def three(self, x):\n        return x\n\n    def build(self):\n        return 1\n\n\n\
        def make(other):\n    Builder().one().two().build()\n    other.three(Builder()).other()\n    return Builder().one().two().one().build()\n";
    let files: [(&str, &[u8]); 2] =
        [("pyproject.toml", b"[project]\nname = \"lib\"\nversion = \"1\"\n"), ("lib.py", lib.as_bytes())];
    play(&files, Answers::Real(servers), async |stage| {
        for name in ["build", "two"] {
            let wanted = json!({ "name_path": format!("Builder/{name}"), "relative_path": "lib.py", "new_name": "made" });
            renames_and_undoes(stage, wanted, &[("lib.py", with_words(lib, name, "made"))]).await;
        }
        let doubtful = lib.replace("one().two().build", "three(1).build");
        std::fs::write(stage.path("lib.py"), &doubtful).expect("written");
        let wanted = json!({ "name_path": "Builder/build", "relative_path": "lib.py", "new_name": "made" });
        assert!(stage.refused("rename_symbol", wanted).await.contains("1 occurrence of 'build'"));
    });
}

#[test]
fn ty_renames_in_texts_of_every_spelling() {
    let Some(servers) = real_server("ty") else { return };
    let lib = "\u{FEFF}def run() -> str:\r\n    return \"\u{1F600}\"\r\n\r\n\r\nx = \"\u{1F600}\u{1F468}\u{200D}\u{1F469}\", run(); y = run\r\n";
    let user = "from lib import run\n\nz = [\"\u{1F600}\", run(), \"\u{1F600}\", run()]\r\nw = run()";
    // The server reads this file from the disk, and would count the byte-order mark.
    let marked = "\u{FEFF}from lib import run; run()\r\nprint(run())\r\n";
    let files: [(&str, &[u8]); 3] =
        [("lib.py", lib.as_bytes()), ("marked.py", marked.as_bytes()), ("use.py", user.as_bytes())];
    play(&files, Answers::Real(servers), async |stage| {
        let wanted = json!({ "name_path": "run", "relative_path": "lib.py", "new_name": "\u{e9}t\u{e9}" });
        let expected = [
            ("marked.py", with_words(marked, "run", "\u{e9}t\u{e9}")),
            ("lib.py", with_words(lib, "run", "\u{e9}t\u{e9}")),
            ("use.py", with_words(user, "run", "\u{e9}t\u{e9}")),
        ];
        renames_and_undoes(stage, wanted, &expected).await;
    });
}

#[test]
fn tsc_renames_and_keeps_what_a_shorthand_means() {
    let Some(servers) = real_server("tsc") else { return };
    let lib = "export function size(x: string): number {\n  return x.length;\n}\n";
    let user =
        "import { size } from \"./lib\";\n\nexport const box = { size, other: size(\"\u{1F600}\") };\n";
    let files: [(&str, &[u8]); 3] =
        [("tsconfig.json", b"{}\n"), ("lib.ts", lib.as_bytes()), ("use.ts", user.as_bytes())];
    play(&files, Answers::Real(servers), async |stage| {
        let wanted = json!({ "name_path": "size", "relative_path": "lib.ts", "new_name": "extent" });
        let renamed = user
            .replace("import { size }", "import { extent }")
            .replace("{ size, other: size(", "{ size: extent, other: extent(");
        let expected = [("lib.ts", with_words(lib, "size", "extent")), ("use.ts", renamed)];
        renames_and_undoes(stage, wanted, &expected).await;
        stage.done("format", json!({ "relative_path": "lib.ts" })).await;
    });
}

#[test]
fn kmp_lsp_renames_across_kotlin_files() {
    let Some(servers) = real_server("kmp-lsp") else { return };
    const DIRECTORY: &str = "app/src/main/kotlin/bookshop";
    let (cart, catalog) = (format!("{DIRECTORY}/Cart.kt"), format!("{DIRECTORY}/Catalog.kt"));
    let files: [(&str, &[u8]); 3] = [
        ("settings.gradle.kts", b"rootProject.name = \"bookshop\"\n"),
        (&cart, CART_KT.as_bytes()),
        (&catalog, CATALOG_KT.as_bytes()),
    ];
    play(&files, Answers::Real(servers), async |stage| {
        let wanted = json!({ "name_path": "OutOfStock", "relative_path": catalog, "new_name": "SoldOut" });
        let expected = [
            (cart.as_str(), with_words(CART_KT, "OutOfStock", "SoldOut")),
            (catalog.as_str(), with_words(CATALOG_KT, "OutOfStock", "SoldOut")),
        ];
        renames_and_undoes(stage, wanted, &expected).await;
    });
}
