//! A daemon's requests to one editor, and the answers that they wait for. Invariant: a request is answered once: by
//! the editor, or by the end of its connection.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use crate::wire::{
    APPLY, ASK, EDITED, EditedDocuments, EditorReply, GREET, GivenChoice, RELOAD, TELL, WITHDRAW, WRITE,
    WantedChanges, WantedChoice, WantedDocument, WantedReload, WantedSave, WithdrawnChoice,
};
use symd_base::RelPath;
use symd_ops::buffers::{DocumentChanges, EditNotice, EditorAnswer, EditorPort};
use symd_ops::editor_context::ContextPort;
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
    by_id: BTreeMap<String, oneshot::Sender<Result<Value, String>>>,
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
            let _ = waiting.send(answer_of(&mut response.clone()));
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

    /// Sends a request. The answer is awaited in the future, which may be dropped.
    fn ask(&self, method: &'static str, params: impl Serialize) -> SentRequest {
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
        let line = write::request(&id, method, Some(params));
        SentRequest { id, line, to_editor: self.to_editor.clone(), answered }
    }
}

/// A request to an editor that is to be sent and answered.
struct SentRequest {
    id: String,
    line: Vec<u8>,
    to_editor: mpsc::Sender<Vec<u8>>,
    answered: oneshot::Receiver<Result<Value, String>>,
}

impl SentRequest {
    async fn answer(self) -> Result<Value, String> {
        let gone = || "it is gone".to_owned();
        self.to_editor.send(self.line).await.map_err(|_| gone())?;
        self.answered.await.map_err(|_| gone())?
    }

    async fn reply(self) -> Result<(), String> {
        let answer = self.answer().await?;
        match serde_json::from_value::<EditorReply>(answer) {
            Ok(EditorReply { refused: None }) => Ok(()),
            Ok(EditorReply { refused: Some(why) }) => Err(why),
            Err(error) => Err(format!("its answer cannot be read: {error}")),
        }
    }
}

/// A way to ask the user of one editor.
#[derive(Clone, Debug)]
pub struct EditorPrompt(Arc<EditorRequests>);

impl EditorPrompt {
    pub(crate) fn new(requests: Arc<EditorRequests>) -> EditorPrompt {
        EditorPrompt(requests)
    }

    /// Has the user choose one of `answers`; returns its place, or `None` if the question was dismissed or the
    /// editor is gone. Dropping the future withdraws the question.
    pub async fn ask(&self, message: &str, answers: &[&str]) -> Option<usize> {
        let answers: Vec<String> = answers.iter().map(|answer| (*answer).to_owned()).collect();
        let offered = answers.len();
        let request = self.0.ask(ASK, WantedChoice { message: message.to_owned(), answers });
        let mut open = OpenQuestion { requests: &self.0, id: Some(request.id.clone()) };
        let answer = request.answer().await;
        open.id = None;
        let GivenChoice { chosen } = serde_json::from_value(answer.ok()?).ok()?;
        chosen.filter(|chosen| *chosen < offered)
    }
}

/// A question whose answer is awaited.
struct OpenQuestion<'r> {
    requests: &'r EditorRequests,
    /// `None` when it is answered.
    id: Option<String>,
}

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        self.requests.waiting().by_id.remove(&id);
        let withdrawal = write::notification(WITHDRAW, Some(WithdrawnChoice { id }));
        // Where the queue is full the question stays open, and its answer counts for nothing.
        let _ = self.requests.to_editor.try_send(withdrawal);
    }
}

fn answer_of(response: &mut Value) -> Result<Value, String> {
    match response["error"]["message"].as_str() {
        Some(error) => Err(error.to_owned()),
        None => Ok(response["result"].take()),
    }
}

impl ContextPort for EditorRequests {
    fn ask(&self) -> EditorAnswer {
        Box::pin(self.ask(TELL, serde_json::json!({})).reply())
    }
}

impl EditorPort for EditorRequests {
    fn greet(&self) -> EditorAnswer {
        Box::pin(self.ask(GREET, serde_json::json!({})).reply())
    }

    fn apply(&self, changes: Vec<DocumentChanges>, title: String) -> EditorAnswer {
        let document = |one: DocumentChanges| WantedDocument {
            path: one.path.as_str().to_owned(),
            version: one.version,
            changes: one.changes.into_iter().map(|change| (change.start, change.end, change.text)).collect(),
        };
        let documents = changes.into_iter().map(document).collect();
        let request = self.ask(APPLY, WantedChanges { title, documents });
        Box::pin(request.reply())
    }

    fn save(&self, document: RelPath, version: i64) -> EditorAnswer {
        let request = self.ask(WRITE, WantedSave { path: document.as_str().to_owned(), version });
        Box::pin(request.reply())
    }

    fn reload(&self, document: RelPath) -> EditorAnswer {
        let request = self.ask(RELOAD, WantedReload { path: document.as_str().to_owned() });
        Box::pin(request.reply())
    }

    fn tell_edit(&self, edit: EditNotice) {
        let EditNotice { by, title, operation, files } = edit;
        let paths = files.iter().map(|file| file.as_str().to_owned()).collect();
        let told = EditedDocuments { by, title, operation: operation.0, paths };
        // A message for people: one that finds no room is left out.
        let _ = self.to_editor.try_send(write::notification(EDITED, Some(told)));
    }
}
