//! Notifications of the editor: what happened to its documents and folders, and what it shows, passed on to the
//! daemons. Invariant: a notification that cannot be read changes nothing but the documents that it may be about.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::Proxy;
use super::context::{EditorContextParams, EditorDiagnosticsParams, Part, TerminalTailParams, Units};
use super::daemon_messages::{are_long, named, send_to_links, whole};
use super::documents::{Changed, Document, path_of};
use super::link::AskedCommand;
use super::messages::{
    Cancelled, DidChange, DidClose, DidOpen, DidSave, FileRename, PlaceRequest, PositionRequest, RenameFiles,
};
use super::navigation::NavigationLanguages;
use super::published::PAUSE;
use crate::position::LspRange;
use crate::wire::{CHANGE, CLOSE, ChangedBuffer, LOST, RENAMED, RenamedFile, SAVE};
use symd_rpc::codes::REQUEST_CANCELLED;
use symd_rpc::server_message::RawJson;
use symd_rpc::write;

/// Why a document's text is unknown.
const NO_FIT: &str = "the changes do not fit its text";
const BARE_CR: &str =
    "its text has a carriage return without a line feed, where editors differ about the line's end";

impl Proxy {
    pub(super) async fn notification(&mut self, method: &str, params: &RawJson) {
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
                self.diagnose(&uri, Duration::ZERO);
            }
            "textDocument/didChange" => self.change(params).await,
            "textDocument/didSave" => {
                let Ok(DidSave { text_document }) = params.decode() else { return };
                self.send_named(&text_document.uri, SAVE);
                // What other files say of this one may have changed.
                self.diagnose_beside(&text_document.uri, PAUSE);
            }
            "textDocument/didClose" => {
                let Ok(DidClose { text_document }) = params.decode() else { return };
                let Some(closed) = self.documents.by_uri.remove(&text_document.uri) else { return };
                self.diagnose(&text_document.uri, Duration::ZERO);
                match self.documents.uris_of(&closed.path).first().map(|uri| (*uri).to_owned()) {
                    Some(other) => self.send_whole(&other),
                    None => send_to_links(&mut self.links, &closed, |path| vec![named(CLOSE, path)]),
                }
            }
            "$/cancelRequest" => {
                let Ok(Cancelled { id }) = params.decode() else { return };
                let cancelled: Vec<AskedCommand> =
                    self.links.values_mut().filter_map(|link| link.cancel(&id)).collect();
                self.gathered.remove(&id.to_string());
                // It may have been put to several daemons, and is answered once.
                if let Some(asked) = cancelled.into_iter().next() {
                    self.end_progress(&asked).await;
                    let why = "cancelled; what was carried out before stays";
                    self.tell(write::error(&asked.id, REQUEST_CANCELLED, why)).await;
                }
            }
            "workspace/didRenameFiles" => {
                let Ok(RenameFiles { files }) = params.decode() else { return };
                files.iter().for_each(|file| self.tell_rename(file));
            }
            "workspace/didChangeWorkspaceFolders" => {
                let Ok(params) = params.decode::<Value>() else { return };
                self.workspace.change(&params);
                self.connect_folders();
            }
            "initialized" => self.register_navigation().await,
            "symd/didChangeNavigation" => {
                let Ok(NavigationLanguages { languages }) = params.decode() else { return };
                self.change_navigation(languages).await;
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

    /// Tells daemons of a file or directory that was renamed within their roots. What moves from one root to another
    /// is gone from the one, and new in the other.
    fn tell_rename(&mut self, file: &FileRename) {
        let (Some(from), Some(to)) = (path_of(&file.old_uri), path_of(&file.new_uri)) else { return };
        for (root, link) in &mut self.links {
            let beneath = |path: &Path| path.strip_prefix(root).ok()?.to_str().map(str::to_owned);
            if let (Some(path), Some(to)) = (beneath(&from), beneath(&to)) {
                link.send_news(write::notification(RENAMED, Some(RenamedFile { path, to })));
            }
        }
    }

    pub(super) async fn change(&mut self, params: &RawJson) {
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
        self.diagnose(&uri, PAUSE);
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

    pub(super) async fn lose(&mut self, uri: &str, why: &str) {
        let Some(document) = self.documents.by_uri.get_mut(uri) else { return };
        document.is_lost = true;
        let path = document.path.display().to_string();
        self.send_named(uri, LOST);
        self.warn(&format!(
            "symd: {path}: {why}; agents see the saved file and cannot edit it until it is closed and opened again"
        ))
        .await;
    }

    /// Passes over a message of the editor that cannot be read. It may have changed any document.
    pub(super) async fn skip(&mut self, problem: &str) {
        tracing::warn!(problem, "skipped a message of the editor");
        let mut is_any_lost = false;
        for document in self.documents.by_uri.values_mut().filter(|document| !document.is_lost) {
            (document.is_lost, is_any_lost) = (true, true);
            send_to_links(&mut self.links, document, |path| vec![named(LOST, path)]);
        }
        self.diagnose_all(Duration::ZERO, |_| true);
        if is_any_lost {
            self.warn(&format!(
                "symd: a message of the editor could not be read ({problem}); agents see the saved files and cannot \
                 edit open ones until they are closed and opened again"
            ))
            .await;
        }
    }

    /// Sends a document's text to the daemons of all roots that contain it.
    pub(super) fn send_whole(&mut self, uri: &str) {
        if let Some(document) = self.documents.by_uri.get(uri) {
            let is_in_doubt = self.documents.is_in_doubt(document);
            send_to_links(&mut self.links, document, |path| whole(document, path, is_in_doubt));
        }
    }

    pub(super) fn send_named(&mut self, uri: &str, method: &str) {
        if let Some(document) = self.documents.by_uri.get(uri) {
            send_to_links(&mut self.links, document, |path| vec![named(method, path)]);
        }
    }

    /// Takes the place that a request names for the cursor, if the editor has no package that reports it.
    pub(super) fn infer_cursor(&mut self, params: &RawJson) {
        let Ok(PlaceRequest { text_document, range }) = params.decode() else { return };
        self.infer_position(&text_document.uri, range);
    }

    /// As [`Proxy::infer_cursor`], for a request that names one position.
    pub(super) fn infer_place(&mut self, params: &RawJson) {
        let Ok(PositionRequest { text_document, position }) = params.decode() else { return };
        self.infer_position(&text_document.uri, LspRange { start: position, end: position });
    }

    pub(super) fn infer_position(&mut self, uri: &str, range: LspRange) {
        if self.abilities.reports_context {
            return;
        }
        self.push_context(EditorContextParams::inferred(uri, range.end));
    }

    pub(super) fn push_context(&mut self, params: EditorContextParams) {
        self.shown.context = Some(params);
        self.push(Part::Context);
    }

    /// Tells all daemons a part of what the editor shows. Diagnostics and terminals change while its user does nothing.
    pub(super) fn push(&mut self, part: Part) {
        let units = Units { documents: &self.documents, encoding: self.encoding };
        for (root, link) in &mut self.links {
            if let Some(message) = self.shown.message(part, root, &units) {
                match part {
                    Part::Context => link.send_news(message),
                    Part::Diagnostics | Part::Terminal => link.send(message),
                }
            }
        }
    }
}
