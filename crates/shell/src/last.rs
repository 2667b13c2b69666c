//! The command that a connection ran last. Invariant: a command is remembered however it ended, and of its output no
//! more than was kept of it.

use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// A command that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastCommand {
    /// As it was given.
    pub command: String,
    /// None if it was not ended by itself.
    pub exit_code: Option<i32>,
    /// What it printed, as it was shown.
    pub output: String,
    /// When it was started.
    pub executed_at: SystemTime,
}

/// Where a connection keeps it.
#[derive(Debug, Default)]
pub struct LastCommandKept(Mutex<Option<LastCommand>>);

impl LastCommandKept {
    /// Replaces it.
    pub fn keep(&self, command: LastCommand) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(command);
    }

    /// The last one, if there was any.
    pub fn get(&self) -> Option<LastCommand> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
