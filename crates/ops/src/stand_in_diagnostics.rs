//! The diagnostics of symd's own servers, in the place of those of an editor that reports none: one without a package of
//! symd's. They are of the active file.

use std::time::Duration;

use tokio::time::Instant;

use super::Project;
use super::at_place::{AnswerForm, PlacedDiagnostic, diagnostics_of};
use super::editor_context::{DiagnosticsOrigin, EditorContext, EditorDiagnostic, EditorPosition};
use symd_base::RelPath;
use symd_lsp::{ColumnEncoding, WaitPolicy};

/// How long a server is waited for, one that is starting included; kotlin_debug has 2 s for its whole answer. Where none
/// answers the editor's context has no diagnostics.
const SERVER_WAIT: Duration = Duration::from_secs(1);

/// Returns the context with the diagnostics of symd's servers, if it has none and a server has the active file's language.
pub async fn with_stand_in(project: &Project, context: EditorContext) -> EditorContext {
    let Some(cursor) = context.cursor.as_ref().filter(|_| context.diagnostics.is_none()) else {
        return context;
    };
    let (file, encoding) = (cursor.file.clone(), ColumnEncoding::Utf16);
    let deadline = Instant::now() + SERVER_WAIT;
    let form = AnswerForm { encoding, waiting: WaitPolicy::Until(deadline) };
    let answered = tokio::time::timeout_at(deadline, diagnostics_of(project, &file, form)).await;
    let Ok(Ok(Some(told))) = answered else { return context };
    let diagnostics = told.into_iter().map(|one| diagnostic(&file, one)).collect();
    EditorContext { diagnostics: Some(diagnostics), diagnostics_origin: DiagnosticsOrigin::Symd, ..context }
}

fn diagnostic(file: &RelPath, PlacedDiagnostic { range, diagnostic }: PlacedDiagnostic) -> EditorDiagnostic {
    EditorDiagnostic {
        file: file.clone(),
        severity: diagnostic.severity,
        message: diagnostic.message,
        start: EditorPosition { line: range.start.line, character: range.start.character },
        source: diagnostic.source.unwrap_or_else(|| "symd".to_owned()),
    }
}
