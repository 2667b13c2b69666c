//! The handler of fatal signals: it writes one line, then the process dies as it would have died without the
//! handler. Invariant: the handler calls only functions that POSIX allows in handlers, and takes no lock; the
//! descriptor that it writes to stays open for the life of the process and is replaced atomically.
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

/// Signals that kill the process unless it handles them, and that leave no trace otherwise. Excludes those
/// that ask the process to exit (TERM, INT, HUP), and SIGKILL, which cannot be handled.
const FATAL: [(c_int, &str); 13] = [
    (libc::SIGABRT, "SIGABRT (it aborted itself)"),
    (libc::SIGALRM, "SIGALRM"),
    (libc::SIGBUS, "SIGBUS (a memory-mapped file was truncated, or an invalid address)"),
    (libc::SIGFPE, "SIGFPE (an invalid arithmetic operation)"),
    (libc::SIGILL, "SIGILL (an illegal instruction)"),
    (libc::SIGQUIT, "SIGQUIT"),
    (libc::SIGSEGV, "SIGSEGV (an access to an invalid address)"),
    (libc::SIGSYS, "SIGSYS (a system call that a filter forbids)"),
    (libc::SIGTRAP, "SIGTRAP"),
    (libc::SIGUSR1, "SIGUSR1"),
    (libc::SIGUSR2, "SIGUSR2"),
    (libc::SIGXCPU, "SIGXCPU (the limit of processor time, `ulimit -t`)"),
    (libc::SIGXFSZ, "SIGXFSZ (the limit of a file's size, `ulimit -f`)"),
];

/// Bytes of a thread's name, with the final NUL (prctl(2)).
const THREAD_NAME_BYTES: usize = 16;

/// The most parts of a line.
const PARTS: usize = 8;

/// The prepared text for each signal in [`FATAL`].
static PREPARED_LINES: OnceLock<[String; FATAL.len()]> = OnceLock::new();
/// The log's descriptor; negative if there is none yet.
static LOG: AtomicI32 = AtomicI32::new(-1);
/// Whether lines are also written to stderr.
static ECHOES: AtomicBool = AtomicBool::new(false);
/// The process whose death is logged: a forked child that has not called exec yet shares the handler.
static PROCESS: AtomicI32 = AtomicI32::new(0);
/// The handlers of Rust's runtime for SIGSEGV and SIGBUS, which report stack overflows.
static RUNTIMES: [OnceLock<libc::sigaction>; 2] = [OnceLock::new(), OnceLock::new()];

fn runtimes(signal: c_int) -> Option<&'static OnceLock<libc::sigaction>> {
    [libc::SIGSEGV, libc::SIGBUS].iter().position(|known| *known == signal).map(|at| &RUNTIMES[at])
}

/// See [`super::install`].
pub(super) fn install(echo: Echo) {
    ECHOES.store(echo == Echo::Stderr, Ordering::Relaxed);
    // SAFETY: getpid has no preconditions.
    let process = unsafe { libc::getpid() };
    PROCESS.store(process, Ordering::Relaxed);
    let say =
        |(_, name)| format!(" ERROR symd: this daemon (pid {process}, symd {VERSION}) is killed by {name}");
    PREPARED_LINES.get_or_init(|| FATAL.map(say));
    for (signal, _) in FATAL {
        let Some(before) = action(signal) else { continue };
        // The parent process wants this signal ignored.
        if before.sa_sigaction == libc::SIG_IGN {
            continue;
        }
        if let Some(runtimes) = runtimes(signal)
            && before.sa_sigaction != libc::SIG_DFL
        {
            // If `install` runs twice, the runtime's handler is the one found first.
            let _ = runtimes.set(before);
        }
        // The handler runs on the alternate stack that Rust's runtime gives each of its threads: the main
        // stack may have overflowed.
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
    // SAFETY: both descriptors are open, and the second is owned by this module alone, which does not care
    // which file is behind it.
    if unsafe { libc::dup3(log.as_raw_fd(), descriptor, libc::O_CLOEXEC) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Writes a line in parts to the log, and to stderr if lines are echoed; in one system call, so that no other
/// lines are interleaved.
pub(super) fn write(parts: &[&[u8]]) {
    let mut vectors = [libc::iovec { iov_base: ptr::null_mut(), iov_len: 0 }; PARTS];
    let mut count = 0;
    for (vector, part) in vectors.iter_mut().zip(parts) {
        *vector = libc::iovec { iov_base: part.as_ptr().cast_mut().cast(), iov_len: part.len() };
        count += 1;
    }
    let stderr = ECHOES.load(Ordering::Relaxed).then_some(libc::STDERR_FILENO);
    for descriptor in [Some(LOG.load(Ordering::Relaxed)), stderr].into_iter().flatten() {
        // SAFETY: the first `count` vectors point to parts that are alive and only read. An invalid
        // descriptor and a full disk return errors, which cannot be reported to anyone.
        let _ = unsafe { libc::writev(descriptor, vectors.as_ptr(), count) };
    }
}

/// Returns the current action for `signal`; `None` if sigaction(2) fails.
fn action(signal: c_int) -> Option<libc::sigaction> {
    let mut now = MaybeUninit::uninit();
    // SAFETY: sigaction has initialized the action if it returned 0.
    unsafe { (libc::sigaction(signal, ptr::null(), now.as_mut_ptr()) == 0).then(|| now.assume_init()) }
}

/// Installs `handler` for `signal`.
fn act(signal: c_int, handler: libc::sighandler_t, flags: c_int) {
    // SAFETY: an all-zero action is valid: the default one, without flags and mask. `handler` is the default
    // action, or a function that takes the parameters that the flags select.
    unsafe {
        let mut new: libc::sigaction = MaybeUninit::zeroed().assume_init();
        (new.sa_sigaction, new.sa_flags) = (handler, flags);
        libc::sigaction(signal, &raw const new, ptr::null_mut());
    }
}

/// The signal handler. When it returns, it is no longer installed for this signal.
extern "C" fn last_words(signal: c_int, info: *mut libc::siginfo_t, _context: *mut c_void) {
    // SAFETY: with SA_SIGINFO the kernel passes a valid `info`.
    let (code, sender) = unsafe { ((*info).si_code, (*info).si_pid()) };
    // Positive codes come from the kernel, for a fault of the process itself; others come from kill(2) and
    // similar calls.
    let is_sent = code <= 0;
    // SAFETY: getpid has no preconditions.
    let process = unsafe { libc::getpid() };
    if process == PROCESS.load(Ordering::Relaxed) {
        log_signal(signal, is_sent.then_some(sender).filter(|sender| *sender != process));
    }
    if let Some(runtimes) = runtimes(signal).and_then(OnceLock::get)
        && !is_sent
    {
        // When this returns, the faulting instruction runs again, faults again, and the runtime's handler
        // reports it. The runtime may then abort, with no room on this stack for another handler; the line is
        // already written.
        act(libc::SIGABRT, libc::SIG_DFL, 0);
        // SAFETY: this is the action that was installed before ours.
        unsafe { libc::sigaction(signal, runtimes, ptr::null_mut()) };
        return;
    }
    act(signal, libc::SIG_DFL, 0);
    // SAFETY: raise has no preconditions. The signal is blocked until this returns, then kills the process.
    unsafe { libc::raise(signal) };
}

fn log_signal(signal: c_int, sender: Option<libc::pid_t>) {
    let at = FATAL.iter().position(|(known, _)| *known == signal);
    let Some(said) = PREPARED_LINES.get().zip(at).and_then(|(said, at)| said.get(at)) else { return };
    let mut digits = [0; 20];
    let number = sender.and_then(|sender| u64::try_from(sender).ok());
    let taken = number.map_or(0, |number| write_digits(&mut digits, number));
    let sent: &[u8] = if taken > 0 { b", sent by process " } else { b"" };
    let mut thread = [0; THREAD_NAME_BYTES];
    // SAFETY: prctl writes at most 16 bytes.
    unsafe { libc::prctl(libc::PR_GET_NAME, thread.as_mut_ptr()) };
    let end = thread.iter().position(|byte| *byte == 0).unwrap_or(0);
    let sender = &digits[digits.len() - taken..];
    write(&[&stamp(), said.as_bytes(), sent, sender, b", in thread ", &thread[..end], b"\n"]);
}
