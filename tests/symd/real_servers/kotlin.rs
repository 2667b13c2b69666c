//! kmp-lsp: Kotlin without a JVM. It has no call hierarchy, and needs ripgrep.

use serde_json::json;

use super::{Real, demo, places};
use crate::servers::real_server;
use crate::support::{User, write};

const CART: &str = "app/src/main/kotlin/bookshop/Cart.kt";
const CATALOG: &str = "app/src/main/kotlin/bookshop/Catalog.kt";

fn project() -> Option<Real> {
    let real = Real::new(&[("kotlin", "kmp-lsp")])?;
    real.copy(&demo());
    Some(real)
}

fn at(lines: &[(&str, u32)]) -> Vec<String> {
    lines.iter().map(|(path, line)| format!("{path}:{line}")).collect()
}

#[test]
fn references_and_callers() {
    let Some(real) = project() else { return };
    let ask = json!({ "name_path": "OutOfStock", "relative_path": CATALOG });
    let found = real.ask("find_referencing_symbols", ask);
    assert_eq!(found["source"], "kmp-lsp", "{found:#}");
    assert_eq!(places(&found["references"]), at(&[(CART, 32), (CATALOG, 33), (CATALOG, 48)]), "{found:#}");
    let callers = real.ask("find_callers", json!({ "name_path": "Shelves/take", "relative_path": CATALOG }));
    assert_eq!(callers["source"], "kmp-lsp", "built from references: {callers:#}");
    let callers = real.ask("find_callers", json!({ "name_path": "Catalog/take", "relative_path": CATALOG }));
    let names: Vec<_> = callers["callers"].as_array().unwrap().iter().map(|one| &one["name_path"]).collect();
    assert_eq!(names, ["Cart/add"], "{callers:#}");
    real.write(
        "app/src/main/kotlin/bookshop/New.kt",
        "package bookshop\n\nfun fail(): Nothing = throw OutOfStock(\"1\", 0)\n",
    );
    let ask = json!({ "name_path": "OutOfStock", "relative_path": CATALOG });
    let found = places(&real.ask("find_referencing_symbols", ask)["references"]);
    assert!(found.contains(&"app/src/main/kotlin/bookshop/New.kt:3".to_owned()), "{found:?}");
}

#[test]
fn definition_and_implementations() {
    let Some(real) = project() else { return };
    let ask = json!({ "relative_path": CART, "line": 32, "name": "OutOfStock" });
    assert_eq!(real.places("kmp-lsp", "find_definition", "definitions", ask), at(&[(CATALOG, 28)]));
    let ask = json!({ "name_path": "Catalog", "relative_path": CATALOG });
    let found = real.ask("find_implementations", ask);
    assert_eq!(places(&found["implementations"]), at(&[(CATALOG, 37)]), "{found:#}");
}

#[test]
fn without_ripgrep_it_is_refused() {
    let Some(installed) = real_server("kmp-lsp") else { return };
    let user = User::new();
    std::fs::create_dir_all(user.path("data/servers/kmp-lsp/bin")).unwrap();
    let program = installed.join("kmp-lsp/bin/kmp-lsp").canonicalize().unwrap();
    std::os::unix::fs::symlink(program, user.path("data/servers/kmp-lsp/bin/kmp-lsp")).unwrap();
    write(
        &user.path("config/languages.toml"),
        "[[language]]\nname = \"kotlin\"\nlanguage-servers = [\"kmp-lsp\"]\n",
    );
    write(&user.path("project/a.kt"), "fun run() = Unit\n\nfun main() = run()\n");
    // A PATH without rg.
    let output = user.symd().env("PATH", user.path("home")).args(["refs", "run"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("a.kt:3 in main: fun main() = run()"), "{text}");
    assert!(text.contains("kmp-lsp cannot work without rg: "), "{text}");
}
