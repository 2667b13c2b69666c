//! The directories that a running daemon uses: its clients use the same, even if their environment names
//! others. Invariant: only the metadata file of a running daemon counts.

use std::path::Path;

use rustix::process::test_kill_process;
use serde_json::Value;

use super::daemon_paths::DaemonPaths;
use symd_base::state::{self, PersistentDirs, StateDirs};
use symd_sys::processes;

/// The directories that a client and the daemon of a project both use.
#[derive(Clone, Debug)]
pub struct SharedDirs {
    /// The daemon's directories if one runs; else the client's own.
    pub dirs: StateDirs,
    /// A message for the user if the client's environment names other directories.
    pub difference: Option<String>,
}

/// Returns the directories for the project in `root`, which must be canonical; `own` are those from the
/// environment.
pub fn resolve_dirs(own: StateDirs, root: &Path) -> SharedDirs {
    let Some(theirs) = of_daemon(&DaemonPaths::new(&own, root)) else {
        return SharedDirs { dirs: own, difference: None };
    };
    let difference = own.persistent.differences(&theirs).map(|different| {
        format!(
            "this environment names {different}, which the running daemon of {} uses; `symd restart` switches it to this environment's",
            root.display()
        )
    });
    SharedDirs { dirs: StateDirs { persistent: theirs, ..own }, difference }
}

/// Returns the directories in the metadata file of the daemon of `place`; `None` if no daemon runs.
fn of_daemon(place: &DaemonPaths) -> Option<PersistentDirs> {
    let note: Value = serde_json::from_slice(&state::read_private(&place.meta(), 64 << 10).ok()??).ok()?;
    let pid = note["pid"].as_i64().and_then(processes::id)?;
    test_kill_process(pid).ok()?;
    serde_json::from_value(note["directories"].clone()).ok()
}
