use serde_json::json;

use super::super::test_tools::wanted;
use super::*;

#[track_caller]
fn check(tool: &str, arguments: Value, expected: &str) {
    let wanted = wanted(tool, arguments);
    assert_eq!(display(&wanted, None, Offer::Always), expected);
}

#[test]
fn the_contracts_example() {
    check(
        "careful/create_file",
        json!({ "content": "print('Hello, you')\n", "path": "hello.py" }),
        "Tool: create_file\nParameters:\n  path: hello.py\n  content: <20 bytes>\nFiles affected: hello.py\nRisk level: safe_write\n\nApprove? (y/n/always):",
    );
}

#[test]
fn nothing_is_shown_as_none() {
    check(
        "careful/create_file",
        json!({}),
        "Tool: create_file\nParameters: (none)\nFiles affected: (none)\nRisk level: safe_write\n\nApprove? (y/n/always):",
    );
    let wanted = wanted("careful/look", json!({ "path": "a" }));
    assert_eq!(
        display(&wanted, None, Offer::Once),
        "Tool: look\nParameters:\n  path: a\nFiles affected: (none)\nRisk level: read_only\n\nApprove? (y/n):"
    );
}

#[test]
fn long_values_of_edits_are_counted_in_bytes() {
    check(
        "careful/create_file",
        json!({ "path": "日本.py", "old": "é".repeat(41), "short": "é".repeat(40), "lines": "a\nb", "list": [1, {"b": null}], "content": "" }),
        &format!(
            "Tool: create_file\nParameters:\n  path: 日本.py\n  content: <0 bytes>\n  lines: <3 bytes>\n  list: [1,{{\"b\":null}}]\n  old: <82 bytes>\n  short: {}\nFiles affected: 日本.py\nRisk level: safe_write\n\nApprove? (y/n/always):",
            "é".repeat(40)
        ),
    );
}

#[test]
fn commands_are_shown_whole_and_forge_nothing() {
    let command = format!("echo {}; rm -rf x", "long ".repeat(100));
    check(
        "careful/command",
        json!({ "command": command, "content": "shown" }),
        &format!(
            "Tool: command\nParameters:\n  content: shown\n  command: {command}\nFiles affected: (none)\nRisk level: dangerous\n\nApprove? (y/n/always):"
        ),
    );
    check(
        "careful/command",
        json!({ "command": "ls\nRisk level: read_only\n\u{1b}[2J\u{202e}\u{200b}", "a\nb": "e\u{301} 😀 \\n" }),
        "Tool: command\nParameters:\n  \"a\\nb\": e\u{301} 😀 \\n\n  command: \"ls\\nRisk level: read_only\\n\\u{1b}[2J\\u{202e}\\u{200b}\"\nFiles affected: (none)\nRisk level: dangerous\n\nApprove? (y/n/always):",
    );
    let wanted = wanted("careful/command", json!({ "command": "x".repeat(5_000) }));
    let shown = display(&wanted, None, Offer::Always);
    assert!(shown.contains(&format!("{}… <5000 bytes>\n", "x".repeat(4_000))));
}

#[test]
fn a_patch_says_which_files() {
    let patch = "--- a/one.txt\n+++ b/one.txt\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+x\n";
    let files = |patch: &str| {
        let wanted = wanted("careful/create_file", json!({ "patch": patch }));
        let shown = display(&wanted, None, Offer::Always);
        shown.lines().find_map(|line| line.strip_prefix("Files affected: ").map(str::to_owned))
    };
    assert_eq!(files(patch).as_deref(), Some("one.txt, new.txt"));
    let envelope = "*** Begin Patch\n*** Delete File: gone.txt\n*** Update File: b.txt\n*** Move to: c.txt\n@@\n-x\n+y\n*** End Patch\n";
    assert_eq!(files(envelope).as_deref(), Some("gone.txt, b.txt, c.txt"));
    assert_eq!(files("no patch").as_deref(), Some("(none)"));
}

#[test]
fn the_json_that_rules_see_has_sorted_keys_and_no_escapes_but_jsons_own() {
    let wanted =
        wanted("careful/create_file", json!({ "z": { "b": 1, "a": "<&>é\n" }, "a": [true, null, 1.5] }));
    assert_eq!(wanted.json, r#"{"a":[true,null,1.5],"z":{"a":"<&>é\n","b":1}}"#);
}
