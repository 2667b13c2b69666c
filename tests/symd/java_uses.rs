//! What references says of Kotlin's declarations in Java files, against what javac resolves: `fixtures/jvm/uses.tsv`, which
//! benches/kotlin/javac writes. Without a language server.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{User, write};

/// A line of a file.
type Place = (String, u64);

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/jvm")
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to),
            false => write(&to, &std::fs::read_to_string(entry.path()).unwrap()),
        }
    }
}

/// Returns the lines of Java that use each declaration, by file and name path, imports left out.
fn truth() -> BTreeMap<(String, String), BTreeSet<Place>> {
    let table = std::fs::read_to_string(fixture().join("uses.tsv")).unwrap();
    let mut all: BTreeMap<(String, String), BTreeSet<Place>> = BTreeMap::new();
    for row in table.lines() {
        let [file, line, _, declared_in, _, path] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let number: usize = line.parse().unwrap();
        let text = std::fs::read_to_string(fixture().join(file)).unwrap();
        let is_import = text.lines().nth(number - 1).unwrap().starts_with("import ");
        let of = all.entry((declared_in.to_owned(), path.to_owned())).or_default();
        if !is_import {
            of.insert((file.to_owned(), line.parse().unwrap()));
        }
    }
    all
}

#[test]
fn uses_in_java_are_those_that_javac_resolves() {
    let user = User::new();
    copy(&fixture().join("shop"), &user.path("project/shop"));
    let (mut right, mut told, mut true_uses, mut complete) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    let mut wrong_and_complete = Vec::new();
    let truth = truth();
    for ((file, path), uses) in &truth {
        let arguments =
            json!({ "name_path": path, "relative_path": file, "format": "json", "limit": 100_000 });
        let answer = user.check(&["call", "references", &arguments.to_string()], 0);
        let answer: Value = serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{path}: {answer}"));
        let all = answer["references"].as_array().unwrap_or_else(|| panic!("{path}: {answer}"));
        let found: BTreeSet<Place> = all
            .iter()
            .filter(|one| one["role"] != "import" && one["path"].as_str().unwrap().ends_with(".java"))
            .map(|one| (one["path"].as_str().unwrap().to_owned(), one["line"].as_u64().unwrap()))
            .collect();
        let common = found.intersection(uses).count();
        (right, told, true_uses) = (right + common, told + found.len(), true_uses + uses.len());
        let is_complete = answer["complete"] == true;
        complete += usize::from(is_complete);
        if found != *uses {
            let missed: Vec<_> = uses.difference(&found).collect();
            let more: Vec<_> = found.difference(uses).collect();
            wrong.push(format!("{path}: missed {missed:?}, false {more:?}, complete: {is_complete}"));
            if is_complete {
                wrong_and_complete.push(path);
            }
        }
    }
    println!(
        "{} declarations, {true_uses} uses: {told} told, {right} right, {} exact, {complete} said complete\n{}",
        truth.len(),
        truth.len() - wrong.len(),
        wrong.join("\n")
    );
    assert!(true_uses > 150, "{true_uses} uses");
    assert!(
        wrong_and_complete.is_empty(),
        "said to be complete: {wrong_and_complete:?}\n{}",
        wrong.join("\n")
    );
    assert!(
        right * 100 >= told * 95 && right * 100 >= true_uses * 95,
        "{right} of {told} told, of {true_uses} uses"
    );
}
