//! Running commands for clients: one command in a shell of its own, with nothing to read, under a deadline. What needs
//! a terminal is in [`pty`]. Whether a command may run at all is decided before it comes here.
//! Invariant: a command runs in a directory of the project and in a process group of its own, and what it starts is
//! ended with the call, the connection or the daemon, as the settings say, and by SIGKILL if need be.

mod captured;
mod directory;
mod environment;
mod last;
mod left_behind;
mod program;
pub mod pty;
mod run;
mod stream;
mod substitution;
pub(crate) mod ward;
pub mod warden;
mod words;

use std::path::PathBuf;
use std::sync::Arc;

pub(crate) use captured::whole_chars;
pub use captured::{Captured, Keep};
pub use directory::Directory;
pub use environment::Environment;
pub use last::{LastCommand, LastCommandKept};
pub use left_behind::LeftBehind;
pub use program::{Shell, ShellChoice};
pub use run::{CommandRequest, Finish, Ran, ShellError, can_be_run, run};
pub use substitution::Substitution;
pub use words::{End, RemainingProcesses, WardenMessage};

use symd_files::tree::FileOpError;
use symd_vfs::Root;

/// What all commands of a project share.
#[derive(Clone, Debug)]
pub struct Shells {
    /// The project's root.
    pub root: Arc<Root>,
    /// symd itself, which watches over each command ([`warden`]).
    pub warden: PathBuf,
    /// What becomes of what runs on when a command has ended.
    pub afterwards: Afterwards,
}

/// What becomes of processes that a command leaves running in the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Afterwards {
    /// They are ended when the connection ends.
    Reap,
    /// They are left alone from the moment the command has ended.
    Keep,
}

impl Shells {
    /// A directory of the project, as a client names it.
    pub fn directory(&self, text: &str) -> Result<Directory, FileOpError> {
        Directory::open(&self.root, text)
    }

    /// The shell that is wanted, as `environment` has it.
    pub fn shell(&self, wanted: ShellChoice, environment: &Environment) -> Result<Shell, ShellError> {
        Shell::find(wanted, environment, self.root.path()).ok_or(ShellError::NoShell)
    }
}
