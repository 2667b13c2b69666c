//! A daemon's side of one editor: the documents that it has open, in the order in which it tells of them.
//! Invariant: what an editor sent is forgotten when its connection ends, and a notification that cannot be read
//! changes nothing but the document that it names.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::editor_requests::{EditorPrompt, EditorRequests};
use crate::shown;
use crate::wire::{
    ATTACH, Attach, CHANGE, CLOSE, ChangedBuffer, LOST, OPEN, OpenedBuffer, RENAMED, RESEND, RenamedFile,
    SAVE, TOLD, ToldDocuments,
};
use symd_base::RelPath;
use symd_engine::EngineError;
use symd_ops::Project;
use symd_ops::buffers::{BufferAbilities, BufferChange, EditorBuffers};
use symd_ops::editor_context::{ConnectedEditor, ContextPort};
use symd_rpc::write;

/// One connected editor.
#[derive(Debug)]
pub struct EditorSession {
    name: String,
    buffers: EditorBuffers,
    shown: ConnectedEditor,
    requests: Arc<EditorRequests>,
    /// Documents of which a part has come.
    unfinished: BTreeMap<RelPath, String>,
}

impl EditorSession {
    /// Returns the session that a notification begins; `None` if it is another notification.
    /// Requests for the editor are sent through `to_editor`, without a line's end.
    pub fn attach(
        project: &Project,
        method: &str,
        params: Value,
        to_editor: mpsc::Sender<Vec<u8>>,
    ) -> Option<EditorSession> {
        if method != ATTACH {
            return None;
        }
        let attach: Attach = serde_json::from_value(params).unwrap_or_default();
        tracing::info!(editor = attach.editor, "an editor is connected");
        let abilities = BufferAbilities {
            applies: attach.applies,
            saves: attach.saves,
            reloads: attach.reloads,
            answers: attach.tells,
        };
        let requests = Arc::new(EditorRequests::new(to_editor));
        let buffers = project.buffers.attach(&attach.editor, abilities, Arc::clone(&requests) as _);
        let port = attach.tells.then(|| Arc::clone(&requests) as Arc<dyn ContextPort>);
        let shown = project.editor_contexts.connect(&attach.editor, port);
        Some(EditorSession { name: attach.editor, buffers, shown, requests, unfinished: BTreeMap::new() })
    }

    /// Returns the editor's name and version.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the way to ask the editor's user.
    pub fn prompt(&self) -> EditorPrompt {
        EditorPrompt::new(Arc::clone(&self.requests))
    }

    /// Takes the answer to one of the requests to the editor; returns whether it is one.
    pub fn take_answer(&self, response: &Value) -> bool {
        self.requests.take_answer(response)
    }

    /// Handles a notification; returns a message for the editor, if one is due.
    pub async fn notify(&mut self, method: &str, params: Value) -> Option<Vec<u8>> {
        if method == TOLD {
            if let Ok(ToldDocuments { presence }) = serde_json::from_value(params) {
                self.buffers.record_told(presence);
            }
            return None;
        }
        if method.starts_with("symd/editor/") {
            shown::notify(&self.shown, method, params);
            return None;
        }
        let path = RelPath::new(params.get("path")?.as_str()?).ok()?;
        let handled = match method {
            OPEN => self.open(&path, params).await,
            CHANGE => self.change(&path, params).await,
            SAVE => self.buffers.save(&path).await.map_err(NotHandled::from),
            CLOSE => self.buffers.close(&path).await.map_err(NotHandled::from),
            LOST => self.buffers.lose(&path).await.map_err(NotHandled::from),
            RENAMED => {
                if let Ok(RenamedFile { to, .. }) = serde_json::from_value(params)
                    && let Ok(to) = RelPath::new(&to)
                {
                    self.buffers.rename(&path, &to);
                }
                return None;
            }
            _ => return None,
        };
        match handled {
            Ok(()) => None,
            Err(NotHandled::Unreadable) => {
                // What the document has become is unknown.
                let _ = self.buffers.lose(&path).await;
                Some(write::notification(RESEND, Some(json!({ "path": path.as_str() }))))
            }
            Err(NotHandled::Ending) => None,
        }
    }

    async fn open(&mut self, path: &RelPath, params: Value) -> Result<(), NotHandled> {
        let opened: OpenedBuffer = read(params)?;
        let mut text = self.unfinished.remove(path).unwrap_or_default();
        if !opened.continues {
            text.clear();
        }
        text.push_str(&opened.text);
        if opened.unfinished {
            self.unfinished.insert(path.clone(), text);
            return Ok(());
        }
        Ok(self.buffers.open(path.clone(), opened.version, text).await?)
    }

    async fn change(&mut self, path: &RelPath, params: Value) -> Result<(), NotHandled> {
        let ChangedBuffer { version, changes, length, .. } = read(params)?;
        let changes: Vec<BufferChange> =
            changes.into_iter().map(|(start, end, text)| BufferChange { start, end, text }).collect();
        let is_known = self.buffers.change(path, version, &changes, length).await?;
        if is_known { Ok(()) } else { Err(NotHandled::Unreadable) }
    }

    /// Ends the requests to the editor, which gets no more.
    pub fn end_requests(&self) {
        self.requests.end();
    }

    /// Forgets everything that the editor sent.
    pub async fn end(self) {
        self.end_requests();
        self.buffers.detach().await;
    }
}

/// Why a notification had no effect.
enum NotHandled {
    /// It cannot be read, or does not fit what is known.
    Unreadable,
    /// The daemon is about to end.
    Ending,
}

impl From<EngineError> for NotHandled {
    fn from(_: EngineError) -> NotHandled {
        NotHandled::Ending
    }
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, NotHandled> {
    serde_json::from_value(params).map_err(|_| NotHandled::Unreadable)
}
