//! A daemon's requests to one editor, and the answers that they wait for. Invariant: a request is answered once: by
//! the editor, or by the end of its connection.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use crate::wire::{APPLY, EditorReply, WRITE, WantedChanges, WantedDocument, WantedSave};
use symd_base::RelPath;
use symd_ops::buffers::{DocumentChanges, EditorAnswer, EditorPort};
use symd_rpc::write;

/// The beginning of the requests' ids, by which their answers are told from those to MCP's requests.
const ID_PREFIX: &str = "editor-";

#[derive(Debug)]
pub(crate) struct EditorRequests {
    to_editor: mpsc::Sender<Vec<u8>>,
    waiting: Arc<Mutex<WaitingAnswers>>,
}

#[derive(Debug, Default)]
struct WaitingAnswers {
    last: u64,
    is_ended: bool,
    by_id: BTreeMap<String, oneshot::Sender<Result<(), String>>>,
}

impl EditorRequests {
    pub(crate) fn new(to_editor: mpsc::Sender<Vec<u8>>) -> EditorRequests {
        EditorRequests { to_editor, waiting: Arc::default() }
    }

    /// Takes the answer to a request; returns whether it is one.
    pub(crate) fn take_answer(&self, response: &Value) -> bool {
        let Some(id) = response["id"].as_str().filter(|id| id.starts_with(ID_PREFIX)) else { return false };
        if let Some(waiting) = self.waiting().by_id.remove(id) {
            // An error means that nothing waits any longer: the answer came too late.
            let _ = waiting.send(answer_of(response));
        }
        true
    }

    /// Answers everything that waits: the editor is gone.
    pub(crate) fn end(&self) {
        let mut waiting = self.waiting();
        waiting.is_ended = true;
        waiting.by_id.clear();
    }

    fn waiting(&self) -> MutexGuard<'_, WaitingAnswers> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask(&self, method: &'static str, params: impl Serialize) -> EditorAnswer {
        let (answer, answered) = oneshot::channel();
        let id = {
            let mut waiting = self.waiting();
            waiting.last += 1;
            let id = format!("{ID_PREFIX}{}", waiting.last);
            if !waiting.is_ended {
                waiting.by_id.insert(id.clone(), answer);
            }
            id
        };
        let request = write::request(&id, method, Some(params));
        let to_editor = self.to_editor.clone();
        Box::pin(async move {
            let gone = || "it is gone".to_owned();
            to_editor.send(request).await.map_err(|_| gone())?;
            answered.await.map_err(|_| gone())?
        })
    }
}

fn answer_of(response: &Value) -> Result<(), String> {
    if let Some(error) = response["error"]["message"].as_str() {
        return Err(error.to_owned());
    }
    match serde_json::from_value::<EditorReply>(response["result"].clone()) {
        Ok(EditorReply { refused: None }) => Ok(()),
        Ok(EditorReply { refused: Some(why) }) => Err(why),
        Err(error) => Err(format!("its answer cannot be read: {error}")),
    }
}

impl EditorPort for EditorRequests {
    fn apply(&self, changes: Vec<DocumentChanges>, title: String) -> EditorAnswer {
        let document = |one: DocumentChanges| WantedDocument {
            path: one.path.as_str().to_owned(),
            version: one.version,
            changes: one.changes.into_iter().map(|change| (change.start, change.end, change.text)).collect(),
        };
        let documents = changes.into_iter().map(document).collect();
        self.ask(APPLY, WantedChanges { title, documents })
    }

    fn save(&self, documents: Vec<(RelPath, i64)>) -> EditorAnswer {
        let (paths, versions) =
            documents.into_iter().map(|(path, version)| (path.as_str().to_owned(), version)).unzip();
        self.ask(WRITE, WantedSave { paths, versions })
    }
}
