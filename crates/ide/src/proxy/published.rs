//! Diagnostics for an editor that does not ask for them (no `textDocument/diagnostic` among its capabilities): symd
//! asks its daemons, and publishes what they say (LSP 3.17, `textDocument/publishDiagnostics`). Invariants: what
//! is published belongs to the version that it names; of a document about which symd says nothing any more,
//! nothing is shown any more.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::Proxy;
use super::link::{AnswerUse, AskedCommand};
use super::navigation::CodeRequest;
use crate::wire::{NAVIGATE, Navigation};
use symd_rpc::server_message::RawJson;
use symd_rpc::write;

/// How long after a keystroke the question is put: a burst of keystrokes is one question.
pub(super) const PAUSE: Duration = Duration::from_millis(200);

/// The most documents about which daemons are asked at once: the editor's own requests need room beside them.
const MAX_AT_ONCE: usize = 8;

const PUBLISH: &str = "textDocument/publishDiagnostics";

/// What is published, and what is about to be.
#[derive(Debug, Default)]
pub(super) struct PublishedDiagnostics {
    /// Whether the editor takes diagnostics only in this way.
    is_wanted: bool,
    /// When to ask about each document, by its URI.
    due: BTreeMap<String, Instant>,
    /// The documents about which a daemon is asked.
    asked: BTreeSet<String>,
    /// The documents of which the editor shows diagnostics.
    shown: BTreeSet<String>,
}

impl PublishedDiagnostics {
    /// Reads what `initialize` says.
    pub(super) fn of(params: &Value) -> PublishedDiagnostics {
        let asks = params.pointer("/capabilities/textDocument/diagnostic").is_some();
        let is_wanted = !asks && params.pointer("/initializationOptions/symd/navigation").is_some();
        PublishedDiagnostics { is_wanted, ..PublishedDiagnostics::default() }
    }

    /// Returns when the next question is to be put; `None` if none is due, or an answer has to come first.
    pub(super) fn next_due(&self) -> Option<Instant> {
        (self.asked.len() < MAX_AT_ONCE).then(|| self.due.values().min().copied())?
    }

    /// Takes the documents that are due now, as many as may be asked about.
    fn take_due(&mut self, now: Instant) -> Vec<String> {
        let room = MAX_AT_ONCE.saturating_sub(self.asked.len());
        self.due.extract_if(.., |_, at| *at <= now).map(|(uri, _)| uri).take(room).collect()
    }
}

/// A daemon's report (`DocumentDiagnosticReport`), whose list is passed on unread.
#[derive(Deserialize)]
struct Report<'r> {
    #[serde(borrow)]
    items: &'r RawValue,
}

/// `PublishDiagnosticsParams`.
#[derive(Serialize)]
struct PublishedReport<'r> {
    uri: &'r str,
    version: i64,
    diagnostics: &'r RawValue,
}

/// The question about a document, in place of the id of an editor's request: no editor sends an object.
fn id_of(uri: &str) -> Value {
    json!({ "diagnosticsOf": uri })
}

impl Proxy {
    /// Has the diagnostics of a document published anew, `pause` from now. A question about an earlier text is
    /// taken back.
    pub(super) fn diagnose(&mut self, uri: &str, pause: Duration) {
        if !self.published.is_wanted {
            return;
        }
        if self.published.asked.remove(uri) {
            let id = id_of(uri);
            self.links.values_mut().find_map(|link| link.cancel(&id));
        }
        self.published.due.insert(uri.to_owned(), Instant::now() + pause);
    }

    /// As [`Proxy::diagnose`], for all open documents that pass.
    pub(super) fn diagnose_all(&mut self, pause: Duration, is_meant: impl Fn(&Path) -> bool) {
        let meant = self.documents.by_uri.iter().filter(|(_, document)| is_meant(&document.path));
        let uris: Vec<String> = meant.map(|(uri, _)| uri.clone()).collect();
        uris.iter().for_each(|uri| self.diagnose(uri, pause));
    }

    /// Forgets the question about a document that no daemon will answer, or that one could not. It is not put again by itself,
    /// which would start a daemon that was stopped: the next one is asked when it is connected.
    pub(super) fn forget_question(&mut self, uri: &str) {
        self.published.asked.remove(uri);
    }

    /// Has the diagnostics of all documents published anew that lie in a project with this one.
    pub(super) fn diagnose_beside(&mut self, uri: &str, pause: Duration) {
        let Some(document) = self.documents.by_uri.get(uri) else { return };
        let roots: Vec<PathBuf> =
            self.links.keys().filter(|root| document.beneath(root).is_some()).cloned().collect();
        self.diagnose_all(pause, |path| roots.iter().any(|root| path.starts_with(root)));
    }

    /// Asks about the documents that are due.
    pub(super) async fn ask_diagnostics(&mut self) {
        for uri in self.published.take_due(Instant::now()) {
            let Some((root, question)) = self.question("textDocument/diagnostic", CodeRequest::about(&uri))
            else {
                self.publish_nothing(&uri).await;
                continue;
            };
            let version = self.documents.by_uri.get(&uri).map_or(0, |document| document.version);
            let params = json!(Navigation { encoding: self.encoding.name().to_owned(), question });
            // Once a daemon is connected it is asked about all documents.
            let Some(link) = self.links.get_mut(&root).filter(|link| link.is_answering()) else { continue };
            let used = AnswerUse::Published { uri: uri.clone(), version };
            let asked = AskedCommand { id: id_of(&uri), used, progress: None, about: None };
            match link.ask(NAVIGATE, &params, asked) {
                Ok(()) => drop(self.published.asked.insert(uri)),
                // Too many questions wait for the daemon.
                Err(_) => self.diagnose(&uri, PAUSE),
            }
        }
    }

    /// Publishes what a daemon said of a document at a version.
    pub(super) async fn publish(&mut self, uri: &str, version: i64, report: &RawJson) {
        self.published.asked.remove(uri);
        let is_current = self.documents.by_uri.get(uri).is_some_and(|document| document.version == version);
        let Ok(Report { items }) = serde_json::from_str(report.as_str()) else { return };
        if !is_current {
            return;
        }
        match items.get() {
            "[]" => self.publish_nothing(uri).await,
            _ => {
                self.published.shown.insert(uri.to_owned());
                let told = PublishedReport { uri, version, diagnostics: items };
                self.tell(write::notification(PUBLISH, Some(told))).await;
            }
        }
    }

    async fn publish_nothing(&mut self, uri: &str) {
        if self.published.shown.remove(uri) {
            let told = json!({ "uri": uri, "diagnostics": [] });
            self.tell(write::notification(PUBLISH, Some(told))).await;
        }
    }
}
