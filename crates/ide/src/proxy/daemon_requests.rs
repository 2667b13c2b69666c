//! What daemons ask of the editor and of its documents.

use std::path::Path;

use serde_json::{Value, json};

use super::Proxy;
use super::daemon_messages::whole;
use super::documents::Document;
use super::edits::{self, AskedEditor, EditorQuestion};
use crate::wire::{self, EditorReply, RESEND, WantedChanges, WantedSave};
use symd_rpc::write;

impl Proxy {
    /// Passes the editor's answer on to the daemon that asked.
    pub(super) fn take_answer(&mut self, id: Option<u64>, answer: Result<Value, String>) {
        let Some(asked) = id.and_then(|id| self.asked.take(id)) else { return };
        let reply = edits::reply(asked.question, answer);
        if let Some(link) = self.links.get_mut(&asked.root) {
            link.send(write::result(&asked.id, reply));
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

    pub(super) fn take_daemon_message(&mut self, root: &Path, message: &Value) {
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
