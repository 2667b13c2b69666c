//! Starts a daemon in the background: this program again, with a clean environment. The daemon reports on its
//! stdout whether it started, so the client can show why a start failed.

use std::ffi::OsStr;
use std::io::Read;
use std::process::{Child, Command, Stdio};

use crate::base::state;
use crate::serve::DaemonPaths;
use crate::serve::log;
use crate::serve::this_program;

use super::failure::{Exit, Failure};

/// The line that a daemon writes when its socket listens.
pub(super) const READY: &str = "ready";
/// The line that a daemon writes when another one serves the root.
pub(super) const RUNNING: &str = "running";
/// The line that a daemon writes before the reason why it did not start.
pub(super) const FAILED: &str = "failed";

/// Variables that a daemon keeps. The others belong to the client that happened to start it: a daemon
/// outlives its first client and serves others.
const KEPT: &[&str] = &[
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "PATH",
    "LANG",
    "TZ",
    "TMPDIR",
    "RUST_BACKTRACE",
    "JAVA_HOME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];
const KEPT_PREFIXES: &[&str] = &["LC_", "XDG_", "SYMD_"];

/// How many lines of the log are shown if a daemon died without a report.
const SHOWN_LOG_LINES: usize = 10;

/// Starts a daemon and waits until it, or another one, serves the root.
pub(super) fn daemon(place: &DaemonPaths) -> Result<(), Failure> {
    let failed = |what: &str, error: &dyn std::fmt::Display| {
        Exit::NoDaemon.because(format!("the daemon could not be started: {what}: {error}"))
    };
    state::private_dir(&place.state).map_err(|error| Exit::NoDaemon.because(error))?;
    let log = log::open(&place.log()).map_err(|error| failed("its log cannot be opened", &error))?;
    let program = this_program().map_err(|error| failed("this program cannot be found", &error))?;
    let mut child = Command::new(&program)
        .arg("--project")
        .arg(&place.root)
        .args(["daemon", "--spawned"])
        .env_clear()
        .envs(std::env::vars_os().filter(|(name, _)| is_kept(name)))
        // A working directory of `/` keeps no other directory busy and cannot be deleted.
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .map_err(|error| failed(&program.display().to_string(), &error))?;
    let mut said = String::new();
    if let Some(stdout) = child.stdout.as_mut() {
        stdout.read_to_string(&mut said).map_err(|error| failed("its answer cannot be read", &error))?;
    }
    match said.split_once('\n') {
        Some((READY | RUNNING, _)) => {
            reap(child);
            Ok(())
        }
        Some((FAILED, why)) => {
            reap(child);
            Err(Exit::NoDaemon.because(format!("the daemon did not start: {}", why.trim_end())))
        }
        _ => Err(died(child, place)),
    }
}

fn is_kept(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| {
        KEPT.contains(&name) || KEPT_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    })
}

/// Reaps the child in the background: no other process can while its parent lives.
fn reap(mut child: Child) {
    std::thread::spawn(move || child.wait());
}

fn died(mut child: Child, place: &DaemonPaths) -> Failure {
    let how = child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
    let log = state::read_file(&place.log()).ok().flatten().unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let lines: Vec<&str> = log.lines().collect();
    let tail = lines[lines.len().saturating_sub(SHOWN_LOG_LINES)..].join("\n  ");
    Exit::NoDaemon.because(format!("the daemon died while starting ({how}); its log ends with:\n  {tail}"))
}
