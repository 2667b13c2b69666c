//! A ceiling of the daemon's memory changes no answer, and the caches keep to it.

use crate::memory_status::{bytes, memory, once};
use crate::support::{User, write};

const FILES: usize = 8;
/// The lowest ceiling there is, in mebibytes: every daemon is above it.
const TINY: u64 = 1;

/// Makes Kotlin files of some 10 KB, whose parses take several times that.
fn project(config: &str) -> User {
    let user = User::with_config(config);
    write(&user.path("config/languages.toml"), "[[language]]\nname = \"kotlin\"\nlanguage-servers = []\n");
    let others: String = (0..150)
        .map(|number| format!("    fun other{number}(value: Int): Int {{ val twice = value * 2; return twice + {number} }}\n"))
        .collect();
    for number in 0..FILES {
        let next = (number + 1) % FILES;
        let text = format!(
            "package shop\n\nclass Shop{number} {{\n    fun open(hour: Int) = hour\n{others}}}\n\n\
             fun use{number}(one: Shop{number}, next: Shop{next}) = one.open(1) + next.open(2)\n"
        );
        write(&user.path(&format!("project/Shop{number}.kt")), &text);
    }
    user
}

/// Asks for the uses of each method `open`.
fn answers(user: &User) -> Vec<String> {
    (0..FILES).map(|number| user.check(&["refs", &format!("Shop{number}/open")], 0)).collect()
}

#[test]
fn a_tiny_ceiling_changes_no_answer_and_keeps_the_caches_small() {
    let (free, tight) = (project(""), project(&format!("memory_mb = {TINY}\n")));
    let expected = answers(&free);
    assert!(expected[0].contains("Shop0.kt:") && expected[0].contains("complete]"), "{}", expected[0]);
    assert_eq!(answers(&tight), expected);
    let (free, small) = (memory(&free), memory(&tight));
    let limit = bytes(&small, "caches_limit_bytes");
    assert!(((TINY << 20) / 16..TINY << 19).contains(&limit), "{small}");
    assert!(bytes(&small, "parses_bytes") + bytes(&small, "texts_bytes") <= limit, "{small}");
    assert!(bytes(&free, "parses_bytes") > limit, "the ceiling makes a difference: {free}");
    assert_eq!((bytes(&small, "ceiling_bytes"), bytes(&free, "times_let_go")), (TINY << 20, 0));
    once(&tight, |memory| bytes(memory, "times_let_go") > 0);
    assert_eq!(answers(&tight), expected, "after everything was let go of");
}

/// Past solutions that have nothing in common with each other.
const SOLUTIONS: usize = 400;

/// Imports past solutions, and searches them.
fn similar(user: &User) -> String {
    let lines: String = (0..SOLUTIONS)
        .map(|number| {
            let line = serde_json::json!({
                "errorDescription": format!("plug {number} is loose in shop {}", number * 7), "rootCause": "a cause",
                "solution": format!("fix {number}"), "language": "kotlin", "errorType": "IllegalStateException", "confidence": 0.9,
            });
            format!("{line}\n")
        })
        .collect();
    let mut import = user.symd();
    write(&user.path("solutions.jsonl"), &lines);
    let stdin = std::fs::File::open(user.path("solutions.jsonl")).unwrap();
    assert!(import.args(["solutions", "import"]).stdin(stdin).output().unwrap().status.success());
    search(user)
}

fn search(user: &User) -> String {
    let query = serde_json::json!({ "query": "plug 7 is loose in shop 49", "limit": 5 }).to_string();
    user.check(&["call", "--toolset", "kotlin_debug", "vector_search_db", &query], 0)
}

#[test]
fn vectors_of_past_solutions_are_let_go_of_and_read_again() {
    let (free, tight) = (project(""), project(&format!("memory_mb = {TINY}\n")));
    similar(&free);
    let expected = similar(&tight);
    assert!(expected.contains("\"solution\":\"fix "), "{expected}");
    assert!(bytes(&memory(&free), "vectors_bytes") > 0, "{}", memory(&free));
    // Each question is an occasion.
    once(&tight, |memory| {
        answers(&tight);
        bytes(memory, "vectors_bytes") == 0
    });
    assert_eq!(search(&tight), expected);
    assert!(bytes(&memory(&free), "vectors_bytes") > 0, "below the ceiling they stay");
}
