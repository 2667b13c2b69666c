//! What is wrong: pulled (`textDocument/diagnostic`, `workspace/diagnostic`) where the server answers that, else what it
//! publishes of itself.

use serde_json::{Value, json};

use crate::connection::RequestError;
use crate::documents::SentDocument;
use crate::published::Publication;
use crate::session::Session;
use crate::shapes::{DiagnosticShape, FileReportShape, ProjectReportShape};
use crate::uri;
use crate::{Covers, Diagnostic, FileRef, NoAnswer, Subject};
use symd_base::RelPath;

/// A file that no project has.
const NO_FILE: &str = ".symd-no-such-file.py";

const PULL_FILE: &str = "textDocument/diagnostic";
const PULL_PROJECT: &str = "workspace/diagnostic";
const PUBLISHED: &str = "textDocument/publishDiagnostics";

impl Session {
    /// What is wrong with a file as it is on disk now, or with the project.
    pub(crate) async fn diagnostics(&self, subject: &Subject) -> Result<Vec<Diagnostic>, NoAnswer> {
        match subject {
            Subject::File(path) if self.supports(PULL_FILE) => self.pull_file(path).await,
            Subject::File(path) => self.await_published(path).await,
            Subject::Project if self.supports(PULL_PROJECT) => self.pull_project().await,
            Subject::Project => Ok(self.published.of_project()),
        }
    }

    /// How far [`Session::diagnostics`] reach: without pulling, the project's are those that the server has published.
    pub(crate) fn covers(&self, subject: &Subject) -> Covers {
        match subject {
            Subject::Project if !self.supports(PULL_PROJECT) => Covers::Published,
            _ => Covers::Everything,
        }
    }

    async fn pull_file(&self, path: &RelPath) -> Result<Vec<Diagnostic>, NoAnswer> {
        let identifier = self.diagnostics_identifier();
        let params =
            |told: &SentDocument| with_identifier(json!({"textDocument": {"uri": told.uri}}), &identifier);
        let report: Option<FileReportShape> = self.ask_current(path, PULL_FILE, params).await?;
        let file = FileRef::Project(path.clone());
        Ok(self.convert(&file, report.map(|report| report.items).unwrap_or_default()))
    }

    async fn pull_project(&self) -> Result<Vec<Diagnostic>, NoAnswer> {
        // With nothing to report since what the client knows already, a server may answer when that changes, and no
        // sooner: ty keeps its answer back for a project without faults. It reports a file that is no more at once.
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

    async fn await_published(&self, path: &RelPath) -> Result<Vec<Diagnostic>, NoAnswer> {
        let (begun, deadline) = (tokio::time::Instant::now(), self.deadline());
        let synced = self.files.sync(path, PUBLISHED, deadline).await;
        let told = synced.map_err(|unasked| self.unasked(path, unasked))?;
        let file = FileRef::Project(path.clone());
        // Without a version, what comes after the text was told is taken to be about it.
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
