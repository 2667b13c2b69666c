//! `symd find` and `symd overview` as people read them: what is said of what was found, and of what was not.

use std::io::Read;

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
    assert_eq!(lines[0], "No symbols match. The name as such exists:", "{text}");
    assert_eq!(lines[1], "src/a.rs:1 function run", "{text}");
    assert_eq!(lines[2], "src/size.rs:5 method impl Size/run", "{text}");
    // The likelier one first, whatever its path.
    let likelier = user.check(&["find", "impl Size/Wrong/run"], 0);
    assert!(likelier.contains("exists:\nsrc/size.rs:5 method impl Size/run\n"), "{likelier}");
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

#[test]
fn a_terminal_shows_what_would_steer_it_and_a_pipe_gets_it() {
    let user = User::new();
    let evil = "\u{1b}]0;owned\u{7}\u{202e}";
    write(&user.path("project/a.rs"), &format!("fn run() {{}} // {evil}\n"));
    std::fs::create_dir_all(user.path("project/\u{1b}[2J")).unwrap();
    write(&user.path("project/\u{1b}[2J/b.rs"), "fn run() {}\n");
    let piped = user.check(&["search", "run"], 0);
    assert!(piped.contains(evil) && piped.contains("\u{1b}[2J/b.rs"), "{piped:?}");
    let (mut master, name) = terminal();
    let mut child = user.symd().args(["search", "run"]).stdout(open_terminal(&name)).spawn().unwrap();
    let mut seen = Vec::new();
    let mut some = [0; 4096];
    // The last writer's end is an error here.
    while let Ok(count @ 1..) = master.read(&mut some) {
        seen.extend_from_slice(&some[..count]);
    }
    assert!(child.wait().unwrap().success());
    let seen = String::from_utf8(seen).unwrap();
    assert!(seen.contains("\\u{1b}]0;owned\\u{7}\\u{202e}") && seen.contains("\\u{1b}[2J/b.rs"), "{seen:?}");
    assert!(!seen.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{seen:?}");
}
