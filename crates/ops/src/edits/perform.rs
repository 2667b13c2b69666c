//! Carries out a client's request: makes the plan, records the diagnostics, applies the plan, compares the
//! diagnostics. Invariant: if a file changed in between, an edit is planned again only if the client was not
//! shown, and did not name, a revision of that file.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::apply::{ApplyError, apply, preview};
use super::effects::{self, DiagnosticsReport, EditEffects};
use super::planning::{PlannedEdit, PlanningError, Written, plan_edit};
use super::request::Request;
use super::users::NameUsers;
use crate::Project;
use crate::question::QuestionError;
use symd_base::RelPath;
use symd_edit::{Applied, EditError, FileDiff, Originator, Plan, PlanStep};
use symd_engine::{EditTurn, EngineError};
use symd_rewrite::changed_lines;

/// Maximum number of attempts to plan an edit whose files change meanwhile. Every lost attempt is another
/// client's finished edit, so all clients that edit one file at once get their turn; only a file that is
/// written continuously uses the attempts up.
const ATTEMPTS: usize = 64;

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
    let turn = project.engine.turn_if_contended().await;
    made(project, request, report, by, turn, None).await
}

/// Carries out `request` if the users of a name are still the known ones, else fails with
/// [`PerformError::UsersChanged`]. Takes over the caller's turn.
pub async fn perform_while(
    project: &Project,
    request: Request,
    report: DiagnosticsReport,
    by: Originator,
    turn: Option<EditTurn>,
    users: &NameUsers,
) -> Result<EditResult, PerformError> {
    made(project, request, report, by, turn, Some(users)).await
}

async fn made(
    project: &Project,
    request: Request,
    report: DiagnosticsReport,
    by: Originator,
    mut turn: Option<EditTurn>,
    users: Option<&NameUsers>,
) -> Result<EditResult, PerformError> {
    let request = Arc::new(request);
    let mut attempt = 0;
    // The turn is held until the edit is applied: the next in turn plans on its result.
    loop {
        attempt += 1;
        let made = plan(project, &request).await?;
        let files: Vec<RelPath> =
            made.files.iter().filter(|(_, new)| new.is_some()).map(|(path, _)| path.clone()).collect();
        let before = effects::before(project, report, &existing(&made.plan, &files)).await;
        project.engine.add_preparsed(made.preparsed);
        let by = Originator { title: made.title.clone(), ..by.clone() };
        // As late as possible: what is written without symd from here on is not detected.
        if let Some(users) = users
            && !users.are_same(project).await?
        {
            return Err(PerformError::UsersChanged);
        }
        let applied = match apply(project, made.plan, by).await {
            Err(ApplyError::Edit(EditError::Conflict { files }))
                if attempt < ATTEMPTS
                    // For a client that has not read the files, the edit may as well come after that change
                    // as before it.
                    && !files.iter().any(|one| request.base.has_expectation(&one.path)) =>
            {
                if turn.is_none() {
                    turn = Some(project.engine.turn().await);
                }
                continue;
            }
            applied => applied?,
        };
        drop(turn);
        let caused = effects::caused(project, before, &files, None).await;
        let count = |(path, new): (RelPath, Option<super::NewText>)| {
            let new = new.unwrap_or_default();
            (path, changed_lines(&new.before, &new.after))
        };
        return Ok(EditResult {
            applied,
            title: made.title,
            lines: made.files.into_iter().map(count).collect(),
            notes: made.notes,
            replaced: made.replaced,
            written: made.written,
            overwrote: made.overwrites,
            caused,
        });
    }
}

/// Returns those of `files` that `plan` does not create.
fn existing(plan: &Plan, files: &[RelPath]) -> Vec<RelPath> {
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
    let made = plan(project, &Arc::new(request)).await?;
    let diffs = preview(project, made.plan).await?;
    Ok(DryRun { diffs, title: made.title, notes: made.notes })
}

async fn plan(project: &Project, request: &Arc<Request>) -> Result<PlannedEdit, PerformError> {
    let (request, languages) = (Arc::clone(request), Arc::clone(&project.languages));
    let mut attempt = 0;
    loop {
        attempt += 1;
        let (request, languages) = (Arc::clone(&request), Arc::clone(&languages));
        let made =
            project.with_view(move |view, cancel| plan_edit(view, &languages, &request, cancel)).await?;
        match made {
            Err(PlanningError::Changing(_)) if attempt < ATTEMPTS => {}
            made => return Ok(made?),
        }
    }
}
