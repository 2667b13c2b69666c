//! `symd daemon`: the daemon itself, in the foreground or as another symd started it.

use std::io::Write;

use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};
use crate::cli::spawn::{FAILED, READY, RUNNING};
use crate::serve::daemon::{self, Begun, Start};
use crate::serve::log::Echo;

pub(super) fn foreground(context: &Context) -> Result<(), Failure> {
    let mut begun = Begun::Ready;
    daemon::run(start(context, Echo::Stderr)?, |how| begun = how).map_err(failed)?;
    match begun {
        Begun::Ready => Ok(()),
        Begun::AlreadyRunning => Err(Exit::Failed
            .because("a daemon is running for this project; `symd stop` ends it, `symd status` shows it")),
    }
}

/// Tells the starter on stdout how it goes, then lets go of it.
pub(super) fn spawned(context: &Context) -> Result<(), Failure> {
    // Fails only where we lead a session already, which is what is wanted.
    let _ = rustix::process::setsid();
    let ended = start(context, Echo::Nowhere).and_then(|start| {
        daemon::run(start, |how| {
            tell(match how {
                Begun::Ready => READY,
                Begun::AlreadyRunning => RUNNING,
            });
        })
        .map_err(failed)
    });
    if let Err(failure) = &ended {
        // Once ready, nobody reads this any more, and it goes to the log instead.
        tracing::error!("{}", failure.text);
        tell(&format!("{FAILED}\n{}", failure.text));
    }
    ended
}

fn start(context: &Context, echo: Echo) -> Result<Start, Failure> {
    let place = context.place()?;
    // Without it everything works, but for clients whose environment says less.
    if let Err(error) = context.dirs.record() {
        tracing::warn!(%error, "where symd's files lie is not recorded");
    }
    Ok(Start {
        setup: context.setup(&place)?,
        place,
        settings: context.settings()?,
        log_filter: std::env::var("SYMD_LOG").ok(),
        echo,
    })
}

fn tell(text: &str) {
    // A starter that is gone needs no answer.
    let _ = writeln!(std::io::stdout(), "{text}");
    // Workers are being started at this moment, and must not inherit it.
    let flags = rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::CLOEXEC;
    if let Ok(null) = rustix::fs::open("/dev/null", flags, rustix::fs::Mode::empty()) {
        // The starter reads to the end, which comes when nobody holds the pipe any more.
        let _ = rustix::stdio::dup2_stdout(null);
    }
}

fn failed(error: daemon::DaemonError) -> Failure {
    Exit::NoDaemon.because(error)
}
