//! What daemons ask of the editor and of its documents.

use std::path::Path;

use serde_json::{Value, json};

use super::Proxy;
use super::context::Units;
use super::daemon_messages::{cancelled, whole};
use super::documents::Document;
use super::edits::{self, AskedEditor, EditorQuestion};
use super::link::Link;
use super::progress;
use super::trust;
use crate::wire::{
    self, EDITED, EditedDocuments, EditorReply, GivenChoice, PROGRESS, RESEND, WITHDRAW, WantedChanges,
    WantedChoice, WantedReload, WantedSave,
};
use symd_rpc::write;

impl Proxy {
    /// Passes the editor's answer on to what asked.
    pub(super) async fn take_answer(&mut self, id: Option<u64>, answer: Result<Value, String>) {
        let Some(AskedEditor { root, id, question }) = id.and_then(|id| self.asked.take(id)) else { return };
        let reply = match question {
            EditorQuestion::Trust(question) => {
                let titles = trust::ANSWERS.map(|(title, _)| title.to_owned());
                let chosen = edits::choice_of(&titles, &answer).and_then(|place| trust::ANSWERS[place].1);
                if let Some(chosen) = chosen {
                    self.record_trust(&root, question, chosen);
                }
                return;
            }
            EditorQuestion::Choice(answers) => {
                json!(GivenChoice { chosen: edits::choice_of(&answers, &answer) })
            }
            EditorQuestion::Registration => {
                if let Err(why) = answer {
                    tracing::warn!(why, "the editor did not register what symd answers");
                }
                return;
            }
            EditorQuestion::Context => {
                let refused = answer.map(|shown| self.shown.take(shown)).err();
                let units = Units { documents: &self.documents, encoding: self.encoding };
                let told = self.shown.messages(&root, &units);
                if let Some(link) = self.links.get_mut(&root) {
                    told.into_iter().for_each(|message| link.send(message));
                }
                json!(EditorReply { refused })
            }
            about_documents => json!(edits::reply(&about_documents, answer)),
        };
        if let Some(link) = self.links.get_mut(&root) {
            link.send(write::result(&id, reply));
        }
    }

    /// Carries out a request of a daemon.
    pub(super) async fn take_daemon_request(&mut self, root: &Path, method: &str, mut message: Value) {
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
                    edits::to_save(root, &wanted, &self.documents).map(|uri| {
                        let params = json!({ "uris": [uri], "versions": [wanted.version] });
                        write::request(asked(EditorQuestion::Save), "symd/save", Some(params))
                    })
                })
                .map_err(|error| error.to_string()),
            wire::RELOAD => serde_json::from_value::<WantedReload>(params)
                .map(|wanted| {
                    edits::to_reload(root, &wanted, &self.documents).map(|uri| {
                        let params = json!({ "uris": [uri] });
                        write::request(asked(EditorQuestion::Reload), "symd/reload", Some(params))
                    })
                })
                .map_err(|error| error.to_string()),
            wire::TELL | wire::GREET => {
                let is_told = method == wire::TELL;
                let question = if is_told { EditorQuestion::Context } else { EditorQuestion::Greeting };
                Ok(Some(write::request(asked(question), "symd/editorContext", Some(json!({})))))
            }
            wire::ASK => serde_json::from_value::<WantedChoice>(params)
                .map(|WantedChoice { message, answers }| {
                    let shown = edits::show_question(&message, &answers);
                    let question = EditorQuestion::Choice(answers);
                    Some(write::request(asked(question), "window/showMessageRequest", Some(shown)))
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

    pub(super) async fn take_daemon_message(&mut self, root: &Path, message: &Value) {
        match message["method"].as_str() {
            Some(RESEND) => self.send_again(root, message),
            Some(WITHDRAW) => {
                if let Some(id) = self.asked.withdraw(root, &message["params"]["id"]) {
                    self.tell(cancelled(id)).await;
                }
            }
            Some(PROGRESS) => {
                let doing = message["params"]["doing"].as_str().unwrap_or_default();
                let tokens = self.links.get(root).map(Link::progress_tokens);
                for token in tokens.into_iter().flatten() {
                    self.tell(progress::report(&token, doing)).await;
                }
            }
            Some(EDITED) => {
                if let Ok(edited) = serde_json::from_value::<EditedDocuments>(message["params"].clone()) {
                    // Another project may have an operation of the same number.
                    let project = (self.links.len() > 1).then(|| self.name_among_links(root));
                    self.inform(&edited_text(&edited, project.as_deref())).await;
                }
            }
            _ => {}
        }
    }

    /// Returns the name of a root's directory, or its path if another root's directory has the same name.
    fn name_among_links(&self, root: &Path) -> String {
        let is_alone = self.links.keys().filter(|other| other.file_name() == root.file_name()).count() < 2;
        let name = root.file_name().filter(|_| is_alone);
        name.map_or_else(|| root.display().to_string(), |name| name.to_string_lossy().into_owned())
    }

    /// Sends the document again whose text the daemon lost.
    fn send_again(&mut self, root: &Path, message: &Value) {
        if let Some(path) = message["params"]["path"].as_str()
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

/// Returns one line about a client's edit of open files; `project` names theirs if there are several.
fn edited_text(edited: &EditedDocuments, project: Option<&str>) -> String {
    let EditedDocuments { by, title, operation, paths } = edited;
    let more = paths.len().saturating_sub(3);
    let mut files = paths.iter().take(3).cloned().collect::<Vec<String>>().join(", ");
    if more > 0 {
        files.push_str(&format!(" and {more} more"));
    }
    let text = match project {
        None => format!("symd: {by} changed {files} ({title}); symd.undo {operation} takes it back"),
        // The number first: editors cut a long line.
        Some(name) => {
            format!("symd: {by} changed {files} in {name}; symd.undo {operation} takes it back ({title})")
        }
    };
    text.replace(['\n', '\r'], " ")
}
