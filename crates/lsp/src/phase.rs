//! What is known of one server at a moment: what questions wait on and status shows. Only data.

use std::path::PathBuf;
use std::sync::Arc;

use rustix::process::Pid;
use tokio::time::Instant;

use super::server::STOPPED_BY_HAND;
use super::session::Session;
use super::{NoAnswer, ServerState};

/// One moment of a server's life.
#[derive(Clone, Debug)]
pub(super) struct Phase {
    pub(super) state: ServerState,
    /// What is waited for, or why it may not know everything: "indexing (43 %)".
    pub(super) doing: Option<String>,
    /// To be asked, from `Loading` on.
    pub(super) session: Option<Arc<Session>>,
    /// It is `Ready`, and may not know everything.
    pub(super) maybe_indexing: bool,
    /// It loads nothing before a document is opened, and none is.
    pub(super) waits_for_document: bool,
    /// When the process was started.
    pub(super) since: Option<Instant>,
    pub(super) group: Option<Pid>,
    pub(super) program: Option<PathBuf>,
    pub(super) version: Option<String>,
    pub(super) features: Vec<String>,
    /// How often its process was started.
    pub(super) starts: u64,
    /// How often it ended before `initialize` was answered.
    pub(super) stillborn: u64,
    pub(super) last_error: Option<String>,
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
            stillborn: 0,
            last_error: None,
        }
    }

    /// Leaves what belongs to a running process behind.
    pub(super) fn rest(&mut self, state: ServerState, doing: Option<String>) {
        self.state = state;
        self.doing = doing;
        self.session = None;
        self.maybe_indexing = false;
        self.waits_for_document = false;
        self.since = None;
        self.group = None;
    }

    /// Of a server that is `Stopped`: why no question starts it; `None` where one does.
    pub(super) fn why_stopped(&self, server: &str) -> Option<NoAnswer> {
        let problem = self.doing.as_ref()?;
        Some(if problem == STOPPED_BY_HAND {
            NoAnswer::Down { server: server.to_owned(), problem: problem.clone() }
        } else {
            NoAnswer::Stopping
        })
    }

    /// What to tell who does not wait.
    pub(super) fn not_ready(&self, server: &str) -> NoAnswer {
        let waiting_for = self.doing.clone().unwrap_or_else(|| "it is starting".to_owned());
        let seconds = self.since.map_or(0, |since| since.elapsed().as_secs());
        NoAnswer::NotReady { server: server.to_owned(), waiting_for, seconds }
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Session")
    }
}
