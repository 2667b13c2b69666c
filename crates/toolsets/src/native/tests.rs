use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{files, search};
use crate::{Client, Outcome};
use symd_base::Cancel;
use symd_files::scratch::Scratch;

fn call(scratch: &Scratch, tool: &str, arguments: Value) -> String {
    let (tree, cancel) = (scratch.tree(), Cancel::new());
    let arguments: Map<String, Value> = arguments.as_object().expect("an object").clone();
    let reply = match tool {
        "list_dir" => files::run_list_dir(&tree, &arguments, &cancel),
        "find_file" => files::run_find_file(&tree, &arguments, &cancel),
        "read_file" => files::run_read_file(&tree, &arguments, &Client::default()),
        "search" => search::run_search_for_pattern(&tree, &arguments, &BTreeMap::new(), &cancel),
        other => panic!("{other}"),
    };
    if reply.outcome == Outcome::Done { reply.text } else { format!("FAILED {}", reply.text) }
}

#[test]
fn files_are_read_by_lines_from_one() {
    let scratch = Scratch::new(&[("d/f", b"one\r\ntwo\nthree")]);
    let revision = symd_base::ContentHash::of(b"one\r\ntwo\nthree").short();
    let read = |arguments: Value| call(&scratch, "read_file", arguments).replace(&revision, "R");
    assert_eq!(read(json!({"relative_path": "d/f"})), "[d/f: lines 1-3 of 3; revision R]\none\r\ntwo\nthree");
    assert_eq!(
        read(json!({"relative_path": "d/f", "start_line": 2, "end_line": 2})),
        "[d/f: lines 2-2 of 3; revision R]\ntwo\n"
    );
    assert_eq!(
        read(json!({"relative_path": "d/f", "limit": 9})),
        "[d/f: lines 1-2 of 3; revision R; cut at 9 characters, read on with start_line 3]\none\r\ntwo\n"
    );
    assert_eq!(
        read(json!({"relative_path": "d/f", "start_line": 3, "limit": 2})),
        "[d/f: the first 2 characters of line 3 of 3; revision R; raise limit to read on]\nth"
    );
    assert_eq!(
        read(json!({"relative_path": "d/f", "start_line": 4})),
        "[d/f: nothing, the file has 3 lines; revision R]\n"
    );
    assert!(
        read(json!({"relative_path": "d/f", "start_line": 0}))
            .starts_with("FAILED Invalid parameter 'start_line'")
    );
    assert_eq!(read(json!({"relative_path": "nope"})), "FAILED Path does not exist: nope");
}

#[test]
fn lists_say_what_they_leave_out() {
    let scratch = Scratch::new(&[("d/f", b""), ("e", b""), ("ignored/x", b"")]);
    assert_eq!(call(&scratch, "list_dir", json!({})), "d/\ne\n[1 directory, 1 file]");
    assert_eq!(
        call(&scratch, "list_dir", json!({"recursive": true, "limit": 5})),
        "d/\n[1 directory, 2 files; the first 1 of 3 shown: list a directory beneath it, or raise limit]"
    );
    assert_eq!(call(&scratch, "list_dir", json!({"relative_path": "x"})), "FAILED Directory not found: x");
    assert_eq!(call(&scratch, "find_file", json!({"file_mask": "f"})), "d/f\n[1 file]");
    assert!(
        call(&scratch, "find_file", json!({"file_mask": "d/*"}))
            .starts_with("[0 files; file_mask is matched")
    );
}

#[test]
fn matches_are_grouped_by_file() {
    let scratch = Scratch::new(&[
        ("a", b"1\nx x\n3\n4\n5\nx\n7\nx\n9\n"),
        ("b", b"x\0"),
        ("c", format!("x{}\n", "y".repeat(400)).as_bytes()),
    ]);
    assert_eq!(
        call(&scratch, "search", json!({"substring_pattern": "x", "relative_path": "a"})),
        "a\n 2: x x\n 6: x\n 8: x\n[4 matches in 1 of 1 file on disk]"
    );
    assert_eq!(
        call(
            &scratch,
            "search",
            json!({"substring_pattern": "x", "context_lines_before": 1, "context_lines_after": 1, "relative_path": "a"})
        ),
        "a\n 1- 1\n 2: x x\n 3- 3\n --\n 5- 5\n 6: x\n 7- 7\n 8: x\n 9- 9\n[4 matches in 1 of 1 file on disk]"
    );
    let all = call(&scratch, "search", json!({"substring_pattern": "x"}));
    assert!(all.contains(&format!("c\n 1: x{}…\n", "y".repeat(299))), "{all}");
    assert!(all.ends_with("[5 matches in 2 of 2 files on disk; 1 binary left out]"), "{all}");
    assert_eq!(
        call(&scratch, "search", json!({"substring_pattern": "x", "limit": 20})),
        "a\n 2: x x\n 6: x\n[5 matches in 2 of 2 files on disk; 1 binary left out; \
         cut at 20 characters in file 1 of 2: narrow it with path or glob, or raise limit]"
    );
    assert_eq!(
        call(&scratch, "search", json!({"substring_pattern": "zzz"})),
        "[0 matches in 0 of 2 files on disk; 1 binary left out]"
    );
    let json: Value =
        serde_json::from_str(&call(&scratch, "search", json!({"substring_pattern": "3", "format": "json"})))
            .expect("JSON");
    assert_eq!(
        json["files"],
        json!([{"path": "a", "matches": 1, "lines": [{"line": 3, "match": true, "text": "3"}]}])
    );
    assert_eq!((&json["total_matches"], &json["truncated"]), (&json!(1), &json!(false)));
}

#[test]
fn matches_keep_to_the_limit_in_every_form() {
    let text = |salt: &str| (0..200).map(|line| format!("{salt}\"{line}\n")).collect::<String>();
    let scratch = Scratch::new(&[("a", text("é").as_bytes()), ("d/b", text("\t\\").as_bytes())]);
    let cases = [
        json!({"substring_pattern": "7"}),
        json!({"substring_pattern": "7", "context_lines_after": 1}),
        json!({"substring_pattern": "7", "format": "json"}),
    ];
    for case in cases {
        for limit in [1, 20, 100, 500, 1000, 2000] {
            let mut arguments = case.clone();
            arguments["limit"] = json!(limit);
            let answer = call(&scratch, "search", arguments);
            let cut = answer.contains("cut at") || answer.contains("\"truncated\":true");
            // The limit does not include the counts.
            let shown = match serde_json::from_str::<Value>(&answer) {
                Ok(json) => json["files"].to_string().chars().count(),
                Err(_) => answer.rsplit_once("\n[").map_or(0, |(lines, _)| lines.chars().count()),
            };
            assert!(shown <= limit + 2, "{case} {limit}: {shown} characters\n{answer}");
            assert!(limit < 100 || shown > limit - 100 || !cut, "{case} {limit}: only {shown}\n{answer}");
        }
    }
}
