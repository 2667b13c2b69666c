//! The handler of signals that end a process: it writes one line, then the process dies as it would have died without it.
//! Invariant: only what POSIX lets a handler call is called in it, and no lock is taken; the descriptor it writes to
//! stays open for the life of the process, and is exchanged in one step.
#![expect(
    unsafe_code,
    reason = "handlers of SIGSEGV and the like cannot be installed by safe code, of no crate"
)]

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, IntoRawFd};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use super::{stamp, write_digits};
use crate::log::Echo;
use crate::protocol::VERSION;

/// Signals that end a process unless it handles them, and of which nobody is told otherwise. Not those that ask it to end
/// (TERM, INT, HUP), nor SIGKILL, which cannot be handled.
const FATAL: [(c_int, &str); 13] = [
    (libc::SIGABRT, "SIGABRT (it aborted itself)"),
    (libc::SIGALRM, "SIGALRM"),
    (libc::SIGBUS, "SIGBUS (a file in memory was cut short, or an address is wrong)"),
    (libc::SIGFPE, "SIGFPE (a wrong arithmetical operation)"),
    (libc::SIGILL, "SIGILL (an instruction that does not exist)"),
    (libc::SIGQUIT, "SIGQUIT"),
    (libc::SIGSEGV, "SIGSEGV (an address that is not its own)"),
    (libc::SIGSYS, "SIGSYS (a system call that a filter forbids)"),
    (libc::SIGTRAP, "SIGTRAP"),
    (libc::SIGUSR1, "SIGUSR1"),
    (libc::SIGUSR2, "SIGUSR2"),
    (libc::SIGXCPU, "SIGXCPU (the limit of processor time, `ulimit -t`)"),
    (libc::SIGXFSZ, "SIGXFSZ (the limit of a file's size, `ulimit -f`)"),
];

/// Bytes of a thread's name, with the final NUL (prctl(2)).
const THREAD_NAME_BYTES: usize = 16;

/// Most parts of a line.
const PARTS: usize = 8;

/// What is said of each of them, prepared.
static SAID: OnceLock<[String; FATAL.len()]> = OnceLock::new();
/// The log's descriptor; negative as long as there is none.
static LOG: AtomicI32 = AtomicI32::new(-1);
/// Whether lines go to stderr too.
static ECHOES: AtomicBool = AtomicBool::new(false);
/// The process that they are the last words of: a child that has not become its program yet shares the handler.
static PROCESS: AtomicI32 = AtomicI32::new(0);
/// What Rust's runtime does about SIGSEGV and SIGBUS: it tells of stacks that overflow.
static RUNTIMES: [OnceLock<libc::sigaction>; 2] = [OnceLock::new(), OnceLock::new()];

fn runtimes(signal: c_int) -> Option<&'static OnceLock<libc::sigaction>> {
    [libc::SIGSEGV, libc::SIGBUS].iter().position(|known| *known == signal).map(|at| &RUNTIMES[at])
}

/// See [`super::install`].
pub(super) fn install(echo: Echo) {
    ECHOES.store(echo == Echo::Stderr, Ordering::Relaxed);
    // SAFETY: it has no preconditions.
    let process = unsafe { libc::getpid() };
    PROCESS.store(process, Ordering::Relaxed);
    let say =
        |(_, name)| format!(" ERROR symd: this daemon (pid {process}, symd {VERSION}) is killed by {name}");
    SAID.get_or_init(|| FATAL.map(say));
    for (signal, _) in FATAL {
        let Some(before) = action(signal) else { continue };
        // Whoever started us wants it ignored.
        if before.sa_sigaction == libc::SIG_IGN {
            continue;
        }
        if let Some(runtimes) = runtimes(signal)
            && before.sa_sigaction != libc::SIG_DFL
        {
            // Installed twice, the first one's is the runtime's.
            let _ = runtimes.set(before);
        }
        // On the thread's second stack, which Rust's runtime gives each of its threads: the first may have overflowed.
        act(signal, last_words as *const () as libc::sighandler_t, libc::SA_SIGINFO | libc::SA_ONSTACK);
    }
}

/// See [`super::write_to`].
pub(super) fn write_to(log: &File) -> io::Result<()> {
    let descriptor = LOG.load(Ordering::Relaxed);
    if descriptor < 0 {
        // Never closed: a handler may be about to write to it.
        LOG.store(log.try_clone()?.into_raw_fd(), Ordering::Relaxed);
        return Ok(());
    }
    // SAFETY: both are open, and the second is of this module alone, which thinks of no file when it writes to it.
    if unsafe { libc::dup3(log.as_raw_fd(), descriptor, libc::O_CLOEXEC) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Writes a line in parts to the log, in one call so that no other lines come between, and to stderr where that is wanted.
pub(super) fn write(parts: &[&[u8]]) {
    let mut vectors = [libc::iovec { iov_base: ptr::null_mut(), iov_len: 0 }; PARTS];
    let mut count = 0;
    for (vector, part) in vectors.iter_mut().zip(parts) {
        *vector = libc::iovec { iov_base: part.as_ptr().cast_mut().cast(), iov_len: part.len() };
        count += 1;
    }
    let stderr = ECHOES.load(Ordering::Relaxed).then_some(libc::STDERR_FILENO);
    for descriptor in [Some(LOG.load(Ordering::Relaxed)), stderr].into_iter().flatten() {
        // SAFETY: so many vectors are filled in, with parts that live, and are only read. A descriptor that is none, and a full
        // disk, are errors, of which nobody is left to be told.
        let _ = unsafe { libc::writev(descriptor, vectors.as_ptr(), count) };
    }
}

/// What is done about `signal`.
fn action(signal: c_int) -> Option<libc::sigaction> {
    let mut now = MaybeUninit::uninit();
    // SAFETY: where it returns 0, it has filled in the action.
    unsafe { (libc::sigaction(signal, ptr::null(), now.as_mut_ptr()) == 0).then(|| now.assume_init()) }
}

/// Has `handler` called on `signal`.
fn act(signal: c_int, handler: libc::sighandler_t, flags: c_int) {
    // SAFETY: all zeros are an action: the default one, without flags and mask. `handler` is the default action, or a function
    // that takes what the flags say.
    unsafe {
        let mut new: libc::sigaction = MaybeUninit::zeroed().assume_init();
        (new.sa_sigaction, new.sa_flags) = (handler, flags);
        libc::sigaction(signal, &raw const new, ptr::null_mut());
    }
}

/// The handler. Whatever it returns to, it is not called for the same signal again.
extern "C" fn last_words(signal: c_int, info: *mut libc::siginfo_t, _context: *mut c_void) {
    // SAFETY: with SA_SIGINFO the system gives a valid one.
    let (code, sender) = unsafe { ((*info).si_code, (*info).si_pid()) };
    // Positive codes are the system's, about what the process did; the others come from a call of kill(2) and its like.
    let is_sent = code <= 0;
    // SAFETY: it has no preconditions.
    let process = unsafe { libc::getpid() };
    if process == PROCESS.load(Ordering::Relaxed) {
        tell_of(signal, is_sent.then_some(sender).filter(|sender| *sender != process));
    }
    if let Some(runtimes) = runtimes(signal).and_then(OnceLock::get)
        && !is_sent
    {
        // The instruction is run again when this returns, fails again, and the runtime has its say. It may abort then, with no
        // room on this stack for another handler; and the line is written.
        act(libc::SIGABRT, libc::SIG_DFL, 0);
        // SAFETY: it is the action that was in force before this one.
        unsafe { libc::sigaction(signal, runtimes, ptr::null_mut()) };
        return;
    }
    act(signal, libc::SIG_DFL, 0);
    // SAFETY: it has no preconditions. The signal waits until this returns, then ends the process.
    unsafe { libc::raise(signal) };
}

fn tell_of(signal: c_int, sender: Option<libc::pid_t>) {
    let at = FATAL.iter().position(|(known, _)| *known == signal);
    let Some(said) = SAID.get().zip(at).and_then(|(said, at)| said.get(at)) else { return };
    let mut digits = [0; 20];
    let number = sender.and_then(|sender| u64::try_from(sender).ok());
    let taken = number.map_or(0, |number| write_digits(&mut digits, number));
    let sent: &[u8] = if taken > 0 { b", sent by process " } else { b"" };
    let mut thread = [0; THREAD_NAME_BYTES];
    // SAFETY: it writes at most 16 bytes.
    unsafe { libc::prctl(libc::PR_GET_NAME, thread.as_mut_ptr()) };
    let end = thread.iter().position(|byte| *byte == 0).unwrap_or(0);
    let sender = &digits[digits.len() - taken..];
    write(&[&stamp(), said.as_bytes(), sent, sender, b", in thread ", &thread[..end], b"\n"]);
}
