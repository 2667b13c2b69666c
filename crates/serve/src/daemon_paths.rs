//! Where the daemon of one root keeps its socket, lock, log and cache. Only names; nothing is created but by
//! [`DaemonPaths::prepare`]. Invariant: client and daemon compute the same place from the same environment.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use symd_base::ContentHash;
use symd_base::state::{self, LastingDirs, StateDirs, StateError};
use symd_config::approvals::user_file;
use symd_config::roots::repository_of;

/// Bytes of a socket's path that every Unix takes: macOS has 104 with the final NUL, Linux 108.
const SOCKET_PATH_BYTES: usize = 103;

/// The directory, in the cache, of all repositories' outlines.
pub const OUTLINES: &str = "outlines";

/// The files of one root's daemon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DaemonPaths {
    /// The project root.
    pub root: PathBuf,
    /// Holds the directories of all daemons' sockets of this user.
    pub runtime_base: PathBuf,
    /// Socket and lock of this daemon.
    pub runtime: PathBuf,
    /// What this daemon makes for a moment: where its own environment says that memory is.
    pub scratch: PathBuf,
    /// The directories whose files outlive a daemon.
    pub lasting: LastingDirs,
    /// Outlines, shared by all work trees of one repository.
    pub outlines: PathBuf,
    /// Logs.
    pub state: PathBuf,
    /// Holds the state of all projects of this user, and the list of them.
    pub state_of_all: PathBuf,
    /// Language servers that symd installed, for all projects.
    pub installed_servers: PathBuf,
    /// What the user has settled about tool calls, in all projects.
    pub approvals: PathBuf,
}

impl DaemonPaths {
    /// The place of the daemon for `root`, which must be canonical.
    pub fn new(dirs: &StateDirs, root: &Path) -> DaemonPaths {
        let name = name_of(root);
        let runtime_base = runtime_base(&dirs.meeting);
        DaemonPaths {
            root: root.to_owned(),
            runtime: runtime_base.join(&name),
            runtime_base,
            scratch: dirs.runtime.join(&name),
            lasting: dirs.lasting.clone(),
            outlines: dirs.lasting.cache.join(OUTLINES).join(name_of(&repository_of(root))),
            state: dirs.lasting.state.join(&name),
            state_of_all: dirs.lasting.state.clone(),
            installed_servers: dirs.lasting.data.join("servers"),
            approvals: user_file(&dirs.lasting.config),
        }
    }

    /// Holds the outlines of all repositories of this user.
    pub fn outlines_of_all(&self) -> &Path {
        self.outlines.parent().unwrap_or(&self.outlines)
    }

    /// The socket.
    pub fn socket(&self) -> PathBuf {
        self.runtime.join("s.sock")
    }

    /// Locked by the daemon for as long as it lives.
    pub fn lock(&self) -> PathBuf {
        self.runtime.join("lock")
    }

    /// Locked by whoever is starting a daemon, until its socket listens.
    pub fn start_lock(&self) -> PathBuf {
        self.runtime.join("start.lock")
    }

    /// Who the daemon is.
    pub fn meta(&self) -> PathBuf {
        self.runtime.join("meta.json")
    }

    /// The directory in which the engine makes its barrier files.
    pub fn barrier(&self) -> PathBuf {
        self.scratch.join("barrier")
    }

    /// Holds the root's path, for whoever cleans up.
    pub fn root_note(&self) -> PathBuf {
        self.state.join("root")
    }

    /// What language servers of this project leave behind: logs, and a directory of each one's own.
    pub fn servers(&self) -> PathBuf {
        self.state.join("servers")
    }

    /// Where connections show that they are the user's own.
    pub fn proofs(&self) -> PathBuf {
        self.state.join("proofs")
    }

    /// The history of edits, and the journal of one under way.
    pub fn edits(&self) -> PathBuf {
        self.state.join("edits")
    }

    /// Which texts are parsed no more.
    pub fn quarantine(&self) -> PathBuf {
        self.state.join("quarantine")
    }

    /// The log; older lines are beside it.
    pub fn log(&self) -> PathBuf {
        self.state.join("symd.log")
    }

    /// Creates the runtime directories and verifies that they are this user's alone.
    pub fn prepare(&self) -> Result<(), StateError> {
        self.verify()?;
        if let Some(base) = self.scratch.parent() {
            state::private_dir(base)?;
        }
        state::private_dir(&self.scratch)?;
        state::private_dir(&self.barrier())
    }

    /// Verifies (and creates, where missing) what a client relies on: nobody else can have put the socket there.
    pub fn verify(&self) -> Result<(), StateError> {
        state::private_dir(&self.runtime_base)?;
        state::private_dir(&self.runtime)
    }
}

/// The name of a root's directories: 16 hexadecimal digits.
pub fn name_of(root: &Path) -> String {
    let mut name = ContentHash::of(root.as_os_str().as_bytes()).to_string();
    name.truncate(16);
    name
}

/// `wanted`, or a short directory of this user's where a socket's path would not fit.
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
