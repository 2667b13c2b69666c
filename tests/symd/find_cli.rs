//! The output of `symd find` and `symd overview` for people: matches, and what is said when there are none.

use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use serde_json::json;

use crate::lsp_stage::fifo;
use crate::support::{User, open_terminal, terminal, write};

fn rust_project() -> User {
    let user = User::new();
    std::fs::create_dir_all(user.path("project/src")).unwrap();
    write(&user.path("project/src/a.rs"), "pub fn run() {}\n");
    write(
        &user.path("project/src/size.rs"),
        "pub struct Size(u8);\n\nimpl Size {\n    /// Runs.\n    pub fn run(&self) {}\n}\n",
    );
    user
}

#[test]
fn a_question_that_nothing_matches_shows_where_the_name_is() {
    let user = rust_project();
    let text = user.check(&["find", "Wrong/run"], 0);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "No symbols match. Symbols with this name elsewhere:", "{text}");
    assert_eq!(lines[1], "src/a.rs:1 function run", "{text}");
    assert_eq!(lines[2], "src/size.rs:5 method impl Size/run", "{text}");
    // The more likely one first, whatever its path.
    let likelier = user.check(&["find", "impl Size/Wrong/run"], 0);
    assert!(likelier.contains("elsewhere:\nsrc/size.rs:5 method impl Size/run\n"), "{likelier}");
    assert!(lines[3].starts_with("[0 symbols;") && lines.len() == 4, "{text}");
    let elsewhere = user.check(&["find", "Size", "--in", "src/a.rs"], 0);
    assert!(elsewhere.contains("\nsrc/size.rs:1 struct Size\n"), "{elsewhere}");
    assert!(user.check(&["find", "nothing_like_it"], 0).starts_with("No symbols match.\n"));
}

#[test]
fn names_that_are_put_together_show_no_text_from_the_next_line() {
    let user = rust_project();
    let text = user.check(&["overview", "src/size.rs"], 0);
    assert!(text.contains("\n 3-6 object impl Size\n  5 method run(&self)"), "{text}");
}

#[test]
fn what_the_index_does_not_hold_is_not_said_to_have_no_symbols() {
    let user = rust_project();
    let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, user.path(name)).unwrap();
    link("src", "project/linked");
    link("src/a.rs", "project/b.rs");
    write(&user.path("project/.gitignore"), "out/\n");
    std::fs::create_dir_all(user.path("project/out")).unwrap();
    std::fs::create_dir_all(user.path("project/empty")).unwrap();
    write(&user.path("project/out/c.rs"), "fn run() {}\n");
    let find = |place: &str| format!(r#"{{"name_path_pattern": "run", "relative_path": "{place}"}}"#);
    for place in ["linked", "b.rs"] {
        let text = user.check(&["call", "find_symbol", &find(place)], 1);
        assert!(text.contains("reached through a link"), "{text}");
    }
    let text = user.check(&["call", "get_symbols_overview", r#"{"relative_path": "b.rs"}"#], 1);
    assert!(text.contains("reached through a link"), "{text}");
    for place in ["out", "out/c.rs"] {
        let text = user.check(&["call", "find_symbol", &find(place)], 1);
        assert!(text.contains("Path is ignored: out"), "{text}");
    }
    assert!(user.check(&["call", "find_symbol", &find("empty")], 0).starts_with("No symbols match."));
}

/// Reads what a terminal shows until that is enough, or its last writer has closed it: then reads fail.
fn read_until(terminal: &mut impl Read, seen: &mut Vec<u8>, is_enough: impl Fn(&[u8]) -> bool) {
    let mut some = [0; 4096];
    while !is_enough(seen)
        && let Ok(count @ 1..) = terminal.read(&mut some)
    {
        seen.extend_from_slice(&some[..count]);
    }
}

#[test]
fn a_terminal_shows_a_line_for_as_long_as_an_answer_takes() {
    let user = User::new();
    user.settles("[policy]\nserena = \"allow\"\n");
    write(&user.path("project/a.py"), "def run(): pass\n");
    let gate = fifo(&user.path("gate"));
    let command = format!("read -r line < '{gate}' && echo \"$line\"");
    let (mut master, name) = terminal();
    let mut child = user
        .symd()
        .args(["call", "--toolset", "serena", "execute_shell_command"])
        .arg(json!({ "command": command }).to_string())
        // Without it nothing is drawn.
        .env("TERM", "xterm")
        .stdout(Stdio::piped())
        .stderr(open_terminal(&name))
        .spawn()
        .unwrap();
    let shown = b"1 files, 1 symbols indexed";
    let mut seen = Vec::new();
    read_until(&mut master, &mut seen, |seen| seen.windows(shown.len()).any(|part| part == shown));
    write(Path::new(&gate), "released\n");
    let mut rest = Vec::new();
    read_until(&mut master, &mut rest, |_| false);
    let mut answer = String::new();
    child.stdout.take().unwrap().read_to_string(&mut answer).unwrap();
    assert!(child.wait().unwrap().success() && answer.contains("released"), "{answer}");
    const CLEARED: &[u8] = b"\x1b[2K";
    assert!(rest.windows(CLEARED.len()).any(|part| part == CLEARED), "{}", rest.escape_ascii());
}

#[test]
fn a_terminal_shows_what_would_steer_it_and_a_pipe_gets_it() {
    let user = User::new();
    let evil = "\u{1b}]0;owned\u{7}\u{202e}";
    write(&user.path("project/a.rs"), &format!("fn run() {{}} // {evil}\n"));
    std::fs::create_dir_all(user.path("project/\u{1b}[2J")).unwrap();
    write(&user.path("project/\u{1b}[2J/b.rs"), "fn run() {}\n");
    let piped = user.check(&["search", "run"], 0);
    assert!(piped.contains(evil) && piped.contains("\\u{1b}[2J/b.rs"), "{piped:?}");
    let (mut master, name) = terminal();
    let mut child = user.symd().args(["search", "run"]).stdout(open_terminal(&name)).spawn().unwrap();
    let mut seen = Vec::new();
    read_until(&mut master, &mut seen, |_| false);
    assert!(child.wait().unwrap().success());
    let seen = String::from_utf8(seen).unwrap();
    assert!(seen.contains("\\u{1b}]0;owned\\u{7}\\u{202e}") && seen.contains("\\u{1b}[2J/b.rs"), "{seen:?}");
    assert!(!seen.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{seen:?}");
}

fn shop() -> User {
    let user = User::new();
    let files = [
        (
            "core/engine.py",
            "class Engine:\n    def start(self): pass\n    def stop(self): pass\n\n\nLIMIT = 3\n\n\ndef boot(x=0):\n    Engine()\ndef boot():\n    pass\n",
        ),
        (
            "core/util.py",
            "def one(): pass\ndef two(): pass\ndef three(): pass\ndef four(): pass\ndef five(): pass\ndef six(): pass\n",
        ),
        ("core/empty.py", "import os\n"),
        ("web/app.py", "from core.engine import Engine\n\napp = Engine()\n"),
        (
            "web/deep/page.py",
            "from core.engine import Engine, boot\n\n\nclass Page(Engine): pass\n\n\nboot()\n",
        ),
        ("main.py", "from core.engine import Engine\n\n\ndef main():\n    Engine().start()\n"),
    ];
    for (path, text) in files {
        let path = user.path(&format!("project/{path}"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        write(&path, text);
    }
    user
}

#[test]
fn an_overview_of_the_project_begins_with_what_is_used_most() {
    let user = shop();
    let text = user.check(&["overview"], 0);
    let (list, footer) = text.trim_end().rsplit_once('\n').unwrap();
    assert_eq!(
        list,
        "core/ 2 files, 12 symbols\nweb/ 2 files, 2 symbols\n\
         core/engine.py (6): class Engine 1-3, function boot ×2 9-10, const LIMIT 6\n\
         core/util.py (6): function one 1, function two 2, function three 3, function four 4, function five 5, function six 6\n\
         main.py (1): function main 4-5\nweb/app.py (1): var app 3\nweb/deep/page.py (1): class Page 4"
    );
    assert!(footer.starts_with("[15 symbols in 5 files; "), "{footer}");
    assert!(footer.ends_with("; 1 more file without symbols; complete]"), "{footer}");
    let all = user.check(&["call", "get_symbols_overview", "{}"], 0);
    assert_eq!(all, text, "the project is what is meant when nothing is said");
}

#[test]
fn an_overview_of_a_directory_has_its_files_only() {
    let user = shop();
    for place in ["web", "web/", "./web"] {
        let text = user.check(&["overview", place], 0);
        assert!(
            text.starts_with("web/app.py (1): var app 3\nweb/deep/page.py (1): class Page 4\n["),
            "{place}: {text}"
        );
    }
    write(&user.path("project/.gitignore"), "out/\n");
    std::fs::create_dir(user.path("project/out")).unwrap();
    std::fs::create_dir(user.path("project/none")).unwrap();
    assert!(user.check(&["overview", "out"], 1).contains("Path is ignored: out"));
    assert!(user.check(&["overview", "nowhere"], 1).contains("Path does not exist: nowhere"));
    assert!(user.check(&["overview", "none"], 0).starts_with("No symbols.\n[0 symbols in 0 files;"));
    let json = r#"{"relative_path": "core", "format": "json"}"#;
    let json: serde_json::Value =
        serde_json::from_str(&user.check(&["call", "get_symbols_overview", json], 0)).unwrap();
    assert_eq!(json["files"][0]["path"], "core/engine.py", "{json}");
    assert_eq!(json["files"][0]["top_level"][0]["name_path"], "Engine", "{json}");
    assert_eq!((&json["complete"], &json["files_without_symbols"]), (&true.into(), &1.into()), "{json}");
}

#[test]
fn an_overview_keeps_to_the_limit_and_says_what_it_left_out() {
    let user = shop();
    let within = |limit: usize| {
        let asked = format!(r#"{{"limit": {limit}}}"#);
        user.check(&["call", "get_symbols_overview", &asked], 0)
    };
    let fewer = within(290);
    assert!(
        fewer.contains("core/util.py (6): function one 1, function two 2, function three 3 +3\n"),
        "{fewer}"
    );
    assert!(fewer.contains("web/deep/page.py") && fewer.contains("incomplete: +n: n more"), "{fewer}");
    let least = within(130);
    assert!(least.contains("\ncore/engine.py (6): ") && !least.contains("core/util.py"), "{least}");
    assert!(
        least.contains("incomplete: the 1 most important files shown, 4 files with 9 symbols left out;"),
        "{least}"
    );
    let (list, _) = least.trim_end().rsplit_once('\n').unwrap();
    assert!(list.chars().count() <= 130, "{list}");
}

#[test]
fn an_overview_says_what_it_could_not_look_into() {
    let user = shop();
    assert!(user.check(&["overview", "core"], 0).contains("; complete]"));
    write(&user.path("project/core/odd.py"), "def odd(): pass\n\0\n");
    let text = user.check(&["overview", "core"], 0);
    assert!(
        text.contains("; incomplete: 1 file with NUL bytes, which cannot be parsed: core/odd.py"),
        "{text}"
    );
    assert!(text.contains("core/engine.py (6)"), "{text}");
    write(&user.path("project/core/odd.py"), "def odd(:\n    pass )\n");
    let text = user.check(&["overview", "core"], 0);
    assert!(
        text.contains("; incomplete: 1 file with syntax errors, symbols may be missing: core/odd.py"),
        "{text}"
    );
    assert!(user.check(&["overview", "web"], 0).contains("; complete]"));
}
