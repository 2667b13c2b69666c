//! Checks the layers of ARCHITECTURE.md: a crate depends only on crates of lower rows. The compiler ensures
//! that it uses nothing else; the program, which is the root package, may use all layers.
#![allow(clippy::disallowed_methods)]

use std::path::Path;

/// (layer, row); layers in the same row do not use each other.
const ROWS: [(&str, u8); 26] = [
    ("sys", 0),
    ("base", 1),
    ("config", 2),
    ("vfs", 2),
    ("fetch", 2),
    ("git", 2),
    ("rpc", 2),
    ("syntax", 3),
    ("watch", 3),
    ("docsearch", 4),
    ("knowledge", 4),
    ("lsp", 4),
    ("install", 4),
    ("index", 4),
    ("edit", 4),
    ("types", 4),
    ("parse", 5),
    ("resolve", 5),
    ("engine", 6),
    ("files", 6),
    ("rewrite", 7),
    ("shell", 7),
    ("ops", 8),
    ("toolsets", 9),
    ("ide", 10),
    ("serve", 11),
];

/// Packages in `crates/` that are not layers.
const OTHERS: [&str; 1] = ["unrun"];

fn row_of(layer: &str) -> Option<u8> {
    ROWS.iter().find(|(known, _)| *known == layer).map(|&(_, row)| row)
}

/// Returns the layers that a crate's manifest lists under `[dependencies]`.
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
    for entry in std::fs::read_dir(&crates).expect("listed") {
        let layer = entry.expect("read").file_name().into_string().expect("a name");
        if OTHERS.contains(&layer.as_str()) {
            continue;
        }
        let row = row_of(&layer)
            .unwrap_or_else(|| panic!("{layer} is in no row: add it to ROWS and ARCHITECTURE.md"));
        let manifest = std::fs::read_to_string(crates.join(&layer).join("Cargo.toml")).expect("a manifest");
        layers += 1;
        for used in dependencies(&manifest) {
            if row_of(&used).is_none_or(|used_row| used_row >= row) {
                upward.push(format!("{layer} depends on {used}"));
            }
        }
    }
    assert_eq!(layers, ROWS.len(), "a layer of ROWS is no crate");
    assert!(upward.is_empty(), "upward dependencies:\n{}", upward.join("\n"));
}

#[test]
fn the_reader_of_manifests_sees_what_cargo_sees() {
    let manifest = "[package]\n\n[dependencies]\nserde.workspace = true\nsymd-base.workspace = true\n\n\
        [dev-dependencies]\nsymd-serve.workspace = true\n";
    assert_eq!(dependencies(manifest), ["base"]);
}
