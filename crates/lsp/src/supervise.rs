//! The hidden command `symd supervise`: it leads the process group in which a server runs, and kills that
//! group when the server or the daemon exits, also when the daemon is killed by SIGKILL. A parent death
//! signal would not do: it does not reach grandchildren, and it fires when the thread that spawned the server
//! exits.
//!
//! The supervisor detects the daemon's death by stderr: a pipe whose only reading end is the daemon's. When
//! that end is closed, for whatever reason, the kernel reports it on the writing end (POLLERR). So no
//! descriptor is inherited beside the three that every program has.
//!
//! Limitation: programs that move to a session or group of their own (Gradle's daemon) survive. Invariant: no
//! runtime, no thread, no growing allocation; it only waits.

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitCode, ExitStatus};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, PidfdFlags, Signal};

use symd_base::processes;
use symd_sys::group;

/// How much the niceness of a server exceeds the daemon's, so that answers from syntax stay fast beside a
/// busy server.
const NICENESS: i32 = 10;
/// The exit code when the program cannot be run, as in shells.
const CANNOT_RUN: u8 = 126;
/// The offset that shells add to a signal's number for the exit code.
const SIGNAL_BASE: i32 = 128;

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
    match release_pipes().and_then(|()| wait_for_exit(&child)) {
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

/// Replaces the supervisor's copies of the server's stdin and stdout by /dev/null: with these copies open,
/// neither side would notice that the other has closed its end.
fn release_pipes() -> std::io::Result<()> {
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::CLOEXEC;
    let null = rustix::fs::open("/dev/null", flags, rustix::fs::Mode::empty())?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    Ok(())
}

fn wait_for_exit(child: &Child) -> std::io::Result<Ended> {
    let program = rustix::process::pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
    loop {
        let mut ends = [
            PollFd::new(&program, PollFlags::IN),
            // Without any requested event, poll still reports an error: that the reading end is closed.
            PollFd::from_borrowed_fd(rustix::stdio::stderr(), PollFlags::empty()),
        ];
        match rustix::event::poll(&mut ends, None) {
            Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
            Ok(_) if !ends[1].revents().is_empty() => return Ok(Ended::Daemon),
            Ok(_) if !ends[0].revents().is_empty() => return Ok(Ended::Program),
            Ok(_) => {}
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
    let code = status.code().or_else(|| Some(SIGNAL_BASE + status.signal()?));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(CANNOT_RUN)
}
