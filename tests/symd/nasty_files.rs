//! A project in which every sixth file is one of `fixtures/hostile/files.tsv`: all other files are indexed,
//! and every answer is right while the nasty files are tried and afterwards. benches/nasty measures the cost.

use serde_json::{Value, json};

use crate::hostile_units::unescaped;
use crate::support::{User, Wire, call, stands_at, write};

/// The number of ordinary files.
const FILES: usize = 300;

/// How often the daemon is asked for all files to be listed; each time starts a process.
const MAX_LOOKS: usize = 5000;

/// (extension, text) of each kind of file; `NAME` is a placeholder for a name.
const TEXTS: [(&str, &str); 5] = [
    ("py", "class A:\n    def NAME(self):\n        return 1\n"),
    ("kt", "class A {\n    fun NAME() = 1\n}\n"),
    ("go", "package a\n\nfunc NAME() int { return 1 }\n"),
    ("ts", "export class A {\n  NAME(): number { return 1; }\n}\n"),
    ("rs", "impl A {\n    fn NAME() -> u8 { 1 }\n}\n"),
];

/// Returns the name that file `number` declares, its path and its line.
fn declared(number: usize) -> (String, String, usize) {
    let (extension, text) = TEXTS[number % TEXTS.len()];
    let line = 1 + text.lines().position(|line| line.contains("NAME")).unwrap();
    (format!("name_{number}"), format!("d{}/f{number}.{extension}", number % 7), line)
}

fn ask(wire: &mut Wire, id: usize, tool: &str, arguments: Value) -> String {
    let answer = wire.ask(&call(u64::try_from(id).unwrap(), tool, arguments));
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// Asks for each file's symbol: it is at its place, and the answer names what may be missing.
fn assert_answers(wire: &mut Wire, nasty: &[String]) {
    for number in 0..FILES {
        let (name, path, line) = declared(number);
        let found = ask(wire, number, "find_symbol", json!({ "name_path_pattern": name }));
        assert!(stands_at(&found, &format!("{path}:{line}")), "{name}: {found}");
        assert!(found.contains("[1 symbol"), "{name}: {found}");
        let missing = found.split_once("incomplete: ").map(|(_, missing)| missing);
        let is_named = missing.is_none_or(|missing| nasty.iter().any(|path| missing.contains(path.as_str())));
        assert!(is_named, "{name}: {found}");
    }
    let missed = ask(wire, FILES, "find_symbol", json!({ "name_path_pattern": "name_that_is_nowhere" }));
    assert!(missed.contains("No symbol"), "{missed}");
}

#[test]
fn sixty_nasty_files_hide_no_other() {
    let user = User::new();
    for number in 0..FILES {
        let (name, path, _) = declared(number);
        let path = user.path("project").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        write(&path, &TEXTS[number % TEXTS.len()].1.replace("NAME", &name));
    }
    let table = include_str!("../../fixtures/hostile/files.tsv");
    let rows: Vec<&str> = table.lines().filter(|line| !line.starts_with("##")).collect();
    assert_eq!(rows.len(), 60);
    let mut nasty = Vec::new();
    for (number, row) in rows.into_iter().enumerate() {
        let columns: Vec<&str> = row.split('\t').collect();
        let path = format!("d{}/nasty{number}.{}", number % 7, columns[0]);
        write(&user.path("project").join(&path), &unescaped(columns[1]).repeat(columns[2].parse().unwrap()));
        nasty.push(path);
    }
    let mut wire = user.connect();
    wire.initialize();
    assert_answers(&mut wire, &nasty);
    // Each answer waited only for the files that it needs. Each look at the others ends by itself.
    let mut status = user.status();
    for _ in 0..MAX_LOOKS {
        if status["files"] == FILES + nasty.len() {
            break;
        }
        status = user.status();
    }
    assert_eq!(status["files"], FILES + nasty.len(), "{status}");
    assert_eq!(status["skipped"]["unreadable"], 0, "{status}");
    // A changed file is seen as usual, and a repaired one is like the others.
    let (name, path, _) = declared(0);
    write(&user.path("project").join(&path), "def changed_name(): pass\n");
    write(&user.path("project").join(&nasty[0]), "fun healed() = 1\n");
    let found = ask(&mut wire, 1, "find_symbol", json!({ "name_path_pattern": "changed_name" }));
    assert!(stands_at(&found, &format!("{path}:1")), "{found}");
    let found = ask(&mut wire, 2, "find_symbol", json!({ "name_path_pattern": "healed" }));
    assert!(stands_at(&found, &format!("{}:1", nasty[0])), "{found}");
    let gone = ask(&mut wire, 3, "find_symbol", json!({ "name_path_pattern": name }));
    assert!(gone.contains("No symbol"), "{gone}");
}
