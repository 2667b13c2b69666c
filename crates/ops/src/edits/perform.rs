//! From what a client wants to what was done: plan, look at what is wrong, apply, look again. Invariant: an edit that
//! names its place by what stands there (a symbol, an expression) is planned anew when a file changed in between, unless
//! the client has said what it believes; one that names lines never is.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::apply::{ApplyError, apply, preview};
use super::effects::{self, Caused, Report};
use super::make::{Made, MakeError, Written, make};
use super::request::Request;
use super::users::Users;
use crate::Project;
use crate::question::QuestionError;
use symd_base::RelPath;
use symd_edit::{Applied, By, EditError, FileDiff, Plan, PlanStep};
use symd_engine::{EditTurn, EngineError};
use symd_rewrite::changed_lines;

/// How often an edit is planned whose files change under it. Every lost attempt is somebody else's finished edit, so
/// that all who edit one file at once come to their turn; only a file that is written all the time uses them up.
const ATTEMPTS: usize = 64;

/// What was done.
#[derive(Debug)]
pub struct Done {
    /// Its number, and every file that changed.
    pub applied: Applied,
    /// What it was, in a line.
    pub title: String,
    /// Lines added and removed, file by file.
    pub lines: BTreeMap<RelPath, (usize, usize)>,
    /// What else is worth saying.
    pub notes: Vec<String>,
    /// How many occurrences were replaced, where that was the question.
    pub replaced: Option<usize>,
    /// What a patch did to each file, in its order.
    pub written: Vec<Written>,
    /// Whether a whole file that was there was overwritten.
    pub overwrote: bool,
    /// What is wrong now that was not before.
    pub caused: Caused,
}

/// What would be done.
#[derive(Debug)]
pub struct Would {
    /// The changes, by path.
    pub diffs: Vec<FileDiff>,
    /// What it would be, in a line.
    pub title: String,
    /// What else is worth saying.
    pub notes: Vec<String>,
}

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
pub enum PerformError {
    /// There is no plan.
    #[error(transparent)]
    Make(#[from] MakeError),
    /// The plan was not applied.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// The project cannot be looked at.
    #[error("{0}; nothing was written")]
    Engine(#[from] EngineError),
    /// What must be known first cannot be.
    #[error(transparent)]
    Question(#[from] QuestionError),
    /// What was found out first is no longer so.
    #[error("files that use the name changed meanwhile; nothing was written; repeat the edit")]
    UsersChanged,
}

/// Does what `request` wants.
pub async fn perform(
    project: &Project,
    request: Request,
    report: Report,
    by: By,
) -> Result<Done, PerformError> {
    let turn = project.engine.turn_behind_others().await;
    made(project, request, report, by, turn, None).await
}

/// Does what `request` wants as long as the users of a name are those that are known, else
/// [`PerformError::UsersChanged`]. The turn that the asker has is taken over.
pub async fn perform_while(
    project: &Project,
    request: Request,
    report: Report,
    by: By,
    turn: Option<EditTurn>,
    users: &Users,
) -> Result<Done, PerformError> {
    made(project, request, report, by, turn, Some(users)).await
}

async fn made(
    project: &Project,
    request: Request,
    report: Report,
    by: By,
    mut turn: Option<EditTurn>,
    users: Option<&Users>,
) -> Result<Done, PerformError> {
    let request = Arc::new(request);
    let mut attempt = 0;
    // The turn is held until the edit is made: the next one in turn plans on what it leaves.
    loop {
        attempt += 1;
        let made = plan(project, &request).await?;
        let files: Vec<RelPath> =
            made.files.iter().filter(|(_, new)| new.is_some()).map(|(path, _)| path.clone()).collect();
        let before = effects::before(project, report, &there_already(&made.plan, &files)).await;
        project.engine.foretell(made.foretold);
        let by = By { title: made.title.clone(), ..by.clone() };
        // As late as can be: what somebody writes without symd from here on is not seen.
        if let Some(users) = users
            && !users.are_same(project).await?
        {
            return Err(PerformError::UsersChanged);
        }
        let applied = match apply(project, made.plan, by).await {
            Err(ApplyError::Edit(EditError::Conflict { files }))
                if attempt < ATTEMPTS
                    // To a client that has not read them, the edit came after that change as well as before.
                    && !files.iter().any(|one| request.base.knows(&one.path)) =>
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
        return Ok(Done {
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

/// Those of `files` that `plan` does not make.
fn there_already(plan: &Plan, files: &[RelPath]) -> Vec<RelPath> {
    let is_made = |path: &RelPath| {
        plan.steps.iter().any(|step| match step {
            PlanStep::Create { path: made, .. } | PlanStep::Rename { to: made, .. } => made == path,
            _ => false,
        })
    };
    files.iter().filter(|path| !is_made(path)).cloned().collect()
}

/// What `request` would do. Writes nothing.
pub async fn dry_run(project: &Project, request: Request) -> Result<Would, PerformError> {
    let made = plan(project, &Arc::new(request)).await?;
    let diffs = preview(project, made.plan).await?;
    Ok(Would { diffs, title: made.title, notes: made.notes })
}

async fn plan(project: &Project, request: &Arc<Request>) -> Result<Made, PerformError> {
    let (request, languages) = (Arc::clone(request), Arc::clone(&project.languages));
    let mut attempt = 0;
    loop {
        attempt += 1;
        let (request, languages) = (Arc::clone(&request), Arc::clone(&languages));
        let made = project.look(move |view, cancel| make(view, &languages, &request, cancel)).await?;
        match made {
            Err(MakeError::Changing(_)) if attempt < ATTEMPTS => {}
            made => return Ok(made?),
        }
    }
}
