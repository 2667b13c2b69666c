//! `symd lsp`: the language server of one editor. It keeps the documents and passes them on to the daemon of each
//! project; the daemons keep nothing that an editor could not send again. Invariants: whatever an editor sends,
//! the next message is read; a request is answered once; nothing of a document outside the projects is passed on.

mod commands;
mod context;
mod daemon_messages;
mod documents;
mod editor;
mod edits;
mod link;
mod messages;
#[cfg(test)]
mod tests;
mod workspace;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

use crate::position::PositionEncoding;
use crate::wire::{
    self, ATTACH, Attach, CHANGE, CLOSE, ChangedBuffer, EditorReply, LOST, RESEND, SAVE, TOLD, ToldDocuments,
    WantedChanges, WantedSave,
};
use context::{EditorContextParams, EditorDiagnosticsParams, Part, PushedContext, TerminalTailParams, Units};
use daemon_messages::{are_long, named, send_to_links, whole};
use documents::{Changed, Document, Documents, path_of};
use editor::EditorAbilities;
use edits::{AskedEditor, AskedOfEditor, EditorQuestion};
pub use link::{Announce, Connect, StartPolicy};
use link::{AskedCommand, Link, LinkEvent};
use messages::{DidChange, DidClose, DidOpen, DidSave, PlaceRequest};
use symd_rpc::codes::{
    BUSY, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, REQUEST_FAILED, SERVER_NOT_INITIALIZED,
};
use symd_rpc::framing::{self, Frame, Frames};
use symd_rpc::server_message::{RawJson, ServerMessage};
use symd_rpc::write;
use workspace::Workspace;

/// Messages of the editor that were read and not handled yet. If it is full, no more are read.
const INBOX: usize = 256;

/// Messages for the editor that are not written yet. If it is full, no more of the editor's are handled.
const OUTBOX: usize = 256;

/// Events of links that are not handled yet. If it is full, no more of the daemons' messages are read.
const LINK_EVENTS: usize = 256;

/// Why a document's text is unknown.
const NO_FIT: &str = "the changes do not fit its text";
const BARE_CR: &str =
    "its text has a carriage return without a line feed, where editors differ about the line's end";

/// How the editor ended the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyEnd {
    /// As LSP demands: by `shutdown` and `exit`.
    Orderly,
    /// It closed the pipe, or sent `exit` alone.
    Abrupt,
}

/// Serves one editor until it ends the conversation or is gone.
pub async fn serve(
    (announce, connect): (Announce, Connect),
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> ProxyEnd {
    let (bodies, mut inbox) = mpsc::channel(INBOX);
    let reading = tokio::spawn(async move {
        let mut frames = Frames::new(input, "editor");
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
        announce,
        connect,
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
        unanswered: Vec::new(),
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
        }
    };
    reading.abort();
    drop(proxy);
    let _ = writing.await;
    end
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
    /// When the daemon has answered.
    Later,
}

struct Proxy {
    announce: Announce,
    connect: Connect,
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
    /// Commands of links that were given up.
    unanswered: Vec<AskedCommand>,
}

impl Proxy {
    /// Handles a message of the editor; returns how the conversation ended, if it did.
    async fn take(&mut self, body: Vec<u8>) -> Option<ProxyEnd> {
        let end = self.handle(body).await;
        let unanswered = std::mem::take(&mut self.unanswered);
        self.refuse(unanswered, "its project was closed; it is unknown whether the command was carried out")
            .await;
        end
    }

    async fn handle(&mut self, body: Vec<u8>) -> Option<ProxyEnd> {
        match ServerMessage::parse(body) {
            Ok(ServerMessage::Request { id, method, params }) => {
                let id: Value = serde_json::from_str(&id).unwrap_or_default();
                match self.request(&id, &method, &params) {
                    Ok(Answer::Now(result)) => self.tell(write::result(&id, result)).await,
                    Ok(Answer::Later) => {}
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
                self.take_answer(id, answer);
                None
            }
            Err(invalid) => {
                self.skip(&invalid.problem).await;
                None
            }
        }
    }

    /// Passes over a message of the editor that cannot be read. It may have changed any document.
    async fn skip(&mut self, problem: &str) {
        tracing::warn!(problem, "skipped a message of the editor");
        let mut is_any_lost = false;
        for document in self.documents.by_uri.values_mut().filter(|document| !document.is_lost) {
            (document.is_lost, is_any_lost) = (true, true);
            send_to_links(&mut self.links, document, |path| vec![named(LOST, path)]);
        }
        if is_any_lost {
            self.warn(&format!(
                "symd: a message of the editor could not be read ({problem}); agents see the saved files and cannot \
                 edit open ones until they are closed and opened again"
            ))
            .await;
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

    fn request(&mut self, id: &Value, method: &str, params: &RawJson) -> Result<Answer, (i64, String)> {
        match (self.phase, method) {
            (Phase::Uninitialized, "initialize") => self.initialize(params).map(Answer::Now),
            (Phase::Uninitialized, _) => {
                Err((SERVER_NOT_INITIALIZED, format!("{method} before initialize; initialize first")))
            }
            (Phase::ShutDown, _) => Err((INVALID_REQUEST, format!("{method} after shutdown"))),
            (Phase::Running, "initialize") => Err((INVALID_REQUEST, "initialize was sent twice".to_owned())),
            (Phase::Running, "shutdown") => {
                self.phase = Phase::ShutDown;
                self.keep_links(|_| false);
                Ok(Answer::Now(Value::Null))
            }
            (Phase::Running, "workspace/executeCommand") => self.execute(id, params),
            (Phase::Running, "textDocument/codeAction") => {
                self.infer_cursor(params);
                Ok(Answer::Now(json!([])))
            }
            (Phase::Running, _) => Err((METHOD_NOT_FOUND, format!("symd has no method {method}"))),
        }
    }

    /// Passes a command on to the daemon of the project that it names, or else of the first one.
    fn execute(&mut self, id: &Value, params: &RawJson) -> Result<Answer, (i64, String)> {
        let invalid = |message: String| (INVALID_PARAMS, message);
        let params: Value = params.decode().map_err(|error| invalid(error.to_string()))?;
        let command =
            params["command"].as_str().ok_or_else(|| invalid("the command is missing".to_owned()))?;
        let mut arguments = params["arguments"].clone();
        let place = arguments.get_mut(0).and_then(Value::as_object_mut).and_then(|first| first.remove("uri"));
        let request = commands::request_of(command, &arguments).map_err(invalid)?;
        let file = place.as_ref().and_then(Value::as_str).and_then(path_of);
        let named = file.and_then(|file| self.links.keys().find(|root| file.starts_with(root)).cloned());
        let root = named.or_else(|| self.links.keys().next().cloned());
        let link = root.as_ref().and_then(|root| self.links.get_mut(root));
        let link =
            link.ok_or_else(|| (REQUEST_FAILED, format!("{command}: no folder belongs to a project")))?;
        let asked = AskedCommand { id: id.clone(), is_shown: request.is_shown };
        match link.ask(request.method, &request.params, asked) {
            Ok(()) => Ok(Answer::Later),
            Err(_) => Err((BUSY, format!("{command}: too many commands wait for the daemon"))),
        }
    }

    fn initialize(&mut self, params: &RawJson) -> Result<Value, (i64, String)> {
        let params: Value = params.decode().map_err(|error| (INVALID_PARAMS, error.to_string()))?;
        self.abilities = EditorAbilities::of(&params);
        self.encoding = PositionEncoding::choose(&self.abilities.encodings);
        self.workspace = Workspace::of(&params);
        self.phase = Phase::Running;
        self.connect_folders();
        Ok(editor::initialize_result(self.encoding, &self.abilities))
    }

    async fn notification(&mut self, method: &str, params: &RawJson) {
        match method {
            "textDocument/didOpen" => {
                let Ok(DidOpen { text_document }) = params.decode() else { return };
                let uri = text_document.uri.clone();
                let is_bare = self.documents.open(text_document).is_some_and(Document::has_bare_cr);
                self.connect_document(&uri);
                self.send_whole(&uri);
                if is_bare {
                    self.lose(&uri, BARE_CR).await;
                }
            }
            "textDocument/didChange" => self.change(params).await,
            "textDocument/didSave" => {
                let Ok(DidSave { text_document }) = params.decode() else { return };
                self.send_named(&text_document.uri, SAVE);
            }
            "textDocument/didClose" => {
                let Ok(DidClose { text_document }) = params.decode() else { return };
                let Some(closed) = self.documents.by_uri.remove(&text_document.uri) else { return };
                match self.documents.uris_of(&closed.path).first().map(|uri| (*uri).to_owned()) {
                    Some(other) => self.send_whole(&other),
                    None => send_to_links(&mut self.links, &closed, |path| vec![named(CLOSE, path)]),
                }
            }
            "workspace/didChangeWorkspaceFolders" => {
                let Ok(params) = params.decode::<Value>() else { return };
                self.workspace.change(&params);
                self.connect_folders();
            }
            "symd/didChangeEditorContext" => {
                let Ok(params) = params.decode::<EditorContextParams>() else { return };
                self.push_context(params);
            }
            "symd/didChangeEditorDiagnostics" => {
                let Ok(params) = params.decode::<EditorDiagnosticsParams>() else { return };
                self.shown.diagnostics = Some(params);
                self.push(Part::Diagnostics);
            }
            "symd/terminalTail" => {
                let Ok(params) = params.decode::<TerminalTailParams>() else { return };
                self.shown.terminal = Some(params);
                self.push(Part::Terminal);
            }
            _ => {}
        }
    }

    /// Takes the place that a request names for the cursor, if the editor has no package that reports it.
    fn infer_cursor(&mut self, params: &RawJson) {
        let Ok(PlaceRequest { text_document, range }) = params.decode() else { return };
        if self.abilities.reports_context {
            return;
        }
        let version = self.documents.by_uri.get(&text_document.uri).map(|document| document.version);
        self.push_context(EditorContextParams::inferred(&text_document.uri, range.end, version > Some(1)));
    }

    fn push_context(&mut self, params: EditorContextParams) {
        self.shown.context = Some(params);
        self.push(Part::Context);
    }

    /// Tells all daemons a part of what the editor shows.
    fn push(&mut self, part: Part) {
        let units = Units { documents: &self.documents, encoding: self.encoding };
        for (root, link) in &mut self.links {
            if let Some(message) = self.shown.message(part, root, &units) {
                link.send(message);
            }
        }
    }

    async fn change(&mut self, params: &RawJson) {
        let change: DidChange = match params.decode() {
            Ok(change) => change,
            Err(_) => {
                // Changes that cannot be read were made all the same.
                let named: Result<DidClose, _> = params.decode();
                if let Ok(DidClose { text_document }) = named {
                    self.lose(&text_document.uri, NO_FIT).await;
                }
                return;
            }
        };
        let uri = change.text_document.uri;
        let Some(document) = self.documents.by_uri.get_mut(&uri) else { return };
        let was_lost = document.is_lost;
        let changed = document.change(change.text_document.version, change.content_changes, self.encoding);
        if !document.is_lost && document.has_bare_cr() {
            document.is_lost = true;
            if !was_lost {
                self.lose(&uri, BARE_CR).await;
            }
            return;
        }
        let Some(document) = self.documents.by_uri.get(&uri) else { return };
        let is_shared = self.documents.uris_of(&document.path).len() > 1;
        match changed {
            Changed::Whole => self.send_whole(&uri),
            Changed::Parts(parts) if is_shared || are_long(&parts) => self.send_whole(&uri),
            Changed::Parts(changes) => {
                let (version, length) = (document.version, document.text.len());
                let changed = |path: &str| ChangedBuffer {
                    path: path.to_owned(),
                    version,
                    changes: changes.clone(),
                    length,
                };
                send_to_links(&mut self.links, document, |path| {
                    vec![write::notification(CHANGE, Some(changed(path)))]
                });
            }
            Changed::Lost { is_new: false } => {}
            Changed::Lost { is_new: true } => self.lose(&uri, NO_FIT).await,
        }
    }

    async fn lose(&mut self, uri: &str, why: &str) {
        let Some(document) = self.documents.by_uri.get_mut(uri) else { return };
        document.is_lost = true;
        let path = document.path.display().to_string();
        self.send_named(uri, LOST);
        self.warn(&format!(
            "symd: {path}: {why}; agents see the saved file and cannot edit it until it is closed and opened again"
        ))
        .await;
    }

    /// Sends a document's text to the daemons of all roots that contain it.
    fn send_whole(&mut self, uri: &str) {
        if let Some(document) = self.documents.by_uri.get(uri) {
            let is_in_doubt = self.documents.is_in_doubt(document);
            send_to_links(&mut self.links, document, |path| whole(document, path, is_in_doubt));
        }
    }

    fn send_named(&mut self, uri: &str, method: &str) {
        if let Some(document) = self.documents.by_uri.get(uri) {
            send_to_links(&mut self.links, document, |path| vec![named(method, path)]);
        }
    }

    /// Connects the daemons of the workspace's folders, and gives up those that no folder and no document needs.
    fn connect_folders(&mut self) {
        let mut roots = self.workspace.roots();
        for document in self.documents.by_uri.values() {
            roots.extend(self.workspace.root_of(&document.path));
        }
        self.keep_links(|root| roots.contains(root));
        for root in roots {
            self.connect_root(root);
        }
    }

    /// Gives up the links of other roots, with the commands that their daemons have not answered.
    fn keep_links(&mut self, is_kept: impl Fn(&Path) -> bool) {
        for (root, mut link) in self.links.extract_if(.., |root, _| !is_kept(root)) {
            self.asked.drop_of(&root);
            self.unanswered.extend(link.set_down());
        }
    }

    /// Connects the daemon of a document that lies in none of the connected roots.
    fn connect_document(&mut self, uri: &str) {
        let Some(document) = self.documents.by_uri.get(uri) else { return };
        if self.links.keys().any(|root| document.beneath(root).is_some()) {
            return;
        }
        if let Some(root) = self.workspace.root_of(&document.path) {
            self.connect_root(root);
        }
    }

    fn connect_root(&mut self, root: PathBuf) {
        let (announce, connect, events) = (&self.announce, &self.connect, &self.events);
        self.links.entry(root).or_insert_with_key(|root| {
            Link::begin(root.clone(), (announce, connect.clone()), events.clone())
        });
    }

    async fn take_link_event(&mut self, root: &Path, event: LinkEvent) {
        // An event of a link that was given up meanwhile concerns nothing.
        let Some(link) = self.links.get_mut(root) else { return };
        match event {
            LinkEvent::Up(to_daemon) => {
                link.set_up(to_daemon);
                self.told_failures.remove(root);
                let attach = Attach {
                    editor: self.abilities.name.clone(),
                    applies: self.abilities.applies,
                    saves: self.abilities.saves,
                };
                link.send(write::notification(ATTACH, Some(attach)));
                for document in self.documents.by_uri.values() {
                    let Some(path) = document.beneath(root) else { continue };
                    let is_in_doubt = self.documents.is_in_doubt(document);
                    whole(document, path, is_in_doubt).into_iter().for_each(|message| link.send(message));
                }
                let units = Units { documents: &self.documents, encoding: self.encoding };
                for part in [Part::Diagnostics, Part::Terminal, Part::Context] {
                    if let Some(message) = self.shown.message(part, root, &units) {
                        link.send(message);
                    }
                }
                if let Some(presence) = &link.presence {
                    let told = ToldDocuments { presence: presence.name().to_owned() };
                    link.send(write::notification(TOLD, Some(told)));
                }
                link.send_waiting();
            }
            LinkEvent::Down => {
                let lost = link.set_down();
                self.asked.drop_of(root);
                let why =
                    "the daemon ended before it answered; it is unknown whether the command was carried out";
                self.refuse(lost, why).await;
            }
            // The daemon could not read a message, so it lacks a part of what it was told.
            LinkEvent::Message(message) if message["id"].is_null() && message.get("error").is_some() => {
                link.begin_anew();
            }
            LinkEvent::Message(message) if message.get("method").is_none() => {
                let answered = link.answered(&message);
                if let Some(asked) = answered {
                    self.answer_command(&asked, message).await;
                }
            }
            LinkEvent::Message(message) => match message["method"].as_str().map(str::to_owned) {
                Some(method) if message.get("id").is_some() => {
                    self.take_daemon_request(root, &method, message).await;
                }
                _ => self.take_daemon_message(root, &message),
            },
            LinkEvent::Failed(why) => {
                let waiting = link.set_down();
                self.refuse(waiting, &why).await;
                // Each attempt fails for the same reason, until the user has mended it.
                if self.told_failures.insert(root.to_owned(), why.clone()).as_ref() == Some(&why) {
                    return;
                }
                self.warn(&format!("symd: no daemon for {}: {why}", root.display())).await;
            }
        }
    }

    async fn refuse(&self, commands: Vec<AskedCommand>, why: &str) {
        for asked in commands {
            self.tell(write::error(&asked.id, REQUEST_FAILED, why)).await;
        }
    }

    async fn answer_command(&self, asked: &AskedCommand, mut message: Value) {
        if let Some(error) = message["error"]["message"].as_str() {
            self.tell(write::error(&asked.id, REQUEST_FAILED, error)).await;
            return;
        }
        let result = message["result"].take();
        if asked.is_shown {
            let shown = json!({ "type": 3, "message": commands::shown(&result) });
            self.tell(write::notification("window/showMessage", Some(shown))).await;
        }
        self.tell(write::result(&asked.id, result)).await;
    }

    /// Passes the editor's answer on to the daemon that asked.
    fn take_answer(&mut self, id: Option<u64>, answer: Result<Value, String>) {
        let Some(asked) = id.and_then(|id| self.asked.take(id)) else { return };
        let reply = edits::reply(asked.question, answer);
        if let Some(link) = self.links.get_mut(&asked.root) {
            link.send(write::result(&asked.id, reply));
        }
    }

    /// Carries out a request of a daemon.
    async fn take_daemon_request(&mut self, root: &Path, method: &str, mut message: Value) {
        let (id, params) = (message["id"].take(), message["params"].take());
        let mut asked =
            |question| self.asked.add(AskedEditor { root: root.to_owned(), id: id.clone(), question });
        let request = match method {
            wire::APPLY => serde_json::from_value::<WantedChanges>(params)
                .map_err(|error| error.to_string())
                .and_then(|wanted| edits::apply_edit(root, &wanted, &self.documents, self.encoding))
                .map(|edit| {
                    Some(write::request(asked(EditorQuestion::Apply), "workspace/applyEdit", Some(edit)))
                }),
            wire::WRITE => serde_json::from_value::<WantedSave>(params)
                .map(|wanted| {
                    let (uris, versions) = edits::to_save(root, &wanted, &self.documents);
                    (!uris.is_empty()).then(|| {
                        let params = json!({ "uris": uris, "versions": versions });
                        write::request(asked(EditorQuestion::Save), "symd/save", Some(params))
                    })
                })
                .map_err(|error| error.to_string()),
            _ => Err(format!("symd lsp has no method {method}")),
        };
        let refused = match request {
            Ok(Some(request)) => return self.tell(request).await,
            Ok(None) => None,
            Err(why) => Some(why),
        };
        if let Some(link) = self.links.get_mut(root) {
            link.send(write::result(&id, EditorReply { refused }));
        }
    }

    fn take_daemon_message(&mut self, root: &Path, message: &Value) {
        if message["method"] == RESEND
            && let Some(path) = message["params"]["path"].as_str()
            && let Some(link) = self.links.get_mut(root)
        {
            let is_meant = |document: &&Document| document.beneath(root) == Some(path);
            for document in self.documents.by_uri.values().filter(is_meant) {
                let is_in_doubt = self.documents.is_in_doubt(document);
                whole(document, path, is_in_doubt).into_iter().for_each(|message| link.send(message));
            }
        }
    }
}
