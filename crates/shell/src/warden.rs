//! The hidden `symd warden`: it starts one command, watches everything that the command starts, and kills all
//! of it when the daemon requests it or is gone, even if the daemon was killed by SIGKILL. It is a separate
//! process, because only that survives the daemon, and the subreaper of its command ([`Descendants`]), so that
//! even processes that create their own session are found and killed.
//!
//! stdin is a socket to the daemon ([`super::messages`]) and the life line; stdout and stderr are the command's and
//! are given up here once it runs. Invariant: no async runtime, no threads.

use std::ffi::{OsStr, OsString};
use std::io::{PipeReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal};

use super::messages::{END, LET_GO, RemainingProcesses, WardenMessage};
use symd_sys::child_end::CANNOT_RUN;
use symd_sys::descendants::{self, Descendants};
use symd_sys::life_line::{LifeLine, Wakeup};
use symd_sys::standard_streams::{StandardStream, give_up};
use symd_sys::{ChildEnd, ProcessHandle};

/// The name of the hidden subcommand.
pub const NAME: &str = "warden";
/// Mode: the command has no terminal, and its stdin is /dev/null.
pub(super) const COMMAND: &str = "command";
/// Mode: the command gets the terminal that is stdout.
pub(super) const TERMINAL: &str = "terminal";
/// Mode: makes the terminal on stdin the controlling terminal of a new session, then executes the program.
const TERMINAL_HELPER: &str = "seat";

/// How long processes may take to exit on request before they are killed.
const GRACE: Duration = Duration::from_millis(1_000);
/// How often zombies are reaped that exited after their parent, while the shell runs. The kernel does not
/// notify a program without signal handlers of them, and they only occupy a pid.
const FORGET_EVERY: Duration = Duration::from_secs(10);

/// Runs the warden, or the helper that executes its command on a terminal; `arguments` are those after
/// [`NAME`].
pub fn run(arguments: &[OsString]) -> ExitCode {
    let [manner, program, arguments @ ..] = arguments else { return ExitCode::from(CANNOT_RUN) };
    match manner.to_str() {
        Some(COMMAND) => watch(in_a_group(program, arguments), None, Signal::TERM),
        Some(TERMINAL) => match on_a_terminal(program, arguments) {
            // As when a terminal's window is closed: interactive shells ignore SIGTERM.
            Ok((command, seat)) => watch(command, Some(seat), Signal::HUP),
            Err(error) => failed(&error),
        },
        Some(TERMINAL_HELPER) => exec_on_terminal(program, arguments),
        _ => ExitCode::from(CANNOT_RUN),
    }
}

fn in_a_group(program: &OsStr, arguments: &[OsString]) -> Command {
    let mut command = named(program, arguments);
    command.stdin(Stdio::null()).process_group(0);
    command
}

/// Returns the command for the terminal that is our stdout, and a pipe on which the helper reports why it
/// cannot execute the program, if so.
fn on_a_terminal(program: &OsStr, arguments: &[OsString]) -> std::io::Result<(Command, PipeReader)> {
    let terminal = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    let (seat, says) = std::io::pipe()?;
    // This very program, even if another file has its path by now.
    let mut command = Command::new("/proc/self/exe");
    command.args([OsStr::new(NAME), OsStr::new(TERMINAL_HELPER), program]).args(arguments);
    command.stdin(Stdio::from(terminal)).stderr(says);
    Ok((command, seat))
}

/// Sets argv[0] to the program's file name: a shell's messages then begin with "bash: …", not "/usr/bin/bash:
/// …".
fn named(program: &OsStr, arguments: &[OsString]) -> Command {
    let mut command = Command::new(program);
    command.arg0(Path::new(program).file_name().unwrap_or(program)).args(arguments);
    command
}

/// Executes the program on the terminal. Until then stderr is the pipe to the warden; that the pipe closes
/// without text tells the warden that the program was executed.
fn exec_on_terminal(program: &OsStr, arguments: &[OsString]) -> ExitCode {
    let seated = || {
        let warden = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stderr(), 3)?;
        rustix::process::setsid()?;
        rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?;
        rustix::stdio::dup2_stderr(rustix::stdio::stdin())?;
        Ok(warden)
    };
    match seated() {
        Ok(warden) => {
            let error = named(program, arguments).exec();
            let _ = rustix::io::write(warden, error.to_string().as_bytes());
        }
        Err(errno) => {
            let error: std::io::Error = errno;
            let _ = write!(std::io::stderr(), "{error}");
        }
    }
    ExitCode::from(CANNOT_RUN)
}

fn watch(mut command: Command, seat: Option<PipeReader>, please: Signal) -> ExitCode {
    // Without a name, it would be called "exe", since it was started as /proc/self/exe.
    let _ = rustix::thread::set_name(c"symd-warden");
    // A session without a terminal: no process started here can access the terminal in which the daemon may
    // run. Fails only for the leader of a process group, which is what a shell makes of a warden started by
    // hand.
    let _ = rustix::process::setsid();
    let started =
        descendants::become_subreaper().map_err(std::io::Error::from).and_then(|()| command.spawn());
    let shell = match started {
        Ok(child) => Pid::from_child(&child),
        Err(error) => return failed(&error),
    };
    // Our copies of the terminal and of the pipe would keep them open.
    drop(command);
    let all = Descendants::led_by(shell);
    // Otherwise the reader of what the command writes would never see the end of file.
    let watched = give_up(&[StandardStream::Stdout, StandardStream::Stderr]).map_err(std::io::Error::from);
    let watched = watched.and_then(|()| wait_for_exec(seat)).and_then(|()| {
        let exit = [ProcessHandle::open(shell)?];
        Ok(Watch { shell, all, please, exit })
    });
    match watched {
        Ok(watch) => {
            tell(&WardenMessage::Started(shell.as_raw_nonzero().get()));
            watch.keep()
        }
        Err(error) => {
            all.end_all(please, GRACE);
            failed(&error)
        }
    }
}

/// Waits until the helper has executed its program.
fn wait_for_exec(seat: Option<PipeReader>) -> std::io::Result<()> {
    let mut trouble = String::new();
    if let Some(mut seat) = seat {
        seat.read_to_string(&mut trouble)?;
    }
    if trouble.is_empty() { Ok(()) } else { Err(std::io::Error::other(trouble)) }
}

fn failed(error: &std::io::Error) -> ExitCode {
    tell(&WardenMessage::Failed(error.to_string()));
    ExitCode::from(CANNOT_RUN)
}

/// Sends a message to the daemon. Ignores errors: if the daemon is gone, reading the socket shows that too.
fn tell(told: &WardenMessage) {
    let _ = rustix::io::write(rustix::stdio::stdin(), format!("{told}\n").as_bytes());
}

struct Watch {
    shell: Pid,
    all: Descendants,
    /// The signal that asks processes to exit.
    please: Signal,
    /// The shell, whose exit is awaited.
    exit: [ProcessHandle; 1],
}

/// A command from the daemon.
enum Order {
    End,
    LetGo,
}

impl Watch {
    fn keep(self) -> ExitCode {
        let order = self.until_the_end().or_else(|| {
            let left = self.remaining_processes();
            tell(&WardenMessage::Ended(self.exit_status(), left));
            self.until_all_ended()
        });
        match order {
            // The daemon knows that the shell has exited, or does not care.
            None | Some(Order::LetGo) => {}
            Some(Order::End) => {
                self.all.end_all(self.please, GRACE);
                tell(&WardenMessage::Ended(self.exit_status(), RemainingProcesses::None));
            }
        }
        ExitCode::SUCCESS
    }

    /// Waits until the shell exits (`None`) or the daemon sends an order.
    fn until_the_end(&self) -> Option<Order> {
        loop {
            match wait(&self.exit) {
                Woken::Order(order) => return Some(order),
                Woken::Exit => return None,
                Woken::Nothing => self.all.reap(),
            }
        }
    }

    /// Waits until nothing is left that the command started (`None`) or the daemon sends an order.
    fn until_all_ended(&self) -> Option<Order> {
        loop {
            if !self.all.remain() {
                return None;
            }
            self.all.reap();
            if let Woken::Order(order) = wait(&self.all.handles()) {
                return Some(order);
            }
        }
    }

    fn remaining_processes(&self) -> RemainingProcesses {
        if self.all.remain() { RemainingProcesses::Running } else { RemainingProcesses::None }
    }

    /// Returns how the shell exited. Leaves it unreaped.
    fn exit_status(&self) -> ChildEnd {
        ChildEnd::of_unreaped(self.shell).unwrap_or(ChildEnd::Code(i32::from(CANNOT_RUN)))
    }
}

/// The event that ended a wait.
enum Woken {
    Order(Order),
    /// A process has exited.
    Exit,
    /// Nothing yet.
    Nothing,
}

/// Waits for an order of the daemon, for the exit of one of `processes`, or until zombies are to be reaped.
fn wait(processes: &[ProcessHandle]) -> Woken {
    match LifeLine::on_stdin().wait(processes, Some(FORGET_EVERY)) {
        Ok(Wakeup::LifeLine) => order().map_or(Woken::Nothing, Woken::Order),
        Ok(Wakeup::Exit) => Woken::Exit,
        Ok(Wakeup::Nothing) => Woken::Nothing,
        // Nothing can be watched, so nothing may be left running.
        Err(_) => Woken::Order(Order::End),
    }
}

/// Reads an order from the life line; `None` if there is no valid one.
fn order() -> Option<Order> {
    let mut byte = [0];
    match rustix::io::read(rustix::stdio::stdin(), &mut byte) {
        Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => None,
        Ok(1) if byte[0] == LET_GO => Some(Order::LetGo),
        Ok(1) if byte[0] != END => None,
        // An explicit request, or the daemon is gone.
        _ => Some(Order::End),
    }
}
