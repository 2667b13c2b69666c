//! `finish_edit`: makes the changes of an edit in files whose unsaved texts were closed in an editor without being saved.

use serde_json::{Map, Value, json};

use super::super::files::{DEFAULT_LIMIT, LIMIT, failed, limit};
use super::super::server_edit_text::remember;
use super::text::{diffs_text, inverse_text};
use super::{RunMode, not_applied, run_mode, schema};
use crate::arguments::Arguments;
use crate::{Call, Reply, Tool};
use symd_edit::{OperationId, Originator};
use symd_ops::edits::{finish, preview_finish};

pub(in super::super) const FINISH_EDIT: Tool = Tool::changing(
    "finish_edit",
    "Finish a half saved edit",
    "Makes an edit's changes in the files that an editor closed without saving (`history` marks such an edit as \
     half saved), where the lines around them are saved. undo takes the rest of the edit back instead.",
    || {
        json!({
            "type": "object",
            "properties": {
                "id": {"type": "integer", "minimum": 1, "description": "The operation's number, as history names it."},
                "dry_run": schema::dry_run(),
                "limit": {"type": "integer", "default": DEFAULT_LIMIT, "minimum": 1, "description": LIMIT},
            },
            "required": ["id"],
        })
    },
    |call| Box::pin(async move { run(&call).await.unwrap_or_else(|reply| reply) }),
)
.checked_by(|proposed| FinishArgs::read(proposed.arguments).map(drop));

/// The arguments of `finish_edit`.
struct FinishArgs {
    id: OperationId,
    mode: RunMode,
    limit: usize,
}

impl FinishArgs {
    fn read(arguments: &Map<String, Value>) -> Result<FinishArgs, Reply> {
        let arguments = Arguments::new(arguments);
        let limit = limit(&arguments).map_err(failed)?;
        arguments.integer("id").map_err(failed)?;
        let id = arguments.count_or("id", 0).map_err(failed)?;
        let id = OperationId(u64::try_from(id).unwrap_or(u64::MAX));
        Ok(FinishArgs { id, mode: run_mode(&arguments)?, limit })
    }
}

async fn run(call: &Call<'_>) -> Result<Reply, Reply> {
    let FinishArgs { id, mode, limit } = FinishArgs::read(&call.arguments)?;
    if mode == RunMode::DryRun {
        let diffs = preview_finish(call.project, id).await.map_err(|error| not_applied(&error))?;
        return Ok(Reply::done(diffs_text(&diffs, &[], limit)));
    }
    let title = format!("rest of operation {id}");
    let by =
        Originator { who: call.client.name().to_owned(), tool: call.tool.to_owned(), title: title.clone() };
    let applied = finish(call.project, id, by).await.map_err(|error| not_applied(&error))?;
    remember(&call.client, &applied);
    Ok(Reply::done(inverse_text(&title, &applied, Some("undo takes it back"), limit)))
}
