//! Repeats an edit whose files changed between its planning and its application. Invariant: no other loop
//! repeats an edit, so its attempts have one budget, and an edit that lost once has a turn.

use super::apply::ApplyError;
use super::effects::DiagnosticsReport;
use super::multi_file::{AppliedEdit, MultiFileEdit, apply_multi_file};
use crate::Project;
use symd_edit::{EditError, Originator};

/// Maximum number of attempts. Without a turn a lost attempt is another client's finished edit, so all clients
/// that edit one file at once get theirs; with one, only files that are written continuously use them up.
const ATTEMPTS: usize = 64;

/// Maximum number of attempts that find what they need not ready.
const WAITING_ATTEMPTS: usize = 16;

/// Whether an edit may be planned again after a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryPolicy {
    /// The edit names its place by content.
    Allowed,
    /// The edit names lines, which may have moved.
    Never,
    /// Nothing is written: no turn is needed.
    WithoutTurn,
}

/// Why an attempt failed.
#[derive(Debug)]
pub enum AttemptError<E> {
    /// Files changed since the edit was planned; another attempt may succeed.
    Conflict(E),
    /// What the plan depends on is not known yet, such as the outline of a file just written; each attempt
    /// waits for it. Other edits are not held up meanwhile.
    NotReady(E),
    Final(E),
}

impl<E> AttemptError<E> {
    /// Wraps `error`; where `is_conflict` holds, the edit lost to another change.
    pub fn new(error: E, is_conflict: impl FnOnce(&E) -> bool) -> AttemptError<E> {
        if is_conflict(&error) { AttemptError::Conflict(error) } else { AttemptError::Final(error) }
    }

    /// Converts the error.
    pub fn map<T>(self, with: impl FnOnce(E) -> T) -> AttemptError<T> {
        match self {
            AttemptError::Conflict(error) => AttemptError::Conflict(with(error)),
            AttemptError::NotReady(error) => AttemptError::NotReady(with(error)),
            AttemptError::Final(error) => AttemptError::Final(with(error)),
        }
    }
}

/// Attempts an edit until no file changes in between.
pub(crate) async fn retry_on_conflict<T, E, F>(
    project: &Project,
    policy: RetryPolicy,
    attempt: impl Fn() -> F,
) -> Result<T, E>
where
    F: Future<Output = Result<T, AttemptError<E>>>,
{
    let takes_turn = policy != RetryPolicy::WithoutTurn;
    // Held until the edit is applied: the next in turn plans on its result.
    let mut turn = if takes_turn { project.engine.turn_if_contended().await } else { None };
    let mut left = if policy == RetryPolicy::Never { 0 } else { ATTEMPTS - 1 };
    let mut waits_left = left.min(WAITING_ATTEMPTS - 1);
    loop {
        // Boxed, because the futures of an edit nest deeper than rustc can compute a layout for.
        match Box::pin(attempt()).await {
            Ok(done) => return Ok(done),
            Err(AttemptError::Conflict(_)) if left > 0 => {
                left -= 1;
                if takes_turn && turn.is_none() {
                    turn = Some(project.engine.turn().await);
                }
            }
            Err(AttemptError::NotReady(_)) if waits_left > 0 => {
                waits_left -= 1;
                turn = None;
            }
            Err(
                AttemptError::Conflict(error) | AttemptError::NotReady(error) | AttemptError::Final(error),
            ) => return Err(error),
        }
    }
}

/// How a planned edit is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MultiFileOptions {
    pub retry: RetryPolicy,
    /// Plan the edit and apply nothing.
    pub dry_run: bool,
    pub report: DiagnosticsReport,
}

/// Plans an edit of several files and applies it. Returns the plan and, unless it is a dry run, what was
/// applied.
pub async fn plan_and_apply<P: MultiFileEdit, E, F>(
    project: &Project,
    options: MultiFileOptions,
    plan: impl Fn() -> F,
    refused: impl Fn(ApplyError) -> E,
) -> Result<(P, Option<AppliedEdit>), E>
where
    F: Future<Output = Result<(P, Originator), AttemptError<E>>>,
{
    let MultiFileOptions { retry, dry_run, report } = options;
    retry_on_conflict(project, retry, || async {
        let (planned, by) = plan().await?;
        if dry_run {
            return Ok((planned, None));
        }
        match apply_multi_file(project, &planned, report, by).await {
            Ok(applied) => Ok((planned, Some(applied))),
            Err(error) => Err(AttemptError::new(error, ApplyError::is_conflict).map(&refused)),
        }
    })
    .await
}

impl ApplyError {
    /// Whether files changed between the planning and the application of the edit.
    pub(crate) fn is_conflict(&self) -> bool {
        matches!(self, ApplyError::Edit(EditError::Conflict { .. }))
    }
}
