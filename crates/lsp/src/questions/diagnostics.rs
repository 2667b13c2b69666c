//! Diagnostics: pulled (`textDocument/diagnostic`, `workspace/diagnostic`) if the server supports that, else
//! those that it publishes on its own.

use serde_json::{Value, json};

use crate::connection::RequestError;
use crate::documents::SentDocument;
use crate::published_diagnostics::Publication;
use crate::session::Session;
use crate::shapes::{DiagnosticShape, FileReportShape, ProjectReportShape};
use crate::uri;
use crate::{Diagnostic, DiagnosticCoverage, DiagnosticSubject, FileRef, ServerError};
use symd_base::RelPath;

/// A file name that no project contains.
const NO_FILE: &str = ".symd-no-such-file.py";

const PULL_FILE: &str = "textDocument/diagnostic";
const PULL_PROJECT: &str = "workspace/diagnostic";
const PUBLISHED: &str = "textDocument/publishDiagnostics";

impl Session {
    /// Returns the diagnostics of a file as it is on disk now, or of the project.
    pub(crate) async fn diagnostics(
        &self,
        subject: &DiagnosticSubject,
    ) -> Result<Vec<Diagnostic>, ServerError> {
        match subject {
            DiagnosticSubject::File(path) if self.supports(PULL_FILE) => self.pull_file(path).await,
            DiagnosticSubject::File(path) => self.await_published(path).await,
            DiagnosticSubject::Project if self.supports(PULL_PROJECT) => self.pull_project().await,
            DiagnosticSubject::Project => Ok(self.published.of_project()),
        }
    }

    /// Returns whether [`Session::diagnostics`] is complete: without pulling, those of the project are only
    /// the published ones.
    pub(crate) fn covers(&self, subject: &DiagnosticSubject) -> DiagnosticCoverage {
        match subject {
            DiagnosticSubject::Project if !self.supports(PULL_PROJECT) => DiagnosticCoverage::Published,
            _ => DiagnosticCoverage::Everything,
        }
    }

    async fn pull_file(&self, path: &RelPath) -> Result<Vec<Diagnostic>, ServerError> {
        let identifier = self.diagnostics_identifier();
        let params =
            |told: &SentDocument| with_identifier(json!({"textDocument": {"uri": told.uri}}), &identifier);
        let report: Option<FileReportShape> = self.ask_current(path, PULL_FILE, params).await?;
        let file = FileRef::Project(path.clone());
        Ok(self.convert(&file, report.map(|report| report.items).unwrap_or_default()))
    }

    async fn pull_project(&self) -> Result<Vec<Diagnostic>, ServerError> {
        // If nothing changed since the results that the client knows, a server may delay its response until
        // something changes: ty does so for a project without diagnostics. A result id for a file that does
        // not exist makes it respond at once, to report that file.
        let no_more = uri::of_path(&self.rim.root.join(NO_FILE));
        let known = json!({"previousResultIds": [{"uri": no_more, "value": NO_FILE}]});
        let params = with_identifier(known, &self.diagnostics_identifier());
        let report: Option<ProjectReportShape> = self.ask_of_project(PULL_PROJECT, &params).await?;
        let mut found = Vec::new();
        for one in report.map(|report| report.items).unwrap_or_default() {
            let file = self.rim.file(&one.uri);
            if matches!(file, FileRef::Project(_)) {
                found.extend(self.convert(&file, one.items));
            }
        }
        found.sort_by(|a, b| (&a.span.file, a.span.start).cmp(&(&b.span.file, b.span.start)));
        Ok(found)
    }

    fn convert(&self, file: &FileRef, found: Vec<DiagnosticShape>) -> Vec<Diagnostic> {
        found.into_iter().map(|one| self.rim.diagnostic(file, one)).collect()
    }

    async fn await_published(&self, path: &RelPath) -> Result<Vec<Diagnostic>, ServerError> {
        let (begun, deadline) = (tokio::time::Instant::now(), self.deadline());
        let synced = self.files.sync(path, PUBLISHED, deadline).await;
        let told = synced.map_err(|unasked| self.unasked(path, unasked))?;
        let file = FileRef::Project(path.clone());
        // Without a version, a publication is taken to be about the current text if it came after that was
        // sent.
        let is_about_it = |publication: &Publication| match publication.version {
            Some(version) => version >= told.version,
            None => publication.number > told.published_before,
        };
        let published = async {
            tokio::select! {
                biased;
                publication = self.published.wait_for(&file, is_about_it) => Ok(publication.diagnostics),
                () = self.closed() => Err(RequestError::Closed { method: PUBLISHED }),
            }
        };
        let timed_out = |_| RequestError::TimedOut { method: PUBLISHED, after: begun.elapsed() };
        let published = tokio::time::timeout_at(deadline, published).await.map_err(timed_out).flatten();
        published.map_err(|error| self.failed(error))
    }
}

fn with_identifier(mut params: Value, identifier: &Option<String>) -> Value {
    if let Some(identifier) = identifier {
        params["identifier"] = json!(identifier);
    }
    params
}
