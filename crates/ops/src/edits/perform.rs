//! Carries out a client's request: makes the plan, records the diagnostics, applies the plan, compares the
//! diagnostics. Invariant: if a file changed in between, an edit is planned again only if the client was not
//! shown, and did not name, a revision of that file.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::apply::{ApplyError, apply, preview};
use super::at_once::{NotPlanned, PlannedHere, plan_here};
use super::effects::{self, DiagnosticsBefore, DiagnosticsReport, EditEffects};
use super::planned_edit::{PlannedEdit, PlanningError, Written};
use super::planning::plan_edit;
use super::request::Request;
use super::retry::{AttemptError, RetryPolicy, retry_on_conflict};
use super::users::NameUsers;
use crate::Project;
use crate::question::QuestionError;
use symd_base::RelPath;
use symd_edit::{Applied, EditError, FileDiff, Originator, Plan, PlanStep};
use symd_engine::EngineError;
use symd_rewrite::changed_lines;

/// The result of an edit.
#[derive(Debug)]
pub struct EditResult {
    /// The edit's number, and every file that changed.
    pub applied: Applied,
    /// The title, one line.
    pub title: String,
    /// Lines added and removed, file by file.
    pub lines: BTreeMap<RelPath, (usize, usize)>,
    /// Further notes for the answer.
    pub notes: Vec<String>,
    /// Number of replaced occurrences, if the request replaces occurrences.
    pub replaced: Option<usize>,
    /// What a patch did to each file, in its order.
    pub written: Vec<Written>,
    /// Whether an existing file was overwritten as a whole.
    pub overwrote: bool,
    /// The new diagnostics.
    pub caused: EditEffects,
}

/// The result of a dry run.
#[derive(Debug)]
pub struct DryRun {
    /// The changes, by path.
    pub diffs: Vec<FileDiff>,
    /// The title, one line.
    pub title: String,
    /// Further notes for the answer.
    pub notes: Vec<String>,
}

/// Why an edit was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum PerformError {
    /// No plan could be made.
    #[error(transparent)]
    Make(#[from] PlanningError),
    /// The plan was not applied.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// The engine has stopped, or failed.
    #[error("{0}; nothing was written")]
    Engine(#[from] EngineError),
    /// A fact that the edit depends on could not be determined.
    #[error(transparent)]
    Question(#[from] QuestionError),
    /// A fact that the edit depends on has changed.
    #[error("files that use the name changed meanwhile; nothing was written; repeat the edit")]
    UsersChanged,
}

/// Carries out `request`.
pub async fn perform(
    project: &Project,
    request: Request,
    report: DiagnosticsReport,
    by: Originator,
) -> Result<EditResult, PerformError> {
    let request = Arc::new(request);
    let attempt = || attempt(project, &request, report, &by, None);
    Ok(retry_on_conflict(project, RetryPolicy::Allowed, attempt).await?.finish(project).await)
}

/// An edit that was applied, with what is needed to report its effects.
pub(super) struct PerformedEdit {
    applied: Applied,
    made: PlannedEdit,
    files: Vec<RelPath>,
    before: DiagnosticsBefore,
}

/// Plans the request and applies the plan. With `users`, only if the users of a name are still those.
pub(super) async fn attempt(
    project: &Project,
    request: &Arc<Request>,
    report: DiagnosticsReport,
    by: &Originator,
    users: Option<&NameUsers>,
) -> Result<PerformedEdit, AttemptError<PerformError>> {
    let mut made = match users {
        // Between the plan and the edit the users are looked at once more.
        Some(_) => plan(project, request).await?,
        None => match plan_here(project, request, report, by).await {
            None => plan(project, request).await?,
            Some(planned) => {
                let PlannedHere { made, begun } = planned.map_err(not_planned)?;
                match begun {
                    None => made,
                    Some((begun, before)) => {
                        let applied = begun.end().await.map_err(|error| not_applied(request, error))?;
                        return Ok(PerformedEdit { applied, files: made.written_files(), made, before });
                    }
                }
            }
        },
    };
    let files = made.written_files();
    let before = effects::before(project, report, &existing(&made.plan, &files)).await;
    project.engine.add_preparsed(std::mem::take(&mut made.preparsed));
    let by = Originator { title: made.title.clone(), ..by.clone() };
    // As late as possible: what is written without symd from here on is not detected.
    if let Some(users) = users {
        let are_same = users.are_same(project).await;
        if !are_same.map_err(|error| AttemptError::Final(error.into()))? {
            return Err(AttemptError::Conflict(PerformError::UsersChanged));
        }
    }
    let applied = apply(project, std::mem::take(&mut made.plan), by).await;
    let applied = applied.map_err(|error| not_applied(request, error))?;
    Ok(PerformedEdit { applied, made, files, before })
}

fn not_applied(request: &Request, error: ApplyError) -> AttemptError<PerformError> {
    // For a client that has not read the files, the edit may as well come after that change as before it.
    let may_repeat = |error: &ApplyError| match error {
        ApplyError::Edit(EditError::Conflict { files }) => {
            !files.iter().any(|one| request.base.has_expectation(&one.path))
        }
        _ => false,
    };
    AttemptError::new(error, may_repeat).map(Into::into)
}

fn not_planned(why: NotPlanned) -> AttemptError<PerformError> {
    match why {
        NotPlanned::Question(error) => AttemptError::Final(error.into()),
        NotPlanned::Plan(error) => plan_failed(error),
        NotPlanned::Lost(error) => AttemptError::Final(error.into()),
    }
}

fn plan_failed(error: PlanningError) -> AttemptError<PerformError> {
    AttemptError::new(error, |error| matches!(error, PlanningError::Changing(_))).map(Into::into)
}

impl PerformedEdit {
    /// Compares the diagnostics.
    pub(super) async fn finish(self, project: &Project) -> EditResult {
        let PerformedEdit { applied, made, files, before } = self;
        let caused = effects::caused(project, before, &files, None).await;
        let count = |(path, new): (RelPath, Option<super::NewText>)| {
            let new = new.unwrap_or_default();
            (path, changed_lines(&new.before, &new.after))
        };
        EditResult {
            applied,
            title: made.title,
            lines: made.files.into_iter().map(count).collect(),
            notes: made.notes,
            replaced: made.replaced,
            written: made.written,
            overwrote: made.overwrites,
            caused,
        }
    }
}

/// Returns those of `files` that `plan` does not create.
pub(super) fn existing(plan: &Plan, files: &[RelPath]) -> Vec<RelPath> {
    let is_made = |path: &RelPath| {
        plan.steps.iter().any(|step| match step {
            PlanStep::Create { path: made, .. } | PlanStep::Rename { to: made, .. } => made == path,
            _ => false,
        })
    };
    files.iter().filter(|path| !is_made(path)).cloned().collect()
}

/// Returns what `request` would do. Writes nothing.
pub async fn dry_run(project: &Project, request: Request) -> Result<DryRun, PerformError> {
    let request = Arc::new(request);
    let attempt = || plan(project, &request);
    let made = retry_on_conflict(project, RetryPolicy::WithoutTurn, attempt).await?;
    let diffs = preview(project, made.plan).await?;
    Ok(DryRun { diffs, title: made.title, notes: made.notes })
}

async fn plan(project: &Project, request: &Arc<Request>) -> Result<PlannedEdit, AttemptError<PerformError>> {
    let (request, languages) = (Arc::clone(request), Arc::clone(&project.languages));
    let planned = project.with_view(move |view, cancel| plan_edit(view, &languages, &request, cancel)).await;
    let planned = planned.map_err(|error| AttemptError::Final(error.into()))?;
    planned.map_err(plan_failed)
}
