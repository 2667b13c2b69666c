//! What the hidden `symd warden` does: it starts one command, watches over everything that the command starts, and
//! ends all of it when the daemon says so or is gone, SIGKILL of the daemon included. It is a process of its own
//! because only that survives the daemon, and it is the *subreaper* of its command (prctl(2)): a process whose parent
//! ended becomes the warden's child, so even what puts itself into a session of its own is found and ended.
//!
//! stdin is a socket to the daemon ([`super::words`]); stdout and stderr are the command's, closed here as soon as it
//! runs. Invariants: no runtime, no thread; the shell is not reaped before everything else is gone, so its number is
//! its group's as long as the group is signalled.

use std::ffi::{OsStr, OsString};
use std::io::{PipeReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions};

use super::words::{END, End, LET_GO, RemainingProcesses, WardenMessage};
use symd_base::processes::{self, Process};

/// What the command line calls this.
pub const NAME: &str = "warden";
/// The command has no terminal: stdin is nothing.
pub(super) const COMMAND: &str = "command";
/// The command gets the terminal that is stdout.
pub(super) const TERMINAL: &str = "terminal";
/// Makes the terminal that is stdin the controlling one of a new session, then becomes the program.
const SEAT: &str = "seat";

/// How long what is asked to end may take before it is killed.
const GRACE: Duration = Duration::from_millis(1_000);
/// How often processes are forgotten that ended after their parent did, while the shell runs: the system tells a
/// program without signal handlers nothing of them, and they only take up a number.
const FORGET_EVERY: Duration = Duration::from_secs(10);
/// Processes whose end is awaited at a time; the others are seen when one of these ended.
const AWAITED: usize = 256;
/// The exit code when there is nothing to run, as shells have it.
const CANNOT_RUN: u8 = 126;

/// Runs the warden, or the seat that it puts its command into; `arguments` are those behind [`NAME`].
pub fn run(arguments: &[OsString]) -> ExitCode {
    let [manner, program, arguments @ ..] = arguments else { return ExitCode::from(CANNOT_RUN) };
    match manner.to_str() {
        Some(COMMAND) => watch(in_a_group(program, arguments), None, Signal::TERM),
        Some(TERMINAL) => match on_a_terminal(program, arguments) {
            // As a terminal does whose window is closed: interactive shells ignore SIGTERM.
            Ok((command, seat)) => watch(command, Some(seat), Signal::HUP),
            Err(error) => failed(&error),
        },
        Some(SEAT) => sit(program, arguments),
        _ => ExitCode::from(CANNOT_RUN),
    }
}

fn in_a_group(program: &OsStr, arguments: &[OsString]) -> Command {
    let mut command = named(program, arguments);
    command.stdin(Stdio::null()).process_group(0);
    command
}

/// The command on the terminal that is our stdout; and a pipe from the seat, on which it says why it cannot run the
/// program, or nothing.
fn on_a_terminal(program: &OsStr, arguments: &[OsString]) -> std::io::Result<(Command, PipeReader)> {
    let terminal = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    let (seat, says) = std::io::pipe()?;
    // Ours, even if another file has our name by now.
    let mut command = Command::new("/proc/self/exe");
    command.args([OsStr::new(NAME), OsStr::new(SEAT), program]).args(arguments);
    command.stdin(Stdio::from(terminal)).stderr(says);
    Ok((command, seat))
}

/// The program under its own name: a shell says "bash: …" of what is wrong, not "/usr/bin/bash: …".
fn named(program: &OsStr, arguments: &[OsString]) -> Command {
    let mut command = Command::new(program);
    command.arg0(Path::new(program).file_name().unwrap_or(program)).args(arguments);
    command
}

/// Becomes the program on the terminal. stderr is the pipe to the warden until then; that it closes says that it is done.
fn sit(program: &OsStr, arguments: &[OsString]) -> ExitCode {
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
    // Started as /proc/self/exe, it would be called "exe".
    let _ = rustix::thread::set_name(c"symd-warden");
    // A session without a terminal: nothing that is started here reaches the one in which the daemon may run. It fails
    // only for a group's leader, as which a shell starts us by hand.
    let _ = rustix::process::setsid();
    let started = rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
        .map_err(std::io::Error::from)
        .and_then(|()| command.spawn());
    let shell = match started {
        Ok(child) => Pid::from_child(&child),
        Err(error) => return failed(&error),
    };
    // Our copies of the terminal, and of the pipe, would keep them open.
    drop(command);
    let watched = give_away_streams().and_then(|()| has_sat_down(seat)).and_then(|()| {
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

/// Waits until the seat has become its program.
fn has_sat_down(seat: Option<PipeReader>) -> std::io::Result<()> {
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

/// To the daemon. If it is gone, its socket says so too, and that is where it is noticed.
fn tell(told: &WardenMessage) {
    let _ = rustix::io::write(rustix::stdio::stdin(), format!("{told}\n").as_bytes());
}

/// Closes our copies of what the command writes to, else its reader would never see the end.
fn give_away_streams() -> std::io::Result<()> {
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::CLOEXEC;
    let null = rustix::fs::open("/dev/null", flags, rustix::fs::Mode::empty())?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    Ok(())
}

struct Watch {
    shell: Pid,
    /// By what processes are asked to end.
    please: Signal,
    /// Readable when the shell has ended.
    ends: OwnedFd,
}

/// What the daemon wants.
enum Order {
    End,
    LetGo,
}

impl Watch {
    fn keep(self) -> ExitCode {
        let order = self.until_the_end().or_else(|| {
            let left = left();
            tell(&WardenMessage::Ended(how(self.shell), left));
            until_all_ended(self.shell)
        });
        match order {
            // The daemon has heard of the shell's end, or does not care.
            None | Some(Order::LetGo) => {}
            Some(Order::End) => {
                end_all(self.shell, self.please);
                tell(&WardenMessage::Ended(how(self.shell), RemainingProcesses::None));
            }
        }
        ExitCode::SUCCESS
    }

    /// Waits for the shell's end, which is `None`, or an order.
    fn until_the_end(&self) -> Option<Order> {
        loop {
            match wait(&[&self.ends], Some(FORGET_EVERY)) {
                Woken::Order(order) => return Some(order),
                Woken::Ended => return None,
                Woken::Nothing => forget_the_dead(self.shell),
            }
        }
    }
}

/// Waits until nothing is left that the command started, which is `None`, or for an order.
fn until_all_ended(shell: Pid) -> Option<Order> {
    loop {
        if left() == RemainingProcesses::None {
            return None;
        }
        forget_the_dead(shell);
        let ends = descriptors(&running());
        if let Woken::Order(order) = wait(&ends.iter().collect::<Vec<_>>(), Some(FORGET_EVERY)) {
            return Some(order);
        }
    }
}

/// What ended a wait.
enum Woken {
    Order(Order),
    /// A process ended.
    Ended,
    /// The time.
    Nothing,
}

/// Waits for the daemon, for the end of one of these processes, or for a time.
fn wait(ends: &[&OwnedFd], time: Option<Duration>) -> Woken {
    let mut awaited = vec![PollFd::from_borrowed_fd(rustix::stdio::stdin(), PollFlags::IN)];
    awaited.extend(ends.iter().map(|end| PollFd::new(*end, PollFlags::IN)));
    let time = time.and_then(|time| Timespec::try_from(time).ok());
    let woken = match rustix::event::poll(&mut awaited, time.as_ref()) {
        Err(rustix::io::Errno::INTR) => return Woken::Nothing,
        // Nothing can be watched any more: nothing may be left running.
        Err(_) => return Woken::Order(Order::End),
        Ok(woken) => woken,
    };
    if !awaited[0].revents().is_empty() {
        let mut byte = [0];
        return match rustix::io::read(rustix::stdio::stdin(), &mut byte) {
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => Woken::Nothing,
            Ok(1) if byte[0] == LET_GO => Woken::Order(Order::LetGo),
            Ok(1) if byte[0] != END => Woken::Nothing,
            // Asked for, or the daemon is gone.
            _ => Woken::Order(Order::End),
        };
    }
    if woken > 0 { Woken::Ended } else { Woken::Nothing }
}

/// Ends whatever the command started, the shell too: asks, then kills. Returns when nothing runs.
fn end_all(shell: Pid, please: Signal) {
    // One that is stopped cannot end.
    signal_all(shell, &[please, Signal::CONT]);
    let patience = Instant::now() + GRACE;
    loop {
        forget_the_dead(shell);
        let running = running();
        let left = patience.saturating_duration_since(Instant::now());
        if running.is_empty() || left.is_zero() {
            break;
        }
        wait_for_one(&running, Some(left));
    }
    loop {
        forget_the_dead(shell);
        let running = running();
        if running.is_empty() {
            return;
        }
        // What was born meanwhile is found in the next round; what is in the middle of a system call ends after it.
        signal_all(shell, &[Signal::KILL]);
        wait_for_one(&running, Some(GRACE));
    }
}

fn wait_for_one(running: &[Process], time: Option<Duration>) {
    let ends = descriptors(running);
    let mut awaited: Vec<PollFd<'_>> = ends.iter().map(|end| PollFd::new(end, PollFlags::IN)).collect();
    let time = time.and_then(|time| Timespec::try_from(time).ok());
    // Whatever came of it, the caller looks.
    let _ = rustix::event::poll(&mut awaited, time.as_ref());
}

/// Sends signals to the shell's group, all at once, and to what left it, one by one.
fn signal_all(shell: Pid, signals: &[Signal]) {
    for signal in signals {
        let _ = rustix::process::kill_process_group(shell, *signal);
    }
    for process in processes::descendants(rustix::process::getpid()) {
        if !process.lives || process.group == Some(shell) {
            continue;
        }
        let Ok(descriptor) = rustix::process::pidfd_open(process.pid, PidfdFlags::empty()) else { continue };
        // Its number may have been used again before it was opened; then its parent is another.
        let same = processes::of(process.pid).is_some_and(|now| now.parent == process.parent);
        for signal in signals.iter().filter(|_| same) {
            let _ = rustix::process::pidfd_send_signal(&descriptor, *signal);
        }
    }
}

/// What still runs of all that the command started.
fn running() -> Vec<Process> {
    let mut running = processes::descendants(rustix::process::getpid());
    running.retain(|process| process.lives);
    running
}

/// Whether anybody is left after the shell's end. Everybody is, or descends from, a living child of ours; and asked for
/// children that stopped, not for ones that ended, waitid(2) fails with ECHILD exactly if none of them lives. That
/// spares the common case a look at all processes of the machine.
fn left() -> RemainingProcesses {
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

/// Reaps our dead children but the shell.
fn forget_the_dead(shell: Pid) {
    for process in processes::children(rustix::process::getpid()) {
        if !process.lives && process.pid != shell {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
            let _ = rustix::process::waitid(WaitId::Pid(process.pid), options);
        }
    }
}

/// How the shell, which has ended, did so. It stays unreaped.
fn how(shell: Pid) -> End {
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
