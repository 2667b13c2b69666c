//! Real terminals: many at once, floods of output, interactive shells, and the termination of all of them.

use rustix::process::Pid;
use serde_json::{Value, json};
use symd::shell::pty::MAX_SESSIONS;

use crate::shell_stage::{Client, Fifo, lives, peak_memory, user, wait_until_gone};
use crate::support::write;

/// Maximum growth of the daemon in KiB with as many sessions as possible, some of them flooding: 32 KiB of
/// unread output each, and the memory for tasks, buffers and the allocator.
const GROWTH: u64 = 24 << 10;

/// More polls than a program needs for its output: each takes 50 ms.
const POLLS: usize = 1_000;

fn exec(client: &mut Client, name: &str, command: &str) -> Value {
    client.json("exec_command", json!({ "session_id": name, "cmd": command }))
}

/// Types until the output since then ends with `end`: on a busy machine there may be 50 ms of silence before
/// it.
#[track_caller]
fn type_until(client: &mut Client, name: &str, chars: &str, end: &str) -> String {
    let mut all = String::new();
    let mut chars = chars;
    for _ in 0..POLLS {
        let answer = client.json("write_stdin", json!({ "session_id": name, "chars": chars }));
        all += answer["output"].as_str().unwrap();
        chars = "";
        if all.ends_with(end) {
            return all;
        }
    }
    panic!("{name} printed {all:?}, which does not end with {end:?}");
}

#[test]
fn as_many_sessions_as_there_may_be_answer_beside_floods() {
    let user = user("");
    let mut client = Client::new(&user, "tool_router");
    exec(&mut client, "warm", "true");
    let daemon = user.pid();
    let before = peak_memory(daemon);
    let is_flood = |number: usize| number.is_multiple_of(4);
    let mut pids = Vec::new();
    for number in 0..MAX_SESSIONS {
        let (name, program) = (format!("s{number}"), if is_flood(number) { "yes" } else { "cat" });
        let mut text = exec(&mut client, &name, &format!("echo $$; exec {program}"))["output"]
            .as_str()
            .unwrap()
            .to_owned();
        if !is_flood(number) {
            while !text.ends_with('\n') {
                text += &type_until(&mut client, &name, "", "");
            }
            pids.push(Pid::from_raw(text.trim().parse().unwrap()).unwrap());
        }
    }
    let refused = client.call("exec_command", json!({ "session_id": "more", "cmd": "cat" }));
    assert_eq!(refused, "Error: there are 64 sessions running on this connection; end one of them first");
    for number in (0..MAX_SESSIONS).filter(|number| !is_flood(*number)) {
        let (name, line) = (format!("s{number}"), format!("line for {number}\n"));
        assert_eq!(type_until(&mut client, &name, &line, &line.repeat(2)), line.repeat(2));
    }
    for number in (0..MAX_SESSIONS).filter(|number| is_flood(*number)) {
        let answer = client.json("write_stdin", json!({ "session_id": format!("s{number}"), "chars": "" }));
        let output = answer["output"].as_str().unwrap();
        assert!(output.contains("y\ny\ny\n") && output.len() <= 32 << 10 && answer["truncated"] == true);
    }
    let grown = peak_memory(daemon) - before;
    eprintln!("{MAX_SESSIONS} sessions, a quarter of them flooding: the daemon's peak grew by {grown} KiB");
    assert!(grown < GROWTH, "{grown} KiB");
    drop(client);
    wait_until_gone(&pids);
}

#[test]
fn a_finished_session_makes_room_for_another() {
    let user = user("");
    let mut client = Client::new(&user, "tool_router");
    for number in 0..=MAX_SESSIONS {
        exec(&mut client, &format!("s{number}"), "exit 3");
    }
    let poll = |client: &mut Client, name: &str| {
        client.call("write_stdin", json!({ "session_id": name, "chars": "" }))
    };
    assert_eq!(poll(&mut client, "s0"), "Error: there is no session \"s0\"; start it with exec_command");
    assert_eq!(
        poll(&mut client, "s1"),
        "Error: session \"s1\" has ended (exit code 3); start it again with exec_command"
    );
}

#[test]
fn an_interactive_shell_has_no_prompt_whatever_its_user_likes() {
    let user = user("");
    write(&user.path("home/.bashrc"), "PS1='mine> '\nPS2='more> '\nalias greet='echo hello'\n");
    let mut client = Client::new(&user, "tool_router");
    exec(&mut client, "b", "bash");
    // bash has read its start-up file when it knows the alias.
    type_until(&mut client, "b", "greet\n", "hello\n");
    let all = type_until(&mut client, "b", "echo $TERM\n", "dumb\n");
    assert_eq!(all, "echo $TERM\ndumb\n");
    let all = type_until(&mut client, "b", "cat <<E\nä\nE\n", "E\nä\n");
    assert!(!all.contains("more>") && !all.contains("mine>"), "{all}");
}

#[test]
fn jobs_of_an_interactive_shell_end_with_the_connection() {
    let user = user("");
    let (mut client, fifo) = (Client::new(&user, "tool_router"), Fifo::new(&user));
    exec(&mut client, "b", "bash");
    let jobs = format!(
        "exec 3> {}; sleep 1000 & nohup sleep 1000 & jobs -p >&3; setsid sh -c 'echo $$ >&3; exec sleep 1000' & echo \
         $$ >&3\n",
        fifo.0.display()
    );
    client.call("write_stdin", json!({ "session_id": "b", "chars": jobs }));
    let pids = fifo.pids(4);
    assert!(pids.iter().all(|pid| lives(*pid)));
    drop(client);
    wait_until_gone(&pids);
}

#[test]
fn a_program_that_does_not_read_takes_no_more_than_it_can() {
    let user = user("");
    let mut client = Client::new(&user, "tool_router");
    exec(&mut client, "s", "stty -echo; exec sleep 1000");
    let answer = client.call("write_stdin", json!({ "session_id": "s", "chars": "x\n".repeat(500_000) }));
    let bytes =
        answer.strip_prefix("Error: session \"s\" reads no input: ").unwrap_or_else(|| panic!("{answer}"));
    let (taken, rest) = bytes.split_once(' ').unwrap();
    assert_eq!(rest, "of 1000000 bytes were taken");
    assert!((1..1_000_000).contains(&taken.parse::<usize>().unwrap()), "{taken}");
    // Another session is not slowed down by it.
    exec(&mut client, "c", "cat");
    assert_eq!(type_until(&mut client, "c", "hi\n", "hi\nhi\n"), "hi\nhi\n");
}

#[test]
fn long_input_is_taken_whole_by_a_program_that_reads() {
    let user = user("");
    let mut client = Client::new(&user, "tool_router");
    exec(&mut client, "w", "stty -echo; wc -l");
    let (lines, end) = ("x\n".repeat(200_000), "\u{4}");
    let all = type_until(&mut client, "w", &(lines + end), "200000\n");
    assert_eq!(all, "200000\n");
}

#[test]
fn a_terminal_is_resized_by_stty_and_closed_by_the_end_of_input() {
    let user = user("");
    let mut client = Client::new(&user, "tool_router");
    let program = "trap 'stty size' WINCH; stty size; echo $$; tty; while read line; do :; done";
    let mut all = exec(&mut client, "t", program)["output"].as_str().unwrap().to_owned();
    while all.matches('\n').count() < 3 {
        all += &type_until(&mut client, "t", "", "\n");
    }
    let [size, pid, tty] = all.lines().collect::<Vec<_>>()[..] else { panic!("{all:?}") };
    assert_eq!(size, "50 240");
    let pid = Pid::from_raw(pid.parse().unwrap()).unwrap();
    let resize = json!({ "command": format!("stty -F {tty} rows 30 cols 100") });
    assert_eq!(client.json("shell", resize)["returncode"], 0);
    // bash runs the trap when `read` has returned.
    type_until(&mut client, "t", "\n", "30 100\n");
    client.json("write_stdin", json!({ "session_id": "t", "chars": "\u{4}" }));
    wait_until_gone(&[pid]);
    let read = json!({ "session_id": "t", "chars": "" });
    let ended = (0..POLLS).any(|_| {
        let says = client.call("write_stdin", read.clone());
        says.starts_with("Error: session \"t\" has ended (")
    });
    assert!(ended, "its end is told");
}
