//! Failures of commands: a text that names the cause and the next step, and an exit code that scripts can
//! rely on.

use std::fmt::Display;
use std::process::ExitCode;

/// Exit codes. They must not change: scripts test for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The tool or the command failed (1).
    Failed,
    /// Invalid arguments (2).
    Usage,
    /// There is no daemon, and none could be started (3).
    NoDaemon,
    /// The language has no server (4).
    NoServer,
    /// Not ready, or timed out (5).
    NotReady,
    /// The approval was denied (6).
    Denied,
}

/// Why a command did not succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub exit: Exit,
    /// The message for people; empty if everything was already printed.
    pub text: String,
    /// Whether the daemon exited before it answered.
    pub is_lost: bool,
}

impl Exit {
    /// Returns a failure with this exit code.
    pub fn because(self, text: impl Display) -> Failure {
        Failure { exit: self, text: text.to_string(), is_lost: false }
    }

    /// Returns the failure of a request whose daemon exited before it answered.
    pub fn lost(text: impl Display) -> Failure {
        Failure { is_lost: true, ..Exit::NoDaemon.because(text) }
    }

    /// Returns a failure whose message was already printed.
    pub fn silent(self) -> Failure {
        Failure { exit: self, text: String::new(), is_lost: false }
    }

    /// Returns the exit code for an outcome named by the daemon; `None` for success.
    pub fn of_outcome(outcome: &str) -> Option<Exit> {
        match outcome {
            "done" => None,
            "no_server" => Some(Exit::NoServer),
            "not_ready" => Some(Exit::NotReady),
            "denied" => Some(Exit::Denied),
            _ => Some(Exit::Failed),
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::NoDaemon => 3,
            Exit::NoServer => 4,
            Exit::NotReady => 5,
            Exit::Denied => 6,
        })
    }
}
