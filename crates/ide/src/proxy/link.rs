//! The way to the daemon of one root, and the requests that wait there. Invariant: of a connection that ended only questions are
//! sent on the next one, once; the documents are sent anew.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use super::kept_connection::keep_connected;
use super::trust::TrustQuestion;
use symd_base::state::presence::Presence;
use symd_rpc::lines::line;
use symd_rpc::server_message::{ErrorObject, RawJson};
use symd_rpc::write;
use symd_sys::file_watch::FileWatch;

/// The times that a link keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LinkLimits {
    /// How long to wait before a daemon is looked for again that ended on request, or could not be started. Each wait is twice
    /// as long as the one before, up to `look_last`.
    pub(super) look_first: Duration,
    pub(super) look_last: Duration,
    /// A connection that ends sooner says that the next one will too. Each of these in a row doubles the wait before
    /// another daemon is started, from `rest` to 16 times that. One that another program starts is joined before.
    pub(super) short_lived: Duration,
    pub(super) rest: Duration,
    /// How long a daemon may take to read what it is sent. One that takes longer hangs: the next connection begins
    /// with the documents as they are then.
    pub(super) write: Duration,
    /// How long after a message to a daemon broke that daemon's last words are waited for.
    pub(super) last_words: Duration,
}

impl Default for LinkLimits {
    fn default() -> LinkLimits {
        LinkLimits {
            look_first: Duration::from_millis(50),
            look_last: Duration::from_millis(800),
            short_lived: Duration::from_secs(5),
            rest: Duration::from_millis(300),
            write: Duration::from_secs(30),
            last_words: Duration::from_secs(1),
        }
    }
}

/// Whether a daemon may be started where none runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartPolicy {
    Start,
    JoinOnly,
}

/// Connects to the daemon of a root, starting it if that is allowed: blocks, and returns the stream after the
/// hello, or the reason for people.
pub type Connect =
    Arc<dyn Fn(&Path, StartPolicy) -> Result<std::os::unix::net::UnixStream, String> + Send + Sync>;

/// Begins to watch for the socket of the daemon of a root: blocks shortly.
pub type WatchSocket = Arc<dyn Fn(&Path) -> io::Result<FileWatch> + Send + Sync>;

/// Makes the process present for the daemons of a root, whether one runs or not; the error is for the log.
/// The second argument is the editor's name.
pub type Announce = Arc<dyn Fn(&Path, &str) -> Result<Presence, String> + Send + Sync>;

/// What happened to a link.
#[derive(Debug)]
pub(super) enum LinkEvent {
    /// A daemon is connected and knows nothing yet. Messages are sent through the channel.
    Up(mpsc::Sender<Vec<u8>>),
    /// A request or notification of the daemon.
    Message(Value),
    /// The daemon's answer to one of the link's requests, by its number.
    Answer(u64, Result<RawJson, ErrorObject>),
    /// The daemon takes no more requests, and will end.
    Stopping,
    /// The daemon could not read a message, so it lacks a part of what it was told.
    Unread,
    /// The connection ended; another one is being made.
    Down,
    /// No daemon could be reached; the reason. It is tried again.
    Failed(String),
    /// The user is to be asked whether the project is trusted.
    TrustWanted(TrustQuestion),
    /// The user's answer to that was recorded, or why it was not; for the user.
    TrustRecorded(Result<String, String>),
}

/// The most commands that a daemon has not answered.
const MAX_ASKED: usize = 64;

/// Too many requests wait for the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LinkBusy;

/// What becomes of a daemon's answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AnswerUse {
    /// It is returned.
    Returned,
    /// It is returned, and the user is shown its text: editors drop a command's result.
    Shown,
    /// It is passed on as it is.
    Passed,
    /// It is an edit for documents that had these versions, by their URIs.
    Rename(BTreeMap<String, i64>),
    /// It is a list, and a part of the answer.
    Part,
    /// It is the report of the diagnostics of a document at this version, to be published.
    Published { uri: String, version: i64 },
}

/// A request of the editor that a daemon carries out.
#[derive(Debug)]
pub(super) struct AskedCommand {
    /// The id of the editor's request.
    pub(super) id: Value,
    pub(super) used: AnswerUse,
    /// The token under which the editor wants to hear of progress (LSP 3.17, `workDoneToken`).
    pub(super) progress: Option<Value>,
    /// The document in which it names a place, with the version that it had then.
    pub(super) about: Option<(String, i64)>,
}

impl AskedCommand {
    /// Whether another daemon may be asked the same: it changes nothing, and what it says is not known elsewhere.
    pub(super) fn is_question(&self) -> bool {
        matches!(self.used, AnswerUse::Passed | AnswerUse::Part | AnswerUse::Rename(_))
    }
}

/// A request to a daemon.
#[derive(Debug)]
struct SentRequest {
    /// The message, with which the next daemon can be asked; `None` if that is not to be done (again).
    message: Option<Vec<u8>>,
    asked: AskedCommand,
}

/// A request that waits for a daemon.
#[derive(Debug)]
struct WaitingRequest {
    message: Vec<u8>,
    number: u64,
    /// Whether a daemon ended before it answered.
    is_repeated: bool,
    asked: AskedCommand,
}

/// A root's link. Dropping it ends the connection.
#[derive(Debug)]
pub(super) struct Link {
    /// The way to the daemon, while it is connected.
    to_daemon: Option<mpsc::Sender<Vec<u8>>>,
    /// Whether that daemon takes no more requests.
    is_stopping: bool,
    /// Requests that wait for the daemon to be connected.
    waiting: Vec<WaitingRequest>,
    /// Requests that the daemon has not answered, by the number that it knows.
    asked: BTreeMap<u64, SentRequest>,
    last_request: u64,
    /// Counts what happened in the editor: a daemon that was stopped is started again for that.
    wanted: watch::Sender<u64>,
    /// Daemons do not edit while this process is present and has not told them what is open here.
    pub(super) presence: Option<Presence>,
    task: JoinHandle<()>,
}

impl Link {
    /// Begins to connect to the daemon of `root`.
    pub(super) fn begin(
        root: PathBuf,
        (announce, connect, watch_socket): (&Announce, Connect, WatchSocket),
        (editor, limits): (&str, LinkLimits),
        events: mpsc::Sender<(PathBuf, LinkEvent)>,
    ) -> Link {
        let announced = announce(&root, editor);
        let announced = announced.inspect_err(|problem| tracing::warn!(problem, "edits will not wait"));
        let (wanted, wishes) = watch::channel(0);
        let task = tokio::spawn(keep_connected(root, (connect, watch_socket), limits, events, wishes));
        let (waiting, asked) = (Vec::new(), BTreeMap::new());
        let presence = announced.ok();
        Link { to_daemon: None, is_stopping: false, waiting, asked, last_request: 0, wanted, presence, task }
    }

    /// Begins to send over a new connection.
    pub(super) fn set_up(&mut self, to_daemon: mpsc::Sender<Vec<u8>>) {
        self.to_daemon = Some(to_daemon);
        self.is_stopping = false;
    }

    /// Keeps requests for the next daemon; the connected one goes on hearing of the documents.
    pub(super) fn set_stopping(&mut self) {
        self.is_stopping = true;
    }

    /// Gives the connection up: another one is made, on which everything is told again.
    pub(super) fn begin_anew(&mut self) {
        // Dropping the sender ends the connection.
        self.to_daemon = None;
    }

    /// Sends the requests that waited for the connection. To be called when the daemon was told everything else.
    pub(super) fn send_waiting(&mut self) {
        for WaitingRequest { message, number, is_repeated, asked } in std::mem::take(&mut self.waiting) {
            self.send_request(message, number, is_repeated, asked);
        }
    }

    fn send_request(&mut self, message: Vec<u8>, number: u64, is_repeated: bool, asked: AskedCommand) {
        let again = (asked.is_question() && !is_repeated).then(|| message.clone());
        self.asked.insert(number, SentRequest { message: again, asked });
        self.send(message);
    }

    /// Takes the waiting requests about documents that are not as they were.
    pub(super) fn take_outdated(&mut self, is_as_asked: impl Fn(&str, i64) -> bool) -> Vec<AskedCommand> {
        let is_outdated = |request: &mut WaitingRequest| {
            request.asked.about.as_ref().is_some_and(|(uri, version)| !is_as_asked(uri, *version))
        };
        self.waiting.extract_if(.., is_outdated).map(|request| request.asked).collect()
    }

    /// Ends the connection; returns the requests that will not be answered.
    pub(super) fn set_down(&mut self) -> Vec<AskedCommand> {
        self.to_daemon = None;
        let waiting = std::mem::take(&mut self.waiting).into_iter().map(|request| request.asked);
        std::mem::take(&mut self.asked).into_values().map(|request| request.asked).chain(waiting).collect()
    }

    /// Ends the connection to a daemon that is gone. The next one is asked its questions, once; returns the requests that may
    /// have been carried out and will not be answered.
    pub(super) fn lose_daemon(&mut self) -> Vec<AskedCommand> {
        self.to_daemon = None;
        let mut lost = Vec::new();
        if !self.waiting.is_empty() {
            self.want_daemon();
        }
        for (number, SentRequest { message, asked }) in std::mem::take(&mut self.asked) {
            match message {
                Some(message) => {
                    self.waiting.push(WaitingRequest { message, number, is_repeated: true, asked });
                    self.want_daemon();
                }
                None => lost.push(asked),
            }
        }
        lost
    }

    /// Whether a daemon is connected that takes requests.
    pub(super) fn is_answering(&self) -> bool {
        self.to_daemon.is_some() && !self.is_stopping
    }

    /// Sends a request, at once or when a daemon is connected, which is started for it. Fails if too many wait already.
    pub(super) fn ask(&mut self, method: &str, params: &Value, asked: AskedCommand) -> Result<(), LinkBusy> {
        if self.waiting.len() + self.asked.len() >= MAX_ASKED {
            return Err(LinkBusy);
        }
        self.last_request += 1;
        let number = self.last_request;
        let message = write::request(number, method, Some(params));
        if !self.is_answering() {
            self.want_daemon();
            self.waiting.push(WaitingRequest { message, number, is_repeated: false, asked });
            return Ok(());
        }
        self.send_request(message, number, false, asked);
        Ok(())
    }

    /// Returns the request of this number, which is answered.
    pub(super) fn answered(&mut self, number: u64) -> Option<AskedCommand> {
        self.asked.remove(&number).map(|request| request.asked)
    }

    /// Takes back a request of the editor: the daemon stops it, and does not answer. Returns it if it was not answered.
    pub(super) fn cancel(&mut self, id: &Value) -> Option<AskedCommand> {
        if let Some(at) = self.waiting.iter().position(|request| request.asked.id == *id) {
            return Some(self.waiting.remove(at).asked);
        }
        let number = *self.asked.iter().find(|(_, request)| request.asked.id == *id)?.0;
        let asked = self.answered(number)?;
        let params = serde_json::json!({ "requestId": number });
        self.send(write::notification("notifications/cancelled", Some(params)));
        Some(asked)
    }

    /// Returns the tokens of those who want to hear of progress.
    pub(super) fn progress_tokens(&self) -> Vec<Value> {
        self.asked.values().filter_map(|request| request.asked.progress.clone()).collect()
    }

    /// Sends what happened in the editor: a daemon that was stopped is started again for that.
    pub(super) fn send_news(&mut self, message: Vec<u8>) {
        self.want_daemon();
        self.send(message);
    }

    fn want_daemon(&self) {
        self.wanted.send_modify(|count| *count += 1);
    }

    /// Sends a message, unless no daemon is connected: the next one is told everything.
    pub(super) fn send(&mut self, message: Vec<u8>) {
        if let Some(to_daemon) = &self.to_daemon
            && to_daemon.try_send(line(message)).is_err()
        {
            self.begin_anew();
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.task.abort();
    }
}
