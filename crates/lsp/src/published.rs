//! The diagnostics that a server publishes of itself (`textDocument/publishDiagnostics`): the last word on each file.
//! Invariant: a later publication of a file replaces the earlier one whole.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use tokio::sync::watch;

use super::convert::{DiagnosticShape, Rim};
use super::message::Raw;
use super::span::{Diagnostic, FileRef};

/// Files whose diagnostics are kept. When it is full, those of files not known yet are dropped, and the log says so.
const PUBLISHED_FILES: usize = 50_000;

/// What was published of one file.
#[derive(Clone, Debug)]
pub(crate) struct Publication {
    /// The version of the document that it is about, where the server says so.
    pub(crate) version: Option<i32>,
    /// Its place among all publications of this server, from 1.
    pub(crate) number: u64,
    /// What was found.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// All publications of one server.
pub(crate) struct Published {
    server: String,
    files: Mutex<Files>,
    /// The number of the last publication.
    count: watch::Sender<u64>,
}

struct Files {
    rim: Rim,
    by_file: BTreeMap<FileRef, Publication>,
}

#[derive(Deserialize)]
struct Params {
    uri: String,
    #[serde(default)]
    version: Option<i32>,
    diagnostics: Vec<DiagnosticShape>,
}

impl Published {
    /// None yet. `rim` converts what comes before the encoding is agreed on.
    pub(crate) fn new(server: &str, rim: Rim) -> Published {
        let files = Mutex::new(Files { rim, by_file: BTreeMap::new() });
        Published { server: server.to_owned(), files, count: watch::Sender::new(0) }
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on, `rim` converts.
    pub(crate) fn agree(&self, rim: Rim) {
        self.files().rim = rim;
    }

    /// Takes in a publication.
    pub(crate) fn take(&self, params: &Raw) {
        let Params { uri, version, diagnostics } = match params.decode() {
            Ok(params) => params,
            Err(error) => {
                tracing::debug!(server = self.server, %error, "odd diagnostics");
                return;
            }
        };
        let mut files = self.files();
        let file = files.rim.file(&uri);
        let is_new = !files.by_file.contains_key(&file);
        if is_new && files.by_file.len() >= PUBLISHED_FILES {
            tracing::warn!(server = self.server, uri, "diagnostics of too many files; these are dropped");
            return;
        }
        let diagnostics = diagnostics.into_iter().map(|one| files.rim.diagnostic(&file, one)).collect();
        let number = *self.count.borrow() + 1;
        files.by_file.insert(file, Publication { version, number, diagnostics });
        drop(files);
        self.count.send_replace(number);
    }

    /// The number of the last publication: what comes later has a higher one.
    pub(crate) fn count(&self) -> u64 {
        *self.count.borrow()
    }

    /// What is published of `file`.
    pub(crate) fn of(&self, file: &FileRef) -> Option<Publication> {
        self.files().by_file.get(file).cloned()
    }

    /// What is published of the project's files, by path.
    pub(crate) fn of_project(&self) -> Vec<Diagnostic> {
        let files = self.files();
        let ours = files.by_file.iter().filter(|(file, _)| matches!(file, FileRef::Project(_)));
        ours.flat_map(|(_, publication)| publication.diagnostics.iter().cloned()).collect()
    }

    /// Waits until a publication of `file` is as `wanted`.
    pub(crate) async fn wait_for(
        &self,
        file: &FileRef,
        wanted: impl Fn(&Publication) -> bool,
    ) -> Publication {
        let mut count = self.count.subscribe();
        loop {
            count.borrow_and_update();
            if let Some(publication) = self.of(file).filter(&wanted) {
                return publication;
            }
            // The sender is ours: it does not go away.
            let _ = count.changed().await;
        }
    }
}
