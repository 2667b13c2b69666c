//! What all connections share: the project, the toolsets, the limits, and whether the daemon is about to
//! end. Invariant: once draining, never again not draining.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use serde_json::{Map, Value, json};
use tokio::sync::watch;

use crate::approvals::Approvals;
use crate::lines::Unfinished;
use crate::protocol::{PROTOCOL, VERSION};
use symd_config::settings::Limits;
use symd_config::{Note, Trust};
use symd_ops::Project;
use symd_toolsets::Toolset;
use symd_toolsets::listing::{Listing, choose};

/// What a host is made of.
#[derive(Debug)]
pub struct Parts {
    /// The project; none when symd was started outside any.
    pub project: Option<Project>,
    /// Its root.
    pub root: PathBuf,
    /// All contracts whose listings a client may name.
    pub toolsets: &'static [&'static Toolset],
    /// The names of the listings that a client sees who names none.
    pub default_toolset: Vec<String>,
    /// What a connection may use up.
    pub limits: Limits,
    /// Whether the project is trusted.
    pub trust: Trust,
    /// What of the project's files is not in effect.
    pub notes: Vec<Note>,
    /// What decides about calls; without it none is run.
    pub approvals: Option<Approvals>,
}

/// What all connections share.
#[derive(Debug)]
pub struct Host {
    parts: Parts,
    started: Instant,
    sessions: AtomicU64,
    calls: AtomicU64,
    activity: watch::Sender<Activity>,
    draining: watch::Sender<bool>,
    told_recovered: AtomicBool,
    unfinished: Unfinished,
}

/// Memory that the unfinished requests of all connections may take together: four of the longest, or more where a single one
/// may be longer.
const UNFINISHED: usize = 64 << 20;

/// How many connections there are, and since when there are none.
#[derive(Clone, Copy, Debug)]
pub struct Activity {
    /// Open connections.
    pub connections: usize,
    /// When the last one closed, or the daemon began.
    pub since: Instant,
}

/// A connection that is open; dropping it counts it as closed.
#[derive(Debug)]
pub struct Open(Arc<Host>);

impl Host {
    /// A host without connections.
    pub fn new(parts: Parts) -> Arc<Host> {
        let started = Instant::now();
        let unfinished = Unfinished::new(UNFINISHED.max(parts.limits.max_line_bytes.saturating_mul(2)));
        Arc::new(Host {
            parts,
            started,
            sessions: AtomicU64::new(0),
            calls: AtomicU64::new(0),
            activity: watch::Sender::new(Activity { connections: 0, since: started }),
            draining: watch::Sender::new(false),
            told_recovered: AtomicBool::new(false),
            unfinished,
        })
    }

    /// The project, unless symd was started outside any.
    pub fn project(&self) -> Option<&Project> {
        self.parts.project.as_ref()
    }

    /// The project's root.
    pub fn root(&self) -> &std::path::Path {
        &self.parts.root
    }

    /// What decides about calls.
    pub fn approvals(&self) -> Option<&Approvals> {
        self.parts.approvals.as_ref()
    }

    /// What a connection may use up.
    pub fn limits(&self) -> &Limits {
        &self.parts.limits
    }

    /// What the requests that are still coming in may take.
    pub fn unfinished(&self) -> Unfinished {
        self.unfinished.clone()
    }

    /// The listings of these names, in this order; no names = the default ones.
    pub fn listings(&self, names: &[String]) -> Result<Vec<Listing>, String> {
        let names = if names.is_empty() { &self.parts.default_toolset } else { names };
        choose(self.parts.toolsets, names)
    }

    /// Counts a connection as open.
    pub fn open(self: &Arc<Self>) -> Open {
        self.activity.send_modify(|activity| activity.connections += 1);
        Open(Arc::clone(self))
    }

    /// Connections and when they ended, as they change.
    pub fn activity(&self) -> watch::Receiver<Activity> {
        self.activity.subscribe()
    }

    /// A number for a new session, for the log.
    pub fn next_session(&self) -> u64 {
        self.sessions.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Counts a tool call.
    pub fn count_call(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    /// Asks the daemon to take nothing new, to finish what is under way, and to end.
    pub fn drain(&self) {
        self.draining.send_replace(true);
    }

    /// Whether the daemon is about to end.
    pub fn is_draining(&self) -> bool {
        *self.draining.borrow()
    }

    /// Waits until the daemon is about to end.
    pub async fn draining(&self) {
        // The sender is in `self`, so it cannot be gone.
        let _ = self.draining.subscribe().wait_for(|draining| *draining).await;
    }

    /// Every edit that a crash had cut short and what became of it, a line each.
    fn recovered(&self) -> Vec<String> {
        self.project().map(|project| project.recovered.told()).unwrap_or_default()
    }

    /// The same, once: for the first answer whose reader can be told.
    pub fn tell_recovered(&self) -> Option<Vec<String>> {
        let recovered = self.recovered();
        (!recovered.is_empty() && !self.told_recovered.swap(true, Ordering::Relaxed)).then_some(recovered)
    }

    /// What `symd/status` answers.
    pub fn status(&self) -> Value {
        let activity = *self.activity.borrow();
        let mut status = Map::from_iter([
            ("pid".to_owned(), json!(std::process::id())),
            ("version".to_owned(), json!(VERSION)),
            ("protocol".to_owned(), json!(PROTOCOL)),
            ("root".to_owned(), json!(self.parts.root.display().to_string())),
            ("uptime_seconds".to_owned(), json!(self.started.elapsed().as_secs())),
            ("draining".to_owned(), json!(self.is_draining())),
            ("connections".to_owned(), json!(activity.connections)),
            ("sessions".to_owned(), json!(self.sessions.load(Ordering::Relaxed))),
            ("calls".to_owned(), json!(self.calls.load(Ordering::Relaxed))),
            (
                "servers".to_owned(),
                json!(self.project().map(|project| project.server_status()).unwrap_or_default()),
            ),
            ("recovered".to_owned(), json!(self.recovered())),
            ("trust".to_owned(), json!(self.parts.trust.to_string())),
            ("left_out".to_owned(), json!(self.parts.notes.iter().map(Note::to_string).collect::<Vec<_>>())),
        ]);
        let engine = self.project().map(|project| serde_json::to_value(project.engine.status()));
        if let Some(Ok(Value::Object(engine))) = engine {
            status.extend(engine);
        }
        Value::Object(status)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.activity.send_modify(|activity| {
            activity.connections -= 1;
            activity.since = Instant::now();
        });
    }
}
