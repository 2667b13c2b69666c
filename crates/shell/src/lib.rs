//! Runs commands for clients: one command in its own shell, without input, under a deadline; [`pty`] runs
//! those that need a terminal. Callers decide beforehand whether a command may run. Invariant: a command runs
//! in a directory of the project and in its own process group; everything it starts is killed, by SIGKILL if
//! necessary, with the call, the connection or the daemon, as the settings say.

mod background_commands;
mod captured;
mod directory;
mod environment;
mod last;
mod messages;
mod program;
pub mod pty;
mod run;
mod stream;
mod substitution;
pub mod warden;
pub(crate) mod watched_command;

use std::path::PathBuf;
use std::sync::Arc;

pub use background_commands::BackgroundCommands;
pub(crate) use captured::whole_chars;
pub use captured::{Captured, Keep};
pub use directory::Directory;
pub use environment::Environment;
pub use last::{LastCommand, LastCommandKept};
pub use messages::{RemainingProcesses, WardenMessage};
pub use program::{Shell, ShellChoice};
pub use run::{CommandOutcome, CommandRequest, ShellEnd, ShellError, can_be_run, run};
pub use substitution::Substitution;
pub use symd_sys::ChildEnd;

use symd_files::tree::FileOpError;
use symd_vfs::Root;

/// State shared by all commands of a project.
#[derive(Clone, Debug)]
pub struct Shells {
    /// The project's root.
    pub root: Arc<Root>,
    /// The symd executable, which runs the [`warden`] of each command.
    pub warden: PathBuf,
    /// What happens to processes that still run when a command has exited.
    pub background: BackgroundPolicy,
}

/// What happens to processes that a command leaves running in the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackgroundPolicy {
    /// They are killed when the connection ends.
    Reap,
    /// They are left alone once the command has exited.
    Keep,
}

impl Shells {
    /// Opens a directory of the project by the name that a client gave.
    pub fn directory(&self, text: &str) -> Result<Directory, FileOpError> {
        Directory::open(&self.root, text)
    }

    /// Finds the wanted shell in `environment`.
    pub fn shell(&self, wanted: ShellChoice, environment: &Environment) -> Result<Shell, ShellError> {
        Shell::find(wanted, environment, self.root.path()).ok_or(ShellError::NoShell)
    }
}
