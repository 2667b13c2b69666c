//! `symd lsp`: the language server of one editor. It keeps the documents and passes them on to the daemon of each
//! project; the daemons keep nothing that an editor could not send again. Invariants: whatever an editor sends,
//! the next message is read; a request is answered once; nothing of a document outside the projects is passed on.

mod commands;
mod connections;
mod context;
mod daemon_messages;
mod daemon_requests;
mod documents;
mod editor;
mod edits;
mod gathered;
mod kept_connection;
mod link;
mod messages;
mod navigation;
mod notifications;
mod progress;
mod published;
mod registrations;
mod requests;
#[cfg(test)]
mod tests;
mod trust;
mod workspace;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::position::PositionEncoding;
use context::PushedContext;
use documents::Documents;
use editor::EditorAbilities;
use edits::AskedOfEditor;
use gathered::GatheredAnswers;
pub use link::{Announce, Connect, StartPolicy, WatchSocket};
use link::{AskedCommand, Link, LinkEvent, LinkLimits};
use published::PublishedDiagnostics;
use registrations::NavigationState;
use symd_rpc::framing::{self, Frame, Frames, MAX_MESSAGE_BYTES};
use symd_rpc::server_message::ServerMessage;
use symd_rpc::write;
pub use trust::{AskTrust, RecordTrust, TrustAnswer, TrustQuestion};
use workspace::Workspace;

/// Messages of the editor that were read and not handled yet. If it is full, no more are read.
const INBOX: usize = 256;

/// Messages for the editor that are not written yet. If it is full, no more of the editor's are handled.
const OUTBOX: usize = 256;

/// Events of links that are not handled yet. If it is full, no more of the daemons' messages are read.
const LINK_EVENTS: usize = 256;

/// How long an editor that has ended the conversation may take to read the last messages.
const LAST_WRITES: Duration = Duration::from_secs(5);

/// The limits of a conversation; tests have lower ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ProxyLimits {
    /// The most bytes of a message of the editor.
    message_bytes: u64,
    link: LinkLimits,
}

impl Default for ProxyLimits {
    fn default() -> ProxyLimits {
        ProxyLimits { message_bytes: MAX_MESSAGE_BYTES, link: LinkLimits::default() }
    }
}

/// How the editor ended the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyEnd {
    /// As LSP demands: by `shutdown` and `exit`.
    Orderly,
    /// It closed the pipe, or sent `exit` alone.
    Abrupt,
}

/// What the proxy needs of the layers above.
#[derive(Clone)]
pub struct ProxyHooks {
    pub announce: Announce,
    pub connect: Connect,
    pub watch_socket: WatchSocket,
    pub ask_trust: AskTrust,
}

/// Serves one editor until it ends the conversation or is gone.
pub async fn serve(
    hooks: ProxyHooks,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> ProxyEnd {
    serve_within(ProxyLimits::default(), hooks, input, output).await
}

async fn serve_within(
    limits: ProxyLimits,
    hooks: ProxyHooks,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> ProxyEnd {
    let (bodies, mut inbox) = mpsc::channel(INBOX);
    let reading = tokio::spawn(async move {
        let mut frames = Frames::with_limit(input, "editor", limits.message_bytes);
        // An error of the pipe is its end.
        while let Ok(frame) = frames.next().await {
            let is_end = matches!(frame, Frame::End);
            if bodies.send(frame).await.is_err() || is_end {
                return;
            }
        }
    });
    let (to_editor, outbox) = mpsc::channel(OUTBOX);
    let writing = tokio::spawn(write_all(output, outbox));
    let (events, mut from_links) = mpsc::channel(LINK_EVENTS);
    let mut proxy = Proxy {
        limits,
        hooks,
        events,
        to_editor,
        phase: Phase::Uninitialized,
        abilities: EditorAbilities::default(),
        encoding: PositionEncoding::Utf16,
        workspace: Workspace::default(),
        documents: Documents::default(),
        shown: PushedContext::default(),
        asked: AskedOfEditor::default(),
        told_failures: BTreeMap::new(),
        links: BTreeMap::new(),
        trust_asked: BTreeSet::new(),
        navigation: NavigationState::default(),
        published: PublishedDiagnostics::default(),
        gathered: GatheredAnswers::new(),
        unanswered: Vec::new(),
        withdrawn: Vec::new(),
    };
    let end = loop {
        tokio::select! {
            // What the editor sent comes first: an event of a link is handled with the newest texts.
            biased;
            frame = inbox.recv() => match frame {
                Some(Frame::Body(body)) => {
                    if let Some(end) = proxy.take(body).await {
                        break end;
                    }
                }
                Some(Frame::TooLong(_)) => proxy.skip("it is too long").await,
                Some(Frame::End) | None => break ProxyEnd::Abrupt,
            },
            Some((root, event)) = from_links.recv() => proxy.take_link_event(&root, event).await,
            () = until(proxy.published.next_due()) => proxy.ask_diagnostics().await,
        }
    };
    reading.abort();
    drop(proxy);
    // An editor that reads no more is not waited for.
    let _ = tokio::time::timeout(LAST_WRITES, writing).await;
    end
}

/// Waits until `moment`; without one it never returns.
async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

async fn write_all(mut output: impl AsyncWrite + Unpin, mut outbox: mpsc::Receiver<Vec<u8>>) {
    while let Some(message) = outbox.recv().await {
        let mut frame = Vec::with_capacity(message.len() + 32);
        framing::append(&mut frame, &message);
        if output.write_all(&frame).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}

/// How far the conversation is (LSP 3.17, server lifecycle).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Uninitialized,
    Running,
    ShutDown,
}

/// How a request is answered.
enum Answer {
    Now(Value),
    /// When the daemon has answered; until then the editor is sent this, if anything.
    Later(Option<Vec<u8>>),
}

struct Proxy {
    limits: ProxyLimits,
    hooks: ProxyHooks,
    events: mpsc::Sender<(PathBuf, LinkEvent)>,
    to_editor: mpsc::Sender<Vec<u8>>,
    phase: Phase,
    abilities: EditorAbilities,
    encoding: PositionEncoding,
    workspace: Workspace,
    documents: Documents,
    shown: PushedContext,
    asked: AskedOfEditor,
    /// Why no daemon could be reached, by root, as the user was told.
    told_failures: BTreeMap<PathBuf, String>,
    links: BTreeMap<PathBuf, Link>,
    /// The roots whose trust the user was asked about, or need not be.
    trust_asked: BTreeSet<PathBuf>,
    /// The languages about whose code symd is asked.
    navigation: NavigationState,
    /// Diagnostics for an editor that does not ask for them.
    published: PublishedDiagnostics,
    /// Requests that the daemons of several projects answer.
    gathered: GatheredAnswers,
    /// Commands of links that were given up.
    unanswered: Vec<AskedCommand>,
    /// Questions to the user of links that were given up.
    withdrawn: Vec<u64>,
}

impl Proxy {
    /// Handles a message of the editor; returns how the conversation ended, if it did.
    async fn take(&mut self, body: Vec<u8>) -> Option<ProxyEnd> {
        let end = self.handle(body).await;
        let unanswered = std::mem::take(&mut self.unanswered);
        self.refuse(unanswered, "its project was closed; it is unknown whether the command was carried out")
            .await;
        for id in std::mem::take(&mut self.withdrawn) {
            self.tell(daemon_messages::cancelled(id)).await;
        }
        end
    }

    async fn handle(&mut self, body: Vec<u8>) -> Option<ProxyEnd> {
        match ServerMessage::parse(body) {
            Ok(ServerMessage::Request { id, method, params }) => {
                let id: Value = serde_json::from_str(&id).unwrap_or_default();
                match self.request(&id, &method, &params) {
                    Ok(Answer::Now(result)) => self.tell(write::result(&id, result)).await,
                    Ok(Answer::Later(None)) => {}
                    Ok(Answer::Later(Some(meanwhile))) => self.tell(meanwhile).await,
                    Err((code, message)) => self.tell(write::error(&id, code, &message)).await,
                }
                None
            }
            Ok(ServerMessage::Notification { method, params }) => match method.as_str() {
                "exit" if self.phase == Phase::ShutDown => Some(ProxyEnd::Orderly),
                "exit" => Some(ProxyEnd::Abrupt),
                _ if self.phase != Phase::Running => None,
                method => {
                    self.notification(method, &params).await;
                    None
                }
            },
            Ok(ServerMessage::Response { id, outcome }) => {
                let answer =
                    outcome.map(|raw| raw.decode().unwrap_or_default()).map_err(|error| error.message);
                self.take_answer(id, answer).await;
                None
            }
            Err(invalid) => {
                self.skip(&invalid.problem).await;
                None
            }
        }
    }

    /// Sends a message to the editor.
    async fn tell(&self, message: Vec<u8>) {
        // An editor that is gone has closed its other pipe too, which ends the conversation.
        let _ = self.to_editor.send(message).await;
    }

    async fn warn(&self, text: &str) {
        let shown = json!({ "type": 2, "message": text });
        self.tell(write::notification("window/showMessage", Some(shown))).await;
    }

    async fn inform(&self, text: &str) {
        let shown = json!({ "type": 3, "message": edits::without_links(text) });
        self.tell(write::notification("window/showMessage", Some(shown))).await;
    }
}
