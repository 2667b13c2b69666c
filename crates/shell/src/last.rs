//! The last command that a connection ran. Invariant: a command is stored however it ended, and of its output
//! no more than was captured.

use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// A command that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastCommand {
    /// The command as the client gave it.
    pub command: String,
    /// `None` if the command did not exit by itself.
    pub exit_code: Option<i32>,
    /// The output as it was shown to the client.
    pub output: String,
    /// The time at which it was started.
    pub executed_at: SystemTime,
}

/// The slot for a connection's last command.
#[derive(Debug, Default)]
pub struct LastCommandKept(Mutex<Option<LastCommand>>);

impl LastCommandKept {
    /// Replaces the stored command.
    pub fn keep(&self, command: LastCommand) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(command);
    }

    /// Returns the last command, if there is one.
    pub fn get(&self) -> Option<LastCommand> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
