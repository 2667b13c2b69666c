//! Replaces the first occurrence of a text in a file, and counts all. Applies no ignore rules. Invariant: if
//! the file changed in between, the occurrence is searched again, so the one replaced is the first in the
//! current text.

use super::apply::{ApplyError, apply};
use super::perform::PerformError;
use super::planned_edit::PlanningError;
use super::retry::{AttemptError, RetryPolicy, retry_on_conflict};
use crate::Project;
use crate::view_tree::ViewTree;
use symd_base::{Cancel, ContentHash, RelPath, Text, TextEdits};
use symd_edit::{Originator, Plan, PlanStep};
use symd_engine::View;
use symd_files::search::MatchContext;
use symd_files::tree::FileOpError;
use symd_rewrite::{ExpectedCount, ReplaceMode, replace_content};
use symd_vfs::EntryKind;

/// The result of a replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedFirst {
    /// The file's path, as the client named it.
    pub path: RelPath,
    /// Number of occurrences, not counting overlapping ones.
    pub count: usize,
    /// The first and last line (0-based, of the text before) that the first occurrence touches.
    pub lines: (u32, u32),
}

/// Replaces the first occurrence of `old` in the file at `path` (as a client wrote it). A line break matches
/// any kind of line break; inserted line breaks are those of the file.
pub async fn replace_first(
    project: &Project,
    path: &str,
    old: &str,
    new: &str,
    by: Originator,
) -> Result<ReplacedFirst, PerformError> {
    retry_on_conflict(project, RetryPolicy::Allowed, || async {
        let (path, old, new) = (path.to_owned(), old.to_owned(), new.to_owned());
        let work = move |view: &View, _: &Cancel| plan_replacement(view, &path, &old, &new);
        let planned = project.with_view(work).await.map_err(|error| AttemptError::Final(error.into()))?;
        let (replaced, plan) = planned.map_err(|error| AttemptError::Final(error.into()))?;
        let by = Originator { title: format!("replace string in {}", replaced.path), ..by.clone() };
        let applied = apply(project, plan, by).await;
        applied
            .map(|_| replaced)
            .map_err(|error| AttemptError::new(error, ApplyError::is_conflict).map(Into::into))
    })
    .await
}

fn plan_replacement(
    view: &View,
    written: &str,
    old: &str,
    new: &str,
) -> Result<(ReplacedFirst, Plan), PlanningError> {
    let found = view.tree(|tree| tree.locate(written))?;
    if found.kind == EntryKind::Directory {
        return Err(FileOpError::IsDirectory(written.to_owned()).into());
    }
    let resolved = view.files.resolve(&found.path)?;
    let bytes = view.files.read(&resolved)?.bytes;
    let base = ContentHash::of(&bytes);
    let text = Text::decode(bytes).map_err(|_| FileOpError::Binary(written.to_owned()))?;
    // A literal search needs no helper process.
    let means = MatchContext { program: None, cancel: &Cancel::new() };
    let replaced =
        replace_content(written, text.as_str(), old, new, ReplaceMode::Literal, ExpectedCount::Any, means)?;
    let Some(first) = replaced.edits.iter().next().cloned() else {
        return Err(symd_rewrite::ReplaceError::NoMatches { path: written.to_owned() }.into());
    };
    let line = |offset: u32| text.line_column(offset).line;
    let lines = (line(first.range.start), line(first.range.end.saturating_sub(1).max(first.range.start)));
    let edits = TextEdits::one(first.range, first.new_text);
    let plan = Plan::new(vec![PlanStep::Text { path: resolved, base, edits }]);
    Ok((ReplacedFirst { path: found.path, count: replaced.count, lines }, plan))
}
