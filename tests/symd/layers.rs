//! The layers of ARCHITECTURE.md, held: a crate depends only on crates of lower rows, a module of the program uses only modules
//! of lower rows (or its own). That a crate uses nothing it does not depend on, the compiler holds.
#![allow(clippy::disallowed_methods)]

use std::path::{Path, PathBuf};

/// Layer and row. Layers of one row do not use each other.
const ROWS: [(&str, u8); 18] = [
    ("base", 1),
    ("config", 2),
    ("vfs", 2),
    ("syntax", 3),
    ("watch", 3),
    ("lsp", 4),
    ("install", 4),
    ("index", 4),
    ("edit", 4),
    ("parse", 5),
    ("resolve", 5),
    ("engine", 6),
    ("ops", 7),
    ("toolsets", 8),
    ("serve", 9),
    ("cli", 10),
    ("properties", 11),
    ("lib", 12),
];

fn row_of(module: &str) -> Option<u8> {
    ROWS.iter().find(|(known, _)| *known == module).map(|&(_, row)| row)
}

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("listed") {
        let path = entry.expect("read").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The top-level modules that a source file names by `crate::`.
fn used_modules(source: &str) -> Vec<String> {
    let code: String =
        source.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let mut used = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            // `use crate::{a::X, b::Y}`: the first word after `{` and after each comma of the outermost level.
            let mut depth = 0;
            let mut word = String::new();
            for character in group.chars() {
                match character {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => used.push(std::mem::take(&mut word)),
                    _ if depth == 0 => word.push(character),
                    _ => {}
                }
            }
            used.push(word);
        } else {
            used.push(rest.to_owned());
        }
    }
    let first_word = |text: String| -> String {
        text.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    used.into_iter().map(first_word).filter(|word| !word.is_empty()).collect()
}

/// The layers that a crate's manifest names under `[dependencies]`.
fn dependencies(manifest: &str) -> Vec<String> {
    let (_, rest) = manifest.split_once("\n[dependencies]\n").unwrap_or_default();
    let section = rest.split("\n[").next().unwrap_or_default();
    let layers = section.lines().filter_map(|line| line.strip_prefix("symd-"));
    layers.map(|line| line.chars().take_while(char::is_ascii_lowercase).collect()).collect()
}

#[test]
fn no_crate_depends_on_one_above_it() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    let mut upward = Vec::new();
    let mut layers = 0;
    for (layer, row) in ROWS {
        let Ok(manifest) = std::fs::read_to_string(crates.join(layer).join("Cargo.toml")) else { continue };
        layers += 1;
        for used in dependencies(&manifest) {
            if row_of(&used).is_none_or(|used_row| used_row >= row) {
                upward.push(format!("{layer} depends on {used}"));
            }
        }
    }
    assert!(layers > 2, "the crates were not found");
    assert!(upward.is_empty(), "upward dependencies:\n{}", upward.join("\n"));
}

#[test]
fn the_reader_of_manifests_sees_what_cargo_sees() {
    let manifest = "[package]\n\n[dependencies]\nserde.workspace = true\nsymd-base.workspace = true\n\n\
        [dev-dependencies]\nsymd-serve.workspace = true\n";
    assert_eq!(dependencies(manifest), ["base"]);
}

#[test]
fn no_module_uses_one_above_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.len() > 20, "the sources were not found");
    let mut upward = Vec::new();
    for file in files {
        let relative = file.strip_prefix(&root).expect("below src");
        let first = relative.components().next().expect("has one").as_os_str().to_string_lossy().into_owned();
        let module = first.trim_end_matches(".rs");
        if matches!(module, "main" | "lib") {
            continue;
        }
        let row = row_of(module)
            .unwrap_or_else(|| panic!("{module} stands in no row: add it to ROWS and ARCHITECTURE.md"));
        let source = std::fs::read_to_string(&file).expect("read");
        for used in used_modules(&source) {
            let Some(used_row) = row_of(&used) else { continue };
            if used != module && used_row >= row {
                upward.push(format!("{} uses {used}", relative.display()));
            }
        }
    }
    assert!(upward.is_empty(), "upward imports:\n{}", upward.join("\n"));
}

#[test]
fn the_reader_of_imports_sees_what_rust_sees() {
    let source =
        "use crate::base::X;\nuse crate::{engine::{A, B}, ops};\nlet x = crate::serve::y();\n// crate::cli";
    assert_eq!(used_modules(source), ["base", "engine", "ops", "serve"]);
}
