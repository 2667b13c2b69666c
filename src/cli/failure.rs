//! How a command fails: a text that names cause and next step, and an exit code that scripts can rely on.

use std::fmt::Display;
use std::process::ExitCode;

/// Exit codes. Fixed: scripts test for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The tool or the command failed.
    Failed,
    /// It was called wrongly.
    Usage,
    /// There is no daemon, and none could be started.
    NoDaemon,
    /// The language has no server.
    NoServer,
    /// Not ready, or out of time.
    NotReady,
    /// The approval was denied.
    Denied,
}

/// Why a command ends without success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// For people; empty when everything has been said.
    pub text: String,
    /// Whether the daemon ended before it answered.
    pub is_lost: bool,
}

impl Exit {
    /// A failure with this exit code.
    pub fn because(self, text: impl Display) -> Failure {
        Failure { exit: self, text: text.to_string(), is_lost: false }
    }

    /// The failure of a request whose daemon ended before it answered.
    pub fn lost(text: impl Display) -> Failure {
        Failure { is_lost: true, ..Exit::NoDaemon.because(text) }
    }

    /// A failure that has told everything already.
    pub fn silent(self) -> Failure {
        Failure { exit: self, text: String::new(), is_lost: false }
    }

    /// The exit code of an outcome as the daemon names it.
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
