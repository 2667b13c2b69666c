//! Applies edits: the only way from a tool to the edit engine. Plans are made elsewhere. Invariant: the
//! editor blocks, so it runs on a thread of its own, never on an async worker or inside a question. Nothing
//! here waits for the index: the editor's check reads every file that a plan is based on, and the next
//! question waits for the changes.

use std::future::Future;
use std::sync::Arc;

use crate::Project;
use symd_edit::{Applied, EditError, Editor, FileDiff, Operation, Originator, Plan, Resolution, UndoTarget};

/// Why an edit was not applied. The tree is unchanged unless the message says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// The edit engine rejected the edit or failed.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The editor's thread ended early.
    #[error("a bug in symd aborted the edit; see `symd logs`; the next edit rolls back what it left behind")]
    Lost,
}

/// Applies `plan` completely, or leaves the tree unchanged and returns the reason. Once begun, it runs to its
/// end even if the future is dropped.
pub async fn apply(project: &Project, plan: Plan, by: Originator) -> Result<Applied, ApplyError> {
    blocking(project, move |editor| editor.apply(&plan, by)).await
}

/// Applies `plan` as [`apply`] does and runs `meanwhile` concurrently: in the meantime the edit is checked,
/// its journal is written and its files are staged, but no file changes before `meanwhile` has ended.
pub(super) async fn apply_beside<T>(
    project: &Project,
    plan: Plan,
    by: Originator,
    meanwhile: impl Future<Output = T>,
) -> (Result<Applied, ApplyError>, T) {
    let (going_on, ended) = std::sync::mpsc::sync_channel::<()>(1);
    let meanwhile = async move {
        // Dropped when `meanwhile` ends, and with the future.
        let _going_on = going_on;
        meanwhile.await
    };
    // Nothing is ever sent: `recv` returns when the sender is dropped.
    let ready = move || {
        let _ = ended.recv();
    };
    let applied = blocking(project, move |editor| editor.apply_after(&plan, by, ready));
    tokio::join!(applied, meanwhile)
}

/// Same as [`apply`], for notes that are not the project's content ([`Editor::apply_notes`]).
pub(crate) async fn apply_aside(
    project: &Project,
    plan: Plan,
    by: Originator,
) -> Result<Applied, ApplyError> {
    blocking(project, move |editor| editor.apply_notes(&plan, by)).await
}

/// Undoes an edit, unless one of its files has changed since.
pub async fn undo(project: &Project, which: UndoTarget, by: Originator) -> Result<Applied, ApplyError> {
    blocking(project, move |editor| editor.undo(which, by)).await
}

/// Repeats the edit that was undone last.
pub async fn redo(project: &Project, by: Originator) -> Result<Applied, ApplyError> {
    blocking(project, move |editor| editor.redo(by)).await
}

/// Decides what happens to the files that recovery had to leave.
pub async fn resolve(
    project: &Project,
    id: symd_edit::OperationId,
    resolution: Resolution,
    by: Originator,
) -> Result<Applied, ApplyError> {
    blocking(project, move |editor| editor.resolve(id, resolution, by)).await
}

/// Returns what `plan` would change. Writes nothing.
pub async fn preview(project: &Project, plan: Plan) -> Result<Vec<FileDiff>, ApplyError> {
    blocking(project, move |editor| editor.preview(&plan)).await
}

/// Returns what [`resolve`] would change. Writes nothing.
pub async fn preview_resolve(
    project: &Project,
    id: symd_edit::OperationId,
    resolution: Resolution,
) -> Result<Vec<FileDiff>, ApplyError> {
    blocking(project, move |editor| editor.preview_resolve(id, resolution)).await
}

/// Returns what [`undo`] would change. Writes nothing.
pub async fn preview_undo(project: &Project, which: UndoTarget) -> Result<Vec<FileDiff>, ApplyError> {
    blocking(project, move |editor| editor.preview_undo(which)).await
}

/// Returns what [`redo`] would change. Writes nothing.
pub async fn preview_redo(project: &Project) -> Result<Vec<FileDiff>, ApplyError> {
    blocking(project, Editor::preview_redo).await
}

/// Returns the last `limit` operations, newest first.
pub async fn history(project: &Project, limit: usize) -> Result<Vec<Operation>, ApplyError> {
    blocking(project, move |editor| editor.history(limit)).await
}

async fn blocking<T: Send + 'static>(
    project: &Project,
    work: impl FnOnce(&Editor) -> Result<T, EditError> + Send + 'static,
) -> Result<T, ApplyError> {
    let editor = Arc::clone(&project.editor);
    let done = tokio::task::spawn_blocking(move || work(&editor)).await;
    Ok(done.map_err(|_| ApplyError::Lost)??)
}
