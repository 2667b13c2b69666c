//! Applies edits computed by a language server: what such edits have in common. The edit itself comes from
//! elsewhere. Invariant: what a client expects of any file of the edit holds, or nothing is written; after a
//! conflict an edit is computed again, never applied to other texts.

use super::apply::{ApplyError, apply_beside};
use super::effects::{self, DiagnosticsBefore, DiagnosticsReport, EditEffects, NewName};
use super::preparsing::preparse_outlines;
use super::request::{ExpectForm, ExpectedRevisions, RevisionConflict};
use crate::Project;
use symd_base::{ContentHash, RelPath};
use symd_edit::{Applied, Originator, Plan, PlanStep};

/// An edit of several files that is ready to be applied.
pub trait MultiFileEdit {
    fn plan(&self) -> &Plan;
    /// Number of text changes per file, in path order, by the files' names before the edit.
    fn files(&self) -> &[(RelPath, usize)];
    /// Renamed files: old and new path.
    fn renamed(&self) -> &[(RelPath, RelPath)];
    /// The old and the new name of a symbol that the edit renames: a diagnostic that differs only in this
    /// name is not new.
    fn new_name(&self) -> Option<NewName> {
        None
    }
    /// The file that the question was about, and its hash at that time.
    fn asked_at(&self) -> (&RelPath, ContentHash);
}

/// Checks every file that `edit` changes, and the one that it was requested for, against the client's
/// expectations. `form` is the form in which the tool takes revisions.
pub fn check_base(
    edit: &impl MultiFileEdit,
    base: &ExpectedRevisions,
    form: ExpectForm,
) -> Result<(), RevisionConflict> {
    let (named, held) = edit.asked_at();
    let base = base.clone().of_file(named);
    let in_form = |stale| RevisionConflict { form, ..stale };
    base.check(named, Some(held)).map_err(in_form)?;
    for step in &edit.plan().steps {
        let (path, held) = match step {
            PlanStep::Text { path, base, .. }
            | PlanStep::Rename { from: path, base, .. }
            | PlanStep::Delete { path, base } => (path, *base),
            PlanStep::Write { path, base: Some(base), .. } => (path, *base),
            PlanStep::Write { .. } | PlanStep::Create { .. } | PlanStep::MakeDirectory { .. } => continue,
        };
        base.check(path, Some(held)).map_err(in_form)?;
    }
    Ok(())
}

/// An edit that was applied.
#[derive(Debug)]
pub struct AppliedEdit {
    /// The edit's number, and every file that changed.
    pub applied: Applied,
    before: DiagnosticsBefore,
    files: Vec<RelPath>,
    new_name: Option<NewName>,
}

/// Applies the edit, and notifies the servers of renamed files.
pub(super) async fn apply_multi_file(
    project: &Project,
    edit: &impl MultiFileEdit,
    report: DiagnosticsReport,
    by: Originator,
) -> Result<AppliedEdit, ApplyError> {
    let is_made = |path: &RelPath| {
        edit.plan()
            .steps
            .iter()
            .any(|step| matches!(step, PlanStep::Create { path: made, .. } if made == path))
    };
    let files: Vec<RelPath> = edit.files().iter().map(|(path, _)| path.clone()).collect();
    let there: Vec<RelPath> = files.iter().filter(|path| !is_made(path)).cloned().collect();
    let before = match edit.new_name() {
        Some(name) => effects::before_rename(project, report, &there, &name).await,
        None => effects::before(project, report, &there).await,
    };
    let (applied, preparsed) =
        apply_beside(project, edit.plan().clone(), by, preparse_outlines(project, edit.plan())).await;
    let applied = match applied {
        Ok(applied) => applied,
        Err(error) => {
            project.engine.remove_preparsed(&preparsed);
            return Err(error);
        }
    };
    if !edit.renamed().is_empty() {
        project.servers.renamed_files(edit.renamed()).await;
    }
    let now = |path: RelPath| {
        let renamed = edit.renamed().iter().find(|(from, _)| *from == path);
        renamed.map_or(path, |(_, to)| to.clone())
    };
    let files = files.into_iter().map(now).collect();
    Ok(AppliedEdit { applied, before, files, new_name: edit.new_name() })
}

impl AppliedEdit {
    /// Returns the new diagnostics.
    pub async fn caused(self, project: &Project) -> EditEffects {
        effects::caused(project, self.before, &self.files, self.new_name).await
    }
}
