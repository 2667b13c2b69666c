//! The paths of one root's daemon: socket, lock, log and cache. Only [`DaemonPaths::prepare`] and
//! [`DaemonPaths::verify`] create anything. Invariant: client and daemon compute the same paths from the same
//! environment.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use symd_base::ContentHash;
use symd_base::state::{self, PersistentDirs, StateDirs, StateError};
use symd_config::approvals::user_file;
use symd_config::roots::repository_of;

/// The longest path of a socket, in bytes, that every Unix accepts: macOS has 104 with the final NUL, Linux
/// 108.
const SOCKET_PATH_BYTES: usize = 103;

/// The name of the directory, in the cache, with the outlines of all repositories.
pub const OUTLINES: &str = "outlines";

/// The paths of one root's daemon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DaemonPaths {
    /// The project root.
    pub root: PathBuf,
    /// The directory with the socket directories of all daemons of this user.
    pub runtime_base: PathBuf,
    /// The directory with this daemon's socket and lock.
    pub runtime: PathBuf,
    /// The directory of this daemon's temporary files: in the runtime directory that its own environment
    /// names.
    pub scratch: PathBuf,
    /// The directories whose files outlive a daemon.
    pub persistent: PersistentDirs,
    /// Outlines, shared by all work trees of a repository.
    pub outlines: PathBuf,
    /// The directory of this daemon's logs and other persistent state.
    pub state: PathBuf,
    /// The directory with the state of all projects of this user, and the list of them.
    pub state_of_all: PathBuf,
    /// Language servers that symd installed, for all projects.
    pub installed_servers: PathBuf,
    /// The user's approval settings, for all projects.
    pub approvals: PathBuf,
}

impl DaemonPaths {
    /// Computes the paths of the daemon for `root`, which must be canonical.
    pub fn new(dirs: &StateDirs, root: &Path) -> DaemonPaths {
        let name = name_of(root);
        let runtime_base = runtime_base(&dirs.sockets);
        DaemonPaths {
            root: root.to_owned(),
            runtime: runtime_base.join(&name),
            runtime_base,
            scratch: dirs.runtime.join(&name),
            persistent: dirs.persistent.clone(),
            outlines: dirs.persistent.cache.join(OUTLINES).join(name_of(&repository_of(root))),
            state: dirs.persistent.state.join(&name),
            state_of_all: dirs.persistent.state.clone(),
            installed_servers: dirs.persistent.data.join("servers"),
            approvals: user_file(&dirs.persistent.config),
        }
    }

    /// Returns the directory with the outlines of all repositories of this user.
    pub fn outlines_of_all(&self) -> &Path {
        self.outlines.parent().unwrap_or(&self.outlines)
    }

    pub fn socket(&self) -> PathBuf {
        self.runtime.join("s.sock")
    }

    /// Returns the directory in which each `symd lsp` with this project is present ([`crate::base`]'s presences).
    pub fn editors(&self) -> PathBuf {
        self.state.join("editors")
    }

    /// Returns the lock that the daemon holds until it exits.
    pub fn lock(&self) -> PathBuf {
        self.runtime.join("lock")
    }

    /// Returns the lock that a starting daemon holds until its socket listens.
    pub fn start_lock(&self) -> PathBuf {
        self.runtime.join("start.lock")
    }

    /// Returns the daemon's metadata file: pid, version, directories.
    pub fn meta(&self) -> PathBuf {
        self.runtime.join("meta.json")
    }

    /// Returns the directory in which the engine creates its barrier files.
    pub fn barrier(&self) -> PathBuf {
        self.scratch.join("barrier")
    }

    /// Returns the file that holds the root's path, for `symd gc`.
    pub fn root_note(&self) -> PathBuf {
        self.state.join("root")
    }

    /// Returns the directory with the files of this project's language servers: logs, and one directory per
    /// server.
    pub fn servers(&self) -> PathBuf {
        self.state.join("servers")
    }

    /// Returns the directory in which connections prove that they are the user's own.
    pub fn proofs(&self) -> PathBuf {
        self.state.join("proofs")
    }

    /// Returns the directory with the history of edits, and the journal of an edit in progress.
    pub fn edits(&self) -> PathBuf {
        self.state.join("edits")
    }

    /// Returns the list of texts that are no longer parsed.
    pub fn quarantine(&self) -> PathBuf {
        self.state.join("quarantine")
    }

    /// Returns the log; older lines are in a file beside it.
    pub fn log(&self) -> PathBuf {
        self.state.join("symd.log")
    }

    /// Creates the runtime directories and verifies that only this user has access to them.
    pub fn prepare(&self) -> Result<(), StateError> {
        self.verify()?;
        if let Some(base) = self.scratch.parent() {
            state::private_dir(base)?;
        }
        state::private_dir(&self.scratch)?;
        state::private_dir(&self.barrier())
    }

    /// Verifies (and creates, if missing) what a client relies on: no other user can have created the socket.
    pub fn verify(&self) -> Result<(), StateError> {
        state::private_dir(&self.runtime_base)?;
        state::private_dir(&self.runtime)
    }
}

/// Returns the name of a root's directories: 16 hexadecimal digits.
pub fn name_of(root: &Path) -> String {
    let mut name = ContentHash::of(root.as_os_str().as_bytes()).to_string();
    name.truncate(16);
    name
}

/// Returns `wanted`, or a short directory of this user if a socket's path in `wanted` would be too long.
pub fn runtime_base(wanted: &Path) -> PathBuf {
    let longest = wanted.join("0123456789abcdef").join("s.sock");
    if longest.as_os_str().len() <= SOCKET_PATH_BYTES {
        return wanted.to_owned();
    }
    let name = format!("symd-{}-{}", rustix::process::geteuid().as_raw(), name_of(wanted));
    Path::new("/tmp").join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_path_always_fits() {
        let long = PathBuf::from(format!("/{}", "x".repeat(200)));
        let short = runtime_base(&long);
        assert!(
            short.as_os_str().len() < 60 && short != runtime_base(&long.join("other")),
            "{}",
            short.display()
        );
        assert_eq!(runtime_base(Path::new("/run/user/1000/symd")), Path::new("/run/user/1000/symd"));
    }
}
