//! A client connection to the daemon of another project of this user: requests out, responses in. Invariant:
//! every waiter gets its response or an error when the link breaks, and nothing that the link started
//! outlives it.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedReadHalf;
use tokio::sync::OnceCell;
use tokio::task::JoinHandle;

use crate::approvals::proof;
use crate::daemon_paths::DaemonPaths;
use crate::outbox::Outbox;
use crate::protocol::{Hello, HelloAnswer, PROTOCOL, VERSION, Variables, hello_line};
use crate::shared_dirs::resolve_dirs;
use symd_base::state::StateDirs;
use symd_rpc::in_flight::Stop;
use symd_rpc::lines::{Line, LineBudget, Lines, line};
use symd_rpc::waiting::WaitingRequests;
use symd_rpc::write;
use symd_toolsets::Client;

/// How long another daemon may take to answer a hello.
const HELLO_DEADLINE: Duration = Duration::from_secs(10);

/// How long another daemon may take to start. It recovers and listens before it reads its project.
const START_DEADLINE: Duration = Duration::from_secs(60);

/// How long a request may stay unread by the other daemon, which normally reads at once.
const WRITE_DEADLINE: Duration = Duration::from_secs(30);

/// The largest response in bytes; a larger one breaks the link. It allows for files of 100 MiB with JSON
/// escapes.
const MAX_ANSWER_BYTES: usize = 512 << 20;

/// The most attempts to connect. A daemon may exit between the check and the connection; more failures in a
/// row are no coincidence.
const ATTEMPTS: usize = 3;

/// Why another project's daemon does not answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum LinkError {
    /// The daemon cannot be connected to.
    #[error("its daemon cannot be reached: {0}")]
    Unreachable(String),
    /// The daemon exited, or the connection broke, during the request.
    #[error("its daemon ended before it answered; it is unknown whether the request was carried out")]
    Lost,
    /// The daemon rejected the request.
    #[error("its daemon rejected the request: {0}")]
    Refused(String),
}

/// A connection to another project's daemon.
#[derive(Debug)]
pub(super) struct Link {
    root: PathBuf,
    /// The directory and the word for the proof that this link is the user's own.
    proof: Option<(PathBuf, String)>,
    /// Initialized when the proof was given, or failed.
    shown: OnceCell<()>,
    outbox: Outbox,
    /// Ended when the link breaks. Bounded by the requests that our own client may have in flight.
    waiting: Arc<WaitingRequests<Value>>,
    reading: JoinHandle<()>,
    /// Ends when the last sender is dropped and everything is written.
    _writing: JoinHandle<()>,
}

impl Drop for Link {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

impl Link {
    /// Connects to the daemon of the project in `root` on behalf of `client`; starts it if it does not run.
    pub(super) async fn connect(root: &Path, client: &Client) -> Result<Link, LinkError> {
        let unreachable = |why: &dyn std::fmt::Display| LinkError::Unreachable(why.to_string());
        let dirs = StateDirs::from_env().map_err(|error| unreachable(&error))?;
        let place = DaemonPaths::new(&resolve_dirs(dirs, root).dirs, root);
        let mut last = String::new();
        for _ in 0..ATTEMPTS {
            // Ensures that no other user can have created the socket.
            place.verify().map_err(|error| unreachable(&error))?;
            match Link::greet(&place, client).await {
                Ok(link) => return Ok(link),
                Err(why) => last = why,
            }
            start(root).await?;
        }
        Err(LinkError::Unreachable(last))
    }

    /// Whether the link is intact and leads to the project in `root`.
    pub(super) fn serves(&self, root: &Path) -> bool {
        self.root == root && !self.waiting.has_ended()
    }

    /// Proves to the other daemon that this link is the user's own. Only for a connection that has proved
    /// that to us.
    pub(super) async fn prove_ownership(&self) {
        let Some((proofs, word)) = self.proof.clone() else { return };
        let giving = async {
            let given = tokio::task::spawn_blocking(move || proof::prove(&proofs, &word)).await;
            if let Ok(Err(error)) = given {
                // The other daemon's refusals will name the reason.
                tracing::warn!(%error, "cannot prove to another daemon that a link is the user's");
            }
        };
        // Concurrent callers wait here: their calls may need the proof.
        self.shown.get_or_init(|| giving).await;
    }

    async fn greet(place: &DaemonPaths, client: &Client) -> Result<Link, String> {
        let greeting = async {
            let stream = UnixStream::connect(place.socket()).await.map_err(|error| error.to_string())?;
            let (reader, writer) = stream.into_split();
            let (outbox, writing) = Outbox::start(writer, WRITE_DEADLINE);
            let mut lines = Lines::new(reader, MAX_ANSWER_BYTES, LineBudget::new(MAX_ANSWER_BYTES));
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
                Err(_) => Err("the program on its socket is not symd".to_owned()),
            }
        };
        let (outbox, writing, lines, word) = tokio::time::timeout(HELLO_DEADLINE, greeting)
            .await
            .map_err(|_| format!("it did not answer within {} s", HELLO_DEADLINE.as_secs()))??;
        let waiting = Arc::new(WaitingRequests::new());
        let reading = tokio::spawn(read_all(lines, Arc::clone(&waiting)));
        Ok(Link {
            root: place.root.clone(),
            proof: word.map(|word| (place.proofs(), word)),
            shown: OnceCell::new(),
            outbox,
            waiting,
            reading,
            _writing: writing,
        })
    }

    /// Sends a request whose result is of no interest.
    pub(super) async fn begin(&self, method: &str, params: Value) {
        let Some((id, _unheard)) = self.waiting.register() else { return };
        // An error means that the daemon is gone, and the request with it.
        let _ = self.outbox.send(line(write::request(id, method, Some(params)))).await;
    }

    /// Sends a request and waits for its result; `None` if it is stopped, and then the other daemon stops it
    /// too.
    pub(super) async fn request(
        &self,
        method: &str,
        params: Value,
        stop: &Stop,
    ) -> Option<Result<Value, LinkError>> {
        let Some((id, receiver)) = self.waiting.register() else {
            return Some(Err(LinkError::Unreachable("the connection broke".to_owned())));
        };
        let request = write::request(id, method, Some(params));
        let answered = async {
            self.outbox.send(line(request)).await.map_err(|_| LinkError::Lost)?;
            receiver.await.map_err(|_| LinkError::Lost)
        };
        let answer = tokio::select! {
            biased;
            answer = answered => answer,
            () = stop.stopped() => {
                self.waiting.forget(id);
                let stopped = json!({ "requestId": id });
                let cancelled = write::notification("notifications/cancelled", Some(stopped));
                // An error means that the daemon is gone, and the request with it.
                let _ = self.outbox.send(line(cancelled)).await;
                return None;
            }
        };
        self.waiting.forget(id);
        Some(answer.and_then(|mut answer| match answer["error"]["message"].as_str() {
            Some(message) => Err(LinkError::Refused(message.to_owned())),
            None => Ok(answer["result"].take()),
        }))
    }
}

async fn read_all(mut lines: Lines<OwnedReadHalf>, waiting: Arc<WaitingRequests<Value>>) {
    // An invalid or oversized line ends the link: the response could not be matched to its request.
    while let Ok(Line::Text(text)) = lines.next().await {
        let Ok(answer) = serde_json::from_slice::<Value>(&text) else { break };
        if let Some(id) = answer["id"].as_u64() {
            // A request that no longer waits was stopped.
            waiting.complete(id, answer);
        }
    }
    waiting.end();
}

/// Starts the daemon of `root` with `symd start`, which can replace an older daemon and detects a running
/// one.
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

/// Returns the path of this program. If the file was replaced while we run, returns the path that the new
/// file has.
pub fn this_program() -> io::Result<PathBuf> {
    let path = std::env::current_exe()?;
    let Some(text) = path.to_str() else { return Ok(path) };
    Ok(text.strip_suffix(" (deleted)").map_or_else(|| path.clone(), PathBuf::from))
}
