//! The state of one server at a moment: questions wait on it, and the status shows it. Only data.

use std::path::PathBuf;
use std::sync::Arc;

use rustix::process::Pid;
use tokio::time::Instant;

use super::server::STOPPED_BY_HAND;
use super::session::Session;
use super::{ServerError, ServerState};

#[derive(Clone, Debug)]
pub(super) struct Phase {
    pub(super) state: ServerState,
    /// What it waits for, or why its answers may be incomplete: "indexing (43 %)".
    pub(super) doing: Option<String>,
    /// The session to ask, from `Loading` on.
    pub(super) session: Option<Arc<Session>>,
    /// Whether it is `Ready` but its answers may be incomplete.
    pub(super) maybe_indexing: bool,
    /// Whether it loads nothing until a document is opened, and none is.
    pub(super) waits_for_document: bool,
    /// When the process was started.
    pub(super) since: Option<Instant>,
    pub(super) group: Option<Pid>,
    pub(super) program: Option<PathBuf>,
    pub(super) version: Option<String>,
    pub(super) features: Vec<String>,
    /// The number of processes started.
    pub(super) starts: u64,
    /// The number of processes that ended before `initialize` was answered.
    pub(super) failed_starts: u64,
    pub(super) last_error: Option<String>,
    /// What was decided when all servers together took too much memory.
    pub(super) memory_note: Option<String>,
}

impl Phase {
    pub(super) fn idle() -> Phase {
        Phase {
            state: ServerState::Idle,
            doing: None,
            session: None,
            maybe_indexing: false,
            waits_for_document: false,
            since: None,
            group: None,
            program: None,
            version: None,
            features: Vec::new(),
            starts: 0,
            failed_starts: 0,
            last_error: None,
            memory_note: None,
        }
    }

    /// Resets what belongs to a running process, and sets the state and what it is doing.
    pub(super) fn reset(&mut self, state: ServerState, doing: Option<String>) {
        self.state = state;
        self.doing = doing;
        self.session = None;
        self.maybe_indexing = false;
        self.waits_for_document = false;
        self.since = None;
        self.group = None;
    }

    /// Returns why a question does not start a `Stopped` server; `None` if it does.
    pub(super) fn why_stopped(&self, server: &str) -> Option<ServerError> {
        let problem = self.doing.as_ref()?;
        Some(if problem == STOPPED_BY_HAND {
            ServerError::Down { server: server.to_owned(), problem: problem.clone() }
        } else {
            ServerError::Stopping
        })
    }

    /// Returns the error for a caller that does not wait.
    pub(super) fn not_ready(&self, server: &str) -> ServerError {
        let waiting_for = self.doing.clone().unwrap_or_else(|| "it is starting".to_owned());
        let seconds = self.since.map_or(0, |since| since.elapsed().as_secs());
        ServerError::NotReady { server: server.to_owned(), waiting_for, seconds }
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Session")
    }
}
