//! The directories that a running daemon uses: its clients use the same, whatever their environment says. Invariant: only the
//! note of a daemon that runs counts.

use std::path::Path;

use rustix::process::{Pid, test_kill_process};
use serde_json::Value;

use super::daemon_paths::DaemonPaths;
use symd_base::state::{self, LastingDirs, StateDirs};

/// Directories on which a client and the daemon of a project agree.
#[derive(Clone, Debug)]
pub struct Agreed {
    /// The daemon's, where one runs; else the client's own.
    pub dirs: StateDirs,
    /// What to tell the user where the client's environment names others.
    pub difference: Option<String>,
}

/// The directories for the project in `root`, which must be canonical; `own` are those that the environment names.
pub fn agreed(own: StateDirs, root: &Path) -> Agreed {
    let Some(theirs) = of_daemon(&DaemonPaths::new(&own, root)) else {
        return Agreed { dirs: own, difference: None };
    };
    let difference = own.lasting.differences(&theirs).map(|different| {
        format!(
            "this environment names {different}, which the running daemon of {} uses; `symd restart` makes it use the former",
            root.display()
        )
    });
    Agreed { dirs: StateDirs { lasting: theirs, ..own }, difference }
}

/// The directories that the daemon of `place` has noted; `None` where none runs.
fn of_daemon(place: &DaemonPaths) -> Option<LastingDirs> {
    let note: Value = serde_json::from_slice(&state::read_private(&place.meta(), 64 << 10).ok()??).ok()?;
    let pid = note["pid"].as_i64().and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw)?;
    test_kill_process(pid).ok()?;
    serde_json::from_value(note["directories"].clone()).ok()
}
