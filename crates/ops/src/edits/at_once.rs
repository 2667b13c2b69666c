//! Plans an edit and begins it on one thread, if nothing has to be waited for in between: no other edit, no editor, no
//! language server. Two changes of threads take as long as the writing of a small file. Invariant: what is begun here runs
//! to its end as any other edit does; what is not begun here is planned and nothing else.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::apply::{ApplyError, BegunEdit, begin_here};
use super::effects::{self, DiagnosticsBefore, DiagnosticsReport};
use super::perform::existing;
use super::planned_edit::{PlannedEdit, PlanningError};
use super::planning::plan_edit;
use super::request::Request;
use crate::Project;
use crate::question::QuestionError;
use symd_base::Cancel;
use symd_edit::Originator;
use symd_engine::{EngineError, ViewHere};

/// An edit that was planned on a thread that may block.
pub(super) struct PlannedHere {
    pub(super) made: PlannedEdit,
    /// The edit and the diagnostics before it; `None` if something has to be waited for before it begins.
    pub(super) begun: Option<(BegunEdit, DiagnosticsBefore)>,
}

/// Why an edit was not planned.
pub(super) enum NotPlanned {
    /// The question has no view.
    Question(QuestionError),
    Plan(PlanningError),
    /// The thread ended early, perhaps while it applied the edit.
    Lost(ApplyError),
}

/// Plans `request`, and begins the edit if nothing has to be waited for. `None` if the plan is to be made in the pool.
/// Dropping the future before the edit has begun cancels it.
pub(super) async fn plan_here(
    project: &Project,
    request: &Arc<Request>,
    report: DiagnosticsReport,
    by: &Originator,
) -> Option<Result<PlannedHere, NotPlanned>> {
    if project.view.is_some() {
        return None;
    }
    let cancel = Cancel::new();
    let _stops_with_us = cancel.on_drop();
    let seen = match project.engine.view_here().await? {
        Ok(seen) => seen,
        Err(error) => return Some(Err(NotPlanned::Question(error.into()))),
    };
    let (project, request, by) = (project.clone(), Arc::clone(request), by.clone());
    let here = move || plan_and_begin(&project, seen, &request, report, by, &cancel);
    let planned = tokio::task::spawn_blocking(here).await;
    Some(planned.unwrap_or(Err(NotPlanned::Lost(ApplyError::Lost))))
}

fn plan_and_begin(
    project: &Project,
    seen: ViewHere,
    request: &Request,
    report: DiagnosticsReport,
    by: Originator,
    cancel: &Cancel,
) -> Result<PlannedHere, NotPlanned> {
    let plan = || plan_edit(&seen.view, &project.languages, request, cancel);
    let planned = catch_unwind(AssertUnwindSafe(plan));
    let planned = planned.map_err(|_| NotPlanned::Question(EngineError::Panicked.into()))?;
    // The edit closes the gate that this holds open.
    drop(seen);
    let mut made = planned.map_err(NotPlanned::Plan)?;
    let files = existing(&made.plan, &made.written_files());
    let Some(before) = effects::before_without_asking(project, report, &files) else {
        return Ok(PlannedHere { made, begun: None });
    };
    cancel.check().map_err(|cancelled| NotPlanned::Plan(cancelled.into()))?;
    // Kept if the edit is not begun, since they are of texts by their hashes.
    project.engine.add_preparsed(std::mem::take(&mut made.preparsed));
    let by = Originator { title: made.title.clone(), ..by };
    let begun = begin_here(project, &made.plan, &by).map(|begun| (begun, before));
    Ok(PlannedHere { made, begun })
}
