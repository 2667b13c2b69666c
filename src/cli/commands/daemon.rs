//! `symd daemon`: runs the daemon, in the foreground or as another symd started it.

use std::io::Write;

use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};
use crate::cli::spawn::{FAILED, READY, RUNNING};
use crate::serve::daemon::{self, DaemonOptions, StartResult};
use crate::serve::log::Echo;

pub(super) fn foreground(context: &Context) -> Result<(), Failure> {
    let mut begun = StartResult::Ready;
    daemon::run(start(context, Echo::Stderr)?, |how| begun = how).map_err(failed)?;
    match begun {
        StartResult::Ready => Ok(()),
        StartResult::AlreadyRunning => Err(Exit::Failed
            .because("a daemon is running for this project; `symd stop` stops it, `symd status` shows it")),
    }
}

/// Reports on stdout whether the daemon started, then closes stdout.
pub(super) fn spawned(context: &Context) -> Result<(), Failure> {
    // Fails only if this process leads a session already, which is the goal.
    let _ = rustix::process::setsid();
    let ended = start(context, Echo::Nowhere).and_then(|start| {
        daemon::run(start, |how| {
            tell(match how {
                StartResult::Ready => READY,
                StartResult::AlreadyRunning => RUNNING,
            });
        })
        .map_err(failed)
    });
    if let Err(failure) = &ended {
        // After the report that the daemon is ready, stdout is closed, so the error is also logged.
        tracing::error!("{}", failure.text);
        tell(&format!("{FAILED}\n{}", failure.text));
    }
    ended
}

fn start(context: &Context, echo: Echo) -> Result<DaemonOptions, Failure> {
    let place = context.place()?;
    // Without the record, only clients whose environment lacks these variables are affected.
    if let Err(error) = context.dirs.record() {
        tracing::warn!(%error, "cannot record where symd's files are");
    }
    Ok(DaemonOptions {
        setup: context.setup(&place)?,
        place,
        settings: context.settings()?,
        log_filter: std::env::var("SYMD_LOG").ok(),
        echo,
    })
}

fn tell(text: &str) {
    // An error means that the starting process is gone.
    let _ = writeln!(std::io::stdout(), "{text}");
    // CLOEXEC: workers may be started at this moment and must not inherit the descriptor.
    let flags = rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::CLOEXEC;
    if let Ok(null) = rustix::fs::open("/dev/null", flags, rustix::fs::Mode::empty()) {
        // The starting process reads until no process holds the pipe any more.
        let _ = rustix::stdio::dup2_stdout(null);
    }
}

fn failed(error: daemon::DaemonError) -> Failure {
    Exit::NoDaemon.because(error)
}
