//! The symbol tools of both toolsets through the real daemon: the contract's examples verbatim, its error
//! messages, and the output of `native`.

use crate::support::{User, write};

const MAIN: &str = "import os\nimport sys\n\ndef main():\n    print('Hello, world!')\n";
const CLASSES: &str = "\n\nclass MyClass:\n    def __init__(self):\n        pass\n";

fn project() -> User {
    let user = User::new();
    std::fs::create_dir(user.path("project/src")).unwrap();
    write(&user.path("project/src/main.py"), MAIN);
    write(&user.path("project/src/classes.py"), CLASSES);
    user
}

fn serena(user: &User, tool: &str, arguments: &str) -> String {
    user.check(&["call", "--toolset", "serena", tool, arguments], 0).trim_end_matches('\n').to_owned()
}

fn serena_fails(user: &User, tool: &str, arguments: &str) -> String {
    let output = user.run(&["call", "--toolset", "serena", tool, arguments]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim_end_matches('\n').to_owned()
}

#[test]
fn the_contracts_examples_of_find_symbol() {
    let user = project();
    let simple = r#"{"name_path_pattern": "main", "depth": 0, "relative_path": "", "include_body": false, "include_kinds": [], "exclude_kinds": [], "substring_matching": false, "max_answer_chars": -1}"#;
    assert_eq!(
        serena(&user, "find_symbol", simple),
        r#"[{"name_path": "main", "relative_path": "src/main.py", "kind": 12, "body_location": {"start_line": 3, "end_line": 4}}]"#
    );
    let with_children = r#"{"name_path_pattern": "MyClass", "depth": 1, "relative_path": "src", "include_body": true, "include_kinds": [5]}"#;
    assert_eq!(
        serena(&user, "find_symbol", with_children),
        r#"[{"name_path": "MyClass", "relative_path": "src/classes.py", "kind": 5, "body_location": {"start_line": 2, "end_line": 4}, "body": "class MyClass:\n    def __init__(self):\n        pass", "children": [{"name_path": "MyClass/__init__", "kind": 9, "body_location": {"start_line": 3, "end_line": 4}}]}]"#
    );
    assert_eq!(serena(&user, "find_symbol", r#"{"name_path_pattern": "nobody"}"#), "[]");
    assert_eq!(
        serena(&user, "get_symbols_overview", r#"{"relative_path": "src/main.py"}"#),
        r#"[{"name_path": "main", "relative_path": "src/main.py", "kind": 12, "body_location": {"start_line": 3, "end_line": 4}}]"#
    );
}

#[test]
fn parameters_and_locals_are_symbols_of_serena_and_not_of_native() {
    let user = project();
    write(&user.path("project/src/locals.py"), "def f(parameter):\n    local = parameter\n");
    let found = serena(&user, "find_symbol", r#"{"name_path_pattern": "f/local"}"#);
    assert!(found.contains(r#""kind": 13"#), "{found}");
    assert!(user.check(&["find", "f/local"], 0).starts_with("No symbols match."));
    let asked = r#"{"name_path_pattern": "f/parameter", "include_locals": true}"#;
    assert!(user.check(&["call", "find_symbol", asked], 0).contains("src/locals.py:1 var f/parameter"));
}

#[test]
fn bad_arguments_get_the_contracts_words() {
    let user = project();
    let cases = [
        (r#"{}"#, "Error: Missing required parameter 'name_path_pattern' (expected a string)"),
        (
            r#"{"name_path_pattern": 3}"#,
            "Error: Invalid parameter 'name_path_pattern': expected a string, got: 3",
        ),
        (r#"{"name_path_pattern": "x", "include_kinds": [99]}"#, "Error: Invalid symbol kind: 99"),
        (
            r#"{"name_path_pattern": "x", "relative_path": "/etc"}"#,
            "Path validation failed: Path must be relative, got: /etc",
        ),
        (
            r#"{"name_path_pattern": "x", "relative_path": "nowhere"}"#,
            "Path validation failed: Path does not exist: nowhere",
        ),
        (
            r#"{"name_path_pattern": "x", "relative_path": "../x"}"#,
            "Path validation failed: Path is outside the project: ../x",
        ),
    ];
    for (arguments, expected) in cases {
        assert_eq!(serena_fails(&user, "find_symbol", arguments), expected, "{arguments}");
    }
    assert_eq!(
        serena_fails(&user, "get_symbols_overview", r#"{"relative_path": "src"}"#),
        "Error: Expected a file path, but got a directory path: src"
    );
    let whole = serena(&user, "find_symbol", r#"{"name_path_pattern": "main"}"#).chars().count();
    let bounded = |chars: usize| format!(r#"{{"name_path_pattern": "main", "max_answer_chars": {chars}}}"#);
    serena(&user, "find_symbol", &bounded(whole));
    assert_eq!(
        serena_fails(&user, "find_symbol", &bounded(whole - 1)),
        format!(
            "The answer is too long ({whole} characters). Please try a more specific tool query or raise the max_answer_chars parameter."
        )
    );
}

#[test]
fn native_groups_by_file_and_says_what_it_counted() {
    let user = project();
    write(&user.path("project/src/more.py"), "class MyClass(Base):\n    x: int = 1\n");
    let found = user.check(&["find", "MyClass"], 0);
    let (list, footer) = found.trim_end().rsplit_once('\n').unwrap();
    assert_eq!(list, "src/\n classes.py:3-5 class MyClass\n more.py:1-2 class MyClass(Base)");
    assert!(footer.starts_with("[2 symbols; "), "{footer}");
    assert!(footer.ends_with("; complete]"), "{footer}");

    let body = user.check(&["find", "MyClass/__init__", "--body"], 0);
    assert!(
        body.contains("\n    def __init__(self):\n        pass\n"),
        "the body keeps its indentation: {body}"
    );
    let limited = r#"{"name_path_pattern": "MyClass", "limit": 10}"#;
    let limited = user.check(&["call", "find_symbol", limited], 0);
    assert!(limited.contains("incomplete: 1 of 2 shown; narrow with path, kinds"), "{limited}");
}

#[test]
fn a_long_list_writes_what_is_shared_once() {
    let user = project();
    let classes: String = (0..50).map(|n| format!("class C{n}:\n    def run(self): pass\n")).collect();
    write(&user.path("project/src/many.py"), &classes);
    let found = user.check(&["find", "run"], 0);
    assert!(found.starts_with("… is run\nsrc/many.py\n 2 method C0/…\n 4 method C1/…\n"), "{found}");
    assert!(found.contains("no signatures over 40 symbols"), "{found}");
}

#[test]
fn a_long_overview_shows_members_of_one_kind_on_shared_lines() {
    let user = project();
    let methods: String =
        (1..=40).map(|n| format!("    def run{n}(self):\n        pass\n")).collect::<String>();
    let more = "class After:\n    size = 1\n    def run(self):\n        pass\n";
    write(&user.path("project/src/many.py"), &format!("class Many:\n{methods}{more}"));
    let found = user.check(&["overview", "src/many.py"], 0);
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines[1], " 1-81 class Many", "{found}");
    assert!(lines[2].starts_with("  method run1 2-3, run2 4-5, ") && lines[2].len() < 130, "{found}");
    assert!(lines[3].starts_with("  method run"), "{found}");
    let shown = lines.iter().flat_map(|line| line.split(", ")).filter(|one| one.contains("run")).count();
    assert_eq!(shown, 41, "{found}");
    assert!(found.contains("\n  83 var size\n  84-85 method run\n[44 symbols; file revision "), "{found}");
    let short = user.check(&["call", "overview", r#"{"path": "src/many.py", "limit": 150}"#], 0);
    let first = short.lines().nth(2).unwrap().split(", ").count() + 1;
    assert!(
        short.contains("[44 symbols; ") && short.contains(&format!("the first {first} shown")),
        "{short}"
    );
}

#[test]
fn a_signature_that_all_have_is_written_once() {
    let user = project();
    let classes: String = (0..4)
        .map(|n| {
            format!("class C{n}:\n    def run(self, key, timeout=None): pass\n    def stop{n}(self): pass\n")
        })
        .collect();
    write(&user.path("project/src/many.py"), &classes);
    let found = user.check(&["find", "run"], 0);
    let expected = "signature of each: (self, key, timeout=None)\nsrc/many.py\n 2 method C0/run\n 5 method C1/run\n \
                    8 method C2/run\n 11 method C3/run\n[4 symbols; complete]\n";
    assert_eq!(found, expected);
    let two = user.check(&["call", "find_symbol", r#"{"name_path": ["C0/run", "C1/run"]}"#], 0);
    assert!(two.contains("2 method C0/run(self, key, timeout=None)\n"), "{two}");
}

#[test]
fn a_signature_of_several_lines_is_shown_on_one() {
    let user = project();
    let head = "def url_for(\n    endpoint: str,  # where to\n    *,\n    _anchor: str | None = None,\n    \
                **values: object,\n) -> str:\n    return endpoint\n";
    write(&user.path("project/src/helpers.py"), head);
    let expected = "url_for(endpoint: str, *, _anchor: str | None = None, **values: object) -> str";
    let found = user.check(&["find", "url_for"], 0);
    assert!(found.starts_with(&format!("src/helpers.py:1-7 function {expected}\n")), "{found}");
    let outlined = user.check(&["overview", "src/helpers.py"], 0);
    assert!(outlined.contains(&format!("\n 1-7 function {expected}\n")), "{outlined}");
    // Read from the file again when it has changed.
    write(&user.path("project/src/helpers.py"), &head.replace("_anchor", "_target"));
    assert!(user.check(&["find", "url_for"], 0).contains("*, _target: str"));

    let many: String = (0..12).map(|n| format!("    parameter_{n}: dict[str, int] = {{}},\n")).collect();
    write(&user.path("project/src/long.py"), &format!("def long(\n{many}) -> bytes: ...\n"));
    let line = user.check(&["find", "long"], 0).lines().next().unwrap().to_owned();
    let (_, signature) = line.split_once(" function long").unwrap();
    assert!(signature.starts_with("(dict[str, int], dict[str, int], "), "{signature}");
    assert!(signature.ends_with(", …) -> bytes") && signature.chars().count() <= 100, "{signature}");
    let json = user.check(&["call", "find_symbol", r#"{"name_path_pattern": "long", "format": "json"}"#], 0);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let full = json["symbols"][0]["signature"].as_str().unwrap();
    assert!(
        full.contains("parameter_0: dict[str, int] = {}, ")
            && full.ends_with("parameter_11: dict[str, int] = {}) -> bytes")
    );
}

#[test]
fn a_receiver_stands_before_the_name() {
    let user = project();
    write(&user.path("project/src/Call.kt"), "fun <T> List<T>.second(\n    times: Int,\n): T = this[1]\n");
    let found = user.check(&["find", "second"], 0);
    assert!(found.starts_with("src/Call.kt:1-3 function (List<T>) second<T>(times: Int): T\n"), "{found}");
    let json =
        user.check(&["call", "find_symbol", r#"{"name_path_pattern": "second", "format": "json"}"#], 0);
    assert!(json.contains(r#""receiver":"List<T>""#), "{json}");
}
