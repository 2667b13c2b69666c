//! The hidden command `symd supervise`: it leads the process group in which a server runs, and kills that
//! group when the server or the daemon exits, also when the daemon is killed by SIGKILL. A parent death
//! signal would not do: it does not reach grandchildren, and it fires when the thread that spawned the server
//! exits.
//!
//! Its life line ([`LifeLine`]) is stderr, whose only reading end is the daemon's.
//!
//! Limitation: programs that move to a session or group of their own (Gradle's daemon) survive. Invariant: no
//! runtime, no thread, no growing allocation; it only waits.

use std::ffi::OsString;
use std::io::Write;
use std::process::{Child, Command, ExitCode, ExitStatus};

use rustix::process::{Pid, Signal};

use symd_sys::child_end::CANNOT_RUN;
use symd_sys::life_line::{LifeLine, Wakeup};
use symd_sys::standard_streams::{StandardStream, give_up};
use symd_sys::{ChildEnd, ProcessHandle, group, processes};

/// How much the niceness of a server exceeds the daemon's, so that answers from syntax stay fast beside a
/// busy server.
const NICENESS: i32 = 10;

/// Runs `program` and waits until it or the daemon exits. Returns the program's exit code, or 128 + the
/// signal that killed it.
pub fn supervise(program: &OsString, arguments: &[OsString]) -> ExitCode {
    // The daemon has made this process a group leader already, a shell has not. The call fails only for a
    // session leader.
    let _ = rustix::process::setpgid(None, None);
    // Fails only if the limit is lower already.
    let _ = rustix::process::nice(NICENESS);
    let mut child = match Command::new(program).args(arguments).spawn() {
        Ok(child) => child,
        Err(error) => {
            // The daemon quotes stderr in its error message.
            let _ = writeln!(
                std::io::stderr(),
                "symd supervise: cannot run {}: {error}",
                program.to_string_lossy()
            );
            return ExitCode::from(CANNOT_RUN);
        }
    };
    match wait_for_exit(&child) {
        Ok(Ended::Program) => {}
        Ok(Ended::Daemon) => kill_all(),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "symd supervise: cannot watch the server: {error}");
            kill_all();
        }
    }
    let status = child.wait();
    kill_remaining();
    ExitCode::from(status.map_or(CANNOT_RUN, code_of))
}

enum Ended {
    Program,
    Daemon,
}

fn wait_for_exit(child: &Child) -> std::io::Result<Ended> {
    // stderr is the life line.
    give_up(&[StandardStream::Stdin, StandardStream::Stdout])?;
    let program = [ProcessHandle::open(Pid::from_child(child))?];
    loop {
        match LifeLine::on_stderr().wait(&program, None)? {
            Wakeup::LifeLine => return Ok(Ended::Daemon),
            Wakeup::Exit => return Ok(Ended::Program),
            Wakeup::Nothing => {}
        }
    }
}

/// Kills the process group, including this process.
fn kill_all() {
    let _ = rustix::process::kill_current_process_group(Signal::KILL);
}

/// Kills the processes that the program left behind in the group. This process first moves to the daemon's
/// group, so that it survives to return the program's exit code. If it cannot (the daemon has exited, or its
/// group is outside the container), the other processes are killed one by one.
fn kill_remaining() {
    let group = rustix::process::getpid();
    let daemons = rustix::process::getppid().and_then(processes::by_pid).and_then(|daemon| daemon.group);
    let elsewhere = daemons.filter(|daemons| *daemons != group);
    if elsewhere.is_some_and(|elsewhere| rustix::process::setpgid(None, Some(elsewhere)).is_ok()) {
        group::kill(group);
    } else {
        group::kill_all_but_leader(group);
    }
}

fn code_of(status: ExitStatus) -> u8 {
    ChildEnd::of(status).and_then(|end| u8::try_from(end.to_code()).ok()).unwrap_or(CANNOT_RUN)
}
