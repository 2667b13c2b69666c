//! The diagnostics of one file.

use super::AnswerForm;
use super::ranges::{Ranges, with_ranges};
use crate::Project;
use crate::diagnostics::{AskDiagnostics, Of, diagnostics};
use crate::question::QuestionError;
use symd_base::RelPath;
use symd_lsp::{Diagnostic, Severity, Span};

/// A diagnostic with its range as the editor counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedDiagnostic {
    pub range: Span,
    pub diagnostic: Diagnostic,
}

/// Returns the diagnostics of a file; `None` if no server reports any.
pub async fn diagnostics_of(
    project: &Project,
    path: &RelPath,
    form: AnswerForm,
) -> Result<Option<Vec<PlacedDiagnostic>>, QuestionError> {
    project
        .on_one_view(|project| async move {
            let of = Of::File(path.as_str().to_owned());
            let asked = AskDiagnostics { of, at_least: Severity::Hint, waiting: form.waiting };
            let told = diagnostics(&project, &asked).await?;
            if told.servers.is_empty() {
                return Ok(None);
            }
            let work = move |ranges: &mut Ranges<'_>| {
                let placed = told.found.into_iter().filter_map(|one| {
                    let range = ranges.span(&one.spot.path, one.spot.range)?;
                    Some(PlacedDiagnostic { range, diagnostic: one.diagnostic })
                });
                placed.collect()
            };
            Ok(Some(with_ranges(&project, form.encoding, work).await?))
        })
        .await
}
