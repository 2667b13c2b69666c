//! tool_router's `apply_patch_json` and `apply_patch_freeform`: each takes both forms of a patch (sections of
//! the contract with these names; rulings on them).

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::answer::{error, json_text, path_text};
use super::arguments::Strict;
use crate::{Call, Outcome, Reply, ReplyFuture, Tool};
use symd_edit::Originator;
use symd_ops::edits::{
    Breaking, DiagnosticsReport, EditAction, ExpectedRevisions, IgnoredEdits, PerformError, PlanningError,
    Request, Written, perform,
};
use symd_rewrite::patch::PatchParseError;

pub(super) const APPLY_PATCH_JSON: Tool = Tool::changing(
    "apply_patch_json",
    "Apply diff",
    "Apply a unified diff. The Begin/End Patch envelope is taken as well. A patch of several files is applied \
     whole or not at all; file modes stay as they are.",
    schema,
    run,
)
.checked_by(|proposed| read(proposed.arguments).map(drop));

pub(super) const APPLY_PATCH_FREEFORM: Tool = Tool::changing(
    "apply_patch_freeform",
    "Apply patch",
    "Apply a patch using the apply_patch freeform envelope (Begin/End Patch). A unified diff is taken as well. \
     A patch of several files is applied whole or not at all; file modes stay as they are.",
    schema,
    run,
)
.checked_by(|proposed| read(proposed.arguments).map(drop));

fn schema() -> Value {
    json!({
        "properties": {
            "patch": {"description": "Unified diff text or freeform apply_patch envelope.", "title": "Patch", "type": "string"}
        },
        "required": ["patch"],
        "title": "ApplyPatchInput",
        "type": "object",
        "additionalProperties": false
    })
}

fn run(call: Call<'_>) -> ReplyFuture<'_> {
    Box::pin(async move { apply(&call).await.unwrap_or_else(|reply| reply) })
}

#[derive(Serialize)]
struct ApplyPatchOutput {
    results: Vec<PatchResult>,
}

#[derive(Serialize)]
struct PatchResult {
    path: String,
    bytes_written: usize,
    created: bool,
}

/// Parses the arguments: a patch that is well-formed.
fn read(arguments: &Map<String, Value>) -> Result<EditAction, Reply> {
    let patch = EditAction::Patch(Strict::read(&schema(), arguments)?.string("patch")?.to_owned());
    patch.check().map_err(|problem| format_refusal(problem.into()))?;
    Ok(patch)
}

async fn apply(call: &Call<'_>) -> Result<Reply, Reply> {
    let request = Request {
        what: read(&call.arguments)?,
        base: ExpectedRevisions::default(),
        breaking: Breaking::Allowed,
        ignored: IgnoredEdits::Edited,
    };
    let by =
        Originator { who: call.client.name().to_owned(), tool: call.tool.to_owned(), title: String::new() };
    let done =
        perform(call.project, request, DiagnosticsReport::Nothing, by).await.map_err(format_refusal)?;
    let result = |written: Written| PatchResult {
        path: String::from(written.path),
        bytes_written: written.bytes,
        created: written.created,
    };
    Ok(json_text(&ApplyPatchOutput { results: done.written.into_iter().map(result).collect() }))
}

/// Formats a refusal: why the patch was not applied, always with the statement that nothing was written.
fn format_refusal(problem: PerformError) -> Reply {
    let outcome = match problem {
        PerformError::Engine(_) => Outcome::NotReady,
        _ => Outcome::Failed,
    };
    let mut text = match &problem {
        PerformError::Make(PlanningError::PatchText(PatchParseError::Path { line, error })) => {
            format!("line {line} of the patch: {}", path_text(error))
        }
        problem => problem.to_string(),
    };
    if !text.contains("nothing was written") && !text.contains("the tree is as it was") {
        text.push_str("; nothing was written");
    }
    Reply { outcome, ..error(text) }
}
