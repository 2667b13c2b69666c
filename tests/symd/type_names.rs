//! Checks the names of types: nouns of the domain, with one meaning each, so that a reader who finds a name
//! with `grep` knows what it is.
#![allow(clippy::disallowed_methods)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Words that do not describe a type.
const EMPTY_WORDS: [&str; 8] = ["Asked", "Foretold", "Found", "Gate", "Place", "Told", "Turn", "Wanted"];

/// Public types that still share a name. This list only gets shorter.
const STILL_SHARED: &[&str] = &[];

/// A type's name, whether it is public, and the package that declares it.
struct DeclaredType {
    name: String,
    is_public: bool,
    package: String,
}

fn sources(directory: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, all);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            all.push(path);
        }
    }
}

fn declared() -> Vec<DeclaredType> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = std::fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let declaration =
        regex::Regex::new(r"(?m)^\s*(pub(?:\([a-z]+\))? )?(?:struct|enum|trait|type|union) ([A-Z]\w*)")
            .unwrap();
    let mut all = Vec::new();
    for package in crates.chain([root.to_owned()]) {
        let name = package.file_name().unwrap().to_str().unwrap().to_owned();
        let mut files = Vec::new();
        if package.join("src").is_dir() {
            sources(&package.join("src"), &mut files);
        }
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            all.extend(declaration.captures_iter(&text).map(|found| DeclaredType {
                name: found[2].to_owned(),
                is_public: found.get(1).is_some_and(|word| word.as_str() == "pub "),
                package: name.clone(),
            }));
        }
    }
    assert!(all.len() > 1_000, "only {} types were found", all.len());
    all
}

#[test]
fn no_type_is_called_by_an_empty_word() {
    let all = declared();
    let empty: Vec<String> = all
        .iter()
        .filter(|one| EMPTY_WORDS.contains(&one.name.as_str()))
        .map(|one| format!("{} in {}", one.name, one.package))
        .collect();
    assert!(empty.is_empty(), "name what they are: {empty:?}");
}

#[test]
fn no_two_public_types_share_a_name() {
    let mut packages: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for one in declared().into_iter().filter(|one| one.is_public) {
        packages.entry(one.name).or_default().push(one.package);
    }
    let shared: BTreeSet<&str> =
        packages.iter().filter(|(_, packages)| packages.len() > 1).map(|(name, _)| name.as_str()).collect();
    let known: BTreeSet<&str> = STILL_SHARED.iter().copied().collect();
    let new: Vec<String> =
        shared.difference(&known).map(|name| format!("{name} in {:?}", packages[*name])).collect();
    let gone: Vec<&&str> = known.difference(&shared).collect();
    assert!(new.is_empty(), "public types that share a name:\n{}", new.join("\n"));
    assert!(gone.is_empty(), "take out of STILL_SHARED: {gone:?}");
}
