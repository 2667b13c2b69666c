//! State shared by all connections: the project, the toolsets, the limits, and whether the daemon is
//! draining. Invariant: a daemon that drains never stops draining.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde_json::{Map, Value, json};
use tokio::sync::watch;

use crate::approvals::Approver;
use crate::approvals::in_editors::EditorPrompts;
use crate::memory_status;
use crate::protocol::{PROTOCOL, VERSION};
use symd_config::settings::Limits;
use symd_config::{Note, Trust};
use symd_edit::Recovered;
use symd_ide::session::EditorSession;
use symd_ops::Project;
use symd_rpc::lines::LineBudget;
use symd_toolsets::Toolset;
use symd_toolsets::listing::{Listing, choose};

/// The components of a host.
#[derive(Debug)]
pub struct Parts {
    /// The project; `None` if symd was started outside any project.
    pub project: Option<Project>,
    /// The project's root.
    pub root: PathBuf,
    /// All toolsets whose listings a client may request.
    pub toolsets: &'static [&'static Toolset],
    /// The names of the listings for a client that requests none.
    pub default_toolset: Vec<String>,
    /// Limits of each connection.
    pub limits: Limits,
    pub trust: Trust,
    /// Parts of the project's configuration that are not in effect.
    pub notes: Vec<Note>,
    /// The component that decides whether a call may run; without it no call runs.
    pub approvals: Option<Approver>,
}

/// State shared by all connections.
#[derive(Debug)]
pub struct Host {
    parts: Parts,
    started: Instant,
    sessions: AtomicU64,
    calls: AtomicU64,
    activity: watch::Sender<Activity>,
    /// Since when the daemon drains.
    draining: watch::Sender<Option<Instant>>,
    told_recovered: AtomicBool,
    unfinished: LineBudget,
    editor_prompts: EditorPrompts,
    /// The editors that were connected when the daemon began to drain.
    kept_editors: Mutex<Vec<EditorSession>>,
}

/// Memory that incomplete requests of all connections may take together: four of the longest, or more where
/// the limit of a single request is larger.
const UNFINISHED: usize = 64 << 20;

/// The number of connections, and when the last one closed.
#[derive(Clone, Copy, Debug)]
pub struct Activity {
    pub connections: usize,
    /// Those of them that are open only so that an editor goes on telling its texts while the daemon drains.
    pub telling: usize,
    /// When the last connection closed, or the daemon started.
    pub since: Instant,
}

/// An open connection; dropping it counts it as closed.
#[derive(Debug)]
pub struct OpenConnection(Arc<Host>);

/// A connection that is open only so that an editor goes on telling its texts, until this is dropped.
struct TellingConnection<'a>(&'a Host);

impl Drop for TellingConnection<'_> {
    fn drop(&mut self) {
        self.0.activity.send_modify(|activity| activity.telling -= 1);
    }
}

impl Host {
    /// Creates a host without connections.
    pub fn new(parts: Parts) -> Arc<Host> {
        let started = Instant::now();
        let unfinished = LineBudget::new(UNFINISHED.max(parts.limits.max_line_bytes.saturating_mul(2)));
        Arc::new(Host {
            parts,
            started,
            sessions: AtomicU64::new(0),
            calls: AtomicU64::new(0),
            activity: watch::Sender::new(Activity { connections: 0, telling: 0, since: started }),
            draining: watch::Sender::new(None),
            told_recovered: AtomicBool::new(false),
            unfinished,
            editor_prompts: EditorPrompts::default(),
            kept_editors: Mutex::default(),
        })
    }

    /// Returns the project; `None` if symd was started outside any project.
    pub fn project(&self) -> Option<&Project> {
        self.parts.project.as_ref()
    }

    /// Returns the project's root.
    pub fn root(&self) -> &std::path::Path {
        &self.parts.root
    }

    /// Returns the component that decides whether a call may run.
    pub fn approvals(&self) -> Option<&Approver> {
        self.parts.approvals.as_ref()
    }

    /// Returns the editors that can ask the user.
    pub(crate) fn editor_prompts(&self) -> &EditorPrompts {
        &self.editor_prompts
    }

    /// Keeps what an editor has open until the daemon, which drains, ends.
    pub(crate) fn keep_editor(&self, editor: EditorSession) {
        self.kept_editors.lock().unwrap_or_else(PoisonError::into_inner).push(editor);
    }

    pub fn limits(&self) -> &Limits {
        &self.parts.limits
    }

    /// Returns the shared memory budget of incomplete requests.
    pub fn unfinished(&self) -> LineBudget {
        self.unfinished.clone()
    }

    /// Returns the listings with these names, in this order; the default listings if `names` is empty.
    pub fn listings(&self, names: &[String]) -> Result<Vec<Listing>, String> {
        let names = if names.is_empty() { &self.parts.default_toolset } else { names };
        choose(self.parts.toolsets, names)
    }

    /// Counts a new connection as open until the returned value is dropped.
    pub fn count_connection(self: &Arc<Self>) -> OpenConnection {
        self.activity.send_modify(|activity| activity.connections += 1);
        OpenConnection(Arc::clone(self))
    }

    /// Subscribes to changes of the number of connections.
    pub fn activity(&self) -> watch::Receiver<Activity> {
        self.activity.subscribe()
    }

    /// Returns a number for a new session, for the log.
    pub fn next_session(&self) -> u64 {
        self.sessions.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub fn count_call(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    /// Tells the daemon to accept no new connections, to finish the requests in flight, and to exit.
    pub fn drain(&self) {
        self.draining.send_if_modified(|since| {
            let begins = since.is_none();
            since.get_or_insert_with(Instant::now);
            begins
        });
    }

    /// Whether the daemon is draining.
    pub fn is_draining(&self) -> bool {
        self.draining.borrow().is_some()
    }

    /// Waits until the daemon drains; returns since when.
    pub async fn draining(&self) -> Instant {
        let mut draining = self.draining.subscribe();
        // The sender lives in `self`, so this cannot fail.
        let since = draining.wait_for(Option::is_some).await.ok().and_then(|since| *since);
        since.unwrap_or_else(Instant::now)
    }

    /// Waits, on an editor's connection that has no request under way, until no other connection has one.
    pub(crate) async fn others_answered(&self) {
        self.activity.send_modify(|activity| activity.telling += 1);
        // Also when the wait is given up.
        let _telling = TellingConnection(self);
        // The sender lives in `self`, so this cannot fail.
        let all = |activity: &Activity| activity.connections <= activity.telling;
        let _ = self.activity.subscribe().wait_for(all).await;
    }

    /// Returns, to the first caller only, which adds them to its answer, one line for each edit that a crash interrupted, with
    /// the outcome of its recovery, and for each conflict that was open when the project was opened and still is. `None`
    /// afterwards, or if there are none.
    pub fn take_recovered(&self) -> Option<Vec<String>> {
        let project = self.project().filter(|project| *project.recovered != Recovered::default())?;
        if self.told_recovered.swap(true, Ordering::Relaxed) {
            return None;
        }
        let recovered = project.recovered_at_start().messages();
        (!recovered.is_empty()).then_some(recovered)
    }

    /// Returns the result of `symd/status`. Reads /proc and programs, so it must not be called on the runtime's own threads.
    pub fn status(&self) -> Value {
        let activity = *self.activity.borrow();
        let servers = self.project().map(|project| project.server_status()).unwrap_or_default();
        let recovered = self.project().map(|project| project.recovered_now().messages()).unwrap_or_default();
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
            ("servers".to_owned(), json!(servers)),
            ("recovered".to_owned(), json!(recovered)),
            ("trust".to_owned(), json!(self.parts.trust.to_string())),
            ("left_out".to_owned(), json!(self.parts.notes.iter().map(Note::to_string).collect::<Vec<_>>())),
        ]);
        if let Some(project) = self.project() {
            status.insert("memory".to_owned(), memory_status::json(&project.memory_use(&servers)));
            if let Ok(Value::Object(engine)) = serde_json::to_value(project.engine.status()) {
                status.extend(engine);
            }
        }
        Value::Object(status)
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.activity.send_modify(|activity| {
            activity.connections -= 1;
            activity.since = Instant::now();
        });
    }
}
