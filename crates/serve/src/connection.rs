//! The life cycle of one connection, over any transport: hello, requests, end. The reader never waits for a
//! request, so a cancellation is read while its request runs. Invariant: every request that was read is
//! answered, rejected or cancelled before the connection ends, and no work for it continues afterwards; of a program of
//! symd's, which sees the end and asks the next daemon, one that is read while the daemon drains may stay unanswered.

mod draining;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

pub use self::draining::DRAIN_DEADLINE;
use self::draining::drained;
use crate::approvals::Approver;
use crate::approvals::connection_state::ApprovalState;
use crate::approvals::proof::Proof;
use crate::control;
use crate::dispatch::{self, ClientLine};
use crate::host::Host;
use crate::mcp::Mcp;
use crate::outbox::{Outbox, OutboxClosed};
use crate::protocol::{
    Agreement, Hello, PROTOCOL, Reason, Refusal, STATUS, STOP, VERSION, Welcome, agree, hello_line,
};
use crate::session::Session;
use symd_ide::session::EditorSession;
use symd_ide::wire::is_of_editor;
use symd_rpc::client_message::{ClientMessage, RejectedRequest, RpcRequest};
use symd_rpc::codes::{BUSY, INVALID_REQUEST};
use symd_rpc::in_flight::{InFlight, NotAdmitted, Ticket};
use symd_rpc::lines::{Line, Lines, line};
use symd_shell::Environment;

/// How often to check whether a client that closed its sending side still waits for its responses.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Requests for an editor that are not in the outbox yet. If it is full, the edit that asks waits.
const EDITOR_REQUESTS: usize = 16;

/// Passes requests for an editor on to the outbox.
async fn pass_on(mut requests: mpsc::Receiver<Vec<u8>>, outbox: Outbox) {
    while let Some(request) = requests.recv().await {
        if outbox.send(line(request)).await.is_err() {
            return;
        }
    }
}

/// The state of the peer when its input has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerState {
    /// The peer sends no more but still reads: its requests are answered.
    HalfClosed,
    /// The peer is gone: its requests are stopped.
    Gone,
}

/// Serves one client until it disconnects or the daemon exits. `ended` determines what the end of input
/// means.
pub async fn serve<R, W>(host: Arc<Host>, reader: R, writer: W, ended: fn(&R) -> PeerState)
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let _open = host.count_connection();
    let _warm = host.project().map(|project| project.engine.keep_warm());
    let deadline = Duration::from_millis(host.limits().write_deadline_ms);
    let (outbox, writing) = Outbox::start(writer, deadline);
    let mut lines = Lines::new(reader, host.limits().max_line_bytes, host.unfinished());
    let mut conversation = ConnectionState {
        number: host.next_session(),
        in_flight: InFlight::new(host.limits().max_in_flight),
        host: Arc::clone(&host),
        outbox: outbox.clone(),
        mode: ClientMode::Unknown,
        mcp: None,
        editor: None,
        passing: None,
        tasks: JoinSet::new(),
        is_of_editor: false,
        has_greeted: false,
    };
    let in_flight = Arc::clone(&conversation.in_flight);
    let how = tokio::select! {
        how = conversation.read_all(&mut lines, ended) => how,
        // A writer that gave up also ends the reader, even one that waits for room in the outbox.
        () = outbox.closed() => PeerState::Gone,
        // A message is handled to its end.
        () = drained(&host) => PeerState::HalfClosed,
    };
    if let Some(editor) = &conversation.editor {
        host.editor_prompts().remove(conversation.number);
        editor.end_requests();
    }
    conversation.end_of_answers();
    if how == PeerState::HalfClosed && host.is_draining() {
        conversation.drain(&mut lines, ended).await;
    }
    match conversation.editor.take() {
        Some(editor) if host.is_draining() => host.keep_editor(editor),
        // Its buffers hide files only as long as it is there.
        Some(editor) => editor.end().await,
        None => {}
    }
    if how == PeerState::HalfClosed {
        tokio::select! {
            () = in_flight.idle() => {}
            () = gone(lines.source(), ended) => {}
            () = outbox.closed() => {}
            () = drained(&host) => tracing::warn!(session = conversation.number, "stopping requests still under way"),
        }
    }
    in_flight.stop_all();
    drop(outbox);
    conversation.finish().await;
    if let Err(error) = writing.await {
        tracing::error!(%error, "the writer failed");
    }
}

/// Passes a notification on to what is kept of its editor, and what that answers to the editor.
async fn tell(editor: &mut EditorSession, method: &str, params: Value, outbox: &Outbox) {
    if let Some(message) = editor.notify(method, params).await {
        // The writer notices a client that is gone.
        let _ = outbox.send(line(message)).await;
    }
}

/// Waits until a half-closed client is gone. Polls, since the operating system sends no event for that.
async fn gone<R>(reader: &R, ended: fn(&R) -> PeerState) {
    let mut clock = tokio::time::interval(LOOK_EVERY);
    while ended(reader) != PeerState::Gone {
        clock.tick().await;
    }
}

/// The protocol that a client may use.
enum ClientMode {
    /// The client has sent nothing yet.
    Unknown,
    /// MCP and the `symd/` methods.
    Full(Arc<Session>),
    /// Only `symd/status` and `symd/stop`: the client's version of symd has no other protocol in common.
    ControlOnly(Arc<Session>),
}

struct ConnectionState {
    host: Arc<Host>,
    number: u64,
    outbox: Outbox,
    in_flight: Arc<InFlight>,
    mode: ClientMode,
    mcp: Option<Mcp>,
    /// What the editor behind the connection has open, if there is one.
    editor: Option<EditorSession>,
    /// Ends what passes requests for that editor on: the editor may outlive its connection.
    passing: Option<AbortHandle>,
    tasks: JoinSet<()>,
    /// Whether the client said that it connects an editor, which may not have told of itself yet.
    is_of_editor: bool,
    /// Whether the client began with a hello, as symd's own programs do.
    has_greeted: bool,
}

impl ConnectionState {
    async fn read_all<R: AsyncRead + Unpin>(
        &mut self,
        lines: &mut Lines<R>,
        ended: fn(&R) -> PeerState,
    ) -> PeerState {
        let host = Arc::clone(&self.host);
        let mut draining = std::pin::pin!(host.draining());
        loop {
            let next = tokio::select! {
                // A request that comes after the daemon began to drain is never begun.
                biased;
                _ = &mut draining => return PeerState::HalfClosed,
                next = lines.next() => next,
            };
            let line = match next {
                Ok(line) => line,
                Err(error) => {
                    tracing::debug!(session = self.number, %error, "the client is gone");
                    return PeerState::Gone;
                }
            };
            let taken = match line {
                Line::Text(text) => self.take(&text).await,
                Line::TooLong => Err(RejectedRequest::too_long(self.host.limits().max_line_bytes)),
                Line::NoRoom => Err(RejectedRequest::no_room(self.host.unfinished().most())),
                Line::End => return ended(lines.source()),
            };
            // Discards finished tasks.
            while self.tasks.try_join_next().is_some() {}
            if let Err(wrong) = taken
                && self.outbox.send(wrong.line()).await == Err(OutboxClosed)
            {
                return PeerState::Gone;
            }
        }
    }

    async fn take(&mut self, line: &[u8]) -> Result<(), RejectedRequest> {
        let message = match dispatch::read(line)? {
            ClientLine::Blank => return Ok(()),
            ClientLine::Hello(value) => return self.hello(value).await,
            ClientLine::Message(message) => message,
        };
        match message {
            ClientMessage::Request(request) => self.request(request).await,
            ClientMessage::Notification { method, mut whole } if is_of_editor(&method) => {
                self.editor_notification(&method, whole["params"].take()).await;
                Ok(())
            }
            ClientMessage::Notification { method, whole } => {
                self.notification(&method, whole).await;
                Ok(())
            }
            ClientMessage::Response(value)
                if self.editor.as_ref().is_some_and(|editor| editor.take_answer(&value)) =>
            {
                Ok(())
            }
            ClientMessage::Response(value) => {
                self.forward(value).await;
                Ok(())
            }
        }
    }

    /// Handles a notification that tells of no editor.
    async fn notification(&self, method: &str, whole: Value) {
        if method == "notifications/cancelled"
            && let Some(id) = whole.pointer("/params/requestId")
        {
            self.in_flight.stop(id);
        }
        self.forward(whole).await;
    }

    /// Handles an editor's notification at once: they build on each other. Waits at most for one file to be read
    /// and for room in the engine's queue.
    async fn editor_notification(&mut self, method: &str, params: Value) {
        let (ClientMode::Full(session), Some(project)) = (&self.mode, self.host.project()) else { return };
        match &mut self.editor {
            None => {
                let (requests, queue) = mpsc::channel(EDITOR_REQUESTS);
                self.editor = EditorSession::attach(project, method, params, requests);
                self.passing = Some(self.tasks.spawn(pass_on(queue, self.outbox.clone())));
                if let Some(editor) = &self.editor {
                    session.client.set_name(editor.name().to_owned());
                    let prompts = self.host.editor_prompts();
                    prompts.add(self.number, editor.prompt(), Arc::clone(&session.asking));
                }
            }
            Some(editor) => tell(editor, method, params, &self.outbox).await,
        }
    }

    async fn hello(&mut self, mut value: Value) -> Result<(), RejectedRequest> {
        if !matches!(self.mode, ClientMode::Unknown) {
            return Err(RejectedRequest::new(
                Value::Null,
                INVALID_REQUEST,
                "a hello must be the first line of a connection",
            ));
        }
        let line = match self.greet(value["symd"].take()) {
            Ok(welcome) => hello_line(&welcome),
            Err((reason, error)) => {
                hello_line(&Refusal { error, reason, protocol: PROTOCOL, version: VERSION.to_owned() })
            }
        };
        // The writer notices a client that is gone.
        let _ = self.outbox.send(line).await;
        Ok(())
    }

    fn greet(&mut self, hello: Value) -> Result<Welcome, (Reason, String)> {
        if self.host.is_draining() {
            return Err((Reason::Draining, "this daemon is about to end".to_owned()));
        }
        let hello: Hello = serde_json::from_value(hello)
            .map_err(|error| (Reason::Malformed, format!("this is not a hello: {error}")))?;
        let protocol = match agree(PROTOCOL, hello.protocol) {
            Agreement::Speak(version) => version,
            Agreement::TheyAreNewer | Agreement::TheyAreOlder => {
                self.mode = ClientMode::ControlOnly(self.session(&[], None)?);
                let [from, to] = PROTOCOL;
                let theirs = hello.protocol;
                return Err((
                    Reason::Protocol,
                    format!(
                        "this daemon (symd {VERSION}) speaks protocol {from} to {to}, the client (symd {}) {} to {}",
                        hello.version, theirs[0], theirs[1]
                    ),
                ));
            }
        };
        let session = self.session(&hello.toolset, self.proof())?;
        tracing::info!(session = self.number, client = hello.client, toolset = session.name, "connected");
        self.is_of_editor = hello.client == "lsp";
        self.has_greeted = true;
        if !matches!(hello.client.as_str(), "" | "mcp" | "lsp") {
            // A shim gets the name of the MCP client or of the editor behind it.
            session.client.set_name(hello.client);
        }
        let proof = session.asking.token().map(str::to_owned);
        if let Some(variables) = hello.environment {
            let environment = Environment::of_client(variables.0);
            session.client.set_origin(environment, hello.directory.map(PathBuf::from));
        }
        self.mode = ClientMode::Full(session);
        Ok(Welcome {
            protocol,
            version: VERSION.to_owned(),
            pid: std::process::id(),
            root: self.host.root().display().to_string(),
            proof,
        })
    }

    /// Returns the proof of this connection. Without one, the user's answers over it are rejected, with the
    /// reason.
    fn proof(&self) -> Option<Proof> {
        let proof = self.host.approvals()?.proof();
        proof.inspect_err(|error| tracing::warn!(%error, "cannot create a connection's proof")).ok()
    }

    fn session(&self, toolset: &[String], proof: Option<Proof>) -> Result<Arc<Session>, (Reason, String)> {
        let chosen = self.host.listings(toolset).map_err(|message| (Reason::Toolset, message))?;
        let connection = (Arc::default(), ApprovalState::new(proof));
        Ok(Arc::new(Session::new(Arc::clone(&self.host), self.number, connection, chosen)))
    }

    /// Declares that no more answers will arrive: open questions stay unanswered.
    fn end_of_answers(&self) {
        if let ClientMode::Full(session) = &self.mode {
            session.asking.end();
        }
    }

    async fn request(&mut self, request: RpcRequest) -> Result<(), RejectedRequest> {
        let session = match &self.mode {
            ClientMode::Full(session) => Arc::clone(session),
            ClientMode::ControlOnly(session) if matches!(request.method.as_str(), STATUS | STOP) => {
                Arc::clone(session)
            }
            ClientMode::ControlOnly(_) => {
                return Err(RejectedRequest::new(
                    request.id,
                    INVALID_REQUEST,
                    "client and daemon have no protocol in common; only symd/status and symd/stop are answered",
                ));
            }
            ClientMode::Unknown => {
                let session =
                    self.session(&[], self.host.approvals().and_then(Approver::own_proof)).map_err(
                        |(_, message)| RejectedRequest::new(request.id.clone(), INVALID_REQUEST, message),
                    )?;
                self.mode = ClientMode::Full(Arc::clone(&session));
                session
            }
        };
        let ticket = self.admit(&request.id)?;
        if request.method.starts_with("symd/") {
            self.tasks.spawn(control::answer(session, request, ticket, self.outbox.clone()));
            return Ok(());
        }
        let outbox = &self.outbox;
        self.mcp.get_or_insert_with(|| Mcp::start(session, outbox.clone())).request(request, ticket).await
    }

    fn admit(&self, id: &Value) -> Result<Ticket, RejectedRequest> {
        self.in_flight.admit(id).map_err(|refused| match refused {
            NotAdmitted::Busy => RejectedRequest::new(
                id.clone(),
                BUSY,
                format!(
                    "busy: {} requests of this connection are under way; try again when one has been answered",
                    self.host.limits().max_in_flight
                ),
            ),
            NotAdmitted::Duplicate => {
                RejectedRequest::new(id.clone(), INVALID_REQUEST, "a request with this id is under way")
            }
        })
    }

    async fn forward(&self, message: Value) {
        if let Some(mcp) = &self.mcp {
            mcp.other(message).await;
        }
    }

    async fn finish(mut self) {
        if let Some(mcp) = self.mcp.take() {
            mcp.finish().await;
        }
        self.passing.iter().for_each(AbortHandle::abort);
        while let Some(ended) = self.tasks.join_next().await {
            if let Err(error) = ended
                && !error.is_cancelled()
            {
                tracing::error!(session = self.number, %error, "a request failed");
            }
        }
        tracing::debug!(session = self.number, "closed");
    }
}
