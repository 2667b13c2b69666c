//! Getting language servers from the registries their authors use, into symd's own data directory: pinned versions,
//! reviewed hashes, one installer at a time. Starts no server and knows no LSP. Invariant: a server's directory
//! shows the old installation or the new one, whole, at every moment; what fails half-way leaves nothing.

mod child;
mod environment;
mod home;
mod locate;
mod lock;
mod manifest;
mod pinned;
mod pins;
mod registry;
mod run;
mod wanted;

use std::path::PathBuf;

pub use environment::Surroundings;
pub use home::{Home, servers_directory};
pub use locate::{LocatedServer, ServerOrigin, locate};
pub use lock::{InstallLock, Locking};
pub use manifest::Manifest;
pub use run::{Force, InstallOutcome, InstallProgress, Installer};
pub use wanted::{Resolved, ServerSource, default_server, resolve, source_of};

use symd_base::state::StateError;

/// Why a server could not be installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// symd's own files could not be written.
    #[error(transparent)]
    State(#[from] StateError),
    /// The registry's own program is not there.
    #[error("{tool} is not on PATH; {hint}")]
    NoTool {
        /// `npm`.
        tool: &'static str,
        /// How to get it.
        hint: &'static str,
    },
    /// symd does not install this one.
    #[error("symd does not install it: {hint}")]
    ByHand {
        /// What to do.
        hint: String,
    },
    /// A program that was needed could not be started.
    #[error("cannot run {}: {source}", program.display())]
    CannotRun {
        /// The program.
        program: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A program that was needed failed.
    #[error("{what} failed ({how}); its last lines:\n{tail}")]
    Failed {
        /// `npm ci`.
        what: String,
        /// `exit status: 1`.
        how: String,
        /// What it said last, indented.
        tail: String,
    },
    /// The installation went through and the server is not in it.
    #[error(
        "{parts} brought no program {command:?}; the `command` or the `install` of this server in languages.toml is wrong"
    )]
    NoProgram {
        /// What was installed.
        parts: String,
        /// What languages.toml runs.
        command: String,
    },
    /// Somebody pressed ctrl-C, or asked the process to end.
    #[error("interrupted; nothing of it was left behind")]
    Interrupted,
}
