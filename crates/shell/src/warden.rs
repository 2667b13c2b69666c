//! The hidden `symd warden`: it starts one command, watches everything that the command starts, and kills all
//! of it when the daemon requests it or is gone, even if the daemon was killed by SIGKILL. It is a separate
//! process, because only that survives the daemon, and the *subreaper* of its command (prctl(2)): a process
//! whose parent exited becomes the warden's child, so even processes that create their own session are found
//! and killed.
//!
//! stdin is a socket to the daemon ([`super::messages`]); stdout and stderr are the command's and are closed
//! here once it runs. Invariants: no async runtime, no threads; the shell is reaped only after everything
//! else has exited, so its pid stays the id of its process group as long as the group is signalled.

use std::ffi::{OsStr, OsString};
use std::io::{PipeReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions};

use super::messages::{END, End, LET_GO, RemainingProcesses, WardenMessage};
use symd_base::processes::{self, Process};

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
/// The most processes whose exit is awaited at a time; the others are checked when one of these has exited.
const AWAITED: usize = 256;
/// The exit code if the program cannot be executed, as in shells.
const CANNOT_RUN: u8 = 126;

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
    let started = rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
        .map_err(std::io::Error::from)
        .and_then(|()| command.spawn());
    let shell = match started {
        Ok(child) => Pid::from_child(&child),
        Err(error) => return failed(&error),
    };
    // Our copies of the terminal and of the pipe would keep them open.
    drop(command);
    let watched = give_away_streams().and_then(|()| wait_for_exec(seat)).and_then(|()| {
        let ends = rustix::process::pidfd_open(shell, PidfdFlags::empty())?;
        Ok(Watch { shell, please, ends })
    });
    match watched {
        Ok(watch) => {
            tell(&WardenMessage::Started(shell.as_raw_nonzero().get()));
            watch.keep()
        }
        Err(error) => {
            end_all(shell, please);
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

/// Closes our copies of the descriptors that the command writes to; otherwise their reader would never see
/// the end of file.
fn give_away_streams() -> std::io::Result<()> {
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::CLOEXEC;
    let null = rustix::fs::open("/dev/null", flags, rustix::fs::Mode::empty())?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    Ok(())
}

struct Watch {
    shell: Pid,
    /// The signal that asks processes to exit.
    please: Signal,
    /// A pidfd, readable when the shell has exited.
    ends: OwnedFd,
}

/// A command from the daemon.
enum Order {
    End,
    LetGo,
}

impl Watch {
    fn keep(self) -> ExitCode {
        let order = self.until_the_end().or_else(|| {
            let left = remaining_processes();
            tell(&WardenMessage::Ended(exit_status(self.shell), left));
            until_all_ended(self.shell)
        });
        match order {
            // The daemon knows that the shell has exited, or does not care.
            None | Some(Order::LetGo) => {}
            Some(Order::End) => {
                end_all(self.shell, self.please);
                tell(&WardenMessage::Ended(exit_status(self.shell), RemainingProcesses::None));
            }
        }
        ExitCode::SUCCESS
    }

    /// Waits until the shell exits (`None`) or the daemon sends an order.
    fn until_the_end(&self) -> Option<Order> {
        loop {
            match wait(&[&self.ends], Some(FORGET_EVERY)) {
                Woken::Order(order) => return Some(order),
                Woken::Ended => return None,
                Woken::Nothing => reap_zombies(self.shell),
            }
        }
    }
}

/// Waits until nothing is left that the command started (`None`) or the daemon sends an order.
fn until_all_ended(shell: Pid) -> Option<Order> {
    loop {
        if remaining_processes() == RemainingProcesses::None {
            return None;
        }
        reap_zombies(shell);
        let ends = descriptors(&running());
        if let Woken::Order(order) = wait(&ends.iter().collect::<Vec<_>>(), Some(FORGET_EVERY)) {
            return Some(order);
        }
    }
}

/// The event that ended a wait.
enum Woken {
    Order(Order),
    /// A process has exited.
    Ended,
    /// The time-out passed.
    Nothing,
}

/// Waits for an order of the daemon, for the exit of one of the processes behind `ends`, or for a time-out.
fn wait(ends: &[&OwnedFd], time: Option<Duration>) -> Woken {
    let mut awaited = vec![PollFd::from_borrowed_fd(rustix::stdio::stdin(), PollFlags::IN)];
    awaited.extend(ends.iter().map(|end| PollFd::new(*end, PollFlags::IN)));
    let time = time.and_then(|time| Timespec::try_from(time).ok());
    let woken = match rustix::event::poll(&mut awaited, time.as_ref()) {
        Err(rustix::io::Errno::INTR) => return Woken::Nothing,
        // If polling fails, nothing can be watched, so nothing may be left running.
        Err(_) => return Woken::Order(Order::End),
        Ok(woken) => woken,
    };
    if !awaited[0].revents().is_empty() {
        let mut byte = [0];
        return match rustix::io::read(rustix::stdio::stdin(), &mut byte) {
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => Woken::Nothing,
            Ok(1) if byte[0] == LET_GO => Woken::Order(Order::LetGo),
            Ok(1) if byte[0] != END => Woken::Nothing,
            // An explicit request, or the daemon is gone.
            _ => Woken::Order(Order::End),
        };
    }
    if woken > 0 { Woken::Ended } else { Woken::Nothing }
}

/// Terminates everything that the command started, including the shell: first asks, then kills. Returns when
/// nothing runs.
fn end_all(shell: Pid, please: Signal) {
    // SIGCONT, because a stopped process cannot handle the signal.
    signal_all(shell, &[please, Signal::CONT]);
    let patience = Instant::now() + GRACE;
    loop {
        reap_zombies(shell);
        let running = running();
        let left = patience.saturating_duration_since(Instant::now());
        if running.is_empty() || left.is_zero() {
            break;
        }
        wait_for_one(&running, Some(left));
    }
    loop {
        reap_zombies(shell);
        let running = running();
        if running.is_empty() {
            return;
        }
        // Processes that were created meanwhile are found in the next round; a process inside a system call
        // exits after it.
        signal_all(shell, &[Signal::KILL]);
        wait_for_one(&running, Some(GRACE));
    }
}

fn wait_for_one(running: &[Process], time: Option<Duration>) {
    let ends = descriptors(running);
    let mut awaited: Vec<PollFd<'_>> = ends.iter().map(|end| PollFd::new(end, PollFlags::IN)).collect();
    let time = time.and_then(|time| Timespec::try_from(time).ok());
    // The caller checks the processes again, whatever the result.
    let _ = rustix::event::poll(&mut awaited, time.as_ref());
}

/// Sends signals to the shell's process group at once, and to processes that left the group one by one.
fn signal_all(shell: Pid, signals: &[Signal]) {
    for signal in signals {
        let _ = rustix::process::kill_process_group(shell, *signal);
    }
    for process in processes::descendants(rustix::process::getpid()) {
        if !process.is_alive || process.group == Some(shell) {
            continue;
        }
        let Ok(descriptor) = rustix::process::pidfd_open(process.pid, PidfdFlags::empty()) else { continue };
        // The pid may have been reused before the pidfd was opened; then its parent is a different one.
        let same = processes::by_pid(process.pid).is_some_and(|now| now.parent == process.parent);
        for signal in signals.iter().filter(|_| same) {
            let _ = rustix::process::pidfd_send_signal(&descriptor, *signal);
        }
    }
}

/// Returns all processes that the command started and that still run.
fn running() -> Vec<Process> {
    let mut running = processes::descendants(rustix::process::getpid());
    running.retain(|process| process.is_alive);
    running
}

/// Reports whether any process is left after the shell's exit. Each of them is a living child of ours, or
/// descends from one; and if asked for stopped children, not for exited ones, waitid(2) fails with ECHILD
/// exactly if no child is alive. In the common case this avoids a scan of all processes of the machine.
fn remaining_processes() -> RemainingProcesses {
    let options = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    match rustix::process::waitid(WaitId::All, options) {
        Err(rustix::io::Errno::CHILD) => RemainingProcesses::None,
        _ => RemainingProcesses::Running,
    }
}

fn descriptors(processes: &[Process]) -> Vec<OwnedFd> {
    let open = |process: &Process| rustix::process::pidfd_open(process.pid, PidfdFlags::empty()).ok();
    processes.iter().take(AWAITED).filter_map(open).collect()
}

/// Reaps our dead children except the shell.
fn reap_zombies(shell: Pid) {
    for process in processes::children(rustix::process::getpid()) {
        if !process.is_alive && process.pid != shell {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
            let _ = rustix::process::waitid(WaitId::Pid(process.pid), options);
        }
    }
}

/// Returns how the shell exited. Leaves it unreaped.
fn exit_status(shell: Pid) -> End {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    let status = rustix::process::waitid(WaitId::Pid(shell), options).ok().flatten();
    let code = status.as_ref().and_then(rustix::process::WaitIdStatus::exit_status);
    let signal = status.as_ref().and_then(rustix::process::WaitIdStatus::terminating_signal);
    match (code, signal) {
        (Some(code), _) => End::Code(code),
        (None, Some(signal)) => End::Signal(signal),
        (None, None) => End::Code(i32::from(CANNOT_RUN)),
    }
}
