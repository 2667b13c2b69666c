//! Installs language servers from the registries that their authors use into symd's own data directory:
//! pinned versions, reviewed hashes, one installer at a time. Starts no server and does not speak LSP.
//! Invariant: a server's directory shows the complete old or the complete new installation at every moment; a
//! failed installation leaves no files.

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

pub use environment::InstallEnvironment;
pub use home::{Home, servers_directory};
pub use locate::{LocatedServer, ServerOrigin, locate};
pub use lock::{InstallLock, Locking};
pub use manifest::Manifest;
pub use run::{InstallOutcome, InstallProgress, Installer, Reinstall};
pub use wanted::{Resolved, ServerSource, default_server, resolve, source_of};

use symd_base::state::StateError;

/// Why a server could not be installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// symd's own files could not be written.
    #[error(transparent)]
    State(#[from] StateError),
    /// The registry's client program is not on PATH.
    #[error("{tool} is not on PATH; {hint}")]
    NoTool {
        /// The client program: `npm`.
        tool: &'static str,
        /// How to install the client program.
        hint: &'static str,
    },
    /// symd does not install this server.
    #[error("symd does not install it: {hint}")]
    ByHand {
        /// What the user has to do.
        hint: String,
    },
    /// A program that the installation runs could not be started.
    #[error("cannot run {}: {source}", program.display())]
    CannotRun {
        /// The program's path.
        program: PathBuf,
        source: std::io::Error,
    },
    /// A program that the installation runs exited with an error.
    #[error("{what} failed ({how}); its last lines:\n{tail}")]
    Failed {
        /// The command: `npm ci`.
        what: String,
        /// The exit status: `exit status: 1`.
        how: String,
        /// The last lines of its output, indented.
        tail: String,
    },
    /// The installation succeeded, but the server's program is not in it.
    #[error(
        "{parts} did not install the program {command:?}; correct `command` or `install` of this server in languages.toml"
    )]
    NoProgram {
        /// The parts that were installed.
        parts: String,
        /// The server's `command` in languages.toml.
        command: String,
    },
    /// SIGINT (ctrl-C), SIGTERM or SIGHUP arrived during the installation.
    #[error("interrupted; the unfinished installation was removed")]
    Interrupted,
}
