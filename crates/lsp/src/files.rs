//! Keeps a server's view of the project's files up to date: its open documents, and the notifications of
//! other changes. Every request about a file passes through here, so that it is about exactly the text that
//! the caller means. Invariant: messages are queued in the order in which the table of documents changed,
//! because both happen under one lock.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::changes::Changes;
use super::connection::{Connection, OutgoingSlot, PendingRequest, RequestError};

use super::documents::{Content, Documents, SentDocument};
use super::published_diagnostics::Published;
use super::uri;
use symd_base::{ContentHash, RelPath, Text};
use symd_config::{LanguageId, Languages};
use symd_vfs::{Change, Files, VfsError};

/// The maximum number of changes in one notification.
const CHANGES_PER_MESSAGE: usize = 1000;

/// The dependencies of [`FileSync`].
pub(crate) struct FileSyncConfig {
    pub(crate) connection: Connection,
    pub(crate) files: Arc<dyn Files>,
    pub(crate) languages: Arc<Languages>,
    /// The language of files whose names do not identify one.
    pub(crate) language: LanguageId,
    pub(crate) published: Arc<Published>,
}

/// The server's view of the project's files.
pub(crate) struct FileSync {
    setup: FileSyncConfig,
    state: Mutex<State>,
    noted: Notify,
}

struct State {
    documents: Documents,
    changes: Changes,
}

/// Why a request about a file was not sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum UnsentRequest {
    /// The file's content is not the version that the caller means.
    Changed,
    /// The file cannot be read as text.
    Unreadable(String),
    /// The request cannot be sent.
    Request(RequestError),
}

/// A file's content, or why it was not read.
type Reading = (RelPath, Result<Content, ReadFailure>);

/// The input of [`FileSync::compose`], gathered before the lock is taken.
struct PreparedBatch {
    readings: Vec<Reading>,
    read_at: u64,
    slot: OutgoingSlot,
}

enum ReadFailure {
    Gone,
    Other(String),
}

impl FileSync {
    pub(crate) fn new(setup: FileSyncConfig, documents: Documents) -> FileSync {
        let state = Mutex::new(State { documents, changes: Changes::default() });
        FileSync { setup, state, noted: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a change. Never blocks.
    pub(crate) fn changed(&self, path: &RelPath, change: Change) {
        let mut state = self.state();
        state.changes.note(path, change);
        state.documents.changed(path);
        drop(state);
        // The permit is kept if no task waits yet.
        self.noted.notify_one();
    }

    /// Whether some changes were lost because too many were pending: the server's view is wrong from now on.
    pub(crate) fn lost_changes(&self) -> bool {
        self.state().changes.lost()
    }

    /// Returns the state of a document as the server knows it.
    pub(crate) fn sent_state(&self, path: &RelPath) -> Option<SentDocument> {
        self.state().documents.sent_state(path)
    }

    /// Sends change notifications soon after the changes were noted, until the connection ends.
    pub(crate) async fn run_notifier(self: Arc<FileSync>) {
        loop {
            tokio::select! {
                () = self.setup.connection.closed() => return,
                () = self.noted.notified() => self.send_changes().await,
            }
        }
    }

    /// Sends notifications of all changes noted so far.
    async fn send_changes(&self) {
        while !self.state().changes.is_empty() {
            let Some(mut slot) = self.setup.connection.slot().await else { return };
            let mut state = self.state();
            self.tell_some(&mut state, &mut slot);
            slot.send();
        }
    }

    /// Adds one notification's worth of changes. A deleted file's document is closed first; otherwise the
    /// server would go on using its open text.
    fn tell_some(&self, state: &mut State, slot: &mut OutgoingSlot) {
        let changes = state.changes.take(CHANGES_PER_MESSAGE);
        if changes.is_empty() {
            return;
        }
        let mut events = Vec::with_capacity(changes.len());
        for (path, change) in changes {
            let kind = match change {
                Change::Created => 1,
                Change::Written => 2,
                Change::Deleted => 3,
            };
            if change == Change::Deleted {
                push_messages(slot, state.documents.close(&path));
            }
            events.push(json!({"uri": uri::of_file(self.root(), &path), "type": kind}));
        }
        slot.notify("workspace/didChangeWatchedFiles", &json!({"changes": events}));
    }

    fn root(&self) -> &Path {
        self.setup.files.path()
    }

    /// Sends a request about a file, after everything about files that the server does not know yet. `hash`
    /// is the version that the caller means, `None` for the one on disk; `params` builds the request's
    /// parameters.
    pub(crate) async fn ask(
        &self,
        path: &RelPath,
        hash: Option<ContentHash>,
        method: &'static str,
        params: impl FnOnce(&SentDocument) -> Value,
        deadline: Instant,
    ) -> Result<(SentDocument, PendingRequest), UnsentRequest> {
        let ask = |told: SentDocument, slot: OutgoingSlot| {
            let asked = slot.request(method, &params(&told)).map_err(UnsentRequest::Request)?;
            Ok((told, asked))
        };
        self.sync_and_then(path, hash, method, ask, deadline).await
    }

    /// Ensures that the server knows the current text of a file.
    pub(crate) async fn sync(
        &self,
        path: &RelPath,
        method: &'static str,
        deadline: Instant,
    ) -> Result<SentDocument, UnsentRequest> {
        let send = |told: SentDocument, slot: OutgoingSlot| {
            slot.send();
            Ok(told)
        };
        self.sync_and_then(path, None, method, send, deadline).await
    }

    /// Ensures that the server knows the current text of all open documents and all other changes.
    pub(crate) async fn sync_all(
        &self,
        method: &'static str,
        deadline: Instant,
    ) -> Result<(), UnsentRequest> {
        let prepared = self.prepare(Vec::new(), method, deadline).await?;
        self.compose(prepared, |_, slot, _| {
            slot.send();
            Ok(())
        })
    }

    /// Sends the server a file's current text and all other changes, then calls `rest` under the same lock.
    async fn sync_and_then<T>(
        &self,
        path: &RelPath,
        hash: Option<ContentHash>,
        method: &'static str,
        rest: impl FnOnce(SentDocument, OutgoingSlot) -> Result<T, UnsentRequest>,
        deadline: Instant,
    ) -> Result<T, UnsentRequest> {
        let wanted = if self.is_known(path, hash) { Vec::new() } else { vec![path.clone()] };
        let prepared = self.prepare(wanted, method, deadline).await?;
        self.compose(prepared, |state, mut slot, unreadable| {
            state.documents.asked(path);
            let told = state.documents.sent_state(path);
            // `told` holds this document's content, so it is not closed.
            push_messages(&mut slot, state.documents.evict());
            match told {
                Some(told) if hash.is_none_or(|hash| hash == told.content.hash) => rest(told, slot),
                _ => {
                    slot.send();
                    Err(unreadable.remove(path).map_or(UnsentRequest::Changed, UnsentRequest::Unreadable))
                }
            }
        })
    }

    /// Whether the server knows the version `hash` of a file; with `None`, whether the document is open at
    /// all (stale documents are reread in any case).
    fn is_known(&self, path: &RelPath, hash: Option<ContentHash>) -> bool {
        let told = self.sent_state(path);
        told.is_some_and(|told| hash.is_none_or(|hash| hash == told.content.hash))
    }

    /// Sends pending changes, reads the files that must be read, and reserves a place in the queue, until
    /// `deadline`.
    async fn prepare(
        &self,
        wanted: Vec<RelPath>,
        method: &'static str,
        deadline: Instant,
    ) -> Result<PreparedBatch, UnsentRequest> {
        let begun = Instant::now();
        let prepare = async {
            self.send_changes().await;
            let (readings, read_at) = self.read_what_is_stale(wanted).await;
            let slot = self.setup.connection.slot().await?;
            Some(PreparedBatch { readings, read_at, slot })
        };
        let timed_out = |_| UnsentRequest::Request(RequestError::TimedOut { method, after: begun.elapsed() });
        let prepared = tokio::time::timeout_at(deadline, prepare).await.map_err(timed_out)?;
        prepared.ok_or(UnsentRequest::Request(RequestError::Closed { method }))
    }

    /// Composes all messages under one lock, so that the queue has the order of the table. `rest` receives
    /// the slot and, per file, why it could not be read.
    fn compose<T>(
        &self,
        prepared: PreparedBatch,
        rest: impl FnOnce(&mut State, OutgoingSlot, &mut BTreeMap<RelPath, String>) -> Result<T, UnsentRequest>,
    ) -> Result<T, UnsentRequest> {
        let PreparedBatch { readings, read_at, mut slot } = prepared;
        let mut unreadable = BTreeMap::new();
        let mut state = self.state();
        self.tell_some(&mut state, &mut slot);
        for (path, content) in readings {
            match content {
                Ok(content) => self.take_reading(&mut state, &mut slot, &path, content, read_at),
                Err(unread) => {
                    push_messages(&mut slot, state.documents.close(&path));
                    if let ReadFailure::Other(problem) = unread {
                        unreadable.insert(path, problem);
                    }
                }
            }
        }
        rest(&mut state, slot, &mut unreadable)
    }

    fn take_reading(
        &self,
        state: &mut State,
        slot: &mut OutgoingSlot,
        path: &RelPath,
        content: Content,
        read_at: u64,
    ) {
        let published = self.setup.published.count();
        let messages = if state.documents.sent_state(path).is_some() {
            state.documents.update(path, content, read_at, published)
        } else {
            let names = (uri::of_file(self.root(), path), self.language_id(path));
            state.documents.open(path, names, content, read_at, published)
        };
        push_messages(slot, messages);
    }

    /// Reads the open documents whose files changed, and the files in `wanted`.
    async fn read_what_is_stale(&self, wanted: Vec<RelPath>) -> (Vec<Reading>, u64) {
        let (mut paths, read_at) = {
            let mut state = self.state();
            (state.documents.stale(), state.documents.tick())
        };
        paths.extend(wanted);
        paths.sort_unstable();
        paths.dedup();
        if paths.is_empty() {
            return (Vec::new(), read_at);
        }
        let files = Arc::clone(&self.setup.files);
        let reading = move || paths.into_iter().map(|path| (path.clone(), read(&*files, &path))).collect();
        // This fails only when the runtime shuts down; then the result is not needed.
        (tokio::task::spawn_blocking(reading).await.unwrap_or_default(), read_at)
    }

    fn language_id(&self, path: &RelPath) -> String {
        let languages = &self.setup.languages;
        let language = languages.get(languages.language_of(path).unwrap_or(self.setup.language));
        language.language_id.clone().unwrap_or_else(|| language.name.clone())
    }
}

fn push_messages(slot: &mut OutgoingSlot, messages: Vec<super::documents::Message>) {
    for (method, params) in messages {
        slot.notify(method, &params);
    }
}

fn read(files: &dyn Files, path: &RelPath) -> Result<Content, ReadFailure> {
    let bytes = match files.read(path) {
        Ok(file) => file.bytes,
        Err(VfsError::NotFound { .. }) => return Err(ReadFailure::Gone),
        Err(error) => return Err(ReadFailure::Other(error.to_string())),
    };
    let hash = ContentHash::of(&bytes);
    let text = Text::decode(bytes).map_err(|error| ReadFailure::Other(format!("{path}: {error}")))?;
    Ok(Content { hash, text })
}
