//! Applies edits: the only way from a tool to the edit engine. Plans are made elsewhere. Invariants: stages
//! that wait for the disk run on threads that may block, never on an async worker or inside a question; while
//! an edit waits for its turn or for running questions it occupies no thread. Nothing here waits for the
//! index: the editor's check reads every file that a plan is based on, and the next question waits for the
//! changes.

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::Project;
use crate::buffers::{AgreedBuffers, Buffers, Disagreement, KeptChanges, UnsettledBuffers};
use symd_edit::{
    Applied, ChangedPlace, ClosedGate, EditError, EditStage, Editor, EditorTurn, FileDiff, Operation,
    Originator, Plan, Resolution, StagedRecord, UndoTarget,
};
use symd_engine::Engine;

/// How often symd tries to drop a record that it could not drop, for lack of room on the disk perhaps.
const DROP_AGAIN: Duration = Duration::from_secs(2);

/// Why an edit was not applied. The tree is unchanged unless the message says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// The edit engine rejected the edit or failed.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The edit failed after editors had made their part, and one of them keeps it.
    #[error("{error}; {left}")]
    KeptInEditor { error: Box<ApplyError>, left: String },
    /// The editor's thread ended early.
    #[error(
        "a bug in symd aborted the edit; see `symd logs`; files may be half changed until the next edit, which first puts them back"
    )]
    Lost,
}

/// Applies `plan` completely, or leaves the tree unchanged and returns the reason. Once begun, it runs to its
/// end even if the future is dropped.
pub async fn apply(project: &Project, plan: Plan, by: Originator) -> Result<Applied, ApplyError> {
    carry_out(project, by.clone(), None, move |editor, turn| editor.stage(turn, &plan, by)).await
}

/// Applies `plan` as [`apply`] does and runs `meanwhile` concurrently: in the meantime the edit is checked,
/// its journal is written and its files are staged, but no file changes before `meanwhile` has ended.
pub(super) async fn apply_beside<T>(
    project: &Project,
    plan: Plan,
    by: Originator,
    meanwhile: impl Future<Output = T>,
) -> (Result<Applied, ApplyError>, T) {
    let (ongoing, ended) = oneshot::channel();
    let meanwhile = async move {
        // Dropped when `meanwhile` ends, and with the future.
        let _ongoing = ongoing;
        meanwhile.await
    };
    let applied =
        carry_out(project, by.clone(), Some(ended), move |editor, turn| editor.stage(turn, &plan, by));
    tokio::join!(applied, meanwhile)
}

/// Same as [`apply`], for notes that are not the project's content ([`Editor::stage_notes`]).
pub(crate) async fn apply_aside(
    project: &Project,
    plan: Plan,
    by: Originator,
) -> Result<Applied, ApplyError> {
    carry_out(project, by.clone(), None, move |editor, turn| editor.stage_notes(turn, &plan, by)).await
}

/// Undoes an edit, unless one of its files has changed since.
pub async fn undo(project: &Project, which: UndoTarget, by: Originator) -> Result<Applied, ApplyError> {
    carry_out(project, by.clone(), None, move |editor, turn| editor.stage_undo(turn, which, by)).await
}

/// Repeats the edit that was undone last.
pub async fn redo(project: &Project, by: Originator) -> Result<Applied, ApplyError> {
    carry_out(project, by.clone(), None, move |editor, turn| editor.stage_redo(turn, by)).await
}

/// Makes the changes of an edit in files whose unsaved texts were closed with them.
pub async fn finish(
    project: &Project,
    id: symd_edit::OperationId,
    by: Originator,
) -> Result<Applied, ApplyError> {
    carry_out(project, by.clone(), None, move |editor, turn| editor.stage_unsaved(turn, id, by)).await
}

/// Decides what happens to the files that recovery had to leave.
pub async fn resolve(
    project: &Project,
    id: symd_edit::OperationId,
    resolution: Resolution,
    by: Originator,
) -> Result<Applied, ApplyError> {
    let resolved = carry_out(project, by.clone(), None, move |editor, turn| {
        editor.stage_resolution(turn, id, resolution, by)
    });
    resolved.await.map_err(|error| naming_editors(project, error))
}

/// Names the editors that show what cannot be put back.
fn naming_editors(project: &Project, error: ApplyError) -> ApplyError {
    let ApplyError::Edit(EditError::NotPutBack { id, mut files }) = error else { return error };
    for file in &mut files {
        if let ChangedPlace::InEditors(names) = &mut file.place {
            *names = project.buffers.state(&file.path).dirty_in;
        }
    }
    EditError::NotPutBack { id, files }.into()
}

/// Takes an edit through its stages. `stage` is the first; no file changes before `ready` is sent to or closed.
async fn carry_out(
    project: &Project,
    by: Originator,
    ready: Option<oneshot::Receiver<Infallible>>,
    stage: impl FnOnce(&Editor, EditorTurn) -> EditStage + Send + 'static,
) -> Result<Applied, ApplyError> {
    let (editor, engine) = (Arc::clone(&project.editor), project.engine.clone());
    // A task of its own: an edit that has begun is not stopped by a client that leaves.
    let buffers = Arc::clone(&project.buffers);
    let edit = tokio::spawn(Box::pin(async move {
        let applied = run_stages(editor, (engine, Arc::clone(&buffers)), &by.who, ready, stage).await;
        if let Ok(applied) = &applied {
            buffers.tell_edit(applied, &by);
        }
        applied
    }));
    edit.await.map_err(|_| ApplyError::Lost)?
}

async fn run_stages(
    editor: Arc<Editor>,
    (engine, buffers): (Engine, Arc<Buffers>),
    client: &str,
    ready: Option<oneshot::Receiver<Infallible>>,
    stage: impl FnOnce(&Editor, EditorTurn) -> EditStage + Send + 'static,
) -> Result<Applied, ApplyError> {
    // Before its turn too: queued edits wait for an editor together, not one after the other.
    buffers.await_editors().await?;
    // Longer than the engine's turn: the next edit is staged when this one's buffers are told apart from its files.
    let _whole = buffers.turn(client).await?;
    buffers.await_editors().await?;
    let turn = editor.turn().await.asking_about(buffers.asked_files());
    let stage = match ready {
        None => {
            let (engine, buffers) = (engine.clone(), Arc::clone(&buffers));
            on_thread(&editor, move |editor| finish_if_idle(editor, (&engine, &buffers), stage(editor, turn)))
                .await?
        }
        Some(ready) => {
            let staged = on_thread(&editor, move |editor| stage(editor, turn)).await?;
            let _ = ready.await;
            staged
        }
    };
    go_on(editor, (engine, buffers), stage).await
}

/// Takes an edit from the stage that it has reached to its end.
async fn go_on(
    editor: Arc<Editor>,
    (engine, buffers): (Engine, Arc<Buffers>),
    mut stage: EditStage,
) -> Result<Applied, ApplyError> {
    let (mut agreed, mut record) = (None, None);
    if let EditStage::Staged(mut staged) = stage {
        match buffers.agree(&staged).await {
            Ok(asked) => {
                record = asked.has_targets().then(|| staged.record());
                staged.keep_if_it_fails(asked.states_if_kept());
                agreed = Some(Arc::new(asked));
            }
            Err(Disagreement { reason, kept }) => {
                let record = (!kept.files.is_empty()).then(|| staged.record());
                staged.keep_if_it_fails(kept.files.clone());
                let refused = on_thread(&editor, move |editor| editor.abandon(*staged, reason)).await?;
                return Err(with_kept((&editor, &buffers), refused.into(), record, kept).await);
            }
        }
        stage = EditStage::Staged(staged);
    }
    let changed = change_files(&editor, &engine, stage, agreed.as_ref()).await;
    match (agreed, changed) {
        (Some(agreed), Ok(mut applied)) => {
            let UnsettledBuffers { not_saved, not_reloaded } = agreed.complete().await;
            (applied.not_saved, applied.not_reloaded) = (not_saved, not_reloaded);
            Ok(applied)
        }
        (Some(agreed), Err(error)) => {
            Err(with_kept((&editor, &buffers), error, record, agreed.take_back().await).await)
        }
        (None, changed) => changed,
    }
}

/// Adds what editors keep of a failed edit to its error, and keeps the edit for the user's decision where one of them did
/// not take its part back.
async fn with_kept(
    (editor, buffers): (&Arc<Editor>, &Arc<Buffers>),
    error: ApplyError,
    record: Option<StagedRecord>,
    KeptChanges { told, files }: KeptChanges,
) -> ApplyError {
    // What could not be put back on the disk has kept the edit already.
    let is_kept = matches!(error, ApplyError::Edit(EditError::RollbackFailed { .. }));
    let record = record.filter(|_| !is_kept);
    if let Some(record) = record.clone().filter(|_| files.is_empty())
        // It was recorded in case this process would not get here.
        && let Err(why) = drop_record(editor, record.clone()).await
    {
        tracing::warn!(why, "cannot drop the record of an edit that was taken back yet");
        drop_record_later(editor, record);
    }
    let Some(mut left) = told else { return error };
    if let Some(record) = record.filter(|_| !files.is_empty()) {
        let watch = buffers.watch_files(record.files());
        match on_thread(editor, move |editor| editor.keep_conflict(record, &files)).await {
            Ok(Ok(id)) => {
                watch.close_once_settled(buffers, editor, id);
                tracing::warn!(operation = id.0, left, "an edit failed, and an editor kept its part");
                left.push_str(&format!(
                    "; kept as operation {id}: `symd resolve {id} put-back` asks the editor again, `symd resolve {id} keep` \
                     leaves the text to it (resolve_edit)"
                ));
            }
            Ok(Err(error)) => tracing::warn!(%error, "cannot keep an edit that an editor did not take back"),
            Err(error) => tracing::warn!(%error, "cannot keep an edit that an editor did not take back"),
        }
    }
    ApplyError::KeptInEditor { error: Box::new(error), left }
}

/// Drops the record of an edit that editors took back; the error is for the log.
async fn drop_record(editor: &Arc<Editor>, record: StagedRecord) -> Result<(), String> {
    match on_thread(editor, move |editor| editor.drop_conflict(record)).await {
        Ok(dropped) => dropped.map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

/// Goes on trying to drop a record while the daemon lives. What it leaves the next daemon looks at.
fn drop_record_later(editor: &Arc<Editor>, record: StagedRecord) {
    let editor = Arc::downgrade(editor);
    tokio::spawn(async move {
        let mut clock = tokio::time::interval(DROP_AGAIN);
        // The first tick is at once.
        clock.tick().await;
        loop {
            clock.tick().await;
            let Some(editor) = editor.upgrade() else { return };
            if drop_record(&editor, record.clone()).await.is_ok() {
                return;
            }
        }
    });
}

/// Takes an edit from the stage in which everything but the files is ready to its end.
async fn change_files(
    editor: &Arc<Editor>,
    engine: &Engine,
    mut stage: EditStage,
    agreed: Option<&Arc<AgreedBuffers>>,
) -> Result<Applied, ApplyError> {
    loop {
        stage = match stage {
            EditStage::Ended(ended) => return Ok(ended?),
            EditStage::Staged(staged) => match engine.pause_questions().await {
                Ok(paused) => {
                    let agreed = agreed.cloned();
                    if let Some(agreed) = &agreed
                        && agreed.check(&staged).is_ok()
                    {
                        agreed.show().await;
                    }
                    on_thread(editor, move |editor| {
                        // Anew, as late as possible: buffers change whenever their users type.
                        match agreed.map_or(Ok(()), |agreed| agreed.check(&staged)) {
                            Ok(()) => editor.finish(*staged, Some(Box::new(paused))),
                            Err(reason) => EditStage::Ended(Err(editor.abandon(*staged, reason))),
                        }
                    })
                    .await?
                }
                Err(busy) => {
                    let reason = EditError::Busy(busy.to_string());
                    let refused = on_thread(editor, move |editor| editor.abandon(*staged, reason)).await?;
                    return Err(refused.into());
                }
            },
            EditStage::Failed(failed) => {
                let paused = engine.pause_questions().await.ok().map(|paused| Box::new(paused) as ClosedGate);
                let refused = on_thread(editor, move |editor| editor.roll_back(*failed, paused)).await?;
                return Err(refused.into());
            }
        };
    }
}

/// How far an edit got on the thread on which it began.
pub(super) enum BegunEdit {
    Ended(Result<Applied, ApplyError>),
    /// The task that finishes the edit, whether or not its result is awaited.
    GoesOn(JoinHandle<Result<Applied, ApplyError>>),
}

impl BegunEdit {
    /// Waits until the edit has ended.
    pub(super) async fn end(self) -> Result<Applied, ApplyError> {
        match self {
            BegunEdit::Ended(ended) => ended,
            BegunEdit::GoesOn(task) => task.await.map_err(|_| ApplyError::Lost)?,
        }
    }
}

/// Applies `plan` as [`apply`] does, on this thread, which may block and belongs to a runtime. `None` if another edit or
/// an editor has to be waited for first: then nothing was begun.
pub(super) fn begin_here(project: &Project, plan: &Plan, by: &Originator) -> Option<BegunEdit> {
    let (editor, engine, buffers) = (&project.editor, &project.engine, &project.buffers);
    let whole = buffers.try_turn()?;
    let turn = editor.try_turn()?.asking_about(buffers.asked_files());
    let stage = editor.stage(turn, plan, by.clone());
    let stage = match finish_if_idle(editor, (engine, buffers), stage) {
        EditStage::Ended(ended) => {
            if let Ok(applied) = &ended {
                buffers.tell_edit(applied, by);
            }
            return Some(BegunEdit::Ended(ended.map_err(ApplyError::from)));
        }
        stage => stage,
    };
    let (editor, engine, buffers) = (Arc::clone(editor), engine.clone(), Arc::clone(buffers));
    let by = by.clone();
    let rest = async move {
        let _whole = whole;
        let applied = go_on(editor, (engine, Arc::clone(&buffers)), stage).await;
        if let Ok(applied) = &applied {
            buffers.tell_edit(applied, &by);
        }
        applied
    };
    Some(BegunEdit::GoesOn(tokio::spawn(Box::pin(rest))))
}

/// Changes the files at once if no question is running: each hand-over between threads costs more than a rename.
/// An edit of what editors have open asks them first.
fn finish_if_idle(editor: &Editor, (engine, buffers): (&Engine, &Buffers), stage: EditStage) -> EditStage {
    match stage {
        EditStage::Staged(staged) if !buffers.are_open() => match engine.try_pause_questions() {
            // Opened meanwhile.
            Some(_) if buffers.are_open() => EditStage::Staged(staged),
            Some(paused) => editor.finish(*staged, Some(Box::new(paused))),
            None => EditStage::Staged(staged),
        },
        other => other,
    }
}

/// Returns what `plan` would change. Writes nothing.
pub async fn preview(project: &Project, plan: Plan) -> Result<Vec<FileDiff>, ApplyError> {
    read(project, move |editor| editor.preview(&plan)).await
}

/// Returns what [`resolve`] would change. Writes nothing.
pub async fn preview_resolve(
    project: &Project,
    id: symd_edit::OperationId,
    resolution: Resolution,
) -> Result<Vec<FileDiff>, ApplyError> {
    let shown = read(project, move |editor| editor.preview_resolve(id, resolution)).await;
    shown.map_err(|error| naming_editors(project, error))
}

/// Returns what [`finish`] would change. Writes nothing.
pub async fn preview_finish(
    project: &Project,
    id: symd_edit::OperationId,
) -> Result<Vec<FileDiff>, ApplyError> {
    read(project, move |editor| editor.preview_unsaved(id)).await
}

/// Returns what [`undo`] would change. Writes nothing.
pub async fn preview_undo(project: &Project, which: UndoTarget) -> Result<Vec<FileDiff>, ApplyError> {
    read(project, move |editor| editor.preview_undo(which)).await
}

/// Returns what [`redo`] would change. Writes nothing.
pub async fn preview_redo(project: &Project) -> Result<Vec<FileDiff>, ApplyError> {
    read(project, Editor::preview_redo).await
}

/// Returns the last `limit` operations, newest first.
pub async fn history(project: &Project, limit: usize) -> Result<Vec<Operation>, ApplyError> {
    read(project, move |editor| editor.history(limit)).await
}

/// Reads with the editor on a thread that may block.
async fn read<T: Send + 'static>(
    project: &Project,
    work: impl FnOnce(&Editor) -> Result<T, EditError> + Send + 'static,
) -> Result<T, ApplyError> {
    Ok(on_thread(&project.editor, work).await??)
}

/// Runs `work`, which waits for the disk, on a thread that may block.
async fn on_thread<T: Send + 'static>(
    editor: &Arc<Editor>,
    work: impl FnOnce(&Editor) -> T + Send + 'static,
) -> Result<T, ApplyError> {
    let editor = Arc::clone(editor);
    tokio::task::spawn_blocking(move || work(&editor)).await.map_err(|_| ApplyError::Lost)
}
