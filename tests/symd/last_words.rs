//! The log of a daemon that is killed by an unexpected signal.

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};

use crate::support::User;

const SIGNALS: [(&str, i32); 7] = [
    ("SEGV", libc::SIGSEGV),
    ("BUS", libc::SIGBUS),
    ("ILL", libc::SIGILL),
    ("FPE", libc::SIGFPE),
    ("ABRT", libc::SIGABRT),
    ("XFSZ", libc::SIGXFSZ),
    ("QUIT", libc::SIGQUIT),
];

/// Starts a daemon in the foreground and waits until it listens.
fn daemon(user: &User) -> (Child, impl Iterator<Item = String>) {
    let mut daemon = user.symd().arg("daemon").stderr(Stdio::piped()).spawn().unwrap();
    let mut talk = BufReader::new(daemon.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(talk.any(|line| line.contains("ready")));
    (daemon, talk)
}

fn kill(signal: &str, daemon: &Child) {
    assert!(Command::new("kill").args(["-s", signal, &daemon.id().to_string()]).status().unwrap().success());
}

/// Whether this process, and therefore its children, ignores the signal: shells start background jobs that
/// way.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap().trim();
    u64::from_str_radix(mask, 16).unwrap() >> (signal - 1) & 1 == 1
}

#[test]
fn a_daemon_says_which_signal_killed_it_and_dies_of_it() {
    let user = User::new();
    for (signal, number) in SIGNALS.into_iter().filter(|(_, number)| !is_ignored(*number)) {
        let (mut daemon, talk) = daemon(&user);
        kill(signal, &daemon);
        assert_eq!(daemon.wait().unwrap().signal(), Some(number));
        let says = format!("ERROR symd: this daemon (pid {}, symd ", daemon.id());
        let told = |line: &str| line.contains(&says) && line.contains(&format!("is killed by SIG{signal}"));
        let log = user.check(&["logs"], 0);
        let last = log.lines().last().unwrap();
        assert!(told(last) && last.contains("sent by process "), "{signal}: {log}");
        let talk: Vec<String> = talk.collect();
        assert!(talk.last().is_some_and(|line| told(line)), "{signal}: {talk:?}");
    }
}

#[test]
fn one_that_was_started_in_the_background_does_so_too() {
    let user = User::new();
    user.check(&["start"], 0);
    let pid = user.pid();
    assert!(Command::new("kill").args(["-s", "SEGV", &pid.to_string()]).status().unwrap().success());
    let place = user.place();
    assert!(symd::serve::lock::lock_within(&place.lock(), crate::support::PATIENCE).unwrap().is_some());
    let log = user.check(&["logs"], 0);
    assert!(log.lines().last().unwrap().contains(&format!("(pid {pid}, symd ")), "{log}");
    user.check(&["start"], 0);
    let log = user.check(&["logs"], 0);
    assert!(
        log.contains("is killed by SIGSEGV") && log.contains(&format!("(pid {pid}) did not exit cleanly")),
        "{log}"
    );
}

/// The process that starts a daemon may want a signal ignored.
#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let user = User::new();
    let symd = user.symd();
    let mut shell = Command::new("sh");
    shell.env_clear().envs(symd.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.args(["-c", "trap '' QUIT; exec \"$0\" start"]).arg(symd.get_program());
    assert!(shell.current_dir(user.path("project")).status().unwrap().success());
    let pid = user.pid();
    assert!(Command::new("kill").args(["-s", "QUIT", &pid.to_string()]).status().unwrap().success());
    assert_eq!(user.pid(), pid);
    assert!(!user.check(&["logs"], 0).contains("SIGQUIT"));
}
