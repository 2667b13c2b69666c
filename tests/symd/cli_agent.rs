//! Cases of cli_agent that scenarios do not cover: its output format on the command line, limits that need
//! many or large files, and pages of a local server, which need the user's own approval.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};

use serde_json::{Value, json};

use crate::support::{User, write};

/// The contract's 10 MB.
const LIMIT: usize = 10 << 20;

/// Returns a user whose policy allows this contract everything.
fn user() -> User {
    let user = User::new();
    user.settles("[policy]\ncli_agent = \"allow\"\n");
    user
}

/// Runs `symd call`; returns its output.
#[track_caller]
fn call(user: &User, tool: &str, arguments: &Value, options: &[&str], exit: i32) -> String {
    let arguments = arguments.to_string();
    let mut line = vec!["call", "--toolset", "cli_agent", tool, arguments.as_str()];
    line.extend(options);
    without_time(&user.check(&line, exit))
}

#[track_caller]
fn envelope(user: &User, tool: &str, arguments: &Value, exit: i32) -> Value {
    serde_json::from_str(&call(user, tool, arguments, &["--json"], exit)).unwrap()
}

/// Removes the times, which differ from run to run.
fn without_time(text: &str) -> String {
    let human = regex::Regex::new(r"(?m)^  Time: [0-9]+ms$").unwrap();
    let json = regex::Regex::new(r#""execution_time_ms":[0-9]+"#).unwrap();
    json.replace(&human.replace(text, "  Time: 5ms"), "\"execution_time_ms\":5").into_owned()
}

#[test]
fn the_command_line_has_a_form_for_people_and_one_for_programs() {
    let user = user();
    let root = user.path("project").canonicalize().unwrap();
    let create = json!({"path": "hello.py", "content": "x".repeat(125)});
    assert_eq!(
        call(&user, "create_file", &create, &[], 0),
        format!(
            "✓ Created file: hello.py (125 bytes)\n  Location: {}/hello.py\n  Time: 5ms\n",
            root.display()
        )
    );
    let again = "Error: File 'hello.py' already exists. Use replace_string_in_file to modify";
    assert_eq!(call(&user, "create_file", &create, &[], 1), format!("✗ {again}\n  Time: 5ms\n"));
    assert_eq!(
        call(&user, "create_file", &create, &["--json"], 1),
        format!(
            "{{\"tool\":\"create_file\",\"success\":false,\"output\":\"{again}\",\"files_affected\":[],\
             \"execution_time_ms\":5,\"error\":{{\"code\":\"file_exists\",\"message\":\"{}\",\
             \"suggestion\":\"Use replace_string_in_file to modify it, or choose another path\"}}}}\n",
            &again["Error: ".len()..]
        )
    );
    std::fs::create_dir(user.path("project/src")).unwrap();
    write(&user.path("project/src/app.py"), "");
    assert_eq!(
        call(&user, "list_dir", &json!({"path": "src"}), &[], 0),
        "✓ Contents of ./src:\n  app.py\n  Time: 5ms\n"
    );
}

#[test]
fn a_directory_that_was_made_can_be_taken_back_and_made_again() {
    let user = user();
    let made = user.path("project/a/b");
    call(&user, "create_directory", &json!({"path": "a/b"}), &[], 0);
    assert!(made.is_dir());
    user.check(&["undo"], 0);
    assert!(!user.path("project/a").exists());
    user.check(&["redo"], 0);
    assert!(made.is_dir());
    // A file that was created there since is kept.
    write(&made.join("mine"), "x");
    user.check(&["undo"], 0);
    assert!(made.join("mine").exists());
}

#[test]
fn lists_end_at_a_thousand_and_say_so() {
    let user = user();
    std::fs::create_dir(user.path("project/d")).unwrap();
    for number in 0..1_002 {
        write(&user.path(&format!("project/d/{number:04}.txt")), "x\n");
    }
    let listed = envelope(&user, "list_dir", &json!({"path": "d"}), 0);
    let output = listed["output"].as_str().unwrap();
    let start =
        "Warning: Found 1002 entries, showing first 1000 (use offset 1000 to see more)\nContents of ./d:\n";
    assert!(output.starts_with(start) && output.ends_with("  0999.txt\n"), "{output}");
    assert_eq!(listed["metadata"], json!({"total_entries": 1_002, "files": 1_002, "directories": 0}));
    let found = envelope(&user, "file_search", &json!({"pattern": "**/*.txt"}), 0);
    let output = found["output"].as_str().unwrap();
    let start = "Warning: Found 1002 matches, showing first 1000\nFound 1002 files matching '**/*.txt':\n";
    assert!(output.starts_with(start) && output.ends_with("  d/0999.txt\n"), "{output}");
    assert_eq!(output.lines().count(), 1_002);
    let found = envelope(&user, "grep_search", &json!({"pattern": "x", "max_results": 1_000}), 0);
    let output = found["output"].as_str().unwrap();
    let start = "Warning: Found 1002 matches, showing first 1000\nFound 1002 matches for 'x':\n";
    assert!(output.starts_with(start) && output.ends_with("  d/0999.txt:1: x\n"), "{output}");
}

#[test]
fn ten_megabytes_are_read_and_no_more() {
    let user = user();
    let line = "0123456789abcde\n";
    write(&user.path("project/exact.txt"), &line.repeat(LIMIT / 16));
    write(&user.path("project/long.txt"), &line.repeat(LIMIT / 16 + 1));
    let exact = envelope(&user, "read_file", &json!({"path": "exact.txt"}), 0);
    let output = exact["output"].as_str().unwrap();
    assert!(output.starts_with("Contents of exact.txt (lines 1-655360):\n0123"), "{}", &output[..60]);
    let long = envelope(&user, "read_file", &json!({"path": "long.txt"}), 0);
    let output = long["output"].as_str().unwrap();
    let start = "Warning: File too large (>10MB), truncating\nContents of long.txt (lines 1-655360):\n0123";
    assert!(output.starts_with(start), "{}", &output[..100]);
    let metadata = json!({"total_lines": 655_361, "lines_returned": 655_360, "file_size_bytes": LIMIT + 16});
    assert_eq!(long["metadata"], metadata);
    // A range returns only the requested part.
    let end = envelope(&user, "read_file", &json!({"path": "long.txt", "start_line": 655_361}), 0);
    assert_eq!(end["output"], "Contents of long.txt (lines 655361-655361):\n0123456789abcde\n");
}

#[test]
fn ten_megabytes_are_written_and_no_more() {
    let user = user();
    let from_stdin = |content: String, exit: i32| -> Value {
        let mut child = user
            .symd()
            .args(["call", "--toolset", "cli_agent", "--json", "create_file", "-"])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let arguments = json!({"path": "new.txt", "content": content});
        child.stdin.take().unwrap().write_all(arguments.to_string().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(exit));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let refused = from_stdin("x".repeat(LIMIT + 1), 1);
    assert_eq!(refused["output"], "Error: Content too large (10485761 bytes, limit 10MB)");
    assert_eq!(refused["error"]["code"], "content_too_large");
    assert!(!user.path("project/new.txt").exists());
    assert_eq!(from_stdin("x".repeat(LIMIT), 0)["output"], "Created file: new.txt (10485760 bytes)");
}

/// Answers `count` requests with `response`.
fn serve(count: usize, response: Vec<u8>) -> (u16, std::thread::JoinHandle<()>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let thread = std::thread::spawn(move || {
        for _ in 0..count {
            let (mut stream, _): (TcpStream, _) = listener.accept().unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                head.push(byte[0]);
            }
            // A client that has read enough closes the connection.
            let _ = stream.write_all(&response);
        }
    });
    (port, thread)
}

fn page(kind: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n");
    [head.as_bytes(), body].concat()
}

#[test]
fn a_page_of_this_machine_is_fetched_on_the_users_own_word_only() {
    // A user whose policy allows the call without a question has not seen the URL.
    let allowed = user();
    let (port, served) = serve(2, page("text/html; charset=utf-8", "<h1>Größe</h1>".as_bytes()));
    let wanted = json!({"url": format!("http://127.0.0.1:{port}/x")});
    let refused = envelope(&allowed, "fetch_webpage", &wanted, 6);
    assert_eq!(refused["error"]["code"], "approval_denied");
    let why = refused["output"].as_str().unwrap();
    let start = "Error: fetch_webpage was not run: 127.0.0.1 leads to 127.0.0.1, which is not a public address; so it needs the \
        user's approval of this very call";
    assert!(why.starts_with(start), "{why}");
    // The message says how to allow the call, as a shell command.
    let (_, how) = why.rsplit_once("`symd ").unwrap();
    let line = format!("\"$SYMD\" {}", how.strip_suffix('`').unwrap());
    let mut shell = allowed.dressed(std::process::Command::new("sh"));
    assert!(shell.args(["-c", &line]).env("SYMD", env!("CARGO_BIN_EXE_symd")).status().unwrap().success());
    let fetched = envelope(&allowed, "fetch_webpage", &wanted, 0);
    assert_eq!(
        fetched["output"],
        format!("Fetched content from http://127.0.0.1:{port}/x (0.0 KB)\n# Größe\n")
    );

    let asked = User::new();
    assert_eq!(
        call(&asked, "fetch_webpage", &wanted, &["--yes", "--json"], 0),
        format!(
            "{{\"tool\":\"fetch_webpage\",\"success\":true,\"output\":\"Fetched content from \
             http://127.0.0.1:{port}/x (0.0 KB)\\n# Größe\\n\",\"files_affected\":[],\"execution_time_ms\":5,\
             \"metadata\":{{\"url\":\"http://127.0.0.1:{port}/x\",\"status_code\":200,\"content_length\":16,\
             \"content_type\":\"text/html\"}}}}\n"
        )
    );
    served.join().unwrap();
}

#[test]
fn pages_that_are_long_or_no_text_or_not_there_say_so() {
    let user = User::new();
    let fetched = |port: u16, exit: i32| {
        let wanted = json!({"url": format!("http://localhost:{port}/"), "timeout_seconds": 60});
        let text = call(&user, "fetch_webpage", &wanted, &["--yes", "--json"], exit);
        serde_json::from_str::<Value>(&text).unwrap()["output"].as_str().unwrap().to_owned()
    };
    let (port, served) = serve(1, page("text/plain", &vec![b'x'; 2 << 20]));
    let start = format!(
        "Warning: Response too large (>1MB), truncating\nFetched content from http://localhost:{port}/ (1024.0 KB)\nxxx"
    );
    let long = fetched(port, 0);
    assert!(long.starts_with(&start), "{}", &long[..200]);
    served.join().unwrap();
    let (port, served) = serve(1, page("image/png", b"\x89PNG\0"));
    let picture = format!(
        "Warning: Content is not text, nothing to display\nFetched content from http://localhost:{port}/ (0.0 KB)"
    );
    assert_eq!(fetched(port, 0), picture);
    served.join().unwrap();
    let (port, served) = serve(1, b"HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n".to_vec());
    assert_eq!(fetched(port, 1), "Error: Failed to fetch - HTTP 404");
    served.join().unwrap();
    // Nothing listens on that port any more.
    assert_eq!(fetched(port, 1), "Error: Failed to fetch - connection refused");
    // The system accepts the connection, and no server answers.
    let silent = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let wanted = json!({
        "url": format!("http://{}/", silent.local_addr().unwrap()),
        "timeout_seconds": 1,
    });
    assert_eq!(
        call(&user, "fetch_webpage", &wanted, &["--yes"], 5),
        "✗ Error: Request timed out after 1 seconds\n  Time: 5ms\n"
    );
}
