//! Requests to the editor that a daemon or symd itself waits for: changes of documents (`workspace/applyEdit`, with the
//! version of each), saving and reading again (`symd/save`, `symd/reload`, which symd's packages answer) and questions to the user
//! (`window/showMessageRequest`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::documents::{Document, Documents};
use super::trust::TrustQuestion;
use crate::position::PositionEncoding;
use crate::wire::{EditorReply, WantedChanges, WantedReload, WantedSave};

/// A request to the editor that a daemon waits for.
#[derive(Debug)]
pub(super) struct AskedEditor {
    /// The root whose daemon asked, and the id of its request.
    pub(super) root: PathBuf,
    pub(super) id: Value,
    pub(super) question: EditorQuestion,
}

/// What the editor was asked.
#[derive(Debug)]
pub(super) enum EditorQuestion {
    Apply,
    Save,
    /// To read changed files again.
    Reload,
    /// What it shows now.
    Context,
    /// The same; that it answers is all that is wanted.
    Greeting,
    /// To ask symd about code; not of a daemon.
    Registration,
    /// One of these answers of the user.
    Choice(Vec<String>),
    /// Whether the project is trusted; not of a daemon.
    Trust(TrustQuestion),
}

/// Requests to the editor, by their ids.
#[derive(Debug, Default)]
pub(super) struct AskedOfEditor {
    last: u64,
    by_id: BTreeMap<u64, AskedEditor>,
}

impl AskedOfEditor {
    /// Returns the id of a new request.
    pub(super) fn add(&mut self, asked: AskedEditor) -> u64 {
        self.last += 1;
        self.by_id.insert(self.last, asked);
        self.last
    }

    pub(super) fn take(&mut self, id: u64) -> Option<AskedEditor> {
        self.by_id.remove(&id)
    }

    /// Drops the requests of a daemon that is gone: their answers concern nothing. Returns the ids of questions to
    /// the user.
    pub(super) fn drop_of(&mut self, root: &Path) -> Vec<u64> {
        let is_gone = |_: &u64, asked: &mut AskedEditor| {
            asked.root == root
                && !matches!(asked.question, EditorQuestion::Trust(_) | EditorQuestion::Registration)
        };
        let gone = self.by_id.extract_if(.., is_gone);
        let questions = gone.filter(|(_, asked)| matches!(asked.question, EditorQuestion::Choice(_)));
        questions.map(|(id, _)| id).collect()
    }

    /// Drops the question that the daemon of `root` knows by `id`, and returns the id that the editor knows.
    pub(super) fn withdraw(&mut self, root: &Path, id: &Value) -> Option<u64> {
        let is_meant = |asked: &AskedEditor| asked.root == root && asked.id == *id;
        let number = *self.by_id.iter().find(|(_, asked)| is_meant(asked))?.0;
        self.by_id.remove(&number).map(|_| number)
    }
}

/// Returns the parameters of `workspace/applyEdit`, or why the changes do not fit the documents as they are now.
pub(super) fn apply_edit(
    root: &Path,
    wanted: &WantedChanges,
    documents: &Documents,
    encoding: PositionEncoding,
) -> Result<Value, String> {
    let mut changes = Vec::new();
    for one in &wanted.documents {
        let path = &one.path;
        let (uri, document) = open(documents, root, path).ok_or_else(|| format!("{path} is not open"))?;
        if documents.uris_of(&document.path).len() > 1 {
            return Err(format!("{path} is open there under two names, one through a link; close one"));
        }
        if document.version != one.version || document.is_lost {
            return Err(format!("{path} was changed there meanwhile"));
        }
        let text = document.text.as_str();
        let mut edits = Vec::new();
        for (start, end, new) in &one.changes {
            if text.get(*start..*end).is_none() {
                return Err(format!("the change does not fit {path}"));
            }
            let (start, end) = (encoding.position(text, *start), encoding.position(text, *end));
            edits.push(json!({ "range": { "start": start, "end": end }, "newText": new }));
        }
        changes.push(json!({ "textDocument": { "uri": uri, "version": one.version }, "edits": edits }));
    }
    Ok(json!({ "label": wanted.title, "edit": { "documentChanges": changes } }))
}

/// Returns the URI of the document that is to be saved, if it was not changed meanwhile.
pub(super) fn to_save<'d>(root: &Path, wanted: &WantedSave, documents: &'d Documents) -> Option<&'d str> {
    let (uri, document) = open(documents, root, &wanted.path)?;
    (document.version == wanted.version).then_some(uri)
}

/// Returns the URI of the document whose file is to be read again, if it is open.
pub(super) fn to_reload<'d>(root: &Path, wanted: &WantedReload, documents: &'d Documents) -> Option<&'d str> {
    open(documents, root, &wanted.path).map(|(uri, _)| uri)
}

fn open<'d>(documents: &'d Documents, root: &Path, path: &str) -> Option<(&'d str, &'d Document)> {
    let mut found = documents.by_uri.iter().filter(|(_, document)| document.beneath(root) == Some(path));
    found.next().map(|(uri, document)| (uri.as_str(), document))
}

/// Returns the parameters of `window/showMessageRequest`.
pub(super) fn show_question(message: &str, answers: &[String]) -> Value {
    let titles: Vec<Value> = answers.iter().map(|answer| json!({ "title": answer })).collect();
    json!({ "type": 2, "message": without_links(message), "actions": titles })
}

/// Returns the place of the editor's answer among those that were offered; `None` if the question was dismissed.
pub(super) fn choice_of(answers: &[String], answer: &Result<Value, String>) -> Option<usize> {
    let title = answer.as_ref().ok()?["title"].as_str()?;
    answers.iter().position(|offered| offered == title)
}

/// Some editors make links of `[text](target)` in messages, and commands of some targets: text from clients is shown.
pub(super) fn without_links(text: &str) -> String {
    text.replace("](", "] (")
}

/// Returns what the daemon is told of the editor's answer to a request about documents.
pub(super) fn reply(question: &EditorQuestion, answer: Result<Value, String>) -> EditorReply {
    let refused = match (question, answer) {
        (_, Err(why)) => Some(why),
        (EditorQuestion::Apply, Ok(result)) if result["applied"] != true => {
            Some(result["failureReason"].as_str().unwrap_or("it refused the change").to_owned())
        }
        (EditorQuestion::Save, Ok(result)) if result["saved"] == false => {
            Some(result["problem"].as_str().unwrap_or("it did not save").to_owned())
        }
        (EditorQuestion::Reload, Ok(result)) if result["reloaded"] != true => {
            Some(result["problem"].as_str().unwrap_or("it did not read the file again").to_owned())
        }
        _ => None,
    };
    EditorReply { refused }
}
