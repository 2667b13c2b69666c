//! The pages that map the code (ARCHITECTURE.md, CONTRIBUTING.md, docs/, decisions/) name modules, items and files that exist.
#![allow(clippy::disallowed_methods)]

use std::path::{Path, PathBuf};

use regex::Regex;

/// The most lines of ARCHITECTURE.md: a map is read in one sitting.
const MAP_LINES: usize = 250;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the pages with their texts, without fenced blocks.
fn pages() -> Vec<(PathBuf, String)> {
    let mut files: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].iter().map(|name| root().join(name)).collect();
    for directory in ["docs", "decisions"] {
        let entries = std::fs::read_dir(root().join(directory)).unwrap();
        files.extend(entries.map(|entry| entry.unwrap().path()));
    }
    files.sort();
    let fences = Regex::new(r"(?ms)^```.*?^```").unwrap();
    let text = |file: &PathBuf| std::fs::read_to_string(file).unwrap();
    files.iter().map(|file| (file.clone(), fences.replace_all(&text(file), "").into_owned())).collect()
}

/// Returns the text in backticks.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Expands `a::{b, c}` to `a::b` and `a::c`.
fn expanded(path: &str) -> Vec<String> {
    match path.split_once("::{") {
        Some((before, names)) => {
            names.trim_end_matches('}').split(", ").map(|name| format!("{before}::{name}")).collect()
        }
        None => vec![path.to_owned()],
    }
}

/// Whether `path`, `layer::module::item`, leads to a module, or to an item that its module declares or contains.
fn leads_somewhere(path: &str) -> bool {
    let mut segments = path.split("::");
    let Some(layer) = segments.next() else { return false };
    let source = match layer {
        "cli" => root().join("src/cli"),
        "properties" => root().join("src/properties"),
        layer => root().join("crates").join(layer).join("src"),
    };
    let mut module = source;
    let mut texts = [module.join("lib.rs"), module.join("mod.rs")].map(read).concat();
    for segment in segments {
        let (file, directory) = (module.join(format!("{segment}.rs")), module.join(segment));
        if file.is_file() || directory.is_dir() {
            texts = [file, directory.join("mod.rs")].map(read).concat();
            module = directory;
            continue;
        }
        let declared = Regex::new(&format!(r"\b{}\b", regex::escape(segment))).unwrap();
        if !declared.is_match(&texts) {
            return false;
        }
    }
    true
}

fn read(file: PathBuf) -> String {
    std::fs::read_to_string(file).unwrap_or_default()
}

#[test]
fn modules_and_items_that_pages_name_exist() {
    let path = Regex::new(r"^[a-z_]+(::[A-Za-z_]+)*(::\{[A-Za-z_, ]+\})?$").unwrap();
    let layers: Vec<String> = std::fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .chain(["cli".to_owned(), "properties".to_owned()])
        .collect();
    let mut wrong = Vec::new();
    let mut checked = 0;
    for (file, text) in pages() {
        for named in code(&text).filter(|named| named.contains("::") && path.is_match(named)) {
            for named in expanded(named) {
                if layers.iter().any(|layer| named.starts_with(&format!("{layer}::"))) {
                    checked += 1;
                    if !leads_somewhere(&named) {
                        wrong.push(format!("{}: {named}", file.display()));
                    }
                }
            }
        }
    }
    assert!(checked > 100, "only {checked} paths were found");
    assert!(wrong.is_empty(), "no such module or item:\n{}", wrong.join("\n"));
}

#[test]
fn files_and_pages_that_pages_name_exist() {
    let link = Regex::new(r"\]\(([^)#:]+)(?:#[^)]*)?\)").unwrap();
    let path =
        Regex::new(r"^(crates|src|tests|docs|benches|fixtures|grammars|fuzz|decisions)/[\w./-]+$").unwrap();
    let mut wrong = Vec::new();
    for (file, text) in pages() {
        let beside = file.parent().unwrap();
        let links = link.captures_iter(&text).map(|found| beside.join(&found[1]));
        let named = code(&text).filter(|named| path.is_match(named)).map(|named| root().join(named));
        let missing = links.chain(named).filter(|target| !target.exists());
        wrong.extend(missing.map(|target| format!("{}: {}", file.display(), target.display())));
    }
    assert!(wrong.is_empty(), "no such file:\n{}", wrong.join("\n"));
}

#[test]
fn every_decision_is_listed_and_the_map_is_short() {
    let list = read(root().join("decisions/README.md"));
    for entry in std::fs::read_dir(root().join("decisions")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            name == "README.md" || list.contains(&format!("({name})")),
            "{name} is not in decisions/README.md"
        );
    }
    let lines = read(root().join("ARCHITECTURE.md")).lines().count();
    assert!(lines <= MAP_LINES, "{lines} lines; move what is no map to docs/ or decisions/");
}
