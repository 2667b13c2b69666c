//! Changes memories, through the editor. Invariant: a change applies to the content that was read; if the
//! memory changed in between, it is read again.

use super::folder::MemoryFile;
use super::{MemoryError, MemoryName};
use crate::Project;
use crate::edits::{ApplyError, AttemptError, RetryPolicy, apply_aside, retry_on_conflict};
use symd_base::Cancel;
use symd_edit::{Originator, Plan, PlanStep};
use symd_engine::View;
use symd_files::search::MatchContext;
use symd_rewrite::{ExpectedCount, ReplaceMode, replace_content};

/// Writes a memory, whether it exists or not. `content` is written as it is.
pub async fn write(
    project: &Project,
    name: &MemoryName,
    content: String,
    by: Originator,
) -> Result<(), MemoryError> {
    let titled = Originator { title: format!("write memory {name}"), ..by };
    let bytes = content.into_bytes();
    // Any content may be overwritten: of two concurrent writes the later one is kept, and the history has
    // both.
    change(project, name, titled, move |found, _| {
        Ok(PlanStep::Write { path: found.path.clone(), base: None, bytes: bytes.clone() })
    })
    .await
}

/// Removes a memory.
pub async fn delete(project: &Project, name: &MemoryName, by: Originator) -> Result<(), MemoryError> {
    let titled = Originator { title: format!("delete memory {name}"), ..by };
    let missing = name.clone();
    change(project, name, titled, move |found, _| {
        let (_, base) = found.memory.as_ref().ok_or_else(|| MemoryError::Missing(missing.clone()))?;
        Ok(PlanStep::Delete { path: found.path.clone(), base: *base })
    })
    .await
}

/// Renames a memory.
pub async fn rename(
    project: &Project,
    old: &MemoryName,
    new: &MemoryName,
    by: Originator,
) -> Result<(), MemoryError> {
    let titled = Originator { title: format!("rename memory {old} to {new}"), ..by };
    let target = new.clone();
    let to = project.with_view(move |view, _| MemoryFile::read(&*view.files, &target)).await??;
    if to.memory.is_some() {
        return Err(MemoryError::Exists(new.clone()));
    }
    let missing = old.clone();
    change(project, old, titled, move |found, _| {
        let (_, base) = found.memory.as_ref().ok_or_else(|| MemoryError::Missing(missing.clone()))?;
        Ok(PlanStep::Rename { from: found.path.clone(), to: to.path.clone(), base: *base })
    })
    .await
}

/// Replaces the only occurrence of `needle` in a memory.
pub async fn edit(
    project: &Project,
    name: &MemoryName,
    needle: String,
    replacement: String,
    mode: ReplaceMode,
    by: Originator,
) -> Result<(), MemoryError> {
    let titled = Originator { title: format!("edit memory {name}"), ..by };
    let missing = name.clone();
    change(project, name, titled, move |found, means| {
        let (text, base) = found.memory.as_ref().ok_or_else(|| MemoryError::Missing(missing.clone()))?;
        let path = found.path.as_str();
        let replaced =
            replace_content(path, text.as_str(), &needle, &replacement, mode, ExpectedCount::One, means)?;
        Ok(PlanStep::Text { path: found.path.clone(), base: *base, edits: replaced.edits })
    })
    .await
}

/// Applies the change that `step` computes from the current memory. The computation runs off the threads that
/// serve all clients, since an expression may take long to match.
async fn change(
    project: &Project,
    name: &MemoryName,
    by: Originator,
    step: impl Fn(&MemoryFile, MatchContext<'_>) -> Result<PlanStep, MemoryError> + Clone + Send + 'static,
) -> Result<(), MemoryError> {
    retry_on_conflict(project, RetryPolicy::Allowed, || async {
        let (name, step) = (name.clone(), step.clone());
        let work = move |view: &View, cancel: &Cancel| {
            let means = MatchContext { program: view.parsers.program(), cancel };
            step(&MemoryFile::read(&*view.files, &name)?, means)
        };
        let planned = project.with_view(work).await.map_err(|error| AttemptError::Final(error.into()))?;
        let step = planned.map_err(AttemptError::Final)?;
        let applied = apply_aside(project, Plan::new(vec![step]), by.clone()).await;
        applied.map(|_| ()).map_err(|error| AttemptError::new(error, ApplyError::is_conflict).map(Into::into))
    })
    .await
}
