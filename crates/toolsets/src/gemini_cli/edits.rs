//! `write_file` and `replace` (sections of the contract with these names; rulings on them). The contract has
//! no revisions: an edit is made to the content at the moment of the call.

use std::path::Path;

use serde_json::json;

use super::answer::{bad_argument, is_missing, is_outside, not_ready};
use super::paths::{absolute, invalid, outside};
use crate::arguments::Arguments;
use crate::{Annotations, Call, PendingCall, Reply, Tool};
use symd_base::RelPath;
use symd_edit::{EditError, Originator};
use symd_files::tree::FileOpError;
use symd_ops::edits::{
    ApplyError, Breaking, DiagnosticsReport, EditAction, EditResult, ExpectedRevisions, IgnoredEdits,
    PerformError, PlanningError, Request, TextAction, perform,
};
use symd_rewrite::{ExpectedCount, ReplaceError, ReplaceMode};
use symd_vfs::VfsError;

pub(super) const WRITE_FILE: Tool = Tool {
    annotations: Annotations { idempotent: true, ..Annotations::CHANGES },
    ..Tool::changing(
        "write_file",
        "Write file",
        "Writes content to a specified file, which is created or overwritten as a whole; missing directories are \
         made.",
        || {
            json!({
                "type": "object",
                "properties": {
                    "file_path": {"type": "string", "description": "The absolute path of the file to write to; it must lie inside the project root."},
                    "content": {"type": "string", "description": "The content to write, taken as it is."}
                },
                "required": ["file_path", "content"]
            })
        },
        |call| Box::pin(async move { write_file(&call).await.unwrap_or_else(|reply| reply) }),
    )
    .checked_by(|proposed| WriteArgs::read(proposed).map(drop))
};

pub(super) const REPLACE: Tool = Tool::changing(
    "replace",
    "Replace text",
    "Replaces text within a file: every occurrence of old_string, of which there must be exactly as many as \
     expected. An empty old_string with the path of a missing file creates it.",
    || {
        json!({
            "type": "object",
            "properties": {
                "file_path": {"type": "string", "description": "The absolute path of the file to change; it must lie inside the project root."},
                "old_string": {"type": "string", "description": "The exact literal text to replace, with enough context around it to be the only one, white space and indentation included."},
                "new_string": {"type": "string", "description": "The exact literal text to put in its place."},
                "expected_replacements": {"type": "integer", "minimum": 1, "default": 1, "description": "How many occurrences there must be (optional, defaults to 1)."}
            },
            "required": ["file_path", "old_string", "new_string"]
        })
    },
    |call| Box::pin(async move { replace(&call).await.unwrap_or_else(|reply| reply) }),
)
.checked_by(|proposed| ReplaceArgs::read(proposed).map(drop));

/// The arguments of `write_file`.
struct WriteArgs<'a> {
    written: &'a str,
    content: &'a str,
    path: RelPath,
}

impl<'a> WriteArgs<'a> {
    fn read(proposed: &PendingCall<'a>) -> Result<WriteArgs<'a>, Reply> {
        let arguments = Arguments::new(proposed.arguments);
        let written = arguments.string("file_path").map_err(bad_argument)?;
        let content = arguments.string("content").map_err(bad_argument)?;
        Ok(WriteArgs { written, content, path: file(proposed.root, written)? })
    }
}

async fn write_file(call: &Call<'_>) -> Result<Reply, Reply> {
    let WriteArgs { written, content, path } = WriteArgs::read(&call.proposed())?;
    let what = EditAction::Write { path: path.as_str().to_owned(), content: content.to_owned() };
    let done = apply_edit(call, what).await.map_err(|problem| match problem {
        PerformError::Make(PlanningError::File(FileOpError::IsDirectory(_))) => is_directory(written),
        problem => format_refusal(call.project.root(), written, "writing to file", problem),
    })?;
    Ok(Reply::done(match done.overwrote {
        true => format!("Successfully overwrote file: {written}."),
        false => format!("Successfully created and wrote to new file: {written}."),
    }))
}

/// The arguments of `replace`.
struct ReplaceArgs<'a> {
    written: &'a str,
    old: &'a str,
    new: &'a str,
    expected: usize,
    path: RelPath,
}

impl<'a> ReplaceArgs<'a> {
    fn read(proposed: &PendingCall<'a>) -> Result<ReplaceArgs<'a>, Reply> {
        let arguments = Arguments::new(proposed.arguments);
        let written = arguments.string("file_path").map_err(bad_argument)?;
        let old = arguments.string("old_string").map_err(bad_argument)?;
        let new = arguments.string("new_string").map_err(bad_argument)?;
        let expected = arguments.count_or("expected_replacements", 1).map_err(bad_argument)?;
        if expected == 0 {
            return Err(bad_argument(arguments.invalid("expected_replacements", "an integer of at least 1")));
        }
        Ok(ReplaceArgs { written, old, new, expected, path: file(proposed.root, written)? })
    }
}

async fn replace(call: &Call<'_>) -> Result<Reply, Reply> {
    let ReplaceArgs { written, old, new, expected, path } = ReplaceArgs::read(&call.proposed())?;
    if old.is_empty() {
        return create(call, written, &path, new.to_owned()).await;
    }
    let is_same = old == new;
    let act = TextAction::Replace {
        needle: old.to_owned(),
        replacement: new.to_owned(),
        mode: ReplaceMode::Literal,
        how_many: ExpectedCount::Exactly(expected),
    };
    let what = EditAction::Text { path: path.as_str().to_owned(), act };
    let done = apply_edit(call, what).await.map_err(|problem| {
        let reply = not_replaced(call.project.root(), written, problem);
        let arguments = Arguments::new(&call.arguments);
        Reply { text: arguments.restore_clamped(&reply.text, &["expected_replacements"]), ..reply }
    })?;
    if is_same {
        let text = "No changes to apply. The old_string and new_string are identical in file";
        return Err(Reply::failed(format!("{text}: {written}")));
    }
    let count = done.replaced.unwrap_or_default();
    Ok(Reply::done(format!("Successfully modified file: {written} ({count} replacements).")))
}

async fn create(call: &Call<'_>, written: &str, path: &RelPath, content: String) -> Result<Reply, Reply> {
    let what = EditAction::Create { path: path.as_str().to_owned(), content };
    apply_edit(call, what).await.map_err(|problem| match problem {
        PerformError::Make(PlanningError::File(FileOpError::IsDirectory(_))) => is_directory(written),
        PerformError::Make(PlanningError::File(FileOpError::Vfs(VfsError::Exists { .. })))
        | PerformError::Apply(ApplyError::Edit(EditError::Conflict { .. })) => {
            Reply::failed(format!("File already exists, cannot create: {written}"))
        }
        problem => format_refusal(call.project.root(), written, "executing edit", problem),
    })?;
    Ok(Reply::done(format!("Created new file: {written} with provided content.")))
}

/// Parses the path of a file; the root is not one.
fn file(root: &Path, written: &str) -> Result<RelPath, Reply> {
    let path = absolute(root, written)?;
    if path.is_root() { Err(is_directory(written)) } else { Ok(path) }
}

async fn apply_edit(call: &Call<'_>, what: EditAction) -> Result<EditResult, PerformError> {
    let request = Request {
        what,
        base: ExpectedRevisions::default(),
        breaking: Breaking::Allowed,
        ignored: IgnoredEdits::Edited,
    };
    let by =
        Originator { who: call.client.name().to_owned(), tool: call.tool.to_owned(), title: String::new() };
    perform(call.project, request, DiagnosticsReport::Nothing, by).await
}

fn is_directory(written: &str) -> Reply {
    invalid(format!("Path is a directory, not a file: {written}"))
}

fn not_replaced(root: &Path, written: &str, problem: PerformError) -> Reply {
    match problem {
        PerformError::Make(PlanningError::File(problem)) if is_missing(&problem) => {
            Reply::failed(format!("File not found: {written}"))
        }
        PerformError::Make(PlanningError::File(FileOpError::IsDirectory(_))) => is_directory(written),
        PerformError::Make(PlanningError::Replace(ReplaceError::NoMatches { .. })) => Reply::failed(format!(
            "Failed to edit, 0 occurrences found for old_string in {written}. No edits made. The exact text in \
             old_string was not found. Ensure you're not escaping content incorrectly and check whitespace, indentation, \
             and context. Use read_file tool to verify."
        )),
        PerformError::Make(PlanningError::Replace(ReplaceError::Miscounted { expected, count, .. })) => {
            let occurrences = if expected == 1 { "occurrence" } else { "occurrences" };
            Reply::failed(format!(
                "Failed to edit, Expected {expected} {occurrences} but found {count} for old_string in file: {written}"
            ))
        }
        problem => format_refusal(root, written, "executing edit", problem),
    }
}

/// Returns a failure for which the contract has no text; `doing` names the action that failed.
fn format_refusal(root: &Path, written: &str, doing: &str, problem: PerformError) -> Reply {
    match problem {
        PerformError::Make(PlanningError::File(problem)) if is_outside(&problem) => outside(root, written),
        PerformError::Apply(ApplyError::Edit(EditError::File(VfsError::Outside { .. }))) => {
            outside(root, written)
        }
        PerformError::Engine(problem) => not_ready(problem),
        problem => Reply::failed(format!("Error {doing}: {problem}")),
    }
}
