//! No process of a command outlives the command's time limit, its call, its connection or the daemon.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::shell_stage::{Client, Fifo, STUBBORN, lives, user, wait_until_gone};
use crate::support::notification;

#[test]
fn a_time_out_ends_all_of_it_before_it_is_answered() {
    let user = user("");
    let (mut client, fifo) = (Client::new(&user, "tool_router"), Fifo::new(&user));
    let id = client.begin("shell", json!({ "command": fifo.stubborn(), "timeout_ms": 500 }));
    let pids = fifo.pids(STUBBORN);
    let answer: Value = serde_json::from_str(&client.answer(id)).unwrap();
    assert_eq!(answer["message"], "Command timed out after 500 ms");
    assert_eq!((&answer["timeout"], &answer["returncode"]), (&json!(true), &json!(null)));
    let left: Vec<&Pid> = pids.iter().filter(|pid| lives(**pid)).collect();
    assert!(left.is_empty(), "{left:?} of {pids:?}");
}

#[test]
fn what_was_printed_before_a_time_out_is_kept() {
    let user = user("");
    let mut client = Client::new(&user, "tool_router");
    let command = "echo out; echo err >&2; trap 'echo last words' TERM; sleep 1000 & wait";
    let answer = client.json("shell", json!({ "command": command, "timeout_ms": 500 }));
    assert_eq!(
        (&answer["stdout"], &answer["stderr"]),
        (&json!("out\nlast words\n"), &json!("err\n")),
        "{answer}"
    );
}

#[test]
fn a_cancelled_call_leaves_nothing() {
    let user = user("");
    let (mut client, fifo) = (Client::new(&user, "serena"), Fifo::new(&user));
    let id = client.begin("execute_shell_command", json!({ "command": fifo.stubborn() }));
    let pids = fifo.pids(STUBBORN);
    client.wire.send(&notification("notifications/cancelled", json!({ "requestId": id })));
    wait_until_gone(&pids);
    // The cancelled call got no answer, and the connection works as before.
    let answer = client.call("execute_shell_command", json!({ "command": "echo on" }));
    assert_eq!(answer, r#"{"stdout": "on\n", "stderr": "", "returncode": 0}"#);
}

#[test]
fn a_client_that_goes_away_leaves_nothing() {
    let user = user("");
    for (toolset, tool) in
        [("gemini_cli", "run_shell_command"), ("cli_agent", "run_in_terminal"), ("tool_router", "shell")]
    {
        let fifo = Fifo::new(&user);
        let mut client = Client::new(&user, toolset);
        client.begin(tool, json!({ "command": fifo.stubborn() }));
        let pids = fifo.pids(STUBBORN);
        drop(client);
        wait_until_gone(&pids);
        std::fs::remove_file(fifo.0).unwrap();
    }
}

#[test]
fn a_daemon_that_is_killed_leaves_nothing() {
    let user = user("");
    let (mut client, fifo) = (Client::new(&user, "tool_router"), Fifo::new(&user));
    client.begin("shell", json!({ "command": fifo.stubborn() }));
    let mut pids = fifo.pids(STUBBORN);
    let mut other = Client::new(&user, "tool_router");
    let background = other.json("shell", json!({ "command": "sleep 1000 >/dev/null & echo $!" }));
    pids.push(pid(background["stdout"].as_str().unwrap()));
    other.call(
        "exec_command",
        json!({ "session_id": "a", "cmd": format!("trap '' HUP; {}", fifo.stubborn()) }),
    );
    pids.extend(fifo.pids(STUBBORN));
    assert!(pids.iter().all(|pid| lives(*pid)));
    kill_process(Pid::from_raw(user.pid().try_into().unwrap()).unwrap(), Signal::KILL).unwrap();
    wait_until_gone(&pids);
}

#[test]
fn a_warden_that_is_killed_costs_the_answer_and_not_more() {
    let user = user("");
    let (mut client, fifo) = (Client::new(&user, "tool_router"), Fifo::new(&user));
    let command = format!("echo $PPID > {}; exec sleep 1000", fifo.0.display());
    let id = client.begin("shell", json!({ "command": command }));
    let warden = fifo.pids(1)[0];
    let children = symd::sys::processes::children(warden);
    kill_process(warden, Signal::KILL).unwrap();
    let answer = client.answer(id);
    assert!(answer.starts_with("Error: the outcome of the command is unknown"), "{answer}");
    wait_until_gone(&children.iter().map(|child| child.pid).collect::<Vec<_>>());
    assert_eq!(client.json("shell", json!({ "command": "echo on" }))["stdout"], "on\n");
}

#[test]
fn what_runs_in_the_background_is_told_and_ends_with_the_connection() {
    let user = user("");
    let mut client = Client::new(&user, "gemini_cli");
    // These processes keep the pipe open; the answer does not wait for them.
    let command = "sleep 1000 & sleep 1000 & setsid sleep 1000 & jobs -p; yes & true";
    let answer = client.call("run_shell_command", json!({ "command": command }));
    let line = |name: &str| answer.lines().find_map(|line| line.strip_prefix(name)).unwrap().to_owned();
    let told: Vec<Pid> = line("Background PIDs: ").split(", ").map(pid).collect();
    let first = line("Stdout: ");
    assert!(answer.contains("\nExit Code: 0\nSignal: (none)\n"), "{answer}");
    assert!(told.contains(&pid(&first)) && told.len() == 3, "{answer}");
    assert!(told.iter().all(|pid| lives(*pid)));
    // A process in a session of its own is not part of the group, and is killed all the same.
    let group = pid(&line("Process Group PGID: "));
    let warden = symd::sys::processes::by_pid(group).map(|shell| shell.parent.unwrap()).unwrap();
    let all: Vec<Pid> = symd::sys::processes::descendants(warden)
        .iter()
        .filter(|child| child.is_alive)
        .map(|child| child.pid)
        .collect();
    assert_eq!(all.len(), 4, "{all:?}");
    // They keep running while the connection lasts, and their output disturbs nothing.
    let answer = client.call("run_shell_command", json!({ "command": "echo on" }));
    assert!(answer.contains("\nStdout: on\n"), "{answer}");
    assert!(all.iter().all(|pid| lives(*pid)));
    drop(client);
    wait_until_gone(&all);
    wait_until_gone(&[warden]);
}

#[test]
fn what_runs_in_the_background_stays_if_the_user_wants_it() {
    let user = user("shell_background = \"keep\"\n");
    let mut client = Client::new(&user, "tool_router");
    let answer = client.json("shell", json!({ "command": "sleep 1000 >/dev/null 2>&1 & echo $!" }));
    let kept = pid(answer["stdout"].as_str().unwrap());
    assert_eq!(answer["message"], format!("Still running in the background: {kept}"));
    // A command that is still running is killed nevertheless.
    let fifo = Fifo::new(&user);
    client.begin("shell", json!({ "command": fifo.stubborn() }));
    let pids = fifo.pids(STUBBORN);
    drop(client);
    wait_until_gone(&pids);
    user.check(&["stop"], 0);
    assert!(lives(kept));
    kill_process(kept, Signal::KILL).unwrap();
}

#[test]
fn of_too_many_commands_left_behind_the_oldest_goes() {
    let user = user("");
    let mut client = Client::new(&user, "serena");
    let mut left = Vec::new();
    for _ in 0..65 {
        let answer = client
            .json("execute_shell_command", json!({ "command": "sleep 1000 >/dev/null 2>&1 & echo $!" }));
        left.push(pid(answer["stdout"].as_str().unwrap()));
    }
    wait_until_gone(&left[..1]);
    assert!(left[1..].iter().all(|pid| lives(*pid)));
    drop(client);
    wait_until_gone(&left);
}

fn pid(text: &str) -> Pid {
    Pid::from_raw(text.trim().parse().unwrap_or_else(|_| panic!("{text:?}"))).unwrap()
}
