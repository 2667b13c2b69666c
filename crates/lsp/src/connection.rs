//! A JSON-RPC connection to one server over a pair of pipes: requests that are answered, cancelled or time
//! out, notifications, and the server's own messages, which a [`Handler`] receives. Knows nothing of LSP's
//! semantics. Invariant: an id is in the table exactly as long as a caller waits for its response, and every
//! waiting caller is woken when the connection ends.

use std::sync::Arc;
use std::time::Duration;

use rustix::process::Pid;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::starved;
use symd_rpc::codes::METHOD_NOT_FOUND;
use symd_rpc::framing::{self, Frame, Frames, MAX_MESSAGE_BYTES, SkippedMessage};
use symd_rpc::server_message::{ErrorObject, InvalidMessage, RawJson, ServerMessage};
use symd_rpc::waiting::WaitingRequests;
use symd_rpc::write;

/// Capacity of the queue of batches for the writer. When it is full, the sender of a request waits, until the
/// request's deadline; a cancellation is dropped, and the response, if one comes, is ignored.
const OUTGOING_BATCHES: usize = 256;

/// Capacity of the queue of responses to the server's own requests. It is separate, so that a server that
/// does not read until it is answered gets its response. When it is full, the response is dropped and logged:
/// waiting would stop the reader, and with it the whole connection.
const OUTGOING_ANSWERS: usize = 1024;

/// Messages from this size on are parsed and decoded on a blocking thread, so that other requests are not
/// delayed.
const LONG_MESSAGE_BYTES: usize = 1 << 20;

/// Receives the messages that the server sends on its own initiative. Called by the reading task, so it must
/// be quick.
pub(crate) trait Handler: Send + Sync + 'static {
    /// Returns the result of a request, or why there is none.
    fn request(&self, method: &str, params: &RawJson) -> Result<Value, ErrorObject>;
    fn notification(&self, method: &str, params: &RawJson);
}

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RequestError {
    /// The server exited or closed one of its pipes.
    #[error("it closed the connection before answering {method}")]
    Closed { method: &'static str },
    /// The deadline passed; the server was told to cancel the request.
    #[error("it did not answer {method} within {:.1} s", after.as_secs_f64())]
    TimedOut { method: &'static str, after: Duration },
    /// Files changed while the server worked on it (`ContentModified`), or the server cancelled it by itself
    /// (`ServerCancelled`). The caller can retry.
    #[error("it cancelled {method} because files changed meanwhile")]
    Outdated { method: &'static str },
    /// The server does not support the request (`MethodNotFound`).
    #[error("it does not support {method}")]
    Unknown { method: &'static str },
    /// Any other error response.
    #[error("it answered {method} with error {code}: {message}")]
    Refused { method: &'static str, code: i64, message: String },
    /// The response exceeds the length that symd reads.
    #[error("its answer to {method} has {bytes} bytes; symd reads up to {MAX_MESSAGE_BYTES}")]
    TooLong { method: &'static str, bytes: u64 },
    /// The response is not valid JSON, or its shape does not conform to LSP.
    #[error("its answer to {method} does not conform to LSP: {problem}")]
    WrongShape { method: &'static str, problem: String },
}

impl RequestError {
    /// Whether a retry of the same request may succeed at once.
    pub(crate) fn is_outdated(&self) -> bool {
        matches!(self, RequestError::Outdated { .. })
    }

    fn refused(method: &'static str, error: ErrorObject) -> RequestError {
        match error.code {
            METHOD_NOT_FOUND => RequestError::Unknown { method },
            // RequestCancelled is included: symd does not wait for a request that it cancelled, so
            // here the server cancelled it by itself.
            -32802..=-32800 => RequestError::Outdated { method },
            code => RequestError::Refused { method, code, message: error.message },
        }
    }
}

/// How a request ended, with the result not decoded yet.
#[derive(Debug)]
enum Outcome {
    Result(RawJson),
    Error(ErrorObject),
    TooLong(u64),
    NoMessage(String),
}

enum Outgoing {
    Bytes(Vec<u8>),
    /// Answered once everything queued before it has been written.
    Flush(oneshot::Sender<()>),
}

/// The state that the tasks and the connection share.
struct SharedConnection {
    server: String,
    group: Option<Pid>,
    waiting: WaitingRequests<Outcome>,
    outgoing: mpsc::Sender<Outgoing>,
    answers: mpsc::Sender<Vec<u8>>,
    ended: watch::Sender<bool>,
}

/// A connection to one server. Cheap to clone; its tasks end when the last clone is dropped.
#[derive(Clone)]
pub(crate) struct Connection {
    wire: Arc<SharedConnection>,
    // Aborted when dropped.
    _tasks: Arc<JoinSet<()>>,
}

impl Connection {
    /// Starts the reading and the writing task. `server` is the name for logs; `group` is the server's process
    /// group, if it has one: its requests get more time while the machine gives it no processor.
    pub(crate) fn open(
        server: &str,
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        handler: Arc<dyn Handler>,
        group: Option<Pid>,
    ) -> Connection {
        let (outgoing, batches) = mpsc::channel(OUTGOING_BATCHES);
        let (answers, queue) = mpsc::channel(OUTGOING_ANSWERS);
        let wire = Arc::new(SharedConnection {
            server: server.to_owned(),
            group,
            waiting: WaitingRequests::new(),
            outgoing,
            answers,
            ended: watch::channel(false).0,
        });
        let mut tasks = JoinSet::new();
        tasks.spawn(read_all(Frames::new(reader, server), handler, Arc::clone(&wire)));
        tasks.spawn(write_all(writer, batches, queue, Arc::clone(&wire)));
        Connection { wire, _tasks: Arc::new(tasks) }
    }

    /// Sends a request and waits for its response until `deadline`. Dropping the future cancels the request.
    pub(crate) async fn request<R: DeserializeOwned + Send + 'static>(
        &self,
        method: &'static str,
        params: &impl Serialize,
        deadline: Instant,
    ) -> Result<R, RequestError> {
        let asked = Instant::now();
        let slot = tokio::time::timeout_at(deadline, self.slot())
            .await
            .map_err(|_| RequestError::TimedOut { method, after: asked.elapsed() })?
            .ok_or(RequestError::Closed { method })?;
        slot.request(method, params)?.answer(deadline).await
    }

    /// Sends a notification. Reports no error when the connection has ended: the next request does.
    pub(crate) async fn notify(&self, method: &str, params: &impl Serialize) {
        if let Some(mut slot) = self.slot().await {
            slot.notify(method, params);
            slot.send();
        }
    }

    /// Waits for a place in the outgoing queue; `None` when the connection has ended. The messages put into
    /// the slot reach the server together and in order, so they can be composed while a lock is held.
    pub(crate) async fn slot(&self) -> Option<OutgoingSlot> {
        let mut ended = self.wire.ended.subscribe();
        tokio::select! {
            _ = ended.wait_for(|ended| *ended) => None,
            place = self.wire.outgoing.clone().reserve_owned() => {
                Some(OutgoingSlot { wire: Arc::clone(&self.wire), place: place.ok()?, bytes: Vec::new() })
            }
        }
    }

    /// Waits until everything queued so far is written, or the connection ends.
    pub(crate) async fn flush(&self) {
        let (done, written) = oneshot::channel();
        if self.wire.outgoing.send(Outgoing::Flush(done)).await.is_ok() {
            let mut ended = self.wire.ended.subscribe();
            tokio::select! {
                _ = written => {}
                _ = ended.wait_for(|ended| *ended) => {}
            }
        }
    }

    /// Whether the server has closed one of the pipes.
    pub(crate) fn is_closed(&self) -> bool {
        *self.wire.ended.borrow()
    }

    /// Waits until the server has closed one of the pipes.
    pub(crate) async fn closed(&self) {
        // An error would mean that the sender was dropped, but `self` holds it.
        let _ = self.wire.ended.subscribe().wait_for(|ended| *ended).await;
    }
}

/// A reserved place in the outgoing queue, and the messages to be sent from it.
pub(crate) struct OutgoingSlot {
    wire: Arc<SharedConnection>,
    place: mpsc::OwnedPermit<Outgoing>,
    bytes: Vec<u8>,
}

impl OutgoingSlot {
    pub(crate) fn notify(&mut self, method: &str, params: &impl Serialize) {
        framing::append(&mut self.bytes, &write::notification(method, present(params)));
    }

    /// Adds a request and sends all messages.
    pub(crate) fn request(
        mut self,
        method: &'static str,
        params: &impl Serialize,
    ) -> Result<PendingRequest, RequestError> {
        let asked = self.wire.register_request(method)?;
        framing::append(&mut self.bytes, &write::request(asked.id, method, present(params)));
        self.send();
        Ok(asked)
    }

    /// Sends the added messages.
    pub(crate) fn send(self) {
        if !self.bytes.is_empty() {
            self.place.send(Outgoing::Bytes(self.bytes));
        }
    }
}

/// Encodes parameters; `None` for `null`, because JSON-RPC permits only an object or an array.
fn present(params: &impl Serialize) -> Option<Box<RawValue>> {
    // The parameters are symd's own types, which always serialise.
    serde_json::value::to_raw_value(params).ok().filter(|params| params.get() != "null")
}

/// A request that was sent. Dropping it before the response has come cancels it (`$/cancelRequest`).
pub(crate) struct PendingRequest {
    wire: Arc<SharedConnection>,
    id: u64,
    method: &'static str,
    at: Instant,
    answer: oneshot::Receiver<Outcome>,
}

impl PendingRequest {
    /// Waits for the response until `deadline` and decodes it.
    pub(crate) async fn answer<R: DeserializeOwned + Send + 'static>(
        mut self,
        deadline: Instant,
    ) -> Result<R, RequestError> {
        let method = self.method;
        let outcome = starved::wait(&mut self.answer, deadline, self.wire.group)
            .await
            .ok_or_else(|| RequestError::TimedOut { method, after: self.at.elapsed() })?
            .map_err(|_| RequestError::Closed { method })?;
        let wrong_shape = |problem| RequestError::WrongShape { method, problem };
        match outcome {
            Outcome::Result(raw) => decode(raw).await.map_err(wrong_shape),
            Outcome::Error(error) => Err(RequestError::refused(method, error)),
            Outcome::TooLong(bytes) => Err(RequestError::TooLong { method, bytes }),
            Outcome::NoMessage(problem) => Err(wrong_shape(problem)),
        }
    }
}

/// Decodes a result, a long one on a blocking thread.
async fn decode<R: DeserializeOwned + Send + 'static>(raw: RawJson) -> Result<R, String> {
    if raw.as_str().len() < LONG_MESSAGE_BYTES {
        return raw.decode().map_err(|error| error.to_string());
    }
    let decoded = tokio::task::spawn_blocking(move || raw.decode()).await;
    decoded.map_err(|error| error.to_string())?.map_err(|error: serde_json::Error| error.to_string())
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        let unanswered = self.wire.waiting.forget(self.id);
        if unanswered {
            let mut bytes = Vec::new();
            let cancelled = write::notification("$/cancelRequest", Some(json!({"id": self.id})));
            framing::append(&mut bytes, &cancelled);
            let _ = self.wire.outgoing.try_send(Outgoing::Bytes(bytes));
        }
    }
}

impl SharedConnection {
    /// Assigns an id to a request and adds it to the table.
    fn register_request(self: &Arc<Self>, method: &'static str) -> Result<PendingRequest, RequestError> {
        let (id, answer) = self.waiting.register().ok_or(RequestError::Closed { method })?;
        Ok(PendingRequest { wire: Arc::clone(self), id, method, at: Instant::now(), answer })
    }

    fn complete_request(&self, id: Option<u64>, outcome: Outcome) {
        if !id.is_some_and(|id| self.waiting.complete(id, outcome)) {
            // The response came late, after a cancellation, or has an unknown id: none of these is an error.
            tracing::debug!(server = self.server, ?id, "a response for which no request waits");
        }
    }

    fn reply(&self, id: &str, answer: Result<Value, ErrorObject>) {
        let id: Box<RawValue> = RawValue::from_string(id.to_owned()).unwrap_or_default();
        let body = match answer {
            Ok(result) => write::result(id, result),
            Err(error) => write::error(id, error.code, &error.message),
        };
        let mut bytes = Vec::new();
        framing::append(&mut bytes, &body);
        if self.answers.try_send(bytes).is_err() {
            tracing::warn!(
                server = self.server,
                "the server sends requests without reading the responses; one is dropped"
            );
        }
    }

    /// Ends the connection: wakes all waiting callers and refuses new requests.
    fn end(&self) {
        self.waiting.end();
        self.ended.send_replace(true);
    }
}

async fn read_all(
    mut frames: Frames<impl AsyncRead + Unpin>,
    handler: Arc<dyn Handler>,
    wire: Arc<SharedConnection>,
) {
    loop {
        match frames.next().await {
            Ok(Frame::Body(body)) => take(body, handler.as_ref(), &wire).await,
            Ok(Frame::TooLong(skipped)) => take_too_long(&skipped, &wire),
            Ok(Frame::End) => break,
            Err(error) => {
                tracing::debug!(server = wire.server, %error, "cannot read from the server");
                break;
            }
        }
    }
    if frames.junk_lines() > 0 {
        let lines = frames.junk_lines();
        tracing::info!(server = wire.server, lines, "skipped lines on stdout that belong to no message");
    }
    wire.end();
}

async fn take(body: Vec<u8>, handler: &dyn Handler, wire: &SharedConnection) {
    let parsed = if body.len() < LONG_MESSAGE_BYTES {
        ServerMessage::parse(body)
    } else {
        let parsing = tokio::task::spawn_blocking(move || ServerMessage::parse(body)).await;
        parsing.unwrap_or_else(|error| Err(InvalidMessage { id: None, problem: error.to_string() }))
    };
    match parsed {
        Ok(ServerMessage::Response { id, outcome }) => {
            wire.complete_request(id, outcome.map_or_else(Outcome::Error, Outcome::Result));
        }
        Ok(ServerMessage::Request { id, method, params }) => {
            wire.reply(&id, handler.request(&method, &params))
        }
        Ok(ServerMessage::Notification { method, params }) => handler.notification(&method, &params),
        Err(InvalidMessage { id, problem }) => {
            tracing::warn!(server = wire.server, problem, "skipping an invalid JSON-RPC message");
            if id.is_some() {
                wire.complete_request(id, Outcome::NoMessage(problem));
            }
        }
    }
}

fn take_too_long(skipped: &SkippedMessage, wire: &SharedConnection) {
    tracing::warn!(server = wire.server, bytes = skipped.bytes, "skipped a message that is too long");
    wire.complete_request(skipped.id(), Outcome::TooLong(skipped.bytes));
}

async fn write_all(
    mut writer: impl AsyncWrite + Unpin,
    mut batches: mpsc::Receiver<Outgoing>,
    mut answers: mpsc::Receiver<Vec<u8>>,
    wire: Arc<SharedConnection>,
) {
    loop {
        let next = tokio::select! {
            biased;
            Some(answer) = answers.recv() => Outgoing::Bytes(answer),
            Some(batch) = batches.recv() => batch,
            else => break,
        };
        let bytes = match next {
            Outgoing::Bytes(bytes) => bytes,
            Outgoing::Flush(done) => {
                // The caller may have stopped waiting.
                let _ = done.send(());
                continue;
            }
        };
        let written = async {
            writer.write_all(&bytes).await?;
            writer.flush().await
        };
        if let Err(error) = written.await {
            tracing::debug!(server = wire.server, %error, "cannot write to the server");
            break;
        }
    }
    wire.end();
}
