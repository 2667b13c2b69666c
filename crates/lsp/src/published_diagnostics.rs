//! The diagnostics that a server publishes on its own (`textDocument/publishDiagnostics`): the latest ones of
//! each file. Invariant: a later publication of a file replaces the earlier one as a whole.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use tokio::sync::watch;

use super::convert::{Converter, DiagnosticShape};
use super::span::{Diagnostic, FileRef};
use symd_rpc::server_message::RawJson;

/// The maximum number of files whose diagnostics are kept. When it is reached, those of further files are
/// dropped and logged.
const PUBLISHED_FILES: usize = 50_000;

/// The latest publication about one file.
#[derive(Clone, Debug)]
pub(crate) struct Publication {
    /// The document version that it is about, if the server sent one.
    pub(crate) version: Option<i32>,
    /// Its number among all publications of this server, from 1.
    pub(crate) number: u64,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

pub(crate) struct Published {
    server: String,
    files: Mutex<Files>,
    /// The number of the latest publication.
    count: watch::Sender<u64>,
}

struct Files {
    rim: Converter,
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
    /// Creates an empty table. `rim` converts publications that come before the position encoding is
    /// negotiated.
    pub(crate) fn new(server: &str, rim: Converter) -> Published {
        let files = Mutex::new(Files { rim, by_file: BTreeMap::new() });
        Published { server: server.to_owned(), files, count: watch::Sender::new(0) }
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the conversion for all further publications.
    pub(crate) fn agree(&self, rim: Converter) {
        self.files().rim = rim;
    }

    /// Stores a publication.
    pub(crate) fn take(&self, params: &RawJson) {
        let Params { uri, version, diagnostics } = match params.decode() {
            Ok(params) => params,
            Err(error) => {
                tracing::debug!(server = self.server, %error, "invalid diagnostics");
                return;
            }
        };
        let mut files = self.files();
        let file = files.rim.file(&uri);
        let is_new = !files.by_file.contains_key(&file);
        if is_new && files.by_file.len() >= PUBLISHED_FILES {
            tracing::warn!(server = self.server, uri, "diagnostics for too many files; dropping this file's");
            return;
        }
        let diagnostics = diagnostics.into_iter().map(|one| files.rim.diagnostic(&file, one)).collect();
        let number = *self.count.borrow() + 1;
        files.by_file.insert(file, Publication { version, number, diagnostics });
        drop(files);
        self.count.send_replace(number);
    }

    /// Returns the number of the latest publication; later ones have higher numbers.
    pub(crate) fn count(&self) -> u64 {
        *self.count.borrow()
    }

    /// Returns the latest publication about `file`.
    pub(crate) fn of(&self, file: &FileRef) -> Option<Publication> {
        self.files().by_file.get(file).cloned()
    }

    /// Returns the diagnostics of all files in the project, ordered by path.
    pub(crate) fn of_project(&self) -> Vec<Diagnostic> {
        let files = self.files();
        let ours = files.by_file.iter().filter(|(file, _)| matches!(file, FileRef::Project(_)));
        ours.flat_map(|(_, publication)| publication.diagnostics.iter().cloned()).collect()
    }

    /// Waits until the latest publication about `file` satisfies `wanted`, and returns it.
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
            // An error would mean that the sender was dropped, but `self` holds it.
            let _ = count.changed().await;
        }
    }
}
