//! Commands and terminals: a command that does nothing, a flood through a pipe, and as many terminals as a
//! connection may have, with and without floods beside the measured one.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use symd::shell::pty::MAX_SESSIONS;

use crate::daemon::{Connection, Daemon};
use crate::table::{Table, ms, percentiles};

/// The number of commands that do nothing.
const CALLS: usize = 300;
/// Bytes of the flood.
const FLOOD: u64 = 1_000_000_000;
/// The number of lines that each quiet terminal receives.
const LINES: usize = 4;
/// The silence that every answer of a terminal waits for.
const SILENCE: Duration = Duration::from_millis(50);
/// How long the processor time is measured.
const WATCHED: Duration = Duration::from_secs(3);

pub(crate) fn measure(table: &mut Table) {
    let scratch = tempfile::tempdir().unwrap();
    let (tree, home) = (scratch.path().join("tree"), scratch.path().join("home"));
    std::fs::create_dir_all(tree.join(".symd")).unwrap();
    let daemon = Daemon::that_asks_nobody(&tree, &home);
    let pid = daemon.status()["pid"].as_u64().unwrap();
    commands(&mut daemon.connect("tool_router"), table);
    flood(&mut daemon.connect("tool_router"), pid, table);
    for floods in [0, MAX_SESSIONS / 2] {
        terminals(&mut daemon.connect("tool_router"), pid, floods, table);
    }
}

fn commands(connection: &mut Connection, table: &mut Table) {
    let call = |connection: &mut Connection| timed(|| shell(connection, "true"));
    call(connection);
    let (p50, p99) = percentiles((0..CALLS).map(|_| call(connection).0).collect());
    let bare = || timed(|| bash("true").status().unwrap()).0;
    let (bare50, bare99) = percentiles((0..CALLS).map(|_| bare()).collect());
    table.row(
        "–",
        "shell `true` over an open connection, p50 / p99",
        format!("{} / {}", ms(p50), ms(p99)),
        format!("`bash -c true` started by the benchmark: {} / {}", ms(bare50), ms(bare99)),
        "–",
    );
}

fn flood(connection: &mut Connection, pid: u64, table: &mut Table) {
    let before = field(pid, "VmHWM:");
    let command = format!("head -c {FLOOD} /dev/zero | tr '\\0' x");
    let (took, answer) = timed(|| shell(connection, &command));
    assert_eq!((&answer["returncode"], &answer["stdout_truncated"]), (&json!(0), &json!(true)));
    let grown = field(pid, "VmHWM:") - before;
    let (bare, _) = timed(|| bash(&format!("{command} | cat > /dev/null")).status().unwrap());
    table.row(
        "–",
        "a command that prints 1 GB: time, growth of the daemon's peak memory",
        format!("{}, {grown} KiB", ms(took)),
        format!("into `cat > /dev/null`: {}", ms(bare)),
        "bounded",
    );
}

fn terminals(connection: &mut Connection, pid: u64, floods: usize, table: &mut Table) {
    let before = (field(pid, "VmHWM:"), field(pid, "Threads:"));
    let (started, ()) = timed(|| {
        for number in 0..MAX_SESSIONS {
            let program = if number < floods { "yes" } else { "cat" };
            let arguments = json!({ "session_id": number.to_string(), "cmd": format!("exec {program}") });
            connection.call("exec_command", &arguments);
        }
    });
    let mut samples = Vec::new();
    for round in 0..LINES {
        for number in floods..MAX_SESSIONS {
            let line = format!("line {round}\n");
            let arguments = json!({ "session_id": number.to_string(), "chars": line });
            let (took, answer) = timed(|| connection.call("write_stdin", &arguments));
            let answer: Value = serde_json::from_str(&answer).unwrap();
            assert_eq!(answer["output"], line.repeat(2), "terminal {number}");
            samples.push(took.saturating_sub(SILENCE));
        }
    }
    for number in 0..floods {
        let answer =
            connection.call("write_stdin", &json!({ "session_id": number.to_string(), "chars": "" }));
        assert!(answer.ends_with("\"truncated\":true}"), "terminal {number} is starved");
    }
    let ticks = ticks(pid);
    // No requests meanwhile: the measured time is the cost of the floods.
    let (_, ()) = timed(|| watch(WATCHED));
    let busy = (self::ticks(pid) - ticks) as f64 / 100.0 / WATCHED.as_secs_f64();
    let (p50, p99) = percentiles(samples);
    let grown = field(pid, "VmHWM:") - before.0;
    let what = format!("{MAX_SESSIONS} terminals, {floods} of them flooding");
    table.row(
        "–",
        &format!("{what}: a line there and back beside the 50 ms of silence, p50 / p99"),
        format!("{} / {}", ms(p50), ms(p99)),
        format!("all started in {}, 50 ms of silence each included", ms(started)),
        "none starves",
    );
    table.row(
        "–",
        &format!("{what}: growth of the daemon's peak memory, its processors, threads"),
        format!("{grown} KiB, {busy:.2}, {} (before: {})", field(pid, "Threads:"), before.1),
        format!("caps: {} KiB of unread output", MAX_SESSIONS * 32),
        "under 24 MiB",
    );
}

fn shell(connection: &mut Connection, command: &str) -> Value {
    serde_json::from_str(&connection.call("shell", &json!({ "command": command }))).unwrap()
}

fn bash(command: &str) -> Command {
    let mut bash = Command::new("bash");
    bash.args(["-c", command]).stdin(Stdio::null()).stdout(Stdio::null());
    bash
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let started = Instant::now();
    let done = work();
    (started.elapsed(), done)
}

fn watch(time: Duration) {
    let time = rustix::event::Timespec::try_from(time).unwrap();
    rustix::event::poll(&mut [], Some(&time)).unwrap();
}

/// Returns a line of /proc/PID/status.
fn field(pid: u64, name: &str) -> u64 {
    let status = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Returns the processor time of a process, in hundredths of a second.
fn ticks(pid: u64) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}
