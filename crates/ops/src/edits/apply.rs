//! Edits made: the one way from a tool to the edit engine. Plans are made up elsewhere. Invariant: the editor blocks, so
//! it runs on a thread of its own, never on an async worker or inside a question. Nothing here waits for the index: the
//! check reads every file that a plan was made up from, and the next question waits for what was changed.

use std::future::Future;
use std::sync::Arc;

use crate::Project;
use symd_edit::{Applied, By, EditError, Editor, FileDiff, Operation, Plan, Resolution, Which};

/// Why an edit was not made. The tree is as it was unless the text says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// The edit engine refuses, or failed.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The editor's thread ended early.
    #[error(
        "the edit ended early, which is a fault of symd's; `symd logs` says where, and the next edit puts back what it left"
    )]
    Lost,
}

/// Applies `plan` whole, or leaves the tree as it is and says why. Once begun it is brought to its end, also when the
/// future is dropped.
pub async fn apply(project: &Project, plan: Plan, by: By) -> Result<Applied, ApplyError> {
    blocking(project, move |editor| editor.apply(&plan, by)).await
}

/// Applies `plan` as [`apply`] does and runs `meanwhile` beside it: the edit is checked, its journal is written and its files
/// are staged in the meantime, but no file changes before `meanwhile` has ended.
pub(super) async fn apply_beside<T>(
    project: &Project,
    plan: Plan,
    by: By,
    meanwhile: impl Future<Output = T>,
) -> (Result<Applied, ApplyError>, T) {
    let (going_on, ended) = std::sync::mpsc::sync_channel::<()>(1);
    let meanwhile = async move {
        // Dropped at its end, and with the future.
        let _going_on = going_on;
        meanwhile.await
    };
    // Nothing is ever sent: the other end is dropped.
    let ready = move || {
        let _ = ended.recv();
    };
    let applied = blocking(project, move |editor| editor.apply_after(&plan, by, ready));
    tokio::join!(applied, meanwhile)
}

/// [`apply`] for what is kept beside the work at hand ([`Editor::apply_aside`]).
pub(crate) async fn apply_aside(project: &Project, plan: Plan, by: By) -> Result<Applied, ApplyError> {
    blocking(project, move |editor| editor.apply_aside(&plan, by)).await
}

/// Undoes an edit, unless a file is not as it left it.
pub async fn undo(project: &Project, which: Which, by: By) -> Result<Applied, ApplyError> {
    blocking(project, move |editor| editor.undo(which, by)).await
}

/// Makes the edit again that was undone last.
pub async fn redo(project: &Project, by: By) -> Result<Applied, ApplyError> {
    blocking(project, move |editor| editor.redo(by)).await
}

/// Says what becomes of the files that recovery had to leave.
pub async fn resolve(
    project: &Project,
    id: symd_edit::OperationId,
    resolution: Resolution,
    by: By,
) -> Result<Applied, ApplyError> {
    blocking(project, move |editor| editor.resolve(id, resolution, by)).await
}

/// What `plan` would change. Writes nothing.
pub async fn preview(project: &Project, plan: Plan) -> Result<Vec<FileDiff>, ApplyError> {
    blocking(project, move |editor| editor.preview(&plan)).await
}

/// What [`resolve`] would change. Writes nothing.
pub async fn preview_resolve(
    project: &Project,
    id: symd_edit::OperationId,
    resolution: Resolution,
) -> Result<Vec<FileDiff>, ApplyError> {
    blocking(project, move |editor| editor.preview_resolve(id, resolution)).await
}

/// What undoing would change. Writes nothing.
pub async fn preview_undo(project: &Project, which: Which) -> Result<Vec<FileDiff>, ApplyError> {
    blocking(project, move |editor| editor.preview_undo(which)).await
}

/// What redoing would change. Writes nothing.
pub async fn preview_redo(project: &Project) -> Result<Vec<FileDiff>, ApplyError> {
    blocking(project, Editor::preview_redo).await
}

/// The last `limit` operations, newest first.
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
