//! docs/editors-clauses.md names tests that exist.

use std::path::Path;

#[test]
fn the_tests_that_show_the_clauses_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = std::fs::read_to_string(root.join("docs/editors-clauses.md")).unwrap();
    let pattern = regex::Regex::new(r"\b(\w+)::(\w+(?:::\w+)?)").unwrap();
    let mut named = 0;
    for found in pattern.captures_iter(&list) {
        let (file, path) = (&found[1], &found[2]);
        let source = match (file, path.starts_with("tests")) {
            (_, false) => format!("tests/symd/{file}.rs"),
            ("position", true) => "crates/ide/src/position.rs".to_owned(),
            ("proxy", true) => "crates/ide/src/proxy/tests.rs".to_owned(),
            (module, true) => format!("crates/ide/src/proxy/{module}.rs"),
        };
        let test = path.rsplit("::").next().unwrap();
        let text = std::fs::read_to_string(root.join(&source));
        let text = text.unwrap_or_else(|error| panic!("{}: {source}: {error}", &found[0]));
        let is_test = |test| {
            let test = format!(r"#\[(tokio::)?test\b.*\]\s+(#\[.*\]\s+)*(async )?fn {test}\(");
            regex::Regex::new(&test).unwrap().is_match(&text)
        };
        // A file's tests together.
        let has_tests = || text.contains("#[test]") || text.contains("#[tokio::test");
        let is_shown = if test == "tests" { has_tests() } else { is_test(test) };
        assert!(is_shown, "{}: not in {source}", &found[0]);
        named += 1;
    }
    assert!(named > 50, "{named}");
    let whole =
        regex::Regex::new(r"(?:::|\b)((?:editor|neovim|readme|unsaved)_\w+|neovim|emacs|vscode)\b").unwrap();
    let mut files = 0;
    for found in whole.captures_iter(&list).filter(|found| !found[0].starts_with("::")) {
        let source = format!("tests/symd/{}.rs", &found[1]);
        assert!(root.join(&source).is_file(), "{source}");
        files += 1;
    }
    assert!(files > 50, "{files}");
}
