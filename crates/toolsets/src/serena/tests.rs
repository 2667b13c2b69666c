use serde_json::{Map, Value, json};

use super::answer::DEFAULT_MAX_ANSWER_CHARS;
use super::{files, search};
use crate::{Outcome, Reply};
use symd_base::Cancel;
use symd_files::scratch::Scratch;

fn map(value: Value) -> Map<String, Value> {
    value.as_object().expect("an object").clone()
}

fn call(scratch: &Scratch, tool: &str, arguments: Value) -> Reply {
    let (tree, arguments, cancel) = (scratch.tree(), map(arguments), Cancel::new());
    let max = DEFAULT_MAX_ANSWER_CHARS;
    match tool {
        "list_dir" => files::run_list_dir(&tree, &arguments, max, &cancel),
        "find_file" => files::run_find_file(&tree, &arguments, max, &cancel),
        "read_file" => files::run_read_file(&tree, &arguments, max),
        "search" => search::run_search_for_pattern(&tree, &arguments, max, &cancel),
        other => panic!("{other}"),
    }
}

fn text(scratch: &Scratch, tool: &str, arguments: Value) -> String {
    let reply = call(scratch, tool, arguments);
    assert_eq!(reply.outcome, Outcome::Done, "{}", reply.text);
    reply.text
}

fn failure(scratch: &Scratch, tool: &str, arguments: Value) -> String {
    let reply = call(scratch, tool, arguments);
    assert_eq!(reply.outcome, Outcome::Failed, "{}", reply.text);
    reply.text
}

const MAIN: &[u8] = b"import os\nimport sys\n\ndef main():\n    print('Hello, world!')\n";

#[test]
fn the_contracts_examples_of_read_file() {
    let scratch = Scratch::new(&[("src/main.py", MAIN)]);
    let whole =
        json!({"relative_path": "src/main.py", "start_line": 0, "end_line": null, "max_answer_chars": -1});
    assert_eq!(
        text(&scratch, "read_file", whole),
        "import os\nimport sys\n\ndef main():\n    print('Hello, world!')\n"
    );
    let range =
        json!({"relative_path": "src/main.py", "start_line": 2, "end_line": 4, "max_answer_chars": -1});
    assert_eq!(text(&scratch, "read_file", range), "\ndef main():\n    print('Hello, world!')");
}

#[test]
fn the_contracts_examples_of_list_dir_and_find_file() {
    let scratch = Scratch::new(&[
        ("src/main.py", b""),
        ("src/utils/__init__.py", b""),
        ("src/tests/.keep", b""),
        ("src/utils.py", b""),
    ]);
    std::os::unix::fs::symlink("tests", scratch.dir.path().join("src/linked")).expect("linked");
    let listed = json!({"relative_path": "src", "recursive": true, "skip_ignored_files": false, "max_answer_chars": -1});
    assert_eq!(
        text(&scratch, "list_dir", listed),
        "{\"dirs\": [\"src/linked\", \"src/tests\", \"src/utils\"], \
         \"files\": [\"src/main.py\", \"src/tests/.keep\", \"src/utils.py\", \"src/utils/__init__.py\"]}"
    );
    let missing = json!({"relative_path": "nonexistent", "recursive": false, "skip_ignored_files": false, "max_answer_chars": -1});
    let root = scratch.tree().files.path().display().to_string();
    assert_eq!(
        text(&scratch, "list_dir", missing),
        format!(
            "{{\"error\": \"Directory not found: nonexistent\", \"project_root\": \"{root}\", \
             \"hint\": \"Check if the path is correct relative to the project root\"}}"
        )
    );
    let found = json!({"file_mask": "*.py", "relative_path": "src"});
    assert_eq!(
        text(&scratch, "find_file", found),
        "{\"files\": [\"src/main.py\", \"src/utils.py\", \"src/utils/__init__.py\"]}"
    );
}

#[test]
fn the_contracts_example_of_search_for_pattern() {
    let scratch = Scratch::new(&[
        ("src/main.py", b"import os\n\ndef main():\n    print('Hello')\n"),
        ("src/utils.py", b"import os\n\ndef helper():\n    pass\n"),
        ("src/test_utils.py", b"def no(): pass"),
        ("src/notes.txt", b"def no(): pass"),
        ("tests/helper.py", b"def no(): pass"),
    ]);
    let arguments = json!({
        "substring_pattern": "def \\w+", "context_lines_before": 1, "context_lines_after": 1,
        "paths_include_glob": "*.py", "paths_exclude_glob": "*test*", "relative_path": "src",
        "restrict_search_to_code_files": true, "max_answer_chars": -1
    });
    assert_eq!(
        text(&scratch, "search", arguments),
        "{\"src/main.py\": [\"\\ndef main():\\n    print('Hello')\"], \"src/utils.py\": [\"\\ndef helper():\\n    pass\"]}"
    );
    assert_eq!(text(&scratch, "search", json!({"substring_pattern": "nothing like it"})), "{}");
}

#[test]
fn the_rulings_on_read_file() {
    let scratch = Scratch::new(&[
        ("f", b"a\r\nb\rc\n\xE2\x80\xA8d\n"),
        ("ignored/f", b""),
        ("bin", b"\0"),
        ("bom", b"\xEF\xBB\xBFx"),
        ("wide", b"\xFF\xFEx\0\n\0"),
        ("dir/f", b""),
    ]);
    scratch.fifo("fifo");
    scratch.link("/etc/passwd", "out");
    scratch.link("f", "in");
    let read = |path: &str, start: i64, end: Value| {
        call(&scratch, "read_file", json!({"relative_path": path, "start_line": start, "end_line": end}))
    };
    let done = |text: &str| Reply::done(text);
    assert_eq!(read("f", 0, Value::Null), done("a\r\nb\rc\n\u{2028}d\n"));
    assert_eq!(read("in", 0, json!(0)), done("a"));
    assert_eq!(read("f", 1, json!(99)), done("b\nc\n\u{2028}d"));
    assert_eq!(read("f", 3, Value::Null), done("\u{2028}d"));
    assert_eq!(read("f", 4, Value::Null), done(""));
    assert_eq!(read("f", 400, json!(1_i64 << 40)), done(""));
    assert_eq!(read("bom", 0, Value::Null), done("x"));
    assert_eq!(read("wide", 0, Value::Null), done("x\n"));
    for (path, start, end, expected) in [
        (
            "f",
            -1,
            Value::Null,
            "Error: Invalid parameter 'start_line': expected an integer that is not negative, got: -1",
        ),
        (
            "f",
            0,
            json!(-2),
            "Error: Invalid parameter 'end_line': expected an integer that is not negative, got: -2",
        ),
        ("f", 2, json!(1), "Error: start_line (2) must not be greater than end_line (1)"),
        ("/etc/passwd", 0, Value::Null, "Path validation failed: Path must be relative, got: /etc/passwd"),
        ("../f", 0, Value::Null, "Path validation failed: Path is outside the project: ../f"),
        ("out", 0, Value::Null, "Path validation failed: Path is outside the project: out"),
        ("./no", 0, Value::Null, "Path validation failed: Path does not exist: ./no"),
        ("f/x", 0, Value::Null, "Path validation failed: Path does not exist: f/x"),
        ("a\0b", 0, Value::Null, "Path validation failed: Path is not valid: a\\0b"),
        ("ignored/f", 0, Value::Null, "Path validation failed: Path is ignored: ignored/f"),
        ("dir", 0, Value::Null, "Error: Expected a file path, but got a directory path: dir"),
        ("bin", 0, Value::Null, "Error: bin is a binary file, it has no text to show"),
        ("fifo", 0, Value::Null, "IO error: fifo is a FIFO, not a regular file"),
    ] {
        assert_eq!(read(path, start, end), Reply::failed(expected), "{path:?}");
    }
    let long = "x".repeat(5000);
    assert!(
        failure(&scratch, "read_file", json!({"relative_path": long}))
            .starts_with("Path validation failed: ")
    );
}

#[test]
fn the_rulings_on_list_dir_and_find_file() {
    let scratch = Scratch::new(&[
        ("a.py", b""),
        ("ignored/b.py", b""),
        ("d/ignored", b""),
        (".git/config", b""),
        (".git/objects/x", b""),
        ("ä\"/ö.py", b""),
    ]);
    scratch.fifo("fifo");
    scratch.link("/etc", "out");
    scratch.link("nowhere", "broken");
    scratch.link("..", "d/up");
    scratch.link("../a.py", "d/in");
    let list = |arguments: Value| text(&scratch, "list_dir", arguments);
    assert_eq!(
        list(json!({"relative_path": ".", "recursive": true})),
        "{\"dirs\": [\".git\", \"d\", \"d/up\", \"ignored\", \"ä\\\"\"], \"files\": [\"a.py\", \"broken\", \
         \"d/ignored\", \"d/in\", \"fifo\", \"ignored/b.py\", \"out\", \"ä\\\"/ö.py\"]}"
    );
    assert_eq!(
        list(json!({"relative_path": "", "recursive": true, "skip_ignored_files": true})),
        "{\"dirs\": [\"d\", \"d/up\", \"ä\\\"\"], \"files\": [\"a.py\", \"broken\", \"d/in\", \"fifo\", \"out\", \"ä\\\"/ö.py\"]}"
    );
    assert_eq!(
        list(json!({"relative_path": ".git", "recursive": false})),
        "{\"dirs\": [\".git/objects\"], \"files\": [\".git/config\"]}"
    );
    assert!(list(json!({"relative_path": "a.py", "recursive": false})).contains("Directory not found: a.py"));
    assert_eq!(
        failure(&scratch, "list_dir", json!({"relative_path": "out", "recursive": false})),
        "Path validation failed: Path is outside the project: out"
    );
    assert_eq!(
        failure(&scratch, "list_dir", json!({"relative_path": "."})),
        "Error: Missing required parameter 'recursive' (expected a boolean)"
    );
    assert_eq!(
        text(&scratch, "find_file", json!({"file_mask": "?.py", "relative_path": "."})),
        "{\"files\": [\"a.py\", \"ä\\\"/ö.py\"]}"
    );
    assert_eq!(
        text(&scratch, "find_file", json!({"file_mask": "zzz", "relative_path": ""})),
        "{\"files\": []}"
    );
    for (mask, path, expected) in [
        ("*", "ignored", "Path validation failed: Path is ignored: ignored"),
        ("*", "a.py", "Error: Expected a directory path, but got a file path: a.py"),
        ("*", "nope", "Path validation failed: Path does not exist: nope"),
        (
            "[a",
            ".",
            "Regex error: Invalid glob '[a': a '[' is never closed (write '\\[' or '[[]' for the character itself)",
        ),
    ] {
        assert_eq!(
            failure(&scratch, "find_file", json!({"file_mask": mask, "relative_path": path})),
            expected
        );
    }
}

#[test]
fn answers_that_are_too_long_are_measured_exactly() {
    let many = "äb\"\\\n".repeat(300);
    let one_line = "\u{1}x".repeat(2000);
    let scratch = Scratch::new(&[("a", many.as_bytes()), ("b", one_line.as_bytes()), ("c", b"x\n\n\xFFb\n")]);
    for (pattern, before, after) in
        [("b", 0, 0), ("b", 2, 3), ("x", 0, 0), ("b.", 0, 5), ("x|b", 1, 1), (".", 0, 100_000)]
    {
        let ask = |max: i64| {
            call(
                &scratch,
                "search",
                json!({
                    "substring_pattern": pattern, "context_lines_before": before, "context_lines_after": after, "max_answer_chars": max
                }),
            )
        };
        let whole = ask(1 << 40);
        let length = whole.text.chars().count();
        let too_long = format!(
            "The answer is too long ({length} characters). Please try a more specific tool query or raise the max_answer_chars parameter."
        );
        for max in [1, 10, 200, 5000, length - 1] {
            if max < length {
                assert_eq!(
                    ask(i64::try_from(max).expect("fits")),
                    Reply::failed(too_long.clone()),
                    "{pattern} {max}"
                );
            }
        }
        assert_eq!(ask(i64::try_from(length).expect("fits")), whole);
    }
    let read = |max: Value| {
        call(&scratch, "read_file", json!({"relative_path": "a", "end_line": 1, "max_answer_chars": max}))
    };
    assert_eq!(read(json!(9)), Reply::done("äb\"\\\näb\"\\"));
    assert!(read(json!(8)).text.starts_with("The answer is too long (9 characters)."));
    assert_eq!(read(json!(0)), Reply::failed("Error: max_answer_chars must be positive or -1, got: 0"));
    assert_eq!(read(json!(-7)), Reply::failed("Error: max_answer_chars must be positive or -1, got: -7"));
    assert_eq!(
        read(json!("9")),
        Reply::failed("Error: Invalid parameter 'max_answer_chars': expected an integer, got: \"9\"")
    );
}

#[test]
fn bad_patterns_and_globs_are_errors() {
    let scratch = Scratch::new(&[("a", b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\n")]);
    for (arguments, start) in [
        (json!({}), "Error: Missing required parameter 'substring_pattern' (expected a string)"),
        (
            json!({"substring_pattern": 3}),
            "Error: Invalid parameter 'substring_pattern': expected a string, got: 3",
        ),
        (json!({"substring_pattern": ""}), "Error: The pattern is empty"),
        (json!({"substring_pattern": "("}), "Regex error: Invalid regular expression '(': "),
        (json!({"substring_pattern": "a", "paths_include_glob": "{a"}), "Regex error: Invalid glob '{a': "),
        (json!({"substring_pattern": "a", "paths_exclude_glob": "[a"}), "Regex error: Invalid glob '[a': "),
        (
            json!({"substring_pattern": "a", "context_lines_before": -1}),
            "Error: Invalid parameter 'context_lines_before': ",
        ),
        (
            json!({"substring_pattern": "a", "relative_path": "x"}),
            "Path validation failed: Path does not exist: x",
        ),
        (json!({"substring_pattern": r"^(a|a|aa)+(?=b)\1$"}), "Regex error: The pattern "),
    ] {
        let text = failure(&scratch, "search", arguments);
        assert!(text.starts_with(start), "{text}");
    }
}
