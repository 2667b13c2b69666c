//! Commands that are harmless for a shell and could harm a daemon: floods of output, closed streams, requests
//! for a terminal; and the environment that commands get.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::shell_stage::{Client, peak_memory, user};
use crate::support::{call, initialize, write};

/// Maximum growth of the daemon in KiB while a gigabyte of output passes through it: the part that is kept,
/// and buffers.
const GROWTH: u64 = 16 << 10;

#[test]
fn a_gigabyte_of_output_does_not_grow_the_daemon() {
    let user = user("");
    let mut client = Client::new(&user, "serena");
    let run = |client: &mut Client, command: &str| {
        client.call("execute_shell_command", json!({ "command": command }))
    };
    run(&mut client, "echo warm");
    let before = peak_memory(user.pid());
    let answer =
        run(&mut client, "head -c 500000000 /dev/zero & head -c 500000000 /dev/zero >&2; wait; exit 3");
    // A megabyte of each stream is kept, and NUL takes six characters in JSON.
    assert!(answer.starts_with("The answer is too long (125"), "{answer}");
    let grown = peak_memory(user.pid()) - before;
    eprintln!("1 GB of output: the daemon's peak grew by {grown} KiB");
    // Answers are built from the kept output: as text, as JSON, and escaped once more.
    assert!(grown < GROWTH + (64 << 10), "{grown} KiB");
    let mut client = Client::new(&user, "tool_router");
    let before = peak_memory(user.pid());
    let answer = client
        .json("shell", json!({ "command": "yes ä | head -c 1000000000; exit 3", "timeout_ms": 600_000 }));
    assert_eq!(answer["stdout"].as_str().unwrap(), "ä\n".repeat(200));
    assert_eq!((&answer["stdout_truncated"], &answer["returncode"]), (&json!(true), &json!(3)));
    let grown = peak_memory(user.pid()) - before;
    eprintln!("1 GB of output, 8 KiB kept: the daemon's peak grew by {grown} KiB");
    assert!(grown < GROWTH, "{grown} KiB");
}

#[test]
fn an_output_past_the_cap_says_what_is_left_out() {
    let user = user("max_answer_chars = 100\n");
    let mut client = Client::new(&user, "gemini_cli");
    let command = "for i in $(seq 1000); do echo line $i; done".replace("$(seq 1000)", "{1..1000}");
    let answer = client.call("run_shell_command", json!({ "command": command }));
    let expected = "Stdout: line 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\nl\n[... 8793 bytes of output left out \
                    ...]\n995\nline 996\nline 997\nline 998\nline 999\nline 1000\n\nStderr: (empty)\n";
    assert!(answer.contains(expected), "{answer}");
}

#[test]
fn a_command_has_no_terminal_and_nothing_to_read() {
    let user = user("");
    let mut client = Client::new(&user, "tool_router");
    let answer = client.json("shell", json!({ "command": "read x; echo $?; cat; tty; exec 3</dev/tty" }));
    assert_eq!((&answer["stdout"], &answer["returncode"]), (&json!("1\nnot a tty\n"), &json!(1)), "{answer}");
    assert!(answer["stderr"].as_str().unwrap().contains("/dev/tty: No such device or address"), "{answer}");
}

#[test]
fn closed_streams_and_strays_do_not_keep_the_answer() {
    let user = user("");
    let mut client = Client::new(&user, "tool_router");
    let run = |client: &mut Client, command: &str| client.json("shell", json!({ "command": command }));
    assert_eq!(run(&mut client, "exec >&- 2>&-; exit 5")["returncode"], 5);
    // Written by a process that outlives the shell for a moment.
    assert_eq!(run(&mut client, "echo late > >(cat)")["stdout"], "late\n");
    // Two forks and a session of its own: it is not a child of the shell any more.
    let answer = run(&mut client, "(setsid sh -c 'sleep 1000 & echo $!' &) ; echo $$");
    assert_eq!(answer["stdout"].as_str().unwrap().lines().count(), 2, "{answer}");
    assert_eq!(answer["message"], Value::Null, "it is in no group of ours: {answer}");
}

#[test]
fn the_shell_leads_its_group_in_a_session_without_a_terminal() {
    let user = user("");
    let mut client = Client::new(&user, "gemini_cli");
    let answer = client.call("run_shell_command", json!({ "command": "echo $$; ps -o pgid=,tty= -p $$" }));
    let line = |name: &str| answer.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    let group = line("Process Group PGID: ");
    assert_eq!(line("Stdout: "), group);
    assert!(answer.lines().any(|line| line.split_whitespace().eq([group, "?"])), "{answer}");
}

#[test]
fn a_client_without_a_hello_gets_a_cleaned_environment() {
    let user = user("");
    let started =
        user.symd().args(["start"]).env("TOKEN", "secret").env("LC_ALL", "C.UTF-8").status().unwrap();
    assert!(started.success());
    let mut wire = user.connect();
    wire.initialize();
    // The default toolset is native, which runs no commands; therefore this hello contains the toolset, and
    // nothing else.
    let mut client = Client::new(&user, "tool_router");
    let answer =
        client.json("shell", json!({ "command": "echo ${TOKEN-none} $LC_ALL $HOME $PWD; cd ..; pwd" }));
    let (home, project) = (user.path("home"), user.path("project"));
    let (home, project, above) = (home.display(), project.display(), user.path(""));
    let above = above.to_str().unwrap().trim_end_matches('/');
    assert_eq!(answer["stdout"], format!("none C.UTF-8 {home} {project}\n{above}\n"));
}

#[test]
fn a_hellos_environment_is_the_commands_and_in_no_log() {
    let user = user("log = \"trace\"\n");
    let environment = json!({ "PATH": "/usr/bin:/bin", "MINE": "secret-ä", "a=b": "x", "LANG": "C.UTF-8", "SHELL": "/bin/bash" });
    let mut client = Client::with_environment(&user, "tool_router", Some(environment));
    let answer = client
        .json("shell", json!({ "command": "env | grep -v -e ^_ -e ^SHLVL -e ^MINE | sort; echo ${#MINE}" }));
    let project = user.path("project");
    let project = project.display();
    let expected = format!("LANG=C.UTF-8\nPATH=/usr/bin:/bin\nPWD={project}\nSHELL=/bin/bash\n8\n");
    assert_eq!(answer["stdout"], expected, "{answer}");
    // Other connections have their own environment.
    let mut other = Client::new(&user, "tool_router");
    assert_eq!(other.json("shell", json!({ "command": "echo ${MINE-none}" }))["stdout"], "none\n");
    let log = std::fs::read_to_string(user.place().log()).unwrap();
    assert!(log.contains("tool_router") && !log.contains("secret-ä"));
}

#[test]
fn the_shim_hands_on_its_own_environment() {
    let user = user("");
    let mut child = user
        .symd()
        .args(["mcp", "--toolset", "cli_agent"])
        .env("MINE", "of the shim")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{}", initialize("2025-11-25")).unwrap();
    writeln!(stdin, "{}", call(1, "run_in_terminal", json!({ "command": "echo $MINE" }))).unwrap();
    drop(stdin);
    let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert!(output.contains("Command output:\\\\nof the shim\\\\n"), "{output}");
}

#[test]
fn the_users_shell_is_used_where_the_contract_says_so() {
    let user = user("");
    let environment = |shell: &str| Some(json!({ "PATH": "/usr/bin:/bin", "SHELL": shell }));
    // A shell in the project is not run, nor a path that is not a shell.
    write(&user.path("project/sh"), "#!/bin/sh\necho fooled\n");
    for (shell, expected) in [("/bin/bash", "bash"), ("/nowhere", "sh"), ("sh", "sh")] {
        let mut client = Client::with_environment(&user, "cli_agent", environment(shell));
        let answer = client.json("run_in_terminal", json!({ "command": "echo $0" }));
        assert_eq!(answer["output"], format!("Command output:\n{expected}\n"), "{shell}");
    }
}
