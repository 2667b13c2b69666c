//! The last line that a daemon writes to its log when it dies of a fatal signal ([`signals`]), or the line
//! about a panic. A daemon killed by SIGKILL writes none; the next daemon logs that (`serve::daemon`).
//! Invariant: after a signal, the line is composed and written without heap memory, without a lock (which the
//! dying thread may hold), and with little stack.

mod signals;

use std::fs::File;
use std::io;
use std::panic::PanicHookInfo;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::log::Echo;
use crate::protocol::VERSION;

/// The most characters logged of a panic's message.
const MESSAGE_CHARS: usize = 1_000;

/// Installs the handlers that log why this process dies: in the file set by [`write_to`] and, with
/// [`Echo::Stderr`], on stderr too.
pub(super) fn install(echo: Echo) {
    signals::install(echo);
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        signals::write(&[&stamp(), format_panic(panic).as_bytes()]);
        // The previous hook prints the backtrace if one is requested. It prints to stderr, which is the log
        // unless it is echoed.
        if echo == Echo::Stderr || std::env::var_os("RUST_BACKTRACE").is_some() {
            before(panic);
        }
    }));
}

/// Sets the file that the last words are written to. Must be called for each new log file, before the old one
/// is closed.
pub(super) fn write_to(log: &File) -> io::Result<()> {
    signals::write_to(log)
}

/// Returns one line about a panic.
fn format_panic(panic: &PanicHookInfo<'_>) -> String {
    let at = panic.location().map_or_else(String::new, |at| format!(" at {at}"));
    let said = panic.payload_as_str().unwrap_or("(no text)");
    let said: String =
        said.chars().take(MESSAGE_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let thread = std::thread::current();
    let thread = thread.name().unwrap_or("unnamed");
    let pid = std::process::id();
    format!(" ERROR symd: a thread panicked{at}: {said} (thread {thread}, pid {pid}, symd {VERSION})\n")
}

/// Bytes of `2026-11-22T17:27:49.123456Z`.
const STAMP_BYTES: usize = 27;

/// Returns the current time in the format of the log. Formats by hand: a signal handler has little stack, and
/// `format!` needs much.
fn stamp() -> [u8; STAMP_BYTES] {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, second) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let (year, month, day) = date(days);
    let mut stamp = *b"0000-00-00T00:00:00.000000Z";
    let micros = u64::from(since.subsec_micros());
    let fields = [
        (4, year),
        (7, month),
        (10, day),
        (13, second / 3_600),
        (16, second / 60 % 60),
        (19, second % 60),
        (26, micros),
    ];
    for (end, number) in fields {
        write_digits(&mut stamp[..end], number);
    }
    stamp
}

/// Writes `number` in decimal digits at the end of `into`; returns the number of bytes written.
fn write_digits(into: &mut [u8], mut number: u64) -> usize {
    let mut taken = 0;
    for byte in into.iter_mut().rev() {
        if number == 0 && taken > 0 {
            break;
        }
        *byte = b"0123456789"[usize::from((number % 10).to_le_bytes()[0])];
        number /= 10;
        taken += 1;
    }
    taken
}

/// Returns year, month and day (Gregorian) of the day `days` days after 1 January 1970. The computation uses
/// years that begin in March, so that a leap day is the last day of its year.
fn date(days: u64) -> (u64, u64, u64) {
    // Days since 1 March of the year 0.
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    (era * 400 + year, month, day)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::path::Path;
    use std::process::{Command, ExitStatus};

    use super::*;
    use crate::log;

    /// The environment variables that tell the child process its cause of death and its log.
    const DIE_OF: &str = "SYMD_TEST_DIE_OF";
    const LOG: &str = "SYMD_TEST_LOG";

    /// Not a test: the child process that the tests below kill. Returns at once unless they started it.
    #[test]
    fn child() {
        let (Ok(cause), Some(path)) = (std::env::var(DIE_OF), std::env::var_os(LOG)) else { return };
        log::start(Path::new(&path), "info", Echo::Nowhere).expect("a log");
        match cause.as_str() {
            "overflow" => {
                let depth = std::thread::Builder::new().name("deep".to_owned()).spawn(|| sink(u64::MAX));
                println!("{:?}", depth.expect("started").join());
            }
            "panic" => {
                let panic = || panic!("no such\nluck, {}", "ä".repeat(2_000));
                let ended = std::thread::Builder::new().name("unlucky".to_owned()).spawn(panic);
                assert!(ended.expect("started").join().is_err());
                tracing::info!("the process goes on");
            }
            other => panic!("{other}?"),
        }
    }

    #[expect(unconditional_recursion, reason = "it is to overflow its stack")]
    fn sink(depth: u64) -> u64 {
        std::hint::black_box(sink(std::hint::black_box(depth) - 1) + 1)
    }

    /// Runs a child that dies of `cause`; returns its exit status and its log.
    #[expect(clippy::disallowed_methods, reason = "a log in a scratch folder")]
    fn die_of(cause: &str) -> (ExitStatus, String) {
        let scratch = tempfile::tempdir().expect("scratch");
        let path = scratch.path().join("log");
        let mut child = Command::new(std::env::current_exe().expect("this test"));
        child.args(["--exact", "last_words::tests::child", "--nocapture"]).env_remove("RUST_BACKTRACE");
        let output = child.env(DIE_OF, cause).env(LOG, &path).output().expect("run");
        (output.status, std::fs::read_to_string(&path).expect("a log"))
    }

    #[test]
    fn an_overflow_of_the_stack_is_told_before_rusts_own_message() {
        let (status, log) = die_of("overflow");
        assert_eq!(status.signal(), Some(libc::SIGABRT), "{log}");
        let (ours, rusts) = (log.find("killed by SIGSEGV"), log.find("has overflowed its stack"));
        assert!(ours.expect("told") < rusts.expect("told by Rust too"), "{log}");
        assert!(log.contains("thread deep") && log.matches("killed by").count() == 1, "{log}");
    }

    #[test]
    fn a_panic_is_told_in_one_line() {
        let (status, log) = die_of("panic");
        assert!(status.success(), "{log}");
        let lines: Vec<&str> = log.lines().collect();
        assert!(matches!(*lines, [_, goes_on] if goes_on.contains("goes on")), "{log}");
        assert!(lines[0].contains(concat!("ERROR symd: a thread panicked at ", file!(), ":")), "{log}");
        assert!(lines[0].contains("no such luck, ää"), "{log}");
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        let known =
            [(0, (1970, 1, 1)), (11_016, (2000, 2, 29)), (11_017, (2000, 3, 1)), (20_454, (2026, 1, 1))];
        for (days, expected) in known {
            assert_eq!(date(days), expected, "{days}");
        }
        assert_eq!(date(20_453), (2025, 12, 31));
        assert_eq!(date(47_540), (2100, 2, 28));
        assert_eq!(date(47_541), (2100, 3, 1));
    }

    #[test]
    fn numbers_are_written_at_the_end() {
        let mut room = *b"....";
        assert_eq!((write_digits(&mut room, 0), &room), (1, b"...0"));
        assert_eq!((write_digits(&mut room, 107), &room), (3, b".107"));
        assert_eq!((write_digits(&mut room, 98_765), &room), (4, b"8765"));
        let stamp = String::from_utf8(stamp().to_vec()).expect("ASCII");
        assert!(stamp.starts_with("20") && stamp.ends_with('Z') && stamp.as_bytes()[19] == b'.', "{stamp}");
    }
}
