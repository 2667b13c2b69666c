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

/// Whether an edit may be planned again after a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryPolicy {
    /// The edit names its place by content.
    Allowed,
    /// The edit names lines, which may have moved.
    Never,
}

/// Why an attempt failed.
#[derive(Debug)]
pub enum AttemptError<E> {
    /// Files changed since the edit was planned; another attempt may succeed.
    Conflict(E),
    Final(E),
}

impl<E> AttemptError<E> {
    /// Wraps `error`, by which the edit may have lost to another change.
    pub fn new(error: E, is_conflict: bool) -> AttemptError<E> {
        if is_conflict { AttemptError::Conflict(error) } else { AttemptError::Final(error) }
    }

    pub(super) fn map<T>(self, with: impl FnOnce(E) -> T) -> AttemptError<T> {
        match self {
            AttemptError::Conflict(error) => AttemptError::Conflict(with(error)),
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
    // Held until the edit is applied: the next in turn plans on its result.
    let mut turn = project.engine.turn_if_contended().await;
    let mut left = if policy == RetryPolicy::Allowed { ATTEMPTS - 1 } else { 0 };
    loop {
        match attempt().await {
            Ok(done) => return Ok(done),
            Err(AttemptError::Conflict(_)) if left > 0 => {
                left -= 1;
                if turn.is_none() {
                    turn = Some(project.engine.turn().await);
                }
            }
            Err(AttemptError::Conflict(error) | AttemptError::Final(error)) => return Err(error),
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
            Err(error) => {
                let is_conflict = error.is_conflict();
                Err(AttemptError::new(refused(error), is_conflict))
            }
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
