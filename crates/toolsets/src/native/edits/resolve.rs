//! `resolve_edit`: decides about files that recovery left as they were because somebody else had changed
//! them.

use serde_json::{Map, Value, json};

use super::super::files::{DEFAULT_LIMIT, LIMIT, failed, limit};
use super::super::server_edit_text::remember;
use super::text::{diffs_text, inverse_text};
use super::{RunMode, not_applied, run_mode, schema};
use crate::arguments::Arguments;
use crate::{Call, Reply, Tool};
use symd_edit::{OperationId, Originator, Resolution};
use symd_ops::edits::{preview_resolve, resolve};

pub(in super::super) const RESOLVE_EDIT: Tool = Tool::changing(
    "resolve_edit",
    "Resolve an interrupted edit",
    "Decides about an edit that a crash cut short, where files had been changed by others before symd could \
     put them back (`status` names them): keep them as they are, or put the content from before the edit in their place. \
     The latter is an edit and can be undone.",
    || {
        json!({
            "type": "object",
            "properties": {
                "id": {"type": "integer", "minimum": 1, "description": "The operation's number, as status and the first answer after the start name it."},
                "resolution": {"type": "string", "enum": ["keep", "put_back"], "description": "keep: the files are right as they are, the content from before is forgotten. put_back: the content from before the edit takes their place."},
                "dry_run": schema::dry_run(),
                "limit": {"type": "integer", "default": DEFAULT_LIMIT, "minimum": 1, "description": LIMIT},
            },
            "required": ["id", "resolution"],
        })
    },
    |call| Box::pin(async move { run(&call).await.unwrap_or_else(|reply| reply) }),
)
.checked_by(|proposed| ResolveArgs::read(proposed.arguments).map(drop));

/// The arguments of `resolve_edit`.
struct ResolveArgs {
    id: OperationId,
    resolution: Resolution,
    mode: RunMode,
    limit: usize,
}

impl ResolveArgs {
    fn read(arguments: &Map<String, Value>) -> Result<ResolveArgs, Reply> {
        let arguments = Arguments::new(arguments);
        let limit = limit(&arguments).map_err(failed)?;
        arguments.integer("id").map_err(failed)?;
        let id = arguments.count_or("id", 0).map_err(failed)?;
        let id = OperationId(u64::try_from(id).unwrap_or(u64::MAX));
        let resolution = match arguments.one_of("resolution", &["keep", "put_back"]).map_err(failed)? {
            "keep" => Resolution::Keep,
            _ => Resolution::PutBack,
        };
        Ok(ResolveArgs { id, resolution, mode: run_mode(&arguments)?, limit })
    }
}

async fn run(call: &Call<'_>) -> Result<Reply, Reply> {
    let ResolveArgs { id, resolution, mode, limit } = ResolveArgs::read(&call.arguments)?;
    if mode == RunMode::DryRun {
        let diffs =
            preview_resolve(call.project, id, resolution).await.map_err(|error| not_applied(&error))?;
        return Ok(Reply::done(diffs_text(&diffs, &[], limit)));
    }
    let title = format!("content from before operation {id}");
    let by =
        Originator { who: call.client.name().to_owned(), tool: call.tool.to_owned(), title: title.clone() };
    let applied = resolve(call.project, id, resolution, by).await.map_err(|error| not_applied(&error))?;
    remember(&call.client, &applied);
    Ok(Reply::done(match resolution {
        Resolution::Keep => format!("operation {id}: its files stay as they are [resolved]"),
        Resolution::PutBack => inverse_text(&title, &applied, None, limit),
    }))
}
