//! A connection to the daemon of another project of this user, as a client of it: requests out, answers in. Invariant:
//! whoever waits for an answer gets it or learns that the link broke, and nothing of the link outlives it.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedReadHalf;
use tokio::sync::{OnceCell, oneshot};
use tokio::task::JoinHandle;

use crate::agreed::agreed;
use crate::approvals::proof;
use crate::daemon_paths::DaemonPaths;
use crate::in_flight::Stop;
use crate::lines::{Line, Lines, Unfinished};
use crate::outbox::Outbox;
use crate::protocol::{
    Hello, HelloAnswer, PROTOCOL, VERSION, Variables, hello_line, line, notification_line,
};
use symd_base::state::StateDirs;
use symd_toolsets::Client;

/// How long another daemon may take to answer a hello.
const HELLO_DEADLINE: Duration = Duration::from_secs(10);

/// How long another daemon may take to start. It recovers and listens first, and reads its project afterwards.
const START_DEADLINE: Duration = Duration::from_secs(60);

/// How long a request may stay unread by the other daemon, which reads them at once.
const WRITE_DEADLINE: Duration = Duration::from_secs(30);

/// Bytes of one answer. A longer one breaks the link: files of 100 MiB are read, and JSON escapes what it must.
const MAX_ANSWER_BYTES: usize = 512 << 20;

/// A daemon may end between our look and our connection; more often than this it is no accident.
const ATTEMPTS: usize = 3;

/// Why another project's daemon does not answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum LinkError {
    /// There is no connection to it.
    #[error("its daemon cannot be reached: {0}")]
    Unreachable(String),
    /// It ended, or the connection broke, while it worked.
    #[error("its daemon ended before it answered; whether it did what was asked is not known")]
    Lost,
    /// It refuses the request.
    #[error("its daemon refuses: {0}")]
    Refused(String),
}

/// A connection to another project's daemon.
#[derive(Debug)]
pub(super) struct Link {
    root: PathBuf,
    /// Where it is shown whose this link is, and by which word.
    proof: Option<(PathBuf, String)>,
    /// That it was shown, or cannot be.
    shown: OnceCell<()>,
    outbox: Outbox,
    shared: Arc<Shared>,
    last_id: AtomicU64,
    reading: JoinHandle<()>,
    /// Ends by itself, once the last sender is gone and everything is written.
    _writing: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Shared {
    broken: AtomicBool,
    /// Who waits for which answer. As many as the connection that asks may have requests under way.
    waiting: Mutex<HashMap<u64, oneshot::Sender<Value>>>,
}

impl Shared {
    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, oneshot::Sender<Value>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

impl Link {
    /// Connects to the daemon of the project in `root`, as `client`, starting it where it does not run.
    pub(super) async fn connect(root: &Path, client: &Client) -> Result<Link, LinkError> {
        let unreachable = |why: &dyn std::fmt::Display| LinkError::Unreachable(why.to_string());
        let dirs = StateDirs::from_env().map_err(|error| unreachable(&error))?;
        let place = DaemonPaths::new(&agreed(dirs, root).dirs, root);
        let mut last = String::new();
        for _ in 0..ATTEMPTS {
            // Nobody else can have put the socket there.
            place.verify().map_err(|error| unreachable(&error))?;
            match Link::greet(&place, client).await {
                Ok(link) => return Ok(link),
                Err(why) => last = why,
            }
            start(root).await?;
        }
        Err(LinkError::Unreachable(last))
    }

    /// Whether it can be used for the project in `root`.
    pub(super) fn serves(&self, root: &Path) -> bool {
        self.root == root && !self.shared.broken.load(Ordering::Acquire)
    }

    /// Shows the other daemon that this link is the user's own. Only for a connection that has shown it to us.
    pub(super) async fn show_whose(&self) {
        let Some((proofs, word)) = self.proof.clone() else { return };
        let giving = async {
            let given = tokio::task::spawn_blocking(move || proof::give(&proofs, &word)).await;
            if let Ok(Err(error)) = given {
                // Its refusals will say what they are about.
                tracing::warn!(%error, "a link to another daemon cannot show whose it is");
            }
        };
        // Whoever comes meanwhile waits: its call may need it.
        self.shown.get_or_init(|| giving).await;
    }

    async fn greet(place: &DaemonPaths, client: &Client) -> Result<Link, String> {
        let greeting = async {
            let stream = UnixStream::connect(place.socket()).await.map_err(|error| error.to_string())?;
            let (reader, writer) = stream.into_split();
            let (outbox, writing) = Outbox::start(writer, WRITE_DEADLINE);
            let mut lines = Lines::new(reader, MAX_ANSWER_BYTES, Unfinished::new(MAX_ANSWER_BYTES));
            let hello = Hello {
                protocol: PROTOCOL,
                version: VERSION.to_owned(),
                toolset: Vec::new(),
                client: client.name().to_owned(),
                environment: Some(Variables::of(client.environment())),
                directory: client.directory().and_then(Path::to_str).map(str::to_owned),
            };
            outbox.send(hello_line(&hello)).await.map_err(|error| error.to_string())?;
            let answer = match lines.next().await {
                Ok(Line::Text(text)) => text,
                Ok(Line::End | Line::TooLong | Line::NoRoom) => {
                    return Err("it closed the connection".to_owned());
                }
                Err(error) => return Err(error.to_string()),
            };
            let mut answer: Value = serde_json::from_slice(&answer).map_err(|error| error.to_string())?;
            if let Some(message) = answer.pointer("/error/message").and_then(Value::as_str) {
                return Err(message.to_owned());
            }
            match serde_json::from_value(answer["symd"].take()) {
                Ok(HelloAnswer::Welcome(welcome)) => Ok((outbox, writing, lines, welcome.proof)),
                Ok(HelloAnswer::Refusal(refusal)) => Err(refusal.error),
                Err(_) => Err("what listens there does not answer like symd".to_owned()),
            }
        };
        let (outbox, writing, lines, word) = tokio::time::timeout(HELLO_DEADLINE, greeting)
            .await
            .map_err(|_| format!("it did not answer within {} s", HELLO_DEADLINE.as_secs()))??;
        let shared = Arc::new(Shared::default());
        let reading = tokio::spawn(read_all(lines, Arc::clone(&shared)));
        Ok(Link {
            root: place.root.clone(),
            proof: word.map(|word| (place.proofs(), word)),
            shown: OnceCell::new(),
            outbox,
            shared,
            last_id: AtomicU64::new(0),
            reading,
            _writing: writing,
        })
    }

    /// Makes a request and waits for its result; `None` when it was stopped, and then the other daemon stops it too.
    pub(super) async fn request(
        &self,
        method: &str,
        params: Value,
        stop: &Stop,
    ) -> Option<Result<Value, LinkError>> {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let (sender, receiver) = oneshot::channel();
        self.shared.waiting().insert(id, sender);
        // After the insertion: a reader that ends later finds it, one that ended before has said so.
        if self.shared.broken.load(Ordering::Acquire) {
            self.shared.waiting().remove(&id);
            return Some(Err(LinkError::Unreachable("the connection broke".to_owned())));
        }
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let answered = async {
            self.outbox.send(line(&request)).await.map_err(|_| LinkError::Lost)?;
            receiver.await.map_err(|_| LinkError::Lost)
        };
        let answer = tokio::select! {
            biased;
            answer = answered => answer,
            () = stop.stopped() => {
                self.shared.waiting().remove(&id);
                let cancelled = notification_line("notifications/cancelled", &json!({ "requestId": id }));
                // One that is gone has stopped.
                let _ = self.outbox.send(cancelled).await;
                return None;
            }
        };
        self.shared.waiting().remove(&id);
        Some(answer.and_then(|mut answer| match answer["error"]["message"].as_str() {
            Some(message) => Err(LinkError::Refused(message.to_owned())),
            None => Ok(answer["result"].take()),
        }))
    }
}

async fn read_all(mut lines: Lines<OwnedReadHalf>, shared: Arc<Shared>) {
    // What is no line any more, or too long for one, ends the link: nobody could tell whose answer it was.
    while let Ok(Line::Text(text)) = lines.next().await {
        let Ok(answer) = serde_json::from_slice::<Value>(&text) else { break };
        let waits = answer["id"].as_u64().and_then(|id| shared.waiting().remove(&id));
        if let Some(waits) = waits {
            // Whoever stopped waiting needs no answer.
            let _ = waits.send(answer);
        }
    }
    shared.broken.store(true, Ordering::Release);
    // Dropping the senders tells everybody who waits.
    shared.waiting().clear();
}

/// Starts the daemon of `root`, by `symd start`: it knows how to replace an older one, and when to leave it alone.
async fn start(root: &Path) -> Result<(), LinkError> {
    let failed = |why: String| LinkError::Unreachable(format!("it could not be started: {why}"));
    let program = this_program().map_err(|error| failed(error.to_string()))?;
    let mut command = tokio::process::Command::new(program);
    command.arg("--project").arg(root).arg("start").current_dir("/").kill_on_drop(true);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let output = tokio::time::timeout(START_DEADLINE, command.output()).await;
    let output = output
        .map_err(|_| failed(format!("`symd start` took longer than {} s", START_DEADLINE.as_secs())))?
        .map_err(|error| failed(error.to_string()))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
    }
}

/// The path of this program. One that was replaced while it runs is found under its old name.
pub fn this_program() -> io::Result<PathBuf> {
    let path = std::env::current_exe()?;
    let Some(text) = path.to_str() else { return Ok(path) };
    Ok(text.strip_suffix(" (deleted)").map_or_else(|| path.clone(), PathBuf::from))
}
