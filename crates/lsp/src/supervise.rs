//! What the hidden `symd supervise` does: it leads the process group in which a server runs, and ends that group when
//! the server ends or the daemon does, SIGKILL of the daemon included. A death signal would not do: it does not reach
//! grandchildren, and fires when the thread that spawned the server ends.
//!
//! The life line is stderr: a pipe whose only reading end is the daemon's. When that end is gone, the system reports
//! it on our writing end (POLLERR), whatever became of the daemon. So no descriptor has to be inherited beside the
//! three that every program has.
//!
//! Out of reach: programs that put themselves in a session or group of their own (Gradle's daemon).
//! Invariant: no runtime, no thread, no allocation that grows; it only waits.

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitCode, ExitStatus};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, PidfdFlags, Signal};

use symd_base::processes;
use symd_sys::group;

/// How much less than the daemon a server is favoured: syntax answers stay fast beside a busy one.
const NICENESS: i32 = 10;
/// The exit code when the program cannot be run, as shells have it.
const CANNOT_RUN: u8 = 126;
/// What shells add to a signal's number to tell it as an exit code.
const SIGNAL_BASE: i32 = 128;

/// Runs `program` and waits for its end or the daemon's; the program's exit code, 128 + the signal that ended it.
pub fn supervise(program: &OsString, arguments: &[OsString]) -> ExitCode {
    // The daemon has made us a leader already; by hand, from a shell, nobody has. It fails only for a session's leader.
    let _ = rustix::process::setpgid(None, None);
    // Fails only where the limit is lower already.
    let _ = rustix::process::nice(NICENESS);
    let mut child = match Command::new(program).args(arguments).spawn() {
        Ok(child) => child,
        Err(error) => {
            // The daemon quotes stderr.
            let _ = writeln!(
                std::io::stderr(),
                "symd supervise: cannot run {}: {error}",
                program.to_string_lossy()
            );
            return ExitCode::from(CANNOT_RUN);
        }
    };
    match give_away_pipes().and_then(|()| wait_for_an_end(&child)) {
        Ok(Ended::Program) => {}
        Ok(Ended::Daemon) => kill_all(),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "symd supervise: cannot watch the server: {error}");
            kill_all();
        }
    }
    let status = child.wait();
    end_what_is_left();
    ExitCode::from(status.map_or(CANNOT_RUN, code_of))
}

enum Ended {
    Program,
    Daemon,
}

/// Closes our copies of the server's stdin and stdout: else each side would go on believing that the other is there.
fn give_away_pipes() -> std::io::Result<()> {
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::CLOEXEC;
    let null = rustix::fs::open("/dev/null", flags, rustix::fs::Mode::empty())?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    Ok(())
}

fn wait_for_an_end(child: &Child) -> std::io::Result<Ended> {
    let program = rustix::process::pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
    loop {
        let mut ends = [
            PollFd::new(&program, PollFlags::IN),
            // Asked for nothing, the system still tells of an error: that the reading end is closed.
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

/// Ends the group, ourselves included.
fn kill_all() {
    let _ = rustix::process::kill_current_process_group(Signal::KILL);
}

/// Ends what the program left behind in the group. We leave it first, for the daemon's own group, so that we live to
/// tell the program's exit code. Where that group is none of ours to join (the daemon is gone, or its group lies outside
/// of the container), the others are ended one by one.
fn end_what_is_left() {
    let group = rustix::process::getpid();
    let daemons = rustix::process::getppid().and_then(processes::of).and_then(|daemon| daemon.group);
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
