//! Adverse files with a real daemon: each is answered, or skipped and counted, and all other files are served
//! as before.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::Command;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use crate::support::{User, Wire, call, write};

fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once('\u{FEFF}'.to_string())
        .chain([text.to_owned()])
        .flat_map(|part| part.encode_utf16().collect::<Vec<_>>())
        .flat_map(unit)
        .collect()
}

fn put(user: &User, name: &str, bytes: &[u8]) {
    std::fs::write(user.path("project").join(name), bytes).unwrap();
}

fn text_of(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap()
}

#[test]
fn whatever_the_text_is_it_has_its_symbols_where_they_stand() {
    let user = User::new();
    put(&user, "broken.py", b"def before(): pass\nclass (:\n  def\n)\ndef after_broken(): pass\n");
    put(&user, "invalid.py", b"a = '\xFF\xFE\x80'\ndef after_invalid(): pass\n");
    put(&user, "le.py", &utf16("# \u{1F600}\ndef little(): pass\n", u16::to_le_bytes));
    put(&user, "be.py", &utf16("# \u{1F600}\ndef big(): pass\n", u16::to_be_bytes));
    put(&user, "bom.py", b"\xEF\xBB\xBFdef after_bom(): pass\n");
    put(&user, "crlf.py", b"a = 1\r\ndef after_crlf(): pass\r\n");
    put(&user, "cr.py", b"a = 1\rdef after_cr(): pass\r");
    put(&user, "cr.kt", b"val a = 1\rfun afterCr() = 1\r");
    put(
        &user,
        "line.py",
        ["a=1;".repeat(20_000).as_bytes(), b"\ndef after_line(): pass\n"].concat().as_slice(),
    );
    put(&user, "empty.py", b"");
    for (name, place) in [
        ("after_broken", "broken.py:5 "),
        ("after_invalid", "invalid.py:2 "),
        ("little", "le.py:2 "),
        ("big", "be.py:2 "),
        ("after_bom", "bom.py:1 "),
        ("after_crlf", "crlf.py:2 "),
        ("after_cr", "cr.py:2 "),
        ("afterCr", "cr.kt:2 "),
        ("after_line", "line.py:2 "),
    ] {
        // On a busy machine the parser takes longer for the long line than a question waits; the answer says
        // so.
        let answers = std::iter::repeat_with(|| user.find(name)).take(60);
        let answer = answers.into_iter().find(|answer| !answer.contains("still being parsed")).unwrap();
        assert!(answer.starts_with(place), "{name}: {answer}");
        let body = json!({ "name_path_pattern": name, "include_body": true }).to_string();
        let answer = user.check(&["call", "--toolset", "serena", "find_symbol", &body], 0);
        let found: Value = serde_json::from_str(&answer).unwrap();
        let keyword = if name == "afterCr" { "fun" } else { "def" };
        let body = found[0]["body"].as_str().unwrap();
        assert!(body.starts_with(&format!("{keyword} {name}()")), "{name}: {body:?}");
    }
    let status = user.status();
    assert_eq!(status["skipped"], json!({ "binary": 0, "too_large": 0, "unreadable": 0 }), "{status}");
    assert_eq!(status["files_with_errors"].as_u64(), Some(1), "{status}");
    assert!(user.check(&["call", "get_symbols_overview", "{\"relative_path\":\"empty.py\"}"], 0).len() > 1);
}

#[test]
fn what_is_no_text_is_skipped_and_counted() {
    let user = User::new();
    put(&user, "good.py", b"def good(): pass\n");
    put(&user, "nul.py", b"def nul(): pass\0\n");
    std::fs::File::create(user.path("project/huge.py")).unwrap().set_len(100 << 20).unwrap();
    let depth = 10_000;
    put(&user, "deep.py", format!("x = {}1{}\n", "(".repeat(depth), ")".repeat(depth)).as_bytes());
    put(&user, "deep.kt", ("class A { ".repeat(depth) + &"}".repeat(depth)).as_bytes());
    put(&user, "open.kt", "fun f() = listOf(".repeat(depth).as_bytes());
    assert!(user.find("good").starts_with("good.py:1 "));
    let status = user.status();
    assert_eq!(status["skipped"], json!({ "binary": 1, "too_large": 1, "unreadable": 0 }), "{status}");
    assert_eq!(status["files"], 6, "{status}");
    for toolset in ["native", "serena"] {
        for file in ["nul.py", "huge.py"] {
            let file = json!({ "relative_path": file }).to_string();
            let said = user.run(&["call", "--toolset", toolset, "get_symbols_overview", &file]);
            assert_eq!(said.status.code(), Some(1), "{said:?}");
            let said = [said.stdout, said.stderr].concat();
            assert!(!said.is_empty(), "{toolset} {file}");
        }
        let deep = json!({ "name_path_pattern": "A/A/A", "relative_path": "deep.kt", "depth": 2 });
        let said = user.run(&["call", "--toolset", toolset, "find_symbol", &deep.to_string()]);
        // Symbols down to some depth; the serena contract rejects the answer as too long, which is valid too.
        let text = String::from_utf8_lossy(&said.stdout);
        assert!(said.status.success() || text.contains("too long"), "{text}");
    }
    assert!(user.find("good").starts_with("good.py:1 "));
    // Once the files are text, they are served.
    put(&user, "nul.py", b"def nul(): pass\n");
    put(&user, "huge.py", b"def huge(): pass\n");
    assert!(user.find("nul").starts_with("nul.py:1 ") && user.find("huge").starts_with("huge.py:1 "));
    assert_eq!(user.status()["skipped"], json!({ "binary": 0, "too_large": 0, "unreadable": 0 }));
}

#[test]
fn what_is_no_file_is_not_opened_and_counted() {
    let user = User::new();
    let project = user.path("project");
    put(&user, "good.py", b"def good(): pass\n");
    mknodat(CWD, project.join("pipe.py"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    let _socket = UnixListener::bind(project.join("socket.py")).unwrap();
    symlink("loop.py", project.join("loop.py")).unwrap();
    symlink("..", project.join("up")).unwrap();
    symlink("/etc/passwd", project.join("outside.py")).unwrap();
    std::fs::create_dir(project.join("x.py")).unwrap();
    put(&user, "x.py/inner.py", b"def inner(): pass\n");
    std::fs::write(project.join(OsStr::from_bytes(b"\xFF\xFE.py")), "def unnamed(): pass\n").unwrap();
    std::fs::create_dir(project.join(OsStr::from_bytes(b"\xFF"))).unwrap();

    assert!(user.find("good").starts_with("good.py:1 "));
    assert!(user.find("inner").starts_with("x.py/inner.py:1 "));
    assert!(user.find("unnamed").contains("No symbols"), "{}", user.find("unnamed"));
    let status = user.status();
    assert_eq!(status["files"], 2, "{status}");
    let counted = |name: &str| status["watcher"][name].as_u64().unwrap();
    assert!(counted("special") >= 2 && counted("links") >= 3 && counted("unnamed") >= 2, "{status}");
    for toolset in ["native", "serena"] {
        for file in ["pipe.py", "socket.py", "loop.py", "up", "outside.py", "x.py"] {
            let arguments = json!({ "relative_path": file }).to_string();
            let said = user.run(&["call", "--toolset", toolset, "get_symbols_overview", &arguments]);
            // In native a directory has an overview.
            let code = i32::from(toolset != "native" || file != "x.py");
            assert_eq!(said.status.code(), Some(code), "{file}: {said:?}");
            assert!(!said.stdout.is_empty() || !said.stderr.is_empty(), "{file}: {said:?}");
            let arguments = json!({ "relative_path": file }).to_string();
            let said = user.run(&["call", "--toolset", toolset, "read_file", &arguments]);
            assert_eq!(said.status.code(), Some(1), "{file}: {said:?}");
            assert!(!String::from_utf8_lossy(&said.stdout).contains("root:"), "{said:?}");
        }
    }
    // A file and a directory swap their paths.
    std::fs::remove_dir_all(project.join("x.py")).unwrap();
    put(&user, "x.py", b"def no_directory(): pass\n");
    assert!(user.find("no_directory").starts_with("x.py:1 ") && user.find("inner").contains("No symbols"));
    std::fs::remove_file(project.join("x.py")).unwrap();
    std::fs::create_dir(project.join("x.py")).unwrap();
    put(&user, "x.py/inner.py", b"def inner(): pass\n");
    assert!(user.find("no_directory").contains("No symbols"));
    assert!(user.find("inner").starts_with("x.py/inner.py:1 "));
}

/// A user who is not root and cannot read everything.
pub struct Ordinary {
    pub user: User,
    program: PathBuf,
}

impl Ordinary {
    pub fn new() -> Ordinary {
        let user = User::new();
        let program = user.copy_of_symd("symd");
        Ordinary { user, program }
    }

    pub fn run(&self, arguments: &[&str]) -> String {
        let command = if rustix::process::geteuid().is_root() {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&self.program);
            command
        } else {
            Command::new(&self.program)
        };
        let output = self.user.dressed(command).args(arguments).output().unwrap();
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    }

    fn find(&self, name: &str) -> String {
        self.run(&["call", "find_symbol", &json!({ "name_path_pattern": name }).to_string()])
    }

    /// Changes the owner of everything to this user.
    pub fn own(&self) {
        if rustix::process::geteuid().is_root() {
            let root = self.user.path("");
            let owned = Command::new("chown").args(["-R", "65534:65534"]).arg(&root).status().unwrap();
            assert!(owned.success());
            chown(&root, Some(65534), Some(65534)).unwrap();
        }
    }
}

impl Drop for Ordinary {
    fn drop(&mut self) {
        self.run(&["stop"]);
    }
}

#[test]
fn what_may_not_be_read_is_counted_until_it_may() {
    let ordinary = Ordinary::new();
    let (user, project) = (&ordinary.user, ordinary.user.path("project"));
    put(user, "good.py", b"def good(): pass\n");
    put(user, "closed.py", b"def closed(): pass\n");
    std::fs::create_dir(project.join("shut")).unwrap();
    put(user, "shut/in.py", b"def within(): pass\n");
    ordinary.own();
    let chmod = |name: &str, mode: u32| {
        std::fs::set_permissions(project.join(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    chmod("closed.py", 0);
    chmod("shut", 0);
    assert!(ordinary.find("good").starts_with("good.py:1 "), "{}", ordinary.find("good"));
    let status: Value = serde_json::from_str(&ordinary.run(&["status", "--json"])).unwrap();
    let process = std::fs::metadata(format!("/proc/{}", status["pid"])).unwrap();
    assert_ne!(process.uid(), 0, "root may read everything");
    assert_eq!(status["skipped"]["unreadable"], 1, "{status}");
    assert!(status["watcher"]["denied"].as_u64() >= Some(1), "{status}");
    assert!(ordinary.find("closed").contains("No symbols"));
    let overview = ordinary.run(&["call", "get_symbols_overview", "{\"relative_path\":\"closed.py\"}"]);
    assert!(overview.contains("closed.py") && overview.to_lowercase().contains("denied"), "{overview}");

    chmod("closed.py", 0o644);
    chmod("shut", 0o755);
    assert!(ordinary.find("closed").starts_with("closed.py:1 "));
    assert!(ordinary.find("within").starts_with("shut/in.py:1 "));
    chmod("good.py", 0);
    assert!(ordinary.find("good").contains("No symbols"));
    let status: Value = serde_json::from_str(&ordinary.run(&["status", "--json"])).unwrap();
    assert_eq!(status["skipped"]["unreadable"], 1, "{status}");
}

#[test]
fn files_that_come_and_go_while_they_are_read_disturb_nobody() {
    let user = User::new();
    put(&user, "good.py", b"def good(): pass\n");
    let mut wire = user.connect();
    wire.initialize();
    let project = user.path("project");
    let other = std::thread::spawn(move || {
        let text = "def fleeting(): pass\n".repeat(20_000);
        for number in 0..100 {
            let path = project.join(format!("fleeting_{}.py", number % 3));
            write(&path, &text);
            std::fs::remove_file(&path).unwrap();
        }
    });
    let mut id = 1;
    let mut ask = |name: &str| {
        id += 1;
        let answer =
            wire.ask(&call(id, "find_symbol", json!({ "name_path_pattern": name, "include_body": true })));
        text_of(&answer).to_owned()
    };
    while !other.is_finished() {
        let good = ask("good");
        assert!(good.contains("1 function good\ndef good(): pass"), "{good}");
    }
    other.join().unwrap();
    assert!(ask("fleeting").contains("No symbols"));
    assert!(ask("good").contains("1 function good\ndef good(): pass"));
}

#[test]
fn a_body_is_cut_from_the_text_of_its_lines_though_the_file_shrinks() {
    let user = User::new();
    let path = user.path("project/a.py");
    let long = format!("{}def stays():\n    return 'long'\n", "# a line\n".repeat(5_000));
    let short = "def stays():\n    return 'short'\n";
    write(&path, &long);
    let mut wire = user.connect();
    wire.initialize();
    let arguments = json!({ "name_path_pattern": "stays", "include_body": true });
    let ask = |wire: &mut Wire, id: u64| {
        let answer = wire.ask(&call(id, "find_symbol", arguments.clone()));
        text_of(&answer).to_owned()
    };
    let is = |answer: &str, line: &str, body: &str| {
        answer.contains(&format!(" {line} function stays")) && answer.contains(body)
    };
    for id in 0..40 {
        let (text, line, body) =
            if id % 2 == 0 { (short, "1-2", "'short'") } else { (long.as_str(), "5001-5002", "'long'") };
        write(&path, text);
        let answer = ask(&mut wire, id);
        assert!(is(&answer, line, body), "{answer}");
    }
    // Also while another thread keeps replacing the file: the answer has one state or the other, never lines
    // of one with the body of the other.
    let (texts, scratch) = ([short.to_owned(), long], user.path("project/a.tmp"));
    let other = std::thread::spawn(move || {
        for number in 0..200 {
            write(&scratch, &texts[number % 2]);
            std::fs::rename(&scratch, &path).unwrap();
        }
    });
    let mut id = 100;
    while !other.is_finished() {
        id += 1;
        let answer = ask(&mut wire, id);
        assert!(is(&answer, "1-2", "'short'") || is(&answer, "5001-5002", "'long'"), "{answer}");
    }
    other.join().unwrap();
}

#[test]
fn patterns_that_name_nothing_are_explained() {
    let user = User::new();
    for toolset in ["native", "serena"] {
        for (pattern, says) in [
            ("", "is empty"),
            ("/", "no name"),
            ("//", "no name"),
            ("a//b", "empty component"),
            ("x[99999999999]", "too large"),
            ("[0]", "no name"),
        ] {
            for more in [json!({}), json!({ "include_body": true, "substring_matching": true })] {
                let mut arguments = more;
                arguments["name_path_pattern"] = json!(pattern);
                let said =
                    user.check(&["call", "--toolset", toolset, "find_symbol", &arguments.to_string()], 1);
                assert!(said.contains(says), "{toolset} {pattern:?}: {said}");
            }
        }
    }
}
